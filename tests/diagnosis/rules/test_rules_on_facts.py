"""Rules on facts made by hand: what they count, what they leave open, and that they know no profile."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from longtake.core.brief import Brief, PlannedShot, SoundWishes
from longtake.core.documents import Attribute, VideoEntry
from longtake.core.signal import Event, Signal, Signals
from longtake.diagnosis.facts import Facts
from longtake.diagnosis.plan import AlignedShot, Plan
from longtake.diagnosis.rubric import load_rubric
from longtake.diagnosis.rules import REPORT_RULES, RULES
from longtake.signals.registry import LIGHT

ALL = {**RULES, **REPORT_RULES}
SECONDS = 20


def signal(
    name: str, columns: Mapping[str, Any] | None = None, events: Sequence[Event] = (), **facts: Any
) -> Signal:
    arrays = {k: np.asarray(v) for k, v in (columns or {}).items()}
    return Signal(name, 1, columns=arrays, events=tuple(events), facts=facts)


def picture(**columns: Any) -> Signal:
    rows = {"time": np.arange(SECONDS, dtype=float)}
    steady = {
        "luma": 120.0,
        "warmth": 2.0,
        "chroma_u": 0.0,
        "chroma_v": 2.0,
        "sharpness": 0.4,
        "resolution": 0.9,
        "noise": 1.0,
        "blockiness": 0.05,
    }
    return signal("picture", rows | {k: columns.get(k, np.full(SECONDS, v)) for k, v in steady.items()})


def cuts(times: Sequence[float], **columns: Any) -> Signal:
    n = len(times)
    base = {"kind": ["cut"] * n, "start": list(times), "end": list(times)}
    zero = (
        "ssim",
        "hist_shift",
        "flow_before",
        "flow_after",
        "luma_shift",
        "color_shift",
        "luma_sd",
        "color_sd",
    )
    rows = base | {k: columns.get(k, [0.0] * n) for k in (*zero, "sound_jump_db", "sound_gap_s")}
    return signal("transitions", rows, columns.get("events", ()))


def still(*events: Event, speed: float = 0.0) -> Signal:
    rows = {"time": np.arange(0, 20, 0.25), "camera_speed": np.full(80, speed)}
    return signal("motion", rows, events)


def facts(*given: Signal, brief: Brief | None = None, plan: Plan | None = None, **attributes: Any) -> Facts:
    starts = [0.0, 5.0, 10.0, 15.0]
    clean = [
        signal("container", {"part": [0]}),
        signal("shots", {"start": starts, "end": [*starts[1:], 20.0]}),
        cuts(starts[1:]),
        signal("motion", {"time": np.arange(0, 20, 0.25), "camera_speed": np.zeros(80)}),
        picture(),
        signal("audio", {"time": np.arange(0, 20, 0.1), "rms_db": np.full(200, -20.0)}, silent_share=0.0),
    ]
    by_name = {s.name: s for s in (*clean, *given)}
    film = VideoEntry(
        path="a.mp4",
        hash="0",
        kind="file",
        duration=20,
        frames=500,
        width=640,
        height=360,
        fps=25,
        audio=True,
    )
    known = {k: Attribute(id=k, value=v) for k, v in attributes.items()}
    return Facts(Signals(by_name), film, brief, plan, known)


def value(name: str, *given: Signal, **more: Any) -> float:
    found = ALL[name].function(facts(*given, **more))
    assert found.value is not None, found.reason
    return found.value


def planned(*scenes: str | None, camera: str | None = None) -> tuple[Brief, Plan]:
    shots = [
        PlannedShot(index=i, start=5.0 * i, end=5.0 * i + 5, scene=s, camera=camera)
        for i, s in enumerate(scenes)
    ]
    aligned = tuple(
        AlignedShot(i, 5.0 * i, 5.0 * i + 5, (i,), 5.0 * i, 5.0 * i + 5) for i in range(len(scenes))
    )
    return Brief(shots=shots), Plan(aligned)


def test_every_rule_belongs_to_the_rubric() -> None:
    rubric = load_rubric()
    assert set(RULES) <= {c.id for c in rubric.checkpoints}
    assert set(REPORT_RULES) <= {m.id for m in rubric.report_metrics}


@pytest.mark.parametrize("name", ALL)
def test_rules_answer_from_facts_alone_and_say_why_not(name: str) -> None:
    assert list(inspect.signature(ALL[name].function).parameters) == ["facts"]
    assert (ALL[name].function.__doc__ or "").strip()
    nothing = Facts(Signals({}), facts().film, Brief(duration=20), None, {})
    found = ALL[name].function(nothing)
    assert found.name == name
    assert found.status != "scored" or name in ("user_requirement_consistency",)


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, rule in RULES.items()
        if name not in ("duration_completeness", "pacing_structure") and set(rule.must) <= set(LIGHT)
    ],
)
def test_faultless_facts_get_the_best_value(name: str) -> None:
    assert value(name) == 1


def test_motion_counts_freezes_runs_of_repeats_and_sure_jumps() -> None:
    def given(*events: Event) -> float:
        return value("motion_continuity", still(*events))

    assert given(Event("freeze", 3, 4, 1.0)) == 0
    assert given(Event("duplicate", 3, 5, 0.5)) == 0
    assert given(Event("jump", 3, 3.04, 20.0)) == 0
    assert given(Event("duplicate", 3, 3.08, 0.5), Event("jump", 9, 9.04, 3.5)) == 1


def test_flicker_and_drift_lower_exposure() -> None:
    ramp = np.tile(np.linspace(120, 60, 5), 4)
    assert value("exposure_stability", still(Event("flicker", 0, 20, 16.0))) == 0
    assert value("exposure_stability", picture(luma=ramp)) < 0.75


def test_shots_of_different_colour_are_no_drift_but_a_ramp_is() -> None:
    varied = np.repeat([2.0, 30.0, -10.0, 12.0], 5)
    assert value("color_consistency", picture(warmth=varied)) > 0.75
    assert value("color_temperature", picture(warmth=varied)) == 1
    assert value("color_consistency", picture(warmth=np.linspace(0, 40, SECONDS))) < 0.3


def test_quality_that_falls_is_seen_and_one_soft_shot_is_not() -> None:
    soft = np.full(SECONDS, 0.4)
    soft[10:15] = 0.1
    assert value("temporal_degradation", picture(sharpness=soft)) > 0.9
    assert value("temporal_degradation", picture(sharpness=np.geomspace(0.4, 0.1, SECONDS))) < 0.3
    assert value("temporal_degradation", picture(noise=np.linspace(1, 9, SECONDS))) < 0.3


def test_too_short_a_film_has_no_course() -> None:
    short = signal("picture", {k: v[:2] for k, v in picture().columns.items()})
    assert ALL["temporal_degradation"].function(facts(short)).status == "unscored"
    assert ALL["color_consistency"].function(facts(short)).status == "unscored"


@pytest.mark.parametrize(("asked", "expected"), [(20.0, 1), (22.0, 1), (23.0, 0), (12.0, 1)])
def test_length_passes_from_nine_tenths(asked: float, expected: int) -> None:
    assert value("duration_completeness", brief=Brief(duration=asked)) == expected


def test_no_asked_length_is_not_applicable() -> None:
    assert ALL["duration_completeness"].function(facts(brief=Brief())).status == "not_applicable"
    assert ALL["duration_completeness"].function(facts()).status == "not_applicable"


def test_missing_last_shot_is_no_ending() -> None:
    begun = AlignedShot(0, 0.0, 20.0, (0,), 0.0, 20.0)
    cut_short = Plan((begun, AlignedShot(1, 20.0, 21.0)))
    assert value("duration_completeness", brief=Brief(duration=21), plan=cut_short) == 0
    assert value("duration_completeness", brief=Brief(duration=20), plan=planned("a", "b")[1]) == 1


def test_a_long_enough_film_whose_last_shot_was_not_told_apart_is_not_cut_short() -> None:
    merged = Plan((AlignedShot(0, 0.0, 10.0, (0,), 0.0, 20.0), AlignedShot(1, 10.0, 19.4)))
    found = ALL["duration_completeness"].function(facts(brief=Brief(duration=19.4), plan=merged))
    assert (found.value, found.facts["ending"]) == (1, None)


def test_pacing_compares_shares_of_time() -> None:
    brief, plan = planned("a", "b")
    swapped = Plan(
        (AlignedShot(0, 0.0, 5.0, (0,), 0.0, 9.0), AlignedShot(1, 5.0, 10.0, (1,), 9.0, 10.0)),
    )
    assert value("pacing_structure", brief=brief, plan=plan) == 1
    assert value("pacing_structure", brief=brief, plan=swapped) == pytest.approx(0.2)


def test_dead_silence_in_mid_sound_is_a_gap_and_a_pause_is_not() -> None:
    level = np.full(200, -20.0)
    level[50:70] = -120.0
    rows = {"time": np.arange(200) / 10, "rms_db": level}
    silent = Event("silence", 5.0, 7.0, -120.0)
    gap = signal("audio", rows, [silent], silent_share=0.1)
    pause = signal("audio", rows, [Event("silence", 5.0, 7.0, -70.0)], silent_share=0.1)
    assert value("audio_continuity", gap) < 0.4
    assert value("audio_continuity", pause) == 1


def test_music_is_asked_at_every_cut() -> None:
    leap = cuts([5.0, 10.0, 15.0], sound_jump_db=[0.0, 25.0, 1.0])
    assert value("bgm_transition_smoothness", leap) == pytest.approx(2 / 3, abs=1e-3)


def test_intended_cuts_between_scenes_are_not_punished() -> None:
    brief, plan = planned("hall", "garden", "street", "street")
    unlike = cuts([5.0, 10.0, 15.0], luma_shift=[80.0, 80.0, 0.0], luma_sd=[1.0] * 3)
    assert value("transition_quality", unlike, brief=brief, plan=plan) == 1
    jump = cuts([5.0, 10.0, 15.0], luma_shift=[0.0, 0.0, 80.0], luma_sd=[1.0] * 3)
    assert value("transition_quality", jump, brief=brief, plan=plan) == 0
    closer = cuts([5.0, 10.0, 15.0], luma_shift=[0.0, 0.0, 22.0], luma_sd=[1.0] * 3)
    assert value("transition_quality", closer, brief=brief, plan=plan) == 1


def test_unknown_scenes_count_defects_and_give_no_score() -> None:
    flash = cuts([5.0, 10.0, 15.0], events=[Event("flash", 10.0, 10.04)])
    found = ALL["transition_quality"].function(facts(flash))
    assert (found.status, found.reason) == ("unscored", "scene_unknown")
    assert found.facts["boundaries_with_defects"] == 1
    assert found.facts["released_formula"] is not None
    assert len(found.evidence) == 1


def looks(**same: float) -> Signal:
    """Likelihoods of one place by pair of shots, as ``_01=.95``; of the others it is not sure."""
    pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)]
    odds = [same.get(f"_{a}{b}", float("nan")) for a, b in pairs]
    return signal("scenes", {"a": [a for a, _ in pairs], "b": [b for _, b in pairs], "same_scene": odds})


def test_joins_within_a_scene_are_told_by_looks_where_no_plan_tells() -> None:
    jumps = cuts([5.0, 10.0, 15.0], luma_shift=[80.0, 80.0, 0.0], luma_sd=[1.0] * 3)
    rule = ALL["transition_quality"].function
    found = rule(facts(jumps, looks(_01=0.02, _12=0.97, _23=0.99)))
    assert found.facts["scene_changes"] == 1
    assert found.value == 0.5
    assert (found.confidence or 1) < 1
    # The plan knows better than looks.
    brief, plan = planned("hall", "garden", "street", "street")
    assert value("transition_quality", jumps, looks(_12=0.97), brief=brief, plan=plan) == 1
    assert rule(facts(jumps, looks(_01=0.02, _12=0.02, _23=0.02))).status == "not_applicable"
    assert rule(facts(jumps, looks(_01=0.02, _23=0.02))).reason == "scene_unknown"
    back_and_forth = rule(facts(jumps, looks(_01=0.02, _12=0.02, _23=0.02, _02=0.99)))
    assert back_and_forth.reason == "scene_unknown"
    assert back_and_forth.facts["scene_changes"] == 1


def test_a_single_shot_has_no_transitions() -> None:
    assert ALL["transition_quality"].function(facts(cuts([]))).status == "not_applicable"


def test_requirements_list_what_is_missed() -> None:
    brief, plan = planned("a", "b", "c", "d", camera="slow pan to the left")
    found = ALL["user_requirement_consistency"].function(
        facts(
            brief=brief.model_copy(update={"duration": 20.0, "sound": SoundWishes(music="calm")}), plan=plan
        )
    )
    assert found.facts["checkable"] == 10  # length, number, four places, four moving cameras
    assert found.facts["met"] == 6
    assert found.facts["camera"] == 0
    assert "moving camera in planned shot 1" in str(found.facts["missed_1"])
    assert found.value == pytest.approx(0.6)


def test_nothing_checkable_is_not_applicable() -> None:
    brief = Brief(instruction="A sad film about the sea.")
    assert ALL["user_requirement_consistency"].function(facts(brief=brief)).status == "not_applicable"


def test_silent_film_asked_for_speech_misses_it() -> None:
    quiet = signal("audio", {"time": [0.0]}, silent_share=1.0)
    found = ALL["user_requirement_consistency"].function(
        facts(quiet, brief=Brief(sound=SoundWishes(dialogue=True, music="jazz")))
    )
    assert found.value == 0
    assert found.facts["checkable"] == 2


COURSE = ("motion_continuity", "exposure_stability", "color_temperature", "color_consistency")
COURSE_TOO = ("temporal_degradation", "visual_artifact_frequency", "audio_continuity")


@pytest.mark.parametrize("name", [*COURSE, *COURSE_TOO])
@pytest.mark.parametrize(("frames", "duration"), [(1, 0.04), (1, 5.0), (20, 0.8)])
def test_a_film_too_brief_for_a_course_gets_no_value(name: str, frames: int, duration: float) -> None:
    rows = {k: v[:1] for k, v in picture().columns.items()}
    motion = {"time": [0.0], "camera_speed": [np.nan], "object_speed": [np.nan]}
    given = facts(
        signal("picture", rows),
        signal("motion", motion, frozen_share=0.0, flicker_amplitude=None),
        signal("shots", {"start": [0.0], "end": [duration]}),
        signal("audio", {"time": [], "rms_db": []}, silent_share=None),
        cuts([]),
    )
    film = given.film.model_copy(update={"frames": frames, "duration": duration})
    found = ALL[name].function(replace(given, film=film))
    assert (found.status, found.value) == ("unscored", None)
    assert found.reason
    assert all(v is None or (v == 0 and isinstance(v, int)) for v in found.facts.values())


def test_no_shot_with_a_course_has_no_largest_drift() -> None:
    short = signal("shots", {"start": np.arange(0, 20, 2.0), "end": np.arange(2, 22, 2.0)})
    swings = signal("motion", still().columns, flicker_amplitude=0.4)
    found = ALL["exposure_stability"].function(facts(short, swings))
    assert (found.value, found.facts["largest_drift"]) == (1, None)
    unknown = ALL["exposure_stability"].function(facts(short))
    assert unknown.status == "unscored"


@pytest.mark.parametrize(("name", "what"), [("exposure_stability", "luma"), ("color_temperature", "warmth")])
def test_change_under_a_moving_camera_is_not_judged(name: str, what: str) -> None:
    changing = picture(**{what: np.tile(np.linspace(120, 60, 5), 4)})
    assert value(name, changing) < 0.75
    moving = ALL[name].function(facts(changing, still(speed=0.2)))
    assert (moving.status, moving.facts["shots_left_out"]) == ("unscored", 4)
    assert value(name, still(speed=0.2)) == 1
    one = np.full(SECONDS, 100.0)
    one[:5] = np.linspace(120, 60, 5)
    mixed = still()
    mixed.columns["camera_speed"][:20] = 0.2
    found = ALL[name].function(facts(picture(**{what: one}), mixed))
    assert (found.value, found.facts["shots_left_out"]) == (1, 1)


def test_swings_are_judged_under_a_moving_camera() -> None:
    ramp = picture(luma=np.tile(np.linspace(120, 60, 5), 4))
    flicker = Event("flicker", 0, 20, 16.0)
    moving = signal("motion", still(speed=0.2).columns, [flicker])
    assert value("exposure_stability", ramp, moving) == 0


def test_the_share_of_moving_cameras_is_a_fact() -> None:
    brief, plan = planned("a", "b", "c", "d", camera="slow pan to the left")
    half = still()
    half.columns["camera_speed"][:40] = 0.2
    rule = ALL["user_requirement_consistency"].function
    assert rule(facts(half, brief=brief, plan=plan)).facts["camera"] == 0.5
    static, plan = planned("a", "b", camera="static")
    assert rule(facts(brief=static, plan=plan)).facts["camera"] is None


def recovered(brief: Brief, plan: Plan, *shots: int) -> dict[str, Any]:
    """A plan whose shots with these places share one measured shot: the times between them are its own."""
    one = tuple(shots)
    found = [replace(s, measured=one, recovered=True) if s.index in shots else s for s in plan.shots]
    return {"brief": brief.model_copy(update={"duration": 20.0}), "plan": Plan(tuple(found))}


def test_times_that_only_the_plan_tells_are_no_finding() -> None:
    whole = planned("a", "b", "c", "d")
    nothing = ALL["pacing_structure"].function(facts(**recovered(*whole, 0, 1, 2, 3)))
    assert nothing.status == "unscored"
    assert "no cut" in str(nothing.reason)
    half = ALL["pacing_structure"].function(facts(**recovered(*whole, 2, 3)))
    assert (half.value, half.facts["told_apart"]) == (1.0, 3)
    late = [
        replace(s, measured_end=7.0) if s.index == 0 else s for s in recovered(*whole, 2, 3)["plan"].shots
    ]
    late[1] = replace(late[1], measured_start=7.0)
    found = ALL["pacing_structure"].function(facts(brief=whole[0], plan=Plan(tuple(late))))
    assert found.value == pytest.approx(1 - 0.1 / 0.5)  # 7, 3 and 10 s instead of 5, 5 and 10
    places = ALL["user_requirement_consistency"].function(facts(**recovered(*whole, 2, 3)))
    assert places.facts["checkable"] == 4  # length, number, the places of two shots


def test_flicker_that_hides_cuts_leaves_shots_uncounted() -> None:
    brief, plan = planned("a", "b", "c", "d")
    brief = brief.model_copy(update={"duration": 20.0})
    few = signal("shots", {"start": [0.0], "end": [20.0]})
    rule = ALL["user_requirement_consistency"].function
    weak, strong = (still(Event("flicker", 0, 20, levels)) for levels in (10.0, 16.0))
    assert rule(facts(few, weak, brief=brief, plan=plan)).facts["checkable"] == 6
    assert rule(facts(few, weak, brief=brief, plan=plan)).value == pytest.approx(5 / 6, abs=1e-4)
    assert rule(facts(few, strong, brief=brief, plan=plan)).facts["checkable"] == 1
    assert rule(facts(few, strong, brief=brief, plan=plan)).value == 1


def test_shots_are_numbered_from_one_for_people() -> None:
    brief, _ = planned("a", "b", camera="slow pan")
    swapped = Plan((AlignedShot(0, 0.0, 5.0, (0,), 0.0, 9.0), AlignedShot(1, 5.0, 10.0, (1,), 9.0, 10.0)))
    for name in ("pacing_structure", "user_requirement_consistency"):
        told = " ".join(e.what for e in ALL[name].function(facts(brief=brief, plan=swapped)).evidence)
        assert "shot 1 " in told
        assert "shot 2 " in told
        assert "shot 0" not in told
