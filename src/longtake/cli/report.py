"""``longtake report``: write the report of a finished diagnosis, study or cohort again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import InputError
from .options import Json
from .output import out_console, print_json


def report(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder that longtake diagnose, meta or cohort wrote.")
    ],
    json: Json = False,
) -> None:
    """Write the HTML report (and the markers of a diagnosis) again, from the folder alone."""
    from ..storage.results import COHORT, DATABASE, STUDY, Results

    if (folder / "score.json").is_file() and not (folder / DATABASE).is_file():
        raise InputError(
            f"{folder} holds what longtake score wrote, which has no page: its .csv files are the report",
            hint=f"longtake meta and cohort make pages of them, as longtake cohort {folder} --out DIR",
        )
    if kept := {STUDY, COHORT}.intersection(Results(folder).holds()):
        from ..report.cohort.output import rewrite as rewrite_cohort
        from ..report.studies.output import rewrite

        study = rewrite(folder) if STUDY in kept else rewrite_cohort(folder)
        if json:
            print_json(study.to_json())
        else:
            out_console().print(f"written: {study.report}", markup=False, soft_wrap=True)
        return
    from ..api import write_report

    document = write_report(folder)
    if json:
        print_json(document.to_json())
    else:
        from ..report.terminal import print_diagnosis

        print_diagnosis(document, out_console(), report=document.report)
