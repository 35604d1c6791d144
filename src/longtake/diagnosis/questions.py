"""Questions to a judge: what is asked, with which pictures and materials, and which reply is an answer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from math import ceil, floor
from string import Template
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field, FiniteFloat, create_model, model_validator

from ..core.judge import Frame, Material, Question
from ..core.model import Record
from .facts import Facts
from .rubric import Checkpoint, ReportMetricSpec

LONGEST_REASON = 1500
MOST_SPANS = 12
WISH_TOKENS = 80
"""Tokens that the answer to one wish may take."""


class Spot(Record):
    """A span that a judge points at, in seconds of the film, and what is to be seen there."""

    start: FiniteFloat
    end: FiniteFloat
    what: str

    @model_validator(mode="after")
    def _forward(self) -> Spot:
        if self.start > self.end:
            raise ValueError("a span ends before it begins")
        return self


def prompt(name: str) -> Template:
    """A prompt that ships with longtake, with places for what belongs to one film."""
    return _prompts()[name]


@cache
def _prompts() -> dict[str, Template]:
    folder = files(__package__) / "data" / "prompts"
    return {f.name.removesuffix(".txt"): Template(f.read_text("utf-8")) for f in folder.iterdir()}


@cache
def content_questions() -> dict[str, str]:
    """What a judge is asked about the content of a film, by attribute."""
    asked: dict[str, str] = yaml.safe_load((files(__package__) / "data" / "content.yaml").read_text("utf-8"))
    return asked


def answer_model(name: str, levels: int, first: int, facts: Facts) -> type[Record]:
    """The reply to a question with levels: its id, a level or null, a reason, and spans inside the film.

    Levels count from ``first``. Anything else, or outside, is no answer.
    """
    # As a film's length is told, to a tenth of a second; what lies beyond is no answer.
    low, high = floor(facts.start * 10) / 10, ceil(facts.end * 10) / 10
    moment = Annotated[FiniteFloat, Field(ge=low, le=high, description="seconds of the film")]
    spot = create_model(
        "Span",
        __base__=Spot,
        start=(moment, ...),
        end=(moment, ...),
        what=(Annotated[str, _text(300)], ...),
    )
    level = Annotated[int, Field(ge=first, le=first + levels - 1)]
    fields: dict[str, Any] = {
        "id": (Literal[name], ...),
        "value": (level | None, ...),
        "reason": (Annotated[str, _text(LONGEST_REASON)], ...),
        "spans": (Annotated[list[spot], Field(max_length=MOST_SPANS)], ...),
    }
    return create_model("Answer", __base__=Record, **fields)


def _text(longest: int) -> Any:
    return Field(min_length=1, max_length=longest)


def leveled(
    about: Checkpoint | ReportMetricSpec,
    facts: Facts,
    frames: Sequence[Frame],
    materials: Sequence[Material],
    *,
    candidates: bool,
) -> Question:
    """The question of a checkpoint, or of a report-level metric that has levels."""
    first = first_level(about)
    return Question(
        id=f"checkpoint.{about.id}" if isinstance(about, Checkpoint) else f"metric.{about.id}",
        text=prompt("checkpoint").substitute(
            what_is_shown=shown(frames),
            length=f"{facts.film.duration:.1f}",
            question=about.question,
            levels=numbered(about.levels, first),
            candidates=prompt("candidates").template if candidates else "",
            id=about.id,
        ),
        answer=answer_model(about.id, len(about.levels), first, facts),
        frames=tuple(frames),
        materials=tuple(materials),
    )


def first_level(about: Checkpoint | ReportMetricSpec) -> int:
    """Number of the worst level: 0 for two levels, else 1."""
    return 0 if len(about.levels) == 2 else 1


def numbered(levels: Sequence[str], first: int) -> str:
    """Levels from worst to best, each with its number."""
    return "\n".join(f"{n}: {text}" for n, text in enumerate(levels, first))


def shown(frames: Sequence[Frame]) -> str:
    """What is shown, in words."""
    if not frames:
        return "no picture, but what tools found,"
    return "one picture" if len(frames) == 1 else f"{len(frames)} pictures"


def of_shot(
    spec: ReportMetricSpec, index: int, facts: Facts, frames: Sequence[Frame], materials: Sequence[Material]
) -> Question:
    """Whether the action of one planned shot is seen in the pictures of its place in the film."""
    first = first_level(spec)
    name = f"{spec.id}.{index + 1}"
    return Question(
        id=f"metric.{name}",
        text=prompt("shot").substitute(
            what_is_shown=shown(frames), levels=numbered(spec.levels, first), id=name
        ),
        answer=answer_model(name, len(spec.levels), first, facts),
        frames=tuple(frames),
        materials=tuple(materials),
    )


def of_wishes(
    spec: ReportMetricSpec,
    count: int,
    facts: Facts,
    frames: Sequence[Frame],
    materials: Sequence[Material],
) -> Question:
    """Which of ``count`` wishes, numbered in the material from 1, are met."""
    name = f"{spec.id}.wishes"
    wish = create_model(
        "Wish",
        __base__=Record,
        number=(Annotated[int, Field(ge=1, le=count)], ...),
        met=(bool | None, ...),
        reason=(Annotated[str, _text(400)], ...),
    )
    fields: dict[str, Any] = {
        "id": (Literal[name], ...),
        "wishes": (Annotated[list[wish], Field(max_length=count)], ...),
    }
    return Question(
        id=f"metric.{name}",
        text=prompt("wishes").substitute(
            what_is_shown=shown(frames), length=f"{facts.film.duration:.1f}", id=name
        ),
        answer=create_model("Answer", __base__=Record, **fields),
        frames=tuple(frames),
        materials=tuple(materials),
        most_tokens=200 + WISH_TOKENS * count,
    )


def of_content(facts: Facts, frames: Sequence[Frame], materials: Sequence[Material]) -> Question:
    """The content attributes that can be seen, each true, false or a number, or null."""
    name = "content_profile"
    asked = content_questions()
    fields: dict[str, Any] = {"id": (Literal[name], ...)}
    for attribute in asked:
        number = attribute.endswith("_count")
        kind = Annotated[int, Field(ge=0, le=1000)] if number else bool
        fields[attribute] = (kind | None, ...)
    return Question(
        id=name,
        text=prompt("content").substitute(
            what_is_shown=shown(frames),
            length=f"{facts.film.duration:.1f}",
            attributes="\n".join(f"- {n}: {text}" for n, text in asked.items()),
            id=name,
        ),
        answer=create_model("Answer", __base__=Record, **fields),
        frames=tuple(frames),
        materials=tuple(materials),
    )
