"""What a judge says to a pair, and what that comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from ...core.evaluator import Choice, MeasuredCase, Preference
from ...core.judge import Verdict
from ...core.measurement import Evidence
from ...core.model import Record
from ..shared.black import black_film
from ..shared.judged import NO_JUDGE, facts_of, hash_of
from ..shared.measured import Fact
from ..shared.replies import Spot, evidence_of, record, reply_of
from ..shared.spans import Span
from .aspects import Aspect, aspect_of

OTHER_BRIEF = "the two films have different briefs, and it compares two films of one"
MOST_PLACES = 8
"""Places that a judge may point at in one answer. A judgement."""
Which = Literal["1", "2"]
What = Annotated[str, Field(min_length=1, max_length=300)]


class FilmSpot(Spot):
    """A place in one of the two films."""

    film: Which
    what: What


class Clip(Record):
    """A clip of one of the two films, by its number from 1."""

    film: Which
    clip: int
    what: What


def answer_in_spans(name: str) -> type[Record]:
    """The reply of a judge that saw pictures: exactly "1" or "2", and places that decided it."""
    return record(name, spans=Annotated[list[FilmSpot], Field(max_length=MOST_PLACES)], answer=Which)


def answer_in_clips(name: str) -> type[Record]:
    """The reply of a judge that read descriptions."""
    return record(name, clips=Annotated[list[Clip], Field(max_length=MOST_PLACES)], answer=Which)


def choice_of(answer: str) -> Choice:
    """The film that "1" or "2" means. Raises ``KeyError`` for anything else."""
    choices: dict[str, Choice] = {"1": "a", "2": "b"}
    return choices[answer]


def spots_in_spans(value: Mapping[str, Any], films: tuple[Span, Span]) -> tuple[list[Evidence], ...]:
    """Places in the first and in the second film."""
    spots = [FilmSpot.model_validate(one) for one in value["spans"]]
    return tuple(
        evidence_of([spot for spot in spots if spot.film == which], film)
        for which, film in zip(("1", "2"), films, strict=True)
    )


def spots_in_clips(
    value: Mapping[str, Any], clips: tuple[Sequence[Span], Sequence[Span]]
) -> tuple[list[Evidence], ...]:
    """The same of clips by number; a number that no clip has is left out."""
    named = [Clip.model_validate(one) for one in value["clips"]]
    return tuple(
        [
            Evidence(start=spans[one.clip - 1][0], end=spans[one.clip - 1][1], what=one.what)
            for one in sorted(named, key=lambda one: one.clip)
            if one.film == which and 1 <= one.clip <= len(spans)
        ]
        for which, spans in zip(("1", "2"), clips, strict=True)
    )


def preferred(
    verdict: Verdict,
    found: tuple[list[Evidence], ...],
    facts: Mapping[str, Fact],
    others: Sequence[Verdict] = (),
) -> Preference:
    """The preference that a verdict with a value is; ``others`` are those it rests on."""
    assert verdict.value is not None
    first, second = found
    return Preference(
        status="scored",
        choice=choice_of(verdict.value["answer"]),
        evidence_a=first,
        evidence=second,
        facts={**facts, **facts_of([*others, verdict])},
    )


def aspect_and_facts(case: MeasuredCase, *prompts: str) -> tuple[Aspect, dict[str, Fact]]:
    """The aspect as the judge is told it, and the facts of every answer: its id and the hash of the words."""
    aspect = aspect_of(case.aspect)
    return aspect, {"aspect": aspect.id, "prompts": hash_of(*prompts, aspect.about)}


def nothing_to_compare(first: MeasuredCase, second: MeasuredCase) -> str | None:
    """Why a judge cannot be asked about these two films, whatever it is shown; ``None`` where it can."""
    if first.questioning is None or second.questioning is None:
        return NO_JUDGE
    if first.brief != second.brief:
        return OTHER_BRIEF
    return black_side(first, second)


def black_side(first: MeasuredCase, second: MeasuredCase) -> str | None:
    """Why there is nothing to compare: one of the films is all black; ``None`` where neither is."""
    for n, case in enumerate((first, second), 1):
        if (why := black_film(case)) is not None:
            return f"film {n}: {why}"
    return None


def undecided(reason: str, facts: Mapping[str, Fact], verdicts: Sequence[Verdict] = ()) -> Preference:
    """No preference. The first reply that is no answer is kept beside the reason."""
    said = next((kept for v in verdicts if (kept := reply_of(v))), {})
    told = facts_of(verdicts) if verdicts else {}
    return Preference(status="unscored", reason=reason, facts={**facts, **told, **said})
