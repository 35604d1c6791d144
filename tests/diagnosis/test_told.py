"""Parts of films, what people are told, and what a rule says that it reads."""

from __future__ import annotations

from dataclasses import replace

import pytest
from by_hand import everything, film, run, shots, signals

from longtake.core.brief import Brief, Character, Line, PlannedShot, SoundWishes
from longtake.core.documents import CheckpointResult, Finding, ReportMetric, VideoEntry
from longtake.core.measurement import Evidence
from longtake.core.signal import Event, Signal, Signals
from longtake.diagnosis.confidence import available
from longtake.diagnosis.diagnose import gather
from longtake.diagnosis.graph import diagnose
from longtake.diagnosis.lacking import lacking
from longtake.diagnosis.rubric import load_rubric
from longtake.diagnosis.rules import REPORT_RULES, RULES
from longtake.diagnosis.table import table, waits_for

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
    needs = rule_of_all.needs
    assert available(mute, needs) < available(mute, needs, sound=False)


def test_a_rule_behind_a_gate_that_nothing_opens_is_not_counted_as_reached() -> None:
    rubric = load_rubric()
    waiting = [p.id for p in rubric.checkpoints if p.id in RULES and waits_for(p)]
    assert waiting == ["scene_presence", "scene_order"]
    assert f"{len(RULES) - 2} of 40 checkpoints have a rule that an offline run may reach" in table()


def test_what_the_signals_and_the_brief_give_is_no_longer_lacking() -> None:
    rubric = load_rubric()
    needs = {n for item in (*rubric.checkpoints, *rubric.report_metrics) for n in item.needs}
    shot = PlannedShot(index=0, text="a", scene="kitchen", characters=["Anna"], dialogue="Hello")
    brief = Brief(duration=20, shots=[shot], characters=[Character(name="Anna")])
    known = signals(*(Signal(name, 1) for name in ("speech", "sound", "faces", "scenes")))
    left = set(lacking(sorted(needs), gather(film(), known, brief)))
    asked = {n for n in left if not n.startswith("a judge")}
    assert asked <= {"planned acts with times", "a brief with checkable wishes"}
    bare = set(lacking(sorted(needs), gather(film(), signals(), None)))
    assert bare == needs
    mute = set(lacking(sorted(needs), gather(film(audio=False), signals(), None)))
    assert "speech recognition" in needs - mute


def test_a_proxy_hints_at_pictures_that_fit_every_other_text_better() -> None:
    texts = [PlannedShot(index=i, text=f"scene {i}", start=5.0 * i, end=5.0 * i + 5) for i in range(4)]
    ranks = {0: [1, 2, 3, 4], 1: [1, 4, 2, 3], 2: [1, 2, 3, 4], 3: [2, 3, 4, 1]}
    rows = [(5.0 * i + 2, text, rank) for i, row in ranks.items() for text, rank in enumerate(row)]
    columns = {name: [row[k] for row in rows] for k, name in enumerate(("time", "text", "rank"))}

    def hints(kind: str) -> list[float]:
        seen = Signal("text_picture", 1, columns=columns, facts={"kind": kind})
        known = Signals(
            {"shots": shots(5, 5, 5, 5), "container": Signal("container", 1), "text_picture": seen}
        )
        document = diagnose(film(duration=20), known, Brief(shots=texts))
        assert all(f.severity == "info" for f in document.findings if f.kind == "unlike_text")
        return [f.start for f in document.findings if f.kind == "unlike_text"]

    assert hints("proxy") == [5.0]
    assert hints("model") == []
