"""Files that hold many briefs: prompt suites (StoryEval, VBench-2.0, FETV) and lists of metadata.

Such a file is no brief; one of its entries is, and ``FILE#KEY`` names it.
"""

from __future__ import annotations

from typing import Any

from ..core.brief import Act, Brief
from .build import build
from .fields import Fields, normal
from .reading import Reading

PROMPT = ("prompt", "prompt_en", "main_instruction", "instruction")
MARKS = {"dimension", "auxiliary_info", "event_list", "class", "major_content", "attribute_control",
         "prompt_complexity", "video_url"}  # fmt: skip
"""Keys that only entries of prompt suites have."""
WHOLE = {"modality_details", "shot_descriptions", "story_overview"}
"""Keys that only whole briefs have."""
KEYS = ("meta_id", "sample_id", "video_id", "id", "name")


def entries_of(value: Any) -> list[tuple[str, Any, str]] | None:
    """Key, entry and place of each entry, or ``None`` where the value is one brief."""
    if isinstance(value, dict) and value and all(_is_entry(item, marked=False) for item in value.values()):
        return [(key, item, key) for key, item in value.items()]
    if isinstance(value, list) and value and all(_is_entry(item, marked=True) for item in value):
        keys = [_key(item) for item in value]
        unique = None not in keys and len(set(keys)) == len(keys)
        return [(str(keys[i]) if unique else str(i), item, f"[{i}]") for i, item in enumerate(value)]
    return None


def _is_entry(item: Any, *, marked: bool) -> bool:
    if not isinstance(item, dict):
        return False
    names = {normal(key) for key in item}
    if names & WHOLE or str(item.get("schema", "")).startswith("longtake.brief/"):
        return True
    return bool(names & set(PROMPT)) and (not marked or bool(names & MARKS))


def _key(item: dict[str, Any]) -> str | None:
    return next((str(item[key]) for key in KEYS if isinstance(item.get(key), str | int)), None)


def select(entries: list[tuple[str, Any, str]], key: str | None, reading: Reading) -> tuple[Any, str]:
    """The entry that ``key`` names: by its key, its key without the file ending, or its number from 0.

    Raises:
        InputError: no key was given and there are several entries, or none has it.
    """
    if key is None:
        if len(entries) == 1:
            return entries[0][1], entries[0][2]
        raise reading.error("", f"this file holds {len(entries)} prompts", hint=_hint(entries, reading))
    named = [e for e in entries if key == e[0]] or [e for e in entries if key == e[0].rsplit(".", 1)[0]]
    named = named or [e for e in entries if key == _key(e[1])]
    if len(named) > 1:
        raise reading.error(
            "", f"has {len(named)} prompts called {key[:80]!r}", hint="choose one by its number"
        )
    if named:
        return named[0][1], named[0][2]
    if key.isdecimal() and int(key) < len(entries):
        return entries[int(key)][1], entries[int(key)][2]
    raise reading.error(
        "", f"has no prompt {key[:80]!r} among its {len(entries)}", hint=_hint(entries, reading)
    )


def _hint(entries: list[tuple[str, Any, str]], reading: Reading) -> str:
    name = reading.name
    return f"choose one with FILE#KEY, such as {name}#{entries[0][0]} (or by number from 0, {name}#0)"


def is_suite_entry(value: Any) -> bool:
    """Whether one entry is a prompt with the marks of a suite."""
    return (
        isinstance(value, dict) and _is_entry(value, marked=True) and not {normal(k) for k in value} & WHOLE
    )


def read_entry(fields: Fields) -> Brief:
    """One prompt of a suite. The events it lists happen inside the film and are no planned shots: acts."""
    acts: list[Act] = []
    for name in ("event_list", "auxiliary_info"):
        value = fields.value.get(name)
        if not acts and isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            acts = [Act(name=f"event {i + 1}", text=text) for i, text in enumerate(fields.strings(name))]
    return build(
        fields.reading,
        "prompt-suite",
        [],
        id=fields.text("video_id", "id", "meta_id"),
        instruction=fields.text(*PROMPT),
        duration=fields.seconds("duration", "duration_sec", "duration_seconds"),
        acts=acts,
        extra=fields.rest(),
    )
