"""What a judge says when its server fails: each fault has its message, and tells whether to ask again."""

from __future__ import annotations

import logging
import pickle
import re
import socket
import time
import traceback
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from asked import ID, picture, question, reply

from judge_server import (
    CUT,
    DROP,
    FILTERED,
    HALF,
    HTML,
    LENGTH,
    REFUSED,
    Fault,
    JudgeServer,
    failed,
    too_many,
)
from longtake.core.judge import AskError, Verdict
from longtake.errors import UsageError
from longtake.models.judges.complaints import complaint, wait_asked_for
from longtake.models.judges.openai_judge import OpenAIJudge

KEY = "sk-a-secret-of-the-test"


def fails(fault: Fault, dialect: str = "vllm", **given: float) -> AskError:
    """The error that this fault becomes."""
    with JudgeServer(dialect, faults={0: fault}) as server, pytest.raises(AskError) as caught:
        OpenAIJudge(server.url, server.model, KEY, **given).ask(question(picture(1.0)))
    assert "\n" not in str(caught.value)
    assert KEY not in f"{caught.value} {caught.value.hint}"
    return caught.value


def ends(fault: Fault) -> Verdict:
    """The verdict that this fault becomes."""
    with JudgeServer(faults={0: fault}) as server:
        return OpenAIJudge(server.url, server.model, KEY).ask(question(picture(1.0)))


PAGE = "<html><body><h1>Not what you want</h1></body></html>"


@pytest.mark.parametrize(
    ("fault", "words", "again", "busy", "after"),
    [
        (too_many("7"), "wants fewer questions at a time: Rate limit reached", True, True, 7.0),
        (failed(429), "wants fewer questions", True, True, None),
        (failed(429, retry_after_ms="250"), "wants fewer", True, True, 0.25),
        (failed(429, retry_after="soon"), "wants fewer", True, True, None),
        (
            failed(429, "You exceeded your current quota", "insufficient_quota"),
            "no credit",
            False,
            False,
            None,
        ),
        (failed(402, "Insufficient credits"), "no credit", False, False, None),
        (failed(500), "failed (HTTP 500): Server error", True, False, None),
        (failed(502), "HTTP 502", True, False, None),
        (failed(503, retry_after="3"), "HTTP 503", True, True, 3.0),
        (failed(529), "HTTP 529", True, True, None),
        (failed(504), "HTTP 504", True, False, None),
        (Fault(502, PAGE), "failed (HTTP 502): a web page", True, False, None),
        (failed(403, "Country not supported"), "forbids it: Country", False, False, None),
        (Fault(403, PAGE), "forbids it: a web page", False, False, None),
        (Fault(404, PAGE), "there is no chat at", False, False, None),
        (Fault(400, PAGE), "a web page answered", False, False, None),
        (HTML, "a web page answered", False, False, None),
        (HALF, "ends in the middle", True, False, None),
        (CUT, "broke", True, False, None),
        (DROP, "broke", True, False, None),
        (Fault(body="ok"), "is no JSON: ok", False, False, None),
        (Fault(body={"choices": []}), "holds no answer", True, False, None),
        (Fault(body={"object": "list", "data": []}), "holds no answer", True, False, None),
        (
            Fault(body={"error": {"message": "Upstream is down", "code": 502}}),
            "Upstream is down",
            True,
            False,
            None,
        ),
        (Fault(body={"error": {"message": "Slow down", "code": 429}}), "fewer questions", True, True, None),
        (Fault(body={"error": "worker died"}), "worker died", True, False, None),
        (
            Fault(body={"object": "error", "message": "worker died", "code": 500}),
            "worker died",
            True,
            False,
            None,
        ),
        (
            Fault(307, {}, {"Location": "https://elsewhere.example/v1"}),
            "elsewhere.example",
            False,
            False,
            None,
        ),
    ],
)
def test_each_fault_has_its_message(
    fault: Fault, words: str, again: bool, busy: bool, after: float | None
) -> None:
    error = fails(fault)
    assert words in str(error)
    assert (error.again, error.busy, error.after) == (again, busy, after)


@pytest.mark.parametrize("fault", [Fault(hang=20.0), Fault(stall=20.0)])
def test_a_silent_server_is_left_after_the_timeout(fault: Fault) -> None:
    started = time.monotonic()
    error = fails(fault, timeout=0.3)
    assert time.monotonic() - started < 3
    assert error.again
    assert "within 0.3 s" in str(error)


def test_nothing_listens() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with pytest.raises(AskError, match=f"nothing listens at 127.0.0.1:{port}") as caught:
        OpenAIJudge(f"http://127.0.0.1:{port}/v1", "m").ask(question())
    assert caught.value.again
    assert "running" in (caught.value.hint or "")


