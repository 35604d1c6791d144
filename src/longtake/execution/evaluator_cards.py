"""The evaluators there are, with their cards and the models that may fill their roles."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.evaluator import Card
from ..core.scores import EvaluatorsDocument, KindEntry, RoleEntry
from ..evaluators.cards import known_evaluators
from ..models.roles import ROLES


def told_evaluators(names: Sequence[str] = ()) -> EvaluatorsDocument:
    """The evaluators of these names and patterns, or all of them, without importing any of ours.

    Raises:
        UsageError: a name that means nothing.
        LongtakeError: a card cannot be read.
    """
    found = known_evaluators(names)
    entries = [e.model_copy(update={"roles": roles_of(e.card)}) for e in found.evaluators]
    return found.model_copy(update={"evaluators": entries})


def roles_of(card: Card) -> list[RoleEntry]:
    """Who may fill each role of a card; of a role that there is not, its name alone."""
    told = []
    for name in card.models:
        role = ROLES.get(name)
        if role is None:
            told.append(RoleEntry(role=name))
            continue
        default = role.kinds.get(role.default) if role.default is not None else None
        told.append(
            RoleEntry(
                role=name,
                doc=role.doc,
                default=role.default,
                stands_for=default.stands_for if default is not None else "",
                kinds=[
                    KindEntry(
                        name=kind.usage(word),
                        stands_for=kind.stands_for,
                        licence=kind.licences,
                        note=kind.note,
                    )
                    for word, kind in role.kinds.items()
                ],
            )
        )
    return told
