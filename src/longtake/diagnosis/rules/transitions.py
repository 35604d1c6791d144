"""Are shots joined cleanly? Intended cuts between scenes are not punished."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ...core.measurement import Evidence, Measurement
from ...core.signal import Event
from ..facts import Facts
from .rule import as_sure_as, column, missing, not_applicable, scored, unscored
from .sound import AT_CUT_S, sound_defects

Relation = Literal["same", "change", "unknown"]

NEAR_S = 0.2
"""A flash, stray frame or freeze this close to a boundary belongs to it."""
LEAST_FREEZE_S = 0.2
OWN_VARIATION = 4.0
"""A jump in luma or colour is one from this many times the shots' own variation ..."""
LEAST_JUMP = 24.0
"""... and at least this many grey levels, as a closer view of one place may be lighter or darker. Of 16 clean
joins (the two ends of a clip, the second as it is or closer; half A) jumps of 16 and 22 grey levels were the
largest, of 11 with 35 levels added 23 the least."""
ONE_PLACE = 0.9
"""Likelihood of ``scenes`` from which two shots show one place; up to 1 less this they show two."""
BY_LOOKS = 0.8
"""How far it is to be trusted that two shots are in one scene where only their looks say so."""
BACK_AND_FORTH = 3
"""Shots this near to each other that show one place make what lies between them one film of two places."""
RELEASED_WEIGHTS = (0.5, 0.25, 0.25)
RELEASED_FLOW = 30.0


def transition_quality(facts: Facts) -> Measurement:
    """Share of the joins within a scene that are clean; cuts to another scene are asked for less.

    A join within a scene is bad if it has a flash or stray frame, a freeze over 0.2 s, a luma or colour jump
    beyond the shots' own variation, or a click or drop-out; a change of scene is looked at for flashes and
    clicks only, and what is found is counted apart. Which joins are within a scene is known from the aligned
    plan (planned shots that name their scene), else by how alike the two shots look (a proxy: the other side
    of a room looks like another place), where that is sure. Where it is not known for any join, the defects
    that need no scene are counted and the score is ``scene_unknown``.

    Blind spots: a picture that stands beside a cut in a shot that hardly moves; a flash right at a cut of two
    like views, which hides the cut itself.

    ``released_formula`` is the score of the released DirectorBench code without its model's deductions: the
    mean over all cuts of .5 SSIM + .25 max(0, 1 - h) + .25 max(0, 1 - flow / 30 px), where the histogram
    shift h of ours stands in for its chi-squared distance over 5. It is never part of the score.
    """
    name = "transition_quality"
    if gone := missing(name, facts, "transitions"):
        return gone
    starts, ends = column(facts, "transitions", "start"), column(facts, "transitions", "end")
    if not len(starts):
        return not_applicable(name, "a single shot")
    planned = [_planned_relation(facts, float(a), float(b)) for a, b in zip(starts, ends, strict=True)]
    relations = [r if r != "unknown" else _seen_relation(facts, i) for i, r in enumerate(planned)]
    flaws = [
        _flaws(facts, i, float(a), float(b), relations[i])
        for i, (a, b) in enumerate(zip(starts, ends, strict=True))
    ]
    evidence = [
        Evidence(
            start=max(facts.start, float(a) - NEAR_S),
            end=min(facts.end, float(b) + NEAR_S),
            what=", ".join(found),
        )
        for a, b, found in zip(starts, ends, flaws, strict=True)
        if found
    ]
    same = [bool(f) for f, r in zip(flaws, relations, strict=True) if r == "same"]
    figures = {
        "boundaries": len(starts),
        "same_scene": len(same),
        "scene_changes": relations.count("change"),
        "scene_unknown": relations.count("unknown"),
        "boundaries_with_defects": sum(map(bool, flaws)),
        "released_formula": released_formula(facts),
    }
    if same:
        answer = scored(name, 1 - sum(same) / len(same), evidence, **figures)
        told = planned.count("same")
        return as_sure_as(answer, (told + BY_LOOKS * (len(same) - told)) / len(same))
    if "unknown" in relations:
        return unscored(name, "scene_unknown", evidence, **figures)
    return not_applicable(name, "no two neighbouring shots share a scene", **figures)


