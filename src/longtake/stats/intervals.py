"""Intervals of a share in closed form: the one SLVMEval prints, and Wilson's."""

from __future__ import annotations

import math

PAPER_Z = 1.96
"""The normal quantile of the paper's 95 % interval."""


def normal_quantile(share: float) -> float:
    """The standard normal quantile of a share in (0, 1)."""
    from scipy.special import ndtri

    return float(ndtri(share))


def p_of_z(z: float) -> float:
    """Two-sided p of a standard normal value."""
    return math.erfc(abs(z) / math.sqrt(2))


def paper_half_width(share: float, n: int) -> float:
    """Half-width of SLVMEval's 95 % interval: 1.96 sqrt(p (1 - p) / n), of a share of ``n`` answers.

    It takes the answers for independent, which the two orders of a pair are not, and is 0 at 0 and 1.

    Raises:
        ValueError: the share is outside of 0 to 1, or there is no answer.
    """
    _check(share, n)
    return PAPER_Z * math.sqrt(share * (1 - share) / n)


def wilson(share: float, n: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a share of ``n`` independent answers, in [0, 1]; never of width 0.

    Source: Wilson 1927; Brown, Cai and DasGupta 2001, equation 4.

    Raises:
        ValueError: the share is outside of 0 to 1, or there is no answer.
    """
    _check(share, n)
    z = normal_quantile(0.5 + level / 2)
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def _check(share: float, n: int) -> None:
    if not 0 <= share <= 1:
        raise ValueError(f"{share} is no share")
    if n < 1:
        raise ValueError("no answers, no interval")
