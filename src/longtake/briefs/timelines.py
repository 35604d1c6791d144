"""Timelines by OpenTimelineIO: OTIO, EDL (CMX 3600) and FCPXML. Imported where one is read."""

from __future__ import annotations

import re
from typing import Any

from ..core.brief import Brief
from .build import Draft, build
from .reading import Reading

EDL_RATES = (24.0, 25.0, 30.0, 50.0, 60.0)
"""Rates an edit list may mean; it does not say, so the lowest that its frame numbers allow is taken."""
_EVENT = re.compile(r"^\s*\d{1,6}\s+\S+\s+\S+\s+\S+.*?((?:\d\d:\d\d:\d\d[:;]\d\d\s*){4})$", re.MULTILINE)
_FRAMES = re.compile(r"\d\d:\d\d:\d\d[:;](\d\d)")
_OWN_COMMENTS = ("OTIO TRUNCATED REEL NAME",)


def looks_like_edl(text: str) -> bool:
    """An event line: number, reel, track, kind and four time codes."""
    return _EVENT.search(text) is not None


def looks_like_otio(value: Any) -> bool:
    """A JSON object of OpenTimelineIO."""
    return isinstance(value, dict) and "OTIO_SCHEMA" in value


def read_otio(text: str, reading: Reading) -> Brief:
    """An OTIO document."""
    return _read(text, "otio", reading, "otio_json")


def read_fcpxml(text: str, reading: Reading) -> Brief:
    """A Final Cut Pro XML project.

    Raises:
        InputError: also for entities, which can be bombs.
    """
    if "<!ENTITY" in text:
        raise reading.error("", "XML with entities of its own is not read")
    return _read(text, "fcpxml", reading, "fcpx_xml")


def read_edl(text: str, reading: Reading) -> Brief:
    """A CMX 3600 edit list, at ``reading.fps`` or the lowest rate that its frame numbers allow (noted)."""
    rate = reading.fps
    if rate is None:
        highest = max(int(frame) for frame in _FRAMES.findall(text))
        rate = next((r for r in EDL_RATES if r > highest), None)
        if rate is None:
            raise reading.error("", f"frame number {highest} fits no rate up to {EDL_RATES[-1]:g}")
        reading.note(
            "", f"an EDL does not state its frame rate; read at {rate:g} frames per second", "warning"
        )
    return _read(text, "edl", reading, "cmx_3600", rate=rate)


def _read(text: str, source: str, reading: Reading, adapter: str, **arguments: Any) -> Brief:
    import opentimelineio as otio

    try:
        value = otio.adapters.read_from_string(text, adapter, **arguments)
        timeline = _timeline(otio, value, reading)
        tracks = list(timeline.video_tracks()) or list(timeline.tracks)
        drafts: list[Draft] = []
        for track in tracks:
            if drafts:
                reading.note("", f"only the first of {len(tracks)} tracks with pictures was read", "warning")
                break
            drafts = _clips(otio, track)
        drafts = drafts or _marked(timeline, tracks)
    except Exception as error:
        if type(error).__module__.startswith("longtake."):
            raise
        raise reading.error(
            "", f"not a readable {source.upper()} timeline ({type(error).__name__}: {error})"
        ) from None
    if not drafts:
        raise reading.error("", "this timeline has neither clips nor markers")
    return build(reading, source, drafts, title=timeline.name or None)


def _timeline(otio: Any, value: Any, reading: Reading) -> Any:
    if isinstance(value, otio.schema.Timeline):
        return value
    found = (
        [item for item in value if isinstance(item, otio.schema.Timeline)]
        if hasattr(value, "__iter__")
        else []
    )
    if not found:
        raise reading.error("", f"holds no timeline but {type(value).__name__}")
    if len(found) > 1:
        reading.note("", f"holds {len(found)} timelines; the first, {found[0].name!r}, was read", "warning")
    return found[0]


def _clips(otio: Any, track: Any) -> list[Draft]:
    drafts: list[Draft] = []
    for item in track:
        if isinstance(item, otio.schema.Gap | otio.schema.Transition):
            continue
        span = track.range_of_child(item)
        start = span.start_time.to_seconds()
        name = item.name or ""
        draft = Draft(f"clip {len(drafts) + 1}", start=start, end=start + span.duration.to_seconds())
        remarks = _remarks(item)
        draft.text = "\n".join(part for part in (name, *remarks) if part)
        if name and remarks:
            draft.extra["clip"] = name
        drafts.append(draft)
    return drafts


def _remarks(item: Any) -> list[str]:
    """Comments and notes in the metadata, and the markers on an item."""
    found: list[str] = []
    for holder in (item.metadata, *(m for m in item.metadata.values() if hasattr(m, "get"))):
        for key in ("comments", "comment", "note", "notes", "description", "text", "caption"):
            value = holder.get(key)
            texts = (
                [value] if isinstance(value, str) else list(value) if isinstance(value, list | tuple) else []
            )
            if value is not None and not texts and hasattr(value, "__iter__") and not hasattr(value, "get"):
                texts = list(value)
            found.extend(t.strip() for t in texts if isinstance(t, str) and not t.startswith(_OWN_COMMENTS))
    found.extend(_marker_text(marker) for marker in item.markers)
    return [text for text in dict.fromkeys(found) if text]


def _marker_text(marker: Any) -> str:
    comment = getattr(marker, "comment", "") or ""
    return "\n".join(part for part in dict.fromkeys((marker.name, comment)) if part)


def _marked(timeline: Any, tracks: list[Any]) -> list[Draft]:
    """Markers of a timeline without clips: a shot each; one without length has a start only."""
    markers = [*timeline.tracks.markers, *(marker for track in tracks for marker in track.markers)]
    for track in tracks:
        markers.extend(marker for item in track for marker in getattr(item, "markers", ()))
    drafts: list[Draft] = []
    for marker in sorted(markers, key=lambda m: m.marked_range.start_time.to_seconds()):
        start = marker.marked_range.start_time.to_seconds()
        length = marker.marked_range.duration.to_seconds()
        end = start + length if length > 0 else None
        drafts.append(Draft(f"marker {len(drafts) + 1}", text=_marker_text(marker), start=start, end=end))
    return drafts
