"""How sure an answer is: never the model's own word about itself.

    c = A x G x E, clipped to [.05, 1]

A: share of the tools that the answer needs that worked, a fallback counting half. G: agreement of repeated
draws; of a rule, its separation of clean from damaged in its controls. E: agreement of the other source.
The constants are longtake's own and not calibrated against people.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import pstdev

from ..core.judgement import ConfidenceParts
from ..core.signal import Signals
from .rules import Rule

CONFIDENCE_RANGE = (0.05, 1.0)
AGREES, NO_SECOND_OPINION, CONTRADICTS = 1.0, 0.9, 0.6
"""E where another source agrees, where none speaks, and where one contradicts."""
SINGLE_DRAW = 0.8
"""G of a judge that was asked once."""
HALF_RANGE = 0.5
"""Half of the range of values: the largest standard deviation that draws can have."""
STANDS_IN = 0.55
"""Most confidence of a source that stands in for the one that has authority: it is flagged and violates no
constraint."""
LOW_CONFIDENCE = 0.6
WITHIN = 0.25
"""Values of two sources that differ by no more than one level of five agree."""
HEARD = ("audio", "speech", "sound", "lipsync")
"""Signals of what is heard."""


def available(signals: Signals, needs: Iterable[str], *, sound: bool = True, beside: int = 0) -> float:
    """A: the share of the signals ``needs`` that is there, a fallback counting half; 1 where none is needed.

    Of a film without ``sound`` the signals of the sound are not missing: there is nothing to hear. ``beside``
    counts other tools that are needed and there.
    """
    needed = [signals[name].status for name in needs if sound or name not in HEARD]
    there = needed.count("ok") + 0.5 * needed.count("fallback")
    return (there + beside) / (len(needed) + beside) if needed else 1.0


def of_rule(signals: Signals, rule: Rule, *, sound: bool, tools: float | None = None) -> ConfidenceParts:
    """The parts of a rule's confidence that rest on itself.

    ``tools`` in [0, 1] is how sure the models beneath were of this film: availability falls with it.
    """
    there = available(signals, rule.needs, sound=sound) * (1.0 if tools is None else tools)
    return ConfidenceParts(availability=there, agreement=rule.separation, evidence=NO_SECOND_OPINION)


def of_draws(values: list[float], availability: float) -> ConfidenceParts:
    """The same of a judge that gave these values."""
    alone = len(values) == 1
    agreement = SINGLE_DRAW if alone else max(0.0, 1 - pstdev(values) / HALF_RANGE)
    return ConfidenceParts(
        availability=availability, agreement=agreement, evidence=NO_SECOND_OPINION, single_draw=alone
    )


def agree(a: float, b: float) -> bool:
    """Whether two sources say the same, give or take one level of five."""
    return abs(a - b) <= WITHIN + 1e-9


def seconded(parts: ConfidenceParts, agrees: bool | None) -> ConfidenceParts:
    """The parts with what another source thinks; ``None`` where there is none."""
    worth = NO_SECOND_OPINION if agrees is None else AGREES if agrees else CONTRADICTS
    return parts.model_copy(update={"evidence": worth})


def confidence(parts: ConfidenceParts, *, stands_in: bool) -> float:
    """The product, clipped; of a source that stands in for another no more than :data:`STANDS_IN`."""
    low, high = CONFIDENCE_RANGE
    value = min(high, max(low, parts.availability * parts.agreement * parts.evidence))
    return round(min(value, STANDS_IN) if stands_in else value, 4)
