"""Changes along a film, told from what its shots show: on films made by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from longtake.core.documents import VideoEntry
from longtake.core.measurement import Measurement
from longtake.core.signal import Signal, Signals
from longtake.diagnosis.facts import Facts
from longtake.diagnosis.rules import RULES
from longtake.diagnosis.rules.course import LEAST_SHOTS, TOO_FEW

COLOUR, QUALITY = "color_consistency", "temporal_degradation"
WHAT = {COLOUR: "warmth", QUALITY: "sharpness"}
STEADY = {"luma": 120.0, "warmth": 0.0, "chroma_u": 0.0, "chroma_v": 0.0}
STEADY |= {"sharpness": 0.4, "noise": 1.0, "blockiness": 0.05}
Rows = NDArray[np.float64]


def film(lengths: Sequence[float], speed: float = 0.0, **columns: Rows) -> Facts:
    """Shots of these lengths in whole seconds; a row a second; a camera of one speed."""
    ends = np.cumsum(lengths)
    n = int(ends[-1])
    rows = {"time": np.arange(n, dtype=float)} | {k: columns.get(k, np.full(n, v)) for k, v in STEADY.items()}
    motion = {"time": np.arange(0, n, 0.25), "camera_speed": np.full(4 * n, speed)}
    given = [
        Signal("picture", 1, columns=rows),
        Signal("motion", 1, columns=motion),
        Signal("shots", 1, columns={"start": ends - lengths, "end": ends}),
    ]
    entry = VideoEntry(
        path="a.mp4",
        hash="0",
        kind="file",
        duration=n,
        frames=25 * n,
        width=64,
        height=36,
        fps=25,
        audio=False,
    )
    return Facts(Signals({s.name: s for s in given}), entry, None, None, {})


def said(rule: str, facts: Facts) -> Measurement:
    return RULES[rule].function(facts)


def changed(rule: str, by: Rows, base: Rows | float = 0.0) -> dict[str, Rows]:
    """A column of what the rule looks at: ``by`` is the loss or drift in shares of what is worst."""
    if rule == COLOUR:
        return {"warmth": base + 30 * by}
    return {"sharpness": 0.4 * np.exp(base - by)}


def unlike(shots: int, length: int, size: float) -> Rows:
    """What shots show differs from shot to shot, and not at all within one."""
    return np.repeat(np.random.default_rng(3).normal(0, size, shots), length)


@pytest.mark.parametrize("rule", WHAT)
@pytest.mark.parametrize("order", [1, -1])
def test_four_unlike_shots_are_no_drift(rule: str, order: int) -> None:
    content = np.repeat([0.0, 0.3, 1.5, 2.0], 6)[::order]
    found = said(rule, film([6] * 4, **changed(rule, content)))
    assert (found.value, found.evidence) == (1, [])


@pytest.mark.parametrize("rule", WHAT)
@pytest.mark.parametrize("shots", [1, 2, 3, 4, 8])
def test_a_change_inside_shots_that_all_agree_on_counts(rule: str, shots: int) -> None:
    n = 24 // shots
    content = unlike(shots, n, 0.1 if rule == QUALITY else 40)
    ramp = np.linspace(0, 1.2, 24)
    found = said(rule, film([n] * shots, **changed(rule, ramp, content if shots > 1 else 0.0)))
    if n < 4:  # no shot has a course, and they are too few to be compared
        assert (found.status, found.reason) == ("unscored", TOO_FEW)
        return
    assert found.value is not None
    assert found.value < 0.3, found.facts
    assert len(found.evidence) == shots


@pytest.mark.parametrize("rule", WHAT)
def test_shots_that_do_not_agree_say_nothing(rule: str) -> None:
    one = np.tile(np.linspace(0, 1.5, 6), 4) * np.repeat([1, -1, 1, -1], 6)
    found = said(rule, film([6] * 4, **changed(rule, one)))
    assert (found.status, found.reason) == ("unscored", TOO_FEW)


@pytest.mark.parametrize("rule", WHAT)
def test_where_a_camera_travels_a_change_is_not_judged(rule: str) -> None:
    ramp = changed(rule, np.linspace(0, 1.5, 24))
    assert said(rule, film([6] * 4, speed=0.2, **ramp)).status == "unscored"
    assert said(rule, film([24], speed=0.2, **ramp)).status == "unscored"
    assert said(rule, film([24], speed=0.2)).value == 1


@pytest.mark.parametrize("rule", WHAT)
def test_across_many_shots_a_change_counts_if_ranks_leave_no_doubt(rule: str) -> None:
    content = unlike(30, 2, 0.3 if rule == QUALITY else 5)
    later = np.clip(np.linspace(-1.5, 1.5, 60), 0, None)
    clean, damaged = (said(rule, film([2] * 30, **changed(rule, d, content))) for d in (0 * later, later))
    assert clean.value == 1
    assert damaged.value is not None
    assert damaged.value < 0.4, damaged.facts
    assert damaged.evidence[0].start >= 0.6 * 60


@pytest.mark.parametrize("rule", WHAT)
def test_many_shots_too_unlike_to_tell_are_not_called_steady(rule: str) -> None:
    wild = unlike(24, 2, 2.0 if rule == QUALITY else 60)
    found = said(rule, film([2] * 24, **changed(rule, np.zeros(48), wild)))
    assert (found.status, found.reason) == ("unscored", TOO_FEW)


@pytest.mark.parametrize("rule", WHAT)
def test_too_few_short_shots_are_not_compared(rule: str) -> None:
    shots = 2 * LEAST_SHOTS - 2
    step = np.repeat([0.0, 1.5], shots)
    found = said(rule, film([2] * shots, **changed(rule, step)))
    assert (found.status, found.value, found.reason) == ("unscored", None, TOO_FEW)


def test_picture_that_gets_sharper_is_no_loss() -> None:
    better = changed(QUALITY, np.linspace(1.5, 0, 24))
    assert said(QUALITY, film([24], **better)).value == 1
    assert said(QUALITY, film([2] * 30, **changed(QUALITY, np.linspace(1.5, 0, 60)))).value == 1


def test_orders_of_the_same_shots_are_seldom_punished() -> None:
    """Of 200 orders of 30 unlike shots, chance alone may lower a few."""
    rng = np.random.default_rng(7)
    shown = rng.normal(0, 0.5, 30)
    low = 0
    for _ in range(200):
        content = np.repeat(rng.permutation(shown), 2)
        value = said(QUALITY, film([2] * 30, **changed(QUALITY, np.zeros(60), content))).value
        low += value is not None and value < 0.75
    assert low <= 4
