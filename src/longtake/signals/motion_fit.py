"""Dense flow between two small planes, split into a global similarity and what is left."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

STRIDE = 4
"""Every fourth pixel of the 128 px plane takes part in the fit."""
MARGIN = 1
"""Grid rows and columns left out at each edge, where new content comes in."""
TEXTURE = 6.0
"""Mean gradient, grey levels per pixel, from which a place has enough texture for its flow to mean
something."""
FEWEST = 24
"""Textured places below which nothing is measured."""
EXACT = 0.3
"""Pixels of the 128 px plane within which a flow agrees with a model; chosen beforehand."""
RELATIVE = 0.1
"""... plus this share of the model's own displacement."""
STILL_SUPPORT = 0.4
"""Share of textured places without motion from which the camera stands, whatever the rest does."""
LITTLE_TEXTURE = 0.35
"""Share of textured places up to which the flat rest is asked whether the picture stands: a car on a bare
road should not be a moving camera. It helps and does not suffice (see ``MOVES`` in the motion signal)."""
FLAT_BETTER, FLAT_VOTES = 0.85, 0.6
"""Flat places speak for a standing camera if not moving them leaves at most this share of the difference,
and most blocks agree. Fixed on intel_car_a (even), intel_car_b and mdn_chroma_b (odd), so not held out on
either."""
ROUNDS = 6

Flow = NDArray[np.float32]


class Fit(NamedTuple):
    """Displacements over the pair; lengths in picture widths, rotation in degrees."""

    x: float
    y: float
    zoom: float
    rotation: float
    camera: float
    objects: float
    support: float


NOTHING = Fit(*(math.nan,) * 7)


@lru_cache(maxsize=1)
def _flow_engine() -> cv2.DISOpticalFlow:
    engine: cv2.DISOpticalFlow = cv2.DISOpticalFlow_create(  # type: ignore[attr-defined]
        cv2.DISOPTICAL_FLOW_PRESET_ULTRAFAST
    )
    engine.setFinestScale(1)
    return engine


def flow_between(first: NDArray[np.uint8], second: NDArray[np.uint8]) -> Flow:
    """Where each pixel of ``first`` went: shape (height, width, 2), pixels, x then y."""
    flow: Flow = _flow_engine().calc(first, second, None)  # type: ignore[call-overload]
    return flow


