"""``longtake doctor``: what is installed, what is missing, and the line that mends it."""

from __future__ import annotations

import typer

from .options import Json
from .output import out_console, print_json


def doctor(json: Json = False) -> None:
    """Check this installation: versions, OpenCV, codecs, cache, optional models."""
    from ..execution.doctor import examine

    document = examine()
    if json:
        print_json(document.to_json())
    else:
        console = out_console()
        marks = {"ok": "ok", "missing": "--", "problem": "!!"}
        for check in document.checks:
            console.print(f"{marks[check.status]:>3} {check.name}: {check.detail}", markup=False)
            if check.hint:
                console.print(f"      {check.hint}", markup=False)
    if any(check.status == "problem" for check in document.checks):
        raise typer.Exit(1)
