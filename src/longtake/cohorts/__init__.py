"""Many diagnoses together: ``longtake cohort`` and ``longtake.cohort``."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.cohort import FAMILIES, CohortCase, CohortDocument, GroupFigures, Kind
from ..core.meta import Counted
from ..errors import UsageError
from .alike import counted_as

if TYPE_CHECKING:
    from ..meta.cohort.table import CohortTable
    from ..meta.studies.figures import Plan
    from .reading import Diagnosed

WORKFLOW, BASE_MODEL, VIDEO_TYPE = "system", "base_model", "video_type"
TYPES: tuple[Kind, ...] = ("overall", "dimension")
"""What is told of each type of video."""


def cohort(
    folders: Sequence[str | os.PathLike[str]],
    *,
    by: Sequence[str] = (),
    cases: str | os.PathLike[str] | None = None,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
) -> CohortDocument:
    """Analyse many diagnoses: what sets each workflow apart, what is weakest in general, and for whom.

    ``folders`` are those that ``longtake score -e diagnosis`` or ``longtake diagnose`` wrote, or folders of
    such folders. ``by`` names what is compared: ``system``, or any tag ``KEY=VALUE`` or column of ``cases``;
    without it ``system``, and ``base_model`` where a case has one. ``cases`` is a table with a column
    ``case`` that says what the folders do not.

    Raises:
        InputError: a folder holds no diagnosis, cases contradict each other, or they were diagnosed in
            different ways, so that nothing compares them.
        UsageError: a column that no case has.
    """
    from ..meta.cohort.profiles import profile_ranges
    from ..meta.cohort.ranking import ranking
    from ..meta.studies.figures import Plan
    from .alike import comparable, unique, with_facts
    from .reading import read_diagnosed
    from .table import table_of

    found = [one for folder in folders for one in read_diagnosed(Path(folder))]
    counted: list[Counted] = []
    if cases is not None:
        found = with_facts(found, Path(cases), counted)
    found = unique(found, counted)
    made_with = comparable(found)
    table, profile = table_of(found)
    plan = Plan(level, draws, seed, over="briefs")
    keys = _keys(table, by)
    groups = [_group(table, key, plan, counted) for key in keys]
    typed = any(table.columns.get(VIDEO_TYPE, ()))
    return CohortDocument(
        sources=[str(folder) for folder in folders],
        cases=[
            CohortCase(case=name, source=one.source, brief=brief, columns=one.columns, reason=one.reason)
            for name, brief, one in zip(table.case, table.brief, found, strict=True)
        ],
        made_with=made_with,
        profile=profile,
        groups=groups,
        ranking=ranking(table, plan),
        types=_group(table, VIDEO_TYPE, plan, counted, kinds=TYPES, deviations=False) if typed else None,
        profiles=profile_ranges(table, plan),
        counted=[*counted, *_unread(found, table), *_cut_off(found, table)],
        options={"by": list(keys), "level": level, "draws": draws, "seed": seed},
        notes=_notes(found, table, profile, groups, plan),
    )


def _keys(table: CohortTable, by: Sequence[str]) -> list[str]:
    there = [name for name, column in table.columns.items() if any(column)]
    for name in by:
        if name not in there:
            known = f"they have {', '.join(there)}" if there else "they have none"
            hint = f"{known}; a tag {name}=VALUE in the manifest or a column of --cases gives one"
            raise UsageError(f"no case has a {name}", hint=hint)
    return list(dict.fromkeys(by)) or [WORKFLOW, *([BASE_MODEL] if BASE_MODEL in there else [])]


def _group(
    table: CohortTable,
    key: str,
    plan: Plan,
    counted: list[Counted],
    *,
    kinds: Sequence[Kind] = (),
    deviations: bool = True,
) -> GroupFigures:
    from ..meta.cohort.groups import by_group

    column = table.columns.get(key, [None] * len(table.case))
    silent = [name for name, value in zip(table.case, column, strict=True) if value is None]
    if silent and len(silent) < len(table.case):
        counted.append(counted_as("no_group", f"cases that do not say their {key}, left out there", silent))
    return by_group(table, key, plan, kinds=kinds, deviations=deviations)


def _unread(found: Sequence[Diagnosed], table: CohortTable) -> list[Counted]:
    names = [name for name, one in zip(table.case, found, strict=True) if one.reason]
    what = "films that could not be read; every metric counts as asked and unscored"
    return [counted_as("unread", what, names)] if names else []


def _cut_off(found: Sequence[Diagnosed], table: CohortTable) -> list[Counted]:
    names = [name for name, one in zip(table.case, found, strict=True) if one.cut_off]
    what = "films of which the judge did not answer everything; they are in all figures"
    return [counted_as("cut_off", what, names)] if names else []


def _notes(
    found: Sequence[Diagnosed],
    table: CohortTable,
    profile: str,
    groups: Sequence[GroupFigures],
    plan: Plan,
) -> list[str]:
    notes = []
    if bare := sum(one.brief is None for one in found):
        notes.append(f"{bare} of {len(found)} cases name no brief: each counts as independent of the others")
    if partly := [one for one in found if one.cut_off]:
        notes.append(
            f"{len(partly)} of {len(found)} films were judged in part: a budget was spent, or no reply came"
            f" ({partly[0].case}: {partly[0].cut_off}). Their values rest on less than those of the others;"
            " the same command that made them asks for what is open"
        )
    if len(others := sorted({one.profile for one in found} - {profile})):
        notes.append(
            f"cases were diagnosed for the profiles {', '.join([*others, profile])}; all overall scores here"
            f" are those for {profile}, and checkpoints are the same for all profiles"
        )
    if len(versions := sorted({one.longtake for one in found})) > 1:
        notes.append(f"the diagnoses were made by longtake {', '.join(versions)}")
    makers: dict[str, set[str]] = {}
    for one in found:
        if one.film and one.columns.get(WORKFLOW):
            makers.setdefault(one.film, set()).add(one.columns[WORKFLOW])
    if twice := sum(len(names) > 1 for names in makers.values()):
        films = "1 film is" if twice == 1 else f"{twice} films are"
        notes.append(f"{films} given as the work of more than one system")
    for group in groups:
        notes += [*_confounded(table, group), *_coarse(group, plan)]
    return notes


def _confounded(table: CohortTable, group: GroupFigures) -> list[str]:
    """What else differs between the groups that are compared."""
    notes = []
    if not group.reason and group.shared_briefs < group.briefs:
        notes.append(
            f"by {group.by}: {group.shared_briefs} of {group.briefs} briefs have a film of every group; where"
            " groups had other briefs, what differs may be the briefs"
        )
    if group.by != WORKFLOW and not group.reason:
        systems = Counter(
            system
            for system, own in zip(table.columns[WORKFLOW], table.columns[group.by], strict=True)
            if system and own
        )
        if len(systems) > 1:
            notes.append(
                f"by {group.by}: the films are of the systems {', '.join(sorted(systems))}; what differs may"
                " be the system"
            )
    return notes


def _coarse(group: GroupFigures, plan: Plan) -> list[str]:
    """Where so few draws are made that no cell could be claimed after Holm's correction."""
    tests = max(sum(c.p is not None and c.kind in family for c in group.cells) for family in FAMILIES)
    least = math.ceil(tests / (1 - plan.level))
    if plan.draws >= least:
        return []
    return [f"by {group.by}: {tests} cells are compared, so nothing can be found with under {least:,} draws"]
