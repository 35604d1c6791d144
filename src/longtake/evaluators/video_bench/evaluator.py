"""The evaluator ``video-bench``: nine dimensions by a judge, one film in each question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...core.brief import Brief
from ...core.evaluator import Card, MeasuredCase, Quantity, Setting
from ...core.judge import Frame, Outline, Question, Questioning, Verdict
from ...core.measurement import Measurement
from ..cards import own_card
from ..shared.black import black_film
from ..shared.bounds import outlined
from ..shared.judged import NO_JUDGE, facts_of, hash_of, why_not
from ..shared.measured import Fact, all_unscored, not_applicable, scored, unscored
from ..shared.replies import evidence_of, reply_of
from ..shared.showing import even, most, runs, seen
from ..shared.spans import whole
from ..shared.wished import materials_of
from .asking import (
    APPLIES,
    ASK,
    CHAINED,
    DESCRIBE,
    LONGEST,
    LONGEST_DESCRIPTION,
    MOST_QUESTIONS,
    NAME,
    SCORE,
    Seen,
    description,
    open_questions,
    scoring,
)
from .dimensions import Dimension, dimensions, mean_of, share

NO_WISH = "it is judged against a brief, and there is none that asks for anything"
NOT_ASKED_FOR = "the brief asks for nothing of this kind, the judge says"
DARK = "no picture of the film could be decoded"
CANNOT_TELL = "the judge says that it cannot tell"


@dataclass
class _Dimension:
    """A dimension on its way: the verdicts it rests on, its question, or why it has none."""

    spec: Dimension
    verdicts: list[Verdict] = field(default_factory=list)
    question: Question | None = None
    reason: str | None = None
    applies: bool = True


@dataclass(frozen=True)
class VideoBench:
    """Four dimensions are scored by pictures, five against the brief in a chain: the film is described by a
    judge that does not know the brief, what is left open becomes questions, and they are answered and the
    dimension scored by pictures. The judge is asked each once, at temperature 0."""

    card: Card

    def measure(self, case: MeasuredCase) -> Sequence[Measurement]:
        """The mean where all nine are scored, else why not, and the nine, as shares of their scales. Without
        a brief the mean does not apply; with one that does not ask for everything it is unscored. Facts of
        each are its ``value`` and ``levels``, the pictures, the judge's reason, who judged."""
        if (why := black_film(case)) is not None:
            return all_unscored(self.card, why)
        asked = case.questioning
        if asked is None:
            return all_unscored(self.card, NO_JUDGE)
        count = most(asked, int(case.settings["frames"]))
        shown = {
            "even": seen(asked, even(*whole(case), count)),
            "runs": seen(asked, runs(*whole(case), count)),
        }
        if not shown["even"]:
            return all_unscored(self.card, DARK)
        states = [_Dimension(spec) for spec in dimensions()]
        for state in states:
            if not state.spec.chain:
                state.question = scoring(state.spec, shown[state.spec.pictures])
        wished = case.brief is not None and bool(materials_of(case.brief))
        self._chain([state for state in states if state.spec.chain], case.brief, shown, asked)
        ready = [(state, state.question) for state in states if state.question is not None]
        for (state, _), verdict in zip(ready, asked.asker.ask([q for _, q in ready]), strict=True):
            state.verdicts.append(verdict)
        parts = [
            self._part(case, state, quantity)
            for state, quantity in zip(states, self.card.quantities[1:], strict=True)
        ]
        return [self._mean(parts, states, wished), *parts]

    def _chain(
        self,
        states: Sequence[_Dimension],
        brief: Brief | None,
        shown: Mapping[str, tuple[Frame, ...]],
        asked: Questioning,
    ) -> None:
        """Describe once, ask for each dimension what is open, and get its last question ready."""
        if brief is None or not materials_of(brief):
            for state in states:
                state.reason, state.applies = NO_WISH, False
            return
        described = asked.asker.ask([description(shown["even"])])[0]
        for state in states:
            state.verdicts.append(described)
        if described.value is None:
            for state in states:
                state.reason = f"the film was not described: {why_not([described])}"
            return
        said = str(described.value["description"])
        verdicts = asked.asker.ask([open_questions(state.spec, brief, said) for state in states])
        for state, verdict in zip(states, verdicts, strict=True):
            state.verdicts.append(verdict)
            if verdict.value is None:
                state.reason = f"no questions were made: {why_not([verdict])}"
            elif not verdict.value.get("applies", True):
                state.reason, state.applies = NOT_ASKED_FOR, False
            else:
                state.question = scoring(
                    state.spec,
                    shown[state.spec.pictures],
                    brief=brief,
                    described=said,
                    questions=verdict.value["questions"],
                )

    def _part(self, case: MeasuredCase, state: _Dimension, quantity: Quantity) -> Measurement:
        facts: dict[str, Fact] = dict(facts_of(state.verdicts)) if state.verdicts else {}
        if not state.applies:
            why = state.reason or NOT_ASKED_FOR
            return not_applicable(quantity, why).model_copy(update={"facts": facts})
        if state.question is None or not state.verdicts:
            bad = next((kept for v in state.verdicts if (kept := reply_of(v))), {})
            return unscored(quantity, state.reason or "nothing was asked", facts={**facts, **bad})
        facts["frames"] = len(state.question.frames)
        verdict = state.verdicts[-1]
        if verdict.value is None:
            return unscored(quantity, why_not([verdict]), facts={**facts, **reply_of(verdict)})
        facts["says"] = verdict.value["reason"]
        levels = len(state.spec.levels)
        if verdict.value["value"] is None:
            return unscored(quantity, CANNOT_TELL, facts=facts)
        value = int(verdict.value["value"])
        spots = [Seen.model_validate(spot) for spot in verdict.value["spans"]]
        return scored(
            quantity,
            share(value, levels),
            evidence=evidence_of(spots, whole(case)),
            facts={**facts, "value": value, "levels": levels},
        )

    def _mean(self, parts: Sequence[Measurement], states: Sequence[_Dimension], wished: bool) -> Measurement:
        whole_ = self.card.quantities[0]
        asked = {v.question: v for state in states for v in state.verdicts}  # the description counts once
        facts: dict[str, Fact] = {
            **facts_of([*asked.values()]),
            "prompts": hash_of(DESCRIBE, ASK, APPLIES, SCORE, CHAINED),
            "n_scored": sum(part.value is not None for part in parts),
        }
        mean = mean_of([part.value for part in parts])
        if mean is not None:
            return scored(whole_, mean, facts=facts)
        missing = [part for part in parts if part.value is None]
        told = ", ".join(part.name for part in missing)
        why = f"{len(missing)} of {len(parts)} dimensions have no value: {told}"
        if not wished and all(part.status == "not_applicable" for part in missing):
            return not_applicable(whole_, why).model_copy(update={"facts": facts})
        return unscored(whole_, why, facts=facts)

    def outline(self, brief: Brief | None, duration: float, settings: Mapping[str, Setting]) -> Outline:
        """Four questions with pictures; with a brief one that describes, and two for each of five more, the
        second with pictures."""
        frames = int(settings["frames"])
        wished = brief is not None and bool(materials_of(brief))
        found = Outline()
        for spec in dimensions():
            if not spec.chain:
                found += outlined(scoring(spec, ()), pictures=frames)
            elif brief is not None and wished:
                more = LONGEST_DESCRIPTION + MOST_QUESTIONS * (LONGEST + len("9. \n"))
                found += outlined(open_questions(spec, brief, ""), signs=LONGEST_DESCRIPTION)
                found += outlined(scoring(spec, (), brief=brief), pictures=frames, signs=more)
        return found + outlined(description(()), pictures=frames) if wished else found


video_bench = VideoBench(own_card(NAME, __file__))
