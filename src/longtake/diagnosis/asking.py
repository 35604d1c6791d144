"""Asks a judge about checkpoints and reads its verdicts. Whether they decide is said elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, pstdev

from ..core.judge import Asker, Question, Questioning, Verdict
from ..core.judgement import Asked, Draw, Judgement
from ..core.measurement import Evidence, Measurement
from .facts import Facts
from .material import Suspects, candidates_of, materials_for
from .questions import first_level, leveled
from .rubric import Ask, Checkpoint, ReportMetricSpec
from .views import times_for


def leveled_questions(
    asked: Sequence[Checkpoint | ReportMetricSpec],
    facts: Facts,
    rules: Mapping[str, Measurement],
    questioning: Questioning,
    suspects: Suspects,
) -> list[Question]:
    """One question each; ``rules`` are measurements by id, whose spans are shown and whose facts are told, as
    are ``suspects``, what others found."""
    made = []
    candidates = candidates_of(suspects)
    elsewhere = [span for _, spans in suspects for span in spans]
    for about in asked:
        ask = about.ask or Ask()
        found = rules.get(about.id)
        places = [*(found.evidence if found is not None else ()), *elsewhere]
        times = times_for(ask.frames, facts, places, questioning.most_pictures)
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


def judged(
    about: Checkpoint | ReportMetricSpec, facts: Facts, question: Question, verdicts: Sequence[Verdict]
) -> Judgement:
    """What the draws of a question with levels come to: the mean of those that have a value; without one, why
    the first has none."""
    first, steps = first_level(about), len(about.levels) - 1
    draws = [_draw(verdict, first, steps) for verdict in verdicts]
    frames = len(question.frames)
    values = [d.value for d in draws if d.value is not None]
    if not values:
        reason = draws[0].reason if draws else "nothing was asked"
        return Judgement(status="unscored", reason=reason, draws=draws, frames=frames)
    told = next(i for i, d in enumerate(draws) if d.value is not None)
    return Judgement(
        status="scored",
        value=round(fmean(values), 6),
        says=draws[told].says,
        evidence=spans_of(verdicts[told], facts),
        draws=draws,
        spread=round(pstdev(values), 6) if len(values) > 1 else None,
        frames=frames,
    )


def spans_of(verdict: Verdict, facts: Facts) -> list[Evidence]:
    """The spans of a verdict, each with its words, cut where the film ends: a judge rounds."""
    found = []
    for span in (verdict.value or {}).get("spans", ()):
        ends = float(span["start"]), float(span["end"])
        start, end = (min(max(t, facts.start), facts.end) for t in ends)
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


class Noting:
    """Asks as another asker does, and keeps in ``asked`` how that ended."""

    def __init__(self, asker: Asker) -> None:
        self.name = asker.name
        self.asked = Asked()
        self._asker = asker

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """As :meth:`Asker.ask`."""
        verdicts = self._asker.ask(questions)
        self.asked += Asked.of(verdicts)
        return verdicts
