"""What the brief asks for and signals can check."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np

from ...briefs.onscreen import asked_texts, readable
from ...core.brief import Brief
from ...core.measurement import Evidence, Measurement
from ..attributes import has_speech
from ..facts import Facts
from ..plan import LENGTH, SHOT_COUNT, AlignedShot, planned_name
from ..wishes import ALONE, NOBODY, language_code
from .duration import LEAST_RATIO
from .rule import Fact, column, not_applicable, scored

LONGEST_RATIO = 1.1
"""A film may be this much longer than asked for."""
SHIFT_S = 0.5
"""A planned shot is in its place if both ends lie within this many seconds."""
STATIC_SPEED = 0.03
"""Picture widths per second below which the camera stands (the motion signal's own bound)."""
MOVING_SPEED = 0.06
"""Twice that: a camera that is asked to move has to move clearly."""
HIDES_CUTS = 12.0
"""Grey levels, peak to peak, of a flicker in which cuts are lost: then shots are not counted. Of twelve cuts
in four films (half A, flicker of 6 to 33 levels added) the first were lost at 16, none at 10."""
STATIC_WORDS = re.compile(
    r"\b(static|locked[- ]?(off|down)|fixed camera|tripod|still camera|stationary)\b", re.I
)
MOVING_WORDS = re.compile(
    r"\b(pan(s|ning)?|tilt(s|ing)?|dolly|tracking|truck(s|ing)?|crane|zoom(s|ing)?|push(es)?[- ]in|pull(s)?"
    r"[- ](back|out)|orbit(s|ing)?|hand-?held|steadicam|fly(ing)?[- ](over|through)|follow(s|ing)?)\b",
    re.I,
)
"""English words that ask for one or the other; a text with both, or neither, is not checkable."""
READ = 0.8
"""Likeness of a reading and the asked text, without spaces and marks, from which that text is there ..."""
GUESSED = 0.6
"""... and up to which it is not; between them it may have been misread, and is not checked."""
SURE_FACE = 0.5
LEAST_FACE = 0.08
"""Height of a face, as a share of the picture's, from which it is no passer-by."""
SURE_LANGUAGE, LEAST_SPEECH_S = 0.8, 4.0
"""Confidence and seconds of speech from which its language is compared with the one asked for."""
NO_SOUND = re.compile(r"\b(silent|no (sound|audio)|without (sound|audio))\b", re.I)


@dataclass(frozen=True)
class Item:
    """Something asked for, and whether it is there; ``about`` as in :class:`Evidence`.

    ``moving_camera`` marks the wish for a camera that moves, which a hard constraint reads.
    """

    what: str
    met: bool
    start: float
    end: float
    about: str | None = None
    moving_camera: bool = False


def user_requirement_consistency(facts: Facts) -> Measurement:
    """Share of the brief's checkable wishes that are met: length, shots and their places, camera, sound.

    Checked are the asked-for length, the number and places of planned shots (where they could be aligned,
    no flicker hides the cuts, and a place is not the plan's own word), a standing or a moving camera asked
    for in words per shot, sound or silence, music where it is known whether there is any, speech and its
    language, text in quotes that is to be seen (after words like sign, title or caption), that nobody or
    one person only is to be seen. Wishes about content, mood and other numbers of people are not checkable
    here and do not count; fact ``checkable`` says how many were, ``camera`` the share of the wished moving
    cameras that move. Of a part only the planned shots inside it are checked, and that a film asked to
    speak has a sound track. All words are looked for in English. Blind spots: text too small, handwritten
    or in a script that is not read counts as not shown; nobody was seen is not quite nobody is there.
    """
    name = "user_requirement_consistency"
    if facts.brief is None:
        return not_applicable(name, "there is no brief")
    items = list(_items(facts, facts.brief))
    if not items:
        return not_applicable(name, "the brief asks for nothing that signals can check")
    missed = [i for i in items if not i.met]
    cameras = [i.met for i in items if i.moving_camera]
    listed: dict[str, Fact] = {f"missed_{n}": i.what for n, i in enumerate(missed, 1)}
    listed |= {f"met_{n}": i.what for n, i in enumerate((i for i in items if i.met), 1)}
    return scored(
        name,
        1 - len(missed) / len(items),
        [Evidence(start=i.start, end=i.end, what=f"not met: {i.what}", about=i.about) for i in missed],
        checkable=len(items),
        met=len(items) - len(missed),
        camera=sum(cameras) / len(cameras) if cameras else None,
        **listed,
    )


def _items(facts: Facts, brief: Brief) -> Iterator[Item]:
    length = facts.film.duration
    asked = brief.planned_duration
    if asked and not facts.is_part:
        met = LEAST_RATIO <= length / asked <= LONGEST_RATIO
        what = f"a length of {asked:.1f} s (it is {length:.1f} s)"
        yield Item(what, met, facts.start, facts.end, LENGTH)
    have = len(facts.signals["shots"]) if "shots" in facts.signals else 0
    planned = len(facts.plan.shots) if facts.plan else 0
    if planned and have and not _cuts_are_hidden(facts):
        what = f"{planned} shot{'' if planned == 1 else 's'} (there {'is' if have == 1 else 'are'} {have})"
        yield Item(what, have == planned, facts.start, facts.end, SHOT_COUNT)
    yield from _planned(facts, brief)
    yield from _sound(facts, brief)
    yield from _speech(facts, brief)
    yield from _texts(facts, brief)
    yield from _people(facts, brief)


def _planned(facts: Facts, brief: Brief) -> Iterator[Item]:
    plan = facts.plan
    if plan is None or not plan.aligned:
        return
    cameras = {i: s.camera for i, s in enumerate(brief.shots)}
    hidden = _cuts_are_hidden(facts)
    for shot in plan.shots:
        seen = not hidden and not shot.recovered
        if shot.start is not None and shot.end is not None and seen:
            yield _in_place(facts, shot, shot.start, shot.end)
        yield from _camera(facts, shot, cameras.get(shot.index) or "")


def _cuts_are_hidden(facts: Facts) -> bool:
    """Whether the film flickers so much that its cuts cannot be told from it."""
    flickers = facts.signals["motion"].events_of("flicker")
    return any((e.value or 0.0) >= HIDES_CUTS for e in flickers)


def _in_place(facts: Facts, shot: AlignedShot, planned_start: float, planned_end: float) -> Item:
    start, end = shot.measured_start, shot.measured_end
    name = planned_name(shot.index)
    what = f"{name} from {planned_start:.1f} to {planned_end:.1f} s"
    if not shot.measured or start is None or end is None:
        first, last = (min(max(t, facts.start), facts.end) for t in (planned_start, planned_end))
        return Item(what, False, first, last, name)
    met = abs(start - planned_start) <= SHIFT_S and abs(end - planned_end) <= SHIFT_S
    return Item(what, met, start, end, name)


def _camera(facts: Facts, shot: AlignedShot, words: str) -> Iterator[Item]:
    start, end = shot.measured_start, shot.measured_end
    static, moving = bool(STATIC_WORDS.search(words)), bool(MOVING_WORDS.search(words))
    if start is None or end is None or static == moving or "motion" not in facts.signals:
        return
    times, speed = column(facts, "motion", "time"), column(facts, "motion", "camera_speed")
    inside = speed[(times > start) & (times < end) & np.isfinite(speed)]
    if len(inside):
        usual = float(np.median(inside))
        met = usual < STATIC_SPEED if static else float(np.percentile(inside, 75)) >= MOVING_SPEED
        wish = "a standing camera" if static else "a moving camera"
        what = f"{wish} in {planned_name(shot.index)} ({usual:.2f} widths per second)"
        yield Item(what, met, start, end, moving_camera=moving)


def _sound(facts: Facts, brief: Brief) -> Iterator[Item]:
    wishes = brief.sound
    audio = facts.signals["audio"]
    whole = not facts.is_part
    # A part without sound says nothing of the rest; that the film has no sound track says it of all.
    sounding = facts.film.audio and not (whole and audio.facts.get("silent_share") == 1.0)
    music = facts.attribute("has_background_music")
    if wishes.music:
        if not sounding:
            yield Item("music (there is no sound)", False, facts.start, facts.end)
        elif music is not None and whole:
            yield Item("music", bool(music), facts.start, facts.end)
    if (wishes.dialogue or wishes.narration) and not sounding:
        yield Item("speech (there is no sound)", False, facts.start, facts.end)
    if wishes.sound_effects and not sounding:
        yield Item("sound effects (there is no sound)", False, facts.start, facts.end)
    if whole and NO_SOUND.search(" ".join(filter(None, (brief.instruction, wishes.tone)))):
        yield Item("a silent film", not sounding, facts.start, facts.end)


def _speech(facts: Facts, brief: Brief) -> Iterator[Item]:
    """That somebody speaks, and in which language; silence is counted by the wishes about sound."""
    wishes, speech = brief.sound, facts.signals["speech"]
    if facts.is_part or not facts.film.audio or not speech.usable:
        return
    lines = bool(brief.lines) or any(s.dialogue or s.narration for s in brief.shots)
    silent = facts.signals["audio"].facts.get("silent_share") == 1.0
    spoken = has_speech(facts.film, facts.signals).value
    if (wishes.dialogue or wishes.narration or lines) and not silent and spoken is not None:
        why = "speech" if spoken else "speech (no voice was heard)"
        yield Item(why, bool(spoken), facts.start, facts.end)
    asked = [code for name in wishes.languages if (code := language_code(name))]
    heard = speech.facts.get("language")
    sure = (speech.facts.get("language_confidence") or 0.0) >= SURE_LANGUAGE
    enough = (speech.facts.get("speech_seconds") or 0.0) >= LEAST_SPEECH_S
    if asked and heard and sure and enough and len(asked) == len(wishes.languages):
        what = f"speech in {' or '.join(wishes.languages)} (it is {heard})"
        yield Item(what, language_code(str(heard)) in asked, facts.start, facts.end)


def _texts(facts: Facts, brief: Brief) -> Iterator[Item]:
    """Text in quotes that is to be seen somewhere in the film."""
    text = facts.signals["text"]
    if facts.is_part or not text.usable:
        return
    asked: dict[str, str] = {}
    for words in (brief.instruction or "", *(shot.text for shot in brief.shots)):
        asked.update({_letters(found): found for found in asked_texts(words) if readable(found)})
    rows = [(float(r["start"]), float(r["end"]), str(r["text"])) for r in text.rows()]
    for letters, found in asked.items():
        likeness = max((_likeness(letters, _beside(rows, at)) for at in range(len(rows))), default=0.0)
        if likeness >= READ:
            yield Item(f"the text “{found}”", True, facts.start, facts.end)
        elif likeness <= GUESSED:
            yield Item(f"the text “{found}” (it was not read)", False, facts.start, facts.end)


def _beside(rows: Sequence[tuple[float, float, str]], at: int) -> str:
    """All that is to be read while a row is, in the order of the rows."""
    start, end, _ = rows[at]
    return _letters("".join(t for a, b, t in rows if a <= end and b >= start))


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def _likeness(asked: str, read: str) -> float:
    """Share of the asked letters that are read in one piece or nearly so, the best place in ``read``."""
    if asked in read:
        return 1.0
    pieces = [read[i : i + len(asked)] for i in range(max(len(read) - len(asked), 0) + 1)]
    return max(SequenceMatcher(None, asked, piece, autojunk=False).ratio() for piece in pieces)


def _people(facts: Facts, brief: Brief) -> Iterator[Item]:
    """That nobody, or one person only, is to be seen: in the film, or in a planned shot."""
    if "faces" not in facts.signals:
        return
    spans = [(brief.instruction or "", facts.start, facts.end, "")] if not facts.is_part else []
    for shot in facts.plan.shots if facts.plan and facts.plan.aligned else ():
        if shot.measured_start is not None and shot.measured_end is not None:
            where = f" in {planned_name(shot.index)}"
            spans.append((brief.shots[shot.index].text, shot.measured_start, shot.measured_end, where))
    for words, start, end, where in spans:
        seen = _seen_at_once(facts, start, end)
        if NOBODY.search(words):
            yield Item(f"nobody{where}{' (a face is seen)' if seen else ''}", seen == 0, start, end)
        elif ALONE.search(words) and seen:
            told = f" ({seen} are seen at once)" if seen > 1 else ""
            yield Item(f"one person only{where}{told}", seen == 1, start, end)


def _seen_at_once(facts: Facts, start: float, end: float) -> int:
    """Most people with a face that is large and surely one, at any one time of a span."""
    rows = facts.signals["faces"].rows()
    sure = [
        (max(r["start"], start), min(r["end"], end), r["person"])
        for r in rows
        if r["start"] < end
        and r["end"] > start
        and r["person"] >= 0
        and (r["sure"] or 0.0) >= SURE_FACE
        and (r["size"] or 0.0) >= LEAST_FACE
    ]
    return max((len({who for a, b, who in sure if a <= at <= b}) for at, _, _ in sure), default=0)
