"""``longtake cohort``: what many diagnoses say together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import UsageError
from .meta import Draws, Level, Seed, checked_level
from .options import Json
from .output import err_console, out_console, print_json


def cohort(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR...",
            help="Folders that longtake score -e diagnosis or longtake diagnose wrote, or folders of such.",
            show_default=False,
        ),
    ],
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="system|base_model|KEY",
            help="What is compared: a column, or the KEY of tags KEY=VALUE. May be repeated, or with commas."
            "  [default: system, and base_model where there is one]",
        ),
    ] = None,
    cases: Annotated[
        Path | None,
        typer.Option(
            help="Table with a column case that says what the folders do not (system, base_model, video_type,"
            " ...); other cases are left out and counted.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for tables (CSV), figures (SVG), JSON and one HTML page.", show_default=False
        ),
    ] = None,
    draws: Draws = 10_000,
    seed: Seed = 0,
    level: Level = 0.95,
) -> None:
    """Compare workflows and base models over many diagnoses, and find what is weakest in general.

    Signatures of workflows, checkpoints ranked over all films, scores by type of video, and how far the
    overall score depends on the profile; every figure has its interval over briefs and its n.
    """
    from ..cohorts import cohort as analyse

    if out is not None and out.resolve() in {folder.resolve() for folder in folders}:
        raise UsageError(f"--out {out} is one of the folders to read", hint="name another one")
    keys = [key.strip() for given in by or [] for key in given.split(",") if key.strip()]
    document = analyse(folders, by=keys, cases=cases, level=checked_level(level), draws=draws, seed=seed)
    if out is not None:
        from ..report.cohort.output import write

        document = write(document, out)
    if json:
        print_json(document.to_json())
        return
    from ..report.cohort.terminal import print_cohort

    print_cohort(document, out_console())
    if document.report is not None:
        err_console().print(f"written: {document.report}", markup=False, soft_wrap=True)
