"""``longtake score --judge``: the diagnosis with a judge over a manifest, kept and gone on with."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

import longtake
from judge_server import REFUSED, JudgeServer
from judge_world import BRIEF, world, write_film
from longtake.briefs.read import read_brief
from longtake.cli.app import app
from longtake.diagnosis.bound import most_asked
from longtake.diagnosis.rubric import load_rubric
from longtake.errors import InputError
from longtake.evaluators.registry import EVALUATORS


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


@pytest.fixture
def scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs the command in this process, in a folder with two films and their table."""
    (tmp_path / "brief.json").write_text(json.dumps(BRIEF))
    rows = ["case,video,brief,system"]
    for name, frames in (("a", 36), ("b", 48)):
        write_film(tmp_path / f"{name}.mp4", frames)
        rows.append(f"{name},{name}.mp4,brief.json,{name}")
    (tmp_path / "films.csv").write_text("\n".join(rows))
    (tmp_path / "a.csv").write_text("\n".join(rows[:2]))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "400")

    def run(server: JudgeServer, *arguments: str) -> Result:
        for name, value in world(server, tmp_path).items():
            monkeypatch.setenv(name, value)
        given = ["score", *arguments, "--signals", "light", "--judge", "openai", "--out", "out"]
        return CliRunner().invoke(app, given)

    return run


def rows_of(name: str) -> list[dict[str, str]]:
    with Path("out", name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path("out", "score.json").read_text())
    return found


def test_a_spent_budget_is_told_and_counted_and_its_films_are_recognised(
    scored: Callable[..., Result],
) -> None:
    with JudgeServer("vllm") as server:
        assert scored(server, "a.csv").exit_code == 0
        asked = document()["judge"]["asked"]
        done = scored(server, "films.csv", "--budget", "calls=5")
        assert done.exit_code == 1, done.stderr
        told = {r["case"]: r["cut_off"] for r in rows_of("scores.csv")}
        assert told["b"].endswith("have no reply: not asked: the budget of 5 calls is spent")
        assert f"failed: b, diagnosis (judge): {told['b']}" in done.stderr
        assert not told["a"]
        assert "failed: a" not in done.stderr
        found = document()
        assert found["judge"]["not_answered"]["budget"] > 5
        assert found["judge"]["calls"] == 5
        assert "5 requests with" in done.stdout
        assert "The budget of 5 calls is spent." in done.stdout
        assert {r["cut_off"] for r in rows_of("details.csv") if r["case"] == "b"} == {told["b"]}
        cut = [r for r in rows_of("scores.csv") if r["case"] == "b" and r["score"]]
        assert cut
        assert all(found["evaluators"][r["evaluator"]]["score"]["n_cut_off"] == 1 for r in cut)
        assert f"{cut[0]['evaluator']} (1 of " in done.stdout
        rest = scored(server, "films.csv")
        assert rest.exit_code == 0, rest.stderr
        found = document()
        assert not any(r["cut_off"] for r in rows_of("scores.csv"))
        assert all(one["score"]["n_cut_off"] == 0 for one in found["evaluators"].values())
        assert found["judge"]["asked"] == found["judge"]["answered"]
        # What is asked further depends on the answers, so that the two films need not be asked as much.
        assert asked + 5 < found["judge"]["asked"] <= asked + 5 + found["judge"]["calls"]
        assert found["judge"]["cached"] == asked + 5


def test_a_second_run_says_what_its_kept_answers_were_made_with(scored: Callable[..., Result]) -> None:
    with JudgeServer("openai", faults={"content_profile": REFUSED}) as server:
        assert scored(server, "a.csv", "--draws", "2").exit_code == 0
        first = document()["judge"]
        assert scored(server, "a.csv", "--draws", "2").exit_code == 0
        second = document()["judge"]
    assert first["models"] == ["gpt-x-2026-03-05"]
    assert first["not_answered"] == {"refused": 1}
    assert (first["cached"], second["cached"]) == (0, first["asked"])
    same = ("name", "models", "sends_to", "draws", "temperature", "asked", "answered", "not_answered")
    assert [second[k] for k in same] == [first[k] for k in same]
    assert (second["calls"], second["frames"]) == (0, 0)


def announced(said: str) -> list[int]:
    """Questions and pictures of the one announcement."""
    (found,) = re.findall(r"go at most ([\d,]+) questions; ([\d,]+) pictures", said)
    return [int(number.replace(",", "")) for number in found]


