"""Asks a judge about checkpoints and reads its verdicts. Whether they decide is said elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, pstdev

from ..core.documents import CheckpointResult, ReportMetric
from ..core.judge import NO_REPLY, Material, Question, Questioning, Verdict
from ..core.judgement import Draw, Judgement
from ..core.measurement import Evidence, Measurement
from .facts import Facts
from .material import materials_for
from .questions import first_level, leveled
from .rubric import Ask, Checkpoint, ReportMetricSpec
from .views import times_for


def leveled_questions(
    asked: Sequence[Checkpoint | ReportMetricSpec],
    facts: Facts,
    rules: Mapping[str, Measurement],
    questioning: Questioning,
    candidates: Sequence[Material],
) -> list[Question]:
    """One question each; ``rules`` are measurements by id, whose spans are shown and whose facts are told."""
    made = []
    for about in asked:
        ask = about.ask or Ask()
        found = rules.get(about.id)
        suspects = found.evidence if found is not None else []
        times = times_for(ask.frames, facts, suspects, questioning.most_pictures)
        made.append(
            leveled(
                about,
                facts,
                questioning.frames.at(times),
                [*materials_for(ask, facts, found), *candidates],
                candidates=bool(candidates),
            )
        )
    return made


def judged(about: Checkpoint | ReportMetricSpec, verdicts: Sequence[Verdict], frames: int) -> Judgement:
    """What the draws of a question with levels come to."""
    first, steps = first_level(about), len(about.levels) - 1
    draws = [_draw(verdict, first, steps) for verdict in verdicts]
    return judgement_of(draws, verdicts, frames)


def judgement_of(draws: Sequence[Draw], verdicts: Sequence[Verdict], frames: int) -> Judgement:
    """The mean of the draws that have a value; without one, why the first has none."""
    values = [d.value for d in draws if d.value is not None]
    if not values:
        reason = draws[0].reason if draws else "nothing was asked"
        return Judgement(status="unscored", reason=reason, draws=list(draws), frames=frames)
    first = next(i for i, d in enumerate(draws) if d.value is not None)
    return Judgement(
        status="scored",
        value=round(fmean(values), 6),
        says=draws[first].says,
        evidence=spans_of(verdicts[first]),
        draws=list(draws),
        spread=round(pstdev(values), 6) if len(values) > 1 else None,
        frames=frames,
    )


def spans_of(verdict: Verdict) -> list[Evidence]:
    """The spans of a verdict, each with its words; ends in either order."""
    found = []
    for span in (verdict.value or {}).get("spans", ()):
        start, end = sorted((float(span["start"]), float(span["end"])))
        found.append(Evidence(start=start, end=end, what=span["what"]))
    return sorted(found, key=lambda e: (e.start, e.end))


def _draw(verdict: Verdict, first: int, steps: int) -> Draw:
    answer = verdict.value or {}
    level = answer.get("value")
    value = None if level is None else (level - first) / steps
    reason = why_not(verdict) if value is None else None
    return Draw(
        draw=verdict.draw,
        status=verdict.status,
        value=value,
        says=answer.get("reason"),
        reason=reason,
        model=verdict.model,
        question=verdict.question,
    )


def why_not(verdict: Verdict) -> str:
    """Why a verdict gives no value, in a sentence."""
    if verdict.status == "answered":
        says = (verdict.value or {}).get("reason")
        return f"the judge cannot tell{f': {says}' if says else ''}"
    return f"judge: {verdict.status.replace('_', ' ')}{f', {verdict.reason}' if verdict.reason else ''}"


def without_reply(results: Iterable[CheckpointResult | ReportMetric]) -> bool:
    """Whether a judge gave no reply to some draw of these, so that another run may end otherwise."""
    draws = [d for r in results if r.judgement is not None for d in r.judgement.draws]
    return any(d.status in NO_REPLY for d in draws)
