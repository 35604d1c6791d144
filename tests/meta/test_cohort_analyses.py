"""Analyses of cohorts against numbers by hand, closed forms, what must not matter, and cohorts of nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from longtake.core.cohort import Cell, GroupFigures, Kind, Metric
from longtake.meta.cohort.groups import by_group
from longtake.meta.cohort.profiles import profile_ranges
from longtake.meta.cohort.ranking import ranking
from longtake.meta.cohort.table import CohortTable
from longtake.meta.studies.figures import Plan

PLAN = Plan(0.95, 2000, 0, over="briefs")
NAN = math.nan


def table(
    system: Sequence[str | None],
    brief: Sequence[str],
    value: Any,
    *,
    kinds: Sequence[Kind] = (),
    applies: Any = None,
    columns: dict[str, Sequence[str | None]] | None = None,
    **more: Any,
) -> CohortTable:
    values = np.asarray(value, np.float64)
    values = values[:, None] if values.ndim == 1 else values
    chosen = kinds or ["checkpoint"] * values.shape[1]
    names = [f"m{k}" for k in range(values.shape[1])]
    return CohortTable(
        case=[f"c{i}" for i in range(len(values))],
        brief=list(brief),
        metrics=[Metric(id=n, kind=k, dimension="visual") for n, k in zip(names, chosen, strict=True)],
        value=values,
        applies=np.ones(values.shape, bool) if applies is None else np.asarray(applies),
        columns={"system": list(system), **(columns or {})},
        **more,
    )


def cell(found: GroupFigures, metric: str, group: str) -> Cell:
    (one,) = (c for c in found.cells if (c.metric, c.group) == (metric, group))
    return one


def crossed(
    briefs: int, systems: int, rng: np.random.Generator, metrics: int = 1
) -> tuple[list[str], list[str], NDArray[np.float64]]:
    brief = [f"b{b:02d}" for b in range(briefs) for _ in range(systems)]
    system = [f"s{s}" for _ in range(briefs) for s in range(systems)]
    return system, brief, rng.random((briefs * systems, metrics))


def test_a_signature_by_hand() -> None:
    """Two systems with other numbers of films: the mean of the two means is not the mean of all films."""
    found = by_group(
        table(
            ["a", "a", "a", "b", "b", None],
            ["1", "2", "3", "1", "2", "3"],
            [[1.0, 0.5], [0.5, NAN], [0.0, 0.7], [0.2, 0.1], [0.4, NAN], [0.9, 0.9]],
            applies=[[True] * 2] * 4 + [[True, False]] + [[True] * 2],
        ),
        "system",
        PLAN,
    )
    assert found.groups == {"a": 3, "b": 2}
    assert (found.briefs, found.shared_briefs) == (3, 2)
    a, b = cell(found, "m0", "a"), cell(found, "m0", "b")
    assert (a.mean.value, b.mean.value) == (pytest.approx(0.5), pytest.approx(0.3))
    assert a.deviation is not None
    assert b.deviation is not None
    assert a.deviation.value == pytest.approx(0.5 - (0.5 + 0.3) / 2)
    assert b.deviation.value == pytest.approx(-0.1)
    assert (a.mean.n, a.mean.n_asked, a.n_not_applicable) == (3, 3, 0)
    second = cell(found, "m1", "a"), cell(found, "m1", "b")
    assert (second[0].mean.n, second[0].mean.n_asked) == (2, 3)
    assert (second[1].mean.n, second[1].mean.n_asked, second[1].n_not_applicable) == (1, 1, 1)
    assert second[0].deviation is not None
    assert second[0].deviation.value == pytest.approx(0.6 - (0.6 + 0.1) / 2)
    assert a.mean.low is None
    assert "3 briefs are too few" in str(a.mean.reason)
    assert "2 briefs are too few" in str(a.deviation.reason)
    assert a.finding is None


def test_an_interval_of_two_paired_systems_is_that_of_half_their_differences() -> None:
    """With two systems the deviation is half the mean difference within briefs, so its interval is half of
    the widened bootstrap's, near Student's for well-behaved numbers."""
    rng = np.random.default_rng(1)
    briefs = 40
    base = rng.random(briefs) * 0.4
    first, second = base + 0.3 + rng.normal(0, 0.05, briefs), base + 0.2
    found = by_group(
        table(
            ["a"] * briefs + ["b"] * briefs,
            [f"b{i}" for i in range(briefs)] * 2,
            np.concatenate([first, second]),
        ),
        "system",
        Plan(0.95, 10_000, 0, over="briefs"),
    )
    half = (first - second) / 2
    student = stats.t.interval(0.95, briefs - 1, half.mean(), stats.sem(half))
    got = cell(found, "m0", "a").deviation
    assert got is not None
    assert got.value == pytest.approx(half.mean())
    assert (got.low, got.high) == (pytest.approx(student[0], abs=0.003), pytest.approx(student[1], abs=0.003))
    # Pairing pays: each mean alone varies with its briefs far more than the difference does.
    own = cell(found, "m0", "a").mean
    assert None not in (own.low, own.high, got.low, got.high)
    assert (own.high or 0) - (own.low or 0) > 4 * ((got.high or 0) - (got.low or 0))
    assert cell(found, "m0", "a").finding == "above"
    assert cell(found, "m0", "b").finding == "below"


def test_order_of_rows_and_what_is_added_to_a_system() -> None:
    system, brief, value = crossed(12, 3, np.random.default_rng(2), 4)
    value = value * 0.5
    whole = by_group(table(system, brief, value), "system", PLAN)
    order = np.random.default_rng(3).permutation(len(system))
    shuffled = by_group(
        table([system[i] for i in order], [brief[i] for i in order], value[order]), "system", PLAN
    )
    for before, after in zip(whole.cells, shuffled.cells, strict=True):
        assert before.mean.value == pytest.approx(after.mean.value)
        assert before.deviation is not None
        assert after.deviation is not None
        assert before.deviation.low == pytest.approx(after.deviation.low)
        assert before.finding == after.finding
    more = value + np.where(np.array(system) == "s1", 0.3, 0.0)[:, None]
    raised = by_group(table(system, brief, more), "system", PLAN)
    for m in ("m0", "m3"):
        for s, change in (("s0", -0.1), ("s1", 0.2), ("s2", -0.1)):
            old, new = cell(whole, m, s).deviation, cell(raised, m, s).deviation
            assert old is not None
            assert new is not None
            assert new.value == pytest.approx((old.value or 0.0) + change)
            assert (new.high or 0) - (new.low or 0) == pytest.approx((old.high or 0) - (old.low or 0))
    for m in ("m0", "m1", "m2", "m3"):
        off = [c.deviation.value or 0.0 for c in raised.cells if c.metric == m and c.deviation]
        assert sum(off) == pytest.approx(0)


def test_a_gap_without_any_spread_is_found_and_a_lack_of_one_is_not() -> None:
    system, brief, _ = crossed(10, 2, np.random.default_rng(0))
    value = np.array([[1.0 if s == "s0" else 0.0, 0.5] for s in system])
    found = by_group(table(system, brief, value), "system", PLAN)
    gap, none = cell(found, "m0", "s0"), cell(found, "m1", "s0")
    assert (gap.finding, none.finding) == ("above", None)
    assert gap.deviation is not None
    assert (gap.deviation.value, gap.deviation.low) == (0.5, None)
    assert gap.deviation.reason == "every sample of briefs gives the same"
    assert gap.p == pytest.approx(2 / 2**10, abs=0.002)
    assert none.p == 1


def test_briefs_of_one_system_alone_are_exchanged_among_each_other() -> None:
    rng = np.random.default_rng(4)
    system = ["a"] * 15 + ["b"] * 15
    found = by_group(
        table(system, [f"b{i}" for i in range(30)], np.r_[rng.random(15) * 0.3, 0.7 + rng.random(15) * 0.3]),
        "system",
        PLAN,
    )
    assert found.shared_briefs == 0
    assert cell(found, "m0", "b").finding == "above"


def test_one_system_has_no_signature_but_means() -> None:
    found = by_group(table(["a"] * 9, [f"{i}" for i in range(9)], np.linspace(0, 1, 9)), "system", PLAN)
    assert "only one system (a)" in str(found.reason)
    assert found.cells[0].deviation is None
    assert found.cells[0].mean.value == pytest.approx(0.5)
    nobody = by_group(table([None, None], ["1", "2"], [0.1, 0.2]), "system", PLAN)
    assert (nobody.cells, nobody.reason) == ([], "no case says its system")


def test_a_metric_that_one_system_alone_has_is_not_compared() -> None:
    system, brief, value = crossed(9, 2, np.random.default_rng(5))
    value[np.array(system) == "s1"] = NAN
    found = by_group(table(system, brief, value), "system", PLAN)
    own, other = cell(found, "m0", "s0"), cell(found, "m0", "s1")
    assert own.deviation is not None
    assert own.deviation.value is None
    assert own.deviation.reason == "no other group has a score to compare with"
    assert own.p is None
    assert other.mean.n == 0


NOTHING_BRIEFS, NOTHING_METRICS = 24, 8


def nothing(seed: int, shape: str) -> CohortTable:
    """A cohort whose scores are dealt anew to the systems within each brief."""
    rng = np.random.default_rng(seed)
    system, brief, _ = crossed(NOTHING_BRIEFS, 3, rng)
    level = rng.uniform(0.05, 0.95, NOTHING_METRICS)
    if shape == "seldom bad":
        value = 1.0 - (rng.random((len(brief), NOTHING_METRICS)) < level / 6)
    else:
        level = level + rng.normal(0, 0.15, (NOTHING_BRIEFS, NOTHING_METRICS)).repeat(3, axis=0)
        value = np.round(np.clip(level + rng.normal(0, 0.2, level.shape), 0, 1) * 4) / 4
    value[rng.random(value.shape) < 0.08] = NAN
    for b in range(0, len(brief), 3):
        value[b : b + 3] = value[b + rng.permutation(3)]
    return table(system, brief, value)


@pytest.mark.parametrize("shape", ["five levels", "seldom bad"])
def test_where_nothing_differs_seldom_anything_is_claimed(shape: str) -> None:
    """At most one in twenty of 150 cohorts without differences may claim any of its 24 cells, that is 8, and
    up to 14 by luck (99 of 100 such series); without Holm's correction far more would."""
    plan = Plan(0.95, 999, 0, over="briefs")
    found = [by_group(nothing(seed, shape), "system", plan).cells for seed in range(150)]
    assert sum(any(c.finding for c in cells) for cells in found) <= stats.binom.ppf(0.99, 150, 0.05)
    assert sum(any((c.p or 1) < 0.05 for c in cells) for cells in found) > 50
    whole = table(*crossed(NOTHING_BRIEFS, 3, np.random.default_rng(0), NOTHING_METRICS))
    worse = (np.array(whole.columns["system"]) == "s1")[:, None]
    told = by_group(replace(whole, value=np.where(worse, whole.value * 0.1, whole.value)), "system", plan)
    assert all(cell(told, f"m{k}", "s1").finding == "below" for k in range(NOTHING_METRICS))


