"""Does a score fall with the strength of a damage?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...core.interval import Interval, missing
from ...core.studies import (
    EvaluatorSensitivity,
    FamilySensitivity,
    SensitivityResult,
    SensitivityVerdict,
    StrengthPoint,
)
from ...stats.bootstrap import ratio
from ...stats.correlation import row_spearman
from ...stats.paired import holm
from ...stats.regression import (
    PAPER_R_SQUARED,
    line_r,
    luck,
    luck_of_walk,
    slopes,
    smallest_found,
)
from .figures import Floats, Plan, Ratios, equal_lengths, figures, numbered


@dataclass(frozen=True)
class SensitivityTable:
    """One row per score. All columns have the same length.

    ``evaluator, case, source, family`` are text (``source`` names the undamaged video; rows of one source
    are not independent), ``strength`` is finite, 0 for the control, ``score`` is NaN where unscored.
    """

    evaluator: NDArray[np.str_]
    case: NDArray[np.str_]
    source: NDArray[np.str_]
    family: NDArray[np.str_]
    strength: NDArray[np.float64]
    score: NDArray[np.float64]


@dataclass(frozen=True)
class SensitivityOptions:
    """``higher_is_better`` by evaluator (true where not named); ``best`` is the best end of its range."""

    higher_is_better: Mapping[str, bool] = field(default_factory=dict)
    best: Mapping[str, float] = field(default_factory=dict)
    level: float = 0.95
    draws: int = 10_000
    seed: int = 0


NAMED = 5
"""Units left out that are named."""
ROUNDING = 1e-12
"""A fall over all strengths as small as this, in shares of the greatest score, is rounding."""
SATURATED = 0.5
"""Share of scores at the best end from which a score without response is at the ceiling."""
NEAR_BEST = 0.005
"""What counts as the best end: within this share of the spread down to the worst score."""


def sensitivity(table: SensitivityTable, options: SensitivityOptions | None = None) -> SensitivityResult:
    """The study: score against strength by evaluator and family, clustered by source.

    Units (see ``FamilySensitivity``) that lack a score at one of the family's strengths are left out at all,
    and counted. The verdict is "sensitive" where the slope's interval lies wholly on the worse side of 0.

    Raises:
        ValueError: columns differ in length, or a strength is not finite.
    """
    options = options or SensitivityOptions()
    equal_lengths(**vars(table))
    if not np.isfinite(table.strength).all():
        raise ValueError("a strength is not finite")
    evaluators, by_evaluator = numbered(table.evaluator)
    families, by_family = numbered(table.family)
    out: dict[str, EvaluatorSensitivity] = {name: EvaluatorSensitivity(families={}) for name in evaluators}
    notes = []
    for f, family in enumerate(families):
        of_family = by_family == f
        design = _Design(table, of_family)
        if design.strengths[0] > 0:
            notes.append(f"{family}: no score at strength 0, so the smallest strength stands for it")
        for e, name in enumerate(evaluators):
            rows = np.flatnonzero(of_family & (by_evaluator == e))
            if len(rows):
                out[name].families[family] = _one(design, table.score, rows, name, family, options)
    return SensitivityResult(evaluators={n: _corrected(e) for n, e in out.items()}, notes=notes)


def _corrected(found: EvaluatorSensitivity) -> EvaluatorSensitivity:
    """The same with Holm's correction over the families."""
    stepped = holm([f.p for f in found.families.values()])
    return EvaluatorSensitivity(
        families={
            name: f.model_copy(update={"p_holm": p})
            for (name, f), p in zip(found.families.items(), stepped, strict=True)
        }
    )


class _Design:
    """The units, sources and strengths of one family; ``unit`` and ``level`` number rows of the table."""

    def __init__(self, table: SensitivityTable, rows: NDArray[np.bool_]) -> None:
        at = np.flatnonzero(rows)
        self.strengths, level = np.unique(table.strength[at], return_inverse=True)
        _, case = numbered(table.case[at])
        seen = np.unique(np.stack([case, level], axis=1), axis=0)
        several = len(seen) > len(np.unique(case))
        self.kind: Literal["case", "source"] = "case" if several else "source"
        self.names, unit = numbered((table.case if several else table.source)[at])
        self.units = len(self.names)
        self.unit, self.level = np.full(len(rows), -1), np.full(len(rows), -1)
        self.unit[at], self.level[at] = unit, level
        sources, number = numbered(table.source[at])
        self.source = np.zeros(self.units, np.int64)
        self.source[unit] = number
        if (self.source[unit] != number).any():
            raise ValueError("one case has two sources")
        self.sources = len(sources)

    def matrix(self, score: Floats, rows: NDArray[np.int64]) -> Floats:
        """Scores (units, strengths) of some rows, the mean where there are several, NaN where none."""
        known = rows[~np.isnan(score[rows])]
        cell = self.unit[known] * len(self.strengths) + self.level[known]
        size = self.units * len(self.strengths)
        total = np.bincount(cell, score[known], minlength=size).astype(np.float64)
        return ratio(total, np.bincount(cell, minlength=size).astype(np.float64)).reshape(self.units, -1)


