"""How the figures of a cohort are said."""

from __future__ import annotations

from longtake.core.cohort import Cell, CohortDocument, GroupFigures, Kind
from longtake.core.documents import DIMENSIONS

from ..studies.words import NOTHING, number
from ..words import count

TITLE = "Cohort of diagnoses"
QUESTION = "What sets workflows apart, what is weakest in general, and for whom?"
COLUMN_NAMES = {"system": "workflow", "base_model": "base model", "video_type": "type of video"}
POINTS: tuple[Kind, ...] = ("checkpoint", "report_metric")
SUMS: tuple[Kind, ...] = ("overall", "dimension", "submetric")


def named(by: str) -> str:
    """What a column is called in sentences."""
    return COLUMN_NAMES.get(by, by.replace("_", " "))


def taken(document: CohortDocument) -> str:
    """How much went in."""
    briefs = len({case.brief for case in document.cases})
    return f"{count(len(document.cases), 'film')} of {count(briefs, 'brief')}"


def made_with(document: CohortDocument) -> list[tuple[str, str]]:
    """How all the diagnoses were made, in words."""
    given = document.made_with
    signals = given.get("signals", {})
    missing = [name for name, state in signals.items() if state == "absent"]
    there = [name for name, state in signals.items() if state not in ("absent", "idle")]
    said = [
        ("rubric", str(given.get("rubric", ""))[:16]),
        ("judge", " ".join(filter(None, (given.get("judge"), given.get("models")))) or "none: rules alone"),
        ("signals", ", ".join(there) or "none"),
    ]
    return [*said, ("signals not installed", ", ".join(missing))] if missing else said


def points(value: float | None) -> str:
    """A deviation in points of 100, with its sign and a true minus."""
    if value is None:
        return NOTHING
    text = f"{100 * value:+.0f}"
    return "0" if text in ("+0", "-0") else text.replace("-", "−")


def rests_on(n: int, asked: int, out: int) -> str:
    """``12/15, 3 n.a.``: scored of asked, and to how many it does not apply."""
    return f"{n:,}/{asked:,}" + (f", {out:,} n.a." if out else "")


def greyed(cell: Cell) -> bool:
    """Whether nothing can be said of a deviation: its interval covers 0, or there is none."""
    found = cell.deviation
    if found is None or found.value is None:
        return True
    if found.low is None or found.high is None:
        return cell.finding is None
    return found.low <= 0 <= found.high


def cells_of(group: GroupFigures, kinds: tuple[Kind, ...]) -> dict[str, dict[str, Cell]]:
    """Cells by metric and group, of metrics that have a value anywhere; checkpoints by dimension."""
    found: dict[str, dict[str, Cell]] = {}
    for cell in group.cells:
        if cell.kind in kinds:
            found.setdefault(cell.metric, {})[cell.group] = cell
    there = {m: row for m, row in found.items() if any(c.mean.value is not None for c in row.values())}
    if kinds != POINTS:
        return there
    place = {dimension: i for i, dimension in enumerate(DIMENSIONS)}
    return dict(sorted(there.items(), key=lambda item: place.get(_first(item[1]).dimension or "", -1)))


def _first(row: dict[str, Cell]) -> Cell:
    return next(iter(row.values()))


def spread(value: float | None) -> str:
    """A spread of scores in points of 100."""
    return NOTHING if value is None else number(100 * value, 3)
