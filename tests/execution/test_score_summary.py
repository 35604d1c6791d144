"""Means of a run with their intervals: over what is independent, and none where there is too little."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from longtake.execution.score_summary import interval
from longtake.stats.intervals import wilson

VALUES = np.random.default_rng(5).normal(0.6, 0.1, 40)
CASES = [f"film {i}" for i in range(40)]


def of(values: list[float], groups: list[str], share: bool = False, asked: int | None = None):  # type: ignore[no-untyped-def]
    return interval(values, groups, "briefs", asked or len(values), "x", share=share)


def test_the_interval_of_a_mean_is_near_students() -> None:
    found = of(VALUES.tolist(), CASES)
    low, high = stats.t.interval(0.95, 39, VALUES.mean(), stats.sem(VALUES))
    assert found.value == pytest.approx(VALUES.mean())
    assert found.low == pytest.approx(low, abs=0.15 * (high - low))
    assert found.high == pytest.approx(high, abs=0.15 * (high - low))
    assert found.method == "bootstrap over 40 briefs, 2000 draws, BCa widened for few"


def test_films_of_one_group_count_as_one() -> None:
    """Each value four times over is no more than once: the interval is that of the ten, not of the forty."""
    once = of(VALUES[:10].tolist(), CASES[:10])
    often = of(np.repeat(VALUES[:10], 4).tolist(), [name for name in CASES[:10] for _ in range(4)])
    alone = of(np.repeat(VALUES[:10], 4).tolist(), CASES)
    assert (often.low, often.high) == (pytest.approx(once.low), pytest.approx(once.high))
    assert alone.low is not None
    assert often.low is not None
    assert often.high is not None
    assert alone.high is not None
    assert alone.high - alone.low < 0.7 * (often.high - often.low)


def test_few_groups_have_a_mean_and_no_interval() -> None:
    for count in (1, 2, 7):
        found = of(VALUES[:count].tolist(), CASES[:count], asked=9)
        assert found.value == pytest.approx(VALUES[:count].mean())
        assert (found.low, found.high, found.n, found.n_asked) == (None, None, count, 9)
        assert found.reason is not None
        assert found.reason.endswith("too few for an interval (8)")
    nothing = of([], [], asked=3)
    assert (nothing.value, nothing.low, nothing.n, nothing.n_asked) == (None, None, 0, 3)


def test_shares_that_all_agree_get_wilsons_and_other_units_none_of_its_width() -> None:
    found = of([1.0] * 12, CASES[:12], share=True)
    assert (found.low, found.high) == pytest.approx(wilson(1.0, 12))
    assert found.method.startswith("Wilson")
    metres = of([3.0] * 12, CASES[:12])
    assert (metres.low, metres.high) == (3.0, 3.0)


def test_the_same_run_draws_the_same_interval() -> None:
    assert of(VALUES.tolist(), CASES) == of(VALUES.tolist(), CASES)
