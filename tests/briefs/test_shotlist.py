"""A list of shots comes back as it was written, in every form; a wrong one is refused with its place."""

from __future__ import annotations

import os
import re
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

from longtake.briefs.shotlist import check_shots, read_shots
from longtake.core.documents import Shot, ShotsDocument
from longtake.errors import InputError
from longtake.report.markers import FORMS, write_list

NTSC = Fraction(30000, 1001)
BOUNDARIES = [0, 37, 1800, 1801, 108_000]
"""In frames: a one-frame shot, and an hour, where 29.97 is 3.6 s away from 30."""


def document(rate: Fraction = NTSC) -> ShotsDocument:
    spans = pairwise(BOUNDARIES)
    shots = [
        Shot(index=i, start=float(a / rate), end=float(b / rate), first_frame=a, last_frame=b - 1)
        for i, (a, b) in enumerate(spans)
    ]
    return ShotsDocument(
        duration=float(BOUNDARIES[-1] / rate), frames=BOUNDARIES[-1], shots=shots, transitions=[]
    )


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "list.data"  # the form is told from the content
    path.write_text(text, encoding="utf-8")
    return path


def times(rate: Fraction) -> list[float]:
    return [t for s in document(rate).shots for t in (s.start, s.end)]


@pytest.mark.parametrize("rate", [NTSC, Fraction(25), Fraction(24000, 1001)])
@pytest.mark.parametrize("form", [*FORMS, "json"])
def test_what_was_written_is_read_back(form: str, rate: Fraction, tmp_path: Path) -> None:
    listed = document(rate)
    text = listed.model_dump_json(by_alias=True) if form == "json" else write_list(listed, form, rate)
    found = read_shots(written(tmp_path, text))
    assert [t for span in found for t in span] == pytest.approx(times(rate), abs=1e-6)


def test_time_codes_alone_are_enough(tmp_path: Path) -> None:
    text = write_list(document(), "edl", NTSC)
    bare = "\n".join(line for line in text.splitlines() if "LONGTAKE SECONDS" not in line)
    found = read_shots(written(tmp_path, bare))
    assert [t for span in found for t in span] == pytest.approx(times(NTSC), abs=1e-9)
    foreign = "\n".join(line for line in bare.splitlines() if "LONGTAKE" not in line)
    with pytest.raises(InputError, match="frame rate"):
        read_shots(written(tmp_path, foreign))
    assert len(read_shots(written(tmp_path, foreign), fps=NTSC)) == 4


def test_otio_without_our_own_notes_is_read_from_its_frames(tmp_path: Path) -> None:
    text = write_list(document(), "otio", NTSC).replace('"longtake"', '"else"')
    found = read_shots(written(tmp_path, text))
    assert [t for span in found for t in span] == pytest.approx(times(NTSC), abs=1e-6)


