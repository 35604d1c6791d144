"""The figures of each study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from longtake.core.interval import Interval
from longtake.core.meta import MetaDocument
from longtake.core.studies import (
    EvaluatorCorrelation,
    EvaluatorLocalisation,
    EvaluatorPairwise,
    EvaluatorSensitivity,
    FamilySensitivity,
    FilterResult,
    PairwiseDifference,
)

from .drawing import (
    FIRST,
    FOURTH,
    INK,
    LINE,
    PAPER,
    QUIET,
    SECOND,
    THIRD,
    Figure,
    cut,
    drawn,
    finish,
    label_below,
    panels,
    rows_of,
    whiskers,
)
from .words import figure, number, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_PANELS = 24
"""Panels of one figure; the tables have the rest."""
MOST_IN_MATRIX = 20
SURE = 0.05
"""Differences with a corrected p below this are set in bold."""
WANTED_POINTED, WANTED_FALSE = 0.8, 1.0
"""What localisation is asked for: at least this share of changed spans, fewer false spans in five minutes."""
DARK = "#1d1c1b"
"""Ink on the coloured cells of a matrix, which stay light in dark mode too."""


def figures(document: MetaDocument) -> list[Figure]:
    """All figures of a study, those to look at first in front."""
    found = {
        "sensitivity": _sensitivity,
        "pairwise": _pairwise,
        "localisation": _localisation,
        "correlation": _correlation,
        "filter": _filter,
    }[document.study](document)
    return list(found)


def _safe(name: str, index: int) -> str:
    """A part of a file's name from an evaluator's, told apart by its place."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in name)[:40]
    return f"{index + 1:02d}-{plain}"


def _sensitivity(document: MetaDocument) -> Iterator[Figure]:
    for i, (name, found) in enumerate(document.evaluators.items()):
        if not isinstance(found, EvaluatorSensitivity):
            continue
        shown = [(k, f) for k, f in found.families.items() if f.points][:MOST_PANELS]
        if not shown:
            continue
        with drawn(2.4 * rows_of(len(shown), 4) + 0.3) as canvas:
            for axes, (family, f) in zip(panels(canvas, len(shown), 4, sharey=True), shown, strict=True):
                _strengths(axes, family, f)
            canvas.supylabel("mean score", fontsize=9, color=QUIET)
            canvas.supxlabel("strength of the damage; hollow: the control", fontsize=9, color=QUIET)
            said = "; ".join(
                f"{family}: " + ", ".join(f"{number(p.mean.value)} at {number(p.strength)}" for p in f.points)
                for family, f in shown
            )
            title = f"{name}: mean score against strength"
            yield finish(canvas, f"sensitivity-{_safe(name, i)}", title, f"{title}. {said}.")


def _strengths(axes: Axes, family: str, f: FamilySensitivity) -> None:
    points = [(p.strength, p.mean.value, p.mean) for p in f.points if p.mean.value is not None]
    x, y = [p[0] for p in points], [p[1] for p in points]
    spread = whiskers([m.low for _, _, m in points], y, [m.high for _, _, m in points])
    control = next((value for strength, value, _ in points if strength == 0), None)
    if control is not None:
        axes.axhline(control, color=QUIET, linewidth=0.8, linestyle=(0, (2, 3)))
    axes.errorbar(x, y, yerr=spread, color=FIRST, linewidth=1.6, elinewidth=1.0, capsize=2.5, zorder=2)
    fill = [PAPER if strength == 0 else FIRST for strength in x]
    axes.scatter(x, y, s=26, c=fill, edgecolors=FIRST, linewidths=1.4, zorder=3)
    axes.set_xticks(x, [number(s, 2) for s in x])
    rule = "" if f.r_squared is None else f"R² {f.r_squared:.2f}"
    axes.set_title(f"{cut(family)}\n{', '.join(t for t in (f.verdict, rule) if t)}", linespacing=1.3)


