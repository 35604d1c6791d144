"""A planned shot from whatever a list holds: text, or an object with the usual names."""

from __future__ import annotations

from typing import Any

from .build import Draft
from .fields import Fields, normal
from .reading import Reading
from .times import kind, seconds

TEXT = (
    "text",
    "caption",
    "description",
    "prompt",
    "video_prompt",
    "shot_prompt",
    "content",
    "action",
    "shot_description",
    "video_fragment_description",
    "scene_description",
    "prompt_en",
    "visual",
    "描述",
)
START = (
    "start",
    "start_time",
    "start_sec",
    "start_s",
    "start_seconds",
    "start_time_seconds",
    "begin",
    "开始",
)
END = (
    "end",
    "end_time",
    "end_sec",
    "end_s",
    "end_seconds",
    "end_time_seconds",
    "stop",
    "结束",
)
DURATION = (
    "duration",
    "duration_sec",
    "duration_seconds",
    "duration_s",
    "时长",
)
SPAN = ("timestamp", "timestamps", "span", "time_range", "time_span")
PERHAPS_SPAN = ("segment", "time")
PERHAPS_DURATION = ("length", "seconds")
ID = (
    "id",
    "shot_id",
    "clip_id",
    "scene_id",
    "shot_index",
    "shot_num",
    "shot_number",
    "video_fragment_id",
    "序号",
    "number",
    "no",
)
SCENE = ("scene", "scene_title", "scene_num", "scene_name", "location", "place")
CAMERA = ("camera", "camera_movement", "camera_motion", "camera_type")
SHOT_TYPE = ("shot_type", "shot_size", "framing")
LIGHTING = ("lighting", "light")
CHARACTERS = ("characters", "character", "people", "cast")
DIALOGUE = ("dialogue", "dialog", "dialogues", "lines", "speech")
NARRATION = ("narration", "voiceover", "voice_over", "narrator")


def shot_from(value: Any, path: str, reading: Reading) -> Draft:
    """A draft of one shot; unknown keys go to its ``extra``.

    Raises:
        InputError: it is neither text nor an object, or a known key has a wrong type.
    """
    if isinstance(value, str):
        return Draft(path, text=value.strip())
    if not isinstance(value, dict):
        raise reading.error(path, f"a shot must be text or an object, not {kind(value)}")
    fields = Fields(value, path, reading)
    draft = shot_fields(fields)
    draft.extra.update(fields.rest())
    return draft


def shot_fields(fields: Fields) -> Draft:
    """A draft of the known keys, taken out of ``fields``."""
    draft = Draft(fields.path)
    _caption_object(fields, draft)
    draft.id = fields.text(*ID)
    draft.text = fields.text(*TEXT) or draft.text
    _times(fields, draft)
    draft.scene = fields.text(*SCENE) or draft.scene
    draft.camera = camera_of(fields) or draft.camera
    draft.lighting = fields.text(*LIGHTING)
    draft.characters = fields.strings(*CHARACTERS)
    draft.dialogue = fields.text(*DIALOGUE)
    draft.narration = fields.text(*NARRATION)
    _shot_key(fields, draft)
    if not draft.text and draft.scene and not draft.scene.isdecimal():
        draft.text = draft.scene
    return draft


def _shot_key(fields: Fields, draft: Draft) -> None:
    """``shot`` is a number in some lists and the description in others."""
    value = fields.peek("shot")
    if not isinstance(value, str | int) or isinstance(value, bool):
        return
    number = str(value).strip().isdecimal()
    if number and draft.id is None:
        draft.id = fields.text("shot")
    elif not number and not draft.text:
        draft.text = fields.text("shot") or ""


def camera_of(fields: Fields) -> str | None:
    """Shot size and camera movement in one line."""
    parts = [fields.text(*SHOT_TYPE), fields.text(*CAMERA)]
    return "; ".join(part for part in parts if part) or None


def _caption_object(fields: Fields, draft: Draft) -> None:
    """Vript writes the caption as an object of its own: content, shot type, camera movement, scene title."""
    if not isinstance(fields.value.get("caption"), dict):
        return
    inner = fields.object("caption")
    if inner is None:
        return
    draft.text = inner.text(*TEXT) or ""
    draft.camera = camera_of(inner)
    draft.scene = inner.text(*SCENE)
    draft.extra.update(inner.rest(prefix="caption."))


def _times(fields: Fields, draft: Draft) -> None:
    draft.start = _millis(fields, START, "start")
    draft.end = _millis(fields, END, "end")
    draft.duration = _millis(fields, DURATION, "duration")
    if draft.duration is None:
        draft.duration = fields.perhaps_seconds(*PERHAPS_DURATION)
    if draft.start is not None or draft.end is not None:
        return
    found = fields.take(*SPAN)
    if found is not None:
        draft.start, draft.end = _span(*found, fields.reading)
        return
    for name in PERHAPS_SPAN:  # "time" may be dawn, "segment" a number: only a pair is taken
        if isinstance(fields.peek(name), list) and (found := fields.take(name)) is not None:
            draft.start, draft.end = _span(*found, fields.reading)
            return


def _span(value: Any, path: str, reading: Reading) -> tuple[float, float | None]:
    """Start and end of a pair or of ``start - end``; one time alone is a start."""
    if isinstance(value, str):
        pieces = [p for p in value.replace("-->", "-").replace("–", "-").split("-") if p.strip()]
        value = pieces if len(pieces) > 1 else value
    try:
        if not isinstance(value, list):
            start = seconds(value)
            reading.note(path, "one time was read as the start of the shot")
            return start, None
        if len(value) != 2:
            raise ValueError(f"must be a start and an end, not {len(value)} values")
        return seconds(value[0]), seconds(value[1])
    except ValueError as error:
        raise reading.error(path, str(error)) from None


def _millis(fields: Fields, names: tuple[str, ...], stem: str) -> float | None:
    if fields.has(*names):
        return fields.seconds(*names)
    value = fields.seconds(f"{stem}_ms", f"{stem}_milliseconds")
    return None if value is None else value / 1000


def has_times(value: Any) -> bool:
    """Whether an object states a start or an end."""
    if not isinstance(value, dict):
        return False
    names = {normal(key) for key in value}
    return bool(names & {*START, *END, "start_ms", "end_ms", "timestamp", "timestamps", "span", "time_range"})
