"""What the film is made of, as the decoder met it: clips, sizes, frame times, and what could not be read."""

from __future__ import annotations

from array import array
from collections.abc import Mapping

import numpy as np

from ..core.signal import Column, Event, Signal, SignalSpec
from ..media.planes import display_size, pixel_aspect
from .film import Film
from .observer import Arrays, Merged
from .window import View, Window

UNEVEN = 0.02
"""Frame periods that differ from the median by more than this share of it are uneven."""
ROUNDING_S = 0.0011
"""Containers that count in milliseconds shift frame times by up to this much."""
UNEVEN_SHARE = 0.02
"""Share of uneven periods from which a film counts as one of variable rate."""

SPEC = SignalSpec(
    name="container",
    version=2,
    doc="Clips of the film and their sizes; figures of the decoding.",
    columns={
        "part": Column(type="int", doc="index of the clip"),
        "start": Column(type="float", unit="s", doc="time of its first frame"),
        "duration": Column(type="float", unit="s", doc="from its first frame to the next clip or the end"),
        "width": Column(type="int", unit="px", doc="as displayed"),
        "height": Column(type="int", unit="px", doc="as displayed"),
        "fps": Column(type="float", unit="1/s", doc="one over the median frame period"),
    },
    event_kinds={
        "gap": "no frame where one should be: data was lost or left out",
        "damaged": "picture data that could not be decoded; frames may be patched, repeated or missing",
        "damaged_sound": "sound data that could not be decoded; it may be silent",
    },
    facts={
        "frames": Column(type="int", doc="frames decoded"),
        "duration": Column(type="float", unit="s", doc="from the start to the end of the last frame"),
        "decode_errors": Column(type="int", doc="packets that could not be decoded"),
        "missing_times": Column(type="int", doc="frames without a time of their own"),
        "gaps": Column(type="int", doc="holes in the frame times"),
        "vfr": Column(type="bool", doc="whether frame periods are uneven"),
        "fps_measured": Column(type="float", unit="1/s", doc="frames per second over the whole film"),
    },
)


class FrameTimes:
    """Keeps time and clip of every frame (10 bytes), and the picture size where it changes."""

    name = "container"
    lookback = 1
    lookahead = 0

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._times, self._parts = array("d"), array("H")
        self._size_times, self._widths, self._heights = array("d"), array("i"), array("i")

    def see(self, window: Window) -> None:
        view = window[0]
        assert view is not None
        self._times.append(float(view.time))
        self._parts.append(view.part)
        previous = window[-1]
        if previous is None or previous.part != view.part or not _same_size(previous, view):
            width, height = _shape(view)
            self._size_times.append(float(view.time))
            self._widths.append(width)
            self._heights.append(height)

    def flush(self) -> Arrays:
        rows: Arrays = {
            "container.time": np.array(self._times, np.float64),
            "container.part": np.array(self._parts, np.uint16),
            "sizes.time": np.array(self._size_times, np.float64),
            "sizes.width": np.array(self._widths, np.int32),
            "sizes.height": np.array(self._heights, np.int32),
        }
        self._clear()
        return rows


def _same_size(a: View, b: View) -> bool:
    return a.image.width == b.image.width and a.image.height == b.image.height and a.rotation == b.rotation


def _shape(view: View) -> tuple[int, int]:
    """Size as displayed: turned, and with square pixels."""
    return display_size(view.image.width, view.image.height, view.rotation, pixel_aspect(view.image))


def assemble(merged: Merged, film: Film, done: Mapping[str, Signal]) -> Signal:
    """Rows per clip and the figures of the decoding."""
    part = np.asarray(merged["container.part"], np.int64)
    firsts = np.concatenate(([0], np.flatnonzero(np.diff(part)) + 1)) if len(part) else np.zeros(0, np.int64)
    lasts = np.append(firsts[1:], len(part))
    size_at = np.searchsorted(np.asarray(merged["sizes.time"]), film.times[firsts], side="right") - 1
    starts = film.times[firsts]
    ends = np.append(starts[1:], film.end) if len(starts) else starts
    fps = [_rate(film.times[a:b]) for a, b in zip(firsts, lasts, strict=True)]
    periods = np.diff(film.times)
    uneven = np.abs(periods - film.frame_s) > np.maximum(UNEVEN * film.frame_s, ROUNDING_S)
    return Signal(
        name="container",
        version=SPEC.version,
        columns={
            "part": part[firsts],
            "start": starts,
            "duration": ends - starts,
            "width": np.asarray(merged["sizes.width"])[size_at],
            "height": np.asarray(merged["sizes.height"])[size_at],
            "fps": np.array(fps, np.float64),
        },
        events=[
            *(Event("gap", a, b, b - a, f"no picture for {b - a:.2f} s") for a, b in film.gaps),
            *(Event("damaged", a, b, b - a, "the picture's data is damaged here") for a, b in film.damaged),
            *(
                Event("damaged_sound", a, b, b - a, "the sound's data is damaged here")
                for a, b in film.damaged_sound
            ),
        ],
        facts={
            "frames": film.frames,
            "duration": film.duration,
            "decode_errors": film.decode_errors,
            "missing_times": film.missing_times,
            "gaps": len(film.gaps),
            "vfr": bool(uneven.mean() > UNEVEN_SHARE) if len(periods) else None,
            "fps_measured": film.frames / film.duration if film.duration > 0 else None,
        },
    )


def _rate(times: np.ndarray) -> float:
    return 1 / float(np.median(np.diff(times))) if len(times) > 1 else float("nan")
