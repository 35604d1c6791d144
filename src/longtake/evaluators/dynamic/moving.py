"""The largest region that moves otherwise than the picture as a whole."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ..shared.occlusion import disc

STRIDE = 8
"""Every eighth px takes part in the fit of what the camera does."""
MOVES_PX, MOVES_SHARE = 1.5, 0.15
"""A place moves by itself if it is further than this, and this share of the camera's own motion there, from
where the camera takes it, at the working size; ours, chosen beforehand."""
CLOSED_PX = 7
"""Gaps up to this are closed."""
LARGEST = 0.6
"""Of the picture; what is larger is the scene."""

Mask = NDArray[np.bool_]


def moving_region(flow: Any, px: float) -> Mask:
    """The largest connected region that moves by itself: bool, (height, width), all false if none does.

    Args:
        flow: displacements in px, shape (height, width, 2).
        px: what counts as one px of the working size in it.
    """
    height, width = flow.shape[:2]
    rows, columns = np.mgrid[STRIDE // 2 : height : STRIDE, STRIDE // 2 : width : STRIDE]
    here = np.stack([columns.ravel(), rows.ravel()], axis=1).astype(np.float32)
    if not len(here):  # the picture is smaller than half a stride
        return np.zeros((height, width), bool)
    there = here + flow[rows.ravel(), columns.ravel()]
    model, _ = cv2.estimateAffinePartial2D(
        here, there, method=cv2.RANSAC, ransacReprojThreshold=MOVES_PX * px
    )
    if model is None:
        return np.zeros((height, width), bool)
    x, y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    camera = np.stack([row[0] * x + row[1] * y + row[2] for row in model], axis=2) - np.stack([x, y], axis=2)
    off = np.linalg.norm(flow - camera, axis=2)
    own = off > MOVES_PX * px + MOVES_SHARE * np.linalg.norm(camera, axis=2)
    closed = cv2.morphologyEx(own.astype(np.uint8), cv2.MORPH_CLOSE, disc(CLOSED_PX * px))
    count, labels, facts, _ = cv2.connectedComponentsWithStats(closed)
    if count < 2:
        return np.zeros((height, width), bool)
    largest = 1 + int(np.argmax(facts[1:, cv2.CC_STAT_AREA]))
    if facts[largest, cv2.CC_STAT_AREA] > LARGEST * height * width:
        return np.zeros((height, width), bool)
    return np.asarray(labels == largest)
