"""The evaluator ``evidence`` on made films, whose colours its captions name, and on real ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

import films
from longtake.core.brief import Brief, PlannedShot
from longtake.core.case import Case
from longtake.core.evaluator import MeasuredCase, Preference
from longtake.core.signal import Signal, Signals
from longtake.evaluators.evidence.evaluator import evidence
from longtake.execution.entry import video_entry
from longtake.execution.measure import measure
from longtake.execution.text_picture import chosen, with_text_picture
from longtake.media.open import open_video
from longtake.meta.perturbations import join, reencode
from longtake.storage.cache import Cache

SCENE_S, FPS = 3, 24
COLOURS = {"red": (40, 40, 200), "green": (40, 180, 40), "blue": (200, 60, 40), "yellow": (40, 200, 210)}
ENCODING = films.Encoding("libx264", FPS, (("crf", "18"), ("preset", "veryfast")))
NEEDS = ("picture", "shots", "motion", "frames")
BRIEF = Brief(
    shots=[
        PlannedShot(index=i, text=f"A {name} wall", start=float(SCENE_S * i), end=float(SCENE_S * (i + 1)))
        for i, name in enumerate(COLOURS)
    ]
)


def scene(name: str) -> list[films.Picture]:
    """A drifting texture in one colour."""
    grey = [cv2.cvtColor(p, cv2.COLOR_BGR2GRAY) for p in films.drifting(len(name), SCENE_S * FPS)]
    tint = np.array(COLOURS[name], np.float32) / 255
    return [
        np.asarray((g[..., None] * 0.5 + 90) * tint * 1.2, np.float32).clip(0, 255).astype(np.uint8)
        for g in grey
    ]


def film(folder: Path, name: str, pictures: Sequence[films.Picture]) -> Path:
    path = folder / f"{name}.mp4"
    films.write(path, iter(pictures), ENCODING)
    return path


def case(
    path: Path, brief: Brief | None, needs: Sequence[str] = NEEDS, *, words: bool = False
) -> MeasuredCase:
    video = open_video(path)
    cache = Cache()
    measured = measure(video, needs, cache=cache, workers=1)
    if words:
        measured = with_text_picture(video, measured, brief, chosen(None, cache), cache)
    entry = video_entry(video, measured, None)
    return MeasuredCase(Case(path.stem, path), entry, measured.signals, brief, path.stat().st_size)


def mirrored(answer: Preference) -> Preference:
    other = {"a": "b", "b": "a", "tie": "tie", None: None}
    return answer.model_copy(
        update={
            "choice": other[answer.choice],
            "evidence": answer.evidence_a,
            "evidence_a": answer.evidence,
            "facts": {k: -v if isinstance(v, float) else v for k, v in answer.facts.items()},
        }
    )


def asked(a: MeasuredCase, b: MeasuredCase) -> Preference:
    """Its answer, which must not depend on who comes first."""
    answer = evidence.prefer(a, b)
    turned = mirrored(evidence.prefer(b, a))
    assert (turned.choice, turned.status, turned.evidence, turned.evidence_a) == (
        answer.choice,
        answer.status,
        answer.evidence,
        answer.evidence_a,
    )
    assert turned.facts == pytest.approx(answer.facts)
    return answer


def points_at(answer: Preference, spans: Sequence[tuple[float, float]]) -> None:
    """Every span is pointed at, nothing else is, and the other film is left alone."""
    assert answer.evidence_a == []
    for start, end in spans:
        assert any(e.start < end and e.end > start for e in answer.evidence), (start, end, answer.evidence)
    for e in answer.evidence:
        assert any(e.start < end and e.end > start for start, end in spans), (spans, e)


@pytest.fixture(scope="module")
def scenes() -> dict[str, list[films.Picture]]:
    return {name: scene(name) for name in COLOURS}


@pytest.fixture
def whole(tmp_path: Path, scenes: dict[str, list[films.Picture]]) -> MeasuredCase:
    return case(film(tmp_path, "whole", [p for s in scenes.values() for p in s]), BRIEF)


def damaged(tmp_path: Path, pictures: Sequence[films.Picture], brief: Brief | None = BRIEF) -> MeasuredCase:
    return case(film(tmp_path, "damaged", pictures), brief)


def test_scenes_in_another_order_are_told_by_the_captions(
    tmp_path: Path, whole: MeasuredCase, scenes: dict[str, list[films.Picture]]
) -> None:
    order = ["red", "blue", "green", "yellow"]
    answer = asked(whole, damaged(tmp_path, [p for n in order for p in scenes[n]]))
    assert answer.choice == "a"
    points_at(answer, [(3, 6), (6, 9)])
    # With captions in the other order it is the other film that is right.
    turned = BRIEF.model_copy(
        update={
            "shots": [
                s.model_copy(update={"text": f"A {n} wall"}) for s, n in zip(BRIEF.shots, order, strict=True)
            ]
        }
    )
    other = replace(case(tmp_path / "damaged.mp4", turned))
    assert asked(replace(whole, brief=turned), other).choice == "b"


def test_without_captions_an_order_is_not_told(
    tmp_path: Path, whole: MeasuredCase, scenes: dict[str, list[films.Picture]]
) -> None:
    other = damaged(tmp_path, [p for n in ("red", "blue", "green", "yellow") for p in scenes[n]], None)
    answer = asked(replace(whole, brief=None), other)
    assert answer.status == "unscored"
    assert answer.reason is not None
    assert "no captions" in answer.reason
    assert (answer.evidence, answer.evidence_a) == ([], [])


def test_equal_films_tie_and_encoding_again_moves_little(
    tmp_path: Path, whole: MeasuredCase, scenes: dict[str, list[films.Picture]]
) -> None:
    pictures = [p for s in scenes.values() for p in s]
    same = asked(whole, case(film(tmp_path, "same", pictures), BRIEF))
    assert (same.choice, same.facts["strength"], same.evidence) == ("tie", 0, [])
    reencode(open_video(whole.case.video), tmp_path / "again.mp4")
    again = asked(whole, case(tmp_path / "again.mp4", BRIEF))
    flat = asked(whole, damaged(tmp_path, _flat(scenes)))
    assert abs(float(again.facts["strength"] or 0)) < abs(float(flat.facts["strength"] or 0)) / 5


def _flat(scenes: dict[str, list[films.Picture]]) -> list[films.Picture]:
    """The third scene with a third of its contrast, about its own mean."""
    out = []
    for name, pictures in scenes.items():
        mean = np.mean(pictures[0], axis=(0, 1))
        for p in pictures:
            out.append((mean + 0.35 * (p - mean)).astype(np.uint8) if name == "blue" else p)
    return out


def test_less_contrast_is_worse_with_and_without_a_brief(
    tmp_path: Path, whole: MeasuredCase, scenes: dict[str, list[films.Picture]]
) -> None:
    other = damaged(tmp_path, _flat(scenes))
    for brief in (BRIEF, None):
        answer = asked(replace(whole, brief=brief), replace(other, brief=brief))
        assert answer.choice == "a"
        points_at(answer, [(6, 9)])
        # Three seconds, each the logarithm of the contrast's ratio, more for the grain, but 1.5 at most.
        assert 3 * np.log(1 / 0.35) * 0.9 < float(answer.facts["look"] or 0) <= 4.5


def test_a_scene_that_stands_still_is_worse(
    tmp_path: Path, whole: MeasuredCase, scenes: dict[str, list[films.Picture]]
) -> None:
    held = [p for n, s in scenes.items() for p in (s if n != "green" else [s[len(s) // 2]] * len(s))]
    answer = asked(whole, damaged(tmp_path, held))
    assert answer.choice == "a"
    points_at(answer, [(3, 6)])
    assert "moves" in answer.evidence[0].what


def test_a_missing_scene_is_told_by_what_is_described_not_by_length(
    tmp_path: Path, whole: MeasuredCase, scenes: dict[str, list[films.Picture]]
) -> None:
    short = damaged(tmp_path, [p for n in ("red", "blue", "yellow") for p in scenes[n]])
    assert asked(whole, short).choice == "a"
    names = ("red", "blue", "yellow")
    three = Brief(
        shots=[
            PlannedShot(index=i, text=f"A {n} wall", start=float(SCENE_S * i), end=float(SCENE_S * (i + 1)))
            for i, n in enumerate(names)
        ]
    )
    assert asked(replace(whole, brief=three), replace(short, brief=three)).choice == "b"


def test_a_film_is_better_with_its_own_captions(whole: MeasuredCase) -> None:
    names = list(COLOURS)
    other = BRIEF.model_copy(
        update={
            "shots": [
                s.model_copy(update={"text": f"A {n} wall"})
                for s, n in zip(BRIEF.shots, [*names[1:], names[0]], strict=True)
            ]
        }
    )
    answer = asked(whole, replace(whole, brief=other))
    assert answer.choice == "a"


def test_it_abstains_without_what_it_looks_at(whole: MeasuredCase) -> None:
    gone = Signals(
        {**whole.signals.by_name, "motion": Signal("motion", 2, "failed", "no reason in the world")}
    )
    answer = asked(whole, replace(whole, signals=gone))
    assert answer.status == "unscored"
    assert answer.reason == "it needs motion: no reason in the world"


CLIPS = (
    ("sam_coffee.mp4", "A person pours coffee from a silver kettle into a blue mug."),
    ("intel_fruit.mp4", "A green apple rolls by on a black conveyor belt."),
    ("tmh_tractor.webm", "A green tractor drives over a brown field."),
    ("lav_panda.mp4", "A giant panda sits on green grass."),
    ("flt_bee.mp4", "A black bee climbs over a pink thistle."),
)


def test_real_clips_in_another_order(media: Path, weights: Path, tmp_path: Path) -> None:
    parts = {name: open_video(media / "8_footage" / name, start=0, end=2) for name, _ in CLIPS}
    brief = Brief(
        shots=[
            PlannedShot(index=i, text=text, start=2.0 * i, end=2.0 * (i + 1))
            for i, (_, text) in enumerate(CLIPS)
        ]
    )
    names = [name for name, _ in CLIPS]
    small = _small(media / "8_footage" / names[0], tmp_path / "size.mp4")
    for name, order in (("right", names), ("wrong", [names[i] for i in (0, 2, 3, 1, 4)])):
        join([small, *(parts[n] for n in order)], tmp_path / f"{name}.mp4")
    a, b = (case(tmp_path / f"{n}.mp4", _later(brief, 0.2), words=True) for n in ("right", "wrong"))
    answer = asked(a, b)
    assert answer.choice == "a"
    points_at(answer, [(2.2, 8.2)])


def _small(clip: Path, out: Path) -> object:
    """A fifth of a second in the size that the joined films are to have."""
    pictures = films.pictures_of(clip, (320, 180), 5)
    films.write(out, iter(pictures), films.Encoding("libx264", 25, (("crf", "18"),)))
    return open_video(out)


def _later(brief: Brief, by: float) -> Brief:
    shots = [s.model_copy(update={"start": s.start + by, "end": s.end + by}) for s in brief.shots]
    return brief.model_copy(update={"shots": shots})
