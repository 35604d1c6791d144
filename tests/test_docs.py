"""The generated pages are those that the code would write today, and the README names what there is."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_generated_pages_are_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "make_docs.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_command_is_in_the_readme() -> None:
    listed = subprocess.run(
        [sys.executable, "-m", "longtake", "--help"], capture_output=True, text=True, check=True
    ).stdout
    commands = re.findall(r"^│ ([a-z]+) {2,}", listed, re.MULTILINE)
    assert len(commands) >= 9
    readme = (ROOT / "README.md").read_text("utf-8")
    for command in commands:
        assert f"longtake {command}" in readme, command


def test_links_in_the_docs_lead_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for page in pages:
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
