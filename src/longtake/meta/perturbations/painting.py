"""What the frames of a copy look like."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import cv2
import numpy as np

from ...core.video import Video
from ...media.planes import bgr_of
from ...media.read import Picture as ReadPicture
from ...media.read import ReadReport, read
from .base import Damage, FilmFacts, Insert, Picture
from .timeline import PICTURE

HAIR = Fraction(1, 10**6)
"""Seconds by which a time that was computed as a float may miss its frame."""


class Painter:
    """Paints frames for one copy: damaged, or with ``damage`` ``None`` as they are.

    Frames are asked for in the order of the output.
    """

    def __init__(self, film: FilmFacts, damage: Damage | None) -> None:
        self._film, self._damage = film, damage
        self._inserted: dict[int, _Inserted] = {}

    def paint(self, mark: int | None, shown: ReadPicture, time: Fraction) -> Picture:
        """The picture (h, w, 3) at the film's size that takes the place of ``shown``, ``time`` seconds from
        the beginning of the film's part."""
        if self._damage is None or mark is None:
            return at_size(shown, self._film)
        if mark == PICTURE:
            bgr = at_size(shown, self._film)
            return self._damage.picture(bgr, float(time)) if self._damage.picture else bgr
        insert = self._damage.inserts[mark - 1]
        if mark not in self._inserted:
            self._inserted = {mark: _Inserted(insert, self._film)}
        return self._inserted[mark].at(Fraction(insert.at) + time - Fraction(insert.start))


class _Inserted:
    """Pictures of another film by its own times, which go forward."""

    def __init__(self, insert: Insert, film: FilmFacts) -> None:
        self._film = film
        self._begin = insert.video.start or Fraction(0)
        self._pictures = _pictures(insert.video, self._begin + Fraction(insert.at))
        self._next = next(self._pictures, None)
        self._held: ReadPicture | None = None
        self._drawn: Picture | None = None

    def at(self, time: Fraction) -> Picture:
        """The nearest picture that is not later, or the first; the last one past the end."""
        while self._next is not None and (self._held is None or self._next.time - self._begin <= time + HAIR):
            self._held, self._drawn = self._next, None
            self._next = next(self._pictures, None)
        if self._drawn is None:
            if self._held is None:
                raise ValueError("an insert's film has no pictures")
            self._drawn = filling(self._held, self._film.width, self._film.height)
        return self._drawn.copy()


def _pictures(video: Video, start: Fraction) -> Iterator[ReadPicture]:
    for item in read(video, ReadReport(), sound=False, start=start, end=video.end):
        if isinstance(item, ReadPicture):
            yield item


def picture_at(video: Video, film: FilmFacts, time: float) -> Picture:
    """What ``video`` shows at ``time`` seconds of its part, at the film's size; the last one past its end.

    Raises ``ValueError`` where it shows none.
    """
    wanted = Fraction(time) + (video.start or 0)
    held: ReadPicture | None = None
    for item in _pictures(video, wanted):
        if held is not None and item.time > wanted + HAIR:
            break
        held = item
    if held is None:
        raise ValueError(f"the film shows nothing at {time:.3f} s")
    return at_size(held, film)


def at_size(shown: ReadPicture, film: FilmFacts) -> Picture:
    """A decoded frame as people see it, at the film's size."""
    bgr: Picture = bgr_of(shown.image, film.width, shown.rotation, exact=True)
    if bgr.shape[:2] != (film.height, film.width):
        size = film.width, film.height
        bgr = np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA), np.uint8)
    return bgr


def filling(shown: ReadPicture, width: int, height: int) -> Picture:
    """A frame of another film scaled to fill a size, its shape kept: what is too much at two sides is cut."""
    wide = bgr_of(shown.image, width, shown.rotation, exact=True)
    if wide.shape[0] < height:
        covering = max(-(-width * height // wide.shape[0]), width)
        wide = bgr_of(shown.image, covering, shown.rotation, exact=True)
    top, left = max((wide.shape[0] - height) // 2, 0), max((wide.shape[1] - width) // 2, 0)
    cut = wide[top : top + height, left : left + width]
    if cut.shape[:2] != (height, width):
        cut = np.asarray(cv2.resize(cut, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
    return np.ascontiguousarray(cut)
