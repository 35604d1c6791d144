"""Measure signals of a film in one run, and make films from pieces of real clips."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import films
from longtake.core.signal import Signal
from longtake.media.open import open_video
from longtake.media.read import ReadReport
from longtake.models.weights import Weights
from longtake.signals.film import film_of
from longtake.signals.observer import Arrays, Merged
from longtake.signals.onepass import Chunk, plan_chunks, run_pass
from longtake.signals.registry import assemble_all, merge, with_needs

Picture = NDArray[np.uint8]


def rows_of(path: Path, names: Sequence[str], seconds: int = 60, weights: Weights | None = None) -> Merged:
    """Merged rows, read in chunks of so many seconds, each by a run of its own."""
    video = open_video(path)
    duration = None if seconds >= 60 else video.parts[0].duration
    chunks: list[Arrays] = []

    def keep(chunk: Chunk, rows: Arrays, report: ReadReport) -> None:
        chunks.append(rows)

    for chunk in plan_chunks(video, duration, seconds):
        run_pass(video, with_needs(names), [chunk], keep, sound=False, weights=weights)
    return merge(chunks)


def measured(path: Path, *names: str) -> dict[str, Signal]:
    """The signals of a film by name, pictures only."""
    merged = rows_of(path, names)
    return assemble_all(merged, film_of(open_video(path), merged, has_sound=False), names)


STILL_CRF = 12
"""At this quality a still picture stays as still as it was; coarser ones shimmer from frame to frame."""


def made(path: Path, pictures: Iterable[Picture], fps: int = 25, crf: int = 20) -> Path:
    """A small H.264 film of these pictures."""
    options = (("crf", str(crf)), ("preset", "veryfast"))
    films.write(path, iter(pictures), films.Encoding(fps=fps, options=options))
    return path
