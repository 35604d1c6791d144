"""Aggregation by the paper's formulas: pure functions of checkpoint results, weights and report metrics.

    sub-metric  s   = sum(w v) / sum(w)            over its scored checkpoints, confidence likewise
    dimension   S_d = sum(s_r c_r) / sum(c_r)      over its sub-metrics and report-level metrics
    overall     S   = sum(w_d S_d) / sum(w_d)      over the four weighed dimensions that have a value

What is unscored is in no sum. How much of the weight was covered is printed with every number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from typing import Literal

from ..core.documents import (
    CheckpointResult,
    ConstraintResult,
    Coverage,
    Dimension,
    ReportMetric,
    Score,
    SubmetricResult,
)
from ..core.measurement import Status
from ..core.shares import floored
from .assess import NOT_ASKED
from .profiles import WEIGHED, Profile, constraints
from .rubric import Submetric

COVERED_OVERALL = 0.75
"""Share of the weight that has to be covered for an overall score."""
COVERED_DIMENSION = 0.5
"""A dimension that covers less is shown as partial."""
Grade = Literal["A", "B", "C", "D", "F"]
GRADES: tuple[tuple[float, Grade], ...] = ((0.85, "A"), (0.70, "B"), (0.55, "C"), (0.40, "D"))
VIOLATED_BELOW = 0.375
"""Below 2.5 on the scale from 1 to 5 a hard constraint counts as violated."""
VIOLATED_CONFIDENCE = 0.6
PENALTY = 0.7
"""What each violated hard constraint multiplies the overall by."""
WEAK_BELOW = GRADES[0][0]
"""Scored checkpoints under grade A are the bottlenecks."""


def grade(value: float) -> Grade:
    """Letter of a value in [0, 1]."""
    return next((letter for least, letter in GRADES if value >= least), "F")


def weighted(parts: Sequence[tuple[float, float]]) -> float | None:
    """Mean of (weight, value) pairs; ``None`` without any weight. Exact sums: any order, same bits."""
    total = fsum(w for w, _ in parts)
    return min(1.0, max(0.0, fsum(w * v for w, v in parts) / total)) if total > 0 else None


def _asked(point: CheckpointResult) -> bool:
    return point.status != "unscored" or point.reason != NOT_ASKED


def _state(points: Sequence[CheckpointResult]) -> tuple[Status, str | None]:
    statuses = [p.status for p in points]
    if "scored" in statuses:
        return "scored", None
    if points and not any(map(_asked, points)):
        return "unscored", NOT_ASKED
    if not points:
        return "not_applicable", "the rubric asks nothing of it"
    if all(s == "not_applicable" for s in statuses):
        return "not_applicable", "none of its checkpoints applies"
    return "unscored", "none of its checkpoints could be scored"


def submetric_result(group: Submetric, points: Sequence[CheckpointResult]) -> SubmetricResult:
    """Weighted mean of a sub-metric's scored checkpoints."""
    own = [p for p in points if p.submetric == group.id]
    status, reason = _state(own)
    scored = [p for p in own if p.value is not None]
    return SubmetricResult(
        id=group.id,
        dimension=group.dimension,
        value=weighted([(p.weight, p.value) for p in scored if p.value is not None]),
        status=status,
        reason=reason,
        confidence=weighted([(p.weight, p.confidence) for p in scored if p.confidence is not None]),
        n_scored=len(scored),
        n_active=sum(p.status != "not_applicable" and _asked(p) for p in own),
    )


def dimension_score(
    dimension: Dimension,
    points: Sequence[CheckpointResult],
    submetrics: Sequence[SubmetricResult],
    metrics: Sequence[ReportMetric],
) -> Score:
    """S_d with what it covers. The covered weight counts checkpoints, report-level metrics aside.

    What may not apply (``gate_unknown``) stays below the line; only ``not_applicable`` leaves it.
    """
    own = [p for p in points if p.dimension == dimension]
    applicable = [p for p in own if p.status != "not_applicable"]
    scored = [p for p in applicable if p.status == "scored"]
    results: list[SubmetricResult | ReportMetric] = [*submetrics, *metrics]
    parts = [
        (r.confidence, r.value)
        for r in results
        if r.dimension == dimension and r.value is not None and r.confidence is not None
    ]
    value = weighted(parts)
    status, reason = ("scored", None) if value is not None else _state(own)
    total = fsum(p.weight for p in applicable)
    covered = min(1.0, fsum(p.weight for p in scored) / total) if total else 0.0
    partial = value is not None and covered < COVERED_DIMENSION
    return Score(
        value=value,
        status=status,
        reason=reason,
        n_scored=len(scored),
        n_active=sum(map(_asked, applicable)),
        covered_weight=covered,
        confidence=weighted([(1.0, c) for c, _ in parts]),
        partial=partial,
        grade=grade(value) if value is not None and not partial else None,
    )


