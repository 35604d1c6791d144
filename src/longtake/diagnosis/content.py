"""The content profile: what a judge sees in a quick look, beside what signals know of the film's content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..core.documents import Attribute
from ..core.judge import Question, Questioning, Verdict
from .asking import why_not
from .facts import Facts
from .material import materials_for
from .questions import content_questions, of_content
from .rubric import Ask
from .views import of_shots

JUDGE = "judge"
CERTAIN = ("container", "audio", "shots")
"""Sources that a look at pictures cannot contradict: where there is no sound, nobody speaks, and scenes are
made of shots, so that a single shot is one scene."""
SHOWN = Ask(frames="shots", brief=(), tools=("transcript",))
"""The brief is not shown: it says what was wanted, not what is there."""


def content_question(facts: Facts, questioning: Questioning) -> Question:
    """What kind of film it is, from one picture of each shot."""
    frames = questioning.frames.at(of_shots(facts, questioning.most_of_content))
    return of_content(facts, frames, materials_for(SHOWN, facts, None))


def with_content(facts: Facts, questioning: Questioning) -> Facts:
    """Facts whose content attributes the judge has looked at as well; asked once, at temperature 0."""
    verdict = questioning.asker.ask([content_question(facts, questioning)])[0]
    return replace(facts, attributes=merged(facts.attributes, verdict))


def merged(known: Mapping[str, Attribute], verdict: Verdict) -> dict[str, Attribute]:
    """Attributes by id, each with who set it; unknown where signals and judge disagree.

    Only what was asked may change. An attribute that signals left unknown and the judge too keeps the
    signals' reason, with the judge's beside it.
    """
    found = dict(known)
    seen = verdict.value or {}
    for name in content_questions():
        before, value = known[name], seen.get(name)
        if before.value is not None and before.source in CERTAIN:
            continue
        if value is None:
            if before.value is None:
                why = why_not(verdict) if verdict.status != "answered" else "the judge cannot tell"
                found[name] = before.model_copy(update={"reason": _both(before.reason, why)})
        elif before.value is None:
            found[name] = Attribute(id=name, value=value, source=JUDGE)
        elif before.value != value:
            why = f"{before.source} says {_word(before.value)}, the judge says {_word(value)}"
            found[name] = Attribute(id=name, value=None, source=f"{before.source}, {JUDGE}", reason=why)
        else:
            found[name] = before.model_copy(update={"source": f"{before.source}, {JUDGE}"})
    return found


def _both(first: str | None, second: str) -> str:
    return f"{first}; {second}" if first else second


def _word(value: bool | int) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
