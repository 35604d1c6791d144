"""A sheet of frames before and after, for eyes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from ..core.video import Video
from ..errors import UsageError
from ..media.open import open_video
from ..meta.perturbations import ChangeRecord, facts_of
from ..storage.cache import replacing

Picture = NDArray[np.uint8]
CELL, GAP, LABEL = 320, 8, 22
MOST_ROWS = 10
MOMENTS = (0.15, 0.5, 0.85)
"""Shares of a changed span at which it is looked at."""


def write_sheet(source: Video, record: ChangeRecord, path: Path) -> None:
    """Write what the first changed spans showed before and what they show now: one row per span, before and
    after beside each other at :data:`MOMENTS` of it. JPEG or PNG, by the suffix.

    Raises:
        OutputError: it cannot be written.
        UsageError: another suffix.
    """
    check_suffix(path)
    before, after = facts_of(source).look, facts_of(open_video(record.output)).look
    begin = float(source.start or 0)  # a record is on the film's own clock, a look on that of the film's part
    rows = []
    for change in record.changed[:MOST_ROWS]:
        cells = []
        for share in MOMENTS:
            for name, span, at, look in (
                ("before", change.source, begin, before),
                ("after", change.output, 0.0, after),
            ):
                time = None if span is None else span.start - at + share * (span.end - span.start)
                cells.append(_cell(name, time, look))
        rows.append(np.vstack([_label(change.what, sum(c.shape[1] + GAP for c in cells)), _beside(cells)]))
    if not rows:
        rows = [_label("nothing in the picture was changed", 6 * (CELL + GAP))]
    stand_ins = f", in place of a model: {', '.join(record.proxies)}" if record.proxies else ""
    title = f"{source.name}: {record.operator} {record.strength:g}, seed {record.seed}{stand_ins}"
    rows.insert(0, _label(f"{title}; before is the source", 6 * (CELL + GAP)))
    width = max(r.shape[1] for r in rows)
    sheet = np.vstack(
        [
            cv2.copyMakeBorder(r, 0, GAP, 0, width - r.shape[1], cv2.BORDER_CONSTANT, value=(24,) * 3)
            for r in rows
        ]
    )
    with replacing(path, "the sheet") as file:
        file.write(cv2.imencode(path.suffix, sheet)[1].tobytes())


def check_suffix(path: Path) -> None:
    """Refuse (:class:`UsageError`) a name under which no sheet can be written, before any work."""
    if path.suffix.lower() not in (".jpg", ".jpeg", ".png"):
        raise UsageError(
            f"a sheet cannot be written as {path.suffix or 'a file without a suffix'}",
            hint="use .jpg or .png",
        )


def _beside(cells: list[Picture]) -> Picture:
    height = max(c.shape[0] for c in cells)
    return np.hstack(
        [
            cv2.copyMakeBorder(c, 0, height - c.shape[0], 0, GAP, cv2.BORDER_CONSTANT, value=(24,) * 3)
            for c in cells
        ]
    )


def _cell(name: str, time: float | None, look: Callable[[float], Picture] | None) -> Picture:
    if time is None or look is None:
        picture = np.full((CELL * 9 // 16, CELL, 3), 60, np.uint8)
        return np.vstack([_label(f"{name}: not there", CELL), picture])
    shown = look(time)
    height = max(1, round(shown.shape[0] * CELL / shown.shape[1]))
    small = cv2.resize(shown, (CELL, height), interpolation=cv2.INTER_AREA)
    return np.vstack([_label(f"{name}  {time:.2f} s", CELL), np.asarray(small, np.uint8)])


def _label(text: str, width: int) -> Picture:
    label = np.full((LABEL, width, 3), 24, np.uint8)
    cv2.putText(label, text, (2, LABEL - 7), cv2.FONT_HERSHEY_SIMPLEX, 0.42, (230, 230, 230), 1, cv2.LINE_AA)
    return label
