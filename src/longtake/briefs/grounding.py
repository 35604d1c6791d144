"""Which checkpoints a brief gives something to judge by: the table ``data/grounding.yaml`` and its rules."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from ..core.brief import Brief
from .languages import letter_count, words_of

LEAST_DESCRIPTION = 8
"""Letters that describe somebody at least (in Chinese eight are a clause)."""
STEM = 4
"""First letters by which a sound and what is seen are taken for the same thing: ``hammering``, ``hammer``."""


@dataclass(frozen=True)
class Ground:
    """What one checkpoint needs of a brief, in words and as rules with their numbers."""

    what: str
    needs: tuple[tuple[str, Any], ...]


@cache
def _data() -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load((files(__package__) / "data" / "grounding.yaml").read_text("utf-8"))
    return data


@cache
def grounding_table() -> Mapping[str, Ground]:
    """Checkpoint to its ground, in the order of the table."""
    return {
        id_: Ground(entry["what"], tuple(pair for need in entry["needs"] for pair in need.items()))
        for id_, entry in _data()["checkpoints"].items()
    }


def is_grounded(brief: Brief, checkpoint: str) -> bool:
    """Whether the brief has all that the checkpoint needs. Raises ``KeyError`` for an unknown checkpoint."""
    return all(_holds(brief, rule, asked) for rule, asked in grounding_table()[checkpoint].needs)


def grounded(briefs: Sequence[Brief]) -> dict[str, int]:
    """How many of the briefs ground each checkpoint."""
    return {id_: sum(is_grounded(brief, id_) for brief in briefs) for id_ in grounding_table()}


def _holds(brief: Brief, rule: str, asked: Any) -> bool:
    if rule == "words":
        name, part, least = asked
        return sum(_has_word(text, name, brief.language) for text in PARTS[part](brief)) >= least
    return COUNTS[rule](brief) >= asked


def _has_word(text: str, name: str, language: str | None) -> bool:
    pattern = _pattern(name, language or "en")
    return pattern is not None and pattern.search(unicodedata.normalize("NFC", text).lower()) is not None


@cache
def _pattern(name: str, language: str) -> re.Pattern[str] | None:
    entries = _data()["words"][name].get(language)
    if not entries:
        return None
    words = [unicodedata.normalize("NFC", str(word)).lower() for word in entries]
    begins = r"\b" if unicodedata.name(words[0][0], "").startswith("LATIN") else ""
    return re.compile(begins + "(?:" + "|".join(map(re.escape, words)) + ")")


def _scene_runs(brief: Brief) -> list[str]:
    """The scenes in their order, each stay once."""
    scenes = [shot.scene for shot in brief.shots if shot.scene]
    return [scene for i, scene in enumerate(scenes) if i == 0 or scene != scenes[i - 1]]


def _returning_scenes(brief: Brief) -> int:
    runs = _scene_runs(brief)
    return sum(runs.count(scene) > 1 for scene in set(runs))


def _lit_scenes(brief: Brief) -> int:
    lit = [shot.scene for shot in brief.shots if shot.scene and shot.lighting]
    return sum(lit.count(scene) > 1 for scene in set(lit))


def _returning_people(brief: Brief) -> int:
    seen = [name for shot in brief.shots for name in set(shot.characters)]
    return sum(seen.count(person.name) > 1 for person in brief.characters)


def _echoed_effects(brief: Brief) -> int:
    """Sound effects that share a word with what a shot shows."""
    shown = {key for shot in brief.shots for key in _keys(shot.text)}
    return sum(bool(_keys(effect) & shown) for effect in brief.sound.sound_effects)


def _keys(text: str) -> set[str]:
    keys = set()
    for word in words_of(text):
        if unicodedata.name(word[0], "").startswith(("CJK", "HIRAGANA", "KATAKANA", "HANGUL")):
            keys |= {word[i : i + 2] for i in range(len(word) - 1)}
        elif len(word) >= STEM:
            keys.add(word[:STEM])
    return keys


def _lines(brief: Brief) -> int:
    return sum(bool(shot.dialogue or shot.narration) for shot in brief.shots)


COUNTS: Mapping[str, Callable[[Brief], float]] = {
    "people": lambda b: len(b.characters),
    "described_people": lambda b: sum(letter_count(p.description) >= LEAST_DESCRIPTION for p in b.characters),
    "returning_people": _returning_people,
    "shots": lambda b: sum(bool(s.text) for s in b.shots),
    "timed_shots": lambda b: sum(s.start is not None and s.end is not None for s in b.shots),
    "scenes": lambda b: len(set(_scene_runs(b))),
    "returning_scenes": _returning_scenes,
    "lit_scenes": _lit_scenes,
    "acts": lambda b: sum(bool(act.text) for act in b.acts),
    "instruction": lambda b: bool(b.instruction),
    "consistency": lambda b: len(b.consistency),
    "cameras": lambda b: len({s.camera for s in b.shots if s.camera}),
    "film_cameras": lambda b: len(b.camera),
    "dialogue": lambda b: sum(bool(s.dialogue) for s in b.shots),
    "spoken_by_seen": lambda b: sum(bool(s.dialogue and s.characters) for s in b.shots),
    "lines": _lines,
    "music": lambda b: bool(b.sound.music),
    "tone": lambda b: bool(b.sound.tone),
    "effects": lambda b: len(b.sound.sound_effects),
    "echoed_effects": _echoed_effects,
    "seconds": lambda b: b.planned_duration or 0.0,
}
"""Rules of the table that count something in the brief."""
PARTS: Mapping[str, Callable[[Brief], list[str]]] = {
    "people": lambda b: [p.description for p in b.characters],
    "shots": lambda b: [s.text for s in b.shots],
    "pictures": lambda b: [f"{s.scene or ''} {s.text} {s.lighting or ''}" for s in b.shots],
    "cameras": lambda b: [s.camera or "" for s in b.shots],
    "lights": lambda b: [s.lighting or "" for s in b.shots],
    "consistency": lambda b: list(b.consistency),
    "music": lambda b: [b.sound.music or ""],
    "effects": lambda b: list(b.sound.sound_effects),
}
"""Parts of a brief that a list of words is looked for in, place by place."""
