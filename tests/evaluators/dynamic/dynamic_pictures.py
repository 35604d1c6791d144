"""Made pictures: textures that move, turn, grow, warp and flicker by formulas that are written here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from films import Encoding, write

Picture = NDArray[np.uint8]
Numbers = NDArray[np.float32]
CLEAR = Encoding(fps=24, options=(("crf", "4"), ("preset", "veryfast")))


def texture(height: int, width: int, seed: int) -> Picture:
    """Colourful noise of several grains."""
    drawn = np.random.default_rng(seed)
    total = np.zeros((height, width, 3), np.float32)
    for grain in (4, 8, 16, 48):
        rough = drawn.random((height // grain + 2, width // grain + 2, 3)).astype(np.float32)
        total += cv2.resize(rough, (width, height), interpolation=cv2.INTER_CUBIC) * np.float32(grain**0.7)
    low, high = total.min(), total.max()
    return np.asarray((total - low) / (high - low) * 255, np.uint8)


def placed(
    thing: Picture, back: Picture, to_thing: Callable[[Numbers, Numbers], tuple[Numbers, Numbers]]
) -> Picture:
    """``thing`` before ``back``: ``to_thing`` says which place of it is seen at x and y."""
    height, width = back.shape[:2]
    y, x = np.mgrid[:height, :width].astype(np.float32)
    u, v = (np.asarray(one, np.float32) for one in to_thing(x, y))
    seen = cv2.remap(thing, u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    inside = (u >= 0) & (v >= 0) & (u <= thing.shape[1] - 1) & (v <= thing.shape[0] - 1)
    return np.where(inside[..., None], seen, back)


PAN_PX, BLOCK_PX, BLOCK = 6, 14, 120


def pan(frame: int, *, block: bool = False, flicker: int = 0, warp: float = 0.0) -> Picture:
    """A pan of 6 px a frame at 640 x 360; ``block`` moves 14 px a frame against it, ``flicker`` levels are
    added to every second frame, ``warp`` px of random local displacement are drawn anew for every frame."""
    left = 100 + PAN_PX * frame
    picture = np.ascontiguousarray(_wide()[20:380, left : left + 640])
    if block:
        x = 480 - BLOCK_PX * frame
        picture[120 : 120 + BLOCK, x : x + BLOCK] = _block()
    if flicker and frame % 2:
        picture = np.asarray(np.clip(picture.astype(np.int16) + flicker, 0, 255), np.uint8)
    if warp:
        drawn = np.random.default_rng(frame).normal(0, warp, (9, 16, 2)).astype(np.float32)
        step = cv2.resize(drawn, (640, 360), interpolation=cv2.INTER_CUBIC)
        y, x = np.mgrid[:360, :640].astype(np.float32)
        picture = cv2.remap(
            picture, x + step[..., 0], y + step[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
    return picture


@cache
def _wide() -> Picture:
    return texture(420, 1100, 1)


@cache
def _block() -> Picture:
    return texture(BLOCK, BLOCK, 2)


def film(path: Path, pictures: Iterator[Picture], fps: int = 24) -> Path:
    """A film of these pictures, nearly without loss."""
    write(path, pictures, Encoding(fps=fps, options=CLEAR.options))
    return path
