"""Damages to brightness and colour."""

from __future__ import annotations

import math

import numpy as np

from .base import Damage, FilmFacts, Perturbation, Picture, lasting, longest, place

PUMP_PERIOD = 0.4
"""Seconds of one rise and fall of ``pump``."""
RAMP = 0.5
"""Seconds over which ``color_temperature`` comes and goes."""
WARMED = 0.4
"""Share of the film in which ``color_temperature`` works."""
WARM = np.array([-1.0, 0.1, 1.0], np.float32)
"""Direction of a warm shift in blue, green, red at nearly constant luma (.114, .587, .299)."""


def _shifted(bgr: Picture, levels: np.ndarray | float) -> Picture:
    return np.clip(bgr.astype(np.float32) + levels, 0, 255).round().astype(np.uint8)


def flicker(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Make every other frame brighter, the ones between darker, by ``strength`` levels."""
    sign = 1.0

    def picture(bgr: Picture, time: float) -> Picture:
        nonlocal sign
        sign = -sign
        return _shifted(bgr, sign * strength)

    return Damage([(0.0, film.duration, "brightness alternates from frame to frame")], picture)


def pump(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Let brightness rise and fall 2.5 times a second by ``strength`` levels each way."""
    phase = rng.uniform(0, 2 * math.pi)

    def picture(bgr: Picture, time: float) -> Picture:
        return _shifted(bgr, strength * math.sin(2 * math.pi * time / PUMP_PERIOD + phase))

    return Damage([(0.0, film.duration, "brightness rises and falls")], picture)


def exposure_drift(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Darken steadily, by ``strength`` levels at the end."""

    def picture(bgr: Picture, time: float) -> Picture:
        return _shifted(bgr, -strength * time / film.duration)

    return Damage([(0.0, film.duration, "the picture grows darker")], picture)


def color_temperature(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Turn warm by ``strength`` levels of red against blue for two fifths of the film, and back."""
    start, end = place(film, min(film.duration * WARMED, longest(film)), rng)

    def picture(bgr: Picture, time: float) -> Picture:
        share = min((time - start) / RAMP, (end - time) / RAMP, 1.0)
        return _shifted(bgr, WARM * strength * share) if share > 0 else bgr

    what = "white balance moves to warm and back"
    return Damage([(start, end, what)], picture, facts=lasting([(start, end)]))


def color_drift(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Turn warm steadily, by ``strength`` levels of red against blue at the end."""

    def picture(bgr: Picture, time: float) -> Picture:
        return _shifted(bgr, WARM * strength * (time / film.duration))

    return Damage([(0.0, film.duration, "colour drifts to warm")], picture)


SPARED = ("motion_continuity", "resolution_sharpness", "duration_completeness", "audio_continuity")
"""What a change of light leaves as it was."""

OPERATORS = (
    Perturbation(
        "flicker",
        flicker.__doc__ or "",
        "levels",
        3,
        8,
        16,
        1,
        100,
        ("exposure_stability",),
        flicker,
        spared=(*SPARED, "color_temperature", "color_consistency"),
    ),
    Perturbation(
        "pump",
        pump.__doc__ or "",
        "levels",
        10,
        20,
        40,
        2,
        100,
        ("exposure_stability",),
        pump,
        spared=(*SPARED, "color_temperature", "color_consistency"),
    ),
    Perturbation(
        "exposure_drift",
        exposure_drift.__doc__ or "",
        "levels",
        20,
        40,
        80,
        5,
        200,
        ("exposure_stability",),
        exposure_drift,
        spared=(*SPARED, "color_temperature"),
    ),
    Perturbation(
        "color_temperature",
        color_temperature.__doc__ or "",
        "levels",
        12,
        25,
        50,
        2,
        120,
        ("color_temperature",),
        color_temperature,
        spared=(*SPARED, "exposure_stability"),
    ),
    Perturbation(
        "color_drift",
        color_drift.__doc__ or "",
        "levels",
        12,
        25,
        50,
        2,
        120,
        ("color_consistency", "color_temperature"),
        color_drift,
        spared=(*SPARED, "exposure_stability"),
    ),
)
