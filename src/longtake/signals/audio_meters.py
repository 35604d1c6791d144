"""Level, loudness and peak of a stretch of sound, on rows of 0.1 s of the film's clock.

A stretch is sound without a gap, of one rate and one number of channels. All of these take blocks of any
length and give the same figures however the sound was cut.
"""

from __future__ import annotations

import math
from fractions import Fraction

import av
import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float32]

ROW_S = 0.1
FLOOR_DB = -120.0
"""What digital silence and everything below is written as; NaN means that there was no sound at all."""
FULL_SCALE = 0.9999
"""A sample at or above is at full scale: 16-bit 32767 is 0.99997; lossy decoders overshoot above 1."""
CLIPPED_RUN = 3

# BS.1770-5: a gating block is 400 ms, short-term loudness looks at 3 s; EBU Tech 3341 and 3342.
_MOMENTARY_FRAMES = 4
_SHORT_TERM_FRAMES = 30
_ABSOLUTE_GATE = -70.0
_INTEGRATED_GATE = -10.0
_RANGE_GATE = -20.0

_LAYOUTS = {1: "mono", 2: "stereo", 3: "2.1", 4: "quad", 5: "5.0", 6: "5.1", 7: "6.1", 8: "7.1"}

# True peak: between samples the signal is rebuilt at 4 times the rate with a windowed sinc of 24 taps, but
# only around samples that could hold the highest peak so far: at a quarter of the sample rate a sine that is
# hit between its crests still shows 0.707 of its peak.
_TAPS = 24
_PHASES = (0.25, 0.5, 0.75)
_WORTH_A_LOOK = 0.7


def decibels(power: float) -> float:
    """Power (mean square, full scale 1) in dB, not below :data:`FLOOR_DB`."""
    return 10 * math.log10(max(power, 10 ** (FLOOR_DB / 10)))


class Levels:
    """Sum of squares, highest sample and clipped samples per row."""

    def __init__(self, rate: int, start: float) -> None:
        self._rate = rate
        self._start = start
        self._at = 0
        self._full: NDArray[np.bool_] | None = None
        self.rows: list[tuple[float, float, float, float, int]] = []
        """Start of the row, level in dB, seconds of sound in it, highest sample, clipped samples."""

    def first_sample(self, row: int) -> int:
        """Number of the first sample of a row, counted from the stretch's start; negative before it."""
        return round((row * ROW_S - self._start) * self._rate)

    def row_of(self, sample: int) -> int:
        """Number of the row that a sample falls in."""
        row = math.floor((self._start + sample / self._rate) / ROW_S)
        while self.first_sample(row + 1) <= sample:
            row += 1
        while self.first_sample(row) > sample:
            row -= 1
        return row

    def hear(self, samples: Samples) -> float:
        """Take in a block; returns its highest absolute sample."""
        begin, end, first = self._at, self._at + samples.shape[1], len(self.rows)
        row = self.row_of(begin)
        while begin < end:
            stop = min(end, self.first_sample(row + 1))
            part = samples[:, begin - self._at : stop - self._at]
            power = sum(float(np.dot(c, c)) for c in part) / part.size
            peak = max(float(part.max()), -float(part.min()))
            self.rows.append((row * ROW_S, decibels(power), (stop - begin) / self._rate, peak, 0))
            begin, row = stop, row + 1
        peak = max(r[3] for r in self.rows[first:])
        self._count_clipped(samples, peak, first)
        self._at = end
        return peak

    def _count_clipped(self, samples: Samples, peak: float, first: int) -> None:
        """Count, per row, the samples that end a run of three or more at full scale in one channel."""
        keep = CLIPPED_RUN - 1
        if peak < FULL_SCALE:
            self._full = None
            return
        before = np.zeros((len(samples), keep), bool) if self._full is None else self._full
        full = np.concatenate([before, np.abs(samples) >= FULL_SCALE], axis=1)
        self._full = full[:, -keep:]
        places = np.flatnonzero((full[:, 2:] & full[:, 1:-1] & full[:, :-2]).any(axis=0))
        begin = 0
        for i in range(first, len(self.rows)):
            time, level, seconds, top, _ = self.rows[i]
            end = begin + round(seconds * self._rate)
            clipped = int(((places >= begin) & (places < end)).sum())
            self.rows[i] = (time, level, seconds, top, clipped)
            begin = end


