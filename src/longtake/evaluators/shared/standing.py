"""Whether a shot stands still: how far its blocks get from those of its first frame."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

BLOCKS = 32
"""Width of the plane of blocks, as in the signal ``motion``."""
STILL = 5.0
"""Levels by which no block of a frozen shot is ever away from its first frame. Fixed on every third clip of
8_footage (``benchmarks/vbench.py frozen MEDIA 0``): held on their first picture and encoded at up to crf 30
none is further away than 3.0, and of their own two seconds none is nearer than 16.8. On the next of each
three (``MEDIA 1``) it is 1.7 and 14.8."""


def blocks_of(grey: NDArray[np.uint8]) -> NDArray[np.float32]:
    """A grey picture as a plane of blocks in levels, at most :data:`BLOCKS` wide."""
    height, width = grey.shape
    size = min(BLOCKS, width), max(1, round(min(BLOCKS, width) * height / width))
    return np.asarray(cv2.resize(grey.astype(np.float32), size, interpolation=cv2.INTER_AREA), np.float32)
