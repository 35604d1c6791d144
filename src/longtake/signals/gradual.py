"""Slow changes from one shot to the next that the light pass is not sure of: dissolves, fades and wipes.

Every few frames cheap evidence is asked (``gradual_fit``). What is clearly a mixture of its ends is a
dissolve, what has a clear front is a wipe, and most is neither; where it is unclear whether there is a
mixture, TransNetV2 looks at a window of 20 frames. It was not trained on wipes and does not see them.
``shots`` and ``transitions`` use what is found.
"""

from __future__ import annotations

import copy
from array import array
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from ..core.signal import Column, Signal, SignalSpec
from ..media.planes import Planes
from ..models.transnet import HEIGHT, WIDTH, WINDOW, TransNet
from ..models.weights import Weights
from . import gradual_fit as fit
from .observer import Arrays, Merged
from .window import Window

if TYPE_CHECKING:
    from .film import Film

MODELS = ("transnet-v2",)
RATE = 25
"""Most frames per second of film that are looked at."""
EVERY = 3
"""Of these, every so many-th is the middle of stretches."""
NEAR = 4
"""Middles on each side among which one must be the best."""
OFF = 2 * EVERY
"""Frames by which the stretch that is told may be about another frame than its middle."""
SAMPLES = 8
"""Frames of a window that a change should take, so that it has as much before and after."""
WIDEST = 3
"""Most frames from one of the window to the next."""
CONTEXT = max(WINDOW // 2 * WIDEST + OFF, fit.REACH + OFF)
"""Frames on each side of a middle that are looked at."""
KEPT = 2 * CONTEXT + NEAR * EVERY + 2 * EVERY
"""Frames that are kept: those around a middle, until the middles after it are known."""
HISTORY = KEPT + NEAR * EVERY
"""Frames that what is told rests on: those of the middles before as well."""

UNSURE, SURE = -1.0, 3.0
"""Likeness to a mixture (log odds less its misfit) from which on TransNetV2 looks, and from which on it need
not. On set A none that is none is above the second, two to three a minute above the first."""
FRONT = 0.53
"""Clearness from which on a front is a wipe; on set A nothing else has one above 0.5."""
SHORTEST_WIPE = 7
"""Frames of the film in the shortest wipe: things that pass near the lens have fronts too, but are faster."""
LIKELY, PART = 0.4, 0.3
"""Probability that a frame must have in the middle of the window, and that its neighbours must have to belong
to the same change."""
LEAST = 3
"""Frames of the window that a slow change takes at least; a cut or a passing thing takes one or two."""
DARK_CARD, RISE = 24.0, 20.0
"""A dissolve is a fade where one end is darker than this (mean luma) and the other lighter by the second."""

DISSOLVE, WIPE, FADE = 0, 1, 2
KINDS = ("dissolve", "wipe", "fade")
COLUMNS = ("start", "end", "kind", "confidence", "probability", "closed")

SPEC = SignalSpec(
    name="gradual",
    version=1,
    doc="Slow changes between shots, by their course and, where that is unclear, by TransNetV2. Wipes rest "
    "on their moving edge alone: the model does not see them, and a thing or a camera that crosses the whole "
    "picture may pass for one.",
    columns={
        "start": Column(type="float", unit="s", doc="first frame of the change"),
        "end": Column(type="float", unit="s", doc="first frame after it"),
        "kind": Column(type="str", doc="dissolve, fade or wipe, told from the course of the change"),
        "confidence": Column(
            type="float",
            doc="0..1: a wipe's clearness; TransNetV2's probability; 0.9 for a clear mixture; no probability",
        ),
        "probability": Column(type="float", doc="TransNetV2's highest, NaN where it was not asked"),
    },
    facts={"windows": Column(type="int", doc="windows that TransNetV2 looked at")},
)


class _Kept(NamedTuple):
    """A kept frame: its time, its small planes, and whether it is a middle. The frame itself is let go."""

    time: float
    planes: Planes
    middle: bool


class GradualObserver:
    """Keeps a few seconds of very small pictures, and 48 bytes for every change that is found.

    A change is told some two seconds after it. At a chunk's end what is still pending is told as if the film
    ended there; ``assemble`` uses that of the film's own end.
    """

    name = "gradual"
    lookback = 0
    lookahead = 0
    memory = HISTORY
    memory_s = HISTORY / RATE

    def __init__(self, weights: Weights) -> None:
        self._net = TransNet(weights["transnet-v2"]["transnetv2.onnx"], weights.threads)
        self._frames: list[_Kept] = []
        self._pictures = np.zeros((2 * KEPT, fit.PLACES, 3), np.float32)
        self._steps = np.zeros(2 * KEPT, np.float32)
        self._count = 0
        self._found: list[tuple[int, fit.Stretch]] = []
        self._rows = array("d")
        self._windows = 0

    def see(self, window: Window) -> None:
        view = window[0]
        assert view is not None
        last = self._frames[-1].time if self._frames else None
        if last is not None and _cell(view.seconds, 1) == _cell(last, 1):
            return
        if last is None:
            for _ in range(KEPT):
                self._push(_Kept(view.seconds, view.planes, False))
        middle = last is None or _cell(view.seconds, EVERY) != _cell(last, EVERY)
        self._push(_Kept(view.seconds, view.planes, middle))

    def _push(self, kept: _Kept, *, closed: bool = False) -> None:
        """Take a frame in, judge the middle that now has enough frames after it, tell what is settled."""
        at = self._count % KEPT
        if self._frames and kept.planes is self._frames[-1].planes:
            picture = self._pictures[(self._count - 1) % KEPT].copy()
        else:
            picture = _small(kept.planes)
            if self._count == KEPT + 1:  # nothing is known of before the film: no calm that it breaks
                self._steps[:] = _step(picture, self._pictures[(self._count - 1) % KEPT])
            elif self._count:
                step = _step(picture, self._pictures[(self._count - 1) % KEPT])
                self._steps[[(at - 1) % KEPT, (at - 1) % KEPT + KEPT]] = step
        if closed:  # nor of after it
            self._steps[[(at - 1) % KEPT, (at - 1) % KEPT + KEPT]] = self._steps[(at - 2) % KEPT]
        self._pictures[at] = self._pictures[at + KEPT] = picture
        self._frames.append(kept)
        del self._frames[:-KEPT]
        self._count += 1
        if self._count <= KEPT:
            return
        judged = self._count - 1 - CONTEXT
        if self._frames[judged - self._count].middle:
            self._judge(judged)
            self._tell(closed)

    def _judge(self, number: int) -> None:
        """Evidence about one middle, by its number among all kept frames."""
        oldest = self._count - KEPT
        begin = oldest % KEPT
        pictures = self._pictures[begin : begin + KEPT]
        steps = self._steps[begin : begin + KEPT - 1]
        stretch = fit.look(pictures, steps, number - oldest)
        self._found.append((number, stretch or fit.Stretch(-np.inf, 0, 0.0, 0)))
        del self._found[: -2 * NEAR - 1]

    def _tell(self, closed: bool) -> None:
        """Whether the middle that now has all its neighbours is the best of them, and what it then is."""
        if len(self._found) <= NEAR:
            return
        number, stretch = self._found[-NEAR - 1]
        before = [s for _, s in self._found[: -NEAR - 1]]
        after = [s for _, s in self._found[-NEAR:]]
        if stretch.front >= FRONT:
            if _first_best(stretch.front, [s.front for s in before], [s.front for s in after]):
                first, last = self._nearby(fit.clearest_front, number)
                self._row(first + 1, last, WIPE, stretch.front, np.nan, closed)
            return
        if stretch.mixture < UNSURE or max(s.front for s in (*before, *after)) >= FRONT:
            return
        if not _first_best(stretch.mixture, [s.mixture for s in before], [s.mixture for s in after]):
            return
        first, last = self._nearby(fit.best_mixture, number)
        if stretch.mixture >= SURE:
            self._row(first + 1, last, DISSOLVE, 0.9, np.nan, closed)
        else:
            self._ask(first + 1, last, closed)

    def _nearby(self, choose: Callable[..., tuple[int, int]], number: int) -> tuple[int, int]:
        """The last frame before and the first after the best stretch about or near a middle."""
        oldest = self._count - KEPT
        pictures = self._pictures[oldest % KEPT : oldest % KEPT + KEPT]
        first, last = choose(pictures, number - oldest, OFF, EVERY)
        return first + oldest, last + oldest

    def _ask(self, begin: int, end: int, closed: bool) -> None:
        """TransNetV2's answer about one stretch."""
        length = end - begin
        stride = min(max(round(length / SAMPLES), 1), WIDEST)
        first = (begin + end) // 2 - WINDOW // 2 * stride
        frames = [self._at(first + i * stride) for i in range(WINDOW)]
        _, likely = self._net(np.stack([_colours(kept.planes) for kept in frames]))
        self._windows += 1
        half = -(-length // (2 * stride)) + 1
        middle = slice(WINDOW // 2 - half, WINDOW // 2 + half + 1)
        peak = middle.start + int(np.argmax(likely[middle]))
        start = stop = peak
        while start > 0 and likely[start - 1] > PART:
            start -= 1
        while stop < WINDOW - 1 and likely[stop + 1] > PART:
            stop += 1
        if likely[peak] > LIKELY and stop - start + 1 >= LEAST:
            begin, end = first + start * stride, first + (stop + 1) * stride
            self._row(begin, end, DISSOLVE, float(likely[peak]), float(likely[peak]), closed)

    def _row(self, begin: int, end: int, kind: int, sure: float, likely: float, closed: bool) -> None:
        ends = [float(cv2.mean(self._at(i).planes.y)[0]) for i in (begin - 1, end)]
        if kind == DISSOLVE and min(ends) < DARK_CARD and max(ends) - min(ends) >= RISE:
            kind = FADE
        times = self._at(begin).time, self._at(end).time
        if times[0] == times[1]:
            return
        self._rows.extend((*times, kind, sure, likely, self._frames[-1].time if closed else np.nan))

    def _at(self, number: int) -> _Kept:
        return self._frames[max(number - self._count, -len(self._frames))]

    def flush(self) -> Arrays:
        if self._frames:
            rest = copy.copy(self)
            rest._frames, rest._found = self._frames[:], self._found[:]
            rest._pictures, rest._steps = self._pictures.copy(), self._steps.copy()
            end = self._frames[-1]
            for i in range(CONTEXT + (NEAR + 1) * EVERY):
                rest._push(end._replace(middle=i % EVERY == 0), closed=True)
            self._windows = rest._windows
        table = np.array(self._rows, np.float64).reshape(-1, len(COLUMNS))
        self._rows = array("d")
        rows: Arrays = {f"gradual.{name}": table[:, i].copy() for i, name in enumerate(COLUMNS)}
        rows["gradual_windows.count"] = np.array([self._windows])
        self._windows = 0
        return rows


def _cell(time: float, frames: int) -> int:
    """Number of the grid cell of a time; the quarter keeps frames at exactly RATE off the cells' edges."""
    return int((time * RATE + 0.25) // frames)


def _first_best(value: float, before: list[float], after: list[float]) -> bool:
    return all(value > other for other in before) and all(value >= other for other in after)


def _step(picture: NDArray[np.float32], before: NDArray[np.float32]) -> float:
    return float(np.abs(picture - before).mean())


def _small(planes: Planes) -> NDArray[np.float32]:
    return _rgb(planes, fit.WIDTH, fit.HEIGHT).reshape(fit.PLACES, 3).astype(np.float32)


def _colours(planes: Planes) -> NDArray[np.uint8]:
    return _rgb(planes, WIDTH, HEIGHT)


def _rgb(planes: Planes, width: int, height: int) -> NDArray[np.uint8]:
    """A small picture in colour from the planes that are there, stretched to this size."""
    y = cv2.resize(planes.y, (width, height), interpolation=cv2.INTER_AREA)
    u, v = (cv2.resize(p, (width, height), interpolation=cv2.INTER_LINEAR) for p in planes[1:])
    return np.asarray(cv2.cvtColor(cv2.merge([y, v, u]), cv2.COLOR_YCrCb2RGB), np.uint8)


def assemble(merged: Merged, film: Film, done: Mapping[str, Signal]) -> Signal:
    """Changes in time order; of two that overlap, the surer one."""
    table = np.stack([np.asarray(merged[f"gradual.{name}"], np.float64) for name in COLUMNS], axis=1)
    closed = table[:, COLUMNS.index("closed")]
    # What was told as if the film ended is true where it did: nothing that is looked at came later.
    last = film.times[-1] if film.frames else 0.0
    table = table[np.isnan(closed) | (closed > last - 1.5 / RATE)]
    took = np.round((table[:, 1] - table[:, 0]) / film.frame_s)
    table = table[(table[:, 2] != WIPE) | (took >= SHORTEST_WIPE)]
    kept: list[NDArray[np.float64]] = []
    for row in sorted(table, key=lambda row: (-row[3], row[0])):
        if all(row[1] <= other[0] or row[0] >= other[1] for other in kept):
            kept.append(row)
    kept.sort(key=lambda row: row[0])
    rows = np.array(kept, np.float64).reshape(-1, len(COLUMNS))
    return Signal(
        SPEC.name,
        SPEC.version,
        columns={
            "start": rows[:, 0],
            "end": rows[:, 1],
            "kind": np.array([KINDS[int(k)] for k in rows[:, 2]], np.str_),
            "confidence": rows[:, 3],
            "probability": rows[:, 4],
        },
        facts={"windows": int(np.asarray(merged["gradual_windows.count"]).sum())},
    )
