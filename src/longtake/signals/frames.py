"""Representative frames: a few small JPEGs per shot, for reports and for whoever wants to look."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from ..core.signal import Column, Signal, SignalSpec
from ..media.planes import bgr_of
from .observer import Arrays, Merged
from .window import View, Window

if TYPE_CHECKING:
    from .film import Film

WIDTH = 384
QUALITY = 72
EARLY_S = 600
"""Film time up to which a frame is kept once a second at first, then every two; later every LATE_S seconds.
With about 9 kB a frame three hours take some 30 MB."""
DENSE_S, LATE_S = 60, 4
NEW = 18.0
"""Mean luma change, grey levels, after which the frame after next is kept too: the start of a short shot."""
PER_SHOT = 3
PER_FILM = 600

SPEC = SignalSpec(
    name="frames",
    version=2,
    doc=f"Up to {PER_SHOT} frames per shot (early, middle, late), {WIDTH} px wide; {PER_FILM} per film.",
    columns={
        "shot": Column(type="int", doc="index of the shot"),
        "time": Column(type="float", unit="s", doc="time of the frame"),
        "frame": Column(type="int", doc="its number"),
        "sharpness": Column(type="float", unit="ratio", doc="Laplacian over luma spread at 128 px width"),
        "jpeg": Column(type="int", doc="index among the kept pictures"),
    },
    facts={"kept": Column(type="int", doc="pictures kept while reading, before the choice")},
)


class FramesObserver:
    """Keeps frames on a grid of film time, and one just after each strong change in the first minutes."""

    name = "frames"
    lookback = 3
    lookahead = 0

    def __init__(self) -> None:
        self._rows: list[tuple[float, float, int]] = []
        self._blobs: list[NDArray[np.uint8]] = []

    def see(self, window: Window) -> None:
        now, before = window[0], window[-1]
        assert now is not None
        if (
            before is None
            or _cell(now.seconds) != _cell(before.seconds)
            or (now.seconds < EARLY_S and _new_picture(window))
        ):
            self._keep(now)

    def flush(self) -> Arrays:
        rows = np.array(self._rows, np.float64).reshape(-1, 3)
        out: Arrays = {
            "frames.time": rows[:, 0].copy(),
            "frames.sharpness": rows[:, 1].astype(np.float32),
            "frames.bytes": rows[:, 2].astype(np.int64),
            "frames_jpeg.data": np.concatenate(self._blobs) if self._blobs else np.zeros(0, np.uint8),
        }
        self._rows.clear()
        self._blobs.clear()
        return out

    def _keep(self, view: View) -> None:
        picture = bgr_of(view.image, WIDTH, view.rotation)
        done, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        if not done:
            raise RuntimeError("OpenCV could not encode a JPEG")
        edges = cv2.Laplacian(view.y, cv2.CV_16S, ksize=1)
        spread = float(cv2.meanStdDev(view.y)[1][0, 0])
        sharpness = float(cv2.meanStdDev(edges)[1][0, 0]) / (spread + 2)
        self._rows.append((view.seconds, sharpness, len(data)))
        self._blobs.append(np.asarray(data, np.uint8).ravel())


def _cell(time: float) -> int:
    """Number of the grid cell of a time: seconds for a minute, two seconds for ten, then LATE_S seconds."""
    if time < DENSE_S:
        return int(time)
    if time < EARLY_S:
        return DENSE_S + int(time / 2)
    return DENSE_S + EARLY_S + int(time / LATE_S)


def _new_picture(window: Window) -> bool:
    """Whether the change between two and three frames ago was a strong one, and the picture has settled."""
    now, between, second, first = (window[k] for k in (0, -1, -2, -3))
    if now is None or between is None or second is None or first is None:
        return False
    if not now.y.shape == between.y.shape == second.y.shape == first.y.shape:
        return False
    change = cv2.norm(second.y, first.y, cv2.NORM_L1) / now.y.size
    return bool(change >= NEW and cv2.norm(between.y, second.y, cv2.NORM_L1) / now.y.size < change / 3)


def assemble(merged: Merged, film: Film, done: Mapping[str, Signal]) -> Signal:
    """Chooses among the kept pictures: early, middle and late in each shot, fewer in films of many shots.

    A shot shorter than the grid may have none.
    """
    times = np.asarray(merged["frames.time"], np.float64)
    if not len(times):
        return Signal(SPEC.name, SPEC.version, "skipped", "no pictures")
    numbers = film.index_of(times)
    shots = done.get("shots")
    if shots is not None and shots.usable and len(shots):
        spans = list(zip(shots.columns["first_frame"], shots.columns["last_frame"], strict=True))
    else:
        spans = [(0, film.frames - 1)]
    rows: list[tuple[int, int]] = []
    for shot, (first, last) in enumerate(spans):
        inside = np.arange(*np.searchsorted(numbers, (int(first), int(last) + 1)))
        rows.extend((shot, int(i)) for i in _spread(inside, PER_SHOT))
    if len(rows) > PER_FILM:
        rows = _fewer(rows)
    sharpness = np.asarray(merged["frames.sharpness"], np.float64)
    at = np.array([i for _, i in rows], np.int64)
    return Signal(
        SPEC.name,
        SPEC.version,
        columns={
            "shot": np.array([s for s, _ in rows], np.int64),
            "time": times[at],
            "frame": numbers[at],
            "sharpness": sharpness[at],
            "jpeg": at,
        },
        facts={"kept": len(times)},
    )


def _spread(candidates: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Up to ``count`` of them, the first, the last and evenly between."""
    if len(candidates) <= count:
        return candidates
    return np.asarray(candidates[np.linspace(0, len(candidates) - 1, count).round().astype(int)])


def _fewer(rows: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """One per shot (its middle one), and if these are too many, evenly spread shots."""
    by_shot: dict[int, list[int]] = {}
    for shot, i in rows:
        by_shot.setdefault(shot, []).append(i)
    middle = [(shot, found[len(found) // 2]) for shot, found in by_shot.items()]
    chosen = _spread(np.arange(len(middle)), PER_FILM)
    return [middle[i] for i in chosen]


def jpegs(merged: Merged) -> list[bytes]:
    """All kept pictures, JPEG, in time order; the column ``jpeg`` counts in this list."""
    return [jpeg(merged, i) for i in range(len(merged["frames.bytes"]))]


def jpeg(merged: Merged, index: int) -> bytes:
    """One kept picture without copying the others."""
    ends = np.cumsum(np.asarray(merged["frames.bytes"], np.int64))
    start = int(ends[index - 1]) if index else 0
    return np.asarray(merged["frames_jpeg.data"], np.uint8)[start : int(ends[index])].tobytes()