def _pairwise(document: MetaDocument) -> Iterator[Figure]:
    everyone = {n: e for n, e in document.evaluators.items() if isinstance(e, EvaluatorPairwise)}
    shown = [(n, e) for n, e in everyone.items() if not e.baseline][:MOST_PANELS]
    baselines = [(n, e) for n, e in everyone.items() if e.baseline]
    aspects = list(dict.fromkeys(a for _, e in shown for a in e.aspects))
    if not shown or not aspects:
        return
    with drawn((0.22 * len(aspects) + 0.75) * rows_of(len(shown), 3) + 0.5) as canvas:
        axes_of = panels(canvas, len(shown), 3, sharey=True, sharex=True)
        for axes, (name, e) in zip(axes_of, shown, strict=True):
            axes.axvline(50, color=INK, linewidth=0.9, linestyle=(0, (3, 3)), label="chance")
            for label, (_, b) in zip(["a baseline"] + [None] * len(baselines), baselines, strict=False):
                cues = [(100 * v, i) for i, a in enumerate(aspects) if (v := _value(b, a)) is not None]
                axes.scatter([c[0] for c in cues], [c[1] for c in cues], marker="|", s=70, c=QUIET,
                             linewidths=1.0, alpha=0.55, label=label)  # fmt: skip
            _dots(axes, [(i, e.aspects[a].accuracy) for i, a in enumerate(aspects) if a in e.aspects], 100)
            axes.set_title(cut(name, 30))
            axes.set_xlim(-3, 103)
            axes.set_ylim(len(aspects) - 0.5, -0.5)
            axes.set_yticks(range(len(aspects)), [cut(a.replace("_", " ")) for a in aspects])
        handles, labels = axes_of[0].get_legend_handles_labels()
        canvas.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, labelcolor=INK)
        label_below(axes_of, 3, "accuracy (%)")
        said = "; ".join(
            f"{name}: " + ", ".join(f"{a} {percent(f.accuracy.value)}" for a, f in e.aspects.items())
            for name, e in shown
        )
        title = "Accuracy by aspect"
        yield finish(canvas, "pairwise-accuracy", title, f"{title}; chance is 50 %. {said}.")
    yield from _duration(shown)
    yield from _differences(document, list(everyone))


def _value(e: EvaluatorPairwise, aspect: str) -> float | None:
    return e.aspects[aspect].accuracy.value if aspect in e.aspects else None


def _dots(
    axes: Axes,
    points: Sequence[tuple[float, Interval]],
    scale: float = 1.0,
    colour: str = FIRST,
    marker: str = "o",
    label: str = "value with its interval",
    hollow: bool = False,
) -> None:
    """Values with intervals across, one a row; what has no value is not drawn."""
    there = [(y, i, i.value * scale) for y, i in points if i.value is not None]
    if not there:
        return
    spread = whiskers(
        [None if i.low is None else i.low * scale for _, i, _ in there],
        [v for _, _, v in there],
        [None if i.high is None else i.high * scale for _, i, _ in there],
    )
    axes.errorbar(
        [v for _, _, v in there],
        [y for y, _, _ in there],
        xerr=spread,
        fmt=marker,
        color=colour,
        markerfacecolor=PAPER if hollow else colour,
        markersize=4.5,
        elinewidth=1.3,
        label=label,
    )


def _duration(shown: Sequence[tuple[str, EvaluatorPairwise]]) -> Iterator[Figure]:
    timed = [(n, e) for n, e in shown if e.overall.duration is not None and e.overall.duration.bins]
    if not timed:
        return
    with drawn(2.1 * rows_of(len(timed), 3) + 0.4) as canvas:
        said = []
        for axes, (name, e) in zip(panels(canvas, len(timed), 3, sharey=True), timed, strict=True):
            axes.axhline(50, color=INK, linewidth=0.9, linestyle=(0, (3, 3)))
            for f in e.aspects.values():
                bins = [b for b in (f.duration.bins if f.duration else []) if b.accuracy.value is not None]
                axes.plot([b.mean_duration / 60 for b in bins], [100 * (b.accuracy.value or 0) for b in bins],
                          color=LINE, linewidth=1.0, zorder=1)  # fmt: skip
            every = e.overall.duration.bins if e.overall.duration else []
            bins = [b for b in every if b.accuracy.value is not None]
            y = [100 * b.accuracy.value for b in bins if b.accuracy.value is not None]
            ends = [[None if v is None else 100 * v for v in (b.accuracy.low, b.accuracy.high)] for b in bins]
            spread = whiskers([a for a, _ in ends], y, [b for _, b in ends])
            axes.errorbar([b.mean_duration / 60 for b in bins], y, yerr=spread, color=FIRST, linewidth=1.6,
                          marker="o", markersize=4.5, elinewidth=1.0, capsize=2.5, zorder=2)  # fmt: skip
            axes.set_title(cut(name, 30))
            axes.set_ylim(-3, 103)
            said.append(
                f"{name}: "
                + ", ".join(f"{a:.1f} % at {b.mean_duration:.0f} s" for a, b in zip(y, bins, strict=True))
            )
        canvas.supylabel("accuracy (%)", fontsize=9, color=QUIET)
        label = "mean duration of the pairs in a bin (minutes); thin: single aspects"
        canvas.supxlabel(label, fontsize=9, color=QUIET)
        title = "Accuracy against duration"
        yield finish(canvas, "pairwise-duration", title, f"{title}. {'; '.join(said)}.")


