"""ViMax scripts (HKUDS/ViMax): a story overview and scenes of shots with first frame and video prompt."""

from __future__ import annotations

from typing import Any

from ..core.brief import Brief
from ..errors import InputError
from .build import Draft, build
from .fields import Fields, as_fields
from .shots import shot_fields

CONSISTENCY = {
    "Type A": "one person stays recognisable across many places",
    "Type B": "one place stays the same throughout",
    "Type C": "two people stay recognisable",
}
"""What the three kinds of script ask for, in our words."""


def read_vimax(fields: Fields) -> Brief:
    """Shots in order of scenes: the text is the video prompt, ``extra["first_frame"]`` its first frame."""
    reading = fields.reading
    drafts: list[Draft] = []
    about: dict[str, Any] = {}
    for number, (value, path) in enumerate(fields.items("scenes") or [], 1):
        scene = as_fields(value, path, reading)
        name = scene.text("scene_num", "scene_id", "scene") or str(number)
        for item, place in scene.items("shots") or []:
            shot = as_fields(item, place, reading)
            first_frame = shot.text("first_frame")
            draft = shot_fields(shot)
            draft.scene = name
            if first_frame:
                draft.extra["first_frame"] = first_frame
                draft.text = draft.text or first_frame
            draft.extra.update(shot.rest())
            drafts.append(draft)
        about.update(scene.rest(prefix=f"{path}."))
    _number_by_scene(drafts, fields)
    kind = fields.text("consistency_type")
    extra: dict[str, Any] = {"consistency_type": kind} if kind else {}
    known = {
        "instruction": fields.text("story_overview"),
        "title": fields.text("title"),
        "duration": fields.seconds("duration", "duration_sec"),
        "consistency": [CONSISTENCY[kind]] if kind in CONSISTENCY else [],
    }
    extra.update(about)
    extra.update(fields.rest())
    return build(reading, "vimax", drafts, extra=extra, **known)


def _number_by_scene(drafts: list[Draft], fields: Fields) -> None:
    """Shot numbers that begin again in each scene get the scene's number in front."""
    ids = [draft.id for draft in drafts if draft.id is not None]
    if len(set(ids)) == len(ids):
        return
    fields.reading.note("scenes", "shot ids begin again in each scene; they were read as scene.shot")
    for draft in drafts:
        if draft.id is not None:
            draft.id = f"{draft.scene}.{draft.id}"


def index_error(fields: Fields) -> InputError:
    """ViMax's index lists scripts; it is none itself."""
    stories = fields.value.get("stories") or []
    files = [s["file"] for s in stories if isinstance(s, dict) and isinstance(s.get("file"), str)]
    hint = f"give one of the scripts it names, such as {files[0]}" if files else "give one of the scripts"
    return fields.reading.error("", f"this is an index of {len(stories)} scripts, not a brief", hint=hint)
