"""Picture: exposure, colour, sharpness, noise and damage of one frame per second; black pictures and bars."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from ..core.signal import Column, Event, Signal, SignalSpec
from ..media.planes import FULL_RANGE
from ..models import brisque, catalog
from ..storage.cache import cache_root
from .observer import Arrays, Merged
from .picture_measures import EDGES, SMALLEST, Bars, bars, detail, levelled
from .window import View, Window

if TYPE_CHECKING:
    from .film import Film

BLACK_MEAN, BLACK_SPREAD = 10.0, 4.0
"""Grey levels: a frame is black if neither its mean nor its spread exceeds these."""
BLACK_S = 0.1
"""Shorter black pictures are left to the transitions signal."""
BAR_LEAST = 0.01
"""Bars lower than this share of the picture's height (or width) are ragged edges, not bars."""
BAR_SAMPLES = 2
"""Samples that must agree on the bars."""
DARK = 20.0
"""A sample whose mean luma is below this says nothing about bars."""
BRISQUE_EARLY, BRISQUE_EARLY_S, BRISQUE_LATE_S = 24, 3, 60
"""BRISQUE is taken every 3 s in the first 24 s of film time, then once a minute."""
BRISQUE_PIXELS = 250_000
"""Larger pictures give their middle to BRISQUE, cut to about this many pixels."""

_PLAIN = frozenset({"yuv420p", "yuvj420p"})
"""Layouts whose first plane is 8-bit luma and is read where it lies; all others go through the scaler."""
_TO_FULL = np.clip(np.rint((np.arange(256) - 16.0) * (255 / 219)), 0, 255).astype(np.uint8)

_GREY = "grey levels"
SPEC = SignalSpec(
    name="picture",
    version=2,
    doc="Exposure, colour and damage of the first frame of each second; black pictures and bars.",
    columns={
        "time": Column(type="float", unit="s", doc="time of the frame"),
        "frame": Column(type="int", doc="its number"),
        "luma": Column(type="float", unit=_GREY, doc="mean, 0..255"),
        "contrast": Column(type="float", unit=_GREY, doc="standard deviation of luma"),
        "clipped_low": Column(type="float", unit="share", doc=f"of the picture at or below {EDGES[0]}"),
        "clipped_high": Column(type="float", unit="share", doc=f"of the picture at or above {EDGES[1]}"),
        "saturation": Column(type="float", unit="ratio", doc="mean distance of chroma from grey, over 128"),
        "chroma_u": Column(type="float", unit=_GREY, doc="mean blue difference, 0 is grey"),
        "chroma_v": Column(type="float", unit=_GREY, doc="mean red difference, 0 is grey"),
        "warmth": Column(type="float", unit=_GREY, doc="red minus blue difference; above 0 is warm"),
        "sharpness": Column(type="float", unit="ratio", doc="Laplacian over luma spread at 320 px width"),
        "resolution": Column(type="float", unit="share", doc="of the width's finest detail that is there"),
        "noise": Column(type="float", unit=_GREY, doc="standard deviation in flat places"),
        "blockiness": Column(type="float", unit="ratio", doc="excess of steps on the 8 px grid; 0 is none"),
        "banding": Column(type="float", unit="share", doc="of smooth areas that fall in steps"),
        "brisque": Column(
            type="float", unit="score", doc="BRISQUE, lower is better; a bounded number of rows"
        ),
    },
    event_kinds={
        "black": f"black picture for >= {BLACK_S} s; value: mean luma",
        "letterbox": "bars at top and bottom in the whole film; value: share of the height",
        "pillarbox": "bars at left and right in the whole film; value: share of the width",
    },
    facts={
        "black_share": Column(type="float", unit="share", doc="of frames that are black"),
        "brisque_frames": Column(type="int", doc="frames with a BRISQUE score"),
        "brisque_reason": Column(type="str", doc="why there is no BRISQUE score, else nothing"),
        "brisque_model": Column(type="str", doc="SHA-256 of the regression used, else nothing"),
    },
)

_SAMPLE_COLUMNS = (
    *("time", "luma", "contrast", "clipped_low", "clipped_high", "saturation", "chroma_u", "chroma_v"),
    *("sharpness", "resolution", "noise", "blockiness", "banding"),
    *("top", "bottom", "left", "right", "width", "height"),
)


