"""Taking a thing away, turning its hue, giving it another look: inside a mask, without a generative model."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Matte = NDArray[np.float32]

FILL_WIDTH = 160
"""Holes are filled at this width, px: smoother, and faster, than at full size."""
FILL_RADIUS = 4
MARGIN = 0.12
"""What is covered more than this is filled; below, the colour beside it has leaked in anyway."""


def mixed(picture: Picture, other: Picture, mask: Matte | None) -> Picture:
    """``other`` where ``mask`` is 1, ``picture`` where it is 0 (exactly), in between both."""
    if mask is None:
        return other
    shown = picture.copy()
    rows, columns = window(mask)
    share = mask[rows, columns][..., None]
    part = picture[rows, columns]
    blend = np.round(part + share * (other[rows, columns].astype(np.float32) - part))
    shown[rows, columns] = np.where(share > 0, blend.astype(np.uint8), part)
    return shown


def window(mask: Matte) -> tuple[slice, slice]:
    """The rows and columns that hold everything above 0."""
    left, top, width, height = cv2.boundingRect((mask > 0).astype(np.uint8))
    return slice(top, top + height), slice(left, left + width)


def erased(picture: Picture, mask: Matte) -> Picture:
    """``picture`` with what ``mask`` covers filled from around it (Telea, 2004, at a small size), grained
    like what is around."""
    height, width = picture.shape[:2]
    size = (min(FILL_WIDTH, width), max(round(height * min(FILL_WIDTH, width) / width), 2))
    hole = (cv2.resize(mask, size, interpolation=cv2.INTER_AREA) > MARGIN).astype(np.uint8)
    if not hole.any() or hole.all():
        return picture
    # What is left of the thing in the small pixels at its edge must not flow into the hole.
    kept = (1 - np.clip(mask / MARGIN, 0, 1))[..., None]
    weight = cv2.resize(np.asarray(kept, np.float32), size, interpolation=cv2.INTER_AREA)[..., None]
    clean = cv2.resize(picture * kept, size, interpolation=cv2.INTER_AREA) / np.maximum(weight, 1e-3)
    filled = cv2.inpaint(np.clip(clean, 0, 255).astype(np.uint8), hole, FILL_RADIUS, cv2.INPAINT_TELEA)
    soft = cv2.GaussianBlur(filled, (0, 0), 2.0)
    filled = np.where(hole[..., None] > 0, soft, filled)
    smooth = cv2.resize(filled, (width, height), interpolation=cv2.INTER_CUBIC).astype(np.float32)
    return np.clip(smooth + _grain(picture, mask), 0, 255).astype(np.uint8)


def _grain(picture: Picture, mask: Matte) -> NDArray[np.float32]:
    """Noise as strong as the fine detail beside the mask, the same for every picture of a size."""
    height, width = mask.shape
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32)
    fine = np.abs(grey - cv2.GaussianBlur(grey, (0, 0), 1.5))
    near = cv2.dilate((mask > MARGIN).astype(np.uint8), np.ones((width // 24 + 1,) * 2, np.uint8)) > 0
    beside = fine[near & (mask <= 0.01)]
    level = float(np.median(beside)) if beside.size else 0.0
    noise = np.random.default_rng(11).standard_normal((height, width)).astype(np.float32)
    return np.asarray(level * cv2.GaussianBlur(noise, (0, 0), 0.8)[..., None] * 2.0, np.float32)


def turned(picture: Picture, degrees: float) -> Picture:
    """``picture`` with every hue turned by ``degrees`` (HSV), saturation and value kept."""
    hsv = cv2.cvtColor(picture.astype(np.float32) / 255, cv2.COLOR_BGR2HSV)
    hsv[..., 0] = (hsv[..., 0] + degrees) % 360
    return np.round(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR) * 255).astype(np.uint8)


def dressed(picture: Picture, draw: np.random.Generator) -> Picture:
    """The same shapes in other stuff: hue, saturation and lightness moved, and a pattern that follows the
    light and dark of what it lies on. The pattern is fixed to the picture."""
    hsv = cv2.cvtColor(picture.astype(np.float32) / 255, cv2.COLOR_BGR2HSV)
    hsv[..., 0] = (hsv[..., 0] + draw.uniform(70, 290)) % 360
    hsv[..., 1] = np.clip(hsv[..., 1] * draw.uniform(0.8, 1.4) + draw.uniform(0.1, 0.25), 0, 1)
    hsv[..., 2] = np.clip(hsv[..., 2], 0, 1) ** draw.uniform(0.65, 1.35)
    height, width = hsv.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32) / width
    way, period = draw.uniform(0, np.pi), draw.uniform(0.02, 0.05)
    stripes = np.sin(2 * np.pi * (x * np.cos(way) + y * np.sin(way)) / period)
    hsv[..., 2] *= 1 + 0.18 * np.tanh(3 * stripes)
    return np.round(np.clip(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR), 0, 1) * 255).astype(np.uint8)
