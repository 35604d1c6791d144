"""What is asked to be said against what is heard: examples worked out by hand."""

from __future__ import annotations

import pytest
from by_hand import film, signals
from hypothesis import given
from hypothesis import strategies as st

from longtake.core.brief import Brief, Line, PlannedShot
from longtake.diagnosis.diagnose import gather
from longtake.diagnosis.script import AskedLine, asked_lines, compare, other_writing, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't panic -- it's 7 o'clock!", "dont panic its seven oclock"),
        ("ANNA: Where are you?", "where are you"),
        ("Old Man: (whispering) Here.\nANNA: [off] No.", "here no"),
        ("It is true: nobody came at 10:30", "it is true nobody came at ten thirty"),
        ("P2, room 21, in 1963", "p two room twenty one in 1963"),
        ("你好，世界", "你 好 世 界"),
        ("Straße ÉTÉ ﬁne", "strasse été fine"),
        ("<i>Hello</i> *sighs* there", "hello there"),
        ("...", ""),
    ],
)
def test_words_are_as_they_sound(text: str, words: str) -> None:
    assert words_of(text) == words.split()


def lines(*texts: str) -> list[AskedLine]:
    return [AskedLine(text, f"line {n}") for n, text in enumerate(texts, 1)]


@pytest.mark.parametrize(
    ("asked", "heard", "errors"),
    [
        ("the cat sat on the mat", "the cat sat on the mat", 0),
        ("the cat sat on the mat", "the cat sat on mat", 1),  # one left out
        ("the cat sat on the mat", "the fat cat sat on the mat", 1),  # one put in
        ("the cat sat on the mat", "the cat sat in the mat", 1),  # one wrong
        ("the cat sat on the mat", "a dog", 6),  # two wrong, four left out
        ("two cats", "2 cats", 0),
        ("the cat sat on the mat", "", 6),
    ],
)
def test_errors_are_counted_as_by_hand(asked: str, heard: str, errors: int) -> None:
    found = compare(lines(asked), heard.split())
    assert found.errors == errors
    assert found.word_error_rate == pytest.approx(errors / found.asked)


def test_each_line_knows_its_words() -> None:
    found = compare(
        lines("Good evening, friends.", "Never again!"), ["well", "good", "evening", "friends", "said", "he"]
    )
    assert [line.heard for line in found.lines] == [(1, 2, 3), (-1, -1)]
    assert [line.share for line in found.lines] == [1.0, 0.0]
    assert found.errors == 3  # "well" put in; "said he" for "never again"


WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=12)


@given(WORDS.filter(bool), WORDS)
def test_never_below_the_least_number_of_edits(asked: list[str], heard: list[str]) -> None:
    row = list(range(len(heard) + 1))
    for i, a in enumerate(asked, 1):
        row, before = [i], row
        for j, b in enumerate(heard, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b)))
    found = compare(lines(" ".join(asked)), heard)
    assert row[-1] <= found.errors <= max(len(asked), len(heard)) + min(len(asked), len(heard))
    assert (found.errors == 0) == (asked == heard)


def test_captions_go_before_the_lines_of_shots() -> None:
    shots = [PlannedShot(index=0, dialogue="ANNA: Hello", narration="It rained."), PlannedShot(index=1)]
    facts = gather(film(), signals(), Brief(shots=shots))
    assert [line.text for line in asked_lines(facts)] == ["It rained.", "ANNA: Hello"]
    captions = [
        Line(start=1, end=2, text="Hello"),
        Line(start=30, end=31, text="Later"),
        Line(start=3, end=4, text="♪"),
    ]
    facts = gather(film(), signals(), Brief(shots=shots, lines=captions))
    assert [(line.text, line.start, line.exact) for line in asked_lines(facts)] == [("Hello", 1, True)]
    assert asked_lines(gather(film(), signals(), None)) == []


def test_another_writing_is_no_comparison() -> None:
    assert other_writing(lines("你好"), ["hello"])
    assert not other_writing(lines("hello"), ["hola"])