class PictureObserver:
    """Mean and spread of every frame; all measures on the first frame of each second of film time."""

    name = "picture"
    lookback = 1
    lookahead = 0

    def __init__(self) -> None:
        self._frames: list[tuple[float, float, float]] = []
        self._samples: list[tuple[float, ...]] = []
        self._brisque: list[tuple[float, NDArray[np.float64]]] = []

    def see(self, window: Window) -> None:
        now, before = window[0], window[-1]
        assert now is not None
        mean, spread = cv2.meanStdDev(now.y)
        self._frames.append((now.seconds, mean[0, 0], spread[0, 0]))
        if before is not None and int(now.seconds) == int(before.seconds):
            return
        luma, table = full_luma(now)
        self._samples.append(_sample(now, luma, table, float(mean[0, 0]), float(spread[0, 0])))
        if before is None or _brisque_cell(now.seconds) != _brisque_cell(before.seconds):
            self._brisque.append(
                (now.seconds, brisque.features(np.ascontiguousarray(levelled(_middle(luma), table))))
            )

    def flush(self) -> Arrays:
        frames = np.array(self._frames, np.float64).reshape(-1, 3)
        samples = np.array(self._samples, np.float64).reshape(-1, len(_SAMPLE_COLUMNS))
        out: Arrays = {
            "picture_frames.time": frames[:, 0],
            "picture_frames.mean": frames[:, 1].astype(np.float32),
            "picture_frames.spread": frames[:, 2].astype(np.float32),
            "picture_brisque.time": np.array([t for t, _ in self._brisque], np.float64),
            "picture_brisque.features": np.array([f for _, f in self._brisque], np.float64).reshape(
                -1, brisque.FEATURES
            ),
        }
        out.update({f"picture.{c}": samples[:, i].copy() for i, c in enumerate(_SAMPLE_COLUMNS)})
        self._frames.clear()
        self._samples.clear()
        self._brisque.clear()
        return out


def full_luma(view: View) -> tuple[NDArray[np.uint8], NDArray[np.uint8] | None]:
    """Luma at full size, coded orientation, and the table that brings it to the full range, if it needs one.

    It may lie in the frame itself and is not to be written to.
    """
    image = view.image
    if image.format.name not in _PLAIN:
        image = image.reformat(format="gray")
    plane = image.planes[0]
    rows: NDArray[np.uint8] = np.frombuffer(plane, np.uint8)  # type: ignore[call-overload]
    rows = rows.reshape(-1, plane.line_size)
    luma = rows[: image.height, : image.width]
    if image.format.name == "yuv420p" and image.color_range != FULL_RANGE:
        return luma, _TO_FULL
    return luma, None


def _brisque_cell(time: float) -> int:
    seconds = int(time)
    if seconds < BRISQUE_EARLY:
        return seconds // BRISQUE_EARLY_S
    return BRISQUE_EARLY + seconds // BRISQUE_LATE_S


def _middle(luma: NDArray[np.uint8]) -> NDArray[np.uint8]:
    height, width = luma.shape
    share = math.sqrt(min(1.0, BRISQUE_PIXELS / (height * width)))
    rows, columns = int(height * share), int(width * share)
    top, left = (height - rows) // 2, (width - columns) // 2
    return luma[top : top + rows, left : left + columns]


def _sample(
    view: View, luma: NDArray[np.uint8], table: NDArray[np.uint8] | None, mean: float, spread: float
) -> tuple[float, ...]:
    counts = cv2.calcHist([view.y], [0], None, [256], [0, 256]).ravel()
    u, v = view.u.astype(np.float32) - 128, view.v.astype(np.float32) - 128
    found = bars(luma, table)
    if view.rotation % 180:
        found = Bars(found.left, found.right, found.top, found.bottom)
    height, width = luma.shape[::-1] if view.rotation % 180 else luma.shape
    return (
        view.seconds,
        mean,
        spread,
        float(counts[: EDGES[0] + 1].sum() / view.y.size),
        float(counts[EDGES[1] :].sum() / view.y.size),
        float(np.hypot(u, v).mean() / 128),
        float(u.mean()),
        float(v.mean()),
        *detail(luma, table),
        *found,
        width,
        height,
    )


