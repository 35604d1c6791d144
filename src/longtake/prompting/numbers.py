"""Numbers and lengths of time in a text, in digits and in words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from .language import Language
from .words import MARKS

_LETTERS = re.compile(rf"(?:[^\W\d_]|[{MARKS}])+")


@dataclass(frozen=True)
class Number:
    """A number in a text: its value, where it stands, and whether it is in digits."""

    value: float
    start: int
    end: int
    digits: bool


def numbers(text: str, language: Language) -> list[Number]:
    """The numbers of a text, in digits or, where words have spaces, in words, in order."""
    found = [
        Number(float(m[0].replace(",", ".")), m.start(), m.end(), True)
        for m in re.finditer(r"(?<![\d.,])\d+(?:[.,]\d+)?", text)
    ]
    if language.spaced:
        known = language.numbers
        for token in _LETTERS.finditer(text):
            if (word := token[0].casefold()) in known:
                found.append(Number(known[word], token.start(), token.end(), False))
    else:
        for word in sorted(language.numbers, key=len, reverse=True):
            found += [
                Number(language.numbers[word], m.start(), m.end(), False)
                for m in re.finditer(re.escape(word), text)
            ]
    return sorted(found, key=lambda n: n.start)


def seconds_in(text: str, language: Language) -> list[float]:
    """All lengths of time in a text, as seconds, in order."""
    unit_s, unit_m = _units(language.second_words), _units(language.minute_words)
    found = []
    for number in numbers(text, language):
        rest = text[number.end : number.end + 24]
        if unit_s.match(rest):
            found.append(number.value)
        elif unit_m.match(rest):
            found.append(number.value * 60)
    return found


@lru_cache
def _units(words: tuple[str, ...]) -> re.Pattern[str]:
    body = "|".join(re.escape(w) for w in sorted(words, key=len, reverse=True))
    return re.compile(rf"[\s\u00a0-]?(?:{body})(?![^\W\d_\u3040-\u9fff\uac00-\ud7af])", re.IGNORECASE)
