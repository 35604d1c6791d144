"""Drop-outs and clicks, found in two envelopes of one value per millisecond.

The envelopes are the highest sample and the highest second difference of the mix of all channels. Both
defects are decided from an envelope's neighbourhood of fixed length, so that they do not depend on how the
sound was cut into blocks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .audio_meters import Samples

Envelope = NDArray[np.float32]

STEP_S = 0.001

# Fixed on the test media's 3_audio and 8_footage clips with sound (none may have a defect) against the same
# with gaps set to zero and with impulses put in.
DROPOUT_S = (0.005, 0.5)
_ZERO = 2.0**-15
"""A sample at or below is silence: half a step of 15 bits, what dither and decoders leave of a zero."""
_EDGE_STEPS = 2
"""Milliseconds in which sound has to stop and to start again: speech and music take longer."""
_BESIDE_STEPS = 20
_BESIDE_LOUD = 0.01
"""Median of the milliseconds on both sides: -40 dBFS; under it a gap is a pause."""

_CLICK_NEAR_STEPS = 25
"""Milliseconds on each side that a click has to stand out from: a period of the lowest voice, and a half."""
_CLICK_WIDTH_STEPS = 1
_CLICK_RATIO = 12.0
_CLICK_LEAST = 0.05

CONTEXT = round(DROPOUT_S[1] / STEP_S) + 2 * _BESIDE_STEPS + 2


class Defects:
    """Finds drop-outs and clicks in one stretch of sound."""

    def __init__(self, rate: int, start: float) -> None:
        self._size = max(1, round(rate * STEP_S))
        self._step = self._size / rate
        self._start = start
        self._rest = np.zeros(0, np.float32)
        self._level = np.zeros(0, np.float32)
        self._bend = np.zeros(0, np.float32)
        self._first = 0
        self._clicks_done = 0
        self._dropouts_done = 0
        self.clicks: list[tuple[float, float]] = []
        """Time and height (0..1 and above, of the second difference) of every click."""
        self.dropouts: list[tuple[float, float]] = []
        """Start and end of every drop-out."""

    def hear(self, samples: Samples) -> None:
        """Take in a block."""
        mix = samples[0] if len(samples) == 1 else samples.mean(axis=0, dtype=np.float32)
        whole = np.concatenate([self._rest, mix])
        count = max(0, (len(whole) - 2) // self._size)
        used = count * self._size
        self._rest = whole[used:]
        if not count:
            return
        bend = np.diff(whole[: used + 2], 2)
        self._level = np.concatenate([self._level, _highest(whole[:used], self._size)])
        self._bend = np.concatenate([self._bend, _highest(bend, self._size)])
        self._find_clicks()
        self._find_dropouts()
        drop = max(0, len(self._level) - 2 * CONTEXT)
        self._level, self._bend = self._level[drop:], self._bend[drop:]
        self._first += drop

    def _time(self, step: int) -> float:
        return self._start + step * self._step

    def _find_clicks(self) -> None:
        near, total = _CLICK_NEAR_STEPS, len(self._bend)
        begin = max(near, self._clicks_done - self._first)
        at = np.flatnonzero(self._bend[begin : total - near] >= _CLICK_LEAST) + begin
        self._clicks_done = max(self._clicks_done, self._first + total - near)
        for i in at:
            beside = np.concatenate(
                [
                    self._bend[i - near : i - _CLICK_WIDTH_STEPS],
                    self._bend[i + _CLICK_WIDTH_STEPS + 1 : i + near + 1],
                ]
            )
            around = self._bend[i - _CLICK_WIDTH_STEPS : i + _CLICK_WIDTH_STEPS + 1]
            if self._bend[i] >= _CLICK_RATIO * beside.max() and i == i - _CLICK_WIDTH_STEPS + around.argmax():
                self.clicks.append((self._time(self._first + int(i)), float(self._bend[i])))

    def _find_dropouts(self) -> None:
        quiet = self._level <= _ZERO
        if not quiet.any():
            return
        edges = np.flatnonzero(np.diff(quiet.astype(np.int8)))
        starts = edges[quiet[edges + 1]] + 1
        stops = edges[~quiet[edges + 1]] + 1
        low, high = (round(s / self._step) for s in DROPOUT_S)
        for start in starts:
            later = stops[stops > start]
            if not len(later):
                continue
            stop = int(later[0])
            place = self._first + int(start)
            ready = stop + _BESIDE_STEPS <= len(self._level)
            if place < self._dropouts_done or not ready or not low <= stop - start <= high:
                continue
            if self._abrupt(self._level[max(0, start - _BESIDE_STEPS) : start][::-1]) and self._abrupt(
                self._level[stop : stop + _BESIDE_STEPS]
            ):
                self.dropouts.append((self._time(place), self._time(self._first + stop)))
            self._dropouts_done = place + 1

    @staticmethod
    def _abrupt(beside: Envelope) -> bool:
        """Whether sound is at its usual level within two milliseconds of the gap; nearest first."""
        usual = float(np.median(beside)) if len(beside) == _BESIDE_STEPS else 0.0
        return usual >= _BESIDE_LOUD and float(beside[:_EDGE_STEPS].max()) >= 0.5 * usual


def _highest(values: Samples, size: int) -> Envelope:
    blocks = values.reshape(-1, size)
    return np.maximum(blocks.max(axis=1), -blocks.min(axis=1))
