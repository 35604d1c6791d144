"""Length and the sharing of time."""

from __future__ import annotations

from ...core.measurement import Evidence, Measurement
from ..facts import Facts
from .rule import missing, not_applicable, scored, unscored

LEAST_RATIO = 0.9
"""Share of the asked-for length from which a film counts as complete."""
WORST_SHIFT = 0.5
"""Share of the film's time given to other shots than planned at which pacing gets 0."""


def duration_completeness(facts: Facts) -> Measurement:
    """Whether the asked-for length is reached: 1 from 90 % of it and with the last planned shot, else 0.

    The ending counts as there when the plan could be aligned and its last shot was found, and is left open
    otherwise (fact ``ending``). Blind spots: whether the story ends needs a judge; a film much longer than
    asked for passes, and its ratio is told.
    """
    name = "duration_completeness"
    asked = facts.brief.planned_duration if facts.brief else None
    if not asked:
        return not_applicable(name, "no length was asked for")
    if gone := missing(name, facts, "container"):
        return gone
    length = facts.film.duration
    ratio = length / asked
    last = facts.plan.shots[-1] if facts.plan and facts.plan.aligned and facts.plan.shots else None
    ending = None if last is None else bool(last.measured)
    evidence = []
    if ratio < LEAST_RATIO:
        evidence.append(
            Evidence(start=length, end=length, what=f"ends after {length:.1f} s of {asked:.1f} s")
        )
    if ending is False:
        evidence.append(Evidence(start=length, end=length, what="the last planned shot was not found"))
    return scored(
        name, float(not evidence), evidence, ratio=ratio, asked=asked, measured=length, ending=ending
    )


def pacing_structure(facts: Facts) -> Measurement:
    """Whether time is shared as planned: 1 less the share of time that went to other shots than planned.

    Only a plan with times can be checked; whether the plan itself paces well needs a judge, so that this
    stands in for it with little confidence.
    """
    name = "pacing_structure"
    plan = facts.plan
    if plan is None:
        return unscored(name, "needs a judge, or a brief that plans shots with times")
    if not plan.aligned:
        return unscored(name, f"the plan could not be aligned: {plan.reason or 'no reason given'}")
    spans = [(s.start, s.end) for s in plan.shots]
    if len(spans) < 2 or any(a is None or b is None for a, b in spans):
        return unscored(name, "the brief does not give times for every shot")
    planned = [float(b) - float(a) for a, b in spans if a is not None and b is not None]
    measured = [max(0.0, (s.measured_end or 0.0) - (s.measured_start or 0.0)) for s in plan.shots]
    if sum(planned) <= 0 or sum(measured) <= 0:
        return unscored(name, "no planned shot was found in the film")
    shares = [(p / sum(planned), m / sum(measured)) for p, m in zip(planned, measured, strict=True)]
    shifted = sum(abs(p - m) for p, m in shares) / 2
    evidence = [
        Evidence(
            start=s.measured_start or 0.0,
            end=s.measured_end or s.measured_start or 0.0,
            what=f"shot {s.index} has {m:.0%} of the time, planned {p:.0%}",
        )
        for s, (p, m) in zip(plan.shots, shares, strict=True)
        if abs(p - m) > 0.05
    ]
    return scored(name, 1 - shifted / WORST_SHIFT, evidence, shifted_share=shifted, shots=len(spans))
