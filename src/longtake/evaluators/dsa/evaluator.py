"""Dynamic Structure Alignment of Long-CODE (arXiv 2604.17428, eq. 4-5), in three forms (long-code.md, 2.1).

Each text is compared with the whole text, which gives one profile over the shots, and with the film, which
gives another: with one vector of the whole film (``dsa``, as published), with that of the shot itself
(``shot``), or with the mean of all shots (``pooled``). The value is their rank correlation as a share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from ...core.embedding import Sampling
from ...core.evaluator import MeasuredCase, Quantity, Setting
from ...core.measurement import Evidence, Measurement
from ..cards import own_card
from ..shared.black import black_film, black_of
from ..shared.measured import Fact, all_not_applicable, not_applicable, scored, unscored
from ..shared.spans import Spans, planned_spans, whole
from .alignment import LEAST_SHOTS, farthest, ranks, rho, share
from .profiles import ROLE, Clips, TextSide, clips, pooled, shot_spans, text_side

Form = Literal["dsa", "shot", "pooled"]
MOST_EVIDENCE = 3
"""Shots that are pointed at: those whose ranks differ most. A judgement."""
NO_BRIEF = "it needs a brief with a text for each shot"


class DsaEvaluator:
    """The three forms, from the same vectors."""

    def __init__(self) -> None:
        self.card = own_card("dsa", __file__)

    def measure(self, case: MeasuredCase) -> Sequence[Measurement]:
        if case.brief is None:
            return all_not_applicable(self.card, NO_BRIEF)
        of = {cast("Form", quantity.name): quantity for quantity in self.card.quantities}
        return measured(case, planned_spans(case), case.settings, of)


def measured(
    case: MeasuredCase, planned: Spans, settings: Mapping[str, Setting], of: Mapping[Form, Quantity]
) -> list[Measurement]:
    """A measurement of each form that is asked for, under the quantity that is given for it.

    ``settings`` has ``text``, ``policy`` and ``sampling``.

    Raises:
        BackendError: the embedder cannot be run.
        InputError: the film can no longer be read.
    """
    tools = case.tools
    assert tools is not None
    assert case.brief is not None
    quantities = of.values()
    count = len(planned.shots)
    if count < 2:
        why = "one_shot: one shot has no structure" if count else planned.reason
        return [not_applicable(quantity, why) for quantity in quantities]
    if count < LEAST_SHOTS:
        why = f"too_few_shots: {count} shots have a text, a rank correlation needs {LEAST_SHOTS}"
        return [unscored(quantity, why) for quantity in quantities]
    if (lacking := black_film(case) or tools.lacks(ROLE)) is not None:
        return [unscored(quantity, lacking) for quantity in quantities]
    told = text_side(tools, planned, case.brief.instruction, settings)
    facts: dict[str, Fact] = {
        "shots": count,
        **tools.used(ROLE).facts,
        "sampling": settings["sampling"],
        **told.facts,
    }
    if told.whole is None:
        why = told.reason or "constant_profile: the texts have no mean direction"
        return [unscored(quantity, why, facts=facts) for quantity in quantities]
    sampling = cast("Sampling", settings["sampling"])
    return [
        _one(quantity, form, _film_side(form, case, planned, told, sampling), told, planned, facts)
        for form, quantity in of.items()
    ]


Side = tuple[NDArray[np.float64] | None, dict[str, Fact], str]
"""s^v (K,) or why there is none, and facts of how it came about."""


def _film_side(form: Form, case: MeasuredCase, planned: Spans, told: TextSide, sampling: Sampling) -> Side:
    assert case.tools is not None
    if form == "dsa":
        found = clips(case.tools, [whole(case)], sampling)
        facts: dict[str, Fact] = {"padded": bool(found.padded)}
        if found.unread:
            return None, facts, "no picture of the film can be read"
        return told.shots @ found.vectors[0], facts, ""
    if form == "shot" and planned.spans is None:
        return None, {}, planned.reason
    spans, source = shot_spans(case, planned)
    found = clips(case.tools, spans, sampling)
    facts = {
        "spans": source,
        "film_shots": len(spans),
        "film_shots_black": sum(black_of(case, spans)),
        **_padded(found),
    }
    if found.unread:
        where = ", ".join(f"{spans[i][0]:.2f} to {spans[i][1]:.2f} s" for i in found.unread[:MOST_EVIDENCE])
        return None, facts, f"no picture can be read in {len(found.unread)} of {len(spans)} shots: {where}"
    if form == "shot":
        return np.einsum("kd,kd->k", told.shots, found.vectors), facts, ""
    mean = pooled(found.vectors)
    if mean is None:
        return None, facts, "constant_profile: the shots have no mean direction"
    return told.shots @ mean, facts, ""


def _padded(found: Clips) -> dict[str, Fact]:
    return {"padded_shots": ", ".join(str(i + 1) for i in found.padded)} if found.padded else {}


def _one(
    quantity: Quantity,
    form: Form,
    side: Side,
    told: TextSide,
    planned: Spans,
    shared: Mapping[str, Fact],
) -> Measurement:
    profile, own, reason = side
    facts: dict[str, Fact] = {"form": form, **shared, **own}
    if profile is None:
        return unscored(quantity, reason, facts=facts)
    correlation = rho(told.profile, profile)
    if correlation is None:
        which = "texts to the whole text" if rho(told.profile, told.profile) is None else "texts to the film"
        why = f"constant_profile: the likeness of the {which} is the same for all shots"
        return unscored(quantity, why, facts=facts)
    evidence = _evidence(form, told.profile, profile, planned)
    return scored(quantity, share(correlation), evidence=evidence, facts={**facts, "rho": correlation})


def _evidence(
    form: Form, text: NDArray[np.float64], film: NDArray[np.float64], planned: Spans
) -> list[Evidence]:
    """Where the planned shots lie whose ranks differ most; nothing where that is not known."""
    if planned.spans is None:
        return []
    count = len(text)
    in_text, in_film = (count + 1 - ranks(profile) for profile in (text, film))
    to_what = "to its own stretch of the film" if form == "shot" else "to the film"
    found = []
    for i in farthest(text, film, MOST_EVIDENCE):
        start, end = planned.spans[i]
        name = f"planned shot {planned.shots[i].index + 1}"
        what = (
            f"{name}: of {count} texts its own is number {in_text[i]:g} in likeness to the whole text, "
            f"number {in_film[i]:g} in likeness {to_what}"
        )
        found.append(Evidence(start=start, end=end, what=what, about=name))
    return found


dsa = DsaEvaluator()
