"""The figures of the pairwise study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longtake.core.meta import MetaDocument
from longtake.core.studies import EvaluatorPairwise, PairwiseDifference

from .drawing import (
    ABOVE,
    BELOW,
    DARK,
    FIRST,
    INK,
    LEVEL,
    MOST_PANELS,
    QUIET,
    Figure,
    counts,
    cut,
    dots,
    drawn,
    finish,
    label_below,
    panels,
    rows_of,
    title,
    whiskers,
)
from .who import judged, marked
from .words import figure, percent

MOST_IN_MATRIX = 20
SURE = 0.05
"""Differences with a corrected p below this are set in bold."""


def pairwise_figures(document: MetaDocument) -> Iterator[Figure]:
    """Accuracy by aspect, accuracy against duration, differences between evaluators."""
    everyone = {n: e for n, e in document.evaluators.items() if isinstance(e, EvaluatorPairwise)}
    drawable = judged(document, EvaluatorPairwise)[:MOST_PANELS]
    baselines = [(n, e) for n, e in everyone.items() if e.baseline]
    aspects = list(dict.fromkeys(a for _, e in drawable for a in e.aspects))
    names = list(dict.fromkeys(marked(a, e) for _, e in drawable for a in e.aspects))
    if not drawable or not aspects or all(e.baseline for _, e in drawable):
        return
    with drawn((0.22 * len(aspects) + 0.75) * rows_of(len(drawable), 3) + 0.5) as canvas:
        axes_of = panels(canvas, len(drawable), 3, sharey=True, sharex=True)
        for axes, (name, e) in zip(axes_of, drawable, strict=True):
            axes.axvline(50, color=INK, linewidth=0.9, linestyle=(0, (3, 3)), label="chance")
            for label, (_, b) in zip(["a baseline"] + [None] * len(baselines), baselines, strict=False):
                cues = [(100 * v, i) for i, a in enumerate(aspects) if (v := _value(b, a)) is not None]
                axes.scatter([c[0] for c in cues], [c[1] for c in cues], marker="|", s=70, c=QUIET,
                             linewidths=1.0, alpha=0.55, label=label)  # fmt: skip
            dots(axes, [(i, e.aspects[a].accuracy) for i, a in enumerate(aspects) if a in e.aspects], 100)
            counts(axes, [(i, e.aspects[a].accuracy) for i, a in enumerate(aspects) if a in e.aspects])
            axes.set_title(title(name, 3))
            axes.set_xlim(-3, 103)
            axes.set_ylim(len(aspects) - 0.5, -0.5)
            axes.set_yticks(range(len(aspects)), [cut(a.replace("_", " ")) for a in names])
        handles, labels = axes_of[0].get_legend_handles_labels()
        canvas.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, labelcolor=INK)
        label_below(axes_of, 3, "accuracy (%)")
        said = "; ".join(
            f"{name}: " + ", ".join(f"{a} {percent(f.accuracy.value)}" for a, f in e.aspects.items())
            for name, e in drawable
        )
        what = "Accuracy by aspect"
        note = (
            "At the right of each panel: n, answers (of those asked). Grey ticks are the baselines"
            f" {', '.join(n for n, _ in baselines)}; the table of baselines by aspect tells which is which."
        )
        yield finish(canvas, "pairwise-accuracy", what, f"{what}; chance is 50 %. {said}.", note)
    yield from _duration(drawable)
    yield from _differences(document, list(everyone))


def _value(e: EvaluatorPairwise, aspect: str) -> float | None:
    return e.aspects[aspect].accuracy.value if aspect in e.aspects else None


def _duration(drawable: Sequence[tuple[str, EvaluatorPairwise]]) -> Iterator[Figure]:
    """Bins of all aspects together, as points: a line through a few of them would look like a trend."""
    timed = [(n, e.overall.duration.bins) for n, e in drawable if e.overall.duration is not None]
    timed = [(n, [b for b in bins if b.accuracy.value is not None]) for n, bins in timed if bins]
    if not timed:
        return
    with drawn(2.1 * rows_of(len(timed), 3) + 0.4) as canvas:
        said = []
        for axes, (name, bins) in zip(panels(canvas, len(timed), 3, sharey=True), timed, strict=True):
            axes.axhline(50, color=INK, linewidth=0.9, linestyle=(0, (3, 3)))
            x = [b.mean_duration / 60 for b in bins]
            y = [100 * b.accuracy.value for b in bins if b.accuracy.value is not None]
            ends = [[None if v is None else 100 * v for v in (b.accuracy.low, b.accuracy.high)] for b in bins]
            spread = whiskers([a for a, _ in ends], y, [b for _, b in ends])
            axes.errorbar(
                x, y, yerr=spread, color=FIRST, fmt="o", markersize=4.5, elinewidth=1.0, capsize=2.5
            )
            for at, b in zip(x, bins, strict=True):
                axes.annotate(f"{b.accuracy.n}", (at, 0), xytext=(0, 2), textcoords="offset points",
                              ha="center", color=QUIET, fontsize=6.5)  # fmt: skip
            axes.set_title(title(name, 3))
            axes.set_ylim(-3, 103)
            each = zip(y, bins, strict=True)
            said.append(f"{name}: " + ", ".join(f"{a:.1f} % at {b.mean_duration:.0f} s" for a, b in each))
        canvas.supylabel("accuracy (%)", fontsize=9, color=QUIET)
        canvas.supxlabel("mean duration of the pairs in a bin (minutes)", fontsize=9, color=QUIET)
        what = "Accuracy against duration"
        note = (
            "Below each point: n, answers. Whether accuracy changes is for the interval of the slope to say."
        )
        yield finish(canvas, "pairwise-duration", what, f"{what}. {'; '.join(said)}.", note)


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

    colours = LinearSegmentedColormap.from_list("difference", [BELOW, LEVEL, ABOVE])
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
                text = f"{value:+.0f}".replace("-", "−") if round(value) else "0"
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
        what = "Accuracy of the row less that of the column, in points"
        said = "; ".join(
            f"{d.first} less {d.second} {figure(d.difference, share=True)}" for d in between.values()
        )
        bold = f"{what} (bold: p below {SURE:g} after Holm)"
        yield finish(canvas, "pairwise-differences", bold, f"{what}. {said}.")
