"""Text in the picture: what is written where, when, and how steadily it stays the same."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core.signal import Column, Signal, SignalSpec
from ..media.planes import bgr_of, display_size, pixel_aspect
from ..models.ocr import STEP, Reading, TextReader
from ..models.weights import Weights, Wish
from .observer import Arrays, Merged
from .text_lines import LEAST, SURE, Line, appearances, likeness
from .text_looks import NEW, Luma, change, settled, tick_of, unchanged
from .text_shape import same_shape
from .window import View, Window

if TYPE_CHECKING:
    from .film import Film

WIDEST = 1920
"""Lines are cut out of a picture at most this wide."""
CELL_S = 20
"""After so many seconds of film time the observer forgets what it saw: rows do not depend on where a run
begins, as long as that is a multiple of this."""
CELL_LINES = 120
"""Lines read in one cell; what comes after that in the cell is not looked at. Bounds the cost of pages."""
ECHO = 4
"""Frames between a line and its echo: the reading of the same place in an earlier frame."""
ECHOES = 8
"""Lines of a look that are read a second time."""
TEXT_LENGTH = 160
STEADY = 3
"""Readings from which an appearance's stability says something."""
ROLLING = 0.1
"""Share of the picture from which a text counts as moving."""

MODELS: tuple[Wish, ...] = ("ppocr",)

SPEC = SignalSpec(
    name="text",
    version=1,
    doc=(
        "Text in the picture by PP-OCRv6, on frames one to four seconds apart: what is shown for less may be "
        "missed, and so are lines lower than about 1.5 % of the picture. Overlaid text and text in the scene "
        "are not told apart. Latin, Chinese and Japanese letters and digits are read; handwriting, other "
        "scripts and mirrored text give nothing or lines that are not sure. Lines that roll are followed by "
        "their words; a ticker, of which each look shows another part, falls into pieces."
    ),
    columns={
        "text": Column(type="str", doc="the reading with the most score"),
        "start": Column(type="float", unit="s", doc="time of the first frame in which it was read"),
        "end": Column(type="float", unit="s", doc="time of the last frame in which it was read"),
        "slack": Column(type="float", unit="s", doc="by which it may have begun earlier or ended later"),
        "confidence": Column(type="float", unit="score", doc="mean score of its letters, no probability"),
        "sure": Column(type="bool", doc=f"half its readings or more are (about {SURE}); else a guess"),
        "x": Column(type="float", unit="share", doc="left edge of its box, of the width"),
        "y": Column(type="float", unit="share", doc="top edge, of the height"),
        "width": Column(type="float", unit="share", doc="of the picture's width"),
        "height": Column(type="float", unit="share", doc="of the picture's height"),
        "moved": Column(type="float", unit="share", doc="way of its box from first to last reading"),
        "stability": Column(
            type="float",
            unit="likeness",
            doc=f"of readings {ECHO} frames and one look apart, 0..1; small or blurred text lowers it too",
        ),
        "shape": Column(
            type="float",
            unit="likeness",
            doc=f"of the pictures of the letters {ECHO} frames apart, 0..1, wherever they went meanwhile; "
            "low where letters bend or melt; not measured where what is around them moves by itself",
        ),
        "readings": Column(type="int", doc="looked-at frames in which it was read"),
        "variants": Column(type="int", doc="different readings among them: a clock has many"),
    },
    facts={
        "looks": Column(type="int", doc="frames looked at"),
        "appearances": Column(type="int", doc="texts that are sure"),
        "unsure": Column(type="int", doc=f"texts that are not, with scores of {LEAST} or more"),
        "text_share": Column(type="float", unit="share", doc="of looked-at frames with sure text"),
        "least_stability": Column(
            type="float", unit="likeness", doc=f"lowest of a sure text with {STEADY} readings or more"
        ),
        "least_shape": Column(type="float", unit="likeness", doc="lowest shape of the same texts"),
        "rolling": Column(type="int", doc=f"sure texts that moved by {ROLLING} of the picture or more"),
    },
    heavy=True,
)

Image = NDArray[np.uint8]
_NUMBERS = ("score", "found", "x", "y", "width", "height", "echo", "shape")


