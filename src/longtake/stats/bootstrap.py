"""Intervals by resampling whole clusters (source videos, briefs), so that they stay together.

A statistic is a function of weights: ``weights`` of shape (k, clusters) say how often each cluster stands in
each of k samples, and the answer has shape (k, columns). Most statistics are functions of weighted sums, so
that all draws are one matrix product (``by_cluster`` gives the sums).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Statistic = Callable[[Floats], Floats]

LEAST_CLUSTERS = 8
"""Under so many clusters no interval is told. In 400 made-up studies each, 95 % intervals held a share of
0.6 (three pairs a source that go together) in 86 % at 5 sources, 96 % at 8, 96 % at 20 and 98 % at 40, and
the mean of a skewed (exponential) quantity in 87, 90, 92 and 94 %."""
MOST_UNDEFINED = 0.05
"""Share of draws that may have no value (no answer among the drawn); above, no interval is told."""
CHUNK = 2_000_000
"""Weights held at a time (numbers of 8 bytes)."""
EQUAL = 1e-9
"""Values as near as this, times the greater of 1 and the value, are equal: sums in another order differ."""


@dataclass(frozen=True)
class Resampled:
    """What a statistic gives: on all (columns,), on draws (draws, columns), without one cluster each.

    ``value`` is NaN where the statistic has none.
    """

    value: Floats
    draws: Floats
    left_out: Floats

    @property
    def clusters(self) -> int:
        """Number of clusters resampled."""
        return len(self.left_out)

    def columns(self, first: int, last: int) -> Resampled:
        """The same of some columns, from ``first`` to before ``last``."""
        return Resampled(*(part[..., first:last] for part in (self.value, self.draws, self.left_out)))

    def constant(self) -> NDArray[np.bool_]:
        """Columns that no draw changes, nor leaving out any one cluster: resampling says nothing of them."""
        near = EQUAL * np.maximum(1.0, np.abs(self.value))
        still = np.array((np.abs(self.left_out - self.value) <= near).all(axis=0), bool)
        for k in np.flatnonzero(still):
            off = np.abs(self.draws[:, k] - self.value[k]) > near[k]
            still[k] = not off.any()  # a draw without a value is not off
        return still

    def standard_error(self) -> Floats:
        """The jackknife's standard error over clusters, (columns,); NaN where a value is missing."""
        n = self.clusters
        if n < 2:
            return np.full_like(self.value, np.nan)
        off = self.left_out - self.left_out.mean(axis=0)
        return np.asarray(np.sqrt((n - 1) / n * (off**2).sum(axis=0)))

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Lower and upper ends (columns,) by BCa; NaN where none can be told.

        Bias and skew are corrected by the place of the value among the draws and by the jackknife (Efron
        1987). Without a jackknife value the skew counts as none. The quantiles are ``widened``.
        """
        from scipy.special import ndtr, ndtri

        draws, columns = self.draws.shape
        low, high = np.full(columns, np.nan), np.full(columns, np.nan)
        if self.clusters < LEAST_CLUSTERS or not draws:
            return low, high
        undefined = np.isnan(self.draws)
        usable = np.isfinite(self.value) & (undefined.mean(axis=0) <= MOST_UNDEFINED)
        fixed = usable & self.constant()
        low[fixed] = high[fixed] = self.value[fixed]
        at = np.flatnonzero(usable & ~fixed)
        if not len(at):
            return low, high
        ordered = np.ascontiguousarray(self.draws[:, at].T)  # NaN sorts to the end
        ordered.sort(axis=1)
        value = self.value[at]
        near = EQUAL * np.maximum(1.0, np.abs(value))
        count = draws - undefined[:, at].sum(axis=0)
        below = np.array([np.searchsorted(o, v - e) for o, v, e in zip(ordered, value, near, strict=True)])
        upto = np.array(
            [np.searchsorted(o, v + e, "right") for o, v, e in zip(ordered, value, near, strict=True)]
        )
        share = np.clip((below + upto) / 2, 0.5, count - 0.5) / count
        bias = ndtri(share)
        off = self.left_out[:, at].mean(axis=0) - self.left_out[:, at]
        with np.errstate(invalid="ignore", divide="ignore"):
            skew = (off**3).sum(axis=0) / (6 * (off**2).sum(axis=0) ** 1.5)
        skew = np.where(np.isfinite(skew), skew, 0.0)
        rows = np.arange(len(at))
        for tail, end in ((0.5 - level / 2, low), (0.5 + level / 2, high)):
            z = bias + widened(tail, self.clusters)
            place = ndtr(bias + z / (1 - skew * z)) * (count - 1)
            left = np.clip(np.floor(place).astype(np.int64), 0, count - 1)
            right = np.minimum(left + 1, count - 1)
            end[at] = ordered[rows, left] + (place - left) * (ordered[rows, right] - ordered[rows, left])
        return low, high


def widened(tail: float, clusters: int) -> float:
    """The normal quantile of a tail, widened for few clusters: sqrt(n / (n - 1)) times Student's.

    Samples drawn from n clusters spread too little by sqrt((n - 1) / n), and the spread itself is only
    estimated (Hesterberg 2015, expanded percentiles). At 40 clusters it is 5 % more than the normal one.
    """
    from scipy.special import stdtrit

    return float(np.sqrt(clusters / (clusters - 1)) * stdtrit(clusters - 1, tail))


def by_cluster(columns: Floats, cluster: NDArray[np.int64], clusters: int) -> Floats:
    """Sums of the columns (rows, m) within clusters, shape (clusters, m). ``cluster`` numbers each row."""
    out = np.zeros((clusters, columns.shape[1]))
    for k in range(columns.shape[1]):
        out[:, k] = np.bincount(cluster, columns[:, k], minlength=clusters)
    return out


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """The quotient, NaN where the denominator is 0."""
    return np.divide(numerator, denominator, out=np.full_like(numerator, np.nan), where=denominator != 0)


def resample(statistic: Statistic, clusters: int, *, draws: int, seed: int) -> Resampled:
    """The statistic on all clusters, on ``draws`` samples of as many clusters, and without each one.

    Equal ``clusters``, ``draws`` and ``seed`` draw equal samples, so that statistics of two calls are paired.

    Raises:
        ValueError: there is no cluster.
    """
    if clusters < 1:
        raise ValueError("nothing to resample")
    value = statistic(np.ones((1, clusters)))[0]
    return Resampled(
        value=value,
        draws=_stacked(statistic, drawn_weights(clusters, draws, seed), len(value)),
        left_out=_stacked(statistic, _without_one(clusters), len(value)),
    )


def drawn_weights(clusters: int, draws: int, seed: int) -> Iterator[Floats]:
    """Weights of the draws in blocks (k, clusters): whole numbers, each row sums to ``clusters``."""
    rng = np.random.default_rng(seed)
    step = max(1, CHUNK // clusters)
    for start in range(0, draws, step):
        rows = min(step, draws - start)
        drawn = rng.integers(0, clusters, size=(rows, clusters))
        drawn += np.arange(rows)[:, None] * clusters
        yield np.bincount(drawn.ravel(), minlength=rows * clusters).reshape(rows, clusters).astype(np.float64)


def _without_one(clusters: int) -> Iterator[Floats]:
    """Weights that leave out each cluster once, in blocks."""
    step = max(1, CHUNK // clusters)
    for start in range(0, clusters, step):
        rows = np.arange(start, min(start + step, clusters))
        weights = np.ones((len(rows), clusters))
        weights[np.arange(len(rows)), rows] = 0
        yield weights


def _stacked(statistic: Statistic, blocks: Iterator[Floats], columns: int) -> Floats:
    parts = [statistic(weights) for weights in blocks]
    return np.concatenate(parts) if parts else np.zeros((0, columns))
