"""Controls of the rules about joins, on real clips: sound across cuts, and joins within one scene."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest

from longtake.core.brief import Brief, PlannedShot
from longtake.core.measurement import Measurement
from longtake.core.video import Video
from longtake.diagnosis.facts import Facts
from longtake.diagnosis.plan import AlignedShot, Plan
from longtake.diagnosis.rules import REPORT_RULES, RULES
from longtake.execution.entry import video_entry
from longtake.execution.measure import measure
from longtake.media.open import open_video
from longtake.meta.perturbations import join, perturb, reencode
from longtake.signals.registry import LIGHT
from longtake.storage.cache import Cache

CUTS = (223 / 29.97, 280 / 29.97)
"""Hard cuts of wrtc_chrome_a.mp4, checked by eye, in seconds."""


def measured(
    video: Video,
    cache: Path,
    brief: Brief | None = None,
    plan: Plan | None = None,
    names: Sequence[str] = LIGHT,
) -> Facts:
    found = measure(video, names, cache=Cache(cache), workers=1)
    entry = video_entry(video, found, None)
    return Facts(found.signals, entry, brief, plan, {})


def test_sound_across_cuts(media: Path, tmp_path: Path) -> None:
    rule = RULES["bgm_transition_smoothness"].function
    source = media / "8_footage" / "wrtc_chrome_a.mp4"
    clean = rule(measured(open_video(source), tmp_path / "cache"))
    assert clean.value == 1, clean.facts
    perturb(open_video(source), "sound_dropout", "medium", 1, tmp_path / "damaged.mp4", cuts=CUTS)
    damaged = rule(measured(open_video(tmp_path / "damaged.mp4"), tmp_path / "cache"))
    assert damaged.value is not None
    assert damaged.value <= 0.5, damaged.facts
    assert len(damaged.evidence) >= 1


def in_two(source: Path, tmp_path: Path, damage: str | None) -> Video:
    """Four seconds of a clip in two parts, as two shots; the damage is at their join."""
    first, second = tmp_path / "1.mp4", tmp_path / "2.mp4"
    reencode(open_video(source, end=Fraction(2)), first)
    rest = open_video(source, start=Fraction(2), end=Fraction(4))
    if damage is None:
        reencode(rest, second)
    else:
        perturb(rest, damage, 1, 1, second, cuts=(0.0,))
    return open_video([first, second])


@pytest.mark.parametrize(("damage", "expected"), [(None, 1.0), ("flash", 0.0)])
def test_join_within_a_scene(media: Path, tmp_path: Path, damage: str | None, expected: float) -> None:
    film = in_two(media / "8_footage" / "intel_fruit.mp4", tmp_path, damage)
    shots = [PlannedShot(index=i, start=2.0 * i, end=2.0 * i + 2, scene="belt") for i in range(2)]
    plan = Plan(tuple(AlignedShot(i, 2.0 * i, 2.0 * i + 2, (i,), 2.0 * i, 2.0 * i + 2) for i in range(2)))
    facts = measured(film, tmp_path / "cache", Brief(shots=shots), plan)
    found = REPORT_RULES["transition_quality"].function(facts)
    assert found.facts["same_scene"] == 1
    assert found.value == expected, (found.facts, found.evidence)


def by_looks(film: Video, weights: Path) -> Measurement:
    facts = measured(film, weights, names=[*LIGHT, "scenes"])
    return REPORT_RULES["transition_quality"].function(facts)


@pytest.mark.parametrize(("damage", "expected"), [(None, 1.0), ("flash", 0.0)])
def test_join_within_a_scene_by_looks(
    media: Path, tmp_path: Path, weights: Path, damage: str | None, expected: float
) -> None:
    found = by_looks(in_two(media / "8_footage" / "intel_fruit.mp4", tmp_path, damage), weights)
    assert found.facts["same_scene"] == 1
    assert found.value == expected, (found.facts, found.evidence)
    assert (found.confidence or 1) < 1


def test_a_cut_to_another_place_by_looks(media: Path, tmp_path: Path, weights: Path) -> None:
    clips = [media / "8_footage" / name for name in ("intel_fruit.mp4", "sam_dog.mp4")]
    join([open_video(clip, end=Fraction(2)) for clip in clips], tmp_path / "film.mp4")
    found = by_looks(open_video(tmp_path / "film.mp4"), weights)
    assert (found.status, found.facts["scene_changes"]) == ("not_applicable", 1)
    assert not found.evidence
