"""Measurements as a card promises them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...core.evaluator import Card, MeasuredCase, Quantity
from ...core.measurement import Evidence, Measurement, Status

Fact = float | int | str | bool | None


def lacks(case: MeasuredCase, *names: str) -> str | None:
    """Why one of these signals cannot be read, in words; ``None`` where all can."""
    for name in names:
        if not (signal := case.signals[name]).usable:
            return f"it needs {name}: {signal.reason or 'not measured'}"
    return None


def scored(
    quantity: Quantity,
    value: float,
    *,
    evidence: Sequence[Evidence] = (),
    facts: Mapping[str, Fact] | None = None,
) -> Measurement:
    """A value of this quantity. Raises ``ValueError`` where it is outside of its range."""
    return _of(quantity, "scored", value=float(value), evidence=evidence, facts=facts)


def unscored(quantity: Quantity, reason: str, *, facts: Mapping[str, Fact] | None = None) -> Measurement:
    """No value, although there should be one."""
    return _of(quantity, "unscored", reason=reason, facts=facts)


def not_applicable(quantity: Quantity, reason: str) -> Measurement:
    """No value, because the question does not arise here."""
    return _of(quantity, "not_applicable", reason=reason)


def all_unscored(card: Card, reason: str, facts: Mapping[str, Fact] | None = None) -> list[Measurement]:
    """None of a card's quantities, for one reason."""
    return [unscored(quantity, reason, facts=facts) for quantity in card.quantities]


def all_not_applicable(card: Card, reason: str) -> list[Measurement]:
    """None of a card's quantities applies, for one reason."""
    return [not_applicable(quantity, reason) for quantity in card.quantities]


def _of(
    quantity: Quantity,
    status: Status,
    *,
    value: float | None = None,
    reason: str | None = None,
    evidence: Sequence[Evidence] = (),
    facts: Mapping[str, Fact] | None = None,
) -> Measurement:
    return Measurement(
        name=quantity.name,
        status=status,
        value=value,
        reason=reason,
        low=quantity.low,
        high=quantity.high,
        higher_is_better=quantity.higher_is_better,
        evidence=list(evidence),
        facts=dict(facts or {}),
    )
