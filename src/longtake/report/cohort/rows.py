"""A cohort as rows, for CSV: nothing rounded."""

from __future__ import annotations

from typing import Any

from longtake.core.cohort import CohortDocument, GroupFigures
from longtake.core.interval import Interval

Row = dict[str, Any]
INTERVAL = ("value", "low", "high", "level", "n", "n_asked", "method", "reason")


def files(document: CohortDocument) -> dict[str, list[Row]]:
    """The tables by the name of their file."""
    found = {"ranking.csv": _ranking(document), "profiles.csv": _profiles(document)}
    found |= {f"by-{_safe(group.by)}.csv": _group(group) for group in document.groups}
    if document.types is not None:
        found["types.csv"] = _group(document.types)
    found["profile-figures.csv"] = [
        {"figure": name, **_interval(getattr(document.profiles, name))}
        for name in ("spread", "spread_with_constraints", "dimension_range", "sensitive")
    ]
    found["cases.csv"] = [
        {"case": c.case, "source": c.source, "brief": c.brief, **c.columns, "reason": c.reason}
        for c in document.cases
    ]
    found["left-out.csv"] = [{**c.model_dump(), "examples": ", ".join(c.examples)} for c in document.counted]
    return found


def _safe(name: str) -> str:
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in name)[:40]


def _interval(found: Interval, prefix: str = "") -> Row:
    return {f"{prefix}{name}": getattr(found, name) for name in INTERVAL}


def _ranking(document: CohortDocument) -> list[Row]:
    return [
        {
            "metric": r.metric,
            "kind": r.kind,
            "dimension": r.dimension,
            "n_not_applicable": r.n_not_applicable,
            "n_unscored": r.mean.n_asked - r.mean.n,
            **_interval(r.mean),
        }
        for r in document.ranking
    ]


def _group(group: GroupFigures) -> list[Row]:
    rows = []
    for c in group.cells:
        off = _interval(c.deviation, "deviation_") if c.deviation is not None else {}
        rows.append(
            {
                "metric": c.metric,
                "kind": c.kind,
                "dimension": c.dimension,
                group.by: c.group,
                **_interval(c.mean),
                "n_not_applicable": c.n_not_applicable,
                **off,
                "p": c.p,
                "p_holm": c.p_holm,
                "finding": c.finding,
            }
        )
    return rows


def _profiles(document: CohortDocument) -> list[Row]:
    return [c.model_dump() for c in document.profiles.cases]
