"""What is said to have left the machine is what the judge's server got."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripted import question

from judge_server import DROP, HTML, REFUSED, Fault, JudgeServer, failed, too_many
from longtake.core.judgement import JudgeFacts
from longtake.execution import asking, circuit
from longtake.execution.asking import Asking
from longtake.execution.budget import Budget, Spending
from longtake.execution.judges import asker_for
from longtake.execution.limiter import Limiter
from longtake.models.judges.openai_judge import OpenAIJudge
from longtake.models.judges.recording import RECORDING
from longtake.report.judged import asked_of, left

KEY = "sk-right-0123456789"
FAULTS: dict[str, dict[int | str, Fault | list[Fault | None]]] = {
    "none": {},
    "500 twice": {0: failed(500), 2: failed(500)},
    "busy": {1: too_many("0")},
    "broken off": {1: DROP},
    "a web page": {0: HTML},
    "a refusal": {2: REFUSED},
    "for ever": {"*": failed(500)},
}


def adds_up(facts: JudgeFacts) -> bool:
    return facts.asked == facts.answered + sum(facts.not_answered.values())


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "wait_before", lambda *given: 0.0)
    monkeypatch.setattr(circuit, "SILENCE", 0.0)


@pytest.mark.parametrize("dialect", ["openai", "vllm", "ollama"])
@pytest.mark.parametrize("fault", FAULTS)
def test_calls_and_pictures_are_those_that_the_server_got(dialect: str, fault: str) -> None:
    with JudgeServer(dialect, faults=FAULTS[fault]) as server:
        asker = Asking(OpenAIJudge(server.url, server.model, KEY), limiter=Limiter(2))
        with asker:
            asker.ask([question(i, frames=i) for i in range(4)])
        facts = asker.facts()
        assert facts.calls == len(server.requests)
        assert facts.frames == sum(len(asked.images) for asked in server.requests)
        assert facts.calls == asker.spending.calls
        assert adds_up(facts)


def test_questions_that_have_to_be_put_otherwise_are_calls_and_that_is_told() -> None:
    told: list[str] = []
    with JudgeServer("openai") as server:
        asker = Asking(OpenAIJudge(server.url, server.model, KEY), limiter=Limiter(1), tell=told.append)
        with asker:
            asker.ask([question(i) for i in range(4)])
        put_otherwise = asker.facts().calls - 4
        assert put_otherwise == len(server.requests) - 4 > 0
        assert asker.facts().answered == 4
    assert "in 4 calls; in more where one fails or has to be put otherwise to this server" in told[0]


def test_a_wrong_key_is_told_after_the_pictures_went(tmp_path: Path) -> None:
    with JudgeServer("vllm", key=KEY) as server:
        asker = Asking(OpenAIJudge(server.url, server.model, "sk-wrong-0123456789"), limiter=Limiter(1))
        with asker:
            asker.ask([question(i, frames=24) for i in range(22)])
        facts = asker.facts()
        assert (len(server.requests), len(server.requests[0].images)) == (1, 24)
    assert (facts.asked, facts.calls, facts.frames, facts.not_answered) == (22, 1, 24, {"failed": 22})
    assert left(facts) == f"1 request with 24 pictures of the film went to {facts.sends_to}."
    assert (
        asked_of(facts) == "0 of 22 questions answered (1 call this time, 0 from kept replies); 22 no reply"
    )


def test_nothing_went_where_nobody_could_be_reached() -> None:
    with Asking(OpenAIJudge("http://127.0.0.1:9/v1", "m", KEY), limiter=Limiter(1)) as asker:
        (verdict,) = asker.ask([question(frames=3)])
    facts = asker.facts()
    assert (verdict.status, facts.calls, facts.frames) == ("failed", 0, 0)
    assert left(facts).startswith("Nothing was sent this time")


def test_what_a_budget_stops_is_no_call() -> None:
    with JudgeServer() as server:  # its first request is turned away for a parameter
        spending = Spending(Budget(calls=5))
        with Asking(OpenAIJudge(server.url, server.model, KEY), spending=spending) as asker:
            asker.ask([question(i) for i in range(9)])
        facts = asker.facts()
        assert facts.calls == len(server.requests) == 5
    assert (facts.answered, facts.not_answered) == (4, {"budget": 5})


def test_a_replay_that_lacks_something_adds_up(tmp_path: Path) -> None:
    with JudgeServer("vllm") as server:
        judge = OpenAIJudge(server.url, server.model, KEY)
        with asker_for(judge, out=tmp_path) as asker:
            asker.ask([question(i) for i in range(4)])
    lines = (tmp_path / RECORDING).read_text().splitlines(keepends=True)
    (tmp_path / RECORDING).write_text("".join(lines[:-1]))
    with asker_for(f"replay:{tmp_path}") as asker:
        asker.ask([question(i) for i in range(4)])
    facts = asker.facts()
    assert adds_up(facts)
    assert asked_of(facts) == (
        "3 of 4 questions answered (0 calls this time, 3 from kept replies); 1 not in the recording"
    )
