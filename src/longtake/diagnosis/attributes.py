"""Stage 1: the content attributes, filled where signals honestly can, else unknown with what would fill them.

The brief never sets one: it says what was wanted, not what is there.
"""

from __future__ import annotations

import numpy as np

from ..core.documents import Attribute, VideoEntry
from ..core.signal import Signal, Signals
from .rubric import ATTRIBUTES, SPEECH

MOVING_SHARE = 0.05
"""Share of the film's time from which movement counts as present: one second in twenty."""
MUSIC_CONFIDENCE = 0.7
"""Tempo confidence from which a steady beat is taken for music; below it nothing is claimed. In 3_audio of
the test media speech stays at 0.0 and a free guitar reaches 0.29, so much real music stays unknown."""
SILENT_SHARE = 0.99
"""A film silent for this share of its sound holds neither speech nor music."""

MUSIC_S, MUSIC_LIKELY = 6.0, 0.7
"""A stretch this long and this likely is music: of the 49 clips with sound in the media nothing else was."""
NO_MUSIC_S, MAYBE_MUSIC = 10, 0.3
"""Seconds of sound from which there is said to be no music, if no second of it has this likelihood."""
HUMMED = 0.2
"""Share of the voices without words from which one may be singing."""
UNLIKE = 0.5
"""Likelihood of one place below which two shots surely look like two, where any is given."""
STILL_TEXT = 0.02
"""Share of the picture that text may move and still stand."""
LEAST_LOOKS = 3
SURE_FACE = 0.5
"""Sureness of a face's identity from which it is a character and not a chance likeness."""
PEOPLE_SHARE = 0.2
"""Share of looked-at frames with a person found from which people count as present without any face: the
finder of people is weak, so a single hit proves nothing."""
LEAST_NARRATION_S = 5.0
"""Seconds of voice over pictures without any face from which there is a narrator: less may be a speaker who
is seen in another shot."""
LEAST_VOICE_S = 0.5
"""Seconds of voice in the whole film from which somebody speaks."""

UNFILLED = {
    "has_characters": "no face and no person was found for certain: small, hidden or drawn ones are missed",
    "character_count": "needs every face to be told from the others",
    "has_dialogue": "needs a speaker who is seen to speak",
    "has_held_objects": "needs a judge that sees frames",
    "has_animals": "needs a judge that sees frames",
    "scene_count": "shots could not be grouped into scenes for certain",
    "has_scene_changes": "shots could not be grouped into scenes for certain",
    "has_text_overlay": "needs text recognition",
    "has_special_effects": "needs a judge that sees frames",
    "is_live_action_style": "needs a judge that sees frames",
    "is_animation_style": "needs a judge that sees frames",
    "has_background_music": "music could not be told from speech and noise for certain",
    "has_slow_motion": "needs a judge that sees frames",
    "has_narration": "needs a speaker who is not seen",
    "has_visible_speaker": "no mouth was seen to move with the voice",
}

OPENED = (
    "is_single_shot",
    "has_camera_movement",
    "has_fast_motion",
    "has_background_music",
    "has_characters",
    "has_dialogue",
    "has_narration",
    "has_visible_speaker",
    "has_scene_changes",
    "has_text_overlay",
)
"""Attributes that signals may find true. All others wait for a judge or a model."""

_SPOKEN = ("audio", "speech", "faces", "lipsync")
READS: dict[str, tuple[str, ...]] = {
    "has_characters": ("faces", "objects"),
    "character_count": ("faces", "objects"),
    "has_dialogue": _SPOKEN,
    "has_narration": _SPOKEN,
    "has_visible_speaker": _SPOKEN,
    SPEECH: ("audio", "speech"),
    "scene_count": ("shots", "scenes"),
    "has_scene_changes": ("shots", "scenes"),
    "is_single_shot": ("shots",),
    "has_text_overlay": ("text", "shots"),
    "has_background_music": ("audio", "sound", "speech"),
    "has_camera_movement": ("motion",),
    "has_fast_motion": ("motion",),
}
"""Signals that decide an attribute or a gate; of those that are not here none does."""


def attributes_of(film: VideoEntry, signals: Signals) -> dict[str, Attribute]:
    """All 18 attributes by name, each with its source or the reason why it is unknown."""
    found: dict[str, Attribute] = {}
    for fill in (_scenes, _shots, _motion, _people, _text, _sound, _speech):
        found.update({a.id: a for a in fill(film, signals)})
    rest = {name: Attribute(id=name, value=None, reason=UNFILLED.get(name)) for name in ATTRIBUTES}
    return {name: found.get(name, rest[name]) for name in ATTRIBUTES}