def _differences(document: MetaDocument, names: list[str]) -> Iterator[Figure]:
    between = {
        (d.first, d.second): d
        for d in document.differences
        if isinstance(d, PairwiseDifference) and d.aspect is None and d.difference.value is not None
    }
    names = [n for n in names if any(n in pair for pair in between)][:MOST_IN_MATRIX]
    if len(names) < 2:
        return
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("difference", ["#e6a379", "#f7f5f0", "#7fb8c4"])
    size = 0.42 * len(names) + 1.6
    with drawn(size, max(size + 0.8, 4.0)) as canvas:
        axes = canvas.subplots()
        square: list[list[float]] = [[float("nan")] * len(names) for _ in names]
        for (first, second), d in between.items():
            if first not in names or second not in names or d.difference.value is None:
                continue
            row, column, points = names.index(first), names.index(second), 100 * d.difference.value
            sure = d.p_holm is not None and d.p_holm < SURE
            for y, x, value in ((row, column, points), (column, row, -points)):
                square[y][x] = value
                text = f"{value:+.0f}".replace("-", "−")
                axes.text(x, y, text, ha="center", va="center", color=DARK, fontsize=7.5,
                          fontweight="bold" if sure else "normal")  # fmt: skip
        most = max(max(abs(v) for r in square for v in r if v == v), 1.0)
        edges = [i - 0.5 for i in range(len(names) + 1)]
        axes.pcolormesh(edges, edges, square, cmap=colours, vmin=-most, vmax=most)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_aspect("equal")
        axes.set_xticks(range(len(names)), [cut(n) for n in names], rotation=40, ha="right", color=INK)
        axes.set_yticks(range(len(names)), [cut(n) for n in names])
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
        title = "Accuracy of the row less that of the column, in points"
        said = "; ".join(
            f"{d.first} less {d.second} {figure(d.difference, share=True)}" for d in between.values()
        )
        bold = f"{title} (bold: p below {SURE:g} after Holm)"
        yield finish(canvas, "pairwise-differences", bold, f"{title}. {said}.")


def _localisation(document: MetaDocument) -> Iterator[Figure]:
    for i, (name, found) in enumerate(document.evaluators.items()):
        if not isinstance(found, EvaluatorLocalisation):
            continue
        parts = [("all", found.overall), *((a, f.figures) for a, f in found.aspects.items())]
        with drawn(0.3 * len(parts) + 1.0) as canvas:
            left, right = canvas.subplots(1, 2, sharey=True)
            for axes, pick, scale, wanted, label in (
                (left, "pointed", 100.0, 100 * WANTED_POINTED, "changed spans pointed at (%)"),
                (right, "false_per_five_minutes", 1.0, WANTED_FALSE, "false spans in 5 minutes of control"),
            ):
                for y, (_, f) in enumerate(parts):
                    _bar(axes, y, getattr(f, pick), scale)
                axes.axvline(wanted, color=INK, linewidth=0.9, linestyle=(0, (3, 3)))
                axes.set_xlabel(label)
            left.set_xlim(0, 102)
            right.set_xlim(left=0)
            left.set_yticks(range(len(parts)), [cut(a.replace("_", " ")) for a, _ in parts])
            left.set_ylim(len(parts) - 0.5, -0.5)
            said = "; ".join(
                f"{a}: {percent(f.pointed.value)} of changed spans,"
                f" {number(f.false_per_five_minutes.value)} false spans in five minutes"
                for a, f in parts
            )
            title = f"{name}: where it points"
            wants = "dashed: what is asked for"
            yield finish(canvas, f"localisation-{_safe(name, i)}", f"{title} ({wants})", f"{title}. {said}.")


