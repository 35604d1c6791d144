"""What plain words ask for: found where it is meant, and not where somebody merely speaks or passes by."""

from __future__ import annotations

from pathlib import Path

import pytest

from longtake.diagnosis.wishes import ALONE, NOBODY, asked_texts, language_code


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ('A neon sign that reads "OPEN 24 HOURS" glows.', ["OPEN 24 HOURS"]),
        ('Title card: "The End".', ["The End"]),
        ("a poster with the words “Rock ’n’ Roll”", ["Rock ’n’ Roll"]),
        ('Caption at the bottom of the screen: "London, 1940"', ["London, 1940"]),
        ('a sign that says "Exit" beside a label "Poison"', ["Exit", "Poison"]),
        ('The woman at the sign says "Hello there".', []),
        ('He writes a text. "I am late", she says.', []),
        ('He reads the sign and shouts "no way".', []),
        ('"Come in", says the sign painter.', []),
        ('the text "..."', []),
        ('a sign that is 5" wide and 6" high', []),
    ],
)
def test_text_to_be_shown(words: str, asked: list[str]) -> None:
    assert list(asked_texts(words)) == asked


def test_real_prompts_ask_for_few_texts(media: Path) -> None:
    """In a megabyte of prompts two quotes are to be seen on a sign or a screen; all others are speech."""
    found: list[str] = []
    for file in sorted((media / "7_prompts").iterdir()):
        found += asked_texts(file.read_text("utf-8", errors="replace").replace('\\"', '"'))
    assert "Custom Cakes" in found
    assert "air force missile test center. cape canaveral" in found
    assert len(found) <= 3


@pytest.mark.parametrize("words", ["an empty beach, no people", "Without any humans.", "no human presence"])
def test_nobody(words: str) -> None:
    assert NOBODY.search(words)


@pytest.mark.parametrize(
    "words", ["No people yet.", "nobody notices her", "no people except a guard", "alone"]
)
def test_somebody(words: str) -> None:
    assert not NOBODY.search(words)
    assert not ALONE.search(words)


def test_languages() -> None:
    assert language_code("English (US)") == language_code("en-GB") == "en"
    assert language_code("Mandarin") == language_code("zh_CN") == "zh"
    assert language_code("Klingon") is None
