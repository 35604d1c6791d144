"""``longtake score --judge``: the diagnosis with a judge over a manifest, kept and gone on with."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from judge_server import JudgeServer
from judge_world import BRIEF, world, write_film


def score(folder: Path, env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "longtake", "score", *arguments, "--json"],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def test_a_manifest_with_a_judge_is_scored_once(tmp_path: Path) -> None:
    (tmp_path / "brief.json").write_text(json.dumps(BRIEF))
    rows = ["video,brief,system"]
    for name, frames in (("a", 72), ("b", 60)):
        write_film(tmp_path / f"{name}.mp4", frames)
        rows.append(f"{name}.mp4,brief.json,{name}")
    (tmp_path / "films.csv").write_text("\n".join(rows))
    arguments = ("films.csv", "-e", "diagnosis,rule.exposure_stability", "--signals", "light")
    with JudgeServer("vllm") as server:
        env = world(server, tmp_path)
        done = score(tmp_path, env, *arguments, "--judge", "openai", "--out", "out")
        assert done.returncode == 0, done.stderr
        document = json.loads(done.stdout)
        calls = len(server.requests)
        assert document["judge"]["calls"] == calls > 40
        scored = {r["case"]: r for r in document["results"] if r["evaluator"] == "diagnosis"}
        assert all(r["measurements"][0]["status"] == "scored" for r in scored.values())
        again = score(tmp_path, env, *arguments, "--judge", "openai", "--out", "out")
        assert again.returncode == 0, again.stderr
        assert json.loads(again.stdout)["results"] == document["results"]
        fresh = score(tmp_path, env, *arguments, "--judge", "openai", "--out", "fresh")
        assert json.loads(fresh.stdout)["results"] == document["results"]
        assert len(server.requests) == calls
    plain = score(tmp_path, env, *arguments, "--out", "out")
    assert plain.returncode == 0, plain.stderr
    rules = {r["case"]: r for r in json.loads(plain.stdout)["results"] if r["evaluator"] == "diagnosis"}
    assert all(r["measurements"][0]["value"] is None for r in rules.values())


def test_a_dead_judge_is_told_and_what_it_left_open_is_asked_again(tmp_path: Path) -> None:
    (tmp_path / "brief.json").write_text(json.dumps(BRIEF))
    write_film(tmp_path / "a.mp4", 48)
    arguments = (
        "a.mp4",
        "--brief",
        "brief.json",
        "--signals",
        "light",
        "--judge",
        "openai:m",
        "--out",
        "out",
    )
    dead = world(None, tmp_path, OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    done = score(tmp_path, dead, *arguments)
    assert done.returncode == 5, done.stderr
    assert "nothing listens" in done.stderr
    with JudgeServer("vllm", model="m") as server:
        live = world(None, tmp_path, OPENAI_BASE_URL=server.url, OPENAI_API_KEY="k")
        back = score(tmp_path, live, *arguments)
        assert back.returncode == 0, back.stderr
        assert json.loads(back.stdout)["results"][0]["measurements"][0]["value"] is not None


def test_a_judge_that_nobody_asks_is_a_mistake(tmp_path: Path) -> None:
    write_film(tmp_path / "a.mp4", 24)
    done = score(tmp_path, world(None, tmp_path), "a.mp4", "-e", "rule.scene_order", "--judge", "openai:x")
    assert done.returncode == 2
    assert "asks a judge" in done.stderr
