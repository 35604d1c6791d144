"""How much a tracker deviates where nothing deforms: the floor under every figure that rests on it."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from ...core.ports import Tracker
from .points import grid
from .shape import Shape, shape_of

SIDE, THING = 160, 110
"""Sides, px, of the patch and of the square in its middle that is followed."""
FPS, LENGTH_S = 24, 1.5
"""Frames a second and seconds for which it is followed: long enough for the average to settle."""
GRAIN = 2.0
"""Standard deviation, levels, of the noise that is drawn anew in every frame: about that of clean footage."""
COARSE = (5, 11, 23)
"""Grain of the texture, px."""


def noise_floor(tracker: Tracker) -> Shape:
    """The deviation of a static textured patch under noise. Raises ``BackendError``."""
    inside = np.zeros((SIDE, SIDE), bool)
    edge = (SIDE - THING) // 2
    inside[edge : edge + THING, edge : edge + THING] = True
    frames = enumerate(tracker.track(_patch(), grid(inside)))
    return shape_of((i / FPS, one.points, one.seen) for i, one in frames)


def _patch() -> Iterator[NDArray[np.uint8]]:
    drawn = np.random.default_rng(0)
    still = np.zeros((SIDE, SIDE), np.float32)
    for grain in COARSE:
        rough = drawn.normal(0, 25, (SIDE // grain + 2,) * 2).astype(np.float32)
        still += cv2.resize(rough, (SIDE, SIDE), interpolation=cv2.INTER_CUBIC)
    for _ in range(round(FPS * LENGTH_S)):
        noisy = 128 + still + drawn.normal(0, GRAIN, still.shape)
        grey = np.clip(np.rint(noisy), 0, 255).astype(np.uint8)
        yield np.repeat(grey[..., None], 3, axis=2)
