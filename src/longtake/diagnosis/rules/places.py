"""Does a place that returns look like the same place?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...core.measurement import Evidence, Measurement
from ..facts import Facts
from ..plan import planned_name
from .rule import as_sure_as, column, missing, not_applicable, scored, unscored

ONE_PLACE = 0.9
"""Likelihood of ``scenes`` from which two shots show one place; up to 1 less this they show two."""
BY_LOOKS = 0.6
"""How far likeness is to be trusted here: a place that is seen from another side looks like another."""


@dataclass(frozen=True)
class Visit:
    """Neighbouring planned shots of one scene, and the measured shots that show nothing else."""

    scene: str
    planned: tuple[int, ...]
    shots: frozenset[int]
    start: float
    end: float


def background_consistency(facts: Facts) -> Measurement:
    """Share of returns to a scene that look like an earlier visit; a proxy by looks and colours.

    A return is a planned shot whose scene was left in between. It is met if any of its measured shots
    surely shows the place of any earlier shot of the scene, missed if none does and all pairs are sure to
    differ, else it says nothing. Blind spots: a return that shows the place only from another side, or
    changed on purpose (night, winter, a fire), counts as missed; a place changed for good counts once; what
    moved within a place is not seen; shots of one scene that follow each other are not compared.
    """
    name = "background_consistency"
    if gone := missing(name, facts, "scenes"):
        return gone
    visits = list(_visits(facts))
    if not visits:
        return unscored(name, "needs a brief whose shots name their scenes, and that fits the measured shots")
    returns = [(v, [u for u in visits[:i] if u.scene == v.scene]) for i, v in enumerate(visits)]
    returns = [(v, before) for v, before in returns if before]
    if not returns:
        return not_applicable(name, "no scene of the brief returns")
    found = [(visit, _alike(facts, visit, before)) for visit, before in returns]
    known = [same for _, same in found if same is not None]
    if not known:
        return unscored(name, "it is not sure of any return whether it shows the same place")
    evidence = [
        Evidence(
            start=visit.start,
            end=visit.end,
            what=f"{planned_name(visit.planned[0])} returns to “{visit.scene}” and looks like another place",
        )
        for visit, same in found
        if same is False
    ]
    answer = scored(name, float(np.mean(known)), evidence, returns=len(returns), returns_told=len(known))
    return as_sure_as(answer, BY_LOOKS * len(known) / len(returns))


def _visits(facts: Facts) -> Iterator[Visit]:
    plan, brief = facts.plan, facts.brief
    if plan is None or brief is None or not plan.aligned:
        return
    users: dict[int, set[str]] = {}
    scenes = {s.index: (brief.shots[s.index].scene or "").strip() for s in plan.shots}
    for shot in plan.shots:
        for measured in shot.measured:
            users.setdefault(measured, set()).add(scenes[shot.index].casefold())
    run: list[int] = []
    by_index = {s.index: s for s in plan.shots}
    order = [s.index for s in plan.shots]
    for place, index in enumerate(order):
        run.append(index)
        after = order[place + 1] if place + 1 < len(order) else None
        if after is not None and scenes[after].casefold() == scenes[index].casefold():
            continue
        own = [by_index[i] for i in run]
        shots = frozenset(m for s in own for m in s.measured if len(users[m]) == 1)
        times = [t for s in own for t in (s.measured_start, s.measured_end) if t is not None]
        if scenes[index] and shots and times:
            yield Visit(scenes[index].casefold(), tuple(run), shots, min(times), max(times))
        run = []


def _alike(facts: Facts, visit: Visit, before: list[Visit]) -> bool | None:
    """Whether a visit shows the place of an earlier one; ``None`` where that is not sure."""
    earlier = frozenset().union(*(v.shots for v in before))
    a, b, same = (column(facts, "scenes", name) for name in ("a", "b", "same_scene"))
    pairs = np.isin(a, list(earlier)) & np.isin(b, list(visit.shots))
    odds = same[pairs]
    if (odds >= ONE_PLACE).any():
        return True
    if len(odds) == len(earlier) * len(visit.shots) and (odds <= 1 - ONE_PLACE).all():
        return False
    return None
