"""Checks of what an evaluator says of one film."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from ..core.evaluator import CUT_OFF, Card, Evaluator, MeasuredCase, Outlines, Setting
from ..core.judge import Outline, Question
from ..core.measurement import Evidence, Measurement
from ..core.model import Record
from .bench import Cases, Situation
from .problems import Problems
from .watching import Seen

HAIR_S = 0.05
"""Seconds by which evidence and events may lie beyond a film: ends of frames are rounded."""
HASH = re.compile(r"[0-9a-f]{8,}")
PROMPT_FACTS = ("prompt", "rubric")
"""Facts that stand for the words of questions have one of these in their names."""


def check_measuring(
    evaluator: Evaluator,
    cases: Cases,
    situations: Sequence[Situation],
    problems: Problems,
    scored: dict[str, tuple[str, ...]],
    folder: Path | None,
    outlines: bool,
) -> None:
    """All situations, and all values of its parameters. ``scored`` is filled by situation; ``folder`` is that
    of an evaluator that asks a judge."""
    read: set[str] = set()
    for given in situations:
        answer = _asked(evaluator, cases, given, problems)
        if answer is None:
            continue
        found, case, seen = answer
        read |= seen.settings
        scored[given.name] = tuple(m.name for m in found if m.status == "scored")
        _check_promises(evaluator.card, found, case, f"with {given.name}", problems)
        check_looks(evaluator.card, seen, given.name, problems)
        if scored[given.name] and not seen.got and _rests(evaluator.card, case):
            problems.add(
                f"with {given.name}: {', '.join(scored[given.name])} scored, and it looked at nothing"
            )
        if evaluator.card.needs_brief and case.brief is None and scored[given.name]:
            problems.add(f"with {given.name}: its card needs a brief, and it scored without one")
        if outlines and seen.asked:
            check_outline(evaluator, case, seen, f"with {given.name}", problems)
        if seen.asked and folder is not None:
            check_prompts(folder, [m.facts for m in found], given.name, problems)
        if seen.unanswered and not any(m.facts.get(CUT_OFF) for m in found):
            problems.add(f"with {given.name}: no measurement has the fact {CUT_OFF}, so nobody asks again")
        again = _asked(evaluator, cases, given, problems, renamed=True)
        if again is not None and dumped(again[0]) != dumped(found):
            twice = _asked(evaluator, cases, given, problems)
            same = twice is not None and dumped(twice[0]) == dumped(found)
            why = "under another name of the case and its file" if same else "when it is asked twice"
            problems.add(f"with {given.name}: it answers otherwise {why}")
    whole = situations[0]
    for settings in _settings(cases):
        answer = _asked(evaluator, cases, whole, problems, settings=settings)
        if answer is not None:
            _check_promises(evaluator.card, answer[0], answer[1], f"with {_said(settings)}", problems)
            read |= answer[2].settings
    if len(scored.get(whole.name, ())) >= len(
        evaluator.card.quantities
    ):  # else it may have had no use for them
        for name in sorted(set(evaluator.card.parameters) - read):
            problems.add(f"nothing reads its parameter {name}")


def _asked(
    evaluator: Evaluator,
    cases: Cases,
    given: Situation,
    problems: Problems,
    *,
    renamed: bool = False,
    settings: Mapping[str, Setting] | None = None,
) -> tuple[list[Measurement], MeasuredCase, Seen] | None:
    case, seen = cases.make(given, renamed=renamed, settings=settings)
    with problems.running(f"with {_said(settings) if settings else given.name}"):
        return list(evaluator.measure(case)), case, seen
    return None


def _check_promises(
    card: Card, found: Sequence[Measurement], case: MeasuredCase, when: str, problems: Problems
) -> None:
    """Names and ranges as on the card, each value in its range or a reason, evidence in the film."""
    names, promised = [m.name for m in found], [q.name for q in card.quantities]
    if names[: len(promised)] != promised or len(set(names)) != len(names):
        problems.add(f"{when}: it gave {', '.join(names) or 'nothing'}; promised are {', '.join(promised)}")
        return
    if len(names) > len(promised) and not card.details:
        problems.add(f"{when}: it gave {', '.join(names[len(promised) :])} beside what its card promises")
    for m, q in zip(found, card.quantities, strict=False):
        given, said = (m.low, m.high, m.higher_is_better), (q.low, q.high, q.higher_is_better)
        if given != said:
            problems.add(f"{when}: {m.name} has range and direction {given}, and its card says {said}")
    for m in found:
        check_strict(m, f"{when}: {m.name}", problems)
        check_evidence(m.evidence, case, f"{when}: {m.name}", problems)


def check_strict(given: Record, what: str, problems: Problems) -> None:
    """Whether a record comes back from strict JSON as it was."""
    try:
        text = json.dumps(given.model_dump(mode="json"), allow_nan=False)
        back = type(given).model_validate_json(text)
    except (ValueError, ValidationError) as error:
        first = str(error).splitlines()
        problems.add(f"{what} cannot be kept as JSON: {' '.join(first[:3])}")
    else:
        problems.unless(back == given, f"{what} does not come back from JSON as it was")


def check_evidence(given: Sequence[Evidence], case: MeasuredCase, what: str, problems: Problems) -> None:
    """Whether spans lie in the film, on its clock."""
    start = case.film.start or 0.0
    end = start + case.film.duration
    for e in given:
        if not start - HAIR_S <= e.start <= e.end <= end + HAIR_S:
            problems.add(f"{what} points at {e.start:g} to {e.end:g} s of a film from {start:g} to {end:g} s")


def check_looks(card: Card, seen: Seen, when: str, problems: Problems) -> None:
    """Whether it looked at nothing but what its card names."""
    if seen.strayed:
        problems.add(f"with {when}: it looks at {', '.join(sorted(seen.strayed))}, and its card names none")
    if not card.models and any(g == "frames" or g.startswith("what is kept") for g in seen.got):
        problems.add(f"with {when}: it runs tools, and its card names no role of a model")
    if not card.asks and seen.asked:
        problems.add(f"with {when}: it asks a judge, and its card does not say so")


def check_outline(evaluator: object, case: MeasuredCase, seen: Seen, when: str, problems: Problems) -> None:
    """Whether no more was asked than it said beforehand."""
    if not isinstance(evaluator, Outlines):
        problems.add(f"{when}: it asks a judge and cannot say beforehand how much (a method outline)")
        return
    bound = evaluator.outline(case.brief, case.film.duration, dict(case.settings))
    for what, asked, most in beyond(seen.asked, bound):
        problems.add(f"{when}: it asked {asked} {what} and had said {most} at most")


def beyond(asked: Sequence[Question], bound: Outline) -> list[tuple[str, int, int]]:
    """What was asked beyond a bound: of what, how much, and how much was said."""
    counts = {
        "questions": (len(asked), bound.questions),
        "pictures": (sum(len(q.frames) for q in asked), bound.pictures),
        "bytes": (sum(len(q.prompt.encode()) for q in asked), bound.bytes),
        "tokens of replies": (sum(q.most_tokens for q in asked), bound.output),
    }
    labels: dict[str, int] = {}
    for material in (m for q in asked for m in q.materials):
        labels[material.label] = labels.get(material.label, 0) + 1
    counts |= {f"texts called {n!r}": (k, bound.labels.get(n, 0)) for n, k in labels.items()}
    return [(what, n, most) for what, (n, most) in counts.items() if n > most]


def check_prompts(folder: Path, facts: Sequence[Mapping[str, object]], when: str, problems: Problems) -> None:
    """Whether its prompts are files, and their hash is told."""
    files = [p for p in folder.rglob("*.txt") if "prompts" in p.parent.parts]
    problems.unless(bool(files), "it asks a judge, and there is no text in a folder prompts beside it")
    told = any(
        any(word in name for word in PROMPT_FACTS) and isinstance(value, str) and HASH.search(value)
        for fact in facts
        for name, value in fact.items()
    )
    problems.unless(told, f"with {when}: no fact tells the hash of its prompts (a fact named prompts)")


def dumped(found: Sequence[Record]) -> list[dict[str, object]]:
    """Records as they are kept."""
    return [one.model_dump(mode="json") for one in found]


def _rests(card: Card, case: MeasuredCase) -> bool:
    """Whether its values rest on something that has to be looked at: not where it compares what is known of
    any film, such as its length, with a brief."""
    compares = card.needs_brief and case.brief is not None
    return bool(card.models or card.asks or (not compares and (card.needs or card.needs_brief)))


def _settings(cases: Cases) -> list[dict[str, Setting]]:
    """Each parameter at each of its choices, or at the ends of its range."""
    found: list[dict[str, Setting]] = []
    for name, parameter in cases.card.parameters.items():
        if isinstance(parameter.default, str):
            values: Sequence[Setting] = parameter.choices
        else:
            kind = type(parameter.default)
            values = [kind(end) for end in (parameter.low, parameter.high) if end is not None]
        found += [{name: value} for value in values if value != parameter.default]
    return found


def _said(settings: Mapping[str, Setting]) -> str:
    return ", ".join(f"{name}={value}" for name, value in settings.items())
