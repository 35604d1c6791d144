"""SLVMEval's two aspects of picture quality: contrast and resolution (arXiv 2603.29186)."""

from __future__ import annotations

import numpy as np

from .base import Damage, FilmFacts, Perturbation, Picture
from .clips import CHOSEN_CLIPS, choose, half, in_clips, looked
from .quality import reduced

LOOKS = 5
"""Pictures of a clip from which its mean luma is taken, evenly spread."""
LUMA = np.array([0.114, 0.587, 0.299], np.float32)
"""Weights of blue, green and red in luma (ITU-R BT.601)."""


def aesthetics(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Take contrast from five clips: levels drawn towards the clip's mean luma, ``1 - strength`` of it kept.

    Chroma is scaled alike. The mean is one number per clip, so that nothing flickers.
    """
    kept = 1 - strength
    choice = choose(film, CHOSEN_CLIPS, rng, at_most=half(film))
    means = {i: mean_luma(film, i) for i in choice.clips}

    def flat(number: int, bgr: Picture, time: float) -> Picture:
        mean = means[number]
        return (mean + kept * (bgr.astype(np.float32) - mean)).round().astype(np.uint8)

    return in_clips(film, choice, f"contrast is {kept:g} of what it was", flat)


def mean_luma(film: FilmFacts, number: int) -> float:
    """Mean luma of a clip, 0 to 255, from :data:`LOOKS` of its pictures."""
    clip = film.clips[number]
    step = (clip.end - clip.start) / LOOKS
    pictures = [looked(film, clip.start + (k + 0.5) * step) for k in range(LOOKS)]
    return float(np.mean([(p.reshape(-1, 3).mean(axis=0) * LUMA).sum() for p in pictures]))


def technical_quality(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Shrink the picture of five clips ``strength`` times by area and bring it back to its size."""
    choice = choose(film, CHOSEN_CLIPS, rng, at_most=half(film))
    what = f"detail of a picture {strength:g} times smaller"
    return in_clips(film, choice, what, lambda number, bgr, time: reduced(bgr, strength))


OPERATORS = (
    Perturbation(
        "aesthetics",
        aesthetics.__doc__ or "",
        "share of the contrast",
        0.3,
        0.5,
        0.65,
        0.05,
        0.95,
        ("aesthetics",),
        aesthetics,
        ("clips",),
        (
            "temporal_flow",
            "comprehensiveness",
            "spatial_relationship",
            "dynamics_degree",
            "object_removal",
            "scene_order",
            "motion_continuity",
            "audio_continuity",
        ),
        "slvmeval",
    ),
    Perturbation(
        "technical_quality",
        technical_quality.__doc__ or "",
        "times smaller",
        2,
        4,
        8,
        1.2,
        32,
        ("technical_quality", "resolution_sharpness"),
        technical_quality,
        ("clips",),
        (
            "temporal_flow",
            "comprehensiveness",
            "spatial_relationship",
            "dynamics_degree",
            "color",
            "scene_order",
            "exposure_stability",
            "audio_continuity",
        ),
        "slvmeval",
    ),
)
