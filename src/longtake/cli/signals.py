"""``longtake signals``: the facts that were measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import End, Files, Fps, Json, ShotsFile, Start, Workers, open_files
from .output import out_console, print_json
from .progress import TerminalProgress


def signals(
    files: Files,
    only: Annotated[
        str | None, typer.Option(help="Names with commas between them, or light or heavy.", metavar="NAME,...")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for one JSON file per signal, instead of rows.")] = None,
    shots_file: ShotsFile = None,
    json: Json = False,
    fps: Fps = None,
    start: Start = None,
    end: End = None,
    workers: Workers = None,
) -> None:
    """Measure a film and print its signals: tables of facts, without opinion."""
    from ..api import measure_video, signals_document
    from ..signals.registry import chosen

    names = chosen(only)
    video = open_files(files, fps, start, end)
    with TerminalProgress() as progress:
        measured = measure_video(video, names, shots=shots_file, workers=workers, progress=progress)
    document = signals_document(measured.signals, out)
    if json:
        print_json(document.to_json())
    else:
        from ..report.terminal import show_signals

        show_signals(document, out_console())
    if any(entry.status == "failed" for entry in document.trace):
        raise typer.Exit(1)
