"""Copies in which only what changes is encoded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Literal

import av

from ...core.changes import Span
from ...core.video import Video
from ...media.h264_index import Index, Unspliceable, index_of, needs_remux
from ...media.planes import display_of
from ...media.read import Picture as ReadPicture
from ...media.span_encoder import coded_frame
from ...media.splice import (
    CONTAINERS,
    Draw,
    check,
    remuxed,
    splice,
    timeline_of,
)
from ...media.splice_plan import MOST_ENCODED, Piece, Step, control_of, encoded_runs, encoded_share, plan
from ...media.splice_sound import Heard, copies_sound
from ...media.unfinished import beside_it, unfinished
from .altered import Watched
from .base import Damage, FilmFacts
from .hearing import sound_of, touches_sound
from .painting import Painter
from .timeline import picture_edits


@dataclass(frozen=True)
class Written:
    """What was done: which spans of the output were encoded, what became of the sound, tracks left out."""

    encoded: list[Span]
    sound: Literal["none", "copied", "encoded"]
    lost: int


def write_partial(
    video: Video,
    film: FilmFacts,
    watched: Watched,
    edges: Sequence[Fraction],
    out: Path,
    control: Path | None,
) -> Written:
    """Write a damaged copy and its control, in which all packets outside encoded runs are the source's.

    ``edges`` are the times of the film's frames and its end. Raises :class:`Unspliceable` with the reason why
    both must be encoded whole (nothing is left then), ``InputError`` where nothing was altered,
    ``OutputError`` where nothing can be written.
    """
    damage = watched.damage
    targets = [out, *([control] if control else [])]
    _refuse(video, targets)
    with _with_lengths(video, out) as film_file:
        index = index_of(film_file.parts[0].path)
        if [index.time(r) for r in range(index.hidden, index.frames + 1)] != list(edges):
            raise Unspliceable("its frames are not where its packets say")
        steps = _plan(index, _placed(picture_edits(damage, edges), index))
        if _keeps_order(damage):
            undamaged = steps
        else:
            undamaged = plan(control_of(steps, index.frames), index.idr, index.clean)
        for planned in (steps, undamaged):
            share = encoded_share(planned)
            if share > MOST_ENCODED:
                raise Unspliceable(f"{share:.0%} of its frames would have to be encoded anyway")
        able, lost = copies_sound(index.path, one=touches_sound(damage))
        anew = film.has_sound and (touches_sound(damage) or not able)
        with unfinished(*targets) as beside:
            jobs: list[tuple[Path, list[Step], Damage | None]] = [(beside[0], steps, damage)]
            jobs += [(path, undamaged, None) for path in beside[1:]]
            for path, planned, what in jobs:
                sound = sound_of(film_file, film, what, edges) if anew else None
                heard = Heard(sound, film.sample_rate or 0, film.channels) if sound else not anew
                splice(film_file, index, planned, _drawing(film, what), path, heard)
                check(index, planned, path)
                if what is not None:
                    watched.require()
        timeline = timeline_of(index, steps)
        stamps = [*timeline.pts, timeline.end]
        spans = [
            Span(start=_seconds(stamps[a], index), end=_seconds(stamps[b], index))
            for a, b in encoded_runs(steps)
        ]
    return Written(spans, "none" if not film.has_sound else "encoded" if anew else "copied", lost)


def _refuse(video: Video, targets: Sequence[Path]) -> None:
    if video.kind != "file":
        raise Unspliceable(f"the film is made of {video.kind}")
    if video.start is not None or video.end is not None:
        raise Unspliceable("only a part of the film was asked for")
    for path in targets:
        if path.suffix.lower() not in CONTAINERS:
            raise Unspliceable(f"times are kept to the tick in an MP4, and {path.name} is none")


@contextmanager
def _with_lengths(video: Video, out: Path) -> Iterator[Video]:
    """The film as a file whose packets state lengths: itself, or for a while a copy of it in an MP4."""
    part = video.parts[0]
    if not needs_remux(part.path):
        yield video
        return
    with beside_it(out) as folder:
        path = folder / "film.mp4"
        remuxed(part.path, path)
        yield replace(video, parts=(replace(part, path=path),))


def _keeps_order(damage: Damage) -> bool:
    return not damage.removed and not damage.order


def _placed(pieces: Sequence[Piece], index: Index) -> list[Piece]:
    """Pieces of shown frames as pieces of all; hidden ones go before the first where that begins the film."""
    moved = [Piece(p.first + index.hidden, p.last + index.hidden, p.mark) for p in pieces]
    whole = len(moved) > 0 and sum(map(len, moved)) == index.frames - index.hidden
    if index.hidden and whole and [p.first for p in moved] == sorted(p.first for p in moved):
        moved.insert(0, Piece(0, index.hidden))
    return moved


def _plan(index: Index, pieces: Sequence[Piece]) -> list[Step]:
    steps = plan(pieces, index.idr, index.clean)
    hidden = [p for s in steps if not s.copied for p in s.pieces if p.first < index.hidden]
    if hidden:
        raise Unspliceable("frames that its edit list hides would have to be encoded")
    return steps


def _drawing(film: FilmFacts, damage: Damage | None) -> Draw:
    """Marked frames of a copy; of a control the same way through pictures, so that it loses no less."""
    painter = Painter(film, damage)

    def draw(mark: int, shown: ReadPicture) -> av.VideoFrame:
        bgr = painter.paint(mark, shown, shown.time)
        mirrored = display_of(shown.image).mirrored
        return coded_frame(bgr, shown.image, shown.rotation, mirrored=mirrored)

    return draw


def _seconds(ticks: int, index: Index) -> float:
    return float((ticks - index.zero) * index.base)
