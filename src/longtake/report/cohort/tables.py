"""A cohort as tables of text, for the terminal and for the page alike."""

from __future__ import annotations

from collections.abc import Iterator

from longtake.core.cohort import Cell, CohortDocument, GroupFigures, Kind

from ..studies.shown import BASELINE, Row, Shown
from ..studies.words import NOTHING, figure, number, of, probability
from .words import POINTS, SUMS, cells_of, greyed, named, rests_on, spread

MOST_CASES = 15
"""Most sensitive films that the terminal and the open part of the page name."""
PARTS: dict[tuple[Kind, ...], tuple[str, bool]] = {
    ("overall", "dimension"): ("overall score and dimensions", False),
    ("submetric",): ("sub-metrics", True),
    POINTS: ("checkpoints and report-level metrics", True),
}
"""Tables of one grouping: their kinds, their title, and whether they are left to the page."""
DEVIATION = (
    "Deviation: mean over the films of this group, less the mean over groups of their means. Grey rows are"
    " those whose interval covers 0 or that have none. p is by exchanging groups within briefs, corrected by"
    " Holm: checkpoints with report-level metrics, sub-metrics, and dimensions with the overall score, each"
    " for themselves."
)


def tables(document: CohortDocument) -> list[Shown]:
    """All tables, the ones to read first in front; empty ones are left out."""
    found = [*_ranking(document)]
    for group in document.groups:
        found += _group(group)
    found += [*_types(document), *_profiles(document), *_counted(document)]
    return [table for table in found if table.rows]


def _ranking(document: CohortDocument) -> Iterator[Shown]:
    scored = [r for r in document.ranking if r.mean.value is not None]
    silent = [r for r in document.ranking if r.mean.value is None and r.kind in POINTS]
    for kinds, title, detail in (
        (POINTS, "Checkpoints and report-level metrics, weakest first", False),
        (SUMS, "Sub-metrics, dimensions and the overall score, weakest first", True),
    ):
        yield Shown(
            title,
            ("metric", "dimension", "mean over all films", "scored/asked", "does not apply"),
            [
                Row((r.metric, r.dimension or NOTHING, figure(r.mean), of(r.mean), f"{r.n_not_applicable:,}"))
                for r in scored
                if r.kind in kinds
            ],
            words=2,
            note="All films weigh alike, whoever made them. Intervals are drawn over briefs; under eight"
            " there is none.",
            detail=detail,
        )
    yield Shown(
        "Never scored",
        ("metric", "dimension", "asked", "does not apply"),
        [
            Row((r.metric, r.dimension or NOTHING, f"{r.mean.n_asked:,}", f"{r.n_not_applicable:,}"))
            for r in silent
        ],
        words=2,
        detail=True,
    )


def _group(group: GroupFigures) -> Iterator[Shown]:
    who = named(group.by)
    columns = ("metric", who, "mean", "scored/asked", "deviation", "p (Holm)", "finding")
    rows = {kinds: [_row(c, group) for row in cells_of(group, kinds).values() for c in row.values()]
            for kinds in PARTS}  # fmt: skip
    found = [row for own in rows.values() for row in own if row.cells[-1] != NOTHING]
    yield Shown(f"By {who}: what stands out", columns, found, words=2, note=DEVIATION)
    for kinds, (title, detail) in PARTS.items():
        note = DEVIATION if not detail and not found and group.reason is None else ""
        narrow = (0, 1, 2, 3) if group.reason is not None else (0, 1, 2, 3, 4, 5)
        yield Shown(
            f"By {who}: {title}", columns, rows[kinds], words=2, note=note, detail=detail, narrow=narrow
        )


def _row(c: Cell, group: GroupFigures) -> Row:
    cells = (
        c.metric,
        c.group,
        figure(c.mean),
        rests_on(c.mean.n, c.mean.n_asked, c.n_not_applicable),
        figure(c.deviation) if c.deviation is not None else NOTHING,
        probability(c.p_holm),
        c.finding or NOTHING,
    )
    return Row(cells, BASELINE if group.reason is None and greyed(c) else "")


def _types(document: CohortDocument) -> Iterator[Shown]:
    if document.types is None:
        return
    yield Shown(
        "By type of video",
        ("metric", "type of video", "mean", "scored/asked"),
        [
            Row((c.metric, c.group, figure(c.mean), rests_on(c.mean.n, c.mean.n_asked, c.n_not_applicable)))
            for c in document.types.cells
            if c.mean.n_asked
        ],
        words=2,
        note="Types have different briefs: what differs between them may be the briefs. Under eight briefs of"
        " a type there is no interval.",
    )


def _profiles(document: CohortDocument) -> Iterator[Shown]:
    found = document.profiles
    if any(c.spread is not None for c in found.cases):
        above = f"films with more than {100 * found.sensitive_from:g} points"
        yield Shown(
            f"The overall score over {len(found.profiles)} profiles",
            ("figure", "value", "n/asked"),
            [
                Row(("mean spread over profiles", figure(found.spread), of(found.spread))),
                Row(
                    (
                        "the same with hard constraints",
                        figure(found.spread_with_constraints),
                        of(found.spread_with_constraints),
                    )
                ),
                Row(
                    ("mean range of the dimensions", figure(found.dimension_range), of(found.dimension_range))
                ),
                Row((above, figure(found.sensitive, share=True), of(found.sensitive))),
            ],
            note="Profiles weigh the same dimensions otherwise, so without hard constraints the spread is at"
            " most the range of the dimensions, whatever the film.",
        )
    columns = (
        "film",
        "lowest",
        "highest",
        "spread, points",
        "of a range of",
        "with constraints",
    )
    rows = [
        Row(
            (
                c.case,
                f"{number(c.low)} ({c.low_profile})",
                f"{number(c.high)} ({c.high_profile})",
                spread(c.spread),
                spread(c.dimension_range),
                spread(c.spread_with_constraints),
            )
        )
        for c in found.cases
        if c.spread is not None
    ]
    note = "The range is that of the film's dimensions, which bounds the spread."
    yield Shown("Films that depend most on the profile", columns, rows[:MOST_CASES], note=note)
    yield Shown("Other films over the profiles", columns, rows[MOST_CASES:], detail=True)
    yield Shown(
        "Films without an overall score for every profile",
        ("film", "profiles with a score", "why"),
        [Row((c.case, f"{c.n}", c.reason or "")) for c in found.cases if c.spread is None],
        detail=True,
    )


def _counted(document: CohortDocument) -> Iterator[Shown]:
    yield Shown(
        "Not used as it is",
        ("what", "first ones", "cases"),
        [Row((c.what, ", ".join(c.examples), f"{c.rows:,}")) for c in document.counted],
        words=2,
    )
