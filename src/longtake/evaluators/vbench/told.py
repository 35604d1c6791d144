"""What the dimensions tell in one way: the film's value from its shots, what was left out, worst moments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...core.evaluator import Quantity
from ...core.measurement import Evidence, Measurement
from ..shared.measured import Fact, scored, unscored
from . import aggregate
from .shots import Shot

WORST = 3
"""Moments that are told as evidence."""
BLACK, SHORT, UNREAD = "black", "too short", "not readable"
"""Why a shot has no value."""
STILL = "nothing moves here, so that this is no merit"


@dataclass(frozen=True)
class Moment:
    """A span of the film with the value that it has there."""

    start: float
    end: float
    value: float


@dataclass(frozen=True)
class ShotValue:
    """A shot with its value, from ``count`` frames (or pairs, or triples), and the worst of its moments."""

    shot: Shot
    value: float
    count: int
    moments: Sequence[Moment] = ()


@dataclass
class Shots:
    """The shots of a film that have a value, and why the others have none."""

    values: list[ShotValue] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    def leave(self, reason: str) -> None:
        """One shot without a value."""
        self.left.append(reason)

    @property
    def seconds(self) -> list[float]:
        """Lengths of those with a value."""
        return [v.shot.seconds for v in self.values]

    def why_none(self) -> str:
        """Why there is no value at all."""
        if not self.left:
            return "no frame of it could be read"
        return f"no shot can be measured: {self._counted()}"

    def facts(self) -> dict[str, Fact]:
        """How much of the film the value rests on."""
        found: dict[str, Fact] = {
            "shots": len(self.values) + len(self.left),
            "shots_scored": len(self.values),
            "seconds": round(sum(self.seconds), 3),
            "frames": sum(v.count for v in self.values),
        }
        return found | ({"left_out": self._counted()} if self.left else {})

    def film(
        self,
        quantity: Quantity,
        facts: Mapping[str, Fact],
        what: str,
        *,
        highest: bool = False,
        also: Sequence[Evidence] = (),
    ) -> Measurement:
        """The film's value by :func:`.aggregate.over_shots`. Evidence are the lowest moments, or the
        ``highest``, told by ``what`` with ``{value}`` in it."""
        if not self.values:
            return unscored(quantity, self.why_none(), facts=dict(facts) | self.facts())
        value = aggregate.over_shots([v.value for v in self.values], self.seconds)
        evidence = [*worst((m for v in self.values for m in v.moments), what, highest=highest), *also]
        return scored(quantity, value, evidence=evidence, facts=dict(facts) | self.facts())

    def _counted(self) -> str:
        return ", ".join(f"{n} {why}" for why, n in sorted(Counter(self.left).items()))


def worst(moments: Iterable[Moment], what: str, *, highest: bool = False) -> list[Evidence]:
    """The lowest (or highest) moments as evidence, the worst first, of equal ones the earlier."""
    ranked = sorted(moments, key=lambda m: (-m.value if highest else m.value, m.start))[:WORST]
    return [Evidence(start=m.start, end=m.end, what=what.format(value=m.value)) for m in ranked]


def standing(shots: Iterable[Shot]) -> list[Evidence]:
    """Frozen shots, the longest first, as evidence that what was measured there is no merit."""
    longest = sorted(shots, key=lambda s: (-s.seconds, s.start))[:WORST]
    return [Evidence(start=s.start, end=s.end, what=STILL) for s in longest]


def frozen_facts(all_shots: Sequence[Shot], frozen: Sequence[Shot]) -> dict[str, Fact]:
    """Share of the seconds of these shots in which nothing moves; told even where it is 0."""
    whole = sum(s.seconds for s in all_shots)
    return {"frozen": round(sum(s.seconds for s in frozen) / whole, 4) if whole else None}
