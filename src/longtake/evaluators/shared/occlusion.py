"""Where two frames do not show the same, what moves there, and how the camera moves, from flow both ways.

Flow is float32 displacements in px, shape (height, width, 2), x then y; ``forward`` leads from the earlier
frame to the later one, ``backward`` back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ...signals.motion_fit import split

Plane = NDArray[np.float32]
Mask = NDArray[np.bool_]

SHORT_SIDE = 360
"""px of the shorter side, by area; smaller films stay as they are, and lengths in px shrink with them.
From the reference of DynamicEval's metrics, as are all constants without another source."""
DISAGREE_PX, DISAGREE_SHARE = 1.0, 0.05
"""Forward and backward flow disagree beyond so many px and this share of their length."""
FOLD = 1.0
"""Change of flow from px to px from which there is an edge of motion: a smooth map would fold. Ours."""
EDGE_PX = 5
"""Edges are dilated by so many px."""
FIT_WIDTH = 128
"""px of the plane to which the split of flow into camera and rest is tuned."""


def unit(shape: Sequence[int]) -> float:
    """Length in px that is 1 px at the working size, for a picture of this shape."""
    return min(1.0, min(shape[:2]) / SHORT_SIDE)


def occluded(forward: Plane, backward: Plane) -> Mask:
    """Where one frame shows what the other does not, with the edges of motion, dilated: (height, width)."""
    px = unit(forward.shape)
    found = np.zeros(forward.shape[:2], np.uint8)
    for one, other in ((forward, backward), (backward, forward)):
        found |= _apart(one, other, px) | _folds(one)
    return np.asarray(dilated(found, EDGE_PX * px))


def _apart(one: Plane, other: Plane, px: float) -> NDArray[np.uint8]:
    """Where going there and back does not lead back, or leads out of the picture."""
    height, width = one.shape[:2]
    across, down = _grid(height, width)
    x, y = across + one[..., 0], down + one[..., 1]
    back = moved(other, one)
    miss = np.hypot(one[..., 0] + back[..., 0], one[..., 1] + back[..., 1])
    allowed = DISAGREE_PX * px + DISAGREE_SHARE * np.hypot(one[..., 0], one[..., 1])
    outside = (x < 0) | (y < 0) | (x > width - 1) | (y > height - 1)
    return ((miss > allowed) | outside).astype(np.uint8)


def _folds(flow: Plane) -> NDArray[np.uint8]:
    """Where flow changes so fast from px to px that it is an edge."""
    steepest = np.zeros(flow.shape[:2], np.float32)
    for axis in (0, 1):
        across = cv2.Sobel(flow[..., axis], cv2.CV_32F, 1, 0, scale=1 / 8)
        down = cv2.Sobel(flow[..., axis], cv2.CV_32F, 0, 1, scale=1 / 8)
        steepest = np.maximum(steepest, np.hypot(across, down))
    return (steepest > FOLD).astype(np.uint8)


def dilated(mask: Any, px: float) -> Mask:
    """A mask with everything within ``px`` of it."""
    return np.asarray(cv2.dilate(np.asarray(mask, np.uint8), disc(px)) > 0)


def disc(px: float) -> Any:
    """A disc of this radius, 1 px at least, by which a mask is made larger or smaller."""
    side = 2 * max(1, round(px)) + 1
    return cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))


def camera_px(forward: Plane, before: Any, after: Any) -> float:
    """By how many px the whole picture moves, root mean square over it; NaN where that cannot be told."""
    height, width = forward.shape[:2]
    scale = min(1.0, FIT_WIDTH / width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    little = cv2.resize(forward, size, interpolation=cv2.INTER_AREA) * np.float32(size[0] / width)
    planes = [
        cv2.resize(cv2.cvtColor(p, cv2.COLOR_BGR2GRAY), size, interpolation=cv2.INTER_AREA)
        for p in (before, after)
    ]
    fit = split(little, np.asarray(planes[0], np.uint8), np.asarray(planes[1], np.uint8), 0)
    return fit.camera * width


def moved(values: Any, step: Plane, border: int = cv2.BORDER_REPLICATE) -> Any:
    """``values`` of a picture, each taken ``step`` px away from its place."""
    across, down = _grid(*step.shape[:2])
    return cv2.remap(values, across + step[..., 0], down + step[..., 1], cv2.INTER_LINEAR, borderMode=border)


def _grid(height: int, width: int) -> tuple[Plane, Plane]:
    across, down = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    return across, down
