"""Clips that operators take as a whole: blocks of a film, a draw that nests, orders with nothing in place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...errors import InputError, UsageError
from .base import Clip, Damage, Facts, FilmFacts, Picture

BLOCK_S = 10.0
"""Seconds of a fixed block (Long-CODE, arXiv 2604.17428, section on corruption tests)."""
FEWEST_CLIPS = 10
"""A film of fewer clips is refused where clips are deleted or shuffled (SLVMEval damages five)."""
CHOSEN_CLIPS = 5
"""Clips of a film that SLVMEval damages (arXiv 2603.29186)."""
SAME_TIME = 1e-3
"""Clips that overlap by no more than this many seconds touch."""
ROUNDED = 1e-9
"""Seconds by which a frame may come before a span and still belong to it."""
Words = Callable[[str], Sequence[str]]
"""Words of a caption for which a clip may be taken; none where it may not."""


def blocks(duration: float, length: float = BLOCK_S) -> tuple[Clip, ...]:
    """A film of ``duration`` seconds in blocks of ``length``; a last one shorter than half joins that before.

    Every film has at least one block, however short it is.
    """
    count = max(1, int(duration / length + 0.5 + 1e-9))
    edges = [i * length for i in range(count)]
    return tuple(Clip(a, b) for a, b in zip(edges, [*edges[1:], duration], strict=True))


@dataclass(frozen=True)
class Choice:
    """Clips of a film that were chosen: their numbers (from 0, in the film's order), and what to record.

    ``order`` has them as they were drawn: that of a weaker strength is the beginning of a stronger one's.
    """

    order: tuple[int, ...]
    facts: Facts

    @property
    def clips(self) -> tuple[int, ...]:
        """The numbers in the film's order."""
        return tuple(sorted(self.order))


def clips_of(film: FilmFacts) -> tuple[Clip, ...]:
    """The film's clips; :class:`InputError` where it was not cut into any, or where they overlap."""
    if not film.clips:
        raise InputError(
            "the film is not cut into clips.", hint="Give a brief with times, or take shots or blocks."
        )
    for i, (clip, after) in enumerate(pairwise(film.clips)):
        if after.start < clip.end - SAME_TIME:
            raise InputError(
                f"clip {i} ends at {clip.end:g} s, after clip {i + 1} starts ({after.start:g} s).",
                hint="Mend the times in the brief.",
            )
    return film.clips


def choose(
    film: FilmFacts,
    count: int,
    rng: np.random.Generator,
    *,
    words: Words | None = None,
    thing: str = "",
    at_most: int | None = None,
) -> Choice:
    """``count`` clips by an order drawn over all clips, so that fewer of them are a subset of more.

    ``words`` says for which words of its caption a clip may be taken (``thing`` names them to a user); the
    order does not depend on it. Where fewer may be taken than are asked for, those are taken: ``n_clips`` and
    ``n_eligible`` in the facts tell. ``at_most`` bounds the count.

    Raises:
        InputError: there is not one such clip, or the film has no clips.
    """
    clips = clips_of(film)
    found = {i: tuple(words(c.text)) for i, c in enumerate(clips)} if words else None
    eligible = [i for i in drawn(len(clips), rng) if found is None or found[i]]
    if not eligible:
        raise InputError(
            f"no clip of this film mentions {thing}, so none can be damaged.",
            hint="Captions are read as English; see the operator's page for what counts.",
        )
    chosen = eligible[: count if at_most is None else min(count, at_most)]
    if not chosen:
        raise InputError(f"a film of {len(clips)} clip(s) is too short: at most half of them are damaged.")
    return Choice(tuple(chosen), recorded(sorted(chosen), len(eligible), len(clips), found))


def whole(strength: float) -> int:
    """A strength that is a number of clips; :class:`UsageError` where it is none."""
    if strength != int(strength):
        raise UsageError(f"this strength is a number of pieces, and {strength:g} is not a whole one.")
    return int(strength)


def drawn(count: int, rng: np.random.Generator) -> list[int]:
    """All numbers below ``count`` in an order drawn from ``rng``: whoever takes fewer takes its beginning."""
    return [int(i) for i in rng.permutation(count)]


def recorded(
    chosen: Sequence[int], eligible: int, clips: int, words: dict[int, tuple[str, ...]] | None = None
) -> Facts:
    """What a record says of a choice: numbers of clips counted from 0, and the words it rested on."""
    facts: Facts = {
        "clips": ",".join(map(str, chosen)),
        "n_clips": len(chosen),
        "n_eligible": eligible,
        "clips_of_film": clips,
    }
    if words is not None:
        facts["words"] = "; ".join(f"{i}: {', '.join(words[i])}" for i in chosen)
    return facts


def half(film: FilmFacts) -> int:
    """At most so many clips are damaged where the film keeps all of them."""
    return len(clips_of(film)) // 2


def enough(film: FilmFacts, operator: str) -> tuple[Clip, ...]:
    """The film's clips, where there are enough to delete or shuffle some; :class:`InputError` elsewhere."""
    clips = clips_of(film)
    if len(clips) < FEWEST_CLIPS:
        raise InputError(
            f"{operator} needs a film of {FEWEST_CLIPS} clips or more; this one has {len(clips)}."
        )
    return clips


def window(count: int, length: int, rng: np.random.Generator) -> range:
    """``length`` neighbours of ``count``, grown from one place to both sides: a shorter one lies in a longer.

    Raises:
        InputError: there are not so many.
    """
    if length > count:
        raise InputError(f"{length} clips in a row are asked for, and the film has {count}.")
    first = last = int(rng.integers(count))
    for left in rng.random(count) < 0.5:
        if last - first + 1 == length:
            break
        if (left and first > 0) or last == count - 1:
            first -= 1
        else:
            last += 1
    return range(first, last + 1)


def displaced(items: Sequence[int], rng: np.random.Generator) -> list[int]:
    """``items`` (two or more) in an order that leaves none in place; each such order is as likely."""
    if len(items) < 2:
        raise InputError("one clip alone cannot change its place.")
    while True:
        order = [int(i) for i in rng.permutation(len(items))]
        if all(i != place for place, i in enumerate(order)):
            return [items[i] for i in order]


def reordered(film: FilmFacts, moves: dict[int, int]) -> tuple[tuple[float, float], ...]:
    """The whole film in pieces, clip ``moves[i]`` in the place of clip ``i``; what lies between clips stays.

    Pieces that follow each other in the source are one piece.
    """
    clips = clips_of(film)
    pieces: list[tuple[float, float]] = []
    at = 0.0
    for i, clip in enumerate(clips):
        shown = clips[moves.get(i, i)]
        pieces += [(at, clip.start), (shown.start, shown.end)]
        at = clip.end
    pieces.append((at, film.duration))
    joined: list[tuple[float, float]] = []
    for start, end in pieces:
        if end <= start:
            continue
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return tuple(joined)


def in_clips(
    film: FilmFacts, choice: Choice, what: str, picture: Callable[[int, Picture, float], Picture]
) -> Damage:
    """A damage of the pictures of chosen clips: ``picture`` is given the clip's number beside them."""
    spans = {i: (film.clips[i].start, film.clips[i].end) for i in choice.clips}

    def changed(bgr: Picture, time: float) -> Picture:
        number = number_at(time, spans)
        return bgr if number is None else picture(number, bgr, time)

    return Damage([(*span, what) for span in spans.values()], changed, facts=choice.facts)


def number_at(time: float, spans: Mapping[int, tuple[float, float]]) -> int | None:
    """The number of the span in which a frame at ``time`` lies; times are rounded a little."""
    return next((i for i, (a, b) in spans.items() if a - ROUNDED <= time < b - ROUNDED), None)


def looked(film: FilmFacts, time: float) -> Picture:
    """The picture that the film shows at ``time``, rounded as frame times are."""
    if film.look is None:
        raise ValueError("this operator looks at the film before it damages it, and was given no way to")
    return film.look(time + ROUNDED)
