"""How likely music, speech and noise are in each second, from what the sound is like.

Music and noise are told by two logistic models of a dozen figures each, over three seconds around the one in
question. Their numbers lie in ``sound_weights.json``; ``benchmarks/sound_classes.py`` makes them, and reports
on other sounds how often they are right. Speech is Silero's voice activity. None of the three excludes
another: a voice over music is both.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .sound_features import FEATURES

SILENT_DB = -65.0
"""Mean level of half a second under which there is nothing to be told: 5 dB under the quietest room of the
test media, whose hiss says nothing about the film."""
CONTEXT_ROWS = 2
"""Half seconds before and after a second that its figures are told from as well: three seconds in all."""
VOICE_ROW_S = 0.1
VOICED = 0.5
"""Voice probability from which a tenth of a second counts as voiced; the model's own usual threshold."""
STEADY_DB = 1.0
"""Change from which lines are no longer taken to be a hum's: a hum made here changes by 0.2 to 0.4 dB in half
a second, a held organ chord by as little, a decaying guitar by 3 and more."""
STEADY_ROWS = 8
"""Half seconds before and after a second that steadiness is told from: nine seconds, so that a held chord
does not look like a hum."""
FROZEN_DB = 1.5
FROZEN_LINES = 0.5
FROZEN_LIKELIHOOD = 0.1
"""Where lines change by less than FROZEN_DB at most within these nine seconds, a tone is held: it is not told
as music. Hums and tones made here change by up to 0.6 dB; in 1,100 s of music (the guitar, the popcorn
trailer, Big Buck Bunny, three songs and 36 renderings of sampled instruments) the least was 3.3 dB."""
SPOKEN_ROWS = 3
"""Tenths of a second, those most like a voice, that the likelihood of speech in a second is the mean of."""
_PULSE_S = (0.25, 1.2)
_PULSE_REACH_S = 3.0
_WEIGHTS = Path(__file__).with_name("sound_weights.json")

Floats = NDArray[np.float64]

INPUTS = (
    "lines",
    "most_lines",
    "steady_lines",
    "long_lines",
    "new_lines",
    "most_change_db",
    "moving_lines",
    "fewest_moving",
    "flatness_db",
    "flux_db",
    "pitched",
    "syllables",
    "quiet_frames",
    "chroma_held",
    "pulse",
    "voice",
)
"""What both models are given; see :func:`inputs`."""


@dataclass(frozen=True)
class Rows:
    """Rows of :mod:`sound_features` on a grid of half seconds, NaN where there was no sound.

    ``values``: (n, len(FEATURES)); ``chroma``: (n, 12); ``bands``: (n, 16), dB; ``voice``: voice probability,
    (5 n,) per 0.1 s; ``strength``: onset strength, (50 n,) per 10 ms. Row 0 begins with a whole second.
    """

    values: Floats
    chroma: Floats
    bands: Floats
    voice: Floats
    strength: Floats


def seconds_of(rows: Rows) -> int:
    """How many seconds the rows cover."""
    return (len(rows.values) + 1) // 2


def heard(rows: Rows) -> NDArray[np.bool_]:
    """Seconds in which there is something to tell: at least half a second above ``SILENT_DB``."""
    loud = np.nan_to_num(rows.values[:, 0], nan=-200.0) >= SILENT_DB
    loud = np.concatenate([loud, np.zeros(len(loud) % 2, bool)])
    return loud[::2] | loud[1::2]


def inputs(rows: Rows) -> Floats:
    """Figures of each second, (seconds, len(INPUTS)); zeros in seconds that are not :func:`heard`.

    Means over the half seconds around, silent ones left out, but: ``most_lines`` and ``fewest_moving`` are
    the second highest and the second lowest of them, so that music shows between words; ``steady_lines`` are
    all lines that neither grow nor fall, and ``most_change_db`` is how much they change at most, both within
    nine seconds; ``chroma_held`` is the likeness of pitch classes from one half second to the next; ``pulse``
    how well onsets repeat within three seconds before and after, 0..1; ``voice`` the share of voiced time.
    """
    given = {name: rows.values[:, i] for i, name in enumerate(FEATURES)}
    loud = np.nan_to_num(given["level_db"], nan=-200.0) >= SILENT_DB
    alike = _chroma_likeness(rows.chroma)
    told = heard(rows)
    found = np.zeros((len(told), len(INPUTS)))
    lines = np.expm1(given["lines"]) + np.expm1(given["long_lines"])
    steady = np.log1p(lines) * np.exp(-given["line_change_db"] / STEADY_DB)
    voiced = (np.nan_to_num(rows.voice) >= VOICED).astype(np.float64)
    for second in np.flatnonzero(told).tolist():
        begin, end = max(0, 2 * second - CONTEXT_ROWS), 2 * second + 2 + CONTEXT_ROWS
        at = np.flatnonzero(loud[begin:end]) + begin
        mean = {name: float(values[at].mean()) for name, values in given.items()}
        mean["most_lines"] = float(np.sort(given["lines"][at])[-min(2, len(at))])
        mean["fewest_moving"] = float(np.sort(given["moving_lines"][at])[min(1, len(at) - 1)])
        wide = slice(max(0, 2 * second - STEADY_ROWS), 2 * second + 2 + STEADY_ROWS)
        mean["most_change_db"] = float(np.nan_to_num(given["line_change_db"][wide]).max())
        mean["steady_lines"] = float(np.nan_to_num(steady[wide]).mean())
        mean["chroma_held"] = float(alike[at].mean())
        mean["pulse"] = _pulse(rows.strength, second)
        mean["voice"] = float(voiced[5 * begin : 5 * end].mean())
        found[second] = [mean[name] for name in INPUTS]
    return found


