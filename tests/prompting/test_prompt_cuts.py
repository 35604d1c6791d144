"""Where a wording may be cut: never inside what needs its other half."""

from __future__ import annotations

import pytest

from longtake.prompting.cuts import cuts, first_sentence, shorten
from longtake.prompting.language import language

NEVER = {
    "an adjective waits for its noun": (
        "en", "almost nothing at all: a single soft, uneasy synthesizer note", "a single soft"),
    "a subject waits for its verb": (
        "en", "Adaeze, a roll of tape in her hand, stops halfway through a step.", "in her hand"),
    "a subject before a parenthesis": (
        "en", "Two hands, one from each side, hold it by its carrot nose.", "hands"),
    "the end of a list": (
        "en", "captions DAY 1, DAY 12, DAY 13, DAY 40, DAY 41, DAY 95, DAY 180 in white", "DAY 95"),
    "two things of one kind": (
        "en", "the same gloves with the ring, the same hedgehog with the pale patch", "ring"),
    "longer things of a list": (
        "en", "the lane has a pump, an arch at its end and a crooked stair", "pump"),
    "a word before a while": (
        "en", "slide guitar and bass clarinet; absent while they listen to the ice", "absent"),
    "instruments": ("en", "merry and ticking, fast, plucked ukulele, claves and pizzicato violin", "ukulele"),
    "what limits it": ("en", "The ring stays on the lid of the toolbox until shot 5.", "toolbox"),
    "what an adverbial leads to": ("en", "While she counts the coins, a hand takes the weight.", "coins"),
    "the last of three verbs": (
        "de", "Er nimmt die Schere vom Haken, probiert sie in der Luft und setzt sie an den Stoff.", "Luft"),
    "a clause that goes on": ("ja", "船の上で古賀が鞄を開けて、青いビー玉を海に投げる。", "開けて"),
    "a list of things": ("zh", "他带着一把旧伞、两只茶碗、三枚铜钱和一封信走进茶馆。", "旧伞"),
}  # fmt: skip


@pytest.mark.parametrize("why", NEVER)
def test_no_cut(why: str) -> None:
    code, text, end = NEVER[why]
    for fragment in (False, True):
        assert not any(told.endswith(end) for told in cuts(text, code, fragment=fragment)), (why, fragment)


def test_cuts_are_beginnings_and_the_last_is_the_whole() -> None:
    text = "The crew begins to move. Adaeze picks the ring up from the toolbox and holds it out to Niall."
    every = cuts(text, "en")
    assert every == (
        "The crew begins to move.",
        "The crew begins to move. Adaeze picks the ring up from the toolbox",
        text,
    )


def test_traits_may_be_cut_and_statements_not() -> None:
    look = "Recordist of sixty, bald, large headphones, brown fleece, mixer hung from his neck."
    assert "Recordist of sixty, bald, large headphones" in cuts(look, "en", fragment=True)
    assert "Recordist of sixty, bald" not in cuts(look, "en", fragment=True), "one word is no good end"
    assert cuts(look, "en") == (look,)


def test_quotation_marks_and_brackets_are_closed() -> None:
    text = "Nell reads from the card „Komm nach Hause, bitte, bevor es dunkel wird“ and laughs at the window."
    assert all(told.count("„") == told.count("“") for told in cuts(text, "de"))


def test_first_sentence() -> None:
    assert first_sentence("The lid of a box; on it a ring. A hand.") == "The lid of a box; on it a ring."
    assert shorten("", 3, language("en")) == ""
