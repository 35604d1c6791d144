"""Damages to motion and to the order of frames."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .base import Damage, FilmFacts, Perturbation, Picture, frames_at, inside, lasting, longest, place
from .clips import whole

REPEAT_RUN = 5.0
"""Seconds of film in which ``repeat_frames`` works."""


def freeze(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Hold one frame for ``strength`` seconds in place; what should have moved meanwhile is lost."""
    start, end = place(film, strength, rng)
    held: list[Picture] = []

    def picture(bgr: Picture, time: float) -> Picture:
        if not start <= time < end:
            return bgr
        if not held:
            held.append(bgr.copy())
        return held[0].copy()

    return Damage([(start, end, "one frame is held")], picture, facts=lasting([(start, end)]))


def repeat_frames(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Show a share of the frames twice and drop the next, as when a rate was raised by copying."""
    start, end = place(film, min(REPEAT_RUN, longest(film)), rng)
    last: list[Picture] = []
    owed = 0.0

    def picture(bgr: Picture, time: float) -> Picture:
        nonlocal owed
        if not start <= time < end:
            return bgr
        owed += strength
        if owed >= 1 and last:
            owed -= 1
            return last[0].copy()
        last[:] = [bgr.copy()]
        return bgr

    what = f"{strength:.0%} of the frames repeat the one before"
    return Damage([(start, end, what)], picture, facts=lasting([(start, end)]))


def drop_frames(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Leave out ``strength`` seconds inside a shot, picture and sound: things jump to another place."""
    span = place(film, strength, rng)
    return Damage([(*span, "frames are missing")], removed=(span,), facts=lasting([span]))


def truncate(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Cut the film short by a share of its length."""
    start = film.duration * (1 - strength)
    return Damage([(start, film.duration, "the end is missing")], removed=((start, film.duration + 1),))


def stray_frame(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Put single frames of another picture (the film's first, turned and negative) in ``strength`` places."""
    spans = frames_at(film, whole(strength), rng)
    return _single_frames(film, spans, "a stray frame", lambda first: (255 - first[::-1]).copy())


def flash(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Put single white frames in ``strength`` places."""
    spans = frames_at(film, whole(strength), rng)
    return _single_frames(film, spans, "a white frame", lambda first: np.full_like(first, 255))


def black_frames(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Make the picture black for ``strength`` seconds."""
    span = place(film, strength, rng)

    def picture(bgr: Picture, time: float) -> Picture:
        return np.zeros_like(bgr) if inside(time, [span]) else bgr

    return Damage([(*span, "the picture is black")], picture, facts=lasting([span]))


def _single_frames(
    film: FilmFacts, spans: list[tuple[float, float]], what: str, make: Callable[[Picture], Picture]
) -> Damage:
    """The frame of each span is replaced by one made from the film's first (from the first one seen where
    the film cannot be looked into)."""
    waiting = [start for start, _ in spans]
    first: list[Picture] = []

    def picture(bgr: Picture, time: float) -> Picture:
        if not first:
            first.append(film.look(0.0) if film.look else bgr.copy())
        if waiting and time >= waiting[0] - 1e-9:
            waiting.pop(0)
            return make(first[0])
        return bgr

    return Damage([(*span, what) for span in spans], picture)


OPERATORS = (
    Perturbation(
        "freeze",
        freeze.__doc__ or "",
        "s",
        0.5,
        1,
        2,
        0.1,
        60,
        ("motion_continuity", "transition_quality"),
        freeze,
        within=True,
        spared=(
            "exposure_stability",
            "color_temperature",
            "resolution_sharpness",
            "duration_completeness",
            "audio_continuity",
        ),
        extent=True,
    ),
    Perturbation(
        "repeat_frames",
        repeat_frames.__doc__ or "",
        "share",
        0.25,
        0.5,
        0.75,
        0.05,
        0.9,
        ("motion_continuity",),
        repeat_frames,
        within=True,
        spared=(
            "exposure_stability",
            "color_temperature",
            "resolution_sharpness",
            "duration_completeness",
            "audio_continuity",
        ),
    ),
    Perturbation(
        "drop_frames",
        drop_frames.__doc__ or "",
        "s",
        0.3,
        0.6,
        1.2,
        0.1,
        60,
        ("motion_continuity",),
        drop_frames,
        within=True,
        spared=(
            "exposure_stability",
            "color_temperature",
            "color_consistency",
            "resolution_sharpness",
        ),
        extent=True,
    ),
    Perturbation(
        "truncate",
        truncate.__doc__ or "",
        "share",
        0.1,
        0.3,
        0.5,
        0.01,
        0.95,
        ("duration_completeness",),
        truncate,
        spared=(
            "motion_continuity",
            "exposure_stability",
            "resolution_sharpness",
            "audio_continuity",
        ),
        extent=True,
    ),
    Perturbation(
        "stray_frame",
        stray_frame.__doc__ or "",
        "places",
        1,
        3,
        6,
        1,
        100,
        ("visual_artifact_frequency", "motion_continuity", "transition_quality"),
        stray_frame,
        spared=(
            "color_consistency",
            "resolution_sharpness",
            "duration_completeness",
            "audio_continuity",
        ),
        extent=True,
    ),
    Perturbation(
        "flash",
        flash.__doc__ or "",
        "places",
        1,
        3,
        6,
        1,
        100,
        ("visual_artifact_frequency", "exposure_stability", "transition_quality"),
        flash,
        spared=(
            "color_consistency",
            "resolution_sharpness",
            "duration_completeness",
            "audio_continuity",
        ),
        extent=True,
    ),
    Perturbation(
        "black_frames",
        black_frames.__doc__ or "",
        "s",
        0.2,
        0.5,
        1,
        0.05,
        60,
        ("visual_artifact_frequency", "exposure_stability"),
        black_frames,
        spared=(
            "color_consistency",
            "resolution_sharpness",
            "duration_completeness",
            "audio_continuity",
        ),
        extent=True,
    ),
)
