"""``longtake probe``: what a file says of itself."""

from __future__ import annotations

from .options import End, Files, Fps, Json, Start, open_files
from .output import out_console, print_json


def probe(files: Files, json: Json = False, fps: Fps = None, start: Start = None, end: End = None) -> None:
    """Say what a film is made of: codecs, sizes, rates, sound, and what is odd about it."""
    from ..media.probe import probe as probe_video

    document = probe_video(open_files(files, fps, start, end))
    if json:
        print_json(document.to_json())
        return
    from ..report.terminal import print_probe

    print_probe(document, out_console())
