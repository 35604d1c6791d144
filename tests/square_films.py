"""Films of plain moving clips that can be told apart, with briefs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from longtake.core.brief import Brief, PlannedShot
from longtake.media.write import FilmWriter

FPS, WIDTH, HEIGHT = 10, 96, 64


def clip_picture(clip: int, frame: int) -> NDArray[np.uint8]:
    """Grey ``20 * clip`` with a white square that moves: what a clip is can be read from its corner."""
    picture = np.full((HEIGHT, WIDTH, 3), 20 * clip, np.uint8)
    x = 20 + 4 * frame
    picture[24:40, x : x + 16] = 255
    return picture


def film(path: Path, clips: int, *, frames: int = 10, gop: int = 5) -> Path:
    """A film of ``clips`` clips of ``frames`` frames each, an IDR every ``gop`` frames."""
    with FilmWriter(path, WIDTH, HEIGHT, FPS, gop=gop, crf=10) as writer:
        for clip in range(clips):
            for frame in range(frames):
                writer.picture(clip_picture(clip, frame))
    return path


def brief(path: Path, clips: int, *, seconds: float = 1.0) -> Path:
    """The brief of such a film, with times."""
    shots = [
        PlannedShot(
            index=i, text=f"a white square moves right, number {i}", start=i * seconds, end=(i + 1) * seconds
        )
        for i in range(clips)
    ]
    path.write_text(json.dumps(Brief(shots=shots).to_json()))
    return path