def overall_score(
    weights: Mapping[Dimension, float], dimensions: Mapping[Dimension, Score], *, factor: float = 1.0
) -> Score:
    """S over the weighed dimensions, times ``factor``; unscored where too little weight is covered."""
    applicable = {d: s for d, s in dimensions.items() if d in weights and s.status != "not_applicable"}
    total = fsum(weights[d] for d in applicable)
    covered = fsum(weights[d] * s.covered_weight for d, s in applicable.items()) / total if total else 0.0
    covered = min(1.0, covered)
    parts = [(weights[d], s.value) for d, s in applicable.items() if s.value is not None]
    value = weighted(parts)
    counts = [s for d, s in dimensions.items() if d in WEIGHED]
    reason = None
    if value is None:
        reason = "no dimension could be scored"
    elif covered < COVERED_OVERALL - 1e-9:
        reason = f"covered weight {floored(covered):.2f} is below {COVERED_OVERALL:g}"
        value = None
    value = value * factor if value is not None else None
    return Score(
        value=value,
        status="scored" if value is not None else "unscored",
        reason=reason,
        n_scored=sum(s.n_scored for s in counts),
        n_active=sum(s.n_active for s in counts),
        covered_weight=covered,
        confidence=weighted(
            [(weights[d], s.confidence) for d, s in applicable.items() if s.confidence is not None]
        ),
        partial=value is not None and any(s.partial for s in applicable.values()),
        grade=grade(value) if value is not None else None,
    )


def constraint_results(
    profile: Profile, points: Sequence[CheckpointResult], metrics: Sequence[ReportMetric]
) -> list[ConstraintResult]:
    """Each hard constraint met, violated, or unverified where nothing sure enough speaks to it."""
    results = []
    for name in profile.constraints:
        rule = constraints()[name]
        if rule.metric:
            parts = [_item(m, rule.item) for m in metrics if m.id == rule.metric]
            known = [p for p in parts if p is not None]
        else:
            known = [
                (p.weight, p.value, p.confidence)
                for p in points
                if p.id in rule.checkpoints and p.value is not None and p.confidence is not None
            ]
        value = weighted([(w, v) for w, v, _ in known])
        sure = weighted([(w, c) for w, _, c in known])
        status: Literal["met", "violated", "unverified"] = "unverified"
        if value is not None and sure is not None and sure >= VIOLATED_CONFIDENCE:
            status = "violated" if value < VIOLATED_BELOW else "met"
        named = [*rule.checkpoints, *([rule.metric] if rule.metric else [])]
        results.append(ConstraintResult(id=name, status=status, checkpoints=named, value=value))
    return results


def _item(metric: ReportMetric, item: str | None) -> tuple[float, float, float] | None:
    """One item of a report-level metric, where the metric tells its share of it that is met."""
    share = metric.facts.get(item) if item else metric.value
    if isinstance(share, int | float) and metric.confidence is not None:
        return 1.0, float(share), metric.confidence
    return None


def penalty(results: Sequence[ConstraintResult]) -> float:
    """What the violated constraints together multiply the overall by."""
    return PENALTY ** sum(r.status == "violated" for r in results)


def bottlenecks(points: Sequence[CheckpointResult]) -> list[str]:
    """Weak scored checkpoints, worst first, by (1 - s) x weight x confidence; ties by id."""
    weak = [
        ((1 - p.value) * p.weight * (p.confidence or 0.0), p.id)
        for p in points
        if p.value is not None and p.value < WEAK_BELOW
    ]
    return [name for _, name in sorted(weak, key=lambda x: (-x[0], x[1]))]


def coverage(points: Sequence[CheckpointResult]) -> Coverage:
    """How many were scored, of those asked for that apply or may apply, of all."""
    return Coverage(
        scored=sum(p.status == "scored" for p in points),
        active=sum(p.status != "not_applicable" and _asked(p) for p in points),
        registered=len(points),
    )
