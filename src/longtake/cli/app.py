"""The commands, and how any failure becomes a short message and an exit code."""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated, Any, NoReturn

import typer

from ..errors import LongtakeError, OutputError, Stopped, UsageError
from . import (
    bank,
    briefs,
    cache,
    cohort,
    diagnose,
    doctor,
    evaluators,
    import_,
    meta,
    models,
    perturb,
    probe,
    prompt,
    report,
    schema,
    score,
    shots,
    signals,
)
from .output import show_error

app = typer.Typer(
    name="longtake",
    help="Find out whether a long, multi-shot video is any good and where it fails.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(diagnose.diagnose)
app.command()(probe.probe)
app.command()(shots.shots)
app.command()(signals.signals)
app.command()(perturb.perturb)
app.command()(prompt.prompt)
app.command()(report.report)
app.add_typer(meta.app, name="meta")
app.add_typer(cache.app, name="cache")
app.add_typer(models.app, name="models")
app.add_typer(briefs.app, name="briefs")
app.command()(score.score)
app.add_typer(import_.app, name="import")
app.command()(bank.bank)
app.command()(cohort.cohort)
app.add_typer(evaluators.app, name="evaluators")
app.command()(doctor.doctor)
app.command()(schema.schema)

# The base of all errors in a command line. Typer brings its own click and exports only some of the classes.
_CLICK_ERROR: type[Exception] = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")


def _version(wanted: bool) -> None:
    if wanted:
        from ..core.model import tool_version

        print(f"longtake {tool_version()}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Find out whether a long, multi-shot video is any good and where it fails."""


def main() -> NoReturn:
    """Run the command line and end the process with the contract's exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        code = app(standalone_mode=False)
        if code == Stopped.exit_code:  # typer turned a Ctrl-C into a code
            code = _failed(Stopped("stopped"))
    except LongtakeError as error:
        code = _failed(error)
        if isinstance(error, OutputError):
            _drop_output()
    except (KeyboardInterrupt, typer.Abort):
        code = _failed(Stopped("stopped"))
    except BrokenPipeError:
        code = 0  # the reader of our output went away, as `| head` does; nobody is left to tell
        _drop_output()
    except OSError as error:
        code = _failed(OutputError(f"{error.strerror or error}: {error.filename or 'standard output'}"))
        _drop_output()
    except _CLICK_ERROR as error:
        code = _usage(error)
    except Exception as error:  # noqa: BLE001 - the last boundary: a bug of ours, said as one
        code = _bug(error)
    sys.exit(code if isinstance(code, int) else 0)


def _drop_output() -> None:
    """What is still buffered for stdout goes nowhere; otherwise the interpreter's end would complain."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _failed(error: LongtakeError) -> int:
    if os.environ.get("LONGTAKE_DEBUG"):
        import traceback

        traceback.print_exc()
    show_error(error)
    return error.exit_code


def _usage(error: Any) -> int:
    context = getattr(error, "ctx", None)
    hint = f"see: {context.command_path} --help" if context is not None else None
    show_error(UsageError(error.format_message() or "no command is named", hint=hint))
    return UsageError.exit_code


def _bug(error: Exception) -> int:
    hint = "this is a bug in longtake; LONGTAKE_DEBUG=1 shows where"
    return _failed(LongtakeError(f"{type(error).__name__}: {error}", hint=hint))
