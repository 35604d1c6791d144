"""What was planned against what is there: planned shots aligned to measured ones, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ..core.brief import Brief, PlannedShot
from ..core.documents import Shot
from .alignment import TOLERANCE_S, Link, Span, align

MismatchKind = Literal[
    "missing_planned_shot",
    "unmatched_shot",
    "shifted_shot",
    "extra_cuts",
    "shot_count",
    "film_longer",
    "film_shorter",
]

TOTAL_TOLERANCE = 0.02
"""Planned and measured totals that differ by no more than this share fit each other (the issue's figure)."""
ROUNDING_S = 1e-6
READABLE_S = 0.05
"""A difference that rounds to 0.0 s is not told."""
LENGTH = "length"
SHOT_COUNT = "number of shots"


def planned_name(index: int) -> str:
    """A planned shot as people are told of it, numbered from 1."""
    return f"planned shot {index + 1}"


@dataclass(frozen=True)
class AlignedShot:
    """A planned shot beside what was measured for it. Times are film seconds.

    ``index`` is its place in the brief; ``measured`` the measured shots it covers, wholly or in part (empty:
    not found); ``measured_start`` and ``measured_end`` its span in the film; ``recovered`` tells that one of
    these ends is a planned time at which nothing visibly changes, taken over because the planned total fits.
    """

    index: int
    start: float | None
    end: float | None
    measured: tuple[int, ...] = ()
    measured_start: float | None = None
    measured_end: float | None = None
    recovered: bool = False


@dataclass(frozen=True)
class Mismatch:
    """A difference between plan and film. ``start`` and ``end`` are where in the film one would look."""

    kind: MismatchKind
    start: float
    end: float
    what: str
    planned: int | None = None
    shot: int | None = None

    @property
    def about(self) -> str | None:
        """What this tells of, as evidence of a rule names it that tells the same."""
        if self.kind in ("film_longer", "film_shorter"):
            return LENGTH
        if self.kind == "shot_count":
            return SHOT_COUNT
        return planned_name(self.planned) if self.planned is not None else None


@dataclass(frozen=True)
class Plan:
    """The alignment. ``aligned`` is false where it could not be made honestly; ``reason`` then says why."""

    shots: tuple[AlignedShot, ...]
    mismatches: tuple[Mismatch, ...] = ()
    aligned: bool = True
    reason: str | None = None
    duration: float | None = None


def planned_spans(shots: Sequence[PlannedShot]) -> list[Span] | None:
    """Start and end of every planned shot in film seconds, or ``None`` where the brief does not tell.

    A missing end is taken from the duration or the next start, a missing start from the previous end; the
    first shot starts at 0.
    """
    spans: list[Span] = []
    for at, shot in enumerate(shots):
        start = shot.start if shot.start is not None else (spans[-1][1] if spans else 0.0)
        end = shot.end
        if end is None and shot.duration is not None:
            end = start + shot.duration
        if end is None and at + 1 < len(shots):
            end = shots[at + 1].start
        if end is None or end <= start:
            return None
        spans.append((start, end))
    return spans


def make_plan(
    brief: Brief | None, shots: Sequence[Shot], *, part: Span | None, duration: float
) -> Plan | None:
    """Align the brief's planned shots to the measured ones; ``None`` without planned shots or length.

    ``shots`` are the measured shots in order. ``part`` is the span of the film that was looked at, ``None``
    for the whole film; planned shots outside it are left out. ``duration`` is the film's length in seconds.
    """
    if brief is None or (not brief.shots and brief.planned_duration is None):
        return None
    length = [] if part else _length(brief, duration)
    if not brief.shots:
        return Plan((), tuple(length), False, "the brief plans no shots", brief.planned_duration)
    if not shots:
        plan = _inside(_unaligned(brief, planned_spans(brief.shots), "no shots were measured"), part)
    elif (spans := planned_spans(brief.shots)) is None:
        plan = _by_count(brief, shots, part)
    else:
        plan = _by_time(spans, shots, part)
    return replace(plan, mismatches=(*plan.mismatches, *length), duration=brief.planned_duration)


def _length(brief: Brief, duration: float) -> list[Mismatch]:
    asked = brief.planned_duration
    if asked is None or abs(duration - asked) <= max(TOLERANCE_S, TOTAL_TOLERANCE * asked):
        return []
    if duration > asked:
        what = f"the film lasts {duration:.1f} s, {duration - asked:.1f} s longer than its brief"
        return [Mismatch("film_longer", max(asked, 0.0), duration, what)]
    what = f"the film lasts {duration:.1f} s, {asked - duration:.1f} s shorter than its brief"
    return [Mismatch("film_shorter", duration, duration, what)]


def _unaligned(brief: Brief, spans: list[Span] | None, reason: str) -> Plan:
    times: Sequence[Span | tuple[None, None]] = spans or [(None, None)] * len(brief.shots)
    found = tuple(AlignedShot(i, start, end) for i, (start, end) in enumerate(times))
    return Plan(found, aligned=False, reason=reason)


def _inside(plan: Plan, part: Span | None) -> Plan:
    """The plan without the planned shots of which nothing lies in the part."""
    if part is None:
        return plan
    kept = [
        s
        for s in plan.shots
        if s.start is not None and s.end is not None and s.start < part[1] and s.end > part[0]
    ]
    return replace(plan, shots=tuple(kept))


def _by_count(brief: Brief, shots: Sequence[Shot], part: Span | None) -> Plan:
    """Planned shots without times: in order where the counts agree, otherwise nothing is claimed."""
    if part:
        reason = "only a part was looked at, and shots planned without times may be anywhere in the film"
        return replace(_unaligned(brief, None, reason), shots=())
    if len(brief.shots) != len(shots):
        reason = f"{len(brief.shots)} shots are planned without times and {len(shots)} were measured"
        plan = _unaligned(brief, None, reason)
        return replace(plan, mismatches=(Mismatch("shot_count", shots[0].start, shots[-1].end, reason),))
    pairs = zip(brief.shots, shots, strict=True)
    found = [
        AlignedShot(i, want.start, want.end, (have.index,), have.start, have.end)
        for i, (want, have) in enumerate(pairs)
    ]
    return Plan(tuple(found))


def _by_time(spans: list[Span], shots: Sequence[Shot], part: Span | None) -> Plan:
    kept = list(range(len(spans)))
    if part:
        kept = [i for i, (a, b) in enumerate(spans) if min(b, part[1]) - max(a, part[0]) > TOLERANCE_S]
        spans = [(max(a, part[0]), min(b, part[1])) for a, b in spans]
    wanted = [spans[i] for i in kept]
    have = [(s.start, s.end) for s in shots]
    span = have[-1][1] - have[0][0]
    fits = bool(wanted) and abs((wanted[-1][1] - wanted[0][0]) - span) <= TOTAL_TOLERANCE * span
    found: list[AlignedShot] = []
    mismatches: list[Mismatch] = []
    for link in align(wanted, have, may_group=fits):
        group = [AlignedShot(kept[i], *wanted[i]) for i in link.planned]
        if group and link.measured:
            group = _place(group, [shots[j] for j in link.measured])
            mismatches += _shifted(group, link, shots)
        found += group
        mismatches += _lonely(group, link, shots)
    return Plan(tuple(found), tuple(mismatches))


def _place(group: list[AlignedShot], shots: list[Shot]) -> list[AlignedShot]:
    """Give planned shots their span in the film; inner boundaries of a group are the planned times."""
    first, last = shots[0].start, shots[-1].end
    inner = [min(max(s.start or 0.0, first), last) for s in group[1:]]
    edges = [first, *inner, last]
    indexes = tuple(s.index for s in shots)
    grouped = len(group) > 1
    return [
        replace(s, measured=indexes, measured_start=edges[k], measured_end=edges[k + 1], recovered=grouped)
        for k, s in enumerate(group)
    ]


def _shifted(group: list[AlignedShot], link: Link, shots: Sequence[Shot]) -> list[Mismatch]:
    found = []
    for shot in group:
        if None in (shot.start, shot.end, shot.measured_start, shot.measured_end):
            continue
        early_or_late = (shot.measured_start or 0.0) - (shot.start or 0.0)
        longer_or_shorter = (shot.measured_end or 0.0) - (shot.end or 0.0)
        worst = max(early_or_late, longer_or_shorter, key=abs)
        if abs(worst) > TOLERANCE_S + ROUNDING_S:
            told = (_told("starts", early_or_late), _told("ends", longer_or_shorter))
            what = f"{planned_name(shot.index)} {' and '.join(filter(None, told))}"
            where = (shot.measured_start or 0.0, shot.measured_end or 0.0)
            found.append(Mismatch("shifted_shot", *where, what, shot.index, shots[link.measured.start].index))
    return found


def _told(verb: str, late: float) -> str | None:
    """``starts 0.7 s late``, or nothing where the difference would round to nothing."""
    if abs(late) < READABLE_S:
        return None
    return f"{verb} {abs(late):.1f} s {'late' if late > 0 else 'early'}"


def _lonely(group: list[AlignedShot], link: Link, shots: Sequence[Shot]) -> list[Mismatch]:
    """Planned shots without film, film without a plan, and cuts inside one planned shot."""
    have = [shots[j] for j in link.measured]
    if not have:
        at = shots[min(link.measured.start, len(shots) - 1)]
        where = at.start if link.measured.start < len(shots) else at.end
        return [
            Mismatch("missing_planned_shot", where, where, f"{planned_name(s.index)} was not found", s.index)
            for s in group
        ]
    if not group:
        what = "a shot that the brief does not plan"
        return [Mismatch("unmatched_shot", s.start, s.end, what, shot=s.index) for s in have]
    if len(have) > 1:
        cuts = len(have) - 1
        what = f"{planned_name(group[0].index)} is cut {cuts} more time{'s' if cuts > 1 else ''} than planned"
        return [Mismatch("extra_cuts", have[0].start, have[-1].end, what, group[0].index, have[0].index)]
    return []
