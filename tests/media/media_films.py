"""Small films with a known picture, written for one test each."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longtake.core.video import Video
from longtake.media.read import Picture, ReadReport, Sound, read
from longtake.media.write import FilmWriter

FPS = 24
RATE = 48_000


def drifting(count: int, width: int = 96, height: int = 64, seed: int = 1) -> list[NDArray[np.uint8]]:
    """Noise that moves one pixel per frame, so that every frame differs from every other."""
    wide = np.random.default_rng(seed).integers(0, 255, (height, width * 3, 3), np.uint8)
    return [np.ascontiguousarray(wide[:, i % width : i % width + width]) for i in range(count)]


def write_film(path: Path, count: int = 48, *, sound: bool = True, fps: Any = FPS, **settings: Any) -> Path:
    """``count`` drifting frames and a sine of 440 Hz."""
    pictures = drifting(count, settings.pop("width", 96), settings.pop("height", 64))
    size = pictures[0].shape[1], pictures[0].shape[0]
    with FilmWriter(path, *size, fps, sample_rate=RATE if sound else None, **settings) as film:
        for i, picture in enumerate(pictures):
            film.picture(picture)
            if sound:
                at = np.arange(round(RATE * i / float(fps)), round(RATE * (i + 1) / float(fps))) / RATE
                film.sound((0.3 * np.sin(2 * np.pi * 440 * at)).astype(np.float32)[None])
    return path


def everything(video: Video, **options: Any) -> tuple[list[Picture], list[Sound], ReadReport]:
    report = ReadReport()
    items = list(read(video, report, **options))
    return [i for i in items if isinstance(i, Picture)], [i for i in items if isinstance(i, Sound)], report


def hashes(pictures: list[Picture]) -> dict[Fraction, str]:
    """Hash of the decoded planes by exact time."""
    return {
        p.time: hashlib.sha256(p.image.to_ndarray(format=p.image.format.name).tobytes()).hexdigest()
        for p in pictures
    }
