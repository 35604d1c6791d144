"""Sound of real clips for observers of sound, and signals from what they kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from longtake.core.signal import Signal
from longtake.models import weights
from longtake.models.weights import Weights
from longtake.signals import speech
from longtake.signals.film import Film
from longtake.signals.observer import Arrays
from sentences import SENTENCES

Sound = NDArray[np.float32]

GRID = {f"grid_{name}": said for name, said in SENTENCES.items()}
"""What is said in each file."""


def blocks(path: Path) -> Iterator[tuple[Sound, int]]:
    """Decoded sound as it comes: (channels, n) float32, and its rate."""
    with av.open(str(path)) as container:
        planar = av.AudioResampler("fltp")
        for frame in container.decode(audio=0):
            for block in planar.resample(frame):
                yield np.asarray(block.to_ndarray(), np.float32), block.sample_rate


def sound(path: Path) -> tuple[Sound, int]:
    """All sound of a file at once."""
    found = list(blocks(path))
    return np.concatenate([b for b, _ in found], axis=1), found[0][1]


def speech_weights(root: Path, whisper: str = "whisper-base") -> Weights:
    """The weights of the signal speech, with this Whisper."""
    return weights.load(["silero-vad", whisper, "dnsmos"], root, 1)


def film_of_sound(seconds: float) -> Film:
    """A film of so many seconds, as far as signals of the sound ask."""
    times = np.arange(0.0, seconds, 0.04)
    return Film(seconds, times, 0.04, 320, 240, has_sound=True, end=seconds)


def told(root: Path, pieces: Sequence[tuple[Sound, int, float]]) -> tuple[Signal, Arrays]:
    """The signal speech of pieces of sound (samples, rate, time), and its rows."""
    observer = speech.SpeechObserver(speech_weights(root))
    end = 0.0
    for samples, rate, time in pieces:
        for first in range(0, samples.shape[1], 4096):
            observer.hear(samples[:, first : first + 4096], rate, time + first / rate)
        end = max(end, time + samples.shape[1] / rate)
    rows = observer.flush()
    return speech.assemble(rows, film_of_sound(end), {}), rows


def heard(signal: Signal, start: float, end: float) -> str:
    """The words that begin within a span."""
    at = np.asarray(signal.columns["start"])
    return " ".join(signal.columns["word"][(at >= start - 0.3) & (at < end)])
