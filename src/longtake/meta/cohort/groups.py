"""Every metric by group, and what each group deviates by from all of them: workflow signatures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...core.cohort import FAMILIES, Cell, GroupFigures, Kind
from ...core.interval import Interval
from ...core.seeds import seed_for
from ...stats.bootstrap import Resampled, Statistic, by_cluster, ratio
from ...stats.paired import holm
from ...stats.permutation import exchange_p
from ..studies.figures import Floats, Plan, Ratios, figures, numbered
from .table import CohortTable

LEAST_GROUPS = 2
STILL = "every sample of briefs gives the same"
"""Why a deviation that no resampling changes has no interval. It may be a finding all the same."""


@dataclass(frozen=True)
class _Counts:
    """Numbers by metric and group: scored and asked films, films to which it does not apply, briefs."""

    n: NDArray[np.int64]
    asked: NDArray[np.int64]
    out: NDArray[np.int64]
    briefs: NDArray[np.int64]


def by_group(
    table: CohortTable, by: str, plan: Plan, *, kinds: Sequence[Kind] = (), deviations: bool = True
) -> GroupFigures:
    """Means by group, and each group's deviation from the mean over groups of their means.

    DirectorBench's signature (arXiv 2605.30090): for each metric the mean over a workflow's films, less the
    mean over workflows of those means; workflows in which nothing was scored are in neither. Briefs are
    resampled as a whole, with the films that all groups made of them, so that the comparison is paired where
    groups share briefs. An interval of a deviation rests on as many briefs as the group that has fewest.

    p is by exchanging groups within briefs, or between the briefs that one group alone has; it is exact if
    groups do not differ. (A test by the jackknife is not: of scores that seldom fall below 1 it claimed
    something in up to 22 of 100 cohorts without any difference.) It takes several films that a group has of
    one brief by their mean. Rows that do not say their group are left out; ``kinds`` are all if empty.
    """
    known = [i for i, group in enumerate(table.columns.get(by, ())) if group is not None]
    table = table.rows(known)
    names, group = numbered(np.array(table.columns[by] if known else [], dtype=np.str_))
    briefs, brief = numbered(np.array(table.brief, dtype=np.str_))
    made = np.zeros((len(briefs), len(names)), bool)
    made[brief, group] = True
    facts = {
        "by": by,
        "groups": {name: int((group == g).sum()) for g, name in enumerate(names)},
        "briefs": len(briefs),
        "shared_briefs": int(made.all(axis=1).sum()) if len(names) else 0,
    }
    if not names:
        return GroupFigures(**facts, cells=[], reason=f"no case says its {by}")
    reason = None
    if deviations and len(names) < LEAST_GROUPS:
        reason = f"only one {by} ({names[0]}): a signature compares at least two"
    study = _Study(table, group, len(names), brief, len(briefs), table.of(*(kinds or _all())), plan)
    cells = study.cells(names, by, deviations=deviations and reason is None)
    return GroupFigures(**facts, cells=cells, reason=reason)


def _all() -> tuple[Kind, ...]:
    return tuple(kind for family in FAMILIES for kind in family)


class _Study:
    """One grouping: ``columns`` are numbers of metrics, ``group`` and ``brief`` those of each row."""

    def __init__(
        self,
        table: CohortTable,
        group: NDArray[np.int64],
        groups: int,
        brief: NDArray[np.int64],
        briefs: int,
        columns: list[int],
        plan: Plan,
    ) -> None:
        self._table, self._columns, self._groups, self._plan = table, columns, groups, plan
        self._brief, self._briefs, self._group = brief, briefs, group
        value, applies = table.value[:, columns], table.applies[:, columns]
        self._ratios = Ratios(brief, briefs)
        scored = np.isfinite(value)
        shape = (len(columns), groups)
        n, asked, out = (np.zeros(shape, np.int64) for _ in range(3))
        for k in range(len(columns)):
            for g in range(groups):
                own = (group == g) & scored[:, k]
                self._ratios.add(np.where(own, value[:, k], 0.0), own)
                n[k, g] = own.sum()
                asked[k, g] = (applies[:, k] & (group == g)).sum()
                out[k, g] = (~applies[:, k] & (group == g)).sum()
        seen = self._ratios.sums()[1].reshape(briefs, *shape)
        self._counts = _Counts(n, asked, out, (seen > 0).sum(axis=0))

    def cells(self, names: list[str], by: str, *, deviations: bool) -> list[Cell]:
        counts = self._counts
        found = self._plan.resample(self._statistic(), self._briefs, f"cohort by {by}")
        size = counts.n.size
        means = figures(
            found.columns(0, size),
            self._plan,
            counts.n.ravel(),
            counts.asked.ravel(),
            shares=True,
            used=counts.briefs.ravel(),
        )
        off = self._deviations(found.columns(size, 2 * size)) if deviations else [None] * size
        tests = self._tests(f"cohort by {by}") if deviations else [None] * size
        cells = []
        for i, (mean, deviation, p) in enumerate(zip(means, off, tests, strict=True)):
            k, g = divmod(i, self._groups)
            metric = self._table.metrics[self._columns[k]]
            cells.append(
                Cell(
                    metric=metric.id,
                    kind=metric.kind,
                    dimension=metric.dimension,
                    group=names[g],
                    mean=mean,
                    n_not_applicable=int(counts.out[k, g]),
                    deviation=deviation,
                    p=p,
                )
            )
        return _corrected(cells, 1 - self._plan.level) if deviations else cells

    def _statistic(self) -> Statistic:
        """Means of every metric in every group, then their deviations."""
        means = self._ratios.statistic()
        there = self._counts.n > 0
        number = np.maximum(there.sum(axis=1), 1)

        def statistic(weights: Floats) -> Floats:
            found = means(weights)
            table = found.reshape(len(weights), *there.shape)
            middle = np.where(there, table, 0.0).sum(axis=2) / number
            off = np.where(there, table - middle[:, :, None], np.nan)
            off[:, there.sum(axis=1) < LEAST_GROUPS, :] = np.nan
            return np.concatenate([found, off.reshape(len(weights), -1)], axis=1)

        return statistic

    def _fewest(self) -> NDArray[np.int64]:
        """Scored briefs of the group that has fewest, by metric: what a comparison rests on."""
        briefs = np.where(self._counts.n > 0, self._counts.briefs, np.iinfo(np.int64).max)
        fewest = briefs.min(axis=1)
        return np.where(self._counts.n.any(axis=1), fewest, 0)

    def _deviations(self, found: Resampled) -> list[Interval | None]:
        counts = self._counts
        used = np.repeat(self._fewest(), self._groups)
        made = figures(found, self._plan, counts.n.ravel(), counts.asked.ravel(), used=used)
        alone = np.repeat((counts.n > 0).sum(axis=1) < LEAST_GROUPS, self._groups)
        still = found.constant()
        out: list[Interval | None] = []
        for i, interval in enumerate(made):
            reason = None
            if interval.n and alone[i]:
                reason = "no other group has a score to compare with"
            elif still[i] and interval.low is not None:
                reason = STILL
            out.append(
                interval.model_copy(update={"low": None, "high": None, "reason": reason})
                if reason
                else interval
            )
        return out

    def _tests(self, item: str) -> list[float | None]:
        """p of each deviation, from means of films of one brief and group."""
        cell, place = np.unique(self._brief * self._groups + self._group, return_inverse=True)
        value = self._table.value[:, self._columns]
        scored = np.isfinite(value)
        n = by_cluster(scored.astype(np.float64), place, len(cell))
        means = ratio(by_cluster(np.where(scored, value, 0.0), place, len(cell)), n)
        brief, group = cell // self._groups, cell % self._groups
        alone = np.bincount(brief)[brief] == 1
        block = np.where(alone, self._briefs, brief)
        seed = seed_for(item, "exchange", self._plan.seed)
        p = exchange_p(means, group, self._groups, block, draws=self._plan.draws, seed=seed)
        return [float(one) if np.isfinite(one) else None for one in p.ravel()]


def _corrected(cells: list[Cell], rate: float) -> list[Cell]:
    """With Holm's correction in each family, and with what is found."""
    stepped: dict[int, float | None] = {}
    for family in FAMILIES:
        at = [i for i, cell in enumerate(cells) if cell.kind in family]
        stepped |= dict(zip(at, holm([cells[i].p for i in at]), strict=True))
    return [
        cell.model_copy(update={"p_holm": stepped[i], "finding": _finding(cell, stepped[i], rate)})
        for i, cell in enumerate(cells)
    ]


def _finding(cell: Cell, p: float | None, rate: float) -> Literal["above", "below"] | None:
    found = cell.deviation
    if found is None or found.value is None or p is None or p >= rate:
        return None
    covers = found.low is None or found.high is None or found.low <= 0 <= found.high
    if covers and found.reason != STILL:
        return None
    return "above" if found.value > 0 else "below"