def _seen_relation(facts: Facts, number: int) -> Relation:
    """Whether both sides of a row of ``transitions`` are in one scene, where how alike they look is sure.

    Unknown where it is not, and where the film goes back and forth between what looks like two places: they
    may be two sides of one.
    """
    scenes = facts.signals["scenes"]
    if not scenes.usable or len(facts.signals["shots"]) != len(facts.signals["transitions"]) + 1:
        return "unknown"
    a, b, same = (column(facts, "scenes", name) for name in ("a", "b", "same_scene"))
    here = same[(a == number) & (b == number + 1)]
    if not len(here) or np.isnan(here[0]):
        return "unknown"
    if here[0] >= ONE_PLACE:
        return "same"
    across = (a <= number) & (b > number) & (b - a <= BACK_AND_FORTH) & (same >= ONE_PLACE)
    return "unknown" if across.any() else "change"


def _planned_relation(facts: Facts, start: float, end: float) -> Relation:
    """Whether the plan puts both sides of a boundary in one scene.

    Known where the plan is aligned and both sides lie in planned shots that name their scene. A cut inside
    one planned shot is left unknown: a planned shot may well be filmed in several places.
    """
    plan, brief = facts.plan, facts.brief
    if plan is None or brief is None or not plan.aligned:
        return "unknown"
    sides = []
    for time in (start - NEAR_S, end + NEAR_S):
        covering = [
            s.index
            for s in plan.shots
            if s.measured_start is not None
            and s.measured_end is not None
            and s.measured_start <= time < s.measured_end
        ]
        if len(covering) != 1:
            return "unknown"
        sides.append(covering[0])
    if sides[0] == sides[1]:
        return "unknown"
    scenes = {s.index: s.scene for s in brief.shots}
    a, b = (scenes.get(i) for i in sides)
    if not a or not b:
        return "unknown"
    return "same" if a.strip().casefold() == b.strip().casefold() else "change"


def released_formula(facts: Facts) -> float | None:
    """The released formula over all boundaries; ``None`` where its parts were not measured."""
    similar, shift = column(facts, "transitions", "ssim"), column(facts, "transitions", "hist_shift")
    flow = np.nanmax(
        np.stack([column(facts, "transitions", n) for n in ("flow_before", "flow_after")]),
        axis=0,
        initial=-1.0,
    )
    flow_px = np.where(flow >= 0, flow, np.nan) * (facts.film.width or 0)
    w = RELEASED_WEIGHTS
    each = (
        w[0] * similar + w[1] * np.maximum(0, 1 - shift) + w[2] * np.maximum(0, 1 - flow_px / RELEASED_FLOW)
    )
    known = each[np.isfinite(each)]
    return float(known.mean()) if len(known) else None


def _flaws(facts: Facts, i: int, start: float, end: float, relation: Relation) -> list[str]:
    """What is wrong at a boundary, as far as its relation allows to say."""
    found = []
    if _near(facts.signals["transitions"].events_of("flash"), start, end, NEAR_S):
        found.append("a flash or stray frame")
    for event in _near(sound_defects(facts), start, end, AT_CUT_S):
        if event.kind == "click" or relation != "change":
            found.append(f"a {event.kind} in the sound")
    if relation == "change":
        return found
    for event in _near(facts.signals["motion"].events_of("freeze"), start, end, NEAR_S):
        if event.end - event.start > LEAST_FREEZE_S:
            found.append(f"the picture stands for {event.end - event.start:.1f} s")
    if relation == "same":
        for what in ("luma", "color"):
            jump = abs(float(column(facts, "transitions", f"{what}_shift")[i]))
            own = float(column(facts, "transitions", f"{what}_sd")[i])
            if np.isfinite(jump) and np.isfinite(own) and jump > max(LEAST_JUMP, OWN_VARIATION * own):
                found.append(f"{what} jumps by {jump:.0f} grey levels")
    return found


def _near(events: list[Event], start: float, end: float, reach: float) -> list[Event]:
    return [e for e in events if e.start <= end + reach and e.end >= start - reach]
