"""Copies that are encoded whole: what cannot be copied in part, controls, and films joined."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from ...core.video import Video
from ...errors import OutputError, UsageError
from ...media.container import open_container, packets, picture_stream
from ...media.length import picture_length
from ...media.read import Picture as ReadPicture
from ...media.read import ReadReport, read
from ...media.splice_plan import Piece
from ...media.unfinished import unfinished
from ...media.write import FilmWriter
from .altered import Watched
from .base import Damage, FilmFacts, Picture, Samples
from .hearing import sound_of
from .painting import Painter
from .timeline import picture_edits, starts

SUFFIXES = (".mp4", ".m4v", ".mov", ".mkv")
"""What copies may be called: containers that take H.264 and AAC at any frame times."""
LENGTH_KEPT = Fraction(1, 200)
"""Seconds by which a copy's length may differ from what its record says: some containers count in
milliseconds."""


def write_whole(
    video: Video, film: FilmFacts, damage: Damage | None, edges: Sequence[Fraction], out: Path
) -> None:
    """Encode one copy, damaged or as it is. Raises ``OutputError``."""
    pieces = _pieces(damage, edges)
    pictures = painted(video, Painter(film, damage), pieces, edges)
    sound, end = sound_of(video, film, damage, edges), starts(pieces, edges)[-1]
    write_film(film, pictures, sound, out, end, even=even(edges))


def write_wholes(
    video: Video, film: FilmFacts, watched: Watched, edges: Sequence[Fraction], targets: Sequence[Path]
) -> int:
    """Write a damaged copy and, where there is a second target, its control; both have their names or none.

    Returns how many frames are missing in them because they cannot be decoded; the one before each is shown
    longer. Raises ``InputError`` where nothing was altered, ``OutputError`` where a copy cannot be written or
    is not as long as it should be.
    """
    missing = 0
    with unfinished(*targets) as beside:
        for path, damage in zip(beside, (watched.damage, None), strict=False):
            write_whole(video, film, damage, edges, path)
            if damage is not None:
                watched.require()
            missing = max(missing, _missing(path, _pieces(damage, edges), edges))
    return missing


def check_names(*paths: Path) -> None:
    """Raise :class:`UsageError` for a path that does not tell what to write, or that is a folder."""
    for path in paths:
        if path.suffix.lower() not in SUFFIXES or path.is_dir():
            raise UsageError(
                f"{path} is no name for a film to be written.",
                hint=f"Let it end with {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}.",
            )


def even(*edges: Sequence[Fraction]) -> bool:
    """Whether all frames of films last as long, but for rounding."""
    lasts = [b - a for times in edges for a, b in pairwise(times)]
    return max(lasts) - min(lasts) <= LENGTH_KEPT


def _pieces(damage: Damage | None, edges: Sequence[Fraction]) -> list[Piece]:
    return picture_edits(damage, edges) if damage else [Piece(0, len(edges) - 1)]


def _missing(path: Path, pieces: Sequence[Piece], edges: Sequence[Fraction]) -> int:
    """How many frames a written copy lacks; ``OutputError`` where its length is another."""
    due, length = sum(map(len, pieces)), starts(pieces, edges)[-1]
    with open_container(path) as container:
        found = sum(p.size > 0 for p in packets(container, [picture_stream(container, path)]))
    written = picture_length(path)
    if found > due or abs(written - length) > LENGTH_KEPT:
        raise OutputError(
            f"the copy would have {found} frames of {float(written):.3f} s, and should have {due} of "
            f"{float(length):.3f} s.",
            hint="Write an MP4, which keeps every length; other containers round it.",
        )
    return due - found


def write_film(
    film: FilmFacts,
    pictures: Iterator[tuple[Picture, Fraction]],
    sound: Iterator[Samples] | None,
    out: Path,
    end: Fraction,
    *,
    even: bool,
) -> None:
    """Encode pictures with their times and sound in step with them, in the size and rates of ``film``.

    ``end`` is where the last picture ends, seconds. Where pictures are not ``even`` they are stored in the
    order in which they are shown: containers state how long each lasts in the order in which they are stored.
    """
    rate = film.sample_rate if sound is not None else None
    with FilmWriter(
        out,
        film.width,
        film.height,
        film.fps,
        bframes=None if even else 0,
        sample_rate=rate,
        channels=film.channels,
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
        writer.ends(end)


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
