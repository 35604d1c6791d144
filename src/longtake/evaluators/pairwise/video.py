"""``pairwise.video``: a judge sees pictures of both films and chooses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from string import Template

from ...core.brief import Brief
from ...core.evaluator import Card, MeasuredCase, Preference, Setting
from ...core.judge import Frame, Outline, Question
from ..shared.bounds import outlined
from ..shared.judged import prompt, why_not
from ..shared.showing import chosen, even, most, seen
from ..shared.spans import whole
from ..shared.wished import materials_of
from .answers import (
    MOST_PLACES,
    answer_in_spans,
    aspect_and_facts,
    nothing_to_compare,
    preferred,
    spots_in_spans,
    undecided,
)
from .aspects import Aspect, longest

NAME = "pairwise.video"
PROMPTS = tuple(prompt(__file__, name) for name in ("video", "briefed", "unbriefed"))


@dataclass(frozen=True)
class VideoPair:
    """Both films in as many pictures, evenly spread by time, first those of the first film."""

    card: Card
    ordered: bool = True

    def prefer(self, first: MeasuredCase, second: MeasuredCase) -> Preference:
        """The film that the judge names. Facts are the pictures of each film (``frames``), the aspect as the
        judge was told it, the hash of the prompts, who judged, and the reply where it was no answer."""
        aspect, facts = aspect_and_facts(first, *PROMPTS)
        if (why := nothing_to_compare(first, second)) is not None:
            return undecided(why, facts)
        a, b = first.questioning, second.questioning
        assert a is not None
        assert b is not None
        if aspect.wish and (first.brief is None or not materials_of(first.brief)):
            why = f"{aspect.id} is about what a brief asks for, and there is none that asks for anything"
            return undecided(why, facts)
        count = most(a, int(first.settings["frames"]), films=2)
        if count < 1:
            return undecided("two films need two pictures beside a question, and one is allowed", facts)
        films = whole(first), whole(second)
        shown = seen(a, even(*films[0], count)), seen(b, even(*films[1], count))
        each = min(map(len, shown))
        if each == 0:
            dark = "1" if not shown[0] else "2"
            return undecided(f"no picture of film {dark} could be decoded", facts)
        facts["frames"] = each
        frames = [
            replace(frame, film=f"film {n}")
            for n, side in enumerate(shown, 1)
            for frame in chosen(side, each)
        ]
        verdict = a.asker.ask([question(aspect, first.brief, each, tuple(frames))])[0]
        if verdict.value is None:
            return undecided(why_not([verdict]), facts, [verdict])
        return preferred(verdict, spots_in_spans(verdict.value, films), facts)

    def outline(self, brief: Brief | None, duration: float, settings: Mapping[str, Setting]) -> Outline:
        """One question with all pictures of both films."""
        each = int(settings["frames"])
        return outlined(question(longest(), brief, each), pictures=2 * each)


def question(aspect: Aspect, brief: Brief | None, each: int, frames: tuple[Frame, ...] = ()) -> Question:
    """The question about two films with ``each`` pictures of each."""
    asked, briefed, unbriefed = PROMPTS
    materials = materials_of(brief) if brief is not None else ()
    return Question(
        id=NAME,
        text=Template(asked).substitute(
            each=each,
            aspect=aspect.id,
            about=aspect.about,
            brief=briefed if materials else unbriefed,
            most=MOST_PLACES,
        ),
        answer=answer_in_spans(NAME),
        frames=frames,
        materials=materials,
        most_tokens=1200,
    )