def _unmeasured(signal: Signal, *names: str) -> list[Attribute]:
    reason = f"{signal.name}: {signal.status}, {signal.reason or 'no reason given'}"
    return [Attribute(id=name, value=None, reason=reason) for name in names]


def _shots(film: VideoEntry, signals: Signals) -> list[Attribute]:
    shots = signals["shots"]
    if not shots.usable or not len(shots):
        return _unmeasured(shots, "is_single_shot")
    single = len(shots) == 1
    found = [Attribute(id="is_single_shot", value=single, source="shots")]
    if single:
        found.append(Attribute(id="scene_count", value=1, source="shots"))
        found.append(Attribute(id="has_scene_changes", value=False, source="shots"))
    return found


def _words_explain(signals: Signals) -> bool:
    """Whether the voices that are heard say words: a tune that somebody hums passes for a voice without."""
    speech = signals["speech"]
    spoken = speech.facts.get("speech_seconds") or 0.0
    return speech.usable and (speech.facts.get("untold_seconds") or 0.0) <= HUMMED * spoken


def _scenes(film: VideoEntry, signals: Signals) -> list[Attribute]:
    """Scenes by how alike shots look; what a single shot is, the shots tell.

    Shots that surely look unlike may be one scene (a card between them): then nothing is said of changes.
    """
    scenes = signals["scenes"]
    if not scenes.usable:
        return _unmeasured(scenes, "scene_count", "has_scene_changes")
    count, least = scenes.facts.get("scenes"), scenes.facts.get("scenes_at_least") or 1
    found = []
    why = "by looks: another side of a room may pass for another place, a place alike for the same"
    likely = np.asarray(scenes.columns.get("same_scene", ()), np.float64)
    if count == 1 and (likely < UNLIKE).any():
        why = "shots that look unlike come and go between those that look alike"
        return [Attribute(id=n, value=None, reason=why) for n in ("scene_count", "has_scene_changes")]
    if count is not None:
        found.append(Attribute(id="scene_count", value=count, source="scenes", reason=why))
    if count is not None or least > 1:
        found.append(Attribute(id="has_scene_changes", value=least > 1, source="scenes", reason=why))
    return found


def _motion(film: VideoEntry, signals: Signals) -> list[Attribute]:
    motion = signals["motion"]
    if not motion.usable:
        return _unmeasured(motion, "has_camera_movement", "has_fast_motion")
    found = []
    for name, fact in (("has_camera_movement", "camera_share"), ("has_fast_motion", "fast_share")):
        share = motion.facts.get(fact)
        if share is None:
            found.append(Attribute(id=name, value=None, reason=f"motion gave no {fact}"))
        else:
            found.append(Attribute(id=name, value=bool(share >= MOVING_SHARE), source="motion"))
    return found


def _people(film: VideoEntry, signals: Signals) -> list[Attribute]:
    faces, objects = signals["faces"], signals["objects"]
    if not faces.usable and not objects.usable:
        return _unmeasured(faces, "has_characters", "character_count")
    sure = np.asarray(faces.columns.get("sure", ()), np.float64)
    person = np.asarray(faces.columns.get("person", ()), np.int64)
    known = len(np.unique(person[(person >= 0) & (sure >= SURE_FACE)]))
    if known:
        found = [Attribute(id="has_characters", value=True, source="faces")]
        if not faces.facts.get("unidentified"):
            found.append(Attribute(id="character_count", value=known, source="faces"))
        return found
    if (objects.facts.get("people_share") or 0.0) >= PEOPLE_SHARE:
        return [Attribute(id="has_characters", value=True, source="objects")]
    return []


def _text(film: VideoEntry, signals: Signals) -> list[Attribute]:
    """Text that stays where it is over a cut lies over the picture; other text may be a sign in the scene."""
    name, text = "has_text_overlay", signals["text"]
    if not text.usable:
        return _unmeasured(text, name)
    start, end, moved = (np.asarray(text.columns[n], np.float64) for n in ("start", "end", "moved"))
    still = np.asarray(text.columns["sure"], bool) & (moved < STILL_TEXT)
    cuts = np.asarray(signals["shots"].columns.get("start", ()), np.float64)[1:]
    if any(((start[still] < cut) & (end[still] > cut)).any() for cut in cuts):
        return [Attribute(id=name, value=True, source="text")]
    known = text.facts
    if not known["appearances"] and not known["unsure"] and known["looks"] >= LEAST_LOOKS:
        return [Attribute(id=name, value=False, source="text", reason="no text was read in any frame")]
    why = "text that is read may lie over the picture or stand in the scene" if known["appearances"] else None
    return [Attribute(id=name, value=None, reason=why or "what was read is too unsure, or too few frames")]


