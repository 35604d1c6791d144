"""The sensitivity study: scores that fall, rise, stay, saturate, and tables with holes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats as reference

from longtake.core.studies import FamilySensitivity
from longtake.meta.studies.sensitivity import SensitivityOptions, SensitivityTable, _paper, sensitivity
from longtake.stats.bootstrap import widened

STRENGTHS = np.array([0.0, 0.2, 0.4, 0.8])
FAST = SensitivityOptions(draws=1000)


def scored(matrix: np.ndarray, name: str = "e", strengths: np.ndarray = STRENGTHS) -> SensitivityTable:
    """A table of scores (videos, strengths); every damaged film is a case of its own."""
    videos, count = matrix.shape
    video = np.repeat(np.arange(videos), count)
    return SensitivityTable(
        evaluator=np.full(matrix.size, name),
        case=np.array([f"film {i}" for i in range(matrix.size)]),
        source=np.array([f"source {v}" for v in video]),
        family=np.full(matrix.size, "shuffle"),
        strength=np.tile(strengths, videos),
        score=matrix.ravel().astype(float),
    )


def of(table: SensitivityTable, options: SensitivityOptions = FAST) -> FamilySensitivity:
    (found,) = sensitivity(table, options).evaluators.values()
    return found.families["shuffle"]


def noisy(slope: float, videos: int = 60, seed: int = 0, spread: float = 0.05) -> np.ndarray:
    rng = np.random.default_rng(seed)
    own = rng.normal(0.6, 0.2, (videos, 1))  # videos differ more than the damage does
    return own + slope * STRENGTHS + rng.normal(scale=spread, size=(videos, len(STRENGTHS)))


def test_a_score_that_falls_is_sensitive() -> None:
    matrix = noisy(-0.3)
    found = of(scored(matrix))
    assert (found.units, found.units_asked, found.excluded, found.sources) == (60, 60, 0, 60)
    assert found.unit == "source"
    assert found.slope.low < -0.3 < found.slope.high < 0
    each = [reference.linregress(STRENGTHS, row).slope for row in matrix]
    assert found.slope.value == pytest.approx(np.mean(each))
    theirs = reference.linregress(STRENGTHS, matrix.mean(axis=0))
    assert found.slope.value == pytest.approx(theirs.slope)  # every video has every strength
    assert found.r_squared == pytest.approx(theirs.rvalue**2)
    change = matrix[:, -1] - matrix[:, 0]
    assert found.difference.value == pytest.approx(change.mean())
    by_t = reference.ttest_1samp(change, 0).confidence_interval()
    assert (found.difference.low, found.difference.high) == pytest.approx((by_t.low, by_t.high), abs=0.004)
    assert found.fall_share.value == pytest.approx((change < 0).mean())
    ranks = [reference.spearmanr(STRENGTHS, row)[0] for row in matrix]
    assert found.spearman.value == pytest.approx(np.mean(ranks))
    assert [p.mean.value for p in found.points] == pytest.approx(matrix.mean(axis=0).tolist())
    assert (found.verdict, found.paper_verdict) == ("sensitive", "sensitive")
    # The points' intervals hold the spread between videos, the slope's does not.
    width = found.points[0].mean.high - found.points[0].mean.low
    assert found.difference.high - found.difference.low < 0.5 * width
    assert found.smallest_slope == pytest.approx(2.8016 * np.std(each, ddof=1) / np.sqrt(60), rel=1e-4)


def test_a_score_where_lower_is_better_is_turned() -> None:
    found = of(scored(-noisy(-0.3)), replace(FAST, higher_is_better={"e": False}))
    assert found.slope.value > 0  # as it is
    assert (found.verdict, found.paper_verdict) == ("sensitive", "sensitive")
    assert found.fall_share.value > 0.9
    assert of(scored(-noisy(-0.3))).verdict == "rises with damage"


def test_a_score_without_response_is_not_shown_to_be_sensitive() -> None:
    verdicts = [of(scored(noisy(0.0, seed=s)), replace(FAST, draws=300)).verdict for s in range(40)]
    assert verdicts.count("not shown") >= 34  # 95 of 100 by the interval's level


def test_the_papers_rule_is_on_means() -> None:
    curved = np.tile([1.0, 0.2, 1.0, 0.4], (30, 1)) + np.random.default_rng(0).normal(
        scale=0.01, size=(30, 4)
    )
    found = of(scored(curved))
    assert found.r_squared == pytest.approx(reference.linregress(STRENGTHS, curved.mean(axis=0)).rvalue ** 2)
    assert found.r_squared < 0.6
    assert found.paper_verdict == "insensitive"
    assert found.verdict == "sensitive"  # the slope is sure, the line is bad
    assert found.luck == pytest.approx(0.113, abs=0.001)
    assert of(scored(noisy(0.3))).paper_reason.startswith("the score gets better")


def test_constant_and_saturated_scores() -> None:
    constant = of(scored(np.full((20, 4), 0.7)))
    assert (constant.verdict, constant.paper_verdict) == ("constant", "insensitive")
    assert (constant.slope.value, constant.slope.low, constant.slope.high) == (0, 0, 0)
    assert constant.spearman.value is None
    own = of(scored(np.repeat(np.random.default_rng(0).random((20, 1)), 4, axis=1)))
    assert own.verdict == "not shown"  # each video has its own value at every strength
    assert of(scored(np.ones((20, 4))), replace(FAST, best={"e": 1.0})).verdict == "at the ceiling"
    rng = np.random.default_rng(1)
    full = np.where(rng.random((40, 4)) < 0.9, 1.0, 1 - rng.random((40, 4)))
    assert of(scored(full)).verdict == "at the ceiling"


def test_a_case_without_one_strength_counts_at_none() -> None:
    matrix = noisy(-0.3, videos=20)
    whole = of(scored(matrix[:18]))
    matrix[18, 2] = np.nan
    table = scored(matrix)
    lacking = np.arange(len(table.score)) != 19 * 4 + 3  # the last strength of video 19 is no row at all
    found = of(SensitivityTable(**{k: v[lacking] for k, v in vars(table).items()}))
    assert (found.units, found.units_asked, found.excluded) == (18, 20, 2)
    assert (found.slope.n, found.slope.n_asked) == (18, 20)
    assert found.slope.value == pytest.approx(whole.slope.value)


def test_cases_of_one_source_stay_together() -> None:
    matrix = np.repeat(noisy(-0.1, videos=12, seed=3), 5, axis=0)
    table = scored(matrix)
    cases = np.repeat([f"case {i}" for i in range(60)], 4)
    apart = of(replace(table, case=cases))
    together = of(replace(table, case=cases, source=np.repeat([f"film {i // 5}" for i in range(60)], 4)))
    assert (apart.unit, together.unit) == ("case", "case")
    assert (apart.sources, together.sources) == (60, 12)
    assert together.slope.value == pytest.approx(apart.slope.value)
    width = [f.slope.high - f.slope.low for f in (apart, together)]
    few = widened(0.025, 12) / widened(0.025, 60)
    assert width[1] / width[0] == pytest.approx(np.sqrt(5) * few, rel=0.2)


def test_what_cannot_be_said_has_a_reason() -> None:
    one = of(scored(np.ones((5, 1)), strengths=np.array([0.4])))
    assert one.verdict_reason == "one strength alone has no slope"
    none = of(scored(np.full((5, 4), np.nan)))
    assert none.verdict_reason == "no video has a score at every strength"
    assert (none.slope.value, none.units_asked) == (None, 5)
    few = of(scored(noisy(-0.3, videos=3)))
    assert few.verdict is None
    assert few.slope.value is not None
    assert "too few" in few.slope.reason
    with pytest.raises(ValueError, match="finite"):
        of(scored(np.ones((2, 4)), strengths=np.array([0, 0.2, np.nan, 1])))


def test_no_control_is_told_and_names_do_not_matter() -> None:
    table = scored(noisy(-0.3)[:, 1:], strengths=STRENGTHS[1:])
    assert any("strength 0" in note for note in sensitivity(table, FAST).notes)
    table = scored(noisy(-0.3))
    mixed = np.random.default_rng(0).permutation(len(table.score))
    assert of(SensitivityTable(**{k: v[mixed] for k, v in vars(table).items()})).verdict == "sensitive"
    renamed = of(replace(table, source=np.char.add("x", table.source)))
    assert renamed == of(table)


def test_many_damages_are_corrected_for() -> None:
    """Forty damages without any effect: at 95 % each some slopes differ from 0, after Holm none does."""
    rng = np.random.default_rng(11)
    tables = [
        replace(scored(rng.normal(size=(30, 4))), family=np.full(120, f"damage {k}")) for k in range(40)
    ]
    table = SensitivityTable(
        *(np.concatenate(c) for c in zip(*(vars(t).values() for t in tables), strict=True))
    )
    found = sensitivity(table, FAST).evaluators["e"].families.values()
    assert min(f.p for f in found) < 0.05
    assert min(f.p_holm for f in found) > 0.05
    alone = of(scored(noisy(-0.02, videos=40)))
    each = [reference.linregress(STRENGTHS, row).slope for row in noisy(-0.02, videos=40)]
    assert alone.p == alone.p_holm == pytest.approx(reference.ttest_1samp(each, 0).pvalue)


def test_without_a_control_it_is_said() -> None:
    matrix = noisy(-0.3)
    assert of(scored(matrix)).control
    assert not of(scored(matrix, strengths=STRENGTHS + 1)).control


def test_equal_scores_have_a_slope_of_exactly_nothing() -> None:
    found = of(scored(np.full((20, 4), 0.1) * np.arange(1, 21)[:, None]))
    assert found.slope.value == 0


def test_r_squared_just_under_the_rule_is_not_said_to_reach_it() -> None:
    verdict, reason = _paper(-np.sqrt(0.5999), True, 4)
    assert (verdict, reason) == ("insensitive", "R^2 0.599 is under 0.6")
