"""Judges by name, over real HTTP: asked, kept, recorded, replayed, and what goes wrong on the way."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from scripted import Scripted, question

from judge_server import DROP, HALF, HTML, REFUSED, Fault, JudgeServer, failed, too_many
from longtake.core import registry
from longtake.core.judge import AskError, Question, Verdict
from longtake.errors import BackendError, InputError, LongtakeError, MissingError, UsageError
from longtake.execution import circuit
from longtake.execution.asking import SPARE
from longtake.execution.judge_settings import JudgeSettings
from longtake.execution.judges import JUDGES, asker_for, open_judge, spending_for
from longtake.execution.replies import Recording
from longtake.models.judges.recording import RECORDING
from longtake.models.judges.replay import ReplayJudge
from longtake.storage.cache import Cache

KEY = "sk-this-is-a-secret-0123456789"


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting of whoever runs the tests."""
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL", "LONGTAKE_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(circuit, "FIRST_WAIT", 0.01)


def at(server: JudgeServer, monkeypatch: pytest.MonkeyPatch, key: str = KEY) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", key)


def questions(n: int) -> list[Question]:
    return [question(i) for i in range(n)]


def plain(verdicts: list[Verdict]) -> list[dict[str, object]]:
    """Without what tells one run from another."""
    return [v.model_dump(exclude={"cached", "seconds", "attempts"}) for v in verdicts]


def test_a_run_a_second_without_calls_and_a_replay_without_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    with JudgeServer(key=KEY, faults={2: REFUSED}) as server:
        at(server, monkeypatch)
        with asker_for("openai", out=tmp_path / "a", concurrency=1, tell=told.append) as asker:
            assert asker.name == "openai:gpt-x"
            first = asker.ask(questions(5))
            facts = asker.facts()
        assert facts.models == ["gpt-x-2026-03-05"]
        assert facts.sends_to == server.url.split("/")[2]
        answered = [asked for asked in server.requests if "max_completion_tokens" in asked.body]
        assert facts.input_tokens == sum(server.tokens(asked) for asked in answered)
        calls = len(server.requests)
        assert (facts.calls, facts.answered, facts.not_answered) == (calls, 4, {"refused": 1})
        with asker_for("openai", out=tmp_path / "b", tell=told.append) as asker:
            second = asker.ask(questions(5))
        assert len(server.requests) == calls
        assert plain(second) == plain(first)
        assert len(told) == 1
        assert facts.sends_to in told[0]
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9")
    for place in (tmp_path / "a", tmp_path / "b", tmp_path / "a" / RECORDING):
        with asker_for(
            f"replay:{place}", out=tmp_path / "c" / place.name, cache=Cache(tmp_path / "x")
        ) as asker:
            again = asker.ask(questions(5))
            facts = asker.facts()
        assert plain(again) == plain(first)
        assert facts.name == "replay:openai:gpt-x"
        assert facts.models == ["gpt-x-2026-03-05"]
        assert (facts.calls, facts.cached, facts.sends_to) == (0, 5, None)
        assert plain(replay_of(tmp_path / "c" / place.name)) == plain(first)
    assert not (tmp_path / "x").exists()
    kept = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    assert b"gpt-x" in kept
    assert KEY.encode() not in kept


def replay_of(place: Path) -> list[Verdict]:
    """A replay of what a replay recorded."""
    judge = ReplayJudge(place)
    assert judge.name == "replay:openai:gpt-x"
    return [judge.ask(one) for one in questions(5)]


def test_a_replay_of_the_folder_it_writes_into_leaves_the_recording_alone(tmp_path: Path) -> None:
    with JudgeServer() as server, asker_for(open_judge("openai", near(server)), out=tmp_path) as asker:
        asker.ask(questions(3))
    before = (tmp_path / RECORDING).read_bytes()
    with asker_for(f"replay:{tmp_path}", out=tmp_path) as asker:
        statuses = [v.status for v in asker.ask(questions(4))]
    assert statuses == ["answered"] * 3 + ["not_recorded"]
    assert asker.ended == "failed"
    assert (tmp_path / RECORDING).read_bytes() == before


def near(server: JudgeServer, model: str | None = None) -> JudgeSettings:
    return JudgeSettings(base_url=server.url, model=model)


