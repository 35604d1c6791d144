"""``longtake import``: result files of other evaluators as a table that ``longtake meta`` reads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UsageError
from .options import Json
from .output import err_console, out_console, print_json

if TYPE_CHECKING:
    from ..core.imports import ImportDocument, Source

app = typer.Typer(help="Bring results of other evaluators into our tables.", no_args_is_help=True)

ResultFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="The result file as the tool wrote it.", show_default=False)
]
Out = Annotated[
    Path | None, typer.Option(metavar="TABLE.csv", help="Table to write, as scores.csv.", show_default=False)
]
ManifestFile = Annotated[
    Path | None,
    typer.Option(
        "--manifest",
        help="Your films: only these are taken, and only by id, file or --by.",
        show_default=False,
    ),
]
By = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="Column of the manifest that has what FILE calls a film.", show_default=False
    ),
]


@app.command()
def vbench(
    file: ResultFile, out: Out = None, manifest: ManifestFile = None, by: By = None, json: Json = False
) -> None:
    """NAME_eval_results.json of VBench: the seven dimensions for one's own videos."""
    _import("vbench", file, out, manifest, by, json)


@app.command("vbench-long")
def vbench_long(
    file: ResultFile, out: Out = None, manifest: ManifestFile = None, by: By = None, json: Json = False
) -> None:
    """NAME_eval_results.json of VBench-Long: the six dimensions for one's own videos."""
    _import("vbench-long", file, out, manifest, by, json)


@app.command("videoscore2")
def videoscore2(
    file: ResultFile, out: Out = None, manifest: ManifestFile = None, by: By = None, json: Json = False
) -> None:
    """A list of films with three scores, as VideoScore2 writes it."""
    _import("videoscore2", file, out, manifest, by, json)


def _import(
    source: Source, file: Path, out: Path | None, manifest: Path | None, by: str | None, json: bool
) -> None:
    from ..datasets.importing import import_results

    if by is not None and manifest is None:
        raise UsageError("--by names a column of a manifest, and there is none", hint="give --manifest")
    if out is not None and out.suffix.lower() != ".csv":
        raise UsageError(f"--out {out} is no CSV file", hint="write --out TABLE.csv")
    document = import_results(source, file, manifest=manifest, by=by, out=out)
    if json:
        print_json(document.to_json())
        return
    _print(document)


def _print(document: ImportDocument) -> None:
    from ..report.words import one_line

    console = out_console()
    for name, one in document.evaluators.items():
        value = "no value" if one.value is None else f"{one.value:.4f}"
        console.print(f"{name}: {value} ({one.n} of {one.n_asked} films, {one.unit})", markup=False)
        if one.why is not None:
            console.print(f"  the file says {one.told:.4f}: {one.why}", markup=False, soft_wrap=True)
        for flag in one.flags:
            console.print(f"  {one_line(flag)}", markup=False, soft_wrap=True)
    told = [*(f"left out: {one.what}: {one.why}" for one in document.left_out), *document.notes]
    if document.table is not None:
        told.append(f"written: {document.table}")
    for line in told:
        err_console().print(one_line(line), markup=False, soft_wrap=True)
