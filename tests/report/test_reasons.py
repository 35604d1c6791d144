"""Reasons as a person would say them."""

from __future__ import annotations

import pytest
import sample

from longtake.core.documents import CheckpointResult
from longtake.report.reasons import further_needs, missing, missing_said, readable, reason, summary_of


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "gate_unknown: has_characters needs face or person detection",
            "cannot tell whether there are characters (needs face or person detection)",
        ),
        (
            "gate_unknown: has_dialogue needs speech recognition; has_narration needs speech recognition",
            "cannot tell whether there is dialogue or narration (needs speech recognition)",
        ),
        (
            "gate_unknown: has_background_music no beat; needs music told apart; has_new_thing is unknown",
            "cannot tell whether there is music (no beat; needs music told apart)"
            " and whether this holds: has new thing (is unknown)",
        ),
        ("has_dialogue is false (no sound track)", "there is no dialogue (no sound track)"),
        ("has_sound_track is false (no sound track)", "there is no sound track"),
        (
            "covered weight 0.09 is below 0.75",
            "only 9 % of what counts could be measured; an overall needs 75 %",
        ),
        ("b: scene_unknown", "b: it is not known which joins lie within one scene"),
        (
            "a: gate_unknown: has_dialogue speech: skipped, not asked for",
            "a: cannot tell whether there is dialogue (speech: not asked for)",
        ),
        ("no shot is 4 s long", "no shot is 4 s long"),
        ("needs shots: failed, no memory", "needs shots: failed, no memory"),
        (None, ""),
    ],
)
def test_a_reason_reads_like_a_sentence(text, said):
    assert reason(text) == said


def point(why, *needs, status="unscored"):
    return CheckpointResult(
        id="x_y",
        submetric="s",
        dimension="visual",
        question="?",
        weight=0.1,
        status=status,
        value=0.5 if status == "scored" else None,
        reason=why,
        confidence=None,
        authority="judged",
        method=None,
        needs=list(needs),
    )


JUDGE = "a judge that sees frames"
POINTS = [
    point(f"needs {JUDGE}", JUDGE),
    point(f"needs a brief, {JUDGE}", "a brief", JUDGE),
    point(f"needs a brief with shots, {JUDGE}", "a brief with shots", "planned acts with times", JUDGE),
    point("gate_unknown: has_dialogue needs speech recognition", "speech recognition with word times"),
    point("no shot is 4 s long", "shots grouped into scenes"),
    point("needs audio: failed, no memory", JUDGE),
    point(None, JUDGE, status="scored"),
]


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
    assert said == f"Not scored: 6, waiting for {JUDGE} (3), a brief (2), some for more than one; see below."
    assert missing_said(POINTS, 9, "see below").endswith("; no shot is 4 s long (1).")
    assert missing_said(POINTS[-1:], 4, "") == ""


def test_who_gave_a_brief_is_not_told_to_give_one():
    given = [point("needs a brief with shots", "a brief with shots"), point(f"needs {JUDGE}", JUDGE)]
    assert [m.what for m in missing(given)] == [JUDGE, "more in the brief"]


def test_a_need_is_said_once():
    assert further_needs(POINTS[1]) == []
    assert further_needs(POINTS[3]) == ["speech recognition with word times"]
    assert further_needs(POINTS[4]) == ["shots grouped into scenes"]


def test_sentences_name_checkpoints_in_words_and_leave_the_rest():
    text = "Look first at char_face_consistency (0.20) and my_char_face_consistency_2."
    assert readable(text, ["char_face_consistency"]) == (
        "Look first at character face consistency (0.20) and my_char_face_consistency_2."
    )


def test_the_summary_leaves_out_what_stands_beside_it():
    doc = sample.document()
    more = [
        "There is no overall score (covered weight 0.09 is below 0.75): 4 of 27.",
        "Hard constraints could not be checked: complex_camera_movements.",
        "More could be scored with a brief (3).",
    ]
    told = summary_of(doc.model_copy(update={"summary": [*more, *doc.summary]}))
    assert told == ["Hard constraints could not be checked: complex camera movements.", *doc.summary]
