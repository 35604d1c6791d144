"""Damages to the sound."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .base import Damage, FilmFacts, Perturbation, Samples, place, places

DROPOUTS = 4
"""Places in which ``sound_dropout`` works."""
CLICKS = 6
"""Places in which ``click`` works."""
CLICK_SECONDS = 0.0003
"""Length of a click: about a dozen samples at 44.1 kHz, as of a lost buffer edge."""


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
    """Single clicks of amplitude ``strength`` in six places."""
    spans = places(film, CLICKS, CLICK_SECONDS, rng)

    def sound(samples: Samples, time: float, rate: int) -> Samples:
        length = max(2, round(CLICK_SECONDS * rate))
        for start, _ in spans:
            first = round((start - time) * rate)
            if 0 <= first < samples.shape[1]:
                room = samples[:, first : first + length]
                wave = np.where(np.arange(room.shape[1]) % 2 == 0, 1.0, -1.0).astype(np.float32) * strength
                samples[:, first : first + length] = np.clip(room + wave, -1, 1)
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