def has_speech(film: VideoEntry, signals: Signals) -> Attribute:
    """Whether somebody speaks, seen or not: a gate of ours beside the 18 attributes."""
    if why := is_silent(film, signals):
        source = "container" if why == "no sound track" else "audio"
        return Attribute(id=SPEECH, value=False, source=source, reason=why)
    speech = signals["speech"]
    if not speech.usable:
        return _unmeasured(speech, SPEECH)[0]
    spoken = (speech.facts.get("speech_seconds") or 0.0) >= LEAST_VOICE_S
    return Attribute(
        id=SPEECH, value=spoken, source="speech", reason=None if spoken else "no voice was heard"
    )


def _speech(film: VideoEntry, signals: Signals) -> list[Attribute]:
    """Dialogue where a mouth moves with the voice, narration where no face is seen while it is heard."""
    names = ("has_dialogue", "has_narration")
    heard = has_speech(film, signals)
    if heard.value is None:
        return [Attribute(id=name, value=None, reason=heard.reason) for name in names]
    if not heard.value:
        silent = Attribute(id="has_visible_speaker", value=False, source=heard.source, reason=heard.reason)
        rest = [Attribute(id=n, value=False, source=heard.source, reason=heard.reason) for n in names]
        return [*rest, silent]
    found = []
    speaking = signals["lipsync"].facts.get("sure") if signals["lipsync"].usable else None
    if speaking:
        found += [
            Attribute(id=n, value=True, source="lipsync") for n in ("has_dialogue", "has_visible_speaker")
        ]
    faces, voices = signals["faces"], signals["speech"].events_of("voice")
    if faces.usable and not len(faces):
        why = "a voice is heard and no face was found: a narrator, or one who is hidden, masked or drawn"
        found += [Attribute(id=n, value=None, reason=why) for n in ("has_narration", "has_visible_speaker")]
    elif faces.usable and voices:
        start, end = (np.asarray(faces.columns[n], np.float64) for n in ("start", "end"))
        unseen = sum(v.end - v.start for v in voices if not ((start < v.end) & (end > v.start)).any())
        if unseen >= LEAST_NARRATION_S:
            why = f"{unseen:.0f} s of voice over pictures without a face"
            found.append(Attribute(id="has_narration", value=True, source="speech", reason=why))
    return found


def is_silent(film: VideoEntry, signals: Signals) -> str | None:
    """Why there is nothing to hear, or ``None`` where there is something or it is not known."""
    if not film.audio:
        return "no sound track"
    audio = signals["audio"]
    if not audio.usable:
        return None
    share = audio.facts.get("silent_share")
    return "silent throughout" if share is not None and share >= SILENT_SHARE else None


def _sound(film: VideoEntry, signals: Signals) -> list[Attribute]:
    name = "has_background_music"
    if why := is_silent(film, signals):
        source = "container" if why == "no sound track" else "audio"
        return [Attribute(id=name, value=False, source=source, reason=why)]
    sound, audio = signals["sound"], signals["audio"]
    if sound.usable:
        spans = [e for e in sound.events_of("music") if e.end - e.start >= MUSIC_S]
        if any((e.value or 0.0) >= MUSIC_LIKELY for e in spans):
            return [Attribute(id=name, value=True, source="sound")]
        likely = np.asarray(sound.columns.get("music", ()), np.float64)
        long_enough = (sound.facts.get("heard_seconds") or 0) >= NO_MUSIC_S
        if long_enough and not (likely >= MAYBE_MUSIC).any() and _words_explain(signals):
            why = "no second sounds like music; drums alone and unaccompanied singing may be missed"
            return [Attribute(id=name, value=False, source="sound", reason=why)]
        return []
    if not audio.usable:
        return _unmeasured(audio, name)
    if (audio.facts.get("tempo_confidence") or 0.0) >= MUSIC_CONFIDENCE:
        return [Attribute(id=name, value=True, source="audio")]
    return []
