"""Where a fact of a brief is found in a prompt: by its words, its numbers, or the order of its parts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .language import Language
from .numbers import numbers, seconds_in
from .words import Words, any_of, content, has, letters, plain_words

if TYPE_CHECKING:
    from .facts import Fact


def is_in(fact: Fact, prompt: str, text: Words, heard: str, language: Language) -> bool:
    """Whether a fact is in a prompt; ``text`` are its words, ``heard`` its letters alone."""
    if fact.kind == "length":
        return any(abs(s - fact.value) < 1e-6 for s in seconds_in(prompt, language))
    if fact.kind == "count":
        return _counted(int(fact.value), prompt, language)
    if fact.kind == "durations":
        return _in_order(fact.values, seconds_in(prompt, language))
    if fact.kind == "order":
        return _ordered(fact.parts, text, language)
    if fact.kind == "name":
        return has(prompt, fact.core, language)
    if fact.kind == "said":
        return letters(fact.core) in heard
    if fact.kind == "phrase":
        return any_of(prompt, fact.any, language) is not None
    return bool(_where(fact.core, text, language))


def _where(core: str, text: Words, language: Language) -> list[int]:
    """Where a wording is found among the words of a prompt, as it is or in everyday words."""
    found = text.places(content(core, language))
    if (easy := plain_words(core, language, camera=True)) != core:
        found = sorted({*found, *text.places(content(easy, language))})
    return found


def _ordered(parts: Sequence[str], text: Words, language: Language) -> bool:
    """Whether all parts are found one after the other: each has a place behind a place of the one before."""
    last = -1
    for part in parts:
        behind = [place for place in _where(part, text, language) if place > last]
        if not behind:
            return False
        last = behind[0]
    return True


def _counted(count: int, prompt: str, language: Language) -> bool:
    if count == 1 and any_of(prompt, language.one_shot, language):
        return True
    unit = re.compile("|".join(re.escape(w) for w in language.shot_words), re.IGNORECASE)
    for number in numbers(prompt, language):
        if number.value == count and unit.search(prompt[number.end : number.end + 16]):
            return True
    return False


def _in_order(values: Sequence[float], among: Sequence[float]) -> bool:
    rest = iter(among)
    return all(any(abs(value - other) < 1e-6 for other in rest) for value in values)