def test_a_name_that_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*args: object, **kwargs: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(AskError, match=r"host judge\.local is not found") as caught:
        OpenAIJudge("http://judge.local:8000/v1", "m").ask(question())
    assert caught.value.again


@pytest.mark.parametrize(
    ("fault", "status", "words"),
    [
        (REFUSED, "refused", "declined to answer: I can't help with that."),
        (FILTERED, "refused", "content filter"),
        (LENGTH, "cut_off", "cut off at"),
        (Fault(content=""), "unreadable", "empty"),
        (Fault(content=reply(id="checkpoint.other")), "wrong_id", "checkpoint.other"),
        (Fault(content=reply(score=9)), "out_of_range", "not 9"),
        (Fault(content=reply(more=1)), "wrong_schema", "more is not asked for"),
        (Fault(content=f"Sure! {reply()}"), "unreadable", "words around"),
        (Fault(model="gpt-y"), "wrong_model", "gpt-y answered, not gpt-x"),
        (failed(400, "policy", "content_policy_violation"), "refused", "refused the question"),
        (failed(413, "Payload too large"), "too_long", "Payload"),
        (failed(422, "messages: field is odd"), "failed", "HTTP 422): messages: field is odd"),
        (Fault(body={"choices": [{"message": {"content": None}}]}), "unreadable", "empty"),
        (Fault(body={"choices": [{"message": {"content": [{"type": "thinking"}]}}]}), "unreadable", "array"),
    ],
)
def test_a_reply_that_is_no_answer_is_a_verdict(fault: Fault, status: str, words: str) -> None:
    found = ends(fault)
    assert (found.status, found.value) == (status, None)
    assert words in (found.reason or "")


def test_a_fault_ends_with_its_list() -> None:
    with JudgeServer("vllm", faults={"checkpoint.*": [failed(500), None]}) as server:
        judge = OpenAIJudge(server.url, server.model, KEY)
        with pytest.raises(AskError):
            judge.ask(question())
        assert judge.ask(question()).status == "answered"


# waiting


def test_seconds_and_dates_of_retry_after() -> None:
    now = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
    later = format_datetime(now + timedelta(seconds=90), usegmt=True)
    asked = [{"retry-after": "2.5"}, {"retry-after": later}, {"retry-after-ms": "40", "retry-after": "9"}]
    assert [wait_asked_for(headers, now) for headers in asked] == [2.5, 90.0, 0.04]
    earlier = format_datetime(now - timedelta(seconds=90), usegmt=True)
    assert wait_asked_for({"retry-after": earlier}, now) == 0
    assert wait_asked_for({"retry-after": "99999999"}, now) == 3600
    assert [wait_asked_for({"retry-after": odd}, now) for odd in ("", "nan", "soon")] == [None] * 3
    assert wait_asked_for({}, now) is None


# secrets


@pytest.mark.parametrize(
    "fault",
    [
        failed(401, f"Incorrect API key provided: {KEY}."),
        failed(403, f"key {KEY} may not"),
        failed(500, f"crashed with {KEY}"),
        failed(429, f"{KEY} asks too much"),
        Fault(body=f"debug: Authorization: Bearer {KEY}"),
        Fault(307, {}, {"Location": f"https://elsewhere.example/v1?key={KEY}"}),
        Fault(body={"error": {"message": KEY, "code": 502}}),
        DROP,
        HALF,
    ],
)
def test_the_key_is_in_no_message_log_or_trace(fault: Fault, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    error = fails(fault)
    written = "".join(traceback.format_exception(error)) + repr(error) + str(error.hint) + caplog.text
    assert KEY not in written
    assert KEY.encode() not in pickle.dumps(error)
    assert error.__cause__ is None
    assert error.__context__ is None or error.__suppress_context__


@pytest.mark.parametrize(
    "fault",
    [Fault(content=reply(reason=f"said {KEY}")), failed(400, f"odd: {KEY}"), Fault(model=f"gpt-{KEY}")],
)
def test_the_key_is_in_no_verdict(fault: Fault) -> None:
    found = ends(fault)
    assert KEY not in found.model_dump_json()
    assert "[key]" in found.model_dump_json()


def test_the_key_is_in_no_representation() -> None:
    judge = OpenAIJudge("http://localhost/v1", "m", KEY)
    assert KEY not in repr(judge) + judge.identity + judge.name + repr(judge.dialect)


def test_a_placeholder_is_no_secret() -> None:
    with JudgeServer("vllm", answers={ID: reply(reason="none of it")}) as server:
        found = OpenAIJudge(server.url, server.model, "none").ask(question())
    assert found.value is not None
    assert found.value["reason"] == "none of it"


@pytest.mark.parametrize("key", ["sk-with\nnewline", "sk-é", "sk-with space"])
def test_a_key_that_cannot_be_one_is_told_without_it(key: str) -> None:
    with pytest.raises(UsageError, match="signs that no key has") as caught:
        OpenAIJudge("http://localhost/v1", "m", key)
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["", "localhost:8000/v1", "ftp://x/v1", "http://", "http://x:port/v1", "//x/v1"]
)
def test_a_base_url_that_is_none(url: str) -> None:
    with pytest.raises(UsageError, match="base URL of the judge's server") as caught:
        OpenAIJudge(url, "m")
    assert "http" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("url", "near"),
    [
        ("http://localhost:8000/v1", True),
        ("http://127.0.0.1/v1", True),
        ("http://[::1]:8000/v1", True),
        ("http://192.168.1.5:8000/v1", True),
        ("http://10.1.2.3/v1", True),
        ("http://gpu-box:8000/v1", True),
        ("http://vllm.internal/v1", True),
        ("https://api.openai.com/v1", False),
        ("http://8.8.8.8/v1", False),
        ("http://[2001:4860:4860::8888]/v1", False),
    ],
)
def test_which_hosts_need_a_key(url: str, near: bool) -> None:
    from longtake.models.judges.address import address

    assert address(url).near is near


