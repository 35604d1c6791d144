"""Lip-sync: whether mouths move with the voice, and how late or early the sound is.

Derived from the mouths that the signal ``faces`` follows and the level of the voice that ``speech`` keeps.
The speed of a mouth's opening is correlated with the speed of the level at lags of up to a second; what
counts is how far the best lag stands above the best lags of other sound. The idea is that of Hershey and
Movellan, "Audio vision" (NIPS 1999): sound and picture of one speaker go up and down together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.seeds import seed_for
from ..core.signal import Column, Signal, SignalSpec
from .face_tracks import mouth_tracks, tracks_of
from .film import Film
from .lipsync_match import RATE, Match, match, mouth_speed, pooled, voice_speed
from .observer import Merged

Values = NDArray[np.float64]

IN_SYNC_S = 0.1
"""Lags up to this are in sync."""
GAP_S = 0.3
"""A mouth that is not seen for longer is a new stretch."""
LEAST_S = 2.0
"""Shortest stretch; and least voice of the whole film to judge by."""
LEAST_VOICE_S = 1.0
"""Least voice in a stretch."""
LONGEST_S = 10.0
"""Longer stretches are divided evenly, so that a fault can be placed."""
SURE = 3.0
"""Margin from which the lag of a stretch is told. Fixed on the seven GRID clips (3 s) joined to films: of
210 stretches with another clip's sound none has it; with their own, late or early or not, one of four has."""
SURE_FILM = 4.5
"""Margin from which the lag of the whole film is told. The same clips joined have 8 or more with their own
sound and at most 3.9 with each other's (30 films). Other talk (four generated clips, a scene of three people,
a man who turns away) stays below it with its own sound; generated clips with each other's do too (19)."""
LOUD = 98
"""Percentile of the level in phrases that counts as the voice's loud parts."""
FLOOR_DB = -120.0

SPEC = SignalSpec(
    name="lipsync",
    version=1,
    heavy=True,
    doc=(
        "Whether mouths move with the voice: one row per stretch of at most 10 s in which a mouth is seen "
        "while somebody speaks. Lag is how late the sound is (positive) or early (negative). One stretch is "
        "seldom enough to be sure, the whole film more often. A face that listens, an unseen speaker and a "
        "dubbed film all have a small margin: that alone does not say that sound and picture are apart. It "
        "is proved on seven clips of people who face the camera; of the generated talk and the faces that "
        "turn among the test clips it is sure of nothing."
    ),
    columns={
        "start": Column(type="float", unit="s", doc="beginning of the stretch"),
        "end": Column(type="float", unit="s", doc="its end"),
        "person": Column(type="int", doc="number of the person (signal faces); -1 without identity"),
        "voice": Column(type="float", unit="s", doc="seconds of it in which somebody speaks"),
        "counted": Column(
            type="bool", doc="of mouths seen at once the one that moves most: a guess at who speaks"
        ),
        "lag": Column(type="float", unit="s", doc="how late the sound is; NaN where not sure"),
        "best_lag": Column(type="float", unit="s", doc="the best lag, sure or not"),
        "peak": Column(type="float", doc="correlation at the best lag, -1..1"),
        "margin": Column(type="float", doc="how far that is above peaks of other sound, in their spread"),
        "sure": Column(type="bool", doc=f"whether the margin is at least {SURE}"),
    },
    facts={
        "lag": Column(
            type="float", unit="s", doc="of the film as a whole, if sure: positive, the sound is late"
        ),
        "best_lag": Column(type="float", unit="s", doc="the same, sure or not"),
        "peak": Column(type="float", doc="correlation of the film as a whole at its best lag"),
        "margin": Column(type="float", doc="how far that is above peaks of other sound, in their spread"),
        "sure": Column(type="bool", doc=f"whether the margin is at least {SURE_FILM}"),
        "in_sync": Column(
            type="bool", doc=f"whether the film's lag is at most {IN_SYNC_S} s; none if not sure"
        ),
        "median_lag": Column(type="float", unit="s", doc="median of the sure stretches"),
        "in_sync_share": Column(type="float", doc="share of sure stretches, by voice, that are in sync"),
        "judged_seconds": Column(type="float", unit="s", doc="voice in stretches that are counted"),
        "sure_seconds": Column(type="float", unit="s", doc="voice in stretches that are sure"),
        "reason": Column(type="str", doc="why nothing was judged, or why it is not sure"),
    },
)


@dataclass(frozen=True)
class _Stretch:
    """A mouth on the film's grid: first step, speed of its opening, whose track, and seconds of voice."""

    first: int
    speed: Values
    track: int
    voice: float

    @property
    def last(self) -> int:
        return self.first + len(self.speed)


