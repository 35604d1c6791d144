"""What a judge will be sent and what that may cost, told before the first call."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..core.judge import Judge, Question, Verdict
from .budget import Spending
from .worst_case import NONE, Tokens, worst_case

MOST_LABELS = 8
"""Labels of texts that are told one by one, those of which there are most first."""


@dataclass(frozen=True)
class Planned:
    """What is to be asked, or an upper bound of it.

    ``width`` and ``height`` are those of the largest picture in pixels, ``bytes`` what the pictures are
    together, ``labels`` how many texts there are of each label; ``tokens`` is at worst. ``kept`` questions
    more are known to be answered from earlier runs.
    """

    questions: int = 0
    pictures: int = 0
    width: int = 0
    height: int = 0
    bytes: int = 0
    labels: Mapping[str, int] = field(default_factory=dict)
    tokens: Tokens = NONE
    kept: int = 0

    @classmethod
    def of(cls, questions: Iterable[Question]) -> Planned:
        """Of these questions."""
        asked = list(questions)
        frames = [frame for question in asked for frame in question.frames]
        largest = max(frames, key=lambda f: f.width * f.height, default=None)
        return cls(
            questions=len(asked),
            pictures=len(frames),
            width=largest.width if largest else 0,
            height=largest.height if largest else 0,
            bytes=sum(len(frame.jpeg) for frame in frames),
            labels=Counter(m.label for question in asked for m in question.materials),
            tokens=sum(map(worst_case, asked), NONE),
        )

    def covers(self, other: Planned) -> bool:
        """Whether nothing in ``other`` goes beyond this."""
        return (
            other.questions <= self.questions
            and other.pictures <= self.pictures
            and other.width * other.height <= self.width * self.height
            and set(other.labels) <= set(self.labels)
        )

    def __add__(self, other: Planned) -> Planned:
        larger = max(self, other, key=lambda p: p.width * p.height)
        return Planned(
            self.questions + other.questions,
            self.pictures + other.pictures,
            larger.width,
            larger.height,
            self.bytes + other.bytes,
            Counter(self.labels) + Counter(other.labels),
            self.tokens + other.tokens,
            self.kept + other.kept,
        )


class Told:
    """Tells the user what a judge will be sent before it is, each thing once. Safe from several threads.

    ``kept`` gives the verdict that is kept for a question, if there is one; ``tell`` shows lines.
    """

    def __init__(
        self,
        judge: Judge,
        kept: Callable[[Question], Verdict | None],
        spending: Spending,
        tell: Callable[[str], None] | None,
    ) -> None:
        self._judge, self._kept, self._spending, self._tell = judge, kept, spending, tell
        self._lock = threading.Lock()
        self._plan: Planned | None = None
        self._told, self._sent = Planned(), Planned()

    def plan(self, planned: Planned) -> None:
        """What may be asked in all."""
        self._plan = planned

    def before(self, questions: Sequence[Question]) -> None:
        """These are about to be asked."""
        if self._tell is None:
            return
        with self._lock:
            fresh = [question for question in questions if self._kept(question) is None]
            if not fresh:
                return
            asked = Planned.of(fresh)
            self._sent += asked
            if self._told.covers(self._sent):
                return
            planned = self._plan if self._plan is not None and self._plan.covers(self._sent) else None
            self._told = planned or self._sent
            shown = planned or replace(asked, kept=len(questions) - len(fresh))
            self._tell(disclosed(self._judge, shown, self._spending, bound=planned is not None))


def disclosed(judge: Judge, planned: Planned, spending: Spending, *, bound: bool = False) -> str:
    """The lines that say what leaves the machine, or that nothing does, the estimate, and where it ends.

    ``bound`` says that ``planned`` is an upper bound.
    """
    what = [
        f"{planned.questions:,} {_plural(planned.questions, 'question')}",
        _pictures(planned),
        _texts(planned),
    ]
    most = "at most " if bound else ""
    if judge.sends_to is None:
        first = f"judge {judge.name}: nothing leaves this machine; it is shown {most}{'; '.join(what)}"
    else:
        first = f"judge {judge.name}: to {judge.sends_to} go {most}{'; '.join(what)}"
    lines = [first]
    estimate = f"at worst {planned.tokens.input:,} tokens in, {planned.tokens.output:,} out"
    if spending.prices is not None:
        estimate += f", {spending.prices.of(planned.tokens):,.4g} at your prices"
    calls = f"{planned.questions:,} {_plural(planned.questions, 'call')}"
    lines.append(f"{estimate}, in {calls}; in more where one fails or has to be put otherwise to this server")
    if planned.kept:
        least = "at least " if bound else ""
        answers = _plural(planned.kept, "answer")
        lines.append(f"{least}{planned.kept:,} more {answers} kept from before: not asked again")
    elif bound:
        lines.append("what is kept from before is not asked again, and does not count")
    if limits := spending.budget.told():
        lines.append(f"the budget ends it at {limits}")
    return "\n".join(lines)


def _pictures(planned: Planned) -> str:
    if not planned.pictures:
        return "no pictures"
    size = f"up to {planned.width}x{planned.height}" if planned.width else "of any size"
    weight = f", {planned.bytes / 1e6:.1f} MB" if planned.bytes else ""
    return f"{planned.pictures:,} {_plural(planned.pictures, 'picture')} ({size}{weight})"


def _texts(planned: Planned) -> str:
    if not planned.labels:
        return "no texts but the questions"
    ranked = sorted(planned.labels.items(), key=lambda one: (-one[1], one[0]))
    told = [f"{label} ({count:,})" if count > 1 else label for label, count in ranked[:MOST_LABELS]]
    if (more := len(ranked) - MOST_LABELS) > 0:
        told.append(f"{more:,} other {_plural(more, 'label')}")
    return f"texts: {', '.join(told)}"


def _plural(count: int, word: str) -> str:
    return word if count == 1 else f"{word}s"
