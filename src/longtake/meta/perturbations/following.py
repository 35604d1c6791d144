"""A mask that stays on its thing through a clip: carried by optical flow, corrected now and then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from .base import Picture

Matte = NDArray[np.float32]
Find = Callable[[Picture, Matte | None], Matte]
"""A mask in the size of a picture; the second is where the thing was expected, ``None`` at the start."""

WIDTH = 480
"""Masks are carried at this width, px, ..."""
FLOW_WIDTH = 256
"""... by a flow found at this one (DIS, Kroeger et al., ECCV 2016)."""
CORRECTED_S, LOST_S = 0.5, 0.1
"""Seconds after which the thing is looked for again; where it is not there, or the flow does not fit."""
MISFIT = 14.0
"""The flow is not believed from this mean difference in levels, where the mask is, between a picture and the
one before carried there."""
AGREE = 0.4
"""Intersection over union from which what is found is the thing that was carried here."""
DOUBTS = 2
"""After so many looks in a row that found something else, or nothing, the carried mask is given up."""
SETTLE_S = 0.12
"""Seconds in which a correction is half done: a mask that jumps would flicker."""
GAP_S = 0.5
"""After a gap of more than this many seconds, or a step back, the thing is looked for anew."""
CRISP = 1.06
"""Contrast added to a carried mask per frame: carrying softens it."""


class Follower:
    """Gives the mask of one thing for the pictures of one clip, in time order."""

    def __init__(self, find: Find) -> None:
        self._find = find
        self._dis = cv2.DISOpticalFlow.create(cv2.DISOPTICAL_FLOW_PRESET_ULTRAFAST)
        self._time: float | None = None
        self._looked = 0.0
        self._doubts = 0
        self._grey: NDArray[np.uint8] = np.zeros((0, 0), np.uint8)
        self._mask: Matte = np.zeros((0, 0), np.float32)
        self._goal: Matte = self._mask

    def mask(self, bgr: Picture, time: float) -> Matte:
        """Float32, 0 to 1, the size of ``bgr``, a picture shown at ``time`` seconds."""
        height, width = bgr.shape[:2]
        grey = np.asarray(cv2.cvtColor(_narrow(bgr, FLOW_WIDTH), cv2.COLOR_BGR2GRAY), np.uint8)
        step = None if self._time is None else time - self._time
        if step is None or not 0 <= step <= GAP_S or grey.shape != self._grey.shape:
            self._mask = self._goal = _narrow(self._find(bgr, None), WIDTH)
            self._looked, self._doubts = time, 0
        elif step > 0:
            lost = self._carry(grey, step)
            if time - self._looked >= (LOST_S if lost else CORRECTED_S):
                self._correct(bgr, time, lost)
        self._time, self._grey = time, grey
        large = cv2.resize(self._mask, (width, height), interpolation=cv2.INTER_LINEAR)
        return np.asarray(np.clip(large, 0, 1), np.float32)

    def _carry(self, grey: NDArray[np.uint8], step: float) -> bool:
        """Moves the mask along; whether there is none or it cannot be trusted."""
        back = np.asarray(
            self._dis.calc(grey, self._grey, np.zeros((*grey.shape, 2), np.float32)), np.float32
        )
        before = _moved(np.asarray(self._grey, np.float32), back)
        height, width = self._mask.shape
        there = cv2.resize(self._mask, grey.shape[::-1])
        back = np.asarray(cv2.resize(back, (width, height)), np.float32) * (width / grey.shape[1])
        mask, self._goal = _crisp(_moved(self._mask, back)), _crisp(_moved(self._goal, back))
        self._mask = np.asarray(mask + (self._goal - mask) * (1 - 2 ** (-step / SETTLE_S)), np.float32)
        weight = float(there.sum())
        return weight < 1 or float((np.abs(grey - before) * there).sum()) / weight > MISFIT

    def _correct(self, bgr: Picture, time: float, lost: bool) -> None:
        there = _narrow(self._find(bgr, _scaled(self._goal, bgr)), WIDTH)
        self._looked = time
        if (lost and there.any()) or overlap(there, self._goal) >= AGREE or self._doubts + 1 >= DOUBTS:
            self._goal, self._doubts = there, 0
        else:
            self._doubts += 1


def _moved(picture: Matte, back: Matte) -> Matte:
    """Each pixel from where ``back`` (px, shape (height, width, 2)) says that it came from."""
    height, width = picture.shape
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    place = np.asarray(x + back[..., 0], np.float32), np.asarray(y + back[..., 1], np.float32)
    return np.asarray(
        cv2.remap(picture, *place, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32
    )


def _crisp(mask: Matte) -> Matte:
    return np.asarray(np.clip((mask - 0.5) * CRISP + 0.5, 0, 1), np.float32)


def overlap(a: Matte, b: Matte) -> float:
    """Intersection over union of two masks, 1 where both are empty."""
    either = float(np.maximum(a, b).sum())
    return float(np.minimum(a, b).sum()) / either if either > 0 else 1.0


def covered(mask: Matte, by: Matte) -> float:
    """Share of ``mask`` that lies in ``by``; 0 for an empty one."""
    whole = float(mask.sum())
    return float(np.minimum(mask, by).sum()) / whole if whole > 0 else 0.0


def _scaled(mask: Matte, like: Picture) -> Matte:
    return np.asarray(cv2.resize(mask, like.shape[1::-1], interpolation=cv2.INTER_LINEAR), np.float32)


def _narrow(picture: NDArray[Any], width: int) -> NDArray[Any]:
    height, wide = picture.shape[:2]
    if wide <= width:
        return picture
    size = (width, max(round(height * width / wide), 2))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA))
