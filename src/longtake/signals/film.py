"""What all signals need to know of a film once it has been read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..core.documents import Shot
from ..core.video import Video
from .observer import Merged

DEFAULT_FRAME_S = 1 / 24
"""Frame period assumed for a film of one frame."""


@dataclass(frozen=True)
class Film:
    """A film as it was read: frame times on the film's clock, and where its clips join.

    ``duration`` and ``frame_s`` (median frame period) are seconds; ``times`` are those of all frames;
    ``joins`` hold (first frame, time) of every clip but the first, empty for one file and for pictures;
    ``given_shots`` replace detection where the user names the shots. ``width`` and ``height`` are as shown.
    """

    duration: float
    times: NDArray[np.float64]
    frame_s: float
    width: int
    height: int
    has_sound: bool
    joins: tuple[tuple[int, float], ...] = ()
    given_shots: tuple[Shot, ...] | None = None
    start: float = 0.0
    end: float = 0.0
    parts: tuple[dict[str, object], ...] = ()
    decode_errors: int = 0
    missing_times: int = 0
    gaps: tuple[tuple[float, float], ...] = ()
    damaged: tuple[tuple[float, float], ...] = ()
    damaged_sound: tuple[tuple[float, float], ...] = ()
    messages: tuple[str, ...] = field(default_factory=tuple)

    @property
    def frames(self) -> int:
        return len(self.times)

    @property
    def fps(self) -> float | None:
        """Mean frame rate as measured; ``None`` for one frame. Stored times may be rounded."""
        span = float(self.times[-1] - self.times[0]) if self.frames > 1 else 0.0
        return float(f"{(self.frames - 1) / span:.6g}") if span > 0 else None

    def frame_at(self, time: float) -> int:
        """Number of the frame shown at ``time`` (seconds), within the film."""
        i = int(np.searchsorted(self.times, time + 1e-6, side="right")) - 1
        return min(max(i, 0), max(self.frames - 1, 0))

    def index_of(self, times: NDArray[np.float64]) -> NDArray[np.int64]:
        """Numbers of the frames that start at ``times`` (as kept in rows, so exact)."""
        return np.searchsorted(self.times, times - 1e-9).astype(np.int64)

    def time_of(self, frame: int) -> float:
        """Start of a frame in seconds; the film's end for the frame after the last."""
        return float(self.times[frame]) if frame < self.frames else self.end


def film_of(
    video: Video,
    merged: Merged,
    *,
    has_sound: bool,
    given_shots: Sequence[Shot] | None = None,
    decode_errors: int = 0,
    missing_times: int = 0,
    gaps: Sequence[tuple[Fraction | float, Fraction | float]] = (),
    damaged: Sequence[tuple[float, float]] = (),
    damaged_sound: Sequence[tuple[float, float]] = (),
    messages: Sequence[str] = (),
) -> Film:
    """The film behind merged rows; the counters come from the read reports of all chunks, added up."""
    times = np.asarray(merged["container.time"], np.float64)
    part = np.asarray(merged["container.part"], np.int64)
    periods = np.diff(times)
    frame_s = float(np.median(periods)) if len(periods) else DEFAULT_FRAME_S
    start = float(video.start or 0)
    end = float(times[-1]) + _last_period(periods, frame_s) if len(times) else start
    total = video.parts[-1]
    if video.end is not None:
        end = min(max(end, float(times[-1]) if len(times) else start), float(video.end))
    elif total.duration is not None and len(times) and float(total.offset + total.duration) > times[-1]:
        end = min(end, float(total.offset + total.duration)) if video.kind != "file" else end
    changes: Sequence[int] | NDArray[np.int64] = (
        np.flatnonzero(np.diff(part)) + 1 if video.kind == "clips" else []
    )
    sizes = np.stack([np.asarray(merged["sizes.width"]), np.asarray(merged["sizes.height"])], 1)
    width, height = (int(v) for v in sizes[0]) if len(sizes) else (0, 0)
    return Film(
        duration=max(end - start, 0.0),
        times=times,
        frame_s=frame_s,
        width=width,
        height=height,
        has_sound=has_sound,
        joins=tuple((int(i), float(times[i])) for i in changes),
        given_shots=tuple(given_shots) if given_shots is not None else None,
        start=start,
        end=end,
        decode_errors=decode_errors,
        missing_times=missing_times,
        gaps=tuple((float(a), float(b)) for a, b in gaps),
        damaged=tuple(damaged),
        damaged_sound=tuple(damaged_sound),
        messages=tuple(messages),
    )


def _last_period(periods: NDArray[np.float64], frame_s: float) -> float:
    return min(float(periods[-1]), 2 * frame_s) if len(periods) else frame_s
