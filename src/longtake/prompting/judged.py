"""Personalised prompts that a judge writes, held against the same nine criteria."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import yaml
from pydantic import Field, create_model

from ..core.brief import Brief
from ..core.judge import Asker, Material, Question, Verdict
from ..core.model import Record
from ..core.prompts import PromptAttempt, PromptDocument, PromptWriter, Rejection
from ..diagnosis.profiles import Profile
from .facts import Fact, Facts
from .naming import named
from .personal import document, shape
from .register import demand, focus, level_of, order_of, style_of
from .rejections import CRITERIA, rejections
from .room import room_for
from .words import sentences

AGAIN = 3
"""A rejected prompt is written anew so many times at most (directorbench.md, section 4): with the first,
there are at most four attempts."""
TEMPERATURE = 0.7
"""Of the draws in which a prompt is written: as for repeated draws of a checkpoint."""
MOST_TOKENS = 1600
"""Of a reply that is a prompt: the limit in characters, and a schema around it, with room to spare."""
NO_USE = frozenset({"failed", "budget", "not_recorded", "too_long"})
"""Ends after which asking again would give the same."""


def write_judged(brief: Brief, wanted: Sequence[Profile], asker: Asker) -> list[PromptDocument]:
    """A prompt for each profile, written by a judge; each attempt that was rejected stands in its document.

    Criteria 1 and 3 are also put to the judge; either it or the rule may reject, and both reasons are kept.
    For the ninth a prompt is compared with those that were accepted before it.

    Raises:
        UsageError: no prompts can be written in the brief's language.
    """
    facts = room_for(brief)
    accepted: dict[str, str] = {}
    shapes = {p.id: shape(p) for p in wanted}
    written = []
    for profile in wanted:
        others = {n: text for n, text in accepted.items() if shapes[n] != shapes[profile.id]}
        one = _written(brief, facts, profile, others, asker)
        if one.prompt is not None:
            accepted[profile.id] = one.prompt
        written.append(one)
    return written


def _written(
    brief: Brief, facts: Facts, profile: Profile, others: dict[str, str], asker: Asker
) -> PromptDocument:
    question = writing(brief, facts, profile)
    attempts: list[PromptAttempt] = []
    models: list[str] = []
    for draw in range(1 + AGAIN):
        verdict = asker.ask([question.drawn(draw, TEMPERATURE)])[0]
        attempt, more = _judged(brief, facts, profile, others, verdict, draw, asker)
        attempts.append(attempt)
        models += [v.model for v in (verdict, *more) if v.model]
        if (attempt.prompt is not None and not attempt.rejections) or attempt.status in NO_USE:
            break
    writer = PromptWriter(name=asker.name, models=list(dict.fromkeys(models)))
    return document(brief, profile, facts, writer, attempts)


def _judged(
    brief: Brief,
    facts: Facts,
    profile: Profile,
    others: dict[str, str],
    verdict: Verdict,
    draw: int,
    asker: Asker,
) -> tuple[PromptAttempt, list[Verdict]]:
    if verdict.value is None:
        return (
            PromptAttempt(draw=draw, status=verdict.status, reason=verdict.reason, prompt=None),
            [],
        )
    prompt = str(verdict.value["prompt"]).strip()
    held = rejections(prompt, brief, facts, profile, others)
    questions = {1: _about("task", prompt, profile), 3: _about("essay", prompt, profile)}
    verdicts = asker.ask(list(questions.values()))
    unasked = []
    for number, answer in zip(questions, verdicts, strict=True):
        if answer.value is None:
            unasked.append(number)
        elif not answer.value["passes"]:
            reason = str(answer.value["reason"])
            held.append(Rejection(number=number, id=CRITERIA[number], reason=reason, by="judge"))
    held.sort(key=lambda r: r.number)
    return PromptAttempt(draw=draw, prompt=prompt, rejections=held, unasked=unasked), verdicts


def writing(brief: Brief, facts: Facts, profile: Profile) -> Question:
    """The question in which a prompt is written. All of the brief and of the profile is material."""
    name = f"prompt.write.{profile.id}"
    text = _texts()["write"].format(language=facts.language.name, limit=facts.language.limit)
    plain = brief.model_dump(
        mode="json", exclude_none=True, exclude={"schema_", "longtake", "notes", "extra"}
    )
    materials = (
        Material("the brief", json.dumps(plain, ensure_ascii=False)),
        Material("what has to be said", "\n".join(_said(fact) for fact in facts.items)),
        Material("the user", json.dumps(traits(profile, facts), ensure_ascii=False)),
    )
    answer = _answer(name, prompt=(str, Field(min_length=1)))
    return Question(name, text, answer, materials=materials, most_tokens=MOST_TOKENS)


def traits(profile: Profile, facts: Facts) -> dict[str, Any]:
    """What shapes a user's prompt, without ids and numbers that might get into it."""
    names = {"script": "the story", "visual": "the picture", "audio": "the sound"}
    names["cross_modal"] = "picture, words and sound fitting together"
    return {
        "cares for, the most first": [names[d] for d in order_of(profile)],
        "wants": focus(profile, facts.language),
        "demands": [demand(profile, name, facts.language, facts.against) for name in profile.constraints],
        "expertise": level_of(profile),
        "style": style_of(profile),
    }


def _about(which: str, prompt: str, profile: Profile) -> Question:
    name = f"prompt.{which}.{profile.id}"
    shown = prompt if which == "essay" else next(iter(sentences(prompt)), "")
    answer = _answer(name, passes=(bool, ...), reason=(str, ...))
    return Question(name, _texts()[which], answer, materials=(Material("the prompt", shown),))


def _answer(name: str, **fields: Any) -> type[Record]:
    itself: Any = Literal[name]
    return create_model("Answer", __base__=Record, id=(itself, ...), **fields)


def _said(fact: Fact) -> str:
    """A fact as a line of what has to be said."""
    line = named(fact, whole=True)
    return f"{line}: say one of: {', '.join(fact.any)}" if fact.kind == "phrase" else line


@cache
def _texts() -> dict[str, str]:
    texts: dict[str, str] = yaml.safe_load((files(__package__) / "questions.yaml").read_text("utf-8"))
    return texts