def assemble(merged: Merged, film: Film, done: Mapping[str, Signal]) -> Signal:
    """The picture signal. BRISQUE is scored here if its weights are in the cache; if not, a fact says why."""
    times = np.asarray(merged["picture_frames.time"], np.float64)
    rows = {c: np.asarray(merged[f"picture.{c}"], np.float64) for c in _SAMPLE_COLUMNS}
    if not len(times):
        return Signal(SPEC.name, SPEC.version, "skipped", "no pictures")
    scores, brisque_reason, model = _scores(merged, rows["time"])
    mean = np.asarray(merged["picture_frames.mean"], np.float64)
    spread = np.asarray(merged["picture_frames.spread"], np.float64)
    black = (mean <= BLACK_MEAN) & (spread <= BLACK_SPREAD)
    events = [*_black_events(black, mean, times, film), *_bar_events(rows, film)]
    shown = [c for c in _SAMPLE_COLUMNS[: _SAMPLE_COLUMNS.index("top")] if c != "time"]
    columns: dict[str, NDArray[np.generic]] = {
        "time": rows["time"],
        "frame": np.searchsorted(times, rows["time"] - 1e-9),
        **{c: rows[c] for c in shown},
        "warmth": rows["chroma_v"] - rows["chroma_u"],
        "brisque": scores,
    }
    small = min(film.width, film.height) < SMALLEST
    reason = (
        f"pictures of {film.width} x {film.height} px: only light and colour are measured below {SMALLEST} px"
    )
    return Signal(
        SPEC.name,
        SPEC.version,
        "fallback" if small else "ok",
        reason if small else None,
        columns={c: columns[c] for c in SPEC.columns},
        events=tuple(sorted(events, key=lambda e: e.start)),
        facts={
            "black_share": float(black.mean()),
            "brisque_frames": int(np.isfinite(scores).sum()),
            "brisque_reason": brisque_reason,
            "brisque_model": model,
        },
    )


def _scores(merged: Merged, times: NDArray[np.float64]) -> tuple[NDArray[np.float64], str | None, str | None]:
    scores = np.full(len(times), np.nan)
    files = catalog.installed("brisque", cache_root())
    if files is None:
        return scores, "weights absent: run longtake models pull brisque", None
    model = brisque.load(files["svm.txt"], files["normalize.pickle"])
    at = np.searchsorted(times, np.asarray(merged["picture_brisque.time"], np.float64) - 1e-9)
    features = np.asarray(merged["picture_brisque.features"], np.float64).reshape(-1, brisque.FEATURES)
    if len(at):
        scores[at] = model.score(features)
    return scores, None, catalog.entry("brisque").sha256


def _black_events(
    black: NDArray[np.bool_], mean: NDArray[np.float64], times: NDArray[np.float64], film: Film
) -> list[Event]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], black, [False]]).astype(np.int8)))
    found = []
    for a, b in zip(edges[::2], edges[1::2], strict=True):
        start, end = float(times[a]), float(times[b]) if b < len(times) else max(film.end, float(times[-1]))
        if end - start >= BLACK_S:
            found.append(Event("black", start, end, float(mean[a:b].mean()), "the picture is black", int(a)))
    return found


def _bar_events(rows: Mapping[str, NDArray[np.float64]], film: Film) -> list[Event]:
    """Bars that every bright enough sample has: the narrowest of each side."""
    telling = rows["luma"] >= DARK
    sizes = set(zip(rows["width"], rows["height"], strict=True))
    if telling.sum() < min(BAR_SAMPLES, len(telling)) or not telling.any() or len(sizes) != 1:
        return []
    found = []
    for kind, sides, side in (
        ("letterbox", ("top", "bottom"), "height"),
        ("pillarbox", ("left", "right"), "width"),
    ):
        first, second = (int(rows[s][telling].min()) for s in sides)
        whole = int(rows[side][0])
        # Bars are alike; what goes further on one side is dark picture.
        depth = min(first, second)
        if depth >= BAR_LEAST * whole:
            what = f"bars of {depth} px at {sides[0]} and {sides[1]} of {whole} px"
            found.append(Event(kind, film.start, film.end, 2 * depth / whole, what))
    return found
