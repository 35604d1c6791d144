"""Music, speech and noise over time, whether music carries on across cuts, and sudden sounds.

There is no audio tagger behind it: likelihoods come from two small models of our own (``sound_classes.py``)
and from a voice activity detector. What they cannot do is said in ``SPEC`` and, with figures, in
benchmarks/sound_classes.py and benchmarks/sound_cuts.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.signal import Column, Event, Signal, SignalSpec
from ..models.weights import Wish
from .film import Film
from .observer import Merged
from .sound_classes import Floats, Rows, heard, likelihoods
from .sound_cuts import Passage, passage
from .sound_events import at_changes, speech_over_music, sudden_sounds
from .sound_hearing import MODEL, SoundObserver
from .sound_rows import rows_of

__all__ = ["MODELS", "SPEC", "SoundObserver", "assemble"]

MODELS: tuple[Wish, ...] = (MODEL,)
LIKELY = 0.5
"""Likelihood from which a second counts as music, speech or noise: where both errors weighed the same in the
fit (benchmarks/sound_classes.py)."""
_JOINED_S = 2
_LEAST_SPAN_S = 3
"""Music may pause for two seconds; what lasts less than three is not told as music."""

SPEC = SignalSpec(
    name="sound",
    version=1,
    heavy=True,
    doc=(
        "Likelihood of music, speech and noise in each second, which may all be high at once. "
        "No audio tagger: signal processing and two small models, which tell music by partials that hold and "
        "change, and by rhythm. Singing without instruments counts as speech, drums alone are often missed, "
        "steady tones of machines may count as music within their first ten seconds."
    ),
    columns={
        "time": Column(type="float", unit="s", doc="start of the second"),
        "speech": Column(
            type="float", doc="0..1: mean voice probability of its three most voiced tenths of a second"
        ),
        "music": Column(type="float", doc="0..1: likelihood of music, from three seconds around"),
        "noise": Column(
            type="float", doc="0..1: likelihood of sound that is neither, from three seconds around"
        ),
        "sure": Column(
            type="float",
            doc="0..1: how far the likelihood of music is from undecided, less with little sound",
        ),
    },
    event_kinds={
        "music": "a span of music; value: mean likelihood",
        "music_cut": (
            "a change of the picture with music on both sides; value: 0..1, how far the same music carries on"
        ),
        "speech_over_music": "a phrase with music around it; value: its level over the music's in dB",
        "sound_event": "a sudden sound, which may be a voice; value: how much the level rises in dB",
    },
    facts={
        "music_share": Column(type="float", doc="share of the seconds with sound that lie in spans of music"),
        "speech_share": Column(type="float", doc="share of the seconds with sound in which speech is likely"),
        "noise_share": Column(type="float", doc="share of the seconds with sound in which noise is likely"),
        "heard_seconds": Column(type="int", unit="s", doc="seconds with sound above -65 dBFS"),
        "speech_over_music_db": Column(
            type="float", unit="dB", doc="median of the phrases over music: voiced tenths against pauses"
        ),
        "music_cuts": Column(type="int", doc="changes of the picture with plain music on both sides"),
        "music_continuity": Column(type="float", doc="0..1: mean of how far music carries on across these"),
        "sound_events": Column(type="int", doc="sudden sounds that are not a voice"),
        "events_at_cuts": Column(
            type="float", doc="share of these within 0.12 s of a change of the picture; none with under three"
        ),
        "events_at_cuts_by_chance": Column(
            type="float", doc="the same with the sounds shifted along the film"
        ),
        "events_at_cuts_p": Column(
            type="float", doc="0..1: share of 500 such shifts that do at least as well; small is no accident"
        ),
    },
)


def assemble(merged: Merged, film: Film, done: Mapping[str, Signal]) -> Signal:
    """The signal from the rows of all chunks. Status ``skipped`` without a sound track."""
    if not film.has_sound:
        return Signal(SPEC.name, SPEC.version, "skipped", "no sound track")
    if not len(merged.get("audio.time", ())):
        return Signal(SPEC.name, SPEC.version, "failed", "the sound track gave no sound within the film")
    rows, first = rows_of(merged, film)
    told = heard(rows)
    found = likelihoods(rows)
    spans = _spans(found["music"])
    in_music = np.zeros(len(told), bool)
    for begin, end in spans:
        in_music[begin:end] = True
    columns: dict[str, Any] = {
        "time": first + np.arange(len(told), dtype=np.float64),
        **{name: found[name] for name in ("speech", "music", "noise")},
        "sure": _sure(found["music"], told),
    }
    events = [
        Event(
            "music", float(first + a), min(float(first + b), film.end), float(np.nanmean(found["music"][a:b]))
        )
        for a, b in spans
    ]
    facts: dict[str, Any] = dict.fromkeys(SPEC.facts) | {"heard_seconds": int(told.sum())}
    if told.any():
        facts |= {
            "music_share": float((in_music & told).sum() / told.sum()),
            "speech_share": float((found["speech"][told] >= LIKELY).mean()),
            "noise_share": float((found["noise"][told] >= LIKELY).mean()),
        }
        more, figures = _around_cuts(rows, found["music"], float(first), film, done)
        events += more
        facts |= figures
    events.sort(key=lambda e: (e.start, e.kind))
    return Signal(SPEC.name, SPEC.version, columns=columns, events=events, facts=facts)


def _spans(music: Floats) -> list[tuple[int, int]]:
    """Begin and end (exclusive) of runs of likely music, joined over short pauses, short ones left out."""
    at = np.flatnonzero(np.nan_to_num(music) >= LIKELY)
    if not len(at):
        return []
    parts = np.split(at, np.flatnonzero(np.diff(at) > _JOINED_S + 1) + 1)
    return [(int(p[0]), int(p[-1]) + 1) for p in parts if len(p) >= _LEAST_SPAN_S]


def _sure(music: Floats, told: np.ndarray) -> Floats:
    """Distance from undecided, times the share of the three seconds around that hold sound."""
    around = np.convolve(told, np.ones(3) / 3)[1:-1]
    return np.asarray(np.abs(2 * music - 1) * around, np.float64)


def _around_cuts(
    rows: Rows, music: Floats, first: float, film: Film, done: Mapping[str, Signal]
) -> tuple[list[Event], dict[str, Any]]:
    """Events of cuts, phrases and sudden sounds, and the facts that rest on them."""
    changes = _changes(done, film)
    events = _music_cuts(rows, music, first, changes)
    audio = done["audio"]
    level = np.asarray(audio.columns["rms_db"], np.float64)
    begin = float(audio.columns["time"][0])
    level = np.concatenate([np.full(round((begin - first) * 10), np.nan), level])
    phrases = speech_over_music(rows, level, music, first)
    events += [
        Event("speech_over_music", p.start, p.end, p.over_music_db, "speech with music around it")
        for p in phrases
    ]
    heard_onsets = audio.events_of("onset")
    onsets = np.array([e.start for e in heard_onsets])
    strengths = np.array([e.value for e in heard_onsets], np.float64)
    sudden = sudden_sounds(onsets, strengths, level, rows.voice, first)
    events += [
        Event("sound_event", s.time, s.time, s.rise_db, "a voice begins" if s.voice else "a sudden sound")
        for s in sudden
    ]
    plain = np.array([s.time for s in sudden if not s.voice])
    cuts = [e.value for e in events if e.kind == "music_cut" and e.value is not None]
    facts: dict[str, Any] = {"music_cuts": len(cuts), "sound_events": len(plain)}
    if phrases:
        facts["speech_over_music_db"] = float(np.median([p.over_music_db for p in phrases]))
    if cuts:
        facts["music_continuity"] = float(np.mean(cuts))
    if meeting := at_changes(plain, np.array([start for start, _ in changes]), film.start, film.end):
        facts |= {
            "events_at_cuts": meeting.share,
            "events_at_cuts_by_chance": meeting.by_chance,
            "events_at_cuts_p": meeting.p,
        }
    return events, facts


def _changes(done: Mapping[str, Signal], film: Film) -> list[tuple[float, float]]:
    """Start and end of every transition, in order."""
    transitions = done["transitions"]
    if not transitions.usable or not len(transitions):
        return []
    pairs = zip(transitions.columns["start"], transitions.columns["end"], strict=True)
    return sorted((float(a), float(b)) for a, b in pairs if film.start < float(a) < film.end)


def _music_cuts(rows: Rows, music: Floats, first: float, changes: list[tuple[float, float]]) -> list[Event]:
    found = []
    for i, (start, end) in enumerate(changes):
        low = changes[i - 1][1] - first if i else -np.inf
        high = changes[i + 1][0] - first if i + 1 < len(changes) else np.inf
        seen = passage(rows, music, start - first, end - first, (low, high))
        if seen is not None:
            found.append(Event("music_cut", start, end, seen.continuity, _said(seen)))
    return found


def _said(seen: Passage) -> str:
    """The figures behind a value, for people."""
    beat = "no sure beat" if seen.beat is None else f"beat {seen.beat:.2f}"
    return f"likeness {seen.likeness:.2f}, {beat}, level {seen.level_db:+.0f} dB"
