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

    def attribute(self, name: str) -> bool | int | None:
        """Value of a content attribute; ``None`` when unknown."""
        found = self.attributes.get(name)
        return found.value if found else None
