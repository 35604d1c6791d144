"""Four styles of drawing from one picture alone: nothing is drawn by chance, so nothing flickers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from ..core.instructions import Style

Picture = NDArray[np.uint8]
Plane = NDArray[np.float32]
WIDTH = 640
"""Sizes of strokes are given for a picture this wide and scale with it."""
TONES = 7
"""Steps of lightness in ``cartoon``."""


def _scaled(picture: Picture, length: float) -> int:
    return max(round(length * picture.shape[1] / WIDTH), 1)


def oil(picture: Picture) -> Picture:
    """Flat dabs of paint: each pixel is the mean of the calmest of four squares around it (Kuwahara et al.,
    1976), twice, and the colours a little stronger."""
    shown = picture
    for radius in (_scaled(picture, 4), _scaled(picture, 3)):
        shown = _kuwahara(shown, radius)
    return _saturated(shown, 1.25)


def _kuwahara(picture: Picture, radius: int) -> Picture:
    height, width = picture.shape[:2]
    side = (radius + 1, radius + 1)
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32)
    wide = cv2.copyMakeBorder(picture, *(radius,) * 4, cv2.BORDER_REFLECT)
    luma = cv2.copyMakeBorder(grey, *(radius,) * 4, cv2.BORDER_REFLECT)
    means = cv2.boxFilter(wide, -1, side, anchor=(0, 0))
    mean = cv2.boxFilter(luma, -1, side, anchor=(0, 0))
    spread = cv2.boxFilter(luma * luma, -1, side, anchor=(0, 0)) - mean**2
    corners = [(y, x) for y in (0, radius) for x in (0, radius)]
    spreads = np.stack([spread[y : y + height, x : x + width] for y, x in corners])
    calmest = spreads.argmin(0)
    shown = np.empty_like(picture)
    for i, (y, x) in enumerate(corners):
        np.copyto(shown, means[y : y + height, x : x + width], where=(calmest == i)[..., None])
    return shown


def cartoon(picture: Picture) -> Picture:
    """Smooth areas in few tones with dark outlines."""
    half = cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    for _ in range(2):
        half = cv2.bilateralFilter(half, 7, 40, 7)
    flat = np.asarray(cv2.resize(half, picture.shape[1::-1], interpolation=cv2.INTER_LINEAR), np.uint8)
    lab = cv2.cvtColor(flat, cv2.COLOR_BGR2Lab)
    level = np.arange(256, dtype=np.float32) / 255 * TONES
    step = (np.floor(level) + 1 / (1 + np.exp(-12 * (level % 1 - 0.5)))) / TONES * 255
    lab[..., 0] = cv2.LUT(np.ascontiguousarray(lab[..., 0]), np.clip(step, 0, 255).astype(np.uint8))
    tones = _saturated(np.asarray(cv2.cvtColor(lab, cv2.COLOR_Lab2BGR), np.uint8), 1.5)
    return _times(tones, _ink(flat))


def _ink(picture: Picture) -> Plane:
    """1 on paper, down to 0 on outlines: a soft threshold of a difference of Gaussians."""
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32)
    sigma = 1.0 * picture.shape[1] / WIDTH
    edge = cv2.GaussianBlur(grey, (0, 0), sigma) - 0.985 * cv2.GaussianBlur(grey, (0, 0), sigma * 1.8)
    return np.asarray(np.where(edge >= 0, 1, 1 + np.tanh(0.9 * edge)), np.float32)


def pencil(picture: Picture) -> Picture:
    """A grey drawing: each pixel over the light around it, on a hatched paper."""
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32)
    around = cv2.GaussianBlur(grey, (0, 0), 6 * picture.shape[1] / WIDTH)
    lines = np.clip(grey / np.maximum(around, 8), 0, 1.02) ** 2.5
    shade = 0.72 + 0.28 * np.clip(grey / 150, 0, 1)
    drawn = lines * shade * 250 + _paper(*grey.shape) * 9 * (1.2 - grey / 255)
    return np.repeat(np.clip(drawn, 0, 255).astype(np.uint8)[..., None], 3, axis=2)


def watercolour(picture: Picture) -> Picture:
    """Thin washes: small detail runs together, colours are light, their edges dark, the paper shows."""
    small = cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    small = cv2.medianBlur(small, _scaled(picture, 4) | 1)
    small = _kuwahara(np.asarray(cv2.bilateralFilter(small, 7, 50, 7), np.uint8), _scaled(picture, 3))
    wash = cv2.resize(small, picture.shape[1::-1], interpolation=cv2.INTER_LINEAR).astype(np.float32)
    grey = cv2.cvtColor(wash, cv2.COLOR_BGR2GRAY)
    rim = np.hypot(cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1))
    light = 255 - (255 - wash) * 0.72
    shade = 1 - np.clip(rim / 400, 0, 0.3) + 0.045 * _paper(*grey.shape)
    return _saturated(np.clip(light * shade[..., None], 0, 255).astype(np.uint8), 1.3)


@lru_cache(maxsize=4)
def _paper(height: int, width: int) -> Plane:
    """The grain of a sheet, about -1 to 1, the same for every picture of a size."""
    grain = np.random.default_rng(7).standard_normal((height, width)).astype(np.float32)
    return np.asarray(cv2.GaussianBlur(grain, (0, 0), 0.9) * 2.0, np.float32)


def _saturated(picture: Picture, factor: float) -> Picture:
    hsv = cv2.cvtColor(picture, cv2.COLOR_BGR2HSV)
    hsv[..., 1] = cv2.convertScaleAbs(hsv[..., 1], alpha=factor)
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR), np.uint8)


def _times(picture: Picture, factor: Plane) -> Picture:
    return np.clip(picture * factor[..., None], 0, 255).astype(np.uint8)


DRAWN: Mapping[Style, Callable[[Picture], Picture]] = {
    "oil": oil,
    "cartoon": cartoon,
    "pencil": pencil,
    "watercolour": watercolour,
}
