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
_TAIL_STEPS = 12
"""A lossy codec smears the sound beside a gap into it for some milliseconds ..."""
_TAIL_LOUD = 0.1
"""... but 20 dB below the usual level; sound that fades by itself passes through what is between."""
_EDGE_STEPS = 3
_EDGE_LOUD = 0.25
"""Within so many milliseconds the sound is back at this share of its usual level ..."""
_STEP_LOUD = 0.25
"""... and that is a step: a fade of 50 ms grows by less from one millisecond to the next."""
_BESIDE_STEPS = 20
_BESIDE_LOUD = 0.01
"""Median of the milliseconds on both sides: -40 dBFS; under it a gap is a pause."""

_CLICK_NEAR_STEPS = 25
"""Milliseconds on each side that a click has to stand out from: a period of the lowest voice, and a half."""
_CLICK_WIDTH_STEPS = 1
_CLICK_RATIO = 12.0
_CLICK_LEAST = 0.05

_REACH_STEPS = _TAIL_STEPS + _BESIDE_STEPS
_KEEP_STEPS = 2 * (round(DROPOUT_S[1] / STEP_S) + 2 * _REACH_STEPS)


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
        drop = max(0, len(self._level) - _KEEP_STEPS)
        self._level, self._bend = self._level[drop:], self._bend[drop:]
        self._first += drop

    def _time(self, step: int) -> float:
        return self._start + step * self._step

    def _find_clicks(self) -> None:
        near, total = _CLICK_NEAR_STEPS, len(self._bend)
        begin = max(near, self._clicks_done - self._first)
        at = np.flatnonzero(self._bend[begin : total - near] >= _CLICK_LEAST) + begin
        self._clicks_done = max(self._clicks_done, self._first + total - near)
        for i in at[self._peaks(at)]:
            beside = np.concatenate(
                [
                    self._bend[i - near : i - _CLICK_WIDTH_STEPS],
                    self._bend[i + _CLICK_WIDTH_STEPS + 1 : i + near + 1],
                ]
            )
            around = self._bend[i - _CLICK_WIDTH_STEPS : i + _CLICK_WIDTH_STEPS + 1]
            if self._bend[i] >= _CLICK_RATIO * beside.max() and i == i - _CLICK_WIDTH_STEPS + around.argmax():
                self.clicks.append((self._time(self._first + int(i)), float(self._bend[i])))

    def _peaks(self, at: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of these steps tower over the two next to a click's width: nearly all sound does not."""
        level = self._bend[at]
        stands = np.ones(len(at), bool)
        for k in (_CLICK_WIDTH_STEPS + 1, _CLICK_WIDTH_STEPS + 2):
            stands &= (level >= _CLICK_RATIO * self._bend[at - k]) & (
                level >= _CLICK_RATIO * self._bend[at + k]
            )
        return stands

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
            if place < self._dropouts_done or stop + _REACH_STEPS > len(self._level):
                continue
            self._dropouts_done = place + 1
            if stop - start < low:
                continue
            before = _tail(self._level[max(0, start - _REACH_STEPS) : start][::-1])
            after = _tail(self._level[stop : stop + _REACH_STEPS])
            if before is None or after is None or stop - start + before + after > high:
                continue
            self.dropouts.append((self._time(place - before), self._time(self._first + stop + after)))


def _tail(beside: Envelope) -> int | None:
    """Steps between a gap's zeros and the sound beside it, nearest first; ``None`` if that begins softly."""
    if len(beside) < _REACH_STEPS:
        return None
    usual = float(np.median(beside[_TAIL_STEPS:]))
    edge = int((beside > _TAIL_LOUD * usual).argmax())
    back = float(beside[edge : edge + _EDGE_STEPS].max())
    inside = float(beside[edge - 1]) if edge else 0.0
    abrupt = edge <= _TAIL_STEPS and back >= _EDGE_LOUD * usual and inside <= _STEP_LOUD * back
    return edge if usual >= _BESIDE_LOUD and abrupt else None


def _highest(values: Samples, size: int) -> Envelope:
    blocks = values.reshape(-1, size)
    return np.maximum(blocks.max(axis=1), -blocks.min(axis=1))
