"""``pairwise.text``: descriptions of both films, written without the brief, are compared with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import Template
from typing import Annotated

from pydantic import Field

from ...core.brief import Brief
from ...core.evaluator import Card, MeasuredCase, Preference, Setting
from ...core.judge import Frame, Material, Outline, Question, Questioning
from ..shared.bounds import outlined
from ..shared.judged import prompt, why_not
from ..shared.measured import lacks
from ..shared.replies import record
from ..shared.showing import chosen, even, most, seen
from ..shared.spans import Span, measured_spans, planned_spans
from ..shared.wished import materials_of
from .answers import (
    MOST_PLACES,
    answer_in_clips,
    aspect_and_facts,
    nothing_to_compare,
    preferred,
    spots_in_clips,
    undecided,
)
from .aspects import Aspect, longest

NAME = "pairwise.text"
DESCRIBE = "pairwise.describe"
PROMPTS = tuple(prompt(__file__, name) for name in ("describe", "compare"))
LONGEST = 1000
"""Signs of the description of one clip: some 160 words, a few more than a caption of Vript. A judgement."""
HEAD = len("clip 9999, 99999.99-99999.99 s: \n")
"""Signs of the line's head before a description, at most."""
LABELS = ("descriptions of film 1", "descriptions of film 2")


@dataclass(frozen=True)
class TextPair:
    """One description for each clip of both films by a judge that is told neither the brief nor the aspect
    nor which film it is, then one question without pictures."""

    card: Card
    ordered: bool = True

    def prefer(self, first: MeasuredCase, second: MeasuredCase) -> Preference:
        """The film that the judge names. Facts are the clips of each film, what they are (``planned`` or
        ``found`` shots), of how many (``of_1``, ``of_2``), pictures of a clip at most (``frames``), the
        aspect as told, the hash of the prompts, who judged, and a reply that was no answer."""
        aspect, facts = aspect_and_facts(first, *PROMPTS)
        if (why := nothing_to_compare(first, second)) is not None:
            return undecided(why, facts)
        a, b = first.questioning, second.questioning
        assert a is not None
        assert b is not None
        if first.brief is None or not materials_of(first.brief):
            why = "descriptions are compared with a brief, and there is none that asks for anything"
            return undecided(why, facts)
        count = int(first.settings["clips"])
        source, found = _clips(first, second)
        if source == "found" and (bad := lacks(first, "shots") or lacks(second, "shots")) is not None:
            return undecided(bad, facts)
        clips = tuple(chosen(spans, count) for spans in found)
        frames = most(a, int(first.settings["frames"]))
        facts |= {
            "clips": source,
            "clips_1": len(clips[0]),
            "clips_2": len(clips[1]),
            "of_1": len(found[0]),
            "of_2": len(found[1]),
            "frames": frames,
        }
        asked = [_shown(by, spans, frames) for by, spans in zip((a, b), clips, strict=True)]
        for n, questions in enumerate(asked, 1):
            if dark := [i for i, one in enumerate(questions, 1) if not one.frames]:
                return undecided(f"no picture of clip {dark[0]} of film {n} could be decoded", facts)
        verdicts = a.asker.ask([*asked[0], *asked[1]])
        if any(v.value is None for v in verdicts):
            return undecided(f"not every clip is described: {why_not(verdicts)}", facts, verdicts)
        said = [str(v.value["description"]) for v in verdicts if v.value is not None]
        texts = said[: len(clips[0])], said[len(clips[0]) :]
        told = tuple(listed(spans, words) for spans, words in zip(clips, texts, strict=True))
        last = a.asker.ask([comparison(aspect, first.brief, (told[0], told[1]))])[0]
        if last.value is None:
            return undecided(why_not([last]), facts, [*verdicts, last])
        return preferred(last, spots_in_clips(last.value, (clips[0], clips[1])), facts, verdicts)

    def outline(self, brief: Brief | None, duration: float, settings: Mapping[str, Setting]) -> Outline:
        """A description for as many clips as are allowed of each film, and the comparison."""
        if brief is None or not materials_of(brief):
            return Outline()
        count, frames = int(settings["clips"]), int(settings["frames"])
        each = outlined(description(()), times=2 * count, pictures=frames)
        signs = 2 * count * (LONGEST + HEAD)
        return each + outlined(comparison(longest(), brief, ("", "")), signs=signs)


def description(frames: tuple[Frame, ...]) -> Question:
    """What is to be seen in one clip: the same question for every clip of every film."""
    return Question(
        id=DESCRIBE,
        text=Template(PROMPTS[0]).substitute(most=LONGEST),
        answer=record(DESCRIBE, description=Annotated[str, Field(min_length=1, max_length=LONGEST)]),
        frames=frames,
    )


def comparison(aspect: Aspect, brief: Brief, told: tuple[str, str]) -> Question:
    """Which film is better by the descriptions of both."""
    own = tuple(Material(label, text) for label, text in zip(LABELS, told, strict=True))
    return Question(
        id=NAME,
        text=Template(PROMPTS[1]).substitute(aspect=aspect.id, about=aspect.about, most=MOST_PLACES),
        answer=answer_in_clips(NAME),
        materials=(*materials_of(brief), *own),
        most_tokens=1200,
    )


def listed(spans: Sequence[Span], texts: Sequence[str]) -> str:
    """Descriptions in order, a line each, with the number and place of the clip."""
    lines = (
        f"clip {n}, {start:.2f}-{end:.2f} s: {' '.join(text.split())}"
        for n, ((start, end), text) in enumerate(zip(spans, texts, strict=True), 1)
    )
    return "\n".join(lines)


def _shown(asked: Questioning, spans: Sequence[Span], frames: int) -> list[Question]:
    return [description(seen(asked, even(*span, frames))) for span in spans]


def _clips(first: MeasuredCase, second: MeasuredCase) -> tuple[str, tuple[list[Span], list[Span]]]:
    """The clips of both films, cut in one way: as planned where that is known of both, else as found."""
    planned = [planned_spans(case).spans for case in (first, second)]
    if planned[0] is not None and planned[1] is not None:
        return "planned", (list(planned[0]), list(planned[1]))
    return "found", (measured_spans(first), measured_spans(second))
