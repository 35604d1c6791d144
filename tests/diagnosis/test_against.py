"""What a new version mended or broke, and what cannot be told."""

from __future__ import annotations

import pytest
from advised import diagnosis, judged, metric, result, results, see, weak

from longtake.core.advice import PointChange
from longtake.core.documents import DiagnosisDocument
from longtake.core.judgement import JudgeFacts
from longtake.core.signal import TraceEntry
from longtake.diagnosis.against import MENDED_FROM, TOLERANCE, change_of, compare
from longtake.diagnosis.likeness import came_and_gone
from longtake.diagnosis.rubric import load_rubric
from longtake.diagnosis.synthesis import WEAK_BELOW, dimension_score, submetric_result

NAME = "motion_continuity"


def change(new: DiagnosisDocument, old: DiagnosisDocument, name: str = NAME) -> PointChange:
    (found,) = [c for c in compare(new, old).changes if c.id == name]
    return found


def by_judge(*values: float, model: str = "seen-1", name: str = "openai:seen") -> DiagnosisDocument:
    fields = judged("so it is", *values)
    draws = [d.model_copy(update={"model": model}) for d in fields["judgement"].draws]
    fields["judgement"] = fields["judgement"].model_copy(update={"draws": draws})
    document = weak(diagnosis(), NAME, **{**fields, "value": sum(values) / len(values)})
    return document.model_copy(update={"judge": JudgeFacts(name=name, models=[model])})


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        (0.5, 0.75, "mended"),
        (0.69, 0.71, "same"),
        (0.69, 0.75, "mended"),
        (0.75, 0.9, "better"),
        (0.2, 0.4, "better"),
        (0.9, 0.75, "worse"),
        (0.4, 0.2, "worse"),
        (0.75, 0.5, "broken"),
        (0.7, 0.64, "broken"),
        (0.5, 0.5 + TOLERANCE, "same"),
        (None, 0.9, "appeared"),
        (0.9, None, "vanished"),
    ],
)
def test_changes_have_names(old: float | None, new: float | None, change: str) -> None:
    assert change_of(old, new) == change


def test_a_change_and_its_reverse_mirror_each_other() -> None:
    mirror = {"mended": "broken", "better": "worse", "same": "same", "worse": "better", "broken": "mended"}
    steps = [i / 20 for i in range(21)]
    assert {change_of(a, b) for a in steps for b in steps} == set(mirror)
    for a in steps:
        for b in steps:
            assert mirror[change_of(a, b)] == change_of(b, a)
    assert MENDED_FROM < WEAK_BELOW


def test_a_film_against_itself_changes_nothing() -> None:
    document = metric(weak(diagnosis(), NAME, see(4, 5)), "transition_quality", see(3, 3.1))
    found = compare(document, document)
    assert found.differs == []
    assert {c.change for c in found.changes} == {"same"}
    assert not any(c.gone or c.came for c in found.changes)
    scored = [r for r in results(document) if r.value is not None]
    assert {r.id for r in scored} <= {c.id for c in found.changes}
    assert found.old == "a.mp4 sha256:0"


def test_what_was_mended_names_the_spans_that_went_and_came() -> None:
    old = weak(diagnosis(), NAME, see(4.0, 5.0, "sticks for 12 frames"), see(9.0, 9.5, "jumps"), value=0.25)
    new = weak(diagnosis(), NAME, see(4.1, 4.9, "sticks for 3 frames"), see(15.0, 15.5, "jumps"), value=0.75)
    found = change(new, old)
    assert (found.change, found.old, found.new, found.kind) == ("mended", 0.25, 0.75, "checkpoint")
    assert [(e.start, e.what) for e in found.gone] == [(9.0, "jumps")]
    assert [(e.start, e.what) for e in found.came] == [(15.0, "jumps")]
    back = change(old, new)
    assert back.change == "broken"
    assert (back.gone, back.came) == (found.came, found.gone)


def test_on_another_clock_times_do_not_tell_spans_apart() -> None:
    old, new = [see(4.0, 5.0, "sticks for 12 frames")], [see(54.0, 55.0, "sticks for 3 frames")]
    assert came_and_gone(old, new, one_clock=False) == ([], [])
    assert came_and_gone(old, new, one_clock=True) == (old, new)
    twice = [*new, see(60.0, 61.0, "sticks for 9 frames")]
    assert came_and_gone(old, twice, one_clock=False) == ([], twice[1:])
    words = [see(4.0, 5.0, "she floats")], [see(4.4, 5.4, "feet leave the ground")]
    assert came_and_gone(*words, one_clock=True) == ([], [])
    assert came_and_gone(*words, one_clock=False) == words
    about = [see(4, 5, "x", "planned shot 2")], [see(4, 5, "x", "planned shot 3")]
    assert came_and_gone(*about, one_clock=True) == about


def test_what_was_found_in_another_way_is_not_compared() -> None:
    rule = weak(diagnosis(), NAME, value=0.25)
    found = change(by_judge(0.9), rule)
    assert (found.change, found.reason) == (
        "not_comparable",
        "answered by a rule before and by a judge now",
    )
    assert change(by_judge(0.9), by_judge(0.25)).change == "mended"
    other = change(by_judge(0.9, model="seen-2"), by_judge(0.25))
    assert (other.change, other.reason) == ("not_comparable", "another model: seen-1 before, seen-2 now")
    elsewhere = change(by_judge(0.9, name="transformers:seen"), by_judge(0.25))
    assert "another judge" in (elsewhere.reason or "")
    assert change(by_judge(0.9, name="replay:openai:seen"), by_judge(0.25)).change == "mended"
    differs = compare(by_judge(0.9, model="seen-2", name="x"), by_judge(0.25)).differs
    assert differs == ["judge", "models"]


