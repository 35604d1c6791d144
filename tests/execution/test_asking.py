"""Many questions to one judge: a verdict for each, nothing twice, faults told, Ctrl-C keeps what came."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from scripted import Scripted, answered, question

from longtake.core.judge import AskError, Question, Verdict
from longtake.errors import OutputError, Stopped
from longtake.execution import circuit
from longtake.execution.asking import Asking
from longtake.execution.disclosure import Planned
from longtake.execution.limiter import Limiter
from longtake.execution.replies import KIND, Recording
from longtake.storage.cache import Cache


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses a hundred times shorter."""
    monkeypatch.setattr(circuit, "FIRST_WAIT", 0.004)


def other(asked: Question, status: str, raw: str = "") -> Verdict:
    return answered(asked).model_copy(
        update={"status": status, "value": None, "raw": raw, "reason": f"it was {status}"}
    )


def test_verdicts_come_in_the_order_of_the_questions() -> None:
    def slow_first(asked: Question, n: int) -> Verdict:
        time.sleep(0.05 if n == 0 else 0)
        return answered(asked, value=int(asked.text.split()[2]) / 100)

    judge = Scripted(slow_first)
    with Asking(judge) as asker:
        verdicts = asker.ask([question(n) for n in range(20)])
    assert [v.value["value"] for v in verdicts if v.value] == [n / 100 for n in range(20)]
    assert asker.ended == "well"
    facts = asker.facts()
    assert (facts.asked, facts.calls, facts.cached, facts.answered) == (20, 20, 0, 20)
    assert (facts.input_tokens, facts.output_tokens, facts.frames) == (20_000, 1000, 40)
    assert facts.models == ["m-1"]
    assert facts.money is None


def test_a_second_run_makes_no_call_and_says_the_same(tmp_path: Path) -> None:
    def script(asked: Question, n: int) -> Verdict:
        return (
            other(asked, "refused", "I can't help with that.")
            if "scene 3 " in asked.text
            else answered(asked)
        )

    questions = [question(n) for n in range(6)]
    with Asking(Scripted(script), cache=Cache(tmp_path)) as asker:
        first = asker.ask(questions)
    again = Scripted(script)
    with Asking(again, cache=Cache(tmp_path)) as asker:
        second = asker.ask(questions)
    assert again.asked == []
    assert [v.model_copy(update={"cached": False}) for v in second] == first
    assert all(v.cached for v in second)
    assert first[3].status == second[3].status == "refused"
    facts = asker.facts()
    assert (facts.calls, facts.cached, facts.input_tokens, facts.frames) == (0, 6, None, 0)
    assert Cache(tmp_path).info().files == {KIND: 6}


def test_another_judge_or_draw_is_another_question(tmp_path: Path) -> None:
    with Asking(Scripted(), cache=Cache(tmp_path)) as asker:
        asker.ask([question(0)])
    judge = Scripted()
    with Asking(judge, cache=Cache(tmp_path)) as asker:
        asker.ask([question(0, draw=1)])
    assert len(judge.asked) == 1
    judge = Scripted()
    judge.identity = "scripted elsewhere"
    with Asking(judge, cache=Cache(tmp_path)) as asker:
        asker.ask([question(0)])
    assert len(judge.asked) == 1


def test_a_damaged_entry_is_asked_for_again(tmp_path: Path) -> None:
    with Asking(Scripted(), cache=Cache(tmp_path)) as asker:
        asker.ask([question(0)])
    (entry,) = (tmp_path / KIND).rglob("*.json")
    entry.write_bytes(entry.read_bytes()[:-40])
    judge = Scripted()
    with Asking(judge, cache=Cache(tmp_path)) as asker:
        (verdict,) = asker.ask([question(0)])
    assert len(judge.asked) == 1
    assert not verdict.cached


@pytest.mark.parametrize("status", ["wrong_model", "too_long", "not_recorded"])
def test_how_a_server_is_set_up_is_not_kept(tmp_path: Path, status: str) -> None:
    with Asking(Scripted(lambda asked, n: other(asked, status)), cache=Cache(tmp_path)) as asker:
        assert asker.ask([question(0)])[0].status == status
    assert asker.ended == "nothing"
    judge = Scripted()
    with Asking(judge, cache=Cache(tmp_path)) as asker:
        assert asker.ask([question(0)])[0].status == "answered"


