"""Do planned scenes show what their texts describe? Only where a text-picture model was given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...core.measurement import Evidence, Measurement
from ..facts import Facts
from ..plan import planned_name
from .rule import Numbers, as_sure_as, column, missing, scored, unscored

LEAST_TEXTS = 4
"""Different texts from which chance can be told from sight: of three, one order in six is right by chance."""
UNCALIBRATED = 0.5
"""Confidence at best: models differ, and no film with known truth was seen by one of them here."""
SHUFFLES, SEED = 500, 1
"""Orders of the texts by which chance is measured."""
BAR = 0.95
"""Chance must not reach more than this in 19 of 20 orders, for anything to be left that is more."""
TOLD_APART = 0.05
"""Chance of an order as good as the film's up to which the model tells the scenes apart."""


@dataclass(frozen=True)
class Seen:
    """How well each text (columns) describes what is shown in the place of each planned shot (rows).

    ``likeness`` is less the mean of its row and of its column: some texts fit everything, some pictures are
    fitted by everything.
    """

    texts: tuple[int, ...]
    spans: tuple[tuple[float, float], ...]
    likeness: Numbers


def scene_presence(facts: Facts) -> Measurement:
    """How far each planned shot's text describes its place better than the brief's other texts do.

    Of every planned shot the share of other texts that fit its pictures less, by the given model's
    similarity; 1 if all do for all shots, 0 where no more do than in 19 of 20 random orders of the texts.
    Similarities are never taken at face value. Blind spots: scenes that are there, but elsewhere than planned
    (see scene_order); texts that describe the same; all that the model does not know.
    """
    name = "scene_presence"
    seen = _seen(name, facts)
    if isinstance(seen, Measurement):
        return seen
    shares = _shares(seen.likeness)
    found = float(shares.mean())
    rng = np.random.default_rng(SEED)
    count = len(seen.texts)
    others = [_shares(seen.likeness[:, rng.permutation(count)]).mean() for _ in range(SHUFFLES)]
    chance = float(np.mean(np.array(others) >= found - 1e-9))
    bar = float(np.quantile(others, 1 - TOLD_APART))
    if bar > BAR:
        return unscored(name, "the texts are too few or too alike to tell chance from sight", texts=count)
    evidence = [
        Evidence(start=a, end=b, what=f"other texts fit better than that of {planned_name(text)}")
        for text, (a, b), share in zip(seen.texts, seen.spans, shares, strict=True)
        if share < 0.5
    ]
    answer = scored(
        name, (found - bar) / (1 - bar), evidence, texts=count, chance=chance, model=_model(facts)
    )
    return as_sure_as(answer, UNCALIBRATED)


def scene_order(facts: Facts) -> Measurement:
    """Whether each text's best place in the film comes in the order of the texts: Kendall's tau, 0 at least.

    Unscored where the film's order and its reverse are both no better than chance: then the model does not
    tell the scenes apart. Blind spots: those of scene_presence; texts that describe the same.
    """
    name = "scene_order"
    seen = _seen(name, facts)
    if isinstance(seen, Measurement):
        return seen
    best = seen.likeness.argmax(axis=0)
    tau = _tau(best)
    rng = np.random.default_rng(SEED)
    others = np.abs([_tau(rng.permutation(best)) for _ in range(SHUFFLES)])
    chance = float(np.mean(others >= abs(tau) - 1e-9))
    if chance > TOLD_APART:
        why = "the text-picture model does not tell the scenes apart well enough to see their order"
        return unscored(name, why, chance=chance, tau=tau)
    evidence = [
        Evidence(start=seen.spans[at][0], end=seen.spans[at][1], what=f"{planned_name(text)} is seen here")
        for place, (text, at) in enumerate(zip(seen.texts, best, strict=True))
        if at != place
    ]
    answer = scored(name, tau, evidence, tau=tau, chance=chance, model=_model(facts))
    return as_sure_as(answer, UNCALIBRATED)


def _seen(name: str, facts: Facts) -> Seen | Measurement:
    if facts.brief is None or not facts.brief.shots:
        return unscored(name, "needs a brief with shots")
    if gone := missing(name, facts, "text_picture"):
        return gone
    if facts.signals["text_picture"].facts.get("kind") != "model":
        return unscored(name, "needs a text-picture model: what stands in for one here is not enough")
    plan = facts.plan
    if plan is None or not plan.aligned:
        return unscored(name, f"the plan does not fit the shots: {plan.reason if plan else 'there is none'}")
    places = [
        (s.index, s.measured_start, s.measured_end)
        for s in plan.shots
        if s.measured_start is not None and s.measured_end is not None
    ]
    time, text, likeness = (column(facts, "text_picture", n) for n in ("time", "text", "similarity"))
    good = np.isfinite(likeness)
    asked = {_plain(facts.brief.shots[i].text): i for i, _, _ in reversed(places)}
    texts = [i for i, _, _ in places if i in set(asked.values()) and (text[good] == i).any()]
    spans = [(a, b) for i, a, b in places if i in texts]
    table = np.array(
        [[_mean(likeness[good & (time >= a) & (time < b) & (text == i)]) for i in texts] for a, b in spans]
    ).reshape(len(spans), len(texts))
    kept = np.isfinite(table).all(axis=1) if len(texts) else np.zeros(0, bool)
    if kept.sum() < LEAST_TEXTS:
        return unscored(name, f"needs {LEAST_TEXTS} planned shots with different texts that were compared")
    table = table[np.ix_(kept, kept)]
    table = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    where = np.flatnonzero(kept)
    return Seen(tuple(texts[i] for i in where), tuple(spans[i] for i in where), table)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _mean(values: Numbers) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _shares(likeness: Numbers) -> Numbers:
    """Of each row the share of other columns that are below its own; equal ones count half."""
    own = np.diag(likeness)[:, None]
    below = (likeness < own - 1e-9).sum(axis=1) + 0.5 * ((np.abs(likeness - own) <= 1e-9).sum(axis=1) - 1)
    return np.asarray(below / (len(likeness) - 1), np.float64)


def _tau(places: Sequence[int] | np.ndarray) -> float:
    """Kendall's tau of a sequence against its order."""
    at = np.asarray(places, np.int64)
    i, j = np.triu_indices(len(at), 1)
    return float(np.sign(at[j] - at[i]).mean())


def _model(facts: Facts) -> str:
    return str(facts.signals["text_picture"].facts.get("model"))
