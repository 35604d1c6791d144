"""A text of blanks and of signs that nobody sees is no text, in a brief as in a verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from longtake.briefs.read import read_brief
from longtake.core.brief import Brief, PlannedShot
from longtake.core.wording import silent
from longtake.errors import InputError

NOTHING = ["", " ", "\u200b", "\u200b \ufeff\u2060", "\u00a0\u3000", "\u202e\u200f", "\u2028\n\t", "\u3164"]
SOMETHING = ["a", "\u200ba", "?", "映画", "\u0301e", "🎬", "é\u200d"]


@pytest.mark.parametrize("text", NOTHING)
def test_what_nobody_sees_says_nothing(text: str) -> None:
    assert silent(text)
    assert PlannedShot(index=0, text=text).text == ""
    assert Brief(instruction=text).instruction == ""


@pytest.mark.parametrize("text", SOMETHING)
def test_what_is_seen_stays_as_it_is(text: str) -> None:
    assert not silent(text)
    assert PlannedShot(index=0, text=text).text == text
    assert Brief(instruction=text).instruction == text
    assert Brief(instruction=None).instruction is None


def test_a_brief_that_says_nothing_is_refused_and_its_shots_are_told(tmp_path: Path) -> None:
    path = tmp_path / "brief.json"
    path.write_text(
        json.dumps({"instruction": "\u200b", "shots": [{"text": "a dog"}, {"text": "\u200b\u200b"}]})
    )
    brief = read_brief(path)
    assert (brief.instruction, [shot.text for shot in brief.shots]) == (None, ["a dog", ""])
    assert any(note.message == "this shot has no text" for note in brief.notes)
    path.write_text(json.dumps({"instruction": "\u200b\u200b"}))
    with pytest.raises(InputError):
        read_brief(path)
