"""Demands of a profile that a brief is against, as complex camera movements where every frame is still.

The brief's facts come first: such a demand is made for what the brief leaves open, and a note says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..core.brief import Brief
from ..diagnosis.profiles import Profile
from .language import Against, Language
from .words import flat, phrase_pattern, sentences

NAMES = {
    "complex_camera_movements": ("a still camera", "complex camera movements"),
    "emotional_music": ("no music", "music that carries emotion"),
}
"""What a brief asks for that is against a demand, and the demand, in words of a note."""
_PART = re.compile(r"[,;:.!?،؛。，、；：।]\s*")


def against(brief: Brief, language: Language) -> dict[str, tuple[str, ...]]:
    """The demands that a brief is against, with the places in it that say so.

    What is said of one shot counts: there the demand cannot be met.
    """
    found = {}
    for name, demand in language.against.items():
        said = _camera(brief) if name == "complex_camera_movements" else _music(brief)
        if places := [place for place, text in said if _says(text, demand, language)]:
            found[name] = tuple(places)
    return found


def notes(profile: Profile, found: Mapping[str, tuple[str, ...]]) -> list[str]:
    """A sentence for each demand of a profile that a brief is against."""
    told = []
    for name in profile.constraints:
        if name in found:
            wish, demand = NAMES[name]
            told.append(
                f"the brief asks for {wish} ({_some(found[name])}) and the profile demands {demand}: the "
                "brief goes first, and the demand is made for what it leaves open"
            )
    return told


def _camera(brief: Brief) -> Iterator[tuple[str, str]]:
    yield from ((f"camera wish {n}", text) for n, text in enumerate(brief.camera, 1))
    yield from ((f"shot {n}", shot.camera or "") for n, shot in enumerate(brief.shots, 1))


def _music(brief: Brief) -> Iterator[tuple[str, str]]:
    yield "music", brief.sound.music or ""
    for sentence in sentences(flat(brief.instruction or "")):
        yield "instruction", sentence


def _says(text: str, demand: Against, language: Language) -> bool:
    """Whether one of its words stands in a text, and is not denied there (``never static``)."""
    for part in _PART.split(flat(text)):
        for phrase in demand.words:
            match = phrase_pattern(phrase, language.spaced).search(part)
            if match and not _denied(part[: match.start()], language):
                return True
        for phrase in demand.last:
            match = re.search(rf"{phrase_pattern(phrase, language.spaced).pattern}$", part, re.IGNORECASE)
            if match and not _denied(part[: match.start()], language):
                return True
    return False


def _denied(before: str, language: Language) -> bool:
    words = before.casefold().split()
    return language.spaced and bool(words) and words[-1] in language.degree


def _some(places: tuple[str, ...]) -> str:
    shots = [place.removeprefix("shot ") for place in places if place.startswith("shot ")]
    others = [place for place in dict.fromkeys(places) if not place.startswith("shot ")]
    if shots:
        others.append(("shots " if len(shots) > 1 else "shot ") + ", ".join(shots))
    return "; ".join(others)
