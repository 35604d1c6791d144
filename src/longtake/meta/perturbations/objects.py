"""SLVMEval's aspects that need a mask or an editor: background, objects, colour and style.

arXiv 2603.29186. Five clips of a film. The paper asks rembg, GroundingDINO with Stable Diffusion and
Qwen-Image-Edit; here a masker and an editor are asked, and where they are proxies the damage says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np

from ...core.brief import Brief
from ...core.instructions import STYLES, Style
from ...errors import InputError
from .base import Damage, FilmFacts, Perturbation, Picture
from .captions import coloured
from .captions import objects as things
from .clips import CHOSEN_CLIPS, choose, half, in_clips
from .following import Follower, Matte
from .seen import (
    Target,
    editor_of,
    every,
    first_ones,
    first_seen,
    instances,
    looks,
    masker_of,
    middle,
    proxies,
    taken,
)

LEAST_MATTE, MOST_MATTE = 0.05, 0.8
"""A clip is skipped whose foreground covers less or more of the picture than this."""
ONE_A_CLIP = 0.05
"""The lowest number of landscapes a second: it stands for one landscape in each clip."""
LEAST_SATURATION = 0.25
"""A thing is not recoloured whose mean saturation (HSV, 0 to 1) is below this: nobody would see it."""
DILATED = 0.02
"""What is erased is widened by this share of the picture's diagonal."""
STYLE_WORDS: dict[Style, tuple[str, ...]] = {
    "oil": ("oil", "painting", "paintings", "painted", "painterly", "impressionist"),
    "cartoon": ("cartoon", "anime", "animated", "animation", "comic", "pixar", "ghibli"),
    "pencil": ("pencil", "sketch", "sketched", "drawing", "drawn", "charcoal"),
    "watercolour": ("watercolour", "watercolor", "watercolours", "watercolors", "aquarelle", "gouache"),
}
"""A brief that says one of these may ask for the style, and it is not taken."""
HUE_NAMES = (
    "red",
    "orange",
    "yellow",
    "lime",
    "green",
    "teal",
    "cyan",
    "azure",
    "blue",
    "violet",
    "magenta",
    "pink",
)
"""Names of the hues 0, 30, ... 330 degrees, for editors that read words."""


