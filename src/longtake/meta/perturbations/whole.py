"""Copies that are encoded whole: what cannot be copied in part, controls, and films joined."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from ...core.video import Video
from ...media.read import Picture as ReadPicture
from ...media.read import ReadReport, read
from ...media.splice_plan import Piece
from ...media.write import FilmWriter
from .base import Damage, FilmFacts, Picture, Samples
from .hearing import sound_of
from .painting import Painter
from .timeline import picture_edits, starts


def write_whole(
    video: Video, film: FilmFacts, damage: Damage | None, edges: Sequence[Fraction], out: Path
) -> None:
    """Encode one copy, damaged or as it is. Raises ``OutputError``."""
    pieces = picture_edits(damage, edges) if damage else [Piece(0, len(edges) - 1)]
    pictures = painted(video, Painter(film, damage), pieces, edges)
    write_film(film, pictures, sound_of(video, film, damage, edges), out)


def write_film(
    film: FilmFacts, pictures: Iterator[tuple[Picture, Fraction]], sound: Iterator[Samples] | None, out: Path
) -> None:
    """Encode pictures with their times and sound in step with them, in the size and rates of ``film``."""
    rate = film.sample_rate if sound is not None else None
    with FilmWriter(
        out, film.width, film.height, film.fps, sample_rate=rate, channels=film.channels
    ) as writer:
        for bgr, time in pictures:
            writer.picture(bgr, time)
            while sound is not None and rate and writer.samples < time * rate:
                block = next(sound, None)
                if block is None:
                    sound = None
                    break
                writer.sound(block)
        for block in sound or ():
            writer.sound(block)


def painted(
    video: Video, painter: Painter, pieces: Sequence[Piece], edges: Sequence[Fraction]
) -> Iterator[tuple[Picture, Fraction]]:
    """Pictures of the pieces in their order, with times on the output's clock."""
    begin = video.start or Fraction(0)
    last = len(edges) - 1
    clock = starts(pieces, edges)
    for low, high in _unbroken(pieces):
        here = pieces[low:high]
        bounds = [edges[p.first] for p in here]
        start, end = bounds[0], edges[here[-1].last] if here[-1].last < last else None
        shift = clock[low] - start
        for item in _between(video, begin + start if start else video.start, end and begin + end):
            time = max(item.time - begin, Fraction(0))
            mark = here[max(bisect_right(bounds, time) - 1, 0)].mark
            yield painter.paint(mark, item, time), time + shift


def _unbroken(pieces: Sequence[Piece]) -> list[tuple[int, int]]:
    """Groups of pieces that follow each other in the source, as bounds of places in the list."""
    breaks = [i for i in range(1, len(pieces)) if pieces[i].first != pieces[i - 1].last]
    bounds = [0, *breaks, len(pieces)]
    return [(a, b) for a, b in pairwise(bounds) if a < b]


def _between(video: Video, start: Fraction | None, end: Fraction | None) -> Iterator[ReadPicture]:
    """Pictures from ``start`` to before ``end`` or the part's end, on the film's clock."""
    end = video.end if end is None else end
    for item in read(video, ReadReport(), sound=False, start=start, end=end):
        if isinstance(item, ReadPicture) and (start is None or item.time >= start):
            if end is not None and item.time >= end:
                return
            yield item
