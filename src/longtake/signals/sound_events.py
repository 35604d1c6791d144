"""Sudden sounds, whether they fall on changes of the picture, and how loud speech is over music."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .audio_meters import ROW_S as LEVEL_S
from .sound_classes import SILENT_DB, VOICED, Floats, Rows

SUDDEN_DB = 9.0
"""Rise of the level within 0.2 s over the median of the half second before from which a sound is sudden.
Speech after a pause rises by as much; such events are marked as a voice."""
_BEFORE_ROWS = 5
_AFTER_ROWS = 2
_APART_S = 0.3
"""Of sudden sounds closer than this only the first counts."""
_ONE_RISE_S = 0.15
_VOICE_AFTER_ROWS = 3
AT_CHANGE_S = 0.12
"""A sound this close to a change of the picture falls on it."""
SHIFTS = 500
_LEAST_SHIFT_S = 0.5
LEAST_EVENTS = 3
"""Sudden sounds, and changes, without which nothing is told about both."""
_SEED = 3

UNVOICED = 0.2
"""Voice probability under which a tenth of a second is a pause."""
_PHRASE_GAP_ROWS = 6
_PHRASE_LEAST_ROWS = 4
"""Voiced rows that a phrase needs, and the pause that it may have within."""
_AROUND_ROWS = 20
_GUARD_ROWS = 1
"""Pauses of two seconds around a phrase are listened to, without the row next to a voiced one."""
_PAUSE_LEAST_ROWS = 3
MOST_DB = 40.0
"""Ratios are kept within +-40 dB: a digital silence is no music, and under that nothing can be told."""


@dataclass(frozen=True)
class Sudden:
    """A sudden sound: its time (seconds), its rise (dB), and whether a voice begins there."""

    time: float
    rise_db: float
    voice: bool


@dataclass(frozen=True)
class Phrase:
    """Speech over music from ``start`` to ``end`` (seconds) and its level over the music's, dB."""

    start: float
    end: float
    over_music_db: float


def sudden_sounds(
    onsets: Floats, strengths: Floats, level: Floats, voice: Floats, first: float
) -> list[Sudden]:
    """Onsets (seconds, with their strengths) at which the level rises by ``SUDDEN_DB`` or more.

    ``level`` is in dBFS, per 0.1 s from ``first``. Below ``SILENT_DB`` all is taken to be as quiet: a rise
    within near silence is none. Of several onsets within one rise the strongest tells the time.
    """
    floored = np.maximum(np.nan_to_num(level, nan=SILENT_DB), SILENT_DB)
    found: list[Sudden] = []
    for i, time in enumerate(onsets):
        if ((np.abs(onsets - time) <= _ONE_RISE_S) & (strengths > strengths[i])).any():
            continue
        row = int((time - first) / LEVEL_S)
        if row < _BEFORE_ROWS or row >= len(floored) or (found and time - found[-1].time < _APART_S):
            continue
        rise = floored[row : row + _AFTER_ROWS].max() - np.median(floored[row - _BEFORE_ROWS : row])
        if rise >= SUDDEN_DB:
            after = np.nan_to_num(voice[row : row + _VOICE_AFTER_ROWS])
            found.append(Sudden(float(time), float(rise), bool(len(after) and after.max() >= VOICED)))
    return found


@dataclass(frozen=True)
class Meeting:
    """How many of the sounds fall on changes: ``share``, the same ``by_chance``, and how odd that is.

    ``p``: share of circular shifts of the sounds along the film that do at least as well; small is odd.
    """

    share: float
    by_chance: float
    p: float


def at_changes(sounds: Floats, changes: Floats, start: float, end: float) -> Meeting | None:
    """Sounds within ``AT_CHANGE_S`` of a change, against seeded circular shifts; ``None`` with too few."""
    span = end - start
    if min(len(sounds), len(changes)) < LEAST_EVENTS or span < 4 * _LEAST_SHIFT_S:
        return None
    ordered = np.sort(changes)
    shifts = np.random.default_rng(_SEED).uniform(_LEAST_SHIFT_S, span - _LEAST_SHIFT_S, SHIFTS)
    share = _share_near(sounds, ordered)
    shifted = [_share_near((sounds - start + s) % span + start, ordered) for s in shifts]
    better = sum(s >= share for s in shifted)
    return Meeting(share, float(np.mean(shifted)), (1 + better) / (1 + SHIFTS))


def _share_near(sounds: Floats, ordered: Floats) -> float:
    at = np.searchsorted(ordered, sounds)
    before = np.abs(sounds - ordered[np.maximum(at - 1, 0)])
    after = np.abs(sounds - ordered[np.minimum(at, len(ordered) - 1)])
    return float((np.minimum(before, after) <= AT_CHANGE_S).mean())


def speech_over_music(rows: Rows, level: Floats, music: Floats, first: float) -> list[Phrase]:
    """Each phrase over music, with the power of its voiced tenths of a second against that of the pauses.

    The music's level is that of the pauses within the phrase and two seconds around, where the second holds
    music by its likelihood; the voice's is what the voiced rows have more. So music that is turned down
    under each word and up again between two is taken to be louder than it is under the voice.
    """
    voice = np.nan_to_num(rows.voice)[: len(level)]
    power = 10 ** (np.nan_to_num(level[: len(voice)], nan=-120.0) / 10)
    voiced = voice >= VOICED
    here = np.nan_to_num(np.repeat(music, 10))[: len(voice)] >= 0.5
    near = np.convolve(voiced, np.ones(2 * _GUARD_ROWS + 1), mode="same") > 0
    pause = (voice < UNVOICED) & ~near & here & np.isfinite(level[: len(voice)])
    found = []
    for begin, end in _phrases(voiced):
        around = slice(max(0, begin - _AROUND_ROWS), end + _AROUND_ROWS)
        beside = power[around][pause[around]]
        spoken = power[begin:end][voiced[begin:end]]
        if len(beside) < _PAUSE_LEAST_ROWS or not here[begin:end].any():
            continue
        under = float(beside.mean())
        more = max(float(spoken.mean()) - under, 1e-12)
        ratio = float(np.clip(10 * np.log10(more / max(under, 1e-12)), -MOST_DB, MOST_DB))
        found.append(Phrase(first + begin * LEVEL_S, first + end * LEVEL_S, ratio))
    return found


def _phrases(voiced: np.ndarray) -> list[tuple[int, int]]:
    """Begin and end (exclusive) of runs of voiced rows, joined over short pauses."""
    at = np.flatnonzero(voiced)
    if not len(at):
        return []
    parts = np.split(at, np.flatnonzero(np.diff(at) > _PHRASE_GAP_ROWS) + 1)
    return [(int(p[0]), int(p[-1]) + 1) for p in parts if len(p) >= _PHRASE_LEAST_ROWS]