def background_consistency(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Keep the foreground of five clips before drawn landscapes, another one ``strength`` times a second.

    At the lowest strength there is one landscape for each clip, however long it is; ``landscapes`` are how
    many each was given. Clips are skipped whose foreground covers less than 5 % or more than 80 % of the
    picture.
    """
    masker, editor = masker_of(film), editor_of(film)
    seed = int(rng.integers(2**31))

    def fits(number: int) -> Target | None:
        share = float(np.median([masker.mask(p, None).mean() for p in looks(film, number)]))
        return Target(None, "foreground") if LEAST_MATTE <= share <= MOST_MATTE else None

    choice, _ = taken(film, rng, fits, "a foreground that covers 5 to 80 % of the picture")
    followers = {i: Follower(every(film, None)) for i in choice.clips}
    pace = 0.0 if strength <= ONE_A_CLIP else strength

    def landscape(number: int, time: float) -> int:
        return int((time - film.clips[number].start) * pace + 1e-6)

    def picture(number: int, bgr: Picture, time: float) -> Picture:
        scene = number * 1000 + landscape(number, time)
        asked = f"background {scene}: the same subject in front of another landscape"
        return np.asarray(editor.edit(bgr, 1 - followers[number].mask(bgr, time), asked, seed), np.uint8)

    last = {i: film.clips[i].end - 1 / film.fps for i in choice.clips}
    told = "; ".join(f"{i}: {landscape(i, time) + 1}" for i, time in last.items())
    damage = in_clips(film, choice, "the foreground stands before other landscapes", picture)
    return replace(damage, proxies=proxies(masker, editor), facts=damage.facts | {"landscapes": told})


def object_removal(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Erase a share of the things of a kind that the caption names in five clips, one of them at least.

    Masks are carried through the clip and widened by 2 % of the picture's diagonal. What the masker finds for
    no word of a caption that names something is tried as the foreground; ``foreground_for`` says of which
    clips. ``instances`` are how many were erased in each clip, and of how many that are usually seen.
    """
    masker, editor = masker_of(film), editor_of(film)
    seed = int(rng.integers(2**31))
    order = np.random.default_rng(seed)

    def fits(number: int) -> Target | None:
        return first_seen(film, number, list(_named(film.clips[number].text, order)))

    choice, targets = taken(film, rng, fits, "a thing that its caption names and the picture shows")
    counts = {i: max(1, int(strength * targets[i].count + 0.5)) for i in choice.clips}
    followers = {}
    for i, target in targets.items():
        all_of_it = counts[i] >= target.count
        find = every(film, target.phrase) if all_of_it else first_ones(film, target.phrase, counts[i])
        followers[i] = Follower(find)

    def picture(number: int, bgr: Picture, time: float) -> Picture:
        mask = widened(followers[number].mask(bgr, time))
        asked = f"erase: take away the {targets[number].word}, nothing in its place"
        return np.asarray(editor.edit(bgr, mask, asked, seed), np.uint8) if mask.any() else bgr

    told = "; ".join(f"{i}: {counts[i]} of {targets[i].count}" for i in choice.clips)
    damage = in_clips(film, choice, "what the caption names is erased", picture)
    return replace(damage, proxies=proxies(masker, editor), facts=damage.facts | {"instances": told})


def color(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Turn the hue of a thing to which the caption gives a colour by ``strength`` degrees, in five clips.

    Clips are skipped in which the thing's mean saturation is below .25. What the masker does not find by name
    and colour is not tried.
    """
    masker, editor = masker_of(film), editor_of(film)
    seed = int(rng.integers(2**31))
    hues: dict[int, float] = {}

    def fits(number: int) -> Target | None:
        wishes = [
            Target(f"{c.hue} {c.thing}", f"{c.hue} {c.thing}") for c in coloured(film.clips[number].text)
        ]
        for wish in wishes:
            target = first_seen(film, number, [wish])
            if target is None:
                continue
            picture = middle(film, number)
            mask = np.max(instances(film, picture, target.phrase), axis=0)
            saturation, hues[number] = colour_of(picture, mask)
            if saturation >= LEAST_SATURATION:
                return target
        return None

    choice, targets = taken(film, rng, fits, "a thing in a colour that its caption gives it")
    followers = {i: Follower(every(film, t.phrase)) for i, t in targets.items()}

    def picture(number: int, bgr: Picture, time: float) -> Picture:
        mask = followers[number].mask(bgr, time)
        other = HUE_NAMES[round((hues[number] + strength) / 30) % 12]
        asked = f"recolour {strength:g}: make the {targets[number].word} {other}, change nothing else"
        return np.asarray(editor.edit(bgr, mask, asked, seed), np.uint8) if mask.any() else bgr

    what = f"what the caption gives a colour is turned by {strength:g} degrees"
    return replace(in_clips(film, choice, what, picture), proxies=proxies(masker, editor))


def appearance_style(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Draw five clips in one style (oil, cartoon, pencil or watercolour), mixed with the original.

    The style is drawn once for all clips, from those of which the brief does not speak.
    """
    editor = editor_of(film)
    asked = styles_asked(film.brief)
    offered = [s for s in STYLES if s not in asked]
    place = float(rng.uniform())
    if not offered:
        raise InputError("the brief speaks of every style that could be drawn in.")
    style = offered[int(place * len(offered))]
    seed = int(rng.integers(2**31))
    choice = choose(film, CHOSEN_CLIPS, rng, at_most=half(film))
    instruction = f"restyle {style} 1: the same picture in the style of {style}"

    def picture(number: int, bgr: Picture, time: float) -> Picture:
        drawn = np.asarray(editor.edit(bgr, None, instruction, seed), np.uint8)
        return np.asarray(cv2.addWeighted(drawn, strength, bgr, 1 - strength, 0), np.uint8)

    damage = in_clips(film, choice, f"drawn as {style}, {strength:g} of it", picture)
    return replace(damage, proxies=proxies(editor), facts=damage.facts | {"style": style})


def widened(mask: Matte) -> Matte:
    """``mask`` grown by :data:`DILATED` of the diagonal on every side."""
    reach = max(DILATED * float(np.hypot(*mask.shape)), 1.0)
    away = cv2.distanceTransform((mask < 0.5).astype(np.uint8), cv2.DIST_L2, 3)
    return np.asarray(np.maximum(np.clip(reach + 0.5 - away, 0, 1), mask), np.float32)


def colour_of(picture: Picture, mask: Matte) -> tuple[float, float]:
    """Mean saturation (0 to 1) and mean hue (degrees, weighted by saturation) of what a mask covers."""
    hsv = cv2.cvtColor(picture.astype(np.float32) / 255, cv2.COLOR_BGR2HSV)
    weight = mask / max(float(mask.sum()), 1e-9)
    turn = (weight * hsv[..., 1] * np.exp(1j * np.radians(hsv[..., 0]))).sum()
    return float((weight * hsv[..., 1]).sum()), float(np.degrees(np.angle(turn)) % 360)


def styles_asked(brief: Brief | None) -> set[Style]:
    """The styles that a brief speaks of, in whatever sense."""
    if brief is None:
        return set()
    words = set(re.findall(r"[a-z]+", brief.model_dump_json().lower()))
    return {style for style, names in STYLE_WORDS.items() if words & set(names)}


def _named(text: str, order: np.random.Generator) -> Iterator[Target]:
    """What a caption names that could be erased, in a drawn order; at last the foreground for the first."""
    names = [n for n in dict.fromkeys(m.name for m in things(text)) if n != "camera"]  # it is never seen
    hues = {c.thing: c.hue for c in coloured(text)}
    shuffled = [names[i] for i in order.permutation(len(names))]
    yield from (Target(name, name) for name in shuffled)
    yield from (Target(f"{hues[name]} {name}", name) for name in shuffled if name in hues)
    if names:
        yield Target(None, names[0])


OPERATORS = (
    Perturbation(
        "background_consistency",
        background_consistency.__doc__ or "",
        "landscapes a second",
        ONE_A_CLIP,
        0.5,
        2,
        ONE_A_CLIP,
        5,
        ("background_consistency", "setting_accuracy"),
        background_consistency,
        ("clips", "mask", "edit"),
        (
            "temporal_flow",
            "comprehensiveness",
            "char_face_consistency",
            "audio_continuity",
            "lip_sync_quality",
        ),
        "slvmeval",
        extent=True,
    ),
    Perturbation(
        "object_removal",
        object_removal.__doc__ or "",
        "share of the things",
        0.1,
        0.5,
        1,
        0.01,
        1,
        ("object_removal", "object_permanence", "script_video_fidelity"),
        object_removal,
        ("captions", "mask", "edit"),
        ("temporal_flow", "comprehensiveness", "scene_order", "exposure_stability", "audio_continuity"),
        "slvmeval",
        extent=True,
    ),
    Perturbation(
        "color",
        color.__doc__ or "",
        "degrees",
        60,
        120,
        180,
        10,
        180,
        ("color", "color_consistency", "script_video_fidelity"),
        color,
        ("captions", "mask", "edit"),
        (
            "temporal_flow",
            "comprehensiveness",
            "object_removal",
            "dynamics_degree",
            "resolution_sharpness",
            "scene_order",
            "audio_continuity",
        ),
        "slvmeval",
    ),
    Perturbation(
        "appearance_style",
        appearance_style.__doc__ or "",
        "share of the style",
        0.4,
        0.7,
        1,
        0.05,
        1,
        ("appearance_style",),
        appearance_style,
        ("clips", "edit"),
        (
            "temporal_flow",
            "comprehensiveness",
            "spatial_relationship",
            "object_removal",
            "scene_order",
            "audio_continuity",
            "lip_sync_quality",
        ),
        "slvmeval",
    ),
)
