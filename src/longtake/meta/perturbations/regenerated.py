"""Stretches of a film that are edited, made anew or taken from another one: Long-CODE's edition and synthesis
(arXiv 2604.17428, section on corruption tests), and one person cut in for another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...core.ports import BlockEditor, Kind
from ...core.video import Video
from ...errors import InputError
from .base import Clip, Damage, FilmFacts, Insert, Perturbation, Picture
from .clips import Choice, clips_of, drawn, in_clips, looked, recorded, whole
from .controls import length_of, other_film
from .following import Follower
from .painting import picture_at
from .rewriting import another, surreal
from .seen import editor_of, every, looks, masker_of, proxies

LEAST_FOREGROUND = 0.01
"""Share of the picture that a foreground covers at least to be edited alone; else the whole picture is."""
PERSON = "person"
LEAST_PERSON = 0.02
"""Share of the picture that people cover at least in a clip for another person to be cut in."""
SEARCHED_S, SEARCHED = 1.0, 120
"""How finely another film is searched for stretches that show people, seconds, and in how many places at
most."""


def edition(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Make who or what is seen in ``strength`` blocks another; where things stand and how they move is kept.

    An editor that takes whole stretches is given all pictures of a block at once; any other the foreground of
    each, carried through the block. By a proxy this is not the paper's Edition, and the record says so.
    """
    editor = editor_of(film)
    choice = chosen_blocks(film, strength, rng)
    seed = int(rng.integers(2**31))
    told = {i: another(film.clips[i].text, np.random.default_rng([seed, i])) for i in choice.order}
    what = _by("who or what is seen is another", editor.kind)
    facts = choice.facts | {"by": editor.name, "prompts": _prompts(choice, told)}
    if isinstance(editor, BlockEditor):
        blocks = _Blocks(film, editor, told, seed)
        whole_blocks = in_clips(film, choice, what, blocks.picture)
        return replace(whole_blocks, proxies=proxies(editor), facts=facts)
    masker = masker_of(film)
    followers = {i: Follower(every(film, None)) for i in choice.clips}

    def picture(number: int, bgr: Picture, time: float) -> Picture:
        mask = followers[number].mask(bgr, time)
        inside = mask if float(mask.mean()) >= LEAST_FOREGROUND else None
        asked = f"another {number}: {told[number]}"
        return np.asarray(editor.edit(bgr, inside, asked, seed), np.uint8)

    by_picture = in_clips(film, choice, what, picture)
    return replace(by_picture, proxies=proxies(masker, editor), facts=facts)


