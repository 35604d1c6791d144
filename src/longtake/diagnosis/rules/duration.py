"""Length and the sharing of time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...core.measurement import Evidence, Measurement
from ..facts import Facts
from ..plan import LENGTH, AlignedShot, planned_name
from .rule import missing, not_applicable, scored, unscored

LEAST_RATIO = 0.9
"""Share of the asked-for length from which a film counts as complete."""
BEGUN_S = 0.1
"""A last planned shot of which no more than this can be in the film has not begun."""
WORST_SHIFT = 0.5
"""Share of the film's time given to other shots than planned at which pacing gets 0."""


def duration_completeness(facts: Facts) -> Measurement:
    """Whether the asked-for length is reached: 1 from 90 % of it and with the last planned shot, else 0.

    The ending counts as there when the last planned shot was found, as missing when the film ends before
    that shot should begin, and is left open otherwise (fact ``ending``): a last shot that is not told apart
    from the one before it, in a film that is long enough, need not be missing. Of a part nothing can be said.
    Blind spots: whether the story ends needs a judge; a film much longer than asked for passes, and its ratio
    is told.
    """
    name = "duration_completeness"
    asked = facts.brief.planned_duration if facts.brief else None
    if not asked:
        return not_applicable(name, "no length was asked for")
    if facts.is_part:
        return not_applicable(name, "only a part of the film was looked at")
    if gone := missing(name, facts, "container"):
        return gone
    length = facts.film.duration
    ratio = length / asked
    last = facts.plan.shots[-1] if facts.plan and facts.plan.aligned and facts.plan.shots else None
    ending: bool | None = None
    if last is not None and last.measured:
        ending = True
    elif last is not None and last.start is not None and length <= last.start + BEGUN_S:
        ending = False
    evidence = []
    if ratio < LEAST_RATIO:
        what = f"ends after {length:.1f} s of {asked:.1f} s"
        evidence.append(Evidence(start=length, end=length, what=what, about=LENGTH))
    if ending is False and last is not None:
        what = "ends before its last planned shot begins"
        evidence.append(Evidence(start=length, end=length, what=what, about=planned_name(last.index)))
    return scored(
        name, float(not evidence), evidence, ratio=ratio, asked=asked, measured=length, ending=ending
    )


def pacing_structure(facts: Facts) -> Measurement:
    """Whether time is shared as planned: 1 less the share of time that went to other shots than planned.

    Only a plan with times can be checked; whether the plan itself paces well needs a judge, so that this
    stands in for it with little confidence. Planned shots between which no cut was seen are taken as one:
    their inner times are the plan's own, and tell nothing of the film.
    """
    name = "pacing_structure"
    plan = facts.plan
    if plan is None:
        return unscored(name, "needs a judge, or a brief that plans shots with times")
    if not plan.aligned:
        return unscored(name, f"the plan could not be aligned: {plan.reason or 'no reason given'}")
    if len(plan.shots) < 2 or any(s.start is None or s.end is None for s in plan.shots):
        return unscored(name, "the brief does not give times for every shot")
    groups = list(_seen_as_one(plan.shots))
    planned = [float((g[-1].end or 0.0) - (g[0].start or 0.0)) for g in groups]
    measured = [max(0.0, (g[-1].measured_end or 0.0) - (g[0].measured_start or 0.0)) for g in groups]
    if sum(planned) <= 0 or sum(measured) <= 0:
        return unscored(name, "no planned shot was found in the film")
    if len(groups) < 2:
        return unscored(name, "no cut between planned shots was seen, so how they share time is not known")
    shares = [(p / sum(planned), m / sum(measured)) for p, m in zip(planned, measured, strict=True)]
    shifted = sum(abs(p - m) for p, m in shares) / 2
    evidence = [
        Evidence(
            **_place(facts, g[0], g[-1]),
            what=f"{_named(g)} {m:.0%} of the time instead of {p:.0%}",
            about=planned_name(g[0].index),
        )
        for g, (p, m) in zip(groups, shares, strict=True)
        if abs(p - m) > 0.05
    ]
    shots = len(plan.shots)
    return scored(
        name, 1 - shifted / WORST_SHIFT, evidence, shifted_share=shifted, shots=shots, told_apart=len(groups)
    )


def _seen_as_one(shots: Sequence[AlignedShot]) -> Iterator[list[AlignedShot]]:
    """Planned shots by themselves, or together where only the plan says where one ends."""
    group: list[AlignedShot] = []
    for shot in shots:
        if group and not (shot.recovered and group[-1].recovered and shot.measured == group[-1].measured):
            yield group
            group = []
        group.append(shot)
    yield group


def _named(shots: Sequence[AlignedShot]) -> str:
    first = planned_name(shots[0].index)
    return f"{first} has" if len(shots) == 1 else f"{first} and the {len(shots) - 1} after it have"


def _place(facts: Facts, first: AlignedShot, last: AlignedShot) -> dict[str, float]:
    """Where planned shots are in the film; where they should be, within the film, if they were not found."""
    start = first.measured_start if first.measured_start is not None else first.start
    end = last.measured_end if last.measured_end is not None else last.end
    begin, stop = (min(max(t or 0.0, facts.start), facts.end) for t in (start, end))
    return {"start": begin, "end": max(begin, stop)}
