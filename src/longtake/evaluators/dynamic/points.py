"""Points on a thing: a regular grid inside its mask."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ..shared.occlusion import disc

Numbers = NDArray[np.float64]
MOST, FEWEST = 64, 16
"""Points of one thing."""
ERODED_PX = 3
"""Points keep so far from the mask's edge, where the background shows."""
SMALLEST_PX = 96
"""Things smaller than this at the working size are not measured: half a pixel of noise in the tracks of a
thing of 100 px already costs .17 of the score. The side of a square as large as the box around the mask."""
WIDER = 1.02
"""The grid is drawn wider by this factor until no more than ``MOST`` points lie in the mask."""


def size_of(mask: Any) -> float:
    """Side (px) of the square that is as large as the box around what is on in ``mask``; 0 if nothing is."""
    rows, columns = np.any(mask, axis=1), np.any(mask, axis=0)
    if not rows.any():
        return 0.0
    height, width = (np.flatnonzero(one)[-1] - np.flatnonzero(one)[0] + 1 for one in (rows, columns))
    return float(np.sqrt(float(height) * float(width)))


def grid(mask: Any) -> Numbers:
    """``FEWEST`` to ``MOST`` points (n, 2) in px inside ``mask`` (bool, (height, width)) without its edge, as
    many as there can be; none where fewer have room."""
    inner = cv2.erode(np.asarray(mask, np.uint8), disc(ERODED_PX), borderValue=0) > 0
    area = int(inner.sum())
    if area < FEWEST:
        return np.zeros((0, 2))
    rows, columns = np.nonzero(inner)
    low, high = np.array([columns.min(), rows.min()]), np.array([columns.max(), rows.max()])
    step = max(1.0, float(np.sqrt(area / MOST)) / WIDER)
    while True:
        points = _inside(inner, low, high, step)
        if len(points) <= MOST:
            return points if len(points) >= FEWEST else np.zeros((0, 2))
        step *= WIDER


def _inside(inner: Any, low: Any, high: Any, step: float) -> Numbers:
    """Points of a grid of this step, its rows and columns centred on the box, that lie inside."""
    axes = []
    for start, end in zip(low, high, strict=True):
        count = int((end - start) / step) + 1
        axes.append(start + ((end - start) - (count - 1) * step) / 2 + step * np.arange(count))
    x, y = (one.ravel() for one in np.meshgrid(*axes))
    kept = inner[np.rint(y).astype(int), np.rint(x).astype(int)]
    return np.stack([x[kept], y[kept]], axis=1)
