"""What a judge is told beside the pictures: parts of the brief, and what tools found. All of it is data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from ..core.brief import Brief, PlannedShot
from ..core.judge import Material
from ..core.measurement import Evidence, Measurement
from .facts import Facts
from .rubric import Ask, BriefPart, Tool

MEASURED = "what a tool measured for this question"
CANDIDATES = "candidates that others found, not verified"
"""Labels of what rules measured, and of what specialists found for a cross-modal question."""
MOST_LINES = 120
"""Lines of one material; what is more is counted in its last line."""
MOST_CHARACTERS = 6000
"""Characters of one material; it is cut there, and says so."""
Suspects = Sequence[tuple[str, Sequence[Evidence]]]
"""Spans that somebody found something wrong in, by who found them."""
HEARD: dict[Tool, tuple[str, ...]] = {
    "transcript": ("speech",),
    "music": ("sound",),
    "sound": ("audio", "sound"),
    "lips": ("lipsync",),
}
"""Tools that hear for a judge, which cannot, and the signals that they are made of. What the other tools tell
helps a judge, but it can see for itself."""


def heard_by(ask: Ask) -> list[str]:
    """Signals that a question needs because a judge cannot hear."""
    return list(dict.fromkeys(name for tool in ask.tools for name in HEARD.get(tool, ())))


def materials_for(ask: Ask, facts: Facts, found: Measurement | None) -> list[Material]:
    """The brief's part that a question concerns, what tools found, what a rule measured (not its value)."""
    made = [Material(BRIEF_LABELS[p], text) for p in ask.brief if (text := _part(p, facts))]
    made += [Material(TOOL_LABELS[t], text) for t in ask.tools if (text := _cut(TOOLS[t](facts)))]
    if found is not None and (text := _cut(_measured(found))):
        made.append(Material(MEASURED, text))
    return made


def candidates_of(suspects: Suspects) -> list[Material]:
    """Findings of the specialists, for the cross-modal questions to verify; nothing where there are none."""
    lines = [f"{_when(e.start, e.end)} {e.what} ({name})" for name, spans in suspects for e in spans]
    text = _cut(sorted(lines))
    return [Material(CANDIDATES, text)] if text else []


def _part(part: BriefPart, facts: Facts) -> str:
    return _cut(PARTS[part](facts.brief, facts)) if facts.brief is not None else ""


def _cut(lines: Iterable[str]) -> str:
    """Lines as one text, no longer than a judge is to read; what is left out is counted."""
    every = [" ".join(line.split()) for line in lines if line.strip()]
    kept = every[:MOST_LINES]
    if len(every) > MOST_LINES:
        kept.append(f"... and {len(every) - MOST_LINES} more")
    text = "\n".join(kept)
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]} ... (cut here)"


def _when(start: float, end: float) -> str:
    return f"{start:.2f}-{end:.2f} s:"


def _story(brief: Brief, facts: Facts) -> Iterator[str]:
    yield brief.title or ""
    yield brief.instruction or ""
    yield from (f"{act.name}: {act.text}" for act in brief.acts)


def _shots(brief: Brief, facts: Facts) -> Iterator[str]:
    yield from (planned_text(shot, facts) for shot in brief.shots)


def planned_text(shot: PlannedShot, facts: Facts) -> str:
    """A planned shot in one line: where it was found, or when it was planned, and what was wanted."""
    beside = {s.index: s for s in facts.plan.shots} if facts.plan else {}
    found = beside.get(shot.index)
    if found is not None and found.measured_start is not None and found.measured_end is not None:
        place = f"found at {_when(found.measured_start, found.measured_end)}"
    elif shot.start is not None and shot.end is not None:
        place = f"planned for {_when(shot.start, shot.end)}"
    else:
        place = ""
    named = (
        ("scene", shot.scene),
        ("with", ", ".join(shot.characters)),
        ("camera", shot.camera),
        ("light", shot.lighting),
    )
    wishes = "; ".join(f"{name}: {text}" for name, text in named if text)
    return f"shot {shot.index + 1} {place} {shot.text} {f'({wishes})' if wishes else ''}"


def _characters(brief: Brief, facts: Facts) -> Iterator[str]:
    yield from (f"{c.name}: {c.description}" for c in brief.characters)


def _sound(brief: Brief, facts: Facts) -> Iterator[str]:
    wish = brief.sound
    said = {True: "wanted", False: "not wanted", None: ""}
    named = (
        ("dialogue", said[wish.dialogue]),
        ("narration", said[wish.narration]),
        ("music", wish.music),
        ("sound effects", ", ".join(wish.sound_effects)),
        ("tone", wish.tone),
        ("languages", ", ".join(wish.languages)),
    )
    yield from (f"{name}: {text}" for name, text in named if text)


def _lines(brief: Brief, facts: Facts) -> Iterator[str]:
    for shot in brief.shots:
        if shot.dialogue:
            yield f"shot {shot.index + 1}, dialogue: {shot.dialogue}"
        if shot.narration:
            yield f"shot {shot.index + 1}, narration: {shot.narration}"
    yield from (f"{_when(line.start, line.end)} {line.text}" for line in brief.lines)


