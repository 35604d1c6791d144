"""How far the overall score of a film depends on whose eyes look."""

from __future__ import annotations

import numpy as np

from ...core.cohort import ProfileFigures, ProfileRange
from ...core.interval import Interval
from ..studies.figures import Floats, Plan, Ratios, figures, numbered
from .table import CohortTable

SENSITIVE_FROM = 0.10
"""Ten points: the spread that DirectorBench (arXiv 2605.30090) reports of its most sensitive cases."""
STABILITY = "stability"
"""The dimension that no profile weighs."""


def profile_ranges(table: CohortTable, plan: Plan) -> ProfileFigures:
    """The range of the overall score over profiles for each film, beside the range of its dimensions.

    A film counts where every profile gives it a score: a range over some of them would be smaller for want of
    scores. The means are over films, with intervals over briefs.
    """
    cases = [_range(table, i) for i in range(len(table.case))]
    columns = {
        "spread": np.array([_nan(c.spread) for c in cases]),
        "spread_with_constraints": np.array([_nan(c.spread_with_constraints) for c in cases]),
        "dimension_range": np.array(
            [_nan(c.dimension_range) if c.spread is not None else np.nan for c in cases]
        ),
    }
    columns["sensitive"] = np.where(
        np.isfinite(columns["spread"]), (columns["spread"] > SENSITIVE_FROM).astype(np.float64), np.nan
    )
    told = dict(zip(columns, _means(table, list(columns.values()), plan), strict=True))
    ordered = sorted(cases, key=lambda c: (c.spread is None, -(c.spread or 0.0)))
    return ProfileFigures(profiles=list(table.profiles), cases=ordered, sensitive_from=SENSITIVE_FROM, **told)


def _range(table: CohortTable, i: int) -> ProfileRange:
    weighed = [k for k in table.of("dimension") if table.metrics[k].id != STABILITY]
    values = {table.metrics[k].dimension: float(table.value[i, k]) for k in weighed}
    there = {name: v for name, v in values.items() if v == v and name is not None}
    spans: dict[str, object] = {}
    if there:
        low, high = min(there, key=there.__getitem__), max(there, key=there.__getitem__)
        spans = {
            "dimension_low": low,
            "dimension_high": high,
            "dimension_range": there[high] - there[low],
        }
    scores = table.by_profile[i] if table.profiles else np.zeros(0)
    n = int(np.isfinite(scores).sum())
    if not n or n < len(scores):
        missing = "no profile has" if not n else f"{len(scores) - n} of {len(scores)} profiles have no"
        reason = f"{missing} an overall score: too little was scored" if not n else f"{missing} overall score"
        return ProfileRange(case=table.case[i], n=n, reason=reason, **spans)
    at, to = int(scores.argmin()), int(scores.argmax())
    spans |= {
        "low": float(scores[at]),
        "low_profile": table.profiles[at],
        "high": float(scores[to]),
        "high_profile": table.profiles[to],
        "spread": float(scores[to] - scores[at]),
    }
    held = table.with_constraints[i]
    if np.isfinite(held).all():
        spans |= {
            "low_with_constraints": float(held.min()),
            "high_with_constraints": float(held.max()),
            "spread_with_constraints": float(held.max() - held.min()),
        }
    return ProfileRange(case=table.case[i], n=n, **spans)


def _means(table: CohortTable, columns: list[Floats], plan: Plan) -> list[Interval]:
    briefs, brief = numbered(np.array(table.brief, dtype=np.str_))
    ratios = Ratios(brief, len(briefs))
    for column in columns:
        known = np.isfinite(column)
        ratios.add(np.where(known, column, 0.0), known)
    found = plan.resample(ratios.statistic(), len(briefs), "cohort profiles")
    n = np.array([np.isfinite(column).sum() for column in columns])
    used = (ratios.sums()[1] > 0).sum(axis=0).astype(np.int64)
    shares = np.arange(len(columns)) == len(columns) - 1
    return figures(found, plan, n, np.full(len(columns), len(table.case)), shares=shares, used=used)


def _nan(value: float | None) -> float:
    return float("nan") if value is None else value
