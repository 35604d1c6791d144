"""Checks of what an evaluator says of two films beside each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ..core.evaluator import CUT_OFF, MeasuredCase, PairEvaluator, Preference
from ..execution.score_compare import turned_back
from .bench import DARK, Cases, Situation
from .films import Films, brief_for
from .measured import check_evidence, check_looks, check_outline, check_prompts, check_strict
from .problems import Problems
from .watching import Seen

ASPECTS = ("aesthetics", "temporal_flow")
"""Aspects that one that is told them is told here."""
PREFERENCE = "preference"


def check_preferring(
    evaluator: PairEvaluator,
    cases: Cases,
    made: Films,
    problems: Problems,
    scored: dict[str, tuple[str, ...]],
    folder: Path | None,
    outlines: bool,
) -> None:
    """All situations in both orders. ``scored`` is filled by situation; ``folder`` as for measurements."""
    card = evaluator.card
    for first, second in _situations(made, asks=card.asks):
        for aspect in ASPECTS if card.told_aspect else (None,):
            when = f"{first.name}{f' and {aspect}' if aspect else ''}"
            answer = _asked(evaluator, cases, first, second, aspect, problems, when)
            if answer is None:
                continue
            found, sides, seen = answer
            if found.status == "scored":
                scored[first.name] = (*scored.get(first.name, ()), PREFERENCE)
                rests = card.needs or card.models or card.asks
                if rests and not any(s.got for s in seen):
                    problems.add(f"with {when}: it chose, and looked at nothing")
            check_strict(found, f"with {when}: its preference", problems)
            check_evidence(found.evidence_a, sides[0], f"with {when}: it (first film)", problems)
            check_evidence(found.evidence, sides[1], f"with {when}: it (second film)", problems)
            asked = replace(seen[0], asked=[q for s in seen for q in s.asked])
            for one in seen:
                check_looks(card, one, when, problems)
            if outlines and asked.asked:
                check_outline(evaluator, sides[0], asked, f"with {when}", problems)
            if asked.asked and folder is not None:
                check_prompts(folder, [found.facts], when, problems)
            if any(s.unanswered for s in seen) and not found.facts.get(CUT_OFF):
                problems.add(f"with {when}: its preference has no fact {CUT_OFF}, so nobody asks again")
            again = _asked(evaluator, cases, first, second, aspect, problems, when, renamed=True)
            if again is not None and again[0] != found:
                problems.add(f"with {when}: it answers otherwise when it is asked again under other names")
            turned = _asked(evaluator, cases, second, first, aspect, problems, when)
            if turned is not None and not evaluator.ordered:
                back = turned_back(turned[0])
                if (back.status, back.choice) != (found.status, found.choice):
                    problems.add(f"with {when}: the order of the films matters, and it says that it does not")


def _asked(
    evaluator: PairEvaluator,
    cases: Cases,
    first: Situation,
    second: Situation,
    aspect: str | None,
    problems: Problems,
    when: str,
    *,
    renamed: bool = False,
) -> tuple[Preference, list[MeasuredCase], list[Seen]] | None:
    made = [cases.make(given, renamed=renamed) for given in (first, second)]
    sides, seen = [replace(case, aspect=aspect) for case, _ in made], [s for _, s in made]
    with problems.running(f"with {when}"):
        return evaluator.prefer(sides[0], sides[1]), sides, seen
    return None


def _situations(made: Films, *, asks: bool) -> Iterator[tuple[Situation, Situation]]:
    def both(name: str, brief: bool = True, **how: bool) -> tuple[Situation, Situation]:
        told = brief_for() if brief else None
        return Situation(name, made.shots, told, **how), Situation(name, made.single, told, **how)

    yield both("a whole pair")
    yield both("a pair without a brief", brief=False)
    yield both("a pair of nothing at all", brief=False, bare=True)
    yield both("a pair without signals and models", lacking=True, judge=False)
    black = Situation("a pair of black films", made.black, brief_for())
    yield black, black
    yield Situation(DARK, made.dark, brief_for()), Situation("whole", made.shots, brief_for())
    if asks:
        yield both("a pair and no judge", judge=False)
        yield both("a pair and a judge that does not reply", answers=False)
        yield both("a pair and a judge that only talks", talks=True)
