"""The texts that a brief wants in the picture, and where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...briefs.onscreen import quoted_texts, readable
from ...core.brief import Brief
from ...core.evaluator import MeasuredCase
from ..shared.spans import Span, planned_spans, whole
from .matching import normal

WHOLE = "the whole film"


@dataclass(frozen=True)
class Wanted:
    """A text, where it is looked for, and whose wish it is. ``placed`` is false where it is a shot's that
    could not be placed, so that it is looked for everywhere."""

    text: str
    span: Span
    whose: str
    placed: bool = True

    @property
    def readable(self) -> bool:
        """Whether the reader knows its letters."""
        return readable(self.text)


def wanted_texts(case: MeasuredCase) -> list[Wanted]:
    """The texts that the shots ask for, each once a shot, and those that only the instruction asks for."""
    assert case.brief is not None
    planned = planned_spans(case)
    spans = dict(zip((s.index for s in planned.shots), planned.spans, strict=True)) if planned.spans else {}
    found: dict[tuple[int | None, str], Wanted] = {}
    for index, text in _asked(case.brief):
        if index is None:
            if all(text != other for _, other in found):
                found[None, text] = Wanted(text, whole(case), WHOLE)
        else:
            name, span = f"planned shot {index + 1}", spans.get(index)
            found[index, text] = Wanted(text, span or whole(case), name, span is not None)
    return list(found.values())


def _asked(brief: Brief) -> Iterator[tuple[int | None, str]]:
    for shot in brief.shots:
        for text in quoted_texts(shot.text):
            yield shot.index, normal(text)
    for text in quoted_texts(brief.instruction or ""):
        yield None, normal(text)
