"""Rule and judge beside each other: one has authority, the other is evidence. They are never blended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ..core.documents import OtherOpinion
from ..core.judgement import ConfidenceParts
from ..core.measurement import Evidence
from .confidence import agree, confidence, seconded

Method = Literal["rule", "judge"]
AUTHORITY: dict[str, Method] = {"measured": "rule", "judged": "judge"}


@dataclass(frozen=True)
class Opinion:
    """What one source says: a value in [0, 1], where it is to be seen, and how sure the source is."""

    method: Method
    value: float
    evidence: Sequence[Evidence]
    parts: ConfidenceParts


@dataclass(frozen=True)
class Decision:
    """The opinion that counts, how sure it is with the other one heard, and the other one.

    ``stands_in`` tells that the source that has authority gave none.
    """

    opinion: Opinion
    confidence: float
    parts: ConfidenceParts
    stands_in: bool
    other: OtherOpinion | None


def decide(authority: str, opinions: Sequence[Opinion]) -> Decision | None:
    """The opinion of the source that has authority, else of the one that stands in for it, less sure.

    ``None`` where no source gave a value.
    """
    by_method = {o.method: o for o in opinions}
    entitled = AUTHORITY[authority]
    opinion = by_method.get(entitled) or next(iter(by_method.values()), None)
    if opinion is None:
        return None
    second = next((o for o in opinions if o is not opinion), None)
    agrees = agree(opinion.value, second.value) if second is not None else None
    parts = seconded(opinion.parts, agrees)
    other = None
    if second is not None and agrees is not None:
        other = OtherOpinion(
            method=second.method,
            value=second.value,
            confidence=confidence(second.parts, stands_in=second.method != entitled),
            agrees=agrees,
        )
    stands_in = opinion.method != entitled
    return Decision(opinion, confidence(parts, stands_in=stands_in), parts, stands_in, other)
