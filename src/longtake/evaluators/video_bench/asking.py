"""What ``video-bench`` asks a judge: describe, question, score."""

from __future__ import annotations

from collections.abc import Sequence
from string import Template
from typing import Annotated, Any

from pydantic import Field

from ...core.brief import Brief
from ...core.judge import Frame, Material, Question
from ..shared.judged import prompt
from ..shared.replies import Spot, record
from ..shared.wished import materials_of
from .dimensions import Dimension

NAME = "video-bench"
DESCRIBE, ASK, APPLIES, SCORE, CHAINED = (
    prompt(__file__, name) for name in ("describe", "question", "applies", "score", "chained")
)
LONGEST_DESCRIPTION, LONGEST = 2500, 300
"""Signs of a description; of a question, of an answer, and of what is said of a place. Judgements."""
MOST_QUESTIONS, MOST_SPANS = 3, 5
"""Questions about a dimension, and places that are pointed at. Judgements."""
DESCRIPTION, QUESTIONS = "description", "questions"
HOW = {
    "even": "spread evenly from its beginning to its end",
    "runs": "in short runs half a second apart, the runs spread evenly from its beginning to its end",
}
Line = Annotated[str, Field(min_length=1, max_length=LONGEST)]


class Seen(Spot):
    """A place in the film."""

    what: Line


def description(frames: tuple[Frame, ...]) -> Question:
    """What is to be seen in the film; nothing of the brief is told."""
    name = f"{NAME}.describe"
    text = Annotated[str, Field(min_length=1, max_length=LONGEST_DESCRIPTION)]
    return Question(
        id=name,
        text=Template(DESCRIBE).substitute(most=LONGEST_DESCRIPTION),
        answer=record(name, description=text),
        frames=frames,
        most_tokens=1400,
    )


def open_questions(dimension: Dimension, brief: Brief, described: str) -> Question:
    """What would settle a dimension and, where a brief may not ask for it, whether this one does."""
    name = f"{NAME}.question.{dimension.name}"
    fields: dict[str, Any] = {} if dimension.always else {"applies": bool}
    fields["questions"] = Annotated[list[Line], Field(max_length=MOST_QUESTIONS)]
    return Question(
        id=name,
        text=Template(ASK).substitute(
            about=dimension.about,
            most=MOST_QUESTIONS,
            applies="" if dimension.always else f"{APPLIES}\n",
            unless="" if dimension.always else "; none where it does not apply",
        ),
        answer=record(name, **fields),
        materials=(*materials_of(brief), Material(DESCRIPTION, described)),
    )


def scoring(
    dimension: Dimension,
    frames: tuple[Frame, ...],
    *,
    brief: Brief | None = None,
    described: str = "",
    questions: Sequence[str] = (),
) -> Question:
    """The value of a dimension; of one that is judged against the brief after its questions."""
    name = f"{NAME}.{dimension.name}"
    value = Annotated[int, Field(ge=1, le=len(dimension.levels))]
    fields: dict[str, Any] = {
        "reason": Annotated[str, Field(min_length=1, max_length=800)],
        "spans": Annotated[list[Seen], Field(max_length=MOST_SPANS)],
        "value": value | None,
    }
    materials: tuple[Material, ...] = ()
    if brief is not None:
        answers = Annotated[list[Annotated[str, Field(max_length=LONGEST)]], Field(max_length=MOST_QUESTIONS)]
        fields = {"answers": answers, **fields}
        listed = "\n".join(f"{n}. {' '.join(text.split())}" for n, text in enumerate(questions, 1))
        told = (Material(DESCRIPTION, described), Material(QUESTIONS, listed))
        materials = (*materials_of(brief), *told)
    return Question(
        id=name,
        text=Template(SCORE if brief is None else CHAINED).substitute(
            how=HOW[dimension.pictures],
            about=dimension.about,
            levels=dimension.numbered,
            examples=dimension.shots,
            spans=MOST_SPANS,
        ),
        answer=record(name, **fields),
        frames=frames,
        materials=materials,
        most_tokens=1200,
    )
