"""Pictures of the faces of a cast, cut out of the frames that were kept while reading."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from .core.content import Appearance, CastMember

if TYPE_CHECKING:
    from .execution.measure import Measured
    from .storage.results import Portrait

PER_PERSON, IN_ALL = 12, 240
"""Most portraits of one person, and of a film: 240 take some 800 kB."""
LARGEST = 144
"""Pixels; kept frames are 384 px wide, so most faces are smaller."""
AROUND = 1.5
"""Side of the picture in box sizes: the whole head and a little of its surroundings."""
DRIFT = 0.6
"""How much is added to that per second between the frame and the best view: a face moves on."""
SLACK_S = 0.25
"""A track begins and ends with a look, half a second apart: a face stays a little longer than its track."""
LEAST = 12
"""Pixels; what is smaller shows no face to anybody."""
QUALITY = 80


def portraits(measured: Measured, cast: Sequence[CastMember]) -> list[Portrait]:
    """Small JPEGs of the appearances, each from the kept frame nearest to the best view inside the track.

    An appearance too short to have a kept frame has none.
    """
    from .storage.results import Portrait

    if not cast or not measured.signals["frames"].usable:
        return []
    times = np.asarray(measured.merged["frames.time"], np.float64)
    chosen = [(a, n) for a in _wanted(cast) if a.width and a.height and (n := _nearest(times, a)) is not None]
    pictures = measured.jpegs([n for _, n in chosen])
    found = []
    for appearance, n in chosen:
        if n in pictures and (jpeg := _cut_out(pictures[n], appearance, float(times[n]))) is not None:
            found.append(Portrait(appearance.track, float(times[n]), jpeg))
    return sorted(found, key=lambda p: p.track)


def _wanted(cast: Sequence[CastMember]) -> list[Appearance]:
    """Up to ``PER_PERSON`` of each, evenly spread, in turns, whoever is told apart first."""
    lists = []
    for member in cast:
        every = member.appearances
        at = np.linspace(0, len(every) - 1, min(len(every), PER_PERSON)).round().astype(int)
        lists.append([every[i] for i in at])
    turns = max(map(len, lists))
    return [found[turn] for turn in range(turns) for found in lists if turn < len(found)][:IN_ALL]


def _nearest(times: NDArray[np.float64], appearance: Appearance) -> int | None:
    """Number of the kept frame in the track that is nearest to its best view."""
    inside = np.flatnonzero((times >= appearance.start - SLACK_S) & (times <= appearance.end + SLACK_S))
    if not len(inside):
        return None
    best = _best(appearance)
    return int(inside[np.argmin(np.abs(times[inside] - best))])


def _best(appearance: Appearance) -> float:
    return appearance.time if appearance.time is not None else (appearance.start + appearance.end) / 2


def _cut_out(jpeg: bytes, face: Appearance, time: float) -> bytes | None:
    """A square around the box of the face, cut to the frame; ``None`` where nothing of use is left."""
    frame = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    if frame is None:
        return None
    high, wide = frame.shape[:2]
    width, height = (face.width or 0.0) * wide, (face.height or 0.0) * high
    side = max(width, height) * (AROUND + DRIFT * abs(time - _best(face)))
    x, y = (face.x or 0.0) * wide + width / 2, (face.y or 0.0) * high + height / 2
    left, right = (int(np.clip(x + s * side / 2, 0, wide)) for s in (-1, 1))
    top, bottom = (int(np.clip(y + s * side / 2, 0, high)) for s in (-1, 1))
    if min(right - left, bottom - top) < LEAST:
        return None
    picture = frame[top:bottom, left:right]
    if (shrink := LARGEST / max(picture.shape[:2])) < 1:
        picture = cv2.resize(picture, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
    done, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return data.tobytes() if done else None
