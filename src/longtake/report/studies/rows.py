"""A study as rows of figures, for CSV: one row per figure, nothing rounded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from longtake.core.interval import Interval
from longtake.core.meta import MetaDocument
from longtake.core.model import Record

COLUMNS = (
    "study",
    "evaluator",
    "second",
    "part",
    "at",
    "figure",
    "value",
    "low",
    "high",
    "level",
    "n",
    "n_asked",
    "method",
    "reason",
)
"""``second`` is the evaluator that the first is compared with; ``part`` an aspect, family or system; ``at``
a strength or a mean duration."""
GROUPS = {"aspects", "families", "systems"}
PLACES = ("strength", "mean_duration")


def figure_rows(document: MetaDocument) -> list[dict[str, Any]]:
    """Every figure of every evaluator, of the differences and of the raters' agreement."""
    rows = []
    for name, found in document.evaluators.items():
        rows += [{"evaluator": name, **row} for row in _figures(found, {}, "")]
    for difference in document.differences:
        own: dict[str, Any] = {"evaluator": difference.first, "second": difference.second}
        own["part"] = getattr(difference, "aspect", None)
        rows += [{**row, **own} for row in _figures(difference, {}, "")]
    if document.agreement is not None:
        rows += list(_figures(document.agreement, {}, "agreement"))
    return [{"study": document.study, **row} for row in rows]


def _figures(record: Record, place: dict[str, Any], path: str) -> Iterator[dict[str, Any]]:
    for name in type(record).model_fields:
        value = getattr(record, name)
        plain = name in ("figures", "overall")
        full = path if plain else f"{path}.{name}" if path else name
        if name in PLACES or name in ("first", "second", "aspect"):
            continue
        if isinstance(value, Interval):
            yield {**place, "figure": full, **value.model_dump()}
        elif isinstance(value, Record):
            yield from _figures(value, place, full)
        elif isinstance(value, dict) and name in GROUPS:
            for part, inner in value.items():
                yield from _figures(inner, {**place, "part": part}, path)
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, Record):
                    at = next((getattr(item, p) for p in PLACES if hasattr(item, p)), None)
                    yield from _figures(item, {**place, "at": at}, full)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield {**place, "figure": full, "value": value}
