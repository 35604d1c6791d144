"""How far two profiles over the same shots rise and fall together (Long-CODE, arXiv 2604.17428, eq. 5)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...stats.correlation import row_pearson, row_ranks

Floats = NDArray[np.float64]
DIGITS = 6
"""Decimals to which cosines are rounded before they are ranked, so that equal texts tie on every machine
(long-code.md, 2.3)."""
LEAST_SHOTS = 4
"""Shots below which a rank correlation says nothing: of two shots it is -1 or 1 (long-code.md, 2.3)."""


def ranks(values: ArrayLike) -> Floats:
    """Ranks from 1 for the lowest, ties at their mean rank, of values rounded to :data:`DIGITS` decimals."""
    rounded = np.asarray(np.round(np.asarray(values, np.float64), DIGITS), np.float64)
    return np.asarray(row_ranks(rounded[None])[0])


def rho(first: ArrayLike, second: ArrayLike) -> float | None:
    """Spearman's rho of two profiles, -1 to 1; ``None`` where one of them is the same for all shots.

    Raises:
        ValueError: they have not one value for each of the same shots, or one that is no number.
    """
    a, b = (np.asarray(values, np.float64) for values in (first, second))
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"profiles of {a.shape} and {b.shape} cannot be compared")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise ValueError("a profile has a value that is no number")
    if not len(a):
        return None
    found = float(row_pearson(ranks(a)[None], ranks(b)[None])[0])
    return None if np.isnan(found) else min(1.0, max(-1.0, found))


def share(correlation: float) -> float:
    """A correlation from -1 to 1 as a share: (rho + 1) / 2. The paper gives no rule (long-code.md, 2)."""
    return (correlation + 1) / 2


def score(first: ArrayLike, second: ArrayLike) -> float | None:
    """The share of two profiles; ``None`` where their correlation is not defined. Raises ``ValueError``."""
    found = rho(first, second)
    return None if found is None else share(found)


def farthest(first: ArrayLike, second: ArrayLike, most: int) -> list[int]:
    """The shots whose ranks in the two profiles differ most, at most so many, those that differ not at all
    left out; of equal ones the first."""
    apart = np.abs(ranks(first) - ranks(second))
    order = np.argsort(-apart, kind="stable")[:most]
    return [int(i) for i in order if apart[i] > 0]
