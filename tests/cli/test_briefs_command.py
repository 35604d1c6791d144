"""``longtake briefs``: what is printed, as text, JSON and YAML, and the exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from longtake.briefs.suite import suite_brief, suite_ids, suite_text
from longtake.core.brief import Brief
from longtake.core.briefs import BriefsDocument

ID = "narrative-dark-street-two-woks"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "longtake", "briefs", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_list() -> None:
    done = run("list", "--language", "zh")
    assert done.returncode == 0
    assert ID in done.stdout
    assert "narrative-exact-change" not in done.stdout
    document = BriefsDocument.model_validate(json.loads(run("list", "--json").stdout))
    assert [fact.id for fact in document.briefs] == list(suite_ids())
    assert run("list", "--type", "opera").returncode == 2


def test_show() -> None:
    text = run("show", ID).stdout
    brief = suite_brief(ID)
    for shot in brief.shots:
        assert shot.scene in text
    assert brief.acts[2].name in text
    assert run("show", f"suite:{ID}", "--yaml").stdout == suite_text(ID)
    shown = Brief.model_validate(json.loads(run("show", ID, "--json").stdout))
    assert shown == brief
    assert run("show", "nothing").returncode == 3
    assert run("show", ID, "--yaml", "--json").returncode == 2


def test_show_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("A film about a kettle.", "utf-8")
    assert "A film about a kettle." in run("show", str(path)).stdout


def test_validate_ends_with_three_where_something_contradicts_itself(tmp_path: Path) -> None:
    path = tmp_path / f"{ID}.yaml"
    path.write_text(suite_text(ID), "utf-8")
    good = run("validate", str(path))
    assert (good.returncode, good.stderr) == (0, "")
    assert "1 briefs, 0 errors, 0 warnings" in good.stdout
    path.write_text(suite_text(ID).replace("duration: 80.0", "duration: 90.0"), "utf-8")
    bad = run("validate", str(path))
    assert bad.returncode == 3
    assert "duration: is 90 s, but the last shot ends at 80 s" in bad.stdout
    assert "Traceback" not in bad.stderr
    document = BriefsDocument.model_validate(json.loads(run("validate", str(path), "--json").stdout))
    assert [(p.place, p.level) for p in document.problems] == [("duration", "error"), ("notes", "warning")][
        :1
    ]


@pytest.mark.parametrize("source", ["missing.yaml", "suite:nothing"])
def test_what_is_not_there(source: str) -> None:
    done = run("validate", source)
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
