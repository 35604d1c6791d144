"""What is repaired is told, and nothing is lost or taken twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from longtake.briefs import read_brief, read_brief_text, read_brief_value
from longtake.briefs.reading import MAX_NOTES

PLAN = {"prompt": "Café", "shots": ["A.", "B."]}
PLAIN = json.dumps(PLAN, ensure_ascii=False, indent=1)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xef\xbb\xbf" + PLAIN.encode(), "byte-order mark"),
        (PLAIN.encode("utf-16"), "byte-order mark"),
        (b"\xfe\xff" + PLAIN.encode("utf-16-be"), "byte-order mark"),
        (PLAIN.encode("utf-32"), "byte-order mark"),
        (PLAIN.replace("\n", "\r\n").encode(), "line ends"),
        (PLAIN.replace("\n", "\r").encode(), "line ends"),
        (f"```json\n{PLAIN}\n```\n".encode(), "code fence"),
        (f"\n```\n{PLAIN}```".encode(), "code fence"),
        (b'{"prompt": "Caf\xc3\xa9", "shots": ["A.", "B.",],\n}', "trailing commas"),
        (PLAIN.encode("latin-1"), "Windows-1252"),
        (PLAIN.encode() + b"\x00\x00", "null characters"),
    ],
)
def test_repaired_with_a_note(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(data)
    brief = read_brief(path)
    assert brief.instruction == "Café"
    assert [s.text for s in brief.shots] == ["A.", "B."]
    assert sum(message in n.message for n in brief.notes) == 1


def test_nothing_to_repair_leaves_no_note(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text(PLAIN, encoding="utf-8")
    assert read_brief(path).notes == []


def test_all_repairs_together(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    text = '```json\r\n{"prompt": "Café", "shots": ["A.", "B.",],}\r\n```\r\n'
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    brief = read_brief(path)
    assert [s.text for s in brief.shots] == ["A.", "B."]
    assert len(brief.notes) == 4


def test_commas_inside_text_stay() -> None:
    brief = read_brief_text('["a, ]", "b\\",}", "c,",]')
    assert [s.text for s in brief.shots] == ["a, ]", 'b",}', "c,"]


def test_a_key_twice_is_told() -> None:
    for text in ('{"prompt": "a", "prompt": "b"}', "prompt: a\nprompt: b\n"):
        brief = read_brief_text(text)
        assert brief.instruction == "b"
        assert [(n.path, n.level) for n in brief.notes] == [("prompt", "warning")]


def test_a_fence_around_plain_text_and_one_inside() -> None:
    assert read_brief_text("```\nA man walks.\n```").instruction == "A man walks."
    inside = "Look:\n```\ncode\n```"
    assert read_brief_text(inside).instruction == inside


def test_half_a_character_is_replaced() -> None:
    brief = read_brief_text('{"prompt": "a \\ud800 b"}')
    assert brief.instruction == "a \ufffd b"
    assert json.dumps(brief.to_json(), ensure_ascii=False).encode()
    assert [n.path for n in brief.notes] == ["prompt"]


def test_notes_are_bounded() -> None:
    shots = [{"text": "t", "foo": i} for i in range(MAX_NOTES + 50)]
    brief = read_brief_value(shots)
    assert len(brief.notes) == MAX_NOTES + 1
    assert "50 more" in brief.notes[-1].message
    assert all(s.extra == {"foo": s.index} for s in brief.shots)


def test_markup_stays_text() -> None:
    text = "<script>alert(1)</script> a street"
    assert read_brief_text(text).instruction == text
