"""Does a sentence say no more than the results that it names? Checked in code, by names and numbers.

What a sentence means is not understood here: a false claim without a number and without the name of another
checkpoint passes. That is said wherever such a summary is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..core.documents import CheckpointResult, DiagnosisDocument, ReportMetric
from .places import Places
from .repair import evidence_of
from .summary import spelt_out

Result = CheckpointResult | ReportMetric
CLOCK = re.compile(r"(?<![\w:.])(?:(\d{1,2}):)?(\d{1,3}):(\d{2}(?:[.,]\d+)?)(?![\w:])")
"""``12:04.5`` or ``1:02:03``."""
NUMBER = re.compile(r"(?<![\w.])[-+−]?(\d+(?:[.,]\d+)?)(\s?%|\s?per cent\b|\s?percent\b)?")
THOUSANDS = re.compile(r"\d{1,3},\d{3}")
WORD_NUMBERS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "twice": 2, "thrice": 3, "dozen": 12, "hundred": 100, "thousand": 1000,
}  # fmt: skip
"""Numbers as words; ``one`` is left out, as it is a pronoun more often than a number."""
SPELT = re.compile(rf"\b({'|'.join(WORD_NUMBERS)})\b", re.IGNORECASE)
CLOCK_S = 0.5
"""A time on a clock with whole seconds is rounded by up to this."""
TINY = 1e-9


@dataclass(frozen=True)
class Told:
    """A number in a sentence: ``step`` is the worth of its last digit."""

    text: str
    value: float
    step: float
    share: bool = False


@dataclass(frozen=True)
class Borne:
    """Numbers that a result bears: shares in [0, 1], plain numbers and counts, and spans in seconds."""

    shares: frozenset[float]
    numbers: frozenset[float]
    spans: tuple[tuple[float, float], ...]

    def bears(self, told: Told) -> bool:
        """Whether a number is one of these, rounded to its own digits, or lies in one of the spans."""
        half = told.step / 2 + TINY
        if told.share:
            return any(abs(s - told.value) <= half for s in self.shares)
        if any(abs(n - told.value) <= half for n in self.numbers):
            return True
        if any(start - half <= told.value <= end + half for start, end in self.spans):
            return True
        # A share is told with a digit after the point, or is 0 or 1: "scores 0" is not .31 rounded.
        return any(abs(s - told.value) <= (half if told.step < 1 else TINY) for s in self.shares)


class Claims:
    """Holds sentences against the results of one diagnosis."""

    def __init__(self, document: DiagnosisDocument) -> None:
        results: list[Result] = [*document.checkpoints, *document.report_metrics]
        self._results = {r.id: r for r in results}
        self._places = Places(document)
        self._names = {name: _name_forms(name) for name in self._results}

    def fault(self, text: str, names: Sequence[str]) -> str | None:
        """Why a sentence that names these results cannot be kept; ``None`` where nothing is against it."""
        if not names:
            return "names no result"
        if unknown := [n for n in names if n not in self._results]:
            return f"names {unknown[0]}, which is no result of this diagnosis"
        if silent := [n for n in names if self._results[n].value is None]:
            return f"names {silent[0]}, which is not scored"
        if strange := self._other_name(text, names):
            return f"speaks of {strange}, which it does not name"
        borne = [self._borne(self._results[n]) for n in names]
        for told in numbers_in(text):
            if not any(b.bears(told) for b in borne):
                return f"the number {told.text} stands in none of the results that it names"
        return None

    def _other_name(self, text: str, names: Sequence[str]) -> str | None:
        """The id of another result whose name the text holds, its own names aside."""
        rest = _words(text)
        own = [form for n in names for form in self._names[n]]
        for form in sorted(own, key=len, reverse=True):
            rest = re.sub(_pattern(form), " ", rest)
        others = [(form, n) for n, forms in self._names.items() if n not in names for form in forms]
        return next((n for form, n in others if re.search(_pattern(form), rest)), None)

    def _borne(self, result: Result) -> Borne:
        spans = evidence_of(result)
        judged = result.judgement
        texts = [result.reason, *(e.what for e in spans)]
        shares = {result.value, result.confidence}
        counts = {float(len(spans)), float(len(self._places.shots_of(spans)))}
        if isinstance(result, CheckpointResult):
            texts += [result.anchor, result.question]
            shares |= {result.weight, result.other.value if result.other else None}
            if result.clean_range:
                shares |= {result.clean_range.low, result.clean_range.median, result.clean_range.high}
        if judged:
            texts += [judged.says, *(e.what for e in judged.evidence)]
            shares |= {judged.value, *(d.value for d in judged.draws)}
            spans = [*spans, *judged.evidence]
            counts.add(float(len(judged.draws)))
        facts = [float(v) for v in result.facts.values() if isinstance(v, int | float)]
        told = [t for text in texts if text for t in numbers_in(text)]
        shots = self._places.shots_of(spans)
        planned = self._places.planned_of(spans, shots)
        places = [s.index + 1 for s in shots] + [p.index + 1 for p in planned]
        return Borne(
            frozenset(_known([*shares, *(f for f in facts if 0 <= f <= 1)]))
            | {t.value for t in told if t.share},
            frozenset(facts) | {t.value for t in told if not t.share} | counts | {float(i) for i in places},
            tuple((e.start, e.end) for e in spans if not self._places.is_whole(e))
            + tuple((e.start, e.start) for e in spans)
            + tuple((e.end, e.end) for e in spans)
            + tuple((e.end - e.start, e.end - e.start) for e in spans),
        )


def numbers_in(text: str) -> list[Told]:
    """The numbers of a text: on a clock, plain, in per cent (as shares), and from two as words."""
    found = []
    for match in CLOCK.finditer(text):
        hours, minutes, rest = match[1] or "0", match[2], match[3].replace(",", ".")
        value = 3600 * int(hours) + 60 * int(minutes) + float(rest)
        step = 10.0 ** -len(rest.partition(".")[2]) if "." in rest else 2 * CLOCK_S
        found.append(Told(match[0], value, step))
    for match in NUMBER.finditer(CLOCK.sub(" ", text)):
        digits = match[1].replace(",", "") if THOUSANDS.fullmatch(match[1]) else match[1].replace(",", ".")
        value, step = float(digits), 10.0 ** -len(digits.partition(".")[2])
        if match[2]:
            found.append(Told(match[0], value / 100, step / 100, share=True))
        else:
            found.append(Told(match[0], value, step))
    found += [Told(m[0], WORD_NUMBERS[m[0].lower()], 0.0) for m in SPELT.finditer(text)]
    return found


def _known(values: Iterable[float | None]) -> list[float]:
    return [v for v in values if v is not None]


def _name_forms(name: str) -> set[str]:
    """How a text may call a result: by the words of its id, short forms spelt out or not.

    A single word is a word of the language: it is a name only where the id is more than a word.
    """
    return {_words(name), _words(spelt_out(name))} if "_" in name else set()


def _words(text: str) -> str:
    """The text in small letters, words parted by one blank however they were parted."""
    return re.sub(r"[\s_-]+", " ", text.casefold())


def _pattern(form: str) -> str:
    return rf"(?<!\w){re.escape(form)}(?!\w)"
