"""What goes where: one JSON document or people's text on stdout, everything else on stderr."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..errors import LongtakeError, OutputError

if TYPE_CHECKING:
    from rich.console import Console


def asked_for_json() -> bool:
    """Whether this command line wants JSON; needed before its options are parsed."""
    return "--json" in sys.argv[1:]


_printed = False


def print_json(document: dict[str, Any]) -> None:
    """Print one strict JSON document on stdout. A failure after it is told on stderr alone.

    Raises:
        OutputError: stdout is closed or full.
    """
    global _printed
    if sys.stdout is None:
        raise OutputError("standard output is closed")
    try:
        json.dump(document, sys.stdout, ensure_ascii=False, allow_nan=False, indent=2)
        sys.stdout.write("\n")
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write to standard output: {error.strerror}") from error
    _printed = True


def out_console() -> Console:
    """Where people's output goes."""
    return _console(stderr=asked_for_json())


def err_console() -> Console:
    """Where progress and warnings go."""
    return _console(stderr=True)


def _console(*, stderr: bool) -> Console:
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    if stream is None:
        raise OutputError("standard output is closed")
    width = None if stream.isatty() or "COLUMNS" in os.environ else 100
    return Console(
        stderr=stderr, highlight=False, emoji=False, width=width, no_color=None if stream.isatty() else True
    )


def show_error(error: LongtakeError) -> None:
    """Say in a few lines what is wrong and what to do; with ``--json`` also as a document on stdout."""
    from ..core.documents import ErrorDocument, ErrorFacts

    print(f"longtake: {error.message}", file=sys.stderr)
    if error.hint:
        print(f"  {error.hint}", file=sys.stderr)
    if asked_for_json() and not _printed:
        facts = ErrorFacts(message=error.message, hint=error.hint, exit_code=error.exit_code)
        with suppress(OutputError, BrokenPipeError):  # what cannot be written may be standard output itself
            print_json(ErrorDocument(error=facts).to_json())
