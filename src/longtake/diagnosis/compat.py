"""Other ways of putting the same checkpoint values together, shown beside ours."""

from __future__ import annotations

from ..core.advice import Aggregation
from ..core.documents import CheckpointResult, DiagnosisDocument, Dimension
from ..errors import UsageError
from .profiles import WEIGHED
from .synthesis import weighted

DIRECTORBENCH = "directorbench"
HOW = (
    "DirectorBench's released aggregation (arXiv 2605.30090): a sub-metric is the weighted mean of its "
    "scored checkpoints, with confidence min(.9, .5 + .05 x number of active checkpoints); a dimension is "
    "the mean of its sub-metrics and report-level metrics, weighted by confidence; the overall weighs the "
    "four dimensions by the profile, and stability by the visual weight once more. No hard constraint has a "
    "number there. Only the aggregation is theirs: what is unscored stays out instead of counting .5, values "
    "are longtake's, and fixed blends with tools are not made. Of report-level metrics our confidence is "
    "taken, where theirs is the model's own."
)


def check_compat(name: str | None) -> None:
    """Raise ``UsageError`` for a way of putting scores together that is not known."""
    if name is not None and name != DIRECTORBENCH:
        raise UsageError(f"there is no aggregation called {name!r}", hint=f"there is: {DIRECTORBENCH}")


def aggregated(document: DiagnosisDocument, name: str) -> Aggregation:
    """The document's values put together as ``directorbench`` does.

    Raises:
        UsageError: another name.
    """
    check_compat(name)
    dimensions = {d: _dimension(document, d) for d in document.dimensions}
    given = {d: float(document.profile["weights"][d]) for d in WEIGHED}
    weights = {**given, "stability": given["visual"]}
    parts = [(weights[d], value) for d, value in dimensions.items() if value is not None]
    overall = weighted(parts)
    return Aggregation(
        id=name,
        how=HOW,
        dimensions=dict(dimensions),
        overall=overall,
        reason=None if overall is not None else "nothing was scored",
        weights=weights,
    )


def _dimension(document: DiagnosisDocument, dimension: Dimension) -> float | None:
    parts = []
    for group in document.submetrics:
        own = [p for p in document.checkpoints if p.submetric == group.id]
        if group.dimension == dimension and group.value is not None:
            parts.append((_confidence(own), group.value))
    parts += [
        (m.confidence, m.value)
        for m in document.report_metrics
        if m.dimension == dimension and m.value is not None and m.confidence is not None
    ]
    return weighted(parts)


def _confidence(points: list[CheckpointResult]) -> float:
    active = sum(p.status != "not_applicable" for p in points)
    return min(0.9, 0.5 + 0.05 * active)
