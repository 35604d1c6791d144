"""What heavy signals say of a film's content, and what they leave open."""

from __future__ import annotations

from typing import Any

import pytest
from by_hand import film, shots, signals

from longtake.core.signal import Event, Signal
from longtake.diagnosis.attributes import attributes_of, has_speech

AUDIO = Signal("audio", 1, facts={"silent_share": 0.1, "tempo_confidence": 0.0})


def of(name: str, *given: Signal) -> Any:
    return attributes_of(film(), signals(AUDIO, *given))[name].value


def faces(*rows: tuple[int, float, float, float], unidentified: int = 0) -> Signal:
    """Rows of person, start, end, sure."""
    columns = {n: [r[i] for r in rows] for i, n in enumerate(("person", "start", "end", "sure"))}
    return Signal("faces", 1, columns=columns, facts={"unidentified": unidentified})


def speech(*voices: tuple[float, float]) -> Signal:
    events = [Event("voice", a, b, 0.9) for a, b in voices]
    return Signal("speech", 1, events=events, facts={"speech_seconds": sum(b - a for a, b in voices)})


def text(*rows: tuple[float, float, float], unsure: int = 0, looks: int = 10) -> Signal:
    """Sure rows of start, end, moved."""
    columns = {n: [r[i] for r in rows] for i, n in enumerate(("start", "end", "moved"))}
    facts = {"appearances": len(rows), "unsure": unsure, "looks": looks}
    return Signal("text", 1, columns={**columns, "sure": [True] * len(rows)}, facts=facts)


def music(likely: list[float], *spans: tuple[float, float, float]) -> Signal:
    events = [Event("music", a, b, v) for a, b, v in spans]
    columns = {"time": list(range(len(likely))), "music": likely}
    return Signal("sound", 1, columns=columns, events=events, facts={"heard_seconds": len(likely)})


def test_a_sure_face_is_a_character_and_no_face_proves_nothing() -> None:
    assert of("has_characters", faces((0, 1, 2, 0.8))) is True
    assert of("has_characters", faces((0, 1, 2, 0.3))) is None
    assert of("has_characters", faces()) is None
    people = Signal("objects", 1, facts={"people_share": 0.5})
    assert of("has_characters", faces(), people) is True


def test_people_are_counted_only_where_every_face_is_known() -> None:
    two = [(0, 1.0, 2.0, 0.8), (1, 3.0, 4.0, 0.9)]
    assert of("character_count", faces(*two)) == 2
    assert of("character_count", faces(*two, (-1, 5, 6, float("nan")), unidentified=1)) is None


def test_who_speaks_is_told_by_mouths_and_by_their_absence() -> None:
    talking = Signal("lipsync", 1, facts={"sure": True})
    seen = faces((0, 0, 20, 0.9))
    assert of("has_dialogue", speech((1, 9)), seen, talking) is True
    assert of("has_visible_speaker", speech((1, 9)), seen, talking) is True
    assert of("has_dialogue", speech((1, 9)), seen) is None  # a face that may only listen
    assert of("has_narration", speech((1, 9)), faces()) is None  # or one who is masked or drawn
    assert of("has_visible_speaker", speech((1, 9)), faces()) is None
    assert of("has_narration", speech((1, 9)), faces((0, 15, 16, 0.9))) is True
    assert of("has_narration", speech((1, 3)), faces((0, 15, 16, 0.9))) is None  # the speaker's next shot
    for name in ("has_dialogue", "has_narration", "has_visible_speaker"):
        assert of(name, speech(), seen) is False


@pytest.mark.parametrize(("voice", "value"), [((1, 9), True), ((1, 1.2), False)])
def test_a_voice_is_speech_whoever_it_is(voice: tuple[float, float], value: bool) -> None:
    assert has_speech(film(), signals(AUDIO, speech(voice))).value is value
    assert has_speech(film(), signals(AUDIO)).value is None
    assert has_speech(film(audio=False), signals()).value is False


def test_music_is_long_and_likely_or_nowhere_likely() -> None:
    assert of("has_background_music", music([0.9] * 20, (0, 20, 0.9))) is True
    assert of("has_background_music", music([0.9] * 20, (0, 4, 0.9))) is None
    assert of("has_background_music", music([0.1] * 20), speech((1, 9))) is False
    assert of("has_background_music", music([0.1] * 20)) is None  # it is not known who hums
    hummed = Signal("speech", 1, facts={"speech_seconds": 8.0, "untold_seconds": 8.0})
    assert of("has_background_music", music([0.1] * 20), hummed) is None
    assert of("has_background_music", music([0.1] * 5), speech((1, 9))) is None
    assert of("has_background_music", music([0.5] * 20)) is None


def test_text_over_a_cut_is_an_overlay_and_a_sign_may_be_none() -> None:
    assert of("has_text_overlay", text((5, 15, 0.0))) is True  # the shots meet at 10
    assert of("has_text_overlay", text((5, 15, 0.3))) is None
    assert of("has_text_overlay", text((1, 9, 0.0))) is None
    assert of("has_text_overlay", text()) is False
    assert of("has_text_overlay", text(unsure=2)) is None
    assert of("has_text_overlay", text(looks=1)) is None


@pytest.mark.parametrize(
    ("scenes", "least", "count", "changes"),
    [
        (1, 1, 1, False),
        (3, 3, 3, True),
        (None, 2, None, True),  # one cut is unsure, another one surely changes the place
        (None, 1, None, None),
    ],
)
def test_scenes(scenes: int | None, least: int, count: int | None, changes: bool | None) -> None:
    told = Signal("scenes", 1, facts={"scenes": scenes, "scenes_at_least": least})
    found = attributes_of(film(), signals(told))
    assert (found["scene_count"].value, found["has_scene_changes"].value) == (count, changes)
    if changes:
        assert "by looks" in (found["has_scene_changes"].reason or "")


def test_a_single_shot_is_one_scene_whatever_else_is_known() -> None:
    found = attributes_of(film(), signals(shots(20)))
    assert (found["scene_count"].value, found["has_scene_changes"].value) == (1, False)


def test_scenes_that_were_not_measured_are_unknown() -> None:
    found = attributes_of(film(), signals(Signal("scenes", 1, "skipped", "no weights")))
    assert found["has_scene_changes"].value is None
    assert "no weights" in (found["has_scene_changes"].reason or "")
