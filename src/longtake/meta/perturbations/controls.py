"""Controls: what should cost nothing, and what no evaluator may miss.

``frozen``, ``unrelated_brief``, ``sound_removed`` and ``other_sound`` are plain to everybody. ``reencoded``
and ``clean_cut`` are no damage, and whoever lowers a score for them measures something else.
"""

from __future__ import annotations

import numpy as np

from ...core.video import Video
from ...errors import InputError
from ...media.probe import probe
from .base import Clip, Damage, FilmFacts, Insert, Perturbation, Picture, Samples, lasting, places, widest
from .clips import choose, clips_of, drawn, half, in_clips, recorded, whole

CUTAWAY_S = 3.0
"""Seconds of another film that ``clean_cut`` puts in."""
LEAST_S = 1.0
"""Seconds that a cutaway lasts at least, and that are left of a clip before and after it."""
TOUCHED_S = 10.0
"""Seconds of a span that ``reencoded`` encodes again: as long as a block."""
MOST_MISSED = 0.5
"""``frozen`` may miss the share that is asked for by so much of it at most, as clips are whole."""


def frozen(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Show a share of the clips as their first frame alone; sound goes on.

    A film of so few clips that no number of them comes near the share is refused.
    """
    clips = len(clips_of(film))
    count = max(1, round(strength * clips))
    if abs(count / clips - strength) > strength * MOST_MISSED:
        raise InputError(
            f"{strength:.0%} of {clips} clip(s) are to be frozen, and {count} would be {count / clips:.0%}.",
            hint="Take a film of more clips, --unit block with a shorter --block, or another strength.",
        )
    choice = choose(film, count, rng)
    held: dict[int, Picture] = {}

    def first(number: int, bgr: Picture, time: float) -> Picture:
        if number not in held:
            held.clear()
            held[number] = bgr.copy()
        return held[number].copy()

    return in_clips(film, choice, "the clip's first frame is held", first)


def unrelated_brief(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Judge the film by the brief of another; picture and sound are untouched."""
    if film.other_brief is None:
        raise InputError(
            "unrelated_brief takes the brief of another film.", hint="Name it: --other-brief FILE."
        )
    if film.brief is None:
        raise InputError(
            "the film has no brief of its own, so that only one side could be judged by one.",
            hint="Give it one.",
        )
    if film.other_brief == film.brief:
        raise InputError("the other brief is the film's own.")
    return Damage([], brief=film.other_brief)


def reencoded(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Encode ``strength`` spans again and change nothing in them."""
    count = whole(strength)
    spans = places(film, count, min(TOUCHED_S, widest(film, count)), rng)
    return Damage(
        [(a, b, "encoded again, unchanged") for a, b in spans], lambda bgr, time: bgr, facts=lasting(spans)
    )


def clean_cut(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Cut ``strength`` times away to another film for three seconds and back, as editors do; sound goes on.

    A cutaway lies in the middle of a clip with at least a second of it on both sides, or takes the place of
    a whole short clip, so that no sliver is left between it and a cut of the film. Nothing is broken: what
    looks for faults must not find any. What goes by the brief may see that the stretches do not belong, so
    nothing is claimed of it.
    """
    clips = clips_of(film)
    fit = [i for i in drawn(len(clips), rng) if clips[i].end - clips[i].start >= LEAST_S]
    chosen = sorted(fit[: min(whole(strength), max(1, half(film)))])
    if not chosen:
        raise InputError(f"no clip of this film lasts {LEAST_S:g} s, so a cutaway would be a flash.")
    spans = [_cutaway(clips[i]) for i in chosen]
    other = other_film(film, max(b - a for a, b in spans))
    starts = rng.uniform(0, max(0.0, length_of(other) - CUTAWAY_S), len(clips))
    return Damage(
        [(a, b, "a clean cut to another scene and back") for a, b in spans],
        inserts=tuple(
            Insert(a, b, other, float(starts[i]), sound=False)
            for i, (a, b) in zip(chosen, spans, strict=True)
        ),
        facts=recorded(chosen, len(fit), len(clips)) | lasting(spans) | {"from": other.hash[:12]},
    )


def _cutaway(clip: Clip) -> tuple[float, float]:
    """The part of a clip that gives way: all of a short one, the middle of a longer."""
    length = clip.end - clip.start
    if length < 3 * LEAST_S:
        return clip.start, clip.end
    middle, reach = (clip.start + clip.end) / 2, min(CUTAWAY_S, length - 2 * LEAST_S) / 2
    return middle - reach, middle + reach


def sound_removed(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Make a share of the sound silent, in one stretch."""
    start, end = _stretch(film, strength, rng)

    def sound(samples: Samples, time: float, rate: int) -> Samples:
        first, last = round((start - time) * rate), round((end - time) * rate)
        if last > 0 and first < samples.shape[1]:
            samples[:, max(first, 0) : last] = 0
        return samples

    return Damage([(start, end, "the sound is silent")], sound=sound)


def other_sound(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Play the sound of another film for a share of this one, in one stretch; the picture is untouched."""
    start, end = _stretch(film, strength, rng)
    other = other_film(film, end - start)
    if not probe(other).audio:
        raise InputError(f"{other.name} has no sound to take.", hint="Name another film: --other FILE.")
    return Damage(
        [(start, end, "the sound is of another film")],
        inserts=(Insert(start, end, other, 0.0, picture=False),),
        facts={"from": other.hash[:12]},
    )


def _stretch(film: FilmFacts, share: float, rng: np.random.Generator) -> tuple[float, float]:
    """A share of the film; a smaller one lies in a larger."""
    length = share * film.duration
    start = float(rng.uniform()) * (film.duration - length)
    return start, start + length


def other_film(film: FilmFacts, length: float) -> Video:
    """The other film, if it is another and long enough."""
    if film.other is None:
        raise InputError("this takes from another film.", hint="Name it: --other FILE.")
    if film.other.hash == film.hash:
        raise InputError("the other film is this very film.", hint="Name another: --other FILE.")
    if length_of(film.other) < length:
        raise InputError(
            f"{film.other.name} lasts {length_of(film.other):.1f} s, and {length:.1f} s of it are needed.",
            hint="Name a longer film, or take less: --other FILE, --strength.",
        )
    return film.other


def length_of(video: Video) -> float:
    """Seconds of the selected part of a film."""
    full = probe(video).duration or 0.0
    end = min(full, float(video.end)) if video.end is not None else full
    return end - float(video.start or 0)


LOOKS = ("aesthetics", "technical_quality", "color", "resolution_sharpness", "exposure_stability")
"""What damage to sound, motion or brief leaves as it was."""
ALL_SOUND = ("audio_continuity", "speech_intelligibility", "sound_event_alignment", "lip_sync_quality")

OPERATORS = (
    Perturbation(
        "frozen",
        frozen.__doc__ or "",
        "share of the clips",
        0.25,
        0.5,
        1,
        0.01,
        1,
        ("dynamics_degree", "motion_continuity"),
        frozen,
        ("clips",),
        (*LOOKS, "temporal_flow", "comprehensiveness", "audio_continuity"),
        "control",
        extent=True,
    ),
    Perturbation(
        "unrelated_brief",
        unrelated_brief.__doc__ or "",
        "whole",
        1,
        1,
        1,
        1,
        1,
        (
            "comprehensiveness",
            "temporal_flow",
            "scene_presence",
            "scene_order",
            "character_matching",
            "setting_accuracy",
            "hallucinated_content",
        ),
        unrelated_brief,
        ("other",),
        (*LOOKS, "motion_continuity", "color_temperature", "audio_continuity", "temporal_degradation"),
        "control",
    ),
    Perturbation(
        "reencoded",
        reencoded.__doc__ or "",
        "spans",
        1,
        3,
        5,
        1,
        50,
        (),
        reencoded,
        (),
        (
            *LOOKS,
            "temporal_flow",
            "comprehensiveness",
            "dynamics_degree",
            "spatial_relationship",
            "background_consistency",
            "object_removal",
            "appearance_style",
            "motion_continuity",
            "visual_artifact_frequency",
            "audio_continuity",
        ),
        "control",
        extent=True,
    ),
    Perturbation(
        "clean_cut",
        clean_cut.__doc__ or "",
        "cutaways",
        1,
        2,
        4,
        1,
        50,
        (),
        clean_cut,
        ("clips", "other"),
        (
            "motion_continuity",
            "transition_quality",
            "visual_artifact_frequency",
            "exposure_stability",
            "color_temperature",
            "temporal_degradation",
            "audio_continuity",
        ),
        "control",
        extent=True,
    ),
    Perturbation(
        "sound_removed",
        sound_removed.__doc__ or "",
        "share",
        0.25,
        0.5,
        1,
        0.01,
        1,
        (*ALL_SOUND, "ambient_sound_match"),
        sound_removed,
        ("sound",),
        (*LOOKS, "motion_continuity", "temporal_flow", "comprehensiveness"),
        "control",
        extent=True,
    ),
    Perturbation(
        "other_sound",
        other_sound.__doc__ or "",
        "share",
        0.25,
        0.5,
        1,
        0.01,
        1,
        ("sound_event_alignment", "lip_sync_quality", "ambient_sound_match", "speech_timing"),
        other_sound,
        ("sound", "other"),
        (*LOOKS, "motion_continuity", "temporal_flow", "comprehensiveness"),
        "control",
        extent=True,
    ),
)
