"""Onsets, tempo and beats from how much louder the spectrum grows from one moment to the next.

Onset strength is spectral flux in bands (Dixon, "Onset detection revisited", DAFx 2006). Tempo is the lag at
which strength repeats, with a log-normal prior, and beats are the best path through strength at that tempo
(Ellis, "Beat tracking by dynamic programming", JNMR 2007). Whether there is a tempo at all is told from the
same figure of the same sound, cut in pieces and shuffled.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .audio_meters import Samples

Strength = NDArray[np.float32]

HOP_S = 0.01
_SIZE = 512
"""Samples in a spectrum: 32..64 ms at the 8..16 kHz that the sound is brought down to."""
_LEAST_RATE = 11000
_BANDS = 24
_BAND_RANGE_HZ = (60.0, 5000.0)
_LOUD = 1000.0
"""Compression log(1 + 1000 x amplitude): what is under -60 dBFS hardly counts."""
_EARLY_S = 0.01
"""A sharp sound is strongest in flux this much early, when it enters the middle part of the window."""

_SECTION_S = 30.0
"""Tempo is looked for anew in each section, so that a film may have more than one."""
_SHORTEST_S = 6.0
_TEMPI = (40.0, 220.0)
_PRIOR_BPM = 120.0
_PRIOR_OCTAVES = 1.0
_HALF_PENALTY = 0.5
"""A lag is not the beat if half of it repeats as well: that share of the half's figure is taken off."""
_SHUFFLES = 24
_PIECE_S = (0.15, 0.6)
_TIGHTNESS = 100.0
_FAINT = 0.25
"""Beats before the first and after the last that has this share of the usual strength are not told."""

_ONSET_APART_S = 0.06
_ONSET_MEAN_S = 0.5
_ONSET_LEAST = 2.0
"""Flux over its local mean, summed over the bands in units of log amplitude."""

SURE = 0.3
"""Beats are told only where tempo confidence is at least this: clicks and music on test media 3_audio."""


