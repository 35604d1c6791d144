"""Each rule of the validator finds its fault in a brief that has one, and nothing in one that has none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from longtake.briefs.languages import letter_count, not_in, seconds_to_say, words_of
from longtake.briefs.read import read_brief_value
from longtake.briefs.rules import spoken
from longtake.briefs.validate import check_brief, check_set, check_suite


def good() -> dict[str, Any]:
    """A small brief that has everything."""
    shot = {"camera": "close-up", "lighting": "window light from the left", "characters": ["Ann"]}
    return {
        "schema": "longtake.brief/1",
        "id": "the-kettle",
        "title": "The Kettle",
        "language": "en",
        "video_type": "narrative",
        "instruction": "A film of thirty seconds about Ann and the kettle that she lends.",
        "duration": 30,
        "acts": [
            {"name": "setup", "text": "Ann lends the kettle to the man from below."},
            {"name": "conflict", "text": "The kettle comes back with a dent that nobody owns up to."},
            {"name": "resolution", "text": "The dent turns out to be hers, from years ago."},
        ],
        "characters": [{"name": "Ann", "description": "Woman of sixty in a grey cardigan"}],
        "consistency": ["The kettle is copper with one dent."],
        "camera": ["Still frames at the height of the table."],
        "sound": {
            "dialogue": True,
            "narration": False,
            "music": "Piano, calm and slow",
            "sound_effects": ["kettle whistling"],
            "lip_sync": True,
            "languages": ["en"],
        },
        "shots": [
            {**shot, "id": "1", "start": 0, "end": 12, "scene": "kitchen", "text": "Ann fills the kettle."},
            {
                **shot,
                "id": "2",
                "start": 12,
                "end": 30,
                "scene": "stair",
                "text": "Ann holds the kettle out over the stair.",
                "dialogue": 'Ann: "Bring it back whole."',
            },
        ],
    }


def problems(change: Callable[[dict[str, Any]], object]) -> list[tuple[str, str]]:
    """(place, level) of what is found in the good brief after a change."""
    value = good()
    change(value)
    return [(p.place, p.level) for p in check_brief(read_brief_value(value))]


def test_a_good_brief_has_no_problem() -> None:
    assert check_brief(read_brief_value(good())) == []


SHOT = "shots[1]"
FAULTS: dict[str, tuple[Callable[[dict[str, Any]], object], str, str]] = {
    "a gap": (lambda b: b["shots"][1].update(start=13), f"{SHOT}.start", "error"),
    "a late beginning": (lambda b: b["shots"][0].update(start=1), "shots[0].start", "error"),
    "shots shorter than the film": (lambda b: b.update(duration=40), "duration", "error"),
    "too short": (lambda b: (b.update(duration=20), b["shots"][1].update(end=20)), "duration", "warning"),
    "too long": (lambda b: (b.update(duration=200), b["shots"][1].update(end=200)), "duration", "warning"),
    "no duration": (lambda b: b.pop("duration"), "duration", "warning"),
    "no times": (lambda b: (b["shots"][1].pop("start"), b["shots"][1].pop("end")), SHOT, "warning"),
    "no shots": (lambda b: (b.pop("shots"), b["sound"].clear()), "shots", "warning"),
    "two acts": (lambda b: b["acts"].pop(), "acts", "warning"),
    "an empty act": (lambda b: b["acts"][1].update(text=" "), "acts[1].text", "warning"),
    "no consistency": (lambda b: b.pop("consistency"), "consistency", "warning"),
    "no camera wishes": (lambda b: b.pop("camera"), "camera", "warning"),
    "no text": (lambda b: b["shots"][0].update(text=""), "shots[0].text", "warning"),
    "no camera": (lambda b: b["shots"][0].pop("camera"), "shots[0].camera", "warning"),
    "no lighting": (lambda b: b["shots"][0].pop("lighting"), "shots[0].lighting", "warning"),
    "no scene": (lambda b: b["shots"][0].pop("scene"), "shots[0].scene", "warning"),
    "no title": (lambda b: b.pop("title"), "title", "warning"),
    "an id in capitals": (lambda b: b.update(id="The Kettle"), "id", "warning"),
    "an unknown type": (lambda b: b.update(video_type="opera"), "video_type", "warning"),
    "a stranger": (lambda b: b["shots"][0]["characters"].append("Bo"), "shots[0].characters", "error"),
    "somebody unseen": (
        lambda b: b["characters"].append({"name": "Bo", "description": "A tall man"}),
        "characters",
        "warning",
    ),
    "somebody twice": (lambda b: b["characters"].append(b["characters"][0]), "characters", "error"),
    "nobody described": (
        lambda b: b["characters"][0].update(description=""),
        "characters[0].description",
        "warning",
    ),
    "a line too long": (
        lambda b: b["shots"][1].update(dialogue="Please bring it back whole this time. " * 12),
        f"{SHOT}.dialogue",
        "error",
    ),
    "a voice of nobody": (lambda b: b["shots"][1].update(characters=[]), f"{SHOT}.dialogue", "warning"),
    "dialogue denied": (
        lambda b: b["sound"].update(dialogue=False, lip_sync=False),
        "sound.dialogue",
        "error",
    ),
    "narration promised": (lambda b: b["sound"].update(narration=True), "sound.narration", "error"),
    "lips without words": (
        lambda b: (b["shots"][1].pop("dialogue"), b["sound"].update(dialogue=False)),
        "sound.lip_sync",
        "error",
    ),
    "no music": (lambda b: b["sound"].pop("music"), "sound.music", "warning"),
    "no sounds": (lambda b: b["sound"].pop("sound_effects"), "sound.sound_effects", "warning"),
    "another spoken language": (lambda b: b["sound"].update(languages=["fr"]), "sound.languages", "error"),
    "a text in German": (
        lambda b: b["shots"][0].update(
            text="Ann füllt den Kessel und stellt ihn auf den Herd mit der Flamme."
        ),
        "shots[0].text",
        "error",
    ),
    "a text in Japanese": (
        lambda b: b["acts"][0].update(text="アンは下の階の男にやかんを貸す。"),
        "acts[0].text",
        "error",
    ),
    "a repaired source": (lambda b: b["shots"][1].update(index=7), f"{SHOT}.index", "warning"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_found_where_it_is(fault: str) -> None:
    change, place, level = FAULTS[fault]
    assert (place, level) in problems(change)


def test_every_problem_says_what_to_do() -> None:
    for change, _, _ in FAULTS.values():
        value = good()
        change(value)
        for problem in check_brief(read_brief_value(value)):
            assert problem.brief == (value.get("id") or "brief")
            assert problem.message
            assert problem.hint


def test_a_line_that_just_fits_is_let_through() -> None:
    def line(letters: int) -> Callable[[dict[str, Any]], object]:
        return lambda b: b["shots"][1].update(dialogue="o" * letters)

    assert problems(line(18 * 16)) == []
    assert problems(line(18 * 16 + 1)) == [(f"{SHOT}.dialogue", "error")]


def test_speakers_are_not_spoken() -> None:
    assert spoken('Ann: "Yes: go."\nBo (off): "No."') == '"Yes: go." "No."'
    assert spoken('Ann: "Yes." Bo: "No."') == '"Yes." "No."'
    assert spoken("老秦：“有汤，没火。”\n阿珍：“好。”") == "“有汤，没火。” “好。”"
    assert spoken("At ten: never.") == "never."
    assert spoken("One thing is certain. The answer: no.") == "One thing is certain. The answer: no."


def test_letters_are_counted_without_signs() -> None:
    assert letter_count("Don't! 12 ") == 6
    assert seconds_to_say("老秦，有汤。" * 11, "zh") == pytest.approx(4 * 11 / 5.5)
    assert seconds_to_say("anything", "xx") is None
    assert words_of("हीरो घर पहुँचा।") == ["हीरो", "घर", "पहुँचा"]


@pytest.mark.parametrize(
    ("text", "own", "other"),
    [
        ("She puts the kettle on the stove and looks at her hands.", "en", "de"),
        ("Sie stellt den Kessel auf den Herd und sieht ihre Hände an.", "de", "en"),
        ("Elle pose la bouilloire sur le feu et regarde ses mains.", "fr", "it"),
        ("Ella pone la tetera en el fuego y se mira las manos con calma.", "es", "fr"),
        ("Mette il bollitore sul fuoco e si guarda le mani con calma.", "it", "de"),
        ("Ela põe a chaleira no fogo e olha para as mãos com calma.", "pt", "en"),
        ("她把水壶放到炉子上，看着自己的双手。", "zh", "ja"),
        ("彼女はやかんを火にかけ、自分の手を見つめる。", "ja", "zh"),
        ("그녀는 주전자를 불 위에 올리고 손을 바라본다.", "ko", "zh"),
        ("تضع الإبريق على النار وتنظر إلى يديها.", "ar", "en"),
        ("वह केतली को आग पर रखकर अपने हाथों को देखती है।", "hi", "en"),
    ],
)
def test_a_language_is_told_from_another(text: str, own: str, other: str) -> None:
    assert not_in(text, [own]) is None
    assert not_in(text, [other]) is not None
    assert not_in(text, [other, own]) is None
    assert not_in(text, ["tlh"]) is None


def test_two_briefs_with_one_id_and_one_story() -> None:
    brief = read_brief_value(good())
    messages = [p.message for p in check_set([("a.yaml", brief), ("b.yaml", brief)])]
    assert len(messages) == 2
    assert "'the-kettle' stands 2 times" in messages[0]
    assert "nearly alike (1.00" in messages[1]


def test_a_suite_of_one_lacks_nearly_everything() -> None:
    value = {**good(), "mood": "blue"}
    value["sound"].pop("music")
    document = check_suite([("the-pot", read_brief_value(value))])
    found = {(p.brief, p.place): p for p in document.problems if p.brief}
    assert found["the-pot", "id"].message == "is 'the-kettle'"
    assert found["the-pot", "mood"].level == "error"
    assert found["the-pot", "sound.music"].level == "error", "nothing may be missing in the suite"
    whole = [p.message for p in document.problems if not p.brief]
    assert "there are 1 briefs, not 80" in whole
    assert "1 briefs are narrative, 26 should be" in whole
    assert "1 languages, 6 should be" in whole
    assert "lip_sync_quality is grounded in 0 briefs, fewer than 20" in whole
    assert document.grounded["duration_completeness"] == 1
