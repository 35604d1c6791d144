"""Small 8-bit planes and display pictures from a decoded frame, in any layout a decoder gives."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import av
import cv2
import numpy as np
from av.sidedata.sidedata import Type as SideDataType
from av.video.reformatter import Interpolation
from numpy.typing import NDArray

Image = NDArray[np.uint8]

FULL_RANGE = 2
"""``color_range`` of a frame whose samples use 0..255 (FFmpeg's ``AVCOL_RANGE_JPEG``)."""
LIMITED_RANGE = 1
NEUTRAL_CHROMA = 128
TALLEST = 4
"""Planes are at most this many times taller than wide, so that a 10x4000 px strip stays small."""
SKIP_ROWS = 4
"""From so many rows to one on, linear shrinking takes the middle row of each step: half the reading."""
HD_HEIGHT = 720
"""From this height on, an untagged film is BT.709, below BT.601 (the convention of broadcast and players)."""
BT709 = 1
BT601 = 5
UNTAGGED = 2
EXACT = Interpolation.ACCURATE_RND | Interpolation.FULL_CHR_H_INT
"""What keeps the scaler from cutting off where it should round. Without it a picture that is brought to BGR
and back loses up to 1.6 levels of luma (8_footage/intel_fruit.mp4), and a written span shows a step."""

_THREE_PLANES = frozenset(
    {"yuv420p", "yuvj420p", "yuv422p", "yuvj422p", "yuv444p", "yuvj444p", "yuv440p", "yuvj440p"}
    | {"yuv411p", "yuvj411p", "yuv410p", "yuva420p", "yuva422p", "yuva444p"}
    | {f"yuv{s}p{b}le" for s in ("420", "422", "444", "440") for b in (9, 10, 12, 14, 16)}
    | {f"yuva{s}p{b}le" for s in ("420", "422", "444") for b in (9, 10, 12, 16)}
)
_GRAY = frozenset({"gray", "gray9le", "gray10le", "gray12le", "gray14le", "gray16le"})
_TWO_PLANES = frozenset({"nv12", "nv21"})
_EIGHT_BITS = frozenset({"yuv420p", "yuvj420p", "yuv422p", "yuvj422p", "yuv444p", "yuvj444p"})
_LUMA_WEIGHTS = {BT709: (0.2126, 0.0722), BT601: (0.299, 0.114), 6: (0.299, 0.114)}
"""Shares of red and blue in luma, by the matrices that :func:`bgr_of` converts without the scaler."""

_level = np.arange(256, dtype=np.float64)
_LUMA_TO_FULL = np.clip(np.rint((_level - 16) * (255 / 219)), 0, 255).astype(np.uint8)
_CHROMA_TO_FULL = np.clip(np.rint((_level - 128) * (255 / 224) + 128), 0, 255).astype(np.uint8)


class Planes(NamedTuple):
    """Luma and chroma, uint8, on the full range 0..255 with neutral chroma 128; coded orientation.

    ``y`` is (h, w), ``u`` and ``v`` are (h // 4, w // 4).
    """

    y: Image
    u: Image
    v: Image


def planes_of(image: av.VideoFrame, width: int, *, interpolation: int = cv2.INTER_LINEAR) -> Planes:
    """Planes of one frame, ``width`` px wide (a multiple of 4), copied: they outlive the frame.

    Every film gets this width, smaller ones are enlarged, so that measures in pixels mean the same
    everywhere. Levels are brought to 0..255 by the frame's own range; more than 8 bits are cut to 8 after
    resizing. Rotation is not applied. Linear is fast and aliases; use area where detail counts.
    """
    name = image.format.name
    if name not in _THREE_PLANES and name not in _GRAY and name not in _TWO_PLANES:
        image = image.reformat(format="yuv444p", **_conversion(image, to_full=False))
        name = "yuv444p"
        full = False
    elif name in _GRAY:
        full = image.color_range != LIMITED_RANGE
    else:
        full = image.color_range == FULL_RANGE or name.startswith("yuvj")
    tall = min(max(round(image.height * width / image.width / 4), 1) * 4, TALLEST * width)
    size = (width, tall)
    small = (max(width // 4, 1), tall // 4)
    bits = image.format.components[0].bits
    planes = image.planes
    y = _resized(_view(planes[0], bits), size, bits, interpolation)
    if name in _GRAY:
        u: Image = np.full((small[1], small[0]), NEUTRAL_CHROMA, np.uint8)
        v: Image = u.copy()
    elif name in _TWO_PLANES:
        pair: Any = cv2.resize(_pairs(planes[1]), small, interpolation=interpolation)
        first, second = np.ascontiguousarray(pair[..., 0]), np.ascontiguousarray(pair[..., 1])
        u, v = (first, second) if name == "nv12" else (second, first)
    else:
        u = _resized(_view(planes[1], bits), small, bits, interpolation)
        v = _resized(_view(planes[2], bits), small, bits, interpolation)
    if full:
        return Planes(y, u, v)
    return Planes(
        _spread(y, _LUMA_TO_FULL),
        u if name in _GRAY else _spread(u, _CHROMA_TO_FULL),
        v if name in _GRAY else _spread(v, _CHROMA_TO_FULL),
    )


def bgr_of(image: av.VideoFrame, width: int, rotation: int, *, exact: bool = False) -> Image:
    """The frame as people see it: (h, width, 3) uint8 BGR, turned, mirrored and with square pixels.

    ``rotation`` is :attr:`Picture.rotation`: degrees clockwise, 0, 90, 180 or 270. Pixel aspect and mirroring
    are those that ``read`` put on the frame (:class:`Display`). ``exact`` rounds where the scaler cuts off,
    at more than twice the time: a picture that is written again keeps its brightness.
    """
    shown_width, shown_height = display_size(image.width, image.height, rotation, pixel_aspect(image))
    height = min(max(round(width * shown_height / shown_width), 1), TALLEST * width)
    coded = (height, width) if rotation in (90, 270) else (width, height)
    bgr: Any = None if exact else _shrunk(image, coded)
    if bgr is None:
        bgr = image.reformat(
            width=coded[0],
            height=coded[1],
            format="bgr24",
            interpolation=EXACT | Interpolation.AREA if exact else Interpolation.AREA,
            **_conversion(image, to_full=True),
        ).to_ndarray()
    if display_of(image).mirrored:
        bgr = bgr[::-1]
    turn = {90: cv2.ROTATE_90_CLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_COUNTERCLOCKWISE}.get(
        rotation
    )
    return np.ascontiguousarray(bgr if turn is None else cv2.rotate(bgr, turn))


def _shrunk(image: av.VideoFrame, size: tuple[int, int]) -> Image | None:
    """BGR at ``size`` for the layouts and matrices that most films have; ``None`` leaves it to the scaler.

    The scaler sets up its tables anew for every frame, which costs more than the small picture itself.
    """
    name = image.format.name
    matrix = _matrix(image)
    if name not in _EIGHT_BITS or matrix not in _LUMA_WEIGHTS or image.width < 2 * size[0]:
        return None
    planes = [_area(_view(plane, 8), size) for plane in image.planes[:3]]
    full = image.color_range == FULL_RANGE or name.startswith("yuvj")
    return np.asarray(cv2.transform(cv2.merge(planes), _to_bgr(matrix, full)), np.uint8)


def _area(plane: Any, size: tuple[int, int]) -> Image:
    """Nearly the mean over areas, in less time."""
    plane = halved(plane, size, 1)
    result: Any = cv2.resize(plane, size, interpolation=cv2.INTER_LINEAR)
    image: Image = result
    return image


def halved(plane: Any, size: tuple[int, int], least: int = 2) -> Any:
    """``plane`` halved by area, which is quick, while that leaves ``least`` times ``size`` (w, h)."""
    while plane.shape[1] >= 2 * least * size[0] and plane.shape[0] >= 2 * least * size[1]:
        half = (plane.shape[1] // 2, plane.shape[0] // 2)
        plane = cv2.resize(plane, half, interpolation=cv2.INTER_AREA)
    return plane


@lru_cache(maxsize=8)
def _to_bgr(matrix: int, full: bool) -> NDArray[np.float64]:
    """Rows for blue, green and red over (luma, blue difference, red difference, 1)."""
    red, blue = _LUMA_WEIGHTS[matrix]
    green = 1 - red - blue
    luma, chroma, black = (1.0, 1.0, 0.0) if full else (255 / 219, 255 / 224, 16.0)
    u, v = 2 * (1 - blue) * chroma, 2 * (1 - red) * chroma
    rows = np.array([[luma, u, 0.0], [luma, -u * blue / green, -v * red / green], [luma, 0.0, v]])
    return np.column_stack([rows, -rows @ np.array([black, NEUTRAL_CHROMA, NEUTRAL_CHROMA])])


def samples_of(image: av.VideoFrame) -> tuple[tuple[Any, Any, Any], int, NDArray[np.float64]]:
    """Luma and chroma as coded, for those who need a part of the picture in full detail.

    The planes are not copied: they keep the frame alive. With them come the bits of a sample, and the rows
    that give blue, green and red from (luma, U, V, 1) of 8 bits. Rare layouts are converted as a whole.
    """
    name = image.format.name
    if name not in _THREE_PLANES and name not in _GRAY and name not in _TWO_PLANES:
        image = image.reformat(format="yuv444p", **_conversion(image, to_full=False))
        name = "yuv444p"
    bits = image.format.components[0].bits
    matrix = _matrix(image)
    gray = name in _GRAY
    full = image.color_range == FULL_RANGE or name.startswith("yuvj")
    full = full or (gray and image.color_range != LIMITED_RANGE)
    rows = _to_bgr(matrix if matrix in _LUMA_WEIGHTS else BT709, full)
    y = _view(image.planes[0], bits)
    if gray:
        neutral = np.full((1, 1), NEUTRAL_CHROMA << (bits - 8), y.dtype)
        return (y, neutral, neutral), bits, rows
    if name in _TWO_PLANES:
        pair = _pairs(image.planes[1])
        first, second = (0, 1) if name == "nv12" else (1, 0)
        return (y, pair[..., first], pair[..., second]), bits, rows
    return (y, _view(image.planes[1], bits), _view(image.planes[2], bits)), bits, rows


def display_size(width: int, height: int, rotation: int, aspect: Fraction = Fraction(1)) -> tuple[int, int]:
    """Size as shown, in square pixels: coded size, pixel aspect applied to the width, then turned."""
    wide = max(round(width * aspect), 1)
    return (height, wide) if rotation in (90, 270) else (wide, height)


@dataclass(frozen=True)
class Display:
    """What ``read`` notes on a frame (``image.opaque``) where it is not the usual: the width of a pixel over
    its height, and whether the picture is flipped top to bottom before it is turned."""

    aspect: Fraction = Fraction(1)
    mirrored: bool = False


USUAL = Display()


def display_of(image: av.VideoFrame) -> Display:
    """How the frame is to be shown, as ``read`` noted it."""
    return image.opaque if isinstance(image.opaque, Display) else USUAL


def pixel_aspect(image: av.VideoFrame) -> Fraction:
    """Width of a pixel over its height."""
    return display_of(image).aspect


def clockwise(image: av.VideoFrame) -> int:
    """Degrees clockwise by which a player turns the frame: 0, 90, 180 or 270 (other angles snap)."""
    return round(-image.rotation / 90) % 4 * 90


def _view(plane: Any, bits: int) -> Any:
    """The plane without its padding, not copied; it keeps the frame alive."""
    samples = np.frombuffer(plane, np.uint8) if bits <= 8 else np.frombuffer(plane, np.uint16)
    wide = plane.line_size // samples.itemsize
    return samples.reshape(-1, wide)[: plane.height, : plane.width]


def _pairs(plane: Any) -> Image:
    """Interleaved chroma as (h, w, 2), copied."""
    rows = np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)
    pairs: Image = rows[: plane.height, : plane.width * 2].reshape(plane.height, plane.width, 2)
    return pairs


def _resized(plane: Any, size: tuple[int, int], bits: int, interpolation: int) -> Image:
    if interpolation == cv2.INTER_AREA:
        plane = halved(plane, size)
    elif plane.shape[0] % size[1] == 0 and plane.shape[0] >= SKIP_ROWS * size[1]:
        # Between far rows linear looks at one or two of each step: one row is what it needs to fetch.
        step = plane.shape[0] // size[1]
        plane = plane[step // 2 :: step]
    small: Any = cv2.resize(plane, size, interpolation=interpolation)
    result: Image = small if bits <= 8 else (small >> (bits - 8)).astype(np.uint8)
    return result


def _spread(plane: Image, table: Image) -> Image:
    result: Any = cv2.LUT(plane, table)
    image: Image = result
    return image


def _matrix(image: av.VideoFrame) -> int:
    """The frame's own matrix where it is tagged, else the one that goes with its size."""
    matrix = int(image.colorspace)
    if matrix == UNTAGGED or matrix < 0:
        return BT709 if image.height >= HD_HEIGHT else BT601
    return matrix


def _conversion(image: av.VideoFrame, *, to_full: bool) -> dict[str, int]:
    """Matrix and ranges for the scaler."""
    return {"src_colorspace": _matrix(image)} if to_full else {"dst_color_range": LIMITED_RANGE}


def mirrored(image: av.VideoFrame) -> bool:
    """Whether the display matrix flips the picture top to bottom before it turns it (determinant < 0).

    Asking ties the frame into a cycle of references, which keeps it until the garbage collector comes by: ask
    one frame of a file, not every one.
    """
    side_data: Any = image.side_data
    matrix = side_data.get(SideDataType.DISPLAYMATRIX)
    if matrix is None:
        return False
    m = np.frombuffer(matrix, np.int32)[:9].astype(np.float64)
    return bool(m[0] * m[4] - m[1] * m[3] < 0)
