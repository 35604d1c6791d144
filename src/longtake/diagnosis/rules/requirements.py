"""What the brief asks for and signals can check."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...core.brief import Brief
from ...core.measurement import Evidence, Measurement
from ..facts import Facts
from ..plan import LENGTH, SHOT_COUNT, AlignedShot, planned_name
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
    """Something asked for, and whether it is there; ``about`` as in :class:`Evidence`.

    ``moving_camera`` marks the wish for a camera that moves, which a hard constraint reads.
    """

    what: str
    met: bool
    start: float
    end: float
    about: str | None = None
    moving_camera: bool = False


def user_requirement_consistency(facts: Facts) -> Measurement:
    """Share of the brief's checkable wishes that are met: length, shots and their places, camera, sound.

    Checked are the asked-for length, the number and places of planned shots (where they could be aligned), a
    standing or a moving camera asked for in words per shot, sound or silence, and music where it is known
    whether there is any. Wishes about content, mood and people are not checkable here and do not count;
    fact ``checkable`` says how many were, ``camera`` the share of the wished moving cameras that move. Of a
    part only the planned shots inside it are checked, and that a film asked to speak has a sound track.
    Camera words are English.
    """
    name = "user_requirement_consistency"
    if facts.brief is None:
        return not_applicable(name, "there is no brief")
    items = list(_items(facts, facts.brief))
    if not items:
        return not_applicable(name, "the brief asks for nothing that signals can check")
    missed = [i for i in items if not i.met]
    cameras = [i.met for i in items if i.moving_camera]
    listed: dict[str, Fact] = {f"missed_{n}": i.what for n, i in enumerate(missed, 1)}
    return scored(
        name,
        1 - len(missed) / len(items),
        [Evidence(start=i.start, end=i.end, what=f"not met: {i.what}", about=i.about) for i in missed],
        checkable=len(items),
        met=len(items) - len(missed),
        camera=sum(cameras) / len(cameras) if cameras else None,
        **listed,
    )


def _items(facts: Facts, brief: Brief) -> Iterator[Item]:
    length = facts.film.duration
    asked = brief.planned_duration
    if asked and not facts.is_part:
        met = LEAST_RATIO <= length / asked <= LONGEST_RATIO
        what = f"a length of {asked:.1f} s (it is {length:.1f} s)"
        yield Item(what, met, facts.start, facts.end, LENGTH)
    have = len(facts.signals["shots"]) if "shots" in facts.signals else 0
    planned = len(facts.plan.shots) if facts.plan else 0
    if planned and have:
        what = f"{planned} shot{'' if planned == 1 else 's'} (there {'is' if have == 1 else 'are'} {have})"
        yield Item(what, have == planned, facts.start, facts.end, SHOT_COUNT)
    yield from _planned(facts, brief)
    yield from _sound(facts, brief)


def _planned(facts: Facts, brief: Brief) -> Iterator[Item]:
    plan = facts.plan
    if plan is None or not plan.aligned:
        return
    cameras = {i: s.camera for i, s in enumerate(brief.shots)}
    for shot in plan.shots:
        if shot.start is not None and shot.end is not None:
            yield _in_place(facts, shot, shot.start, shot.end)
        yield from _camera(facts, shot, cameras.get(shot.index) or "")


def _in_place(facts: Facts, shot: AlignedShot, planned_start: float, planned_end: float) -> Item:
    start, end = shot.measured_start, shot.measured_end
    name = planned_name(shot.index)
    what = f"{name} from {planned_start:.1f} to {planned_end:.1f} s"
    if not shot.measured or start is None or end is None:
        first, last = (min(max(t, facts.start), facts.end) for t in (planned_start, planned_end))
        return Item(what, False, first, last, name)
    met = abs(start - planned_start) <= SHIFT_S and abs(end - planned_end) <= SHIFT_S
    return Item(what, met, start, end, name)


def _camera(facts: Facts, shot: AlignedShot, words: str) -> Iterator[Item]:
    start, end = shot.measured_start, shot.measured_end
    static, moving = bool(STATIC_WORDS.search(words)), bool(MOVING_WORDS.search(words))
    if start is None or end is None or static == moving or "motion" not in facts.signals:
        return
    times, speed = column(facts, "motion", "time"), column(facts, "motion", "camera_speed")
    inside = speed[(times > start) & (times < end) & np.isfinite(speed)]
    if len(inside):
        usual = float(np.median(inside))
        met = usual < STATIC_SPEED if static else float(np.percentile(inside, 75)) >= MOVING_SPEED
        wish = "a standing camera" if static else "a moving camera"
        what = f"{wish} in {planned_name(shot.index)} ({usual:.2f} widths per second)"
        yield Item(what, met, start, end, moving_camera=moving)


def _sound(facts: Facts, brief: Brief) -> Iterator[Item]:
    wishes = brief.sound
    audio = facts.signals["audio"]
    whole = not facts.is_part
    # A part without sound says nothing of the rest; that the film has no sound track says it of all.
    sounding = facts.film.audio and not (whole and audio.facts.get("silent_share") == 1.0)
    music = facts.attribute("has_background_music")
    if wishes.music:
        if not sounding:
            yield Item("music (there is no sound)", False, facts.start, facts.end)
        elif music is not None and whole:
            yield Item("music", bool(music), facts.start, facts.end)
    if (wishes.dialogue or wishes.narration) and not sounding:
        yield Item("speech (there is no sound)", False, facts.start, facts.end)
    if wishes.sound_effects and not sounding:
        yield Item("sound effects (there is no sound)", False, facts.start, facts.end)
    if whole and NO_SOUND.search(" ".join(filter(None, (brief.instruction, wishes.tone)))):
        yield Item("a silent film", not sounding, facts.start, facts.end)
