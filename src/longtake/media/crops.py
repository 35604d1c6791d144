"""A small upright picture of one part of a frame, cut from its planes: the frame itself is never converted.

Places are given in *widths*: both coordinates over the width of the picture as shown, so that a circle is
round. The left upper corner is (0, 0) and the right lower one (1, height / width).
"""

from __future__ import annotations

import math
from typing import Any

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from .planes import Image, display_of, display_size, pixel_aspect, samples_of

Affine = NDArray[np.float64]
"""Shape (2, 3): takes (x, y, 1) of one plane to (x, y) of another."""


def square(x: float, y: float, side: float, angle: float, size: int) -> Affine:
    """Takes pixels of a square picture of ``size`` to widths: its centre, side and tilt in the film.

    ``angle`` is in degrees, clockwise as shown: what is tilted so stands upright in the small picture.
    """
    turn = math.radians(angle)
    step = side / size
    a, b = step * math.cos(turn), step * math.sin(turn)
    half = size / 2
    return np.array([[a, -b, x - a * half + b * half], [b, a, y - b * half - a * half]])


def crop(image: av.VideoFrame, rotation: int, place: Affine, size: int) -> Image:
    """RGB, shape (size, size, 3) uint8, upright. ``place`` takes its pixels to widths (see :func:`square`).

    ``rotation`` is :attr:`Picture.rotation`. What lies outside of the picture repeats its edge.
    """
    planes, bits, rows = samples_of(image)
    shares = _coded_shares(image, rotation) @ np.vstack([place, [0, 0, 1]])
    cut = [_warped(plane, shares, size, bits) for plane in planes]
    return np.asarray(cv2.transform(cv2.merge(cut), np.ascontiguousarray(rows[::-1])), np.uint8)


def _coded_shares(image: av.VideoFrame, rotation: int) -> NDArray[np.float64]:
    """Shape (2, 3): takes (x, y, 1) in widths to shares of the coded picture, before it is turned."""
    width, height = display_size(image.width, image.height, rotation, pixel_aspect(image))
    tall = width / height
    x, y = np.array([1.0, 0.0, 0.0]), np.array([0.0, tall, 0.0])
    one = np.array([0.0, 0.0, 1.0])
    across, down = {0: (x, y), 90: (y, one - x), 180: (one - x, one - y), 270: (one - y, x)}[rotation]
    return np.stack([across, one - down if display_of(image).mirrored else down])


def _warped(plane: Any, shares: NDArray[np.float64], size: int, bits: int) -> Image:
    """The part of a plane that ``shares`` names, 8 bits, by linear interpolation after shrinking by area."""
    tall, wide = plane.shape
    if plane.size == 1:
        return np.full((size, size), int(plane[0, 0]) >> (bits - 8), np.uint8)
    to_plane = shares * np.array([[wide], [tall]])
    corners = to_plane @ np.array([[0, size, 0, size], [0, 0, size, size], [1, 1, 1, 1]], float)
    lows = np.floor(corners.min(1)).astype(int) - 2
    highs = np.ceil(corners.max(1)).astype(int) + 2
    left, right = (int(v) for v in np.clip((lows[0], highs[0]), 0, wide))
    top, bottom = (int(v) for v in np.clip((lows[1], highs[1]), 0, tall))
    left, top = min(left, wide - 1), min(top, tall - 1)
    part = plane[top : max(bottom, top + 1), left : max(right, left + 1)]
    part = part if bits <= 8 else (part >> (bits - 8)).astype(np.uint8)
    times = max(int(math.sqrt(abs(np.linalg.det(to_plane[:, :2])))), 1)
    times = min(times, part.shape[0], part.shape[1])
    if times > 1:
        even = part[: part.shape[0] // times * times, : part.shape[1] // times * times]
        part = cv2.resize(
            even, (even.shape[1] // times, even.shape[0] // times), interpolation=cv2.INTER_AREA
        )
    offset = np.array([left, top], float)
    inner = to_plane.copy()
    inner[:, 2] = (inner[:, 2] - offset + inner[:, :2] @ np.array([0.5, 0.5])) / times - 0.5
    inner[:, :2] /= times
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    warped: Any = cv2.warpAffine(
        np.ascontiguousarray(part), inner, (size, size), flags=flags, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(warped, np.uint8)
