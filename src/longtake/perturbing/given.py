"""What an operator is given to work with: clips, captions, a pool, another film, ports."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.brief import Brief
from ..core.progress import Progress
from ..core.signal import Signal
from ..core.video import Video
from ..errors import InputError, MissingError, UsageError
from ..execution.measure import Measured, measure
from ..media.open import CLIP_SUFFIXES, open_video
from ..meta.perturbations import Clip, FilmFacts, Perturbation, PoolSegment, facts_of
from ..meta.perturbations.base import Need
from ..meta.perturbations.clips import BLOCK_S, blocks
from ..models.editors import editor as editor_named
from ..models.generators import generator as generator_named
from ..models.maskers import masker as masker_named
from ..models.vectors import unit
from ..signals import embeddings
from ..signals.text_lines import SURE
from ..storage.cache import Cache

if TYPE_CHECKING:
    from ..core.ports import Editor, Generator, Masker

Unit = Literal["brief", "shot", "block"]
UNITS: tuple[Unit, ...] = ("brief", "shot", "block")
BLOCK_FRAMES = 81
"""Frames of a block where a generator works on it (Long-CODE; at 16 fps these are 5.06 s)."""
SLACK = 0.02
"""Share of a film's length by which planned lengths may miss it and still tell where its clips are."""
EMBEDDED = ("shots", "embeddings")


@dataclass(frozen=True)
class Given:
    """What a user gives all operators of a run. ``unit`` is what a clip is, each family has its own else;
    ``block`` is the length of a block in seconds, ``embedder`` the name of what compares a pool.
    """

    brief: Brief | None = None
    unit: Unit | None = None
    block: float | None = None
    pool: tuple[Video, ...] = ()
    other: Video | None = None
    other_brief: Brief | None = None
    masker: Masker | None = None
    editor: Editor | None = None
    generator: Generator | None = None
    embedder: str | None = None


def digest_of(given: Given, needs: Sequence[Need]) -> str:
    """What stands for all that an operator of these needs is given, whatever the paths of it."""
    named: dict[str, Any] = {
        "brief": given.brief.model_dump_json() if given.brief else None,
        "unit": given.unit,
        "block": given.block,
    }
    if "pool" in needs:
        named |= {"pool": sorted(film.hash for film in given.pool), "embedder": given.embedder}
    if "other" in needs:
        named["other"] = given.other.hash if given.other else None
        named["other_brief"] = given.other_brief.model_dump_json() if given.other_brief else None
    ports = {"mask": given.masker, "edit": given.editor, "generate": given.generator}
    named |= {need: port.name for need, port in ports.items() if need in needs and port is not None}
    return f"sha256:{hashlib.sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()}"


def given_by(
    *,
    brief: Brief | None = None,
    unit: str | None = None,
    block: float | None = None,
    pool: Sequence[Path] = (),
    other: Video | None = None,
    other_brief: Brief | None = None,
    masker: str | None = None,
    editor: str | None = None,
    generator: str | None = None,
    embedder: str | None = None,
) -> Given:
    """What names and paths mean. A folder in ``pool`` stands for the films in it.

    Raises:
        InputError: a film of the pool cannot be read.
        MissingError: a model that was named is not there.
        UsageError: an unknown unit or model.
    """
    if unit is not None and unit not in UNITS:
        raise UsageError(f"{unit!r} is no unit", hint=f"one of: {', '.join(UNITS)}")
    films = [film for path in pool for film in (_films_in(path) if path.is_dir() else [path])]
    root = Cache().root
    return Given(
        brief=brief,
        unit=unit,
        block=block,
        pool=tuple(open_video(p) for p in films),
        other=other,
        other_brief=other_brief,
        masker=masker_named(masker, root),
        editor=editor_named(editor, root),
        generator=generator_named(generator, root),
        embedder=embedder,
    )


def _films_in(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.suffix.lower() in CLIP_SUFFIXES)


