"""Writing an MP4 in which some runs are encoded anew and all other packets are the source's, bit for bit.

The encoded runs have parameter sets of their own ids, which stand beside the source's in the one ``avcC``:
copied packets stay as they are, and a player may begin anywhere.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import av
import av.error

from ..core.video import Video
from ..errors import OutputError
from .container import open_container, packets, picture_stream
from .h264_index import Index, Unspliceable, decode_slots, index_of
from .length import picture_length
from .read import Picture, ReadReport, read
from .span_encoder import Coded, SpanEncoder, tick
from .splice_plan import Piece, Step
from .splice_sound import Heard, copied_sound, encoded_sound, tracks

SEEK_AHEAD = 2000
"""Packets that are read through rather than searched past."""
CONTAINERS = frozenset({".mp4", ".m4v", ".mov"})
"""Suffixes of containers that keep the source's times exactly and take two sets of parameters."""

Draw = Callable[[int, Picture], av.VideoFrame | None]
"""What becomes of a marked frame; ``None`` for the frame as it is."""


class Timeline(NamedTuple):
    """When the frames of the output are shown and decoded, in ticks: ``pts`` by place in display order, the
    rest by place in decoding order; ``end`` is where the last frame ends."""

    pts: Sequence[int]
    slots: Sequence[int]
    durations: Sequence[int]
    end: int


def timeline_of(index: Index, steps: Sequence[Step]) -> Timeline:
    """Times of the output: the source's own where all its frames are shown in their order, else each frame
    lasts as long as in the source and follows the one before, from the source's beginning on."""
    ranks = [r for step in steps for p in step.pieces for r in range(p.first, p.last)]
    if ranks == list(range(index.frames)):
        return Timeline(index.shown, index.slots, index.durations, index.end)
    lasts = [b - a for a, b in pairwise([*index.shown, index.end])]
    pts, at = [], index.zero
    for rank in ranks:
        pts.append(at)
        at += lasts[rank]
    slots = decode_slots(pts, at, index.depth, index.period)
    steps_ahead = [b - a for a, b in pairwise(slots)]
    final = slots[0] + at - pts[0] - slots[-1]
    return Timeline(pts, slots, [*steps_ahead, final], at)


def splice(
    video: Video, index: Index, steps: Sequence[Step], draw: Draw, out: Path, sound: Heard | bool
) -> None:
    """Write ``out``. ``video`` is the film of ``index``; ``sound`` is ``True`` to copy its sound tracks,
    ``False`` to leave them out. Memory holds one frame's worth of packets and what the encoder looks ahead.

    Raises :class:`Unspliceable` where it turns out on the way that the film must be encoded whole, and
    ``OutputError`` where nothing can be written.
    """
    try:
        with open_container(index.path) as source, av.open(f"file:{out}", "w", format="mp4") as target:
            _write(video, index, steps, draw, source, target, sound)
    except ValueError as error:  # FFmpeg's for what it does not take, and ours for packets that are damaged
        raise Unspliceable(f"it cannot be written in part: {error}") from error
    except (av.error.FFmpegError, OSError) as error:
        raise OutputError(
            f"{out.name} cannot be written: {error.strerror or error}",
            hint="check the folder and the free space",
        ) from error


def check(index: Index, steps: Sequence[Step], out: Path) -> None:
    """Whether a written film has exactly the frames, times and length that it should have.

    Raises :class:`Unspliceable` where it has not.
    """
    timeline = timeline_of(index, steps)
    found = index_of(out)
    ours, theirs = (
        b.numerator * o.denominator for b, o in ((found.base, index.base), (index.base, found.base))
    )
    same = [(p - found.zero) * ours for p in found.shown] == [(p - index.zero) * theirs for p in timeline.pts]
    if not same or found.hidden != sum(p < index.zero for p in timeline.pts):
        raise Unspliceable("the times of its frames cannot be kept")
    length = (timeline.end - index.zero) * index.base
    half = index.period * index.base / 2
    stated = _stated(out, found.stream) or length
    before = _stated(index.path, index.stream) if timeline.slots is index.slots else None
    off = min(abs(stated - true) for true in (length, before or length))
    if abs(picture_length(out) - length) >= half or off >= half:
        raise Unspliceable("its length cannot be kept to the frame")


def _stated(path: Path, number: int) -> Fraction | None:
    """The length that the header states for a stream; often it is that of the packets, not of the frames."""
    with open_container(path) as container:
        stream = container.streams[number]
        return None if stream.duration is None else stream.duration * Fraction(stream.time_base)


def _write(
    video: Video,
    index: Index,
    steps: Sequence[Step],
    draw: Draw,
    source: Any,
    target: Any,
    sound: Heard | bool,
) -> None:
    picture = source.streams[index.stream]
    out = target.add_stream_from_template(picture, opaque=True)
    timeline = timeline_of(index, steps)
    number = index.avcc.free_id()
    avcc = index.avcc
    if any(not s.copied for s in steps) and number is not None:
        encoder = SpanEncoder(index, number)
        avcc = avcc.joined(encoder.sequence_set, encoder.picture_set)
    out.codec_context.extradata = avcc.encoded()
    ways = [_pictures(video, index, steps, timeline, draw, number or 0, out)]
    if sound is True:
        ways += [copied_sound(index.path, s.index, target) for s in tracks(source)]
    elif isinstance(sound, Heard):
        ways.append(encoded_sound(sound, index.zero * index.base, target))
    for _, packet in heapq.merge(*ways, key=lambda item: item[0]):
        target.mux(packet)