def test_a_replay_reads_the_raw_reply_again(tmp_path: Path) -> None:
    """What an older parser took for an answer is not taken on trust, and the other way round."""
    with JudgeServer() as server, asker_for(open_judge("openai", near(server)), out=tmp_path) as asker:
        asker.ask(questions(2))
    rows = [json.loads(line) for line in (tmp_path / RECORDING).read_text().splitlines()]
    rows[0] |= {"status": "unreadable", "value": None, "reason": "an older parser"}
    rows[1] |= {"raw": '{"id": "checkpoint.scene_order", "value": 7, "says": "x"}'}
    (tmp_path / RECORDING).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    judge = ReplayJudge(tmp_path)
    found = {v.question: v for v in map(judge.ask, questions(2))}
    assert found[rows[0]["question"]].status == "answered"
    assert found[rows[0]["question"]].value is not None
    assert found[rows[1]["question"]].status == "out_of_range"


def test_a_replay_gives_failures_as_they_were(tmp_path: Path) -> None:
    server = JudgeServer("vllm", model="m", faults={"*": failed(500)})
    with server, asker_for(open_judge("openai:m", near(server)), out=tmp_path) as asker:
        (first,) = asker.ask(questions(1))
    (again,) = map(ReplayJudge(tmp_path).ask, questions(1))
    assert again.status == first.status == "failed"
    assert again.reason == first.reason


def test_a_recording_of_somebody_elses_judge_is_not_parsed_by_ours(tmp_path: Path) -> None:
    judge = Scripted(
        lambda asked, n: Verdict(
            id=asked.id, question=asked.key, status="answered", value={"a": 1}, raw="yes!"
        )
    )
    with asker_for(judge, out=tmp_path) as asker:
        (first,) = asker.ask(questions(1))
    (again,) = map(ReplayJudge(tmp_path).ask, questions(1))
    assert again.value == first.value == {"a": 1}
    assert again.raw == "yes!"


@pytest.mark.parametrize(
    ("make", "kind", "said"),
    [
        (lambda p: None, MissingError, "is not there"),
        (lambda p: p.mkdir(), InputError, "holds no recording"),
        (lambda p: p.write_text("hello\n"), InputError, "line 1"),
        (lambda p: p.write_text('{"id": "x"}\n'), InputError, "line 1"),
        (lambda p: p.write_bytes(b"\x89PNG"), InputError, "no whole line"),
        (lambda p: os.mkfifo(p), InputError, "no regular file"),
        (lambda p: p.symlink_to("/dev/zero"), InputError, "no regular file"),
        (lambda p: (p.mkdir(), os.mkfifo(p / RECORDING)), InputError, "holds no recording"),
    ],
)
def test_what_is_no_recording_is_told(tmp_path: Path, make, kind: type[LongtakeError], said: str) -> None:
    make(tmp_path / "given")
    with pytest.raises(kind, match=said):
        open_judge(f"replay:{tmp_path / 'given'}")


def test_an_empty_recording_lacks_every_question(tmp_path: Path) -> None:
    (tmp_path / RECORDING).write_text("")
    verdict = ReplayJudge(tmp_path).ask(question(0))
    assert verdict.status == "not_recorded"
    assert "holds no answer to this very question" in (verdict.reason or "")
    with asker_for(ReplayJudge(tmp_path)) as asker:
        asker.ask(questions(3))
        facts = asker.facts()
    assert (facts.asked, facts.cached, facts.calls) == (3, 0, 0)
    assert facts.not_answered == {"not_recorded": 3}


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (failed(500), "HTTP 500"),
        (HTML, "web page"),
        (HALF, "ends in the middle"),
        (DROP, "broke"),
        (failed(404, "The model does not exist", "model_not_found"), "has no model"),
    ],
)
def test_a_server_that_only_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Fault, reason: str
) -> None:
    monkeypatch.setattr(circuit, "SILENCE", 0.15)  # with the pauses above, a fortieth of the real
    with JudgeServer("vllm", model="m", faults={"*": fault}) as server:
        begun = time.monotonic()
        with asker_for(open_judge("openai:m", near(server)), out=tmp_path, budget="calls=200") as asker:
            verdicts = asker.ask(questions(40))
        assert time.monotonic() - begun < 5
        assert len(server.requests) < 40 * circuit.ATTEMPTS / 2
    assert {v.status for v in verdicts} == {"failed"}
    assert [v.reason for v in verdicts if reason not in (v.reason or "")] == []
    assert asker.ended == "nothing"
    assert reason in (asker.facts().stopped or "")


