"""From what a shape's reader found to a Brief that does not contradict itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from ..core.brief import Brief, Line, PlannedShot, SoundWishes
from ..core.wording import silent
from .reading import SAME_ID, Reading

OVERLAP_S = 0.001
"""Overlap of two shots that is rounding and no contradiction."""
DURATION_S = 0.1
"""How far ``end - start`` may be from a stated duration, and a shot's end beyond a stated total: people
write tenths."""


@dataclass
class Draft:
    """A planned shot being read, with its place in the source; times in seconds."""

    path: str
    id: str | None = None
    text: str = ""
    start: float | None = None
    end: float | None = None
    duration: float | None = None
    scene: str | None = None
    camera: str | None = None
    lighting: str | None = None
    characters: list[str] = field(default_factory=list)
    dialogue: str | None = None
    narration: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    def planned(self, index: int) -> PlannedShot:
        """The finished shot."""
        values = {key: value for key, value in vars(self).items() if key != "path"}
        return PlannedShot(index=index, **values)


def build(reading: Reading, source: str, drafts: list[Draft], **fields: Any) -> Brief:
    """Check and complete the drafts and make the Brief. ``fields`` are the Brief's other fields.

    Raises:
        InputError: a contradiction, or nothing that says what the film should be.
    """
    for draft in drafts:
        check_times(draft, reading)
    drafts = in_order(drafts, reading)
    check_ids(drafts, reading)
    complete_times(drafts, reading)
    check_overlaps(drafts, reading)
    if fields.get("instruction") and silent(fields["instruction"]):
        fields["instruction"] = None
    for draft in drafts:
        if silent(draft.text):
            draft.text = ""
        if not any((draft.text, draft.dialogue, draft.narration, draft.extra)):
            reading.note(draft.path, "this shot has no text")
    check_total(drafts, fields.get("duration"), reading)
    says = ("instruction", "title", "lines", "acts", "characters", "consistency", "camera", "duration")
    if not drafts and not any(fields.get(name) for name in says):
        raise reading.error(
            "", "nothing in it says what the film should be", hint="give a prompt or planned shots"
        )
    fields["sound"] = sound_of(drafts, fields.get("sound") or SoundWishes())
    shots = [draft.planned(index) for index, draft in enumerate(drafts)]
    try:
        return Brief(source=source, shots=shots, notes=reading.all_notes(), **fields)
    except ValidationError as error:
        first = error.errors()[0]
        raise reading.error(".".join(map(str, first["loc"])), first["msg"]) from None


def line_of(draft: Draft) -> Line:
    """A line that is said, from a draft with its times."""
    return Line(
        start=draft.start or 0.0,
        end=draft.end or 0.0,
        text=draft.text,
        speaker=draft.characters[0] if draft.characters else None,
        id=draft.id,
        extra=draft.extra,
    )


def check_times(draft: Draft, reading: Reading) -> None:
    """One shot's own times; a missing one is filled in where the two others are known."""
    for name in ("start", "end"):
        value = getattr(draft, name)
        if value is not None and value < 0:
            message = f"{name} is {value:g} s, before the film begins"
            raise reading.error(draft.path, message, hint="times count from 0 at the film's first frame")
    if draft.duration is not None and draft.duration <= 0:
        raise reading.error(draft.path, f"duration is {draft.duration:g} s; it must be above zero")
    start, end, duration = draft.start, draft.end, draft.duration
    if start is not None and end is not None:
        if end <= start:
            raise reading.error(draft.path, f"ends at {end:g} s, not after its start at {start:g} s")
        if duration is not None and abs(end - start - duration) > DURATION_S:
            raise reading.error(
                draft.path, f"lasts {end - start:g} s by its times but {duration:g} s by its duration"
            )
    elif start is not None and duration is not None:
        draft.end = start + duration
    elif end is not None and duration is not None:
        if end - duration < -OVERLAP_S:
            raise reading.error(draft.path, f"ends at {end:g} s yet lasts {duration:g} s")
        draft.start = max(0.0, end - duration)


def in_order(drafts: list[Draft], reading: Reading) -> list[Draft]:
    """The drafts by start. Out of order and not all timed is a contradiction."""
    starts = [d.start for d in drafts if d.start is not None]
    if starts == sorted(starts):
        return drafts
    if len(starts) == len(drafts):
        reading.note("", "the shots were not in order of time; they were sorted by start", "warning")
        return sorted(drafts, key=lambda d: d.start or 0.0)
    latest = 0.0
    for draft in drafts:
        if draft.start is not None and draft.start < latest:
            raise reading.error(draft.path, f"starts at {draft.start:g} s, before a shot listed earlier")
        latest = max(latest, draft.start or 0.0)
    return drafts


def check_ids(drafts: list[Draft], reading: Reading) -> None:
    """No two shots with one id."""
    seen: dict[str, str] = {}
    for draft in drafts:
        if draft.id is None:
            continue
        if draft.id in seen:
            message = f"has the id {draft.id!r} of {seen[draft.id]}"
            raise reading.error(draft.path, message, hint=SAME_ID)
        seen[draft.id] = draft.path


def complete_times(drafts: list[Draft], reading: Reading) -> None:
    """Starts and ends from durations, only where every shot has one and none has a time."""
    if not drafts or any(d.duration is None or d.start is not None or d.end is not None for d in drafts):
        return
    ends = 0.0
    for draft in drafts:
        draft.start = round(ends, 6)
        ends += draft.duration or 0.0
        draft.end = round(ends, 6)
    reading.note("", f"start and end of the {len(drafts)} shots were added up from their durations")


def check_overlaps(drafts: list[Draft], reading: Reading) -> None:
    """No shot starts before an earlier one ends."""
    last: Draft | None = None
    for draft in drafts:
        if draft.start is None and draft.end is None:
            continue
        if last is not None:
            begins = draft.start if draft.start is not None else draft.end
            reaches = last.end if last.end is not None else last.start
            if begins is not None and reaches is not None and begins < reaches - OVERLAP_S:
                message = f"starts at {begins:g} s, before {last.path} ends at {reaches:g} s"
                raise reading.error(draft.path, message, hint="shots of a brief may not overlap")
            if draft.start is not None and draft.start == last.start:
                raise reading.error(draft.path, f"starts at {draft.start:g} s, as {last.path} does")
        last = draft


def check_total(drafts: list[Draft], total: float | None, reading: Reading) -> None:
    """A stated length must hold the planned shots; a longer one is noted."""
    if total is None:
        return
    if total <= 0:
        raise reading.error("duration", f"is {total:g} s; it must be above zero")
    ends = [d.end if d.end is not None else d.start for d in drafts]
    known = [end for end in ends if end is not None]
    planned = max(known) if known else sum(d.duration or 0.0 for d in drafts)
    complete = bool(drafts) and (drafts[-1].end is not None or all(d.duration is not None for d in drafts))
    if planned > total + DURATION_S:
        message = f"the film should last {total:g} s, but its planned shots reach {planned:g} s"
        raise reading.error("duration", message)
    if complete and planned < total - DURATION_S:
        reading.note("duration", f"the planned shots reach {planned:g} s of the {total:g} s asked for")


def sound_of(drafts: list[Draft], sound: SoundWishes) -> SoundWishes:
    """Dialogue or narration in a shot asks for it, where the brief does not say otherwise."""
    found: dict[str, Any] = {}
    if sound.dialogue is None and any(d.dialogue for d in drafts):
        found["dialogue"] = True
    if sound.narration is None and any(d.narration for d in drafts):
        found["narration"] = True
    return sound.model_copy(update=found)
