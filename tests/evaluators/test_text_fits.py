"""CLIPScore and VideoText: means of cosines by hand, pairing, what is cut, and controls on real clips."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import longtake
from longtake.core.brief import Brief, PlannedShot
from longtake.core.case import Case
from longtake.core.documents import VideoEntry
from longtake.core.embedding import ClipVectors, Shape, TextVectors
from longtake.core.evaluator import MeasuredCase
from longtake.core.measurement import Measurement
from longtake.core.scores import ScoreDocument, by_name
from longtake.core.signal import Event, Signal, Signals
from longtake.core.tools import ModelUsed
from longtake.evaluators.clipscore.evaluator import clipscore
from longtake.evaluators.clipscore.pairing import captions_for
from longtake.evaluators.shared.black import BLACK
from longtake.evaluators.shared.fits import cosines
from longtake.evaluators.shared.spans import planned_spans
from longtake.evaluators.video_text.evaluator import video_text
from longtake.media.open import open_video
from longtake.media.probe import probe

CLIPS = {
    "dc_lighthouse": "A lighthouse on a rock in a rough green sea at sunset.",
    "dc_train": "An orange train drives through a flower meadow.",
    "dc_guitar": "A brown bear plays a guitar in a snowy forest.",
    "lav_shark": "A shark swims in the sea.",
}
OTHER = {
    "fv_ref1": "A grey kitten plays with a string at a sofa.",
    "lav_panda": "A giant panda on the grass.",
    "fv_motorcycle": "A motorcycle rides on an empty straight road.",
    "intel_pbc": "A silver car drives in a car park.",
}
"""Real clips and what is to be seen on them, by eye."""


@dataclass
class World:
    """A film in which second k shows ``pictures[k]``, and texts whose vectors are given: an embedder of the
    port, and the tools that have it."""

    seen: Sequence[Sequence[float]]
    said: dict[str, Sequence[float]]
    limit: int = 6

    shape = Shape(2, 224, frames=8, tokens=6)
    role_used = ModelUsed(role="", name="by-hand", kind="model", label="by-hand sha256:0")

    def lacks(self, *roles: str) -> str | None:
        return None

    def embedder(self, role: str) -> World:
        return self

    @property
    def used(self) -> ModelUsed:
        return self.role_used

    def pictures(self, times: Sequence[float]) -> np.ndarray:
        return np.array([self.seen[int(t)] for t in times])

    def clips(self, spans: Sequence[tuple[float, float]], sampling: str) -> ClipVectors:
        return ClipVectors(np.array([self.seen[int(a)] for a, _ in spans]), (8,) * (len(spans) - 1) + (3,))

    def texts(self, texts: Sequence[str], policy: str) -> TextVectors:
        tokens = tuple(len(text.split()) + 2 for text in texts)
        read = [" ".join(text.split()[: self.limit - 2]) for text in texts]
        dropped = tuple(max(0, n - self.limit) for n in tokens)
        return TextVectors(np.array([self.said[text] for text in read]), tokens, dropped, policy)  # type: ignore[arg-type]


def case_of(world: World | None, brief: Brief | None, cuts: Sequence[float] = ()) -> MeasuredCase:
    edges = [0.0, *cuts, float(len(world.seen) if world else 4)]
    shots = {"start": np.array(edges[:-1]), "end": np.array(edges[1:])}
    film = VideoEntry(
        path="f.mp4",
        hash="0",
        kind="file",
        duration=edges[-1],
        frames=8,
        width=64,
        height=36,
        fps=2,
        audio=False,
    )
    return MeasuredCase(
        Case("x", Path("f.mp4")),
        film,
        Signals({"shots": Signal("shots", 1, columns=shots)}),
        brief,
        1000,
        tools=world,  # type: ignore[arg-type]
        settings={"policy": "cut", "sampling": "centre"},
    )


def planned(*texts: str, **times: float) -> Brief:
    return Brief(shots=[PlannedShot(index=i, text=text, **times) for i, text in enumerate(texts)])


def told(found: Sequence[Measurement]) -> list[float | str | None]:
    return [m.reason if m.value is None else pytest.approx(m.value, abs=1e-6) for m in found]


def test_cosines_are_those_of_vectors_at_any_length() -> None:
    draw = np.random.default_rng(6)
    a, b = draw.normal(size=(2, 50, 7))
    by_definition = [float(p @ q / np.sqrt(p @ p) / np.sqrt(q @ q)) for p, q in zip(a, b, strict=True)]
    unit = [v / np.linalg.norm(v, axis=1, keepdims=True) for v in (a, b)]
    assert cosines(*unit) == pytest.approx(by_definition, abs=1e-12)
    assert cosines([[np.nan, 0.0]], [[1.0, 0.0]]) == [None]


def test_signs_that_nobody_sees_are_no_caption() -> None:
    world = World([(1, 0), (0.6, 0.8)], {"a": (1, 0), "b": (1, 0), "\u200b": (0, 1), "a b": (1, 0)})
    unseen = planned("\u200b", "\u2060 \ufeff", duration=1)
    assert told(clipscore.measure(case_of(world, unseen))) == ["the brief has no text"] * 2
    assert planned_spans(case_of(world, unseen)).reason == "the brief has no texts of shots"
    mixed = planned("\u200b", "b", duration=1)
    assert [shot.index for shot in planned_spans(case_of(world, mixed)).shots] == [1]
    assert clipscore.measure(case_of(world, mixed))[0].value == pytest.approx(0.6, abs=1e-6)


def test_the_two_readings_of_a_long_prompt_by_hand() -> None:
    """Own captions: 1, .6 and -1; the whole prompt is cut after four words: 1, .6 and -1 with "a b c d"."""
    world = World(
        [(1, 0), (0.6, 0.8), (-1, 0)],
        {"a b": (1, 0), "c d e f": (0, 1), "i": (1, 0), "a b c d": (1, 0)},
    )
    brief = planned("a b", "c d e f g h", "i", duration=1)
    own, whole = clipscore.measure(case_of(world, brief))
    assert [m.value for m in (own, whole)] == pytest.approx([(1 + 0.8 - 1) / 3, (1 + 0.6 - 1) / 3])
    assert (own.facts["texts_cut"], own.facts["tokens_dropped"], own.facts["token_limit"]) == (1, 2, 6)
    assert (whole.facts["tokens"], whole.facts["tokens_dropped"]) == (11, 5)
    assert own.facts["paired_by"] == "lengths"
    assert [e.start for e in own.evidence] == [2, 1, 0]  # the worst fit first
    assert "“i”" in own.evidence[0].what
    assert (own.low, own.high) == (-1, 1)


def test_clips_and_captions_of_other_numbers_are_paired_by_place_and_it_is_said() -> None:
    world = World([(1, 0), (0, 1)], {"a": (1, 0), "b": (0, 1), "c": (0, 1), "a b c": (1, 0)})
    own, _ = clipscore.measure(case_of(world, planned("a", "b", "c"), cuts=[1.0]))
    assert own.value == pytest.approx(1)  # the first clip with a, the second with c
    assert own.facts["paired_by"] == "relative position"
    assert (own.facts["clips"], own.facts["captions"], own.facts["captions_unused"]) == (2, 3, 1)


@pytest.mark.parametrize(("clips", "captions"), [(1, 1), (3, 12), (12, 3), (7, 9), (40, 39)])
def test_pairing_keeps_the_order_and_its_ends_are_symmetric(clips: int, captions: int) -> None:
    found = captions_for(clips, captions)
    assert all(b >= a for a, b in pairwise(found))
    assert 0 <= found[0] <= found[-1] < captions
    assert clips < captions or set(found) == set(range(captions))
    # Backwards it is the same, apart from middles that lie on an edge between captions.
    turned = [captions - 1 - c for c in reversed(found)]
    assert all(abs(a - b) <= 1 for a, b in zip(found, turned, strict=True))


def test_whoever_has_no_brief_no_captions_or_no_place_says_why() -> None:
    world = World([(1, 0), (0, 1)], {"a": (1, 0), "b": (0, 1), "one text": (1, 0)})
    assert told(clipscore.measure(case_of(world, None))) == ["there is no brief"] * 2
    assert told(video_text.measure(case_of(world, None))) == ["there is no brief"]
    prompt = Brief(instruction="one text")
    own, whole = clipscore.measure(case_of(world, prompt, cuts=[1.0]))
    assert (own.status, own.reason) == ("not_applicable", "the brief has no captions of shots")
    assert whole.value == pytest.approx(0.5)
    assert video_text.measure(case_of(world, prompt))[0].status == "not_applicable"
    (adrift,) = video_text.measure(case_of(world, planned("a", "b")))
    assert adrift.status == "unscored"
    assert "no_alignment" in (adrift.reason or "")


def test_video_text_is_the_mean_over_shots() -> None:
    world = World([(1, 0), (0.6, 0.8)], {"a": (0, 1), "b": (0, 1)})
    (found,) = video_text.measure(case_of(world, planned("a", "b", duration=1)))
    assert found.value == pytest.approx(0.4)
    assert found.facts["shots_padded"] == 1
    assert found.facts["proxy"] is False


def test_missing_weights_are_told_and_nothing_is_scored(media: Path) -> None:
    """The test's cache is empty: there are no weights."""
    found = longtake.score(
        media / "8_footage" / "dc_lighthouse.mp4", ["clipscore", "video-text"], brief=planned("a lighthouse")
    )
    for result in found.results:
        for m in result.measurements:
            assert m.status == "unscored"
            assert "models pull" in (m.reason or "")


