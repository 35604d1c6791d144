"""What is written in a film, read four times a second in stretches of film time that are kept each by itself.

Stretches lie on the film's clock whoever asks for them, so that evaluators share them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from ...core.evaluator import MeasuredCase
from ...core.tools import Footage
from ...signals.text_lines import Line
from ...signals.text_looks import unchanged
from ..shared.spans import Span, whole

if TYPE_CHECKING:
    from ...core.ports import TextReader

ROLE = "ocr"
VERSION = 1
PER_SECOND = 4
"""Frames read in a second (dynamiceval-and-others.md, B)."""
CELL_S = 5
"""Seconds of a stretch; at its beginning a frame is read whatever was seen before."""
SHORT_SIDE = 1080
"""Pictures are at most this many px on their shorter side; the reader brings them to fewer."""
TEXT_LENGTH = 160
"""Letters of a line that are kept, as in the signal ``text``."""
_NUMBERS = ("score", "found", "x", "y", "width", "height")

Frame = tuple[float, list[Line]]
"""When a frame begins to be shown, in seconds, and the lines that were read in it."""


def cells_of(spans: Sequence[Span]) -> list[int]:
    """The stretches that these spans touch, in order."""
    found: set[int] = set()
    for start, end in spans:
        found.update(range(math.floor(start / CELL_S), max(math.ceil(end / CELL_S), 1)))
    return sorted(found)


def frames(case: MeasuredCase, cells: Sequence[int]) -> Iterator[Frame]:
    """The frames of these stretches, in order of time.

    Raises:
        BackendError, MissingError: the reader cannot be run.
        InputError: the film can no longer be read.
    """
    last = -math.inf
    for cell in cells:
        for frame in _frames(_kept(case, cell)):
            if frame[0] > last:  # a frame that is shown for long may be met in two stretches
                last = frame[0]
                yield frame


def _kept(case: MeasuredCase, cell: int) -> Mapping[str, Any]:
    tools = case.tools
    assert tools is not None
    start, end = whole(case)
    grid = [cell * CELL_S + k / PER_SECOND for k in range(CELL_S * PER_SECOND)]
    times = [t for t in grid if start <= t < end] or [max(start, grid[0])]
    return tools.kept(
        "onscreen-text",
        VERSION,
        lambda: _read(tools.model(ROLE), tools.footage, times),
        roles=(ROLE,),
        cell=cell,
        cell_s=CELL_S,
        per_second=PER_SECOND,
        short_side=SHORT_SIDE,
    )


def _read(reader: TextReader, footage: Footage, times: Sequence[float]) -> dict[str, Any]:
    """Frames shown at these times as arrays. One that did not change since the last that was read has its
    lines."""
    seen: list[float] = []
    rows: list[tuple[int, str, tuple[float, ...]]] = []
    last: Any = None
    lines: list[tuple[str, tuple[float, ...]]] = []
    for time, picture in footage.at(times, SHORT_SIDE):
        luma = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        if last is None or not unchanged(luma, last):
            lines, last = _lines(reader, picture), luma
        rows += [(len(seen), text, numbers) for text, numbers in lines]
        seen.append(time)
    numbers = np.array([n for *_, n in rows], np.float64).reshape(-1, len(_NUMBERS))
    return {
        "time": np.array(seen, np.float64),
        "frame": np.array([frame for frame, *_ in rows], np.int64),
        "text": np.array([text for _, text, _ in rows], np.str_),
        **{name: numbers[:, i] for i, name in enumerate(_NUMBERS)},
    }


def _lines(reader: TextReader, picture: Any) -> list[tuple[str, tuple[float, ...]]]:
    """Lines that may be text, with score, sureness of the place, and box as shares of the picture."""
    found: list[tuple[str, tuple[float, ...]]] = []
    for line in reader.read(picture):
        shares = np.asarray(line.quad, np.float64) / [picture.shape[1], picture.shape[0]]
        x, y = (float(v) for v in shares.min(0))
        right, bottom = (float(v) for v in shares.max(0))
        box = (x, y, right - x, bottom - y)
        if Line(line.text, line.score, line.found, box).kept:
            found.append((line.text[:TEXT_LENGTH], (line.score, line.found, *box)))
    return found


def _frames(kept: Mapping[str, Any]) -> list[Frame]:
    found: list[Frame] = [(float(time), []) for time in kept["time"]]
    columns = [kept[name] for name in _NUMBERS]
    for row, (frame, text) in enumerate(zip(kept["frame"], kept["text"], strict=True)):
        score, sure, x, y, width, height = (float(column[row]) for column in columns)
        found[int(frame)][1].append(Line(str(text), score, sure, (x, y, width, height)))
    return found
