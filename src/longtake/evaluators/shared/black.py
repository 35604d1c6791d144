"""Films and stretches of which all is black: there is nothing in them that could be judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2

from ...core.evaluator import MeasuredCase
from ...signals.picture import BLACK_MEAN, BLACK_SPREAD
from .spans import LEAST_S, Span

SIGNAL = "picture"
"""The signal that tells it; evaluators that ask name it in their needs."""
BLACK = "all of its pictures are black"
"""The reason of a film of which nothing is to be seen."""


def is_black(picture: Any) -> bool:
    """Whether a picture (blue, green, red) shows nothing, as in the signal ``picture``."""
    mean, spread = cv2.meanStdDev(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY))
    return bool(mean[0, 0] <= BLACK_MEAN and spread[0, 0] <= BLACK_SPREAD)


def black_film(case: MeasuredCase) -> str | None:
    """:data:`BLACK` where no frame of the film shows anything; ``None`` where one does, and where that is not
    known because the signal is not there."""
    signal = case.signals[SIGNAL]
    if not signal.usable:
        return None
    share = signal.facts.get("black_share")
    return BLACK if share is not None and float(share) >= 1 else None


def black_of(case: MeasuredCase, spans: Sequence[Span]) -> list[bool]:
    """For each stretch whether all of it is black, but for a frame at its ends, which may be a neighbour's;
    none is where the signal is not there, nor what is black for too short a time to be an event of it."""
    signal = case.signals[SIGNAL]
    dark = [(e.start, e.end) for e in signal.events if e.kind == "black"] if signal.usable else []
    return [any(a <= start + LEAST_S and end <= b + LEAST_S for a, b in dark) for start, end in spans]
