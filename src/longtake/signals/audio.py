"""Sound: level, loudness, silence, clipping, drop-outs, clicks, onsets, tempo and beats.

Rows lie on the film's clock: row i covers ``[i x 0.1 s, (i + 1) x 0.1 s)``. A level is NaN where there was
no sound (before it starts, in gaps between packets, after it ends) and -120 dB where there was digital
silence. Sound outside the film's bounds is not counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.signal import Column, Event, Signal, SignalSpec
from .audio_defects import Defects
from .audio_meters import (
    FLOOR_DB,
    ROW_S,
    Levels,
    Loudness,
    Samples,
    TruePeak,
    integrated,
    loudness_range,
)
from .audio_rhythm import HOP_S, SURE, OnsetStrength, rhythm
from .film import Film
from .observer import Arrays, Merged

SILENT_DB = -60.0
SILENCE_ROWS = 5
"""Half a second: shorter pauses belong to speech."""
PACKED_ROWS = 600
"""Rows (a minute) that are held as they come; then they are packed."""
TOLERANCE_S = 0.02
"""A time stamp that is off by no more than this is rounding, not a gap: container times may be whole ms."""
_BLOCK_S = 1.0
"""Blocks are gathered to this length before work is done on them."""

ONLY_LEVELS = "only levels were measured"
"""Reason of a signal whose rows come from ``levels_only``: shots alone were asked for."""

SPEC = SignalSpec(
    name="audio",
    version=2,
    doc="Level, loudness, rhythm and defects of the sound; one row per 0.1 s of the film's clock.",
    columns={
        "time": Column(type="float", unit="s", doc="start of the row"),
        "rms_db": Column(
            type="float", unit="dBFS", doc="mean square over all channels; a full-scale sine is -3"
        ),
        "peak_db": Column(type="float", unit="dBFS", doc="highest sample of any channel"),
        "momentary_lufs": Column(type="float", unit="LUFS", doc="loudness of the 0.4 s up to the row's end"),
        "short_term_lufs": Column(type="float", unit="LUFS", doc="loudness of the 3 s up to the row's end"),
    },
    event_kinds={
        "silence": "at least 0.5 s under -60 dBFS; value: mean level in dBFS, -120 for digital silence",
        "clipping": "runs of three or more samples at full scale; value: number of clipped samples",
        "dropout": "sound stops dead for 5 ms to 0.5 s and starts again; value: milliseconds",
        "click": "an impulse of a millisecond far above its surroundings; value: height, of full scale",
        "onset": "something begins to sound; value: onset strength",
        "beat": "a beat, told only where there is a sure tempo",
    },
    facts={
        "sample_rate": Column(type="int", unit="Hz", doc="of the first sound"),
        "channels": Column(type="int", doc="of the first sound"),
        "sound_share": Column(type="float", doc="share of the film that has sound, silent or not"),
        "silent_share": Column(type="float", doc="share of rows with sound under -60 dBFS"),
        "integrated_lufs": Column(type="float", unit="LUFS", doc="integrated loudness, BS.1770-5 gating"),
        "loudness_range": Column(type="float", unit="LU", doc="loudness range, EBU Tech 3342"),
        "true_peak_db": Column(type="float", unit="dBTP", doc="highest level between samples"),
        "loudness_reason": Column(type="str", doc="why there is no integrated loudness or no range"),
        "tempo_bpm": Column(type="float", unit="1/min", doc="tempo that most of the sound agrees on"),
        "tempo_confidence": Column(type="float", doc="0..1: how far its regularity is above chance"),
        "tempo_reason": Column(type="str", doc="why there is no tempo, or no beats"),
    },
)


class AudioObserver:
    """Hears decoded sound and keeps rows, onsets and defects; with ``levels_only`` just level and peak.

    Blocks are joined to stretches of sound without a gap, of one rate and channel count. Times within a
    stretch are counted in samples, so that uneven time stamps do not smear it; sound that overlaps what was
    heard already (the padding at a clip's end) is left out.
    """

    name = "audio"

    def __init__(self, *, levels_only: bool = False) -> None:
        self._levels_only = levels_only
        self._stretch: _Stretch | None = None
        self._kept: list[Arrays] = []

    def hear(self, samples: Samples, rate: int, time: float) -> None:
        """Take in a block (channels, n) of float32; ``time`` is that of its first sample in seconds."""
        now = self._stretch
        if now is not None:
            if time < now.end - TOLERANCE_S:
                samples = samples[:, round((now.end - time) * rate) :]
            if time <= now.end + TOLERANCE_S:
                time = now.end
        if not samples.shape[1]:
            return
        if now is None or time != now.end or (rate, len(samples)) != (now.rate, now.channels):
            self._keep()
            now = self._stretch = _Stretch(rate, len(samples), time, self._levels_only)
        now.hear(samples)
        if now.rows_held >= PACKED_ROWS:
            self._keep()  # rows as numbers in arrays, not as objects: hours of sound stay small

    def _keep(self) -> None:
        if self._stretch is not None:
            self._kept.append(self._stretch.take())

    def flush(self) -> Arrays:
        """Rows since the last flush. One row may come in two parts, which :func:`assemble` joins."""
        self._keep()
        kept, self._kept = self._kept, []
        none = _Stretch(1000, 1, 0.0, True).take()
        return {name: np.concatenate([none[name], *(k[name] for k in kept)]) for name in none}


class _Stretch:
    """Sound without a gap, of one rate and one number of channels."""

    def __init__(self, rate: int, channels: int, start: float, levels_only: bool) -> None:
        self.rate = rate
        self.channels = channels
        self._start = start
        self._heard = 0
        self._waiting: list[Samples] = []
        self._waiting_count = 0
        self._levels = Levels(rate, start)
        self._peak = TruePeak()
        self._loudness = None if levels_only else Loudness(rate, channels, start)
        self._onsets = None if levels_only else OnsetStrength(rate, start)
        self._defects = None if levels_only else Defects(rate, start)

    @property
    def end(self) -> float:
        """Seconds, counted in samples from the start."""
        return self._start + self._heard / self.rate

    def hear(self, samples: Samples) -> None:
        self._waiting.append(samples)
        self._waiting_count += samples.shape[1]
        self._heard += samples.shape[1]
        if self._waiting_count >= _BLOCK_S * self.rate:
            self._work()

    def _work(self) -> None:
        if not self._waiting:
            return
        samples = np.concatenate(self._waiting, axis=1) if len(self._waiting) > 1 else self._waiting[0]
        self._waiting, self._waiting_count = [], 0
        peak = self._levels.hear(samples)
        if self._loudness is None or self._onsets is None or self._defects is None:
            return
        self._peak.hear(samples, peak)
        self._loudness.hear(samples)
        self._onsets.hear(samples)
        self._defects.hear(samples)

    @property
    def rows_held(self) -> int:
        """Rows that wait to be taken."""
        return len(self._levels.rows)

    def take(self) -> Arrays:
        """What was found since the last call, as columns."""
        self._work()
        levels, self._levels.rows = self._levels.rows, []
        columns = _columns("audio", ("time", "rms_db", "seconds", "peak", "clipped"), levels)
        loudness, clicks, dropouts, frames, peaks = [], [], [], [], []
        if self._loudness and self._onsets and self._defects:
            loudness, self._loudness.rows = self._loudness.rows, []
            clicks, self._defects.clicks = self._defects.clicks, []
            dropouts, self._defects.dropouts = self._defects.dropouts, []
            frames, self._onsets.frames = self._onsets.frames, []
            peaks = [(self._start, self.rate, self.channels, self._peak.value)] if self._heard else []
        columns |= _columns("audio_loudness", ("row", "momentary", "short_term"), loudness)
        columns |= _columns("audio_clicks", ("time", "height"), clicks)
        columns |= _columns("audio_dropouts", ("start", "end"), dropouts)
        columns |= _columns("audio_tracks", ("start", "rate", "channels", "true_peak"), peaks)
        numbers = [np.arange(first, first + len(values), dtype=np.int32) for first, values in frames]
        columns["audio_onsets.frame"] = np.concatenate([np.zeros(0, np.int32), *numbers])
        columns["audio_onsets.strength"] = np.concatenate([np.zeros(0, np.float32), *(v for _, v in frames)])
        return columns


def _columns(table: str, names: tuple[str, ...], rows: list[Any]) -> Arrays:
    values = np.array(rows, dtype=np.float64).reshape(-1, len(names))
    return {f"{table}.{name}": values[:, i] for i, name in enumerate(names)}


def assemble(merged: Merged, film: Film, done: Mapping[str, Signal]) -> Signal:
    """The signal from the rows of all chunks. Status ``skipped`` without a sound track."""
    if not film.has_sound:
        return Signal(SPEC.name, SPEC.version, "skipped", "no sound track")
    if not len(merged.get("audio.time", ())):
        return Signal(SPEC.name, SPEC.version, "failed", "the sound track gave no sound within the film")
    columns, clipped = _rows(merged, film)
    if not len(merged["audio_tracks.rate"]):
        heard = ~np.isnan(columns["rms_db"])
        facts = dict.fromkeys(SPEC.facts) | _shares(columns["rms_db"], heard)
        facts |= {"loudness_reason": ONLY_LEVELS, "tempo_reason": ONLY_LEVELS}
        events = [*_silences(columns), *_clippings(columns["time"], clipped)]
        events.sort(key=_place)
        return Signal(SPEC.name, SPEC.version, "fallback", ONLY_LEVELS, columns, events=events, facts=facts)
    events = [*_silences(columns), *_clippings(columns["time"], clipped), *_defects(merged, film)]
    facts = _facts(merged, columns)
    if facts["silent_share"] == 1.0:
        facts |= {"tempo_bpm": None, "tempo_confidence": None, "tempo_reason": "the track is silent"}
    else:
        found, told = _rhythm(merged, film)
        facts |= told
        events += found
    return Signal(SPEC.name, SPEC.version, columns=columns, events=sorted(events, key=_place), facts=facts)


def _place(event: Event) -> tuple[float, str]:
    return event.start, event.kind


def _rows(merged: Merged, film: Film) -> tuple[dict[str, Any], NDArray[np.int64]]:
    """Columns on the whole grid of the film, and clipped samples per row."""
    first = int(np.floor(film.start / ROW_S + 1e-6))
    count = max(1, int(np.ceil(film.end / ROW_S - 1e-6)) - first)
    energy, seconds, peak, clipped = (np.zeros(count) for _ in range(4))
    at = np.round(merged["audio.time"].astype(np.float64) / ROW_S).astype(np.int64) - first
    inside = (at >= 0) & (at < count)
    at = at[inside]
    length = merged["audio.seconds"][inside].astype(np.float64)
    np.add.at(energy, at, 10 ** (merged["audio.rms_db"][inside].astype(np.float64) / 10) * length)
    np.add.at(seconds, at, length)
    np.maximum.at(peak, at, merged["audio.peak"][inside].astype(np.float64))
    np.add.at(clipped, at, merged["audio.clipped"][inside].astype(np.float64))
    heard = seconds > 0
    power = np.divide(energy, seconds, out=np.full(count, np.nan), where=heard)
    columns: dict[str, Any] = {
        "time": np.round((first + np.arange(count)) * ROW_S, 1),
        "rms_db": _floored(power),
        "peak_db": _floored(np.where(heard, peak, np.nan) ** 2),
    }
    at = merged["audio_loudness.row"].astype(np.int64) - first
    inside = (at >= 0) & (at < count)
    for name, source in (("momentary_lufs", "momentary"), ("short_term_lufs", "short_term")):
        columns[name] = np.full(count, np.nan)
        columns[name][at[inside]] = merged[f"audio_loudness.{source}"][inside]
    return columns, clipped.astype(np.int64)


def _floored(power: NDArray[np.float64]) -> NDArray[np.float64]:
    """Power in dB, not below the floor; NaN stays NaN."""
    return 10 * np.log10(np.maximum(power, 10 ** (FLOOR_DB / 10)))


def _runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Begin and end (exclusive) of every run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _silences(columns: Mapping[str, NDArray[Any]]) -> list[Event]:
    time, level = columns["time"], columns["rms_db"]
    found = []
    for begin, end in _runs(level < SILENT_DB):
        if end - begin < SILENCE_ROWS:
            continue
        value = float(level[begin:end].mean())
        what = "digital silence" if level[begin:end].max() <= FLOOR_DB else "silence"
        found.append(Event("silence", float(time[begin]), float(time[end - 1]) + ROW_S, value, what))
    return found


def _clippings(time: NDArray[Any], clipped: NDArray[np.int64]) -> list[Event]:
    touching = (clipped[:-2] > 0) & (clipped[2:] > 0)
    flags = clipped > 0
    flags[1:-1] |= touching
    return [
        Event(
            "clipping",
            float(time[a]),
            float(time[b - 1]) + ROW_S,
            float(clipped[a:b].sum()),
            "the sound is clipped",
        )
        for a, b in _runs(flags)
    ]


def _defects(merged: Merged, film: Film) -> list[Event]:
    gaps = list(zip(merged["audio_dropouts.start"], merged["audio_dropouts.end"], strict=True))
    found = [
        Event(
            "dropout", float(a), float(b), round(1000 * float(b - a), 1), "the sound drops out and comes back"
        )
        for a, b in gaps
    ]
    for time, height in zip(merged["audio_clicks.time"], merged["audio_clicks.height"], strict=True):
        if not any(a - TOLERANCE_S <= time <= b + TOLERANCE_S for a, b in gaps):
            found.append(
                Event("click", float(time), float(time) + 0.001, float(height), "a click in the sound")
            )
    return [e for e in found if film.start <= e.start < film.end]


def _facts(merged: Merged, columns: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    level = columns["rms_db"]
    heard = ~np.isnan(level)
    loudness = integrated(columns["momentary_lufs"])
    reach = loudness_range(columns["short_term_lufs"])
    reason = None
    if loudness is None:
        reason = "nothing above the gate of -70 LUFS"
    elif reach is None:
        reason = "a range needs 3 s of sound above -70 LUFS"
    peak = merged["audio_tracks.true_peak"]
    top = float(peak.max()) if len(peak) else 0.0
    return {
        "sample_rate": int(merged["audio_tracks.rate"][0]) if len(peak) else None,
        "channels": int(merged["audio_tracks.channels"][0]) if len(peak) else None,
        **_shares(level, heard),
        "integrated_lufs": loudness,
        "loudness_range": reach,
        "true_peak_db": float(20 * np.log10(top)) if top > 10 ** (FLOOR_DB / 20) else None,
        "loudness_reason": reason,
    }


def _shares(level: NDArray[Any], heard: NDArray[np.bool_]) -> dict[str, Any]:
    return {
        "sound_share": float(heard.mean()),
        "silent_share": float((level[heard] < SILENT_DB).mean()) if heard.any() else None,
    }


def _rhythm(merged: Merged, film: Film) -> tuple[list[Event], dict[str, Any]]:
    numbers = merged["audio_onsets.frame"].astype(np.int64)
    first, last = int(film.start / HOP_S), int(np.ceil(film.end / HOP_S))
    inside = (numbers >= first) & (numbers < last)
    strength = np.zeros(max(0, last - first), np.float32)
    strength[numbers[inside] - first] = merged["audio_onsets.strength"][inside]
    found = rhythm(strength, first)
    onsets = zip(found.onsets, found.onset_strengths, strict=True)
    events = [Event("onset", float(t), float(t), float(s)) for t, s in onsets]
    events += [Event("beat", float(t), float(t)) for t in found.beats]
    reason = None
    if found.bpm is None:
        reason = "too short or without any onset"
    elif not len(found.beats):
        reason = f"no beats: confidence is under {SURE} throughout"
    facts = {"tempo_bpm": found.bpm, "tempo_confidence": found.confidence, "tempo_reason": reason}
    return events, facts
