"""Does the music that is heard before a cut carry on after it?

Two questions are asked. Is it alike: the timbre (levels of sixteen bands, in units of how much they move
within each side, the difference of loudness left out) and the pitch classes of up to three seconds on each
side. And does the beat carry on: onsets of four seconds on each side are folded at their common period; where
both sides repeat, a beat that goes on falls on the same phase. Likeness alone does not notice a jump within a
piece, the beat does; music without a beat is only compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .audio_rhythm import HOP_S
from .sound_classes import VOICED, Floats, Rows
from .sound_features import ROW_S

REACH_ROWS = 6
LEAST_ROWS = 2
"""Half seconds of unvoiced music on each side, at most and at least."""
MUSICAL = 0.5
LIKENESS = (2.83, -1.49, -0.36)
"""Bias and weights of (timbre, pitch classes) in the logistic likeness, fitted by benchmarks/sound_cuts.py on
pieces of tests/sounds.py, the popcorn trailer and the guitar (set A); it reports on other music."""
_SPREAD_DB = 1.5
"""Added to how much a band moves, so that a held sound does not make a faint change look large."""
BEAT_SURE = 0.2
"""How well onsets on both sides have to repeat at the common period, of 1, for the beat to be judged."""
_BEAT_REACH_S = 4.0
_BEAT_LEAST_S = 2.5
_SEAM_S = (0.03, 0.06)
"""Left out before and after the cut: the seam is an onset of its own."""
_PERIODS = (25, 130)
_PHASES = 40
_ALIKE_PHASES = 1
"""Phases (a fortieth of the period each) by which a beat may be off."""


@dataclass(frozen=True)
class Passage:
    """How music passes a place: ``likeness`` 0..1, distances it rests on, and the beat.

    ``timbre``: root mean square of the bands' change in units of their movement; ``pitch``: 1 - cosine of
    pitch classes, 0..1; ``level_db``: after minus before; ``beat``: 1 where it falls on the same phase,
    0 where another phase fits better by as much as a perfect fit is worth, ``None`` without a sure beat.
    """

    likeness: float
    timbre: float
    pitch: float
    level_db: float
    beat: float | None

    @property
    def continuity(self) -> float:
        """0..1: likeness, and no more than the beat allows."""
        return self.likeness if self.beat is None else min(self.likeness, self.beat)


def passage(
    rows: Rows,
    music: Floats,
    start: float,
    end: float,
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> Passage | None:
    """How music passes the change of pictures from ``start`` to ``end``, seconds after the rows begin.

    ``music`` is its likelihood per second; ``bounds`` are the neighbouring changes, past which nothing is
    looked at. ``None`` without music on both sides, or where a voice covers it.
    """
    sides = (
        (max(start - REACH_ROWS * ROW_S, bounds[0]), start),
        (end, min(end + REACH_ROWS * ROW_S, bounds[1])),
    )
    at = [_plain_music(rows, music, *side) for side in sides]
    if min(len(a) for a in at) < LEAST_ROWS:
        return None
    bands = [rows.bands[a] for a in at]
    means = [10 * np.log10(np.mean(10 ** (b / 10), axis=0)) for b in bands]
    change = means[1] - means[0]
    level = float(change.mean())
    spread = np.sqrt((bands[0].var(axis=0) + bands[1].var(axis=0)) / 2) + _SPREAD_DB
    timbre = float(np.sqrt(np.mean(((change - level) / spread) ** 2)))
    pitch = _pitch_distance(*(rows.chroma[a].mean(axis=0) for a in at))
    bias, of_timbre, of_pitch = LIKENESS
    likeness = 1 / (1 + np.exp(-(bias + of_timbre * timbre + of_pitch * pitch)))
    return Passage(float(likeness), timbre, pitch, level, _beat(rows.strength, start, end, bounds))


def _plain_music(rows: Rows, music: Floats, begin: float, end: float) -> NDArray[np.int64]:
    """Half seconds wholly between two times that hold music and no voice."""
    first, stop = max(0, int(np.ceil(begin / ROW_S - 1e-6))), int(np.floor(end / ROW_S + 1e-6))
    at = np.arange(first, min(stop, len(rows.values)))
    voice = np.nan_to_num(rows.voice).reshape(-1, 5).mean(axis=1)
    here = np.nan_to_num(music)[at // 2] >= MUSICAL
    return at[here & (voice[at] < VOICED) & np.isfinite(rows.values[at, 0])]


def _pitch_distance(a: Floats, b: Floats) -> float:
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return 1 - float(a @ b) / size if size > 0 else 1.0


def _beat(strength: Floats, start: float, end: float, bounds: tuple[float, float]) -> float | None:
    low, high = max(start - _BEAT_REACH_S, bounds[0], 0.0), min(end + _BEAT_REACH_S, bounds[1])
    first, middle = round((start - _SEAM_S[0]) / HOP_S), round((end + _SEAM_S[1]) / HOP_S)
    begin, stop = round(low / HOP_S), min(round(high / HOP_S), len(strength))
    if min(first - begin, stop - middle) < _BEAT_LEAST_S / HOP_S:
        return None
    before, after = (_over_mean(strength[a:b]) for a, b in ((begin, first), (middle, stop)))
    if not before.any() or not after.any():
        return None
    repeats = [_repeats(part) for part in (before, after)]
    length = min(len(repeats[0]), len(repeats[1]), _PERIODS[1])
    period = _PERIODS[0] + int((repeats[0][:length] + repeats[1][:length])[_PERIODS[0] :].argmax())
    if min(r[period] for r in repeats) < BEAT_SURE:
        return None
    folded = _sharpest(before, begin, after, middle, period)
    size = float(np.linalg.norm(folded[0]) * np.linalg.norm(folded[1]))
    fits = np.array([folded[0] @ np.roll(folded[1], s) for s in range(_PHASES)]) / max(size, 1e-12)
    near = np.arange(-_ALIKE_PHASES, _ALIKE_PHASES + 1)
    return float(np.clip(1 + fits[near].max() - fits.max(), 0, 1))


def _over_mean(strength: Floats) -> Floats:
    part = np.nan_to_num(strength)
    return np.convolve(part - part.mean(), np.hanning(9), mode="same")


def _repeats(part: Floats) -> Floats:
    """Autocorrelation, 1 at lag 0, corrected for the overlap."""
    full = np.fft.irfft(np.abs(np.fft.rfft(part, 1 << (2 * len(part) - 1).bit_length())) ** 2)[: len(part)]
    return full / full[0] * len(part) / (len(part) - np.arange(len(part)))


def _sharpest(before: Floats, begin: int, after: Floats, middle: int, period: int) -> tuple[Floats, Floats]:
    """Both sides folded at the period near ``period`` that gives the clearest beat on both."""
    tries = [
        (_folded(before, begin, p), _folded(after, middle, p))
        for p in np.linspace(period - 1, period + 1, 21)
    ]
    return max(tries, key=lambda pair: float(pair[0].std() * pair[1].std()))


def _folded(part: Floats, first: int, period: float) -> Floats:
    """Strength by phase of the period, mean taken off; ``first`` is the frame that the part begins with."""
    phase = (((first + np.arange(len(part))) / period) % 1 * _PHASES).astype(np.int64)
    folded = np.bincount(phase, part, _PHASES)
    return folded - folded.mean()
