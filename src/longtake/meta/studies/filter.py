"""Which pairs do people keep? Nobody says C (the damage failed), and more say A than B."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.studies import FilterResult


@dataclass(frozen=True)
class VoteTable:
    """One row per vote: ``A`` all chosen clips visibly damaged, ``B`` some, ``C`` failed."""

    pair: NDArray[np.str_]
    aspect: NDArray[np.str_]
    rater: NDArray[np.str_]
    vote: NDArray[np.str_]


@dataclass(frozen=True)
class FilterOptions:
    """``candidates`` are the pairs that were to be judged, with their aspect; ``None``: those with votes."""

    candidates: Mapping[str, str] | None = None
    level: float = 0.95
    draws: int = 10_000
    seed: int = 0


def human_filter(table: VoteTable, options: FilterOptions | None = None) -> FilterResult:
    """Keep a pair if nobody says C and count(A) > count(B).

    Raises ValueError where a vote is no A, B or C, or one rater votes twice on a pair.
    """
    raise NotImplementedError
