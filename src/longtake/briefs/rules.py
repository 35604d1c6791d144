"""The rules of one brief, each with its remedy: times, parts, people, lines, sound, language.

A brief may leave out what it likes: that is a warning. What contradicts itself is an error. A rule yields the
place in the brief, the level, what is wrong and what to do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ..core.brief import Brief, PlannedShot
from ..core.briefs import Level
from .languages import languages, not_in, seconds_to_say

SHORTEST_S = 30.0
LONGEST_S = 180.0
"""Lengths of the suite's films (issue: 30-180 s): long enough for acts, short enough to be generated."""
GAP_S = 0.01
"""A difference of times that is rounding; the suite is written in tenths of a second."""
ACTS = ("setup", "conflict", "resolution")
TYPES = ("narrative", "commercial", "educational", "sci-fi", "cinematic", "action", "daily-life")
"""Categories of DirectorBench's entries (arXiv 2605.30090)."""
_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_SPEAKER = re.compile(r"(?:(?:^|\n|(?<=[”»」]))\s*|(?<=[\"'])\s+)(?=\S)[^:：\"“”«»「」.!?\n]{1,40}[:：]\s*")

Found = Iterator[tuple[str, Level, str, str]]


def _head(brief: Brief) -> Found:
    for key in ("id", "title", "instruction", "language", "video_type"):
        if not getattr(brief, key):
            yield key, "warning", "is missing", f"state the {key.replace('_', ' ')}"
    if brief.id and not _ID.fullmatch(brief.id):
        yield "id", "warning", f"{brief.id!r} is not in kebab-case", "use small letters, digits and hyphens"
    if brief.video_type and brief.video_type not in TYPES:
        hint = f"one of {', '.join(TYPES)}"
        yield "video_type", "warning", f"{brief.video_type!r} is not known", hint


def _times(brief: Brief) -> Found:
    total = brief.duration
    if total is None:
        yield "duration", "warning", "is missing", "state the length in seconds"
    elif not SHORTEST_S <= total <= LONGEST_S:
        message = f"{total:g} s is outside {SHORTEST_S:g}-{LONGEST_S:g} s"
        yield "duration", "warning", message, "the suite's rules hold for films of that length"
    if not brief.shots:
        yield "shots", "warning", "there are no planned shots", "plan the film shot by shot"
        return
    reached = 0.0
    for shot in brief.shots:
        place = f"shots[{shot.index}]"
        if shot.start is None or shot.end is None:
            yield place, "warning", "has no start and end", "state both in seconds"
            return
        if abs(shot.start - reached) > GAP_S:
            message = f"starts at {shot.start:g} s, but the film has been planned up to {reached:g} s"
            yield f"{place}.start", "error", message, f"start it at {reached:g}"
        if shot.duration is not None and abs(shot.duration - (shot.end - shot.start)) > GAP_S:
            message = f"is {shot.duration:g} s, but start and end are {shot.end - shot.start:g} s apart"
            yield f"{place}.duration", "error", message, "leave duration out"
        reached = shot.end
    if total is not None and abs(reached - total) > GAP_S:
        message = f"is {total:g} s, but the last shot ends at {reached:g} s"
        yield "duration", "error", message, "make both the same"


def _acts(brief: Brief) -> Found:
    names = [act.name for act in brief.acts]
    if tuple(names) != ACTS:
        message = f"the acts are {', '.join(names) or 'missing'}"
        yield "acts", "warning", message, f"write three: {', '.join(ACTS)}"
    for i, act in enumerate(brief.acts):
        if not act.text.strip():
            yield f"acts[{i}].text", "warning", "is empty", "say what happens in this act"
    if not brief.consistency:
        yield (
            "consistency",
            "warning",
            "is empty",
            "say what must stay the same: faces, clothes, places, style",
        )
    if not brief.camera:
        yield "camera", "warning", "is empty", "say how the film as a whole is shot"


def _shots(brief: Brief) -> Found:
    seen: dict[str, int] = {}
    for shot in brief.shots:
        place = f"shots[{shot.index}]"
        for key in ("id", "text", "scene", "camera", "lighting"):
            if not (getattr(shot, key) or "").strip():
                yield f"{place}.{key}", "warning", "is missing", f"state the shot's {key}"
        if shot.id in seen:
            yield f"{place}.id", "error", f"{shot.id!r} is that of shots[{seen[shot.id]}]", "number the shots"
        if shot.id is not None:
            seen[shot.id] = shot.index


def _people(brief: Brief) -> Found:
    declared = [person.name for person in brief.characters]
    for name, count in Counter(declared).items():
        if count > 1:
            yield "characters", "error", f"{name!r} is described {count} times", "describe each once"
    for i, person in enumerate(brief.characters):
        if not person.description.strip():
            place = f"characters[{i}].description"
            yield place, "warning", f"{person.name} is not described", "state looks and clothing"
    named = {name for shot in brief.shots for name in shot.characters}
    for shot in brief.shots:
        for name in shot.characters:
            if name not in declared:
                hint = f"add {name} to characters, or correct the name"
                level: Level = "error" if declared else "warning"
                yield f"shots[{shot.index}].characters", level, f"{name!r} is not in characters", hint
    for name in declared:
        if brief.shots and name not in named:
            yield (
                "characters",
                "warning",
                f"{name!r} is in no shot",
                "name the shots' characters, or leave it out",
            )


