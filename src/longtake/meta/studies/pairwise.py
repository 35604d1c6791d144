"""Does an evaluator prefer the undamaged film of a pair?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.studies import PairwiseResult, Ties

A, B, TIE, UNANSWERED = 1.0, 0.0, 0.5, np.nan
"""How ``PairwiseTable.choice`` writes the undamaged film, the damaged one, neither, and no answer."""
NO_ORDER, AB, BA = 0, 1, 2
"""How ``PairwiseTable.order`` writes a question without order (scores), a shown first, b shown first."""


@dataclass(frozen=True)
class PairwiseTable:
    """One row per question put to an evaluator. All columns have the same length.

    ``evaluator, pair, source, aspect`` are text; ``order`` and ``choice`` are written as above (see
    ``choices_of`` for two scores). ``duration`` (s), ``share_changed`` and ``kept`` (1, 0) are NaN where not
    stated, or ``None`` as a whole. What is said of a pair is the same in all its rows.
    """

    evaluator: NDArray[np.str_]
    pair: NDArray[np.str_]
    source: NDArray[np.str_]
    aspect: NDArray[np.str_]
    order: NDArray[np.int8]
    choice: NDArray[np.float64]
    duration: NDArray[np.float64] | None = None
    share_changed: NDArray[np.float64] | None = None
    kept: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class PairwiseOptions:
    """``baselines`` are names of evaluators in the table to be marked as such, beside constant and random.

    ``differences`` may be switched off where only single figures are wanted.
    """

    ties: Ties = "half"
    baselines: frozenset[str] = frozenset()
    differences: bool = True
    bins: int = 4
    rank_bins: int = 50
    level: float = 0.95
    draws: int = 10_000
    seed: int = 0


def choices_of(
    score_a: NDArray[np.float64], score_b: NDArray[np.float64], higher_is_better: bool = True
) -> NDArray[np.float64]:
    """The column ``choice`` from two scores: the better wins, equal ones tie, NaN on either side is NaN."""
    raise NotImplementedError


def pairwise(table: PairwiseTable, options: PairwiseOptions = PairwiseOptions()) -> PairwiseResult:
    """The study. Raises ValueError where columns differ in length or one evaluator has a question twice."""
    raise NotImplementedError
