"""Vript's caption file: ``meta`` and clips, in ``data`` (an object by clip id) or ``clips`` (a list).

The shape is described by its authors (mutonix/Vript, DATA.md); times of a clip are read where they stand.
"""

from __future__ import annotations

from typing import Any

from ..core.brief import Brief
from .build import build
from .fields import Fields
from .shots import shot_from
from .times import kind


def read_vript(fields: Fields) -> Brief:
    """Clips in the order of the file; the clip id is the shot's id, the voice-over its narration."""
    reading = fields.reading
    meta = fields.object("meta")
    name, clips = (
        ("data", fields.value["data"]) if fields.has("data") else ("clips", fields.value.get("clips"))
    )
    fields.take(name)
    if isinstance(clips, dict):
        placed = [({"clip_id": key, **_object(item)}, item, f"{name}.{key}") for key, item in clips.items()]
    elif isinstance(clips, list):
        placed = [(item, item, f"{name}[{i}]") for i, item in enumerate(clips)]
    else:
        raise reading.error(name, f"must be an object or a list of clips, not {kind(clips)}")
    drafts = []
    for whole, item, path in placed:
        if not isinstance(item, dict):
            raise reading.error(path, f"a clip must be an object, not {kind(item)}")
        shown = {key: value for key, value in whole.items() if key not in ("video_id", "video_title")}
        drafts.append(shot_from(shown, path, reading))
    known: dict[str, Any] = {}
    extra = {}
    if meta is not None:
        known = {
            "id": meta.text("video_id", "id"),
            "title": meta.text("video_title", "title"),
            "duration": meta.seconds("duration", "duration_sec"),
        }
        count = meta.take("num_clips")
        whole_film = meta.take("integrity")
        if count is not None and count[0] != len(drafts):
            reading.note(count[1], f"states {count[0]} clips; {len(drafts)} are captioned", "warning")
        if whole_film is not None and whole_film[0] is False:
            reading.note(whole_film[1], "the source says that not all clips are captioned", "warning")
        extra.update(meta.rest(prefix="meta."))
    extra.update(fields.rest())
    return build(reading, "vript", drafts, extra=extra, **known)


def _object(item: Any) -> dict[str, Any]:
    return item if isinstance(item, dict) else {}
