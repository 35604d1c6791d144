"""Correlations, agreement and slopes against SciPy, published examples and hand computations."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats as reference

from longtake.stats.agreement import MOST_VALUES, alpha, alpha_of, reliability_of
from longtake.stats.correlation import (
    kendall,
    kendall_of,
    p_of_rho,
    pearson,
    pearson_of,
    row_kendall,
    row_pearson,
    row_spearman,
    spearman,
    spearman_of,
)
from longtake.stats.regression import (
    line_r,
    logistic,
    one_step_slopes,
    slopes,
    smallest_found,
)

SCIPYS = {
    "spearman": (spearman, spearman_of, row_spearman, reference.spearmanr),
    "pearson": (pearson, pearson_of, row_pearson, reference.pearsonr),
    "kendall": (kendall, kendall_of, row_kendall, reference.kendalltau),
}


@pytest.fixture
def tied() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    x = rng.integers(0, 6, 60).astype(float)
    return x, x + rng.normal(scale=2, size=60).round()


@pytest.mark.parametrize("name", SCIPYS)
def test_coefficients_are_scipys(name: str, tied: tuple[np.ndarray, np.ndarray]) -> None:
    alone, _, rows, theirs = SCIPYS[name]
    x, y = tied
    assert alone(x, y) == pytest.approx(theirs(x, y)[0], abs=1e-12)
    assert rows(x[None], y[None])[0] == pytest.approx(theirs(x, y)[0], abs=1e-12)


@pytest.mark.parametrize("name", SCIPYS)
def test_weights_are_repetitions(name: str, tied: tuple[np.ndarray, np.ndarray]) -> None:
    _, weighted, _, theirs = SCIPYS[name]
    x, y = tied
    rng = np.random.default_rng(2)
    cluster = rng.integers(0, 14, 60)
    weights = np.stack([np.bincount(rng.integers(0, 14, 14), minlength=14) for _ in range(6)]).astype(float)
    got = weighted(x, y, cluster, 14)(weights)
    for row, value in zip(weights, got, strict=True):
        many = row[cluster].astype(int)
        assert value == pytest.approx(theirs(np.repeat(x, many), np.repeat(y, many))[0], abs=1e-12)


@pytest.mark.parametrize("name", SCIPYS)
def test_what_does_not_vary_has_no_correlation(name: str) -> None:
    alone, _, rows, _ = SCIPYS[name]
    x, flat = np.arange(6.0), np.full(6, 0.3)
    assert np.isnan(alone(x, flat))
    assert np.isnan(alone(flat, x))
    assert np.isnan(rows(x[None], flat[None])[0])


@pytest.mark.parametrize("name", SCIPYS)
def test_doubling_changes_nothing_and_turning_turns(name: str, tied: tuple[np.ndarray, np.ndarray]) -> None:
    alone = SCIPYS[name][0]
    x, y = tied
    value = alone(x, y)
    # Doubled rows tie with their copies, which tau-b leaves out: nothing changes.
    assert alone(np.tile(x, 2), np.tile(y, 2)) == pytest.approx(value, abs=1e-12)
    assert alone(-x, y) == pytest.approx(-value, abs=1e-12)
    assert alone(x * 1e6 + 1e9, y) == pytest.approx(value, abs=1e-9)
    if name != "pearson":
        assert alone(np.exp(x), y) == pytest.approx(value, abs=1e-12)
    else:
        assert alone(np.exp(x), y) != pytest.approx(value, abs=0.01)


def test_p_of_rho_is_that_of_pearson() -> None:
    x, y = np.random.default_rng(4).normal(size=(2, 25))
    r, p = reference.pearsonr(x, y)
    assert p_of_rho(r, 25) == pytest.approx(p)
    assert p_of_rho(1.0, 5) == 0.0
    with pytest.raises(ValueError):
        p_of_rho(0.5, 2)


NAN = np.nan
KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T
"""The example with missing data in "Computing Krippendorff's Alpha-Reliability" (2011): 12 units."""
SHROUT_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float
)
"""Six targets by four judges: table 2 of Shrout and Fleiss 1979."""


@pytest.mark.parametrize(("scale", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_the_published_example(scale: str, value: float) -> None:
    assert alpha(KRIPPENDORFF, scale) == pytest.approx(value, abs=0.0005)


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
def test_alpha_by_hand_and_its_invariants(scale: str) -> None:
    # Two raters, two cases: (0, 0) and (0, 1). Coincidences 00: 2, 01: 1, 10: 1; n = 4, n_0 = 3, n_1 = 1.
    # Nominal and interval: 1 - 3 x 2 / (3 x 1 x 2) = 0. Ordinal with two values is nominal.
    assert alpha(np.array([[0.0, 0], [0, 1]]), scale) == pytest.approx(0.0)
    assert alpha(np.repeat([[1.0], [3], [2]], 3, axis=1), scale) == pytest.approx(1.0)
    assert np.isnan(alpha(np.full((4, 2), 2.0), scale))
    value = alpha(KRIPPENDORFF, scale)
    turned = KRIPPENDORFF[::-1, [2, 0, 3, 1]]
    assert alpha(turned, scale) == pytest.approx(value)
    assert alpha(KRIPPENDORFF * 3 - 7, scale) == pytest.approx(value)
    squared = alpha(KRIPPENDORFF**2, scale)
    assert (squared == pytest.approx(value)) == (scale != "interval")


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
def test_alpha_of_weights_is_alpha_of_repeated_cases(scale: str) -> None:
    weights = np.array([[2, 0, 1, 1, 3, 0, 1, 0, 1, 2, 1, 0]], float)
    repeated = np.repeat(KRIPPENDORFF, weights[0].astype(int), axis=0)
    got = alpha_of(KRIPPENDORFF, scale)(weights)[0]
    assert got == pytest.approx(alpha(repeated, scale))


def test_raters_who_guess_have_alpha_near_0() -> None:
    guesses = np.random.default_rng(0).integers(1, 6, (4000, 3)).astype(float)
    for scale in ("nominal", "ordinal", "interval"):
        assert abs(alpha(guesses, scale)) < 0.03


def test_more_values_than_a_scale_has_are_refused() -> None:
    many = np.arange(2.0 * (MOST_VALUES + 1)).reshape(-1, 2)
    with pytest.raises(ValueError, match="different ratings"):
        alpha(many, "ordinal")
    assert np.isfinite(alpha(many, "interval"))


def test_icc_of_the_published_example() -> None:
    two, name = reliability_of(SHROUT_FLEISS, same_raters=True)
    assert name == "ICC(2,1), ICC(2,k), ICC(3,k)"
    assert two(np.ones((1, 6)))[0] == pytest.approx([0.29, 0.62, 0.91], abs=0.005)
    one, name = reliability_of(SHROUT_FLEISS, same_raters=False)
    assert name == "ICC(1,1) and ICC(1,k)"
    assert one(np.ones((1, 6)))[0] == pytest.approx([0.17, 0.44, 0.44], abs=0.005)


def test_icc_of_weights_is_that_of_repeated_cases() -> None:
    weights = np.array([[1, 2, 0, 1, 1, 1.0]])
    repeated = np.repeat(SHROUT_FLEISS, weights[0].astype(int), axis=0)
    for same in (True, False):
        got = reliability_of(SHROUT_FLEISS, same)[0](weights)[0]
        assert got == pytest.approx(reliability_of(repeated, same)[0](np.ones((1, 6)))[0])


def test_reliability_of_unequal_raters_finds_the_true_variances() -> None:
    """Case variance 1, rating variance 2, two to six raters: single 1/3, mean about 1 / (1 + 2 mean(1/k))."""
    rng = np.random.default_rng(6)
    true, k = rng.normal(size=4000), rng.integers(2, 7, 4000)
    ratings = true[:, None] + rng.normal(scale=np.sqrt(2), size=(4000, 6))
    ratings[np.arange(6)[None] >= k[:, None]] = np.nan
    got, name = reliability_of(ratings, same_raters=False)
    assert "unequal" in name
    expected = [1 / 3, *[1 / (1 + 2 * np.mean(1 / k))] * 2]
    assert got(np.ones((1, 4000)))[0] == pytest.approx(expected, abs=0.02)
    # Its root is what the truth itself reaches against the mean rating.
    assert pearson(true, np.nanmean(ratings, axis=1)) == pytest.approx(np.sqrt(expected[1]), abs=0.02)


def test_slopes_and_r_are_those_of_linregress() -> None:
    rng = np.random.default_rng(8)
    x, rows = np.array([0, 2, 4, 8, 16.0]), rng.normal(size=(7, 5))
    for row, slope in zip(rows, slopes(x, rows), strict=True):
        theirs = reference.linregress(x, row)
        assert slope == pytest.approx(theirs.slope)
        assert line_r(x, row) == pytest.approx(theirs.rvalue)
    assert slopes(x, np.full((1, 5), 0.1))[0] == 0
    assert line_r(x, np.full(5, 0.1)) is None
    with pytest.raises(ValueError):
        slopes(np.ones(3), np.ones((1, 3)))


def test_smallest_found_is_found_in_80_of_100_studies() -> None:
    effect = smallest_found(1.0)
    assert effect == pytest.approx(2.8016, abs=0.001)
    found = np.random.default_rng(0).normal(effect, 1, 100_000) > 1.959964
    assert found.mean() == pytest.approx(0.8, abs=0.005)


def maximised(x: np.ndarray, share: np.ndarray | None, right: np.ndarray, asked: np.ndarray) -> float:
    """The slope by a general minimiser of the likelihood."""
    from scipy.optimize import minimize

    terms = [np.ones_like(x), x] + ([] if share is None else [share])
    design = np.stack(terms, axis=1)

    def loss(beta: np.ndarray) -> float:
        linear = design @ beta
        return float((asked * np.logaddexp(0, linear) - right * linear).sum())

    return float(minimize(loss, np.zeros(design.shape[1]), method="BFGS", options={"gtol": 1e-8}).x[1])


@pytest.fixture
def answers() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(11)
    x, share = rng.normal(6, 1, 300), rng.random(300)
    p = 1 / (1 + np.exp(-(3.5 - 0.6 * x + share)))
    return x, share, rng.binomial(2, p).astype(float), np.full(300, 2.0)


@pytest.mark.parametrize("controlled", [False, True])
def test_logistic_slope_is_the_maximum(controlled: bool, answers: tuple[np.ndarray, ...]) -> None:
    x, share, right, asked = answers
    fit = logistic(x, share if controlled else None, right, asked)
    assert not isinstance(fit, str)
    assert fit.slope == pytest.approx(maximised(x, share if controlled else None, right, asked), abs=2e-4)
    assert one_step_slopes(fit, fit.parts.sum(axis=0)[None])[0] == pytest.approx(fit.slope, abs=1e-9)


def test_one_step_stands_for_fitting_each_sample(answers: tuple[np.ndarray, ...]) -> None:
    x, share, right, asked = answers
    fit = logistic(x, share, right, asked)
    assert not isinstance(fit, str)
    rng = np.random.default_rng(3)
    weights = np.stack([np.bincount(rng.integers(0, 300, 300), minlength=300) for _ in range(60)]).astype(
        float
    )
    fast = one_step_slopes(fit, weights @ fit.parts)
    whole = []
    for row in weights:
        at = np.repeat(np.arange(300), row.astype(int))
        again = logistic(x[at], share[at], right[at], asked[at])
        assert not isinstance(again, str)
        whole.append(again.slope)
    assert np.corrcoef(fast, whole)[0, 1] > 0.99
    assert fast.std() == pytest.approx(np.std(whole), rel=0.1)
    off = np.abs(fast - whole) / np.std(whole)
    assert off.mean() < 0.1
    assert off.max() < 0.5


def test_no_finite_slope_has_a_reason() -> None:
    x = np.arange(20.0)
    two = np.full(20, 2.0)
    assert "separated" in str(logistic(x, None, np.where(x < 9.5, 0.0, 2.0), two))
    assert "alike" in str(logistic(x, None, two, two))
    assert "vary" in str(logistic(np.ones(20), None, x % 3, two))
    assert "together" in str(logistic(x, x * 3 + 1, x % 3, two))
