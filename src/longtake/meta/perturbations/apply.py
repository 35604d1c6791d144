"""Making a damaged copy of a film, and its control, with bounded memory.

Where the film allows it only what changes is encoded (``partial.py``), else both copies whole (``whole.py``).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np

from ...core.changes import Change, ChangeRecord, Span
from ...core.seeds import seed_for
from ...core.video import Video
from ...errors import InputError
from ...media.h264_index import Unspliceable
from ...media.probe import probe
from ...media.soundtrack import SoundTrack, Stretch, spliced
from ...media.splice_plan import Piece
from ...media.times import frame_times
from ...media.unfinished import forget_unfinished
from ...storage.cache import replacing
from .altered import Watched
from .base import Damage, FilmFacts, Need, Perturbation, Picture
from .painting import Painter, picture_at
from .partial import Written, write_partial
from .registry import get, strength_of
from .timeline import outputs_of, picture_edits, share_of, snapped, starts
from .whole import check_names, even, painted, write_film, write_whole, write_wholes

DEFAULT_FPS = 25.0
"""Taken where a container does not state a rate; only places of single frames depend on it."""
NEEDED: dict[Need, tuple[str, str]] = {
    "sound": ("damages sound, and this film has none", "take a film with a sound track"),
    "clips": ("works on clips, and none are known", "give a brief with times, or choose shots or blocks"),
    "captions": (
        "goes by what clips show, and there is no text of them",
        "give a brief with texts",
    ),
    "pool": ("takes from a pool of other films, and there is none", "name other films"),
    "other": ("takes from another film or brief, and there is none", "name one"),
    "mask": ("needs something that finds things in a picture", "name a masker"),
    "edit": ("needs something that edits pictures", "name an editor"),
    "generate": ("needs something that makes pictures", "name a generator"),
}
"""What is said where an operator lacks something it needs, and what to do."""


def perturb(
    video: Video,
    operator: str,
    strength: float | str,
    seed: int,
    out: Path,
    *,
    control: Path | None = None,
    cuts: tuple[float, ...] = (),
    film: FilmFacts | None = None,
) -> ChangeRecord:
    """Write a damaged copy of ``video`` to ``out``, and to ``control`` the same film without damage.

    Places depend on (content hash, operator, seed) alone, or are ``cuts`` (seconds) where an operator with
    single places is given some. ``film`` is :func:`facts_of` with what the operator needs filled in (clips,
    brief, pool, another film, ports). A brief that takes the place of the film's goes beside the copy, with
    ``.brief.json`` for its suffix. The files have their names only when they are whole.

    Raises :class:`UsageError` for an unknown operator or strength and a suffix that cannot be written,
    :class:`InputError` where the film has nothing that the operator could damage or nothing of it would be
    altered, :class:`OutputError` where nothing can be written.
    """
    targets = [out, *([control] if control else [])]
    check_names(*targets)
    for target in targets:
        forget_unfinished(target.parent)
    chosen = get(operator)
    number, level = strength_of(chosen, strength)
    film = _given(video, cuts, film)
    damage = draw(video, operator, strength, seed, film=film)
    edges = frame_times(video)
    pieces = picture_edits(damage, edges)
    if not pieces:
        raise InputError(f"{operator} would leave nothing of the film.", hint="Take a longer film.")
    length = float(starts(pieces, edges)[-1])
    why, lost = None, 0
    try:
        done = write_partial(video, film, Watched(chosen, damage, pieces, edges), edges, out, control)
    except Unspliceable as reason:
        why = str(reason)
        fresh = draw(video, operator, strength, seed, film=film)  # the other may have been used up
        lost = write_wholes(video, film, Watched(chosen, fresh, pieces, edges), edges, targets)
        done = Written([Span(start=0, end=length)], "encoded" if film.has_sound else "none", 0)
    begin = float(video.start or 0)
    changed = _changes(damage, pieces, edges, list(chosen.aspects), begin)
    return ChangeRecord(
        source=video.hash,
        output=str(out),
        control=str(control) if control else None,
        operator=operator,
        strength=number,
        level=level,
        seed=seed,
        mode="partial" if why is None else "full",
        why_full=why,
        sound=done.sound,
        changed=changed,
        encoded=done.encoded,
        share_changed=share_of(_sources(changed, begin), float(edges[-1])),
        brief=_brief(damage, out),
        spared=list(chosen.spared),
        proxies=list(damage.proxies),
        facts={
            **damage.facts,
            **({"tracks_left_out": done.lost} if done.lost else {}),
            **({"frames_not_decoded": lost} if lost else {}),
        },
        duration_in=float(edges[-1]),
        duration_out=length,
    )


def draw(
    video: Video,
    operator: str,
    strength: float | str,
    seed: int,
    *,
    cuts: tuple[float, ...] = (),
    film: FilmFacts | None = None,
) -> Damage:
    """The damage that :func:`perturb` would do, without doing it. Raises as that does."""
    chosen = get(operator)
    number, _ = strength_of(chosen, strength)
    film = _given(video, cuts, film)
    _must_have(chosen, film)
    return chosen.make(film, number, np.random.default_rng(seed_for(video.hash, operator, seed)))


def reencode(video: Video, out: Path) -> float:
    """A control: the film encoded whole, without damage. Gives its length in seconds."""
    edges = frame_times(video)
    write_whole(video, facts_of(video), None, edges, out)
    return float(edges[-1])


def join(videos: list[Video], out: Path) -> float:
    """A control: films put one after the other with clean cuts, in size, rate and sound of the first.

    Frames keep their own pace: one of another rate keeps its rate. Gives the length in seconds.
    """
    film = facts_of(videos[0])
    edges = [frame_times(video) for video in videos]
    offsets = [Fraction(0), *itertools.accumulate(e[-1] for e in edges)]
    parts = zip(videos, edges, offsets, strict=False)
    pictures = itertools.chain.from_iterable(_moved(v, film, times, at) for v, times, at in parts)
    sound = None
    if film.sample_rate is not None:
        rate = film.sample_rate
        ends = [round(at * rate) for at in offsets]
        tracks = [SoundTrack(video, rate, film.channels) for video in videos]
        lengths = [b - a for a, b in itertools.pairwise(ends)]
        sound = spliced([Stretch(t, 0, n) for t, n in zip(tracks, lengths, strict=True)])
    write_film(film, pictures, sound, out, offsets[-1], even=even(*edges))
    return float(offsets[-1])


def facts_of(video: Video) -> FilmFacts:
    """What operators may know of a film, from its container; ``look`` decodes a picture when it is asked."""
    document = probe(video)
    if document.video is None or not document.duration:
        raise InputError(f"{video.path.name} has no picture of known length.")
    begin = float(video.start or 0)
    end = float(video.end) if video.end is not None else float("inf")
    film = FilmFacts(
        duration=min(document.duration, end) - begin,
        fps=document.video.fps or DEFAULT_FPS,
        width=max(2, document.video.width // 2 * 2),
        height=max(2, document.video.height // 2 * 2),
        sample_rate=document.audio[0].sample_rate if document.audio else None,
        channels=min(2, document.audio[0].channels) if document.audio else 1,
        hash=video.hash,
        frames=tuple(map(float, frame_times(video))),
    )
    return replace(film, look=partial(picture_at, video, film))


def _given(video: Video, cuts: tuple[float, ...], film: FilmFacts | None) -> FilmFacts:
    film = film or facts_of(video)
    return replace(film, cuts=cuts) if cuts else film


def _must_have(operator: Perturbation, film: FilmFacts) -> None:
    """Raise :class:`InputError` for the first thing that the operator needs and the film lacks."""
    there: dict[Need, bool] = {
        "sound": film.has_sound,
        "clips": bool(film.clips),
        "captions": any(clip.text for clip in film.clips),
        "pool": bool(film.pool),
        "other": film.other is not None or film.other_brief is not None,
        "mask": film.masker is not None,
        "edit": film.editor is not None,
        "generate": film.generator is not None,
    }
    for need in operator.needs:
        if not there.get(need, True):
            what, hint = NEEDED[need]
            raise InputError(f"{operator.name} {what}.", hint=hint)


def _changes(
    damage: Damage, pieces: Sequence[Piece], edges: Sequence[Fraction], aspects: list[str], begin: float
) -> list[Change]:
    """Damaged spans on the clocks of the source (its part begins at ``begin``) and of the output."""
    changes = []
    end = float(edges[-1])
    for a, b, what in damage.spans:
        span = (a, min(b, end)) if damage.sound else snapped((a, min(b, end)), edges)
        parts: list[tuple[tuple[float, float], tuple[float, float] | None]]
        parts = [*outputs_of(span, pieces, edges)] or [(span, None)]
        for source, output in parts:
            changes.append(
                Change(
                    source=Span(start=begin + source[0], end=begin + source[1]),
                    output=None if output is None else Span(start=output[0], end=output[1]),
                    what=what,
                    aspects=aspects,
                )
            )
    return changes


def _sources(changes: Sequence[Change], begin: float) -> list[tuple[float, float]]:
    """Recorded spans of the source, counted from the beginning of its part."""
    return [(c.source.start - begin, c.source.end - begin) for c in changes if c.source]


def _brief(damage: Damage, out: Path) -> str | None:
    if damage.brief is None:
        return None
    path = out.with_suffix(".brief.json")
    with replacing(path, "the brief of the copy") as file:
        file.write(damage.brief.model_dump_json(by_alias=True, indent=1).encode())
    return str(path)


def _moved(
    video: Video, film: FilmFacts, edges: Sequence[Fraction], offset: Fraction
) -> Iterator[tuple[Picture, Fraction]]:
    """A whole film, its times moved by ``offset`` seconds."""
    for bgr, time in painted(video, Painter(film, None), [Piece(0, len(edges) - 1)], edges):
        yield bgr, time + offset
