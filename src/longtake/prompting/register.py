"""How somebody of a profile speaks: what counts most, what is demanded, style and expertise."""

from __future__ import annotations

from collections.abc import Collection

from ..core.documents import Dimension
from ..diagnosis.profiles import WEIGHED, Profile
from .language import WARM, Against, Demand, Language, Level, Style

FOCUS_OF: dict[Dimension, str] = {
    "script": "story",
    "visual": "picture",
    "audio": "sound",
    "cross_modal": "sync",
}
"""What a profile without a focus of its own cares for, by its largest weight."""
CONSTRAINT_IN: dict[str, Dimension] = {
    "strong_three_act_arc": "script",
    "causal_logic": "script",
    "complex_camera_movements": "visual",
    "beautiful_lighting": "visual",
    "perfect_lip_sync": "cross_modal",
    "text_matches_picture": "cross_modal",
    "emotional_music": "audio",
    "audible_speech": "audio",
}
"""Where a hard constraint is said: beside what it is about."""
EQUAL_SHARE = 0.25
"""A dimension with at least an equal share of the weight is told in detail, as room allows."""


def order_of(profile: Profile) -> list[Dimension]:
    """The dimensions by their weight, the largest first."""
    return sorted(WEIGHED, key=lambda d: -profile.weights[d])


def style_of(profile: Profile) -> Style:
    """The style of a profile; one that has none is told as a narrative."""
    return profile.style or "narrative"


def level_of(profile: Profile) -> Level:
    """The expertise of a profile; intermediate where it does not say."""
    return profile.expertise or "intermediate"


def focus(profile: Profile, language: Language) -> str:
    """What a profile cares for, and its tastes, as sentences; empty where it has none."""
    name = profile.taste.get("focus")
    if name not in language.focus:
        first = order_of(profile)[0]
        name = FOCUS_OF[first] if profile.weights[first] > EQUAL_SHARE else None
    tastes = [text for taste, text in language.taste.items() if profile.taste.get(taste) is True]
    return language.marks.gap.join([*([language.focus[name]] if name else []), *tastes])


def demand(profile: Profile, constraint: str, language: Language, against: Collection[str] = ()) -> str:
    """A hard constraint of a profile as a sentence in its register; of those in ``against``, the one for what
    a brief leaves open."""
    sentence: Demand | Against = language.constraints[constraint]
    if constraint in against:
        sentence = language.against[constraint]
    warm = style_of(profile) in WARM or level_of(profile) == "novice"
    return sentence.warm if warm else sentence.exact
