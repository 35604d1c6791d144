"""Damages to the sound."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .base import EDGE_SHARE, Damage, FilmFacts, Perturbation, Samples, fits, lasting, place, places, widest

DROPOUTS = 4
"""Places in which ``sound_dropout`` works."""
CLICKS = 6
"""Places in which ``click`` works."""
CLICK_S = 1e-3
"""Seconds of which a record tells as of a click."""
DULL = 8
"""Values of white noise of which ``sound_noise`` is the mean."""
LOWEST_HZ = 110.0
BED_RMS = 1.29
"""Of the unscaled chords of ``music_bed``, measured."""


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
    return Damage(
        [(s, e, "the sound drops out") for s, e in spans], sound=_silenced(spans), facts=lasting(spans)
    )


def sound_gap(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """One long hole of digital silence, ``strength`` seconds."""
    span = place(film, strength, rng)
    return Damage([(*span, "the sound is missing")], sound=_silenced([span]), facts=lasting([span]))


def click(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Single samples thrown off by ``strength`` in six places: the sharpest click there is."""
    spans = places(film, CLICKS, min(CLICK_S, widest(film, CLICKS)), rng)

    def sound(samples: Samples, time: float, rate: int) -> Samples:
        for start, _ in spans:
            at = round((start - time) * rate)
            if 0 <= at < samples.shape[1]:
                away = np.where(samples[:, at] > 0, -strength, strength)
                samples[:, at] = np.clip(samples[:, at] + away, -1, 1)
        return samples

    return Damage([(s, e, "a click") for s, e in spans], sound=sound)


def sound_noise(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Noise of ``strength`` rms over the whole sound, duller than white: a moving mean of it."""
    drawn = np.random.default_rng(rng.integers(2**32))
    kept = [np.asarray(drawn.normal(0, 1, DULL - 1), np.float32)]

    def sound(samples: Samples, time: float, rate: int) -> Samples:
        new = np.asarray(drawn.normal(0, 1, samples.shape[1]), np.float32)
        both = np.concatenate([kept[0], new])
        kept[0] = both[-(DULL - 1) :]
        dull = np.stack([both[i : i + len(new)] for i in range(DULL)]).sum(axis=0)
        return np.clip(samples + dull * np.float32(strength / np.sqrt(DULL)), -1, 1)

    return Damage([(0.0, film.duration, "noise over the sound")], sound=sound)


def sound_shift(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """The whole sound ``strength`` seconds late; it begins with silence, and its end is lost."""
    fits(strength, film.duration * (1 - 2 * EDGE_SHARE), "a delay")
    held: list[Samples] = []

    def sound(samples: Samples, time: float, rate: int) -> Samples:
        if not held:
            held.append(np.zeros((samples.shape[0], round(strength * rate)), np.float32))
        both = np.concatenate([held[0], samples], axis=1)
        held[0] = both[:, samples.shape[1] :]
        return both[:, : samples.shape[1]]

    return Damage([(0.0, film.duration, f"the sound is {strength:g} s late")], sound=sound)


def music_bed(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Chords under the whole sound, ``strength`` rms: four voices with overtones, a chord a second."""
    roots = rng.permutation([0, 5, 7, 9])

    def sound(samples: Samples, time: float, rate: int) -> Samples:
        at = (round(time * rate) + np.arange(samples.shape[1])) / rate
        chord = roots[at.astype(int) % len(roots)]
        bed = np.zeros(len(at))
        for step in (0, 4, 7, 12):
            pitch = LOWEST_HZ * 2 ** ((chord + step) / 12)
            bed += sum(np.sin(2 * np.pi * pitch * n * at) / n for n in (1, 2, 3, 4))
        bed *= strength / BED_RMS * np.minimum(1, 12 * (at % 1)) * np.exp(-0.7 * (at % 1))
        return np.clip(samples + bed.astype(np.float32), -1, 1)

    return Damage([(0.0, film.duration, "music over the sound")], sound=sound)


SPARED = (
    "motion_continuity",
    "exposure_stability",
    "resolution_sharpness",
    "visual_artifact_frequency",
    "duration_completeness",
)
"""What damage of the sound alone leaves as it was."""

OPERATORS = (
    Perturbation(
        "sound_noise",
        sound_noise.__doc__ or "",
        "amplitude",
        0.01,
        0.05,
        0.15,
        0.001,
        0.5,
        ("speech_intelligibility",),
        sound_noise,
        ("sound",),
        spared=(*SPARED, "audio_continuity"),
    ),
    Perturbation(
        "sound_shift",
        sound_shift.__doc__ or "",
        "s",
        0.2,
        0.5,
        0.8,
        0.05,
        5,
        ("lip_sync_quality", "sound_event_alignment"),
        sound_shift,
        ("sound",),
        spared=(*SPARED, "audio_continuity", "bgm_volume_balance"),
        family="control",
    ),
    Perturbation(
        "music_bed",
        music_bed.__doc__ or "",
        "amplitude",
        0.03,
        0.1,
        0.2,
        0.005,
        0.5,
        ("bgm_volume_balance",),
        music_bed,
        ("sound",),
        spared=(*SPARED, "audio_continuity"),
    ),
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
        ("sound",),
        spared=SPARED,
        extent=True,
    ),
    Perturbation(
        "sound_gap",
        sound_gap.__doc__ or "",
        "s",
        0.5,
        1,
        2,
        0.1,
        60,
        ("audio_continuity",),
        sound_gap,
        ("sound",),
        spared=SPARED,
        extent=True,
    ),
    Perturbation(
        "click",
        click.__doc__ or "",
        "amplitude",
        0.25,
        0.5,
        0.9,
        0.05,
        1,
        ("audio_continuity",),
        click,
        ("sound",),
        spared=(*SPARED, "bgm_volume_balance"),
    ),
)
