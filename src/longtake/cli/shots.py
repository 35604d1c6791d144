"""``longtake shots``: where a film is cut."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .options import End, Files, Fps, Json, ShotsFile, Start, Workers, open_files
from .output import out_console, print_json
from .progress import TerminalProgress


class Format(StrEnum):
    """Forms a shot list can take; all but the table can be read back by ``--shots``."""

    table = "table"
    csv = "csv"
    edl = "edl"
    otio = "otio"
    fcpxml = "fcpxml"
    chapters = "chapters"


def shots(
    files: Files,
    form: Annotated[Format, typer.Option("--format", help="Form of the list on stdout.")] = Format.table,
    sheet: Annotated[
        Path | None, typer.Option(help="Write a contact sheet (JPEG or PNG) of all shots.")
    ] = None,
    min_shot: Annotated[
        float | None, typer.Option(min=0, help="Join shots shorter than this many seconds to a neighbour.")
    ] = None,
    expect: Annotated[
        int | None, typer.Option(min=1, help="Number of shots there should be: keep the surest boundaries.")
    ] = None,
    shots_file: ShotsFile = None,
    json: Json = False,
    fps: Fps = None,
    start: Start = None,
    end: End = None,
    workers: Workers = None,
) -> None:
    """Find the shots of a film and how each gives way to the next."""
    from ..api import measure_video
    from ..documents import shots_document
    from ..signals.shot_edits import expect_shots, join_short_shots

    film = open_files(files, fps, start, end)
    names = ["shots", "transitions", *(["frames"] if sheet is not None else [])]
    with TerminalProgress() as progress:
        measured = measure_video(film, names, shots=shots_file, workers=workers, progress=progress)
    document = shots_document(measured, film)
    if min_shot is not None:
        rows = measured.signals["transitions"].rows()
        changes = {r["frame"]: r["hist_shift"] for r in rows if r["hist_shift"] is not None}
        document = join_short_shots(document, min_shot, changes)
    if expect is not None:
        document = expect_shots(document, expect)
    if sheet is not None:
        from ..api import write_sheet

        write_sheet(document, measured, sheet)
    if json:
        print_json(document.to_json())
    elif form is Format.table:
        from ..report.terminal import print_shots

        print_shots(document, out_console())
    else:
        from ..report.markers import write_list

        print(write_list(document, form.value, measured.film.fps, media=str(film.path)), end="")
