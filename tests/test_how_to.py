"""What how-tos show is read and run as it is written."""

from __future__ import annotations

import re
import shlex
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
