"""Which clips can be damaged where a masker decides: a thing that the caption names and the picture shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...core.ports import Editor, Generator, Masker
from ...errors import InputError
from .base import FilmFacts, Picture
from .clips import CHOSEN_CLIPS, Choice, clips_of, drawn, half, looked, recorded
from .following import Find, Matte, covered

LOOKS = (0.15, 0.5, 0.85)
"""Where a clip is looked at before it is chosen, as shares of its length."""
LEAST_THING, MOST_THING = 0.002, 0.6
"""Share of the picture that a thing covers where its clip is looked at: a smaller one is hardly seen, a
larger one is the scene."""
MOST_STAND_IN = 0.3
"""The same where the foreground stands for a thing that the masker does not know: a larger one was the scene
more often than the thing, by eye on the test media."""
SAME_THING = 0.3
"""What is found later is the thing that was carried on if this share of it lies there."""


@dataclass(frozen=True)
class Target:
    """A thing in a clip: the phrase that the masker is asked for (``None``: the foreground), and the word of
    the caption that it is for. ``count`` of it are usually seen."""

    phrase: str | None
    word: str
    count: int = 1


def taken(
    film: FilmFacts, rng: np.random.Generator, fits: Callable[[int], Target | None], thing: str
) -> tuple[Choice, dict[int, Target]]:
    """The first five clips, by an order drawn over all, that ``fits`` says a target for; at most half of all.

    Raises:
        InputError: there is none; ``thing`` says to a user what clips must have.
    """
    clips = clips_of(film)
    most = min(CHOSEN_CLIPS, half(film))
    if not most:
        raise InputError(f"a film of {len(clips)} clip(s) is too short: at most half of them are damaged.")
    found: dict[int, Target] = {}
    seen = 0
    for i in drawn(len(clips), rng):
        seen += 1
        if (target := fits(i)) is not None:
            found[i] = target
        if len(found) == most:
            break
    if not found:
        raise InputError(f"no clip of this film has {thing}, as far as the masker can see.")
    words: dict[int, tuple[str, ...]] = {i: (t.word,) for i, t in found.items()}
    facts = recorded(sorted(found), len(found), len(clips), words) | {"n_seen": seen}
    stood_for = [f"{i}: {found[i].word}" for i in sorted(found) if found[i].phrase is None]
    if stood_for and any(t.phrase is not None or t.word != "foreground" for t in found.values()):
        facts["foreground_for"] = "; ".join(stood_for)
    return Choice(tuple(found), facts), found


def first_seen(film: FilmFacts, number: int, wishes: Sequence[Target]) -> Target | None:
    """The first of ``wishes`` that most looks at the clip show, and in a fit size."""
    pictures = looks(film, number)
    for wish in wishes:
        most = MOST_STAND_IN if wish.phrase is None else MOST_THING
        found = [instances(film, picture, wish.phrase) for picture in pictures]
        fit = [len(f) for f in found if f and LEAST_THING <= float(np.max(f, axis=0).mean()) <= most]
        if len(fit) > len(pictures) / 2:
            return Target(wish.phrase, wish.word, sorted(fit)[len(fit) // 2])
    return None


def instances(film: FilmFacts, picture: Picture, phrase: str | None) -> list[Matte]:
    """Masks of what a phrase names, without empty ones; of the foreground one, or none."""
    masker = masker_of(film)
    found = [masker.mask(picture, None)] if phrase is None else masker.instances(picture, phrase)
    return [m for m in found if m.any()]


def first_ones(film: FilmFacts, phrase: str | None, count: int) -> Find:
    """Finds the first ``count`` things of a phrase, and later those that lie where these were carried."""

    def find(bgr: Picture, before: Matte | None) -> Matte:
        found = instances(film, bgr, phrase)
        kept = found[:count] if before is None else [m for m in found if covered(m, before) >= SAME_THING]
        return np.max(kept, axis=0) if kept else np.zeros(bgr.shape[:2], np.float32)

    return find


def every(film: FilmFacts, phrase: str | None) -> Find:
    """Finds all things of a phrase, those that come into the picture later too."""

    def find(bgr: Picture, before: Matte | None) -> Matte:
        found = instances(film, bgr, phrase)
        return np.max(found, axis=0) if found else np.zeros(bgr.shape[:2], np.float32)

    return find


def looks(film: FilmFacts, number: int) -> list[Picture]:
    """Pictures of a clip, evenly spread."""
    clip = film.clips[number]
    return [looked(film, clip.start + share * (clip.end - clip.start)) for share in LOOKS]


def middle(film: FilmFacts, number: int) -> Picture:
    """The picture in the middle of a clip."""
    return looked(film, (film.clips[number].start + film.clips[number].end) / 2)


def masker_of(film: FilmFacts) -> Masker:
    """The masker that the film was given. Raises ``ValueError``: without one an operator cannot run."""
    if film.masker is None:
        raise ValueError("this operator needs a masker")
    return film.masker


def editor_of(film: FilmFacts) -> Editor:
    """The editor that the film was given, as :func:`masker_of`."""
    if film.editor is None:
        raise ValueError("this operator needs an editor")
    return film.editor


def proxies(*ports: Masker | Editor | Generator | None) -> tuple[str, ...]:
    """What stood in for a model, and for which: "grabcut-proxy for rembg"."""
    return tuple(f"{p.name} for {p.stands_for}" for p in ports if p is not None and p.kind == "proxy")
