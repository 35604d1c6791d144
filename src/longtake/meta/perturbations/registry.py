"""All operators by name, and what strengths they take."""

from __future__ import annotations

import difflib

from ...core.changes import Level
from ...errors import UsageError
from . import (
    controls,
    light,
    longcode,
    motion,
    objects,
    picture_aspects,
    quality,
    regenerated,
    sound,
    structure,
)
from .base import Perturbation

PERTURBATIONS: dict[str, Perturbation] = {}
for room in (
    motion,
    light,
    quality,
    sound,
    longcode,
    picture_aspects,
    structure,
    controls,
    objects,
    regenerated,
):
    for operator in room.OPERATORS:
        if PERTURBATIONS.setdefault(operator.name, operator) is not operator:
            raise ValueError(f"two operators are named {operator.name}")


def get(name: str) -> Perturbation:
    """The operator of this name; a :class:`UsageError` with the nearest names otherwise."""
    if name in PERTURBATIONS:
        return PERTURBATIONS[name]
    near = difflib.get_close_matches(name, PERTURBATIONS, n=3)
    hint = f"Did you mean {', '.join(near)}?" if near else f"There are: {', '.join(sorted(PERTURBATIONS))}."
    raise UsageError(f"There is no operator {name!r}.", hint=hint)


def strength_of(operator: Perturbation, strength: float | str) -> tuple[float, Level | None]:
    """A strength as number, and the name of its level if it has one."""
    if strength in ("weak", "medium", "strong"):
        return float(getattr(operator, strength)), strength  # type: ignore[return-value]
    try:
        number = float(strength)
    except ValueError:
        raise UsageError(
            f"{strength!r} is not a strength.", hint="Give a number, or weak, medium or strong."
        ) from None
    if not operator.low <= number <= operator.high:
        raise UsageError(
            f"{operator.name} takes {operator.low:g} to {operator.high:g} {operator.unit}, not {number:g}.",
            hint=f"weak is {operator.weak:g}, medium {operator.medium:g}, strong {operator.strong:g}.",
        )
    return number, operator.level_of(number)
