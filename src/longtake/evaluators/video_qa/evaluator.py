"""The evaluator ``video-qa``: does the film answer questions that its story makes one ask?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...core.brief import Brief
from ...core.evaluator import Card, MeasuredCase, Quantity, Setting
from ...core.judge import Frame, Outline, Questioning, Verdict
from ...core.measurement import Evidence, Measurement
from ..cards import own_card
from ..shared.black import black_film
from ..shared.bounds import outlined
from ..shared.judged import NO_JUDGE, facts_of, hash_of, why_not
from ..shared.measured import Fact, all_not_applicable, all_unscored, lacks, scored, unscored
from ..shared.replies import evidence_of, reply_of
from ..shared.showing import even, middles, most, seen
from ..shared.spans import measured_spans, whole
from ..shared.wished import materials_of
from .asking import (
    BLIND,
    MAKE,
    NAME,
    SEEN,
    Seen,
    about_film,
    longest_text,
    making,
    questions_of,
    without_film,
)
from .items import LONGEST, Asked, Item, accuracy, gain, laid_out, own_items, sound

OWN = "questions"
"""The field of a brief under which it brings questions of its own."""
NO_STORY = "questions are made from what the brief asks for, and there is no brief that asks for anything"
DARK = "no picture of the film could be decoded"


@dataclass(frozen=True)
class VideoQA:
    """Questions are made by the judge from the brief, once for a brief, or brought by it; each is asked with
    pictures of the film and without. The judge is asked each once, at temperature 0."""

    card: Card

    def measure(self, case: MeasuredCase) -> Sequence[Measurement]:
        """Accuracy with the film, without it, and what the film adds. Details are the questions, each with
        where the judge saw its answer.

        Facts: ``n`` answered questions that a value is the mean of, ``n_asked``, ``n_dropped`` that were made
        and could not be asked; ``blind`` stands beside the accuracy with the film too.
        """
        asked, brief = case.questioning, case.brief
        if brief is None or (OWN not in brief.extra and not materials_of(brief)):
            return all_not_applicable(self.card, NO_STORY)
        if (why := black_film(case)) is not None:
            return all_unscored(self.card, why)
        if asked is None:
            return all_unscored(self.card, NO_JUDGE)
        if case.settings["sampling"] == "shots" and (why := lacks(case, "shots")) is not None:
            return all_unscored(self.card, why)
        facts: dict[str, Fact] = {"prompts": hash_of(MAKE, SEEN, BLIND)}
        made: list[Verdict] = []
        if OWN in brief.extra:
            try:
                items = own_items(brief.extra[OWN])
            except ValueError as error:
                return all_unscored(self.card, str(error), facts)
            facts |= {"questions": "of the brief", "n_asked": len(items), "n_dropped": 0}
        else:
            made = asked.asker.ask([making(brief, int(case.settings["questions"]))])
            if made[0].value is None:
                why = f"no questions were made: {why_not(made)}"
                return all_unscored(self.card, why, {**facts, **facts_of(made), **reply_of(made[0])})
            given = [Item.model_validate(one) for one in made[0].value["questions"]]
            items = sound(given)
            dropped = len(given) - len(items)
            facts |= {"questions": "made", "n_asked": len(items), "n_dropped": dropped}
            if not items:
                why = "no question that was made has four different options"
                return all_unscored(self.card, why, {**facts, **facts_of(made)})
        laid = [laid_out(item, brief.hash) for item in items]
        frames = self._pictures(case, asked)
        facts["frames"] = len(frames)
        return self._answered(case, laid, frames, asked, made, facts)

    def _answered(
        self,
        case: MeasuredCase,
        laid: list[Asked],
        frames: tuple[Frame, ...],
        asked: Questioning,
        made: Sequence[Verdict],
        facts: Mapping[str, Fact],
    ) -> list[Measurement]:
        """Ask all, with and without the film, and count."""
        with_film, without = questions_of(laid, frames, str(case.settings["sampling"]))
        verdicts = asked.asker.ask([*(with_film if frames else []), *without])
        film = verdicts[: len(laid)] if frames else []
        blind = verdicts[len(verdicts) - len(laid) :]
        right = [one.letter for one in laid]
        chosen = [_letter(v) for v in film] if frames else [None] * len(laid)
        guessed = [_letter(v) for v in blind]
        told = {**facts, **facts_of([*made, *verdicts])}
        share, n = accuracy(right, chosen)
        base, n_blind = accuracy(right, guessed)
        more, n_both = gain(right, chosen, guessed)
        dark = None if frames else DARK
        seen_, blind_, gain_ = self.card.quantities
        beside = {**told, "blind": base, "n_blind": n_blind}
        missed = self._missed(case, laid, film)
        return [
            _value(seen_, share, {**beside, "n": n}, dark or why_not(film), missed),
            _value(blind_, base, {**told, "n": n_blind}, why_not(blind)),
            _value(gain_, more, {**told, "n": n_both}, dark or "no question was answered both ways"),
            *(
                self._detail(case, i, one, film[i] if frames else None, guessed[i])
                for i, one in enumerate(laid)
            ),
        ]

    def _missed(self, case: MeasuredCase, laid: Sequence[Asked], film: Sequence[Verdict]) -> list[Evidence]:
        """Where the judge saw what it answered wrongly; nothing of a question for which it names no place."""
        found: list[Evidence] = []
        for number, (one, verdict) in enumerate(zip(laid, film, strict=False), 1):
            if verdict.value is not None and _letter(verdict) != one.letter:
                what = f"question {number} was answered wrongly by what is seen here: "
                found += [e.model_copy(update={"what": what + e.what}) for e in _places(case, verdict)]
        return sorted(found, key=lambda e: (e.start, e.end))

    def _detail(
        self, case: MeasuredCase, index: int, one: Asked, verdict: Verdict | None, guessed: str | None
    ) -> Measurement:
        facts: dict[str, Fact] = {
            "question": one.item.question,
            "right": one.item.right,
            "letter": one.letter,
            "blind": guessed,
        }
        about = Quantity(name=f"question.{index + 1}", doc="1 where the answer was right")
        if verdict is None:
            return unscored(about, DARK, facts=facts)
        if verdict.value is None:
            return unscored(about, why_not([verdict]), facts={**facts, **reply_of(verdict)})
        letter = _letter(verdict)
        evidence = _places(case, verdict)
        return scored(about, letter == one.letter, evidence=evidence, facts={**facts, "answer": letter})

    def _pictures(self, case: MeasuredCase, asked: Questioning) -> tuple[Frame, ...]:
        count = most(asked, int(case.settings["frames"]))
        if case.settings["sampling"] == "shots":
            return seen(asked, middles(measured_spans(case), count))
        return seen(asked, even(*whole(case), count))

    def outline(self, brief: Brief | None, duration: float, settings: Mapping[str, Setting]) -> Outline:
        """One question to make the others, unless the brief brings them, and each of these twice."""
        if brief is None or (OWN not in brief.extra and not materials_of(brief)):
            return Outline()
        frames = int(settings["frames"])
        if OWN in brief.extra:
            try:
                count = len(own_items(brief.extra[OWN]))
            except ValueError:
                return Outline()
            before = Outline()
        else:
            count = int(settings["questions"])
            before = outlined(making(brief, count))
        text = longest_text()
        signs = 5 * LONGEST  # of marks that take more than a byte
        with_film = about_film(count, text, (), "even")
        return (
            before
            + outlined(with_film, times=count, pictures=frames, signs=signs)
            + outlined(without_film(count, text), times=count, signs=signs)
        )


def _letter(verdict: Verdict) -> str | None:
    return None if verdict.value is None else str(verdict.value["answer"])


def _places(case: MeasuredCase, verdict: Verdict) -> list[Evidence]:
    """Where the judge saw its answer."""
    assert verdict.value is not None
    return evidence_of([Seen.model_validate(spot) for spot in verdict.value["spans"]], whole(case))


def _value(
    quantity: Quantity,
    value: float | None,
    facts: Mapping[str, Fact],
    why: str,
    evidence: Sequence[Evidence] = (),
) -> Measurement:
    if value is None:
        return unscored(quantity, why, facts=facts)
    return scored(quantity, value, evidence=evidence, facts=facts)


video_qa = VideoQA(own_card(NAME, __file__))
