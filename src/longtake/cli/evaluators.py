"""``longtake evaluators``: who can be asked, and what is known of each."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import Json
from .output import out_console, print_json


def evaluators(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME...]", help="Names or patterns, as rule.*; their cards.", show_default=False
        ),
    ] = None,
    json: Json = False,
) -> None:
    """List evaluators, or show the cards of some: what they ask, take, and get wrong."""
    from ..evaluators.cards import known_evaluators

    document = known_evaluators(names or ())
    if json:
        print_json(document.to_json())
        return
    from ..report.scores import print_card, print_list

    if names:
        for entry in document.evaluators:
            print_card(entry, out_console())
    else:
        print_list(document, out_console())
