"""Profiles as data: through whose eyes a film is weighed. A profile never changes a checkpoint."""

from __future__ import annotations

import difflib
from functools import cache
from importlib.resources import files
from math import isclose
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, ValidationError, field_validator, model_validator

from ..briefs.decode import read_small_text
from ..briefs.reading import Reading
from ..briefs.tree import NotJson, parse_json, parse_yaml
from ..core.documents import Dimension
from ..core.model import Record, Share
from ..errors import InputError, UsageError

WEIGHED: tuple[Dimension, ...] = ("script", "visual", "audio", "cross_modal")
"""Dimensions that a profile weighs. Stability is reliability of the system, not taste, and stands beside."""

RELEASED_KEYS = {
    "text_story_arc": "script",
    "visual_camera": "visual",
    "audio_emotion": "audio",
    "cross_modal_sync": "cross_modal",
    "text": "script",
    "sync": "cross_modal",
}
"""Names of the weights in the paper's released code and in its text, read as ours."""

SUFFIXES = (".yaml", ".yml", ".json")
MOST_BYTES = 1 << 20


class Constraint(Record):
    """A hard constraint: the checkpoints that decide it, or one item of a report-level metric."""

    checkpoints: tuple[str, ...] = ()
    metric: str | None = None
    item: str | None = None


class Profile(Record):
    """Weights over four dimensions, hard constraints, and traits that shape prompts only.

    ``published`` names the weights (and ``constraints``) that the paper's released code states; the rest
    is ours. ``source`` is ``built in`` or the name of the user's file.
    """

    id: str
    title: str = ""
    weights: dict[Dimension, Share]
    published: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    taste: dict[str, Any] = Field({})
    expertise: Literal["novice", "intermediate", "expert"] | None = None
    style: Literal["casual", "emotional", "narrative", "technical", "precise", "structured"] | None = None
    source: str = "built in"

    @field_validator("weights", mode="before")
    @classmethod
    def _known_names(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        known: list[Any] = [RELEASED_KEYS.get(key, key) for key in value]
        if twice := sorted({name for name in known if known.count(name) > 1}):
            raise ValueError(f"{', '.join(twice)} is weighed twice, under two names")
        return dict(zip(known, value.values(), strict=True))

    @model_validator(mode="after")
    def _sound(self) -> Profile:
        if missing := [d for d in WEIGHED if d not in self.weights]:
            raise ValueError(f"no weight for {', '.join(missing)}")
        if other := [d for d in self.weights if d not in WEIGHED]:
            raise ValueError(f"{', '.join(other)} is not weighed")
        total = sum(self.weights.values())
        if not isclose(total, 1, abs_tol=1e-6):
            raise ValueError(f"weights sum to {total:g}, not 1")
        for name in self.constraints:
            if name not in constraints():
                raise ValueError(f"unknown constraint {name!r}; known are {', '.join(constraints())}")
        return self

    def describe(self) -> dict[str, Any]:
        """Plain values for documents, each weight marked published or ours (``user`` in a user's file)."""
        own = "ours" if self.source == "built in" else "user"
        origin = {k: "published" if k in self.published else own for k in [*WEIGHED, "constraints"]}
        return {**self.model_dump(mode="json", exclude={"published"}), "origin": origin}


@cache
def _data() -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load((files(__package__) / "data" / "profiles.yaml").read_text("utf-8"))
    return data


@cache
def constraints() -> dict[str, Constraint]:
    """All hard constraints by name."""
    return {name: Constraint.model_validate(fields) for name, fields in _data()["constraints"].items()}


@cache
def profiles() -> dict[str, Profile]:
    """The seven profiles and ``neutral``, by id."""
    return {name: Profile(id=name, **fields) for name, fields in _data()["profiles"].items()}


def load_profile(name_or_path: str | Path = "neutral") -> Profile:
    """A built-in profile by id, or one from a YAML or JSON file.

    Raises ``UsageError`` for an unknown name and ``InputError`` for a file that is missing, unreadable or
    contradicts itself.
    """
    text = str(name_or_path)
    if text in profiles():
        return profiles()[text]
    path = Path(name_or_path)
    if path.is_file() or path.suffix.lower() in SUFFIXES:
        return _read(path)
    close = difflib.get_close_matches(text.lower().replace("_", "-"), profiles(), n=1)
    hint = f"Did you mean {close[0]!r}?" if close else f"Known: {', '.join(profiles())}; or give a YAML file."
    raise UsageError(f"Unknown profile {text!r}.", hint=hint)


def _read(path: Path) -> Profile:
    text = read_small_text(path, "profile", MOST_BYTES)
    reading = Reading(path.name)
    try:
        parse = parse_json if path.suffix.lower() == ".json" else parse_yaml
        data = parse(text, reading)
    except NotJson as error:
        raise InputError(
            f"The profile {path} is not readable: {error}", hint="mend the JSON there"
        ) from error
    if reading.notes:
        note = reading.notes[0]
        raise InputError(f"The profile {path} is wrong at {note.path}: {note.message}")
    if not isinstance(data, dict):
        raise InputError(f"The profile {path} should hold named fields such as 'weights'.")
    try:
        return Profile.model_validate({"id": path.stem, **data, "published": [], "source": path.name})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        raise InputError(
            f"The profile {path} is wrong{f' at {where}' if where else ''}: {message}",
            hint=f"Give weights for {', '.join(WEIGHED)} that sum to 1.",
        ) from error
