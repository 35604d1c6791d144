"""What holds of every prompt over the whole suite of briefs, looked at from outside: in the printed text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import pytest

from longtake.briefs.suite import suite_brief, suite_ids
from longtake.diagnosis.profiles import profiles
from longtake.prompting.facts import Facts
from longtake.prompting.room import Draft, drafts, room_for

LEADS = {  # the profile of longtake that weighs a dimension most
    "script": "story-first",
    "visual": "visual-heavy",
    "audio": "audio-emotion",
}
BAD_ENDS = {  # words that no told wording ends with: each language's articles, prepositions, conjunctions
    "en": "a an the of and or to in on at with as by for from into than who which because if his their",
    "de": "der die das den dem des ein eine einen einem einer und oder in im am zu zum zur für als wie von",
    "fr": "le la les un une des du de et ou à au aux en dans sur par pour avec sans que qui son sa ses",
    "es": "el la los las un una de del y o a al en con sin por para que su sus",
    "it": "il lo la i gli le un una di del della e o a al in nel con per da che",
    "pt": "o a os as um uma de do da e ou em no na com sem por para que seu sua",
    "ar": "في من على إلى عن مع أو أن التي الذي",
    "hi": "का के की को में से पर ने और या कि",
    "ko": "그 및 그리고",
    "zh": "",
    "ja": "",
}
BAD_SIGNS = {
    "zh": "[的在和与把被]$",
    "ja": "[がはにをのとでて]$|ながら$|まで$",
    "ko": "[을를의]$|면서$|지만$",
}
MARKS = ",;:.!?–—，；：。！？、،؛؟।"


@cache
def every() -> dict[str, tuple[Facts, dict[str, Draft]]]:
    """All briefs' prompts; they take some twenty seconds, once."""
    found = {}
    for name in suite_ids():
        brief = suite_brief(name)
        facts = room_for(brief)
        found[name] = (facts, drafts(brief, [], facts))
    return found


def printed(one: Draft, wording: str) -> int:
    """How many characters of a wording stand in a prompt."""
    assert one.told[wording].casefold() in one.text.casefold()
    return len(one.told[wording])


@pytest.mark.parametrize("dimension", LEADS)
def test_who_weighs_a_dimension_most_is_told_at_least_as_much_of_it(dimension: str) -> None:
    able = [p for p in profiles().values() if p.expertise != "novice"]  # whose prompts have other words
    least = min(able, key=lambda p: p.weights[dimension]).id
    more = 0
    for name, (facts, made) in every().items():
        wordings = [w for w in facts.wordings if w.dimension == dimension]
        most, neutral, little = (
            sum(printed(made[p], w.text) for w in wordings) for p in (LEADS[dimension], "neutral", least)
        )
        assert most >= neutral, name
        more += most > little
    assert more > 20, "and often more than who weighs it least"


def test_nobody_is_told_more_of_a_wording_than_one_who_weighs_it_more() -> None:
    weights = {name: p.weights for name, p in profiles().items()}
    for name, (facts, made) in every().items():
        for wording in facts.wordings:
            of = wording.dimension
            told = sorted((weights[p][of], len(d.told[wording.text])) for p, d in made.items())
            by_weight: dict[float, list[int]] = {}
            for weight, length in told:
                by_weight.setdefault(weight, []).append(length)
            steps = list(by_weight.values())
            for light, heavy in pairwise(steps):
                assert max(light) <= min(heavy), (name, wording.text)


def ends() -> Iterator[tuple[str, str, str, str]]:
    """Each end of a wording that was cut: brief, language, what is told, what is not."""
    for name, (facts, made) in every().items():
        for one in made.values():
            for whole, told in one.told.items():
                assert whole.startswith(told), name
                if rest := whole[len(told) :].rstrip(" .。।"):
                    yield name, facts.language.code, told, rest


def test_every_cut_is_at_a_clause() -> None:
    cuts = list(ends())
    assert len(cuts) > 3000
    for name, code, told, rest in cuts:
        last = re.split(r"[\s'’]+", told)[-1].casefold()
        if rest[0] in ".!?。！？।؟…":
            continue
        assert last not in BAD_ENDS[code].split(), (name, told, rest)
        if code in BAD_SIGNS:
            assert not re.search(BAD_SIGNS[code], told), (name, told, rest)
        at_mark = rest.lstrip()[0] in MARKS or told.endswith(tuple('.!?。！？"”»“」…'))
        assert at_mark or re.match(r"\s[\w'’]+\s", rest), (name, told, rest)
        if code == "en":
            # an article and at most two words before a comma, and behind it neither a new clause nor phrase
            waits = re.search(r"\b(?:a|an|the|his|her|its|their)(?: [\w-]+){1,2}$", told)
            behind = re.match(r",\s+([\w-]+)", rest)
            openers = every()[name][0].language
            if waits and behind:
                assert behind[1].casefold() in {*openers.small, *openers.lead_in, *openers.subordinate}, (
                    name, told, rest)  # fmt: skip


def test_lists_are_whole() -> None:
    """Captions, numbers, names: what stands between commas in one or two words is told to its end."""
    for name, code, told, rest in ends():
        if code in ("en", "de", "es", "it", "pt", "fr") and rest.startswith(","):
            parts = [p.strip() for p in re.split(r"[,;.:]", rest)][1:]
            before = re.split(r"[,;:.]\s*", told)[-1].split()
            listed = len(parts) > 1 and len(before) <= 2 and all(len(p.split()) <= 2 for p in parts[:2])
            names = listed and all(p[:1].isupper() for p in parts[:2])
            assert not names, (name, told, rest)


def test_captions_of_a_list_are_all_there() -> None:
    facts, made = every()["daily-life-a-pumpkin-in-thirty-seconds"]
    captions = "DAY 1, DAY 12, DAY 13, DAY 40, DAY 41, DAY 95, DAY 180"
    left = any(captions in f.text for f in facts.left_out)
    assert all((captions in one.text) != left for one in made.values())


def test_a_thing_that_is_spoken_of_is_introduced() -> None:
    _, made = every()["narrative-room-tone"]
    for name, one in made.items():
        assert "The ring stays" in one.text or "the ring stays" in one.text
        assert "on it a plain gold ring" in one.text, name
        assert "stops halfway through a step" in one.text, name
    assert "Adaeze picks the ring up" in made["story-first"].text


def test_shots_are_told_to_the_end_of_their_first_sentence_where_there_is_room() -> None:
    whole = cut = 0
    for facts, made in every().values():
        for fact in facts.of("action"):
            first = re.split(r"(?<=[.!?])\s", fact.text)[0].rstrip(".")
            if facts.language.spaced and len(first.split()) <= 20:
                told = made["story-first"].told[fact.text]
                whole, cut = whole + (len(told) >= len(first)), cut + (len(told) < len(first))
    assert whole > 5 * cut