def _one(
    design: _Design,
    score: Floats,
    rows: NDArray[np.int64],
    name: str,
    family: str,
    options: SensitivityOptions,
) -> FamilySensitivity:
    plan = Plan(options.level, options.draws, options.seed)
    up = options.higher_is_better.get(name, True)
    asked = len(np.unique(design.unit[rows]))
    matrix = design.matrix(score, rows)
    whole = ~np.isnan(matrix).any(axis=1)
    used, x = matrix[whole], design.strengths
    sources, cluster = np.unique(design.source[whole], return_inverse=True)
    lacking = np.setdiff1d(design.unit[rows], np.flatnonzero(whole))
    common = {
        "left_out": [design.names[u] for u in lacking[:NAMED]],
        "control": bool((x == 0).any()),
        "unit": design.kind,
        "units": len(used),
        "units_asked": asked,
        "sources": len(sources),
        "excluded": asked - len(used),
        "strengths": x.tolist(),
        "higher_is_better": up,
    }
    reason = None
    if len(x) < 2:
        reason = "one strength alone has no slope"
    elif not len(used):
        reason = "no video has a score at every strength"
    if reason:
        nothing = missing(reason, n=len(used), n_asked=asked, level=options.level)
        return FamilySensitivity(
            **common,
            points=[],
            slope=nothing,
            difference=nothing,
            fall_share=nothing,
            spearman=nothing,
            r=None,
            r_squared=None,
            paper_verdict=None,
            paper_reason=reason,
            luck=None,
            luck_walk=None,
            verdict=None,
            verdict_reason=reason,
            smallest_slope=None,
        )
    each = slopes(x, used)
    # The fit of equal scores leaves rounding, which is no slope.
    each[np.abs(each) * np.ptp(x) <= ROUNDING * np.abs(used).max(axis=1)] = 0.0
    change = used[:, -1] - used[:, 0]
    ranks = row_spearman(np.broadcast_to(x, used.shape), used)
    ratios = Ratios(cluster.astype(np.int64), len(sources))
    one = np.ones(len(used))
    for column in (each, change, ((change < 0) if up else (change > 0)).astype(np.float64)):
        ratios.add(column, one)
    varies = ~np.isnan(ranks)
    ratios.add(np.where(varies, ranks, 0.0), varies.astype(np.float64))
    for column in used.T:
        ratios.add(column, one)
    found = plan.resample(ratios.statistic(), len(sources), family)
    n = np.full(len(ratios), len(used))
    n[3] = varies.sum()
    got = figures(
        found,
        plan,
        n,
        np.full(len(ratios), asked),
        shares=np.arange(len(ratios)) == 2,
    )
    slope, difference, fall_share, spearman = got[:4]
    means = used.mean(axis=0)
    r = line_r(x, means)
    spread = float(found.standard_error()[0])
    certain = slope.value is not None and slope.low is not None and spread > 0
    paper, paper_reason = _paper(r, up, len(x))
    verdict, verdict_reason = _ours(slope, used, up, options.best.get(name))
    return FamilySensitivity(
        **common,
        points=[StrengthPoint(strength=s, mean=m) for s, m in zip(x.tolist(), got[4:], strict=True)],
        slope=slope,
        difference=difference,
        fall_share=fall_share,
        spearman=spearman,
        r=r,
        r_squared=None if r is None else r * r,
        paper_verdict=paper,
        paper_reason=paper_reason,
        luck=luck(len(x)) if len(x) > 2 else None,
        luck_walk=luck_of_walk(tuple(x.tolist())) if len(x) > 2 else None,
        verdict=verdict,
        verdict_reason=verdict_reason,
        smallest_slope=smallest_found(spread, options.level) if spread > 0 else None,
        p=_p_of_t(slope.value / spread, len(sources) - 1) if certain and slope.value is not None else None,
    )


def _p_of_t(t: float, degrees: int) -> float:
    """Two-sided p of Student's t."""
    from scipy.special import stdtr

    return float(2 * stdtr(degrees, -abs(t)))


def _paper(r: float | None, up: bool, points: int) -> tuple[Literal["sensitive", "insensitive"] | None, str]:
    """The paper's verdict on the line through the means, with the score turned so that higher is better."""
    if points < 3:
        return None, "two points always lie on a line"
    if r is None:
        return "insensitive", "the mean score is the same at every strength"
    turned = r if up else -r
    if turned > 0:
        return "insensitive", f"the score gets better with strength (r {turned:+.2f})"
    if r * r < PAPER_R_SQUARED:
        # Cut, not rounded: 0.5996 is under 0.6 and shall not be said to be 0.600.
        return "insensitive", f"R^2 {math.floor(1000 * r * r) / 1000:.3f} is under {PAPER_R_SQUARED:g}"
    return "sensitive", f"the score falls with strength (r {turned:+.2f}), R^2 {r * r:.2f}"


def _ours(
    slope: Interval, scores: Floats, up: bool, best: float | None
) -> tuple[SensitivityVerdict | None, str]:
    """Our verdict, from the slope's interval."""
    if scores.min() == scores.max():
        at_best = best is not None and scores.min() == best
        return ("at the ceiling" if at_best else "constant"), f"every score is {scores.min():g}"
    if slope.low is None or slope.high is None:
        return None, slope.reason or "the slope has no interval"
    low, high = (slope.low, slope.high) if up else (-slope.high, -slope.low)
    if high < 0:
        return "sensitive", "the slope's interval lies wholly on the worse side of 0"
    if low > 0:
        return "rises with damage", "the slope's interval lies wholly on the better side of 0"
    turned = scores if up else -scores
    top = float(turned.max()) if best is None else (best if up else -best)
    spread = max(top - float(turned.min()), 0.0) if best is None else max(1.0, top - float(turned.min()))
    share = float(np.mean(turned >= top - NEAR_BEST * spread))
    if share >= SATURATED:
        return "at the ceiling", f"{share:.0%} of the scores are at the best end"
    return "not shown", "the slope's interval holds 0"
