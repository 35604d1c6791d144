"""Where in the film, and in the plan, what was found lies: shots, joins, planned shots, people, lines."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from ..core.content import Appearance, Span, Utterance
from ..core.documents import DiagnosisDocument, PlannedShotEntry, Shot
from ..core.measurement import Evidence

TOUCHES_S = 0.05
"""A span belongs to a shot that it overlaps by more than this: spans are told to a few hundredths, and one
that ends at a cut is not about the shot that begins there."""
WHOLE_SHARE = 0.95
"""Evidence that covers this share of the film is about all of it and names no shot."""
ROUNDED_S = 0.001
"""Times are told with three digits, so the end of the film is met to this."""
PERSON = re.compile(r"\bperson (\d+)\b", re.IGNORECASE)
PLANNED = re.compile(r"\bplanned shot (\d+)\b", re.IGNORECASE)
"""How rules name people of the cast and planned shots, counted from 1."""


@dataclass(frozen=True)
class Join:
    """Two neighbouring shots and the time at which the second begins."""

    before: int
    after: int
    time: float


@dataclass(frozen=True)
class Role:
    """A person of the cast, and when and in which shot their face is first seen."""

    person: int
    start: float
    shot: int


class Places:
    """Looks up spans in one finished diagnosis. Shots and planned shots are told by their index."""

    def __init__(self, document: DiagnosisDocument) -> None:
        self.document = document
        self.shots = document.shots
        self._starts = [s.start for s in self.shots]
        self.planned = document.brief.shots if document.brief else []

    def is_whole(self, span: Evidence) -> bool:
        """Whether a span is about the whole film."""
        return span.end - span.start >= WHOLE_SHARE * self.document.video.duration > 0

    def is_after(self, span: Evidence) -> bool:
        """Whether a span lies where the film is over: evidence of what never came, as a planned shot that
        was not made."""
        last = self.shots[-1].end if self.shots else self.document.video.duration
        return span.start >= last - ROUNDED_S

    def is_local(self, span: Evidence) -> bool:
        """Whether a span names a place in the film: it is neither all of it nor after it."""
        return not self.is_whole(span) and not self.is_after(span)

    def shots_of(self, spans: Sequence[Evidence]) -> list[Shot]:
        """Measured shots that at least one span overlaps, in order; those about the whole film name none."""
        local = [e for e in spans if not self.is_whole(e)]
        found = {s.index: s for e in local for s in self._near(e) if _touches(e, s.start, s.end)}
        return [found[i] for i in sorted(found)]

    def _near(self, span: Evidence) -> Sequence[Shot]:
        """The shots from the one before a span begins to the one after it ends."""
        first = bisect_left(self._starts, span.start - TOUCHES_S)
        return self.shots[max(first - 1, 0) : bisect_right(self._starts, span.end + TOUCHES_S) + 1]

    def joins_of(self, span: Evidence) -> list[Join]:
        """Joins of two shots that lie in a span, or at its ends."""
        if self.is_whole(span):
            return []
        return [
            Join(a.index, b.index, b.start)
            for a, b in pairwise(self._near(span))
            if span.start - TOUCHES_S <= b.start <= span.end + TOUCHES_S
        ]

    def next_cut(self, span: Evidence, within: float) -> float | None:
        """The first cut after a span's beginning that is no later than ``within`` seconds after its end."""
        cuts = self._starts[max(1, bisect_right(self._starts, span.start)) :][:1]
        return cuts[0] if cuts and cuts[0] <= span.end + within else None

    def planned_of(self, spans: Sequence[Evidence], shots: Sequence[Shot]) -> list[PlannedShotEntry]:
        """Planned shots that spans name, or else those that the measured shots were aligned to."""
        told = [text for e in spans for text in (e.about or "", e.what)]
        named = {int(n) - 1 for text in told for n in PLANNED.findall(text)}
        by_name = [p for p in self.planned if p.index in named]
        measured = {s.index for s in shots}
        return by_name or [
            p
            for p in self.planned
            if measured & set(p.measured) and any(_touches(e, *self._seen(p)) for e in spans)
        ]

    @staticmethod
    def _seen(planned: PlannedShotEntry) -> tuple[float, float]:
        start, end = planned.measured_start, planned.measured_end
        return (start, end) if start is not None and end is not None else (0.0, float("inf"))

    @cached_property
    def missing(self) -> list[PlannedShotEntry]:
        """Planned shots that were not found; none where the plan was not aligned at all."""
        aligned = any(p.measured for p in self.planned)
        return [p for p in self.planned if not p.measured] if aligned else []

    def neighbour(self, shots: Sequence[Shot]) -> Shot | None:
        """The first shot, not among these, of the one measured scene that they all lie in."""
        scenes = [s for s in self.document.scenes if shots and all(_inside(x, s) for x in shots)]
        taken = {s.index for s in shots}
        others = [
            s for s in self.shots if s.index not in taken and len(scenes) == 1 and _inside(s, scenes[0])
        ]
        return others[0] if others else None

    def opening(self, shots: Sequence[Shot]) -> Shot | None:
        """The first shot, unless it is among these."""
        first = self.shots[0] if self.shots else None
        return first if first is not None and first.index not in {s.index for s in shots} else None

    def role(self, spans: Sequence[Evidence], shots: Sequence[Shot]) -> Role | None:
        """Whose face should be seen in these shots, and where it is first seen outside of them.

        A person that the evidence names and that is not seen there, else the one person that is. ``None``
        where that is more than one, or nobody who is seen in an earlier shot.
        """
        people = {m.person: m for m in self.document.cast if m.person is not None}
        named = {int(n) - 1 for e in spans for n in PERSON.findall(e.what)} & set(people)
        there = {p for p, m in people.items() for a in m.appearances if any(_meets(e, a) for e in spans)}
        who = (named - there) or (named & there) or there
        if len(who) != 1 or not shots:
            return None
        person, indices = who.pop(), {s.index for s in shots}
        seen = [(a.start, a.shot) for a in people[person].appearances if a.shot is not None]
        start, shot = min(((t, i) for t, i in seen if i not in indices), default=(float("inf"), -1))
        return Role(person, start, shot) if start < shots[0].start else None

    def lines_of(self, spans: Sequence[Evidence]) -> list[Utterance]:
        """What was heard in these spans and understood."""
        return [u for u in self.document.transcript if u.text and any(_meets(e, u) for e in spans)]


def _touches(span: Evidence, start: float, end: float) -> bool:
    """Whether a span is about what lies from ``start`` to ``end``; a short one lies where it begins."""
    if span.end - span.start <= TOUCHES_S:
        return start <= span.start < end
    return min(span.end, end) - max(span.start, start) > TOUCHES_S


def _inside(shot: Shot, scene: Span) -> bool:
    return scene.start - TOUCHES_S <= shot.start and shot.end <= scene.end + TOUCHES_S


def _meets(span: Evidence, other: Appearance | Utterance) -> bool:
    return span.start <= other.end and other.start <= span.end
