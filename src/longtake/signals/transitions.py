"""Transitions: how one shot gives way to the next, in pictures, light, motion and sound.

A wipe is told only where the signal ``gradual`` is there: from what the light pass keeps of every frame, an
edge that crosses the picture looks like an object or a pan that crosses it. Without it a wipe counts as
nothing, or as a cut where it is quick.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.signal import Column, Event, Signal, SignalSpec
from .boundaries import Boundary, boundaries, flashes
from .film import Film
from .observer import Merged

NEAR_S = 0.5
"""How far into each shot its own light and colour are looked at, seconds."""
QUIET_DB = -50.0
"""Sound below this level counts towards a gap."""
SOUND_NEAR_S = 0.3
"""Sound on each side of a boundary that its jump is taken from, seconds."""
GAP_REACH_S = 1.0
"""A gap begins at most this far from the boundary, seconds."""
SOUND_STEP_S = 0.1

_GREY = "grey levels"
_CONFIDENCE = (
    "0..1, no probability: cuts by their margin over the thresholds and how much of the change lasts; "
    "dissolves 0.9 less what leaves the line; fades 0.9 with a slope on both sides, 0.7 with one; those of "
    "the signal gradual as it gives it; "
    "joins and given shots 1"
)
SPEC = SignalSpec(
    name="transitions",
    version=3,
    doc="One row per boundary between two shots, with what changed across it.",
    columns={
        "kind": Column(type="str", doc="cut, dissolve, fade, join, or wipe where there is gradual"),
        "frame": Column(type="int", doc="first frame of the new shot; of a gradual change, its middle"),
        "start": Column(type="float", unit="s", doc="where the change begins"),
        "end": Column(type="float", unit="s", doc="where it is complete; equals start for cuts and joins"),
        "confidence": Column(type="float", doc=_CONFIDENCE),
        "score": Column(type="float", unit=_GREY, doc="weighted difference of the planes across it, 0..510"),
        "ssim": Column(type="float", doc="Gaussian SSIM of luma just before and just after, -1..1"),
        "hist_shift": Column(type="float", doc="histogram distance of luma and chroma, 0 same, 1 apart"),
        "flow_before": Column(type="float", unit="widths/frame", doc="optical flow just before"),
        "flow_after": Column(type="float", unit="widths/frame", doc="optical flow just after"),
        "luma_shift": Column(type="float", unit=_GREY, doc="mean luma of 0.5 s after minus before"),
        "color_shift": Column(
            type="float", unit=_GREY, doc="distance of mean chroma, 0.5 s before and after"
        ),
        "luma_sd": Column(type="float", unit=_GREY, doc="the shots' own spread of luma within that 0.5 s"),
        "color_sd": Column(type="float", unit=_GREY, doc="the same of mean chroma"),
        "sound_jump_db": Column(type="float", unit="dB", doc="level of 0.3 s after minus before"),
        "sound_gap_s": Column(type="float", unit="s", doc="longest quiet near it; NaN without sound"),
    },
    event_kinds={"flash": "stray pictures, also within shots; value is how many frames"},
    facts={"flashes": Column(type="int", doc="flashes in the whole film")},
)
_MEASURED = ("score", "ssim", "hist_shift", "flow_before", "flow_after")
NAN = float("nan")


def assemble(merged: Merged, film: Film, done: Mapping[str, Signal]) -> Signal:
    """One row per boundary. Pixel figures are NaN for gradual changes, which have no one place for them."""
    found = boundaries(merged, film, done.get("gradual"))
    edges = [0, *(b.frame for b in found), film.frames]
    rows = [_row(b, merged, film, edges[i], edges[i + 2]) for i, b in enumerate(found)]
    columns: dict[str, Any] = {
        name: np.array([row[name] for row in rows], None if name == "kind" else _kind_of(name))
        for name in SPEC.columns
    }
    stray = flashes(merged, film)
    events = [
        Event("flash", film.time_of(first), film.time_of(first + count), float(count), _stray(count), first)
        for first, count in stray
    ]
    return Signal("transitions", SPEC.version, columns=columns, events=events, facts={"flashes": len(stray)})


def _stray(count: int) -> str:
    return "one stray picture" if count == 1 else f"{count} stray pictures"


def _kind_of(name: str) -> type:
    return np.int64 if name == "frame" else np.float64


def _row(b: Boundary, merged: Merged, film: Film, first: int, stop: int) -> dict[str, Any]:
    row: dict[str, Any] = {
        "kind": b.kind,
        "frame": b.frame,
        "start": b.start,
        "end": b.end,
        "confidence": b.confidence,
    }
    for name in _MEASURED:
        row[name] = float(merged[f"suspects.{name}"][b.suspect]) if b.suspect >= 0 else NAN
    left = film.frame_at(b.start) if b.end > b.start else b.frame
    right = film.frame_at(b.end) if b.end > b.start else b.frame
    span = max(round(NEAR_S / film.frame_s), 1)
    before = slice(max(left - span, first), max(left, first))
    after = slice(right, min(right + span, stop))
    luma = np.asarray(merged["shots.luma"], np.float64)
    chroma = np.stack([np.asarray(merged["shots.u"]), np.asarray(merged["shots.v"])], 1).astype(np.float64)
    row |= _shifts(luma[before], luma[after], chroma[before], chroma[after])
    row["sound_jump_db"], row["sound_gap_s"] = _sound(merged, film, b)
    return row


def _shifts(
    luma_a: NDArray[np.float64],
    luma_b: NDArray[np.float64],
    chroma_a: NDArray[np.float64],
    chroma_b: NDArray[np.float64],
) -> dict[str, float]:
    if not len(luma_a) or not len(luma_b):
        return dict.fromkeys(("luma_shift", "color_shift", "luma_sd", "color_sd"), NAN)
    return {
        "luma_shift": float(luma_b.mean() - luma_a.mean()),
        "color_shift": float(np.hypot(*(chroma_b.mean(0) - chroma_a.mean(0)))),
        "luma_sd": float(np.sqrt((luma_a.var() + luma_b.var()) / 2)),
        "color_sd": float(np.sqrt((chroma_a.var(0).sum() + chroma_b.var(0).sum()) / 2)),
    }


def _sound(merged: Merged, film: Film, b: Boundary) -> tuple[float, float]:
    """Jump of the level across a boundary (dB), and the longest quiet that touches its surroundings (s)."""
    if not film.has_sound or "audio.rms_db" not in merged:
        return NAN, NAN
    times = np.asarray(merged["audio.time"], np.float64)
    level = np.asarray(merged["audio.rms_db"], np.float64)
    # A row covers 0.1 s from its time on; one that straddles the boundary belongs to neither side.
    before = level[
        (times >= b.start - SOUND_NEAR_S - SOUND_STEP_S / 2) & (times + SOUND_STEP_S <= b.start + 1e-6)
    ]
    after = level[(times >= b.end - 1e-6) & (times < b.end + SOUND_NEAR_S)]
    if not len(before) or not len(after):
        return NAN, NAN
    floor = 2 * QUIET_DB
    jump = _power_db(after, floor) - _power_db(before, floor)
    near = level[(times > b.start - GAP_REACH_S) & (times < b.end + GAP_REACH_S)]
    longest = run = 0
    for value in near:
        run = run + 1 if not value > QUIET_DB else 0
        longest = max(longest, run)
    return jump, longest * SOUND_STEP_S


def _power_db(levels: NDArray[np.float64], floor: float) -> float:
    power = np.mean(10 ** (np.maximum(np.nan_to_num(levels, nan=floor, neginf=floor), floor) / 10))
    return float(10 * np.log10(power))
