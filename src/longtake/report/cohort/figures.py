"""The figures of a cohort: signatures, ranking, means by group, ranges over profiles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from longtake.core.cohort import Cell, CohortDocument, GroupFigures

from ..studies.drawing import (
    ABOVE,
    BELOW,
    DARK,
    FIRST,
    INK,
    LEVEL,
    QUIET,
    SECOND,
    WIDTH,
    Figure,
    counts,
    cut,
    dots,
    drawn,
    finish,
)
from ..studies.words import figure, number
from .words import POINTS, SUMS, cells_of, greyed, named, points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GREY = "#e9e6df"
"""Cells of which nothing can be said."""
FAINT = "#8a857b"
"""Letters on them, dark enough to be read."""
SMALL = "#57534b"
"""Small letters on coloured cells."""
MOST_ROWS, MOST_COLUMNS = 50, 16
"""Rows and columns of one picture; the tables have the rest."""
MOST_CASES = 30
"""Films in the picture of profiles."""
FULL_POINTS = 25.0
"""A deviation of so many points has the full colour, unless none is as large."""


def figures(document: CohortDocument) -> list[Figure]:
    """All figures, those to look at first in front."""
    found = []
    for i, group in enumerate(document.groups):
        if group.reason is None:
            found += [*_signature(group, i)]
    found += [*_ranking(document)]
    for i, group in enumerate(document.groups):
        found += [*_means(group, f"means-{i + 1:02d}")]
    if document.types is not None:
        found += [*_means(document.types, "types")]
    return [*found, *_profiles(document)]


def _signature(group: GroupFigures, index: int) -> Iterator[Figure]:
    rows = cells_of(group, POINTS)
    rows = {m: row for m, row in rows.items() if any(c.deviation and c.deviation.value is not None
                                                     for c in row.values())}  # fmt: skip
    rows = dict(list(rows.items())[:MOST_ROWS])
    if not rows:
        return
    who = named(group.by)

    def shade(cell: Cell) -> float | None:
        value = cell.deviation.value if cell.deviation is not None else None
        return None if value is None or greyed(cell) else 100 * value

    def texts(cell: Cell) -> tuple[str, str]:
        return points(cell.deviation.value if cell.deviation is not None else None), _films(cell)

    said = "; ".join(
        f"{c.group}, {m}: {points(c.deviation.value if c.deviation else None)} points"
        for m, row in rows.items()
        for c in row.values()
        if c.finding
    )
    most = max([FULL_POINTS, *(abs(v) for row in rows.values() for c in row.values() if (v := shade(c)))])
    what = f"Signature of each {who}: points above or below the mean of all"
    note = (
        f"A cell is the mean over the films of one {who} less the mean over all of their means, in points of"
        " 100. Grey: the interval covers 0, or there is none. Bold: holds after Holm's correction for all"
        " cells. Small: films scored, of those asked."
    )
    yield _heat(
        rows,
        list(group.groups),
        f"signature-{index + 1:02d}",
        (what, f"{what}. {said or 'Nothing holds after the correction'}.", note),
        shade,
        texts,
        (-most, most),
    )


def _means(group: GroupFigures, name: str) -> Iterator[Figure]:
    rows = cells_of(group, SUMS)
    if not rows:
        return
    who = named(group.by)
    what = f"Dimensions and sub-metrics by {who}"
    said = "; ".join(
        f"{m}: " + ", ".join(f"{c.group} {figure(c.mean)}" for c in row.values()) for m, row in rows.items()
    )
    bold = " Bold: differs from the others after Holm's correction." if group.reason is None else ""
    note = (
        f"Mean over films, 0 to 100.{bold} Small: its interval over briefs (none under eight of them), and"
        " films scored, of those asked."
    )

    def texts(cell: Cell) -> tuple[str, str]:
        return "–" if cell.mean.value is None else f"{100 * cell.mean.value:.0f}", _ends(cell)

    def shade(cell: Cell) -> float | None:
        return None if cell.mean.value is None else 100 * cell.mean.value

    yield _heat(rows, list(group.groups), name, (what, f"{what}. {said}.", note), shade, texts, (0.0, 100.0))


def _heat(
    rows: Mapping[str, Mapping[str, Cell]],
    groups: list[str],
    name: str,
    words: tuple[str, str, str],
    shade: Callable[[Cell], float | None],
    texts: Callable[[Cell], tuple[str, str]],
    ends: tuple[float, float],
) -> Figure:
    """A matrix of cells: ``shade`` gives a cell's place between the ends, ``None`` for grey."""
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    shown = groups[:MOST_COLUMNS]
    colours = [BELOW, LEVEL, ABOVE] if ends[0] < 0 else [LEVEL, ABOVE]
    scale, norm = LinearSegmentedColormap.from_list(name, colours), Normalize(*ends)
    width = min(WIDTH, 2.6 + 1.1 * len(shown))
    with drawn(0.24 * len(rows) + 1.1, max(width, 4.2)) as canvas:
        axes = canvas.subplots()
        last = None
        for y, row in enumerate(rows.values()):
            for x, group in enumerate(shown):
                cell = row.get(group)
                value = shade(cell) if cell is not None else None
                colour = GREY if value is None else scale(norm(value))
                axes.fill_between([x - 0.49, x + 0.49], y - 0.46, y + 0.46, color=colour, linewidth=0)
                if cell is not None:
                    _letters(axes, x, y, cell, texts(cell), value is None)
            one = next(iter(row.values()))
            part = one.dimension if one.kind in POINTS else one.kind
            if last is not None and part != last:
                axes.axhline(y - 0.5, color=QUIET, linewidth=0.6)
            last = part
        axes.set_xlim(-0.5, len(shown) - 0.5)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xticks(range(len(shown)), [cut(g, 18) for g in shown], rotation=30 if len(shown) > 5 else 0,
                        ha="right" if len(shown) > 5 else "center", color=INK)  # fmt: skip
        axes.xaxis.tick_top()
        axes.set_yticks(range(len(rows)), [cut(m.replace("_", " "), 32) for m in rows])
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
        if len(groups) > len(shown):
            words = (words[0], words[1], f"{words[2]} {len(groups) - len(shown)} more are in the tables.")
        return finish(canvas, name, *words)


