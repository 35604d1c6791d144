"""Does a score go along with people's ratings?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...core.studies import (
    Coefficients,
    CorrelationDifference,
    CorrelationResult,
    EvaluatorCorrelation,
)
from ...stats.bootstrap import Resampled, Statistic, ratio
from ...stats.correlation import (
    kendall_of,
    pearson_of,
    row_kendall,
    row_pearson,
    row_spearman,
    spearman_of,
)
from .figures import Floats, Plan, equal_lengths, few, figures, numbered
from .ratings import Ratings, agreement

__all__ = ["CorrelationOptions", "CorrelationTable", "Ratings", "correlation"]


@dataclass(frozen=True)
class CorrelationTable:
    """One row per evaluator and case. All columns have the same length.

    ``evaluator, case, brief, system`` are text, ``score`` and ``human`` (mean rating) NaN where missing.
    The parts of a fused score are evaluators of their own.
    """

    evaluator: NDArray[np.str_]
    case: NDArray[np.str_]
    brief: NDArray[np.str_]
    system: NDArray[np.str_]
    score: NDArray[np.float64]
    human: NDArray[np.float64]


@dataclass(frozen=True)
class CorrelationOptions:
    """``differences`` between evaluators may be switched off."""

    differences: bool = True
    level: float = 0.95
    draws: int = 10_000
    seed: int = 0


LEAST_CASES = 4
"""Fewer cases of a system, and it has no correlation of its own; fewer than three systems, none between."""
LEAST_SYSTEMS = 3
KENDALL_ROWS, KENDALL_BRIEFS = 4_000, 1_500
"""With more cases or briefs Kendall's tau stands without an interval: it would take minutes."""
NAMES = ("spearman", "pearson", "kendall")
POOLED, WITHIN, BETWEEN, SYSTEMS = 0, 3, 6, 9
"""Where the three coefficients of each kind start among a statistic's columns."""


def correlation(
    table: CorrelationTable,
    ratings: Ratings | None = None,
    options: CorrelationOptions | None = None,
) -> CorrelationResult:
    """The study: correlation of score and rating, pooled, within systems and between them.

    Intervals resample briefs, the same ones for every evaluator, so that differences are paired. A case
    without score or rating is left out and counted.

    Raises:
        ValueError: columns differ in length, one evaluator has a case twice, or a rater rates a case twice.
    """
    options = options or CorrelationOptions()
    equal_lengths(**vars(table))
    evaluators, who = numbered(table.evaluator)
    cases, case = numbered(table.case)
    if len(np.unique(who * len(cases) + case)) < len(who):
        raise ValueError("one evaluator has a case twice")
    study = _Study(table, options)
    known = ~(np.isnan(table.score) | np.isnan(table.human))
    rows = {name: np.flatnonzero((who == e) & known) for e, name in enumerate(evaluators)}
    asked = {name: np.flatnonzero(who == e) for e, name in enumerate(evaluators)}
    out = {name: study.evaluator(rows[name], asked[name]) for name in evaluators}
    differences = []
    for first, second in combinations(evaluators, 2) if options.differences else ():
        both = np.intersect1d(case[rows[first]], case[rows[second]])
        pair = [r[np.isin(case[r], both)] for r in (rows[first], rows[second])]
        n_asked = len(np.intersect1d(case[asked[first]], case[asked[second]]))
        differences.append(study.difference(first, second, pair[0], pair[1], n_asked))
    return CorrelationResult(
        evaluators=out,
        differences=differences,
        agreement=None if ratings is None else agreement(ratings, options.level, options.draws, options.seed),
    )


