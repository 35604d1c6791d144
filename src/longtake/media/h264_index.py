"""What has to be known of an H.264 film to copy some of its packets and encode the others anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from .container import first_pts, frame_period, open_container, packets, picture_stream
from .h264_sets import IDR, PPS, SPS, Avcc, read_avcc, sequence_set, units
from .length import picture_length

PROFILES = {66: "baseline", 77: "main", 100: "high"}
"""Profiles that the encoder of the spans can match, by number."""
PIXEL_FORMATS = frozenset({"yuv420p", "yuvj420p"})


class Unspliceable(Exception):
    """Why a film cannot be copied in part, as the end of a sentence that begins with "because"."""


@dataclass(frozen=True)
class Index:
    """The packets of a film's picture in decoding order, and what its encoder has to be told.

    ``pts``, ``slots`` (decoding stamps) and ``durations`` are in ticks of ``base``; ``ranks`` are places in
    display order; ``idr`` says which packets begin anew. Before packet ``i`` the film may be cut where
    ``clean[i]``: then the first ``i`` packets are the first ``i`` frames. ``hidden`` frames at the beginning
    are decoded and not shown. ``zero`` is where the film's clock begins, ``end`` where its last frame ends,
    ``period`` the usual distance of frames.
    """

    path: Path
    stream: int
    base: Fraction
    pts: tuple[int, ...]
    slots: tuple[int, ...]
    durations: tuple[int, ...]
    ranks: tuple[int, ...]
    idr: tuple[bool, ...]
    clean: tuple[bool, ...]
    depth: int
    hidden: int
    zero: int
    end: int
    period: int
    avcc: Avcc
    width: int
    height: int
    pix_fmt: str
    profile: str
    aspect: Fraction
    colour: tuple[int, int, int, int]

    @property
    def rate(self) -> Fraction:
        """Frames per second, as most of them are spaced."""
        return 1 / (self.period * self.base)

    @property
    def frames(self) -> int:
        """How many frames there are, hidden ones included."""
        return len(self.pts)

    @cached_property
    def shown(self) -> tuple[int, ...]:
        """Presentation stamps in display order, by rank."""
        return tuple(sorted(self.pts))

    def time(self, rank: int) -> Fraction:
        """When a frame is shown, seconds on the film's clock; the film's end for the rank after the last."""
        ticks = self.end if rank >= self.frames else self.shown[rank]
        return (ticks - self.zero) * self.base


@dataclass
class _Entry:
    pts: int
    dts: int | None
    duration: int
    idr: bool
    hidden: bool


def index_of(path: Path) -> Index:
    """Read the packets of a film once, without decoding. Raises :class:`Unspliceable` with the reason why it
    must be encoded whole, ``InputError`` where it cannot be opened."""
    with open_container(path) as container:
        stream = picture_stream(container, path)
        context = stream.codec_context
        name = context.codec.canonical_name
        if name != "h264":
            raise Unspliceable(f"its picture is {name}, and only H.264 is copied in part")
        if context.pix_fmt not in PIXEL_FORMATS:
            raise Unspliceable(f"its pixels are {context.pix_fmt}, and only 8-bit 4:2:0 is copied in part")
        avcc, profile = _sets(bytes(context.extradata or b""))
        entries = _entries(container, stream, avcc)
        base = Fraction(stream.time_base)
        zero = first_pts(container, stream, path)
        return _index(
            entries,
            max(round(frame_period(stream) / base), 1),
            end=zero + round(picture_length(path) / base),
            path=path,
            stream=stream.index,
            base=base,
            zero=zero,
            avcc=avcc,
            width=context.width,
            height=context.height,
            pix_fmt=context.pix_fmt,
            profile=profile,
            aspect=Fraction(context.sample_aspect_ratio or stream.sample_aspect_ratio or 1),
            colour=(
                int(context.color_range),
                int(context.color_primaries),
                int(context.color_trc),
                int(context.colorspace),
            ),
        )


def needs_remux(path: Path) -> bool:
    """Whether the picture is H.264 as a byte stream with start codes, as in a transport stream."""
    with open_container(path) as container:
        context = picture_stream(container, path).codec_context
        return context.codec.canonical_name == "h264" and not bytes(context.extradata or b"").startswith(
            b"\x01"
        )


def _sets(extradata: bytes) -> tuple[Avcc, str]:
    try:
        avcc = read_avcc(extradata)
        sets = [sequence_set(s) for s in avcc.sequence_sets]
        free = avcc.free_id()
    except ValueError as error:
        raise Unspliceable(f"its parameter sets cannot be read: {error}") from error
    if not sets or not avcc.picture_sets:
        raise Unspliceable("its header has no parameter sets")
    if any(not s.frames_only for s in sets):
        raise Unspliceable("it is interlaced, or its coding allows it to be")
    if any(s.chroma != 1 or s.bits != 8 for s in sets):
        raise Unspliceable("its parameter sets allow more than 8-bit 4:2:0")
    if free is None:
        raise Unspliceable("all ids of parameter sets are taken")
    profiles = {s.profile for s in sets}
    if len(profiles) > 1 or not profiles <= PROFILES.keys():
        raise Unspliceable(f"its H.264 profile is {', '.join(map(str, sorted(profiles)))}")
    return avcc, PROFILES[profiles.pop()]


def _entries(container: Any, stream: Any, avcc: Avcc) -> list[_Entry]:
    known = {*avcc.sequence_sets, *avcc.picture_sets}
    found: list[_Entry] = []
    failures: list[str] = []
    for packet in packets(container, [stream], failures.append):
        if not packet.size:
            continue
        if packet.pts is None:
            raise Unspliceable("a packet has no time")
        if packet.is_corrupt or failures:
            raise Unspliceable("it is damaged")
        try:
            idr = _begins(memoryview(packet), avcc.length_size, known)
        except ValueError as error:
            raise Unspliceable(str(error)) from error
        found.append(_Entry(packet.pts, packet.dts, packet.duration or 0, idr, packet.is_discard))
    if failures:
        raise Unspliceable("it is damaged")
    return found


def _begins(packet: memoryview, length_size: int, known: set[bytes]) -> bool:
    """Whether a packet is an IDR picture."""
    idr = False
    for unit in units(packet, length_size):
        kind = unit[0] & 31
        if kind == IDR:
            idr = True
        elif kind in (SPS, PPS) and bytes(unit) not in known:
            raise Unspliceable("its parameter sets change on the way")
    return idr


def _index(entries: list[_Entry], usual: int, **facts: Any) -> Index:
    if not entries:
        raise Unspliceable("its picture has no packets")
    pts = tuple(e.pts for e in entries)
    order = sorted(range(len(pts)), key=lambda i: pts[i])
    ranks = [0] * len(pts)
    for rank, i in enumerate(order):
        ranks[i] = rank
    shown = [pts[i] for i in order]
    if any(a == b for a, b in pairwise(shown)):
        raise Unspliceable("two pictures have the same time")
    hidden = [entries[i].hidden for i in order]
    first = hidden.index(False) if False in hidden else len(hidden)
    if any(hidden[first:]):
        raise Unspliceable("its edit list hides frames in the middle or at the end")
    if not entries[0].idr or ranks[0] != 0:
        raise Unspliceable("it does not begin with an IDR picture")
    clean, highest = [], -1
    for i, rank in enumerate(ranks):
        clean.append(highest == i - 1)
        highest = max(highest, rank)
    depth = max(i - rank for i, rank in enumerate(ranks))
    steps = sorted(b - a for a, b in pairwise(shown)) or [usual]
    period = steps[len(steps) // 2]
    stamps = [e.dts for e in entries if e.dts is not None]
    whole = len(stamps) == len(entries)
    usable = whole and all(a < b for a, b in pairwise(stamps)) and all(map(int.__le__, stamps, pts))
    slots = tuple(stamps) if usable else decode_slots(shown, facts["end"], depth, period)
    last = slots[0] + facts["end"] - shown[0] - slots[-1]
    spaced = [*(b - a for a, b in pairwise(slots)), last if last > 0 else period]
    # A tick stands for an unknown duration in containers that state none.
    durations = [
        e.duration if 2 * e.duration >= steps[0] else s for e, s in zip(entries, spaced, strict=True)
    ]
    return Index(
        pts=pts,
        slots=slots,
        durations=tuple(durations),
        ranks=tuple(ranks),
        idr=tuple(e.idr for e in entries),
        clean=tuple(clean),
        depth=depth,
        period=period,
        hidden=first,
        **facts,
    )


def decode_slots(shown: Sequence[int], end: int, depth: int, step: int) -> tuple[int, ...]:
    """Decoding stamps for frames shown at ``shown`` (increasing) until ``end``: those of ``depth`` frames
    earlier, the first ones continued backwards by ``step``, or by less where the last would get no time."""
    step = max(min(step, (end - shown[max(len(shown) - 1 - depth, 0)]) // (depth + 1)), 1)
    early = [shown[0] - i * step for i in range(depth, 0, -1)]
    return (*early, *shown)[: len(shown)]