class OnsetStrength:
    """Spectral flux every 10 ms of the film's clock for one stretch of sound."""

    def __init__(self, rate: int, start: float) -> None:
        self._factor = max(1, rate // _LEAST_RATE)
        self._rate = rate / self._factor
        self._start = start
        self._rest = np.zeros(0, np.float32)
        self._buffer = np.zeros(0, np.float32)
        self._at = 0
        self._next = int(np.ceil((start + _SIZE / 2 / self._rate) / HOP_S))
        self._last: NDArray[np.float32] | None = None
        self._window = np.hanning(_SIZE).astype(np.float32)
        self._bands = _bands(self._rate)
        self.frames: list[tuple[int, Strength]] = []
        """First frame number (its time is number x 10 ms) and strengths."""

    def hear(self, samples: Samples) -> None:
        """Take in a block."""
        mix = samples[0] if len(samples) == 1 else samples.mean(axis=0, dtype=np.float32)
        whole = np.concatenate([self._rest, mix])
        used = len(whole) // self._factor * self._factor
        self._rest = whole[used:]
        low = whole[:used].reshape(-1, self._factor).mean(axis=1) if self._factor > 1 else whole[:used]
        self._buffer = np.concatenate([self._buffer, low])
        end = self._at + len(self._buffer)
        numbers = np.arange(self._next, int((self._start + end / self._rate) / HOP_S) + 1)
        begins = np.round((numbers * HOP_S - self._start) * self._rate).astype(np.int64) - _SIZE // 2
        begins = begins[begins + _SIZE <= end]
        if not len(begins):
            return
        self.frames.append((self._next, self._flux(begins - self._at)))
        self._next += len(begins)
        drop = max(0, int(begins[-1]) - self._at)
        self._buffer = self._buffer[drop:]
        self._at += drop

    def _flux(self, begins: NDArray[np.int64]) -> Strength:
        pictures = self._buffer[begins[:, None] + np.arange(_SIZE)] * self._window
        power = np.abs(np.fft.rfft(pictures, axis=1)) ** 2
        bands = np.log1p(_LOUD * np.sqrt(power @ self._bands)).astype(np.float32)
        before = bands[:1] if self._last is None else self._last
        growth = np.diff(np.concatenate([before, bands]), axis=0)
        self._last = bands[-1:]
        return np.maximum(growth, 0).sum(axis=1, dtype=np.float32)


def _bands(rate: float) -> NDArray[np.float32]:
    """Bins x bands: mean power of a band, scaled so that a full-scale sine is near 1."""
    hertz = np.fft.rfftfreq(_SIZE, 1 / rate)
    edges = np.geomspace(_BAND_RANGE_HZ[0], min(_BAND_RANGE_HZ[1], rate / 2), _BANDS + 1)
    inside = (hertz[:, None] >= edges[:-1]) & (hertz[:, None] < edges[1:])
    empty = ~inside.any(axis=0)
    middles = np.sqrt(edges[:-1] * edges[1:])
    inside[np.abs(hertz[:, None] - middles).argmin(axis=0)[empty], np.flatnonzero(empty)] = True
    return (inside * (4.0 / _SIZE) ** 2).astype(np.float32)


@dataclass(frozen=True)
class Rhythm:
    """What :func:`rhythm` found. ``bpm`` and ``confidence`` (0..1) are ``None`` without enough sound."""

    bpm: float | None
    confidence: float | None
    beats: NDArray[np.float64]
    onsets: NDArray[np.float64]
    onset_strengths: NDArray[np.float64]


def rhythm(strength: Strength, first: int = 0) -> Rhythm:
    """Tempo, beats and onsets of an onset strength whose first value has frame number ``first``."""
    times = (np.arange(len(strength), dtype=np.float64) + first) * HOP_S + _EARLY_S
    at = _peaks(strength)
    found: list[tuple[float, float, float]] = []
    beats: list[NDArray[np.float64]] = []
    count = max(1, round(len(strength) * HOP_S / _SECTION_S))
    for begin, end in zip(*_sections(len(strength), count), strict=True):
        section = _flattened(strength[begin:end])
        if (end - begin) * HOP_S < _SHORTEST_S or not section.any():
            continue
        lag, confidence = _periodicity(section, seed=begin)
        found.append((60 / (lag * HOP_S), confidence, float(end - begin)))
        if confidence >= SURE:
            beats.append(times[begin + _track(section, lag)])
    joined = np.concatenate(beats) if beats else np.zeros(0)
    if len(joined) > 1:
        near = 0.5 * np.median(np.diff(joined))
        joined = joined[np.concatenate([[True], np.diff(joined) > near])]
    bpm, confidence_all = _main_tempo(found)
    return Rhythm(bpm, confidence_all, joined, times[at], strength[at].astype(np.float64))


def _sections(length: int, count: int) -> tuple[list[int], list[int]]:
    cuts = np.linspace(0, length, count + 1).round().astype(int).tolist()
    return cuts[:-1], cuts[1:]


def _main_tempo(found: list[tuple[float, float, float]]) -> tuple[float | None, float | None]:
    """The tempo that most of the sound agrees on (within 4 %), weighted by confidence and length."""
    if not found:
        return None, None
    bpm, confidence, length = (np.array(c) for c in zip(*found, strict=True))
    weight = (confidence + 1e-3) * length
    alike = np.abs(np.log(bpm[:, None] / bpm)) < 0.04
    members = alike[(alike @ weight).argmax()]
    return (
        float(np.average(bpm[members], weights=weight[members])),
        float(np.average(confidence, weights=length)),
    )


def _flattened(strength: Strength) -> NDArray[np.float64]:
    """Strength over its mean of the second around it, in units of its own spread."""
    over = np.maximum(strength - _moving_mean(strength, round(1 / HOP_S)), 0)
    spread = over.std()
    return over / spread if spread > 0 else over


def _moving_mean(values: NDArray[np.floating], width: int) -> NDArray[np.float64]:
    half = width // 2
    total = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
    low = np.maximum(np.arange(len(values)) - half, 0)
    high = np.minimum(np.arange(len(values)) + half + 1, len(values))
    return (total[high] - total[low]) / (high - low)


def _repeats(strength: NDArray[np.float64], longest: int) -> NDArray[np.float64]:
    """Autocorrelation for lags 0..longest, 1 at lag 0, corrected for the overlap."""
    centred = strength - strength.mean()
    size = 1 << int(np.ceil(np.log2(len(centred) + longest + 1)))
    full = np.fft.irfft(np.abs(np.fft.rfft(centred, size)) ** 2, size)[: longest + 1]
    return full / full[0] * len(centred) / (len(centred) - np.arange(longest + 1))


def _smooth(strength: NDArray[np.float64]) -> NDArray[np.float64]:
    """A beat a hundredth early or late is still the beat."""
    return np.convolve(strength, np.hanning(9)[1:-1] / 4, mode="same")


def _periodicity(strength: NDArray[np.float64], seed: int) -> tuple[float, float]:
    """Lag of the beat in frames, and confidence: how far it is above chance, of what is left to 1."""
    shortest, longest = (int(60 / b / HOP_S) for b in reversed(_TEMPI))
    longest = min(longest, len(strength) // 3)
    smooth = _smooth(strength)
    repeats = _repeats(smooth, longest + 1)
    lags = np.arange(shortest, longest + 1)
    prior = np.exp(-0.5 * (np.log2(60 / (lags * HOP_S) / _PRIOR_BPM) / _PRIOR_OCTAVES) ** 2)
    halves = np.maximum(np.interp(lags / 2, np.arange(len(repeats)), repeats), 0)
    halves[lags / 2 < 4] = 0
    best = int(lags[((repeats[lags] - _HALF_PENALTY * halves) * prior).argmax()])
    chance = _by_chance(smooth, lags, np.random.default_rng(seed))
    confidence = float(np.clip((repeats[best] - chance) / (1 - chance), 0, 1))
    return _refined(repeats, best), confidence


def _by_chance(strength: NDArray[np.float64], lags: NDArray[np.int64], random: np.random.Generator) -> float:
    """The 95th percentile of the strongest repeat in shuffled copies of the same strength."""
    low, high = (round(s / HOP_S) for s in _PIECE_S)
    strongest = []
    for _ in range(_SHUFFLES):
        cuts = np.cumsum(random.integers(low, high + 1, size=len(strength) // low + 1))
        pieces = np.split(strength, cuts[cuts < len(strength)])
        order = random.permutation(len(pieces))
        shuffled = np.concatenate([pieces[i] for i in order])
        strongest.append(_repeats(shuffled, int(lags[-1]))[lags].max())
    return float(min(np.percentile(strongest, 95), 0.99))


def _refined(repeats: NDArray[np.float64], lag: int) -> float:
    """The top of a parabola around a lag, taken at the highest multiple that still repeats."""
    top, multiple = float(lag), 1
    while True:
        near = round(top * multiple)
        if near + 3 >= len(repeats):
            return top
        window = np.arange(max(1, near - 2), near + 3)
        peak = int(window[repeats[window].argmax()])
        left, middle, right = repeats[peak - 1 : peak + 2]
        bend = left - 2 * middle + right
        if bend >= 0 or middle < 0.5 * repeats[lag]:
            return top
        top = (peak + float(np.clip(0.5 * (left - right) / bend, -0.5, 0.5))) / multiple
        multiple += 1


def _track(strength: NDArray[np.float64], lag: float) -> NDArray[np.int64]:
    """Frames of the beats: the path of steps near ``lag`` that collects most strength.

    Score of a frame = its strength + the best score one step before, less ``tightness x log(step / lag)^2``.
    Half a lag of frames is worked out at once, since no step is shorter.
    """
    shortest, longest = max(1, round(lag / 2)), round(lag * 2)
    steps = np.arange(shortest, longest + 1)
    cost = _TIGHTNESS * np.log(steps / lag) ** 2
    smooth = _smooth(strength)
    score = np.concatenate([np.zeros(longest), smooth])
    origin = np.full(len(smooth), -1, dtype=np.int64)
    for begin in range(0, len(smooth), shortest):
        frames = np.arange(begin, min(begin + shortest, len(smooth)))
        before = score[frames[:, None] + longest - steps] - cost
        best = before.argmax(axis=1)
        gain = before[np.arange(len(frames)), best]
        score[frames + longest] += np.maximum(gain, 0)
        origin[frames] = np.where(gain > 0, frames - steps[best], -1)
    tail = score[longest:][-longest:]
    at = len(smooth) - len(tail) + int(tail.argmax())
    path = []
    while at >= 0:
        path.append(at)
        at = int(origin[at])
    beats = np.array(path[::-1], dtype=np.int64)
    heard = np.flatnonzero(smooth[beats] >= _FAINT * np.median(smooth[beats]))
    return beats[heard[0] : heard[-1] + 1]


def _peaks(strength: Strength) -> NDArray[np.int64]:
    """Frames that are the highest of their neighbourhood and stand out from it."""
    if not len(strength):
        return np.zeros(0, np.int64)
    apart = round(_ONSET_APART_S / HOP_S / 2)
    padded = np.pad(strength, apart, constant_values=-1)
    highest = np.lib.stride_tricks.sliding_window_view(padded, 2 * apart + 1).max(axis=1)
    over = strength - _moving_mean(strength, round(_ONSET_MEAN_S / HOP_S))
    at = np.flatnonzero((strength >= highest) & (over >= _ONSET_LEAST))
    return at[np.concatenate([[True], np.diff(at) > apart])] if len(at) else at
