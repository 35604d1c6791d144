"""How far the overall score would move with other draws of the judge. Its bias is not in it."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import TypeVar

import numpy as np

from ..core.documents import CheckpointResult, DiagnosisDocument, ReportMetric
from ..core.interval import Interval
from ..core.seeds import seed_for
from . import synthesis
from .profiles import Profile
from .rubric import Rubric

RESAMPLES = 1000
LEVEL = 0.95
METHOD = "percentile bootstrap over the judge's draws; its bias is not in it"
R = TypeVar("R", CheckpointResult, ReportMetric)


def overall_interval(document: DiagnosisDocument, rubric: Rubric, profile: Profile) -> Interval | None:
    """Interval of the overall score over resampled draws; ``None`` where nothing was drawn more than once.

    Draws of each result that the judge decides are drawn again with replacement, everything is put together
    anew (confidences and constraints as they are), and the middle 95 % are taken. Scores of rules stay.
    ``n`` is the number of results that were drawn more than once, of all that the judge decides.
    """
    every: list[CheckpointResult | ReportMetric] = [*document.checkpoints, *document.report_metrics]
    decided = [r for r in every if r.method == "judge"]
    repeated = [r for r in decided if len(_values(r)) > 1]
    if not repeated or document.overall.value is None:
        return None
    rng = np.random.default_rng(seed_for(document.video.hash, "overall interval", 0))
    found = [_overall(document, rubric, profile, rng) for _ in range(RESAMPLES)]
    low, high = np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(
        n=len(repeated),
        n_asked=len(decided),
        value=document.overall.value,
        low=float(low),
        high=float(high),
        level=LEVEL,
        method=METHOD,
    )


def _overall(
    document: DiagnosisDocument, rubric: Rubric, profile: Profile, rng: np.random.Generator
) -> float:
    points = _resampled(document.checkpoints, rng)
    metrics = _resampled(document.report_metrics, rng)
    groups = [synthesis.submetric_result(group, points) for group in rubric.submetrics]
    dimensions = {d: synthesis.dimension_score(d, points, groups, metrics) for d in document.dimensions}
    factor = synthesis.penalty(document.constraints)
    value = synthesis.overall_score(profile.weights, dimensions, factor=factor).value
    assert value is not None  # what is scored does not change
    return value


def _resampled(results: Sequence[R], rng: np.random.Generator) -> list[R]:
    made = []
    for result in results:
        values = _values(result)
        if result.method == "judge" and len(values) > 1:
            drawn = rng.choice(values, len(values))
            result = result.model_copy(update={"value": fmean(drawn.tolist())})
        made.append(result)
    return made


def _values(result: CheckpointResult | ReportMetric) -> list[float]:
    draws = result.judgement.draws if result.judgement is not None else []
    return [d.value for d in draws if d.value is not None]
