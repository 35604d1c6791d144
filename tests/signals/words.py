"""Words compared with what was said: written alike, and counted by edits."""

from __future__ import annotations

import re
from collections.abc import Sequence

DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def plain(text: str) -> list[str]:
    """Lower-case words without marks; digits as words, apart from the letters they are written to."""
    text = re.sub(r"[.'’]", "", text.lower())
    for value, word in enumerate(DIGITS):
        text = text.replace(str(value), f" {word} ")
    return re.findall(r"[^\W\d_]+", text)


def edits(said: Sequence[str], heard: Sequence[str]) -> int:
    """Fewest words to leave out, put in or replace to make one sequence of the other (Levenshtein)."""
    row = list(range(len(heard) + 1))
    for i, word in enumerate(said, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            before, row[j] = row[j], min(before + (word != other), row[j] + 1, row[j - 1] + 1)
    return row[-1]


def error_rate(said: str, heard: str) -> float:
    """Word error rate: edits over the count of words said."""
    words = plain(said)
    return edits(words, plain(heard)) / len(words)
