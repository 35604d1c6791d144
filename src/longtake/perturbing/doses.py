"""Whether two strengths of one operator are two damages on a film, or the same one twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from ..core.changes import ChangeRecord
from ..errors import InputError
from ..meta.perturbations import Damage, Perturbation
from ..meta.perturbations.base import Facts


@dataclass(frozen=True)
class Hit:
    """What a damage hits: spans with what happens there, and all else that is told of it."""

    spans: tuple[tuple[float, float, str], ...]
    facts: Facts


def hit_by(done: Damage | ChangeRecord) -> Hit:
    """What a damage would hit, or what a record says that it hit."""
    if isinstance(done, Damage):
        return Hit(tuple(done.spans), done.facts)
    spans = [(c.source.start, c.source.end, c.what) for c in done.changed if c.source is not None]
    return Hit(tuple(spans), done.facts)


def refuse_same(operator: Perturbation, hits: Mapping[float, Hit]) -> None:
    """Refuse strengths of which two hit just the same on this film, as one dose would be counted as two.

    Where a strength is how hard a damage is, equal spans are no equal damage, and nothing is refused.

    Raises:
        InputError: two of ``hits`` (by strength) are alike.
    """
    if not operator.extent:
        return
    for (weaker, one), (stronger, two) in combinations(sorted(hits.items()), 2):
        if one == two:
            raise InputError(
                f"strengths {weaker:g} and {stronger:g} are the same damage on this film{_told(two)}.",
                hint="Take strengths further apart, a film of more clips, or one strength alone.",
            )


def _told(hit: Hit) -> str:
    if "n_clips" not in hit.facts:
        return ""
    return f": both damage {hit.facts['n_clips']} of {hit.facts['n_eligible']} clip(s) that can be damaged"