def test_holm_counts_each_family_for_itself() -> None:
    system, brief, value = crossed(10, 2, np.random.default_rng(6), 3)
    found = by_group(
        table(system, brief, value, kinds=["checkpoint", "report_metric", "submetric"]), "system", PLAN
    )
    one, two, alone = (cell(found, f"m{k}", "s0") for k in range(3))
    raw = sorted([c.p for c in found.cells if c.kind != "submetric" and c.p is not None])
    least = min((one, two), key=lambda c: c.p or 1)
    assert least.p_holm == pytest.approx(min(1, 4 * raw[0]))
    assert alone.p_holm == pytest.approx(min(1, 2 * (alone.p or 1)))


def test_ranking_pools_all_films_and_counts_what_is_missing_apart() -> None:
    value = [[1.0, 0.2, NAN], [1.0, 0.4, NAN], [0.4, NAN, NAN], [NAN, NAN, NAN]]
    applies = [[True, True, True]] * 3 + [[True, False, True]]
    ranked = ranking(table(["a", "a", "a", "b"], ["1", "2", "3", "4"], value, applies=applies), PLAN)
    assert [r.metric for r in ranked] == ["m1", "m0", "m2"]
    weak, strong, never = ranked
    assert weak.mean.value == pytest.approx(0.3)
    assert (weak.mean.n, weak.mean.n_asked, weak.n_not_applicable) == (2, 3, 1)
    assert strong.mean.value == pytest.approx(0.8)  # over films, not over systems
    assert (strong.mean.n, strong.mean.n_asked) == (3, 4)
    assert (never.mean.value, never.mean.n, never.mean.n_asked) == (None, 0, 4)
    assert never.mean.reason == "nothing was scored"
    assert weak.mean.low is None


