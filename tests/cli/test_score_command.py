"""``longtake score`` and ``longtake evaluators`` from outside: codes, documents, stopped and killed runs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

import films
import plugin_package
from longtake.core.case import Case, Pair
from longtake.core.scores import EvaluatorsDocument, ScoreDocument
from longtake.storage.manifest import write_manifest, write_pairs

COMMAND = [sys.executable, "-m", "longtake"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return plugin_package.install(tmp_path_factory.mktemp("plugin"))


@pytest.fixture
def world(site: Path, tmp_path: Path) -> dict[str, str]:
    """An environment in which the package with evaluators is installed."""
    path = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path, "LONGTAKE_STUB_LOG": str(tmp_path / "log")}


def run(folder: Path, env: Mapping[str, str], *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=dict(env), check=False)


def film(path: Path, seed: int = 1, frames: int = 25) -> Path:
    films.write(path, iter(films.drifting(seed, frames)))
    return path


def table(folder: Path, count: int) -> Path:
    cases = [Case(f"case {i}", film(folder / f"{i}.mp4", i), prompt="a scene") for i in range(count)]
    return write_manifest(folder / "films.csv", cases)


def test_json_is_one_document_of_the_contract(tmp_path: Path, world: dict[str, str]) -> None:
    done = run(
        tmp_path, world, "score", table(tmp_path, 2), "-e", "cue.duration,constant", "--json", "--out", "o"
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert ScoreDocument.model_validate(found).to_json() == found
    assert found["schema"] == "longtake.score/1"
    for result in found["results"]:
        assert {"case", "evaluator", "measurements"} <= set(result)
        for m in result["measurements"]:
            assert {"name", "status", "value", "reason", "evidence"} <= set(m)
    assert found["preferences"] == []
    assert {p.name for p in (tmp_path / "o").iterdir()} >= {"score.json", "scores.csv", "scores.sqlite"}
    assert not (tmp_path / "o" / "pairwise.csv").exists()


def test_preferences_have_the_fields_of_the_contract(tmp_path: Path, world: dict[str, str]) -> None:
    pairs = [Pair("p", "s", "length", film(tmp_path / "a.mp4", frames=50), film(tmp_path / "b.mp4"))]
    done = run(tmp_path, world, "score", write_pairs(tmp_path / "p.jsonl", pairs), "-e", "constant", "--json")
    assert done.returncode == 0, done.stderr
    for p in json.loads(done.stdout)["preferences"]:
        assert {"pair", "evaluator", "order", "choice", "status", "reason", "evidence"} <= set(p)
    (folder,) = (tmp_path / "longtake-out").iterdir()
    assert folder.name.startswith("p-")
    text = run(tmp_path, world, "score", "p.jsonl", "-e", "constant").stdout
    assert "\x1b" not in text
    lines = {line.split()[0]: line.split() for line in text.splitlines()[1:] if line.strip()}
    assert lines["constant"] == ["constant", "2", "/", "2", "0.5", "0.5", "share", "1", "/", "1", "0.5"]
    # Means stand apart: of the undamaged film of two seconds and of the damaged one of one.
    assert lines["cue.duration"] == ["cue.duration", "2", "/", "2", "2", "1", "s", "1", "/", "1", "1"]
    size = f"{(tmp_path / 'a.mp4').stat().st_size:,}"
    assert lines["cue.bytes"][4] == size
    assert lines["cue.bytes"][6] == "bytes"


def test_people_are_told_how_many_were_scored(tmp_path: Path, world: dict[str, str]) -> None:
    done = run(tmp_path, world, "score", table(tmp_path, 2), "-e", "cue.duration,rule.pacing_structure")
    assert done.returncode == 0, done.stderr
    lines = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()[1:3]}
    assert lines["cue.duration"] == ["2", "/", "2", "1", "s"]
    assert lines["rule.pacing_structure"] == ["(proxy)", "0", "/", "2", "-", "share"]
    why = done.stdout.partition("not scored:\n  rule.pacing_structure (2 of 2): ")[2]
    assert why.startswith("needs ")


def test_who_judges_pairs_only_is_not_silent_about_films(tmp_path: Path, world: dict[str, str]) -> None:
    films_table = table(tmp_path, 2)
    alone = run(tmp_path, world, "score", "0.mp4", "-e", "stub.first", "--out", "o")
    assert alone.returncode == 2
    assert "stub.first can only judge two films beside each other" in alone.stderr
    assert "longtake perturb --suite" in alone.stderr
    assert not (tmp_path / "o").exists()
    beside = run(tmp_path, world, "score", films_table, "-e", "stub.first,constant")
    assert beside.returncode == 0, beside.stderr
    assert "note: not asked: stub.first can only judge two films" in beside.stderr
    assert "stub.first" not in beside.stdout


def test_exit_codes(tmp_path: Path, world: dict[str, str]) -> None:
    films_table = table(tmp_path, 2)
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(b"no film")
    mixed = write_manifest(tmp_path / "mixed.csv", [Case("good", tmp_path / "0.mp4"), Case("bad", broken)])
    doubled = tmp_path / "doubled.csv"
    doubled.write_text("case,video\nx,0.mp4\nx,1.mp4\n")
    unread = write_manifest(tmp_path / "unread.csv", [Case("bad", broken), Case("worse", broken)])
    cases = {
        ("nothing.mp4",): 3,
        ("nothing.csv",): 3,
        (unread,): 3,
        (broken,): 3,
        (mixed, "-e", "cue.duration"): 1,
        (doubled,): 3,
        ("0.mp4", "-e", "cue.durration"): 2,
        ("0.mp4", "-e", ","): 2,
        (films_table, "--brief", "b.json"): 2,
        (films_table, "--start", "1"): 2,
        ("0.mp4", "-e", "stub.unloadable"): 4,
        ("0.mp4", "-e", "diagnosis", "--embedder", "clip:nowhere"): 4,
        ("0.mp4", "-e", "stub.offline"): 5,
        ("0.mp4", "-e", "stub.offline,stub.astray"): 5,
        ("0.mp4", "-e", "stub.astray"): 1,
        ("0.mp4", "-e", "constant", "--out", broken): 6,
        ("0.mp4", "-e", "constant"): 0,
    }
    for arguments, code in cases.items():
        done = run(tmp_path, world, "score", *arguments)
        assert done.returncode == code, (arguments, done.stderr)
        assert "Traceback" not in done.stderr
        assert done.stderr.strip() or code == 0
        folders = list((tmp_path / "longtake-out").glob("*"))
        assert bool(folders) == (code in (0, 1, 5)), arguments
        shutil.rmtree(tmp_path / "longtake-out", ignore_errors=True)
    said = run(tmp_path, world, "score", mixed, "-e", "cue.duration")
    assert "failed: bad: " in said.stderr
    assert "cue.duration" in said.stdout


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.is_file() else []


def _wait_for(path: Path, count: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 60
    while len(_lines(path)) < count:
        assert process.poll() is None, "the run ended before it could be stopped"
        assert time.monotonic() < until
        time.sleep(0.02)


def _stopped(folder: Path, world: dict[str, str], how: signal.Signals, after: int, *arguments: object) -> int:
    """Start a run in a process group of its own, stop all of it after so many cases, and wait for its end."""
    process = subprocess.Popen(
        [*COMMAND, "score", *map(str, arguments)],
        cwd=folder,
        env={**world, "LONGTAKE_STUB_SECONDS": "0.4"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        _wait_for(folder / "log", after, process)
    finally:
        os.killpg(process.pid, how)
        code = process.wait(timeout=60)
    return code


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path, world: dict[str, str]) -> None:
    films_table, log = table(tmp_path, 6), tmp_path / "log"
    arguments = (films_table, "-e", "stub.slow,cue.duration", "--out", "killed")
    assert _stopped(tmp_path, world, signal.SIGKILL, 3, *arguments) == -signal.SIGKILL
    asked = _lines(log)
    assert 3 <= len(asked) < 6
    assert not (tmp_path / "killed" / "score.json").exists()
    done = run(tmp_path, world, "score", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    # Each case is asked once; only the one that was being asked when the kill came is asked again.
    again = _lines(log)[len(asked) :]
    assert again[0] in (asked[-1], f"case {len(asked)}")
    assert [*dict.fromkeys([*asked, *again])] == [f"case {i}" for i in range(6)]
    assert len(asked) + len(again) in (6, 7)
    fresh = run(
        tmp_path, world, "score", films_table, "-e", "stub.slow,cue.duration", "--out", "fresh", "--json"
    )
    assert json.loads(done.stdout)["results"] == json.loads(fresh.stdout)["results"]
    for name in ("scores.csv",):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "fresh" / name).read_bytes()


def test_a_run_that_is_stopped_keeps_its_answers_and_says_so(tmp_path: Path, world: dict[str, str]) -> None:
    arguments = (table(tmp_path, 12), "-e", "stub.slow", "--out", "stopped")
    assert _stopped(tmp_path, world, signal.SIGINT, 2, *arguments) == 130
    asked = _lines(tmp_path / "log")
    assert run(tmp_path, world, "score", *arguments).returncode == 0
    assert len(asked) < 12
    assert len(_lines(tmp_path / "log")) - len(asked) <= 12 - (len(asked) - 1)


def test_evaluators_are_listed_with_their_cards(tmp_path: Path, world: dict[str, str]) -> None:
    done = run(tmp_path, world, "evaluators", "--json")
    assert done.returncode == 0, done.stderr
    document = EvaluatorsDocument.model_validate_json(done.stdout)
    by_name = {entry.name: entry for entry in document.evaluators}
    assert by_name["stub.unloadable"].where == "longtake-stub 1.2"
    assert by_name["diagnosis"].where == "longtake"
    assert by_name["cue.flicker"].card.needs == ("motion",)
    card = run(tmp_path, world, "evaluators", "rule.scene_order").stdout
    assert "stands in for a judge that sees frames" in card
    assert "text_picture" in card
    assert run(tmp_path, world, "evaluators", "rule.scene_odor").returncode == 2
