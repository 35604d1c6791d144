"""Which of many diagnoses can stand beside each other: each film once, all of them made in the same way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..core import cells
from ..core.meta import Counted
from ..errors import InputError
from .reading import Diagnosed

LEFT_OUT, IDLE = "left out", "idle"
"""States of a signal: not asked for, and nothing to measure in this film."""
EXAMPLES = 5
"""Cases that are named of each thing counted."""
MOST_TOLD = 4
"""Ways of diagnosing, and differences of one, that an error tells."""


def counted_as(kind: str, what: str, names: Sequence[str]) -> Counted:
    """So many cases of one kind, the first ones by name."""
    return Counted(kind=kind, what=what, rows=len(names), examples=list(names[:EXAMPLES]))


def with_facts(found: Sequence[Diagnosed], path: Path, counted: list[Counted]) -> list[Diagnosed]:
    """The cases that a table names, with what its columns say of them; a cell fills in or must agree.

    Raises:
        InputError: the table has no column ``case``, none of the cases, or contradicts one.
    """
    from ..meta.studies.rows import facts_by
    from ..storage.tables import read_table

    table = facts_by(read_table(path), "case")
    out, unknown = [], []
    for one in found:
        if one.case not in table:
            unknown.append(one.case)
            continue
        given = {name: cells.text(cell) for name, cell in table[one.case].items() if name != "tags"}
        tags = [tag for tag in (cells.text(table[one.case].get("tags")) or "").split(",") if "=" in tag]
        given |= {k.strip(): v.strip() for k, v in (tag.split("=", 1) for tag in tags)}
        told = {name: value for name, value in given.items() if value}
        for name, value in told.items():
            if name in one.columns and one.columns[name] != value:
                raise InputError(
                    f"{path.name}: {name} of {one.case} is {value}, but it was scored as {one.columns[name]}"
                )
        brief = told.pop("brief_id", None) or one.brief or told.get("brief")
        for name in ("brief", "video", "prompt", "duration", "profile"):
            told.pop(name, None)
        out.append(replace(one, columns={**one.columns, **told}, brief=brief))
    if not out:
        raise InputError(
            f"{path.name} names none of the cases",
            hint=f"they are {', '.join(o.case for o in found[:3])}, ...",
        )
    if unknown:
        counted.append(counted_as("unknown_case", f"cases that are not in {path.name}, left out", unknown))
    return out


def unique(found: Sequence[Diagnosed], counted: list[Counted]) -> list[Diagnosed]:
    """Each film with its brief once for each of its groups; names that several cases share are told apart.

    Raises:
        InputError: one film was diagnosed twice, in the same way, with different results.
    """
    first: dict[Any, Diagnosed] = {}
    doubled = []
    for one in found:
        own = (one.film, one.brief, tuple(sorted(one.columns.items())))
        before = first.setdefault(own if one.film else (one.source, one.case), one)
        if before is one:
            continue
        if _alike(before.made_with, one.made_with) and _said(before) != _said(one):
            raise InputError(
                f"{before.source}: {before.case} and {one.source}: {one.case} are the same film with the same"
                " brief, and their diagnoses differ",
                hint="leave out one of them, or say what differs in --cases",
            )
        if not _alike(before.made_with, one.made_with):
            first[(*own, len(first))] = one  # told as not comparable
            continue
        doubled.append(f"{one.source}: {one.case}")
    if doubled:
        counted.append(counted_as("doubled", "cases that are there again, used once", doubled))
    kept = list(first.values())
    names = [one.case for one in kept]
    renamed = [
        replace(one, case=f"{one.source}/{one.case}") if names.count(one.case) > 1 else one for one in kept
    ]
    seen: dict[str, int] = {}
    out = []
    for one in renamed:
        seen[one.case] = number = seen.get(one.case, 0) + 1
        out.append(one if number == 1 else replace(one, case=f"{one.case} ({number})"))
    return out


def _said(one: Diagnosed) -> Any:
    """What a diagnosis says that no profile changes."""
    return {key: (m.status, m.value) for key, m in one.values.items()}


def _alike(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return not _differs(a, b)


def _differs(a: dict[str, Any], b: dict[str, Any]) -> list[str]:
    """In what two ways of diagnosing differ; a film that could not be read goes with any."""
    if not a or not b:
        return []
    said = []
    if a["rubric"] != b["rubric"]:
        said.append(f"rubric {a['rubric'][:8]} and {b['rubric'][:8]}")
    if a["judge"] != b["judge"]:
        said.append(f"judge {a['judge'] or 'none'} and {b['judge'] or 'none'}")
    for tool in sorted({*a["signals"], *b["signals"]}):
        states = [x["signals"].get(tool, LEFT_OUT) for x in (a, b)]
        if IDLE not in states and states[0] != states[1]:
            said.append(f"{tool} {states[0]} and {states[1]}")
    return said


def comparable(found: Sequence[Diagnosed]) -> dict[str, Any]:
    """How all of them were made: rubric, judge and signals.

    Raises:
        InputError: they were not made in the same way; the message names the ways and their cases.
    """
    ways: list[tuple[dict[str, Any], list[Diagnosed]]] = []
    for one in found:
        if not one.made_with:
            continue
        for i, (way, members) in enumerate(ways):
            if _alike(way, one.made_with):
                idle = {t for t, state in way["signals"].items() if state == IDLE}
                known = {t: s for t, s in one.made_with["signals"].items() if t in idle}
                ways[i] = ({**way, "signals": {**way["signals"], **known}}, [*members, one])
                break
        else:
            ways.append((one.made_with, [one]))
    if not ways:
        why = next((one.reason for one in found if one.reason), None)
        raise InputError("none of the films could be diagnosed", hint=why)
    if len(ways) > 1:
        ways.sort(key=lambda way: -len(way[1]))
        told = [
            f"{len(members)} {'case' if len(members) == 1 else 'cases'} (as {members[0].source}/"
            f"{members[0].case}): {', '.join(_differs(ways[0][0], way)[:MOST_TOLD])}"
            for way, members in ways[1:MOST_TOLD]
        ]
        raise InputError(
            f"the diagnoses were not made in the same way, so they cannot be compared: {len(ways[0][1])}"
            f" cases (as {ways[0][1][0].source}/{ways[0][1][0].case}) differ from {'; '.join(told)}",
            hint="score them again alike, or give those that are alike",
        )
    return ways[0][0]
