"""``ms_debias``: is each frame what its neighbours foretell, leaving out what they cannot know?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...core.evaluator import Card, MeasuredCase
from ...core.measurement import Evidence, Measurement
from ..shared.black import black_film, black_of
from ..shared.interpolation import COLUMNS, SMALLEST, Triples, triples
from ..shared.measured import Fact, all_unscored, scored
from ..shared.ran import models_ran
from ..shared.spans import Span, measured_spans
from ..shared.standing import STILL

Numbers = NDArray[np.float64]
LEAST_FREE = 0.2
"""Unmasked share of the picture under which a triple is unscored."""
UNSCORED = 0.5
"""A shot with a larger share of unscored triples is unscored."""
ALL_BLACK = "all that could be foretold lies in shots that are black"
TOP = 255.0
"""Levels from black to white: no error is larger."""
PERCENTILE = 95.0
"""Of the errors of a shot, beside their mean."""
SHOWN, APART_S = 3, 1.0
"""Places that are given as evidence, and how far they lie apart."""


@dataclass(frozen=True)
class Pooled:
    """Of the shots that are scored, each weighted by its seconds: ``error``, ``plain``, ``p95`` in levels;
    ``shots`` scored and ``shots_unscored``."""

    error: float
    plain: float
    p95: float
    shots: int
    shots_unscored: int


@dataclass(frozen=True)
class MsDebias:
    """Measures one film: see the card."""

    card: Card

    def measure(self, case: MeasuredCase) -> Sequence[Measurement]:
        """Score, errors, plain score and motion. Raises ``BackendError`` and ``InputError``."""
        tools = case.tools
        assert tools is not None
        if (lacking := black_film(case) or tools.lacks("interpolator", "flow")) is not None:
            return all_unscored(self.card, lacking)
        spans = measured_spans(case)
        dark = black_of(case, spans)
        every_shot = triples(case, int(case.settings["triples"]))
        found = lit(every_shot, dark)
        masker = tools.used("masker")
        facts: dict[str, Fact] = {
            "flow": tools.used("flow").label,
            "masker": masker.label,
            "status": "fallback" if found.objects == "none" else "ok",
            "status_note": f"no masks of things: {masker.reason}" if found.objects == "none" else None,
            "triples": len(found),
            "triples_possible": found.possible,
            "triples_uneven": found.uneven,
            "triples_unread": found.unread,
        }
        every: dict[str, Fact] = {"objects": found.objects, "frozen": frozen(found, spans)}
        masked = ("interpolator", "flow", *(() if found.objects == "none" else ("masker",)))
        if not len(found):
            why = ALL_BLACK if len(every_shot) else _why_none(found)
            return all_unscored(self.card, why, models_ran(tools, *masked) | every | facts)
        facts |= {
            "unmasked_share": float(found.share.mean()),
            "camera_px_s": _median(found.camera),
            "change_levels": float(found.change.mean()),
        }
        pooled = pool(found, spans)
        if pooled is None:
            why = f"less than {LEAST_FREE:.0%} of the pictures is unmasked"
            return all_unscored(self.card, why, models_ran(tools, *masked) | every | facts)
        facts |= {
            "shots": pooled.shots,
            "shots_unscored": pooled.shots_unscored,
            "shots_black": sum(dark),
            "shots_not_looked": len(spans) - pooled.shots - pooled.shots_unscored - sum(dark),
        }
        first, _, _, plain, motion = self.card.quantities
        rests = {plain.name: ("interpolator",), motion.name: ()}
        values = (
            1 - pooled.error / TOP,
            pooled.error,
            pooled.p95,
            1 - pooled.plain / TOP,
            float(found.change.mean()),
        )
        evidence = worst(found)
        return [
            scored(
                quantity,
                value,
                evidence=evidence if quantity is first else (),
                facts=models_ran(tools, *rests.get(quantity.name, masked))
                | every
                | (facts if quantity is first else {}),
            )
            for quantity, value in zip(self.card.quantities, values, strict=True)
        ]


def lit(found: Triples, black: Sequence[bool]) -> Triples:
    """Without the triples of shots that are ``black``, one truth for each shot: what is foretold there is
    foretold for nothing."""
    kept = ~np.asarray(black, bool)[found.shot.astype(int)]
    return replace(found, **{name: getattr(found, name)[kept] for name in COLUMNS})


def frozen(found: Triples, spans: Sequence[Span]) -> float | None:
    """Share of the seconds of the shots looked at in which nothing moves: no block of any picture is further
    from that of the shot's first than :data:`STILL`, as in VBench's dimensions. ``None`` where no shot was
    looked at."""
    whole = still = 0.0
    for shot in np.unique(found.shot).astype(int):
        seconds = spans[shot][1] - spans[shot][0]
        whole += seconds
        still += seconds * bool(np.all(found.away[found.shot == shot] <= STILL))
    return round(still / whole, 4) if whole else None


def free(found: Triples) -> NDArray[np.bool_]:
    """Triples of which enough is unmasked to be scored."""
    return np.asarray(np.isfinite(found.masked) & (found.share >= LEAST_FREE))


def pool(found: Triples, spans: Sequence[Span]) -> Pooled | None:
    """Means over shots by their seconds; ``None`` if no shot is scored."""
    rows: list[tuple[float, float, float, float]] = []
    unscored = 0
    kept = free(found)
    for shot in np.unique(found.shot):
        own = found.shot == shot
        if (own & ~kept).sum() > UNSCORED * own.sum():
            unscored += 1
            continue
        here = own & kept
        start, end = spans[int(shot)]
        masked = found.masked[here]
        rows.append(
            (
                end - start,
                float(masked.mean()),
                float(found.plain[here].mean()),
                float(np.percentile(masked, PERCENTILE)),
            )
        )
    if not rows:
        return None
    weights, *columns = (np.array(column) for column in zip(*rows, strict=True))
    error, plain, p95 = (float(np.average(column, weights=weights)) for column in columns)
    return Pooled(error, plain, p95, len(rows), unscored)


def worst(found: Triples) -> list[Evidence]:
    """Where the error is largest, a few places apart from each other."""
    errors = np.where(free(found), found.masked, -np.inf)
    shown: list[Evidence] = []
    for row in np.argsort(-errors, kind="stable"):
        time, half = float(found.time[row]), float(found.gap[row]) / 2
        if len(shown) == SHOWN or not errors[row] > 0:
            break
        if all(abs(time - (one.start + one.end) / 2) >= APART_S for one in shown):
            what = f"unlike what its neighbours foretell by {errors[row]:.1f} levels"
            shown.append(Evidence(start=max(0.0, time - half), end=time + half, what=what))
    return shown


def _why_none(found: Triples) -> str:
    if not found.possible:
        return "no three frames lie in one shot"
    if found.unread:
        return f"its pictures cannot be decoded, or their shorter side is under {SMALLEST} px"
    return "no three frames of one shot are evenly spaced"


def _median(values: Numbers) -> float | None:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else None
