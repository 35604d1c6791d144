"""Stage 2: which checkpoints a film's content switches on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..core.documents import Attribute, VideoEntry
from ..core.measurement import Status
from ..core.signal import Signals
from .attributes import has_speech
from .facts import Facts
from .rubric import SOUND_TRACK, SPEECH, Checkpoint


@dataclass(frozen=True)
class Activation:
    """``status`` is ``scored`` for an active checkpoint, which may now be scored; else why it is not.

    ``unknown`` names the attributes that would have to be known.
    """

    status: Status
    reason: str | None = None
    unknown: tuple[Attribute, ...] = ()


def gate_attributes(
    film: VideoEntry, attributes: Mapping[str, Attribute], signals: Signals
) -> dict[str, Attribute]:
    """The attributes and, beside them, whether there is a sound track and whether somebody speaks at all."""
    reason = None if film.audio else "no sound track"
    sound = Attribute(id=SOUND_TRACK, value=film.audio, source="container", reason=reason)
    return {**attributes, SOUND_TRACK: sound, SPEECH: has_speech(film, signals)}


def activate(point: Checkpoint, gates: Mapping[str, Attribute]) -> Activation:
    """Active if all gates are open, not applicable if one is shut, unscored (``gate_unknown``) otherwise."""
    unknown: list[Attribute] = []
    for name in (*point.gates, *point.our_gates):
        ways = [gates[n] for n in (name, *point.alternatives.get(name, ()))]
        if any(a.value for a in ways):
            continue
        if all(a.value is not None for a in ways):
            why = f" ({ways[0].reason})" if ways[0].reason else ""
            return Activation("not_applicable", f"{name} is false{why}")
        unknown += [a for a in ways if a.value is None]
    # A later gate that is shut decides, so unknown ones are only told after all have been looked at.
    if unknown:
        what = "; ".join(f"{a.id} {a.reason or 'is unknown'}" for a in unknown)
        return Activation("unscored", f"gate_unknown: {what}", tuple(unknown))
    return Activation("scored")


def missing_requirements(facts: Facts, gates: Mapping[str, Attribute]) -> list[str]:
    """What the brief asks for and the film certainly lacks, so that leaving it out is not rewarded.

    The gated checkpoint is off; the item counts against ``user_requirement_consistency``. What a part lacks
    the rest of the film may have, unless there is no sound track at all.
    """
    brief = facts.brief
    if brief is None or (facts.is_part and facts.film.audio):
        return []
    wish = brief.sound
    asked = {
        "has_dialogue": wish.dialogue or any(s.dialogue for s in brief.shots),
        "has_narration": wish.narration or any(s.narration for s in brief.shots),
        "has_background_music": bool(wish.music),
        SOUND_TRACK: bool(wish.sound_effects),
    }
    names = {
        "has_dialogue": "dialogue",
        "has_narration": "narration",
        "has_background_music": "music",
        SOUND_TRACK: "sound effects",
    }
    return [
        f"{names[gate]} asked for: {gates[gate].reason or 'there is none'}"
        for gate, wanted in asked.items()
        if wanted and gates[gate].value is False
    ]
