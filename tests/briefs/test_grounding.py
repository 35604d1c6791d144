"""The grounding table covers the rubric, and a checkpoint loses its ground with what it needs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from longtake.briefs.grounding import COUNTS, PARTS, grounding_table, is_grounded
from longtake.briefs.languages import languages
from longtake.briefs.suite import suite_brief
from longtake.core.brief import Brief
from longtake.diagnosis.rubric import load_rubric

RICH = "narrative-zwoelf-servietten"


def test_the_table_has_the_rubrics_checkpoints() -> None:
    assert set(grounding_table()) == {c.id for c in load_rubric().checkpoints}
    assert len(grounding_table()) == 40


def test_every_rule_and_word_list_is_known_and_in_all_languages() -> None:
    from longtake.briefs.grounding import _data

    used = set()
    for ground in grounding_table().values():
        for rule, asked in ground.needs:
            if rule == "words":
                used.add(asked[0])
                assert asked[1] in PARTS
            else:
                assert rule in COUNTS
    words = _data()["words"]
    assert set(words) == used
    for name, by_language in words.items():
        assert set(by_language) == set(languages()), name


def test_a_bare_prompt_grounds_nothing() -> None:
    brief = Brief(instruction="Make a film about a kettle.", language="en")
    assert [id_ for id_ in grounding_table() if is_grounded(brief, id_)] == []


def shots(**update: object) -> Callable[[Brief], Brief]:
    return lambda b: b.model_copy(update={"shots": [s.model_copy(update=update) for s in b.shots]})


def sound(**update: object) -> Callable[[Brief], Brief]:
    return lambda b: b.model_copy(update={"sound": b.sound.model_copy(update=update)})


def fields(**update: object) -> Callable[[Brief], Brief]:
    return lambda b: b.model_copy(update=update)


LOST = {
    "char_face_consistency": fields(characters=[]),
    "char_clothing_consistency": shots(characters=[]),
    "object_permanence": shots(text="Es regnet."),
    "background_consistency": shots(scene="Laden"),
    "scale_proportion": shots(camera="nah"),
    "motion_continuity": shots(camera="nah, still"),
    "temporal_logic": shots(scene="Laden"),
    "light_direction": shots(lighting="hell"),
    "shadow_consistency": shots(lighting="hell"),
    "color_temperature": shots(lighting="hell"),
    "exposure_stability": shots(lighting=None),
    "event_chain_logic": fields(acts=[]),
    "character_motivation": fields(characters=[]),
    "pacing_structure": shots(start=None, end=None),
    "internal_consistency": fields(consistency=["Eines"]),
    "dialogue_naturalness": shots(dialogue=None),
    "premise_originality": fields(instruction=None),
    "narrative_surprise": fields(acts=[]),
    "visual_creativity": shots(camera="nah"),
    "bgm_mood_match": sound(music="Klavier"),
    "bgm_transition_smoothness": sound(music=None),
    "bgm_tempo_pacing": sound(music="Klavier"),
    "bgm_volume_balance": shots(dialogue=None),
    "speech_timing": shots(dialogue=None),
    "speech_emotion_fit": sound(tone=None),
    "speech_intelligibility": shots(dialogue=None),
    "visual_artifact_frequency": shots(camera="Totale"),
    "resolution_sharpness": shots(camera="Totale"),
    "temporal_degradation": fields(duration=40.0),
    "color_consistency": fields(consistency=["Eines", "Zweites"]),
    "scene_presence": shots(scene="Laden"),
    "scene_order": shots(scene="Laden"),
    "character_matching": fields(characters=[]),
    "hallucinated_content": shots(text=""),
    "setting_accuracy": shots(scene=None),
    "lip_sync_quality": shots(characters=[]),
    "sound_event_alignment": sound(sound_effects=["Donner"]),
    "audio_continuity": shots(scene="Laden"),
    "ambient_sound_match": sound(sound_effects=["Schuss"]),
}
"""What is taken from a brief, so that the checkpoint has nothing left to be judged by. A brief always has a
length where it has timed shots, so ``duration_completeness`` is shown on a bare prompt above."""


@pytest.mark.parametrize("checkpoint", LOST)
def test_a_checkpoint_loses_its_ground(checkpoint: str) -> None:
    brief = suite_brief(RICH)
    if checkpoint in ("bgm_transition_smoothness", "scene_order", "audio_continuity"):
        last = brief.shots[-1].model_copy(update={"scene": "Straße"})
        brief = brief.model_copy(update={"shots": [*brief.shots[:-1], last]})
    assert is_grounded(brief, checkpoint)
    assert not is_grounded(LOST[checkpoint](brief), checkpoint)


def test_all_but_one_checkpoint_are_shown_to_lose_it() -> None:
    assert set(grounding_table()) - set(LOST) == {"duration_completeness"}