def test_a_run_says_once_and_first_what_may_leave_the_machine(scored: Callable[..., Result]) -> None:
    with JudgeServer("vllm") as server:
        done = scored(server, "films.csv", "--price", "input=2,output=4", "--budget", "calls=2000")
        assert done.exit_code == 0, done.stderr
        questions, pictures = announced(done.stderr)
        assert done.stderr.count("judge openai:") == 1
        assert len(server.requests) <= questions < 4 * len(server.requests)
        assert sum(len(asked.images) for asked in server.requests) <= pictures
        assert "at your prices" in done.stderr
        assert "the budget ends it at 2,000 calls" in done.stderr
        found = document()["judge"]
        assert f"{found['input_tokens']:,} tokens in" in done.stdout
        assert "at the given prices" in done.stdout
        assert f"{len(server.requests)} requests with {found['frames']} pictures" in done.stdout
        again = scored(server, "films.csv")
        assert again.stderr == ""
        assert "Nothing was sent this time" in again.stdout


def test_what_is_kept_already_is_not_announced(scored: Callable[..., Result]) -> None:
    with JudgeServer("vllm") as server:
        assert scored(server, "a.csv").exit_code == 0
        questions, _ = announced(scored(server, "films.csv", "--budget", "calls=1").stderr)
        assert questions < 4 * len(server.requests)
        before = len(server.requests)
        given = ["diagnose", "b.mp4", "--brief", "brief.json", "--signals", "light", "--judge", "openai"]
        said = CliRunner().invoke(app, [*given, "--budget", "calls=10", "--out", "d"]).stderr
        few, _ = announced(said)
        assert "the budget ends it at 10 calls" in said
        assert len(server.requests) == before + 10
        said = CliRunner().invoke(app, [*given, "--out", "d"]).stderr
        fewer, _ = announced(said)
        (kept,) = re.findall(r"at least (\d+) more answers kept from before: not asked again", said)
        assert fewer + int(kept) == few + 1  # the content profile, of the run before that
        assert 0 < int(kept) <= 11
        assert len(server.requests) - before - 10 <= fewer


def test_from_python_a_warning_says_it(
    scored: Callable[..., Result], caplog: pytest.LogCaptureFixture
) -> None:
    with JudgeServer("vllm") as server:
        assert scored(server, "a.csv", "--budget", "calls=0").exit_code == 1
        caplog.clear()
        told: list[str] = []
        options = longtake.JudgeOptions("openai", budget="calls=1", tell=told.append)
        longtake.score("a.csv", signals="light", judge=options)
        assert [len(told), len(caplog.records)] == [1, 0]
        found = longtake.score("a.csv", signals="light", judge="openai")
        (record,) = caplog.records
        assert (record.name, record.levelname) == ("longtake.judge", "WARNING")
        assert found.judge is not None
        assert f"to {found.judge.sends_to} go at most" in record.message
        assert "kept from before" in record.message
        caplog.clear()
        longtake.diagnose("b.mp4", brief="brief.json", signals="light", judge="openai")
        assert [r.name for r in caplog.records] == ["longtake.judge"]


def test_the_example_of_the_page(scored: Callable[..., Result]) -> None:
    page = Path(longtake.__file__).parents[2] / "docs" / "how-to" / "judges.md"
    (code,) = re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    Path("a.mp4").rename("film.mp4")
    Path("films.csv").write_text("video,brief\nfilm.mp4,brief.json\n")
    with JudgeServer("vllm") as server:
        assert scored(server, "b.mp4", "--brief", "brief.json", "--budget", "calls=0").exit_code == 1
        known: dict[str, Any] = {}
        exec(code.replace("draws=5", "draws=2"), known)
        assert known["document"].judge.calls == len(server.requests)
    facts = known["scores"].judge
    # A score has no written summary: one question less.
    assert (facts.draws, facts.calls, facts.answered) == (2, 0, known["document"].judge.answered - 1)
    assert facts.asked == facts.cached > 40


def test_a_folder_of_scores_has_no_page(scored: Callable[..., Result]) -> None:
    with JudgeServer("vllm") as server:
        scored(server, "a.csv", "--budget", "calls=0")
    told = CliRunner().invoke(app, ["report", "out"])
    assert isinstance(told.exception, InputError)
    assert "holds what longtake score wrote" in told.exception.message
    assert "longtake cohort out --out DIR" in (told.exception.hint or "")


def test_the_card_says_what_a_judge_may_be_asked(tmp_path: Path) -> None:
    """The figures of the card are those of the bound that is announced, with the summary."""
    card = EVALUATORS.load("diagnosis").card
    none, most = map(int, re.findall(r"up to (\d+)", card.cost)[:2])
    (tmp_path / "brief.json").write_text(json.dumps(BRIEF))
    brief = read_brief(tmp_path / "brief.json")
    asked = [
        most_asked(load_rubric(), [b], draws=1, most_pictures=16, most_of_content=24) for b in (None, brief)
    ]
    assert [len(found) + 1 for found in asked] == [none, most + len(brief.shots)]