class _Study:
    """Resamples of one table, each set of rows once."""

    def __init__(self, table: CorrelationTable, options: CorrelationOptions) -> None:
        self._table = table
        self._plan = Plan(options.level, options.draws, options.seed, over="briefs")
        briefs, self._brief = numbered(table.brief)
        self._briefs = len(briefs)
        self._systems, self._system = numbered(table.system)
        self._kept: dict[bytes, Resampled] = {}

    def evaluator(self, rows: NDArray[np.int64], asked: NDArray[np.int64]) -> EvaluatorCorrelation:
        """All figures of the evaluator that was asked about these rows, ``rows`` of them usable."""
        found, used = self._found(rows), len(np.unique(self._brief[rows]))
        count, count_asked = (
            np.bincount(self._system[r], minlength=len(self._systems)) for r in (rows, asked)
        )
        there, large = int((count > 0).sum()), int(count[count >= LEAST_CASES].sum())
        pooled = self._three(found, POOLED, (len(rows), len(asked)), used, _why(len(rows)))
        within = self._three(
            found,
            WITHIN,
            (large or len(rows), len(asked)),
            used,
            _SAME if large else f"no system has {LEAST_CASES} cases with a score and a rating",
        )
        between = self._three(
            found,
            BETWEEN,
            (there, int((count_asked > 0).sum())),
            used,
            f"{few(there, 'systems')} ({LEAST_SYSTEMS})" if there < LEAST_SYSTEMS else _SAME_MEANS,
        )
        systems = {
            name: self._three(found, SYSTEMS + 3 * k, (int(n), int(n_asked)), used, _why(int(n), LEAST_CASES))
            for k, (name, n, n_asked) in enumerate(zip(self._systems, count, count_asked, strict=True))
            if n_asked
        }
        return EvaluatorCorrelation(pooled=pooled, within=within, between=between, systems=systems)

    def difference(
        self, first: str, second: str, one: NDArray[np.int64], other: NDArray[np.int64], asked: int
    ) -> CorrelationDifference:
        """Of two evaluators on rows of the same cases, from the same samples."""
        a, b = self._found(one), self._found(other)
        off = Resampled(a.value - b.value, a.draws - b.draws, a.left_out - b.left_out)
        used = len(np.unique(self._brief[one]))
        pooled, within = (
            self._three(off, k, (len(one), asked), used, "one of the two has no figure of its own")
            for k in (POOLED, WITHIN)
        )
        return CorrelationDifference(first=first, second=second, pooled=pooled, within=within)

    def _three(self, found: Resampled, start: int, n: tuple[int, int], used: int, why: str) -> Coefficients:
        """The coefficients from a column on; ``n`` is used and asked, ``why`` says why there is none."""
        part = Resampled(
            found.value[start : start + 3],
            found.draws[:, start : start + 3],
            found.left_out[:, start : start + 3],
        )
        got = figures(part, self._plan, np.full(3, n[0]), np.full(3, n[1]), used=np.full(3, used))
        if got[2].value is not None and _many(n[0], self._briefs):
            got[2] = got[2].model_copy(
                update={"reason": f"it would take minutes to draw one for {n[0]} cases"}
            )
        told = [f if f.value is not None or not f.n else f.model_copy(update={"reason": why}) for f in got]
        return Coefficients(**dict(zip(NAMES, told, strict=True)))

    def _found(self, rows: NDArray[np.int64]) -> Resampled:
        key = rows.tobytes()
        if key not in self._kept:
            statistic = _statistic(
                self._table.score[rows],
                self._table.human[rows],
                self._brief[rows],
                self._briefs,
                self._system[rows],
                len(self._systems),
            )
            self._kept[key] = self._plan.resample(statistic, self._briefs, "correlation")
        return self._kept[key]


_SAME = "all scores or all ratings are the same"
_SAME_MEANS = "the systems do not differ, or a system has no score"


def _why(n: int, least: int = 2) -> str:
    """Why ``n`` cases have no correlation."""
    return f"{few(n, 'cases')} ({least})" if n < least else _SAME


def _statistic(
    x: Floats, y: Floats, brief: NDArray[np.int64], briefs: int, system: NDArray[np.int64], systems: int
) -> Statistic:
    """Columns as in POOLED, WITHIN, BETWEEN, SYSTEMS (three for each system)."""
    pooled = _three(x, y, brief, briefs)
    own = [
        _three(x[system == k], y[system == k], brief[system == k], briefs)
        if (system == k).sum() >= LEAST_CASES
        else _none
        for k in range(systems)
    ]
    cell = brief * systems + system
    size = briefs * systems
    sums = np.concatenate(
        [np.bincount(cell, c, minlength=size).reshape(briefs, systems) for c in (np.ones(len(x)), x, y)],
        axis=1,
    )
    present = np.flatnonzero(sums[:, :systems].any(axis=0))
    whole = np.stack([f(np.ones((1, briefs)))[0] for f in own]) if own else np.zeros((0, 3))

    def statistic(weights: Floats) -> Floats:
        alone = np.stack([f(weights) for f in own], axis=1)
        usable = np.isfinite(whole)
        count = usable.sum(axis=0)
        within = ratio(
            np.where(usable, alone, 0.0).sum(axis=1), np.broadcast_to(count, (len(weights), 3)) * 1.0
        )
        between = np.full((len(weights), 3), np.nan)
        if len(present) >= LEAST_SYSTEMS:
            n, a, b = np.split(weights @ sums, 3, axis=1)
            means = ratio(a, n)[:, present], ratio(b, n)[:, present]
            between = np.stack([f(*means) for f in (row_spearman, row_pearson, row_kendall)], axis=1)
            between[(n[:, present] == 0).any(axis=1)] = np.nan
        return np.concatenate([pooled(weights), within, between, alone.reshape(len(weights), -1)], axis=1)

    return statistic


def _three(x: Floats, y: Floats, brief: NDArray[np.int64], briefs: int) -> Statistic:
    if len(x) < 2:
        return _none
    tau = _tau_once(x, y) if _many(len(x), briefs) else kendall_of(x, y, brief, briefs)
    both = [spearman_of(x, y, brief, briefs), pearson_of(x, y, brief, briefs), tau]
    return lambda weights: np.stack([f(weights) for f in both], axis=1)


def _many(cases: int, briefs: int) -> bool:
    return cases > KENDALL_ROWS or briefs > KENDALL_BRIEFS


def _tau_once(x: Floats, y: Floats) -> Callable[[Floats], Floats]:
    """Kendall's tau-b of all cases; NaN for any resample."""
    from scipy.stats import kendalltau

    tau = float(kendalltau(x, y)[0])
    return lambda weights: np.where((weights == 1).all(axis=1), tau, np.nan)


def _none(weights: Floats) -> Floats:
    return np.full((len(weights), 3), np.nan)