def assemble(merged: Merged, film: Film, done: Mapping[str, Signal]) -> Signal:
    """The signal from the rows of faces and speech. ``skipped`` where either was."""
    for need in ("faces", "speech"):
        if need not in done or not done[need].usable:
            reason = done[need].reason if need in done else "not asked for"
            return Signal(SPEC.name, SPEC.version, "skipped", f"it needs {need}: {reason}")
    steps = max(1, int(np.ceil((film.end - film.start) * RATE)))
    times = film.start + np.arange(steps) / RATE
    spoken = _spoken(times, done["speech"])
    stretches = _stretches(merged, times, spoken, done)
    if not stretches:
        return _empty("no mouth is seen for long while somebody speaks")
    level = _level(merged, times)
    voice = voice_speed(level, float(np.percentile(level[spoken], LOUD)))
    others = [s.first + len(s.speed) // 2 for s in stretches]
    matches = [
        match(s.speed, voice, s.first, others, seed_for(str(i), "lipsync", 0))
        for i, s in enumerate(stretches)
    ]
    counted = _counted(stretches)
    person = np.asarray(done["faces"].columns["person"], np.int64)
    sure = np.array([m.margin >= SURE and m.inside for m in matches], bool)
    lag = np.array([m.lag for m in matches], np.float64)
    columns: dict[str, Any] = {
        "start": np.array([times[s.first] for s in stretches], np.float64),
        "end": np.array([times[s.first] + len(s.speed) / RATE for s in stretches], np.float64),
        "person": np.array([person[s.track] for s in stretches], np.int64),
        "voice": np.array([s.voice for s in stretches], np.float64),
        "counted": counted,
        "lag": np.where(sure, lag, np.nan),
        "best_lag": lag,
        "peak": np.array([m.peak for m in matches], np.float64),
        "margin": np.array([m.margin for m in matches], np.float64),
        "sure": sure,
    }
    return Signal(SPEC.name, SPEC.version, columns=columns, facts=_facts(columns, matches))


def _empty(reason: str) -> Signal:
    columns: dict[str, Any] = {name: np.zeros(0) for name in SPEC.columns}
    facts: dict[str, Any] = dict.fromkeys(SPEC.facts) | {"judged_seconds": 0.0, "sure_seconds": 0.0}
    return Signal(SPEC.name, SPEC.version, columns=columns, facts=facts | {"reason": reason})


def _spoken(times: Values, speech: Signal) -> NDArray[np.bool_]:
    """Steps in which somebody speaks."""
    spoken = np.zeros(len(times), bool)
    for event in speech.events_of("voice"):
        a, b = np.searchsorted(times, (event.start, event.end))
        spoken[a:b] = True
    return spoken


def _level(merged: Merged, times: Values) -> Values:
    """Level of the voice at every step, dBFS; the floor where there is no sound."""
    at = np.asarray(merged["speech_voice.time"], np.float64) + 0.5 / RATE
    rows = np.asarray(merged["speech_voice.level"], np.float64)
    level = np.interp(times, at, rows)
    near = np.minimum(np.searchsorted(at, times), len(at) - 1)
    away = np.minimum(np.abs(at[near] - times), np.abs(at[np.maximum(near - 1, 0)] - times))
    return np.where(away > 2 / RATE, FLOOR_DB, level)


def _stretches(
    merged: Merged, times: Values, spoken: NDArray[np.bool_], done: Mapping[str, Signal]
) -> list[_Stretch]:
    """Where a mouth is seen long enough with enough voice, in order of time."""
    of = mouth_tracks(merged, tracks_of(merged, done), done)
    at = np.asarray(merged["mouths.time"], np.float64)
    opening = np.asarray(merged["mouths.opening"], np.float64)
    found = []
    for track in np.unique(of[of >= 0]):
        mine = np.flatnonzero(of == track)
        for run in np.split(mine, np.flatnonzero(np.diff(at[mine]) > GAP_S) + 1):
            first, last = np.searchsorted(times, (at[run[0]], at[run[-1]]))
            pieces = max(1, int(np.ceil((last - first) / (LONGEST_S * RATE))))
            for piece in np.array_split(np.arange(first, last), pieces):
                voice = float(spoken[piece].sum()) / RATE
                if len(piece) >= LEAST_S * RATE and voice >= LEAST_VOICE_S:
                    speed = mouth_speed(np.interp(times[piece], at[run], opening[run]))
                    found.append(_Stretch(int(piece[0]), speed, int(track), voice))
    return sorted(found, key=lambda s: (s.first, s.track))


def _counted(stretches: list[_Stretch]) -> NDArray[np.bool_]:
    """Leaves out stretches that lie for more than half in one whose mouth moves more."""
    moves = np.array([np.abs(s.speed).mean() for s in stretches])
    first, last = np.array([s.first for s in stretches]), np.array([s.last for s in stretches])
    counted = np.ones(len(stretches), bool)
    for i in range(len(stretches)):
        shared = np.minimum(last, last[i]) - np.maximum(first, first[i])
        counted[i] = not ((moves > moves[i]) & (shared > (last[i] - first[i]) / 2)).any()
    return counted


def _facts(columns: Mapping[str, Any], matches: list[Match]) -> dict[str, Any]:
    counted, voice = columns["counted"], columns["voice"]
    chosen = [i for i in range(len(matches)) if counted[i]]
    whole = pooled([matches[i] for i in chosen], [float(voice[i]) for i in chosen])
    judged = float(voice[counted].sum())
    enough = judged >= LEAST_S
    sure = enough and whole.margin >= SURE_FILM and whole.inside
    told = counted & columns["sure"]
    seconds = float(voice[told].sum())
    within = np.abs(columns["best_lag"]) <= IN_SYNC_S + 1e-9
    reason = None
    if not enough:
        reason = f"less than {LEAST_S:g} s of voice with a mouth in the picture"
    elif not sure:
        reason = "mouths fit the sound hardly better than they fit other sound"
    return {
        "lag": whole.lag if sure else None,
        "best_lag": whole.lag,
        "peak": whole.peak,
        "margin": whole.margin,
        "sure": sure,
        "in_sync": abs(whole.lag) <= IN_SYNC_S + 1e-9 if sure else None,
        "median_lag": float(np.median(columns["best_lag"][told])) if told.any() else None,
        "in_sync_share": float(voice[told & within].sum()) / seconds if seconds > 0 else None,
        "judged_seconds": judged,
        "sure_seconds": seconds,
        "reason": reason,
    }
