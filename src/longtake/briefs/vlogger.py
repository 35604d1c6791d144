"""Vlogger's scripts (zhuangshaobin/Vlogger): JSON lists by fragment number, one file per kind.

The kinds of two parts (what is seen, what is said) differ only in the name of their file, so the folder is
joined by the ends of the names; a part alone is read by its content.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..core.brief import Brief, Character
from ..core.video import display_path
from .build import Draft, build
from .decode import file_bytes, text_of
from .fields import Fields, as_fields, normal
from .reading import JSON_HINT, SAME_ID, Reading
from .times import kind
from .tree import NotJson, parse_json, unfenced

PARTS = (  # longest ends first: "zh_video_prompts" ends in "video_prompts" too
    "protagonist_place_reference.txt",
    "protagonists_places.txt",
    "zh_video_prompts.txt",
    "video_prompts.txt",
    "audio_prompts.txt",
    "time_scripts.txt",
    "story.txt",
)
NUMBER = ("video_fragment_id", "video_segment_id", "序号")
TEXT = ("video_fragment_description", "video_segment_description", "描述")
REFERENCE = "character_place_id"


def is_part(items: list[Any]) -> bool:
    """Whether a list has Vlogger's keys."""
    return bool(items) and all(
        isinstance(item, dict) and {normal(k) for k in item} & set(NUMBER) for item in items
    )


def is_cast(items: list[Any]) -> bool:
    """Whether a list names people and places: objects of id, name and description only."""
    return bool(items) and all(
        isinstance(item, dict) and {normal(k) for k in item} == {"id", "name", "description"}
        for item in items
    )


def read_part(items: list[Any], reading: Reading) -> Brief:
    """One part alone: texts, lengths, or who is in which fragment."""
    rows = _rows(items, reading)
    drafts = []
    for number, fields in rows:
        draft = Draft(fields.path, id=number, text=fields.text(*TEXT) or "", duration=fields.seconds("time"))
        who = fields.take(REFERENCE)
        if who is not None:
            draft.extra["character/place id"] = who[0]
        draft.extra.update(fields.rest())
        drafts.append(draft)
    chinese = any("描述" in item for item in items if isinstance(item, dict))
    return build(reading, "vlogger", drafts, language="zh" if chinese else None)


def read_cast(items: list[Any], reading: Reading) -> Brief:
    """The list of people and places alone."""
    return build(reading, "vlogger", [], characters=list(_cast(items, reading).values()))


def _rows(items: Any, reading: Reading) -> list[tuple[str, Fields]]:
    if not isinstance(items, list):
        raise reading.error("", f"must be a list of fragments, not {kind(items)}")
    rows: list[tuple[str, Fields]] = []
    seen: dict[str, str] = {}
    for i, item in enumerate(items):
        fields = as_fields(item, f"[{i}]", reading)
        number = fields.text(*NUMBER)
        if number is None:
            raise reading.error(fields.path, "has no fragment number")
        if number in seen:
            message = f"has the number {number} of {seen[number]}"
            raise reading.error(fields.path, message, hint=SAME_ID)
        seen[number] = fields.path
        rows.append((number, fields))
    return rows


def _cast(items: Any, reading: Reading) -> dict[str, Character]:
    if not isinstance(items, list):
        raise reading.error("", f"must be a list of people and places, not {kind(items)}")
    cast: dict[str, Character] = {}
    for i, item in enumerate(items):
        fields = as_fields(item, f"[{i}]", reading)
        name = fields.text("name")
        if name is None:
            raise reading.error(fields.path, "has no name")
        number = fields.text("id") or str(i + 1)
        if number in cast:
            message = f"has the id {number} of {cast[number].name}"
            raise reading.error(fields.path, message, hint=SAME_ID)
        cast[number] = Character(name=name, description=fields.text("description") or "")
        fields.rest()
    return cast


def find_parts(folder: Path) -> dict[str, Path]:
    """Files of a folder by the kind that their names end in; two of one kind are listed as ``kind#2``."""
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        part = next((end for end in PARTS if path.name == end or path.name.endswith(f"_{end}")), None)
        if part and path.is_file():
            found[part if part not in found else f"{part}#2"] = path
    return found