# words of servers


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (
            "too_long",
            "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
        ),
        ("too_long", "Your input exceeds the context window of this model. Please adjust your input."),
        ("too_long", "Input tokens exceed the configured limit of 272000 tokens."),
        ("too_long", "The decoder prompt (length 9) is longer than the maximum model length of 8."),
        ("too_long", "The prompt (total length 9) is too long to fit into the model (context length 8)."),
        ("too_long", "However, the model's context length is only 8 tokens"),
        ("too_long", "max_tokens must be at least 1, got -42."),
        ("too_long", "The input (9 tokens) is longer than the model's context length (8 tokens)."),
        ("too_long", "Requested token count exceeds the model's maximum context length of 8 tokens."),
        ("too_long", "request (9 tokens) exceeds the available context size (8 tokens), try increasing it"),
        ("too_long", "prompt too long; exceeded max context length by 4 tokens"),
        ("no_pictures", "facebook/opt-125m is not a multimodal model None"),
        ("no_pictures", "This model does not support image input."),
        ("no_pictures", "model doesn't support images"),
        ("no_pictures", 'Failed to parse messages: Unsupported content part type: "image_url"; messages'),
        ("no_schema", "Invalid schema for response_format 'answer': In context=(), 'required' is required"),
        ("no_schema", "Grammar error: unsatisfiable schema"),
        ("unknown_model", "The model `gpt-z` does not exist or you do not have access to it."),
    ],
)
def test_words_are_sorted(kind: str, message: str) -> None:
    said = complaint(400, {"error": {"message": message}})
    assert said.says(kind)
    others = {"too_long", "no_pictures", "too_many_pictures", "unknown_model", "spent", "filtered"} - {kind}
    assert not [other for other in others if said.says(other)]


@pytest.mark.parametrize(
    ("body", "message", "code"),
    [
        ({"error": {"message": "m", "type": "t", "code": "c"}}, "m", "c t"),
        ({"error": {"message": "m", "type": "BadRequestError", "code": 400}}, "m", "BadRequestError"),
        ({"object": "error", "message": "m", "type": "t", "code": 400}, "m", "t"),
        ({"error": "m"}, "m", ""),
        ({"detail": "m"}, "m", ""),
        ({"detail": [{"loc": ["body"], "msg": "m"}]}, '[{"loc": ["body"], "msg": "m"}]', ""),
        ({"error": {"message": None}}, "", ""),
        ("m", "m", ""),
        ({}, "", ""),
    ],
)
def test_errors_of_each_server_are_read(body: object, message: str, code: str) -> None:
    said = complaint(400, body)
    assert (said.message, said.code) == (message, code)
    assert re.fullmatch(r"\S.*", said.told)


def test_a_parameter_is_refused_by_its_name_and_no_other_word() -> None:
    def refused(message: str, param: str = "") -> str | None:
        return complaint(400, {"error": {"message": message, "param": param}}).refused_parameter()

    tokens = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
    assert refused(tokens, "max_tokens") == "max_tokens"
    assert refused(tokens) == "max_tokens"
    assert refused("Unknown parameter: 'max_completion_tokens'.") == "max_completion_tokens"
    assert refused("'temperature' does not support 0 with this model") == "temperature"
    assert refused("body.seed: Extra inputs are not permitted") == "seed"
    assert refused("temperature must be at most 2") is None
    parts = [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]
    assert complaint(422, {"detail": parts}).refused_parameter() == "seed"  # Mistral
    assert refused("Unsupported file", "messages") is None
