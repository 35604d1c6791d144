"""Where two films differ that should be alike, second by second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.signal import Signals

Numbers = NDArray[np.float64]
Span = tuple[float, float]
LOOKS = ("luma", "contrast", "saturation", "chroma_u", "chroma_v", "sharpness", "resolution", "noise")
SAME = np.array([3.0, 0.9, 0.012, 1.6, 1.2, 0.08, 0.35, 1.5])
"""By how much the rows of ``LOOKS`` may differ where a picture was only encoded again. Some above the largest
of 2,800 seconds of half A of benchmarks/slvmeval_pairs.py: 2.2, .54, .007, 1.0, .66, .063, .25, 1.04."""
MOVES_DIFFER = 0.45
"""Share of the faster speed (and ``SLOW``) by which motion may differ there; the largest was .34."""
SLOW = 0.01
"""Picture widths per second."""
PLACES_DIFFER = 0.1
"""Share of the width by which the place of a thing may differ where a picture was only encoded again."""
SURE = 0.4
"""Score from which a thing's place counts."""
GAP_S = 1.5
"""Spans nearer to each other than this are one."""


@dataclass(frozen=True)
class Seconds:
    """What a film looks like, one row per second of its clock.

    ``looks`` (n, ``LOOKS``), ``still`` whether nothing moves at all, ``speed`` and ``pan`` in picture widths
    per second; NaN where not measured.
    """

    time: Numbers
    looks: Numbers
    speed: Numbers
    pan: Numbers
    cuts: Numbers
    end: float


def seconds(signals: Signals, duration: float) -> Seconds:
    """The rows of a film from its signals ``picture``, ``motion`` and ``shots``."""
    picture, motion, shots = (signals[n] for n in ("picture", "motion", "shots"))
    time = np.asarray(picture.columns["time"], np.float64)
    looks = np.stack([np.asarray(picture.columns[c], np.float64) for c in LOOKS], axis=1)
    cells = np.floor(time + 1e-6)
    speed, pan = np.full(len(time), np.nan), np.full(len(time), np.nan)
    if motion.usable and len(motion):
        at = np.floor(np.asarray(motion.columns["time"], np.float64) + 1e-6)
        camera, objects, across = (
            np.asarray(motion.columns[c], np.float64) for c in ("camera_speed", "object_speed", "camera_x")
        )
        total = np.nan_to_num(camera) + np.nan_to_num(objects)
        total[~np.isfinite(camera)] = np.nan
        for i, cell in enumerate(cells):
            here = (at == cell) & np.isfinite(total)
            if here.any():
                speed[i], pan[i] = np.median(total[here]), np.nanmedian(across[here])
    cuts = np.asarray(shots.columns["start"], np.float64)[1:] if len(shots) else np.zeros(0)
    return Seconds(time, looks, speed, pan, cuts, duration)


@dataclass(frozen=True)
class Compared:
    """Two films beside each other: ``cells`` are whole seconds of both clocks, rows of each film there.

    ``differ`` tells in which of them the films differ, ``spans`` are runs of these.
    """

    cells: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    distance: Numbers
    differ: NDArray[np.bool_]
    spans: tuple[Span, ...]


def compare(first: Seconds, second: Seconds, marked: Sequence[float] = ()) -> Compared:
    """Compare two films on the clock. ``marked`` are times (s) at which something else was seen to differ."""
    a, b = np.floor(first.time + 1e-6).astype(int), np.floor(second.time + 1e-6).astype(int)
    cells, at_a, at_b = np.intersect1d(a, b, return_indices=True)
    gap = np.abs(first.looks[at_a] - second.looks[at_b]) / SAME
    fast = MOVES_DIFFER * (np.fmax(first.speed[at_a], second.speed[at_b]) + SLOW)
    moved = np.abs(first.speed[at_a] - second.speed[at_b]) / fast
    panned = np.abs(first.pan[at_a] - second.pan[at_b]) / fast
    distance = np.fmax(np.fmax(np.nanmax(gap, axis=1), moved), panned)
    differ = distance > 1
    for time in marked:
        differ |= cells == int(time)
    spans = [(float(c), float(c + 1)) for c in cells[differ]]
    short, long = sorted((first.end, second.end))
    if long - short > GAP_S:
        spans.append((short, long))
    return Compared(cells, at_a, at_b, distance, differ, tuple(joined(spans)))


def joined(spans: Sequence[Span]) -> list[Span]:
    """Spans in order, those that (nearly) touch as one."""
    out: list[Span] = []
    for start, end in sorted(spans):
        if out and start - out[-1][1] <= GAP_S:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out


def marks(first: Signals, second: Signals) -> list[float]:
    """Times (s) of kept frames of both films in which things were found at other places, or others fit."""
    out: list[float] = []
    places = [_places(s) for s in (first, second)]
    for time in sorted(set(places[0]) & set(places[1])):
        a, b = places[0][time], places[1][time]
        if any(abs(a[k] - b[k]) > PLACES_DIFFER for k in set(a) & set(b)):
            out.append(time)
    return out


def _places(signals: Signals) -> dict[float, dict[str, float]]:
    """Mean place across (share of the width) of each kind of thing that was surely found, by frame."""
    objects = signals["objects"]
    found: dict[float, dict[str, list[float]]] = {}
    if not objects.usable:
        return {}
    columns = [objects.columns[c] for c in ("time", "label", "confidence", "x", "width")]
    for time, label, score, x, width in zip(*columns, strict=True):
        if score >= SURE:
            here = found.setdefault(round(float(time), 3), {})
            here.setdefault(str(label), []).append(float(x) + float(width) / 2)
    return {t: {k: float(np.mean(v)) for k, v in kinds.items()} for t, kinds in found.items()}
