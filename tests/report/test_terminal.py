"""Summaries for people in a terminal."""

from __future__ import annotations

import io

import pytest

import report_sample as sample
from longtake.core.documents import DiagnosisDocument, ProbeDocument, ShotsDocument
from longtake.diagnosis.synthesis import GRADES, grade
from longtake.report.terminal import console_for, print_diagnosis, print_probe, print_shots
from longtake.report.words import GRADES_FROM, clock, one_line, share


def printed(function, *args, width=100):
    stream = io.StringIO()
    function(*args[:1], console_for(stream, width), *args[1:])
    return stream.getvalue()


def test_the_summary_begins_with_what_was_found_and_ends_with_the_report():
    text = printed(print_diagnosis, sample.document(), "out/report.html")
    order = [
        text.index(x)
        for x in ("0:08.0 Problem", "Weakest: motion continuity 0.31", "Overall", "Not scored: 4")
    ]
    assert order == sorted(order)
    assert text.rstrip().endswith("Report: out/report.html")
    said = " ".join(text.split())
    assert (
        "Not scored: 4, waiting for a judge that sees frames (3; ask one with --judge, see"
        " docs/how-to/judges.md), face or person detection (1)."
    ) in said
    assert "2 packets were damaged and could not be decoded." in text
    assert "profile visual-heavy (the picture above all)" in said
    assert len(text.splitlines()) < 30


def test_the_film_is_named_as_it_was_typed_or_by_its_file_name():
    assert printed(print_diagnosis, sample.document()).startswith("the long way home.mp4\n")
    text = printed(lambda d, c: print_diagnosis(d, c, shown="clips/home.mp4"), sample.document())
    assert text.startswith("clips/home.mp4\n")


def test_a_dimension_without_scored_checkpoints_says_what_it_rests_on():
    fields = sample.document().to_json()
    fields["dimensions"]["cross_modal"] |= {"value": 0.8, "status": "scored", "n_scored": 0, "reason": None}
    text = printed(print_diagnosis, DiagnosisDocument.model_validate(fields))
    said = " ".join(text.split())
    assert "counts only whether the wishes of the brief are met; none of 2 checkpoints scored" in said


def test_an_unscored_dimension_has_no_number():
    line = next(x for x in printed(print_diagnosis, sample.document()).splitlines() if x.startswith("Sound"))
    assert "–" in line
    assert "0.00" not in line
    assert "the film has no sound track" in line


@pytest.mark.parametrize("width", [40, 60, 100])
def test_lines_are_as_wide_as_the_window_and_free_of_control_sequences(width, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    text = printed(
        print_diagnosis, sample.document("\x1b[31mred\x07\u202e [bold]x[/bold] :smile:"), width=width
    )
    assert all(len(line) <= width for line in text.splitlines())
    assert not set("\x1b\x07\u202e") & set(text)
    assert "[bold]x[/bold]" in " ".join(text.split())


def test_shots_and_probe_tables():
    doc = sample.document()
    shots = ShotsDocument(
        duration=12,
        frames=300,
        shots=doc.shots,
        transitions=doc.transitions,
        dropped=doc.transitions[:1],
        missing=2,
    )
    text = printed(print_shots, shots)
    assert "6 shots, 300 frames, 0:12.0 (detected)" in text
    assert "cut (97 %)" in text
    assert "2 of the asked-for boundaries were not found" in text
    probe = ProbeDocument.model_validate(
        {
            "path": "a.mp4",
            "hash": "ab" * 32,
            "duration": 3.5,
            "video": {
                "codec": "h264",
                "width": 64,
                "height": 48,
                "rotation": 90,
                "fps": 29.97,
                "vfr": True,
                "pix_fmt": "yuv420p",
            },
            "problems": [{"code": "truncated", "message": "the file ends early"}],
        }
    )
    text = printed(print_probe, probe)
    assert "64 × 48, 29.97 fps, uneven frame times, rotated 90°" in text
    assert "truncated: the file ends early" in text


def test_a_score_just_below_a_grade_is_not_printed_as_reaching_it():
    assert [least for least, _ in GRADES] == list(GRADES_FROM)
    for least, letter in GRADES:
        assert grade(least - 0.002) != letter
        assert float(share(least - 0.002)) < least
        assert share(least) == f"{least:.2f}"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0:00.0"),
        (59.96, "1:00.0"),
        (3723.4, "1:02:03.4"),
        (-0.04, "0:00.0"),
        (-1.5, "-0:01.5"),
        (None, "–"),
    ],
)
def test_clock(seconds, text):
    assert clock(seconds) == text


def test_one_line_cuts_and_folds():
    assert one_line("a\n b\x00c", 10) == "a bc"
    assert one_line("abcdefghij", 5) == "abcd…"
