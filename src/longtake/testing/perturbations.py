"""``check_perturbation``: whether a damage is what its record says."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from ..core.video import Video
from ..errors import InputError
from ..media.open import open_video
from ..media.probe import probe
from ..meta.perturbations import Clip, Damage, FilmFacts, PoolSegment, draw, facts_of, get, perturb
from .films import SHOT_S, SHOTS, brief_for, films, long_film
from .measured import check_strict
from .problems import Problems

LEVELS = ("weak", "medium", "strong")
HAIR_S = 0.1
"""Seconds by which a written film may miss the length of its record: a frame of the films of the check."""


def check_perturbation(name: str, *, seed: int = 7) -> dict[str, str]:
    """Draw a perturbation at its three strengths on a film of twelve shots with captions and a tone, and
    write it at the first that the film has room for; for each strength ``drawn``, ``written``, or why not.

    Checked are: strengths within bounds and in order; places that depend on the seed alone, lie within the
    film, and say what happens there; and a record that is strict JSON and true to what was written in
    length and bounds. Captions, clips, sound, another film and a pool of its shots are given; models are not,
    and operators that need one have to refuse in words.

    Raises:
        ConformanceError: it does not keep to something; all of it is listed.
        UsageError: there is no perturbation of that name.
    """
    operator = get(name)
    problems = Problems(f"the perturbation {name}")
    strengths = [getattr(operator, level) for level in LEVELS]
    for level, strength in zip(LEVELS, strengths, strict=True):
        within = operator.low <= strength <= operator.high
        problems.unless(within, f"{level} is {strength}, not from {operator.low} to {operator.high}")
    ordered = strengths in (sorted(strengths), sorted(strengths, reverse=True))
    problems.unless(ordered, f"its strengths are not in order: {strengths}")
    problems.unless(bool(operator.doc.strip()), "it does not say what it does")
    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as place:
        path, brief = long_film(Path(place, "long.mp4"))
        film, other = open_video(path), open_video(films(Path(place)).shots)
        facts = replace(
            facts_of(film),
            clips=tuple(Clip(s.start or 0.0, s.end or 0.0, s.text) for s in brief.shots),
            brief=brief,
            pool=tuple(PoolSegment(other, i * SHOT_S, (i + 1) * SHOT_S) for i in range(len(SHOTS))),
            other=other,
            other_brief=brief_for(1),
        )
        for level in LEVELS:
            with problems.running(f"at {level}"):
                found[level] = _drawn(film, name, level, seed, facts, problems)
        first = next((level for level in LEVELS if found.get(level) == "drawn"), None)
        if first is not None:
            with problems.running(f"written at {first}"):
                found[first] = _written(film, name, first, seed, facts, Path(place), problems)
    problems.settle()
    return found


def _drawn(film: Video, name: str, level: str, seed: int, facts: FilmFacts, problems: Problems) -> str:
    try:
        first, second = (draw(film, name, level, seed, film=facts) for _ in range(2))
    except InputError as error:
        problems.unless(bool(error.message.strip()), f"at {level}: it refuses without a word")
        return error.message
    problems.unless(_places(first) == _places(second), f"at {level}: the same seed draws other places")
    for start, end, what in first.spans:
        inside = -HAIR_S <= start <= end <= facts.duration + HAIR_S
        problems.unless(inside, f"at {level}: it damages {start:g} to {end:g} s of {facts.duration:g} s")
        problems.unless(bool(what.strip()), f"at {level}: it does not say what happens at {start:g} s")
    return "drawn"


def _places(damage: Damage) -> object:
    brief = damage.brief.hash if damage.brief is not None else None
    return damage.spans, damage.removed, damage.order, damage.facts, brief


def _written(
    film: Video, name: str, level: str, seed: int, facts: FilmFacts, folder: Path, problems: Problems
) -> str:
    out = folder / "out.mp4"
    try:
        record = perturb(film, name, level, seed, out, film=facts)
    except InputError as error:
        return error.message
    check_strict(record, "its record", problems)
    length = probe(open_video(record.output)).duration or 0.0
    near = abs(length - record.duration_out) <= HAIR_S
    problems.unless(near, f"it wrote {length:g} s, and its record says {record.duration_out:g} s")
    for change in record.changed:
        if change.output is not None:
            inside = -HAIR_S <= change.output.start <= change.output.end <= record.duration_out + HAIR_S
            problems.unless(
                inside, f"it changed {change.output.start:g} to {change.output.end:g} s of {length:g} s"
            )
    return "written"
