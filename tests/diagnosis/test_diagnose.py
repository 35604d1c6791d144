"""From signals to the document: gates, confidence, profiles, failures, findings."""

from __future__ import annotations

import json

import pytest
from by_hand import RUBRIC, film, rule, run, shots, signals

from longtake.core.brief import Brief, PlannedShot, SoundWishes
from longtake.core.documents import (
    Attribute,
    DiagnosisDocument,
)
from longtake.core.measurement import Measurement
from longtake.core.signal import Event, Signal, Signals
from longtake.diagnosis.activation import activate, gate_attributes, missing_requirements
from longtake.diagnosis.assess import assess
from longtake.diagnosis.attributes import attributes_of
from longtake.diagnosis.confidence import confidence, of_rule
from longtake.diagnosis.diagnose import gather, synthesise, wanted_ids
from longtake.diagnosis.facts import Facts
from longtake.diagnosis.graph import diagnose
from longtake.diagnosis.profiles import load_profile, profiles
from longtake.diagnosis.rules import Rule
from longtake.diagnosis.work import CROSS_MODAL, SPECIALISTS
from longtake.errors import UsageError


def known(**values: bool | int | None) -> dict[str, Attribute]:
    found = gate_attributes(film(), attributes_of(film(), signals()), signals())
    for name, value in values.items():
        found[name] = Attribute(id=name, value=value, reason=None if value is not None else "needs eyes")
    return found


# Attributes


def test_attributes_of_a_single_silent_shot() -> None:
    motion = Signal("motion", 1, facts={"camera_share": 0.0, "fast_share": 0.5})
    found = attributes_of(film(audio=False), Signals({"shots": shots(20), "motion": motion}))
    values = {name: a.value for name, a in found.items() if a.value is not None}
    assert values == {
        "is_single_shot": True,
        "scene_count": 1,
        "has_scene_changes": False,
        "has_camera_movement": False,
        "has_fast_motion": True,
        "has_dialogue": False,
        "has_narration": False,
        "has_visible_speaker": False,
        "has_background_music": False,
    }
    assert len(found) == 18
    assert any(a.value is None for a in found.values())
    assert all(a.reason for a in found.values() if a.value is None)


def test_sound_alone_says_neither_speech_nor_music() -> None:
    quiet_tempo = Signal("audio", 1, facts={"silent_share": 0.2, "tempo_confidence": 0.4})
    found = attributes_of(film(), signals(quiet_tempo))
    assert [found[n].value for n in ("has_dialogue", "has_narration", "has_background_music")] == [None] * 3
    steady = Signal("audio", 1, facts={"silent_share": 0.2, "tempo_confidence": 0.95})
    assert attributes_of(film(), signals(steady))["has_background_music"].value is True
    dead = Signal("audio", 1, facts={"silent_share": 1.0, "tempo_confidence": None})
    assert attributes_of(film(), signals(dead))["has_dialogue"].value is False


def test_a_failed_signal_leaves_attributes_unknown() -> None:
    failed = Signal("motion", 1, "failed", "boom")
    found = attributes_of(film(), signals(failed))
    assert found["has_camera_movement"].value is None
    assert "boom" in (found["has_camera_movement"].reason or "")


# Gates


def test_gates_have_three_outcomes() -> None:
    face = RUBRIC.checkpoint("char_face_consistency")
    assert activate(face, known(has_characters=True)).status == "scored"
    assert activate(face, known(has_characters=False)).status == "not_applicable"
    unknown = activate(face, known(has_characters=None))
    assert unknown.status == "unscored"
    assert (unknown.reason or "").startswith("gate_unknown")


def test_a_shut_gate_decides_over_an_unknown_one() -> None:
    lips = RUBRIC.checkpoint("lip_sync_quality")
    assert activate(lips, known(has_characters=None, has_dialogue=False)).status == "not_applicable"


def test_narration_opens_the_gate_of_speech() -> None:
    timing = RUBRIC.checkpoint("speech_timing")
    assert activate(timing, known(has_dialogue=False, has_narration=True)).status == "scored"
    mute = known(has_dialogue=False, has_narration=False, has_speech=False)
    assert activate(timing, mute).status == "not_applicable"
    assert activate(timing, known(has_dialogue=False, has_narration=None)).status == "unscored"


def test_a_voice_opens_the_gate_of_speech_whoever_it_is() -> None:
    timing = RUBRIC.checkpoint("speech_timing")
    assert activate(timing, known(has_dialogue=None, has_narration=None, has_speech=True)).status == "scored"


