"""A judge behind a real server on this machine: what is sent, in which dialect, and what comes of it."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from asked import GOOD, ID, Answer, picture, question, reply

from judge_dialects import DIALECTS
from judge_server import Asked, JudgeServer
from longtake.core.judge import AskError, Judge, Material
from longtake.models.judges.openai_judge import OpenAIJudge
from longtake.models.judges.schemas import strict
from longtake.models.judges.sending import THOUGHT_TOKENS

KEY = "sk-a-secret-of-the-test"
each_dialect = pytest.mark.parametrize("dialect", list(DIALECTS))


def judge_of(server: JudgeServer, key: str | None = KEY, **given: Any) -> OpenAIJudge:
    """A judge that asks this server."""
    return OpenAIJudge(server.url, server.model, key, **given)


def last(server: JudgeServer) -> Asked:
    """The last request."""
    return server.requests[-1]


# what is sent


def test_pictures_arrive_as_the_same_bytes_after_their_times(judge_server: JudgeServer) -> None:
    frames = (picture(0.0), picture(12.4), picture(3725.039))
    judge_of(judge_server).ask(question(*frames))
    asked = last(judge_server)
    assert asked.images == tuple(frame.jpeg for frame in frames)
    parts = asked.body["messages"][1]["content"]
    kinds = [part["type"] for part in parts]
    assert kinds == ["text"] + ["text", "image_url"] * 3 + ["text"]
    assert [parts[i]["text"] for i in (1, 3, 5)] == [
        "Picture at 0.00 s:\n",
        "Picture at 12.40 s:\n",
        "Picture at 3725.04 s:\n",
    ]


def test_pictures_of_two_films_are_told_apart(judge_server: JudgeServer) -> None:
    plain = question(picture(1.0), picture(1.5))
    two = question(*(replace(f, film=f"film {n}") for n, f in enumerate(plain.frames, 1)))
    judge_of(judge_server).ask(plain)
    alone = last(judge_server).body["messages"]
    judge_of(judge_server).ask(two)
    both = last(judge_server).body["messages"]
    assert [both[1]["content"][i]["text"] for i in (1, 3)] == [
        "Picture of film 1 at 1.00 s:\n",
        "Picture of film 2 at 1.50 s:\n",
    ]
    assert "pictures of one film" in alone[0]["content"]
    assert "pictures of several films" in both[0]["content"]
    assert "one film" not in both[0]["content"]
    swapped = question(*(replace(f, film=f"film {3 - n}") for n, f in enumerate(plain.frames, 1)))
    assert len({plain.key, two.key, swapped.key}) == 3


def test_words_go_in_order_and_the_schema_is_told_and_held(judge_server: JudgeServer) -> None:
    asked_for = question(picture(1.0), materials=(Material("brief", "a door"),))
    judge_of(judge_server).ask(asked_for)
    system, user = last(judge_server).body["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    assert "one JSON object" in system["content"]
    assert user["content"][0]["text"] == f"{asked_for.prompt}\n"
    told = user["content"][-1]["text"].splitlines()[-1]
    assert json.loads(told) == Answer.model_json_schema()
    held = last(judge_server).body["response_format"]
    assert held["type"] == "json_schema"
    assert held["json_schema"]["strict"] is True
    assert held["json_schema"]["schema"] == strict(Answer.model_json_schema())


def test_parameters_of_the_question_are_told() -> None:
    with JudgeServer("vllm") as server:
        judge_of(server).ask(question(temperature=0.7, draw=2, most_tokens=321))
        body = last(server).body
    assert (body["temperature"], body["seed"], body["max_tokens"], body["model"]) == (
        0.7,
        2,
        321,
        "Qwen/Qwen3-VL-8B-Instruct",
    )
    assert set(body) == {"model", "messages", "temperature", "seed", "max_tokens", "response_format"}


def test_draws_differ_where_the_temperature_allows_it() -> None:
    with JudgeServer("vllm") as server:
        judge = judge_of(server)
        firm = [judge.ask(question().drawn(n, 0.0)).value for n in range(4)]
        warm = [judge.ask(question().drawn(n, 0.7)).value for n in range(4)]
    assert all(value == firm[0] for value in firm)
    assert any(value != warm[0] for value in warm)


# who answered


@each_dialect
def test_every_dialect_gives_an_answer(dialect: str) -> None:
    with JudgeServer(dialect, key=KEY) as server:
        judge = judge_of(server)
        found = judge.ask(question(picture(1.0)))
    assert found.status == "answered"
    Answer.model_validate(found.value)
    assert json.loads(found.raw)["reason"] == found.value["reason"]
    assert found.usage.input_tokens == server.tokens(last(server))
    assert found.seconds > 0
    reported = {
        "openai": "gpt-x-2026-03-05",
        "ollama": "qwen3-vl:8b",
        "llama.cpp": "/models/Qwen3-VL-8B-Instruct-Q4_K_M.gguf",
    }
    assert found.model == reported.get(dialect, "Qwen/Qwen3-VL-8B-Instruct")


@each_dialect
def test_the_answer_is_the_same_in_every_dialect(dialect: str) -> None:
    with JudgeServer() as first, JudgeServer(dialect, structured=False) as server:
        assert judge_of(server).ask(question()).value == judge_of(first).ask(question()).value


def test_a_server_that_counts_no_tokens_leaves_them_unknown() -> None:
    with JudgeServer("llama.cpp", usage=False) as server:
        used = judge_of(server).ask(question()).usage
    assert (used.input_tokens, used.output_tokens) == (None, None)


def test_another_model_s_answer_is_kept_and_not_taken() -> None:
    with JudgeServer(reports="gpt-y-mini", answers={ID: reply()}) as server:
        found = judge_of(server).ask(question())
    assert (found.status, found.value, found.model) == ("wrong_model", None, "gpt-y-mini")
    assert found.raw == reply()
    assert "--judge openai:gpt-y-mini" in (found.reason or "")


def test_names_and_identity(judge_server: JudgeServer) -> None:
    judge: Judge = judge_of(judge_server)
    port = judge_server.url.split(":")[2].split("/")[0]
    assert judge.name == "openai:gpt-x"
    assert judge.sends_to == f"127.0.0.1:{port}"
    assert judge.identity == f"openai 127.0.0.1:{port}/v1 gpt-x"
    plain = OpenAIJudge("https://user:pass-word@judges.example/v1/?token=abc", "m", KEY)
    assert plain.identity == "openai judges.example/v1 m"
    assert repr(plain) == "OpenAIJudge('https://judges.example/v1', 'm')"


# dialects


@each_dialect
def test_a_server_without_schemas_is_asked_in_words_and_remembered(dialect: str) -> None:
    with JudgeServer(dialect, structured=False) as server:
        judge = judge_of(server)
        assert judge.dialect.structured
        assert judge.ask(question()).status == "answered"
        tried = len(server.requests)
        assert judge.ask(question(draw=1)).status == "answered"
        assert len(server.requests) == tried + 1
        assert not judge.dialect.structured
    assert [one.by_format for one in server.requests][-2:] == [False, False]
    assert server.requests[0].by_format
    words = {json.dumps(one.body["messages"]) for one in server.requests}
    assert len(words) == 1  # the question itself never changes


def test_the_limit_of_tokens_has_the_name_that_the_server_wants(judge_server: JudgeServer) -> None:
    judge = judge_of(judge_server)
    judge.ask(question(most_tokens=100))
    judge.ask(question(most_tokens=100, draw=1))
    limits = [[k for k in one.body if k.startswith("max_")] for one in judge_server.requests]
    assert limits == [["max_tokens"], ["max_completion_tokens"], ["max_completion_tokens"]]
    assert last(judge_server).body["max_completion_tokens"] == 100 + THOUGHT_TOKENS
    assert judge.dialect.left_out == ()


def test_ollama_is_told_the_limit_that_it_knows() -> None:
    with JudgeServer("ollama") as server:
        judge_of(server).ask(question(most_tokens=100))
        assert last(server).body["max_tokens"] == 100
        assert not set(last(server).body) & set(DIALECTS["ollama"].ignores)


def test_what_is_refused_is_left_out_and_told() -> None:
    with JudgeServer(refuses=("max_tokens", "temperature", "seed"), structured=False) as server:
        judge = judge_of(server)
        found = judge.ask(question())
        again = judge.ask(question(draw=1))
    assert (found.status, again.status) == ("answered", "answered")
    assert judge.dialect.left_out == ("temperature", "seed")
    assert set(last(server).body) == {"model", "messages", "max_completion_tokens"}
    assert len(server.requests) == 6  # four refusals, two answers


def test_a_server_that_knows_no_limit_is_told_none() -> None:
    with JudgeServer(refuses=("max_tokens", "max_completion_tokens")) as server:
        judge = judge_of(server)
        assert judge.ask(question()).status == "answered"
    assert judge.dialect.length is None
    assert judge.dialect.left_out == ("max_completion_tokens",)


def test_many_threads_learn_one_dialect() -> None:
    with JudgeServer(refuses=("max_tokens", "temperature"), structured=False, delay=0.02) as server:
        judge = judge_of(server)
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda n: judge.ask(question(draw=n)), range(24)))
        settled = len(server.requests)
        judge.ask(question(draw=99))
    assert {one.status for one in found} == {"answered"}
    assert judge.dialect.left_out == ("temperature",)
    assert judge.dialect.length == "max_completion_tokens"
    assert len(server.requests) == settled + 1
    assert server.most_at_once > 1


@each_dialect
def test_a_model_without_vision_is_named(dialect: str) -> None:
    with JudgeServer(dialect, pictures=False) as server:
        judge = judge_of(server)
        with pytest.raises(AskError, match="takes no pictures") as caught:
            judge.ask(question(picture(1.0)))
        assert not caught.value.again
        assert "vision" in (caught.value.hint or "")
        assert judge.ask(question()).status == "answered"  # without pictures it can be asked


@each_dialect
def test_a_question_that_does_not_fit_is_a_verdict(dialect: str) -> None:
    with JudgeServer(dialect, context=700) as server:
        judge = judge_of(server)
        long = judge.ask(question(picture(1.0), picture(2.0), picture(3.0)))
        assert (long.status, long.value) == ("too_long", None)
        assert "does not fit the model" in (long.reason or "")
        assert long.raw
        server.context = None
        assert judge.ask(question()).status == "answered"


def test_too_many_pictures_for_the_server_are_a_verdict() -> None:
    from judge_server import failed

    said = failed(400, "At most 1 image(s) may be provided in one prompt.")
    with JudgeServer("vllm", faults={0: said}) as server:
        found = judge_of(server).ask(question(picture(1.0), picture(2.0)))
    assert found.status == "too_long"
    assert "2 pictures are too many" in (found.reason or "")


@each_dialect
def test_a_wrong_key_is_told_without_the_key(dialect: str) -> None:
    with JudgeServer(dialect, key="sk-the-right-one") as server, pytest.raises(AskError) as caught:
        judge_of(server).ask(question())
    assert not caught.value.again
    assert "does not accept the key" in str(caught.value)
    assert KEY not in f"{caught.value} {caught.value.hint}"


@pytest.mark.parametrize("dialect", ["openai", "vllm", "ollama"])
def test_an_unknown_model_is_told_what_there_is(dialect: str) -> None:
    with JudgeServer(dialect) as server:
        judge = OpenAIJudge(server.url, "gpt-z", KEY)
        with pytest.raises(AskError, match="has no model gpt-z") as caught:
            judge.ask(question())
    assert caught.value.hint == f"it has {server.model}"
    assert not caught.value.again


@each_dialect
def test_a_url_without_v1_is_told(dialect: str) -> None:
    with JudgeServer(dialect) as server:
        judge = OpenAIJudge(server.url.removesuffix("/v1"), server.model, KEY)
        with pytest.raises(AskError, match="there is no chat at http") as caught:
            judge.ask(question())
    assert "/v1" in (caught.value.hint or "")
    assert not caught.value.again


# keys


def test_without_a_key_none_is_sent_not_even_one_of_the_environment(
    judge_server: JudgeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert judge_of(judge_server, None).ask(question()).status == "answered"
    assert not last(judge_server).with_key


def test_a_host_far_away_is_not_asked_without_a_key() -> None:
    judge = OpenAIJudge("https://api.openai.com/v1", "gpt-x")
    with pytest.raises(AskError, match=r"no key for the judge at api\.openai\.com") as caught:
        judge.ask(question())
    assert not caught.value.again
    assert "OPENAI_API_KEY" in (caught.value.hint or "")


def test_no_proxy_of_the_environment_stands_before_this_machine(
    judge_server: JudgeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    assert judge_of(judge_server).ask(question()).status == "answered"


def test_the_package_openai_is_loaded_by_its_judge_alone() -> None:
    code = (
        "import sys, longtake.models.judges, longtake.models.judges.parse; "
        "print([m for m in ('openai', 'httpx2') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_server_counts_and_holds_back() -> None:
    release = threading.Event()

    def slow(asked: Asked) -> dict[str, Any]:
        release.wait(5)
        return GOOD

    with JudgeServer("vllm", at_once=1, answers={"*": slow}) as server:
        judge = judge_of(server)
        with ThreadPoolExecutor(1) as pool:
            first = pool.submit(judge.ask, question())
            while not server.requests:
                pass
            with pytest.raises(AskError) as caught:
                judge.ask(question(draw=1))
            release.set()
            assert first.result().status == "answered"
    assert (caught.value.again, caught.value.busy, caught.value.after) == (True, True, 1.0)
    assert server.most_at_once == 2
