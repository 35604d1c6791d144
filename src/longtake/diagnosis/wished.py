"""Report-level metrics that a judge answers piece by piece: the action of each shot, and each wish."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from ..core.judge import Material, Question, Questioning, Verdict
from ..core.judgement import Draw, Judgement
from ..core.measurement import Evidence, Measurement
from .asking import judged, why_not
from .facts import Facts
from .material import materials_for, planned_text
from .plan import planned_name
from .questions import of_shot, of_wishes
from .rubric import BY_ITEM, Ask, Checkpoint, ReportMetricSpec
from .views import of_shots, of_span

FIDELITY = "script_video_fidelity"
WISHES = BY_ITEM
MOST_SHOTS = 60
"""Planned shots that are asked about, evenly spread where there are more."""
LEAST_SHARE = 0.5
"""Share of the asked shots that has to be answered for a mean of them."""
MOST_WISHES = 24
GOOD = 0.75
"""Mean below which a shot is listed as evidence."""
About = Checkpoint | ReportMetricSpec


@dataclass(frozen=True)
class ShotQuestions:
    """Questions about planned shots: one for each that was found in the film, with its place there.

    ``missing`` counts those that were not found, ``why`` says why nothing can be asked.
    """

    questions: tuple[Question, ...] = ()
    places: tuple[tuple[int, float, float], ...] = ()
    missing: int = 0
    why: str | None = None


def shot_questions(spec: About, facts: Facts, questioning: Questioning) -> ShotQuestions:
    """Whether the action of each planned shot is seen where it was found; of up to :data:`MOST_SHOTS`."""
    plan, brief = facts.plan, facts.brief
    if plan is None or brief is None or not plan.aligned:
        why = plan.reason if plan is not None else "the brief plans no shots"
        return ShotQuestions(why=f"planned shots could not be found in the film: {why}")
    text = {shot.index: shot for shot in brief.shots if shot.text.strip()}
    every = [s for s in plan.shots if s.index in text]
    chosen = every[:: -(-len(every) // MOST_SHOTS)] if every else []
    if not chosen:
        return ShotQuestions(why="no planned shot says what is to be seen")
    questions, places = [], []
    more = materials_for(spec.ask or Ask(), facts, None)
    for shot in chosen:
        if shot.measured_start is None or shot.measured_end is None:
            continue
        span = (shot.measured_start, shot.measured_end)
        wanted = Material("brief: this shot", planned_text(text[shot.index], facts))
        shown = questioning.frames.at(of_span(facts, span, questioning.most_pictures))
        questions.append(of_shot(_spec(spec), shot.index, facts, shown, [wanted, *more]))
        places.append((shot.index, *span))
    return ShotQuestions(tuple(questions), tuple(places), len(chosen) - len(questions))


def fidelity(spec: About, facts: Facts, questioning: Questioning) -> Judgement:
    """Mean over the planned shots of how far their action is seen in the place where they were found.

    Worst level 0, best 1. A planned shot that was not found counts as not seen. Where too few answers came,
    or the plan could not be laid beside the film, it is unscored.
    """
    asked = shot_questions(spec, facts, questioning)
    if asked.why is not None:
        return Judgement(status="unscored", reason=asked.why)
    said = [
        judged(spec, facts, question, verdicts)
        for question, verdicts in zip(asked.questions, questioning.of_all(asked.questions), strict=True)
    ]
    count, answered = len(said) + asked.missing, [j for j in said if j.value is not None]
    if len(answered) + asked.missing < LEAST_SHARE * count:
        why = next((j.reason for j in said if j.reason), "no answer")
        draws = said[0].draws if said else []
        return Judgement(
            status="unscored", reason=f"{len(answered)} of {count} shots answered: {why}", draws=draws
        )
    evidence = [
        Evidence(start=a, end=b, what=f"{planned_name(i)}: {j.says}", about=planned_name(i))
        for (i, a, b), j in zip(asked.places, said, strict=True)
        if j.value is not None and j.value < GOOD
    ]
    draws = _mean_draws(said, asked.missing, questioning.draws)
    values = [d.value for d in draws if d.value is not None]
    return Judgement(
        status="scored",
        value=round(fmean(values), 6),
        says=f"{len(answered)} of {count} planned shots were judged, {asked.missing} were not found",
        evidence=evidence,
        draws=draws,
        spread=round(pstdev(values), 6) if len(values) > 1 else None,
        frames=sum(j.frames for j in said),
    )


def _mean_draws(said: Sequence[Judgement], missing: int, draws: int) -> list[Draw]:
    """Of each draw the mean over the shots."""
    made = []
    for n in range(draws):
        here = [j.draws[n] for j in said if j.draws[n].value is not None]
        values = [d.value for d in here if d.value is not None] + [0.0] * missing
        first = here[0] if here else said[0].draws[n] if said else None
        made.append(
            Draw(
                draw=n,
                status="answered" if values else first.status if first else "failed",
                value=fmean(values) if values else None,
                reason=None if values else first.reason if first else "nothing was asked",
                model=first.model if first else None,
                question=first.question if first else "",
            )
        )
    return made


def _spec(about: About) -> ReportMetricSpec:
    assert isinstance(about, ReportMetricSpec)
    return about


def wish_question(about: About, facts: Facts, questioning: Questioning) -> Question | None:
    """Which of the brief's wishes that no rule can check are met; ``None`` where there are none."""
    wishes = wishes_of(facts)
    if not wishes:
        return None
    spec = _spec(about)
    frames = questioning.frames.at(of_shots(facts, questioning.most_pictures))
    listed = Material("wishes", "\n".join(f"{n}: {' '.join(w.split())}" for n, w in enumerate(wishes, 1)))
    materials = [listed, *materials_for(spec.ask or Ask(), facts, None)]
    return of_wishes(spec, len(wishes), facts, frames, materials)