class TextObserver:
    """Looks at frames on a grid of film time, and at new pictures; skips those that did not change."""

    name = "text"
    lookback = ECHO
    lookahead = 0

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._reader: TextReader | None = None
        self._looks: list[tuple[float, bool]] = []
        self._lines: list[tuple[float, str, tuple[float, ...]]] = []
        self._cell: int | None = None
        self._tick = -1
        self._extra = False
        self._spent = 0
        self._last: Luma | None = None

    def see(self, window: Window) -> None:
        now = window[0]
        assert now is not None
        cell = int(now.seconds // CELL_S)
        if cell != self._cell:
            self._cell, self._tick, self._spent, self._last = cell, -1, 0, None
        if self._spent >= CELL_LINES:
            return
        tick = tick_of(now.seconds)
        if tick != self._tick:
            self._tick, self._extra = tick, True
            if self._last is not None and unchanged(now.y, self._last):
                self._looks.append((now.seconds, True))
                return
        elif not (self._extra and self._last is not None and settled(window, self._last)):
            return
        else:
            self._extra = False
        self._look(window)

    def flush(self) -> Arrays:
        numbers = np.array([n for *_, n in self._lines], np.float32).reshape(-1, len(_NUMBERS))
        out: Arrays = {
            "text_looks.time": np.array([t for t, _ in self._looks], np.float64),
            "text_looks.same": np.array([s for _, s in self._looks], np.bool_),
            "text_lines.time": np.array([t for t, *_ in self._lines], np.float64),
            "text_lines.text": np.array([text for _, text, _ in self._lines], np.str_),
            **{f"text_lines.{name}": numbers[:, i].copy() for i, name in enumerate(_NUMBERS)},
        }
        self._looks.clear()
        self._lines.clear()
        return out

    def _look(self, window: Window) -> None:
        now = window[0]
        assert now is not None
        if self._reader is None:
            files = self._weights["ppocr"]
            self._reader = TextReader(files["det.onnx"], files["rec.onnx"], self._weights.threads)
        picture = _shown(now)
        readings = self._reader.read(picture)
        lines = [_line(reading, picture) for reading in readings]
        kept = [i for i, line in enumerate(lines) if line.kept]
        echoes = self._echoes(window, picture, readings, lines, kept)
        self._spent += len(readings) + len(echoes)
        self._looks.append((now.seconds, False))
        self._last = now.y
        for i in kept:
            line = lines[i]
            numbers = (line.score, line.found, *line.box, *echoes.get(i, (math.nan, math.nan)))
            self._lines.append((now.seconds, line.text[:TEXT_LENGTH], numbers))

    def _echoes(
        self,
        window: Window,
        picture: Image,
        readings: Sequence[Reading],
        lines: Sequence[Line],
        kept: Sequence[int],
    ) -> dict[int, tuple[float, float]]:
        """How like the same places some frames earlier are: of the largest lines, as small ones waver."""
        now, before = window[0], window[-ECHO]
        if not kept or now is None or before is None or change(now.y, before.y) >= NEW:
            return {}
        chosen = sorted(kept, key=lambda i: -lines[i].box[3])[:ECHOES]
        assert self._reader is not None
        earlier = _shown(before)
        said = self._reader.lines(earlier, [readings[i].quad for i in chosen])
        return {
            i: (likeness(lines[i].text, text), same_shape(picture, earlier, readings[i].quad))
            for i, (text, _) in zip(chosen, said, strict=True)
        }


def _shown(view: View) -> Image:
    image = view.image
    width, _ = display_size(image.width, image.height, view.rotation, pixel_aspect(image))
    return bgr_of(image, min(width, WIDEST), view.rotation)


def _line(reading: Reading, picture: Image) -> Line:
    shares = reading.quad / [picture.shape[1], picture.shape[0]]
    x, y = (float(v) for v in shares.min(0))
    right, bottom = (float(v) for v in shares.max(0))
    return Line(reading.text, reading.score, reading.found, (x, y, right - x, bottom - y))


def assemble(merged: Merged, film: Film, done: Mapping[str, Signal]) -> Signal:
    """The text signal: lines joined to appearances over time."""
    times = np.asarray(merged["text_looks.time"], np.float64)
    if not len(times):
        return Signal(SPEC.name, SPEC.version, "skipped", "no pictures")
    looks = _lines_by_look(merged, times)
    found = appearances(looks)
    sure = [a for a in found if a.sure]
    readable = [any(line.sure for line in lines) for lines in looks]
    often = [a for a in sure if len(a.looks) >= STEADY]
    small = min(film.width, film.height) < STEP
    return Signal(
        SPEC.name,
        SPEC.version,
        "fallback" if small else "ok",
        f"pictures of {film.width} x {film.height} px hold no text that could be read" if small else None,
        columns={
            "text": np.array([a.text for a in found], np.str_),
            "start": times[[a.looks[0] for a in found]] if found else np.zeros(0),
            "end": times[[a.looks[-1] for a in found]] if found else np.zeros(0),
            "slack": np.array([_slack(times, film, a.looks[0], a.looks[-1]) for a in found], np.float64),
            "confidence": np.array([a.confidence for a in found], np.float64),
            "sure": np.array([a.sure for a in found], np.bool_),
            **{
                name: np.array([a.best.box[i] for a in found], np.float64)
                for i, name in enumerate(("x", "y", "width", "height"))
            },
            "moved": np.array([a.moved for a in found], np.float64),
            "stability": np.array([a.stability for a in found], np.float64),
            "shape": np.array([a.shape for a in found], np.float64),
            "readings": np.array([len(a.looks) for a in found], np.int64),
            "variants": np.array([a.variants for a in found], np.int64),
        },
        facts={
            "looks": len(times),
            "appearances": len(sure),
            "unsure": len(found) - len(sure),
            "text_share": float(np.mean(readable)) if not small else None,
            "least_stability": min((a.stability for a in often), default=None),
            "least_shape": min((a.shape for a in often if np.isfinite(a.shape)), default=None),
            "rolling": sum(a.moved >= ROLLING for a in sure),
        },
    )


def _lines_by_look(merged: Merged, times: NDArray[np.float64]) -> list[list[Line]]:
    """Lines of every look; one at an unchanged picture has those of the look before, and they are steady."""
    numbers = [np.asarray(merged[f"text_lines.{name}"], np.float64) for name in _NUMBERS]
    texts = np.asarray(merged["text_lines.text"])
    at = np.searchsorted(times, np.asarray(merged["text_lines.time"], np.float64))
    looks: list[list[Line]] = [[] for _ in times]
    for i, look in enumerate(at):
        score, place, x, y, width, height, echo, shape = (float(column[i]) for column in numbers)
        looks[look].append(Line(str(texts[i]), score, place, (x, y, width, height), echo, shape))
    for look, same in enumerate(np.asarray(merged["text_looks.same"], np.bool_)):
        if same and look:
            looks[look] = [replace(line, echo=math.nan, shape=1.0) for line in looks[look - 1]]
    return looks


def _slack(times: NDArray[np.float64], film: Film, first: int, last: int) -> float:
    """The larger of the times to the look before the first one and after the last one."""
    before = times[first] - (times[first - 1] if first else film.start)
    after = (times[last + 1] if last + 1 < len(times) else film.end) - times[last]
    return float(max(before, after, 0.0))
