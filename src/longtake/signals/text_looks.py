"""Which frames are looked at for text: a grid of film time, new pictures, and none that did not change."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from .window import Window

Luma = NDArray[np.uint8]
DENSE_S, EARLY_S, LATE_S = 60, 600, 4
"""Film time up to which a frame is looked at once a second, up to which every two; later every LATE_S s."""
NEW = 18.0
"""Mean luma change, grey levels, after which one more frame of the same second is looked at, once settled."""
SAME = 1.3
"""Grey levels: if no part of the picture changed by more since the last look, nothing is read again. Coding
noise of still cards of the test media gives up to 1.2, the digits of a timecode of 720p at least 1.4."""
PARTS = (16, 9)
"""Columns and rows of such parts."""


def tick_of(time: float) -> int:
    """Number of the grid step of a time; within a cell different steps have different numbers."""
    return int(time) if time < DENSE_S else int(time / (2 if time < EARLY_S else LATE_S))


def change(one: Luma, other: Luma) -> float:
    """Mean luma change in grey levels."""
    if one.shape != other.shape:
        return 255.0
    return float(cv2.norm(one, other, cv2.NORM_L1)) / one.size


def unchanged(now: Luma, last: Luma) -> bool:
    """Whether no part of the picture changed to speak of."""
    if now.shape != last.shape:
        return False
    parts = cv2.resize(cv2.absdiff(now, last).astype(np.float32), PARTS, interpolation=cv2.INTER_AREA)
    return float(np.max(parts)) < SAME


def settled(window: Window, last: Luma) -> bool:
    """Whether the picture is a new one since the last look, and like the frame before it."""
    now, before = window[0], window[-1]
    if now is None or before is None:
        return False
    new = change(now.y, last)
    return new >= NEW and change(now.y, before.y) < new / 3