def test_the_same_question_at_once_is_one_call() -> None:
    judge = Scripted(delay=0.05)
    with Asking(judge) as asker, ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: asker.ask([question(0), question(0)]), range(4)))
    assert len(judge.asked) == 1
    verdicts = [v for pair in found for v in pair]
    assert sum(v.cached for v in verdicts) == 7


@pytest.mark.usefixtures("quick")
def test_what_did_not_come_is_asked_again_unchanged(tmp_path: Path) -> None:
    def twice(asked: Question, n: int) -> Verdict:
        if n < 2:
            raise AskError("the server said 500", again=True)
        return answered(asked)

    judge = Scripted(twice)
    with Asking(judge, cache=Cache(tmp_path), limiter=Limiter(1)) as asker:
        (verdict,) = asker.ask([question(0)])
    assert verdict.status == "answered"
    assert verdict.attempts == 3
    assert {(q.key, q.temperature) for q in judge.asked} == {(question(0).key, 0.0)}
    assert (asker.facts().calls, asker.facts().frames) == (3, 6)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("busy", [False, True])
def test_attempts_end_and_the_failure_is_not_kept(tmp_path: Path, busy: bool) -> None:
    def never(asked: Question, n: int) -> Verdict:
        raise AskError("the server said no", again=True, busy=busy)

    judge = Scripted(never)
    with Asking(judge, cache=Cache(tmp_path)) as asker:
        (verdict,) = asker.ask([question(0)])
    assert verdict.status == "failed"
    assert "the server said no" in (verdict.reason or "")
    assert verdict.attempts == len(judge.asked) == (circuit.BUSY_ATTEMPTS if busy else circuit.ATTEMPTS)
    assert asker.ended == "nothing"
    assert Cache(tmp_path).info().files == {}


def test_a_refusal_is_never_asked_again() -> None:
    judge = Scripted(lambda asked, n: other(asked, "unreadable", "<html>"))
    with Asking(judge) as asker:
        first = asker.ask([question(0)])
        assert asker.ask([question(0)])[0].raw == first[0].raw == "<html>"
    assert len(judge.asked) == 1


def test_a_fatal_error_fails_the_rest_at_once() -> None:
    def wrong_key(asked: Question, n: int) -> Verdict:
        raise AskError("the key is not taken", hint="set OPENAI_API_KEY")

    judge = Scripted(wrong_key)
    with Asking(judge, limiter=Limiter(1)) as asker:
        verdicts = asker.ask([question(n) for n in range(40)])
        verdicts += asker.ask([question(50)])
    assert len(judge.asked) == 1
    assert {v.status for v in verdicts} == {"failed"}
    assert all("the key is not taken" in (v.reason or "") for v in verdicts)
    assert [v.attempts for v in verdicts] == [1] + [0] * 40
    assert asker.facts().stopped == "the key is not taken (set OPENAI_API_KEY)"


def test_a_dead_server_costs_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(circuit, "FIRST_WAIT", circuit.FIRST_WAIT / 10)
    monkeypatch.setattr(circuit, "SILENCE", circuit.SILENCE / 10)

    def refused(asked: Question, n: int) -> Verdict:
        raise AskError("connection refused", again=True)

    for at_once in (1, 4, 16):
        judge = Scripted(refused)
        begun = time.monotonic()
        with Asking(judge, limiter=Limiter(at_once)) as asker:
            verdicts = asker.ask([question(n) for n in range(40)])
        assert time.monotonic() - begun < 1.5  # a tenth of 15 s
        assert {v.status for v in verdicts} == {"failed"}
        assert "no reply to" in (asker.facts().stopped or "")


def test_one_that_wants_to_be_left_alone_too_long_is_given_up() -> None:
    def later(asked: Question, n: int) -> Verdict:
        raise AskError("too many requests", again=True, busy=True, after=3600)

    judge = Scripted(later)
    begun = time.monotonic()
    with Asking(judge) as asker:
        verdicts = asker.ask([question(n) for n in range(10)])
    assert time.monotonic() - begun < 2
    assert {v.status for v in verdicts} == {"failed"}
    assert "3600 s" in (asker.facts().stopped or "")