def test_a_ranking_interval_is_that_of_brief_means() -> None:
    """Each brief twice with the same score is each brief once: films of a brief are no more evidence."""
    value = np.random.default_rng(8).random(30)
    once = ranking(table(["a"] * 30, [f"{i:02d}" for i in range(30)], value), PLAN)[0].mean
    twice = ranking(table(["a"] * 60, [f"{i:02d}" for i in range(30)] * 2, np.tile(value, 2)), PLAN)[0].mean
    assert (twice.low, twice.high) == (pytest.approx(once.low), pytest.approx(once.high))
    assert twice.n == 60
    student = stats.t.interval(0.95, 29, value.mean(), stats.sem(value))
    assert (once.low, once.high) == (
        pytest.approx(student[0], abs=0.02),
        pytest.approx(student[1], abs=0.02),
    )


def of_profiles(dimensions: Any, weights: Any, factor: Any = 1.0) -> CohortTable:
    values, w = np.asarray(dimensions, np.float64), np.asarray(weights, np.float64)
    names = ("script", "visual", "audio", "cross_modal", "stability")
    plain = values[:, :4] @ w.T
    return CohortTable(
        case=[f"c{i}" for i in range(len(values))],
        brief=[f"b{i}" for i in range(len(values))],
        metrics=[Metric(id=n, kind="dimension", dimension=n) for n in names],
        value=values,
        applies=np.ones(values.shape, bool),
        profiles=[f"p{k}" for k in range(len(w))],
        by_profile=plain,
        with_constraints=plain * factor,
    )