def _bar(axes: Axes, y: int, interval: Interval, scale: float) -> None:
    if interval.value is None:
        axes.text(0, y, " not known", va="center", color=QUIET, fontsize=8)
        return
    value = scale * interval.value
    ends = [None if v is None else scale * v for v in (interval.low, interval.high)]
    axes.barh(y, value, height=0.62, color=FIRST)
    spread = whiskers([ends[0]], [value], [ends[1]])
    axes.errorbar([value], [y], xerr=spread, fmt="none", color=SECOND, elinewidth=1.6, capsize=2.5)


def _correlation(document: MetaDocument) -> Iterator[Figure]:
    everyone = [(n, e) for n, e in document.evaluators.items() if isinstance(e, EvaluatorCorrelation)]
    everyone = everyone[: 2 * MOST_PANELS]
    series = (
        ("pooled", FIRST, "o", -0.22, False),
        ("within", SECOND, "s", 0.0, False),
        ("between", THIRD, "D", 0.22, True),
    )
    with drawn(0.42 * len(everyone) + 1.2) as canvas:
        axes = canvas.subplots()
        axes.axvline(0, color=INK, linewidth=0.9, linestyle=(0, (3, 3)))
        said = []
        for over, colour, marker, shift, hollow in series:
            points = [(i + shift, getattr(e, over).spearman) for i, (_, e) in enumerate(everyone)]
            label = {"within": "within systems", "between": "between systems"}.get(over, over)
            _dots(axes, points, colour=colour, marker=marker, label=label, hollow=hollow)
        for name, e in everyone:
            each = ", ".join(f"{over} {figure(getattr(e, over).spearman)}" for over, *_ in series)
            said.append(f"{name}: {each}")
        axes.set_yticks(range(len(everyone)), [cut(n) for n, _ in everyone])
        axes.set_ylim(len(everyone) - 0.5, -0.5)
        axes.set_xlim(-1.03, 1.03)
        axes.set_xlabel("Spearman's rho with human ratings")
        canvas.legend(loc="outside lower center", ncols=3, frameon=False, labelcolor=INK)
        title = "Correlation with people"
        yield finish(canvas, "correlation", title, f"{title}, Spearman. {'; '.join(said)}.")


def _filter(document: MetaDocument) -> Iterator[Figure]:
    series = (
        ("kept", "kept", FIRST, None),
        ("out_a_not_more", "A ≤ B", FOURTH, None),
        ("out_c", "a C", SECOND, None),
        ("without_votes", "no votes", PAPER, "////"),
    )
    for i, (name, found) in enumerate(document.evaluators.items()):
        if not isinstance(found, FilterResult):
            continue
        parts = [("all", found.overall)] if len(found.aspects) < 2 else []
        parts = [*found.aspects.items(), *parts]
        with drawn(0.3 * len(parts) + 1.1) as canvas:
            axes = canvas.subplots()
            left = [0] * len(parts)
            for field, label, colour, hatch in series:
                widths = [getattr(r, field) for _, r in parts]
                axes.barh(range(len(parts)), widths, left=left, height=0.62, color=colour, label=label,
                          hatch=hatch, edgecolor=QUIET, linewidth=0.5)  # fmt: skip
                left = [a + b for a, b in zip(left, widths, strict=True)]
            axes.set_yticks(range(len(parts)), [cut(a.replace("_", " ")) for a, _ in parts])
            axes.set_ylim(len(parts) - 0.5, -0.5)
            axes.set_xlabel("pairs")
            canvas.legend(loc="outside lower center", ncols=4, frameon=False, labelcolor=INK)
            said = "; ".join(f"{a}: {r.kept} of {r.initial} kept" for a, r in parts)
            title = "Pairs that people keep" if len(document.evaluators) == 1 else f"Pairs that {name} keeps"
            yield finish(canvas, f"filter-{_safe(name, i)}", title, f"{title}. {said}.")
