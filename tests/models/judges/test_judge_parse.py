"""The strict parser: what is an answer, and what each other reply is called."""

from __future__ import annotations

import json
from typing import Any

import pytest
from asked import GOOD, ID, question, reply
from hypothesis import given
from hypothesis import strategies as st

from longtake.core.judge import Usage
from longtake.models.judges.parse import verdict


@pytest.mark.parametrize(
    "raw",
    [
        reply(),
        f"  \n{reply()}\n",
        f"```json\n{reply()}\n```",
        f"```\n{reply()}\n```",
        f"<think>The door {{ is shut }} twice.</think>\n\n{reply()}",
        f"<think>\n</think>```json\n{reply()}```",
        json.dumps(GOOD, indent=2),
    ],
)
def test_one_object_is_an_answer(raw: str) -> None:
    found = verdict(question(), raw, model="m", usage=Usage(input_tokens=5), finish="stop", seconds=1.5)
    assert found.status == "answered"
    assert found.reason is None
    assert found.value == {**GOOD, "share": 1.0}
    assert (found.raw, found.model, found.seconds, found.usage.input_tokens) == (raw, "m", 1.5, 5)
    assert (found.id, found.question) == (ID, question().key)


def test_cannot_tell_is_an_answer() -> None:
    assert verdict(question(), reply(score=None)).value == {**GOOD, "score": None, "share": 1.0}


def test_a_default_is_filled_in_by_the_record_alone() -> None:
    given = {key: value for key, value in GOOD.items() if key != "pair"}
    assert verdict(question(), json.dumps(given)).value == {**GOOD, "share": 1.0, "pair": [0.0, 1.0]}


@pytest.mark.parametrize(
    ("raw", "status", "words"),
    [
        ("", "unreadable", "empty"),
        ("  \n", "unreadable", "empty"),
        ("<think>hm</think>", "unreadable", "empty"),
        ("<think>hm", "unreadable", "middle of a thought"),
        ("I think it is a 4.", "unreadable", "no JSON object: I think"),
        (f"Here it is: {reply()}", "unreadable", "words around"),
        (f"{reply()}\nI hope this helps.", "unreadable", "words after"),
        (f"{reply()}\n{reply()}", "unreadable", "more than one"),
        (f"```json\n{reply()}\n```\n```json\n{reply()}\n```", "unreadable", "words after"),
        (f"{reply()}<think>late</think>", "unreadable", "words after"),
        (reply()[:40], "unreadable", "ends in the middle"),
        (reply().replace("3", "NaN", 1), "unreadable", "NaN"),
        (reply().replace("3", "-Infinity", 1), "unreadable", "-Infinity"),
        (reply().replace('"clear"', '"score"'), "unreadable", "score twice"),
        (reply().replace('"end"', '"start"'), "unreadable", "start twice"),
        (reply().replace("true", "True"), "unreadable", "not valid JSON"),
        (reply()[:-1] + ",}", "unreadable", "not valid JSON"),
        ("[" * 100_000, "unreadable", "nested too deeply"),
        (reply().replace("3", "9" * 5000, 1), "unreadable", "not valid JSON"),
        (f"[{reply()}]", "unreadable", "array"),
        (reply(id="checkpoint.other"), "wrong_id", "checkpoint.other and not about checkpoint.scene_order"),
        (reply(id=None), "wrong_id", "null"),
        (reply(score=6), "out_of_range", "score should be less than or equal to 5, not 6"),
        (reply(score=0), "out_of_range", "not 0"),
        (reply(share=-0.1), "out_of_range", "share"),
        (reply().replace('"share": 1', '"share": 1e999'), "out_of_range", "share"),
        (reply(spans=[{"start": -1, "end": 2}]), "out_of_range", "spans.0.start"),
        (reply(score="3"), "wrong_schema", "score should be a valid integer, not 3"),
        (reply(score=3.5), "wrong_schema", "score"),
        (reply(score=True), "wrong_schema", "score"),
        (reply(clear=1), "wrong_schema", "clear"),
        (reply(clear="true"), "wrong_schema", "clear"),
        (reply(reason=""), "wrong_schema", "reason"),
        (reply(reason="x" * 61), "wrong_schema", "reason"),
        (reply(pair=[1]), "wrong_schema", "pair"),
        (reply(confidence=0.9), "wrong_schema", "confidence is not asked for"),
        (reply(score=6, clear="yes"), "wrong_schema", "(and 1 more)"),
        ("{}", "wrong_schema", "id is missing (and 5 more)"),
        ('{"id": "checkpoint.scene_order", "score": 3}', "wrong_schema", "share is missing (and 3 more)"),
    ],
)
def test_anything_else_is_kept_and_no_answer(raw: str, status: str, words: str) -> None:
    found = verdict(question(), raw, finish="stop")
    assert (found.status, found.value, found.raw) == (status, None, raw)
    assert words in (found.reason or "")
    assert "\n" not in (found.reason or "")
    assert len(found.reason or "") < 250


@pytest.mark.parametrize("raw", ["", "<think>so lon", reply()[:50], reply(), "Well, the"])
def test_a_reply_that_met_its_limit_is_cut_off(raw: str) -> None:
    found = verdict(question(most_tokens=40), raw, finish="length")
    assert (found.status, found.value, found.raw) == ("cut_off", None, raw)
    assert "40 tokens" in (found.reason or "")


def test_half_a_reply_is_cut_off_where_the_tokens_say_so() -> None:
    spent = verdict(question(most_tokens=40), reply()[:50], usage=Usage(output_tokens=40))
    left = verdict(question(most_tokens=40), reply()[:50], usage=Usage(output_tokens=12))
    assert (spent.status, left.status) == ("cut_off", "unreadable")


def test_a_whole_reply_of_as_many_tokens_is_an_answer() -> None:
    assert verdict(question(most_tokens=40), reply(), usage=Usage(output_tokens=40)).status == "answered"


def test_a_refusal_is_no_answer_whatever_comes_with_it() -> None:
    said = verdict(question(), "", refusal="I cannot judge people.")
    held = verdict(question(), reply(), finish="content_filter")
    assert (said.status, said.raw) == ("refused", "I cannot judge people.")
    assert "I cannot judge people." in (said.reason or "")
    assert (held.status, held.value, held.raw) == ("refused", None, reply())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(sorted(GOOD)), JSON) | st.just({}))
def test_a_value_is_there_just_when_the_record_takes_it(changed: dict[str, Any]) -> None:
    raw = json.dumps({**GOOD, **changed})
    found = verdict(question(), raw)
    assert (found.value is not None) == (found.status == "answered")
    if found.value is not None:
        assert found.value == {**json.loads(raw), "share": found.value["share"]}


@given(st.text())
def test_no_text_crashes_the_parser(raw: str) -> None:
    found = verdict(question(), raw)
    assert found.status != "answered"
    assert found.raw == raw
