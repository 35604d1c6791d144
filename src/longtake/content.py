"""What was seen and heard, from signals to the documents' own terms, each list with what it rests on."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .core.content import (
    Appearance,
    Basis,
    CastMember,
    LipSync,
    ScreenText,
    SeenThing,
    ShotLikeness,
    Span,
    Utterance,
    Word,
)
from .core.signal import Event, Signal, Signals
from .documents import json_value

Row = Mapping[str, Any]

LIKENESS_SHOTS = 300
"""Shots compared in a document: 300 make 44,850 pairs, about half a megabyte of JSON. Of more, those are told
that were compared with most others, evenly spread; the signal ``scenes`` has all."""
OFTEN = 2
"""So many times the median number of pairs stands out: the signal compares some shots with all others."""
LISTS = {
    "cast": "faces",
    "transcript": "speech",
    "on_screen_text": "text",
    "music": "sound",
    "scenes": "scenes",
    "shot_likeness": "scenes",
    "things": "objects",
    "lip_sync": "lipsync",
}
"""Lists of the diagnosis and the signals they are made of."""
MODELS_OF = {"scenes": ("scenes", "embeddings")}
"""Tools whose models a signal rests on, where that is not the signal alone."""
NOTES = {
    "cast": "Faces are told apart by their looks alone. Side views, small, masked and drawn faces are easily"
    " missed; people who look alike may be taken for one. Numbers stand for people; nobody is recognised.",
    "transcript": "Heard by a small speech model: names, numbers, sung words and voices over noise are often"
    " wrong. Who speaks is not told.",
    "on_screen_text": "Read from frames one to four seconds apart by a small model: short-lived, handwritten"
    " or very small text and many scripts are missed. Titles and text in the scene are not told apart.",
    "music": "A proxy, no audio tagger: music is told by tones that hold and change, and by rhythm. Singing"
    " alone counts as speech, drums alone are often missed, machines that hum may pass for music.",
    "scenes": "A proxy: shots that look alike are taken for one place.",
    "shot_likeness": "A proxy: pictures are compared by an image classifier's features, not by places.",
    "things": "A weak detector: it misses much, and sometimes names what is not there.",
    "lip_sync": "One stretch is seldom enough to be sure. Listeners, unseen speakers and dubbed voices do not"
    " match either.",
}
"""How far each list may be trusted; printed beside it wherever it is shown."""


def content_of(signals: Signals) -> dict[str, Any]:
    """Fields of a ``DiagnosisDocument`` that tell what was seen and heard.

    A list whose signal was not measured is empty, and ``basis`` has the reason.
    """
    faces, speech, text = signals["faces"], signals["speech"], signals["text"]
    scenes = signals["scenes"]
    return {
        "cast": cast_of(faces.rows()),
        "transcript": transcript_of(speech.rows(), speech.events_of("speech", "untold")),
        "on_screen_text": [_screen_text(row) for row in _in_time(text.rows())],
        "music": [_span(e) for e in signals["sound"].events_of("music")],
        "scenes": [_span(e) for e in scenes.events_of("scene")],
        "shot_likeness": likeness_of(scenes),
        "things": things_of(signals["objects"].rows()),
        "lip_sync": [_lip_sync(row) for row in signals["lipsync"].rows()],
        "basis": {name: _basis(name, signals) for name in LISTS},
    }


def _basis(name: str, signals: Signals) -> Basis:
    signal = signals[LISTS[name]]
    tools = MODELS_OF.get(signal.name, (signal.name,))
    models = [entry.model for entry in signals.trace if entry.tool in tools and entry.model]
    return Basis(
        status=signal.status,
        reason=signal.reason,
        model=", ".join(dict.fromkeys(models)) or None if signal.usable else None,
        note=NOTES[name] if signal.usable else None,
        facts={key: json_value(value) for key, value in signal.facts.items()},
    )


def cast_of(rows: Sequence[Row]) -> list[CastMember]:
    """Tracks of the signal ``faces`` by person, longest in view first, those without a person last."""
    tracks: dict[int, list[Appearance]] = {}
    for i, row in enumerate(rows):
        tracks.setdefault(_person(row), []).append(_appearance(i, row))
    members = [
        CastMember(
            person=person if person >= 0 else None,
            seconds=round(_covered(found), 3),
            sure=_mean_sure(found) if person >= 0 else None,
            appearances=sorted(found, key=lambda a: (a.start, a.end)),
        )
        for person, found in tracks.items()
    ]
    return sorted(members, key=lambda m: (m.person is None, -m.seconds, m.person or 0))


def _person(row: Row) -> int:
    person = row.get("person")
    return -1 if person is None else max(int(person), -1)


def _appearance(track: int, row: Row) -> Appearance:
    shot = row.get("shot")
    return Appearance(
        track=track,
        shot=int(shot) if shot is not None and shot >= 0 else None,
        start=row["start"],
        end=row["end"],
        time=row.get("time"),
        **{key: row.get(key) for key in ("x", "y", "width", "height")},
        score=_share(row.get("score")),
        sure=_share(row.get("sure")),
    )


def _covered(spans: Iterable[Appearance]) -> float:
    """Seconds that at least one of the spans covers."""
    total, reached = 0.0, -math.inf
    for span in sorted(spans, key=lambda s: s.start):
        total += max(0.0, span.end - max(span.start, reached))
        reached = max(reached, span.end)
    return total


def _mean_sure(spans: Sequence[Appearance]) -> float | None:
    known = [(s.sure, max(s.end - s.start, 1e-3)) for s in spans if s.sure is not None]
    return round(sum(v * w for v, w in known) / sum(w for _, w in known), 3) if known else None


def transcript_of(rows: Sequence[Row], events: Sequence[Event]) -> list[Utterance]:
    """Words of the signal ``speech`` by the event ``speech`` they lie in, with its text; others by segment.

    Where words were not believed (events ``untold``), an utterance has the reason in place of text.
    """
    told = [e for e in events if e.kind == "speech"]
    groups: dict[tuple[str, int], list[Word]] = {("event", i): [] for i in range(len(told))}
    for row in rows:
        word = Word(
            text=str(row["word"]).strip(),
            start=row["start"],
            end=row["end"],
            confidence=_share(row.get("confidence")),
        )
        middle = (word.start + word.end) / 2
        over = bisect_right(told, middle, key=lambda e: e.start) - 1
        inside = over >= 0 and middle <= told[over].end
        key = ("event", over) if inside else ("segment", int(row.get("segment") or 0))
        groups.setdefault(key, []).append(word)
    found = []
    for (kind, i), words in groups.items():
        event = told[i] if kind == "event" else None
        if event is not None or words:
            found.append(_utterance(event, words))
    for event in events:
        if event.kind == "untold":
            found.append(Utterance(start=event.start, end=event.end, text="", reason=event.what or None))
    return sorted(found, key=lambda u: (u.start, u.end))


def _utterance(event: Event | None, words: Sequence[Word]) -> Utterance:
    sure = [w.confidence for w in words if w.confidence is not None]
    mean = round(sum(sure) / len(sure), 3) if sure else _share(event.value) if event else None
    return Utterance(
        start=words[0].start if words else event.start if event else 0.0,
        end=words[-1].end if words else event.end if event else 0.0,
        text=(event.what.strip() if event else "") or " ".join(w.text for w in words),
        confidence=mean,
        words=list(words),
    )


def _lip_sync(row: Row) -> LipSync:
    person = _person(row)
    return LipSync(
        start=row["start"],
        end=row["end"],
        person=person if person >= 0 else None,
        lag=row.get("lag"),
        margin=row.get("margin"),
        sure=bool(row.get("sure")),
    )


def _screen_text(row: Row) -> ScreenText:
    return ScreenText(
        text=str(row["text"]),
        start=row["start"],
        end=row["end"],
        sure=row.get("sure"),
        confidence=_share(row.get("confidence")),
        stability=_share(row.get("stability")),
        **{key: row.get(key) for key in ("x", "y", "width", "height")},
    )


def things_of(rows: Sequence[Row]) -> list[SeenThing]:
    """Kinds of things among the detections that count, those found at most looks first."""
    from .signals.objects import PERSON, PERSON_SCORE, THING_SCORE

    by_label: dict[str, list[Row]] = {}
    for row in rows:
        if row["confidence"] < (PERSON_SCORE if row["label"] == PERSON else THING_SCORE):
            continue
        by_label.setdefault(str(row["label"]), []).append(row)
    things = []
    for label, found in by_label.items():
        times = sorted({float(r["time"]) for r in found})
        highest = _share(max(r["confidence"] for r in found))
        things.append(
            SeenThing(label=label, looks=len(times), first=times[0], last=times[-1], confidence=highest)
        )
    return sorted(things, key=lambda t: (-t.looks, t.first, t.label))


def likeness_of(scenes: Signal) -> ShotLikeness | None:
    """The pairs of shots that the signal ``scenes`` compared, as a triangle; ``None`` without any."""
    if not len(scenes):
        return None
    first, second = (np.asarray(scenes.columns[c], np.int64) for c in ("a", "b"))
    every, pairs = np.unique(np.concatenate([first, second]), return_counts=True)
    total = len(every)
    if total > LIKENESS_SHOTS and (often := pairs > OFTEN * np.median(pairs)).sum() > 1:
        every = every[often]
    places = np.linspace(0, len(every) - 1, min(len(every), LIKENESS_SHOTS)).round().astype(np.int64)
    shots = every[places]
    kept = np.isin(first, shots) & np.isin(second, shots) & (first != second)
    one, two = (np.searchsorted(shots, column[kept]) for column in (first, second))
    tables = {}
    for name in ("likeness", "same_scene"):
        table = np.full((len(shots), len(shots)), np.nan)
        if name in scenes.columns:
            values = np.clip(np.asarray(scenes.columns[name], np.float64)[kept], -1.0, 1.0)
            table[np.maximum(one, two), np.minimum(one, two)] = values
        known = np.isfinite(table).any()
        tables[name] = [[_digits(v) for v in table[i, :i]] for i in range(len(shots))] if known else []
    return ShotLikeness(
        shots=[int(s) for s in shots],
        likeness=tables["likeness"],
        same_scene=tables["same_scene"],
        left_out=total - len(shots),
    )


def _digits(value: float) -> float | None:
    return round(float(value), 3) if math.isfinite(value) else None


def _in_time(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda r: (r["start"], r["end"]))


def _span(event: Event) -> Span:
    return Span(start=event.start, end=event.end, value=event.value)


def _share(value: Any) -> float | None:
    """A share; rounding of 32-bit numbers may lie a hair outside of [0, 1]."""
    return None if value is None or not math.isfinite(value) else min(max(float(value), 0.0), 1.0)
