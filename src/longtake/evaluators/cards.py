"""The cards of evaluators, read from data that lies beside them, without importing the evaluator.

A package keeps the cards of its evaluators in ``cards.yaml`` beside the module that an entry point names, one
mapping by name. Figures of studies may lie in ``figures.json`` beside it, lists by name. An evaluator without
such a card is imported and asked for its own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..core.evaluator import Card
from ..core.registry import Named
from ..core.scores import EvaluatorEntry, EvaluatorsDocument
from ..errors import LongtakeError
from .registry import EVALUATORS

CARDS, FIGURES = "cards.yaml", "figures.json"


def known_evaluators(names: Sequence[str] = ()) -> EvaluatorsDocument:
    """The evaluators there are, or those of these names and patterns, with their cards.

    Raises:
        UsageError: a name that means nothing.
        LongtakeError: a card cannot be read.
    """
    return EvaluatorsDocument(
        evaluators=[
            EvaluatorEntry(name=e.name, target=e.target, where=e.where, card=card_of(e.name))
            for e in map(EVALUATORS.entry, EVALUATORS.chosen(list(names) or ["*"]))
        ]
    )


def card_of(name: str) -> Card:
    """The card of an evaluator.

    Raises:
        UsageError: there is none of that name.
        LongtakeError: its card cannot be read.
    """
    entry = EVALUATORS.entry(name)
    folder = folder_of(entry)
    if folder is not None and (found := read_card(name, folder)) is not None:
        return found
    return EVALUATORS.load(name).card


def own_card(name: str, file: str) -> Card:
    """The card of an evaluator from the folder of its module, for the evaluator itself (``__file__``).

    Raises:
        LongtakeError: there is none, or it cannot be read.
    """
    found = read_card(name, Path(file).parent)
    if found is None:
        raise LongtakeError(f"{Path(file).parent / CARDS} has no card of {name}")
    return found


def read_card(name: str, folder: Path) -> Card | None:
    """The card of this name in a folder, ``None`` where there is none. Raises ``LongtakeError``."""
    text = _cards(folder).get(name)
    if text is None:
        return None
    try:
        return Card.model_validate({"name": name, **text, "figures": _figures(folder).get(name, ())})
    except (ValueError, TypeError) as error:
        raise LongtakeError(f"the card of {name} in {folder / CARDS} cannot be read: {error}") from error


def folder_of(entry: Named) -> Path | None:
    """Where the module of an entry lies, found without importing it or its packages."""
    top, *rest = entry.module.split(".")
    try:
        spec = find_spec(top)
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    for place in spec.submodule_search_locations or ():
        folder = Path(place, *rest[:-1])
        if rest and (folder / rest[-1]).is_dir():
            folder /= rest[-1]
        if folder.is_dir():
            return folder
    return Path(spec.origin).parent if spec.origin and not spec.submodule_search_locations else None


@cache
def _cards(folder: Path) -> dict[str, dict[str, Any]]:
    import yaml

    path = folder / CARDS
    if not path.is_file():
        return {}
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise LongtakeError(f"the cards in {path} cannot be read: {error}") from error
    return found if isinstance(found, dict) else {}


@cache
def _figures(folder: Path) -> dict[str, Any]:
    path = folder / FIGURES
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise LongtakeError(f"the figures in {path} cannot be read: {error}") from error
    return found if isinstance(found, dict) else {}
