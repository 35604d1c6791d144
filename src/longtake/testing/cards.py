"""Checks of a card: whole, true to what there is, and readable without its evaluator."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

from ..core.evaluator import Card, Parameter
from ..core.registry import Named
from ..errors import LongtakeError
from ..evaluators.cards import CARDS, read_card
from ..execution.text_picture import SPEC as TEXT_PICTURE
from ..models.roles import ROLES
from ..signals.registry import ORDER
from .problems import Problems

HEAVY = ("torch", "transformers", "openai")
"""Packages that the module of an evaluator may import only when it is used."""


def check_card(card: Card, problems: Problems, *, measures: bool, prefers: bool) -> None:
    """What is wrong with a card by itself and beside what its evaluator can do."""
    names = [q.name for q in card.quantities]
    problems.unless(bool(card.question.strip()), "its card asks no question")
    problems.unless(card.version >= 1, f"version {card.version} on its card: versions begin at 1")
    problems.unless(
        bool(card.failure_modes), "its card names no failure mode, and everything fails somewhere"
    )
    problems.unless(len(set(names)) == len(names), "its card names a quantity twice")
    problems.unless(measures == bool(names), "quantities on its card and a method measure go together")
    problems.unless(prefers == card.prefers, "prefers on its card and a method prefer go together")
    for q in card.quantities:
        ends = q.low is None or q.high is None or q.low < q.high
        problems.unless(ends, f"{q.name} goes from {q.low} to {q.high}")
        known = q.models is None or set(q.models) <= set(card.models)
        problems.unless(known, f"{q.name} rests on roles that its card does not name")
        problems.unless(bool(q.doc.strip()), f"its card does not say what {q.name} is")
    for name in card.needs:
        known = name in (*ORDER, TEXT_PICTURE.name)
        problems.unless(known, f"its card needs {name}, which no signal is called")
    for name in card.models:
        problems.unless(name in ROLES, f"its card names the role {name}, and there is none of that name")
    for name, parameter in card.parameters.items():
        _check_parameter(name, parameter, problems)


def _check_parameter(name: str, parameter: Parameter, problems: Problems) -> None:
    default = parameter.default
    if isinstance(default, str):
        within = not parameter.choices or default in parameter.choices
    else:
        above = parameter.low is None or parameter.low <= default
        within = above and (parameter.high is None or default <= parameter.high)
        problems.unless(not parameter.choices, f"the parameter {name} is a number and has choices")
    problems.unless(within, f"the default {default!r} of {name} is not among what it may be")


def check_shelf(name: str, card: Card, folder: Path | None, problems: Problems) -> None:
    """Whether the card is read from its folder as it is."""
    try:
        read = read_card(name, folder) if folder is not None else None
    except LongtakeError as error:
        problems.add(error.message)
        return
    if read is None:
        problems.add(f"its card can only be read by importing it; write {CARDS} beside its module")
    elif read != card:
        problems.add(f"the card in its {CARDS} is not the one that it has")


def check_imports(entry: Named, problems: Problems) -> None:
    """Whether importing its module is cheap."""
    for name in heavy_imports(entry.module):
        problems.add(f"importing {entry.module} imports {name}: import it where it is used")


@cache
def heavy_imports(module: str) -> tuple[str, ...]:
    """Those of :data:`HEAVY` that importing a module imports, found in a process of its own."""
    code = f"import sys, {module}; print(*(n for n in {HEAVY!r} if n in sys.modules))"
    path = os.pathsep.join(entry for entry in sys.path if entry)
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )
    return (
        tuple(done.stdout.split()) if not done.returncode else (f"nothing, and fails: {done.stderr[-200:]}",)
    )
