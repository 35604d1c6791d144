"""Brings sound to 16 kHz mono as it comes, and follows the voice in it: probability and level."""

from __future__ import annotations

from array import array

import av
import numpy as np
from numpy.typing import NDArray

from ..models.vad import STEP, SileroVad

Values = NDArray[np.float32]

RATE = 16000
LEVEL_S = 0.02
"""Seconds between two levels of the voice: 50 a second, enough for lips at any frame rate of films."""
VOICE_HZ = (200.0, 4000.0)
"""Band in which the level of the voice is measured: formants, without hum and most of the hiss."""
FLOOR_DB = -120.0
_HOP = round(LEVEL_S * RATE)
_SIZE = 512
"""Samples that one level is taken over, 32 ms, centred on its 20 ms."""
_WINDOW = np.hanning(_SIZE + 1)[:-1].astype(np.float32)
_BINS = slice(round(VOICE_HZ[0] * _SIZE / RATE), round(VOICE_HZ[1] * _SIZE / RATE))
_BLOCK_S = 4.0


class Mono:
    """Joins blocks of one rate to 16 kHz mono, sample-exact in time. Channels are averaged: what is in
    opposite phase on two of them is lost."""

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self._resampler = None if rate == RATE else av.AudioResampler("flt", "mono", RATE)
        self._waiting: list[Values] = []
        self._count = 0

    def hear(self, samples: Values) -> Values:
        """Take in a block (channels, n); the samples at 16 kHz that are ready, gathered to 4 s."""
        self._waiting.append(samples.mean(axis=0, dtype=np.float32))
        self._count += samples.shape[1]
        return self._flush() if self._count >= _BLOCK_S * self._rate else np.zeros(0, np.float32)

    def finish(self) -> Values:
        """The rest; nothing may be heard after that."""
        ready = self._flush()
        if self._resampler is None:
            return ready
        return np.concatenate([ready, *(f.to_ndarray().ravel() for f in self._resampler.resample(None))])

    def _flush(self) -> Values:
        if not self._count:
            return np.zeros(0, np.float32)
        sound = np.concatenate(self._waiting)
        self._waiting, self._count = [], 0
        if self._resampler is None:
            return sound
        frame = av.AudioFrame.from_ndarray(sound[None], format="flt", layout="mono")
        frame.sample_rate = self._rate
        frame.pts = None
        made = [f.to_ndarray().ravel() for f in self._resampler.resample(frame)]
        return np.concatenate(made) if made else np.zeros(0, np.float32)


class VoiceLevel:
    """Level of the band of the voice, one per 20 ms, in dBFS (a full-scale sine in the band is -3)."""

    def __init__(self) -> None:
        self._sound = np.zeros((_SIZE - _HOP) // 2, np.float32)

    def levels(self, samples: Values) -> Values:
        """Levels that the next samples at 16 kHz complete; they go on from one call to the next."""
        self._sound = np.concatenate([self._sound, samples])
        count = (len(self._sound) - _SIZE) // _HOP + 1
        if count <= 0:
            return np.zeros(0, np.float32)
        frames = np.lib.stride_tricks.sliding_window_view(self._sound, _SIZE)[::_HOP][:count]
        spectra = np.abs(np.fft.rfft(frames * _WINDOW, axis=1)[:, _BINS]) ** 2
        power = 2 * spectra.sum(axis=1) / (_SIZE * float((_WINDOW**2).sum()))
        self._sound = self._sound[count * _HOP :]
        return (10 * np.log10(np.maximum(power, 10 ** (FLOOR_DB / 10)))).astype(np.float32)

    def finish(self) -> Values:
        """The levels that are left, with silence after the end."""
        return self.levels(np.zeros((_SIZE - _HOP) // 2, np.float32))


class VoiceRows:
    """Rows of the voice detector of one stretch: whole windows of 512 samples with their probabilities."""

    def __init__(self, vad: SileroVad) -> None:
        self._vad = vad
        vad.reset()
        self._rest = np.zeros(0, np.float32)

    def rows(self, samples: Values, *, last: bool = False) -> tuple[Values, Values]:
        """Sound of whole windows and a probability for each; at the end the last one is filled up."""
        sound = np.concatenate([self._rest, samples])
        if last and len(sound) % STEP:
            sound = np.concatenate([sound, np.zeros(STEP - len(sound) % STEP, np.float32)])
        whole = len(sound) // STEP * STEP
        self._rest = sound[whole:]
        return sound[:whole], self._vad.probabilities(sound[:whole])


class EvenRows:
    """Values in even steps, in stretches, packed as they come: small arrays kept between large ones that are
    let go would scatter memory over hours."""

    def __init__(self, step: float) -> None:
        """``step``: seconds between two values."""
        self._step = step
        self._values = array("f")
        self._stretches: list[tuple[float, int]] = []

    def begin(self, start: float) -> None:
        """A new stretch, whose first value is at ``start`` seconds."""
        self._stretches.append((start, len(self._values)))

    def add(self, values: Values) -> None:
        """The next values of the stretch."""
        self._values.frombytes(values.astype(np.float32, copy=False).tobytes())

    def take(self) -> tuple[Values, NDArray[np.float16]]:
        """Times (seconds) and values so far, which are then forgotten."""
        values = np.array(self._values, np.float32)
        ends = [first for _, first in self._stretches[1:]] + [len(values)] * bool(self._stretches)
        times = [
            start + np.arange(end - first) * self._step
            for (start, first), end in zip(self._stretches, ends, strict=True)
        ]
        self._values, self._stretches = array("f"), []
        return np.concatenate([np.zeros(0), *times]).astype(np.float32), values.astype(np.float16)
