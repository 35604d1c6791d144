"""Diagnoses as the table that the analyses read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.cohort import Kind, Metric
from ..core.documents import DIMENSIONS, Dimension
from ..diagnosis.profiles import profiles
from ..diagnosis.synthesis import overall_score
from ..meta.cohort.table import CohortTable
from .reading import NEUTRAL, Diagnosed

GIVEN = ("system", "video_type")
"""Columns that are there even where no case says them."""


def table_of(found: Sequence[Diagnosed]) -> tuple[CohortTable, str]:
    """The table of all analyses, and the profile through whose eyes its overall scores are.

    That is the profile of the cases where they all name the same built-in one, else the neutral one.
    """
    known = list(profiles())
    named = {one.profile for one in found}
    profile = next(iter(named)) if len(named) == 1 and named <= set(known) else NEUTRAL
    kinds: dict[tuple[Kind, str], Dimension | None] = {("overall", "overall"): None}
    kinds |= {("dimension", d): d for d in DIMENSIONS}  # type: ignore[misc]
    for one in found:
        kinds |= {key: one.dimension_of[key[1]] for key in one.values if key not in kinds}
    metrics = [Metric(id=name, kind=kind, dimension=d) for (kind, name), d in kinds.items()]
    value = np.full((len(found), len(metrics)), np.nan)
    applies = np.ones(value.shape, bool)
    plain, held = (np.full((len(found), len(known)), np.nan) for _ in range(2))
    for i, one in enumerate(found):
        for p, name in enumerate(known):
            score = overall_score(profiles()[name].weights, one.dimensions).value
            plain[i, p] = np.nan if score is None else score
            given = one.with_constraints.get(name)
            held[i, p] = np.nan if given is None else given
        for k, (kind, name) in enumerate(kinds):
            if kind == "overall":
                value[i, k] = held[i, known.index(profile)]
            elif kind == "dimension":
                score_of = one.dimensions[name]  # type: ignore[index]
                value[i, k] = np.nan if score_of.value is None else score_of.value
                applies[i, k] = score_of.status != "not_applicable"
            elif (m := one.values.get((kind, name))) is not None:
                value[i, k] = np.nan if m.value is None else m.value
                applies[i, k] = m.status != "not_applicable"
    names = dict.fromkeys([*GIVEN, *(name for one in found for name in one.columns)])
    columns: dict[str, Sequence[str | None]] = {n: [one.columns.get(n) for one in found] for n in names}
    columns["profile"] = [one.profile for one in found]
    table = CohortTable(
        case=[one.case for one in found],
        brief=[one.brief or f"{one.source}/{one.case}" for one in found],
        metrics=metrics,
        value=value,
        applies=applies,
        columns=columns,
        profiles=known,
        by_profile=plain,
        with_constraints=held,
    )
    return table, profile
