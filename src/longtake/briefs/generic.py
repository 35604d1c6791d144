"""Lists of shot prompts (as Long-CODE's), timed captions (as SLVMEval's) and one-object briefs.

A list holds texts or objects; an object may hold such a list under a usual name, beside a title, an
instruction and the other things a Brief knows.
"""

from __future__ import annotations

from typing import Any

from ..core.brief import Act, Brief, Character, Line, SoundWishes
from ..errors import InputError
from .build import build, check_times, line_of
from .fields import Fields, as_fields
from .reading import Reading
from .shots import has_times, shot_from

SHOTS = (
    "shots",
    "prompts",
    "shot_prompts",
    "video_prompts",
    "captions",
    "clips",
    "scenes",
    "segments",
    "storyboard",
    "shot_list",
    "shot_descriptions",
    "planned_shots",
)
PROMPT = (
    "instruction",
    "main_instruction",
    "prompt",
    "global_prompt",
    "story_overview",
    "overview",
    "synopsis",
    "story",
    "logline",
    "text",
    "description",
    "prompt_en",
    "caption",
)
TITLE = ("title", "video_title", "name")
BRIEF_ID = ("id", "sample_id", "video_id", "meta_id", "case")
TOTAL = (
    "duration",
    "duration_sec",
    "duration_seconds",
    "duration_s",
    "target_duration",
    "total_duration",
)


def read_list(items: list[Any], reading: Reading, path: str = "") -> Brief:
    """A list of shots, each a text or an object."""
    drafts = [shot_from(item, f"{path}[{i}]", reading) for i, item in enumerate(items)]
    return build(reading, _source(items), drafts)


def _source(items: list[Any]) -> str:
    return "captions" if any(has_times(item) for item in items) else "shot-list"


def read_object(fields: Fields) -> Brief:
    """One object: an instruction, planned shots, or both."""
    reading = fields.reading
    listed = _shot_list(fields)
    drafts = [shot_from(item, path, reading) for item, path in listed]
    return build(
        reading,
        _source([item for item, _ in listed]) if drafts else "prompt",
        drafts,
        id=fields.text(*BRIEF_ID),
        title=fields.text(*TITLE),
        instruction=fields.text(*PROMPT),
        language=fields.text("language", "lang"),
        video_type=fields.text("video_type", "genre"),
        duration=fields.seconds(*TOTAL),
        lines=_lines(fields),
        acts=_acts(fields),
        characters=characters_of(fields),
        consistency=fields.strings("consistency", "consistency_requirements"),
        camera=fields.strings("camera", "camera_requirements"),
        sound=_sound(fields),
        extra=fields.rest(),
    )


def _shot_list(fields: Fields) -> list[tuple[Any, str]]:
    """The shots' places. Scenes that hold shots are opened; a mapping of shots counts in its order."""
    found = fields.take(*SHOTS)
    if found is None:
        return []
    value, path = found
    if isinstance(value, dict):
        fields.reading.note(path, "an object was read as a list of shots, in its order")
        return [(_with_id(item, key), f"{path}.{key}") for key, item in value.items()]
    if not isinstance(value, list):
        raise _not_a_list(fields.reading, path)
    opened: list[tuple[Any, str]] = []
    for i, item in enumerate(value):
        inner = item.get("shots") if isinstance(item, dict) else None
        if not isinstance(inner, list):
            opened.append((item, f"{path}[{i}]"))
            continue
        scene = as_fields(item, f"{path}[{i}]", fields.reading)
        scene.take("shots")
        name = scene.text("scene", "scene_num", "scene_id", "title", "name", "id") or str(i + 1)
        scene.rest()
        for j, shot in enumerate(inner):
            opened.append((_with_scene(shot, name), f"{path}[{i}].shots[{j}]"))
    return opened


def _not_a_list(reading: Reading, path: str) -> InputError:
    return reading.error(path, "must be a list of shots")


def _with_id(item: Any, key: str) -> Any:
    return {"id": key, **item} if isinstance(item, dict) else {"id": key, "text": item}


def _with_scene(item: Any, scene: str) -> Any:
    return {"scene": scene, **item} if isinstance(item, dict) else {"scene": scene, "text": item}


def _lines(fields: Fields) -> list[Line]:
    """Lines that are said, each with its times, in their order."""
    drafts = [shot_from(item, path, fields.reading) for item, path in fields.items("lines") or []]
    for draft in drafts:
        check_times(draft, fields.reading)
        if isinstance(speaker := draft.extra.pop("speaker", None), str):
            draft.characters = [speaker]
        if draft.start is None or draft.end is None:
            hint = "words without a time go into the dialogue or narration of a shot"
            raise fields.reading.error(draft.path, "a line that is said needs start and end", hint=hint)
    return [line_of(draft) for draft in sorted(drafts, key=lambda d: (d.start, d.end))]


def _acts(fields: Fields) -> list[Act]:
    found = fields.take("acts", "story_arc")
    if found is None:
        return []
    return acts_of(*found, fields.reading)


def acts_of(value: Any, path: str, reading: Reading) -> list[Act]:
    """Acts from an object of name and text, a list of texts, or a list of objects."""
    from .fields import as_text

    if isinstance(value, dict):
        pairs = [
            (key, as_text(item, f"{path}.{key}", reading)) for key, item in value.items() if item is not None
        ]
        return [Act(name=key, text=text) for key, text in pairs]
    acts = []
    for i, item in enumerate(value if isinstance(value, list) else [value]):
        place = f"{path}[{i}]"
        name, text = f"act {i + 1}", item
        if isinstance(item, dict) and "text" in item:
            name, text = str(item.get("name") or name), item["text"]
        acts.append(Act(name=name, text=as_text(text, place, reading)))
    return acts


def characters_of(fields: Fields) -> list[Character]:
    """Characters from texts, objects with a name, or an object of name and description."""
    from .fields import as_text

    found = fields.take("characters", "protagonists", "cast")
    if found is None:
        return []
    value, path = found
    if isinstance(value, dict):
        return [
            Character(name=key, description=as_text(item, f"{path}.{key}", fields.reading))
            for key, item in value.items()
            if item is not None
        ]
    people = []
    for i, item in enumerate(value if isinstance(value, list) else [value]):
        place = f"{path}[{i}]"
        if isinstance(item, dict):
            inner = as_fields(item, place, fields.reading)
            name = inner.text("name", "id", "character")
            if name is None:
                raise fields.reading.error(place, "a character needs a name")
            description = inner.text("description", "appearance", "text") or ""
            inner.rest()
            people.append(Character(name=name, description=description))
        else:
            people.append(Character(name=as_text(item, place, fields.reading)))
    return people


def _sound(fields: Fields) -> SoundWishes:
    from .directorbench import sound_wishes

    inner = (
        fields.value.get("sound")
        if isinstance(fields.value.get("sound"), dict)
        else fields.value.get("audio")
    )
    if not isinstance(inner, dict):
        return SoundWishes()
    found = fields.object("sound", "audio")
    return SoundWishes() if found is None else sound_wishes(found)
