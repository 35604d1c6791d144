"""From signals to the document: gates, confidence, profiles, failures, findings."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from longtake.core.brief import Brief, Line, PlannedShot, SoundWishes
from longtake.core.documents import (
    Attribute,
    CheckpointResult,
    DiagnosisDocument,
    Finding,
    ReportMetric,
    VideoEntry,
)
from longtake.core.measurement import Evidence, Measurement
from longtake.core.signal import Event, Signal, Signals
from longtake.diagnosis.activation import activate, gate_attributes, missing_requirements
from longtake.diagnosis.assess import assess, confidence
from longtake.diagnosis.attributes import attributes_of
from longtake.diagnosis.diagnose import CROSS_MODAL, SPECIALISTS, diagnose, gather, synthesise, wanted_ids
from longtake.diagnosis.facts import Facts
from longtake.diagnosis.profiles import load_profile, profiles
from longtake.diagnosis.rubric import load_rubric
from longtake.diagnosis.rules import REPORT_RULES, RULES, Rule
from longtake.errors import UsageError

RUBRIC = load_rubric()


def film(**fields: Any) -> VideoEntry:
    known = {"path": "a.mp4", "hash": "0", "kind": "file", "duration": 20.0, "frames": 500, "audio": True}
    return VideoEntry.model_validate({**known, "width": 640, "height": 360, "fps": 25.0, **fields})


def shots(*lengths: float) -> Signal:
    edges = [sum(lengths[:i]) for i in range(len(lengths) + 1)]
    return Signal(
        "shots",
        1,
        columns={
            "index": list(range(len(lengths))),
            "start": edges[:-1],
            "end": edges[1:],
            "first_frame": [round(e * 25) for e in edges[:-1]],
            "last_frame": [round(e * 25) - 1 for e in edges[1:]],
        },
        facts={"source": "detected"},
    )


def signals(*more: Signal) -> Signals:
    known = [shots(10, 10), Signal("container", 1), *more]
    return Signals({s.name: s for s in known})


def rule(name: str, value: float | None = 0.25, **fields: Any) -> Rule:
    def answer(facts: Facts) -> Measurement:
        if value is None:
            return Measurement(name=name, status="unscored", reason="scene_unknown")
        seen = [Evidence(start=12, end=13, what="look here")]
        return Measurement(name=name, status="scored", value=value, evidence=seen)

    given = {"function": answer, "needs": ("shots",), "must": ("shots",), "clean": None, "separation": 0.8}
    return Rule(**{"checkpoint": name, **given, **fields})


def run(facts: Facts, rules: dict[str, Rule], profile: str = "neutral") -> DiagnosisDocument:
    wanted = wanted_ids(RUBRIC, None)
    found = [assess(d, facts, RUBRIC, wanted, rules, {}) for d in (*SPECIALISTS, *CROSS_MODAL)]
    return synthesise(facts, RUBRIC, load_profile(profile), found, {})


def known(**values: bool | int | None) -> dict[str, Attribute]:
    found = attributes_of(film(), signals())
    for name, value in values.items():
        found[name] = Attribute(id=name, value=value, reason=None if value is not None else "needs eyes")
    return gate_attributes(film(), found)


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
    assert activate(timing, known(has_dialogue=False, has_narration=False)).status == "not_applicable"
    assert activate(timing, known(has_dialogue=False, has_narration=None)).status == "unscored"


def test_what_was_asked_for_and_is_not_there_is_recorded() -> None:
    brief = Brief(
        shots=[PlannedShot(index=0, dialogue="Hello.")],
        sound=SoundWishes(music="slow", sound_effects=["rain"]),
    )
    mute = gate_attributes(film(audio=False), attributes_of(film(audio=False), signals()))
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
    assert confidence(some, rule("x", separation=1.0), "measured") == 0.9
    assert confidence(some, rule("x", needs=("shots", "motion"), separation=0.8), "measured") == 0.54
    assert confidence(some, rule("x", separation=1.0), "judged") == 0.55
    assert confidence(some, rule("x", separation=0.0), "measured") == 0.05


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
    assert any("rule.exposure_stability failed" in s for s in document.summary)


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
    document = diagnose(film(), signals(), brief, run={"arguments": ["a.mp4"]})
    text = json.dumps(document.to_json(), allow_nan=False)
    again = DiagnosisDocument.model_validate_json(text)
    assert again == document
    assert len(document.checkpoints) == document.coverage.registered == 40
    assert len(document.report_metrics) == 5
    assert document.overall.status == "unscored"
    assert f"{document.overall.covered_weight:.2f}" in document.summary[0]
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
    assert document.bottlenecks[0] in document.summary[1]
    assert "12.0 s: look here" in document.summary[1]


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


# A part of a film: its times are those of the film


def part(start: float, *lengths: float) -> tuple[VideoEntry, Signal]:
    seen = shots(*lengths)
    moved = {k: [t + start for t in seen.columns[k]] for k in ("start", "end")}
    end = start + sum(lengths)
    return film(duration=sum(lengths), start=start, end=end), Signal(
        "shots", 1, columns={**seen.columns, **moved}, facts=seen.facts
    )


def six_shots() -> Brief:
    edges = [0.0, 1.2, 3.0, 5.5, 8.2, 9.7, 10.0]
    planned = [PlannedShot(index=i, start=edges[i], end=edges[i + 1]) for i in range(6)]
    return Brief(duration=10.0, shots=planned, sound=SoundWishes(music="slow"), instruction="A silent film.")


def test_a_part_is_asked_for_nothing_that_lies_outside() -> None:
    entry, seen = part(3.04, 2.46, 1.98)
    document = diagnose(entry, signals(seen), six_shots())
    length = next(p for p in document.checkpoints if p.id == "duration_completeness")
    assert (length.status, length.reason) == ("not_applicable", "only a part of the film was looked at")
    wishes = next(m for m in document.report_metrics if m.id == "user_requirement_consistency")
    assert (wishes.value, wishes.facts["checkable"], wishes.facts["met"]) == (1, 3, 3)
    assert "missing" not in wishes.facts
    assert document.brief is not None
    assert [(s.index, s.measured) for s in document.brief.shots] == [(2, [0]), (3, [1])]
    assert any("4 of 6 planned shots are left out" in n["message"] for n in document.brief.notes)
    assert document.findings == []


def test_everything_told_of_a_part_lies_in_it() -> None:
    entry, seen = part(100.0, 12.0, 12.0)
    times = [100.0 + i for i in range(24)]
    levels = {"luma": [120.0 - 3 * (i % 12) for i in range(24)], "warmth": [4.0 * i for i in range(24)]}
    rest = {"chroma_u": 0.0, "chroma_v": 0.0, "sharpness": 0.4, "resolution": 0.3, "noise": 1.0}
    columns = {"time": times, **levels, **{k: [v] * 24 for k, v in rest.items()}, "blockiness": [0.9] * 24}
    rows = [100.0 + i / 4 for i in range(96)]
    motion = Signal("motion", 1, columns={"time": rows, "camera_speed": [0.0] * 96})
    cut = {"kind": ["cut"], "start": [112.0], "end": [112.0], "ssim": [0.5], "hist_shift": [0.1]}
    more = ("flow_before", "flow_after", "luma_shift", "luma_sd", "color_shift", "color_sd", "sound_jump_db")
    flash = [Event("flash", 112.0, 112.04)]
    more_columns = {**cut, **{k: [0.0] for k in more}, "frame": [300], "confidence": [1.0]}
    joins = Signal("transitions", 1, columns=more_columns, events=flash)
    planned = [PlannedShot(index=i, start=100.0 + 6 * i, end=106.0 + 6 * i) for i in range(4)]
    brief = Brief(shots=planned, sound=SoundWishes(music="slow"))
    given = signals(seen, Signal("picture", 1, columns=columns), motion, joins)
    document = diagnose(entry.model_copy(update={"audio": False}), given, brief)
    results: list[CheckpointResult | ReportMetric] = [*document.checkpoints, *document.report_metrics]
    spans: list[Evidence | Finding] = [*(e for r in results for e in r.evidence), *document.findings]
    told = {r.id for r in results if r.evidence}
    assert {"exposure_stability", "color_temperature", "color_consistency", "resolution_sharpness"} <= told
    assert {"visual_artifact_frequency", "transition_quality", "user_requirement_consistency"} <= told
    assert all(100 <= e.start <= e.end <= 124 for e in spans)


def test_planned_shots_without_times_are_not_looked_for_in_a_part() -> None:
    entry, seen = part(3.0, 2.0, 2.0)
    untimed = Brief(shots=[PlannedShot(index=i, text="x") for i in range(6)])
    document = diagnose(entry, signals(seen), untimed)
    assert document.brief is not None
    assert document.brief.shots == []
    assert [f.kind for f in document.findings] == []


# One thing is told once, in words that people use


def test_a_shift_is_told_once_and_by_the_number_people_count() -> None:
    late = Brief(shots=[PlannedShot(index=0, start=0, end=9.3), PlannedShot(index=1, start=9.3, end=20)])
    document = diagnose(film(), signals(), late)
    told = [f.what for f in document.findings]
    assert told == ["planned shot 1 ends 0.7 s late", "planned shot 2 starts 0.7 s late"]
    wishes = next(m for m in document.report_metrics if m.id == "user_requirement_consistency")
    assert "planned shot 2 from 9.3 to 20.0 s" in [wishes.facts["missed_1"], wishes.facts["missed_2"]]


def test_a_film_that_is_too_short_is_told_once_and_gravely() -> None:
    document = diagnose(film(), signals(), Brief(duration=40.0))
    assert [(f.kind, f.severity, f.checkpoint) for f in document.findings] == [
        ("film_shorter", "problem", "duration_completeness")
    ]


def test_subtitles_plan_no_shots() -> None:
    said = Brief(
        source="vtt",
        lines=[Line(start=4.0 * i, end=4.0 * i + 3, text="Hello.") for i in range(5)],
        sound=SoundWishes(dialogue=True),
    )
    document = diagnose(film(), signals(), said)
    assert document.findings == []
    by_id = {p.id: p for p in document.checkpoints}
    assert by_id["duration_completeness"].status == "not_applicable"
    assert by_id["pacing_structure"].status == "unscored"


# What a rule reads, it says


class Watched(Signals):
    """Signals that remember which of them were read."""

    def __init__(self, given: Signals) -> None:
        super().__init__(given.by_name, given.trace)
        object.__setattr__(self, "read", set())

    def __getitem__(self, name: str) -> Signal:
        self.read.add(name)  # type: ignore[attr-defined]
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self.read.add(name)  # type: ignore[attr-defined]
        return super().__contains__(name)  # type: ignore[operator]


@pytest.mark.parametrize("name", [*RULES, *REPORT_RULES])
def test_rules_declare_every_signal_that_they_read(name: str) -> None:
    given = {**RULES, **REPORT_RULES}[name]
    brief = Brief(
        shots=[
            PlannedShot(index=i, start=10 * i, end=10 * i + 10, scene="hall", camera="slow pan")
            for i in range(2)
        ]
    )
    facts = everything(brief)
    watched = Watched(facts.signals)
    given.function(replace(facts, signals=watched))
    assert watched.read <= set(given.needs)  # type: ignore[attr-defined]
    assert set(given.must) <= set(given.needs)


def test_a_rule_speaks_without_what_it_can_do_without_but_is_less_sure() -> None:
    facts = everything(None)
    half = Signals({n: s for n, s in facts.signals.by_name.items() if n not in ("picture", "audio")})
    both = [
        next(p for p in run(replace(facts, signals=s), RULES).checkpoints if p.id == "motion_continuity")
        for s in (facts.signals, half)
    ]
    assert [p.value for p in both] == [1, 1]
    assert (both[1].confidence or 0) == pytest.approx((both[0].confidence or 0) / 2, abs=1e-3)
    none = Signals({"transitions": facts.signals["transitions"]})
    point = next(
        p for p in run(replace(facts, signals=none), RULES).checkpoints if p.id == "motion_continuity"
    )
    assert (point.status, point.value) == ("unscored", None)


def test_a_silent_film_lacks_no_audio_signal() -> None:
    rule_of_all = REPORT_RULES["transition_quality"]
    mute = everything(None).signals
    mute = Signals({n: s for n, s in mute.by_name.items() if n != "audio"})
    assert confidence(mute, rule_of_all, "measured") < confidence(mute, rule_of_all, "measured", sound=False)


def everything(brief: Brief | None) -> Facts:
    """Faultless facts of all signals for 20 s in two shots."""
    seconds = [float(i) for i in range(20)]
    picture = ("luma", "warmth", "chroma_u", "chroma_v", "sharpness", "resolution", "noise", "blockiness")
    columns = {"time": seconds, **{k: [0.5] * 20 for k in picture}}
    joins = ("ssim", "hist_shift", "flow_before", "flow_after", "luma_shift", "luma_sd", "color_shift")
    cut = {"kind": ["cut"], "start": [10.0], "end": [10.0], "frame": [250], "confidence": [1.0]}
    cut |= {k: [0.0] for k in (*joins, "color_sd", "sound_jump_db", "sound_gap_s")}
    steps = [i / 4 for i in range(80)]
    given = signals(
        Signal("picture", 1, columns=columns),
        Signal("transitions", 1, columns=cut),
        Signal("motion", 1, columns={"time": steps, "camera_speed": [0.0] * 80, "object_speed": [0.0] * 80}),
        Signal("audio", 1, columns={"time": steps, "rms_db": [-20.0] * 80}, facts={"silent_share": 0.0}),
    )
    return gather(film(), given, brief)
