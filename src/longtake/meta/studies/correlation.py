"""Does a score go along with people's ratings?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.studies import CorrelationResult


@dataclass(frozen=True)
class CorrelationTable:
    """One row per evaluator and case. All columns have the same length.

    ``evaluator, case, brief, system`` are text, ``score`` and ``human`` (mean rating) NaN where missing.
    The parts of a fused score are evaluators of their own.
    """

    evaluator: NDArray[np.str_]
    case: NDArray[np.str_]
    brief: NDArray[np.str_]
    system: NDArray[np.str_]
    score: NDArray[np.float64]
    human: NDArray[np.float64]


@dataclass(frozen=True)
class Ratings:
    """One row per single rating: of ``case``, by ``rater``, ``value``.

    ``same_raters`` says that a name stands for the same person at every case; else raters are anonymous and
    reliability is that of a one-way design.
    """

    case: NDArray[np.str_]
    rater: NDArray[np.str_]
    value: NDArray[np.float64]
    same_raters: bool = True


@dataclass(frozen=True)
class CorrelationOptions:
    """``differences`` between evaluators may be switched off."""

    differences: bool = True
    level: float = 0.95
    draws: int = 10_000
    seed: int = 0


def correlation(
    table: CorrelationTable,
    ratings: Ratings | None = None,
    options: CorrelationOptions | None = None,
) -> CorrelationResult:
    """The study. Raises ValueError where columns differ in length or one evaluator has a case twice."""
    raise NotImplementedError
