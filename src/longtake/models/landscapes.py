"""Landscapes drawn from a number: sky, sun or moon, ridges, and water or a meadow. No photograph."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
SKIES = (
    ((235, 190, 120), (250, 240, 225)),
    ((120, 60, 50), (90, 150, 245)),
    ((200, 120, 170), (190, 205, 250)),
    ((70, 35, 20), (130, 80, 60)),
    ((190, 185, 180), (225, 222, 220)),
)
"""Blue, green and red at the top of the sky and above the horizon: noon, sunset, dawn, night, overcast."""
GROUNDS = ((60, 130, 80), (110, 175, 205), (60, 85, 120), (225, 225, 230), (150, 110, 60))
"""Blue, green and red of a meadow, sand, earth, snow and water."""
RIDGES = 3


@lru_cache(maxsize=8)
def landscape(number: int, width: int, height: int) -> Picture:
    """Landscape ``number``: shape (height, width, 3), the same for the same arguments. Do not change it."""
    draw = np.random.default_rng([number, 0x1A2D])
    top, low = (np.array(c, np.float32) for c in SKIES[int(draw.integers(len(SKIES)))])
    ground = np.array(GROUNDS[int(draw.integers(len(GROUNDS)))], np.float32)
    horizon = int(height * draw.uniform(0.4, 0.65))
    down = np.linspace(0, 1, height, dtype=np.float32)[:, None, None]
    shown = np.broadcast_to(top * (1 - down) + low * down, (height, width, 3)).copy()
    clouds = _noise(draw, width, height, (width / 3, height / 12))[..., None]
    shown += np.clip(clouds - 0.1, 0, 1) * 45
    sun = (int(draw.uniform(0.1, 0.9) * width), int(draw.uniform(0.3, 0.8) * horizon))
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    glow = np.exp(-np.hypot(x - sun[0], y - sun[1])[..., None] / (0.08 * width))
    shown += glow * (np.array((200, 235, 255), np.float32) - shown) * 0.9
    for ridge in range(RIDGES):
        near = (ridge + 1) / RIDGES
        line = horizon - height * (0.22 - 0.2 * near) * (1 + _profile(draw, width, 4 + 6 * ridge))
        behind = (y > line[None])[..., None]
        tone = low * (1 - near) * 0.8 + ground * near * 0.6
        shown = np.where(behind, tone + _noise(draw, width, height, (6, 6))[..., None] * 14 * near, shown)
    depth = np.clip((y - horizon) / max(height - horizon, 1), 0, 1)[..., None]
    rough = _noise(draw, width, height, (width / 25, 3))[..., None] * (8 + 26 * depth)
    shown = np.where(depth > 0, ground * (0.75 + 0.4 * depth) + rough, shown)
    made = np.clip(shown, 0, 255).round().astype(np.uint8)
    made.flags.writeable = False
    return made


def _noise(
    draw: np.random.Generator, width: int, height: int, grain: tuple[float, float]
) -> NDArray[np.float32]:
    """Two octaves of smooth noise, about -1 to 1; ``grain`` is the size of its spots in px."""
    found = np.zeros((height, width), np.float32)
    for share, part in ((0.7, 1.0), (0.3, 0.4)):
        cells = (max(int(height / (grain[1] * part)), 2), max(int(width / (grain[0] * part)), 2))
        spots = draw.standard_normal(cells).astype(np.float32)
        found += share * cv2.resize(spots, (width, height), interpolation=cv2.INTER_CUBIC)
    return found


def _profile(draw: np.random.Generator, width: int, hills: int) -> NDArray[np.float32]:
    across = np.linspace(0, 2 * np.pi, width, dtype=np.float32)
    waves = [
        draw.uniform(0.2, 1.0) / k * np.sin(k * across * draw.uniform(0.5, 1.0) + draw.uniform(0, 6.3))
        for k in range(1, hills)
    ]
    return np.asarray(np.sum(waves, axis=0) * 0.6, np.float32)