def read_folder(folder: Path, reading: Reading) -> Brief:
    """The parts of one script, joined by fragment number.

    Raises:
        InputError: the folder has no such parts, or those of two scripts.
    """
    try:
        parts = find_parts(folder)
    except OSError as error:
        raise reading.error("", f"this folder cannot be read ({error.strerror or error})") from None
    hint = "a folder is read as a Vlogger script: video_prompts.txt, time_scripts.txt, audio_prompts.txt"
    if not any(part in parts for part in ("video_prompts.txt", "zh_video_prompts.txt", "time_scripts.txt")):
        raise reading.error("", "is a folder without the parts of a script", hint=hint)
    if double := next((p for p in parts if p.endswith("#2")), None):
        raise reading.error(parts[double].name, "is a second part of its kind; keep one script per folder")
    others = [p.name for p in sorted(folder.iterdir()) if p not in parts.values()]
    if others:
        reading.note("", f"{len(others)} other files in the folder were not read, such as {others[0]}")
    return _joined(parts, reading)


def _joined(parts: dict[str, Path], reading: Reading) -> Brief:
    seen = {part: _part(path, reading) for part, path in parts.items()}
    inside = {
        part: Reading(display_path(path.name), folder=True, notes=reading.notes)
        for part, path in parts.items()
    }
    main = next(p for p in ("video_prompts.txt", "zh_video_prompts.txt", "time_scripts.txt") if p in parts)
    drafts: dict[str, Draft] = {}
    for number, fields in _rows(seen[main], inside[main]):
        place = f"{parts[main].name}{fields.path}"
        drafts[number] = Draft(
            place, id=number, text=fields.text(*TEXT) or "", duration=fields.seconds("time")
        )
        drafts[number].extra.update(fields.rest())
    cast: dict[str, Character] = {}
    if "protagonists_places.txt" in parts:
        cast = _cast(seen["protagonists_places.txt"], inside["protagonists_places.txt"])
    extra: dict[str, Any] = {}
    for part in (
        "time_scripts.txt",
        "audio_prompts.txt",
        "zh_video_prompts.txt",
        "protagonist_place_reference.txt",
    ):
        if part not in parts or part == main:
            continue
        for number, fields in _rows(seen[part], inside[part]):
            place = f"{parts[part].name}{fields.path}"
            if number not in drafts:
                reading.note(
                    place, f"fragment {number} is not in {parts[main].name}; kept in extra", "warning"
                )
                extra[place] = fields.value
                continue
            _add(part, fields, drafts[number], cast)
            drafts[number].extra.update(fields.rest())
    story = _story(parts, reading)
    return build(
        reading,
        "vlogger",
        list(drafts.values()),
        instruction=story,
        characters=list(cast.values()),
        extra=extra,
        language="zh" if main == "zh_video_prompts.txt" else None,
    )


def _add(part: str, fields: Fields, draft: Draft, cast: dict[str, Character]) -> None:
    if part == "time_scripts.txt":
        draft.duration = fields.seconds("time")
    elif part == "audio_prompts.txt":
        draft.narration = fields.text(*TEXT)
    elif part == "zh_video_prompts.txt":
        draft.extra["text_zh"] = fields.text(*TEXT)
    else:
        for number in fields.strings(REFERENCE):
            if number in cast:
                draft.characters.append(cast[number].name)
            elif number != "0":  # 0 stands for nobody
                draft.extra.setdefault("character/place id", []).append(number)


def _part(path: Path, reading: Reading) -> Any:
    if path.name.endswith("story.txt"):
        return None
    inner = Reading(display_path(path.name), folder=True, notes=reading.notes)
    try:
        return parse_json(unfenced(text_of(file_bytes(path), inner), inner), inner)
    except NotJson as error:
        place = str(error).split(":")[0]
        raise inner.error(place, f"not readable JSON ({error})", hint=JSON_HINT) from None


def _story(parts: dict[str, Path], reading: Reading) -> str | None:
    path = parts.get("story.txt")
    if path is None:
        return None
    inner = Reading(display_path(path.name), folder=True, notes=reading.notes)
    return text_of(file_bytes(path), inner).strip() or None
