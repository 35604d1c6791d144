"""A painted face: the same pixels everywhere, enough of a face for a detector, and nobody's."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray


def face(width: int = 320) -> NDArray[np.uint8]:
    """BGR, shape (width * 4 / 5, width, 3): a frontal face in the middle, on grey."""
    picture = np.full((256, 320, 3), (150, 140, 130), np.uint8)
    cv2.ellipse(picture, (160, 114), (62, 82), 0, 0, 360, (40, 50, 70), -1)
    cv2.ellipse(picture, (160, 128), (54, 72), 0, 0, 360, (150, 180, 220), -1)
    for side in (-1, 1):
        eye = (160 + side * 22, 116)
        cv2.ellipse(picture, eye, (11, 6), 0, 0, 360, (235, 235, 240), -1)
        cv2.circle(picture, eye, 5, (60, 50, 40), -1)
        cv2.ellipse(picture, (eye[0], 101), (14, 4), 0, 180, 360, (50, 60, 80), 3)
        cv2.circle(picture, (160 + side * 6, 148), 3, (90, 110, 150), -1)
    cv2.line(picture, (156, 120), (153, 142), (120, 150, 190), 3)
    cv2.ellipse(picture, (160, 170), (20, 7), 0, 0, 360, (90, 90, 190), -1)
    cv2.line(picture, (142, 170), (178, 170), (60, 60, 120), 2)
    shade = cv2.GaussianBlur(picture, (0, 0), 1.5).astype(np.float64)
    y, x = np.mgrid[:256, :320]
    round_off = ((x - 160) / 54) ** 2 + ((y - 128) / 72) ** 2
    light = 1 - 0.45 * np.clip(round_off, 0, 1) ** 2 - 0.12 * (x - 160) / 54
    shade *= np.where(round_off < 1, light, 1.0)[..., None]
    for side in (-1, 1):
        shade *= _spot(x, y, (160 + side * 22, 116), (16, 12), -0.35)
        shade *= _spot(x, y, (160 + side * 10, 142), (6, 12), -0.3)
    shade *= _spot(x, y, (160, 183), (24, 6), -0.25) * _spot(x, y, (160, 132), (5, 16), 0.15)
    whole = np.clip(shade, 0, 255).astype(np.uint8)
    return np.asarray(cv2.resize(whole, (width, width * 4 // 5), interpolation=cv2.INTER_AREA), np.uint8)


def _spot(
    x: NDArray[np.int64], y: NDArray[np.int64], at: tuple[int, int], size: tuple[int, int], much: float
) -> NDArray[np.float64]:
    far = ((x - at[0]) / size[0]) ** 2 + ((y - at[1]) / size[1]) ** 2
    return np.asarray(1 + much * np.exp(-far))[..., None]
