"""Another face where a face is: moved features, another tone, softer detail; the head stays where it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from .faces import FaceDetector

Picture = NDArray[np.uint8]
Numbers = NDArray[np.float32]
Matte = NDArray[np.float32]

PIXELS = 320 * 180
"""Area of the picture in which faces are looked for, px; its sides are multiples of 32."""
LEAST = 0.45
"""Score of a face that is changed."""
AROUND = 2.2
"""Side of the square that is warped, in widths of the face's box."""


class FaceChanger:
    """Finds faces (CenterFace) and turns them into somebody else's."""

    def __init__(self, files: Mapping[str, Path], threads: int = 1) -> None:
        """``files`` are those of the catalog entry ``centerface``. Raises ``BackendError``."""
        self._detect = FaceDetector(files, threads)

    def find(self, picture: Picture) -> Numbers:
        """Faces in px of ``picture``, the surest first: as :class:`FaceDetector` gives them."""
        height, width = picture.shape[:2]
        scale = (PIXELS / (height * width)) ** 0.5
        size = (max(round(width * scale / 32), 1) * 32, max(round(height * scale / 32), 1) * 32)
        found = self._detect(
            np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8), LEAST
        )
        across, down = width / size[0], height / size[1]
        return found * np.array([across, down, across, down, 1.0, *[across, down] * 5], np.float32)


def head(shape: tuple[int, ...], face: Numbers) -> Matte:
    """How much each pixel belongs to the head around ``face``: shape ``shape``, 0 to 1."""
    height, width = shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    left, top, across, down = face[:4]
    radius = np.hypot((x - left - across / 2) / (0.85 * across), (y - top - 0.45 * down) / (0.8 * down))
    return np.asarray(np.clip((1.15 - radius) / 0.3, 0, 1), np.float32)


def other_face(picture: Picture, face: Numbers, draw: np.random.Generator) -> Picture:
    """``picture`` with ``face`` (a row of :meth:`FaceChanger.find`) made another. Nothing changes further
    than a face's width from it; the same draws make the same new face of every frame."""
    side = float(max(face[2], face[3] * 0.8))
    middle = np.asarray(face[:2] + face[2:4] / 2, np.float32)
    half = int(np.ceil(side * AROUND / 2))
    x0, y0 = (max(int(v) - half, 0) for v in middle)
    x1, y1 = min(int(middle[0]) + half, picture.shape[1]), min(int(middle[1]) + half, picture.shape[0])
    if x1 - x0 < 8 or y1 - y0 < 8:
        _shape(draw), _tone(draw)
        return picture
    part = picture[y0:y1, x0:x1]
    points = face[5:].reshape(5, 2) - np.array((x0, y0), np.float32)
    within = middle - np.array((x0, y0), np.float32)
    warped = _warped(part, points, within, side, _shape(draw))
    made = picture.copy()
    made[y0:y1, x0:x1] = _toned(warped, within, face[2:4], _tone(draw))
    return made


def _shape(draw: np.random.Generator) -> Numbers:
    """How eyes, nose and mouth move and grow, in widths of the face: shape (6,). Each is far from 0."""
    far = draw.uniform(0.6, 1.0, 6) * draw.choice([-1.0, 1.0], 6)
    return np.asarray(far * (0.10, 0.08, 0.12, 0.10, 0.14, 0.24), np.float32)


def _tone(draw: np.random.Generator) -> Numbers:
    """Lightness, green-red and blue-yellow that the skin moves by (Lab of OpenCV): shape (3,)."""
    return np.asarray(draw.uniform((22, 4, 4), (40, 10, 12)) * draw.choice([-1.0, 1.0], 3), np.float32)


def _warped(part: Picture, points: Numbers, middle: Numbers, side: float, shape: Numbers) -> Picture:
    eyes_apart, eyes_up, nose_up, mouth_up, mouth_wide, face_wide = shape
    axis = points[1] - points[0]
    axis = axis / max(float(np.hypot(*axis)), 1e-6)
    down = np.array([-axis[1], axis[0]], np.float32)
    moves = np.stack(
        [
            -eyes_apart * axis + eyes_up * down,
            eyes_apart * axis + eyes_up * down,
            nose_up * down,
            -mouth_wide * axis + mouth_up * down,
            mouth_wide * axis + mouth_up * down,
        ]
    )
    height, width = part.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    shift = np.zeros((height, width, 2), np.float32)
    total = np.full((height, width), 0.05, np.float32)
    for point, move in zip(points, moves, strict=True):
        near = np.exp(-((x - point[0]) ** 2 + (y - point[1]) ** 2) / (2 * (0.17 * side) ** 2))
        shift += near[..., None] * (move * side).astype(np.float32)
        total += near
    shift /= np.maximum(total, 1.0)[..., None]
    off = np.stack([x - middle[0], y - middle[1]], -1)
    radius = np.hypot(off[..., 0], off[..., 1]) / side
    ring = np.exp(-(((radius - 0.45) / 0.22) ** 2))
    shift += (face_wide * ring * (off @ axis))[..., None] * axis
    fade = np.clip((AROUND / 2 - radius) / 0.35, 0, 1)[..., None]
    source = np.asarray(np.stack([x, y], -1) - shift * fade, np.float32)
    x, y = cv2.split(source)
    shown = cv2.remap(part, np.asarray(x), np.asarray(y), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(shown, np.uint8)


def _toned(part: Picture, middle: Numbers, size: Numbers, tone: Numbers) -> Picture:
    height, width = part.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    radius = np.hypot((x - middle[0]) / (0.55 * size[0]), (y - middle[1]) / (0.58 * size[1]))
    inside = np.clip((1.25 - radius) / 0.45, 0, 1)[..., None]
    smooth = cv2.GaussianBlur(part, (0, 0), max(float(size[0]) * 0.012, 0.5))
    lab = cv2.cvtColor(smooth, cv2.COLOR_BGR2Lab).astype(np.float32)
    lab += tone * np.clip(lab[..., :1] / 128, 0.2, 1)  # dark skin in shadow would turn red
    other = cv2.cvtColor(np.clip(lab, 0, 255).astype(np.uint8), cv2.COLOR_Lab2BGR)
    return np.asarray(np.round(part * (1 - inside) + other * inside), np.uint8)
