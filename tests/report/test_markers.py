"""Shots and findings in the forms of editors: exact frames, well-formed, nothing out of its place."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ET
from fractions import Fraction
from itertools import pairwise

import opentimelineio as otio
import pytest

from longtake.core.documents import (
    Coverage,
    DiagnosisDocument,
    Finding,
    Score,
    Shot,
    ShotsDocument,
    VideoEntry,
)
from longtake.report.markers import FORMS, exact_rate, write_list

NTSC = Fraction(30000, 1001)
NASTY = "<script>\"&'</script>\n2  AX V C\x00 01:00\r\n[CHAPTER]\u2028=1+1"


def shots(rate: Fraction = NTSC) -> list[Shot]:
    cuts = [0, 90, 107_892]
    return [
        Shot(index=i, start=float(a / rate), end=float(b / rate), first_frame=a, last_frame=b - 1)
        for i, (a, b) in enumerate(pairwise(cuts))
    ]


def shots_document(rate: Fraction = NTSC) -> ShotsDocument:
    listed = shots(rate)
    return ShotsDocument(duration=listed[-1].end, frames=107_892, shots=listed, transitions=[])


def diagnosis(what: str = NASTY) -> DiagnosisDocument:
    nothing = Score(
        value=None, status="unscored", reason="no judge", n_scored=0, n_active=0, covered_weight=0
    )
    video = VideoEntry(
        path=f"a dir/{what}.mp4",
        hash="0" * 64,
        kind="file",
        duration=shots()[-1].end,
        frames=107_892,
        width=640,
        height=360,
        fps=29.97002997,
        audio=True,
    )
    findings = [
        Finding(
            id="f1", kind="freeze", severity="problem", start=3.003, end=4.004, what=what, checkpoint=what
        ),
        Finding(
            id="f2", kind="click", severity="info", start=10.0, end=10.0, what="=cmd|' /C calc'!A0", shot=1
        ),
    ]
    return DiagnosisDocument(
        video=video,
        brief=None,
        profile={},
        dimensions={},
        overall=nothing,
        overall_without_penalty=nothing,
        coverage=Coverage(scored=0, active=0, registered=40),
        submetrics=[],
        checkpoints=[],
        report_metrics=[],
        attributes=[],
        bottlenecks=[],
        findings=findings,
        shots=shots(),
        transitions=[],
        trace=[],
    )


@pytest.mark.parametrize(
    ("given", "exact"),
    [
        (29.97, NTSC),
        (29.97002997, NTSC),
        (23.976, Fraction(24000, 1001)),
        (59.94, Fraction(60000, 1001)),
        (25.0, Fraction(25)),
        (30.0, Fraction(30)),
        (12.5, Fraction(25, 2)),
        (NTSC, NTSC),
    ],
)
def test_rates_are_exact(given: Fraction | float, exact: Fraction) -> None:
    assert exact_rate(given) == exact


def test_time_codes_of_an_hour_at_an_ntsc_rate_do_not_drop_frames() -> None:
    lines = write_list(shots_document(), "edl", NTSC).splitlines()
    assert "FCM: NON-DROP FRAME" in lines
    events = [line.split() for line in lines if line[:3].isdigit()]
    assert [e[0] for e in events] == ["001", "002"]
    assert events[0][-2:] == ["00:00:00:00", "00:00:03:00"]
    assert events[1][-2:] == ["00:00:03:00", "00:59:56:12"]  # 107892 frames at 30 to the second


def test_the_edl_is_read_by_the_cmx_adapter() -> None:
    text = write_list(shots_document(), "edl", NTSC, media="film.mp4")
    timeline = otio.adapters.read_from_string(text, "cmx_3600", rate=float(NTSC))
    frames = [c.source_range.start_time.to_frames() for c in timeline.find_clips()]
    assert frames == [0, 90]
    assert [c.name for c in timeline.find_clips()] == ["film.mp4", "film.mp4"]


def test_otio_holds_a_clip_per_shot_with_the_films_rate() -> None:
    timeline = otio.adapters.read_from_string(write_list(shots_document(), "otio", 29.97), "otio_json")
    clips = list(timeline.find_clips())
    assert [c.source_range.start_time.value for c in clips] == [0, 90]
    assert sum(c.source_range.duration.value for c in clips) == 107_892
    assert clips[0].source_range.start_time.rate == float(NTSC)


def test_otio_holds_a_marker_per_finding() -> None:
    timeline = otio.adapters.read_from_string(write_list(diagnosis(), "otio"), "otio_json")
    (clip,) = timeline.find_clips()
    first, second = clip.markers
    assert (first.marked_range.start_time.value, first.marked_range.duration.value) == (90, 30)
    assert second.marked_range.duration.value == 1
    assert first.color == otio.schema.MarkerColor.RED
    assert first.metadata["longtake"]["id"] == "f1"
    assert "\n" not in first.name
    assert first.name.startswith('<script>"&')


def test_fcpxml_counts_frames_exactly() -> None:
    root = ET.fromstring(write_list(shots_document(), "fcpxml", NTSC))
    assert root.find("resources/format").get("frameDuration") == "1001/30000s"
    first, second = root.iter("asset-clip")
    assert first.get("duration") == "3003/1000s"
    assert second.get("start") == "3003/1000s"
    for clip in (first, second):
        length = Fraction(clip.get("duration").removesuffix("s"))
        assert (length * NTSC).denominator == 1
    refs = {e.get("id") for e in root.find("resources")}
    assert {first.get("ref"), root.find(".//sequence").get("format")} <= refs


def test_fcpxml_holds_a_marker_per_finding_and_escapes_it() -> None:
    text = write_list(diagnosis(), "fcpxml")
    assert "<script>" not in text
    markers = list(ET.fromstring(text).iter("marker"))
    assert markers[0].get("value").startswith('<script>"&')
    assert markers[0].get("start") == "3003/1000s"
    assert markers[1].get("duration") == "1001/30000s"
    assert markers[1].get("note") == "info click"


def test_csv_of_findings_keeps_its_columns_and_holds_no_formula() -> None:
    rows = list(csv.DictReader(io.StringIO(write_list(diagnosis(), "csv"))))
    assert len(rows) == 2
    assert rows[0]["what"].startswith('<script>"&')
    assert rows[0]["start"] == "3.003000"
    assert rows[1]["what"].startswith("'=cmd")
    assert rows[1]["shot"] == "1"


@pytest.mark.parametrize("form", ["edl", "chapters"])
def test_names_with_line_ends_stay_in_their_line(form: str) -> None:
    plain = write_list(diagnosis("x"), form).splitlines()
    nasty = write_list(diagnosis(NASTY), form).splitlines()
    assert len(plain) == len(nasty)
    assert [line[:3] for line in plain] == [line[:3] for line in nasty]


def test_chapters_are_whole_and_in_microseconds() -> None:
    text = write_list(shots_document(), "chapters")
    assert text.startswith(
        ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000000\nSTART=0\nEND=3003000\ntitle=shot 1\n"
    )
    assert text.count("[CHAPTER]") == 2


@pytest.mark.parametrize("form", FORMS)
def test_no_shots_and_no_findings_are_a_valid_empty_list(form: str) -> None:
    empty = ShotsDocument(duration=0.0, frames=0, shots=[], transitions=[])
    assert write_list(empty, form)
    assert write_list(diagnosis("x").model_copy(update={"findings": [], "shots": []}), form)


def test_a_part_of_a_film_keeps_the_films_clock() -> None:
    shot = Shot(index=0, start=100.0, end=104.0, first_frame=0, last_frame=99)
    part = ShotsDocument(duration=4.0, frames=100, frame_origin="part", shots=[shot], transitions=[])
    assert "00:01:40:00 00:01:44:00" in write_list(part, "edl", 25)
    clip = next(ET.fromstring(write_list(part, "fcpxml", 25)).iter("asset-clip"))
    assert (clip.get("offset"), clip.get("start")) == ("0s", "100s")
