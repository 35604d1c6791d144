"""A part cut from a frame's planes shows what the whole picture shows there."""

from __future__ import annotations

from fractions import Fraction

import av
import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

import films
from longtake.media.crops import crop, square
from longtake.media.planes import Display, bgr_of

SIZE = 96


def frame(layout: str) -> av.VideoFrame:
    picture = cv2.GaussianBlur(films.scene(3, (320, 240)), (0, 0), 2)
    return av.VideoFrame.from_ndarray(np.asarray(picture, np.uint8), format="bgr24").reformat(format=layout)


def cut(shown: NDArray[np.uint8], x: float, y: float, side: float, angle: float) -> NDArray[np.uint8]:
    """The same part by way of the whole picture; ``x``, ``y`` and ``side`` in widths."""
    width = shown.shape[1]
    around = (x * width - 0.5, y * width - 0.5)
    turn = cv2.getRotationMatrix2D(around, angle, SIZE / (side * width))
    turn[:, 2] += SIZE / 2 - 0.5 - np.array(around)
    return np.asarray(cv2.warpAffine(shown, turn, (SIZE, SIZE), borderMode=cv2.BORDER_REPLICATE), np.uint8)


def difference(image: av.VideoFrame, rotation: int, place: tuple[float, float, float, float]) -> float:
    whole = cut(bgr_of(image, 320, rotation), *place)
    part = crop(image, rotation, square(*place, SIZE), SIZE)[..., ::-1]
    return float(np.abs(whole.astype(int) - part).mean())


@pytest.mark.parametrize("layout", ["yuv420p", "yuvj422p", "yuv444p", "nv12", "yuv420p10le", "gray", "rgb24"])
def test_every_layout_gives_the_picture_s_colours(layout: str) -> None:
    assert difference(frame(layout), 0, (0.45, 0.3, 0.3, 0.0)) < 2.5


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("mirrored", [False, True])
def test_a_turned_or_mirrored_film_is_cut_as_shown(rotation: int, mirrored: bool) -> None:
    image = frame("yuv420p")
    image.opaque = Display(Fraction(1), mirrored)
    assert difference(image, rotation, (0.6, 0.4, 0.35, 25.0)) < 2.5
    assert difference(image, (rotation + 180) % 360, (0.6, 0.4, 0.35, 25.0)) < 2.5
    wrong = crop(image, (rotation + 180) % 360, square(0.6, 0.4, 0.35, 25.0, SIZE), SIZE)
    right = crop(image, rotation, square(0.6, 0.4, 0.35, 25.0, SIZE), SIZE)
    assert np.abs(wrong.astype(int) - right).mean() > 10


def test_pixels_that_are_no_squares_are_made_squares() -> None:
    image = frame("yuv420p")
    image.opaque = Display(Fraction(2, 1), False)
    assert difference(image, 0, (0.5, 0.15, 0.2, 10.0)) < 2.5


def test_a_large_part_is_shrunk_by_area_and_what_is_outside_repeats_the_edge() -> None:
    stripes = np.zeros((480, 640, 3), np.uint8)
    stripes[:, ::2] = 200
    image = av.VideoFrame.from_ndarray(stripes, format="bgr24").reformat(format="yuv420p")
    small = crop(image, 0, square(0.5, 0.375, 0.7, 0.0, SIZE), SIZE)
    assert small.std() < 8  # every second column would give 100
    outside = crop(image, 0, square(-0.5, -0.5, 0.2, 0.0, SIZE), SIZE)
    assert outside.shape == (SIZE, SIZE, 3)
    assert outside.std() < 8
    assert crop(frame("yuv420p"), 0, square(0.5, 0.4, 1e-4, 0.0, SIZE), SIZE).std((0, 1)).max() < 3
