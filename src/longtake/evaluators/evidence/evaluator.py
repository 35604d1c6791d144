"""The evaluator ``evidence``: which of two films of one brief is better, and by which spans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.evaluator import Card, MeasuredCase, Preference
from ...core.measurement import Evidence
from ..cards import own_card
from ..shared.measured import lacks
from . import terms
from .compare import Compared, Span, compare, marks, seconds
from .terms import Side

NAME = "evidence"
NEEDS = ("picture", "shots", "motion", "frames")
"""Signals without which it says nothing; it does without the others of its card."""
LEAST = 2.0
"""Strength (log-odds, about) below which it does not choose. On half A of benchmarks/slvmeval_pairs.py every
damage but to left and right moved it by 8.7 or more, and mirroring what no caption places by at most 1.1."""
SAYS = {
    "fit": "the captions fit less here than in the other film",
    "still": "nothing moves here, and in the other film something does",
    "look": "less contrast or detail here than in the other film",
    "side": "left and right are not as the captions say, and in the other film they are",
    "cuts": "the picture changes here over and over, and in the other film it does not",
}
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class EvidenceEvaluator:
    """Two films beside each other. Where they do not differ it sees a tie; where they differ and nothing
    tells which is better it abstains. It is not told what was damaged, and knows of no aspects."""

    card: Card
    ordered: bool = False

    def prefer(self, first: MeasuredCase, second: MeasuredCase) -> Preference:
        """Its preference. Facts are ``strength`` (positive for the first film) and that of each term."""
        for case in (first, second):
            if (why := lacks(case, *NEEDS)) is not None:
                return _abstains(why)
        a, b = (Side(c.signals, seconds(c.signals, c.film.duration), c.brief) for c in (first, second))
        compared = compare(a.seconds, b.seconds, marks(first.signals, second.signals))
        spans: Sequence[Span] = compared.spans
        if first.brief != second.brief:
            spans = [(0.0, min(a.seconds.end, b.seconds.end))]
        if not spans:
            return Preference(status="scored", choice="tie", facts={"strength": 0.0})
        found = _speak(a, b, compared, spans)
        strength = float(sum(values.sum() for values in found.values()))
        facts: dict[str, float | int | str | bool | None] = {
            "strength": round(strength, 4),
            **{name: round(float(values.sum()), 4) for name, values in found.items()},
        }
        if abs(strength) < LEAST:
            why = "" if "fit" in found else "; there are no captions with times that it could go by"
            return _abstains(f"the films differ, and nothing tells which is better{why}", facts)
        sign = 1 if strength > 0 else -1
        loser = b.seconds.end if sign > 0 else a.seconds.end
        evidence = [
            Evidence(start=start, end=min(end, loser), what=SAYS[what])
            for i, (start, end) in enumerate(spans)
            if start < loser and (what := _says(found, i, sign)) is not None
        ]
        return Preference(
            status="scored",
            choice="a" if sign > 0 else "b",
            evidence=evidence if sign > 0 else [],
            evidence_a=evidence if sign < 0 else [],
            facts=facts,
        )


def _speak(a: Side, b: Side, compared: Compared, spans: Sequence[Span]) -> Mapping[str, Numbers]:
    """What each term says of each span."""
    found: dict[str, Numbers] = {}
    if (fit := terms.fit(a, b, spans, compared.spans)) is not None:
        found["fit"] = fit
    still = terms.still(a.seconds, b.seconds, compared)
    look = terms.look(a.seconds, b.seconds, compared)
    inside = [
        compared.differ & (compared.cells >= start - 0.5) & (compared.cells < end) for start, end in spans
    ]
    same = np.array([terms.same_cuts(a.seconds, b.seconds, span) for span in spans])
    found["still"] = same * np.array([still[rows].sum() for rows in inside])
    found["look"] = same * np.array([look[rows].sum() for rows in inside])
    if (side := terms.side(a, b, spans)) is not None:
        found["side"] = side
    found["cuts"] = terms.cuts(a.seconds, b.seconds, spans)
    return found


def _says(found: Mapping[str, Numbers], span: int, sign: int) -> str | None:
    """The term that speaks most for the choice in a span; ``None`` where the span speaks against it."""
    here = {name: sign * float(values[span]) for name, values in found.items()}
    if sum(here.values()) < -LEAST:
        return None
    return max(here, key=lambda name: here[name])


def _abstains(reason: str, facts: dict[str, float | int | str | bool | None] | None = None) -> Preference:
    return Preference(status="unscored", reason=reason, facts=facts or {})


evidence = EvidenceEvaluator(own_card(NAME, __file__))
