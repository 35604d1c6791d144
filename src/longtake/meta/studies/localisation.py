"""Does an evaluator point at what was changed, and at nothing on the control?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.studies import LocalisationResult

Spans = NDArray[np.float64]
"""Spans as rows (start, end) in seconds, shape (k, 2), k may be 0."""


@dataclass(frozen=True)
class LocalisationTable:
    """One row per evaluator and pair. All columns have the same length.

    ``changed`` are the spans changed (an empty span where something is missing) and ``found`` those pointed
    at, on the damaged film's clock; ``control_found`` those pointed at on the control, ``minutes`` the
    control's length. ``found`` and ``control_found`` are ``None`` where nothing was scored, which is not the
    same as nothing found. ``strength`` is NaN where not stated. ``source`` is the pair where not stated.
    """

    evaluator: NDArray[np.str_]
    pair: NDArray[np.str_]
    source: NDArray[np.str_]
    aspect: NDArray[np.str_]
    strength: NDArray[np.float64]
    changed: Sequence[Spans]
    found: Sequence[Spans | None]
    control_found: Sequence[Spans | None]
    minutes: NDArray[np.float64]


@dataclass(frozen=True)
class LocalisationOptions:
    """``moment_s``: an empty changed span counts as pointed at by a span that comes as near as this."""

    moment_s: float = 0.5
    level: float = 0.95
    draws: int = 10_000
    seed: int = 0


def localisation(table: LocalisationTable, options: LocalisationOptions | None = None) -> LocalisationResult:
    """The study. Raises ValueError where columns differ in length or a span ends before it starts."""
    raise NotImplementedError
