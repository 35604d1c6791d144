"""Drawings of the report as SVG text: the radar and the curves of the time line.

All colours come from the style sheet, so that the drawings follow dark mode and paper. Decision 0005 says
why no chart library draws them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup, escape

from . import words
from .data import Lane

RADIUS = 100.0
LANE_WIDTH, LANE_HEIGHT = 1000.0, 40.0


def _spoke(index: int, count: int, share: float) -> tuple[float, float]:
    angle = -math.pi / 2 + 2 * math.pi * index / count
    return round(RADIUS * share * math.cos(angle), 1), round(RADIUS * share * math.sin(angle), 1)


def radar(axes: Sequence[tuple[str, float | None]], title: str) -> Markup:
    """Radar of named shares in [0, 1]. An axis without a value is dashed and the outline has a gap there.

    Only neighbours that both have a value are joined, so nothing unscored is ever drawn as a value.
    """
    n = len(axes)
    parts = [f'<svg class="radar" viewBox="-190 -132 380 256" role="img" aria-label="{escape(title)}">']
    for ring in (0.25, 0.5, 0.75, 1.0):
        corners = " ".join(f"{x},{y}" for x, y in (_spoke(i, n, ring) for i in range(n)))
        parts.append(f'<polygon class="ring" points="{corners}"/>')
    for i, (_, value) in enumerate(axes):
        x, y = _spoke(i, n, 1.0)
        parts.append(f'<line class="spoke{" none" if value is None else ""}" x2="{x}" y2="{y}"/>')
    for i, (_, value) in enumerate(axes):
        following = axes[(i + 1) % n][1]
        if value is not None and following is not None and n > 2:
            (x1, y1), (x2, y2) = _spoke(i, n, value), _spoke((i + 1) % n, n, following)
            parts.append(f'<polygon class="area" points="0,0 {x1},{y1} {x2},{y2}"/>')
            parts.append(f'<line class="edge" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>')
    for i, (name, value) in enumerate(axes):
        x, y = _spoke(i, n, 1.0 if value is None else value)
        parts.append(f'<circle class="{"hollow" if value is None else "dot"}" cx="{x}" cy="{y}" r="4"/>')
        parts.append(_label(i, n, name, value))
    return Markup("".join(parts) + "</svg>")


def _label(index: int, count: int, name: str, value: float | None) -> str:
    x, y = _spoke(index, count, 1.14)
    anchor = "middle" if abs(x) < 1 else "start" if x > 0 else "end"
    below = "not scored" if value is None else words.share(value)
    quiet = ' class="none"' if value is None else ""
    top = y - 8 if y < -RADIUS else y
    return (
        f'<text{quiet} x="{x}" y="{top:.1f}" text-anchor="{anchor}">{escape(name)}'
        f'<tspan x="{x}" dy="14">{below}</tspan></text>'
    )


def curve(lane: Lane, start: float, end: float) -> str:
    """SVG path of a lane over [start, end] seconds, in a box of 1000 x 40; gaps stay gaps."""
    span, height = max(end - start, 1e-9), max(lane.high - lane.low, 1e-9)
    commands: list[str] = []
    pen = "M"
    for time, value in zip(lane.times, lane.values, strict=True):
        if value is None or not math.isfinite(value):
            pen = "M"
            continue
        x = LANE_WIDTH * (time - start) / span
        y = LANE_HEIGHT * (1 - (min(max(value, lane.low), lane.high) - lane.low) / height)
        commands.append(f"{pen}{x:.1f} {y:.1f}")
        pen = "L"
    return "".join(commands)


def tick_step(span: float, wanted: int = 10) -> float:
    """A round number of seconds that divides ``span`` into about ``wanted`` pieces."""
    for step in (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600):
        if span / step <= wanted:
            return float(step)
    return 7200.0
