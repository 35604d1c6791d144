"""Spearman, Pearson and Kendall's tau-b of two vectors under weights, so that clusters can be resampled.

Weights are whole numbers (how often a row stands in a sample) of shape (k, clusters); ``cluster`` (rows,)
numbers each row's cluster. All give (k,), NaN where a vector does not vary.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .bootstrap import by_cluster, ratio

Floats = NDArray[np.float64]
Clusters = NDArray[np.int64]
Weighted = Callable[[Floats], Floats]

ROWS_AT_ONCE = 250_000
"""Weighted ranks held at a time: small enough for a processor's cache."""
SMALL = 1e-12
"""A variance as small as this, beside the square of the greatest value, is none."""


def pearson_of(x: Floats, y: Floats, cluster: Clusters, clusters: int) -> Weighted:
    """Pearson's r as a function of weights."""
    a, b = _scaled(x), _scaled(y)
    sums = by_cluster(np.stack([np.ones_like(a), a, b, a * a, b * b, a * b], axis=1), cluster, clusters)

    def statistic(weights: Floats) -> Floats:
        return _r(*(weights @ sums).T)

    return statistic


def spearman_of(x: Floats, y: Floats, cluster: Clusters, clusters: int) -> Weighted:
    """Spearman's rho, Pearson's r of ranks with ties at their mean rank, as a function of weights."""
    groups_x, groups_y = _Groups(x), _Groups(y)

    def statistic(weights: Floats) -> Floats:
        step = max(1, ROWS_AT_ONCE // max(1, len(x)))
        return np.concatenate(
            [
                _rank_r(weights[i : i + step][:, cluster], groups_x, groups_y)
                for i in range(0, len(weights), step)
            ]
        )

    return statistic


def kendall_of(x: Floats, y: Floats, cluster: Clusters, clusters: int) -> Weighted:
    """Kendall's tau-b as a function of weights.

    Concordance between clusters is a matrix T, and a sample's is the quadratic form w T w; copies of one row
    tie with each other. Takes rows^2 bytes three times over and clusters^2 numbers.
    """
    order = np.argsort(cluster, kind="stable")
    a, b, of = x[order], y[order], cluster[order]
    starts = np.flatnonzero(np.r_[True, of[1:] != of[:-1]])
    present = of[starts]
    # Whole numbers well below 2^24, and so are their products with weights: single precision is exact.
    matrices = [np.zeros((len(starts), len(starts)), np.float32) for _ in range(3)]
    for row, (start, end) in enumerate(zip(starts, np.r_[starts[1:], len(of)], strict=True)):
        sign_a = np.sign(a[start:end, None] - a[None, :]).astype(np.int8)
        sign_b = np.sign(b[start:end, None] - b[None, :]).astype(np.int8)
        for matrix, cells in zip(matrices, (sign_a * sign_b, sign_a != 0, sign_b != 0), strict=True):
            matrix[row] = np.add.reduceat(cells.sum(axis=0, dtype=np.int64), starts)

    def statistic(weights: Floats) -> Floats:
        w = weights[:, present].astype(np.float32)
        same, in_a, in_b = (
            np.einsum("ij,ij->i", w @ matrix, w, dtype=np.float64, casting="same_kind") for matrix in matrices
        )
        return ratio(same, np.sqrt(in_a * in_b))

    return statistic


def spearman(x: Floats, y: Floats) -> float:
    """Spearman's rho of two vectors, NaN where one does not vary."""
    return _alone(spearman_of, x, y)


def pearson(x: Floats, y: Floats) -> float:
    """Pearson's r of two vectors, NaN where one does not vary."""
    return _alone(pearson_of, x, y)


def kendall(x: Floats, y: Floats) -> float:
    """Kendall's tau-b of two vectors, NaN where one does not vary."""
    return _alone(kendall_of, x, y)


def row_ranks(values: Floats) -> Floats:
    """Ranks from 1 within each row (k, n), ties at their mean rank."""
    less = (values[:, :, None] > values[:, None, :]).sum(axis=2)
    upto = (values[:, :, None] >= values[:, None, :]).sum(axis=2)
    return np.asarray((less + upto + 1) / 2)


def row_spearman(x: Floats, y: Floats) -> Floats:
    """Spearman's rho of each pair of rows (k, n), n small; NaN where a row does not vary or has a NaN."""
    known = np.asarray(~(np.isnan(x) | np.isnan(y)).any(axis=1))
    return row_pearson(row_ranks(x), row_ranks(y), known)


def row_pearson(x: Floats, y: Floats, usable: NDArray[np.bool_] | None = None) -> Floats:
    """Pearson's r of each pair of rows (k, n)."""
    a, b = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    scale = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    big = np.maximum(1e-300, np.abs(x).max(axis=1) * np.abs(y).max(axis=1) * x.shape[1])
    fine = scale > SMALL * big
    if usable is not None:
        fine &= usable
    return np.divide((a * b).sum(axis=1), scale, out=np.full(len(x), np.nan), where=fine)


def row_kendall(x: Floats, y: Floats) -> Floats:
    """Kendall's tau-b of each pair of rows (k, n), n small."""
    a, b = np.sign(x[:, :, None] - x[:, None, :]), np.sign(y[:, :, None] - y[:, None, :])
    return ratio((a * b).sum(axis=(1, 2)), np.sqrt((a**2).sum(axis=(1, 2)) * (b**2).sum(axis=(1, 2))))


def p_of_rho(rho: float, n: int) -> float:
    """Two-sided p of a correlation of ``n`` points, from t = rho sqrt((n - 2) / (1 - rho^2)) with n - 2 df.

    Raises:
        ValueError: fewer than three points, or rho outside of -1 to 1.
    """
    if n < 3:
        raise ValueError("two points say nothing")
    if not -1 <= rho <= 1:
        raise ValueError(f"{rho} is no correlation")
    if abs(rho) == 1:
        return 0.0
    from scipy.special import stdtr

    return float(2 * stdtr(n - 2, -abs(rho) * np.sqrt((n - 2) / (1 - rho * rho))))


class _Groups:
    """Rows in the order of a vector, and where its groups of equal values start."""

    def __init__(self, values: Floats) -> None:
        self.order = np.argsort(values, kind="stable")
        ordered = values[self.order]
        self.starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        self.group = np.empty(len(values), np.int64)
        self.group[self.order] = np.repeat(
            np.arange(len(self.starts)), np.diff(np.r_[self.starts, len(values)])
        )

    def ranks(self, weights: Floats) -> Floats:
        """Rank of every row (k, rows) in each sample, less the middle rank."""
        sizes = np.add.reduceat(weights[:, self.order], self.starts, axis=1)
        upto = np.cumsum(sizes, axis=1)
        return np.asarray((upto - sizes / 2 - upto[:, -1:] / 2)[:, self.group])


def _rank_r(weights: Floats, x: _Groups, y: _Groups) -> Floats:
    a, b = x.ranks(weights), y.ranks(weights)
    wa, wb = weights * a, weights * b
    sums = [np.einsum("ij,ij->i", p, q) for p, q in ((wa, a), (wb, b), (wa, b))]
    # Less the middle rank, ranks have mean 0 in every sample.
    n = weights.sum(axis=1)
    zero = np.zeros_like(n)
    return _r(n, zero, zero, *sums)


def _r(n: Floats, sa: Floats, sb: Floats, saa: Floats, sbb: Floats, sab: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        va, vb = saa - sa * sa / n, sbb - sb * sb / n
        fine = (n > 1) & (va > SMALL * saa) & (vb > SMALL * sbb)
        scale = np.sqrt(np.where(fine, va * vb, 1.0))
        return np.where(fine, np.clip((sab - sa * sb / n) / scale, -1, 1), np.nan)


def _scaled(values: Floats) -> Floats:
    """Less the mean and over the spread, for sums without loss; all 0 where there is no spread."""
    off = values - values.mean()
    spread = float(np.sqrt((off**2).mean()))
    return off / spread if spread > 1e-13 * max(1e-300, float(np.abs(values).max())) else np.zeros_like(off)


def _alone(of: Callable[[Floats, Floats, Clusters, int], Weighted], x: Floats, y: Floats) -> float:
    n = len(x)
    if len(y) != n:
        raise ValueError(f"{n} and {len(y)} values cannot be compared")
    if n < 2:
        return float("nan")
    a, b = np.asarray(x, np.float64), np.asarray(y, np.float64)
    # One cluster for tau: rows of weight 1 only, and one row of the matrix.
    cluster = np.zeros(n, np.int64)
    return float(of(a, b, cluster, 1)(np.ones((1, 1)))[0])
