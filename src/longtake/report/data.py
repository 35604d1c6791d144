"""What a report is made of: the diagnosis and what the store keeps beside it. Filled by the caller."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..core.documents import DiagnosisDocument
from ..storage.results import Lane, Portrait, Thumbnail

LANE_POINTS = 2000  # a line of this many points is finer than a time line on a 4K screen


@dataclass(frozen=True)
class Part:
    """One clip of a film of several: path relative to the report, place on the film's clock in seconds."""

    path: str
    start: float
    duration: float


@dataclass(frozen=True)
class ReportData:
    """All that a report shows. Paths are relative to the folder of the report, with ``/`` and unescaped.

    ``film`` is what the player plays (``None``: no player, as for numbered pictures), ``preview`` a small
    H.264 copy that is played in its place and begins at ``preview_start`` film seconds, ``parts`` the clips
    of a clip list (then ``film`` is ``None``).
    """

    document: DiagnosisDocument
    thumbnails: Sequence[Thumbnail] = ()
    lanes: Sequence[Lane] = ()
    portraits: Sequence[Portrait] = ()
    film: str | None = None
    preview: str | None = None
    preview_start: float = 0.0
    parts: Sequence[Part] = field(default_factory=tuple)


def lane_of(
    name: str,
    unit: str,
    times: Sequence[float],
    values: Sequence[float | None],
    low: float,
    high: float,
    points: int = LANE_POINTS,
) -> Lane:
    """A lane of at most ``points`` points: each bucket keeps its value farthest from ``low``, so peaks stay.

    NaN, infinity and ``None`` are not measured; a bucket without any number is a gap.
    """
    step = max(1, math.ceil(len(times) / points))
    kept_times: list[float] = []
    kept: list[float | None] = []
    for i in range(0, len(times), step):
        bucket = [float(v) for v in values[i : i + step] if v is not None and math.isfinite(v)]
        kept_times.append(float(times[i]))
        kept.append(max(bucket, key=lambda v: abs(v - low)) if bucket else None)
    return Lane(name, unit, kept_times, kept, low, high)
