"""Small films of every kind that splicing has to cope with, and what is in a file, packet by packet."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import av
import av.logging
import numpy as np
from media_films import FPS, RATE, drifting

from longtake.media.h264_index import Index, index_of
from longtake.media.open import open_video
from longtake.media.splice import check, splice
from longtake.media.splice_plan import Piece, Step, plan
from longtake.media.write import FilmWriter

FRAMES = 192


class Kind(NamedTuple):
    """How a film is made."""

    suffix: str = ".mp4"
    gop: int = 48
    bframes: int = 3
    params: str = "scenecut=0"
    sound: bool = True
    start: float = 0.0
    uneven: bool = False
    aspect: Fraction | None = None
    full_range: bool = False
    rotation: int = 0
    hidden: int = 0


KINDS = {
    "no B-frames": Kind(bframes=0),
    "B-frames that none leans on": Kind(params="scenecut=0:b-pyramid=none"),
    "B-frames that others lean on": Kind(),
    "baseline": Kind(bframes=0, params="scenecut=0:cabac=0:8x8dct=0:weightp=0"),
    "all IDR": Kind(gop=1, bframes=0),
    "uneven": Kind(uneven=True),
    "starts late": Kind(start=0.023),
    "starts much later": Kind(start=10.0),
    "edit list": Kind(hidden=10),
    "pixel aspect": Kind(aspect=Fraction(4, 3)),
    "full range": Kind(full_range=True),
    "turned": Kind(rotation=90),
    "no sound": Kind(sound=False),
    "Matroska": Kind(suffix=".mkv"),
    "one IDR": Kind(gop=1000),
    "open GOP": Kind(params="scenecut=0:open-gop=1:bframes=3"),
}


def make(folder: Path, kind: Kind, frames: int = FRAMES) -> Path:
    """A film of noise that drifts, with a sine."""
    path = folder / f"film{kind.suffix}"
    made = folder / "whole.mp4" if kind.hidden else path
    times = _times(kind, frames)
    options = {"x264-params": kind.params}
    rate = RATE if kind.sound else None
    with FilmWriter(
        made, 96, 64, FPS, gop=kind.gop, bframes=kind.bframes, sample_rate=rate, options=options
    ) as film:
        if kind.aspect:
            film.video.codec_context.sample_aspect_ratio = kind.aspect
        if kind.full_range:
            film.video.codec_context.color_range = 2
        if kind.rotation:
            film.video.set_display_rotation(kind.rotation)
        if kind.sound and kind.start:
            film.samples = round(kind.start * RATE)
        begin = film.samples
        for picture, time in zip(drifting(frames), times, strict=True):
            film.picture(picture, time)
            if kind.sound:
                at = (
                    np.arange(film.samples, max(begin + round(RATE * (time - kind.start)), film.samples))
                    / RATE
                )
                if len(at):
                    film.sound((0.3 * np.sin(2 * np.pi * 440 * at)).astype(np.float32)[None])
    if kind.hidden:
        _with_edit_list(made, path, kind.hidden)
    return path


def _times(kind: Kind, frames: int) -> list[Fraction]:
    steps = np.random.default_rng(3).integers(1, 4, frames) if kind.uneven else np.ones(frames, int)
    ticks = np.concatenate([[0], np.cumsum(steps)[:-1]])
    return [Fraction(int(t), FPS) + Fraction(kind.start).limit_denominator(1000) for t in ticks]


def _with_edit_list(source: Path, out: Path, hidden: int) -> None:
    """A copy whose first frames come before its clock's zero: the muxer hides them by an edit list."""
    with av.open(str(source)) as film, av.open(str(out), "w") as copy:
        ways = {s.index: copy.add_stream_from_template(s, opaque=True) for s in film.streams}
        for packet in film.demux():
            if packet.dts is None:
                continue
            shift = round(Fraction(hidden, FPS) / packet.time_base)
            packet.pts, packet.dts = packet.pts - shift, packet.dts - shift
            packet.stream = ways[packet.stream_index]
            copy.mux(packet)


class Spliced(NamedTuple):
    """A film and a copy in which some of its runs were encoded."""

    source: Path
    out: Path
    index: Index
    steps: list[Step]


def touched(source: Path, out: Path, spans: Sequence[tuple[int, int]], *, sound: bool = True) -> Spliced:
    """A copy in which ``spans`` (frames in display order) and what must go with them are encoded."""
    index = index_of(source)
    pieces, at = [], 0
    for first, last in spans:
        pieces += [Piece(at, first), Piece(first, last, -1)]
        at = last
    return edited(source, out, [*pieces, Piece(at, index.frames)], sound=sound)


def edited(source: Path, out: Path, pieces: Sequence[Piece], *, sound: bool = True) -> Spliced:
    """A copy made by an edit list."""
    index = index_of(source)
    steps = plan([p for p in pieces if len(p)], index.idr, index.clean)
    splice(open_video(source), index, steps, lambda mark, shown: None, out, sound)
    check(index, steps, out)
    return Spliced(source, out, index, steps)


class Packet(NamedTuple):
    """A packet: times in seconds, and its bytes."""

    pts: Fraction
    dts: Fraction | None
    data: bytes


def packets_of(path: Path, kind: str = "video") -> list[Packet]:
    """All packets of the first stream of a kind, in the order of the file; times from the first shown one."""
    with av.open(str(path)) as film:
        stream: Any = next((s for s in film.streams if s.type == kind), None)
        if stream is None:
            return []
        base = Fraction(stream.time_base)
        return [
            Packet(p.pts * base, None if p.dts is None else p.dts * base, bytes(p))
            for p in film.demux(stream)
            if p.size
        ]


def decoded(path: Path) -> tuple[list[str], list[Fraction]]:
    """Hashes of the planes of all frames, and their times. What the decoder complains of is an error."""
    hashes, times = [], []
    before = av.logging.get_level()
    av.logging.set_level(av.logging.ERROR)
    try:
        with av.logging.Capture(local=False) as said, av.open(str(path)) as film:
            for frame in film.decode(video=0):
                hashes.append(hashlib.sha256(frame.to_ndarray().tobytes()).hexdigest())
                times.append(frame.pts * Fraction(frame.time_base))
    finally:
        av.logging.set_level(before)
    assert [m for level, _, m in said if level <= av.logging.ERROR] == []
    return hashes, times
