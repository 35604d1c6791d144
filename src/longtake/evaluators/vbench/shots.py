"""The shots of a film as the dimensions see them, and the frames of each that are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...core.evaluator import MeasuredCase
from ..shared.spans import gradual_transitions, measured_spans

HAIR = 1e-6
CLIP_S = 2.0
"""Length of VBench-Long's clips; shots are parted evenly into pieces as near to it as possible."""


@dataclass(frozen=True)
class Shot:
    """A stretch of one shot outside of gradual transitions, in seconds: ``start`` <= t < ``end``. ``index``
    counts from 0; ``frames`` is when each of its frames begins to be shown, ascending."""

    index: int
    start: float
    end: float
    frames: tuple[float, ...]

    @property
    def seconds(self) -> float:
        """Its length."""
        return self.end - self.start

    def grid(self, rate: float) -> list[float]:
        """The frames shown at its start and every 1 / ``rate`` seconds after, each once."""
        count = int(np.ceil((self.seconds - HAIR) * rate))
        return self._shown(self.start + np.arange(max(1, count)) / rate)

    def spread(self, rate: float) -> list[float]:
        """About ``rate`` frames per second, at least one, in the middle of even parts, each once."""
        count = max(1, round(self.seconds * rate))
        return self._shown(self.start + (np.arange(count) + 0.5) * self.seconds / count)

    def clips(self) -> list[tuple[float, float]]:
        """Even parts, as near to ``CLIP_S`` as possible."""
        count = max(1, round(self.seconds / CLIP_S))
        edges = np.linspace(self.start, self.end, count + 1)
        return [(float(a), float(b)) for a, b in pairwise(edges)]

    def _shown(self, moments: NDArray[np.float64]) -> list[float]:
        own = np.asarray(self.frames)
        at = np.searchsorted(own, moments + HAIR, side="right") - 1
        return [float(own[i]) for i in np.unique(np.maximum(at, 0))]


def shots_of(case: MeasuredCase) -> list[Shot]:
    """The shots that were found, without the gradual transitions between them and without those of which
    nothing is left. Needs the signals ``shots``, without which a cut would count as flicker, as roughness and
    as a change of subject, and ``transitions``."""
    assert case.tools is not None
    times = np.asarray(case.tools.footage.times, np.float64)
    fades = gradual_transitions(case)
    found = []
    for index, (start, end) in enumerate(measured_spans(case)):
        for a, b in fades:
            if a <= start < b:
                start = b
            if a < end <= b:
                end = a
        own = times[(times >= start - HAIR) & (times < end - HAIR)]
        if len(own) and end > start:
            found.append(Shot(index, start, end, tuple(float(t) for t in own)))
    return found


def named(shots: Sequence[Shot]) -> str:
    """What stands for these stretches in keys of what is kept."""
    return repr([(s.start, s.end) for s in shots])