def wishes_of(facts: Facts) -> list[str]:
    """The brief's wishes that no rule can check; none where only a part of the film was looked at."""
    brief = facts.brief
    if brief is None or facts.is_part:
        return []
    return [*brief.consistency, *brief.camera][:MOST_WISHES]


def with_wishes(about: About, facts: Facts, measured: Measurement, questioning: Questioning) -> Measurement:
    """The rule's share of wishes that are met, with those that only a judge can tell counted in.

    Each wish has one source: what the rule can check is not asked. Wishes of which the judge cannot tell do
    not count. Asked once, at temperature 0.
    """
    question = wish_question(about, facts, questioning)
    if question is None:
        return measured
    return _counted(measured, wishes_of(facts), questioning.asker.ask([question])[0], facts)


def _counted(measured: Measurement, wishes: Sequence[str], verdict: Verdict, facts: Facts) -> Measurement:
    told = {w["number"]: w for w in (verdict.value or {}).get("wishes", ()) if w["met"] is not None}
    if verdict.status != "answered" or not told:
        why = why_not(verdict) if verdict.status != "answered" else "the judge can tell of none"
        return measured.model_copy(update={"facts": {**measured.facts, "wishes_not_judged": why}})
    missed = {n: w for n, w in told.items() if not w["met"]}
    before, met = int(measured.facts.get("checkable") or 0), int(measured.facts.get("met") or 0)
    count = before + len(told)
    evidence = [
        Evidence(start=facts.start, end=facts.end, what=f"not met: {wishes[n - 1]} ({w['reason']})")
        for n, w in sorted(missed.items())
    ]
    return measured.model_copy(
        update={
            "status": "scored",
            "reason": None,
            "value": round((met + len(told) - len(missed)) / count, 4),
            "evidence": [*measured.evidence, *evidence],
            "facts": {
                **measured.facts,
                "checkable": count,
                "met": met + len(told) - len(missed),
                "judged_wishes": len(told),
            },
        }
    )
