"""Lines through means, a logistic slope that can be resampled fast, and what a study would find."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .intervals import normal_quantile

Floats = NDArray[np.float64]

PAPER_R_SQUARED = 0.6
"""R^2 under which Long-CODE calls a score insensitive to a family of damage (its figure 3)."""
WALK_DRAWS = 400_000
"""Random walks from which ``luck_of_walk`` is counted; its standard error is then under 0.001."""
PARTS = 9
"""Columns of ``Logistic.parts``."""
NEWTON_STEPS = 30
FAR = 20.0
"""A linear term as large as this at some row: right and wrong are separated and there is no finite slope."""


def slopes(x: Floats, rows: Floats) -> Floats:
    """Least-squares slope of each row of ``rows`` (n, k) on ``x`` (k,).

    Raises:
        ValueError: ``x`` does not vary.
    """
    off = x - x.mean()
    if not (off**2).sum() > 0:
        raise ValueError("a slope needs two different x")
    return np.asarray((rows - rows[:, :1]) @ off / (off**2).sum())  # no response is exactly 0


def line_r(x: Floats, y: Floats) -> float | None:
    """Pearson's r of ``y`` on ``x``; its square is the line's R^2. ``None`` where one does not vary."""
    a, b = x - x.mean(), y - y.mean()
    scale = float(np.sqrt((a**2).sum() * (b**2).sum()))
    if len(x) < 2 or scale <= 1e-12 * max(1.0, float(np.abs(y).max())) * float(np.sqrt((a**2).sum())):
        return None
    return float(np.clip((a * b).sum() / scale, -1, 1))


def luck(points: int, r_squared: float = PAPER_R_SQUARED) -> float:
    """Chance that independent errors at ``points`` strengths pass the paper's rule: r < 0, r^2 >= 0.6.

    The null density of r with ``points`` - 2 degrees of freedom: 0.218, 0.113, 0.062 at 3, 4, 5.

    Raises:
        ValueError: fewer than three points.
    """
    if points < 3:
        raise ValueError("two points always lie on a line")
    from scipy.special import stdtr

    freedom = points - 2
    return float(stdtr(freedom, -np.sqrt(r_squared * freedom / (1 - r_squared))))


@lru_cache(maxsize=64)
def luck_of_walk(strengths: tuple[float, ...], r_squared: float = PAPER_R_SQUARED) -> float:
    """The same chance if errors add up with the dose, as with nested damage: a random walk in strength.

    Counted over WALK_DRAWS walks.

    Raises:
        ValueError: fewer than three different strengths.
    """
    x = np.unique(np.array(strengths, np.float64))
    if len(x) < 3:
        raise ValueError("two points always lie on a line")
    rng = np.random.default_rng(0)
    steps = rng.standard_normal((WALK_DRAWS, len(x) - 1)) * np.sqrt(np.diff(x))
    walks = np.concatenate([np.zeros((WALK_DRAWS, 1)), np.cumsum(steps, axis=1)], axis=1)
    a = (x - x.mean()) / x.std()
    b = walks - walks.mean(axis=1, keepdims=True)
    r = b @ a / len(x) / b.std(axis=1)
    return float(np.mean((r < 0) & (r**2 >= r_squared)))


def smallest_found(standard_error: float, level: float = 0.95, power: float = 0.8) -> float:
    """The smallest true effect whose interval leaves out 0 in ``power`` of studies, by the normal law."""
    return (normal_quantile(0.5 + level / 2) + normal_quantile(power)) * standard_error


@dataclass(frozen=True)
class Logistic:
    """A fitted logistic regression with a constant, ``x`` and perhaps a second term.

    ``slope`` is that of ``x`` per unit of log odds; ``parts`` (rows, PARTS) are each row's score (3) and
    information (6, upper triangle) at the fit, whose sums one more Newton step needs.
    """

    slope: float
    parts: Floats


def logistic(x: Floats, share: Floats | None, right: Floats, asked: Floats) -> Logistic | str:
    """Logistic regression of ``right`` of ``asked`` answers (rows,) on ``x`` and ``share``.

    By Newton's method; halves (ties) count as halves. Returns the reason where there is no finite slope:
    ``x`` does not vary or goes with ``share``, all answers are alike, or a term separates right from wrong.
    """
    design = np.stack(
        [np.ones_like(x), _standard(x), np.zeros_like(x) if share is None else _standard(share)]
    )
    terms = 2 if share is None else 3
    used = design[:terms] * np.sqrt(asked)
    if np.linalg.matrix_rank(used, tol=1e-8 * np.sqrt(max(asked.sum(), 1.0))) < terms:
        return "duration does not vary, or only together with the share changed"
    if not 0 < right.sum() < asked.sum():
        return "all answers are alike"
    beta = np.zeros(terms)
    for _ in range(NEWTON_STEPS):
        linear = beta @ design[:terms]
        p = 1 / (1 + np.exp(-linear))
        step = np.linalg.solve(
            (design[:terms] * (asked * p * (1 - p))) @ design[:terms].T + 1e-12 * np.eye(terms),
            design[:terms] @ (right - asked * p),
        )
        beta = beta + np.clip(step, -2, 2)
        if np.abs(beta @ design[:terms]).max() > FAR:
            return "right and wrong answers are separated: no finite slope"
        if np.abs(step).max() < 1e-10:
            break
    else:
        return "the fit did not settle"
    p = 1 / (1 + np.exp(-(beta @ design[:terms])))
    # Back to units of x; the second term's unit does not matter to the slope.
    spread = _spread(x)
    design[1] /= 1 / spread
    weight = asked * p * (1 - p)
    score = design * (right - asked * p)
    pairs = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    information = np.stack([design[i] * design[j] * weight for i, j in pairs])
    return Logistic(float(beta[1] / spread), np.concatenate([score, information]).T)


def one_step_slopes(fit: Logistic, sums: Floats) -> Floats:
    """Slopes of resampled data from sums of ``fit.parts`` (k, PARTS): a Newton step from the fit to all.

    To first order the same as fitting each sample anew; NaN where a sample cannot tell the slope.
    """
    g0, g1, g2, a, b, c, d, e, f = sums.T
    two = f == 0
    f = np.where(two, 1.0, f)
    determinant = a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d)
    step = -(b * f - c * e) * g0 + (a * f - c * c) * g1 - (a * e - b * c) * g2
    bound = 1e-9 * a * d * f
    out = np.full(len(sums), np.nan)
    return np.divide(step, determinant, out=out, where=determinant > bound) + fit.slope


def _spread(values: Floats) -> float:
    spread = float(values.std())
    return spread if spread > 1e-12 * max(1.0, float(np.abs(values).max())) else 1.0


def _standard(values: Floats) -> Floats:
    return np.asarray((values - values.mean()) / _spread(values))
