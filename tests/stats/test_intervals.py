"""Intervals against other libraries, closed forms and what they promise."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats as reference

from longtake.stats.bootstrap import by_cluster, drawn_weights, ratio, resample
from longtake.stats.intervals import p_of_z, paper_half_width, wilson
from longtake.stats.paired import holm, sign_test


@pytest.mark.parametrize(("right", "n"), [(0, 12), (7, 12), (12, 12), (501, 570)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_wilson_is_scipys(right: int, n: int, level: float) -> None:
    theirs = reference.binomtest(right, n).proportion_ci(level, "wilson")
    assert wilson(right / n, n, level) == pytest.approx((theirs.low, theirs.high))


def test_a_share_outside_or_no_answer_is_refused() -> None:
    for call in (lambda: wilson(1.2, 5), lambda: wilson(0.5, 0), lambda: paper_half_width(0.5, 0)):
        with pytest.raises(ValueError):
            call()


def test_p_of_z_is_scipys() -> None:
    assert p_of_z(-1.7) == pytest.approx(2 * reference.norm.sf(1.7))


@pytest.mark.parametrize(("better", "worse"), [(0, 0), (8, 2), (2, 8), (5, 5), (40, 61)])
def test_sign_test_is_the_binomial_test(better: int, worse: int) -> None:
    n = better + worse
    assert sign_test(better, worse) == pytest.approx(reference.binomtest(better, n).pvalue if n else 1.0)


def test_holm_by_hand() -> None:
    # 0.01 x 3, then 0.02 x 2 and 0.04 x 1, and none below one before it.
    assert holm([0.04, None, 0.01, 0.02]) == [
        pytest.approx(0.04),
        None,
        pytest.approx(0.03),
        pytest.approx(0.04),
    ]
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []


def mean_of(values: np.ndarray, cluster: np.ndarray, clusters: int):
    sums = by_cluster(np.stack([values, np.ones(len(values))], axis=1), cluster, clusters)
    return lambda weights: ratio(*np.split(weights @ sums, 2, axis=1))


def test_bca_is_scipys_where_a_cluster_is_one_row() -> None:
    """SciPy's at the level that the widened quantile stands for: sqrt(40/39) x t(39) for 1.96."""
    level = 1 - 2 * reference.norm.sf(np.sqrt(40 / 39) * reference.t.ppf(0.975, 39))
    assert 0.955 < level < 0.965
    values = np.random.default_rng(3).exponential(size=40)
    found = resample(mean_of(values, np.arange(40), 40), 40, draws=40_000, seed=1)
    theirs = reference.bootstrap(
        (values,),
        np.mean,
        n_resamples=40_000,
        method="BCa",
        confidence_level=level,
        rng=np.random.default_rng(2),
        vectorized=True,
    ).confidence_interval
    low, high = found.interval(0.95)
    assert (low[0], high[0]) == pytest.approx((theirs.low, theirs.high), abs=0.01)
    assert found.standard_error()[0] == pytest.approx(values.std(ddof=1) / np.sqrt(40))


def test_weights_are_samples_with_replacement() -> None:
    weights = np.concatenate(list(drawn_weights(7, 50_000, seed=0)))
    assert (weights.sum(axis=1) == 7).all()
    assert weights.mean(axis=0) == pytest.approx(np.ones(7), abs=0.02)
    assert weights.var(axis=0) == pytest.approx(np.full(7, 6 / 7), abs=0.03)  # 7 x 1/7 x 6/7
    again = np.concatenate(list(drawn_weights(7, 50_000, seed=0)))
    assert (weights == again).all()


def test_rows_of_a_cluster_are_not_counted_as_independent() -> None:
    """Ten copies of every row widen nothing, and taken for rows of their own they narrow by sqrt 10."""
    values = np.random.default_rng(0).normal(size=30)
    copies = np.repeat(values, 10)
    once = resample(mean_of(values, np.arange(30), 30), 30, draws=2000, seed=0)
    whole = resample(mean_of(copies, np.repeat(np.arange(30), 10), 30), 30, draws=2000, seed=0)
    apart = resample(mean_of(copies, np.arange(300), 300), 300, draws=2000, seed=0)
    assert np.allclose(whole.interval(), once.interval())
    width = [float((f.interval()[1] - f.interval()[0])[0]) for f in (once, apart)]
    assert width[0] / width[1] == pytest.approx(np.sqrt(10), rel=0.1)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """300 studies of 60 sources with 3 pairs each that go together: true share 0.8."""
    rng = np.random.default_rng(5)
    inside = naive = 0
    for study in range(300):
        ease = rng.beta(4, 1, size=60)
        right = (rng.random((60, 3)) < ease[:, None]).astype(float).ravel()
        found = resample(mean_of(right, np.repeat(np.arange(60), 3), 60), 60, draws=1000, seed=study)
        low, high = found.interval()
        inside += bool(low[0] <= 0.8 <= high[0])
        naive += abs(right.mean() - 0.8) <= paper_half_width(right.mean(), 180)
    assert 0.92 <= inside / 300 <= 0.98
    assert naive < inside  # the paper's takes the three for independent


@pytest.mark.parametrize("clusters", [10, 20])
def test_intervals_of_few_sources_are_hardly_too_short(clusters: int) -> None:
    rng, inside = np.random.default_rng(6), 0
    for study in range(300):
        found = resample(
            mean_of(rng.normal(size=clusters), np.arange(clusters), clusters), clusters, draws=500, seed=study
        )
        low, high = found.interval()
        inside += bool(low[0] <= 0 <= high[0])
    assert 0.91 <= inside / 300 <= 0.98


def test_few_clusters_or_undefined_draws_have_no_interval() -> None:
    values = np.arange(4.0)
    found = resample(mean_of(values, np.arange(4), 4), 4, draws=100, seed=0)
    assert np.isnan(found.interval()).all()
    one_of_ten = lambda weights: ratio(weights[:, :1], weights[:, :1])  # noqa: E731
    found = resample(one_of_ten, 10, draws=500, seed=0)
    assert found.value == pytest.approx([1.0])
    assert np.isnan(found.interval()).all()


def test_what_no_draw_changes_has_no_width_and_what_one_leaves_alone_has() -> None:
    fixed = resample(mean_of(np.full(9, 0.5), np.arange(9), 9), 9, draws=200, seed=0)
    assert fixed.constant().all()
    assert fixed.interval() == ([0.5], [0.5])
    # A median of 9 moves by no single one left out of three equal thirds, but by draws.
    values = np.repeat([0.0, 1.0, 2.0], 3)

    def median(weights: np.ndarray) -> np.ndarray:
        cut = np.cumsum(weights, axis=1) >= weights.sum(axis=1, keepdims=True) / 2
        return values[cut.argmax(axis=1)][:, None]

    found = resample(median, 9, draws=500, seed=0)
    assert (found.left_out == 1).all()
    low, high = found.interval()
    assert (low[0], high[0]) == (0.0, 2.0)
