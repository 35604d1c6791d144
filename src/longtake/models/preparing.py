"""Pictures as image networks want them: scaled, cropped, normalised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Preparation:
    """How a picture becomes a network's input.

    The shorter side is scaled to ``shorter`` px, the middle ``side`` x ``side`` px are cut out, RGB values
    in [0, 1] lose ``mean`` and are divided by ``std``. The defaults suit networks trained on ImageNet. Where
    ``whole`` is set the whole picture is squeezed into the square, bilinearly and whatever its shape.
    """

    side: int = 224
    shorter: int = 256
    mean: tuple[float, float, float] = (0.485, 0.456, 0.406)
    std: tuple[float, float, float] = (0.229, 0.224, 0.225)
    whole: bool = False


def prepared(pictures: Sequence[NDArray[np.uint8]], how: Preparation) -> NDArray[np.float32]:
    """``pictures`` (BGR, shape (height, width, 3)) as one batch: float32, shape (n, 3, side, side), RGB."""
    batch = np.empty((len(pictures), 3, how.side, how.side), np.float32)
    mean, std = (np.array(v, np.float32).reshape(3, 1, 1) for v in (how.mean, how.std))
    for i, picture in enumerate(pictures):
        middle = _middle(picture, how)
        batch[i] = (middle[..., ::-1].transpose(2, 0, 1).astype(np.float32) / 255 - mean) / std
    return batch


def _middle(picture: NDArray[np.uint8], how: Preparation) -> NDArray[np.uint8]:
    if how.whole:
        return np.asarray(cv2.resize(picture, (how.side, how.side), interpolation=cv2.INTER_LINEAR), np.uint8)
    height, width = picture.shape[:2]
    scale = how.shorter / min(height, width)
    size = max(round(width * scale), how.side), max(round(height * scale), how.side)
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    scaled = cv2.resize(picture, size, interpolation=way)
    top, left = (size[1] - how.side) // 2, (size[0] - how.side) // 2
    return np.asarray(scaled[top : top + how.side, left : left + how.side], np.uint8)
