"""Pictures and sound of a film in one demux loop, with exact times on the film's clock."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import av
import av.error
import numpy as np
from av.video.frame import PictureType
from numpy.typing import NDArray

from ..core.video import Part, Video, display_path
from ..errors import InputError
from .blocks import Blocks, Piece
from .container import (
    first_frame,
    first_pts,
    frame_period,
    open_container,
    packets,
    picture_stream,
    shown_pts,
    sound_stream,
)
from .planes import USUAL, Display, clockwise, mirrored
from .report import ReadReport, Wound

SOUND_LEAD = Fraction(1, 2)
"""Seconds of sound before ``start`` that a seek leaves: interleaving, and decoders that overlap blocks."""
SOUND_SLACK = 3
"""Seconds past ``end`` after which late sound is no longer waited for."""
GAP = Fraction(1, 10)
"""A hole between two frames is reported from this length (seconds) and 1.5 frame durations on."""
SEEK_TRIES = 6


class Picture(NamedTuple):
    """One decoded frame, coded orientation. ``time``: seconds on the film's clock, exact.

    ``part`` is the index of the file it is from (0 in a film of numbered pictures); ``rotation`` the degrees
    clockwise by which it is turned for display. Pixel aspect and mirroring are on ``image.opaque``.
    """

    image: av.VideoFrame
    time: Fraction
    part: int
    rotation: int


LOUDEST = 16.0
"""Sample beyond which floating-point sound is damaged: 24 dB over full scale."""


class Sound(NamedTuple):
    """Decoded sound: (channels, n) float32 in [-1, 1] at its own rate; ``time`` is that of sample 0."""

    samples: NDArray[np.float32]
    rate: int
    time: Fraction


def read(
    video: Video,
    report: ReadReport,
    *,
    pictures: bool = True,
    sound: bool = True,
    start: Fraction | None = None,
    end: Fraction | None = None,
    threads: int = 1,
) -> Iterator[Picture | Sound]:
    """Frames in display order and sound, interleaved as in the file; times never go back.

    With ``start`` it begins at a point from which the decoder gives the same frames as from the beginning,
    so earlier pictures and up to half a second of sound come first; with ``end`` it stops after the first
    picture at or after it. Sound before the film's first picture and, in a film of clips, past the end of
    its clip is cut. Decode errors are counted in ``report`` and the rest is read.

    Raises ``InputError`` when a file can no longer be opened.
    """
    if video.kind == "pictures":
        yield from _read_pictures(video, report, start, end)
        return
    last = len(video.parts) - 1
    for index, part in enumerate(video.parts):
        stop = None if part.duration is None else part.offset + part.duration
        if start is not None and stop is not None and stop <= start and index < last:
            continue
        reader = _Reader(part, index, report, cut=stop if index < last else None)
        yield from reader.run(pictures=pictures, sound=sound, start=start, end=end, threads=threads)
        if reader.past_end or (end is not None and not pictures and stop is not None and stop >= end):
            return


def _read_pictures(
    video: Video, report: ReadReport, start: Fraction | None, end: Fraction | None
) -> Iterator[Picture]:
    for part in video.parts:
        if start is not None and part.duration is not None and part.offset + part.duration <= start:
            continue
        image = None
        try:
            with open_container(part.path) as container:
                stream = picture_stream(container, part.path)
                image = first_frame(container, stream)
                if image is not None:
                    image.opaque = Display(_aspect(stream))
        except InputError as error:
            report.note(error.message)
        if image is None:
            report.error(f"{display_path(part.path.name)} cannot be decoded")
            report.damage(part.offset, part.offset + (part.duration or 0))
            continue
        report.frames += 1
        yield Picture(image, part.offset, 0, clockwise(image))
        if end is not None and part.offset >= end:
            return


class _Reader:
    """Reads one file of a film."""

    def __init__(self, part: Part, index: int, report: ReadReport, cut: Fraction | None) -> None:
        self.part = part
        self.index = index
        self.name = display_path(part.path.name)
        self.report = report
        self._wounds = {s: Wound(report, sound=s) for s in (False, True)}
        self.cut = cut
        self.past_end = False
        self._rotation = 0
        self._display: Display | None = None
        self._size = (0, 0)
        self._last: int | None = None
        self._duration = 0
        self._floor: int | None = None
        self._zero = 0
        self._base = Fraction(1)
        self._period = self._hole = 1

    def run(
        self, *, pictures: bool, sound: bool, start: Fraction | None, end: Fraction | None, threads: int
    ) -> Iterator[Picture | Sound]:
        path = self.part.path
        container = open_container(path)
        try:
            stream = picture_stream(container, path)
            use_threads(stream, threads)
            self._zero = first_pts(container, stream, path)
            if start is not None and start > self.part.offset:
                target = start - self.part.offset - (SOUND_LEAD if sound else 0)
                self._floor = seek(container, stream, self._zero, target)
                if self._floor is None:
                    container.close()
                    container = open_container(path)
                    stream = picture_stream(container, path)
                    use_threads(stream, threads)
            heard = sound_stream(container) if sound else None
            self._base = Fraction(stream.time_base)
            self._period = max(round(frame_period(stream) / self._base), 1)
            self._hole = max(int(GAP / self._base), 1)
            yield from self._demuxed(container, stream if pictures else None, heard, end)
            self._close()
        finally:
            container.close()

    def _demuxed(
        self, container: Any, stream: Any, heard: Any, end: Fraction | None
    ) -> Iterator[Picture | Sound]:
        """Decoded pictures of ``stream`` and sound of ``heard``; either may be ``None``."""
        wanted = [s for s in (stream, heard) if s is not None]
        if not wanted:
            return
        seen_end, heard_end = stream is None, heard is None
        blocks = Blocks()
        for packet in packets(container, wanted, self._unread):
            if end is not None and self._late(packet, end):
                break  # the sound ended before
            if packet.stream is stream:
                if seen_end:
                    continue
                for image in self._decoded(packet):
                    picture = self._picture(image, stream)
                    if picture is None:
                        continue
                    yield picture
                    if end is not None and picture.time >= end:
                        seen_end = True
                        break
            else:
                for block in self._decoded(packet):
                    piece = self._sound(blocks.add(block))
                    if piece is None:
                        continue
                    if end is not None and piece.time >= end:
                        heard_end = True
                        break
                    yield piece
            if seen_end and heard_end and end is not None:
                break
        if not heard_end and (last := self._sound(blocks.close())) is not None:
            yield last
        self.past_end = end is not None and (heard_end if stream is None else seen_end)

    def _decoded(self, packet: Any) -> list[Any]:
        try:
            frames: list[Any] = packet.decode()
        except av.error.EOFError:
            return []  # a second flush: nothing is left in the decoder
        except av.error.FFmpegError as error:
            time = self._packet_time(packet)
            place = "an unknown time" if time is None else f"{float(time):.3f} s"
            sound = packet.stream.type == "audio"
            self.report.error(f"{self.name}: {packet.stream.type} at {place}: {error.strerror}", sound=sound)
            self._wounds[sound].bad(time)
            return []
        return frames

    def _packet_time(self, packet: Any) -> Fraction | None:
        if packet.pts is None or packet.time_base is None:
            return None
        return self.part.offset + packet.pts * Fraction(packet.time_base) - self._zero * self._base

    def _unread(self, message: str) -> None:
        """A read error of the file, which may have hit either stream."""
        self.report.error(message)
        for wound in self._wounds.values():
            wound.bad(None)

    def _close(self) -> None:
        """Damage that nothing good follows lasts to the end of the file's picture, where it was read."""
        stop = None if self.part.duration is None or self.past_end else self.part.offset + self.part.duration
        for wound in self._wounds.values():
            wound.close(stop)

    def _late(self, packet: Any, end: Fraction) -> bool:
        if packet.dts is None:
            return False
        time = self.part.offset + packet.dts * Fraction(packet.time_base) - self._zero * self._base
        return bool(time > end + SOUND_SLACK)

    def _picture(self, image: av.VideoFrame, stream: Any) -> Picture | None:
        pts = shown_pts(image)
        if image.pts is None and pts is not None:
            self.report.missing_times += 1
        if pts is not None and self._floor is not None and pts < self._floor:
            return None  # refers to frames from before the seek
        if image.is_corrupt:
            self.report.error(f"{self.name}: damaged picture")
        pts = self._ordered(pts)
        time = self._film_time(pts)
        if image.is_corrupt:
            self._wounds[False].bad(time)
        else:
            self._wounds[False].good(time, time)
        if image.duration:
            self._duration = image.duration
        if self._display is None or (image.width, image.height) != self._size:
            self._size = image.width, image.height
            self._rotation = clockwise(image)
            self._display = Display(_aspect(stream), mirrored(image))
        if self._display != USUAL:
            image.opaque = self._display
        self.report.frames += 1
        return Picture(image, time, self.index, self._rotation)

    def _ordered(self, pts: int | None) -> int:
        """``pts`` of the next frame, made up where it is missing or goes back; notes holes."""
        if self._last is None:
            if pts is None:
                self.report.missing_times += 1
                pts = self._zero
        else:
            due = self._last + (self._duration or self._period)
            if pts is None or pts <= self._last:
                self.report.missing_times += 1
                pts = due
            elif pts - due > max(self._hole, (due - self._last) * 3 // 2):
                self.report.gap(self._film_time(due), self._film_time(pts))
        self._last = pts
        return pts

    def _film_time(self, pts: int) -> Fraction:
        time = (pts - self._zero) * self._base
        return time + self.part.offset if self.index else time

    def _sound(self, piece: Piece | None) -> Sound | None:
        if piece is None:
            return None
        samples, rate = piece.samples, piece.rate
        time = piece.pts * piece.base - self._zero * self._base + self.part.offset
        samples = self._healthy(samples, rate, time)
        if time < self.part.offset:
            early = -int((time - self.part.offset) * rate // 1)
            samples, time = samples[:, early:], time + Fraction(early, rate)
        if self.cut is not None:
            samples = samples[:, : max(int((self.cut - time) * rate), 0)]
        return Sound(samples, rate, time) if samples.shape[1] else None

    def _healthy(self, samples: NDArray[np.float32], rate: int, time: Fraction) -> NDArray[np.float32]:
        """The samples with silence for those that are no number or beyond all loudness: damage."""
        wound = self._wounds[True]
        size = np.abs(samples)
        if size.max(initial=0.0) <= LOUDEST:  # false for NaN as well
            wound.good(time, time + Fraction(samples.shape[1], rate))
            return samples
        bad = ~(size <= LOUDEST)
        places = np.flatnonzero(bad.any(axis=0))
        self.report.error(f"{self.name}: sound that is no number, or far too loud", sound=True)
        wound.bad(time + Fraction(int(places[0]), rate))
        wound.bad(time + Fraction(int(places[-1]) + 1, rate))
        return np.where(bad, np.float32(0), samples)


def seek(container: Any, stream: Any, zero: int, target: Fraction) -> int | None:
    """Move to a keyframe from which frames at ``target`` seconds after the first frame are right.

    Gives the keyframe's pts: frames before it lean on frames that were not decoded. ``None`` says that the
    file must be read from its beginning. A demuxer may land late, or where the picture only builds up (intra
    refresh), so the first decoded frame is looked at: it must be a whole picture and not too late.
    """
    base = Fraction(stream.time_base)
    wanted = zero + int(target // base)
    back = 0
    second = max(int(1 / base), 1)
    for _ in range(SEEK_TRIES):
        aim = wanted - back
        if aim <= zero:
            return None
        try:
            container.seek(aim, stream=stream, backward=True)
            key = _first_key(container, stream)
            container.seek(aim, stream=stream, backward=True)
            frame = first_frame(container, stream, key)
            container.seek(aim, stream=stream, backward=True)
        except av.error.FFmpegError:
            return None
        if key is not None and frame is not None and frame.pict_type == PictureType.I:
            shown = shown_pts(frame)
            if shown is not None and max(key, shown) <= wanted:
                return key
        back = max(second, back * 4)
    return None


def _first_key(container: Any, stream: Any) -> int | None:
    for packet in packets(container, [stream]):
        if packet.is_keyframe and (packet.pts is not None or packet.dts is not None):
            return int(packet.pts if packet.pts is not None else packet.dts)
    return None


def use_threads(stream: Any, threads: int) -> None:
    """Let a picture decoder use ``threads`` frame threads; one means none. No effect once it is open."""
    if stream.codec_context.is_open:
        return
    stream.codec_context.thread_count = threads
    if threads > 1:
        stream.thread_type = "FRAME"


def _aspect(stream: Any) -> Fraction:
    return Fraction(stream.codec_context.sample_aspect_ratio or stream.sample_aspect_ratio or 1)
