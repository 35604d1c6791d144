"""Sounds with known truth, drawn from seeds: music in several timbres, noise of several kinds, and mixes.

All are mono float32 at 16 kHz with a level of -20 dBFS; the same seed gives the same sound.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Sound = NDArray[np.float32]
RATE = 16000
LEVEL_DB = -20.0
TIMBRES = ("pluck", "pad", "organ", "bell", "strings", "reed")
STYLES = ("band", "chords", "melody", "arpeggio", "pad", "drums")
NOISES = (
    "pink",
    "white",
    "wind",
    "rain",
    "hum",
    "whine",
    "tone",
    "engine",
    "steps",
    "birds",
    "siren",
    "beeps",
    "clatter",
)
_PROGRESSIONS = ((0, 5, 7, 0), (0, 9, 5, 7), (9, 5, 0, 7), (0, 2, 7, 0), (0, 3, 10, 5))
_MINOR = (9, 2, 4)
_SCALE = (0, 2, 4, 5, 7, 9, 11)


def level(sound: Sound) -> float:
    """Mean square in dBFS."""
    return float(10 * np.log10(np.mean(np.square(sound, dtype=np.float64)) + 1e-20))


def at_level(sound: Sound, db: float = LEVEL_DB) -> Sound:
    """The sound at a level (dBFS, mean square)."""
    return (sound * 10 ** ((db - level(sound)) / 20)).astype(np.float32)


def mixed(front: Sound, back: Sound, db: float) -> Sound:
    """``front`` over ``back``, which is ``db`` softer; as long as the shorter of the two."""
    length = min(len(front), len(back))
    front, back = front[:length], back[:length]
    return at_level(front + at_level(back, level(front) - db))


def note(timbre: str, hertz: float, seconds: float, random: np.random.Generator) -> NDArray[np.float64]:
    """One tone, peak about 1, with its release."""
    time = np.arange(int(RATE * (seconds + 0.3))) / RATE
    gate = np.clip((seconds + 0.25 - time) / 0.25, 0, 1)
    orders = np.arange(1, max(2, int(7000 / hertz)))[:24]
    phases = random.uniform(0, 2 * np.pi, len(orders))
    if timbre == "bell":
        orders = np.array([0.5, 1, 1.19, 1.56, 2, 2.51, 3.01, 4.1])
        orders = orders[orders * hertz < 7500]
        heights, fades = 1 / (1 + orders), 0.6 + 0.9 * orders
    elif timbre == "pluck":
        heights, fades = np.abs(np.sin(orders * 0.7)) / orders, 1.2 + 0.8 * orders
    elif timbre == "organ":
        heights, fades = np.where(np.isin(orders, (1, 2, 3, 4, 6, 8)), 1 / orders**0.7, 0.0), 0 * orders
    elif timbre == "reed":
        heights, fades = np.where(orders % 2 == 1, 1 / orders, 0.15 / orders), 0 * orders
    else:
        heights, fades = 1 / orders**1.2, 0 * orders
    sway = 0.004 * np.sin(2 * np.pi * 5.3 * time) / 5.3 if timbre in ("strings", "reed") else 0.0
    turn = 2 * np.pi * hertz * (time + sway)
    rise = {"pad": 0.4, "strings": 0.12, "reed": 0.04}.get(timbre, 0.005)
    tone = np.zeros(len(time))
    for order, height, fade, phase in zip(orders, heights, fades, phases, strict=False):
        tone += height * np.exp(-fade * time) * np.sin(order * turn + phase)
    return tone * gate * np.clip(time / rise, 0, 1)


def _put(sound: NDArray[np.float64], tone: NDArray[np.float64], second: float, gain: float) -> None:
    begin = int(second * RATE)
    end = min(len(sound), begin + len(tone))
    if end > begin:
        sound[begin:end] += gain * tone[: end - begin]


def _drums(sound: NDArray[np.float64], beat: float, random: np.random.Generator, gain: float) -> None:
    time = np.arange(int(0.3 * RATE)) / RATE
    kick = np.sin(2 * np.pi * (50 * time + 3 * (1 - np.exp(-time * 30)))) * np.exp(-time * 14)
    snare = random.normal(size=len(time)) * np.exp(-time * 22) * 0.5
    hat = np.diff(random.normal(size=len(time) + 1)) * np.exp(-time * 70) * 0.25
    for i in range(int(len(sound) / RATE / beat * 2)):
        second = i * beat / 2
        _put(sound, hat, second, gain)
        if i % 4 == 0:
            _put(sound, kick, second, gain)
        if i % 4 == 2:
            _put(sound, snare, second, gain)


def _room(sound: NDArray[np.float64], random: np.random.Generator, seconds: float) -> NDArray[np.float64]:
    """A little reverberation."""
    time = np.arange(int(seconds * RATE)) / RATE
    tail = random.normal(size=len(time)) * np.exp(-6.9 * time / seconds) * 0.03
    tail[0] = 1.0
    size = 1 << int(np.ceil(np.log2(len(sound) + len(tail))))
    return np.fft.irfft(np.fft.rfft(sound, size) * np.fft.rfft(tail, size), size)[: len(sound)]


def music(
    seed: int,
    seconds: float,
    style: str | None = None,
    timbre: str | None = None,
    key: int | None = None,
    bpm: float | None = None,
) -> Sound:
    """A piece: style, timbre, key (semitones over A) and tempo are drawn where they are not given."""
    random = np.random.default_rng(seed)
    style = style or STYLES[int(random.integers(len(STYLES)))]
    timbre = timbre or ("pad" if style == "pad" else TIMBRES[int(random.integers(len(TIMBRES)))])
    drawn = int(random.integers(12)), float(random.uniform(70, 150))
    key, beat = drawn[0] if key is None else key, 60 / (drawn[1] if bpm is None else bpm)
    sound = np.zeros(int(seconds * RATE))
    progression = _PROGRESSIONS[int(random.integers(len(_PROGRESSIONS)))]
    bar = 4 * beat
    for i in range(int(seconds / bar) + 1):
        root = progression[i % 4]
        third = 3 if root in _MINOR else 4
        chord = [110 * 2 ** ((key + root + n) / 12) for n in (12, 12 + third, 19)]
        if style in ("band", "chords", "pad"):
            for hertz in chord:
                if style == "chords":
                    for half in range(2):
                        _put(sound, note(timbre, hertz, bar / 2 * 0.9, random), i * bar + half * bar / 2, 0.3)
                else:
                    _put(sound, note(timbre, hertz, bar * 0.95, random), i * bar, 0.3)
        if style in ("band", "arpeggio"):
            for n in range(8):
                hertz = chord[(0, 1, 2, 1)[n % 4]] * (2 if style == "band" else 1)
                _put(sound, note("pluck", hertz, beat / 2, random), i * bar + n * beat / 2, 0.4)
        if style == "band":
            for n in range(4):
                _put(sound, note("reed", chord[0] / 2, beat * 0.8, random), i * bar + n * beat, 0.5)
        if style == "melody":
            second = 0.0
            while second < bar:
                length = beat * float(random.choice([0.5, 1.0, 1.5, 2.0]))
                step = _SCALE[int(random.integers(7))]
                _put(
                    sound,
                    note(timbre, 220 * 2 ** ((key + step) / 12), length * 0.95, random),
                    i * bar + second,
                    0.6,
                )
                second += length
    if style in ("band", "drums"):
        _drums(sound, beat, random, 0.8)
    return at_level(_room(sound, random, float(random.uniform(0.2, 1.2))).astype(np.float32))


def _coloured(count: int, random: np.random.Generator, slope: float) -> NDArray[np.float64]:
    """Noise whose power falls with frequency to the power ``slope``."""
    spectrum = np.fft.rfft(random.normal(size=count))
    hertz = np.maximum(np.fft.rfftfreq(count, 1 / RATE), 20)
    return np.fft.irfft(spectrum * hertz ** (-slope / 2), count)


def _swell(count: int, random: np.random.Generator, hertz: float) -> NDArray[np.float64]:
    """A slowly moving gain about 1."""
    points = random.uniform(0.2, 1.8, int(count / RATE * hertz) + 3)
    return np.interp(np.arange(count) / RATE * hertz, np.arange(len(points)), points)


def _glide(hertz: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.sin(2 * np.pi * np.cumsum(hertz) / RATE)


def noise(seed: int, seconds: float, kind: str) -> Sound:
    """Noise of one of the ``NOISES``: sounds that are neither music nor speech."""
    random = np.random.default_rng(seed)
    count = int(seconds * RATE)
    time = np.arange(count) / RATE
    faint = 0.02 * _coloured(count, random, 1.0) / _coloured(RATE, random, 1.0).std()
    if kind == "pink":
        sound = _coloured(count, random, 1.0)
    elif kind == "white":
        sound = random.normal(size=count)
    elif kind == "wind":
        sound = _coloured(count, random, 2.0) * _swell(count, random, 0.7)
    elif kind == "rain":
        drops = random.normal(size=count) * (random.uniform(size=count) < 0.02)
        sound = np.convolve(drops, np.exp(-np.arange(60) / 12), mode="same")
    elif kind == "hum":
        base = float(random.choice([50.0, 60.0, 100.0]))
        sound = sum(np.sin(2 * np.pi * base * k * time + k) / k for k in range(1, 12)) + 10 * faint
    elif kind == "whine":
        tones = random.uniform(150, 3800, int(random.integers(3, 12)))
        parts = [np.sin(2 * np.pi * hz * time) * random.uniform(0.1, 1) for hz in tones]
        sound = np.sum(parts, axis=0) + 10 * faint * float(random.uniform(0.5, 4))
    elif kind == "tone":
        base = float(random.uniform(90, 500))
        orders = range(1, int(random.integers(1, 9)) + 1)
        sound = np.sum([np.sin(2 * np.pi * base * k * time + k) / k for k in orders], axis=0)
        sound = sound + float(random.uniform(0, 0.1)) * faint
    elif kind == "engine":
        speed = 35 + 12 * _swell(count, random, 0.4)
        turn = np.cumsum(speed) / RATE
        sound = sum(np.sin(2 * np.pi * k * turn + k * k) / k for k in range(1, 30))
        sound = sound + 0.5 * _coloured(count, random, 1.0) / _coloured(RATE, random, 1.0).std()
    elif kind in ("steps", "clatter"):
        sound = faint.copy()
        second = 0.2
        while second < seconds:
            length = int(RATE * (0.12 if kind == "steps" else 0.05))
            hit = _coloured(length, random, 1.5 if kind == "steps" else 0.0)
            hit = hit / hit.std() * np.exp(-np.arange(length) / RATE * 40) * random.uniform(0.3, 1)
            _put(sound, hit, second, 1.0)
            second += (
                float(random.normal(0.55, 0.06))
                if kind == "steps"
                else float(random.exponential(0.35)) + 0.03
            )
    elif kind == "birds":
        sound = faint.copy()
        second = 0.1
        while second < seconds:
            length = int(RATE * random.uniform(0.05, 0.25))
            path = np.linspace(random.uniform(1800, 3800), random.uniform(1800, 3800), length)
            path = path + 250 * np.sin(2 * np.pi * 30 * np.arange(length) / RATE)
            _put(sound, _glide(path) * np.hanning(length), second, float(random.uniform(0.2, 0.8)))
            second += float(random.exponential(0.4)) + 0.08
    elif kind == "siren":
        sweep = 700 + 300 * np.sin(2 * np.pi * float(random.uniform(0.2, 0.6)) * time)
        sound = _glide(sweep) + 0.3 * _glide(2 * sweep) + 5 * faint
    elif kind == "beeps":
        period, hertz = float(random.uniform(0.4, 1.2)), float(random.uniform(800, 2500))
        sound = np.sin(2 * np.pi * hertz * time) * ((time % period) < 0.12) + faint
    else:
        raise ValueError(f"no noise of the kind {kind}")
    return at_level(np.asarray(sound, np.float32))


def joined(parts: Sequence[Sound], silence_s: float = 0.0) -> Sound:
    """One after another, with so much digital silence between them."""
    gap = np.zeros(int(silence_s * RATE), np.float32)
    pieces: list[Sound] = []
    for i, part in enumerate(parts):
        pieces += [part] if i == 0 else [gap, part]
    return np.concatenate(pieces)
