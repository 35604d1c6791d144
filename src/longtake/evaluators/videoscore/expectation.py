"""A score between the whole numbers: what a model expects where it wrote one."""

from __future__ import annotations

from collections.abc import Sequence


def expectation(odds: Sequence[float]) -> float:
    """The mean of 1, 2, 3, ... weighted by how probable each was: sum of p(k) k over the sum of p(k).

    ``odds`` need not add up to 1. The released VideoScore2 multiplies the likeliest score by its probability
    instead, so that a sure 3 (3.0) beats a 4 of which it is sure to seven tenths (2.8); here that 4 is 3.7,
    where the rest is a 3.

    Raises:
        ValueError: there are no odds, or one is negative or no number.
    """
    if not all(p >= 0 for p in odds) or not sum(odds) > 0:
        raise ValueError("there are no odds to weigh the scores by")
    return sum(k * p for k, p in enumerate(odds, 1)) / sum(odds)
