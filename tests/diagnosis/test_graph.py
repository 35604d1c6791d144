"""The engine of the diagnosis: it resumes, its state may be thrown away, and it talks to nobody."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from by_hand import RUBRIC, film, signals
from juror import BRIEF, EVERY, Juror, Shown, answered, unanswered

from longtake.core.documents import DiagnosisDocument
from longtake.core.judge import Question, Questioning
from longtake.diagnosis.graph import run
from longtake.diagnosis.profiles import load_profile
from longtake.diagnosis.work import Work


class Interrupt(Exception):
    """Stands for whatever ends a run in its middle."""


def work(says: Any) -> tuple[Work, Juror]:
    juror = Juror(says)
    asked = Questioning(juror, Shown())
    made = Work(film(audio=False), signals(), BRIEF, load_profile(), RUBRIC, EVERY, questioning=asked)
    return made, juror


def plain(document: DiagnosisDocument) -> dict[str, Any]:
    return document.model_dump(mode="json", exclude={"trace"})


def stops_at_cross_modal(question: Question) -> Any:
    if question.id == "checkpoint.scene_presence":
        raise Interrupt
    return answered(question)


def broken_off(state: Path, says: Any = stops_at_cross_modal) -> Juror:
    made, juror = work(says)
    with pytest.raises(Interrupt):
        run(made, state)
    assert state.exists()
    return juror


def test_a_run_that_broke_off_goes_on_behind_what_was_finished(tmp_path: Path) -> None:
    state = tmp_path / "state.sqlite"
    first = broken_off(state)
    made, second = work(answered)
    document = run(made, state)
    done = {q.id for q in first.asked} - {"checkpoint.scene_presence"}
    again = {q.id for q in second.asked}
    assert "content_profile" in done - again
    assert "checkpoint.scale_proportion" in done - again
    assert "checkpoint.scene_presence" in again
    assert plain(document) == plain(run(work(answered)[0]))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("harm", ["deleted", "garbage", "cut short"])
def test_without_its_state_it_ends_with_the_same(tmp_path: Path, harm: str) -> None:
    state = tmp_path / "state.sqlite"
    broken_off(state)
    if harm == "deleted":
        state.unlink()
    elif harm == "garbage":
        state.write_bytes(b"no database at all " * 400)
    else:
        state.write_bytes(state.read_bytes()[:5000])
    document = run(work(answered)[0], state)
    assert plain(document) == plain(run(work(answered)[0]))
    assert not list(tmp_path.iterdir())


def test_where_no_state_can_be_kept_it_runs_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    document = run(work(answered)[0], tmp_path / "file" / "state.sqlite")
    assert plain(document) == plain(run(work(answered)[0]))


def test_what_a_dead_judge_left_is_asked_again(tmp_path: Path) -> None:
    state = tmp_path / "state.sqlite"

    def dying(question: Question) -> Any:
        if question.id == "checkpoint.scene_presence":
            raise Interrupt
        return unanswered(question)

    broken_off(state, dying)
    made, juror = work(answered)
    document = run(made, state)
    assert "checkpoint.scale_proportion" in {q.id for q in juror.asked}
    assert plain(document) == plain(run(work(answered)[0]))


@pytest.mark.parametrize("lost", ["content_profile", "metric.user_requirement_consistency.wishes"])
def test_what_stands_in_no_checkpoint_is_asked_again_too(tmp_path: Path, lost: str) -> None:
    state = tmp_path / "state.sqlite"

    def losing(question: Question) -> Any:
        return unanswered(question) if question.id == lost else stops_at_cross_modal(question)

    broken_off(state, losing)
    made, juror = work(answered)
    document = run(made, state)
    assert lost in {q.id for q in juror.asked}
    assert plain(document) == plain(run(work(answered)[0]))
    assert made.asked.open == 0


def test_a_resumed_run_tells_of_all_that_was_asked(tmp_path: Path) -> None:
    state = tmp_path / "state.sqlite"
    broken_off(state)
    made, _ = work(answered)
    run(made, state)
    fresh, juror = work(answered)
    run(fresh)
    assert made.asked == fresh.asked
    assert sum(made.asked.ends.values()) == len(juror.asked)
    assert made.asked.models == ["juror-1"]


QUIET = """
import sys
seen = []
def hook(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname"):
        seen.append((event, args[1] if event == "socket.connect" else args[0]))
sys.addaudithook(hook)
sys.path[:0] = {paths!r}
from by_hand import film, signals
from longtake.diagnosis.graph import diagnose
diagnose(film(), signals())
import threading
assert not seen, seen
assert [t.name for t in threading.enumerate() if not t.daemon] == ["MainThread"]
"""


def test_no_tracing_service_is_contacted_whatever_the_environment_says() -> None:
    loud = dict.fromkeys(
        ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING_V2", "LANGCHAIN_TRACING"), "true"
    )
    loud |= {"LANGSMITH_API_KEY": "none", "LANGSMITH_ENDPOINT": "http://127.0.0.1:9"}
    code = QUIET.format(paths=[str(Path(__file__).parent)])
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **loud}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
