"""Blind cues and controls: what a judgement has to beat before it counts as one.

A cue looks at one number that a damage may move without anybody having understood the film. Where a cue alone
is right on nearly every pair, accuracy on those pairs says nothing of an evaluator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from ...core.evaluator import Card, MeasuredCase, Preference
from ...core.measurement import Measurement
from ...core.seeds import seed_for
from ..cards import own_card
from ..shared.measured import scored, unscored

Cue = Callable[[MeasuredCase], float | str]
"""The number of a film, or why there is none."""


@dataclass(frozen=True)
class CueEvaluator:
    """Measures one number of a film, under the name of its card's quantity."""

    card: Card
    cue: Cue

    def measure(self, case: MeasuredCase) -> Sequence[Measurement]:
        quantity = self.card.quantities[0]
        found = self.cue(case)
        return [unscored(quantity, found) if isinstance(found, str) else scored(quantity, found)]


@dataclass(frozen=True)
class RandomEvaluator(CueEvaluator):
    """A coin, keyed by the contents of the films: the same pair gets the same answer in any order and run,
    and a film beside itself is a tie."""

    ordered: bool = False

    def prefer(self, first: MeasuredCase, second: MeasuredCase) -> Preference:
        a, b = _identity(first), _identity(second)
        if a == b:
            return Preference(status="scored", choice="tie")
        heads = Random(seed_for(" ".join(sorted((a, b))), self.card.name, 0)).random() < 0.5
        return Preference(status="scored", choice="a" if heads == (a <= b) else "b")


def _identity(case: MeasuredCase) -> str:
    return f"{case.film.hash} {case.film.start} {case.film.end}"


def _of_fact(signal: str, fact: str) -> Cue:
    def cue(case: MeasuredCase) -> float | str:
        found = case.signals[signal]
        if not found.usable:
            return f"needs {signal}: {found.status}, {found.reason or 'no reason given'}"
        value = found.facts.get(fact)
        return f"{signal} gave no {fact}" if value is None else float(value)

    return cue


def _contrast(case: MeasuredCase) -> float | str:
    picture = case.signals["picture"]
    if not picture.usable:
        return f"needs picture: {picture.status}, {picture.reason or 'no reason given'}"
    values = np.asarray(picture.columns["contrast"], np.float64)
    values = values[np.isfinite(values)]
    return float(values.mean()) if values.size else "picture gave no contrast"


def _cue(name: str, cue: Cue) -> CueEvaluator:
    return CueEvaluator(own_card(name, __file__), cue)


cue_duration = _cue("cue.duration", lambda case: case.film.duration)
cue_bytes = _cue("cue.bytes", lambda case: float(case.bytes))
cue_frame_difference = _cue("cue.frame_difference", _of_fact("motion", "frame_change"))
cue_smoothness = _cue("cue.smoothness", _of_fact("motion", "frame_change_unrest"))
cue_contrast = _cue("cue.contrast", _contrast)
cue_flicker = _cue("cue.flicker", _of_fact("motion", "brightness_step"))
constant = _cue("constant", lambda case: 0.5)
random = RandomEvaluator(
    own_card("random", __file__), lambda case: Random(seed_for(_identity(case), "random", 0)).random()
)
