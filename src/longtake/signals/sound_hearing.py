"""The observer of ``sound``: rows of half a second, and the voice's probability every tenth of a second."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..models.vad import STEP, SileroVad
from ..models.weights import Weights
from .audio_meters import Samples
from .observer import Arrays
from .sound_classes import VOICE_ROW_S
from .sound_features import FEATURES, RATE, Describer, Resampler, Row, Values

MODEL = "silero-vad"
_FILE = "silero_vad_v6.onnx"
JOINED_S = 0.1
"""Sound that comes this much later than where it should begin is joined to what was heard before: uneven time
stamps are common, and rows are long. Sound that comes too early by more than _EARLY_S is cut."""
_EARLY_S = 0.02
_BLOCK_S = 4.0
"""Blocks are gathered to this length before work is done on them."""
_PACKED_ROWS = 120
"""Rows (a minute) that are held as objects; then they are packed."""


class SoundObserver:
    """Hears decoded sound in stretches without a gap, like the observer of ``audio``, which is stricter."""

    name = "sound"

    def __init__(self, weights: Weights) -> None:
        self._vad = SileroVad(weights[MODEL][_FILE], weights.threads)
        self._stretch: _Stretch | None = None
        self._kept: list[Arrays] = []

    def hear(self, samples: Samples, rate: int, time: float) -> None:
        """Take in a block (channels, n) of float32; ``time`` is that of its first sample in seconds."""
        now = self._stretch
        if now is not None:
            if time < now.end - _EARLY_S:
                samples = samples[:, round((now.end - time) * rate) :]
            if time <= now.end + JOINED_S:
                time = now.end
        if not samples.shape[1]:
            return
        if now is None or time != now.end or rate != now.rate:
            self._close()
            self._vad.reset()
            now = self._stretch = _Stretch(rate, time, self._vad)
        now.hear(samples)
        if now.rows_held >= _PACKED_ROWS:
            self._kept.append(now.take())

    def _close(self) -> None:
        if self._stretch is not None:
            self._stretch.finish()
            self._kept.append(self._stretch.take())
            self._stretch = None

    def flush(self) -> Arrays:
        """Rows since the last flush; at a stretch's ends one row may come in two parts."""
        self._close()
        kept, self._kept = self._kept, []
        none = _packed([], [], [])
        return {name: np.concatenate([none[name], *(k[name] for k in kept)]) for name in none}


class _Stretch:
    """Sound without a gap, of one rate."""

    def __init__(self, rate: int, start: float, vad: SileroVad) -> None:
        self.rate = rate
        self._start = start
        self._heard = 0
        self._vad = vad
        self._resampler = Resampler(rate)
        self._describer = Describer(round(start * RATE))
        self._waiting: list[Samples] = []
        self._count = 0
        self._rest = np.zeros(0, np.float32)
        self._windows = 0
        self._voice_rows: list[NDArray[np.int32]] = []
        self._voice: list[Values] = []

    @property
    def end(self) -> float:
        """Seconds, counted in samples from the start."""
        return self._start + self._heard / self.rate

    @property
    def rows_held(self) -> int:
        """Rows that wait to be taken."""
        return len(self._describer.rows)

    def hear(self, samples: Samples) -> None:
        self._waiting.append(samples.mean(axis=0, dtype=np.float32, keepdims=True))
        self._count += samples.shape[1]
        self._heard += samples.shape[1]
        if self._count >= _BLOCK_S * self.rate:
            self._work()

    def _work(self) -> None:
        if self._waiting:
            self._listen(self._resampler.take(np.concatenate(self._waiting, axis=1)))
            self._waiting, self._count = [], 0

    def finish(self) -> None:
        """Work on all that waits; nothing more is heard."""
        self._work()
        self._listen(self._resampler.rest())
        padded = np.pad(self._rest, (0, -len(self._rest) % STEP))
        self._hear_voice(padded)
        self._describer.finish()

    def _listen(self, sound: Values) -> None:
        self._describer.hear(sound)
        whole = np.concatenate([self._rest, sound])
        used = len(whole) // STEP * STEP
        self._rest = whole[used:]
        self._hear_voice(whole[:used])

    def _hear_voice(self, sound: Values) -> None:
        found = self._vad.probabilities(sound)
        middles = self._start + (self._windows + np.arange(len(found)) + 0.5) * STEP / RATE
        self._windows += len(found)
        self._voice_rows.append((middles / VOICE_ROW_S).astype(np.int32))
        self._voice.append(found)

    def take(self) -> Arrays:
        """What was found since the last call, as columns."""
        rows, self._describer.rows = self._describer.rows, []
        voice_rows, self._voice_rows = self._voice_rows, []
        voice, self._voice = self._voice, []
        return _packed(rows, voice_rows, voice)


def _packed(rows: list[Row], voice_rows: list[NDArray[np.int32]], voice: list[Values]) -> Arrays:
    found: Arrays = {
        "sound.row": np.array([r.number for r in rows], np.int32),
        "sound.values": np.array([r.values for r in rows], np.float32).reshape(-1, len(FEATURES)),
        "sound.chroma": np.array([r.chroma for r in rows], np.float16).reshape(-1, 12),
        "sound.bands": np.array([r.bands for r in rows], np.float16).reshape(-1, 16),
    }
    number = np.concatenate([np.zeros(0, np.int32), *voice_rows])
    found["sound_voice.row"] = number
    found["sound_voice.probability"] = np.concatenate([np.zeros(0, np.float32), *voice]).astype(np.float16)
    return found
