"""How frames become a shot's value and shots the film's: one rule for all seven dimensions.

A shot's value is the mean over its frames (or pairs, or triples); the film's is the mean over shots, each
weighted by its seconds. Sums are exact (``math.fsum``), so that neither the order of shots nor how many
processes measured them can move a digit. VBench divides by frames with one process and takes the mean of
means with several.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

WITHIN_SHARE = 0.5
"""Weight of consistency within shots beside that from shot to shot: VBench-Long's, as long-video results are
reported with it. Its development settings have .7 for subjects and .8 for backgrounds."""


def mean(values: Sequence[float]) -> float:
    """Mean of a shot's frames. Raises ``ValueError`` without any."""
    if not values:
        raise ValueError("nothing to take the mean of")
    return math.fsum(values) / len(values)


def over_shots(values: Sequence[float], seconds: Sequence[float]) -> float:
    """Mean of the shots' values weighted by their ``seconds``.

    Raises:
        ValueError: there are none, as many weights as values are not given, or one is not above 0.
    """
    if not values or len(values) != len(seconds) or min(seconds) <= 0:
        raise ValueError("each shot has a value and a length above 0")
    return math.fsum(v * s for v, s in zip(values, seconds, strict=True)) / math.fsum(seconds)


def combined(within: float, across: float | None) -> float:
    """Consistency of a film: half within its shots, half from shot to shot; of one shot what is within."""
    return within if across is None else WITHIN_SHARE * within + (1 - WITHIN_SHARE) * across
