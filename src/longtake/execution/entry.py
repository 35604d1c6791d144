"""The film as documents name it."""

from __future__ import annotations

import os
from pathlib import Path

from ..core.documents import PartFacts, VideoEntry
from ..core.video import Video, display_path
from .measure import Measured


def video_entry(film: Video, measured: Measured, folder: Path | None) -> VideoEntry:
    """The film as a document names it; paths are relative to ``folder`` where one is given."""
    container, seen = measured.film, measured.probe
    parts = [PartFacts(**{**p.model_dump(), "path": _relative(Path(p.path), folder)}) for p in seen.parts]
    return VideoEntry(
        path=_relative(film.path, folder),
        hash=film.hash,
        kind=film.kind,
        duration=container.duration,
        frames=container.frames,
        width=container.width or None,
        height=container.height or None,
        fps=container.fps,
        audio=container.has_sound,
        start=float(film.start) if film.start is not None else None,
        end=float(film.end) if film.end is not None else None,
        frame_origin="film" if film.start is None and film.end is None else "part",
        decode_errors=container.decode_errors,
        problems=seen.problems,
        parts=parts,
    )


def _relative(path: Path, folder: Path | None) -> str:
    if folder is None:
        return display_path(path)
    try:
        return display_path(Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix())
    except ValueError:  # another drive
        return display_path(path.resolve().as_posix())