def scored(
    media: Path, folder: Path, films: dict[str, list[str]], cases: dict[str, tuple[str, list[str]]]
) -> ScoreDocument:
    """Films of clips, each joined in order; a case is a film with the captions of these clips for its own."""
    said = CLIPS | OTHER
    lengths = {}
    for film, clips in films.items():
        (folder / film).mkdir()
        for i, clip in enumerate(clips):
            path = media / "8_footage" / f"{clip}.mp4"
            (folder / film / f"{i}.mp4").symlink_to(path)
            lengths[clip] = probe(open_video(path)).duration
    rows = ["case,video,brief"]
    for case, (film, captions) in cases.items():
        shots = [
            {"text": said[caption], "duration": lengths[clip]}
            for clip, caption in zip(films[film], captions, strict=True)
        ]
        (folder / f"{case}.json").write_text(json.dumps({"shots": shots}))
        rows.append(f"{case},{film},{case}.json")
    (folder / "cases.csv").write_text("\n".join(rows))
    return longtake.score(folder / "cases.csv", ["clipscore", "video-text"], workers=1)


def test_own_captions_fit_and_other_ones_do_not(media: Path, weights: Path, tmp_path: Path) -> None:
    """On the proxy: two films with their own captions, the other's, and their own in another order. One text
    for all clips does not see the order of the clips."""
    one, other = list(CLIPS), list(OTHER)
    films = {"one": one, "other": other, "backwards": one[::-1]}
    cases = {
        "one": ("one", one),
        "one-others": ("one", other),
        "one-moved": ("one", one[2:] + one[:2]),
        "other": ("other", other),
        "other-others": ("other", one),
        "other-moved": ("other", other[2:] + other[:2]),
        "backwards": ("backwards", one),
    }
    document = scored(media, tmp_path, films, cases)
    found = {key: m.value for key, m in by_name(document.results).items()}
    assert None not in found.values()
    for film in ("one", "other"):
        for captions in ("others", "moved"):
            for name in ("clipscore", "video-text"):
                assert found[film, name] > found[f"{film}-{captions}", name] + 0.1  # type: ignore[operator]
    assert found["backwards", "clipscore.ign_max"] == pytest.approx(
        found["one", "clipscore.ign_max"], abs=1e-6
    )
    assert found["backwards", "clipscore"] < found["one", "clipscore"] - 0.05  # type: ignore[operator]
    for name in ("clipscore", "video-text"):
        assert document.evaluators[name].models[0].kind == "proxy"
        assert "CLIP" in document.evaluators[name].proxy
        assert all(r.measurements[0].facts["proxy"] is True for r in document.results)
    # DSA asks for the same clips and texts: of the film it adds one vector, that of the whole film.
    before = embedded(weights)
    again = longtake.score(tmp_path / "one", ["dsa"], brief=tmp_path / "one.json", workers=1)
    assert again.results[0].measurements[1].value is not None
    assert {part: len(files - before[part]) for part, files in embedded(weights).items()} == {
        "films": 1,
        "texts": 0,
    }


