"""A contact sheet: one picture per shot, with its number and time."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np

from ..core.documents import Shot
from ..errors import UsageError
from .data import Thumbnail

CELL, GAP, LABEL = 240, 8, 22
MOST_COLUMNS, MOST_ROWS = 8, 250
"""More than 2,000 shots would make a picture that few programs open; the sheet then skips evenly."""


def contact_sheet(shots: Sequence[Shot], thumbnails: Sequence[Thumbnail], suffix: str) -> bytes:
    """Encoded picture (``.jpg``, ``.jpeg`` or ``.png``) with the middle thumbnail of every shot.

    Raises:
        UsageError: another suffix.
    """
    if suffix.lower() not in (".jpg", ".jpeg", ".png"):
        raise UsageError(
            f"a contact sheet cannot be written as {suffix or 'a file without a suffix'}",
            hint="use .jpg or .png",
        )
    by_shot: dict[int, list[Thumbnail]] = {}
    for shot in shots:
        by_shot[shot.index] = [t for t in thumbnails if shot.start <= t.time < shot.end]
    step = math.ceil(len(shots) / (MOST_COLUMNS * MOST_ROWS)) or 1
    shown = list(shots)[::step]
    columns = min(MOST_COLUMNS, max(1, math.ceil(math.sqrt(len(shown)))))
    cells = [_cell(shot, by_shot[shot.index]) for shot in shown]
    height = max(c.shape[0] for c in cells)
    rows = math.ceil(len(cells) / columns)
    sheet = np.full((rows * (height + GAP) + GAP, columns * (CELL + GAP) + GAP, 3), 24, np.uint8)
    for i, cell in enumerate(cells):
        y, x = GAP + i // columns * (height + GAP), GAP + i % columns * (CELL + GAP)
        sheet[y : y + cell.shape[0], x : x + CELL] = cell
    return cv2.imencode(suffix, sheet)[1].tobytes()


def _cell(shot: Shot, thumbnails: Sequence[Thumbnail]) -> np.ndarray:
    middle = (shot.start + shot.end) / 2
    chosen = min(thumbnails, key=lambda t: abs(t.time - middle), default=None)
    image = cv2.imdecode(np.frombuffer(chosen.jpeg, np.uint8), cv2.IMREAD_COLOR) if chosen else None
    if image is None:
        image = np.full((135, CELL, 3), 60, np.uint8)
    height = max(1, min(2 * CELL, round(image.shape[0] * CELL / image.shape[1])))
    picture = cv2.resize(image, (CELL, height), interpolation=cv2.INTER_AREA)
    label = np.full((LABEL, CELL, 3), 24, np.uint8)
    text = f"{shot.index + 1}  {shot.start:.2f}-{shot.end:.2f} s"
    cv2.putText(label, text, (2, LABEL - 7), cv2.FONT_HERSHEY_SIMPLEX, 0.42, (230, 230, 230), 1, cv2.LINE_AA)
    return np.vstack([picture, label])