def test_nothing_is_sent_while_the_server_wants_to_be_left_alone() -> None:
    def once(asked: Question, n: int) -> Verdict:
        if n == 0:
            raise AskError("too many requests", again=True, busy=True, after=0.4)
        return answered(asked)

    judge = Scripted(once)
    with Asking(judge, limiter=Limiter(1)) as asker:
        verdicts = asker.ask([question(n) for n in range(5)])
    assert {v.status for v in verdicts} == {"answered"}
    assert judge.times[1] - judge.times[0] >= 0.4


@pytest.mark.usefixtures("quick")
def test_a_judge_that_crashes_costs_its_own_verdict() -> None:
    def crash(asked: Question, n: int) -> Verdict:
        if "scene 1 " in asked.text:
            raise ZeroDivisionError("oh")
        return answered(asked)

    with Asking(Scripted(crash)) as asker:
        verdicts = asker.ask([question(n) for n in range(3)])
    assert [v.status for v in verdicts] == ["answered", "failed", "answered"]
    assert verdicts[1].reason == "the judge failed: ZeroDivisionError: oh"
    assert asker.ended == "failed"


def test_no_more_calls_at_once_than_the_limit() -> None:
    judge = Scripted(delay=0.02)
    with Asking(judge, limiter=Limiter(3)) as asker, ThreadPoolExecutor(4) as threads:
        batches = [[question(10 * i + j) for j in range(6)] for i in range(4)]
        assert sum(len(found) for found in threads.map(asker.ask, batches)) == 24
    assert judge.most_open == 3


def test_what_leaves_the_machine_is_told_first_and_once() -> None:
    told: list[str] = []
    judge = Scripted(lambda asked, n: answered(asked) if told else pytest.fail("asked before it was told"))
    with Asking(judge, tell=told.append) as asker:
        asker.ask([question(n) for n in range(3)])
        asker.ask([question(n) for n in range(3)])
        assert len(told) == 1
        assert "to judge.example go 3 questions; 6 pictures (up to 512x288, 0.0 MB)" in told[0]
        assert "texts: brief (3)" in told[0]
        asker.ask([question(7, label="speech")])
        assert len(told) == 2
        assert "texts: speech" in told[1]


def test_a_plan_is_told_instead_and_only_what_goes_beyond_it_later() -> None:
    told: list[str] = []
    with Asking(Scripted(), tell=told.append) as asker:
        asker.plan(Planned.of([question(n) for n in range(5)]))
        assert told == []
        asker.ask([question(0)])
        asker.ask([question(1)])
        assert len(told) == 1
        assert "at most 5 questions; 10 pictures" in told[0]
        asker.ask([question(n) for n in range(2, 6)])
        assert len(told) == 2


def test_a_judge_on_this_machine_says_that_nothing_leaves_it() -> None:
    told: list[str] = []
    judge = Scripted()
    judge.sends_to = None  # type: ignore[assignment]
    with Asking(judge, tell=told.append) as asker:
        asker.ask([question(0)])
    assert "nothing leaves this machine" in told[0]


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_verdict_is_recorded_once(tmp_path: Path) -> None:
    path = tmp_path / "out" / "judge.jsonl"
    for _ in range(3):
        judge = Scripted()
        with Asking(judge, cache=Cache(tmp_path / "c"), recording=Recording(path, judge)) as asker:
            asker.ask([question(n, draw=d) for n in range(3) for d in range(2)])
    found = rows(path)
    assert len(found) == len({row["question"] for row in found}) == 6
    one = next(row for row in found if row["draw"] == 0)
    asked = next(question(n) for n in range(3) if question(n).key == one["question"])
    assert one["frames"] == [
        {"time": f.time, "hash": f.hash, "width": f.width, "height": f.height} for f in asked.frames
    ]
    assert one["materials"] == ["brief"]
    assert one["judge"] == "scripted:m"
    assert "scripted at nowhere" not in path.read_text()
    assert asked.text not in path.read_text()


