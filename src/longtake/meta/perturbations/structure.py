"""SLVMEval's aspects that a brief decides and a splice makes: motion, scenes, sides and order of clips.

arXiv 2603.29186. Five clips of a film; captions tell which of them a damage would contradict.
"""

from __future__ import annotations

import numpy as np

from .base import Damage, FilmFacts, Perturbation, Picture
from .captions import motions, sides
from .clips import (
    CHOSEN_CLIPS,
    choose,
    clips_of,
    displaced,
    enough,
    half,
    in_clips,
    looked,
    number_at,
    recorded,
    reordered,
    whole,
    window,
)


def dynamics_degree(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Hold the middle frame of five clips for a share of each, round its middle; sound goes on.

    Of a film with captions only clips are taken whose caption has a verb of motion.
    """
    captioned = any(c.text for c in clips_of(film))
    choice = choose(
        film,
        CHOSEN_CLIPS,
        rng,
        words=motions if captioned else None,
        thing="motion",
        at_most=half(film),
    )
    middles = {i: (film.clips[i].start + film.clips[i].end) / 2 for i in choice.clips}
    reach = {i: strength * (film.clips[i].end - film.clips[i].start) / 2 for i in choice.clips}
    spans = {i: (middles[i] - reach[i], middles[i] + reach[i]) for i in choice.clips}
    kept: dict[int, Picture] = {}

    def picture(bgr: Picture, time: float) -> Picture:
        i = number_at(time, spans)
        if i is None:
            return bgr
        if i not in kept:
            kept.clear()
            kept[i] = looked(film, middles[i])
        return kept[i].copy()

    return Damage(
        [(*s, "the clip's middle frame is held") for s in spans.values()], picture, facts=choice.facts
    )


def comprehensiveness(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Leave out ``strength`` clips, picture and sound; a film of fewer than ten clips is refused."""
    enough(film, "comprehensiveness")
    choice = choose(film, whole(strength), rng, at_most=half(film))
    gone = [(film.clips[i].start, film.clips[i].end) for i in choice.clips]
    return Damage(
        [(a, b, f"clip {i} is missing") for i, (a, b) in zip(choice.clips, gone, strict=True)],
        removed=tuple(gone),
        facts=choice.facts,
    )


def spatial_relationship(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Mirror ``strength`` clips whose caption says where left or right is.

    ``has_text`` tells whether something is written in one of them, which gives the mirror away; it is empty
    where nobody looked for text.
    """
    choice = choose(film, whole(strength), rng, words=sides, thing="left or right", at_most=half(film))
    damage = in_clips(film, choice, "the picture is mirrored", lambda number, bgr, time: bgr[:, ::-1].copy())
    written = [i for i in choice.clips if _written(film, i)]
    damage.facts["has_text"] = None if film.written is None else bool(written)
    if film.written is not None:
        damage.facts["clips_with_text"] = ",".join(map(str, written))
    return damage


def _written(film: FilmFacts, number: int) -> bool:
    clip = film.clips[number]
    return any(a < clip.end and clip.start < b for a, b in film.written or ())


def temporal_flow(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Permute ``strength`` clips in a row so that none stays in place, sound with them.

    A film of fewer than ten clips is refused.
    """
    clips = enough(film, "temporal_flow")
    chosen = list(window(len(clips), whole(strength), rng))
    moves = dict(zip(chosen, displaced(chosen, rng), strict=True))
    return Damage(
        [
            (clips[shown].start, clips[shown].end, f"clip {shown} is shown in place of clip {place}")
            for place, shown in sorted(moves.items(), key=lambda m: m[1])
        ],
        order=reordered(film, moves),
        facts=recorded(chosen, len(clips), len(clips))
        | {"in_their_place": ",".join(map(str, moves.values()))},
    )


OPERATORS = (
    Perturbation(
        "dynamics_degree",
        dynamics_degree.__doc__ or "",
        "share of the clip",
        1 / 3,
        2 / 3,
        1,
        0.05,
        1,
        ("dynamics_degree", "motion_continuity"),
        dynamics_degree,
        ("clips",),
        (
            "aesthetics",
            "technical_quality",
            "color",
            "appearance_style",
            "temporal_flow",
            "comprehensiveness",
            "spatial_relationship",
            "scene_presence",
            "exposure_stability",
            "audio_continuity",
        ),
        "slvmeval",
        extent=True,
    ),
    Perturbation(
        "comprehensiveness",
        comprehensiveness.__doc__ or "",
        "clips",
        1,
        3,
        5,
        1,
        50,
        ("comprehensiveness", "scene_presence", "event_chain_logic", "duration_completeness"),
        comprehensiveness,
        ("clips",),
        (
            "aesthetics",
            "technical_quality",
            "color",
            "appearance_style",
            "background_consistency",
            "resolution_sharpness",
            "exposure_stability",
            "lip_sync_quality",
        ),
        "slvmeval",
        extent=True,
    ),
    Perturbation(
        "spatial_relationship",
        spatial_relationship.__doc__ or "",
        "clips",
        1,
        3,
        5,
        1,
        50,
        ("spatial_relationship",),
        spatial_relationship,
        ("clips", "captions", "text"),
        (
            "aesthetics",
            "technical_quality",
            "color",
            "dynamics_degree",
            "temporal_flow",
            "comprehensiveness",
            "object_removal",
            "motion_continuity",
            "resolution_sharpness",
            "exposure_stability",
            "audio_continuity",
        ),
        "slvmeval",
        extent=True,
    ),
    Perturbation(
        "temporal_flow",
        temporal_flow.__doc__ or "",
        "clips",
        3,
        4,
        5,
        2,
        50,
        ("temporal_flow", "scene_order", "temporal_logic", "event_chain_logic"),
        temporal_flow,
        ("clips",),
        (
            "aesthetics",
            "technical_quality",
            "color",
            "appearance_style",
            "comprehensiveness",
            "object_removal",
            "resolution_sharpness",
            "exposure_stability",
            "lip_sync_quality",
        ),
        "slvmeval",
        extent=True,
    ),
)
