"""Planes and display pictures are the same film in any layout, range, depth and orientation."""

from __future__ import annotations

import gc
import sys
from fractions import Fraction
from typing import Any

import av
import cv2
import numpy as np
import pytest

from longtake.media.planes import Display, bgr_of, display_size, planes_of
from longtake.media.span_encoder import coded_frame

LAYOUTS = [
    *("yuv420p", "yuvj420p", "yuv422p", "yuv444p", "yuv440p", "yuv411p", "nv12", "nv21", "yuv420p10le"),
    *("yuv422p10le", "yuv444p12le", "p010le", "yuyv422", "rgb24", "bgra", "gbrp", "yuva420p"),
]
BGR = (200, 60, 30)


def flat(layout: str, width: int = 64, height: int = 48, bgr: tuple[int, int, int] = BGR) -> av.VideoFrame:
    picture = np.full((height, width, 3), bgr, np.uint8)
    return av.VideoFrame.from_ndarray(picture, format="bgr24").reformat(format=layout)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_planes(layout: str) -> None:
    y, u, v = planes_of(flat(layout), 128)
    assert y.shape == (96, 128)
    assert u.shape == v.shape == (24, 32)
    assert [y.dtype, u.dtype, v.dtype] == [np.uint8] * 3
    # BT.601 of this colour on the full scale: 67, 203, 101.
    assert np.abs(np.array([y.mean(), u.mean(), v.mean()]) - (67, 203, 101)).max() <= 2
    assert np.abs(bgr_of(flat(layout), 40, 0).mean(axis=(0, 1)) - BGR).max() <= 4


@pytest.mark.parametrize("layout", ["gray", "gray10le"])
def test_gray_has_neutral_chroma(layout: str) -> None:
    y, u, v = planes_of(flat(layout), 128)
    assert abs(y.mean() - 67) <= 1
    assert (u == 128).all()
    assert (v == 128).all()


def test_limited_and_full_range_meet_on_one_scale() -> None:
    for level, expected in (((0, 0, 0), 0), ((255, 255, 255), 255), ((128, 128, 128), 128)):
        for layout in ("yuv420p", "yuvj420p"):
            assert abs(planes_of(flat(layout, bgr=level), 128).y.mean() - expected) <= 1, (layout, level)


@pytest.mark.parametrize("size", [(1, 1), (10, 6), (321, 181), (2, 400), (1000, 3)])
@pytest.mark.parametrize("layout", ["yuv420p", "yuv444p", "gray", "rgb24", "nv12", "yuv420p10le"])
def test_odd_and_tiny_sizes(size: tuple[int, int], layout: str) -> None:
    image = av.VideoFrame(*size, layout)
    for plane in image.planes:
        plane.update(bytes(plane.buffer_size))
    planes = planes_of(image, 128)
    assert planes.y.shape[1] == 128
    assert 4 <= planes.y.shape[0] <= 512
    assert planes.u.shape == (planes.y.shape[0] // 4, 32)
    assert bgr_of(image, 64, 90).shape[1] == 64


def test_padding_is_not_picture() -> None:
    """A 90 px wide frame has lines of 96 or 128 bytes; what lies behind the picture must not be seen."""
    image = flat("yuv420p", 90, 60, (255, 255, 255))
    plane = image.planes[0]
    assert plane.line_size > plane.width
    lines = np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size).copy()
    lines[:, plane.width :] = 0
    plane.update(lines.tobytes())
    assert planes_of(image, 128, interpolation=cv2.INTER_AREA).y.min() >= 254


def test_planes_outlive_the_frame() -> None:
    image = flat("yuv420p")
    kept = planes_of(image, 64)
    before = kept.y.copy()
    image.planes[0].update(bytes(image.planes[0].buffer_size))
    assert np.array_equal(kept.y, before)


def test_area_averages_what_linear_skips() -> None:
    stripes = np.zeros((256, 1024, 3), np.uint8)
    stripes[:, ::2] = 255
    image = av.VideoFrame.from_ndarray(stripes, format="bgr24").reformat(format="yuvj444p")
    assert planes_of(image, 128, interpolation=cv2.INTER_AREA).y.std() < 2


def test_rotation_and_pixel_aspect_are_applied_once() -> None:
    picture = np.zeros((60, 120, 3), np.uint8)
    picture[:20, :20] = 255  # top left
    image: Any = av.VideoFrame.from_ndarray(picture, format="bgr24")
    corners = {0: (0, 0), 90: (0, -1), 180: (-1, -1), 270: (-1, 0)}
    for rotation, (row, column) in corners.items():
        shown = bgr_of(image, 120 if rotation % 180 == 0 else 60, rotation)
        assert shown.shape[:2] == ((60, 120) if rotation % 180 == 0 else (120, 60))
        assert shown[row, column].mean() > 200, rotation
        assert shown[-1 - row, -1 - column].mean() < 50, rotation
    image.opaque = Display(Fraction(2, 3))
    assert bgr_of(image, 80, 0).shape == (60, 80, 3)
    assert display_size(120, 60, 90, Fraction(2, 3)) == (60, 80)


def test_making_a_picture_does_not_keep_the_frame() -> None:
    """A cycle of references would keep every frame that a thumbnail was made of until the collector comes."""
    gc.collect()
    gc.disable()
    try:
        image = av.VideoFrame(96, 64, "yuv420p")
        held = sys.getrefcount(image)
        bgr_of(image, 48, 0)
        planes_of(image, 32)
        assert sys.getrefcount(image) == held
    finally:
        gc.enable()


@pytest.mark.parametrize(("layout", "most"), [("yuv420p", 0.2), ("yuvj420p", 0.6)])
def test_a_picture_that_is_written_again_keeps_its_brightness(layout: str, most: float) -> None:
    rng = np.random.default_rng(4)
    small = rng.integers(60, 190, (12, 16, 3)).astype(np.uint8)
    picture = cv2.resize(small, (320, 240), interpolation=cv2.INTER_CUBIC)
    frame = av.VideoFrame.from_ndarray(picture, format="bgr24").reformat(format=layout)
    again = coded_frame(bgr_of(frame, 320, 0, exact=True), frame, 0, mirrored=False)
    for plane, same in zip(frame.planes, again.planes, strict=True):
        before, after = (np.frombuffer(p, np.uint8).astype(float) for p in (plane, same))
        assert abs((after - before).mean()) < most
