"""Demands of a profile that a brief is against."""

from __future__ import annotations

import pytest
from lighthouse import BRIEF

import longtake.prompting as prompting
from longtake.briefs.suite import suite_brief
from longtake.core.brief import Brief
from longtake.diagnosis.profiles import profiles
from longtake.prompting.against import against
from longtake.prompting.language import codes, language
from longtake.prompting.words import any_of, sentences

EN = language("en")
STILL = "narrative-room-tone"


def with_camera(*wishes: str) -> Brief:
    moving = [s.model_copy(update={"camera": "slow push-in"}) for s in BRIEF.shots]
    return BRIEF.model_copy(update={"camera": list(wishes), "shots": moving})


@pytest.mark.parametrize(
    "wish", ["Every frame is still, as people are", "One fixed frame", "Camera on a tripod"]
)
def test_a_still_camera_is_seen(wish: str) -> None:
    assert against(with_camera(wish), EN) == {"complex_camera_movements": ("camera wish 1",)}


@pytest.mark.parametrize(
    "wish", ["never static", "the camera still follows her", "always moving", "not locked off"]
)
def test_a_moving_camera_is_not(wish: str) -> None:
    assert against(with_camera(wish), EN) == {}


@pytest.mark.parametrize("profile", ["visual-heavy", "comprehensive-control"])
def test_the_brief_goes_first_and_that_is_said(profile: str) -> None:
    one = prompting.write_prompt(suite_brief(STILL), profile)
    assert one.status == "ok"
    text = str(one.prompt)
    assert EN.constraints["complex_camera_movements"].exact not in text
    assert text.endswith(EN.against["complex_camera_movements"].exact)
    assert "very frame is still" in text
    assert len(one.notes) == 1
    assert "still camera (camera wish 1; shots 1, 2, 3, 5, 6)" in one.notes[0]


def test_without_a_contradiction_all_is_as_it_was() -> None:
    one = prompting.write_prompt(with_camera("always moving"), "visual-heavy")
    assert one.notes == []
    assert EN.constraints["complex_camera_movements"].exact in str(one.prompt)
    assert prompting.write_prompt(suite_brief(STILL), "neutral").notes == [], "it demands nothing"


def test_music_where_there_is_to_be_none() -> None:
    silent = BRIEF.model_copy(update={"sound": BRIEF.sound.model_copy(update={"music": "no music at all"})})
    one = prompting.write_prompt(silent, "audio-emotion")
    assert EN.against["emotional_music"].warm in str(one.prompt)
    assert "no music (music)" in one.notes[0]


@pytest.mark.parametrize("code", codes())
def test_a_demand_for_the_rest_is_firm_in_every_language(code: str) -> None:
    spoken = language(code)
    assert spoken.against.keys() == EN.against.keys()
    for name, other in spoken.against.items():
        demand = spoken.constraints[name]
        for text in (other.warm, other.exact):
            (one,) = sentences(text)
            assert any_of(one, demand.about, spoken), (name, text)
            assert any_of(one, demand.firm, spoken), (name, text)
            assert any_of(one, spoken.softeners, spoken) is None, (name, text)
            assert text not in (demand.warm, demand.exact)


def test_a_judge_is_asked_for_the_same() -> None:
    from longtake.prompting.judged import traits
    from longtake.prompting.room import room_for

    demands = traits(profiles()["visual-heavy"], room_for(suite_brief(STILL)))["demands"]
    assert EN.against["complex_camera_movements"].exact in demands
