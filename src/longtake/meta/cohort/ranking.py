"""Metrics by their mean over all films, pooled: what is weakest in general."""

from __future__ import annotations

import numpy as np

from ...core.cohort import Ranked
from ..studies.figures import Plan, Ratios, figures, numbered
from .table import CohortTable


def ranking(table: CohortTable, plan: Plan) -> list[Ranked]:
    """Every metric with its mean over all films in which it was scored, the weakest first.

    Films weigh alike, whichever group they are of, as in DirectorBench's ranking of bottlenecks (arXiv
    2605.30090). What was never scored comes last, in the order of the table.
    """
    briefs, brief = numbered(np.array(table.brief, dtype=np.str_))
    ratios = Ratios(brief, len(briefs))
    scored = np.isfinite(table.value)
    for k in range(len(table.metrics)):
        ratios.add(np.where(scored[:, k], table.value[:, k], 0.0), scored[:, k])
    found = plan.resample(ratios.statistic(), len(briefs), "cohort ranking")
    used = (ratios.sums()[1] > 0).sum(axis=0)
    means = figures(
        found, plan, scored.sum(axis=0), table.applies.sum(axis=0), shares=True, used=used.astype(np.int64)
    )
    ranked = [
        Ranked(metric=m.id, kind=m.kind, dimension=m.dimension, mean=mean, n_not_applicable=int(out))
        for m, mean, out in zip(table.metrics, means, (~table.applies).sum(axis=0), strict=True)
    ]
    return sorted(ranked, key=lambda one: (one.mean.value is None, one.mean.value or 0.0))
