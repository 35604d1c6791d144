"""The one pass: a contiguous run of chunks of a film, decoded once, seen by every observer that asked.

Rows of a chunk depend on the film alone. A run that starts in the middle decodes some frames before its
first chunk (lead-in) and some after its last (look-ahead), and drops the rows of what is not its own, so
that one worker and many give the same arrays.
"""

from __future__ import annotations

import copy
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from time import perf_counter

import cv2
import numpy as np

from ..core.video import Video
from ..errors import told
from ..media.read import Picture, ReadReport, Sound, read
from ..models.weights import Weights
from .observer import Arrays, FrameObserver, SoundObserver
from .registry import HEAVY, observers_for
from .window import View, Window

CHUNK_S = 60
SOUND_CHUNK = -1
"""Index under which a run delivers all its sound rows at once: sound is heard in one run, from the start."""
LEAD_IN_S = Fraction(3)
"""How far before its first chunk a run begins to look; more where that holds too few frames."""
PROGRESS_FRAMES = 32
FAILED = "failed."
"""Rows of a heavy signal that crashed hold, under this and its name, what went wrong."""


@dataclass(frozen=True)
class Chunk:
    """Frames with ``start <= time < end`` on the film's clock, seconds; ``end`` is ``None`` for the last."""

    index: int
    start: Fraction
    end: Fraction | None


OnChunk = Callable[[Chunk, Arrays, ReadReport], None]


