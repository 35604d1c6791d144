"""Shares said truly: one that is below a bound is never printed as if it had reached it."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor

EXACT = 1e-6
"""What arithmetic may lose: ``0.29 * 100`` is 28.999... and means 29. A level counts as met within it too."""


def floored(value: float, digits: int = 2) -> float:
    """A value cut, not rounded, to ``digits`` digits: .7467 is .74 and cannot look like the .75 it misses."""
    scale = 10.0**digits
    return floor(value * scale + EXACT) / scale


def two_digits(value: float, bounds: Sequence[float] = ()) -> str:
    """A value with two digits; with three, cut, where rounding would lift it to a bound that it misses."""
    lifted = any(value < bound - EXACT and f"{value:.2f}" == f"{bound:.2f}" for bound in bounds)
    return f"{floored(value, 3):.3f}" if lifted else f"{value:.2f}"


def between(levels: Sequence[str], value: float) -> tuple[str, str] | None:
    """The two neighbouring levels, of those from 0 to 1, that a value lies between; ``None`` on a level."""
    place = value * (len(levels) - 1)
    if len(levels) < 2 or abs(place - round(place)) < EXACT:
        return None
    below = floor(place)
    return levels[below], levels[below + 1]
