"""Drawing with matplotlib's SVG back end: one look, few colours, and SVG that fits into a page.

The only module that imports matplotlib (decision 0011), and only through functions that draw. On paper and
in files the colours are those below; in the page each becomes a variable of the style sheet, so that the
figures follow dark mode.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from longtake.core.interval import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

PAPER, INK, QUIET, LINE = "#ffffff", "#1d1c1a", "#66625a", "#d3cfc6"
FIRST, SECOND, THIRD, FOURTH = "#0f5c6b", "#b5541c", "#56701d", "#c9b27c"
"""Colours of series: dark teal, rust, olive, sand; they differ in lightness too, for print in grey."""
BELOW, LEVEL, ABOVE = "#e6a379", "#f7f5f0", "#7fb8c4"
"""Colours of the cells of a matrix from below to above, light enough for dark letters."""
DARK = "#1d1c1b"
"""Ink on the coloured cells of a matrix, which stay light in dark mode too."""
VARIABLES = {
    PAPER: "none",
    INK: "var(--ink)",
    QUIET: "var(--quiet)",
    LINE: "var(--line)",
    FIRST: "var(--c1)",
    SECOND: "var(--c2)",
    THIRD: "var(--c3)",
    FOURTH: "var(--c4)",
}
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": QUIET,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlecolor": INK,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": PAPER,
    "figure.facecolor": PAPER,
    "text.color": INK,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": QUIET,
    "ytick.labelcolor": INK,
    "text.parse_math": False,
    "axes.unicode_minus": True,
}
NO_GLYPH = r"Glyph \d+ .* missing from font|Matplotlib currently does not support .* natively"
"""What matplotlib warns of letters that its own fonts lack. They are kept as text, which is what counts in an
SVG: whoever opens it has fonts for them. Only their widths are guessed."""
WIDTH = 7.6
"""Inches of a figure as wide as it gets; in the page that is PAGE_WIDTH, and at least LEAST_WIDTH."""
PAGE_WIDTH, LEAST_WIDTH = 60.0, 34.0
"""In the page's rem; below the latter a figure scrolls, since its letters would be too small to read."""


TITLE = 84
"""Letters of titles that fit in one row over a whole figure, at the size of ``STYLE``."""
MOST_PANELS = 24
"""Panels of one figure; the tables have the rest."""


@dataclass(frozen=True)
class Figure:
    """A figure of a study. ``svg`` is a whole file, ``said`` the same in words, ``note`` how to read it."""

    name: str
    title: str
    said: str
    svg: str
    width: float = WIDTH
    note: str = ""

    def inline(self) -> str:
        """The drawing as it stands in a page: colours by variables, ids of its own, no XML prologue."""
        svg = self.svg[self.svg.index("<svg") :]
        svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
        for colour, variable in VARIABLES.items():
            svg = svg.replace(colour, variable)
        svg = svg.replace("xlink:href", "href")
        svg = re.sub(r'\bid="', f'id="{self.name}-', svg)
        svg = re.sub(r'(href="#|url\(#)', rf"\g<1>{self.name}-", svg)
        return re.sub(r"<svg [^>]*?(viewBox=\"[^\"]*\")[^>]*>", self._opening(), svg, count=1)

    def _opening(self) -> str:
        label = escape(self.said, quote=True).replace("\\", "\\\\")
        wide = PAGE_WIDTH * self.width / WIDTH
        style = f"max-width: {wide:.1f}rem; min-width: {min(wide, LEAST_WIDTH):.1f}rem"
        return rf'<svg \1 role="img" aria-label="{label}" style="{style}">'


@contextmanager
def drawn(height: float, width: float = WIDTH) -> Iterator[Canvas]:
    """An empty figure in our style, ``width`` by ``height`` inches; nothing global is changed."""
    import matplotlib
    from matplotlib.figure import Figure as Canvas

    with matplotlib.rc_context(STYLE):
        yield Canvas(figsize=(width, height), layout="constrained")


def finish(canvas: Canvas, name: str, title: str, said: str, note: str = "") -> Figure:
    """The figure as SVG that is the same for the same numbers."""
    import matplotlib

    stream = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": f"longtake {name}"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", NO_GLYPH, UserWarning)
        nothing: dict[str, Any] = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        canvas.savefig(stream, format="svg", metadata=nothing)
    return Figure(name, title, said, stream.getvalue(), float(canvas.get_figwidth()), note)


def panels(canvas: Canvas, count: int, columns: int, **share: Any) -> list[Axes]:
    """``count`` panels in rows of at most ``columns``; unused places stay empty."""
    across = min(columns, count)
    grid = canvas.subplots(-(-count // across), across, squeeze=False, **share).ravel()
    for spare in grid[count:]:
        spare.set_axis_off()
    return list(grid[:count])


def label_below(axes: Sequence[Axes], columns: int, label: str) -> None:
    """Put a label and numbers under the lowest panel of each column."""
    for panel in axes[-min(columns, len(axes)) :]:
        panel.set_xlabel(label)
        panel.tick_params(labelbottom=True)


def rows_of(count: int, columns: int) -> int:
    """Rows that ``panels`` makes."""
    return -(-count // min(columns, max(count, 1)))


def whiskers(
    low: Sequence[float | None], value: Sequence[float], high: Sequence[float | None]
) -> list[list[float]]:
    """Lengths of whiskers below and above each value, NaN (not drawn) where it has no interval."""
    none = float("nan")
    return [
        [none if x is None else max(0.0, v - x) for x, v in zip(low, value, strict=True)],
        [none if x is None else max(0.0, x - v) for x, v in zip(high, value, strict=True)],
    ]


def dots(
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


def counts(axes: Axes, rows: Sequence[tuple[float, Interval]]) -> None:
    """What each row rests on, in small letters at the right: ``12``, or ``12/15`` of those asked."""
    for y, i in rows:
        text = f"{i.n}" if i.n == i.n_asked else f"{i.n}/{i.n_asked}"
        axes.annotate(text, (1, y), xycoords=("axes fraction", "data"), xytext=(3, 0), annotation_clip=False,
                      textcoords="offset points", va="center", color=QUIET, fontsize=6.5)  # fmt: skip


def cut(name: str, limit: int = 26) -> str:
    """A name short enough for an axis."""
    return name if len(name) <= limit else f"{name[: limit - 1]}…"


def title(name: str, columns: int, lines: int = 2) -> str:
    """A name as the title of one of so many panels in a row: folded at its dots and underscores, then cut."""
    width = TITLE // columns
    folded = [""]
    for part in re.findall(r"[^._ -]*[._ -]*", name):
        if folded[-1] and len(folded[-1] + part) > width:
            folded.append("")
        folded[-1] += part
    kept = [*folded[: lines - 1], "".join(folded[lines - 1 :])] if len(folded) > lines else folded
    return "\n".join(cut(line.rstrip(), width) for line in kept)
