"""Which of many diagnoses can stand beside each other: each film once, all of them made in the same way."""

from __future__ import annotations

from collections import Counter
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

    A case that says less of a film than another one (no system, say) is the same case.

    Raises:
        InputError: one film was diagnosed twice, in the same way, with different results.
    """
    kept: list[Diagnosed] = []
    of_film: dict[tuple[str, str | None], list[int]] = {}
    doubled = []
    for one in found:
        places = of_film.setdefault((one.film, one.brief), []) if one.film else []
        same = next((i for i in places if _one_case(kept[i], one)), None)
        if same is None:
            places.append(len(kept))
            kept.append(one)
            continue
        before = kept[same]
        if _said(before) != _said(one):
            raise InputError(
                f"{_named(before)} and {_named(one)} are the same film with the same brief, and their"
                " diagnoses differ",
                hint="leave out one of them, or say in --cases what sets them apart",
            )
        kept[same] = replace(before, columns={**one.columns, **before.columns})
        doubled.append(_named(one))
    if doubled:
        counted.append(counted_as("doubled", "cases that are there again, used once", doubled))
    return _told_apart(kept)


def _one_case(a: Diagnosed, b: Diagnosed) -> bool:
    """Whether two cases of one film do not contradict each other and were diagnosed in the same way."""
    agree = all(b.columns.get(name, value) == value for name, value in a.columns.items())
    return agree and not _differs(a.made_with, b.made_with)


def _named(one: Diagnosed) -> str:
    return f"{one.source}/{one.case}"


def _told_apart(kept: Sequence[Diagnosed]) -> list[Diagnosed]:
    """With names of their own: the folder before those that several have, and a number where it needs one."""
    times = Counter(one.case for one in kept)
    seen: Counter[str] = Counter()
    out = []
    for one in kept:
        name = _named(one) if times[one.case] > 1 else one.case
        seen[name] += 1
        out.append(replace(one, case=name if seen[name] == 1 else f"{name} ({seen[name]})"))
    return out


def _said(one: Diagnosed) -> Any:
    """What a diagnosis says that no profile changes."""
    return {key: (m.status, m.value) for key, m in one.values.items()}


def _differs(a: dict[str, Any], b: dict[str, Any]) -> list[str]:
    """In what two ways of diagnosing differ; a film that could not be read goes with any."""
    if not a or not b:
        return []
    said = []
    if a["rubric"] != b["rubric"]:
        said.append(f"rubric {a['rubric'][:8]} and {b['rubric'][:8]}")
    if a["judge"] != b["judge"]:
        said.append(f"judge {a['judge'] or 'none'} and {b['judge'] or 'none'}")
    elif a["models"] and b["models"] and a["models"] != b["models"]:
        said.append(f"models {a['models']} and {b['models']}")
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
            if not _differs(way, one.made_with):
                idle = {t for t, state in way["signals"].items() if state == IDLE}
                known = {t: s for t, s in one.made_with["signals"].items() if t in idle}
                models = way["models"] or one.made_with["models"]
                merged = {**way, "models": models, "signals": {**way["signals"], **known}}
                ways[i] = (merged, [*members, one])
                break
        else:
            ways.append((one.made_with, [one]))
    if not ways:
        why = next((one.reason for one in found if one.reason), None)
        raise InputError("none of the films could be diagnosed", hint=why)
    if len(ways) > 1:
        (most, members), *others = sorted(ways, key=lambda way: -len(way[1]))
        told = [
            f"{_cases(own)}: {', '.join(_differs(most, way)[:MOST_TOLD])}" for way, own in others[:MOST_TOLD]
        ]
        raise InputError(
            "the diagnoses were not made in the same way, so they cannot be compared:"
            f" {_cases(members)} against {'; '.join(told)}",
            hint="score them again alike, or give those that are alike",
        )
    return ways[0][0]


def _cases(members: Sequence[Diagnosed]) -> str:
    """``3 cases (as FOLDER/CASE)``."""
    return f"{len(members)} {'case' if len(members) == 1 else 'cases'} (as {_named(members[0])})"
