"""The rubric and the profiles as data."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest
from by_hand import film, rule, signals

from longtake.diagnosis.assess import assess
from longtake.diagnosis.diagnose import DIMENSIONS, gather, synthesise, wanted_ids
from longtake.diagnosis.lacking import lacking
from longtake.diagnosis.profiles import WEIGHED, constraints, load_profile, profiles
from longtake.diagnosis.rubric import (
    ATTRIBUTES,
    HEARD_OR_SEEN,
    OF_A_BRIEF,
    load_rubric,
    parse_rubric,
    read_rubric,
)
from longtake.diagnosis.rules import REPORT_RULES, RULES
from longtake.diagnosis.table import table
from longtake.errors import InputError, UsageError

ROOT = Path(__file__).resolve().parents[2]


def rubric_text() -> str:
    return (files("longtake.diagnosis") / "data" / "rubric.yaml").read_text(encoding="utf-8")


def test_counts_are_those_of_the_paper() -> None:
    rubric = load_rubric()
    counts = Counter(c.dimension for c in rubric.checkpoints)
    assert counts == {"visual": 11, "script": 8, "audio": 7, "stability": 5, "cross_modal": 9}
    assert len(rubric.submetrics) == 9
    assert len(rubric.report_metrics) == 5
    assert len(ATTRIBUTES) == 18
    binary = {c.id for c in rubric.checkpoints if c.scale == "binary"}
    assert binary == {
        "object_permanence",
        "motion_continuity",
        "internal_consistency",
        "duration_completeness",
        "scene_order",
    }


def test_every_level_text_is_said_once() -> None:
    texts = [text for c in load_rubric().checkpoints for text in c.levels if text not in ("None", "Never")]
    assert [text for text, n in Counter(texts).items() if n > 1] == []


def test_level_is_the_nearest() -> None:
    ordinal = load_rubric().checkpoint("exposure_stability")
    assert [ordinal.level(v) for v in (0, 0.12, 0.13, 0.5, 0.88, 1)] == [
        ordinal.levels[i] for i in (0, 0, 1, 2, 4, 4)
    ]
    binary = load_rubric().checkpoint("scene_order")
    assert (binary.level(0), binary.level(1)) == tuple(binary.levels)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("weight: 0.20", "weight: 0.21", "sum to"),
        ("gates: [has_characters]", "gates: [has_heroes]", "has_heroes"),
        ("id: scale_proportion", "id: light_direction", "used twice"),
        ("scale: binary", "scale: ordinal", "levels"),
    ],
)
def test_a_broken_rubric_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_rubric(rubric_text().replace(old, new, 1))


def test_hash_follows_the_content() -> None:
    text = rubric_text()
    assert parse_rubric(text).hash == load_rubric().hash
    assert parse_rubric(text + "\n").hash != load_rubric().hash


def test_rules_answer_checkpoints_of_the_rubric() -> None:
    rubric = load_rubric()
    assert set(RULES) <= {c.id for c in rubric.checkpoints}
    assert set(REPORT_RULES) <= {m.id for m in rubric.report_metrics}


def test_profiles_are_seven_and_neutral() -> None:
    assert len(profiles()) == 8
    assert load_profile() is profiles()["neutral"]
    assert profiles()["visual-heavy"].weights == {
        "script": 0.15,
        "visual": 0.5,
        "audio": 0.1,
        "cross_modal": 0.25,
    }
    origin = profiles()["story-first"].describe()["origin"]
    assert origin == {
        "script": "published",
        "visual": "ours",
        "audio": "ours",
        "cross_modal": "ours",
        "constraints": "published",
    }


def test_constraints_name_checkpoints() -> None:
    known = {c.id for c in load_rubric().checkpoints}
    metrics = {m.id for m in load_rubric().report_metrics}
    for constraint in constraints().values():
        assert set(constraint.checkpoints) <= known
        assert constraint.metric is None or constraint.metric in metrics
        assert constraint.checkpoints or constraint.metric


def test_unknown_profile_says_did_you_mean() -> None:
    with pytest.raises(UsageError) as caught:
        load_profile("story_frist")
    assert "story-first" in (caught.value.hint or "")


def test_own_profile_with_released_names(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        "weights: {text_story_arc: 0.4, visual_camera: 0.3, audio_emotion: 0.2, cross_modal_sync: 0.1}"
    )
    mine = load_profile(path)
    assert (mine.id, [mine.weights[d] for d in WEIGHED]) == ("mine", [0.4, 0.3, 0.2, 0.1])
    assert set(mine.describe()["origin"].values()) == {"user"}


@pytest.mark.parametrize(
    "text",
    [
        "weights: {script: 0.4, visual: 0.3, audio: 0.2, cross_modal: 0.2}",
        "weights: {script: 1}",
        "weights: {script: 0.25, visual: 0.25, audio: 0.25, cross_modal: 0.25, stability: 0}",
        "weights: [1, 2]",
        "weights: {script: .nan, visual: 0.3, audio: 0.2, cross_modal: 0.2}",
        "weights: {script: 0.4, visual: 0.3, audio: 0.2, cross_modal: 0.1}\nconstraints: [be_nice]",
        "just words",
        "weights: {",
    ],
)
def test_broken_profile_is_an_input_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(InputError):
        load_profile(path)


def test_missing_profile_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        load_profile(tmp_path / "none.yaml")


def test_table_in_docs_is_the_generated_one() -> None:
    committed = (ROOT / "docs" / "reference" / "checkpoints.md").read_text(encoding="utf-8")
    assert committed == table(), "run python -m longtake.diagnosis.table > docs/reference/checkpoints.md"


def test_a_question_may_only_insist_on_what_can_be_looked_for() -> None:
    bare = set(lacking([*OF_A_BRIEF, *HEARD_OR_SEEN], gather(film(), signals(), None)))
    assert bare == {*OF_A_BRIEF, *HEARD_OR_SEEN}
    text = (files("longtake.diagnosis") / "data" / "rubric.yaml").read_text("utf-8")
    with pytest.raises(ValueError, match="a brif"):
        parse_rubric(text.replace("must: [a brief]", "must: [a brif]", 1))


def test_a_dimension_that_a_rubric_asks_nothing_of_does_not_apply() -> None:
    points = [p for p in load_rubric().checkpoints if p.dimension != "audio"]
    groups = [g for g in load_rubric().submetrics if g.dimension != "audio"]
    rubric = load_rubric().model_copy(update={"checkpoints": points, "submetrics": groups})
    rules = {p.id: rule(p.id, 1.0) for p in points if not p.gates}
    facts = gather(film(), signals(), None)
    found = [assess(d, facts, rubric, wanted_ids(rubric, None), rules, {}) for d in DIMENSIONS]
    document = synthesise(facts, rubric, load_profile(), found, {})
    assert document.dimensions["audio"].status == "not_applicable"
    assert document.overall.status == "scored"


WRONG = {
    "one level": "report_metrics: [{id: mine, dimension: visual, question: Why?, levels: [only], ask: {}}]",
    "no levels": "report_metrics: [{id: mine, dimension: visual, question: Why?, ask: {frames: shots}}]",
    "a version beyond all bounds": "version: 99999999999999999999",
    "an id that is taken": "report_metrics: [{id: visual, dimension: visual, question: Why?}]",
    "an id that is none": "report_metrics: [{id: '../x', dimension: visual, question: Why?}]",
    "an empty question": "report_metrics: [{id: mine, dimension: visual, question: ' '}]",
    "a list for a table": "submetrics: [1, 2]",
    "a number for a list": "checkpoints: 7",
    "an entry without an id": "checkpoints: [{weight: 0.1}]",
    "drop as a text": "drop: scene_order",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_rubric_that_would_fail_later_is_refused_when_it_is_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(f"extends: directorbench\n{WRONG[name]}\n")
    with pytest.raises(InputError) as caught:
        read_rubric(path)
    assert "object" not in caught.value.message
    assert "mine.yaml" in caught.value.message
