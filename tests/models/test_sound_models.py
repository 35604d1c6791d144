"""Known sound, known output, on the exact weights of the models that hear."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from longtake.models import weights
from longtake.models.dnsmos import WINDOW, Dnsmos
from longtake.models.vad import STEP, SileroVad
from longtake.models.whisper import Transcript, Whisper, Word

RATE = 16000
Sound = NDArray[np.float32]


def vowel(seconds: float) -> Sound:
    """Pulses at 120 Hz through three resonances of an open vowel, swelling four times a second."""
    count = round(seconds * RATE)
    pulses = np.zeros(count)
    pulses[:: RATE // 120] = 1.0
    made = np.zeros(count)
    for formant, width in ((700, 80), (1200, 100), (2600, 160)):
        at = np.arange(1600) / RATE
        rings = np.exp(-np.pi * width * at) * np.sin(2 * np.pi * formant * at)
        made += np.convolve(pulses, rings)[:count]
    swell = 0.5 - 0.5 * np.cos(2 * np.pi * 4 * np.arange(count) / RATE)
    return (0.2 * made / np.abs(made).max() * swell).astype(np.float32)


def noise(seconds: float) -> Sound:
    return np.random.default_rng(0).normal(0, 0.05, round(seconds * RATE)).astype(np.float32)


@pytest.fixture(scope="module")
def vad(weights_root: Path) -> SileroVad:
    return SileroVad(weights.load(["silero-vad"], weights_root, 1)["silero-vad"]["silero_vad_v6.onnx"])


@pytest.fixture(scope="module")
def dnsmos(weights_root: Path) -> Dnsmos:
    return Dnsmos(weights.load(["dnsmos"], weights_root, 1)["dnsmos"]["sig_bak_ovr.onnx"])


def test_voice_detector_gives_known_numbers(vad: SileroVad) -> None:
    vad.reset()
    found = vad.probabilities(vowel(2.048))
    assert found.shape == (64,)
    assert found[:8] == pytest.approx([0.165, 0.751, 0.838, 0.827, 0.816, 0.834, 0.840, 0.790], abs=0.01)
    assert found[-1] == pytest.approx(0.595, abs=0.01)
    vad.reset()
    assert vad.probabilities(noise(2.048)).max() < 0.3


def test_voice_detector_goes_on_where_it_was(vad: SileroVad) -> None:
    samples = vowel(2.048)
    vad.reset()
    at_once = vad.probabilities(samples)
    vad.reset()
    parts = [vad.probabilities(samples[i * STEP : (i + 7) * STEP]) for i in range(0, 64, 7)]
    assert np.concatenate(parts) == pytest.approx(at_once, abs=1e-4)
    assert len(vad.probabilities(samples[:0])) == 0
    with pytest.raises(ValueError, match="reshape"):
        vad.probabilities(samples[:500])


def test_dnsmos_gives_known_numbers(dnsmos: Dnsmos) -> None:
    assert dnsmos.rate(vowel(3)) == pytest.approx((2.774, 3.208, 2.176), abs=0.01)
    assert dnsmos.rate(noise(3)) == pytest.approx((1.102, 1.110, 1.093), abs=0.01)


def test_dnsmos_is_the_mean_of_whole_windows(dnsmos: Dnsmos) -> None:
    first, second = vowel(WINDOW / RATE), noise(WINDOW / RATE)
    both = dnsmos.rate(np.concatenate([first, second]))
    assert both == pytest.approx(np.mean([dnsmos.rate(first), dnsmos.rate(second)], axis=0), abs=1e-4)
    rest = np.concatenate([first, second[: WINDOW // 4]])
    assert dnsmos.rate(rest) == pytest.approx(dnsmos.rate(first), abs=1e-4)


@pytest.mark.parametrize(
    ("name", "language_probability", "no_speech", "repetition"),
    [("whisper-base", 0.48, 0.708, 1.58), ("whisper-tiny.en", None, 0.759, 5.07)],
)
def test_whisper_gives_known_numbers(
    weights_root: Path, name: str, language_probability: float | None, no_speech: float, repetition: float
) -> None:
    """A sung vowel is text to Whisper; its own figures say what that text is worth."""
    found = Whisper(weights.load([name], weights_root, 1)[name]).transcribe(vowel(3))
    assert found.language == "en"
    if language_probability is None:
        assert found.language_probability is None
    else:
        assert found.language_probability == pytest.approx(language_probability, abs=0.06)
    assert found.no_speech == pytest.approx(no_speech, abs=0.05)
    assert found.repetition == pytest.approx(repetition, abs=0.8)
    assert found.doubt is not None


def test_small_whisper_knows_a_speech(weights_root: Path, media: Path) -> None:
    name = "whisper-tiny.en"
    with av.open(str(media / "3_audio" / "whisper_jfk.flac")) as container:
        to_mono = av.AudioResampler("flt", "mono", RATE)
        parts = [b.to_ndarray().ravel() for f in container.decode(audio=0) for b in to_mono.resample(f)]
    found = Whisper(weights.load([name], weights_root, 1)[name]).transcribe(np.concatenate(parts))
    text = "".join(word.text for word in found.words).lower()
    assert "ask not what your country can do for you" in text
    assert found.doubt is None
    assert all(a.start <= b.start for a, b in pairwise(found.words))


@pytest.mark.parametrize(
    ("figures", "doubt"),
    [
        ((-0.3, 0.1, 1.2), None),
        ((-1.1, 0.1, 1.2), "the words found are a guess"),
        ((-0.3, 0.7, 1.2), "the model doubts that anybody speaks"),
        ((-0.3, 0.1, 2.5), "the text found repeats itself"),
    ],
)
def test_what_makes_words_doubtful(figures: tuple[float, float, float], doubt: str | None) -> None:
    assert Transcript("en", 0.9, (Word(" a", 0.0, 0.1, 0.9, 0),), *figures).doubt == doubt
    assert Transcript("en", 0.9).doubt == "no words were found"
