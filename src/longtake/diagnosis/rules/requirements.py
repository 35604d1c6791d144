"""What the brief asks for and signals can check."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...core.brief import Brief
from ...core.measurement import Evidence, Measurement
from ..facts import Facts
from .duration import LEAST_RATIO
from .rule import Fact, column, not_applicable, scored

LONGEST_RATIO = 1.1
"""A film may be this much longer than asked for."""
SHIFT_S = 0.5
"""A planned shot is in its place if both ends lie within this many seconds."""
STATIC_SPEED = 0.03
"""Picture widths per second below which the camera stands (the motion signal's own bound)."""
MOVING_SPEED = 0.06
"""Twice that: a camera that is asked to move has to move clearly."""
STATIC_WORDS = re.compile(
    r"\b(static|locked[- ]?(off|down)|fixed camera|tripod|still camera|stationary)\b", re.I
)
MOVING_WORDS = re.compile(
    r"\b(pan(s|ning)?|tilt(s|ing)?|dolly|tracking|truck(s|ing)?|crane|zoom(s|ing)?|push(es)?[- ]in|pull(s)?"
    r"[- ](back|out)|orbit(s|ing)?|hand-?held|steadicam|fly(ing)?[- ](over|through)|follow(s|ing)?)\b",
    re.I,
)
"""English words that ask for one or the other; a text with both, or neither, is not checkable."""
NO_SOUND = re.compile(r"\b(silent|no (sound|audio)|without (sound|audio))\b", re.I)


@dataclass(frozen=True)
class Item:
    """Something asked for, and whether it is there."""

    what: str
    met: bool
    start: float
    end: float


def user_requirement_consistency(facts: Facts) -> Measurement:
    """Share of the brief's checkable wishes that are met: length, shots and their places, camera, sound.

    Checked are the asked-for length, the number and places of planned shots (where they could be aligned), a
    standing or a moving camera asked for in words per shot, sound or silence, and music where it is known
    whether there is any. Wishes about content, mood and people are not checkable here and do not count;
    fact ``checkable`` says how many were. Camera words are English.
    """
    name = "user_requirement_consistency"
    if facts.brief is None:
        return not_applicable(name, "there is no brief")
    items = list(_items(facts, facts.brief))
    if not items:
        return not_applicable(name, "the brief asks for nothing that signals can check")
    missed = [i for i in items if not i.met]
    listed: dict[str, Fact] = {f"missed_{n}": i.what for n, i in enumerate(missed, 1)}
    return scored(
        name,
        1 - len(missed) / len(items),
        [Evidence(start=i.start, end=i.end, what=f"not met: {i.what}") for i in missed],
        checkable=len(items),
        met=len(items) - len(missed),
        **listed,
    )


def _items(facts: Facts, brief: Brief) -> Iterator[Item]:
    length = facts.film.duration
    asked = brief.planned_duration
    if asked:
        met = LEAST_RATIO <= length / asked <= LONGEST_RATIO
        yield Item(f"a length of {asked:.1f} s (it is {length:.1f} s)", met, 0.0, length)
    shots = len(facts.signals["shots"]) if "shots" in facts.signals else 0
    if brief.shots and shots:
        yield Item(f"{len(brief.shots)} shots (there are {shots})", shots == len(brief.shots), 0.0, length)
    yield from _planned(facts, brief)
    yield from _sound(facts, brief)


def _planned(facts: Facts, brief: Brief) -> Iterator[Item]:
    plan = facts.plan
    if plan is None or not plan.aligned:
        return
    cameras = {s.index: s.camera for s in brief.shots}
    for shot in plan.shots:
        start, end = shot.measured_start, shot.measured_end
        found = bool(shot.measured) and start is not None and end is not None
        if shot.start is not None and shot.end is not None:
            met = found and abs(start - shot.start) <= SHIFT_S and abs(end - shot.end) <= SHIFT_S  # type: ignore[operator]
            yield Item(
                f"shot {shot.index} from {shot.start:.1f} to {shot.end:.1f} s",
                bool(met),
                start if start is not None else shot.start,
                end if end is not None else shot.end,
            )
        words = cameras.get(shot.index) or ""
        static, moving = bool(STATIC_WORDS.search(words)), bool(MOVING_WORDS.search(words))
        if start is None or end is None or static == moving or "motion" not in facts.signals:
            continue
        times, speed = column(facts, "motion", "time"), column(facts, "motion", "camera_speed")
        inside = speed[(times > start) & (times < end) & np.isfinite(speed)]
        if len(inside):
            usual = float(np.median(inside))
            met = usual < STATIC_SPEED if static else float(np.percentile(inside, 75)) >= MOVING_SPEED
            wish = "a standing camera" if static else "a moving camera"
            yield Item(f"{wish} in shot {shot.index} ({usual:.2f} widths per second)", met, start, end)


def _sound(facts: Facts, brief: Brief) -> Iterator[Item]:
    length = facts.film.duration
    wishes = brief.sound
    audio = facts.signals["audio"]
    sounding = facts.film.audio and audio.facts.get("silent_share") != 1.0
    music = facts.attribute("has_background_music")
    if wishes.music:
        if not sounding:
            yield Item("music (there is no sound)", False, 0.0, length)
        elif music is not None:
            yield Item("music", bool(music), 0.0, length)
    if (wishes.dialogue or wishes.narration) and not sounding:
        yield Item("speech (there is no sound)", False, 0.0, length)
    if wishes.sound_effects and not sounding:
        yield Item("sound effects (there is no sound)", False, 0.0, length)
    if NO_SOUND.search(" ".join(filter(None, (brief.instruction, wishes.tone)))):
        yield Item("a silent film", not sounding, 0.0, length)