def test_a_dead_server_with_all_its_pauses() -> None:
    """At their real length: 40 questions, less than 15 s."""
    with JudgeServer() as server:
        settings = near(server)
    circuit.FIRST_WAIT = 0.4  # the fixture puts it back
    begun = time.monotonic()
    with asker_for(open_judge("openai:m", settings)) as asker:
        verdicts = asker.ask(questions(40))
    assert time.monotonic() - begun < 15
    assert all("nothing listens" in (v.reason or "") for v in verdicts)


def test_passing_trouble_is_waited_out() -> None:
    faults = {0: too_many("0"), 1: failed(503), 3: DROP, 5: HALF}
    server = JudgeServer(faults=faults, at_once=3)
    with server, asker_for(open_judge(f"openai:{server.model}", near(server))) as asker:
        verdicts = asker.ask(questions(20))
    assert {v.status for v in verdicts} == {"answered"}
    assert asker.ended == "well"


def test_a_hosted_server_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingError, match=r"no key for the judge at api\.openai\.com") as told:
        open_judge("openai:gpt-x")
    assert told.value.exit_code == 4
    assert "OPENAI_API_KEY" in (told.value.hint or "")


def test_the_one_model_of_a_server_needs_no_name() -> None:
    with JudgeServer("vllm") as server:
        assert open_judge("openai", near(server)).name == "openai:Qwen/Qwen3-VL-8B-Instruct"
        assert open_judge("openai", near(server, "other")).name == "openai:other"
        assert open_judge("openai:a/b:8b", near(server, "other")).name == "openai:a/b:8b"


def test_a_server_of_several_models_lists_them(monkeypatch: pytest.MonkeyPatch) -> None:
    from longtake.models.judges.openai_judge import OpenAIJudge

    for offered, said in ((["qwen3-vl", "llava"], "has 2 models"), ([], "does not tell")):
        monkeypatch.setattr(OpenAIJudge, "offers", lambda self, offered=offered: offered)
        with JudgeServer() as server, pytest.raises(UsageError, match=said) as told:
            open_judge("openai", near(server))
        assert all(name in (told.value.hint or "") for name in offered)


def test_a_dead_server_without_a_model_fails_every_question() -> None:
    """Not before: what needs no judge is still worth having."""
    with JudgeServer() as server:
        settings = near(server)
    with asker_for(open_judge("openai", settings)) as asker:
        verdicts = asker.ask(questions(10))
    assert all(v.status == "failed" and "nothing listens" in (v.reason or "") for v in verdicts)
    assert asker.ended == "nothing"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("opnai", "openai or openai:MODEL"),
        ("replya:x", "replay:FILE|DIR"),
        ("gpt", "there are: openai"),
        ("replay", "replay:FILE|DIR"),
        ("transformers:", "transformers:FOLDER"),
        ("openai:", "openai:MODEL"),
        ("openai: ", "openai:MODEL"),
        ("openai:\u3000\t", "openai:MODEL"),
        ("openai:a\x1bb", "openai:MODEL"),
        ("openai:\udcff", "openai:MODEL"),
        ("", "there are"),
    ],
)
def test_a_name_that_is_none(name: str, hint: str) -> None:
    with pytest.raises(UsageError) as told:
        open_judge(name)
    assert hint in (told.value.hint or "")


def test_transformers_without_torch_or_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from longtake.execution import judges

    monkeypatch.setattr(judges, "find_spec", lambda module: None)
    with pytest.raises(MissingError, match="torch"):
        open_judge(f"transformers:{tmp_path}")
    monkeypatch.setattr(judges, "find_spec", lambda module: object())
    with pytest.raises(MissingError, match="is not there"):
        open_judge(f"transformers:{tmp_path / 'model'}")


def test_judges_of_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [EntryPoint("mine", "scripted:Scripted", "longtake.judges")]
    monkeypatch.setattr(registry, "entry_points", lambda group: points)
    monkeypatch.setattr(JUDGES, "_known", None)
    assert isinstance(open_judge("mine"), Scripted)
    with pytest.raises(UsageError) as told:
        open_judge("mnie")
    assert "did you mean mine?" in (told.value.hint or "")


