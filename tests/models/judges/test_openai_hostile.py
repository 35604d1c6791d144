"""What a server may write and do that is no reply: no file or terminal gets it, and nobody waits for it."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from typing import Any

import pytest
from asked import ID, question, reply

from longtake.core.judge import MOST_NAME, AskError, Usage, Verdict
from longtake.errors import UsageError
from longtake.models.judges import bounded
from longtake.models.judges.door import Door, one_line
from longtake.models.judges.openai_judge import OpenAIJudge
from raw_server import RawServer, chat, http

KEY = "sk-ab/cdEF+gh%12345678"
ERRORS = "400 Bad Request"


def said(answer: bytes | Callable[[socket.socket], None], timeout: float = 20.0) -> Verdict:
    """The verdict that this reply of a server becomes, which has to fit into a file."""
    with RawServer(answer) as server:
        found = OpenAIJudge(server.url, "gpt-x", KEY, timeout=timeout).ask(question())
    assert Verdict.model_validate_json(found.model_dump_json()) == found
    return found


def fails(answer: bytes | Callable[[socket.socket], None], timeout: float = 20.0) -> AskError:
    """The error that this reply of a server becomes."""
    with pytest.raises(AskError) as caught:
        said(answer, timeout)
    return caught.value


# halves of signs

HALF = "a\ud800b"


def test_half_a_sign_in_the_reply_is_marked() -> None:
    content = json.dumps({**json.loads(reply()), "reason": HALF}, ensure_ascii=False)
    found = said(http(chat(content)))
    assert found.value is not None
    assert found.value["reason"] == "a\ufffdb"


def test_half_a_sign_that_the_answer_itself_writes_is_no_answer() -> None:
    found = said(http(chat(reply(reason=HALF))))
    assert (found.status, found.value) == ("unreadable", None)
    assert "half of a sign" in (found.reason or "")
    spans = said(http(chat(reply(**{HALF: 1}))))
    assert spans.status == "unreadable"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (chat(reply(), model=f"gpt-x{HALF}"), "200 OK"),
        (chat("", choices=[{"message": {"content": None, "refusal": HALF}}]), "200 OK"),
        (chat("", choices=[{"message": {"content": None, "refusal": {HALF: HALF}}}]), "200 OK"),
        (json.dumps({"error": {"message": HALF, "code": HALF, "param": HALF}}), ERRORS),
        (json.dumps({HALF: HALF}), ERRORS),
    ],
)
def test_half_a_sign_is_in_no_verdict(body: str, status: str) -> None:
    assert said(http(body, status)).status in ("wrong_model", "refused", "failed")


def test_half_a_sign_is_in_no_error() -> None:
    error = fails(http(json.dumps({"error": {"message": HALF}}), "401 No"))
    assert "a\ufffdb" in str(error)


def test_a_verdict_of_any_judge_holds_whole_signs() -> None:
    found = Verdict(
        id="x", question="q", status="answered", value={HALF: [HALF]}, reason=HALF, raw=HALF, model=HALF
    )
    assert "a\ufffdb" in json.loads(found.model_dump_json())["value"]
    assert Verdict.model_validate_json(found.model_dump_json()) == found


# the key

WRITTEN = {
    "as it is": KEY,
    "slashes": KEY.replace("/", "\\/"),
    "twice within JSON": KEY.replace("/", "\\\\/"),
    "one sign": KEY.replace("s", "\\u0073", 1),
    "all signs": "".join(f"\\u{ord(sign):04x}" for sign in KEY),
    "capitals": "".join(f"\\u{ord(sign):04X}" for sign in KEY),
    "within JSON": "".join(f"\\\\u{ord(sign):04x}" for sign in KEY),
    "a URL": KEY.replace("%", "%25").replace("/", "%2F").replace("+", "%2b"),
}


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
@pytest.mark.parametrize(
    ("form", "status"),
    [
        ('{"error": {"message": "wrong: KEY."}}', "401 No"),
        ('{"error": {"message": "wrong: KEY."}}', "403 No"),
        ('{"error": {"message": "wrong: KEY."}}', "400 No"),
        ('{"error": {"message": "wrong: KEY.", "code": 502}}', "200 OK"),
        ("wrong: KEY.", "500 No"),
        ("wrong: KEY.", "200 OK"),
        ('{"model": "KEY", "choices": [{"message": {"content": "{}"}}]}', "200 OK"),
        ('{"model": "gpt-x", "choices": [{"message": {"content": "it is KEY"}}]}', "200 OK"),
        ('{"model": "gpt-x", "choices": [{"message": {"refusal": "not with KEY"}}]}', "200 OK"),
        ('{"model": "gpt-x", "choices": [{"message": {"content": [{"text": "KEY"}]}}]}', "200 OK"),
    ],
)
def test_the_key_is_nowhere_however_it_is_written(form: str, status: str, written: str) -> None:
    answer = http(form.replace("KEY", written), status)
    with RawServer(answer) as server:
        try:
            told = OpenAIJudge(server.url, "gpt-x", KEY).ask(question()).model_dump_json()
        except AskError as error:
            told = f"{error} {error.hint}"
    assert "[key]" in told
    for _ in range(3):  # as whoever reads it may read it
        assert KEY not in told
        assert "12345678" not in told
        told = told.replace("\\/", "/").replace("\\\\", "\\")


def test_the_key_in_the_address_to_which_a_server_sends_on() -> None:
    for written in (KEY, WRITTEN["a URL"]):
        error = fails(http("", "302 Found", location=f"https://elsewhere.example/{written}?a=b"))
        assert "elsewhere.example/[key]" in str(error)
        assert "12345678" not in f"{error} {error.hint}"


def test_the_key_within_an_answer_is_left_out_and_the_answer_taken() -> None:
    content = reply(reason="said KEY").replace("KEY", WRITTEN["all signs"])
    found = said(http(chat(content)))
    assert found.value is not None
    assert found.value["reason"] == "said [key]"


def test_what_is_like_the_key_stays() -> None:
    door = Door(KEY)
    for near in (KEY[:-1], KEY.upper(), KEY[1:], "\\\\\\" * 100, "sk-ab"):
        assert door.text(near) == near
    assert Door("none").text("none of it") == "none of it"


def test_a_key_is_looked_for_in_time() -> None:
    started = time.monotonic()
    Door("s" * 60).text("\\" * 300_000 + "s" * 59 + "\\u0073" * 30)
    assert time.monotonic() - started < 5


# what has no end


def trickled(connection: socket.socket) -> None:
    for one in http(chat(reply())):
        connection.sendall(bytes([one]))
        time.sleep(0.05)


def trickled_body(connection: socket.socket) -> None:
    head, _, body = http(chat(reply())).partition(b"\r\n\r\n")
    connection.sendall(head + b"\r\n\r\n")
    for one in body:
        connection.sendall(bytes([one]))
        time.sleep(0.05)


def spaces(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
    while True:
        connection.sendall(b" ")
        time.sleep(0.05)


def headers(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connection.sendall(b"X-A: a\r\n")
        time.sleep(0.05)


@pytest.mark.parametrize("answer", [trickled, trickled_body, spaces, headers])
def test_a_server_that_trickles_is_left(answer: Callable[[socket.socket], None]) -> None:
    started = time.monotonic()
    error = fails(answer, timeout=0.3)
    took = time.monotonic() - started
    assert 0.3 < took < 3
    assert error.again
    assert "was not done with its reply after 0.6 s" in str(error)


def test_a_slow_reply_that_ends_in_time_is_taken() -> None:
    def slow(connection: socket.socket) -> None:
        sent = http(chat(reply()))
        for start in range(0, len(sent), 100):
            connection.sendall(sent[start : start + 100])
            time.sleep(0.02)

    assert said(slow, timeout=2.0).status == "answered"


def test_the_list_of_models_has_an_end_too() -> None:
    with RawServer(spaces) as server, pytest.raises(AskError, match="not done") as caught:
        OpenAIJudge(server.url, "", KEY, timeout=0.3).offers()
    assert caught.value.again


@pytest.mark.parametrize("status", ["200 OK", "400 Bad", "500 Bad"])
def test_a_reply_without_measure_is_not_read(status: str) -> None:
    body = b'{"a": "' + b"x" * bounded.MOST_BODY + b'"}'
    error = fails(http(body, status))
    assert "sent a reply of more than 8 MB" in str(error)
    assert error.again


def test_a_reply_that_unpacks_without_measure_is_not_read() -> None:
    import gzip

    packed = gzip.compress(b" " * (4 * bounded.MOST_BODY))
    assert "more than 8 MB" in str(fails(http(packed, content_encoding="gzip")))


def test_a_packed_reply_is_read() -> None:
    import gzip

    packed = gzip.compress(chat(reply()).encode())
    assert said(http(packed, content_encoding="gzip")).status == "answered"


# what no JSON is


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('{"a":' * 10_000 + "1" + "}" * 10_000, "is nested too deeply"),
        ('{"a":' * 200 + "1" + "}" * 200, "is nested too deeply"),
        (chat("{}", created=7).replace("7", "7" * 5000), "has a number of thousands of digits"),
        (chat("{}").replace('"gpt-x"', "1" * 5000), "has a number of thousands of digits"),
    ],
)
def test_json_that_nobody_reads_is_told_and_asked_again(body: str, words: str) -> None:
    error = fails(http(body))
    assert words in str(error)
    assert error.again


def test_an_error_that_nobody_reads_keeps_its_status() -> None:
    assert fails(http("[" * 100_000, "500 Bad")).again
    assert "HTTP 500" in str(fails(http('{"error":' * 200, "500 Bad")))


def test_an_answer_nested_too_deeply_is_none() -> None:
    found = said(http(chat('{"id":' + "[" * 200 + "]" * 200 + "}")))
    assert (found.status, found.reason) == ("unreadable", "the JSON of the reply is nested too deeply")


@pytest.mark.parametrize("kind", ["nonsense", "utf-16", "base64", "rot13"])
@pytest.mark.parametrize("status", ["200 OK", "401 No"])
def test_a_server_may_call_its_signs_what_it_likes(kind: str, status: str) -> None:
    body = chat(reply()) if status == "200 OK" else '{"error": {"message": "não"}}'
    answer = http(body, status, content_type=f"application/json; charset={kind}")
    if status == "200 OK":
        assert said(answer).status == "answered"
    else:
        assert "não" in str(fails(answer))


@pytest.mark.parametrize(
    "after",
    [
        "Fri, 99 Dec 99999999999 23:59:59 GMT",
        "Fri, 31 Dec 9999 23:59:59 -2359",
        "inf",
        "-5",
        "9" * 400,
        "\xb2",
    ],
)
def test_any_time_to_wait_is_understood_or_left(after: str) -> None:
    error = fails(http('{"error": {"message": "slow"}}', "429 Slow", retry_after=after))
    assert error.again
    assert error.busy
    assert error.after is None or 0 <= error.after <= 3600


# counts


@pytest.mark.parametrize(
    ("count", "kept"),
    [
        *((good, good) for good in (0, 17, 10**9)),
        *((bad, None) for bad in (10**9 + 1, -1, 10**400, 1e308, True, "17", None, 17.0, [17])),
    ],
)
def test_a_count_that_nobody_believes_is_none(count: Any, kept: int | None) -> None:
    usage = {"prompt_tokens": count, "completion_tokens": 5}
    found = said(http(chat(reply(), usage=usage)))
    assert found.usage == Usage(input_tokens=kept, output_tokens=5)
    assert found.status == "answered"


def test_a_count_that_is_none_is_one_of_any_judge() -> None:
    assert Usage(input_tokens=-1, output_tokens=10**10) == Usage()


# controls and lengths

STEERS = "\x1b[2J\x1b]0;x\x07\x9b2J\u202e\u2066\u200b\ue000"


def test_no_error_steers_a_terminal() -> None:
    for status in ("400 Bad", "401 Bad", "403 Bad", "429 Bad", "500 Bad"):
        answer = http(json.dumps({"error": {"message": f"bad {STEERS}"}}), status)
        try:
            told = said(answer).reason or ""
        except AskError as error:
            told = str(error)
        assert told.isprintable(), status
        assert "bad \ufffd[2J" in told
    assert str(fails(http(f"bad {STEERS}"))).isprintable()


def test_words_of_any_language_stay() -> None:
    said_ = "não · 你好 · می\u200cخواهم · 👩\u200d🚀"
    assert one_line(said_) == said_


@pytest.mark.parametrize("length", [0, 1, 299, 300, 301, 100_000])
def test_a_message_is_short(length: int) -> None:
    found = one_line("x" * length)
    assert len(found) == min(length, 300)
    assert found.endswith("...") is (length > 300)
    assert len(one_line(" \n" * length + "x" * length)) <= 300


def test_a_name_of_a_model_is_short_and_steers_nothing() -> None:
    found = said(http(chat(reply(), model=f"evil{STEERS}{'x' * 100_000}")))
    assert found.status == "wrong_model"
    assert found.model is not None
    assert len(found.model) == MOST_NAME
    assert found.model.isprintable()
    assert len(found.reason or "") < 2 * MOST_NAME + 100


def test_a_list_of_models_steers_nothing() -> None:
    listed: list[object] = [{"id": f"a{STEERS}"}, {"id": "b" * 1000}, {"id": HALF}, {"id": 5}, None, {}]
    with RawServer(http(json.dumps({"data": [*listed, {"id": " "}]}))) as server:
        offered = OpenAIJudge(server.url, "", KEY).offers()
    assert len(offered) == 3
    assert all(name.isprintable() and len(name) <= MOST_NAME for name in offered)


@pytest.mark.parametrize("body", ["[" * 100_000, "{}", '"x"', "<html>", "", '{"data": {"id": "x"}}', "null"])
def test_a_list_of_models_that_is_none(body: str) -> None:
    with RawServer(http(body)) as server:
        assert OpenAIJudge(server.url, "", KEY).offers() == []


def test_a_server_that_sends_on_to_nowhere() -> None:
    error = fails(http("", "302 Found", location=""))
    assert "sends questions on and does not say where to" in str(error)


# addresses and proxies


@pytest.mark.parametrize(
    "url",
    [
        "http://a..b/v1",
        f"http://{'a' * 300}/v1",
        f"http://{'a' * 64}.example/v1",
        f"http://{'.'.join(['abcdefgh'] * 30)}/v1",
        "http://\u202eexample.com/v1",
        "http://exam\u200bple.com/v1",
        "http://exam\x1bple/v1",
        "http://exam\nple/v1",
        "http://exam ple/v1",
        "http://example/v1\x00",
        "http://exam\udcffple/v1",
        "http://.../v1",
        "http:///v1",
        "http://:80/v1",
        "http://[zz]/v1",
        "http://[::1/v1",
    ],
)
def test_an_address_that_cannot_be_is_refused_before_any_work(url: str) -> None:
    with pytest.raises(UsageError, match="base URL of the judge's server") as caught:
        OpenAIJudge(url, "m", KEY)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("url", ["http://a_b:80/v1", "http://host./v1", "http://bücher.example/v1"])
def test_an_address_that_is_odd_is_taken(url: str) -> None:
    assert OpenAIJudge(url, "m", KEY).sends_to


@pytest.mark.parametrize("proxy", ["foo\x01", "gopher://x:1"])
def test_a_proxy_that_is_none_is_told(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    with pytest.raises(UsageError, match="environment's settings of the network") as caught:
        OpenAIJudge("http://judge.example/v1", "m", KEY)
    assert "HTTP_PROXY" in (caught.value.hint or "")


def test_a_proxy_that_only_the_call_finds_wrong_costs_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://[")
    with pytest.raises(AskError) as caught:
        OpenAIJudge("http://judge.invalid/v1", "m", KEY, timeout=1.0).ask(question())
    assert caught.value.again


# answers without words


@pytest.mark.parametrize("reason", [" ", "\n\t ", "\u200b", "\u2060\ufeff \u00ad", "\u3164", "\u2800"])
def test_an_answer_without_words_is_none(reason: str) -> None:
    found = said(http(chat(reply(reason=reason))))
    assert (found.status, found.reason) == ("wrong_schema", "reason holds no words")


@pytest.mark.parametrize("reason", ["a", " a ", "是", "\u200ba", "?", "\U0001f44d"])
def test_an_answer_of_one_sign_is_one(reason: str) -> None:
    found = said(http(chat(reply(reason=reason))))
    assert found.value is not None
    assert found.value["reason"] == reason
    assert found.id == ID
