"""Pictures brought back to what a film's own frames are: the reverse of making pictures of them."""

from fractions import Fraction

import av
import cv2
import numpy as np
import pytest

from longtake.media.planes import Display, bgr_of, display_size
from longtake.media.span_encoder import coded_frame


def smooth(width: int, height: int) -> np.ndarray:
    """A picture without fine detail, different in every corner."""
    small = np.random.default_rng(6).integers(40, 215, (5, 6, 3), dtype=np.uint8)
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC), np.uint8)


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("aspect", [Fraction(1), Fraction(4, 3)])
@pytest.mark.parametrize(("name", "full"), [("yuv420p", 1), ("yuvj420p", 2)])
def test_a_picture_goes_back_to_the_same_planes(
    rotation: int, mirrored: bool, aspect: Fraction, name: str, full: int
) -> None:
    frame = av.VideoFrame.from_ndarray(smooth(160, 96), format="bgr24").reformat(
        format=name, dst_colorspace=5, dst_color_range=full
    )
    frame.colorspace, frame.color_range = 5, full
    frame.opaque = Display(aspect, mirrored)
    shown = bgr_of(frame, display_size(160, 96, rotation, aspect)[0], rotation)
    back = coded_frame(shown, frame, rotation, mirrored=mirrored)
    assert (back.width, back.height, back.format.name) == (160, 96, name)
    assert (back.colorspace, back.color_range) == (frame.colorspace, frame.color_range)
    off = np.abs(back.to_ndarray().astype(int) - frame.to_ndarray())
    assert off.mean() < 1.5
    assert np.percentile(off, 99) < 6
    other = coded_frame(shown, frame, (rotation + 180) % 360, mirrored=mirrored)
    assert np.abs(other.to_ndarray().astype(int) - frame.to_ndarray()).mean() > 5


@pytest.mark.parametrize("colorspace", [1, 5])
def test_the_frames_own_matrix_is_used(colorspace: int) -> None:
    frame = av.VideoFrame.from_ndarray(smooth(160, 96), format="bgr24").reformat(
        format="yuv420p", dst_colorspace=colorspace, dst_color_range=1
    )
    frame.colorspace, frame.color_range = colorspace, 1
    back = coded_frame(bgr_of(frame, 160, 0), frame, 0, mirrored=False)
    assert np.abs(back.to_ndarray().astype(int) - frame.to_ndarray()).mean() < 1