def test_settings_reach_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with JudgeServer(delay=0.05) as server:
        text = f'[judge]\nbase_url = "{server.url}"\nconcurrency = 2\nbudget = "calls=6"\n'
        (tmp_path / "config.toml").write_text(text)
        monkeypatch.setenv("LONGTAKE_CONFIG", str(tmp_path / "config.toml"))
        with asker_for("openai") as asker:
            verdicts = asker.ask(questions(8))
        assert server.most_at_once == 2
        assert len(server.requests) == 6  # one of them was turned away for a parameter
    assert [v.status for v in verdicts].count("budget") == 3
    with pytest.raises(UsageError, match="needs prices"):
        asker_for(Scripted(), budget="money=5")
    with asker_for(Scripted(), budget="money=5", prices="input=1,output=2") as asker:
        asker.ask(questions(2))
    assert asker.facts().money == pytest.approx((2000 * 1 + 100 * 2) / 1e6)


def test_several_runs_can_share_a_budget() -> None:
    spending = spending_for("calls=5", None)
    judges = [Scripted(), Scripted()]
    for judge in judges:
        with asker_for(judge, budget=spending) as asker:
            asker.ask([question(i, label=str(id(judge))) for i in range(4)])
    assert [len(judge.asked) for judge in judges] == [4, 1]
    assert asker.ended == "budget"


def test_a_judge_on_this_machine_is_asked_one_thing_at_a_time() -> None:
    judge = Scripted(delay=0.01)
    judge.sends_to = None  # type: ignore[assignment]
    with asker_for(judge) as asker:
        asker.ask(questions(6))
    assert judge.most_open == 1


def test_a_plugin_whose_error_is_ours_is_told_as_it_is() -> None:
    def no(asked: Question, n: int) -> Verdict:
        raise BackendError("the weights are broken")

    with asker_for(Scripted(no)) as asker:
        (verdict,) = asker.ask(questions(1))
    assert verdict.reason == "the judge failed: the weights are broken"


def test_tokens_of_a_judge_that_thinks_count_against_the_budget() -> None:
    """This server's models take max_completion_tokens: what they think is allowed for from the first call."""
    with JudgeServer() as server:
        judge = open_judge("openai", near(server))
        with asker_for(judge, budget="tokens=6000") as asker:
            verdicts = asker.ask(questions(3))
    assert {v.status for v in verdicts} == {"budget"}
    with JudgeServer("vllm") as server:
        judge = open_judge("openai", near(server))
        with asker_for(judge, budget="tokens=12000") as asker:
            verdicts = asker.ask(questions(3))
    assert {v.status for v in verdicts} == {"answered"}


KILLED = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[4:]
from scripted import question
from longtake.execution.judges import asker_for
with asker_for("openai:m", out=Path(sys.argv[1]), concurrency=int(sys.argv[2])) as asker:
    print("begun", flush=True)
    asker.ask([question(n) for n in range(int(sys.argv[3]))])
    print("done", flush=True)
