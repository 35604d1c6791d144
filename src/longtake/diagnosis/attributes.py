"""Stage 1: the content attributes, filled where signals honestly can, else unknown with what would fill them.

The brief never sets one: it says what was wanted, not what is there.
"""

from __future__ import annotations

from ..core.documents import Attribute, VideoEntry
from ..core.signal import Signal, Signals
from .rubric import ATTRIBUTES

MOVING_SHARE = 0.05
"""Share of the film's time from which movement counts as present: one second in twenty."""
MUSIC_CONFIDENCE = 0.7
"""Tempo confidence from which a steady beat is taken for music; below it nothing is claimed. In 3_audio of
the test media speech stays at 0.0 and a free guitar reaches 0.29, so much real music stays unknown."""
SILENT_SHARE = 0.99
"""A film silent for this share of its sound holds neither speech nor music."""

UNFILLED = {
    "has_characters": "needs face or person detection",
    "character_count": "needs faces followed across shots",
    "has_dialogue": "needs speech recognition",
    "has_held_objects": "needs a judge that sees frames",
    "has_animals": "needs a judge that sees frames",
    "scene_count": "needs shots grouped into scenes",
    "has_scene_changes": "needs shots grouped into scenes",
    "has_text_overlay": "needs text recognition",
    "has_special_effects": "needs a judge that sees frames",
    "is_live_action_style": "needs a judge that sees frames",
    "is_animation_style": "needs a judge that sees frames",
    "has_background_music": "no beat steady enough to call music; needs music told from speech and noise",
    "has_slow_motion": "needs a judge that sees frames",
    "has_narration": "needs speech recognition",
    "has_visible_speaker": "needs face landmarks",
}

OPENED = ("is_single_shot", "has_camera_movement", "has_fast_motion", "has_background_music")
"""Attributes that signals may find true. All others wait for a judge or a model."""


def attributes_of(film: VideoEntry, signals: Signals) -> dict[str, Attribute]:
    """All 18 attributes by name, each with its source or the reason why it is unknown."""
    found: dict[str, Attribute] = {}
    for fill in (_shots, _motion, _sound):
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
    names = ("has_dialogue", "has_narration", "has_background_music")
    if why := is_silent(film, signals):
        source = "container" if why == "no sound track" else "audio"
        return [Attribute(id=name, value=False, source=source, reason=why) for name in names]
    audio = signals["audio"]
    if not audio.usable:
        return _unmeasured(audio, *names)
    if (audio.facts.get("tempo_confidence") or 0.0) >= MUSIC_CONFIDENCE:
        return [Attribute(id="has_background_music", value=True, source="audio")]
    return []