def synthesis(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Make ``strength`` blocks anew from their first picture and a surreal rewriting of what they show.

    The rewriting is a drawn rule (``rewriting``), not a model's. Sound is kept.
    """
    generator = film.generator
    if generator is None:
        raise ValueError("this operator needs a generator")
    choice = chosen_blocks(film, strength, rng)
    seed = int(rng.integers(2**31))
    told = {i: surreal(film.clips[i].text, np.random.default_rng([seed, i])) for i in choice.order}
    running: dict[int, Iterator[Picture]] = {}
    last: dict[int, Picture] = {}

    def picture(number: int, bgr: Picture, time: float) -> Picture:
        if number not in running:
            clip = film.clips[number]
            count = round((clip.end - clip.start) * film.fps) + 1
            running.clear()
            made = generator.generate(told[number], bgr.copy(), count, film.fps, seed + number)
            running[number] = iter(made)
        last[number] = next(running[number], last.get(number, bgr))
        return last[number].copy()

    what = _by("made anew from its first picture", generator.kind)
    facts = choice.facts | {"by": generator.name, "prompts": _prompts(choice, told)}
    made_anew = in_clips(film, choice, what, picture)
    return replace(made_anew, proxies=proxies(generator), facts=facts)


def other_person(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Show in ``strength`` clips with people a stretch of another film with people in place of theirs.

    Sound goes on. That it is another person is for whoever names the other film to know.
    """
    masker = masker_of(film)
    clips = clips_of(film)
    order = [i for i in drawn(len(clips), rng) if _shows_people(film, i)]
    seed, count = int(rng.integers(2**31)), whole(strength)
    if len(order) < count:
        raise InputError(
            f"{count} clip(s) with people are to be replaced, and people are seen in {len(order)} of "
            f"{len(clips)}.",
            hint="Take another film, or a lower strength.",
        )
    chosen = order[:count]
    lengths = {i: clips[i].end - clips[i].start for i in chosen}
    other = other_film(film, max(lengths.values()))
    shown = _people_in(film, other)
    starts = {i: _start(shown, lengths[i], length_of(other), [seed, i]) for i in chosen}
    if (bare := next((i for i in chosen if starts[i] is None), None)) is not None:
        raise InputError(
            f"{other.name} shows people for no {lengths[bare]:.1f} s on end, as far as the masker can see.",
            hint="Name another film: --other FILE.",
        )
    choice = Choice(tuple(chosen), recorded(sorted(chosen), len(order), len(clips)))
    return Damage(
        [(clips[i].start, clips[i].end, "another person is seen") for i in choice.clips],
        inserts=tuple(
            Insert(clips[i].start, clips[i].end, other, starts[i] or 0.0, sound=False) for i in choice.clips
        ),
        proxies=proxies(masker),
        facts=choice.facts | {"from": other.hash[:12]},
    )


def chosen_blocks(film: FilmFacts, strength: float, rng: np.random.Generator) -> Choice:
    """``strength`` blocks of the film; fewer of them are a subset of more.

    Raises:
        InputError: the film has not so many.
    """
    blocks, count = clips_of(film), whole(strength)
    if count > len(blocks):
        raise InputError(
            f"{count} blocks are asked for, and the film has {len(blocks)}.",
            hint="Take a longer film, or a lower strength.",
        )
    order = drawn(len(blocks), rng)[:count]
    return Choice(tuple(order), recorded(sorted(order), len(blocks), len(blocks)))


class _Blocks:
    """Edits a block as a whole when its first picture is asked for, and gives its pictures by their times."""

    def __init__(self, film: FilmFacts, editor: BlockEditor, told: dict[int, str], seed: int) -> None:
        self._film, self._editor, self._told, self._seed = film, editor, told, seed
        self._number = -1
        self._made: list[Picture] = []

    def picture(self, number: int, bgr: Picture, time: float) -> Picture:
        clip = self._film.clips[number]
        if number != self._number:
            times = _times(clip, self._film.fps)
            pictures = [looked(self._film, t) for t in times]
            asked = f"another {number}: {self._told[number]}"
            self._made = list(self._editor.edit_block(pictures, None, asked, self._seed))
            self._number = number
        at = round((time - clip.start) * self._film.fps)
        return self._made[min(max(at, 0), len(self._made) - 1)].copy()


def _times(clip: Clip, fps: float) -> list[float]:
    return [clip.start + i / fps for i in range(max(round((clip.end - clip.start) * fps), 1))]


def _by(what: str, kind: Kind) -> str:
    return what if kind == "model" else f"{what}, by a proxy"


def _prompts(choice: Choice, told: dict[int, str]) -> str:
    return "; ".join(f"{i}: {told[i]}" for i in choice.clips)


def _shows_people(film: FilmFacts, number: int) -> bool:
    masker = masker_of(film)
    return all(float(masker.mask(p, PERSON).mean()) >= LEAST_PERSON for p in looks(film, number))


def _people_in(film: FilmFacts, other: Video) -> list[tuple[float, bool]]:
    """Times of another film, and whether people are seen there."""
    masker, length = masker_of(film), length_of(other)
    step = max(SEARCHED_S, length / SEARCHED)
    times = [float(t) for t in np.arange(0.0, length, step)]
    masks = [masker.mask(picture_at(other, film, t), PERSON) for t in times]
    return [(t, float(m.mean()) >= LEAST_PERSON) for t, m in zip(times, masks, strict=True)]


def _start(shown: list[tuple[float, bool]], length: float, longest: float, draws: list[int]) -> float | None:
    """A drawn time of another film from which on people are seen for ``length`` seconds."""
    fit = [
        t for t, _ in shown if t + length <= longest and all(p for at, p in shown if t <= at <= t + length)
    ]
    return float(np.random.default_rng(draws).choice(fit)) if fit else None


OPERATORS = (
    Perturbation(
        "edition",
        edition.__doc__ or "",
        "blocks",
        2,
        4,
        8,
        1,
        16,
        ("char_face_consistency", "char_clothing_consistency", "character_matching", "object_permanence"),
        edition,
        ("clips", "mask", "edit"),
        ("temporal_flow", "scene_order", "spatial_relationship", "dynamics_degree", "audio_continuity"),
        "long-code",
        extent=True,
    ),
    Perturbation(
        "synthesis",
        synthesis.__doc__ or "",
        "blocks",
        2,
        4,
        8,
        1,
        16,
        (
            "temporal_logic",
            "object_permanence",
            "scale_proportion",
            "hallucinated_content",
            "script_video_fidelity",
            "color_consistency",
        ),
        synthesis,
        ("clips", "generate"),
        ("scene_order", "audio_continuity", "speech_intelligibility"),
        "long-code",
        extent=True,
    ),
    Perturbation(
        "other_person",
        other_person.__doc__ or "",
        "clips",
        1,
        2,
        4,
        1,
        16,
        ("char_face_consistency", "char_clothing_consistency", "character_matching"),
        other_person,
        ("clips", "mask", "other"),
        ("exposure_stability", "audio_continuity", "speech_intelligibility", "resolution_sharpness"),
        "control",
        extent=True,
    ),
)
