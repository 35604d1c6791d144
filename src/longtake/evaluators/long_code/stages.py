"""The three questions of Long-CODE's MLLM part: describe each shot, think, score (long-code.md, 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import Template
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, FiniteFloat, create_model

from ...core.bank import HIGHEST, LOWEST, Reference
from ...core.brief import PlannedShot
from ...core.judge import Frame, Material, Question
from ...core.model import Record
from ..shared.judged import hash_of, prompt
from ..shared.replies import record
from ..shared.showing import chosen
from ..shared.spans import Span

Perspective = Literal["visual_richness", "temporal_transition", "consistency", "logic"]
PERSPECTIVES: tuple[Perspective, ...] = get_args(Perspective)
TEMPERATURES = (0.3, 0.4, 0.5)
"""Of the rounds (the paper, 4.2)."""
MOST_DESCRIPTION = 1200
"""Signs of a description: the 120 words that are asked for, with room. A judgement."""
MOST_SUMMARY, MOST_FOUND, MOST_WHAT = 2000, 800, 300
"""Signs of an analysis' summary, of what was found in one of the four ways, and of one error. Judgements."""
MOST_ERRORS = 20
"""Errors that an analysis may name. A judgement."""
CAPTION_TOKENS, THINK_TOKENS, SCORE_TOKENS = 500, 2500, 600
"""Tokens that a reply may have."""
PROMPTS = ("caption", "think", "score", "references")


def prompts_hash() -> str:
    """Stands for the words of all questions."""
    return hash_of(*(prompt(__file__, name) for name in PROMPTS))


def caption(number: int, span: Span, frames: Sequence[Frame]) -> Question:
    """What is to be seen in a shot, which is number ``number`` from 1; its prompt is not told."""
    name = f"long-code.caption.{number}"
    return Question(
        id=name,
        text=_words(
            "caption", pictures=_counted(len(frames)), start=f"{span[0]:.1f}", end=f"{span[1]:.1f}", id=name
        ),
        answer=record(name, description=_text(MOST_DESCRIPTION)),
        frames=tuple(frames),
        most_tokens=CAPTION_TOKENS,
    )


def think(shots: int, materials: Sequence[Material]) -> Question:
    """What of the descriptions of ``shots`` shots goes against their prompts, and against each other. A
    question without pictures."""
    name = "long-code.think"
    return Question(
        id=name,
        text=_words("think", shots=str(shots), id=name),
        answer=record(
            name,
            **{way: _text(MOST_FOUND) for way in PERSPECTIVES},
            errors=Annotated[list[_error(shots)], Field(max_length=MOST_ERRORS)],  # type: ignore[misc]
            summary=_text(MOST_SUMMARY),
        ),
        materials=tuple(materials),
        most_tokens=THINK_TOKENS,
    )


def score(
    draw: int,
    frames: Sequence[Frame],
    materials: Sequence[Material],
    references: Sequence[Reference],
    shown: int,
) -> Question:
    """A score from 1 to 5 beside ``references``, of each of which ``shown`` pictures are shown."""
    name = "long-code.score"
    own = [Frame(f.time, f.jpeg, f.width, f.height, film="the film to score") for f in frames]
    theirs = [f for i, r in enumerate(references, 1) for f in _pictures(r, f"reference {i}", shown)]
    told = [Material(f"reference {i}", _reference(r)) for i, r in enumerate(references, 1)]
    beside = ""
    if references:
        pictures = ", and a few of its pictures" if theirs else ""
        beside = "\n\n" + _words("references", count=str(len(references)), shown=pictures)
    also = f", and after them {_counted(len(theirs))} of other films" if theirs else ""
    return Question(
        id=name,
        text=_words(
            "score",
            pictures=_counted(len(own)),
            pictures_of_references=also,
            references=beside,
            id=name,
        ),
        answer=record(
            name,
            score=Annotated[FiniteFloat, Field(ge=LOWEST, le=HIGHEST)],
            reason=_text(1500),
        ),
        frames=(*(own if theirs else frames), *theirs),
        materials=(*materials, *told),
        temperature=TEMPERATURES[draw],
        draw=draw,
        most_tokens=SCORE_TOKENS,
    )


def meant(shots: Sequence[PlannedShot], spans: Sequence[Span] | None) -> Material:
    """C: the texts of the planned shots, with the time of each where it is known."""
    places = [f" ({a:.1f} to {b:.1f} s)" for a, b in spans] if spans is not None else [""] * len(shots)
    lines = [
        f"planned shot {shot.index + 1}{place}: {shot.text.strip()}"
        for shot, place in zip(shots, places, strict=True)
    ]
    return Material("brief: the shots", "\n".join(lines))


def seen(spans: Sequence[Span], descriptions: Sequence[str]) -> Material:
    """C-hat: what was seen in each shot of the film."""
    lines = [
        f"shot {i} ({a:.1f} to {b:.1f} s): {text}"
        for i, ((a, b), text) in enumerate(zip(spans, descriptions, strict=True), 1)
    ]
    return Material("descriptions of the shots", "\n".join(lines))


def analysis(thought: Mapping[str, Any]) -> Material:
    """T: what came of the second question."""
    return Material("analysis", written(thought))


def written(thought: Mapping[str, Any]) -> str:
    """An analysis as text: the four ways, the errors with their shots, the summary."""
    errors = [
        f"- shots {', '.join(map(str, e['shots']))} ({e['perspective'].replace('_', ' ')}): {e['what']}"
        for e in thought["errors"]
    ]
    ways = [f"{way.replace('_', ' ')}: {thought[way]}" for way in PERSPECTIVES]
    return "\n".join([*ways, "errors:", *(errors or ["- none"]), f"summary: {thought['summary']}"])


def _reference(reference: Reference) -> str:
    return f"people's score: {reference.score:.2f}\n{reference.summary}"


def _pictures(reference: Reference, name: str, most: int) -> list[Frame]:
    return [Frame(p.time, p.bytes, p.width, p.height, film=name) for p in chosen(reference.pictures, most)]


def _error(shots: int) -> type[Record]:
    number = Annotated[int, Field(ge=1, le=shots)]
    return create_model(
        "Error",
        __base__=Record,
        shots=(Annotated[list[number], Field(min_length=1, max_length=12)], ...),
        perspective=(Perspective, ...),
        what=(_text(MOST_WHAT), ...),
    )


def _text(longest: int) -> Any:
    return Annotated[str, Field(min_length=1, max_length=longest)]


def _words(name: str, **places: str) -> str:
    return Template(prompt(__file__, name)).substitute(places)


def _counted(pictures: int) -> str:
    return "one picture" if pictures == 1 else f"{pictures} pictures"