def test_what_was_asked_for_and_is_not_there_is_recorded() -> None:
    brief = Brief(
        shots=[PlannedShot(index=0, dialogue="Hello.")],
        sound=SoundWishes(music="slow", sound_effects=["rain"]),
    )
    mute = gate_attributes(film(audio=False), attributes_of(film(audio=False), signals()), signals())
    quiet = gather(film(audio=False), signals(), brief)
    assert len(missing_requirements(quiet, mute)) == 3
    assert missing_requirements(gather(film(), signals(), brief), known()) == []
    assert missing_requirements(gather(film(audio=False), signals(), None), mute) == []
    document = diagnose(film(audio=False), signals(), brief)
    metric = next(m for m in document.report_metrics if m.id == "user_requirement_consistency")
    assert any("dialogue" in item for item in metric.facts["missing"])


# Rules and confidence


def test_confidence_is_a_product_and_capped_for_judged() -> None:
    some = signals(Signal("motion", 1, "fallback", "slow path"))

    def sure(given: Rule, *, stands_in: bool = False) -> float:
        return confidence(of_rule(some, given, sound=True), stands_in=stands_in)

    assert sure(rule("x", separation=1.0)) == 0.9
    assert sure(rule("x", needs=("shots", "motion"), separation=0.8)) == 0.54
    assert sure(rule("x", separation=1.0), stands_in=True) == 0.55
    assert sure(rule("x", separation=0.0)) == 0.05


def test_a_missing_signal_leaves_a_checkpoint_unscored() -> None:
    facts = gather(film(), signals(Signal("picture", 1, "failed", "no space left")), None)
    document = run(
        facts, {"color_consistency": rule("color_consistency", needs=("picture",), must=("picture",))}
    )
    point = next(p for p in document.checkpoints if p.id == "color_consistency")
    assert (point.status, point.value, point.confidence) == ("unscored", None, None)
    assert "no space left" in (point.reason or "")


def test_a_rule_that_raises_costs_its_checkpoint_only() -> None:
    def broken(facts: Facts) -> Measurement:
        raise ZeroDivisionError("division by zero")

    rules = {
        "exposure_stability": rule("exposure_stability", function=broken),
        "light_direction": rule("light_direction", 0.5),
    }
    document = run(gather(film(), signals(), None), rules)
    by_id = {p.id: p for p in document.checkpoints}
    assert by_id["exposure_stability"].status == "unscored"
    assert by_id["light_direction"].value == 0.5
    failed = [t for t in document.trace if t.status == "failed"]
    assert [t.tool for t in failed] == ["rule.exposure_stability"]
    assert any("The rule for exposure stability failed" in s for s in document.summary)


def test_a_scored_checkpoint_carries_all_its_provenance() -> None:
    document = run(gather(film(), signals(), None), {"light_direction": rule("light_direction", 0.25)})
    point = next(p for p in document.checkpoints if p.id == "light_direction")
    assert point.method == "rule"
    assert point.authority == "judged"
    assert point.confidence == 0.55
    assert point.low_confidence
    assert point.anchor == RUBRIC.checkpoint("light_direction").levels[1]
    assert "a judge that sees frames" in point.needs


# The document


def test_no_profile_changes_a_checkpoint() -> None:
    facts = gather(film(), signals(), None)
    rules = {c.id: rule(c.id, 0.3) for c in RUBRIC.checkpoints}
    documents = [run(facts, rules, name) for name in profiles()]
    assert len(documents) == 8
    assert documents[0].bottlenecks
    for document in documents:
        assert document.checkpoints == documents[0].checkpoints
        assert document.dimensions == documents[0].dimensions
        assert document.by_profile == documents[0].by_profile
        assert document.bottlenecks == documents[0].bottlenecks


def test_order_of_phases_changes_nothing() -> None:
    facts = gather(film(), signals(), None)
    rules = {c.id: rule(c.id, 0.3) for c in RUBRIC.checkpoints}
    wanted = wanted_ids(RUBRIC, None)
    found = [assess(d, facts, RUBRIC, wanted, rules, {}) for d in (*SPECIALISTS, *CROSS_MODAL)]
    there = synthesise(facts, RUBRIC, load_profile(), found, {})
    back = synthesise(facts, RUBRIC, load_profile(), found[::-1], {})
    assert there.model_dump(exclude={"trace"}) == back.model_dump(exclude={"trace"})


