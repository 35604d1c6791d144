"""Opening one file: which streams are the film, where its clock begins, and what to say when it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import av
import av.error
from av.stream import Disposition

from ..core.video import display_path
from ..errors import InputError

NOT_FILMS = frozenset({"tty", "lrc", "data"})
"""Demuxers that take plain text or raw bytes for a film."""
STILL_BRANDS = frozenset({"avif", "mif1", "heic", "heix", "heim", "heis"})
"""MP4 brands of one picture (AVIF, HEIC). Sequences of pictures have others (avis, msf1, hevc)."""
ANIMATED_WEBP = b"ANIM"
MOST_FAILURES = 100
"""Read errors in a row after which a file is given up."""
TRIAL_PACKETS = 600
"""Packets in which a decoder must give its first frame (10 s at 60 fps)."""
FFMPEG_HINT = "try to play it, or convert it: ffmpeg -i IN -c:v libx264 -c:a aac OUT.mp4"


def open_container(path: Path) -> Any:
    """The demuxer of one local file (PyAV's ``InputContainer``). Raises ``InputError``.

    Only local files are opened, also by play lists inside them.
    """
    shown = display_path(path)
    try:
        container = av.open(f"file:{path}", options={"protocol_whitelist": "file"}, metadata_errors="replace")
    except (FileNotFoundError, PermissionError, IsADirectoryError) as error:
        raise InputError(
            f"{shown} cannot be opened: {error.strerror}", hint="check the path and that you may read it"
        ) from error
    except (av.error.FFmpegError, ValueError) as error:
        raise InputError(f"{shown} is damaged or is not a video", hint=FFMPEG_HINT) from error
    if container.format.name in NOT_FILMS:
        container.close()
        raise InputError(f"{shown} is text, not a video", hint="give a video file")
    return container


def is_still(path: Path) -> bool:
    """Whether a file is one still picture, told by its content: its demuxer and that it has one packet.

    GIFs, animated PNGs and pictures strung together in one file are films. An animated WebP is none here
    either way: it is left to the decoder, which says so where it cannot read it. Raises ``InputError``.
    """
    with open_container(path) as container:
        name = container.format.name
        brand = str(container.metadata.get("major_brand", "")).strip()
        if not (name.endswith("_pipe") or name.startswith("image2") or brand in STILL_BRANDS):
            return False
        if name == "webp_pipe":
            with path.open("rb") as file:
                if ANIMATED_WEBP in file.read(64):
                    return False
        streams = film_streams(container)
        filled = (p for p in packets(container, streams[:1]) if p.size)
        return bool(streams) and len(list(islice(filled, 2))) < 2


def film_streams(container: Any) -> list[Any]:
    """Video streams that are moving pictures with a decoder, the preferred first; no cover art."""
    streams = [
        s
        for s in container.streams.video
        if s.codec_context is not None and not s.disposition & Disposition.attached_pic
    ]
    return sorted(
        streams, key=lambda s: (not s.disposition & Disposition.default, -s.width * s.height, s.index)
    )


def picture_stream(container: Any, path: Path) -> Any:
    """The stream of ``container`` that is the film: the preferred one of those that give a frame.

    Raises ``InputError`` where there is none. Deterministic, so that every reader takes the same one.
    """
    streams = film_streams(container)
    if not streams:
        raise _no_picture(container, path)
    if len(streams) == 1:
        return streams[0]
    for stream in streams:
        with open_container(path) as trial:
            if first_frame(trial, trial.streams[stream.index]) is not None:
                return stream
    return streams[0]


def sound_stream(container: Any) -> Any | None:
    """The sound track to listen to: the default one of those that have a decoder, else the first."""
    streams = [s for s in container.streams.audio if hears(s)]
    return min(streams, key=lambda s: (not s.disposition & Disposition.default, s.index), default=None)


def hears(stream: Any) -> bool:
    """Whether a sound stream has a decoder and a rate: a track without a description has neither."""
    return stream.codec_context is not None and bool(stream.codec_context.sample_rate)


def first_frame(container: Any, stream: Any, floor: int | None = None) -> av.VideoFrame | None:
    """The first frame a decoder gives, at or after ``floor`` ticks, or ``None``; moves the container on."""
    for count, packet in enumerate(packets(container, [stream])):
        if count >= TRIAL_PACKETS:
            return None
        try:
            frames: list[av.VideoFrame] = packet.decode()
        except av.error.FFmpegError:
            continue  # a damaged first packet: the next may do
        for frame in frames:
            if floor is None or (shown_pts(frame) or floor) >= floor:
                return frame
    return None


def packets(
    container: Any, streams: list[Any], failed: Callable[[str], None] = lambda message: None
) -> Iterator[Any]:
    """Packets of some streams, past read errors in the middle (told to ``failed``); flushing packets last."""
    failures = 0
    while failures < MOST_FAILURES:
        try:
            for packet in container.demux(streams):
                failures = 0
                yield packet
        except av.error.FFmpegError as error:
            failures += 1
            failed(f"reading: {error.strerror}")
        except IndexError:
            # PyAV flushes a stream that appeared while a damaged file was read; ours are flushed by then, and
            # the damage was told where it was.
            return
        else:
            return


def shown_pts(frame: av.VideoFrame) -> int | None:
    """When a frame is shown, in ticks of its stream; the decoding time where the container gives no other."""
    return frame.pts if frame.pts is not None else frame.dts


def first_pts(container: Any, stream: Any, path: Path) -> int:
    """Where the film's clock is zero, in ticks of the stream: its stated start, else its first frame."""
    if stream.start_time is not None:
        return int(stream.start_time)
    with open_container(path) as trial:
        frame = first_frame(trial, trial.streams[stream.index])
    return 0 if frame is None or frame.pts is None else int(frame.pts)


def frame_period(stream: Any) -> Fraction:
    """Seconds between frames as the container states them; 1/25 where it does not."""
    rate = stream.average_rate or stream.guessed_rate or stream.base_rate
    return 1 / Fraction(rate) if rate else Fraction(1, 25)


def encrypted(path: Path) -> bool:
    """Whether the first picture packet comes with a key's description (common encryption in MP4)."""
    with open_container(path) as container:
        stream = picture_stream(container, path)
        packet = next(packets(container, [stream]), None)
        return packet is not None and bool(packet.has_sidedata("encryption_info"))


def _no_picture(container: Any, path: Path) -> InputError:
    shown = display_path(path)
    if container.streams.video and any(s.codec_context is None for s in container.streams.video):
        return InputError(f"{shown} has a picture in a codec that cannot be decoded here", hint=FFMPEG_HINT)
    if container.streams.audio:
        return InputError(f"{shown} has sound but no film", hint="give a file with a picture")
    return InputError(f"{shown} has no video stream", hint=FFMPEG_HINT)