def test_profile_ranges_by_hand() -> None:
    weights = [[0.25] * 4, [0.55, 0.2, 0.15, 0.1]]
    found = profile_ranges(of_profiles([[1.0, 0.5, 0.5, 0.0, 0.0]], weights, [1.0, 0.7]), PLAN)
    (one,) = found.cases
    # 0.25 x 2 = 0.5 against 0.55 + 0.1 + 0.075 = 0.725; with one violation 0.725 x 0.7 = 0.5075.
    assert (one.low, one.low_profile) == (pytest.approx(0.5), "p0")
    assert (one.high, one.high_profile) == (pytest.approx(0.725), "p1")
    assert one.spread == pytest.approx(0.225)
    assert one.spread_with_constraints == pytest.approx(0.0075)
    assert (one.dimension_low, one.dimension_high) == ("cross_modal", "script")
    assert one.dimension_range == pytest.approx(1.0)  # stability, which nobody weighs, is not in it
    assert found.sensitive.value == 1
    assert found.spread.low is None


def test_no_spread_is_greater_than_the_range_of_dimensions() -> None:
    rng = np.random.default_rng(9)
    dimensions = rng.random((200, 5))
    found = profile_ranges(of_profiles(dimensions, rng.dirichlet([1] * 4, 7)), PLAN)
    assert all((c.spread or 0) <= (c.dimension_range or 0) + 1e-12 for c in found.cases)
    spreads = [c.spread or 0.0 for c in found.cases]
    assert spreads == sorted(spreads, reverse=True)
    assert found.spread.value == pytest.approx(np.mean(spreads))
    assert found.sensitive.value == pytest.approx(np.mean(np.array(spreads) > 0.1))
    same = profile_ranges(of_profiles(np.repeat(dimensions[:, :1], 5, axis=1), [[0.25] * 4] * 3), PLAN)
    assert all(c.spread == pytest.approx(0) for c in same.cases)


def test_a_film_without_every_score_has_no_range() -> None:
    made = of_profiles([[1.0, 0.5, 0.5, 0.0, 0.0], [0.5] * 5], [[0.25] * 4, [0.55, 0.2, 0.15, 0.1]])
    made.by_profile[0, 1] = NAN
    made.by_profile[1] = NAN
    found = profile_ranges(made, PLAN)
    assert {c.case: (c.spread, c.n, c.reason) for c in found.cases} == {
        "c0": (None, 1, "1 of 2 profiles have no overall score"),
        "c1": (None, 0, "no profile has an overall score: too little was scored"),
    }
    assert (found.spread.value, found.spread.n, found.spread.n_asked) == (None, 0, 2)


def test_a_table_that_contradicts_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="does not apply"):
        table(["a"], ["1"], [[0.5]], applies=[[False]])
    with pytest.raises(ValueError, match="differ in length"):
        table(["a"], ["1", "2"], [[0.5]])
