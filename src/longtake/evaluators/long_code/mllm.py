"""Long-CODE's MLLM part: describe the shots, think about them, score the film in rounds (long-code.md, 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, pstdev
from typing import Any

from ...core.bank import HIGHEST, LOWEST, Reference
from ...core.evaluator import MeasuredCase, Quantity, Setting
from ...core.judge import Frame, Questioning, Verdict
from ...core.measurement import Evidence, Measurement
from ..shared.black import black_film
from ..shared.judged import NO_JUDGE, facts_of, why_not
from ..shared.measured import Fact, not_applicable, scored, unscored
from ..shared.replies import reply_of
from ..shared.spans import Span, Spans, measured_spans, whole
from . import stages, views
from .references import OpenBank, drawn, open_bank

ROUNDS = len(stages.TEMPERATURES)
LEAST_ROUNDS = 2
"""Rounds that have to give a number (long-code.md, 3)."""
SUMMARY, PICTURED = "analysis", "middles"
"""Facts of the measurement: what the second question came to, and the middles of the shots in seconds. A bank
of references is made of them."""
MOST_EVIDENCE = 60
"""Places of errors that are pointed at. A judgement."""


def share(score: float) -> float:
    """A score from 1 to 5 as a share: (m - 1) / 4. The paper gives no rule (long-code.md, 3)."""
    return (score - LOWEST) / (HIGHEST - LOWEST)


def of_rounds(scores: Sequence[float | None]) -> tuple[float, float] | None:
    """Mean and standard deviation over the rounds that gave a number; ``None`` of fewer than two."""
    known = [s for s in scores if s is not None]
    return (fmean(known), pstdev(known)) if len(known) >= LEAST_ROUNDS else None


def measured(
    case: MeasuredCase, planned: Spans, settings: Mapping[str, Setting], quantity: Quantity
) -> Measurement:
    """The measurement, with the errors that were found and where they are to be seen.

    Raises:
        InputError: the bank of references cannot be read.
    """
    if not planned.shots:
        return not_applicable(quantity, planned.reason)
    if (why := black_film(case)) is not None:
        return unscored(quantity, why)
    if case.questioning is None:
        return unscored(quantity, NO_JUDGE)
    return _Rating(case, planned, case.questioning, open_bank(str(settings["references"])), quantity).made()


class _Rating:
    """One film on its way through the three questions."""

    def __init__(
        self,
        case: MeasuredCase,
        planned: Spans,
        asked: Questioning,
        bank: OpenBank | None,
        quantity: Quantity,
    ) -> None:
        self._case, self._planned, self._asked, self._bank = case, planned, asked, bank
        self._quantity = quantity
        aligned = planned.spans is not None
        self._shots: list[Span] = list(planned.spans) if planned.spans is not None else measured_spans(case)
        groups = views.grouped(self._shots)
        self._described = [(self._shots[a][0], self._shots[b][1]) for a, b in groups]
        self._verdicts: list[Verdict] = []
        self._facts: dict[str, Fact] = {
            "spans": planned.source if aligned else "found",
            "film_shots": len(self._shots),
            "described": len(self._described),
            "references": bank.label if bank is not None else "none",
            "prompts": stages.prompts_hash(),
        }

    def made(self) -> Measurement:
        references: Sequence[tuple[Reference, ...]] = [()] * ROUNDS
        if self._bank is not None:
            found = drawn(self._bank.bank, self._case.film.hash, self._brief_hash, ROUNDS)
            if isinstance(found, str):
                return self._without(found)
            references = found
            self._facts["reference_cases"] = "; ".join(", ".join(r.case for r in one) for one in found)
        descriptions = self._descriptions()
        if isinstance(descriptions, str):
            return self._without(descriptions)
        meant = stages.meant(self._planned.shots, self._planned.spans)
        seen = stages.seen(self._described, descriptions)
        (thought,) = self._ask([stages.think(len(self._described), [meant, seen])])
        if thought.value is None:
            return self._without(f"the analysis failed: {why_not([thought])}", thought)
        self._facts[SUMMARY] = stages.written(thought.value)
        self._facts[PICTURED] = " ".join(f"{(a + b) / 2:.3f}" for a, b in self._shots)
        materials = [meant, seen, stages.analysis(thought.value)]
        frames, each = self._film_frames()
        if not frames:
            return self._without("no picture of the film can be read")
        self._facts |= {"pictures": len(frames), "reference_pictures": each}
        rounds = self._ask([stages.score(n, frames, materials, references[n], each) for n in range(ROUNDS)])
        return self._rated(thought.value, rounds)

    @property
    def _brief_hash(self) -> str:
        assert self._case.brief is not None
        return self._case.brief.hash

    def _ask(self, questions: Sequence[Any]) -> list[Verdict]:
        found = self._asked.asker.ask(questions)
        self._verdicts += found
        return found

    def _descriptions(self) -> list[str] | str:
        """What is seen in each stretch, or why that is not known."""
        limit = self._asked.limit
        shown = [self._asked.frames.at(views.of_shot(span, limit)) for span in self._described]
        if dark := [i for i, frames in enumerate(shown) if not frames]:
            start, end = self._described[dark[0]]
            where = f"the first {start:.2f} to {end:.2f} s"
            return f"no picture can be read in {len(dark)} of {len(shown)} shots, {where}"
        asked = zip(self._described, shown, strict=True)
        verdicts = self._ask([stages.caption(i, span, frames) for i, (span, frames) in enumerate(asked, 1)])
        if any(v.value is None for v in verdicts):
            return f"shots were not described: {why_not(verdicts)}"
        return [str(v.value["description"]) for v in verdicts if v.value is not None]

    def _film_frames(self) -> tuple[list[Frame], int]:
        """The film's pictures beside the question for its score, and how many there are of each reference."""
        own, each = views.shares(self._asked.limit, self._bank is not None)
        return self._asked.frames.at(views.of_film(self._shots, whole(self._case), own)), each

    def _rated(self, thought: Mapping[str, Any], rounds: Sequence[Verdict]) -> Measurement:
        scores = [float(v.value["score"]) if v.value is not None else None for v in rounds]
        self._facts["rounds"] = ", ".join("none" if s is None else f"{s:g}" for s in scores)
        self._facts["n_rounds"] = sum(s is not None for s in scores)
        found = of_rounds(scores)
        if found is None:
            bad = next(v for v in rounds if v.value is None)
            return self._without(
                f"fewer than {LEAST_ROUNDS} of {ROUNDS} rounds gave a number: {why_not(rounds)}", bad
            )
        mean, spread = found
        self._facts |= {"mean": mean, "sd": spread}
        facts = {**self._facts, **facts_of(self._verdicts)}
        return scored(self._quantity, share(mean), evidence=self._evidence(thought), facts=facts)

    def _evidence(self, thought: Mapping[str, Any]) -> list[Evidence]:
        """The errors that the analysis names, at each of the shots in which they are to be seen."""
        found = []
        for error in thought["errors"]:
            what = f"{error['perspective'].replace('_', ' ')}: {error['what']}"
            for number in dict.fromkeys(error["shots"]):
                start, end = self._described[number - 1]
                found.append(Evidence(start=start, end=end, what=what))
        return sorted(found[:MOST_EVIDENCE], key=lambda e: (e.start, e.end))

    def _without(self, reason: str, bad: Verdict | None = None) -> Measurement:
        reply = reply_of(bad) if bad is not None else {}
        return unscored(self._quantity, reason, facts={**self._facts, **facts_of(self._verdicts), **reply})
