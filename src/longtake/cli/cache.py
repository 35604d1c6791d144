"""``longtake cache``: how big the cache is, and how to make it smaller."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from ..errors import UsageError
from .options import Json
from .output import out_console, print_json

app = typer.Typer(help="See or shrink the cache of signals, frames and weights.", no_args_is_help=True)
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


def parse_size(text: str) -> int:
    """Bytes in ``500M``, ``2.5 GB`` or ``0``."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*", text, re.IGNORECASE)
    if match is None:
        raise UsageError(f"{text!r} is not a size", hint="write it as 500M, 2GB or 0")
    return int(float(match[1]) * UNITS[match[2].lower()])


@app.command()
def info(json: Json = False) -> None:
    """Say where the cache is and what it holds."""
    _show(json, freed=0)


@app.command()
def prune(
    max_size: Annotated[
        str, typer.Option("--max-size", help="Keep at most this much, as 5GB; 0 empties it.")
    ],
    json: Json = False,
) -> None:
    """Remove what was used longest ago until the rest fits."""
    from ..storage.cache import Cache

    _show(json, freed=Cache().prune(parse_size(max_size)))


def _show(json: bool, freed: int) -> None:
    from ..core.documents import CacheDocument
    from ..storage.cache import Cache

    found = Cache().info()
    document = CacheDocument(
        path=str(found.root),
        bytes=dict(found.bytes),
        files=dict(found.files),
        total_bytes=sum(found.bytes.values()),
        freed_bytes=freed,
    )
    if json:
        print_json(document.to_json())
        return
    console = out_console()
    console.print(f"cache {document.path}", markup=False)
    for kind, size in sorted(document.bytes.items()):
        console.print(f"  {kind:<10} {size / 1e6:10.1f} MB in {document.files[kind]} files", markup=False)
    freed_text = f", {freed / 1e6:.1f} MB freed" if freed else ""
    console.print(f"  {'together':<10} {document.total_bytes / 1e6:10.1f} MB{freed_text}", markup=False)
