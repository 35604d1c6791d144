"""Places that return: on real places, the same and another one, and by hand."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from by_hand import film, shots, signals

from longtake.core.brief import Brief, PlannedShot
from longtake.core.measurement import Measurement
from longtake.core.signal import Signal
from longtake.diagnosis.diagnose import gather
from longtake.diagnosis.facts import Facts
from longtake.diagnosis.rules.places import background_consistency
from longtake.execution.entry import video_entry
from longtake.execution.measure import measure
from longtake.media.open import open_video
from longtake.meta.perturbations import join, perturb
from longtake.storage.cache import Cache

BEDROOM, COFFEE, SHUTTLE = "sam_bedroom.mp4", "sam_coffee.mp4", "tmh_shuttle.webm"
Piece = tuple[str, int]
"""A clip and the second from which two are taken."""


def asked(*scenes: str | None) -> Brief:
    spans = [(2.0 * i, 2.0 * i + 2) for i in range(len(scenes))]
    return Brief(
        shots=[PlannedShot(index=i, start=a, end=b, scene=scenes[i]) for i, (a, b) in enumerate(spans)]
    )


def value(answer: Measurement) -> float:
    assert answer.value is not None, answer.reason
    return answer.value


def filmed(media: Path, root: Path, out: Path, pieces: Sequence[Piece], operator: str | None = None) -> Facts:
    parts = [open_video(media / "8_footage" / n, start=Fraction(a), end=Fraction(a + 2)) for n, a in pieces]
    join(parts, out)
    if operator is not None:
        perturb(open_video(out), operator, "medium", 1, out.with_stem("damaged"))
        out = out.with_stem("damaged")
    video = open_video(out)
    measured = measure(video, ["shots", "scenes"], cache=Cache(root), workers=1)
    return gather(video_entry(video, measured, None), measured.signals, asked("bedroom", "table", "bedroom"))


@pytest.mark.parametrize("operator", [None, "flicker", "freeze"])
def test_a_place_that_returns(media: Path, weights: Path, tmp_path: Path, operator: str | None) -> None:
    pieces = [(BEDROOM, 0), (COFFEE, 0), (BEDROOM, 4)]
    answer = background_consistency(filmed(media, weights, tmp_path / "film.mp4", pieces, operator))
    assert value(answer) == 1
    assert (answer.confidence or 1) <= 0.6


@pytest.mark.parametrize(
    "pieces",
    [
        [(BEDROOM, 0), (COFFEE, 0), (SHUTTLE, 4)],
        [(COFFEE, 0), (BEDROOM, 0), (BEDROOM, 4)],
    ],
    ids=["another", "shuffled"],
)
def test_another_place_instead_of_it(media: Path, weights: Path, tmp_path: Path, pieces: list[Piece]) -> None:
    answer = background_consistency(filmed(media, weights, tmp_path / "film.mp4", pieces))
    assert value(answer) == 0
    assert "planned shot 3 returns to “bedroom”" in answer.evidence[0].what
    assert answer.evidence[0].start == pytest.approx(4, abs=0.2)


def given(count: int, scenes: Sequence[str | None], **same: float) -> Facts:
    """Facts of shots of two seconds; likelihoods as ``_02=.95``, of the others it is not sure."""
    pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
    columns = {
        "a": np.array([a for a, _ in pairs]),
        "b": np.array([b for _, b in pairs]),
        "same_scene": np.array([same.get(f"_{a}{b}", np.nan) for a, b in pairs]),
    }
    have = signals(shots(*[2.0] * count), Signal("scenes", 1, columns=columns))
    return gather(film(duration=2.0 * count), have, asked(*scenes))


def test_any_view_of_the_place_is_enough_and_unsure_ones_say_nothing() -> None:
    scenes = ["hall", "hall", "yard", "Hall "]
    assert value(background_consistency(given(4, scenes, _03=0.02, _13=0.97))) == 1
    assert value(background_consistency(given(4, scenes, _03=0.02, _13=0.02))) == 0
    assert background_consistency(given(4, scenes, _03=0.02)).status == "unscored"
    assert background_consistency(given(4, scenes, _01=0.02, _03=0.99)).value == 1  # two sides of the hall


def test_one_of_two_returns() -> None:
    scenes = ["hall", "yard", "hall", "yard"]
    half = background_consistency(given(4, scenes, _02=0.97, _13=0.02))
    assert value(half) == 0.5
    sure = background_consistency(given(4, scenes, _02=0.97))
    assert value(sure) == 1
    assert (sure.confidence or 1) < (half.confidence or 0)


def test_places_that_the_brief_does_not_name_or_that_do_not_return() -> None:
    assert background_consistency(given(3, ["hall", "yard", "street"])).status == "not_applicable"
    assert background_consistency(given(3, ["hall", "hall", "hall"])).status == "not_applicable"
    assert background_consistency(given(3, [None, None, None])).status == "unscored"
    have = given(3, ["hall", "yard", "hall"])
    assert background_consistency(gather(have.film, have.signals, None)).status == "unscored"
