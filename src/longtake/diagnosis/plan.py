"""What was planned against what is there: planned shots aligned to measured ones, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MismatchKind = Literal[
    "missing_planned_shot", "unmatched_shot", "shifted_shot", "shot_count", "film_longer", "film_shorter"
]


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


@dataclass(frozen=True)
class Plan:
    """The alignment. ``aligned`` is false where it could not be made honestly; ``reason`` then says why."""

    shots: tuple[AlignedShot, ...]
    mismatches: tuple[Mismatch, ...] = ()
    aligned: bool = True
    reason: str | None = None
    duration: float | None = None

    def planned_for(self, shot: int) -> AlignedShot | None:
        """The planned shot that covers a measured shot, if exactly one does."""
        found = [s for s in self.shots if shot in s.measured]
        return found[0] if len(found) == 1 else None
