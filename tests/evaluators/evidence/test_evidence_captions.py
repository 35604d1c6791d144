"""What captions say of left and right, and of what can be found; all by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from longtake.core.brief import Brief, PlannedShot
from longtake.core.signal import Signal, Signals
from longtake.evaluators.evidence.compare import marks
from longtake.evaluators.evidence.fit import WEIGHTS, Slot, by_slot, centred, shared, slots
from longtake.evaluators.evidence.likeness import SIGNS, captions, signs
from longtake.evaluators.evidence.sides import agreement, claims


def brief(*texts: str, **times: float) -> Brief:
    return Brief(shots=[PlannedShot(index=i, text=text, **times) for i, text in enumerate(texts)])


def said(text: str) -> list[tuple[str, float, bool]]:
    return [(c.kind, c.side, c.moves) for c in claims(brief(text), [0])]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A man stands on the left and a dog sits on the right.", [("person", -1, False), ("dog", 1, False)]),
        ("A woman in a purple dress on the right speaks.", [("person", 1, False)]),
        ("A black bear walks to the left.", [("bear", -1, True)]),
        ("Cars roll from right to left.", [("car", -1, True)]),
        ("A girl looks to the right.", []),
        ("A cow stands with its head on the left.", []),
        ("Pine trees on the right.", []),
        ("A car drives away up a dirt road in the mountains with pine trees on the right.", []),
    ],
)
def test_claims_about_sides(text: str, found: list[tuple[str, float, bool]]) -> None:
    assert said(text) == found


def objects(*rows: tuple[float, str, float, float]) -> Signals:
    """Boxes a fifth of the picture wide: time, label, score, left edge."""
    names = ("time", "label", "confidence", "x")
    columns = {n: np.array([r[i] for r in rows]) for i, n in enumerate(names)} | {
        "width": np.full(len(rows), 0.2)
    }
    return Signals({"objects": Signal("objects", 1, columns=columns)})


def test_agreement_turns_with_the_picture() -> None:
    (there,) = claims(brief("A dog on the left."), [0])
    seen = objects((0, "dog", 0.9, 0.1), (1, "dog", 0.9, 0.1), (1, "cat", 0.9, 0.8))
    turned = objects((0, "dog", 0.9, 0.7), (1, "dog", 0.9, 0.7))
    assert agreement(seen, there, 0, 2) == pytest.approx(0.6)
    assert agreement(turned, there, 0, 2) == pytest.approx(-0.6)
    assert agreement(seen, there, 2, 4) is None
    (way,) = claims(brief("A dog runs to the left."), [0])
    assert agreement(objects((0, "dog", 0.9, 0.5), (2, "dog", 0.9, 0.1)), way, 0, 3) == pytest.approx(0.8)
    assert agreement(objects((0, "dog", 0.9, 0.5)), way, 0, 3) is None


def test_places_that_differ_are_marked() -> None:
    a = objects((0, "dog", 0.9, 0.1), (1, "dog", 0.9, 0.1), (2, "dog", 0.3, 0.1))
    b = objects((0, "dog", 0.9, 0.15), (1, "dog", 0.9, 0.7), (2, "dog", 0.3, 0.7))
    assert marks(a, b) == [1.0]


def test_signs_of_what_a_caption_names() -> None:
    frames = Signal("frames", 2, columns={"time": np.array([0.0, 1.0])})
    picture = Signal(
        "picture",
        2,
        columns={
            "time": np.array([0.0, 1.0]),
            "saturation": np.array([0.3, 0.0]),
            "chroma_u": np.array([-10.0, 0.0]),
            "chroma_v": np.array([32.0, 0.0]),
        },
    )
    seen = objects((0, "person", 0.8, 0.1), (1, "car", 0.6, 0.1), (1, "car", 0.1, 0.1))
    signals = Signals({"frames": frames, "picture": picture, **seen.by_name})
    wanted = brief("A man in red.", "A car, in black-and-white.", "")
    texts = captions(wanted)
    time, tables = signs(signals, wanted, texts)
    by = dict(zip(SIGNS, tables, strict=True))
    assert (texts, list(time)) == ([0, 1], [0.0, 1.0])
    assert np.isnan(by["text_picture"]).all()
    assert by["people"].tolist() == [[0.8, 0], [0, 0]]
    assert by["things"].tolist() == [[0, 0], [0, 0.6]]
    # Red lies at (-0.3, 1), of length 1.044: the agreement is (3 + 32) / 1.044 / 16.
    assert by["colours"][0, 0] == pytest.approx(35 / math.hypot(0.3, 1) / 16)
    assert by["colours"][0, 1] == by["colours"][1, 0] == 0
    assert by["grey"][0, 1] < by["grey"][1, 1] == 0


def test_only_differences_between_captions_and_between_frames_count() -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(size=(len(SIGNS), 4, 3))
    (plain,) = centred([table])
    (moved,) = centred([table + rng.normal(size=(1, 4, 1)) + rng.normal(size=(1, 1, 3))])
    assert moved == pytest.approx(plain)
    assert plain.sum(axis=0) == pytest.approx(np.zeros(3))
    assert plain.sum(axis=1) == pytest.approx(np.zeros(4))
    only = np.full_like(table, np.nan)
    only[0, 0, 0], only[0, 1, 0] = 1, 3
    assert centred([only])[0][:2, 0] == pytest.approx(np.zeros(2))  # one caption alone says nothing
    assert len(WEIGHTS) == len(SIGNS)


def test_places_of_captions() -> None:
    lengths = Brief(
        shots=[PlannedShot(index=i, text=t, duration=2) for i, t in enumerate(("a dog", "", "a cat"))]
    )
    assert slots(lengths, captions(lengths)) == [Slot(0, 0, 2), Slot(1, 4, 6)]
    without = brief("a dog", "a cat")
    assert slots(without, captions(without)) == []
    assert shared(Slot(0, 2, 6), [(0, 3), (5, 9)]) == pytest.approx(0.5)
    table = np.array([[1.0, 9], [3, 9], [9, 5]])
    places = [Slot(0, 0, 2), Slot(1, 2, 4), Slot(0, 8, 9)]
    found = by_slot(np.array([0.5, 1.5, 2.5]), table, places, None)
    assert found[:2].tolist() == [2, 5]
    assert math.isnan(found[2])
    assert by_slot(np.array([0.5, 1.5, 2.5]), table, places, [(1, 2)])[0] == 3