def _chroma_likeness(chroma: Floats) -> Floats:
    """Cosine of each row's pitch classes with those of the row before; 0 where either has none."""
    size = np.linalg.norm(np.nan_to_num(chroma), axis=1)
    dot = (np.nan_to_num(chroma)[1:] * np.nan_to_num(chroma)[:-1]).sum(axis=1)
    both = size[1:] * size[:-1]
    return np.concatenate([[0.0], np.divide(dot, both, out=np.zeros_like(dot), where=both > 0)])


def _pulse(strength: Floats, second: int) -> float:
    """The highest autocorrelation of onset strength around a second, at lags of a beat; 0..1."""
    begin = max(0, round((second + 0.5 - _PULSE_REACH_S) * 100))
    part = np.nan_to_num(strength[begin : round((second + 0.5 + _PULSE_REACH_S) * 100)])
    if len(part) < 200 or part.std() <= 0:
        return 0.0
    part = np.convolve(part - part.mean(), np.hanning(9), mode="same")
    spectrum = np.abs(np.fft.rfft(part, 1 << (2 * len(part) - 1).bit_length())) ** 2
    repeats = np.fft.irfft(spectrum)[: len(part)]
    lags = np.arange(round(_PULSE_S[0] * 100), min(round(_PULSE_S[1] * 100), len(part) // 2))
    strongest = (repeats[lags] / (len(part) - lags)).max() * len(part) / repeats[0]
    return float(np.clip(strongest, 0, 1))


@dataclass(frozen=True)
class Logistic:
    """A logistic model: 1 / (1 + exp(-(bias + weights . (x - mean) / spread)))."""

    mean: Floats
    spread: Floats
    weights: Floats
    bias: float

    def likelihood(self, given: Floats) -> Floats:
        """0..1 for each row of (n, len(INPUTS))."""
        score = self.bias + ((given - self.mean) / self.spread).clip(-4, 4) @ self.weights
        return np.asarray(1 / (1 + np.exp(-score)), np.float64)


def as_logistic(given: dict[str, Any]) -> Logistic:
    """A model from its JSON. Raises ``KeyError`` where an input is missing."""
    table = np.array([given["inputs"][name] for name in INPUTS], np.float64)
    return Logistic(table[:, 0], table[:, 1], table[:, 2], float(given["bias"]))


def frozen(given: Floats) -> NDArray[np.bool_]:
    """Seconds whose lines do not change within nine seconds, of :func:`inputs`."""
    held = given[:, INPUTS.index("steady_lines")] >= FROZEN_LINES
    return np.asarray(held & (given[:, INPUTS.index("most_change_db")] < FROZEN_DB))


@cache
def models() -> dict[str, Logistic]:
    """The two models, ``music`` and ``noise``, as they ship."""
    stored = json.loads(_WEIGHTS.read_text(encoding="utf-8"))
    return {name: as_logistic(stored[name]) for name in ("music", "noise")}


def likelihoods(rows: Rows) -> dict[str, Floats]:
    """``speech``, ``music``, ``noise`` per second, 0..1, NaN where there is nothing to tell."""
    told, given = heard(rows), inputs(rows)
    found = {name: model.likelihood(given) for name, model in models().items()}
    found["music"] = np.where(frozen(given), np.minimum(found["music"], FROZEN_LIKELIHOOD), found["music"])
    voice = np.nan_to_num(rows.voice)[: 10 * len(told)]
    voice = np.concatenate([voice, np.zeros(10 * len(told) - len(voice))]).reshape(-1, 10)
    found["speech"] = np.sort(voice, axis=1)[:, -SPOKEN_ROWS:].mean(axis=1)
    return {name: np.where(told, values, np.nan) for name, values in found.items()}
