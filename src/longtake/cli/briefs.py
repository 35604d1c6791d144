"""``longtake briefs``: the built-in suite of briefs, and what is wrong with anybody's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError, UsageError
from .options import Json
from .output import out_console, print_json

if TYPE_CHECKING:
    from ..core.briefs import BriefsDocument

app = typer.Typer(help="The built-in suite of briefs; check briefs of your own.", no_args_is_help=True)


@app.command("list")
def list_briefs(
    kind: Annotated[
        str | None, typer.Option("--type", help="Only this type, as narrative.", metavar="TYPE")
    ] = None,
    language: Annotated[str | None, typer.Option(help="Only this language, as de.", metavar="CODE")] = None,
    json: Json = False,
) -> None:
    """List the built-in briefs; suite:ID names one wherever a brief is taken."""
    from ..briefs.checking import listed

    document = listed(kind, language)
    if json:
        print_json(document.to_json())
        return
    from ..report.briefs import print_briefs

    print_briefs(document.briefs, out_console())


@app.command()
def show(
    brief: Annotated[str, typer.Argument(metavar="ID", help="Id of a built-in brief, or a file of yours.")],
    yaml: Annotated[bool, typer.Option("--yaml", help="Print a built-in brief's file as it is.")] = False,
    json: Json = False,
) -> None:
    """Show a brief: story, people, and shot by shot with camera, light and lines."""
    from ..briefs.read import read_brief
    from ..briefs.suite import suite_ids, suite_text
    from ..core.brief import SUITE

    built_in = brief.removeprefix(SUITE)
    if yaml and json:
        raise UsageError("--yaml and --json cannot both be printed", hint="leave one out")
    if yaml:
        out_console().file.write(suite_text(built_in))
        return
    named = built_in in suite_ids() or brief.startswith(SUITE) or not Path(brief).exists()
    found = read_brief(SUITE + built_in if named else brief)
    if json:
        print_json(found.to_json())
        return
    from ..report.briefs import print_brief

    print_brief(found, out_console())


@app.command()
def validate(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE|DIR...]",
            help="Briefs, or folders of them.  [default: the built-in suite]",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Tell what is wrong with briefs; end with 3 where something contradicts itself."""
    from ..briefs.checking import checked, checked_suite

    document = checked(sources) if sources else checked_suite()
    if json:
        print_json(document.to_json())
    else:
        from ..report.briefs import print_problems

        print_problems(document, out_console())
    errors(document)


def errors(document: BriefsDocument) -> None:
    """Raise ``InputError`` where a problem is an error."""
    count = sum(problem.level == "error" for problem in document.problems)
    if count:
        raise InputError(
            f"{count} {'error' if count == 1 else 'errors'} in {len(document.briefs)} briefs",
            hint="mend what is listed",
        )