def plan_chunks(video: Video, duration: Fraction | None, seconds: int = CHUNK_S) -> list[Chunk]:
    """The fixed grid of chunks of a film: whole multiples of ``seconds``, the last one open.

    ``duration`` is what the container says (seconds on the film's clock); ``None`` gives one open chunk.
    """
    start = video.start or Fraction(0)
    end = video.end if video.end is not None else duration
    edges = [start]
    if end is not None:
        first = int(start // seconds) + 1
        last = -int(-end // seconds)
        edges += [Fraction(i * seconds) for i in range(first, last) if i * seconds > start]
    ends: list[Fraction | None] = [*edges[1:], video.end]
    return [Chunk(i, a, b) for i, (a, b) in enumerate(zip(edges, ends, strict=True))]


def run_pass(
    video: Video,
    names: Sequence[str],
    chunks: Sequence[Chunk],
    on_chunk: OnChunk,
    *,
    pictures: bool = True,
    sound: bool = True,
    threads: int = 1,
    boundaries: Sequence[float] = (),
    levels_only: bool = False,
    weights: Weights | None = None,
    on_frame: Callable[[float], None] | None = None,
    spent: dict[str, float] | None = None,
) -> None:
    """Decode neighbouring ``chunks`` once and hand each one's rows to ``on_chunk``, in order.

    With ``sound`` the whole film's sound is heard, whatever the chunks, and delivered last under the chunk
    index ``SOUND_CHUNK``. ``boundaries`` are given shot boundaries (seconds) that want evidence of their
    own; with ``levels_only`` sound gives its 0.1 s levels and no more. Heavy signals are
    given ``weights``; one that crashes leaves what went wrong in its rows (``FAILED``) and costs no other.
    ``on_frame`` is told the time reached, every few frames; ``spent`` gathers the seconds that each signal's
    observers took, by its name. Raises ``InputError`` from the reader.
    """
    spent = {} if spent is None else spent
    cv2.setNumThreads(1)
    reach = LEAD_IN_S
    while True:
        seeing, hearing = observers_for(
            names, boundaries=boundaries, levels_only=levels_only, weights=weights
        )
        reach = max(reach, *(Fraction(getattr(o, "memory_s", 0)) for _, o in seeing), Fraction(0))
        run = _Run(seeing, list(chunks), on_chunk, spent) if pictures and chunks else None
        ears = _Ears(hearing, video, spent) if sound and hearing else None
        if run is None and ears is None:
            return
        try:
            _decode(video, run, ears, on_chunk, on_frame, threads, reach)
            return
        except _LeadInTooShortError:
            reach *= 4  # no row was handed on yet: new observers begin earlier


class _LeadInTooShortError(Exception):
    """Fewer frames lie before a run's first chunk than its observers look back."""


def _decode(
    video: Video,
    run: _Run | None,
    ears: _Ears | None,
    on_chunk: OnChunk,
    on_frame: Callable[[float], None] | None,
    threads: int,
    reach: Fraction,
) -> None:
    report = ReadReport()
    ticks = 0
    for item in _items(video, report, run, ears, threads, reach):
        if isinstance(item, Sound):
            if ears is not None:
                ears.hear(item)
                if run is None and on_frame is not None:
                    on_frame(float(item.time))
        elif run is not None:
            run.take(item, report)
            ticks += 1
            if on_frame is not None and ticks % PROGRESS_FRAMES == 0:
                on_frame(float(item.time))
            if run.done and ears is None:
                break
    if run is not None:
        run.finish(report)
    if ears is not None:
        on_chunk(Chunk(SOUND_CHUNK, video.start or Fraction(0), video.end), ears.rows(), report)


def _items(
    video: Video, report: ReadReport, run: _Run | None, ears: _Ears | None, threads: int, reach: Fraction
) -> Iterator[Picture | Sound]:
    """Pictures from the lead-in on, and sound from the start, within the film's bounds.

    Nothing is held back: a list of the lead-in's frames would be the largest thing in memory.
    """
    begin = video.start
    if run is None or ears is not None:
        source = read(
            video, report, pictures=run is not None, sound=True, start=begin, end=video.end, threads=threads
        )
        yield from _inside(video, source)
        return
    first = run.chunks[0].start
    origin = begin or Fraction(0)
    start = max(first - reach, origin)
    source = read(
        video, report, sound=False, start=start if start > 0 else None, end=video.end, threads=threads
    )
    with closing(source):  # type: ignore[type-var]
        if start <= origin:
            yield from _inside(video, source)
            return
        before = 0
        for item in _inside(video, source):
            if item.time >= first:
                if before < run.need:
                    raise _LeadInTooShortError
                yield item
                yield from _inside(video, source)
                return
            if item.time >= start:
                before += 1
                yield item
        if before < run.need:
            raise _LeadInTooShortError


def _inside(video: Video, source: Iterator[Picture | Sound]) -> Iterator[Picture | Sound]:
    """Leaves out pictures that begin outside the film's bounds."""
    for item in source:
        if isinstance(item, Picture):
            if video.start is not None and item.time < video.start:
                continue
            if video.end is not None and item.time >= video.end:
                continue
        yield item


class _Guard:
    """Runs the steps of observers, adds up their seconds, and takes heavy ones out that crash."""

    def __init__(self, spent: dict[str, float]) -> None:
        self._spent = spent
        self._failed: dict[str, str] = {}

    def run(self, name: str, step: Callable[..., object], *given: object) -> object:
        """What ``step`` gives; ``None`` once its signal has failed."""
        if name in self._failed:
            return None
        before = perf_counter()
        try:
            return step(*given)
        except Exception as error:
            if name not in HEAVY or os.environ.get("LONGTAKE_DEBUG"):
                raise
            self._failed[name] = told(error)
            return None
        finally:
            self._spent[name] = self._spent.get(name, 0.0) + perf_counter() - before

    def flush(self, observers: Sequence[tuple[str, FrameObserver | SoundObserver]]) -> Arrays:
        """Rows of all observers, and what went wrong with those that failed."""
        rows: Arrays = {}
        for name, observer in observers:
            rows.update(self.run(name, observer.flush) or {})  # type: ignore[call-overload]
        for name, why in self._failed.items():
            rows = {key: values for key, values in rows.items() if not key.startswith(f"{name}.")}
            rows[f"{FAILED}{name}"] = np.array([why])
        return rows


class _Run:
    """Pictures of a run of chunks: the ring of views, the observers and the chunk being filled."""

    def __init__(
        self,
        observers: list[tuple[str, FrameObserver]],
        chunks: list[Chunk],
        on_chunk: OnChunk,
        spent: dict[str, float],
    ) -> None:
        self.observers = observers
        self._guard = _Guard(spent)
        self.chunks = chunks
        self.on_chunk = on_chunk
        self.behind = max((o.lookback for _, o in observers), default=0)
        self.ahead = max((o.lookahead for _, o in observers), default=0)
        memory = max((getattr(o, "memory", 0) for _, o in observers), default=0)
        self.need = self.behind + memory + 1
        self.done = False
        self._ring: deque[View] = deque(maxlen=self.behind + 1 + self.ahead)
        self._at = -1
        self._chunk = -1
        self._mark = ReadReport()

    def take(self, picture: Picture, report: ReadReport) -> None:
        """The next picture in order; the frame ``ahead`` before it is then seen."""
        full = len(self._ring) == self._ring.maxlen
        self._ring.append(View(picture.image, picture.time, picture.part, picture.rotation))
        if full:
            self._at -= 1
        if self._at + self.ahead + 1 < len(self._ring):
            self._see(report)

    def finish(self, report: ReadReport) -> None:
        """The frames that have no more look-ahead, and whatever chunks are left."""
        while not self.done and self._at + 1 < len(self._ring):
            self._see(report)
        self._advance(None, report)

    def _see(self, report: ReadReport) -> None:
        self._at += 1
        view = self._ring[self._at]
        self._advance(view.time, report)
        if self.done:
            return
        window = Window(self._ring, self._at)
        for name, observer in self.observers:
            self._guard.run(name, observer.see, window)

    def _advance(self, time: Fraction | None, report: ReadReport) -> None:
        """Closes chunks that end at or before ``time``, all for ``None``. Lead-in rows are dropped."""
        while not self.done:
            following = self._chunk + 1
            if time is not None:
                edge = self.chunks[0].start if self._chunk < 0 else self.chunks[self._chunk].end
                if edge is None or time < edge:
                    return
            rows = self._guard.flush(self.observers)
            if self._chunk >= 0:
                self.on_chunk(self.chunks[self._chunk], rows, _since(report, self._mark))
            if following or self.chunks[0].index:  # what was counted before the film's first frame is its own
                self._mark = copy.deepcopy(report)
            self._chunk = following
            self.done = following >= len(self.chunks)


class _Ears:
    """Sound of the whole film, trimmed to its bounds, in blocks."""

    def __init__(
        self, observers: list[tuple[str, SoundObserver]], video: Video, spent: dict[str, float]
    ) -> None:
        self._observers = observers
        self._guard = _Guard(spent)
        self._start, self._end = video.start, video.end

    def hear(self, sound: Sound) -> None:
        samples, time, rate = sound.samples, sound.time, sound.rate
        if self._start is not None and time < self._start:
            skip = -int(-((self._start - time) * rate) // 1)
            samples = samples[:, skip:]
            time += Fraction(skip, rate)
        if self._end is not None:
            samples = samples[:, : max(-int(-((self._end - time) * rate) // 1), 0)]
        if samples.shape[1]:
            for name, observer in self._observers:
                self._guard.run(name, observer.hear, samples, rate, float(time))

    def rows(self) -> Arrays:
        return self._guard.flush(self._observers)


def _since(report: ReadReport, mark: ReadReport) -> ReadReport:
    """What was counted after ``mark``."""
    part = copy.copy(report)
    for name, value in vars(report).items():
        before = getattr(mark, name)
        setattr(part, name, value[len(before) :] if isinstance(value, list) else value - before)
    return part
