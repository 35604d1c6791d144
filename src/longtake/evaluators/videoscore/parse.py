"""What a reply of VideoScore2 says: exactly three scores, or nothing.

The model thinks within ``<think>`` and then writes one line a dimension. Its thoughts name scores too, and do
not always agree with its answer; some replies end within them. So only what follows the last thought counts,
and there only three scores and nothing else: whoever takes the first number behind a name reads thoughts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

DIMENSIONS: Mapping[str, str] = {
    "visual_quality": "visual quality",
    "text_alignment": "text-to-video alignment",
    "physical_consistency": "physical/common-sense consistency",
}
"""Our names of the dimensions and the model's, in its order."""
LOWEST, HIGHEST = 1, 5
OPENS, CLOSES = "<think>", "</think>"
SCORE = re.compile(r"-?[0-9]+(?:[.][0-9]+)?(?:\s*/\s*5\b)?")
"""A number as the model writes it; ``4/5`` is four of five."""
BETWEEN = re.compile(r"(?:\s|[;,.*-]|\([123]\))*")
"""What may stand around the scores: blanks, the signs that part them, and the numbers of a list."""


@dataclass(frozen=True)
class Parsed:
    """``scores`` by our names of the dimensions, ``places`` where the digit of each stands in the reply."""

    scores: Mapping[str, int]
    places: Mapping[str, int]


def parsed(reply: str) -> Parsed:
    """The three scores of a reply, 1 to 5, and where they stand.

    Raises:
        ValueError: it does not give exactly these three; says why, in words for a report.
    """
    start = _answer(reply)
    answer = reply[start:]
    scores: dict[str, int] = {}
    places: dict[str, int] = {}
    at = 0
    for name, words in DIMENSIONS.items():
        label = re.compile(rf"{re.escape(words)}[\s*]*:[\s*]*", re.IGNORECASE)
        labels = list(label.finditer(answer))
        if len(labels) != 1:
            raise ValueError(f"it gives {words} {len(labels)} times" if labels else f"it gives no {words}")
        number = SCORE.match(answer, labels[0].end())
        if number is None:
            raise ValueError(f"it gives no number for {words}")
        digits = number[0].partition("/")[0].strip()
        if not digits.isdigit() or not LOWEST <= int(digits) <= HIGHEST:
            raise ValueError(f"{words} is {digits}, no whole number from {LOWEST} to {HIGHEST}")
        if BETWEEN.fullmatch(answer, at, labels[0].start()) is None:
            raise ValueError("it says more than the three scores, or in another order")
        scores[name], places[name], at = int(digits), start + number.start() + len(digits) - 1, number.end()
    if BETWEEN.fullmatch(answer, at) is None:
        raise ValueError("it says more than the three scores, or in another order")
    return Parsed(scores, places)


def _answer(reply: str) -> int:
    """Where the answer begins: behind the last thought. Raises ``ValueError`` where none follows."""
    closed = reply.rfind(CLOSES)
    if closed < 0:
        if OPENS in reply:
            raise ValueError("it ends within its thoughts")
        closed = -len(CLOSES)
    start = closed + len(CLOSES)
    if not reply[start:].strip():
        raise ValueError("it gives no answer after its thoughts" if start else "it is empty")
    if OPENS in reply[start:]:
        raise ValueError("it ends within its thoughts")
    return start
