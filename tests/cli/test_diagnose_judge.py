"""``longtake diagnose --judge`` against a judge's server on this machine, and what goes wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import longtake
from judge_server import HTML, Fault, JudgeServer, failed
from judge_world import BRIEF, SECRET, world, write_film
from longtake.core.documents import DiagnosisDocument

COMMAND = [sys.executable, "-m", "longtake", "diagnose"]
VARIES = ("trace", "run", "report", "judge")
"""Parts of a document that tell of the run and not of the film."""


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    """One that takes every parameter, so that each request is a call."""
    with JudgeServer("vllm") as server:
        yield server


@pytest.fixture
def film(tmp_path: Path) -> Path:
    (tmp_path / "brief.json").write_text(json.dumps(BRIEF))
    return write_film(tmp_path / "film.mp4", 72)


def diagnose(
    film: Path, env: Mapping[str, str], *arguments: str, out: str = "out"
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, str(film), *_usual(film), "--json", "--out", str(film.parent / out), *arguments],
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def _usual(film: Path) -> list[str]:
    return ["--brief", str(film.parent / "brief.json"), "--signals", "light"]


def told(done: subprocess.CompletedProcess[str]) -> DiagnosisDocument:
    return DiagnosisDocument.model_validate_json(done.stdout)


def lasting(document: DiagnosisDocument) -> dict[str, Any]:
    return document.model_dump(mode="json", exclude=set(VARIES))


def test_a_second_run_and_a_replay_give_the_same_without_a_call(
    film: Path, server: JudgeServer, tmp_path: Path
) -> None:
    env = world(server, tmp_path)
    first = diagnose(film, env, "--judge", "openai")
    assert first.returncode == 0, first.stderr
    assert "127.0.0.1" in first.stderr
    assert "pictures" in first.stderr
    document = told(first)
    assert document.judge is not None
    assert document.judge.calls == document.judge.asked == len(server.requests) > 20
    assert {p.method for p in document.checkpoints if p.status == "scored"} == {"rule", "judge"}
    second = diagnose(film, env, "--judge", "openai", out="again")
    assert second.returncode == 0, second.stderr
    assert len(server.requests) == document.judge.calls
    assert lasting(told(second)) == lasting(document)
    nobody = world(None, tmp_path / "elsewhere")
    replayed = diagnose(film, nobody, "--judge", f"replay:{tmp_path / 'out'}", out="replayed")
    assert replayed.returncode == 0, replayed.stderr
    assert lasting(told(replayed)) == lasting(document)
    repairs = json.loads((tmp_path / "out" / "repair.json").read_text())
    assert repairs["schema"] == "longtake.repair/1"
    for path in [*tmp_path.rglob("*")]:
        if path.is_file():
            assert SECRET.encode() not in path.read_bytes(), path


@pytest.mark.parametrize("keep_state", [True, False], ids=["from its state", "from the cache alone"])
def test_a_killed_diagnosis_ends_with_the_same_result(film: Path, tmp_path: Path, keep_state: bool) -> None:
    with JudgeServer("vllm", delay=0.15) as server:
        env = world(server, tmp_path)
        whole = told(diagnose(film, world(server, tmp_path / "other"), "--judge", "openai", out="whole"))
        assert whole.judge is not None
        before = len(server.requests)
        command = [*COMMAND, str(film), *_usual(film)]
        process = subprocess.Popen(
            [*command, "--judge", "openai", "--judge-limit", "2", "--out", str(tmp_path / "out")],
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        deadline = time.monotonic() + 60
        while len(server.requests) < before + 14 and time.monotonic() < deadline:
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGKILL)
        assert process.wait(timeout=30) == -signal.SIGKILL
        states = [*(tmp_path / "c" / "graph").glob("*.sqlite")]
        assert states
        if not keep_state:
            for state in (tmp_path / "c" / "graph").iterdir():
                state.unlink()
        asked = len(server.requests) - before
        done = diagnose(film, env, "--judge", "openai")
        assert done.returncode == 0, done.stderr
        assert lasting(told(done)) == lasting(whole)
        assert not [*(tmp_path / "c" / "graph").glob("*.sqlite*")]
        again = len(server.requests) - before - asked
        # Asked twice are no more than the two on their way and the two whose replies were being kept.
        assert again <= whole.judge.asked - asked + 4


def test_a_dead_server_leaves_what_rules_tell_and_ends_with_5(film: Path, tmp_path: Path) -> None:
    env = world(None, tmp_path, OPENAI_BASE_URL="http://127.0.0.1:9/v1", OPENAI_API_KEY=SECRET)
    done = diagnose(film, env, "--judge", "openai:nobody")
    assert done.returncode == 5, done.stderr
    assert "nothing listens" in done.stderr
    assert "Traceback" not in done.stderr
    document = told(done)
    plain = told(diagnose(film, env, out="plain"))
    scored = {p.id: p.value for p in plain.checkpoints if p.value is not None}
    assert scored
    assert {p.id: p.value for p in document.checkpoints if p.value is not None} == scored
    asked = [p for p in document.checkpoints if p.judgement is not None]
    assert asked
    assert all(p.judgement and p.judgement.value is None for p in asked)
    assert document.judge is not None
    assert document.judge.stopped
    assert (tmp_path / "out" / "report.html").is_file()


def test_another_models_answers_are_none_and_the_way_out_is_told(film: Path, tmp_path: Path) -> None:
    with JudgeServer("vllm", reports="other-model") as server:
        done = diagnose(film, world(server, tmp_path), "--judge", "openai")
    assert done.returncode == 5, done.stderr
    assert "openai:other-model" in done.stderr
    assert all(p.method != "judge" for p in told(done).checkpoints)


def test_a_failure_now_and_then_costs_what_was_asked_and_ends_with_1(film: Path, tmp_path: Path) -> None:
    faults = {"scale_proportion": [failed(400)] * 9, "shadow_consistency": [Fault(body=HTML)]}
    with JudgeServer("vllm", faults=faults) as server:  # type: ignore[arg-type]
        done = diagnose(film, world(server, tmp_path), "--judge", "openai")
    document = told(done)
    by_id = {p.id: p for p in document.checkpoints}
    assert by_id["scale_proportion"].value is None
    assert by_id["scale_proportion"].reason
    assert by_id["light_direction"].value is not None or by_id["visual_creativity"].value is not None
    assert done.returncode == 1, done.stderr


def test_a_budget_is_not_passed_and_said(film: Path, server: JudgeServer, tmp_path: Path) -> None:
    done = diagnose(film, world(server, tmp_path), "--judge", "openai", "--budget", "calls=7")
    assert done.returncode == 1, done.stderr
    assert len(server.requests) == 7
    document = told(done)
    assert document.judge is not None
    assert document.judge.not_answered["budget"] == document.judge.asked - 7
    assert any("budget" in (p.reason or "") for p in document.checkpoints)
    more = diagnose(film, world(server, tmp_path), "--judge", "openai", out="more")
    assert more.returncode == 0, more.stderr
    assert len(server.requests) == told(more).judge.asked  # type: ignore[union-attr]


def test_both_versions_are_paid_from_one_budget(film: Path, server: JudgeServer, tmp_path: Path) -> None:
    new = write_film(tmp_path / "new.mp4", 60)
    arguments = ("--judge", "openai", "--budget", "calls=9", "--against", str(film))
    done = diagnose(new, world(server, tmp_path), *arguments)
    assert done.returncode == 1, done.stderr
    assert len(server.requests) == 9


def test_both_versions_are_counted_recorded_and_replayed(
    film: Path, server: JudgeServer, tmp_path: Path
) -> None:
    new = write_film(tmp_path / "new.mp4", 60)
    env = world(server, tmp_path)
    done = diagnose(new, env, "--judge", "openai", "--against", str(film))
    assert done.returncode == 0, done.stderr
    document = told(done)
    assert document.judge is not None
    assert document.judge.calls == len(server.requests)
    nobody = world(None, tmp_path / "elsewhere")
    arguments = ("--judge", f"replay:{tmp_path / 'out'}", "--against", str(film))
    replayed = diagnose(new, nobody, *arguments, out="replayed")
    assert replayed.returncode == 0, replayed.stderr
    assert lasting(told(replayed)) == lasting(document)


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--judge", "opnai"], 2, "did you mean openai"),
        (["--draws", "3"], 2, "--judge"),
        (["--judge", "replay:nowhere"], 4, "nowhere"),
        (["--judge", "transformers:nowhere"], 4, ""),
        (["--judge", "openai:x", "--budget", "cals=1"], 2, "calls"),
        (["--compat", "other"], 2, "directorbench"),
        (["--against", "nowhere.json"], 3, "nowhere.json"),
        (["--rubric", "nowhere.yaml"], 3, "nowhere.yaml"),
        (["--judge", "openai:x"], 4, "OPENAI_API_KEY"),
    ],
)
def test_a_users_mistake_is_told_before_any_work(
    film: Path, tmp_path: Path, arguments: list[str], code: int, says: str
) -> None:
    done = diagnose(film, world(None, tmp_path), *arguments)
    assert done.returncode == code, done.stderr
    assert says in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 4
    assert not (tmp_path / "out").exists()


def test_a_rubric_of_ones_own_goes_through_the_same_pipeline(
    film: Path, server: JudgeServer, tmp_path: Path
) -> None:
    rubric = tmp_path / "mine.yaml"
    rubric.write_text(
        """
