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
ROUNDS = 5

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


LEAST_SIDE = 12
"""Height or width under which a plane has no room for the patches of the flow."""
NOTHING = Fit(*(math.nan,) * 7)


@lru_cache(maxsize=1)
def _flow_engine() -> cv2.DISOpticalFlow:
    engine: cv2.DISOpticalFlow = cv2.DISOpticalFlow_create(  # type: ignore[attr-defined]
        cv2.DISOPTICAL_FLOW_PRESET_ULTRAFAST
    )
    engine.setFinestScale(1)
    return engine


def flow_between(first: NDArray[np.uint8], second: NDArray[np.uint8]) -> Flow:
    """Where each pixel of ``first`` went: shape (height, width, 2), pixels, x then y; nowhere in a sliver."""
    if min(first.shape) < LEAST_SIDE:
        return np.zeros((*first.shape, 2), np.float32)
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
    if min(luma.shape) < LEAST_SIDE:
        return NOTHING
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
    steps = np.ascontiguousarray(flow[rows, columns], np.float32).view(np.complex64).ravel()
    place = ((columns - (width - 1) / 2) + 1j * (rows - (height - 1) / 2)).astype(np.complex64)

    model, off = _similarity(place, steps)
    size_of = np.abs(complex(model[0], model[1]) * place + np.complex64(complex(model[2], model[3])))
    within = off < EXACT + RELATIVE * size_of
    support = float(within.mean())
    plain = np.abs(steps)
    standing = float(np.mean(plain < EXACT))
    if float(np.sqrt(np.mean(size_of**2))) > EXACT and (
        standing >= STILL_SUPPORT
        or (rows.size <= LITTLE_TEXTURE * textured.size and _flat_stands(luma, second, model, textured))
    ):
        model, off, support, within = (0.0, 0.0, 0.0, 0.0), plain, standing, plain < EXACT

    zoom, turn, shift_x, shift_y = model
    shown = height if rotation % 180 else width
    camera = math.sqrt(
        shift_x**2 + shift_y**2 + (zoom**2 + turn**2) * (width**2 + height**2) / 12
    )  # RMS over the rectangle
    objects = float(np.mean(np.where(within, 0.0, off)))
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
    place: NDArray[np.complex64], moved: NDArray[np.complex64]
) -> tuple[tuple[float, float, float, float], NDArray[np.float32]]:
    """(zoom - 1, rotation in radians, shift x, shift y) about the centre, and each point's distance from it.

    Points and their displacements are complex numbers, so that zoom and rotation are one factor. Least
    squares re-weighted with a shrinking Cauchy weight, from the median motion on.
    """
    factor = np.complex64(0)
    shift = np.complex64(complex(_median(moved.real), _median(moved.imag)))
    off = np.abs(moved - shift)
    for _ in range(ROUNDS):
        scale = max(EXACT / 2, _median(off))
        weight = 1 + np.square(off * np.float32(1 / scale))
        weight = 1 / np.square(weight)
        weight /= weight.sum()
        centre, drift = weight @ place, weight @ moved
        from_centre = place - centre
        pulled = weight * from_centre.conj()
        spread = max(1e-6, float((pulled @ from_centre).real))
        factor = (pulled @ (moved - drift)) / np.float32(spread)
        shift = drift - factor * centre
        off = np.abs(moved - (factor * place + shift))
    return (float(factor.real), float(factor.imag), float(shift.real), float(shift.imag)), off


def _median(values: NDArray[np.float32]) -> float:
    middle = values.size // 2
    return float(np.partition(values, middle)[middle])


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
