"""Spans and figures of speech, from the rows that its observer keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.signal import Event
from .film import Film
from .observer import Arrays, Merged

UNSURE = 0.5
"""Confidence under which a word counts as unsure."""
LINE_PAUSE_S = 1.0
"""A pause between words that begins a new span of text."""
NO_SPEAKERS = "no model that tells voices apart runs here: who speaks is unknown"

Table = dict[str, NDArray[Any]]

PHRASE = {"start": np.float64, "end": np.float64, "probability": np.float32, "segment": np.int32}
SEGMENT = {
    "number": np.int32,
    "start": np.float64,
    "end": np.float64,
    "language": np.str_,
    "language_probability": np.float32,
    "log_probability": np.float32,
    "no_speech": np.float32,
    "repetition": np.float32,
    "mos_signal": np.float32,
    "mos_background": np.float32,
    "mos_overall": np.float32,
    "doubt": np.str_,
}
WORD = {
    "text": np.str_,
    "start": np.float64,
    "end": np.float64,
    "confidence": np.float32,
    "segment": np.int32,
    "line": np.int32,
}


def table(name: str, columns: Mapping[str, Any], rows: Sequence[tuple[Any, ...]]) -> Arrays:
    """Rows as columns of these types; empty ones where there is none."""
    values = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
    return {
        f"{name}.{column}": np.array(of, dtype=kind)
        for (column, kind), of in zip(columns.items(), values, strict=True)
    }


def inside(name: str, columns: Mapping[str, Any], merged: Merged, film: Film) -> Table:
    """The rows of a table that lie within the film."""
    table = {column: np.asarray(merged[f"{name}.{column}"]) for column in columns}
    start, end = np.asarray(table["start"], float), np.asarray(table["end"], float)
    within = (start < film.end) & (end > film.start)
    return {column: values[within] for column, values in table.items()}


def lines(words: Table) -> list[Event]:
    """Spans of text: a new one with every segment, every phrase of the model, and after a pause."""
    count = len(words["start"])
    if not count:
        return []
    new = np.diff(words["segment"]) != 0
    new |= np.diff(words["line"]) != 0
    new |= words["start"][1:] - words["end"][:-1] >= LINE_PAUSE_S
    edges = [0, *(np.flatnonzero(new) + 1).tolist(), count]
    return [
        Event(
            "speech",
            float(words["start"][a]),
            float(words["end"][a:b].max()),
            round(float(words["confidence"][a:b].mean()), 4),
            "".join(words["text"][a:b]).strip(),
        )
        for a, b in pairwise(edges)
    ]


def spans(phrases: Table, segments: Table) -> list[Event]:
    """Where somebody speaks, what was transcribed at once, and what was not believed."""
    events = [
        Event("voice", float(a), float(b), round(float(p), 4))
        for a, b, p in zip(phrases["start"], phrases["end"], phrases["probability"], strict=True)
    ]
    for i in range(len(segments["start"])):
        start, end = float(segments["start"][i]), float(segments["end"][i])
        sure = float(segments["language_probability"][i])
        known = not np.isnan(sure)
        language = str(segments["language"][i]) if known else ""
        events.append(Event("segment", start, end, round(sure, 4) if known else None, language))
        if segments["doubt"][i]:
            events.append(Event("untold", start, end, None, str(segments["doubt"][i])))
    return events


def facts_of(words: Table, phrases: Table, segments: Table, film: Film) -> dict[str, Any]:
    """The figures of the whole film."""
    told = {int(n) for n, doubt in zip(segments["number"], segments["doubt"], strict=True) if not doubt}
    lengths = phrases["end"] - phrases["start"]
    believed = np.array([int(n) in told for n in phrases["segment"]], bool)
    spoken, heard = float(lengths.sum()), float(lengths[believed].sum())
    count = len(words["text"])
    confidence = words["confidence"].astype(np.float64)
    by_segment = [float(confidence[words["segment"] == n].mean()) for n in np.unique(words["segment"])]
    facts: dict[str, Any] = {
        **_languages(segments, phrases, told),
        "words": count,
        "words_per_minute": 60 * count / heard if count and heard > 0 else None,
        "confidence": float(confidence.mean()) if count else None,
        "least_confidence": min(by_segment) if by_segment else None,
        "unsure_words": float((confidence < UNSURE).mean()) if count else None,
        "segments": len(segments["number"]),
        "speech_seconds": spoken,
        "speech_share": min(spoken / film.duration, 1.0) if film.duration > 0 else None,
        "untold_seconds": spoken - heard,
        "speakers_reason": NO_SPEAKERS,
    }
    for name in ("mos_signal", "mos_background", "mos_overall"):
        rated = segments[name][~np.isnan(segments[name])]
        facts[name] = float(np.median(rated)) if len(rated) else None
    return facts


def _languages(segments: Table, phrases: Table, told: set[int]) -> dict[str, Any]:
    """Languages by the seconds of voice in the segments whose words are believed; none where the model
    knows one language only and did not measure it."""
    seconds: dict[str, float] = {}
    sure: dict[str, float] = {}
    for number, name, probability in zip(
        segments["number"], segments["language"], segments["language_probability"], strict=True
    ):
        if int(number) in told and not np.isnan(probability):
            mine = phrases["segment"] == number
            length = float((phrases["end"][mine] - phrases["start"][mine]).sum())
            seconds[str(name)] = seconds.get(str(name), 0.0) + length
            sure[str(name)] = sure.get(str(name), 0.0) + length * float(probability)
    ranked = sorted(seconds, key=lambda name: -seconds[name])
    if not ranked:
        return {"language": None, "language_confidence": None, "languages": None}
    first = ranked[0]
    return {
        "language": first,
        "language_confidence": sure[first] / seconds[first] if seconds[first] > 0 else None,
        "languages": ", ".join(ranked),
    }
