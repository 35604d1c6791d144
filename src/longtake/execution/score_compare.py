"""Two films beside each other: by their scores, or by an evaluator that was shown both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ..core.evaluator import Choice, Order, Preference
from ..core.measurement import Measurement
from ..core.scores import PairResult

_OTHER: dict[Choice | None, Choice | None] = {"a": "b", "b": "a", "tie": "tie", None: None}


def compared(pair: str, evaluator: str, a: Sequence[Measurement], b: Sequence[Measurement]) -> PairResult:
    """The preference that the first measurement of each film gives: the better one wins, equal ones tie."""
    scores = []
    for side, found in (("a", a), ("b", b)):
        if not found:
            return unanswered(pair, evaluator, "ab", "it gives no score")
        if found[0].value is None:
            return unanswered(pair, evaluator, "ab", f"{side}: {found[0].reason}", a, b)
        if found[0].higher_is_better is None:
            return unanswered(pair, evaluator, "ab", f"neither end of {found[0].name} is better", a, b)
        scores.append(found[0].value if found[0].higher_is_better else -found[0].value)
    first, second = scores
    return PairResult(
        pair=pair,
        evaluator=evaluator,
        order="ab",
        choice="tie" if first == second else "a" if first > second else "b",
        status="scored",
        reason=None,
        evidence=b[0].evidence,
        evidence_a=a[0].evidence,
        score_a=first,
        score_b=second,
    )


def unanswered(
    pair: str,
    evaluator: str,
    order: Order,
    reason: str,
    a: Sequence[Measurement] = (),
    b: Sequence[Measurement] = (),
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
        evidence=b[0].evidence if b else [],
        evidence_a=a[0].evidence if a else [],
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
