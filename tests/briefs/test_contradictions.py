"""What contradicts itself or cannot be read is refused, and the message names the place."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from longtake.briefs import read_brief, read_brief_text, read_brief_value
from longtake.briefs.decode import read_small_text
from longtake.errors import InputError, UsageError


def _shots(*shots: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"prompt": "p", "shots": [{"text": "t", **shot} for shot in shots], **more}


@pytest.mark.parametrize(
    ("value", "place", "why"),
    [
        (_shots({"start": 0, "end": 2}, {"start": 1.99, "end": 3}), "shots[1]", "before shots[0] ends"),
        (_shots({"start": 0, "end": 9}, {"start": 1, "end": 3}), "shots[1]", "before shots[0] ends"),
        (
            _shots({"start": 0, "duration": 2}, {"start": 1, "duration": 2}),
            "shots[1]",
            "before shots[0] ends",
        ),
        (_shots({"start": 1}, {"start": 1}), "shots[1]", "as shots[0] does"),
        (_shots({"start": 5}, {}, {"start": 1}), "shots[2]", "listed earlier"),
        (_shots({"start": -1, "end": 2}), "shots[0]", "before the film begins"),
        (_shots({"start": 0, "end": -2}), "shots[0]", "before the film begins"),
        (_shots({"start": 2, "end": 2}), "shots[0]", "not after its start"),
        (_shots({"start": 3, "end": 2}), "shots[0]", "not after its start"),
        (_shots({"duration": 0}), "shots[0]", "above zero"),
        (_shots({"duration": -1}), "shots[0]", "above zero"),
        (_shots({"start": 0, "end": 4, "duration": 3}), "shots[0]", "by its duration"),
        (_shots({"end": 2, "duration": 5}), "shots[0]", "yet lasts 5 s"),
        (_shots({"id": 1}, {"id": "1"}), "shots[1]", "'1' of shots[0]"),
        (_shots({"start": 0, "end": 4}, duration=3), "duration", "reach 4 s"),
        (_shots({"duration": 2}, {"duration": 2}, duration=3), "duration", "reach 4 s"),
        (_shots({"start": "soon"}), "shots[0].start", "not a time"),
        (_shots({"start": True}), "shots[0].start", "not a time"),
        (_shots({"start": [1]}), "shots[0].start", "a list"),
        (_shots({"timestamp": [1, 2, 3]}), "shots[0].timestamp", "3 values"),
        (_shots({"text": True}), "shots[0].text", "true or false"),
        (_shots({"characters": [True]}), "shots[0].characters[0]", "must be text"),
        ({"prompt": "p", "duration": -3}, "duration", "above zero"),
        ({"prompt": "p", "duration": 0}, "duration", "above zero"),
        ({"prompt": {"foo": 1}}, "prompt", "must be text"),
        ({"prompt": "p", "shots": 3}, "shots", "list of shots"),
        (["a", 3], "[1]", "must be text or an object"),
        (["a", None], "[1]", "null"),
        ({"modality_details": []}, "modality_details", "an object, not a list"),
        ({"modality_details": {"visual": {"shots": {}}}}, "modality_details.visual.shots", "must be a list"),
        (
            {"modality_details": {"visual": {"shots": [{"shot_id": 1}, {"shot_id": 1}]}}},
            "modality_details.visual.shots[1]",
            "id '1'",
        ),
        (
            {
                "modality_details": {
                    "text": {"script": [{"shot_id": 1, "duration": 2}]},
                    "visual": {"shots": [{"shot_id": 1, "duration": 3}]},
                }
            },
            "modality_details.text.script[0]",
            "3 s in modality_details.visual.shots[0]",
        ),
        ({"schema": "longtake.brief/9"}, "schema", "not read by this version"),
        ({"schema": "longtake.brief/1", "title": 3}, "title", "string"),
        (
            {"schema": "longtake.brief/1", "shots": [{"text": "a", "start": 3, "end": 1}]},
            "shots[0]",
            "not after",
        ),
        ({"schema": "longtake.brief/1", "shots": [{"text": "a", "id": 1}, {"id": 1}]}, "shots[1]", "id '1'"),
        ({"schema": "longtake.brief/1"}, "", "nothing in it says"),
        ({}, "", "empty"),
        ([], "", "empty"),
        ({"foo": 1}, "", "nothing in it says"),
    ],
)
def test_refused_with_its_place(value: Any, place: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "brief.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(why)) as caught:
        read_brief(path)
    expected = f"brief.json: {place}: " if place else "brief.json: "
    assert caught.value.message.startswith(expected)
    assert caught.value.exit_code == 3
    assert caught.value.hint


def test_rounding_is_no_contradiction() -> None:
    brief = read_brief_value(_shots({"start": 0, "end": 2.0005}, {"start": 2, "end": 3, "duration": 1.04}))
    assert len(brief.shots) == 2
    assert read_brief_value(_shots({"start": 0, "end": 10.04}, duration=10)).duration == 10


def test_a_longer_total_is_only_noted() -> None:
    brief = read_brief_value(_shots({"start": 0, "end": 4}, duration=10))
    assert brief.duration == 10
    assert [n.path for n in brief.notes] == ["duration"]


def test_times_are_added_up_only_where_all_are_known() -> None:
    complete = read_brief_value(_shots({"duration": 2}, {"duration": "1.5s"}))
    assert [(s.start, s.end) for s in complete.shots] == [(0.0, 2.0), (2.0, 3.5)]
    assert any("added up" in n.message for n in complete.notes)
    partial = read_brief_value(_shots({"duration": 2}, {}))
    assert [(s.start, s.end) for s in partial.shots] == [(None, None), (None, None)]
    starts = read_brief_value(_shots({"start": 0}, {"start": 3}))
    assert [s.end for s in starts.shots] == [None, None]


def test_unordered_captions_are_sorted_with_a_warning() -> None:
    brief = read_brief_value(_shots({"start": 3, "end": 4, "id": "b"}, {"start": 0, "end": 2, "id": "a"}))
    assert [(s.index, s.id) for s in brief.shots] == [(0, "a"), (1, "b")]
    assert any(n.level == "warning" and "sorted" in n.message for n in brief.notes)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("  \n ", "empty"),
        ('{"prompt": "p", "x": NaN}', "x: nan is not a finite"),
        ('{"prompt": "p", "shots": [{"start": Infinity}]}', r"shots\[0\].start: inf is not a finite"),
        ('{"prompt": "p", "duration": 1e999}', "duration: inf"),
        ("[" * 5000 + "]" * 5000, "nested deeper"),
        ("[" * 70 + "1" + "]" * 70, "nested deeper"),
        ('{"prompt": "p"', "line 1, column"),
        ('{"prompt": "p",\n "shots" [1]}', "line 2, column"),
        ("WEBVTT\n\nnothing here", "no cue"),
        ("1\n00:00:01,000 --> 00:00:00,000\nx\n", "line 2.*not after"),
        ("1\n00:00:00,000 --> 00:00:02,000\nx\n\n2\nlater --> 00:00:03,000\ny\n", "line 6.*two times"),
        ("start,end,text\n0,2,a\n1,3,b\n", "line 3.*before line 2"),
        ("start,end,text\n0,soon,a\n", "line 2.end.*not a time"),
        ('start,end,text\n0,1,"open\n', "CSV"),
        ("Shot 1 (0:00-0:03): a\nShot 1 (0:03-0:05): b\n", "line 2.*id '1'"),
        ("Shot 1 (0:00-0:03): a\nShot 2 (0:02-0:05): b\n", "line 2.*before line 1"),
        ("<?xml version='1.0'?><html/>", "XML"),
    ],
)
def test_text_that_is_refused(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        read_brief_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x, x]\nb: &b [*a, *a]\nprompt: *b\n",
        "prompt: !!python/object/apply:os.system ['true']\n",
        "prompt: !thing x\n",
        "prompt: a\n---\nprompt: b\n",
        "prompt: [a\n",
        "? [a, b]\n: c\n",
        "prompt: a\nduration: .nan\n",
        "prompt: a\nextra:\n"
        + "".join(f"{'  ' * i}- \n" for i in range(1, 3))
        + "  - "
        + "[" * 80
        + "]" * 80
        + "\n",
        "just a sentence",
        "3",
    ],
)
def test_yaml_that_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "brief.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"brief\.yaml"):
        read_brief(path)


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("a.json", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "not a text file"),
        ("a.txt", b"\x00\x00\x00\x18ftypmp42" + bytes(range(256)), "not a text file"),
        ("a.txt", b"caf\xe9 \x01\x02", "not a text file"),
        ("a.txt", b"\xff\xfea", "damaged"),
        ("a.json", b"just words", "not readable JSON"),
        ("a.srt", b"just words", "no cue"),
        ("a.csv", b"just words", "not a table"),
        ("a.csv", b"start,end,text\n", "nothing in it"),
        ("a.edl", b"just words", "no event"),
        ("a.fcpxml", b"just words", "no event"),
        ("a.json", b"3", "must hold an object or a list"),
        ("a.txt", b"x" * (20 * 1024 * 1024 + 1), "larger than 20 MB"),
    ],
)
def test_files_that_are_refused(name: str, data: bytes, why: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError, match=why) as caught:
        read_brief(path)
    assert name in caught.value.message
    assert caught.value.hint


def test_paths_that_lead_nowhere(tmp_path: Path) -> None:
    for source in (
        tmp_path / "none.json",
        "a man walks his dog",
        "x" * 5000,
        "a\x00b",
        f"{tmp_path}/no#key",
        "\ud800",
    ):
        with pytest.raises(InputError) as caught:
            read_brief(source)
        assert caught.value.hint
        caught.value.message.encode()
    with pytest.raises(UsageError, match="is empty"):
        read_brief("")
    with pytest.raises(InputError, match="without the parts of a script"):
        read_brief(tmp_path)


def test_what_never_ends_is_not_read(tmp_path: Path) -> None:
    pipe = tmp_path / "brief.json"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero")):
        with pytest.raises(InputError, match="pipe or a device") as caught:
            read_brief(path)
        assert caught.value.hint


def test_small_texts_are_read_within_their_limit(tmp_path: Path) -> None:
    path = tmp_path / "profile.yaml"
    path.write_bytes("\ufeffid: é".encode())
    assert read_small_text(path, "profile", 100) == "id: é"
    with pytest.raises(InputError, match=r"the profile .*profile\.yaml is larger than 5 bytes"):
        read_small_text(path, "profile", 5)
    path.write_bytes(b"id: \xff")
    with pytest.raises(InputError, match="not text in UTF-8") as caught:
        read_small_text(path, "profile")
    assert caught.value.hint


def test_a_name_that_is_no_text_is_shown_as_text(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/b\xff.json"))
    path.write_bytes(b"{")
    with pytest.raises(InputError, match=r"b\ufffd\.json") as caught:
        read_brief(path)
    caught.value.message.encode()


def test_folders_of_scripts_that_do_not_fit(tmp_path: Path) -> None:
    part = [{"video fragment id": 1, "video fragment description": "a"}]
    (tmp_path / "a_video_prompts.txt").write_text(json.dumps(part), encoding="utf-8")
    (tmp_path / "audio_prompts.txt").write_text(json.dumps(part + part), encoding="utf-8")
    with pytest.raises(InputError, match=r"audio_prompts\.txt: \[1\]: has the number 1 of \[0\]"):
        read_brief(tmp_path)
    (tmp_path / "audio_prompts.txt").write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match=r"audio_prompts\.txt.*not readable JSON"):
        read_brief(tmp_path)
    (tmp_path / "b_video_prompts.txt").write_text(json.dumps(part), encoding="utf-8")
    with pytest.raises(InputError, match="one script per folder"):
        read_brief(tmp_path)
