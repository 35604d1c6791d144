"""OTIO, EDL and FCPXML."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import opentimelineio as otio
import pytest

from longtake.briefs import read_brief, read_brief_text
from longtake.errors import InputError


def _time(seconds: float) -> Any:
    return otio.opentime.RationalTime(round(seconds * 25), 25)


def _timeline() -> Any:
    timeline = otio.schema.Timeline("rough cut")
    track = otio.schema.Track("V1", kind=otio.schema.TrackKind.Video)
    timeline.tracks.append(track)
    for name, length in (("opening", 2.0), (None, 1.0), ("harbour", 3.4)):
        span = otio.opentime.TimeRange(_time(0), _time(length))
        if name is None:
            track.append(otio.schema.Gap(source_range=span))
            continue
        clip = otio.schema.Clip(name, source_range=span)
        clip.markers.append(
            otio.schema.Marker(f"look at {name}", otio.opentime.TimeRange(_time(0.2), _time(0)))
        )
        track.append(clip)
    return timeline


@pytest.mark.parametrize(
    ("adapter", "source", "ending"),
    [("otio_json", "otio", ".otio"), ("cmx_3600", "edl", ".edl"), ("fcpx_xml", "fcpxml", ".fcpxml")],
)
def test_each_form(adapter: str, source: str, ending: str, tmp_path: Path) -> None:
    arguments = {"rate": 25} if adapter == "cmx_3600" else {}
    text = otio.adapters.write_to_string(_timeline(), adapter, **arguments)
    path = tmp_path / f"cut{ending}"
    path.write_text(text, encoding="utf-8")
    for brief in (read_brief(path, fps=25), read_brief_text(text, fps=25)):
        assert brief.source == source
        assert brief.title == "rough cut"
        assert [(s.start, s.end) for s in brief.shots] == [
            pytest.approx((0.0, 2.0)),
            pytest.approx((3.0, 6.4)),
        ]
        assert [s.text.lower() for s in brief.shots] == [
            "opening\nlook at opening",
            "harbour\nlook at harbour",
        ]


EDL = """TITLE: CUT

001  AX       V     C        00:00:00:00 00:00:02:10 01:00:00:00 01:00:02:10
* FROM CLIP NAME:  OPENING
* COMMENT: RED COAT
002  AX       V     C        00:00:00:00 00:00:01:{frame:02d} 01:00:02:10 01:00:03:{last:02d}
"""


@pytest.mark.parametrize(("frame", "rate"), [(12, 24.0), (24, 25.0), (29, 30.0), (45, 50.0), (59, 60.0)])
def test_an_edl_rate_is_the_lowest_possible_and_told(frame: int, rate: float) -> None:
    text = EDL.replace("{frame:02d}", f"{frame:02d}").replace("{last:02d}", f"{(frame + 10) % int(rate):02d}")
    text = text.replace("01:00:03:", "01:00:04:" if frame + 10 >= rate else "01:00:03:")
    brief = read_brief_text(text)
    assert any(f"{rate:g} frames per second" in n.message for n in brief.notes)
    assert brief.shots[0].start == 0.0
    assert brief.shots[0].end == pytest.approx(2 + 10 / rate)
    assert brief.shots[1].end == pytest.approx(3 + (frame + 10) / rate)


def test_markers_alone_are_shots() -> None:
    timeline = otio.schema.Timeline("markers")
    for start, length, name in ((4.0, 2.0, "second"), (0.0, 4.0, "first")):
        span = otio.opentime.TimeRange(_time(start), _time(length))
        timeline.tracks.markers.append(otio.schema.Marker(name, span))
    brief = read_brief_text(otio.adapters.write_to_string(timeline, "otio_json"))
    assert [(s.text, s.start, s.end) for s in brief.shots] == [("first", 0.0, 4.0), ("second", 4.0, 6.0)]


def test_a_second_track_is_told() -> None:
    timeline = _timeline()
    timeline.tracks.append(timeline.tracks[0].deepcopy())
    brief = read_brief_text(otio.adapters.write_to_string(timeline, "otio_json"))
    assert len(brief.shots) == 2
    assert any("only the first of 2 tracks" in n.message for n in brief.notes)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"OTIO_SCHEMA": "Nonsense.1"}),
        json.dumps({"OTIO_SCHEMA": "Timeline.1", "tracks": 3}),
        json.dumps({"OTIO_SCHEMA": "RationalTime.1", "rate": 24, "value": 1}),
        otio.adapters.write_to_string(otio.schema.Timeline("empty"), "otio_json"),
        '<?xml version="1.0"?><fcpxml version="1.8"><resources/></fcpxml>',
        '<?xml version="1.0"?><fcpxml version="1.8"><resources>',
        '<?xml version="1.0"?><!DOCTYPE f [<!ENTITY a "b">]><fcpxml>&a;</fcpxml>',
        '<?xml version="1.0"?><xmeml version="4"/>',
        "001  AX  V  C  00:00:00:00 00:00:02:99 00:00:00:00 00:00:02:99",
        "001  AX  V  C  00:00:02:00 00:00:01:00 00:00:00:00 00:00:02:00\n002 junk",
    ],
)
def test_damaged_timelines_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_brief_text(text)
