"""The encoder of changed spans: H.264 like the film's own, under parameter sets of its own."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import av
import av.error
import numpy as np
from av.codec.context import Flags
from av.video.frame import PictureType
from av.video.reformatter import Interpolation
from numpy.typing import NDArray

from .h264_index import Index, Unspliceable
from .h264_sets import DELIMITER, PPS, SEI, SPS, annex_b_units, picture_set_ids, sequence_set, with_lengths
from .planes import BT601, BT709, EXACT, HD_HEIGHT, LIMITED_RANGE, UNTAGGED
from .write import CRF, PRESET, REPEATABLE

REFERENCES = {0: ("0", "none"), 1: ("3", "none"), 2: ("3", "normal")}
"""B-frames in a row and whether other frames may lean on them, by how deep the film reorders (2: or deeper):
no deeper than the film itself, whose decoding stamps the encoded frames take."""
LEFT_OUT = frozenset({SPS, PPS, SEI, DELIMITER})
"""Units that do not go into the film: sets stand in its header, the others say who encoded."""


class Coded(NamedTuple):
    """An encoded frame: when it is shown (ticks), its NAL units after their lengths, whether it is an IDR."""

    pts: int
    data: bytes
    key: bool


class SpanEncoder:
    """Encodes frames of one run. Raises :class:`Unspliceable` where the encoder refuses the film."""

    def __init__(self, index: Index, set_id: int) -> None:
        self._index = index
        bframes, pyramid = REFERENCES[min(index.depth, 2)]
        context: Any = av.CodecContext.create("libx264", "w")
        context.width, context.height, context.pix_fmt = index.width, index.height, index.pix_fmt
        context.time_base, context.framerate = index.base, index.rate
        context.sample_aspect_ratio = index.aspect
        context.color_range, context.color_primaries, context.color_trc, context.colorspace = index.colour
        context.thread_count = 1
        context.flags |= Flags.global_header
        context.options = {
            **REPEATABLE,
            "crf": str(CRF),
            "preset": PRESET,
            "profile": index.profile,
            "bf": bframes,
            "x264-params": f"sps-id={set_id}:open-gop=0:stitchable=1:b-pyramid={pyramid}",
        }
        try:
            context.open()
        except (av.error.FFmpegError, ValueError) as error:
            raise Unspliceable(f"the encoder refuses it: {error}") from error
        self._context = context
        found = annex_b_units(bytes(context.extradata))
        self.sequence_set = next(u for u in found if u[0] & 31 == SPS)
        self.picture_set = next(u for u in found if u[0] & 31 == PPS)
        if sequence_set(self.sequence_set).id != set_id or picture_set_ids(self.picture_set) != (
            set_id,
            set_id,
        ):
            raise Unspliceable("the encoder does not take another id for its parameter sets")

    def encode(self, frame: av.VideoFrame | None, pts: int = 0) -> list[Coded]:
        """Take the next frame, shown at ``pts``, or ``None`` for no more; gives what is finished."""
        if frame is not None:
            frame.pts, frame.time_base, frame.pict_type = pts, self._index.base, PictureType.NONE
        try:
            return [self._coded(packet) for packet in self._context.encode(frame)]
        except (av.error.FFmpegError, ValueError) as error:
            raise Unspliceable(f"the encoder fails: {error}") from error

    def _coded(self, packet: Any) -> Coded:
        found = [u for u in annex_b_units(bytes(packet)) if u[0] & 31 not in LEFT_OUT]
        return Coded(packet.pts, with_lengths(found, self._index.avcc.length_size), packet.is_keyframe)


def coded_frame(
    bgr: NDArray[np.uint8], like: av.VideoFrame, rotation: int, *, mirrored: bool
) -> av.VideoFrame:
    """A frame with size, pixel format, matrix and range of ``like`` from a picture (h, w, 3) as displayed.

    The reverse of :func:`planes.bgr_of`: turned and mirrored back, brought to the coded size.
    """
    image = np.rot90(bgr, rotation // 90)
    if mirrored:
        image = image[::-1]
    matrix = int(like.colorspace)
    if matrix == UNTAGGED or matrix < 0:
        matrix = BT709 if like.height >= HD_HEIGHT else BT601
    made = av.VideoFrame.from_ndarray(np.ascontiguousarray(image), format="bgr24").reformat(
        width=like.width,
        height=like.height,
        format=like.format.name,
        interpolation=EXACT | (Interpolation.AREA if image.shape[1] > like.width else Interpolation.BICUBIC),
        dst_colorspace=matrix,
        dst_color_range=int(like.color_range) or LIMITED_RANGE,
    )
    made.colorspace, made.color_range = like.colorspace, like.color_range
    return made


def tick(time: Fraction, index: Index) -> int:
    """A time of the film's clock in ticks of its stream."""
    return round(time / index.base) + index.zero
