"""Likeness of all shots as a picture of squares: SVG for the eye, digits for the script, words for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from ..core.content import ShotLikeness, Span
from ..core.documents import Shot

LEVELS = 10
LEAST_RANGE = 0.2
"""Shades span at least this much of likeness, so that equal shots do not look different."""
NEAREST = 3
TICKS = 20
ROWS_SAID = 200
"""Shots of which the nearest are named in words."""


@dataclass(frozen=True)
class Near:
    """A shot and those most like it, with their likeness."""

    shot: int
    start: float | None
    others: list[tuple[int, float | None, float]]


@dataclass(frozen=True)
class Matrix:
    """What the template prints of the likeness of shots. Shot numbers count from 0."""

    picture: Markup
    shots: list[int]
    ticks: list[tuple[int, float]]
    low: float
    high: float
    outlined: bool
    near: list[Near]
    near_left_out: int
    left_out: int
    script: dict[str, object]


def matrix_of(table: ShotLikeness | None, shots: Sequence[Shot], scenes: Sequence[Span]) -> Matrix | None:
    """The matrix; ``None`` for fewer than two shots, or if no pair was compared."""
    values = full(table) if table is not None else []
    known = [v for i, row in enumerate(values) for v in row[:i] if v is not None]
    if table is None or not known:
        return None
    low, high = min(known), max(known)
    low = min(low, high - LEAST_RANGE)
    n = len(table.shots)
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100) if n / s <= TICKS or s == 100)
    starts = {s.index: s.start for s in shots}
    near = _near(table.shots, values, starts)
    blocks = _blocks(table.shots, shots, scenes)
    return Matrix(
        picture=_picture(values, low, high, blocks, _said(near, n)),
        shots=table.shots,
        ticks=[(table.shots[i] + 1, round(100 * (i + 0.5) / n, 3)) for i in range(0, n, step)],
        low=low,
        high=high,
        outlined=bool(blocks),
        near=near[:ROWS_SAID],
        near_left_out=max(0, len(near) - ROWS_SAID),
        left_out=table.left_out,
        script={
            "shots": table.shots,
            "times": [starts.get(s) for s in table.shots],
            "likeness": digits(table.likeness),
            "scene": digits(table.same_scene),
        },
    )


def full(table: ShotLikeness) -> list[list[float | None]]:
    """The triangle as a square; ``None`` on the diagonal and where a pair was not compared."""
    n = len(table.shots)
    square: list[list[float | None]] = [[None] * n for _ in range(n)]
    for i, row in enumerate(table.likeness[:n]):
        for j, value in enumerate(row[:i]):
            square[i][j] = square[j][i] = value
    return square


def digits(triangle: Sequence[Sequence[float | None]]) -> str:
    """Three characters a pair, row after row: hundredths from ``-99`` to ``100``, ``---`` for nothing."""
    return "".join(
        "---" if v is None else f"{min(max(round(v * 100), -99), 100):03d}" for row in triangle for v in row
    )


def _picture(
    values: Sequence[Sequence[float | None]],
    low: float,
    high: float,
    blocks: Sequence[tuple[int, int]],
    said: str,
) -> Markup:
    """One path per shade: runs of equal shade along each row, so that many shots stay a small picture."""
    n = len(values)
    paths: list[list[str]] = [[] for _ in range(LEVELS)]
    for y, row in enumerate(values):
        shades = [None if v is None else _shade(v, low, high) for v in row]
        x = 0
        while x < n:
            shade, end = shades[x], x + 1
            while end < n and shades[end] == shade:
                end += 1
            if shade is not None:
                paths[shade].append(f"M{x} {y}.5h{end - x}")
            x = end
    parts = [f'<svg viewBox="0 0 {n} {n}" preserveAspectRatio="none" role="img" aria-label="{escape(said)}">']
    parts += [f'<path class="s{i}" d="{"".join(path)}"/>' for i, path in enumerate(paths) if path]
    parts.append(f'<path class="self" d="{"".join(f"M{i} {i}.5h1" for i in range(n))}"/>')
    parts += [f'<rect x="{a}" y="{a}" width="{b - a}" height="{b - a}"/>' for a, b in blocks]
    parts.append('<path class="cell" id="cell" d=""/></svg>')
    return Markup("".join(parts))


def _shade(value: float, low: float, high: float) -> int:
    return min(LEVELS - 1, int(LEVELS * max(0.0, value - low) / (high - low)))


def _blocks(numbers: Sequence[int], shots: Sequence[Shot], scenes: Sequence[Span]) -> list[tuple[int, int]]:
    """Places in the matrix, first and one past the last, of scenes of more than one shot."""
    middles = {s.index: (s.start + s.end) / 2 for s in shots}
    found = []
    for scene in scenes:
        inside = [i for i, s in enumerate(numbers) if s in middles and scene.start <= middles[s] < scene.end]
        if len(inside) > 1:
            found.append((inside[0], inside[-1] + 1))
    return found


def _near(
    numbers: Sequence[int], values: Sequence[Sequence[float | None]], starts: dict[int, float]
) -> list[Near]:
    found = []
    for shot, row in zip(numbers, values, strict=True):
        ranked = sorted(((v, i) for i, v in enumerate(row) if v is not None), key=lambda x: (-x[0], x[1]))
        others = [(numbers[i], starts.get(numbers[i]), v) for v, i in ranked[:NEAREST]]
        found.append(Near(shot, starts.get(shot), others))
    return found


def _said(near: Sequence[Near], n: int) -> str:
    pairs = [(row.others[0][2], row.shot, row.others[0][0]) for row in near if row.others]
    value, one, two = max(pairs, key=lambda p: p[0])
    return (
        f"Likeness of {n} shots, each with each. The two most alike are shots {min(one, two) + 1} and"
        f" {max(one, two) + 1}, {value:.2f}. The list below names the nearest of each shot."
    )
