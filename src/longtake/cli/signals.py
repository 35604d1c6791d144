"""``longtake signals``: the facts that were measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Embedder, End, Files, Fps, Json, ShotsFile, Start, Workers, open_files
from .output import out_console, print_json
from .progress import TerminalProgress


def signals(
    files: Files,
    only: Annotated[
        str | None,
        typer.Option(help="Names with commas between them, or light or heavy.", metavar="NAME,..."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for one JSON file per signal, instead of rows.")
    ] = None,
    shots_file: ShotsFile = None,
    embedder: Embedder = None,
    json: Json = False,
    fps: Fps = None,
    start: Start = None,
    end: End = None,
    workers: Workers = None,
) -> None:
    """Measure a film and print its signals: tables of facts, without opinion."""
    from ..api import chosen_signals, measure_video
    from ..documents import signals_document

    names = chosen_signals(only)
    video = open_files(files, fps, start, end)
    with TerminalProgress() as progress:
        measured = measure_video(
            video, names, shots=shots_file, embedder=embedder, workers=workers, progress=progress
        )
    document = signals_document(measured.signals, out)
    if json:
        print_json(document.to_json())
    else:
        console = out_console()
        for name, entry in document.signals.items():
            counted = (
                f"{len(entry.rows)} rows, {len(entry.events)} events"
                if entry.rows is not None
                else entry.path
            )
            console.print(f"{name:<12} {entry.status:<8} {entry.reason or counted}", markup=False)
            for fact, value in entry.facts.items():
                if value is not None:
                    console.print(f"    {fact}: {value}", markup=False)
    if any(entry.status == "failed" for entry in document.trace):
        raise typer.Exit(1)
