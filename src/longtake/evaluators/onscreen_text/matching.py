"""How well a text that was asked for is met by what was read in a picture."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

WIDE = 8
"""Asked texts of up to so many words are looked for in stretches of one word up to one more than they have,
as a reader drops spaces; longer ones in stretches of a word less to a word more."""
MARKS = ".,;"
"""Marks that many put inside of quotes though they end the sentence around them: at the end of an asked text
they may be there or not."""
_WORD = re.compile(r"[぀-ヿ㐀-鿿豈-﫿ｦ-ﾟ]|[^\s぀-ヿ㐀-鿿豈-﫿ｦ-ﾟ]+")
"""A word, or one letter of scripts that set no spaces between words."""


def normal(text: str) -> str:
    """After Unicode NFKC with spaces collapsed; the case is kept."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def distance(one: str, other: str) -> int:
    """The least number of letters that are put in, left out or replaced to turn one text into the other
    (Levenshtein 1966)."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return row[-1]


def rendered(asked: str, read: str) -> float:
    """1 - min(1, character error rate) of a reading against what was asked, in [0, 1].

    Raises:
        ValueError: nothing was asked.
    """
    wanted = normal(asked)
    if not wanted:
        raise ValueError("an empty text has no character error rate")
    return 1 - min(1.0, distance(wanted, normal(read)) / len(wanted))


def best(asked: str, lines: Sequence[str]) -> tuple[float, str]:
    """The best value of :func:`rendered` in one picture, and the reading that gave it.

    ``lines`` are its lines from top to bottom. A text may go over several lines and have other words before
    and after it, on the same line or on others; what stands inside of it counts as errors. :data:`MARKS` at
    its end may be there or not. Nothing read is (0, "").
    """
    wanted = normal(asked)
    forms = [form for form in dict.fromkeys([wanted, wanted.rstrip(MARKS)]) if form]
    found = (0.0, "")
    for candidate in dict.fromkeys(_stretches(wanted, [normal(line) for line in lines])):
        value = max((rendered(form, candidate) for form in forms), default=0.0)
        if value > found[0]:
            found = (value, candidate)
        if value == 1:
            break
    return found


def _stretches(asked: str, lines: Sequence[str]) -> Iterator[str]:
    """Pieces of a picture's text that may be what was asked: whole lines, and stretches of words."""
    yield from lines
    whole = " ".join(lines)
    words = list(_WORD.finditer(whole))
    count = len(_WORD.findall(asked))
    for length in range(1 if count <= WIDE else count - 1, count + 2):
        for first in range(len(words) - length + 1):
            yield whole[words[first].start() : words[first + length - 1].end()]
