"""Does a score fall with the strength of a damage?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...core.studies import SensitivityResult


@dataclass(frozen=True)
class SensitivityTable:
    """One row per score. All columns have the same length.

    ``evaluator, case, source, family`` are text (``source`` names the undamaged video; rows of one source
    are not independent), ``strength`` is finite, 0 for the control, ``score`` is NaN where unscored.
    """

    evaluator: NDArray[np.str_]
    case: NDArray[np.str_]
    source: NDArray[np.str_]
    family: NDArray[np.str_]
    strength: NDArray[np.float64]
    score: NDArray[np.float64]


@dataclass(frozen=True)
class SensitivityOptions:
    """``higher_is_better`` by evaluator (true where not named); ``best`` is the best end of its range."""

    higher_is_better: Mapping[str, bool] = field(default_factory=dict)
    best: Mapping[str, float] = field(default_factory=dict)
    level: float = 0.95
    draws: int = 10_000
    seed: int = 0


def sensitivity(
    table: SensitivityTable, options: SensitivityOptions = SensitivityOptions()
) -> SensitivityResult:
    """The study. Raises ValueError where columns differ in length."""
    raise NotImplementedError
