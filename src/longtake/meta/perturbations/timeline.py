"""What is left of a film, in which order, and where a span of the source comes out. Pure.

Frames are counted in display order. ``edges`` are the times of the frames in seconds, with the film's end.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from ...media.splice_plan import Piece
from .base import Damage

NEAR = 1e-9
"""Seconds by which a frame may come before a span and still belong to it: times are rounded."""
PICTURE = 0
"""The mark of frames that :attr:`Damage.picture` changes; inserts are marked 1, 2, ... in their order."""

Spans = Sequence[tuple[float, float]]
Marked = Sequence[tuple[float, float, int]]


def rank_at(time: float, edges: Sequence[Fraction]) -> int:
    """The first frame at or after ``time``; the number of frames past the end."""
    return bisect_left(edges, time - NEAR, 0, len(edges) - 1)


def snapped(span: tuple[float, float], edges: Sequence[Fraction]) -> tuple[float, float]:
    """The span of the frames whose times lie in ``span``; itself where there are none."""
    first, last = (rank_at(t, edges) for t in span)
    return (float(edges[first]), float(edges[last])) if first < last else span


def picture_edits(damage: Damage, edges: Sequence[Fraction]) -> list[Piece]:
    """The edit list of the picture: what is kept, in the output's order, with marks on what is changed."""
    changed = [(start, end, PICTURE) for start, end, _ in damage.spans] if damage.picture else []
    put_in = [(p.start, p.end, i) for i, p in enumerate(damage.inserts, 1) if p.picture]
    return edits(damage.order, damage.removed, [*changed, *put_in], edges)


def sound_edits(damage: Damage, edges: Sequence[Fraction]) -> list[Piece]:
    """The same for the sound, whose only marks are inserts; its pieces begin and end with frames."""
    put_in = [(p.start, p.end, i) for i, p in enumerate(damage.inserts, 1) if p.sound]
    return edits(damage.order, damage.removed, put_in, edges)


def edits(order: Spans, removed: Spans, marked: Marked, edges: Sequence[Fraction]) -> list[Piece]:
    """Pieces of frames for an order of spans (empty for the source's own), without ``removed`` ones.

    A later mark wins where two overlap. Raises ``ValueError`` where ``order`` has gaps or doubles.
    """
    frames = len(edges) - 1
    if any(b < a for a, b in order):
        raise ValueError("a span of an order ends before it begins")
    kept = _ranks(order, edges) if order else [(0, frames)]
    at = 0
    for first, last in sorted(kept):
        if first != at:
            raise ValueError("an order must show each frame once")
        at = last
    if at != frames:
        raise ValueError("an order must reach the film's end")
    gone = [(rank_at(a, edges), rank_at(b, edges), None) for a, b in removed]
    marks = [(rank_at(a, edges), rank_at(b, edges), mark) for a, b, mark in marked]
    bounds = sorted({0, frames, *(b for a, b, _ in gone + marks), *(a for a, b, _ in gone + marks)})
    pieces: list[Piece] = []
    for first, last in kept:
        inner = [first, *(b for b in bounds if first < b < last), last]
        for a, b in pairwise(inner):
            if a == b or any(x <= a < y for x, y, _ in gone):
                continue
            mark = next((m for x, y, m in reversed(marks) if x <= a < y), None)
            pieces.append(Piece(a, b, mark))
    return pieces


def starts(pieces: Sequence[Piece], edges: Sequence[Fraction]) -> list[Fraction]:
    """Where each piece begins on the output's clock, and at the end of the list how long the output is."""
    at = Fraction(0)
    found = [at]
    for piece in pieces:
        at += edges[piece.last] - edges[piece.first]
        found.append(at)
    return found


def outputs_of(
    span: tuple[float, float], pieces: Sequence[Piece], edges: Sequence[Fraction]
) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Where the frames of a source span come out: pairs of a part of it and the same on the output's clock.

    Ordered by the output; empty where nothing of it is left. A film that keeps its times keeps the span.
    """
    if [r for p in pieces for r in (p.first, p.last)] == _unbroken(pieces, len(edges) - 1):
        return [(span, span)]
    first, last = (rank_at(t, edges) for t in span)
    found: list[tuple[tuple[float, float], tuple[float, float]]] = []
    for piece, at in zip(pieces, starts(pieces, edges), strict=False):
        low, high = max(first, piece.first), min(last, piece.last)
        if low >= high:
            continue
        begin = at - edges[piece.first]
        source = float(edges[low]), float(edges[high])
        output = float(begin + edges[low]), float(begin + edges[high])
        if found and found[-1][0][1] == source[0] and found[-1][1][1] == output[0]:
            (a, _), (b, _) = found.pop()
            source, output = (a, source[1]), (b, output[1])
        found.append((source, output))
    return found


def share_of(spans: Spans, length: float) -> float:
    """Share of ``length`` seconds that lies in at least one of the spans, in [0, 1], to nine places."""
    covered, at = 0.0, 0.0
    for start, end in sorted(spans):
        low, high = max(start, at), min(end, length)
        if high > low:
            covered += high - low
            at = high
    return round(min(covered / length, 1.0), 9) if length > 0 else 0.0


def _ranks(order: Spans, edges: Sequence[Fraction]) -> list[tuple[int, int]]:
    """Spans as ranks; the earliest begins with the first frame and the latest ends with the last."""
    low, high = min(a for a, _ in order), max(b for _, b in order)
    return [
        (0 if a == low else rank_at(a, edges), len(edges) - 1 if b == high else rank_at(b, edges))
        for a, b in order
    ]


def _unbroken(pieces: Sequence[Piece], frames: int) -> list[int]:
    """Bounds of the pieces as they are where all frames are shown in their order."""
    inner = [p.last for p in pieces[:-1]]
    return [0, *(b for bound in inner for b in (bound, bound)), frames] if pieces else []
