"""How like the picture of a line of text is to that of a few frames before: letters that bend or melt."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

REACH = 0.5
"""How far a line may have gone meanwhile, in heights of the line."""
STILL = 6.0
"""Mean change, grey levels, of a rim around the line up to which what lies behind it holds still. Letters
without an edge of their own over a moving field correlate at 0.5 though they stand still: nothing is said."""
GAP, RIM = 0.25, 0.25
"""How far outside the line that rim begins, and its width, in heights of the line: bent letters reach out."""
LEAST = 2
"""Least margin and width of the rim, px."""


def same_shape(picture: Image, earlier: Image, quad: NDArray[np.float32]) -> float:
    """Highest correlation of a place with its surroundings in an earlier picture, in [0, 1].

    Both pictures are BGR of one size, ``quad`` holds four corners (x, y) in px. NaN where the rim of the
    place changed by itself, or lies outside the picture.
    """
    left, top = np.maximum(np.floor(quad.min(0)), 0).astype(int)
    right, bottom = np.ceil(quad.max(0)).astype(int)
    margin = max(int((bottom - top) * REACH), LEAST)
    y, x = max(top - margin, 0), max(left - margin, 0)
    place = _grey(picture[top:bottom, left:right])
    around = _grey(earlier[y : bottom + margin, x : right + margin])
    _, best, _, (dx, dy) = cv2.minMaxLoc(cv2.matchTemplate(around, place, cv2.TM_CCOEFF_NORMED))
    shift = (x + dx - left, y + dy - top)
    # Overlaid text stands still in the picture, text in the scene goes with what is around it.
    if not any(_rim(picture, earlier, (left, top, right, bottom), s) <= STILL for s in (shift, (0, 0))):
        return math.nan
    return float(np.clip(best, 0, 1))


def _rim(picture: Image, earlier: Image, box: tuple[int, int, int, int], shift: tuple[int, int]) -> float:
    """Mean change of what lies just around a box that has moved by ``shift``; NaN where nothing does."""
    left, top, right, bottom = box
    height, width = picture.shape[:2]
    gap = int((bottom - top) * GAP)
    wide = gap + max(int((bottom - top) * RIM), LEAST)
    x0, x1 = (min(max(v, 0, -shift[0]), width, width - shift[0]) for v in (left - wide, right + wide))
    y0, y1 = (min(max(v, 0, -shift[1]), height, height - shift[1]) for v in (top - wide, bottom + wide))
    now = _grey(picture[y0:y1, x0:x1])
    before = _grey(earlier[y0 + shift[1] : y1 + shift[1], x0 + shift[0] : x1 + shift[0]])
    outside = np.ones(now.shape, np.bool_)
    inner = [max(v, 0) for v in (top - gap - y0, bottom + gap - y0, left - gap - x0, right + gap - x0)]
    outside[inner[0] : inner[1], inner[2] : inner[3]] = False
    return float(cv2.absdiff(now, before)[outside].mean()) if outside.any() else math.nan


def _grey(part: Image) -> Image:
    return np.asarray(cv2.cvtColor(part, cv2.COLOR_BGR2GRAY), np.uint8)
