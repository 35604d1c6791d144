"""Do raters agree, and what is their mean worth? Ratings are a matrix (cases, raters), NaN where missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .bootstrap import ratio

Floats = NDArray[np.float64]
Scale = Literal["nominal", "ordinal", "interval"]
Weighted = Callable[[Floats], Floats]

MOST_VALUES = 50
"""More different ratings than these are no categories: nominal and ordinal alpha are refused."""


def alpha_of(ratings: Floats, scale: Scale) -> Weighted:
    """Krippendorff's alpha as a function of weights (k, cases); gives (k,), NaN where nothing varies.

    Cases with fewer than two ratings do not count. From the matrix of coincidences o within cases,
    1 - (n - 1) sum(o d^2) / sum(n_c n_k d^2); d is 0 or 1 (nominal), the difference (interval), or the
    number of ratings between two values with half of each end (ordinal). Source: Krippendorff 2011.

    Raises:
        ValueError: more than MOST_VALUES different ratings at another scale than interval.
    """
    if scale == "interval":
        return _interval_alpha(ratings)
    values = np.unique(ratings[~np.isnan(ratings)])
    size = len(values)
    if size > MOST_VALUES:
        raise ValueError(f"{size} different ratings are more than the {MOST_VALUES} of a {scale} scale")
    counts = np.stack([(ratings == v).sum(axis=1) for v in values], axis=1).astype(np.float64)
    raters = counts.sum(axis=1)
    within = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(size)
    within = np.where(raters[:, None, None] > 1, within / np.maximum(raters - 1, 1)[:, None, None], 0.0)
    cells = within.reshape(len(ratings), size * size)

    def statistic(weights: Floats) -> Floats:
        o = (weights @ cells).reshape(len(weights), size, size)
        n_c = o.sum(axis=2)
        n = n_c.sum(axis=1)
        if scale == "nominal":
            d2 = np.broadcast_to(1 - np.eye(size), o.shape)
        else:
            middle = np.cumsum(n_c, axis=1) - n_c / 2
            d2 = (middle[:, :, None] - middle[:, None, :]) ** 2
        seen = (o * d2).sum(axis=(1, 2))
        by_chance = np.einsum("kc,kd,kcd->k", n_c, n_c, d2)
        return 1 - ratio((n - 1) * seen, by_chance)

    return statistic


def alpha(ratings: Floats, scale: Scale) -> float:
    """Krippendorff's alpha, NaN where nothing varies or no case has two ratings."""
    return float(alpha_of(ratings, scale)(np.ones((1, len(ratings))))[0])


def _interval_alpha(ratings: Floats) -> Weighted:
    known = ~np.isnan(ratings)
    raters = known.sum(axis=1).astype(np.float64)
    paired = raters > 1
    middle = float(ratings[known].mean()) if known.any() else 0.0
    x = np.where(known, ratings - middle, 0.0)
    total, squares = x.sum(axis=1), (x**2).sum(axis=1)
    seen = np.where(paired, 2 * (raters * squares - total**2) / np.maximum(raters - 1, 1), 0.0)
    sums = np.stack([np.where(paired, c, 0.0) for c in (seen, raters, total, squares)], axis=1)

    def statistic(weights: Floats) -> Floats:
        observed, n, s, q = (weights @ sums).T
        return 1 - ratio((n - 1) * observed, np.where(n * q - s**2 > 1e-12 * n * q, 2 * (n * q - s**2), 0.0))

    return statistic


def reliability_of(ratings: Floats, same_raters: bool) -> tuple[Weighted, str]:
    """Reliability of one rating and of a case's mean as a function of weights (k, 3), and its formula.

    The third column is the reliability of the mean where a rater's own level does not matter, as in a
    correlation. Every case rated by the same raters: ICC(2,1), ICC(2,k), ICC(3,k), two-way, the first two of
    absolute agreement (Shrout and Fleiss 1979). Else one-way random effects: the variance between cases by
    the analysis of variance for unequal groups, b = (MSB - MSW) / k0, k0 = (N - sum(k_i^2) / N) / (n - 1),
    single b / (b + MSW), mean rating b / (b + MSW mean(1 / k_i)); with equal raters ICC(1,1) and ICC(1,k),
    and the third is the second: levels of raters cannot be told from noise.
    Cases without a rating do not count. Negative estimates stay as they are.
    """
    known = ~np.isnan(ratings)
    used: NDArray[np.bool_] = np.asarray(known.any(axis=1))
    middle = float(ratings[known].mean()) if known.any() else 0.0
    x = np.where(known, ratings - middle, 0.0)
    if same_raters and known[used].all() and ratings.shape[1] > 1:
        return _two_way(x, used), "ICC(2,1), ICC(2,k), ICC(3,k)"
    equal = len(set(known[used].sum(axis=1).tolist())) == 1
    name = "ICC(1,1) and ICC(1,k)" if equal else "one-way random effects, unequal raters"
    return _one_way(x, known, used), name


def _two_way(x: Floats, used: NDArray[np.bool_]) -> Weighted:
    k = x.shape[1]
    sums = np.concatenate(
        [x, (x.mean(axis=1) ** 2)[:, None], (x**2).sum(axis=1)[:, None], np.ones((len(x), 1))], axis=1
    )
    sums = np.where(used[:, None], sums, 0.0)

    def statistic(weights: Floats) -> Floats:
        s = weights @ sums
        raters, means2, squares, n = s[:, :k], s[:, k], s[:, k + 1], s[:, k + 2]
        with np.errstate(invalid="ignore", divide="ignore"):  # no case at all, or one alone
            grand = raters.sum(axis=1) ** 2 / (n * k)
            rows = k * means2 - grand
            columns = (raters**2).sum(axis=1) / n - grand
            left = squares - grand - rows - columns
            msr, msc, mse = rows / (n - 1), columns / (k - 1), left / ((n - 1) * (k - 1))
            one = ratio(msr - mse, msr + (k - 1) * mse + k * (msc - mse) / n)
            mean, consistent = ratio(msr - mse, msr + (msc - mse) / n), ratio(msr - mse, msr)
        return _finite(np.stack([one, mean, consistent], axis=1))

    return statistic


def _one_way(x: Floats, known: NDArray[np.bool_], used: NDArray[np.bool_]) -> Weighted:
    k = known.sum(axis=1).astype(np.float64)
    most = np.maximum(k, 1)
    columns = (
        k,
        k**2,
        1 / most,
        x.sum(axis=1),
        x.sum(axis=1) ** 2 / most,
        (x**2).sum(axis=1),
        np.ones(len(x)),
    )
    sums = np.stack([np.where(used, c, 0.0) for c in columns], axis=1)

    def statistic(weights: Floats) -> Floats:
        total, k2, inverse, s, means2, squares, n = (weights @ sums).T
        with np.errstate(invalid="ignore", divide="ignore"):
            between = (means2 - s**2 / total) / (n - 1)
            within = (squares - means2) / (total - n)
            variance = (between - within) / ((total - k2 / total) / (n - 1))
            one = variance / (variance + within)
            mean = variance / (variance + within * inverse / n)
        return _finite(np.stack([one, mean, mean], axis=1))

    return statistic


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)