"""


def test_killed_at_any_moment_it_goes_on_and_ends_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    n, here = 24, Path(__file__).parent
    with JudgeServer("vllm", model="m", delay=0.05) as server:
        at(server, monkeypatch)
        command = [
            sys.executable,
            "-c",
            KILLED,
            str(tmp_path / "out"),
            "2",
            str(n),
            str(here),
            str(here.parent),
        ]
        for after in (0.05, 0.31, 0.17):
            process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            assert process.stdout is not None
            assert process.stdout.readline() == "begun\n"
            time.sleep(after)
            process.kill()
            process.wait()
            process.stdout.close()
            for line in (tmp_path / "out" / RECORDING).read_text().splitlines():
                json.loads(line)
        before = len(server.requests)
        assert 0 < before < n + 6
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout == "begun\ndone\n"
        assert len(server.requests) <= n + 3 * (2 + SPARE)  # lost with a kill: what no thread had kept yet
        rows = [json.loads(line) for line in (tmp_path / "out" / RECORDING).read_text().splitlines()]
        assert len(rows) == len({row["question"] for row in rows}) == n
        replayed = ReplayJudge(tmp_path / "out")
        with asker_for("openai:m", cache=Cache(tmp_path / "fresh"), concurrency=8) as asker:
            assert plain(asker.ask(questions(n))) == plain([replayed.ask(one) for one in questions(n)])


def test_ctrl_c_of_a_run_ends_it_with_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Path(__file__).parent
    with JudgeServer("vllm", model="m", delay=0.2) as server:
        at(server, monkeypatch)
        command = [
            sys.executable,
            "-c",
            KILLED,
            str(tmp_path / "out"),
            "2",
            "99",
            str(here),
            str(here.parent),
        ]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        time.sleep(0.5)
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=10)
        assert time.monotonic() - begun < 3
        assert "Stopped: stopped; the replies so far are kept" in errors
        rows = (tmp_path / "out" / RECORDING).read_text().splitlines()
        assert len(rows) == len(server.requests) > 0


def test_a_recording_is_not_opened_before_the_run(tmp_path: Path) -> None:
    asker_for(Scripted(), out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
    (tmp_path / RECORDING).write_text("my notes")
    with pytest.raises(InputError, match="no recording"):
        Recording(tmp_path / RECORDING, Scripted()).open()
    assert (tmp_path / RECORDING).read_text() == "my notes"


def test_a_pipe_is_no_place_for_a_recording(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / RECORDING)
    with (
        pytest.raises(InputError, match="no regular file"),
        asker_for(Scripted(), out=tmp_path),
    ):
        pass


def test_a_model_without_a_name_in_the_settings_is_looked_up() -> None:
    with JudgeServer() as server:
        assert open_judge("openai", near(server, " ")).name == f"openai:{server.model}"


def test_an_address_that_cannot_be_is_told_before_any_work() -> None:
    for url in ("http://a..b/v1", "http://\u202ebad/v1", "http://a\x1bb/v1", "http://:80/v1"):
        with pytest.raises(UsageError, match="base URL of the judge's server"):
            asker_for(open_judge("openai:m", JudgeSettings(base_url=url, key=KEY)))


# what is hostile goes through a whole run, into its files, and into no other question


@pytest.mark.parametrize(
    "fault",
    [
        Fault(content="\ud800{}"),
        Fault(content='{"id": "\\ud800"}'),
        Fault(model="m\udfff"),
        Fault(refusal="\ud800", content=""),
        failed(400, "odd \ud800"),
        Fault(body={"error": {"message": "\ud800", "code": 400}}),
    ],
)
def test_half_a_sign_costs_one_question(tmp_path: Path, fault: Fault) -> None:
    with JudgeServer(faults={1: fault}) as server:
        judge = open_judge("openai", near(server))
        with asker_for(judge, out=tmp_path / "out", cache=Cache(tmp_path / "c"), concurrency=1) as asker:
            found = asker.ask(questions(5))
            facts = asker.facts()
    assert sorted(verdict.status == "answered" for verdict in found) == [False, *[True] * 4]
    assert json.loads(facts.model_dump_json())["answered"] == 4
    assert plain(replay_of(tmp_path / "out")) == plain(found)


@pytest.mark.parametrize("words", ["\ud800", "fine"])
def test_half_a_sign_from_a_judge_of_a_package_reaches_no_file(tmp_path: Path, words: str) -> None:
    def gives_up(asked: Question, n: int) -> Verdict:
        raise AskError(f"no {words}", hint=words)

    with asker_for(Scripted(gives_up), out=tmp_path / "out", cache=Cache(tmp_path / "c")) as asker:
        (verdict,) = asker.ask(questions(1))
        facts = asker.facts()
    shown = words.replace("\ud800", "\ufffd")
    assert verdict.reason == f"no {shown}"
    assert json.loads(facts.model_dump_json())["stopped"] == f"no {shown} ({shown})"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('{"a":' * 5000 + "1" + "}" * 5000, "nested too deeply"),
        ('{"usage": ' + "1" * 5000 + "}", "thousands of digits"),
    ],
)
def test_a_body_that_nobody_reads_is_asked_for_again(body: str, words: str) -> None:
    with JudgeServer(faults={0: Fault(body=body), 1: Fault(body=body)}) as server:
        with asker_for(open_judge("openai", near(server)), concurrency=1) as asker:
            found = asker.ask(questions(1))
        assert found[0].status == "answered"
        assert found[0].attempts >= 3
    with JudgeServer(faults={"*": Fault(body=body)}) as server:
        with asker_for(open_judge("openai", near(server)), concurrency=1) as asker:
            asker._circuit._clock = _fast()
            found = asker.ask(questions(3))
        assert {verdict.status for verdict in found} == {"failed"}
        assert words in (asker.facts().stopped or "")
        assert len(server.requests) <= circuit.FAILURES + circuit.ATTEMPTS


def _fast() -> Callable[[], float]:
    """A clock on which each look is two seconds after the last."""
    ticks = itertools.count(0.0, 2.0)
    return lambda: next(ticks)