def _length(brief: Brief, facts: Facts) -> Iterator[str]:
    if brief.planned_duration is not None:
        yield f"asked for: {brief.planned_duration:.1f} s; the film is {facts.film.duration:.1f} s long"


PARTS: dict[BriefPart, Callable[[Brief, Facts], Iterable[str]]] = {
    "story": _story,
    "shots": _shots,
    "characters": _characters,
    "consistency": lambda brief, facts: brief.consistency,
    "camera": lambda brief, facts: brief.camera,
    "sound": _sound,
    "lines": _lines,
    "length": _length,
}
BRIEF_LABELS: dict[BriefPart, str] = {
    "story": "brief: story",
    "shots": "brief: planned shots",
    "characters": "brief: characters",
    "consistency": "brief: what has to stay the same",
    "camera": "brief: camera",
    "sound": "brief: sound",
    "lines": "brief: lines to be said",
    "length": "brief: length",
}


def _measured_shots(facts: Facts) -> Iterator[str]:
    for row in facts.signals["shots"].rows():
        yield f"shot {row['index'] + 1}: {_when(row['start'], row['end'])}"


def _scenes(facts: Facts) -> Iterator[str]:
    events = facts.signals["scenes"].events_of("scene")
    yield from (f"scene {n}: {_when(e.start, e.end)}" for n, e in enumerate(events, 1))


def _cast(facts: Facts) -> Iterator[str]:
    for row in facts.signals["faces"].rows():
        if (row.get("person") or 0) >= 0 and row.get("person") is not None:
            yield f"face {row['person'] + 1}: {_when(row['start'], row['end'])}"


def _transcript(facts: Facts) -> Iterator[str]:
    """What was understood, line by line; words outside all lines by their segment are left to the lines."""
    speech = facts.signals["speech"]
    words = [(r["start"], r["end"], str(r["word"]).strip()) for r in speech.rows()]
    for event in speech.events_of("speech", "untold"):
        inside = [w for a, b, w in words if event.start <= (a + b) / 2 <= event.end]
        text = " ".join(inside) if event.kind == "speech" else f"(a voice, not understood: {event.what})"
        yield f"{_when(event.start, event.end)} {text}" if text else ""


def _music(facts: Facts) -> Iterator[str]:
    sound, audio = facts.signals["sound"], facts.signals["audio"]
    for event in sound.events_of("music", "music_cut", "speech_over_music"):
        yield f"{_when(event.start, event.end)} {event.what or event.kind.replace('_', ' ')}"
    tempo, sure = audio.facts.get("tempo_bpm"), audio.facts.get("tempo_confidence")
    if tempo is not None and sure is not None:
        yield f"tempo {tempo:.0f} beats per minute, confidence {sure:.2f}"


def _heard(facts: Facts) -> Iterator[str]:
    sound, audio = facts.signals["sound"], facts.signals["audio"]
    faults = audio.events_of("silence", "dropout", "click", "clipping")
    for event in [*faults, *sound.events_of("sound_event")]:
        yield f"{_when(event.start, event.end)} {event.what or event.kind.replace('_', ' ')}"
    shares = {n: sound.facts.get(f"{n}_share") for n in ("speech", "music", "noise")}
    yield ", ".join(f"{name} in {share:.0%} of the sound" for name, share in shares.items() if share)


def _lips(facts: Facts) -> Iterator[str]:
    for row in facts.signals["lipsync"].rows():
        lag = row.get("lag")
        told = f"sound {lag:+.2f} s against the lips" if lag is not None and row.get("sure") else "not sure"
        yield f"{_when(row['start'], row['end'])} {told}"


def _text(facts: Facts) -> Iterator[str]:
    for row in facts.signals["text"].rows():
        sure = "" if row.get("sure") else " (a guess)"
        yield f"{_when(row['start'], row['end'])} {row['text']}{sure}"


TOOLS: dict[Tool, Callable[[Facts], Iterable[str]]] = {
    "shots": _measured_shots,
    "scenes": _scenes,
    "cast": _cast,
    "transcript": _transcript,
    "music": _music,
    "sound": _heard,
    "lips": _lips,
    "text": _text,
}
TOOL_LABELS: dict[Tool, str] = {
    "shots": "tool: shots that were found",
    "scenes": "tool: scenes, by looks",
    "cast": "tool: faces and where they are seen",
    "transcript": "tool: what was understood of the speech",
    "music": "tool: music",
    "sound": "tool: sound",
    "lips": "tool: lips against the voice",
    "text": "tool: text in the picture",
}


def _measured(found: Measurement) -> Iterator[str]:
    """Facts and spans of a rule, without its value: the judge makes up its own mind."""
    for name, value in found.facts.items():
        if value is not None and np.ndim(value) == 0:
            yield f"{name.replace('_', ' ')}: {f'{value:.3g}' if isinstance(value, float) else value}"
    yield from (f"{_when(e.start, e.end)} {e.what}" for e in found.evidence)
