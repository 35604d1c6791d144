"""How well the movement of a mouth fits the sound, at every lag, and how well it fits other sound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

RATE = 50
"""Steps per second of mouths and voice alike."""
REACH_S = 1.0
"""Lags are searched this far both ways."""
SMOOTH_S = 0.06
RANGE_DB = 40.0
"""The level of the voice counts from its loud parts down to so much less."""
CLOSED = 0.02
"""Added to the opening of the mouth before the logarithm: lips that touch are not infinitely closed."""
NULLS = 60
"""Other pieces of sound that a mouth is held against."""
LEAST_ROLL_S = 1.5
"""How far a piece of sound is turned round at least to count as another one."""
_REACH = round(REACH_S * RATE)
LAGS = np.arange(-_REACH, _REACH + 1) / RATE
"""Seconds; positive: the sound is late."""


@dataclass(frozen=True)
class Match:
    """``curve`` is the correlation at every lag (LAGS), ``nulls`` the same for other sound, shape (n, lags).

    ``lag`` is where the curve is highest, ``peak`` how high; ``margin`` is how many standard deviations
    that is above the peaks of the nulls.
    """

    curve: Values
    nulls: NDArray[np.floating]

    @property
    def lag(self) -> float:
        return float(LAGS[int(np.argmax(self.curve))])

    @property
    def peak(self) -> float:
        return float(self.curve.max())

    @property
    def margin(self) -> float:
        peaks = self.nulls.max(axis=1)
        return float((self.peak - peaks.mean()) / max(float(peaks.std()), 1e-6))

    @property
    def inside(self) -> bool:
        """Whether the curve falls on both sides of its peak: at the end of the search it may go on rising."""
        return 0 < int(np.argmax(self.curve)) < len(LAGS) - 1


def mouth_speed(opening: Values) -> Values:
    """Change of the mouth's opening (over the eyes' distance) in each step, as a logarithm."""
    return np.gradient(_smooth(np.log(np.maximum(opening, 0.0) + CLOSED)))


def voice_speed(level: Values, loud: float) -> Values:
    """Change of the level (dB) in each step; ``loud`` is the level of the voice's loud parts."""
    return np.gradient(_smooth(np.maximum(level, loud - RANGE_DB)))


def match(mouth: Values, voice: Values, place: int, others: list[int], seed: int) -> Match:
    """Hold the speed of a mouth against the speed of the voice.

    Args:
        mouth: speed of the mouth over a stretch of n steps.
        voice: speed of the voice over the whole film.
        place: step of the film at which the stretch begins.
        others: steps of the film at which stretches with speech have their middle, this one's among them.
        seed: of the random choice of other sound. That is the sound of any of those stretches, moved by up
            to a second, played forwards or backwards; of this stretch itself only turned round by more than
            the search reaches, or backwards.
    """
    count = len(mouth)
    rng = np.random.default_rng(seed)
    own = _window(voice, place - _REACH, count)
    nulls = []
    for _ in range(NULLS):
        middle = others[int(rng.integers(len(others)))]
        moved = middle - count // 2 + int(rng.integers(-_REACH, _REACH + 1))
        backwards = bool(rng.random() < 0.5)
        other = _window(voice, moved - _REACH, count)
        if backwards:
            other = -other[::-1]
        elif abs(moved - place) < 2 * _REACH + round(LEAST_ROLL_S * RATE):
            least = round(LEAST_ROLL_S * RATE)
            other = np.roll(own, int(rng.integers(least, max(len(own) - least, least + 1))))
        nulls.append(_curve(mouth, other))
    return Match(_curve(mouth, own), np.array(nulls, np.float32))


def pooled(matches: list[Match], weights: list[float]) -> Match:
    """All stretches of a film as one, weighted; a lag that they share stands out."""
    share = np.array(weights) / sum(weights)
    return Match(
        np.tensordot(share, np.array([m.curve for m in matches]), 1),
        np.asarray(sum(w * m.nulls for w, m in zip(share, matches, strict=True))),
    )


def _smooth(values: Values) -> Values:
    width = round(SMOOTH_S * RATE) | 1
    return np.convolve(np.pad(values, width // 2, mode="edge"), np.full(width, 1 / width), "valid")


def _window(voice: Values, first: int, count: int) -> Values:
    """The steps from ``first`` on that ``count`` steps meet at any lag; nothing changes outside the film."""
    window = np.zeros(count + 2 * _REACH)
    begin, end = max(first, 0), min(first + len(window), len(voice))
    if begin < end:
        window[begin - first : end - first] = voice[begin:end]
    return window


def _curve(mouth: Values, window: Values) -> Values:
    """Correlation of the mouth with each part of the window, one per lag."""
    x = mouth - mouth.mean()
    x /= max(float(np.linalg.norm(x)), 1e-9)
    parts = np.lib.stride_tricks.sliding_window_view(window, len(mouth))
    spread = np.sqrt(np.maximum((parts**2).sum(axis=1) - len(mouth) * parts.mean(axis=1) ** 2, 1e-9))
    return np.asarray(parts @ x / spread)
