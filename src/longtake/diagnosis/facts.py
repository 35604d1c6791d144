"""What a rule may look at: signals, facts of the film, the brief, the plan, the content attributes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..core.brief import Brief
from ..core.documents import Attribute, VideoEntry
from ..core.signal import Signals
from .plan import Plan


@dataclass(frozen=True)
class Facts:
    """Everything known about one film. Profiles are absent on purpose: no rule may see whose eyes look.

    ``plan`` is ``None`` where there is no brief or the brief plans no shots.
    """

    signals: Signals
    film: VideoEntry
    brief: Brief | None
    plan: Plan | None
    attributes: Mapping[str, Attribute]

    @property
    def start(self) -> float:
        """Where what was looked at begins, in seconds of the film's own clock."""
        return self.film.start or 0.0

    @property
    def end(self) -> float:
        """Where it ends."""
        return self.start + self.film.duration

    @property
    def is_part(self) -> bool:
        """Whether only a part of the film was looked at, so that nothing is known of the rest."""
        return self.film.start is not None or self.film.end is not None

    def attribute(self, name: str) -> bool | int | None:
        """Value of a content attribute; ``None`` when unknown."""
        found = self.attributes.get(name)
        return found.value if found else None