def test_what_a_killed_run_left_of_a_line_goes_and_the_rest_stays(tmp_path: Path) -> None:
    path = tmp_path / "judge.jsonl"
    judge = Scripted()
    with Asking(judge, cache=Cache(tmp_path / "c"), recording=Recording(path, judge)) as asker:
        asker.ask([question(n) for n in range(3)])
    whole = path.read_bytes()
    path.write_bytes(whole[:-50])
    with Asking(judge, cache=Cache(tmp_path / "c"), recording=Recording(path, judge)) as asker:
        asker.ask([question(n) for n in range(3)])
    assert len(judge.asked) == 3
    assert {row["question"] for row in rows(path)} == {question(n).key for n in range(3)}
    assert len(rows(path)) == 3


@pytest.mark.usefixtures("quick")
def test_an_answer_after_a_failure_is_recorded_behind_it(tmp_path: Path) -> None:
    path = tmp_path / "judge.jsonl"

    def fails(asked: Question, n: int) -> Verdict:
        raise AskError("no", again=True)

    for script in (fails, fails, None):
        judge = Scripted(script)
        with Asking(judge, recording=Recording(path, judge)) as asker:
            asker.ask([question(0)])
    assert [row["status"] for row in rows(path)] == ["failed", "answered"]


def test_a_recording_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="judge's recording"):
        Recording(tmp_path / "file" / "judge.jsonl", Scripted()).open()


def test_a_full_disk_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = Scripted()
    recording = Recording(tmp_path / "judge.jsonl", judge)

    def full(file: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    asker = Asking(judge, recording=recording)
    with pytest.raises(OutputError, match="No space left"), asker:
        asker.ask([question(n) for n in range(30)])


def test_ctrl_c_stops_and_keeps_what_came(tmp_path: Path) -> None:
    """Also a thread that is not the main one hears of it."""
    judge = Scripted(delay=0.1)
    heard: list[BaseException] = []

    def elsewhere(asker: Asking) -> None:
        try:
            asker.ask([question(n) for n in range(100, 200)])
        except Stopped as error:
            heard.append(error)

    before = signal.getsignal(signal.SIGINT)
    begun = time.monotonic()
    asker = Asking(judge, cache=Cache(tmp_path), limiter=Limiter(4))
    thread = threading.Thread(target=elsewhere, args=(asker,))
    thread.start()
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(Stopped, match="kept"), asker:
        asker.ask([question(n) for n in range(100)])
    thread.join(2)
    assert time.monotonic() - begun < 3
    assert len(heard) == 1
    assert signal.getsignal(signal.SIGINT) is before
    count = len(judge.asked)
    assert 8 <= count < 60
    assert Cache(tmp_path).info().files == {KIND: count}  # those on their way were kept too


def test_ctrl_c_reaches_runs_within_runs() -> None:
    inner, outer = Asking(Scripted(delay=1)), Asking(Scripted())
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    heard: list[BaseException] = []

    def elsewhere() -> None:
        try:
            inner.ask([question(0)])
        except Stopped as error:
            heard.append(error)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    with pytest.raises(KeyboardInterrupt), outer, inner:
        time.sleep(3)
    thread.join(1)
    assert len(heard) == 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_progress_counts_questions() -> None:
    seen: list[tuple[str, float]] = []

    class Shown:
        def begin(self, what: str, total: float) -> None:
            seen.append((what, total))

        def at(self, done: float) -> None:
            seen.append(("at", done))

    with Asking(Scripted(), progress=Shown()) as asker:
        asker.ask([question(n) for n in range(3)])
    assert seen == [("asking the judge", 3.0), ("at", 1.0), ("at", 2.0), ("at", 3.0)]


def test_a_server_that_is_busy_is_asked_less_at_once() -> None:
    lock, room = threading.Lock(), 3

    def crowded(asked: Question, n: int) -> Verdict:
        with lock:
            full = judge.open > room
        if full:
            raise AskError("too many requests", again=True, busy=True)
        time.sleep(0.02)
        return answered(asked)

    judge = Scripted(crowded)
    limiter = Limiter(12)
    with Asking(judge, limiter=limiter) as asker:
        verdicts = asker.ask([question(n) for n in range(60)])
    assert {v.status for v in verdicts} == {"answered"}
    assert asker.ended == "well"
    assert limiter.limit < 12


def test_no_questions_no_trouble() -> None:
    with Asking(Scripted()) as asker:
        assert asker.ask([]) == []
    assert asker.ended == "well"
    assert asker.facts().asked == 0
