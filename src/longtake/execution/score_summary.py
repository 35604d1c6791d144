"""What each evaluator of a scoring run comes to over all its films: counts, means with intervals, models."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest

import numpy as np

from ..core.evaluator import CUT_OFF, RAN, Card, Quantity
from ..core.interval import Interval
from ..core.measurement import Measurement
from ..core.scores import CaseResult, EvaluatorSummary, PairResult, Scored, by_name
from ..core.tools import ModelUsed
from ..meta.studies.figures import Plan as Resampling
from ..meta.studies.figures import Ratios, figures, numbered
from .score_plan import Plan, SignalPlan

SHARE_OF_A = {"a": 1.0, "tie": 0.5, "b": 0.0}
LEVEL, DRAWS = 0.95, 2000
"""Level and draws of an interval; ``longtake meta`` takes more draws."""
Measured = Mapping[tuple[str, str], Measurement]


@dataclass(frozen=True)
class Groups:
    """What is not independent in a run: films of pairs go with their source, other films with their brief,
    and those without one with all that show the same content."""

    plan: Plan

    @cached_property
    def of_case(self) -> dict[str, str]:
        """The group of each case."""
        found: dict[str, str] = {}
        for pair in self.plan.pairs:
            for item in (pair.a, pair.b):
                found.setdefault(item.name, pair.pair.source)
        for item in self.plan.items:
            content = item.film.hash if item.film is not None else item.name
            found.setdefault(item.name, item.brief.hash if item.brief is not None else content)
        return found

    @cached_property
    def of_pair(self) -> dict[str, str]:
        """The group of each pair."""
        return {pair.pair.id: pair.pair.source for pair in self.plan.pairs}

    @property
    def name(self) -> str:
        """What the groups are."""
        if self.plan.pairs:
            return "sources"
        with_brief = {item.brief is not None for item in self.plan.items}
        return "briefs" if with_brief == {True} else "films" if with_brief == {False} else "briefs and films"


def summaries(
    plan: Plan, signals: SignalPlan, results: Sequence[CaseResult], preferences: Sequence[PairResult]
) -> dict[str, EvaluatorSummary]:
    """Everybody who was asked, and each further quantity of theirs."""
    measured = by_name(results)
    groups = Groups(plan)
    films = [item.name for item in plan.items]
    undamaged, damaged = ({getattr(p, side).name: None for p in plan.pairs} for side in ("a", "b"))
    found = {}
    for one in plan.evaluators:
        whole = [signals.models.used(role) for role in one.card.models]
        pairs = zip_longest(one.names, one.card.quantities if one.measures else ())
        for index, (name, quantity) in enumerate(pairs):
            own = [measured[case, name] for case in films] if quantity is not None else []
            ran = {role for m in own if m.value is not None for role in roles_of(m, one.card, index)}
            rests = ran or {*one.card.roles(index)}
            models = [used for used in whole if used.role in rests]
            found[name] = EvaluatorSummary(
                version=one.card.version,
                proxy="; ".join(filter(None, (one.card.proxy, *stood_in(models)))),
                score=_scored(quantity, name, films, measured, groups),
                score_a=_scored(quantity, name, undamaged, measured, groups),
                score_b=_scored(quantity, name, damaged, measured, groups),
                preferences=_preferred([p for p in preferences if p.evaluator == name], name, groups),
                signals=list(signals.state(one.card)),
                models=models,
                settings=signals.settings_of(one.card),
            )
    return found


def roles_of(m: Measurement, card: Card, index: int) -> tuple[str, ...]:
    """Roles of models that a measurement rests on, that of the quantity at this place: as its facts say, else
    as the card does."""
    told = m.facts.get(RAN)
    return tuple(filter(None, str(told).split(", "))) if told is not None else card.roles(index)


def stood_in(models: Sequence[ModelUsed]) -> Iterator[str]:
    """What proxies among these models stand in for."""
    for used in models:
        if used.kind == "proxy":
            yield f"{used.name} stands in for {used.stands_for} ({used.role})"


def _scored(
    quantity: Quantity | None, name: str, cases: Collection[str], measured: Measured, groups: Groups
) -> Scored | None:
    """A quantity over these cases; ``None`` where nobody is asked for it."""
    if quantity is None or not cases:
        return None
    own = [measured[case, name] for case in cases]
    given = {case: m.value for case, m in zip(cases, own, strict=True) if m.value is not None}
    out = sum(m.status == "not_applicable" for m in own)
    within = [groups.of_case[case] for case in given]
    share = (quantity.low, quantity.high) == (0.0, 1.0)
    told = interval(list(given.values()), within, groups.name, len(own) - out, name, share=share)
    return Scored(
        name=quantity.name,
        n=told.n,
        n_asked=told.n_asked,
        n_not_applicable=out,
        n_cut_off=sum(m.value is not None and bool(m.facts.get(CUT_OFF)) for m in own),
        unit=quantity.unit,
        **_figure(told),
    )


def _preferred(given: Sequence[PairResult], name: str, groups: Groups) -> Scored | None:
    if not given:
        return None
    answered = [p for p in given if p.choice is not None]
    shares = [SHARE_OF_A[p.choice] for p in answered if p.choice is not None]
    within = [groups.of_pair[p.pair] for p in answered]
    told = interval(shares, within, groups.name, len(given), name, share=True)
    return Scored(name="share of a", n=told.n, n_asked=told.n_asked, **_figure(told))


def _figure(told: Interval) -> dict[str, float | str | None]:
    ends = {"low": told.low, "high": told.high, "level": told.level, "method": told.method}
    return {"value": told.value, **(ends if told.low is not None else {"no_interval": told.reason})}


def interval(
    values: Sequence[float], groups: Sequence[str], over: str, n_asked: int, item: str, *, share: bool
) -> Interval:
    """The mean of values with the interval of a bootstrap over groups, ``over`` by name.

    ``share`` tells that they lie in 0 to 1. Under :data:`..stats.bootstrap.LEAST_CLUSTERS` groups there is no
    interval, and the reason says so.
    """
    if not values:
        return Interval(n=0, n_asked=n_asked, value=None, method="none", reason="nothing was scored")
    names, number = numbered(np.array(groups, np.str_))
    mean = Ratios(number, len(names))
    mean.add(np.asarray(values, np.float64), np.ones(len(values)))
    plan = Resampling(LEVEL, DRAWS, 0, over)
    found = plan.resample(mean.statistic(), len(names), item)
    counts = np.array([len(values)]), np.array([n_asked])
    return figures(found, plan, *counts, shares=share)[0]
