"""``longtake report``: write the report of a finished diagnosis again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Json
from .output import out_console, print_json


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder that longtake diagnose wrote.")],
    json: Json = False,
) -> None:
    """Write the HTML report and the markers again, from the folder alone."""
    from ..api import write_report

    document = write_report(folder)
    if json:
        print_json(document.to_json())
    else:
        from ..report.terminal import print_diagnosis

        print_diagnosis(document, out_console(), report=document.report)
