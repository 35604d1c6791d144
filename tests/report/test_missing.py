"""What the checkpoints without a score lack, in one sentence."""

from __future__ import annotations

from test_reasons import JUDGE, POINTS, point

from longtake.report.missing import missing, missing_said


def test_unscored_checkpoints_are_grouped_by_what_is_missing():
    found = [(m.what, m.count, m.need) for m in missing(POINTS)]
    assert found == [
        (JUDGE, 3, True),
        ("a brief", 2, True),
        ("speech recognition", 1, True),
        ("needs audio: failed, no memory", 1, False),
        ("no shot is 4 s long", 1, False),
    ]
    said = missing_said(POINTS, 2, "see below")
    how = "ask one with --judge, see docs/how-to/judges.md"
    assert said == (
        f"Not scored: 6, waiting for {JUDGE} (3; {how}), a brief (2), some for more than one; see below."
    )
    assert missing_said(POINTS, 9, "see below").endswith("; no shot is 4 s long (1).")
    assert missing_said(POINTS[-1:], 4, "") == ""


def test_who_gave_a_brief_is_not_told_to_give_one():
    given = [point("needs a brief with shots", "a brief with shots"), point(f"needs {JUDGE}", JUDGE)]
    assert [m.what for m in missing(given)] == [JUDGE, "more in the brief"]


def test_a_brief_that_says_too_little_is_told_what_to_add():
    given = [
        point("needs a brief with characters", "a brief with characters"),
        point(f"needs {JUDGE}", JUDGE, "a brief whose shots name their scenes"),
        point("needs a brief with shots", "a brief with shots"),
        point("needs a brief with shots", "a brief with shots"),
    ]
    said = missing_said(given, 4, "")
    assert "more in the brief (4; add shots, characters and the scene of each shot)" in said


def test_what_is_not_clear_is_no_thing_to_wait_for():
    state = "no face and no person was found for certain"
    unclear = [
        point(f"gate_unknown: has_characters {state}", state, JUDGE),
        point(
            "gate_unknown: has_scene_changes shots says no, the judge says yes",
            "shots says no, the judge says yes",
        ),
        point("gate_unknown: has_dialogue speech: skipped, not asked for", "speech: skipped, not asked for"),
    ]
    waiting, *states = missing_said(unclear, 9, "").rstrip(".").split("; it is not clear whether ")
    assert waiting.endswith("the signal speech (1; not asked for), some for more than one")
    assert states == [
        "the scene changes (1; what was measured (shots) says no, the judge says yes)",
        f"there are characters (1; {state})",
    ]


def test_a_judges_failure_is_told_once_however_many_it_left_without_an_answer():
    error = "failed, nothing listens at 127.0.0.1:9"
    silent = [
        point(f"judge: {error}"),
        point(f"judge: {error}", "a brief"),
        point(f"0 of 3 shots answered: judge: {error}"),
        point(f"gate_unknown: has_held_objects needs {JUDGE}; judge: {error}", f"{JUDGE}; judge: {error}"),
        point(f"judge: failed, not asked: {error}"),
    ]
    said = missing_said(silent, 4, "")
    assert said == f"Not scored: 5, no answer of the judge (5; {error})."
    long = missing_said([point("judge: failed, " + "x" * 2000)], 4, "")
    assert len(long) < 300
