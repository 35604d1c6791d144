"""What plain words ask for: found where it is meant, and not where somebody merely speaks or passes by."""

from __future__ import annotations

import pytest

from longtake.diagnosis.wishes import ALONE, NOBODY, language_code


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