def spoken(line: str) -> str:
    """A line without the names of its speakers, which stand before a colon: ``Ann: "Yes."``."""
    return _SPEAKER.sub(" ", line).strip()


def _speech(brief: Brief) -> Found:
    for shot in brief.shots:
        place = f"shots[{shot.index}]"
        if shot.dialogue and not shot.characters:
            yield (
                f"{place}.dialogue",
                "warning",
                "nobody is in the shot",
                "name the speaker, or make it narration",
            )
        said = _seconds(brief, shot)
        if said is None or shot.start is None or shot.end is None:
            continue
        room = shot.end - shot.start
        if said > room:
            message = f"would take {said:.1f} s even if said fast; the shot lasts {room:g} s"
            which = "dialogue" if shot.dialogue else "narration"
            yield f"{place}.{which}", "error", message, "shorten the line or lengthen the shot"


def _seconds(brief: Brief, shot: PlannedShot) -> float | None:
    """Seconds that the shot's lines take at least, each in the quickest language that it may be in."""
    codes = [c for c in (brief.language or "", *brief.sound.languages) if c in languages()]
    if not codes:
        return None
    seconds = 0.0
    for line in (spoken(shot.dialogue or ""), shot.narration or ""):
        fitting = [c for c in codes if not not_in(line, [c])] or codes
        seconds += min(seconds_to_say(line, c) or 0.0 for c in fitting)
    return seconds


def _sound(brief: Brief) -> Found:
    sound = brief.sound
    for key in ("dialogue", "narration"):
        asked, present = getattr(sound, key), any(getattr(shot, key) for shot in brief.shots)
        if brief.shots and asked is not None and asked != present:
            message = f"is {str(asked).lower()}, but {'some' if present else 'no'} shot has {key}"
            yield f"sound.{key}", "error", message, f"write {str(present).lower()}, or change the shots"
    if sound.lip_sync and not any(shot.dialogue for shot in brief.shots):
        yield "sound.lip_sync", "error", "is asked, but nobody speaks", "write false, or give somebody a line"
    if sound.music is None:
        yield (
            "sound.music",
            "warning",
            "is not stated",
            "say which music with mood and tempo, or that there is none",
        )
    if not sound.sound_effects:
        yield (
            "sound.sound_effects",
            "warning",
            "are not stated",
            "name the sounds of visible events and of places",
        )
    speaks = any(shot.dialogue or shot.narration for shot in brief.shots)
    if speaks and brief.language and brief.language not in sound.languages:
        level: Level = "error" if sound.languages else "warning"
        message = f"{brief.language!r}, the brief's language, is not in it"
        yield "sound.languages", level, message, "name every language that is spoken"


def texts_of(brief: Brief) -> Iterator[tuple[str, str, bool]]:
    """Place, text and whether it is spoken, for every text that people read or hear."""
    for key in ("title", "instruction"):
        yield key, getattr(brief, key) or "", False
    for i, act in enumerate(brief.acts):
        yield f"acts[{i}].text", act.text, False
    for i, person in enumerate(brief.characters):
        yield f"characters[{i}].description", person.description, False
    for name in ("consistency", "camera"):
        for i, text in enumerate(getattr(brief, name)):
            yield f"{name}[{i}]", text, False
    yield "sound.music", brief.sound.music or "", False
    yield "sound.tone", brief.sound.tone or "", False
    for i, text in enumerate(brief.sound.sound_effects):
        yield f"sound.sound_effects[{i}]", text, False
    for shot in brief.shots:
        for key in ("text", "scene", "camera", "lighting"):
            yield f"shots[{shot.index}].{key}", getattr(shot, key) or "", False
        yield f"shots[{shot.index}].dialogue", spoken(shot.dialogue or ""), True
        yield f"shots[{shot.index}].narration", shot.narration or "", True


def _language(brief: Brief) -> Found:
    if not brief.language:
        return
    for place, text, said in texts_of(brief):
        allowed = [brief.language, *(brief.sound.languages if said else ())]
        reason = not_in(text, allowed)
        if reason:
            yield (
                place,
                "error",
                f"is not in {' or '.join(dict.fromkeys(allowed))}: {reason}",
                "write it in that language",
            )


def _notes(brief: Brief) -> Found:
    for note in brief.notes:
        if note.level == "warning":
            yield note.path, "warning", note.message, "mend it in the source"


RULES = (_head, _times, _acts, _shots, _people, _speech, _sound, _language, _notes)
"""All rules, in the order of a brief's parts."""
