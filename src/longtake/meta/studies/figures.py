"""From resampled columns to figures: what all studies share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.interval import Interval
from ...core.seeds import seed_for
from ...stats.bootstrap import LEAST_CLUSTERS, Resampled, Statistic, by_cluster, ratio, resample
from ...stats.intervals import wilson

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Plan:
    """How intervals are made: level, draws, the user's seed, and what the clusters are called."""

    level: float
    draws: int
    seed: int
    over: str = "sources"

    def resample(self, statistic: Statistic, clusters: int, item: str) -> Resampled:
        """The statistic on samples keyed by ``item``: equal item and clusters, equal samples."""
        seed = seed_for(f"{item}\0{clusters}", "bootstrap", self.seed)
        return resample(statistic, clusters, draws=self.draws, seed=seed)

    def method(self, clusters: int) -> str:
        """The words for the usual interval."""
        return f"bootstrap over {clusters} {self.over}, {self.draws} draws, BCa widened for few"


class Ratios:
    """Means, shares and rates as quotients of sums over rows, resampled together."""

    def __init__(self, cluster: NDArray[np.int64], clusters: int) -> None:
        self.cluster = cluster
        self.clusters = clusters
        self._tops: list[Floats] = []
        self._bottoms: list[Floats] = []

    def __len__(self) -> int:
        return len(self._tops)

    def add(self, top: Floats, bottom: Floats) -> int:
        """Another quotient of columns (rows,); its number."""
        self._tops.append(np.asarray(top, np.float64))
        self._bottoms.append(np.asarray(bottom, np.float64))
        return len(self._tops) - 1

    def sums(self) -> tuple[Floats, Floats]:
        """Numerators and denominators by cluster, (clusters, quotients) each."""
        return tuple(  # type: ignore[return-value]
            by_cluster(np.stack(columns, axis=1), self.cluster, self.clusters)
            for columns in (self._tops, self._bottoms)
        )

    def statistic(self, beside: Floats | None = None) -> Statistic:
        """All quotients as a function of weights, and after them the sums of ``beside`` (clusters, m).

        One product of matrices gives all; denominators that are the same stand in it once.
        """
        tops, bottoms = self.sums()
        distinct: dict[bytes, int] = {}
        which = [distinct.setdefault(column.tobytes(), len(distinct)) for column in bottoms.T]
        once = np.stack([np.frombuffer(column) for column in distinct], axis=1)
        extra = np.zeros((self.clusters, 0)) if beside is None else beside
        columns = np.concatenate([tops, once, extra], axis=1)
        first, last = tops.shape[1], tops.shape[1] + once.shape[1]

        def statistic(weights: Floats) -> Floats:
            sums = weights @ columns
            quotients = ratio(sums[:, :first], sums[:, first:last][:, which])
            return np.concatenate([quotients, sums[:, last:]], axis=1) if beside is not None else quotients

        return statistic


def beside(statistics: Sequence[Statistic]) -> Statistic:
    """The columns of all statistics beside each other, on the same samples."""

    def statistic(weights: Floats) -> Floats:
        return np.concatenate([one(weights) for one in statistics], axis=1)

    return statistic


def figures(
    found: Resampled,
    plan: Plan,
    n: NDArray[np.int64],
    n_asked: NDArray[np.int64],
    *,
    shares: NDArray[np.bool_] | bool = False,
    used: NDArray[np.int64] | None = None,
) -> list[Interval]:
    """One figure per column.

    ``shares`` marks columns that lie in 0 to 1: where all clusters agree the bootstrap has no width, and
    Wilson's interval over the ``used`` clusters stands instead. It is too wide where they agree on a share
    between 0 and 1 (each a half, by ties), for it takes each cluster for one answer of yes or no.
    """
    low, high = found.interval(plan.level)
    fixed = found.constant()
    used = np.full(len(n), found.clusters) if used is None else used
    share = np.broadcast_to(shares, fixed.shape)
    out = []
    for i, value in enumerate(found.value.tolist()):
        method, reason, ends = plan.method(int(used[i])), None, (float(low[i]), float(high[i]))
        if share[i] and fixed[i] and np.isfinite(value) and used[i] >= LEAST_CLUSTERS:
            ends = wilson(value, int(used[i]), plan.level)
            method = f"Wilson over {used[i]} {plan.over} that all agree"
        if not np.isfinite(value):
            reason = "nothing was scored" if not n[i] else "it cannot be computed from these values"
        elif used[i] < LEAST_CLUSTERS:
            reason = f"{few(int(used[i]), plan.over)} for an interval ({LEAST_CLUSTERS})"
        elif not np.isfinite(ends).all():
            reason = "too many draws have no value"
        out.append(
            Interval(
                n=int(n[i]),
                n_asked=int(n_asked[i]),
                value=value if np.isfinite(value) else None,
                low=None if reason else ends[0],
                high=None if reason else ends[1],
                level=plan.level,
                method=method,
                reason=reason,
            )
        )
    return out


def few(n: int, many: str) -> str:
    """``1 source is too few``, ``2 sources are too few``; ``many`` is the plural."""
    return f"1 {many.removesuffix('s')} is too few" if n == 1 else f"{n} {many} are too few"


def numbered(values: NDArray[np.str_]) -> tuple[list[str], NDArray[np.int64]]:
    """Distinct values in order, and the number of each row's."""
    names, number = np.unique(values, return_inverse=True)
    return [str(n) for n in names], np.asarray(number, np.int64).reshape(-1)


def equal_lengths(**columns: object) -> None:
    """Raises ValueError, with the lengths, where columns differ in length."""
    lengths = {name: len(column) for name, column in columns.items() if column is not None}  # type: ignore[arg-type]
    if len(set(lengths.values())) > 1:
        raise ValueError("columns differ in length: " + ", ".join(f"{k} {v}" for k, v in lengths.items()))