def test_byte_order_mark_windows_lines_and_clock_times(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes('\ufeffStart,End,note\r\n0,00:00:01.500,"a"\r\n1.5,1:02,b\r\n\r\n'.encode())
    assert read_shots(path) == [(0.0, 1.5), (1.5, 62.0)]


def test_gaps_are_allowed(tmp_path: Path) -> None:
    assert read_shots(written(tmp_path, "start,end\n0,1\n5,6\n")) == [(0.0, 1.0), (5.0, 6.0)]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("start,end\n0,2\n1,3\n", "line 3"),
        ("start,end\n5,6\n0,2\n", "line 3"),
        ("start,end\n-1,2\n", "line 2"),
        ("start,end\n2,2\n", "line 2"),
        ("start,end\n0,nan\n", "line 2"),
        ("start,end\n0,soon\n", "line 2"),
        ("start,end\n0\n", "line 2"),
        ("start,end\n", "no shot"),
        ("", "no columns"),
        ("a film about bread", "no columns"),
        ('{"shots": [{"start": 0, "end": 1}, {"start": 0.5, "end": 2}]}', r"shots\[1\]"),
        ('{"shots": [{"start": 0}]}', r"shots\[0\]"),
        ('{"shots": [{"start": 0, "end": true}]}', r"shots\[0\]"),
        ('{"shots": 3}', "'shots'"),
        ('{"shots": [', "JSON"),
        ('{"OTIO_SCHEMA": "Timeline.1"', "OpenTimelineIO"),
        ('{"OTIO_SCHEMA": "Clip.2"}', "OpenTimelineIO"),
        ("<fcpxml><spine>", "XML"),
        ("<html/>", "spine"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><fcpxml/>', "entities"),
        ('<fcpxml><spine><clip start="1e9999999999s" duration="1s"/></spine></fcpxml>', "clip 1"),
        (";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/0\nSTART=0\nEND=1\n", "chapter 1"),
        (";FFMETADATA1\ntitle=x\n", "no shot"),
        ("001  AX V C 00:00:00;00 00:00:01;00 00:00:00;00 00:00:01;00", "frame rate"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, place: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=place) as caught:
        read_shots(written(tmp_path, text))
    assert "list.data" in str(caught.value)
    assert caught.value.exit_code == 3


def test_a_file_that_is_not_there_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_shots(tmp_path / "none")
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(InputError, match="UTF-8"):
        read_shots(binary)


def test_numbers_are_bounded(tmp_path: Path) -> None:
    many = "9" * 5000
    for cell in (many, f"{many}:00:01", f"{'9' * 400}:01", f"00:01.{many}"):
        for text in (f"start,end\n0,{cell}\n", f'[{{"start": 0, "end": "{cell}"}}]'):
            with pytest.raises(InputError) as caught:
                read_shots(written(tmp_path, text))
            assert len(caught.value.message) < 300
            assert caught.value.hint
    for number in (many, "9" * 400, "1e999"):
        with pytest.raises(InputError):
            read_shots(written(tmp_path, f'[{{"start": 0, "end": {number}}}]'))


def test_what_never_ends_is_not_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero")):
        with pytest.raises(InputError, match="pipe or a device") as caught:
            read_shots(path)
        assert caught.value.hint
    with pytest.raises(InputError, match="is a folder"):
        read_shots(tmp_path)
    large = tmp_path / "large.csv"
    with large.open("wb") as file:
        file.truncate(2**40)  # a hole: nothing is written
    with pytest.raises(InputError, match="larger than 20 MB"):
        read_shots(large)


FRAME = 1 / 24


def test_a_list_that_fits_has_no_notes() -> None:
    assert check_shots([(0.0, 1.0), (1.0, 2.0)], 0.0, 2.0, FRAME) == []
    assert check_shots([(0.0, 1.0), (1.0, 2.04)], 0.0, 2.0, FRAME) == []  # rounded to the next frame


@pytest.mark.parametrize(
    ("spans", "said"),
    [
        ([(0.0, 1.0), (1.0, 2.1)], "Shot 2 of the list ends at 2.100 s, but the film ends at 2.000 s"),
        ([(0.0, 1.0), (2.0, 2.02)], "Shot 2 of the list starts at 2.000 s, but the film ends at 2.000 s"),
        ([(50.0, 60.0), (60.0, 61.0)], "Shot 1 of the list starts at 50.000 s"),
    ],
)
def test_a_list_of_another_film_is_refused(spans: list[tuple[float, float]], said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        check_shots(spans, 0.0, 2.0, FRAME)
    assert caught.value.hint


def test_what_a_list_leaves_out_is_noted() -> None:
    notes = check_shots([(0.5, 1.0), (1.5, 1.51), (1.51, 3.0)], 0.0, 4.0, FRAME)
    assert [n.split(" ")[0] for n in notes] == ["the", "0.500", "shot", "1.000"]
    assert notes[1].endswith("between shot 1 and shot 2 are taken into shot 1")
    assert notes[2].startswith("shot 2 lasts 0.010 s, less than a frame")
    assert notes[3].endswith("between shot 3 and the film's end are taken into shot 3")
    many = [(i * 1.0, i + 0.5) for i in range(100)]
    assert check_shots(many, 0.0, 100.0, FRAME)[-1] == "80 more gaps and short shots"
