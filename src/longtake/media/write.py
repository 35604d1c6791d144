"""Writing a film: H.264 and AAC, under a temporary name until it is whole."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any

import av
import av.error
import numpy as np
from av.video.frame import PictureType
from av.video.reformatter import Interpolation
from numpy.typing import NDArray

from ..core.video import Video
from ..errors import LongtakeError, OutputError
from .container import frame_period, open_container, picture_stream, sound_stream
from .planes import BT601, BT709, EXACT, HD_HEIGHT, LIMITED_RANGE, bgr_of, display_size, pixel_aspect
from .read import Picture, ReadReport, Sound, read

FINEST = 90_000
"""Clock ticks per second, at least: uneven frame times are kept to 11 microseconds."""
CRF = 18
PRESET = "veryfast"
"""How films are encoded, whole or in spans."""
REPEATABLE = {"mbtree": "0"}
"""Without its macroblock tree libx264 gives the same bytes every time. With it, and AVX-512, it reads memory
that was never set; and machines without AVX-512 give other pictures."""
PREVIEW_RATE = 48_000
PREVIEW_CRF = 28
SOUND_JUMP = 0.05
"""Seconds by which sound may stray before a preview pads or cuts it."""


class FilmWriter:
    """Context manager that writes one MP4 (or what the suffix says) and gives it its name at the end.

    ``fps`` spaces pictures that come without a time. ``pix_fmt`` defaults to yuv420p, for odd sizes to
    yuv444p; ``gop`` and ``bframes`` to the encoder's choice. With the same input and ``threads`` the picture
    is the same every time. ``options`` go to the picture encoder, ``muxer`` to the container.

    An error inside the block removes the unfinished file; what cannot be written raises ``OutputError``.
    """

    def __init__(
        self,
        path: Path,
        width: int,
        height: int,
        fps: Fraction | float,
        *,
        crf: int = CRF,
        preset: str = PRESET,
        pix_fmt: str | None = None,
        gop: int | None = None,
        bframes: int | None = None,
        codec: str = "libx264",
        sample_rate: int | None = None,
        channels: int = 1,
        audio_codec: str = "aac",
        threads: int = 1,
        options: dict[str, str] | None = None,
        muxer: dict[str, str] | None = None,
    ) -> None:
        self.path = Path(path)
        self.width, self.height = width, height
        self.pix_fmt = pix_fmt or ("yuv444p" if width % 2 or height % 2 else "yuv420p")
        self.fps = Fraction(fps).limit_denominator(1001)
        self.pictures = 0
        self.samples = 0
        ticks = self.fps.numerator * -(-FINEST // self.fps.numerator)
        self._base = Fraction(1, ticks)
        self._last = -1
        self._end: int | None = None
        self._held: Any = None
        self._first_decoded: int | None = None
        self._partial = self.path.with_name(f".{self.path.stem}.{os.getpid()}.partial{self.path.suffix}")
        self._matrix = BT709 if height >= HD_HEIGHT else BT601
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._container: Any = av.open(f"file:{self._partial}", "w", options=muxer or {})
        except (OSError, ValueError) as error:
            raise self._failed(error) from error
        settings = {"crf": str(crf), "preset": preset} if codec in ("libx264", "libx265") else {}
        if codec == "libx264":
            settings |= REPEATABLE
        if gop is not None:
            settings["g"] = str(gop)
        if bframes is not None:
            settings["bf"] = str(bframes)
        stream: Any = self._container.add_stream(
            codec, rate=self.fps, options={**settings, **(options or {})}
        )
        stream.width, stream.height, stream.pix_fmt = width, height, self.pix_fmt
        stream.codec_context.time_base = self._base
        stream.codec_context.thread_count = threads
        self.video = stream
        self.audio: Any = None
        self.sample_rate = sample_rate
        self.channels = channels
        if sample_rate is not None:
            layout = {1: "mono", 2: "stereo"}.get(channels, f"{channels}c")
            self.audio = self._container.add_stream(audio_codec, rate=sample_rate, layout=layout)

    def __enter__(self) -> FilmWriter:
        return self

    def picture(self, image: NDArray[np.uint8] | av.VideoFrame, time: Fraction | float | None = None) -> None:
        """One picture: (h, w, 3) uint8 BGR or a decoded frame, scaled to the film's size if it differs.

        ``time`` is seconds from the film's start, later than the one before; by default one period later.
        """
        frame = (
            image if isinstance(image, av.VideoFrame) else av.VideoFrame.from_ndarray(image, format="bgr24")
        )
        frame = frame.reformat(
            width=self.width,
            height=self.height,
            format=self.pix_fmt,
            interpolation=EXACT | Interpolation.BILINEAR,
            dst_colorspace=self._matrix,
            dst_color_range=LIMITED_RANGE,
        )
        period = round(1 / self.fps / self._base)
        ticks = self._last + period if self._last >= 0 else 0
        if time is not None:
            ticks = round(Fraction(time) / self._base)
        if ticks <= self._last:
            raise ValueError(f"picture {self.pictures} is not later than the one before")
        kept = frame.pts, frame.time_base or self._base, frame.pict_type
        frame.pts, frame.time_base, frame.pict_type = ticks, self._base, PictureType.NONE
        self._last = ticks
        self.pictures += 1
        self._mux(self.video, frame)
        frame.pts, frame.time_base, frame.pict_type = kept

    def ends(self, time: Fraction | float) -> None:
        """Where the last picture ends, seconds; without it that lasts as long as its encoder says."""
        self._end = max(round(Fraction(time) / self._base), self._last + 1)

    def sound(self, samples: NDArray[np.float32]) -> None:
        """The next block of sound: (channels, n) float32 in [-1, 1] at ``sample_rate``."""
        if self.audio is None:
            raise ValueError("the film was opened without a sample rate")
        block = av.AudioFrame.from_ndarray(
            np.ascontiguousarray(samples, np.float32), format="fltp", layout=self.audio.layout.name
        )
        block.sample_rate = self.sample_rate or 0
        block.time_base = Fraction(1, block.sample_rate)
        block.pts = self.samples
        self.samples += samples.shape[1]
        self._mux(self.audio, block)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                for stream in (self.video, self.audio):
                    if stream is not None:
                        self._mux(stream, None)
                self._mux_last()
            self._close(quiet=kind is not None)
            if kind is None:
                os.replace(self._partial, self.path)
        except OSError as problem:
            raise self._failed(problem) from problem
        finally:
            self._partial.unlink(missing_ok=True)

    def _mux(self, stream: Any, frame: Any) -> None:
        try:
            for packet in stream.encode(frame):
                if stream is self.video:  # one behind: the last one's length is known at the end
                    packet, self._held = self._held, packet
                if packet is not None:
                    self._put(packet)
        except (av.error.FFmpegError, OSError) as error:
            raise self._failed(error) from error

    def _put(self, packet: Any) -> None:
        if packet.stream is self.video and self._first_decoded is None:
            self._first_decoded = packet.dts
        self._container.mux(packet)

    def _mux_last(self) -> None:
        """Put the last packet, with a length that states where the film ends.

        In MP4 frames last from one decoding time to the next, and all of them together as long as the film.
        """
        packet = self._held
        if packet is None:
            return
        if self._end is not None:
            first = packet.dts if self._first_decoded is None else self._first_decoded
            packet.duration = first + self._end - packet.dts
        try:
            self._put(packet)
        except (av.error.FFmpegError, OSError) as error:
            raise self._failed(error) from error

    def _close(self, *, quiet: bool) -> None:
        try:
            self._container.close()
        except OSError as error:
            if not quiet:  # the first error is on its way to the caller already
                raise self._failed(error) from error

    def _failed(self, error: Exception) -> LongtakeError:
        reason = getattr(error, "strerror", None) or str(error)
        return OutputError(
            f"{self.path} cannot be written: {reason}", hint="check the folder and the free space"
        )


def preview(video: Video, out: Path, width: int = 640) -> Path:
    """A small H.264 copy of a whole film that browsers play, beside a report.

    Display orientation and square pixels, at most ``width`` px wide (even numbers); clips of another shape
    are fitted with bars. Sound is stereo at 48 kHz where any part has some. Raises ``OutputError``.
    """
    rate, heard, size = _plan(video, width)
    report = ReadReport()
    mixer = _Mixer()
    with FilmWriter(
        out,
        *size,
        rate,
        crf=PREVIEW_CRF,
        sample_rate=PREVIEW_RATE if heard else None,
        channels=2,
        muxer={"movflags": "faststart"},
    ) as film:
        for item in read(video, report, sound=heard):
            if isinstance(item, Picture):
                film.picture(_fitted(item, size), item.time)
            elif isinstance(item, Sound):
                mixer.add(film, item)
    return out


def _plan(video: Video, width: int) -> tuple[Fraction, bool, tuple[int, int]]:
    """Frame rate, whether there is sound, and the size of a preview (the first picture's shape)."""
    first = next(p for p in read(video, ReadReport(), sound=False) if isinstance(p, Picture))
    wide, high = display_size(
        first.image.width, first.image.height, first.rotation, pixel_aspect(first.image)
    )
    width = max(min(width, wide) // 2 * 2, 2)
    size = width, max(round(width * high / wide / 2) * 2, 2)
    if video.kind == "pictures":
        return video.fps or Fraction(25), False, size
    heard = False
    rate = Fraction(0)
    for part in video.parts:
        with open_container(part.path) as container:
            heard = heard or sound_stream(container) is not None
            rate = rate or 1 / frame_period(picture_stream(container, part.path))
    return min(max(rate, Fraction(1)), Fraction(120)), heard, size


def _fitted(picture: Picture, size: tuple[int, int]) -> NDArray[np.uint8]:
    wide, high = display_size(
        picture.image.width, picture.image.height, picture.rotation, pixel_aspect(picture.image)
    )
    width = max(min(size[0], round(size[1] * wide / high)), 1)
    bgr = bgr_of(picture.image, width, picture.rotation)[: size[1]]
    top, left = (size[1] - bgr.shape[0]) // 2, (size[0] - width) // 2
    if not top and not left and bgr.shape[:2] == (size[1], size[0]):
        return bgr
    canvas = np.zeros((size[1], size[0], 3), np.uint8)
    canvas[top : top + bgr.shape[0], left : left + width] = bgr
    return canvas


class _Mixer:
    """Brings sound of any rate and layout to stereo at ``PREVIEW_RATE``, in step with the picture."""

    def __init__(self) -> None:
        self._source: tuple[int, int] | None = None
        self._resampler: Any = None

    def add(self, film: FilmWriter, sound: Sound) -> None:
        if self._source != (sound.rate, sound.samples.shape[0]):
            self._source = sound.rate, sound.samples.shape[0]
            self._resampler = av.AudioResampler(format="fltp", layout="stereo", rate=PREVIEW_RATE)
        due = round(float(sound.time) * PREVIEW_RATE)
        slack = round(SOUND_JUMP * PREVIEW_RATE)
        if due - film.samples > slack:
            film.sound(np.zeros((2, due - film.samples), np.float32))
        channels = sound.samples if sound.samples.shape[0] <= 2 else _stereo(sound.samples)
        layout = "mono" if channels.shape[0] == 1 else "stereo"
        block = av.AudioFrame.from_ndarray(np.ascontiguousarray(channels), format="fltp", layout=layout)
        block.sample_rate = sound.rate
        for made in self._resampler.resample(block):
            samples = made.to_ndarray()
            ahead = film.samples - due
            if ahead > slack:
                samples = samples[:, ahead:]
            if samples.shape[1]:
                film.sound(samples)


def _stereo(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """All channels in both ears, at a level that cannot clip: enough to find one's way in a preview."""
    mean = samples.mean(axis=0, dtype=np.float32)
    return np.stack([mean, mean])