def _pictures(
    video: Video,
    index: Index,
    steps: Sequence[Step],
    timeline: Timeline,
    draw: Draw,
    number: int,
    out: Any,
) -> Iterator[tuple[float, Any]]:
    """Picture packets of the output in decoding order, with their decoding time in seconds."""
    at, tick_s = 0, float(index.base)
    with _Copier(index) as copier:
        for step in steps:
            if step.copied:
                piece = step.pieces[0]
                made = copier.packets(piece, timeline.pts[at : at + len(piece)])
            else:
                made = _encoded(video, index, step, timeline.pts[at : at + len(step)], draw, number)
            place = at
            for place, packet in enumerate(made, at):
                if place >= at + len(step):
                    break
                packet.dts, packet.duration = timeline.slots[place], timeline.durations[place]
                if packet.dts > packet.pts:
                    raise Unspliceable("the encoder reorders its frames deeper")
                packet.time_base, packet.stream = index.base, out
                yield packet.dts * tick_s, packet
            if place != at + len(step) - 1:
                raise Unspliceable("its frames cannot all be decoded")
            at += len(step)


class _Copier:
    """Hands on packets of the source."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._container: Any = None
        self._next = 0
        self._packets: Iterator[Any] = iter(())

    def __enter__(self) -> _Copier:
        return self

    def __exit__(self, *_: object) -> None:
        if self._container is not None:
            self._container.close()

    def packets(self, piece: Piece, pts: Sequence[int]) -> Iterator[Any]:
        """The packets of a copied piece, to be shown at ``pts``."""
        index = self._index
        self._go(piece.first)
        for place in range(piece.first, piece.last):
            packet = self._read(index.pts[place])
            self._next = place + 1
            packet.pts = pts[index.ranks[place] - piece.first]
            yield packet

    def _go(self, place: int) -> None:
        if self._container is None or not 0 <= place - self._next <= SEEK_AHEAD:
            self._open(place)
        self._next = place

    def _open(self, place: int) -> None:
        """Begin to read at or before a packet."""
        if self._container is not None:
            self._container.close()
        self._container = open_container(self._index.path)
        stream = self._container.streams[self._index.stream]
        if place > SEEK_AHEAD:
            self._container.seek(self._index.slots[place], stream=stream, backward=True)
        self._packets = (p for p in packets(self._container, [stream]) if p.size)

    def _read(self, pts: int) -> Any:
        packet = next((p for p in self._packets if p.pts == pts), None)
        if packet is None:
            raise Unspliceable("its packets are not found again")
        return packet


def _encoded(
    video: Video, index: Index, step: Step, pts: Sequence[int], draw: Draw, number: int
) -> Iterator[Any]:
    encoder = SpanEncoder(index, number)
    for stamp, image in zip(pts, _frames(video, index, step, draw), strict=True):
        yield from map(_packet, encoder.encode(image, stamp))
    yield from map(_packet, encoder.encode(None))


def _packet(coded: Coded) -> Any:
    packet: Any = av.Packet(coded.data)
    packet.pts, packet.is_keyframe = coded.pts, coded.key
    return packet


def _frames(video: Video, index: Index, step: Step, draw: Draw) -> Iterator[av.VideoFrame]:
    """Frames of a run as they are to be encoded. What follows in the source is decoded in one go."""
    waiting = list(step.pieces)
    while waiting:
        together = [waiting.pop(0)]
        while waiting and waiting[0].first == together[-1].last:
            together.append(waiting.pop(0))
        wanted = ((rank, p.mark) for p in together for rank in range(p.first, p.last))
        for item in _between(video, index.time(together[0].first), index.time(together[-1].last)):
            rank, mark = next(wanted)
            if tick(item.time, index) != index.shown[rank]:
                raise Unspliceable("its frames are not where its packets say")
            drawn = draw(mark, item) if mark is not None and mark >= 0 else None
            yield item.image if drawn is None else drawn
        if next(wanted, None) is not None:
            raise Unspliceable("its frames cannot all be decoded")


def _between(video: Video, start: Fraction, end: Fraction) -> Iterator[Picture]:
    for item in read(video, ReadReport(), sound=False, start=start, end=end):
        if isinstance(item, Picture) and start <= item.time < end:
            yield item


def remuxed(path: Path, out: Path) -> None:
    """Copy picture and sound into an MP4 without encoding, so that lengths take the place of start codes.

    Raises :class:`Unspliceable` where that cannot be done.
    """
    try:
        with open_container(path) as source, av.open(f"file:{out}", "w", format="mp4") as target:
            streams = [picture_stream(source, path), *tracks(source)]
            ways = {s.index: target.add_stream_from_template(s, opaque=True) for s in streams}
            for packet in packets(source, streams):
                if not packet.size:
                    continue
                if packet.dts is None or packet.pts is None:
                    raise Unspliceable("a packet has no time")
                packet.stream = ways[packet.stream_index]
                target.mux(packet)
    except (av.error.FFmpegError, ValueError) as error:
        raise Unspliceable(f"it cannot be brought into an MP4: {error}") from error
