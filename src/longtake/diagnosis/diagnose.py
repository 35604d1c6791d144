"""The plain functions of a diagnosis: what is asked for, what is known, and how it becomes one document."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

from ..core.brief import Brief, Note
from ..core.documents import (
    BriefEntry,
    DiagnosisDocument,
    Dimension,
    PlannedShotEntry,
    Score,
    Shot,
    Transition,
    VideoEntry,
)
from ..core.signal import Signals
from ..errors import UsageError
from . import synthesis
from .assess import Assessment
from .attributes import attributes_of
from .facts import Facts
from .findings import findings_of
from .plan import make_plan
from .profiles import Profile, profiles
from .rubric import Checkpoint, ReportMetricSpec, Rubric
from .summary import summary_of

DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)


def wanted_ids(rubric: Rubric, only: Sequence[str] | None) -> frozenset[str]:
    """Ids of the checkpoints and report-level metrics that are asked for; all of them without ``only``."""
    groups: dict[str, set[str]] = {}
    items: list[Checkpoint | ReportMetricSpec] = [*rubric.checkpoints, *rubric.report_metrics]
    for item in items:
        groups.setdefault(item.id, set()).add(item.id)
        groups.setdefault(item.dimension, set()).add(item.id)
    for point in rubric.checkpoints:
        groups.setdefault(point.submetric, set()).add(point.id)
    if only is None:
        return frozenset().union(*groups.values())
    chosen: set[str] = set()
    for name in only:
        key = name.strip().lower().replace("-", "_")
        if key not in groups:
            close = difflib.get_close_matches(key, groups, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else f"Dimensions are {', '.join(DIMENSIONS)}."
            raise UsageError(f"There is no dimension or checkpoint {name!r}.", hint=hint)
        chosen |= groups[key]
    return frozenset(chosen)


def gather(film: VideoEntry, signals: Signals, brief: Brief | None) -> Facts:
    """Phase 0: content attributes, and the plan against the measured shots."""
    facts = Facts(signals, film, brief, None, attributes_of(film, signals))
    part = (facts.start, film.end if film.end is not None else float("inf")) if facts.is_part else None
    return replace(facts, plan=make_plan(brief, shots_of(signals), part=part, duration=film.duration))


def synthesise(
    facts: Facts, rubric: Rubric, profile: Profile, found: Sequence[Assessment], run: dict[str, Any]
) -> DiagnosisDocument:
    """Phase 3: aggregate, weigh through the profile's eyes, and say it."""
    order = {c.id: i for i, c in enumerate(rubric.checkpoints)}
    points = sorted((p for a in found for p in a.checkpoints), key=lambda p: order[p.id])
    ranks = {m.id: i for i, m in enumerate(rubric.report_metrics)}
    metrics = sorted((m for a in found for m in a.metrics), key=lambda m: ranks[m.id])
    submetrics = [synthesis.submetric_result(group, points) for group in rubric.submetrics]
    dimensions = {d: synthesis.dimension_score(d, points, submetrics, metrics) for d in DIMENSIONS}
    constraints = synthesis.constraint_results(profile, points, metrics)
    shots = shots_of(facts.signals)

    def overall(who: Profile) -> Score:
        factor = synthesis.penalty(synthesis.constraint_results(who, points, metrics))
        return synthesis.overall_score(who.weights, dimensions, factor=factor)

    document = DiagnosisDocument(
        video=facts.film,
        brief=_brief_entry(facts),
        profile=profile.describe(),
        dimensions=dimensions,
        overall=overall(profile),
        overall_without_penalty=synthesis.overall_score(profile.weights, dimensions),
        by_profile={who.id: overall(who).value for who in profiles().values()},
        constraints=constraints,
        coverage=synthesis.coverage(points),
        submetrics=submetrics,
        checkpoints=points,
        report_metrics=metrics,
        attributes=list(facts.attributes.values()),
        bottlenecks=synthesis.bottlenecks(points),
        findings=findings_of(points, metrics, facts.plan, facts.signals, shots),
        shots=shots,
        transitions=transitions_of(facts.signals),
        trace=[*facts.signals.trace, *(entry for a in found for entry in a.trace)],
        rubric=rubric.model_dump(mode="json"),
        run=run,
    )
    return document.model_copy(update={"summary": summary_of(document)})


def shots_of(signals: Signals) -> list[Shot]:
    """The measured shots; empty where there is no usable signal."""
    rows = signals["shots"].rows() if "shots" in signals else []
    return [Shot.model_validate({k: row[k] for k in Shot.model_fields}) for row in rows]


def transitions_of(signals: Signals) -> list[Transition]:
    """How shots give way to each other; empty where that was not measured."""
    rows = signals["transitions"].rows() if "transitions" in signals else []
    return [Transition.model_validate({k: row[k] for k in Transition.model_fields}) for row in rows]


def _brief_entry(facts: Facts) -> BriefEntry | None:
    """What the document says of the brief; of a part only the planned shots that lie in it."""
    brief, plan = facts.brief, facts.plan
    if brief is None:
        return None
    notes = list(brief.notes)
    aligned = {s.index: s for s in plan.shots} if plan else {}
    shots = []
    for i, shot in enumerate(brief.shots):
        beside = aligned.get(i)
        if facts.is_part and beside is None:
            continue
        shots.append(
            PlannedShotEntry(
                index=shot.index,
                start=beside.start if beside else shot.start,
                end=beside.end if beside else shot.end,
                text=shot.text,
                id=shot.id,
                measured=list(beside.measured) if beside else [],
                measured_start=beside.measured_start if beside else None,
                measured_end=beside.measured_end if beside else None,
            )
        )
    if left_out := len(brief.shots) - len(shots):
        what = f"{left_out} of {len(brief.shots)} planned shots are left out: only a part was looked at"
        notes.append(Note(path="", message=what))
    return BriefEntry(
        source=brief.source,
        id=brief.id,
        hash=brief.hash,
        video_type=brief.video_type,
        title=brief.title,
        instruction=brief.instruction,
        duration=brief.planned_duration,
        shots=shots,
        notes=[note.model_dump(mode="json") for note in notes],
    )
