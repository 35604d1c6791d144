"""What ``video-qa`` asks a judge."""

from __future__ import annotations

from string import Template
from typing import Annotated, Literal

from pydantic import Field

from ...core.brief import Brief
from ...core.judge import Frame, Material, Question
from ..shared.judged import prompt
from ..shared.replies import Spot, record
from ..shared.wished import materials_of
from .items import LONGEST, Asked, Item

NAME = "video-qa"
MAKE, SEEN, BLIND = (prompt(__file__, name) for name in ("make", "seen", "blind"))
MOST_SPANS = 3
"""Places that a judge may point at for one question. A judgement."""
ITEM_TOKENS = 450
"""Tokens that one made question may take: five texts of up to 300 signs, most of them far shorter."""
LABEL = "question"
Letter = Literal["A", "B", "C", "D"]
HOW = {
    "even": "spread evenly from its beginning to its end",
    "shots": "of its shots, from its beginning to its end",
}
"""How the pictures were chosen, in words."""


class Seen(Spot):
    """A place in the film."""

    what: Annotated[str, Field(min_length=1, max_length=300)]


def making(brief: Brief, count: int) -> Question:
    """``count`` questions from what the brief says; depends on nothing else."""
    name = f"{NAME}.make"
    items = Annotated[list[Item], Field(min_length=count, max_length=count)]
    return Question(
        id=name,
        text=Template(MAKE).substitute(count=count, most=LONGEST),
        answer=record(name, questions=items),
        materials=materials_of(brief),
        most_tokens=200 + ITEM_TOKENS * count,
    )


def about_film(number: int, text: str, frames: tuple[Frame, ...], how: str) -> Question:
    """One question beside pictures of the film."""
    name = f"{NAME}.{number}"
    spans = Annotated[list[Seen], Field(max_length=MOST_SPANS)]
    return Question(
        id=name,
        text=Template(SEEN).substitute(how=HOW[how], most=MOST_SPANS),
        answer=record(name, spans=spans, answer=Letter),
        frames=frames,
        materials=(Material(LABEL, text),),
    )


def without_film(number: int, text: str) -> Question:
    """The same question without the film."""
    name = f"{NAME}.blind.{number}"
    return Question(
        id=name,
        text=BLIND,
        answer=record(name, answer=Letter),
        materials=(Material(LABEL, text),),
        most_tokens=200,
    )


def longest_text() -> str:
    """A question with options as long as they may be."""
    item = Item(question="x" * LONGEST, right="x" * LONGEST, wrong=["x" * LONGEST] * 3)
    lines = (f"A. {option}" for option in (item.right, *item.wrong))
    return "\n".join([item.question, *lines])


def questions_of(
    asked: list[Asked], frames: tuple[Frame, ...], how: str
) -> tuple[list[Question], list[Question]]:
    """Those with the film and those without, in order."""
    seen = [about_film(n, one.text, frames, how) for n, one in enumerate(asked, 1)]
    return seen, [without_film(n, one.text) for n, one in enumerate(asked, 1)]
