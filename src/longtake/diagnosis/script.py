"""What the brief asks to be said, and how far that was heard."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np

from .facts import Facts
from .plan import planned_name

ASIDES = re.compile(r"\([^)]*\)|\[[^\]]*\]|<[^>]*>|\*[^*]*\*")
"""Stage directions and mark-up: they are not said."""
CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
"""Writing without spaces between words, and Korean: compared by characters."""
SPEAKER = re.compile(
    r"^\s*(?:[-–—]\s*)?(?:[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,2}|[\u4e00-\u9fff]{1,6})\s*[:：](?!\d)\s*"
)
"""A name with a colon at the beginning of a line: who speaks, not what is said."""
CONTRACTIONS = {"ve": "have", "re": "are", "ll": "will", "m": "am"}
"""English endings that a recogniser may write out; those with two meanings ('s, 'd) are left."""
UNITS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


@dataclass(frozen=True)
class AskedLine:
    """Words that the brief wants to be said; times in seconds where it or the aligned plan gives any.

    ``exact`` lines bring times of their own, as captions do; the others may be said anywhere in their shot.
    """

    text: str
    name: str
    start: float | None = None
    end: float | None = None
    exact: bool = False


@dataclass(frozen=True)
class HeardLine:
    """An asked line with its words, and which of the heard words they were found to be (-1: not heard)."""

    line: AskedLine
    words: tuple[str, ...]
    heard: tuple[int, ...]

    @property
    def share(self) -> float:
        """Share of its words that were heard."""
        return sum(i >= 0 for i in self.heard) / len(self.heard)


@dataclass(frozen=True)
class Comparison:
    """All asked lines against all heard words. ``errors`` counts words wrong, left out or put in."""

    lines: tuple[HeardLine, ...]
    asked: int
    heard: int
    errors: int

    @property
    def word_error_rate(self) -> float:
        """Errors per asked word; above 1 where much was said that nobody asked for."""
        return self.errors / self.asked


def asked_lines(facts: Facts) -> list[AskedLine]:
    """The lines of the brief in order: captions, else the dialogue and narration of its shots."""
    brief = facts.brief
    if brief is None:
        return []
    if brief.lines:
        timed = (
            AskedLine(line.text, f"line {n}", line.start, line.end, True)
            for n, line in enumerate(brief.lines, 1)
        )
        return [line for line in timed if words_of(line.text) and _within(facts, line)]
    aligned = {s.index: s for s in facts.plan.shots} if facts.plan else {}
    found = []
    for i, shot in enumerate(brief.shots):
        beside = aligned.get(i)
        if facts.is_part and beside is None:
            continue
        start = beside.measured_start if beside else shot.start
        end = beside.measured_end if beside else shot.end
        found += [
            AskedLine(text, planned_name(shot.index), start, end)
            for text in (shot.narration, shot.dialogue)
            if text and words_of(text)
        ]
    return found


def _within(facts: Facts, line: AskedLine) -> bool:
    """Whether a line lies in what was looked at."""
    return line.start is None or line.end is None or (line.start < facts.end and line.end > facts.start)


def words_of(text: str) -> list[str]:
    """Words as they sound: lower case, no marks, numbers up to 99 in English words, CJK by characters."""
    lines = (SPEAKER.sub("", line) for line in ASIDES.sub(" ", text).splitlines())
    plain = unicodedata.normalize("NFKC", " ".join(lines)).casefold()
    for short, long in CONTRACTIONS.items():
        plain = re.sub(rf"['’`]{short}\b", f" {long}", plain)
    plain = CJK.sub(lambda m: f" {m[0]} ", re.sub(r"['’`]", "", plain))
    return [word for part in re.findall(r"\d+|[^\W\d_]+", plain) for word in _spoken(part)]


def _spoken(word: str) -> list[str]:
    if not word.isdecimal() or len(word) > 2:
        return [word]
    number = int(word)
    if number < 20:
        return [UNITS[number]]
    ten, unit = divmod(number, 10)
    return [TENS[ten - 2], *([UNITS[unit]] if unit else [])]


def compare(lines: Sequence[AskedLine], heard: Sequence[str]) -> Comparison:
    """Find the words of the asked lines, in their order, among the ``heard`` ones.

    ``heard`` are words as a recogniser writes them. What lies between matching runs counts as wrong words
    up to the shorter side, and as left out or put in beyond it; this is the word error rate of an alignment
    that keeps the longest runs, and never below the least possible one.
    """
    asked = [words_of(line.text) for line in lines]
    said, source = [], []
    for i, word in enumerate(heard):
        for part in words_of(word):
            said.append(part)
            source.append(i)
    flat = [word for words in asked for word in words]
    place = np.full(len(flat), -1)
    errors = 0
    matcher = SequenceMatcher(None, flat, said, autojunk=len(flat) * len(said) > 4_000_000)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            place[a:b] = np.asarray(source, np.int64)[c:d]
        else:
            errors += max(b - a, d - c)
    ends = np.cumsum([len(words) for words in asked])
    found = tuple(
        HeardLine(line, tuple(words), tuple(int(i) for i in place[end - len(words) : end]))
        for line, words, end in zip(lines, asked, ends, strict=True)
    )
    return Comparison(found, len(flat), len(said), errors)


def other_writing(lines: Sequence[AskedLine], heard: Sequence[str]) -> bool:
    """Whether one side is written in Chinese, Japanese or Korean and the other is not."""
    asked = bool(CJK.search(" ".join(line.text for line in lines)))
    return asked != bool(CJK.search(" ".join(heard)))
