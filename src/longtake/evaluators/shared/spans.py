"""Which stretch of a film each planned shot is."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, pairwise

from ...core.brief import PlannedShot
from ...core.evaluator import MeasuredCase

Span = tuple[float, float]
NEAR = 0.1
"""Planned lengths are taken for where the shots lie if they add up to the film's length within this share.
A judgement."""
LEAST_S = 0.04
"""A span shorter than a frame is none."""


@dataclass(frozen=True)
class Spans:
    """``shots`` are the planned shots that have a text, ``spans`` where each lies in seconds on the film's
    clock, ``source`` how that is known: ``times`` or ``lengths`` of the brief, ``detected``. Where it is not
    known ``spans`` is ``None`` and ``reason`` says why."""

    shots: tuple[PlannedShot, ...]
    spans: tuple[Span, ...] | None
    source: str = ""
    reason: str = ""


def measured_spans(case: MeasuredCase) -> list[Span]:
    """The shots that were found in the film; needs the signal ``shots``, without which it is all one."""
    shots = case.signals["shots"]
    if not shots.usable or not len(shots):
        return [whole(case)]
    return [(float(a), float(b)) for a, b in zip(shots.columns["start"], shots.columns["end"], strict=True)]


def gradual_transitions(case: MeasuredCase) -> list[Span]:
    """Stretches in which one shot gives way to the next: dissolves, fades, wipes. Needs ``transitions``."""
    signal = case.signals["transitions"]
    if not signal.usable or not len(signal):
        return []
    both = zip(signal.columns["start"], signal.columns["end"], strict=True)
    return [(float(a), float(b)) for a, b in both if b > a]


def whole(case: MeasuredCase) -> Span:
    """Where the film begins and ends, in seconds on its clock."""
    start = case.film.start or 0.0
    return start, start + case.film.duration


def planned_spans(case: MeasuredCase) -> Spans:
    """The planned shots with a text, and where they lie.

    The brief's times come first, then its lengths where they fill the film, then the shots that were found
    where they are as many as were planned, in order. A brief without any of these has no alignment.
    """
    planned = list(case.brief.shots) if case.brief is not None else []
    kept = [i for i, shot in enumerate(planned) if shot.text.strip()]
    shots = tuple(planned[i] for i in kept)
    if not shots:
        return Spans((), None, reason="the brief has no texts of shots")
    start, end = whole(case)
    times = [(s.start, s.end) for s in shots]
    timed = [(max(a, start), min(b, end)) for a, b in times if a is not None and b is not None]
    if len(timed) == len(shots) and all(b - a >= LEAST_S for a, b in timed):
        return Spans(shots, tuple(timed), "times")
    lengths = [shot.duration for shot in planned]
    known = [length for length in lengths if length is not None and length > 0]
    if len(known) == len(planned) and abs(sum(known) - case.film.duration) <= NEAR * case.film.duration:
        scale = case.film.duration / sum(known)
        edges = [start + at * scale for at in accumulate(known, initial=0.0)]
        laid = list(pairwise(edges))
        return Spans(shots, tuple(laid[i] for i in kept), "lengths")
    found = measured_spans(case)
    if len(found) == len(planned):
        return Spans(shots, tuple(found[i] for i in kept), "detected")
    why = f"{len(planned)} shots are planned without times within the film, and {len(found)} were found"
    return Spans(shots, None, reason=f"no_alignment: {why}")
