"""Damages to the sound."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .base import Damage, FilmFacts, Perturbation, Samples, place, places

DROPOUTS = 4
"""Places in which ``sound_dropout`` works."""
CLICKS = 6
"""Places in which ``click`` works."""


def _silenced(spans: list[tuple[float, float]]) -> Callable[[Samples, float, int], Samples]:
    def sound(samples: Samples, time: float, rate: int) -> Samples:
        for start, end in spans:
            first, last = round((start - time) * rate), round((end - time) * rate)
            if last > 0 and first < samples.shape[1]:
                samples[:, max(first, 0) : last] = 0
        return samples

    return sound


def sound_dropout(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Digital silence of ``strength`` seconds with hard edges, in four places."""
    spans = places(film, DROPOUTS, strength, rng)
    return Damage([(s, e, "the sound drops out") for s, e in spans], sound=_silenced(spans))


def sound_gap(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """One long hole of digital silence, ``strength`` seconds."""
    span = place(film, strength, rng)
    return Damage([(*span, "the sound is missing")], sound=_silenced([span]))


def click(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Single samples thrown off by ``strength`` in six places: the sharpest click there is."""
    spans = places(film, CLICKS, 1e-3, rng)

    def sound(samples: Samples, time: float, rate: int) -> Samples:
        for start, _ in spans:
            at = round((start - time) * rate)
            if 0 <= at < samples.shape[1]:
                away = np.where(samples[:, at] > 0, -strength, strength)
                samples[:, at] = np.clip(samples[:, at] + away, -1, 1)
        return samples

    return Damage([(s, e, "a click") for s, e in spans], sound=sound)


OPERATORS = (
    Perturbation(
        "sound_dropout",
        sound_dropout.__doc__ or "",
        "s",
        0.05,
        0.1,
        0.3,
        0.005,
        10,
        ("audio_continuity", "bgm_transition_smoothness"),
        sound_dropout,
        True,
    ),
    Perturbation(
        "sound_gap", sound_gap.__doc__ or "", "s", 0.5, 1, 2, 0.1, 60, ("audio_continuity",), sound_gap, True
    ),
    Perturbation(
        "click", click.__doc__ or "", "amplitude", 0.25, 0.5, 0.9, 0.05, 1, ("audio_continuity",), click, True
    ),
)
