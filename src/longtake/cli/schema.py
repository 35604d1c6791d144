"""``longtake schema``: the JSON Schema of a document."""

from __future__ import annotations

from typing import Annotated

import typer

from ..errors import UsageError
from .options import Json
from .output import print_json


def schema(
    name: Annotated[str | None, typer.Argument(help="probe, shots, signals, diagnosis, brief, ...")] = None,
    json: Json = False,
) -> None:
    """Print the JSON Schema of a document, or the names of all."""
    from ..core.documents import SchemasDocument
    from ..core.schemas import SCHEMAS

    if name is None:
        if json:
            print_json(SchemasDocument(names=list(SCHEMAS)).to_json())
        else:
            print("\n".join(SCHEMAS))
        return
    if name not in SCHEMAS:
        from difflib import get_close_matches

        near = get_close_matches(name, SCHEMAS, n=1)
        raise UsageError(
            f"there is no document called {name!r}",
            hint=f"did you mean {near[0]}?" if near else f"one of: {', '.join(SCHEMAS)}",
        )
    print_json(SCHEMAS[name].model_json_schema(by_alias=True))
