"""What how-tos show is read and run as it is written."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from longtake.cli.app import app
from longtake.diagnosis.rubric import load_rubric, read_rubric

HOW_TO = Path(__file__).resolve().parents[1] / "docs" / "how-to"
PAGE = HOW_TO / "evaluate-an-evaluator.md"


def test_every_command_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = PAGE.read_text("utf-8")
    tables = re.findall(r"^`([\w-]+\.csv)`:\n\n```csv\n(.*?)```", page, re.MULTILINE | re.DOTALL)
    commands = re.findall(r"^\$ longtake (meta .*)$", page, re.MULTILINE)
    assert len(tables) == 7
    assert {c.split()[1] for c in commands} == {
        "sensitivity", "pairwise", "localisation", "correlation", "filter",
    }  # fmt: skip
    monkeypatch.chdir(tmp_path)
    for name, text in tables:
        Path(name).write_text(text, encoding="utf-8")
    for command in commands:
        done = CliRunner().invoke(app, [*shlex.split(command), "--draws", "200"], catch_exceptions=False)
        assert done.exit_code == 0, command
        assert done.output
    assert Path("sensitivity/study.html").is_file()
    assert Path("kept/kept.csv").read_text().splitlines()[1:] == [
        "p1,color,true", "p2,color,false", "p3,temporal_flow,false", "p4,temporal_flow,true",
    ]  # fmt: skip


def test_rubrics_of_the_page_are_rubrics(tmp_path: Path) -> None:
    page = (HOW_TO / "rubrics.md").read_text("utf-8")
    files = dict(re.findall(r"^`([\w-]+\.yaml)`:\n\n```yaml\n(.*?)```", page, re.MULTILINE | re.DOTALL))
    assert set(files) == {"house.yaml", "small.yaml"}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    own, house, small = load_rubric(), *(read_rubric(tmp_path / n) for n in ("house.yaml", "small.yaml"))
    assert {c.id for c in house.checkpoints} ^ {c.id for c in own.checkpoints} == {
        "ambient_sound_match", "titles_readable",
    }  # fmt: skip
    assert house.checkpoint("titles_readable").ask.tools == ("text",)
    assert [c.id for c in small.checkpoints] == ["one_idea", "exposure_stability"]
    assert len({own.hash, house.hash, small.hash}) == 3


def test_the_evaluator_of_the_page_conforms_and_can_be_asked(tmp_path: Path) -> None:
    """Its files, installed as a package, go through the checks and through a command."""
    page = (HOW_TO / "write-an-evaluator.md").read_text("utf-8")
    files = dict(re.findall(r"^`([\w./-]+)`:\n\n```\w+\n(.*?)```", page, re.MULTILINE | re.DOTALL))
    assert len(files) == 7
    assert "evenlight/__init__.py" in files  # without it there is nothing that pip could install
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    project = tomllib.loads(files["pyproject.toml"])["project"]
    info = tmp_path / f"{project['name']}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
    points = project["entry-points"]["longtake.evaluators"]
    lines = "\n".join(f"{name} = {target}" for name, target in points.items())
    (info / "entry_points.txt").write_text(f"[longtake.evaluators]\n{lines}\n")
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    (name,) = points

    def python(*arguments: str) -> str:
        command = [sys.executable, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=env, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    python("-c", "import test_evenlight; test_evenlight.test_it_conforms()")
    told = python("-m", "longtake", "evaluators", "info", name)
    assert f"--set {name}.measure=std" in told
    assert f"version 1, from {project['name']} {project['version']}" in told
    # What the page shows of a check that fails is what this mistake gives.
    whole = files["evenlight/evaluator.py"]
    strayed = whole.replace("quantity = self", 'shots = case.signals["shots"]; quantity = self')
    strayed = strayed.replace("if not picture.usable:", "if not picture.usable and shots.usable:")
    (tmp_path / "evenlight" / "evaluator.py").write_text(strayed, encoding="utf-8")
    code = (
        "from longtake.testing import *\n"
        "try: check_evaluator('light.spread')\n"
        "except ConformanceError as error: print(error)"
    )
    said = python("-c", code).splitlines()
    (shown,) = re.findall(r"```text\nlongtake.testing[^:]+: (.*?)```", page, re.DOTALL)
    assert set(shown.splitlines()) <= set(said), said
