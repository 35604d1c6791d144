"""Questions with four options: made, brought by a brief, laid out, and counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, ValidationError

from ...core.model import Record
from ...core.seeds import seed_for

LETTERS = "ABCD"
LONGEST = 300
"""Signs of a question or an option. A judgement."""
MOST_OWN = 50
"""Questions that a brief may bring. A judgement."""
OPERATOR = "video-qa"
Words = Annotated[str, Field(min_length=1, max_length=LONGEST)]


class Item(Record):
    """A question with its right answer and three wrong ones."""

    question: Words
    right: Words
    wrong: Annotated[list[Words], Field(min_length=3, max_length=3)]


def sound(items: Sequence[Item]) -> list[Item]:
    """Those whose four options differ, each question once: of any other no answer could be right alone."""
    kept: dict[str, Item] = {}
    for item in items:
        if len({_plain(option) for option in (item.right, *item.wrong)}) == len(LETTERS):
            kept.setdefault(_plain(item.question), item)
    return list(kept.values())


def own_items(given: Any) -> list[Item]:
    """The questions that a brief brings under ``questions``.

    Raises:
        ValueError: they are not such questions; the message says in which place.
    """
    if not isinstance(given, list) or not given:
        raise ValueError("the questions of the brief are no list of questions")
    if len(given) > MOST_OWN:
        raise ValueError(f"the brief brings {len(given)} questions, {MOST_OWN} at most are asked")
    items = []
    for n, one in enumerate(given, 1):
        try:
            items.append(Item.model_validate(one))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"])) or "it"
            raise ValueError(f"question {n} of the brief: {where}: {first['msg']}") from None
    if len(sound(items)) < len(items):
        raise ValueError("a question of the brief has two options that are the same, or comes twice")
    return items


def position(item: str) -> int:
    """Where the right option of an item stands, from 0: by its key alone, the same whatever else is asked."""
    return seed_for(item, OPERATOR, 0) % len(LETTERS)


def options(right: str, wrong: Sequence[str], place: int) -> list[str]:
    """The four options in the order shown: the right one at ``place``, the wrong ones around it in theirs."""
    return [*wrong[:place], right, *wrong[place:]]


@dataclass(frozen=True)
class Asked:
    """An item as it is shown: its text with lettered options, and the letter that is right."""

    item: Item
    text: str
    letter: str


def laid_out(item: Item, brief: str) -> Asked:
    """An item of the brief with this hash, as it is shown."""
    place = position(f"{brief} {item.question}")
    lines = (
        f"{x}. {option}" for x, option in zip(LETTERS, options(item.right, item.wrong, place), strict=True)
    )
    return Asked(item, "\n".join([item.question, *lines]), LETTERS[place])


def accuracy(right: Sequence[str], answers: Sequence[str | None]) -> tuple[float | None, int]:
    """Share of right letters among the answers that were given, and how many these are; ``None`` without
    any."""
    given = [answer == letter for letter, answer in zip(right, answers, strict=True) if answer is not None]
    return (sum(given) / len(given) if given else None), len(given)


def gain(
    right: Sequence[str], seen: Sequence[str | None], blind: Sequence[str | None]
) -> tuple[float | None, int]:
    """Accuracy with the film minus accuracy without, over the questions that were answered both ways, and how
    many these are."""
    both = [i for i in range(len(right)) if seen[i] is not None and blind[i] is not None]
    if not both:
        return None, 0
    hits = [sum(answers[i] == right[i] for i in both) for answers in (seen, blind)]
    return (hits[0] - hits[1]) / len(both), len(both)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