def test_a_change_within_the_spread_of_draws_is_the_same() -> None:
    found = change(by_judge(0.5, 0.75), by_judge(0.25, 0.75))
    assert (found.change, found.reason) == ("same", "within the spread of the judge's draws, 0.25")
    plain = change(by_judge(0.625, 0.625), by_judge(0.5, 0.5))
    assert (plain.change, plain.reason) == ("better", None)
    once = change(by_judge(0.5), by_judge(0.25))
    assert once.change == "better"
    assert "single draw" in (once.reason or "")


def test_what_draws_leave_open_adds_up_to_no_change_of_a_mean() -> None:
    old, new = again(by_judge(0.0, 1.0)), again(by_judge(1.0, 1.0))
    assert change(new, old).change == "same"
    group = next(s for s in new.submetrics if s.id == "temporal_coherence")
    was = next(s for s in old.submetrics if s.id == "temporal_coherence")
    assert group.value is not None
    assert was.value is not None
    assert group.value - was.value > TOLERANCE
    assert change(new, old, "temporal_coherence").change == "same"


def test_another_question_brief_or_signal_is_not_compared_where_it_matters() -> None:
    old, new = weak(diagnosis(), NAME, value=0.25), weak(diagnosis(), NAME, value=0.9)
    points = [{**c, "levels": ["no", "yes"]} if c["id"] == NAME else c for c in new.rubric["checkpoints"]]
    asked = new.model_copy(update={"rubric": {**new.rubric, "hash": "other", "checkpoints": points}})
    assert change(asked, old).reason == "the rubric asks it otherwise: levels"
    assert change(asked, old, "scale_proportion").change == "same"
    assert compare(asked, old).differs == ["rubric"]

    assert new.brief is not None
    brief = new.model_copy(update={"brief": new.brief.model_copy(update={"title": "Another", "hash": "b"})})
    assert change(brief, old).change == "mended"
    assert change(brief, old, "scene_presence").reason == "the two versions have not the same brief"
    assert compare(brief, old).differs == ["brief"]

    before, after = (
        document.model_copy(update={"trace": [TraceEntry(tool="motion", status="ok", version=version)]})
        for document, version in ((old, "1"), (new, "2"))
    )
    assert change(after, before).reason == "another version or model of the signal motion"
    assert change(after, before, "scale_proportion").change == "same"
    assert compare(after, before).differs == ["signal motion"]


def test_what_only_one_version_scored_appeared_or_vanished_with_its_reason() -> None:
    old = diagnosis()
    new = weak(old, NAME, status="unscored", value=None, confidence=None, method=None, reason="no_judge")
    found = change(new, old)
    assert (found.change, found.old, found.new, found.reason) == ("vanished", 1.0, None, "no_judge")
    assert change(old, new).change == "appeared"
    bare = old.model_copy(update={"checkpoints": [p for p in old.checkpoints if p.id != NAME]})
    assert change(bare, old).reason == "not in the new rubric"
    silent = result(old, "char_face_consistency")
    assert silent.value is None
    assert "char_face_consistency" not in {c.id for c in compare(old, new).changes}


def again(document: DiagnosisDocument) -> DiagnosisDocument:
    """The same with its means put together anew."""
    points, metrics = document.checkpoints, document.report_metrics
    groups = [submetric_result(g, points) for g in load_rubric().submetrics]
    dimensions = {d: dimension_score(d, points, groups, metrics) for d in document.dimensions}
    return document.model_copy(update={"submetrics": groups, "dimensions": dimensions})


def test_means_are_compared_only_where_they_rest_on_the_same_results() -> None:
    old = again(weak(diagnosis(), NAME, value=0.0))
    new = again(weak(diagnosis(), NAME, value=1.0))
    assert change(new, old, "temporal_coherence").change == "mended"
    assert change(new, old, "visual").kind == "dimension"
    assert change(new, old, "lighting_consistency").change == "same"
    gone = again(weak(diagnosis(), NAME, status="unscored", value=None, confidence=None, method=None))
    found = change(gone, old, "temporal_coherence")
    assert found.change == "not_comparable"
    assert found.reason == f"does not rest on the same results: {NAME}"
    assert change(gone, old, "lighting_consistency").change == "same"


def test_another_profile_weighs_the_overall_otherwise_and_nothing_else() -> None:
    def scored(document: DiagnosisDocument, value: float) -> DiagnosisDocument:
        score = document.overall.model_copy(update={"value": value, "status": "scored", "reason": None})
        return document.model_copy(update={"overall": score})

    old, new = (
        scored(weak(diagnosis(), NAME, value=0.25), 0.5),
        scored(weak(diagnosis(), NAME, value=0.9), 0.8),
    )
    assert change(new, old, "overall").change == "mended"
    weights = {"script": 0.7, "visual": 0.1, "audio": 0.1, "cross_modal": 0.1}
    eyes = new.model_copy(update={"profile": {**new.profile, "weights": weights}})
    assert change(eyes, old, "overall").reason == "another profile weighs it"
    assert compare(eyes, old).differs == ["profile"]
    assert [c for c in compare(eyes, old).changes if c.kind != "overall"] == [
        c for c in compare(new, old).changes if c.kind != "overall"
    ]
