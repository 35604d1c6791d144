"""``longtake evaluators``: who can be asked, and what is known of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from .options import Json
from .output import out_console, print_json

if TYPE_CHECKING:
    from ..core.scores import EvaluatorsDocument


class NamesToo(TyperGroup):
    """What is no command is the name of an evaluator, and its card is meant."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As a command, or as the names given to ``info``."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            args = ["info", *args]
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=NamesToo,
    help="List evaluators, or show the cards of some: what they ask, take, and get wrong.",
    invoke_without_command=True,
)
Names = Annotated[
    list[str], typer.Argument(metavar="NAME...", help="Names or patterns, as rule.*.", show_default=False)
]


@app.callback()
def evaluators(context: typer.Context, json: Json = False) -> None:
    """List evaluators, or show the cards of some; `longtake evaluators NAME` is short for info NAME."""
    context.obj = json
    if context.invoked_subcommand is None:
        _list((), json)


@app.command("list")
def list_evaluators(
    context: typer.Context,
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME...]", help="Names or patterns, as rule.*.", show_default=False),
    ] = None,
    json: Json = False,
) -> None:
    """A line for each evaluator: its question, what it costs, and who brings it."""
    _list(tuple(names or ()), json or bool(context.obj))


@app.command("info")
def info(context: typer.Context, names: Names, json: Json = False) -> None:
    """Their cards: quantities, signals, models and parameters, a judge's part, failure modes, figures."""
    document = _told(tuple(names))
    if json or context.obj:
        print_json(document.to_json())
        return
    from ..report.scores import print_card

    for entry in document.evaluators:
        print_card(entry, out_console())


def _list(names: tuple[str, ...], json: bool) -> None:
    document = _told(names)
    if json:
        print_json(document.to_json())
        return
    from ..report.scores import print_list

    print_list(document, out_console())


def _told(names: tuple[str, ...]) -> EvaluatorsDocument:
    from ..execution.evaluator_cards import told_evaluators

    return told_evaluators(names)