def embedded(root: Path) -> dict[str, set[Path]]:
    """What was kept of embeddings."""
    return {
        part: {p for p in (root / "embedded" / part).rglob("*") if p.is_file()} for part in ("films", "texts")
    }


def test_a_black_clip_counts_and_is_told_and_a_black_film_has_no_value() -> None:
    """Of two clips the second is black: its cosine stays in the mean, as its text is not shown."""
    world = World([(1, 0), (0, 1)], {"a": (1, 0), "b": (0.6, 0.8), "a b": (1, 0)})
    brief = Brief(shots=[PlannedShot(index=i, text=t, start=i, end=i + 1) for i, t in enumerate(("a", "b"))])
    case = case_of(world, brief, [1.0])
    dark = (Event("black", 1.0, 2.0, 0.0, ""),)
    for share, events in ((0.5, dark), (1.0, (Event("black", 0.0, 2.0, 0.0, ""),))):
        seen = Signal("picture", 2, facts={"black_share": share}, events=events)
        known = replace(case, signals=Signals({**case.signals.by_name, "picture": seen}))
        score, fit = clipscore.measure(known)[0], video_text.measure(known)[0]
        if share < 1:
            assert (score.value, fit.value) == (pytest.approx(0.9), pytest.approx(0.9))
            assert (score.facts["clips_black"], fit.facts["shots_black"]) == (1, 1)
        else:
            assert [(m.status, m.reason) for m in (score, fit)] == [("unscored", BLACK)] * 2
