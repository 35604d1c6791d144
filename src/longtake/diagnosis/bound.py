"""The most that a judge may be asked about a film that nobody has measured yet: from its brief alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..core.brief import Brief
from ..core.documents import VideoEntry
from ..core.judge import Material, Question
from ..core.model import Record
from ..core.signal import Signals
from .content import SHOWN
from .facts import Facts
from .lacking import lacking
from .material import CANDIDATES, MEASURED, MOST_CHARACTERS, TOOL_LABELS, materials_for, planned_text
from .plan import make_plan
from .questions import leveled, of_content, of_shot, of_wishes
from .rubric import Ask, Checkpoint, ReportMetricSpec, Rubric
from .rules import REPORT_RULES, RULES
from .views import BURST, PER_SHOT
from .wished import FIDELITY, MOST_SHOTS, WISHES, wishes_of
from .work import CROSS_MODAL

LATER = (MEASURED, CANDIDATES)
"""Labels of materials that are known only once rules and specialists have spoken."""
LONGEST_S = 99_999.0
"""Stands for the length of a film, which is written in the question: more than a day."""
PLACE = 40
"""Bytes that a line of the planned shots may grow by when it says where the shot was found."""


@dataclass(frozen=True)
class Sketch:
    """A question that cannot be written yet: how many pictures go with it, the labels of its texts, and how
    many bytes its words and its schema come to, each at most; ``draws`` times."""

    pictures: int
    labels: tuple[str, ...]
    words: int
    most_tokens: int
    draws: int = 1


def most_asked(
    rubric: Rubric,
    briefs: Sequence[Brief | None],
    *,
    draws: int,
    most_pictures: int,
    most_of_content: int,
) -> list[Sketch]:
    """What may be asked about films with these briefs, but for their summaries.

    All gates are taken for open and all signals for there; a text that is not known yet counts as long as it
    may become.
    """
    items: list[Checkpoint | ReportMetricSpec] = [*rubric.checkpoints, *rubric.report_metrics]
    about = [(a, a.ask) for a in items if a.ask is not None]
    plain = [(a, ask) for a, ask in about if a.id not in (FIDELITY, WISHES)]
    bare = {a.id: leveled(a, _facts(None), (), (), candidates=True) for a, _ in plain}
    # A question of few pictures may have one for a span that a tool points at beside a short run.
    pictures = max(most_pictures, BURST + 1)
    found = []
    for brief in briefs:
        facts = _facts(brief)
        found.append(_sketch(of_content(facts, (), ()), most_of_content, SHOWN, facts))
        for a, ask in about:
            if lacking([need for need in ask.must if need.startswith("a brief")], facts):
                continue
            if a.id == FIDELITY and isinstance(a, ReportMetricSpec):
                found += _shots(a, ask, facts, draws)
            elif a.id == WISHES and isinstance(a, ReportMetricSpec):
                found += _wishes(a, ask, facts, most_pictures)
            elif a.id in bare:
                shown = 0 if ask.frames == "none" else pictures
                ruled = a.id in RULES or a.id in REPORT_RULES
                later = [
                    *([MEASURED] if ruled else []),
                    *([CANDIDATES] if a.dimension in CROSS_MODAL else []),
                ]
                found.append(_sketch(bare[a.id], shown, ask, facts, later, draws=draws))
    return found


def _shots(spec: ReportMetricSpec, ask: Ask, facts: Facts, draws: int) -> Iterator[Sketch]:
    shots = [shot for shot in facts.brief.shots if shot.text.strip()] if facts.brief else []
    if not shots:
        return
    question = of_shot(spec, len(shots), facts, (), ())
    longest = max((planned_text(shot, facts) for shot in shots), key=lambda text: len(text.encode()))
    own = Material("brief: this shot", longest)
    for _ in shots[:MOST_SHOTS]:
        yield _sketch(question, PER_SHOT, ask, facts, more=(own,), draws=draws)


def _wishes(spec: ReportMetricSpec, ask: Ask, facts: Facts, most_pictures: int) -> Iterator[Sketch]:
    wishes = wishes_of(facts)
    if wishes:
        question = of_wishes(spec, len(wishes), facts, (), ())
        listed = Material("wishes", "\n".join(wishes))
        yield _sketch(question, most_pictures, ask, facts, more=(listed,))


def _sketch(
    question: Question,
    pictures: int,
    ask: Ask,
    facts: Facts,
    later: Sequence[str] = (),
    *,
    more: Sequence[Material] = (),
    draws: int = 1,
) -> Sketch:
    known = [*more, *materials_for(Ask(frames=ask.frames, brief=ask.brief, tools=()), facts, None)]
    unknown = [*(TOOL_LABELS[tool] for tool in ask.tools), *later]
    words = _bytes(question) + _written(known) + len(unknown) * (MOST_CHARACTERS + PLACE)
    labels = (*(m.label for m in known), *unknown)
    return Sketch(pictures, labels, words, question.most_tokens, draws)


def _bytes(question: Question) -> int:
    return len(question.prompt.encode()) + len(json.dumps(question.schema).encode())


def _written(materials: Iterable[Material]) -> int:
    """Bytes of these materials in a question."""
    given = tuple(materials)
    lines = sum(m.text.count("\n") + 1 for m in given)
    return len(Question("", "", Record, materials=given).prompt.encode()) + PLACE * lines


def _facts(brief: Brief | None) -> Facts:
    """What is known before anything was looked at: the brief."""
    film = VideoEntry(
        path="",
        hash="",
        kind="file",
        duration=LONGEST_S,
        frames=0,
        width=None,
        height=None,
        fps=None,
        audio=True,
    )
    return Facts(Signals({}, []), film, brief, make_plan(brief, [], part=None, duration=LONGEST_S), {})
