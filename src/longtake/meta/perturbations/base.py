"""What a perturbation is: a seeded damage with a record of exactly what it changed."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...core.brief import Brief
from ...core.changes import Level
from ...core.ports import Editor, Generator, Masker
from ...core.video import Video
from ...errors import InputError

Picture = NDArray[np.uint8]
"""A picture as (height, width, 3) in blue, green, red order, 0..255."""
Samples = NDArray[np.float32]
"""Sound as (channels, n), in [-1, 1]."""
EDGE_SHARE = 0.15
"""Damage that has a place keeps this share of the film free at both ends, to be told from them."""
CLIP_EDGE_S = 0.2
"""Seconds that damage inside a clip keeps from its cuts."""
FILLED = 0.8
"""Damage in several places fills at most this much of the share of the film that each has."""
FITS_S = 1e-6
"""Seconds by which a span may miss what it has to fit into: sums of times are rounded."""


Facts = dict[str, float | int | str | bool | None]
"""What a record says of a damage beside its spans."""
Need = Literal["sound", "clips", "captions", "pool", "other", "mask", "edit", "generate", "text"]
"""What an operator has to be given. ``clips`` come from a brief's times, from shots or from fixed blocks,
``captions`` are clips with texts, ``pool`` segments of other films, ``other`` another film or brief. ``text``
are spans with readable text, where they can be found: that they cannot is never a reason to refuse."""
Family = Literal["long-code", "slvmeval", "control", "own"]


@dataclass(frozen=True)
class Clip:
    """A stretch of the film that an operator takes as a whole, seconds; ``text`` is what its brief says."""

    start: float
    end: float
    text: str = ""


@dataclass(frozen=True)
class PoolSegment:
    """A stretch of another film, with what an embedder makes of it (unit length, float32)."""

    video: Video
    start: float
    end: float
    vector: NDArray[np.float32] | None = None


@dataclass(frozen=True)
class FilmFacts:
    """What an operator may know before it sees the film: length and sizes, seconds and pixels.

    ``cuts`` are times of cuts at which damage that has single places is to be put; usually none are given.
    ``frames`` are the times of all frames and the film's end; empty where they are even.
    ``look(time)`` decodes the picture shown at a time. ``clips``, ``pool``, ``other`` and the ports are empty
    where they were not given; an operator's ``needs`` say which it must have. ``vectors`` are embeddings of
    ``clips``; ``written`` are spans with readable text, ``None`` where nobody looked for text.
    """

    duration: float
    fps: float
    width: int
    height: int
    sample_rate: int | None = None
    channels: int = 1
    cuts: tuple[float, ...] = ()
    frames: tuple[float, ...] = ()
    hash: str = ""
    clips: tuple[Clip, ...] = ()
    vectors: NDArray[np.float32] | None = None
    brief: Brief | None = None
    pool: tuple[PoolSegment, ...] = ()
    other: Video | None = None
    other_brief: Brief | None = None
    written: tuple[tuple[float, float], ...] | None = None
    look: Callable[[float], Picture] | None = None
    masker: Masker | None = None
    editor: Editor | None = None
    generator: Generator | None = None

    @property
    def has_sound(self) -> bool:
        """Whether there is a sound track to work on."""
        return self.sample_rate is not None


@dataclass(frozen=True)
class Insert:
    """A stretch of another film in place of the source's ``start`` to ``end``: it begins there at ``at``
    seconds and lasts as long. ``picture`` and ``sound`` tell which of the two come along."""

    start: float
    end: float
    video: Video
    at: float
    picture: bool = True
    sound: bool = True


@dataclass(frozen=True)
class Damage:
    """A damage with its place and strength drawn. All times are seconds of the source's own clock from 0.

    ``picture(bgr, time)`` and ``sound(samples, time, rate)`` give what takes the place of their input, which
    they may change in place; both are called in time order, ``picture`` only inside ``spans``, ``sound``
    always. ``removed`` are spans that are left out, sound included. ``order`` are all spans of the source,
    without gaps, in the order in which the output shows them; empty where it keeps its order. ``spans`` are
    source spans, each with a sentence of what happens there. ``brief`` takes the place of the film's brief.
    ``proxies`` name what stood in for a model, ``facts`` is what else the record should say.
    """

    spans: list[tuple[float, float, str]]
    picture: Callable[[Picture, float], Picture] | None = None
    sound: Callable[[Samples, float, int], Samples] | None = None
    removed: tuple[tuple[float, float], ...] = ()
    order: tuple[tuple[float, float], ...] = ()
    inserts: tuple[Insert, ...] = ()
    brief: Brief | None = None
    proxies: tuple[str, ...] = ()
    facts: Facts = field(default_factory=dict)


def lasting(spans: Sequence[tuple[float, float]]) -> Facts:
    """What a record says of spans that may have become shorter than asked for: ``seconds`` of them all."""
    return {"seconds": round(sum(end - start for start, end in spans), 6)}


@dataclass(frozen=True)
class Perturbation:
    """An operator: readable without running it.

    ``weak``, ``medium`` and ``strong`` are three strengths in ``unit``, ``low`` and ``high`` the bounds.
    ``aspects`` name what ought to suffer, ``spared`` what ought not to. ``make`` draws places from the
    generator and nothing else. Damage of a control's family should cost nothing (``aspects`` is empty) or is
    so plain that no evaluator may miss it. With ``within`` the damage lies inside one clip where clips are
    known: it is of a shot's course, and across a cut it would be another. With ``extent`` a strength is how
    much is hit, not how hard: spans and facts of a damage then tell all of it.
    """

    name: str
    doc: str
    unit: str
    weak: float
    medium: float
    strong: float
    low: float
    high: float
    aspects: tuple[str, ...]
    make: Callable[[FilmFacts, float, np.random.Generator], Damage]
    needs: tuple[Need, ...] = ()
    spared: tuple[str, ...] = ()
    family: Family = "own"
    within: bool = False
    extent: bool = False

    def level_of(self, strength: float) -> Level | None:
        """The name of this strength, if it has one."""
        levels: tuple[Level, ...] = ("weak", "medium", "strong")
        return next((name for name in levels if getattr(self, name) == strength), None)


def fits(length: float, most: float, what: str, where: str = "on this film") -> None:
    """Raise :class:`InputError` for a damage of ``length`` seconds where there is room for ``most``."""
    if length > most + FITS_S:
        allowed = math.floor((most + FITS_S) * 1000) / 1000  # never more than there is
        raise InputError(f"{what} of {length:g} s does not fit: at most {allowed:g} s {where}.")


def longest(film: FilmFacts) -> float:
    """Seconds of the longest span that :func:`place` finds room for."""
    return max(b - a for a, b in _rooms(film))


def place(film: FilmFacts, length: float, rng: np.random.Generator) -> tuple[float, float]:
    """A span of ``length`` seconds away from the ends of the film.

    Where clips are known it lies inside one of them: any place in any clip is as likely as any other. Raises
    :class:`InputError` where it does not fit (:func:`longest`).
    """
    most = longest(film)
    fits(length, most, "a damage", "inside one clip of this film" if film.clips else "on this film")
    length = min(length, most)
    fit = [(a, b - length) for a, b in _rooms(film) if b - a >= length]
    if len(fit) == 1:
        start = rng.uniform(*fit[0])
    else:
        sizes = np.array([b - a for a, b in fit])
        odds = sizes / sizes.sum() if sizes.sum() > 0 else None
        start = rng.uniform(*fit[int(rng.choice(len(fit), p=odds))])
    return float(start), float(start) + length


def _rooms(film: FilmFacts) -> list[tuple[float, float]]:
    low, high = film.duration * EDGE_SHARE, film.duration * (1 - EDGE_SHARE)
    inner = [(max(c.start + CLIP_EDGE_S, low), min(c.end - CLIP_EDGE_S, high)) for c in film.clips]
    return [(a, b) for a, b in inner if b > a] or [(low, high)]


def widest(film: FilmFacts, count: int) -> float:
    """Seconds of the longest spans of which :func:`places` finds room for ``count``."""
    if film.cuts:
        return min(b - a for a, b in pairwise([*film.cuts[:count], film.duration]))
    return film.duration * (1 - 2 * EDGE_SHARE) / count * FILLED


def places(film: FilmFacts, count: int, length: float, rng: np.random.Generator) -> list[tuple[float, float]]:
    """``count`` spans of ``length`` seconds that do not touch: one in each equal share of the middle.

    Where cuts are given, one span begins at each of the first ``count`` of them instead. Raises
    :class:`InputError` where they do not fit (:func:`widest`).
    """
    most = widest(film, count)
    fits(length, most, f"each of {count} damages")
    length = min(length, most)
    if film.cuts:
        return [(t, t + length) for t in film.cuts[:count]]
    room = film.duration * (1 - 2 * EDGE_SHARE) / count
    first = film.duration * EDGE_SHARE
    starts = [first + i * room + rng.uniform(0, room * 0.9 - length) for i in range(count)]
    return [(s, s + length) for s in starts]


def frames_at(film: FilmFacts, count: int, rng: np.random.Generator) -> list[tuple[float, float]]:
    """``count`` single frames, each from its own time to that of the next: the first ones at or after drawn
    places (or the film's first ``count`` cuts).

    Raises :class:`InputError` where the film has not so many places with a frame of their own.
    """
    times = film.frames or [i / film.fps for i in range(max(round(film.duration * film.fps), 1) + 1)]
    most = len(film.cuts) if film.cuts else int(widest(film, 1) * film.fps)
    if count <= most:
        drawn = places(film, count, min(1 / film.fps, widest(film, count)), rng)
        ranks = [bisect_left(times, start - FITS_S) for start, _ in drawn]
        if len(set(ranks)) == count and ranks[-1] < len(times) - 1:
            return [(times[r], times[r + 1]) for r in ranks]
    raise InputError(
        f"{count} single frame(s) do not fit: each needs a frame of its own, and this film of "
        f"{len(times) - 1} has at most {most} places for them."
    )


def inside(time: float, spans: list[tuple[float, float]]) -> bool:
    """Whether ``time`` lies in one of the half-open spans."""
    return any(start <= time < end for start, end in spans)