def _letters(axes: Axes, x: int, y: int, cell: Cell, texts: tuple[str, str], faint: bool) -> None:
    text, beside = texts
    axes.text(x - 0.06, y, text, ha="right", va="center", color=FAINT if faint else DARK, fontsize=8,
              fontweight="bold" if cell.finding else "normal")  # fmt: skip
    axes.text(x + 0.04, y, beside, ha="left", va="center", color=FAINT if faint else SMALL,
              fontsize=6)  # fmt: skip


def _films(cell: Cell) -> str:
    """Films scored, of those asked where that is more."""
    if not cell.mean.n_asked:
        return "n.a."
    return f"{cell.mean.n}" if cell.mean.n == cell.mean.n_asked else f"{cell.mean.n}/{cell.mean.n_asked}"


def _ends(cell: Cell) -> str:
    """The interval of a mean, and the films."""
    found = cell.mean
    if found.low is None or found.high is None:
        return _films(cell)
    return f"{100 * found.low:.0f} to {100 * found.high:.0f}, {_films(cell)}"


def _ranking(document: CohortDocument) -> Iterator[Figure]:
    found = [r for r in document.ranking if r.kind in POINTS and r.mean.value is not None][:MOST_ROWS]
    if not found:
        return
    with drawn(0.19 * len(found) + 0.9) as canvas:
        axes = canvas.subplots()
        dots(axes, [(y, r.mean) for y, r in enumerate(found)], 100)
        counts(axes, [(y, r.mean) for y, r in enumerate(found)])
        axes.set_yticks(range(len(found)), [cut(r.metric.replace("_", " "), 34) for r in found])
        axes.set_ylim(len(found) - 0.5, -0.5)
        axes.set_xlim(-2, 102)
        axes.grid(axis="x", color=QUIET, alpha=0.25, linewidth=0.5)
        axes.set_xlabel("mean over all films, 0 to 100")
        said = "; ".join(f"{r.metric} {figure(r.mean)}" for r in found)
        what = "Checkpoints and report-level metrics, weakest first"
        note = "Whiskers: interval over briefs, none under eight. At the right: films scored, of those asked."
        yield finish(canvas, "ranking", what, f"{what}. {said}.", note)


def _profiles(document: CohortDocument) -> Iterator[Figure]:
    found = [c for c in document.profiles.cases if c.low is not None and c.high is not None][:MOST_CASES]
    if not found:
        return
    ends = {(r.case): tuple(100 * v for v in (r.low or 0.0, r.high or 0.0)) for r in found}
    with drawn(0.22 * len(found) + 1.1) as canvas:
        axes = canvas.subplots()
        for y, c in enumerate(found):
            low, high = ends[c.case]
            if c.low_with_constraints is not None and c.high_with_constraints is not None:
                axes.plot([100 * c.low_with_constraints, 100 * c.high_with_constraints], [y + 0.2, y + 0.2],
                          color=SECOND, linewidth=1.4,
                          label="the same with hard constraints" if y == 0 else None)  # fmt: skip
            axes.plot([low, high], [y, y], color=FIRST, linewidth=4.5, solid_capstyle="butt",
                      label="overall score over the profiles" if y == 0 else None)  # fmt: skip
            axes.annotate(f"{high - low:.1f} of {100 * (c.dimension_range or 0.0):.1f}", (1, y),
                          xycoords=("axes fraction", "data"), xytext=(3, 0), textcoords="offset points",
                          va="center", color=QUIET, fontsize=6.5, annotation_clip=False)  # fmt: skip
        axes.set_yticks(range(len(found)), [cut(c.case, 30) for c in found])
        axes.set_ylim(len(found) - 0.4, -0.6)
        axes.grid(axis="x", color=QUIET, alpha=0.25, linewidth=0.5)
        axes.set_xlabel("overall score, 0 to 100")
        canvas.legend(loc="outside lower center", ncols=2, frameon=False, labelcolor=INK)
        said = "; ".join(
            f"{c.case}: {number(c.low)} ({c.low_profile}) to {number(c.high)} ({c.high_profile})"
            for c in found
        )
        what = "Overall score of each film over the profiles, the most sensitive first"
        note = "At the right: the spread, of the range of the film's dimensions, which bounds it; in points."
        yield finish(canvas, "profiles", what, f"{what}. {said}.", note)