def film_facts(
    video: Video,
    operator: Perturbation,
    given: Given,
    cache: Cache,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> FilmFacts:
    """Everything ``operator`` may know of ``video``.

    Raises:
        InputError: it lacks something that only the user can give.
    """
    film = facts_of(video)
    need = operator.needs
    if "captions" in need and given.brief is None:
        raise InputError(
            f"{operator.name} goes by what the brief says of each clip, and there is no brief.",
            hint="give one with a text and times for each shot: --brief FILE",
        )
    if "pool" in need and not given.pool:
        raise InputError(f"{operator.name} takes from other films.", hint="name them: --pool FOLDER")
    if "other" in need and given.other is None and given.other_brief is None:
        raise InputError(
            f"{operator.name} takes from another film or brief.",
            hint="name it: --other FILE, or --other-brief FILE",
        )

    def measured(of: Video, *names: str) -> Measured:
        return measure(of, names, cache=cache, workers=workers, embedder=given.embedder, progress=progress)

    film = replace(
        film,
        brief=given.brief,
        other=given.other,
        other_brief=given.other_brief,
        masker=given.masker,
        editor=given.editor,
        generator=given.generator,
    )
    if {"clips", "captions", "pool"} & set(need) or operator.within:
        film = replace(
            film, clips=_clips(film, given, operator, lambda: measured(video, "shots").signals["shots"])
        )
    if "pool" in need:
        length = max(c.end - c.start for c in film.clips)
        pool = [
            segment
            for other in given.pool
            for segment in _segments(other, length, measured(other, *EMBEDDED))
        ]
        vectors = _vectors(measured(video, *EMBEDDED), [(c.start, c.end) for c in film.clips])
        film = replace(film, pool=tuple(pool), vectors=vectors)
    if "text" in need:
        film = replace(film, written=_written(measured(video, "text").signals["text"]))
    return film


def _clips(
    film: FilmFacts, given: Given, operator: Perturbation, shots: Callable[[], Signal]
) -> tuple[Clip, ...]:
    """The clips of the film, by the user's unit or the family's own."""
    own: Unit = "shot" if operator.within or given.brief is None else "brief"
    if given.unit == "brief" and given.brief is None:
        raise InputError("the brief's shots are to be the clips, and there is no brief.", hint="--brief FILE")
    unit = given.unit or ("block" if operator.family == "long-code" else own)
    if unit == "block":
        by_frames = BLOCK_FRAMES / film.fps if {"edit", "generate"} & set(operator.needs) else BLOCK_S
        return blocks(film.duration, given.block or by_frames)
    columns = shots().columns
    found = [Clip(float(a), float(b)) for a, b in zip(columns["start"], columns["end"], strict=True)]
    if unit == "shot" or given.brief is None:
        return _captioned(found, given.brief) if given.brief else tuple(found)
    return planned(given.brief, film.duration, found)


def planned(brief: Brief, duration: float, found: Sequence[Clip]) -> tuple[Clip, ...]:
    """Clips with the brief's texts: where it puts its shots, else by their lengths, else one per found shot.

    A planned length may differ from the film's by :data:`SLACK`; planned times beyond its end are cut off.

    Raises:
        InputError: the brief says nothing of times, and plans another number of shots than there are.
    """
    shots = brief.shots
    if not shots:
        raise InputError(
            "the brief plans no shots.", hint="take --unit shot, or a brief with a text per shot"
        )
    spans: list[tuple[float, float]] = []
    if all(s.start is not None and s.end is not None for s in shots):
        spans = [(float(s.start or 0), float(s.end or 0)) for s in shots]
    elif all(s.duration for s in shots):
        edges = [0.0, *accumulate(float(s.duration or 0) for s in shots)]
        if abs(edges[-1] - duration) <= SLACK * duration:
            spans = list(pairwise(edges))
    if not spans and len(found) == len(shots):
        spans = [(c.start, c.end) for c in found]
    if not spans:
        raise InputError(
            f"the brief plans {len(shots)} shots without times that fit, and the film has {len(found)}.",
            hint="give start and end of each shot in the brief, or take --unit shot",
        )
    inside = [(a, min(b, duration), s.text) for (a, b), s in zip(spans, shots, strict=True) if a < duration]
    return tuple(Clip(a, b, text) for a, b, text in inside if b > a)


def _captioned(found: Sequence[Clip], brief: Brief) -> tuple[Clip, ...]:
    """Found shots with the brief's texts where there are as many of both, or where its times say so."""
    if len(found) == len(brief.shots):
        return tuple(replace(c, text=s.text) for c, s in zip(found, brief.shots, strict=True))
    timed = [s for s in brief.shots if s.start is not None and s.end is not None]

    def text(clip: Clip) -> str:
        middle = (clip.start + clip.end) / 2
        return next((s.text for s in timed if (s.start or 0) <= middle < (s.end or 0)), "")

    return tuple(replace(c, text=text(c)) for c in found)


def _segments(video: Video, length: float, seen: Measured) -> list[PoolSegment]:
    """A film of the pool cut into stretches of ``length`` seconds; what is left over is not used."""
    count = int(facts_of(video).duration / length + 1e-6)
    spans = [(i * length, (i + 1) * length) for i in range(count)]
    rows = _vectors(seen, spans)
    return [
        PoolSegment(video, a, b, v) for (a, b), v in zip(spans, rows, strict=True) if np.isfinite(v).all()
    ]


def _vectors(seen: Measured, spans: Sequence[tuple[float, float]]) -> NDArray[np.float32]:
    """Mean embedding of each span's kept frames at length 1, of the frame nearest to it where it has none.

    Raises:
        MissingError: the embedder or its weights are not there.
    """
    signal = seen.signals["embeddings"]
    if not signal.usable:
        raise MissingError(
            f"a pool is compared by embeddings, and there are none: {signal.reason}",
            hint="longtake models pull mobilenet-v2 imagenet-names",
        )
    times, rows = embeddings.vectors(seen.merged)
    made = []
    for start, end in spans:
        inside = (times >= start) & (times < end)
        if not inside.any():
            inside = np.abs(times - (start + end) / 2) == np.abs(times - (start + end) / 2).min()
        made.append(rows[inside].mean(axis=0))
    return unit(np.asarray(made, np.float32))


def _written(text: Signal) -> tuple[tuple[float, float], ...] | None:
    """Spans in which something is surely written; ``None`` where nobody could look."""
    if not text.usable:
        return None
    columns = text.columns
    rows = zip(columns["start"], columns["end"], columns["confidence"], strict=True)
    return tuple((float(a), float(b)) for a, b, score in rows if score >= SURE)
