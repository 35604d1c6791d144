"""Facts of a brief, and which of them are found in a prompt."""

from __future__ import annotations

import pytest
from lighthouse import BRIEF, BY_HAND

from longtake.briefs import read_brief_value
from longtake.prompting.facts import Said, facts_of
from longtake.prompting.language import language

FACTS = facts_of(BRIEF, language("en"), 12)


def test_what_the_brief_says_is_listed() -> None:
    assert {f.id for f in FACTS.items} == {
        "length", "shots", "durations", "order", "name.1", "looks.1", "keep.1", "moves.1", "music", "tone",
        "action.1", "action.2", "action.3", "said.2.1", "effect.1", "effect.2", "no_narration", "lips",
        "spoken.en",
        "place.1", "place.2", "place.3", "camera.1", "camera.2", "camera.3", "light.1", "light.2", "light.3",
    }  # fmt: skip
    assert {f.dimension for f in FACTS.items} == {"script", "visual", "audio", "cross_modal"}


def test_a_person_s_own_wording_has_all_facts() -> None:
    assert [name for name, found in FACTS.found(BY_HAND).items() if not found] == []


def test_an_unrelated_text_has_none() -> None:
    found = FACTS.found("Bake two loaves of rye bread and let them cool on the table before cutting.")
    assert [name for name, is_there in found.items() if is_there] == []


CHANGES = {
    "length": ("24-second", "30-second"),
    "shots": ("three shots", "four shots"),
    "durations": ("9 s in", "8 s in"),
    "name.1": ("Mara", "Marta"),
    "said.2.1": ("One more night", "One last night"),
    "action.2": ("polishes the great lens with a cloth", "looks out"),
    "music": ("A single cello", "A brass band"),
    "effect.1": ("waves, ", ""),
    "lips": ("lips and voice together in sync with the lips, ", ""),
    "no_narration": ("no narration", "a narrator"),
    "spoken.en": ("English", "French"),
    "light.3": ("grey noon", "evening"),
    "camera.1": ("slow push-in", "from far"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_changed_is_missing(name: str) -> None:
    old, new = CHANGES[name]
    assert old in BY_HAND
    found = FACTS.found(BY_HAND.replace(old, new))
    assert not found[name]
    assert [n for n, is_there in found.items() if not is_there and n != name] in ([], ["order"])


def test_shots_in_another_order_are_seen() -> None:
    start, end = BY_HAND.index("Mara, a keeper"), BY_HAND.index("Camera never")
    one, two, three = BY_HAND[start:end].split(". ", 1)[0], BY_HAND.index("Then, 9"), BY_HAND.index("At last")
    turned = BY_HAND[:start] + BY_HAND[three:end] + BY_HAND[two:three] + one + ". " + BY_HAND[end:]
    assert not FACTS.found(turned)["order"]
    assert FACTS.found(turned)["action.1"]


def test_lines_of_several_speakers() -> None:
    brief = read_brief_value(
        {
            "language": "en",
            "shots": [
                {
                    "text": "They talk.",
                    "dialogue": 'A. Bo: "Hello: you." Cy: "No."',
                    "narration": "It rains: so.",
                }
            ],
        }
    )
    said = facts_of(brief, language("en"), 12).shots[0].said
    assert said == (Said(None, "It rains: so.", True), Said("A. Bo", "Hello: you."), Said("Cy", "No."))


def test_what_is_left_out_is_named() -> None:
    fewer = facts_of(BRIEF, language("en"), 12, frozenset({"light", "place"}))
    assert {f.id.split(".")[0] for f in fewer.left_out} == {"light", "place"}
    assert len(fewer.items) + len(fewer.left_out) == len(FACTS.items)