class TruePeak:
    """Highest level between samples (BS.1770-5 annex 2), kept as one running figure.

    ``ebur128`` can tell it too, but oversamples everything: 1.4 CPU-s more for 10 minutes of 48 kHz stereo.
    """

    def __init__(self) -> None:
        self.value = 0.0
        self._before: Samples | None = None
        self._filters = _between_samples()

    def hear(self, samples: Samples, peak: float) -> None:
        """Take in a block whose highest sample is ``peak``."""
        before = np.zeros((len(samples), _TAPS), np.float32) if self._before is None else self._before
        self.value = max(self.value, peak)
        least = _WORTH_A_LOOK * self.value
        whole = np.concatenate([before, samples[:, -_TAPS:]], axis=1)
        if peak >= least > 0 or np.abs(before).max() >= least > 0:
            whole = np.concatenate([before, samples], axis=1)
            for channel in whole:
                self._look(channel, least)
        self._before = whole[:, -_TAPS:]

    def _look(self, channel: Samples, least: float) -> None:
        half = _TAPS // 2
        size = np.abs(channel)
        at = np.flatnonzero(size[half : len(size) - half] >= least) + half
        at = at[(size[at] >= size[at - 1]) & (size[at] >= size[at + 1])]
        if not len(at):
            return
        at = np.concatenate([at, at - 1])
        around = channel[at[:, None] + np.arange(-(half - 1), half + 1)]
        self.value = max(self.value, float(np.abs(around @ self._filters).max()))


def _between_samples() -> NDArray[np.float32]:
    """Taps x phases: weights that give the signal a quarter, half and three quarters past a sample."""
    distance = (np.arange(_TAPS) - (_TAPS // 2 - 1))[:, None] - np.array(_PHASES)
    window = np.i0(8.0 * np.sqrt(np.maximum(0, 1 - (distance / (_TAPS / 2)) ** 2))) / np.i0(8.0)
    weights = np.sinc(distance) * window
    return (weights / weights.sum(axis=0)).astype(np.float32)


class Loudness:
    """Momentary and short-term loudness (LUFS) by libavfilter's ``ebur128``, every 0.1 s.

    More than eight channels are mixed to one, since there is no layout to weigh them by.
    """

    def __init__(self, rate: int, channels: int, start: float) -> None:
        self._rate = rate
        self._start = start
        self._layout = _LAYOUTS.get(channels)
        self._sent = 0
        self._frames = 0
        self.rows: list[tuple[int, float, float]] = []
        """Row number, momentary and short-term loudness at the row's end; NaN until their window is full."""
        self._graph = av.filter.Graph()
        self._source = self._graph.add_abuffer(
            sample_rate=rate, format="fltp", layout=self._layout or "mono", time_base=Fraction(1, rate)
        )
        meter = self._graph.add("ebur128", "metadata=1:framelog=quiet")
        self._sink = self._graph.add("abuffersink")
        self._source.link_to(meter)
        meter.link_to(self._sink)
        self._graph.configure()

    def hear(self, samples: Samples) -> None:
        """Take in a block."""
        if self._layout is None:
            samples = samples.mean(axis=0, keepdims=True, dtype=np.float32)
        frame = av.AudioFrame.from_ndarray(
            np.ascontiguousarray(samples), format="fltp", layout=self._layout or "mono"
        )
        frame.sample_rate = self._rate
        frame.time_base = Fraction(1, self._rate)
        frame.pts = self._sent
        self._sent += samples.shape[1]
        self._source.push(frame)
        while True:
            try:
                metered = self._sink.pull()
            except (av.BlockingIOError, av.EOFError):
                return
            assert isinstance(metered, av.AudioFrame)
            self._read(metered)

    def _read(self, metered: av.AudioFrame) -> None:
        self._frames += 1
        end = self._start + self._frames * metered.samples / self._rate
        facts = metered.metadata
        momentary = float(facts["lavfi.r128.M"]) if self._frames >= _MOMENTARY_FRAMES else math.nan
        short_term = float(facts["lavfi.r128.S"]) if self._frames >= _SHORT_TERM_FRAMES else math.nan
        self.rows.append((round(end / ROW_S) - 1, max(momentary, FLOOR_DB), max(short_term, FLOOR_DB)))


def integrated(momentary: NDArray[np.floating]) -> float | None:
    """Integrated loudness (LUFS) from momentary loudness every 0.1 s: the two gates of BS.1770-5.

    ``None`` when nothing is above the absolute gate of -70 LUFS.
    """
    loud = momentary[momentary > _ABSOLUTE_GATE].astype(np.float64)
    if not len(loud):
        return None
    gate = _mean_loudness(loud) + _INTEGRATED_GATE
    return _mean_loudness(loud[loud > gate])


def loudness_range(short_term: NDArray[np.floating]) -> float | None:
    """Loudness range (LU) from short-term loudness every 0.1 s (EBU Tech 3342); ``None`` without any."""
    loud = short_term[short_term > _ABSOLUTE_GATE].astype(np.float64)
    if not len(loud):
        return None
    low, high = np.percentile(loud[loud > _mean_loudness(loud) + _RANGE_GATE], [10, 95])
    return float(high - low)


def _mean_loudness(values: NDArray[np.float64]) -> float:
    return float(10 * np.log10(np.mean(10 ** (values / 10))))
