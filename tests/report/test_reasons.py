"""Reasons as a person would say them."""

from __future__ import annotations

import pytest

import report_sample as sample
from longtake.core.documents import CheckpointResult
from longtake.report.reasons import further_needs, overall_coverage, readable, reason, rests_on, summary_of


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
        (
            "covered weight 0.75 is below 0.75",
            "less than 75 % of what counts could be measured, which an overall needs",
        ),
        (
            "gate_unknown: has_scene_changes shots says no, the judge says yes",
            "cannot tell whether the scene changes (what was measured (shots) says no, the judge says yes)",
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


def test_what_a_score_covers_is_never_rounded_up_to_a_bound():
    doc = sample.document()
    overall = doc.overall.model_copy(update={"covered_weight": 0.7467})
    assert "74 % of the weight" in overall_coverage(doc.model_copy(update={"overall": overall}))
    half = doc.dimensions["visual"].model_copy(update={"covered_weight": 0.4967, "partial": True})
    assert "49 % of the weight, partial: less than half" in rests_on(doc, "visual", half)


def test_the_overall_names_the_dimensions_that_have_no_grade():
    doc = sample.document()
    partial = [d for d, s in doc.dimensions.items() if s.partial]
    assert partial
    assert overall_coverage(doc).endswith("; less than half of Script was scored")
    whole = {d: s.model_copy(update={"partial": False}) for d, s in doc.dimensions.items()}
    assert overall_coverage(doc.model_copy(update={"dimensions": whole})).endswith("of the weight")
