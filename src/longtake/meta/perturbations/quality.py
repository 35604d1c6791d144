"""Damages to the quality of the picture."""

from __future__ import annotations

import cv2
import numpy as np

from .base import Damage, FilmFacts, Perturbation, Picture, lasting, longest, place

REFERENCE_WIDTH = 640
"""Blur radii are given for a picture this wide and scale with it."""
BLOCK = 16
"""Side of a coding block in pixels."""
BROKEN_S = 1.0
"""Seconds of film in which ``broken_blocks`` works."""


def late_blur(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Blur the second half, more and more, to a sigma of ``strength`` px (at 640 px width) at the end."""
    half = film.duration / 2

    def picture(bgr: Picture, time: float) -> Picture:
        sigma = strength * (time - half) / half * bgr.shape[1] / REFERENCE_WIDTH
        return cv2.GaussianBlur(bgr, (0, 0), sigma) if sigma > 0.1 else bgr  # type: ignore[return-value]

    return Damage([(half, film.duration, "the picture loses sharpness")], picture)


def low_resolution(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Shrink the picture by ``strength`` and blow it up again: its size promises more than there is."""
    what = f"detail of a picture {strength:g} times smaller"
    return Damage([(0.0, film.duration, what)], lambda bgr, time: reduced(bgr, strength))


def reduced(bgr: Picture, times: float) -> Picture:
    """A picture made ``times`` smaller each way by area, and brought back to its size by cubic filter."""
    h, w = bgr.shape[:2]
    size = max(1, round(w / times)), max(1, round(h / times))
    small = cv2.resize(bgr, size, interpolation=cv2.INTER_AREA)
    return cv2.resize(small, (w, h), interpolation=cv2.INTER_CUBIC)  # type: ignore[return-value]


def noise(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Add grey noise with a standard deviation of ``strength`` levels."""

    def picture(bgr: Picture, time: float) -> Picture:
        grain = rng.standard_normal(bgr.shape[:2], np.float32)[..., None] * strength
        return np.clip(bgr + grain, 0, 255).round().astype(np.uint8)

    return Damage([(0.0, film.duration, "noise")], picture)


def compression(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Compress each frame as JPEG with quality ``100 - strength``: blocks of 8 px."""

    def picture(bgr: Picture, time: float) -> Picture:
        _, packed = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, round(100 - strength)])
        return cv2.imdecode(packed, cv2.IMREAD_COLOR)  # type: ignore[return-value]

    return Damage([(0.0, film.duration, "block artefacts")], picture)


def late_compression(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """As ``compression``, in the second half only."""
    whole = compression(film, strength, rng).picture
    half = film.duration / 2

    def picture(bgr: Picture, time: float) -> Picture:
        return whole(bgr, time) if whole and time >= half else bgr

    return Damage([(half, film.duration, "block artefacts")], picture)


def broken_blocks(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """For one second a share of the 16-px blocks shows the content of other places, as after lost packets."""
    start, end = place(film, min(BROKEN_S, longest(film)), rng)

    def picture(bgr: Picture, time: float) -> Picture:
        if not start <= time < end:
            return bgr
        out = bgr.copy()
        rows, columns = bgr.shape[0] // BLOCK, bgr.shape[1] // BLOCK
        for cell in rng.choice(rows * columns, max(1, int(strength * rows * columns)), replace=False):
            y, x = divmod(int(cell), columns)
            sy, sx = int(rng.integers(rows)), int(rng.integers(columns))
            out[y * BLOCK : (y + 1) * BLOCK, x * BLOCK : (x + 1) * BLOCK] = bgr[
                sy * BLOCK : (sy + 1) * BLOCK, sx * BLOCK : (sx + 1) * BLOCK
            ]
        return out

    return Damage([(start, end, "blocks in wrong places")], picture, facts=lasting([(start, end)]))


SPARED = ("color_temperature", "color_consistency", "duration_completeness", "audio_continuity")
"""What a loss of quality leaves as it was."""

OPERATORS = (
    Perturbation(
        "late_blur",
        late_blur.__doc__ or "",
        "px",
        1.5,
        3,
        6,
        0.2,
        40,
        ("temporal_degradation",),
        late_blur,
        spared=(*SPARED, "exposure_stability"),
    ),
    Perturbation(
        "low_resolution",
        low_resolution.__doc__ or "",
        "times",
        2,
        4,
        8,
        1.2,
        32,
        ("resolution_sharpness",),
        low_resolution,
        spared=(*SPARED, "motion_continuity", "exposure_stability"),
    ),
    Perturbation(
        "noise",
        noise.__doc__ or "",
        "levels",
        4,
        8,
        16,
        1,
        100,
        ("technical_quality",),
        noise,
        spared=(*SPARED, "exposure_stability"),
    ),
    Perturbation(
        "compression",
        compression.__doc__ or "",
        "100 - quality",
        70,
        85,
        95,
        1,
        99,
        ("visual_artifact_frequency", "technical_quality"),
        compression,
        spared=(*SPARED, "exposure_stability"),
    ),
    Perturbation(
        "late_compression",
        late_compression.__doc__ or "",
        "100 - quality",
        70,
        85,
        95,
        1,
        99,
        ("temporal_degradation",),
        late_compression,
        spared=(*SPARED, "exposure_stability"),
    ),
    Perturbation(
        "broken_blocks",
        broken_blocks.__doc__ or "",
        "share",
        0.05,
        0.15,
        0.3,
        0.01,
        1,
        ("visual_artifact_frequency",),
        broken_blocks,
        spared=SPARED,
    ),
)
