"""Each of the nine criteria: a prompt that passes, and one that fails it and no other."""

from __future__ import annotations

import pytest
from lighthouse import BRIEF, BY_HAND

from longtake.diagnosis.profiles import Profile, profiles
from longtake.prompting.facts import facts_of
from longtake.prompting.language import language
from longtake.prompting.rejections import CRITERIA, constraint_missing, copy_or_language, rejections

EN = language("en")
FACTS = facts_of(BRIEF, EN, 12)
ANYBODY = Profile(
    id="anybody",
    weights={"script": 0.25, "visual": 0.25, "audio": 0.25, "cross_modal": 0.25},
    constraints=("beautiful_lighting",),
    expertise="expert",
    style="technical",
)
GOOD = BY_HAND + " Lighting must be beautiful in every shot."


def numbers_of(prompt: str, profile: Profile = ANYBODY, **others: str) -> dict[int, str]:
    return {r.number: r.reason for r in rejections(prompt, BRIEF, FACTS, profile, others)}


def test_a_good_prompt_passes_all() -> None:
    assert numbers_of(GOOD) == {}
    assert sorted(CRITERIA) == list(range(1, 10))


NOVICE = ANYBODY.model_copy(update={"expertise": "novice"})
FAILING = {
    1: (
        GOOD.replace("Make me a 24-second film in three shots about", "24 seconds, three shots:"),
        "to be made",
    ),
    3: (GOOD.replace(" Camera never", "\n\n# Camera\nCamera never"), "heading"),
    4: (GOOD + " Calm." * 300, "2000"),
    7: (GOOD + " The weights are even.", "weights"),
    8: (GOOD.replace("must be beautiful", "must, if possible, be beautiful"), "softened (if possible)"),
}


@pytest.mark.parametrize("number", FAILING)
def test_one_criterion_fails(number: int) -> None:
    prompt, reason = FAILING[number]
    held = numbers_of(prompt)
    assert list(held) == [number]
    assert reason in held[number]


def test_a_dimension_is_missing() -> None:
    """2, and with it 6: what is missing is also a fact that is not there."""
    silent = GOOD
    for words in ("A single cello, waves, gulls; calm.", "no narration", "English, "):
        silent = silent.replace(words, "")
    held = numbers_of(silent.replace("to the gulls", "to the birds").replace("gulls settle", "birds settle"))
    assert set(held) == {2, 6}
    assert "audio" in held[2]


def test_expertise() -> None:
    assert list(numbers_of(GOOD, NOVICE)) == [5]
    assert "push-in" in numbers_of(GOOD, NOVICE)[5]
    easy = GOOD.replace("slow push-in", "slow move closer")
    assert numbers_of(easy, NOVICE) == {}
    assert "awesome" in numbers_of(GOOD + " It should be awesome.")[5]
    spoken = GOOD.replace("One more night.", "One more night. Sort of awesome stuff.")
    assert 5 not in numbers_of(spoken), "what is said in the film is nobody's own words"


@pytest.mark.parametrize(
    ("added", "reason"),
    [
        (" It has 14 gulls.", "14"),
        (" There are seventeen gulls.", "seventeen"),
        (" Beside her stands Olaf.", "Olaf"),
        (" They sail, Ingrid says.", "Ingrid"),
    ],
)
def test_facts_that_are_added(added: str, reason: str) -> None:
    held = numbers_of(GOOD + added)
    assert list(held) == [6]
    assert reason in held[6]


def test_facts_that_are_missing_are_named() -> None:
    held = numbers_of(GOOD.replace("A single cello", "Music"))
    assert list(held) == [6]
    assert "music (a single cello)" in held[6]


@pytest.mark.parametrize(
    "leak", ["lighting_stability", "for sync-perfectionist", "The rubric says so.", "Valid JSON."]
)
def test_machinery(leak: str) -> None:
    assert 7 in numbers_of(f"{GOOD} {leak}")


def test_words_of_the_brief_are_no_machinery() -> None:
    heavy = BRIEF.model_copy(update={"title": "Weights"})
    assert 7 not in {r.number for r in rejections(GOOD + " Weights.", heavy, FACTS, ANYBODY)}


@pytest.mark.parametrize(
    ("essay", "reason"),
    [
        ("- one thing\n- another\n- a third", "bullets"),
        ("Firstly, this. Secondly, that.", "counts its steps"),
        ("**Lighting**\nAll grey.", "heading"),
        ("The look:\nAll grey.", "heading"),
    ],
)
def test_essays(essay: str, reason: str) -> None:
    assert reason in numbers_of(f"{GOOD}\n{essay}")[3]


@pytest.mark.parametrize("constraint", EN.constraints)
@pytest.mark.parametrize("style", ["casual", "technical"])
def test_every_demand(constraint: str, style: str) -> None:
    asks = ANYBODY.model_copy(update={"constraints": (constraint,), "style": style})
    sentence = EN.constraints[constraint].warm if style == "casual" else EN.constraints[constraint].exact
    assert constraint_missing(f"Make a film. {sentence}", asks, EN) is None
    assert "not asked for" in str(constraint_missing("Make a film.", asks, EN))
    assert "softened" in str(constraint_missing(sentence.replace(".", ", ideally."), asks, EN))


def test_a_demand_that_is_only_spoken_of() -> None:
    assert "only spoken of" in str(constraint_missing("Nice light falls in.", ANYBODY, EN))


def test_copies_and_languages() -> None:
    assert "neutral" in numbers_of(GOOD, neutral=GOOD.replace("must be beautiful", "must be lovely"))[9]
    assert 9 not in numbers_of(GOOD, neutral=" ".join(reversed(GOOD.split())))
    german = "Mach mir ein Video, in dem eine Frau in der Nacht auf einen Turm steigt und die Lampe putzt."
    assert "written in de" in str(copy_or_language(german, EN, {}))
    assert copy_or_language(f"Make a film in which she says: „{german}“ and goes.", EN, {}) is None


def test_no_reason_without_a_profile_that_asks() -> None:
    assert numbers_of(BY_HAND, profiles()["neutral"]) == {}