def test_the_document_is_strict_json_and_counts_all_forty() -> None:
    brief = Brief(
        shots=[PlannedShot(index=0, text="a", start=0, end=10), PlannedShot(index=1, start=10, end=20)]
    )
    document = diagnose(film(), signals(), brief, run_record={"arguments": ["a.mp4"]})
    text = json.dumps(document.to_json(), allow_nan=False)
    again = DiagnosisDocument.model_validate_json(text)
    assert again == document
    assert len(document.checkpoints) == document.coverage.registered == 40
    assert len(document.report_metrics) == 5
    assert document.overall.status == "unscored"
    assert f"only {document.overall.covered_weight:.0%}".replace("%", " %") in document.summary[0]
    assert document.brief is not None
    assert [s.measured for s in document.brief.shots] == [[0], [1]]
    assert document.rubric["hash"] == RUBRIC.hash


def test_what_is_not_scored_has_a_reason_and_no_number() -> None:
    without = [p for p in diagnose(film(), signals(), None).checkpoints if p.status != "scored"]
    assert len(without) > 20
    for point in without:
        assert (point.value, point.confidence, point.anchor, point.method) == (None, None, None, None)
        assert point.reason


def test_summary_names_only_checkpoints_of_the_document() -> None:
    rules = {c.id: rule(c.id, 0.1) for c in RUBRIC.checkpoints if not c.gates}
    document = run(gather(film(), signals(), None), rules, "story-first")
    assert document.bottlenecks
    weak = next(s for s in document.summary if s.startswith("Look first at"))
    assert document.bottlenecks[0].split("_")[-1] in weak
    assert "12.0 s look here" in weak


def test_only_asks_for_less() -> None:
    document = diagnose(film(), signals(), None, only=["stability", "motion-continuity"])
    asked = {p.id for p in document.checkpoints if p.reason != "not asked for"}
    assert asked == {c.id for c in RUBRIC.checkpoints if c.dimension == "stability"} | {"motion_continuity"}
    assert {m.reason for m in document.report_metrics} == {"not asked for"}
    assert document.coverage.active <= len(asked)
    assert document.dimensions["script"].reason == document.dimensions["audio"].reason == "not asked for"
    assert document.dimensions["script"].n_active == 0
    assert document.dimensions["stability"].reason != "not asked for"
    with pytest.raises(UsageError) as caught:
        diagnose(film(), signals(), None, only=["exposure_stabilty"])
    assert "exposure_stability" in (caught.value.hint or "")


def test_findings_have_stable_ids_places_and_no_doubles() -> None:
    motion = Signal(
        "motion",
        1,
        events=[
            Event("freeze", 12, 13, 1.0, "stands still"),
            Event("jump", 4, 4.04, 5.0, "jumps"),
            Event("onset", 1, 1),
        ],
    )
    brief = Brief(shots=[PlannedShot(index=0, start=0, end=10), PlannedShot(index=1, start=10, end=40)])
    rules = {"light_direction": rule("light_direction", 0.1)}
    document = run(gather(film(), signals(motion), brief), rules)
    kinds = [f.kind for f in document.findings]
    # The freeze lies where the rule's evidence is, so it is told once; onsets are no findings.
    assert kinds == ["jump", "shifted_shot", "light_direction", "film_shorter"]
    assert [f.shot for f in document.findings] == [0, 1, 1, 1]
    assert document.findings[2].severity == "problem"
    again = run(gather(film(), signals(motion), brief), rules)
    assert [f.id for f in again.findings] == [f.id for f in document.findings]
    assert len({f.id for f in document.findings}) == len(document.findings)


def test_many_events_of_one_kind_are_counted_not_listed() -> None:
    clicks = [Event("click", float(i), float(i), 0.5) for i in range(200)]
    document = run(gather(film(duration=200.0), signals(Signal("audio", 1, events=clicks)), None), {})
    told = [f for f in document.findings if f.kind == "click"]
    assert len(told) == 61
    assert sum("140 more" in f.what for f in told) == 1


def test_the_summary_is_written_for_people() -> None:
    rules = {c.id: rule(c.id, 0.1) for c in RUBRIC.checkpoints if not c.gates}
    scored = run(gather(film(), signals(), None), rules, "story-first")
    unscored = diagnose(film(), signals(), None)
    for sentence in (*scored.summary, *unscored.summary):
        assert "_" not in sentence
        assert "weight" not in sentence
        assert not sentence[0].islower()
        assert sentence.endswith(".")
