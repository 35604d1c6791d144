"""What half a second of sound is like: partials that hold or glide, envelope, pitch classes and timbre.

Sound is brought to 16 kHz mono and looked at in frames of 128 ms every 31.25 ms on the film's clock, between
60 Hz and 4 kHz, so that a film with narrow-band sound is described like any other. Lines that hold their
frequency are found after Seyerlehner et al., "Automatic music detection in television productions" (DAFx
2007): a spectrum is lessened by its surroundings, and what stands out is followed through time. Unlike there,
lines that have been on for many seconds (mains hum, a fan) are counted by themselves.

All figures but the levels are ratios, so the loudness of the film does not move them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import av
import numpy as np
from numpy.typing import NDArray

from .audio_meters import Samples

Values = NDArray[np.float32]

RATE = 16000
ROW_S = 0.5
_ROW_FRAMES = 16
_HOP = 500
"""Samples between frames: sixteen in a row of half a second."""
_SIZE = 2048
_REACH_FRAMES = 8
"""Frames before and after a row that its envelope is told from as well: one second in all."""
_RANGE_HZ = (60.0, 4000.0)
_AROUND_BINS = 19
"""Bins (7.8 Hz each) of a line's surroundings: 150 Hz, more than a line and less than a formant."""
_STANDS_OUT_DB = 7.0
"""How far a line stands above the mean of its surroundings. Noise does that in about one bin of fifty."""
_HELD_SHARE = 0.75
"""Share of a row's frames in which a line is there, within a bin, to be one that holds."""
_LONG_SHARE = 0.6
"""Share of the last ten seconds, faded, from which a line is not a note but always on."""
_LONG_S = 10.0
_AGO_ROWS = 2
"""Rows back with which lines are compared to tell which are new."""
_MOST_CHANGE_DB = 20.0
_LEAST_POWER = 1e-12
"""Mean square below which a frame is digital silence: -120 dBFS."""
_PITCH_HZ = (80.0, 400.0)
"""Range of the fundamental that periodicity is looked for in."""
_CHROMA_HZ = (100.0, 2000.0)
_BANDS = 16
_ENVELOPE_HZ = (3.0, 6.0)
"""Rate of syllables (Scheirer and Slaney, ICASSP 1997)."""

FEATURES = (
    "level_db",
    "lines",
    "line_share",
    "long_lines",
    "new_lines",
    "line_change_db",
    "moving_lines",
    "flatness_db",
    "flux_db",
    "pitched",
    "syllables",
    "quiet_frames",
    "peaky_chroma",
)
"""Columns of a row, besides its pitch classes and bands; see :class:`Row`."""


@dataclass(frozen=True)
class Row:
    """Half a second from ``number`` x 0.5 s.

    ``values`` are, in the order of ``FEATURES``: level (dBFS); lines that hold, as log(1 + count); their
    share of the power, 0..1; lines that are always on, as log(1 + count); share of lines that hold which did
    not a second ago, 0..1; how much lines grew or fell since the row before (dB, up to 20); share of lines
    that do not hold, 0..1; spectral flatness (dB, -2.5 for white noise); mean change of the bands between
    frames (dB); strongest periodicity, 0..1; share of the envelope's movement at 3..6 Hz times its depth;
    share of frames under half the mean power; and how far the three strongest pitch classes stand out, 0..1.
    ``chroma``: power of the lines by pitch class, sum 1, zeros without lines. ``bands``: mean level of 16
    bands in dB.
    """

    number: int
    values: Values
    chroma: Values
    bands: Values


class Resampler:
    """Brings the sound of one stretch to 16 kHz mono."""

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self._graph = None if rate == RATE else av.AudioResampler("flt", "mono", RATE)

    def take(self, samples: Samples) -> Values:
        """What a block (channels, n) gives; its end may come with the next one."""
        mono = samples[0] if len(samples) == 1 else samples.mean(axis=0, dtype=np.float32)
        if self._graph is None:
            return mono
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(mono)[None], format="flt", layout="mono")
        frame.sample_rate = self._rate
        return _joined(self._graph.resample(frame))

    def rest(self) -> Values:
        """What is still inside."""
        return np.zeros(0, np.float32) if self._graph is None else _joined(self._graph.resample(None))


def _joined(frames: list[av.AudioFrame]) -> Values:
    return np.concatenate([np.zeros(0, np.float32), *(f.to_ndarray().ravel() for f in frames)])


