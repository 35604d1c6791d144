"""A cohort in a few plain sentences."""

from __future__ import annotations

from longtake.core.cohort import Cell, CohortDocument, GroupFigures

from ..studies.words import figure, number, percent
from ..words import count
from .words import POINTS, named, points

MOST_NAMED = 5
"""Metrics that a sentence names."""


def verdicts(document: CohortDocument) -> list[tuple[str, str]]:
    """A heading and what the figures say, one for each analysis."""
    said = [("weakest in general", _weakest(document))]
    for group in document.groups:
        said += _group(group)
    return [*said, *_types(document), ("through other eyes", _profiles(document))]


def _weakest(document: CohortDocument) -> str:
    ranked = [r for r in document.ranking if r.kind in POINTS and r.mean.value is not None]
    if not ranked:
        return "no checkpoint was scored in any film."
    named_ones = "; ".join(
        f"{r.metric} {figure(r.mean)} over {count(r.mean.n, 'film')}" for r in ranked[:MOST_NAMED]
    )
    never = sum(r.kind in POINTS and r.mean.value is None for r in document.ranking)
    rest = f"; {count(never, 'metric')} never scored" if never else ""
    return f"of {count(len(ranked), 'metric')} with a score: {named_ones}{rest}."


def _group(group: GroupFigures) -> list[tuple[str, str]]:
    by = named(group.by)
    if group.reason is not None:
        return [(f"by {by}", f"no comparison: {group.reason}.")]
    found = []
    cells = [c for c in group.cells if c.kind in POINTS and c.deviation is not None]
    for name, films in group.groups.items():
        own = [c for c in cells if c.group == name and c.finding is not None]
        own.sort(key=lambda c: -abs(c.deviation.value or 0.0) if c.deviation else 0.0)
        weak, strong = (_named([c for c in own if c.finding == side]) for side in ("below", "above"))
        parts = [f"below the others in {weak}"] if weak else []
        parts += [f"above them in {strong}" if weak else f"above the others in {strong}"] if strong else []
        told = "; ".join(parts) or _nothing([c for c in cells if c.group == name])
        found.append((name, f"{told} ({count(films, 'film')})."))
    return found


def _nothing(cells: list[Cell]) -> str:
    """Why nothing is found in a group: it does not stand out, or too little is there to tell."""
    sure = [c for c in cells if c.p is not None and c.deviation is not None and c.deviation.low is not None]
    if sure:
        return f"not told from the others in any of {count(len(sure), 'metric')}"
    there = [c.deviation for c in cells if c.deviation is not None and c.deviation.value is not None]
    reasons = [found.reason for found in there if found.reason]
    return f"cannot be told from the others: {max(reasons, key=reasons.count) if reasons else 'no score'}"


def _named(cells: list[Cell]) -> str:
    said = ", ".join(
        f"{c.metric} ({points(c.deviation.value)} points)" for c in cells[:MOST_NAMED] if c.deviation
    )
    more = len(cells) - MOST_NAMED
    return f"{said} and {more} more" if more > 0 else said


def _types(document: CohortDocument) -> list[tuple[str, str]]:
    if document.types is None:
        return []
    overall = [c for c in document.types.cells if c.kind == "overall" and c.mean.value is not None]
    if not overall:
        return [("by type of video", "no film has an overall score; the dimensions are in the table.")]
    ordered = sorted(overall, key=lambda c: c.mean.value or 0.0)
    told = "; ".join(f"{c.group} {figure(c.mean)} over {count(c.mean.n, 'film')}" for c in ordered)
    return [("by type of video", f"overall score: {told}.")]


def _profiles(document: CohortDocument) -> str:
    found = document.profiles
    if found.spread.value is None:
        reasons = [c.reason for c in found.cases if c.reason]
        return f"nothing can be said: {reasons[0] if reasons else 'there is no case'}."
    worst = found.cases[0]
    return (
        f"between profiles the overall score of a film differs by {figure(found.spread)} on average, out of a"
        f" range of its dimensions of {number(found.dimension_range.value)};"
        f" {percent(found.sensitive.value)} of {count(found.sensitive.n, 'film')} by more than"
        f" {100 * found.sensitive_from:g} points, {worst.case} most ({number(worst.low)} for"
        f" {worst.low_profile}, {number(worst.high)} for {worst.high_profile})."
    )
