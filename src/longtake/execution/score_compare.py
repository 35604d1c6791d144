"""Two films beside each other: by their scores, or by an evaluator that was shown both."""

from __future__ import annotations

from typing import Literal

from pydantic import FiniteFloat

from ..core.evaluator import CUT_OFF, Choice, Order, Preference
from ..core.measurement import Measurement
from ..core.scores import PairResult

_OTHER: dict[Choice | None, Choice | None] = {"a": "b", "b": "a", "tie": "tie", None: None}


def compared(pair: str, evaluator: str, a: Measurement, b: Measurement) -> PairResult:
    """The preference that two measurements give: the better one wins, equal ones tie.

    Where a judge did not answer all about one of the films, the facts say so.
    """
    scores = []
    for side, found in (("a", a), ("b", b)):
        if found.value is None:
            return unanswered(pair, evaluator, "ab", f"{side}: {found.reason}", a, b)
        if found.higher_is_better is None:
            return unanswered(pair, evaluator, "ab", f"neither end of {found.name} is better", a, b)
        scores.append(found.value if found.higher_is_better else -found.value)
    first, second = scores
    return PairResult(
        pair=pair,
        evaluator=evaluator,
        order="ab",
        choice="tie" if first == second else "a" if first > second else "b",
        status="scored",
        reason=None,
        evidence=b.evidence,
        evidence_a=a.evidence,
        score_a=first,
        score_b=second,
        facts=_cut_off(a, b),
    )


def _cut_off(a: Measurement, b: Measurement) -> dict[str, FiniteFloat | int | str | bool | None]:
    told = [f"{side}: {m.facts[CUT_OFF]}" for side, m in (("a", a), ("b", b)) if m.facts.get(CUT_OFF)]
    return {CUT_OFF: "; ".join(told)} if told else {}


def unanswered(
    pair: str,
    evaluator: str,
    order: Order,
    reason: str,
    a: Measurement | None = None,
    b: Measurement | None = None,
) -> PairResult:
    """No preference, with the reason."""
    status: Literal["unscored"] = "unscored"
    return PairResult(
        pair=pair,
        evaluator=evaluator,
        order=order,
        choice=None,
        status=status,
        reason=reason,
        evidence=b.evidence if b is not None else [],
        evidence_a=a.evidence if a is not None else [],
    )


def turned_back(answer: Preference) -> Preference:
    """The answer of somebody who was shown b first, in terms of the films."""
    return answer.model_copy(
        update={
            "order": "ba",
            "choice": _OTHER[answer.choice],
            "evidence": answer.evidence_a,
            "evidence_a": answer.evidence,
        }
    )