extends: directorbench
id: mine
submetrics:
  squares: {dimension: visual, title: Squares}
checkpoints:
  - id: square_is_square
    submetric: squares
    weight: 1.0
    scale: binary
    authority: judged
    question: Is the square a square?
    levels: [It is not, It is]
    ask: {frames: course, brief: [characters]}
  - {id: light_direction, weight: 0.1}
  - {id: shadow_consistency, weight: 0.45}
drop: [scale_proportion, temporal_logic, char_face_consistency, char_clothing_consistency,
       background_consistency, object_permanence, motion_continuity]
"""
    )
    done = diagnose(film, world(server, tmp_path), "--judge", "openai", "--rubric", str(rubric))
    assert done.returncode == 0, done.stderr
    document = told(done)
    mine = next(p for p in document.checkpoints if p.id == "square_is_square")
    assert (mine.status, mine.method, mine.dimension) == ("scored", "judge", "visual")
    assert "scale_proportion" not in {p.id for p in document.checkpoints}
    assert "temporal_coherence" not in {s.id for s in document.submetrics}
    assert document.rubric["id"] == "mine"
    assert document.rubric["hash"] == document.run["arguments"]["rubric"]
    rubric.write_text(rubric.read_text().replace("weight: 0.45", "weight: 0.5"))
    wrong = diagnose(film, world(None, tmp_path), "--rubric", str(rubric), out="wrong")
    assert wrong.returncode == 3
    assert "lighting_consistency" in wrong.stderr


def test_an_earlier_version_is_held_against(film: Path, server: JudgeServer, tmp_path: Path) -> None:
    env = world(server, tmp_path)
    assert diagnose(film, env, out="old").returncode == 0
    still = write_film(tmp_path / "new.mp4", 40)
    (still.parent / "brief.json").write_text(json.dumps(BRIEF))
    for old in (str(tmp_path / "old"), str(tmp_path / "old" / "diagnosis.json"), str(film)):
        done = diagnose(still, env, "--against", old, "--compat", "directorbench", out="new")
        assert done.returncode == 0, done.stderr
        document = told(done)
        assert document.against is not None
        changes = {c.id: c.change for c in document.against.changes}
        assert changes["duration_completeness"] == "broken"
        assert document.against.differs == []
        assert document.compat is not None
        assert document.compat.weights["stability"] == document.compat.weights["visual"]


def test_a_real_clip_is_diagnosed_in_full_and_the_second_time_without_a_call(
    media: Path, server: JudgeServer, tmp_path: Path
) -> None:
    clip = media / "1_shots" / "skv_bikes.mp4"
    brief = Path(longtake.__file__).parent / "data" / "demo-brief.json"
    env = world(server, tmp_path)

    def told_twice(out: str) -> DiagnosisDocument:
        arguments = [str(clip), "--brief", str(brief), "--signals", "light", "--judge", "openai", "--json"]
        done = subprocess.run(
            [*COMMAND, *arguments, "--out", str(tmp_path / out)],
            env=env,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return told(done)

    document = told_twice("one")
    calls = len(server.requests)
    assert document.overall.value is not None
    assert document.coverage.scored > 20
    assert document.judge is not None
    assert document.judge.calls == calls
    assert {len(request.images) for request in server.requests} >= {12, 16}
    assert lasting(told_twice("two")) == lasting(document)
    assert len(server.requests) == calls
