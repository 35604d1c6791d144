"""``longtake bank``: films that people rated, as references for Long-CODE."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Json
from .output import err_console, out_console, print_json


def bank(
    manifest: Annotated[
        Path, typer.Argument(metavar="MANIFEST", help="Table of the rated films.", show_default=False)
    ],
    scores: Annotated[
        Path,
        typer.Option(
            help="Folder that longtake score MANIFEST -e long-code --judge NAME wrote.", show_default=False
        ),
    ],
    ratings: Annotated[
        Path,
        typer.Option(
            help="Table with columns case and human (or rating), 1 to 5; rows of one case are averaged.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option(help="File for the bank (JSON).", show_default=False)],
    json: Json = False,
) -> None:
    """Make a bank of references for long-code of films that people rated and a judge has looked at.

    Nothing is asked again: analyses and places of shots are those of the run. The bank holds small pictures
    of the films. It is used as: longtake score ... -e long-code --set long-code.references=FILE
    """
    from ..banks import make_bank

    document = make_bank(manifest, scores, ratings, out)
    if json:
        print_json(document.to_json())
        return
    thirds = ", ".join(map(str, document.thirds))
    out_console().print(
        f"{len(document.cases)} references in {document.out} ({document.bytes / 1e6:.1f} MB); "
        f"by thirds of their scores, lowest first: {thirds}",
        markup=False,
        soft_wrap=True,
    )
    if 0 in document.thirds:
        err_console().print("note: a third without references: long-code gives no score beside this bank")
    for one in document.left_out:
        err_console().print(f"left out: {one.case}: {one.reason}", markup=False, soft_wrap=True)
