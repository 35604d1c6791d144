"""The figures of each study."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from longtake.core.interval import Interval
from longtake.core.meta import MetaDocument
from longtake.core.studies import (
    EvaluatorCorrelation,
    EvaluatorLocalisation,
    EvaluatorSensitivity,
    FamilySensitivity,
    FilterResult,
)

from .drawing import (
    FIRST,
    FOURTH,
    INK,
    MOST_PANELS,
    PAPER,
    QUIET,
    SECOND,
    THIRD,
    Figure,
    counts,
    cut,
    dots,
    drawn,
    finish,
    panels,
    rows_of,
    title,
    whiskers,
)
from .pairwise_figures import pairwise_figures
from .who import judged, marked, shown, voters
from .words import VOTES, figure, number, percent, r_squared

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WANTED_POINTED, WANTED_FALSE = 0.8, 1.0
"""What localisation is asked for: at least this share of changed spans, fewer false spans in five minutes."""


def figures(document: MetaDocument) -> list[Figure]:
    """All figures of a study, those to look at first in front."""
    found = {
        "sensitivity": _sensitivity,
        "pairwise": pairwise_figures,
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
    for i, (name, found) in enumerate(shown(document, EvaluatorSensitivity)):
        drawable = [(k, f) for k, f in found.families.items() if f.points][:MOST_PANELS]
        with drawn(2.5 * rows_of(len(drawable), 4) + 0.3) as canvas:
            panel = panels(canvas, len(drawable), 4, sharey=True)
            for axes, (family, f) in zip(panel, drawable, strict=True):
                _strengths(axes, family, f)
            canvas.supylabel("mean score", fontsize=9, color=QUIET)
            canvas.supxlabel("strength of the damage; hollow: the control", fontsize=9, color=QUIET)
            said = "; ".join(
                f"{family}: " + ", ".join(f"{number(p.mean.value)} at {number(p.strength)}" for p in f.points)
                for family, f in drawable
            )
            what = f"{name}: mean score against strength"
            note = (
                "Whiskers are intervals of the mean over films, which differ from each other; the verdict"
                " rests on the slope within each film. n: films."
            )
            yield finish(canvas, f"sensitivity-{_safe(name, i)}", what, f"{what}. {said}.", note)


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
    rule = "" if f.r_squared is None or len(f.strengths) < 3 else f"R² {r_squared(f.r_squared)}"
    facts = ", ".join(t for t in (rule, f"n {f.units}") if t)
    axes.set_title("\n".join((title(family, 4), f.verdict or "no verdict", facts)), linespacing=1.3)


def _localisation(document: MetaDocument) -> Iterator[Figure]:
    for i, (name, found) in enumerate(judged(document, EvaluatorLocalisation)):
        shown_of = {
            a: f.figures for a, f in found.aspects.items() if f.figures.pointed.n or a in found.controls
        }
        parts = [("all", found.overall), *((marked(a, found), f) for a, f in shown_of.items())]
        with drawn(0.3 * len(parts) + 1.0) as canvas:
            left, right = canvas.subplots(1, 2, sharey=True)
            for axes, pick, scale, wanted, label in (
                (left, "pointed", 100.0, 100 * WANTED_POINTED, "changed spans pointed at (%)"),
                (right, "false_per_five_minutes", 1.0, WANTED_FALSE, "false spans in 5 minutes of control"),
            ):
                for y, (_, f) in enumerate(parts):
                    _bar(axes, y, getattr(f, pick), scale)
                counts(axes, [(y, getattr(f, pick)) for y, (_, f) in enumerate(parts)])
                axes.axvline(wanted, color=INK, linewidth=0.9, linestyle=(0, (3, 3)))
                axes.set_xlabel(label)
            chance = [(y, f.chance) for y, (_, f) in enumerate(parts)]
            blind = [(y, 100 * c.value) for y, c in chance if c.value is not None]
            left.scatter([v for _, v in blind], [y for y, _ in blind], marker="D", s=26, c=PAPER,
                         edgecolors=INK, linewidths=1.0, zorder=4)  # fmt: skip
            left.set_xlim(0, 102)
            right.set_xlim(left=0)
            left.set_yticks(range(len(parts)), [cut(a.replace("_", " ")) for a, _ in parts])
            left.set_ylim(len(parts) - 0.5, -0.5)
            said = "; ".join(
                f"{a}: {percent(f.pointed.value)} of changed spans, {percent(f.chance.value)} by chance,"
                f" {number(f.false_per_five_minutes.value)} false spans in five minutes"
                for a, f in parts
            )
            what = f"{name}: where it points"
            note = (
                "Diamond: what spans as long would touch if put anywhere on the film. Dashed: what longtake's"
                f" own evaluators are held to, at least {percent(WANTED_POINTED)} of the changed spans and"
                f" under {WANTED_FALSE:g} false span in five minutes. At the right of each bar: n, changed"
                " spans and pairs."
            )
            yield finish(canvas, f"localisation-{_safe(name, i)}", what, f"{what}. {said}.", note)


def _bar(axes: Axes, y: int, interval: Interval, scale: float) -> None:
    if interval.value is None:
        axes.text(
            0,
            y,
            f" {'not known' if interval.n_asked else 'nothing to find'}",
            va="center",
            color=QUIET,
            fontsize=8,
        )
        return
    value = scale * interval.value
    ends = [None if v is None else scale * v for v in (interval.low, interval.high)]
    axes.barh(y, value, height=0.62, color=FIRST)
    spread = whiskers([ends[0]], [value], [ends[1]])
    axes.errorbar([value], [y], xerr=spread, fmt="none", color=SECOND, elinewidth=1.6, capsize=2.5)


def _correlation(document: MetaDocument) -> Iterator[Figure]:
    everyone = shown(document, EvaluatorCorrelation)[: 2 * MOST_PANELS]
    if not everyone:
        return
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
            dots(axes, points, colour=colour, marker=marker, label=label, hollow=hollow)
        for name, e in everyone:
            each = ", ".join(f"{over} {figure(getattr(e, over).spearman)}" for over, *_ in series)
            said.append(f"{name}: {each}")
        counts(axes, [(i, e.pooled.spearman) for i, (_, e) in enumerate(everyone)])
        axes.set_yticks(range(len(everyone)), [cut(n) for n, _ in everyone])
        axes.set_ylim(len(everyone) - 0.5, -0.5)
        axes.set_xlim(-1.03, 1.03)
        axes.set_xlabel("Spearman's rho with human ratings")
        canvas.legend(loc="outside lower center", ncols=3, frameon=False, labelcolor=INK)
        what = "Correlation with people"
        note = "At the right: n, cases. Intervals between systems are of just these systems."
        yield finish(canvas, "correlation", what, f"{what}, Spearman. {'; '.join(said)}.", note)


def _filter(document: MetaDocument) -> Iterator[Figure]:
    series = (
        ("kept", "kept", FIRST, None),
        ("out_a_not_more", "out: A not more than B", FOURTH, None),
        ("out_c", "out: somebody says C", SECOND, None),
        ("without_votes", "no votes", PAPER, "////"),
    )
    for i, (name, found) in enumerate(shown(document, FilterResult)):
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
            axes.locator_params(axis="x", integer=True)
            canvas.legend(loc="outside lower center", ncols=4, frameon=False, labelcolor=INK)
            said = "; ".join(f"{a}: {r.kept} of {r.initial} kept" for a, r in parts)
            one = len(document.evaluators) == 1
            what = "Pairs that people keep" if one else f"Pairs that are kept by {voters(name)}"
            yield finish(canvas, f"filter-{_safe(name, i)}", what, f"{what}. {said}.", VOTES)