def split(flow: Flow, luma: NDArray[np.uint8], second: NDArray[np.uint8], rotation: int) -> Fit:
    """The similarity that most textured places follow, and the mean motion of the rest.

    Args:
        flow: shape (height, width, 2), pixels.
        luma: the plane it starts from, same size.
        second: the plane it leads to.
        rotation: degrees clockwise by which the coded picture is turned to be shown.

    Returns:
        Displacements of the shown picture, not of the camera; NaN where there is too little texture.
    """
    height, width = luma.shape
    across, down = cv2.spatialGradient(luma)
    strength = cv2.addWeighted(cv2.convertScaleAbs(across), 0.125, cv2.convertScaleAbs(down), 0.125, 0)
    size = (width // STRIDE, height // STRIDE)
    textured = cv2.resize(strength, size, interpolation=cv2.INTER_AREA) >= TEXTURE
    textured[:MARGIN] = textured[-MARGIN:] = False
    textured[:, :MARGIN] = textured[:, -MARGIN:] = False
    rows, columns = np.nonzero(textured)
    if rows.size < FEWEST:
        return NOTHING
    rows, columns = rows * STRIDE + STRIDE // 2, columns * STRIDE + STRIDE // 2
    u, v = flow[rows, columns, 0].astype(np.float64), flow[rows, columns, 1].astype(np.float64)
    x, y = columns - (width - 1) / 2, rows - (height - 1) / 2

    model, off = _similarity(x, y, u, v)
    size_of = np.hypot(model[0] * x - model[1] * y + model[2], model[1] * x + model[0] * y + model[3])
    support = float(np.mean(off < EXACT + RELATIVE * size_of))
    plain = np.hypot(u, v)
    standing = float(np.mean(plain < EXACT))
    if float(np.sqrt(np.mean(size_of**2))) > EXACT and (
        standing >= STILL_SUPPORT
        or (rows.size <= LITTLE_TEXTURE * textured.size and _flat_stands(luma, second, model, textured))
    ):
        model, off, support, size_of = (0.0, 0.0, 0.0, 0.0), plain, standing, np.zeros_like(plain)

    zoom, turn, shift_x, shift_y = model
    shown = height if rotation % 180 else width
    camera = math.sqrt(
        shift_x**2 + shift_y**2 + (zoom**2 + turn**2) * (width**2 + height**2) / 12
    )  # RMS over the rectangle
    objects = float(np.mean(np.where(off < EXACT + RELATIVE * size_of, 0.0, off)))
    angle = math.radians(rotation)
    return Fit(
        (math.cos(angle) * shift_x - math.sin(angle) * shift_y) / shown,
        (math.sin(angle) * shift_x + math.cos(angle) * shift_y) / shown,
        zoom,
        math.degrees(turn),
        camera / shown,
        objects / shown,
        support,
    )


def _similarity(
    x: NDArray[np.float64], y: NDArray[np.float64], u: NDArray[np.float64], v: NDArray[np.float64]
) -> tuple[tuple[float, float, float, float], NDArray[np.float64]]:
    """(zoom - 1, rotation in radians, shift x, shift y) about the centre, and each point's distance from it.

    Least squares re-weighted with a shrinking Cauchy weight, from the median motion on.
    """
    model = (0.0, 0.0, float(np.median(u)), float(np.median(v)))
    off = np.hypot(u - model[2], v - model[3])
    for _ in range(ROUNDS):
        scale = max(EXACT / 2, float(np.median(off)))
        w = 1 / (1 + (off / scale) ** 2) ** 2
        w /= w.sum()
        mx, my, mu, mv = float(w @ x), float(w @ y), float(w @ u), float(w @ v)
        dx, dy, du, dv = x - mx, y - my, u - mu, v - mv
        spread = max(1e-6, float(w @ (dx * dx + dy * dy)))
        zoom = float(w @ (dx * du + dy * dv)) / spread
        turn = float(w @ (dx * dv - dy * du)) / spread
        model = (zoom, turn, mu - zoom * mx + turn * my, mv - turn * mx - zoom * my)
        off = np.hypot(u - (zoom * x - turn * y + model[2]), v - (turn * x + zoom * y + model[3]))
    return model, off


def _flat_stands(
    luma: NDArray[np.uint8],
    second: NDArray[np.uint8],
    model: tuple[float, float, float, float],
    textured: NDArray[np.bool_],
) -> bool:
    """Whether the faint structure of flat places fits a standing picture better than ``model``."""
    height, width = luma.shape
    zoom, turn, x, y = model
    middle = np.array([(width - 1) / 2, (height - 1) / 2])
    turning = np.array([[1 + zoom, -turn], [turn, 1 + zoom]])
    shift = np.array([x, y]) + middle - turning @ middle
    back = cv2.warpAffine(
        second,
        np.column_stack([turning, shift]),
        (width, height),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    flat = cv2.dilate(textured.astype(np.uint8), np.ones((3, 3), np.uint8)) == 0
    errors = []
    for other in (second, back):
        difference = luma.astype(np.float32) - other
        # Automatic exposure shifts all of the picture; that is no motion.
        difference -= np.median(difference)
        size = (textured.shape[1], textured.shape[0])
        errors.append(cv2.resize(np.abs(difference), size, interpolation=cv2.INTER_AREA)[flat])
    still, moved = errors
    if not still.size:
        return False
    return bool(still.mean() < FLAT_BETTER * moved.mean() and np.mean(still < moved) >= FLAT_VOTES)