class Describer:
    """Rows of one stretch of mono sound at 16 kHz without a gap. Blocks may be of any length."""

    def __init__(self, first_sample: int) -> None:
        self._at = first_sample
        """Number of the buffer's first sample on the film's clock."""
        self._buffer = np.zeros(0, np.float32)
        self._next = max(0, math.ceil((self._at + _SIZE / 2) / _HOP - 0.5))
        self._first = self._next
        self._frames: dict[str, Values] = {}
        self._row = self._next // _ROW_FRAMES
        self._long = np.zeros(_HIGH - _LOW, np.float32)
        self._held: list[NDArray[np.bool_]] = []
        """Lines of the last rows, each bin with its neighbours."""
        self._last: tuple[NDArray[np.bool_], Values] | None = None
        """Lines of the row before and its mean spectrum in dB."""
        self.rows: list[Row] = []

    def hear(self, samples: Values) -> None:
        """Take in a block of mono sound at 16 kHz."""
        self._buffer = np.concatenate([self._buffer, samples])
        end = self._at + len(self._buffer)
        numbers = np.arange(self._next, math.floor((end - _SIZE / 2) / _HOP - 0.5) + 1)
        if not len(numbers):
            return
        begins = (numbers * _HOP + _HOP // 2 - _SIZE // 2) - self._at
        self._look(self._buffer[begins[:, None] + np.arange(_SIZE)])
        self._next = int(numbers[-1]) + 1
        used = int(begins[-1]) + _HOP
        self._buffer = self._buffer[used:]
        self._at += used
        self._describe()

    def finish(self) -> None:
        """The rows that wait for more sound, from what there is. Nothing may be heard after that."""
        self._describe(last=True)

    def _look(self, frames: Values) -> None:
        """Per-frame figures of new frames, added to those that wait."""
        spectra = (np.abs(np.fft.rfft(frames * _WINDOW, axis=1)) ** 2).astype(np.float32)
        new = {
            "power": np.mean(frames[:, _SIZE // 4 : -_SIZE // 4] ** 2, axis=1),
            "pitched": _pitched(spectra),
            "spectrum": spectra[:, _LOW:_HIGH],
        }
        for name, values in new.items():
            before = self._frames.get(name)
            self._frames[name] = values if before is None else np.concatenate([before, values])

    def _describe(self, last: bool = False) -> None:
        """Rows that have all the frames they need."""
        while self._frames:
            begin, end = self._row * _ROW_FRAMES, (self._row + 1) * _ROW_FRAMES
            if not last and end + _REACH_FRAMES > self._next:
                break
            mine = slice(max(0, begin - self._first), max(0, end - self._first))
            if len(self._frames["power"][mine]) < _ROW_FRAMES // 2:
                if end > self._next:
                    break
                self._row += 1
                continue
            wide = slice(max(0, begin - _REACH_FRAMES - self._first), end + _REACH_FRAMES - self._first)
            self._describe_row(mine, wide)
            self._row += 1
        drop = self._row * _ROW_FRAMES - _REACH_FRAMES - self._first
        if drop > 0:
            self._frames = {name: values[drop:] for name, values in self._frames.items()}
            self._first += drop

    def _describe_row(self, mine: slice, wide: slice) -> None:
        power, spectrum = self._frames["power"][mine], self._frames["spectrum"][mine]
        level = float(power.mean())
        tall = 10 * np.log10(spectrum + _LEAST_POWER)
        peaks = _stand_out(tall)
        share = _with_neighbours(peaks).mean(axis=0, dtype=np.float32)
        held = share >= _HELD_SHARE
        long = self._long >= _LONG_SHARE
        self._long += (ROW_S / _LONG_S) * (share - self._long)
        before = self._held[0] if self._held else held
        self._held = [*self._held[-(_AGO_ROWS - 1) :], _with_neighbours(held)]
        if level < _LEAST_POWER:
            return
        mean = spectrum.mean(axis=0)
        notes = held & ~long
        chroma = (mean * notes) @ _CHROMA
        total = float(mean.sum()) + _LEAST_POWER
        bands = 10 * np.log10(spectrum @ _BAND_MEANS + _LEAST_POWER)
        envelope = self._frames["power"][wide]
        count = int(peaks.sum())
        values = (
            10 * math.log10(level),
            math.log1p(_runs(notes)),
            float((mean * notes).sum()) / total,
            math.log1p(_runs(held & long)),
            float((held & ~before).sum()) / max(1, int(held.sum())),
            self._change(held, 10 * np.log10(mean + _LEAST_POWER)),
            1 - float(peaks[:, held].sum()) / count if count else 0.0,
            float((tall.mean(axis=1) - 10 * np.log10(spectrum.mean(axis=1) + _LEAST_POWER)).mean()),
            float(np.abs(np.diff(bands, axis=0)).mean()),
            float(self._frames["pitched"][mine].mean()),
            _syllables(envelope),
            float((envelope < 0.5 * envelope.mean()).mean()),
            _peaky(chroma),
        )
        whole = float(chroma.sum())
        self.rows.append(
            Row(
                self._row,
                np.array(values, np.float32),
                (chroma / whole if whole > 0 else chroma).astype(np.float32),
                bands.mean(axis=0).astype(np.float32),
            )
        )

    def _change(self, held: NDArray[np.bool_], tall: Values) -> float:
        """Mean change of the bins in which this row or the last has a line; 0 where neither has one."""
        last, self._last = self._last, (held, tall)
        if last is None or not (either := held | last[0]).any():
            return 0.0
        return float(np.minimum(np.abs(tall - last[1])[either], _MOST_CHANGE_DB).mean())


_WINDOW = np.hanning(_SIZE).astype(np.float32) * np.float32(math.sqrt(8 / 3) / _SIZE)
"""Scaled so that the bins of a spectrum add up to half the frame's mean square."""
_HERTZ = np.fft.rfftfreq(_SIZE, 1 / RATE)
_LOW, _HIGH = (int(np.searchsorted(_HERTZ, hz)) for hz in _RANGE_HZ)
_INSIDE = _HERTZ[_LOW:_HIGH]


def _chroma_of_bins() -> Values:
    """Bins x 12: the pitch class that a bin falls in."""
    classes = np.round(12 * np.log2(_INSIDE / 440.0)).astype(np.int64) % 12
    wanted = (_CHROMA_HZ[0] <= _INSIDE) & (_CHROMA_HZ[1] > _INSIDE)
    return ((classes[:, None] == np.arange(12)) & wanted[:, None]).astype(np.float32)


def _band_means() -> Values:
    """Bins x bands, each column a mean; evenly spaced on the mel scale."""
    mel = 2595 * np.log10(1 + _INSIDE / 700)
    edges = np.linspace(mel[0], mel[-1] + 1e-6, _BANDS + 1)
    member = (mel[:, None] >= edges[:-1]) & (mel[:, None] < edges[1:])
    return (member / member.sum(axis=0)).astype(np.float32)


_CHROMA = _chroma_of_bins()
_BAND_MEANS = _band_means()


def _stand_out(tall: Values) -> NDArray[np.bool_]:
    """Bins (in dB) that are above both neighbours and well above their surroundings."""
    half = _AROUND_BINS // 2
    padded = np.pad(tall, ((0, 0), (half + 1, half)), mode="edge")
    total = np.cumsum(padded, axis=1, dtype=np.float64)
    mean = (total[:, _AROUND_BINS:] - total[:, :-_AROUND_BINS]) / _AROUND_BINS
    top = np.zeros(tall.shape, bool)
    top[:, 1:-1] = (tall[:, 1:-1] >= tall[:, :-2]) & (tall[:, 1:-1] > tall[:, 2:])
    return top & (tall >= mean + _STANDS_OUT_DB)


def _with_neighbours(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """True also where a neighbouring bin is."""
    near = flags.copy()
    near[..., 1:] |= flags[..., :-1]
    near[..., :-1] |= flags[..., 1:]
    return near


def _runs(flags: NDArray[np.bool_]) -> int:
    """How many runs of neighbouring bins there are."""
    return int(flags[0]) + int((flags[1:] & ~flags[:-1]).sum())


def _pitched(spectra: Values) -> Values:
    """Highest autocorrelation at the lags of a fundamental, corrected for the window; 0..1 per frame."""
    repeats = np.fft.irfft(spectra, axis=1)[:, : int(RATE / _PITCH_HZ[0]) + 1]
    first = int(RATE / _PITCH_HZ[1])
    level = repeats[:, :1] + _LEAST_POWER / _SIZE
    return np.clip((repeats[:, first:] / level / _OWN[first:]).max(axis=1), 0, 1).astype(np.float32)


def _own() -> Values:
    """Autocorrelation of the window itself, 1 at lag 0."""
    repeats = np.fft.irfft(np.abs(np.fft.rfft(_WINDOW, 2 * _SIZE)) ** 2)[: int(RATE / _PITCH_HZ[0]) + 1]
    return (repeats / repeats[0]).astype(np.float32)


_OWN = _own()


def _syllables(power: Values) -> float:
    """Share of the envelope's movement that lies at the rate of syllables; 0 for a steady sound."""
    root = np.sqrt(power)
    moving = root - root.mean()
    spectrum = np.abs(np.fft.rfft(moving * np.hanning(len(moving)), 128)) ** 2
    hertz = np.fft.rfftfreq(128, _HOP / RATE)
    inside = (hertz >= _ENVELOPE_HZ[0]) & (hertz < _ENVELOPE_HZ[1])
    depth = float(moving.std() / (root.mean() + 1e-9))
    return depth * float(spectrum[inside].sum() / (spectrum[1:].sum() + 1e-20))


def _peaky(chroma: Values) -> float:
    """Share of the three strongest pitch classes, 0 where all are equal, 1 where there are no others."""
    total = float(chroma.sum())
    if total <= 0:
        return 0.0
    top = float(np.sort(chroma)[-3:].sum()) / total
    return (top - 0.25) / 0.75
