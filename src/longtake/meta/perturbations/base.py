"""What a perturbation is: a seeded damage with a record of exactly what it changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, FiniteFloat

from ...core.model import Document, Record, Seconds

Picture = NDArray[np.uint8]
"""A picture as (height, width, 3) in blue, green, red order, 0..255."""
Samples = NDArray[np.float32]
"""Sound as (channels, n), in [-1, 1]."""
Level = Literal["weak", "medium", "strong"]
EDGE_SHARE = 0.15
"""Damage that has a place keeps this share of the film free at both ends, to be told from them."""


class Span(Record):
    """From ``start`` to ``end`` in seconds."""

    start: Seconds
    end: Seconds


class Change(Record):
    """One changed span: where it was in the source, where it is in the output, what was done to it.

    ``source`` is ``None`` for what was added, ``output`` for what was removed. ``aspects`` name the
    checkpoints and aspects that ought to suffer.
    """

    source: Span | None
    output: Span | None
    what: str
    aspects: list[str]


class ChangeRecord(Document):
    """``longtake perturb``: which copy, which control, and exactly what differs between them."""

    schema_: Literal["longtake.perturb/1"] = Field("longtake.perturb/1", alias="schema")
    source: str = Field(description="hash of the source film")
    output: str
    control: str | None
    operator: str
    strength: FiniteFloat
    level: Level | None
    seed: int
    mode: Literal["partial", "full"] = "full"
    changed: list[Change]
    encoded: list[Span]
    duration_in: Seconds
    duration_out: Seconds


@dataclass(frozen=True)
class FilmFacts:
    """What an operator may know before it sees the film: length and sizes, seconds and pixels.

    ``cuts`` are times of cuts at which damage that has single places is to be put; usually none are given.
    """

    duration: float
    fps: float
    width: int
    height: int
    sample_rate: int | None = None
    channels: int = 1
    cuts: tuple[float, ...] = ()

    @property
    def has_sound(self) -> bool:
        """Whether there is a sound track to work on."""
        return self.sample_rate is not None


@dataclass(frozen=True)
class Damage:
    """A damage with its place and strength drawn.

    ``picture(bgr, time)`` and ``sound(samples, time, rate)`` give what takes the place of their input, which
    they may change in place; both are called in time order. ``removed`` are spans of the source that are
    left out, sound included. ``spans`` are source spans, each with a sentence of what happens there.
    """

    spans: list[tuple[float, float, str]]
    picture: Callable[[Picture, float], Picture] | None = None
    sound: Callable[[Samples, float, int], Samples] | None = None
    removed: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class Perturbation:
    """An operator: readable without running it.

    ``weak``, ``medium`` and ``strong`` are three strengths in ``unit``, ``low`` and ``high`` the bounds.
    ``make`` draws places from the generator and nothing else.
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
    needs_sound: bool = False

    def level_of(self, strength: float) -> Level | None:
        """The name of this strength, if it has one."""
        levels: tuple[Level, ...] = ("weak", "medium", "strong")
        return next((name for name in levels if getattr(self, name) == strength), None)


def place(film: FilmFacts, length: float, rng: np.random.Generator) -> tuple[float, float]:
    """A span of ``length`` seconds (shortened to fit) away from the ends of the film."""
    room = film.duration * (1 - 2 * EDGE_SHARE)
    length = min(length, room)
    start = film.duration * EDGE_SHARE + rng.uniform(0, room - length)
    return start, start + length


def places(film: FilmFacts, count: int, length: float, rng: np.random.Generator) -> list[tuple[float, float]]:
    """``count`` spans of ``length`` seconds that do not touch: one in each equal share of the middle.

    Where cuts are given, one span begins at each of the first ``count`` of them instead.
    """
    if film.cuts:
        return [(t, t + length) for t in film.cuts[:count]]
    room = film.duration * (1 - 2 * EDGE_SHARE) / count
    length = min(length, room * 0.8)
    first = film.duration * EDGE_SHARE
    starts = [first + i * room + rng.uniform(0, room * 0.9 - length) for i in range(count)]
    return [(s, s + length) for s in starts]


def inside(time: float, spans: list[tuple[float, float]]) -> bool:
    """Whether ``time`` lies in one of the half-open spans."""
    return any(start <= time < end for start, end in spans)
