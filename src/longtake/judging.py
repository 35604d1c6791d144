"""A judge in a run: made ready, told what will be asked, and how it ended."""

from __future__ import annotations

import hashlib
import json
import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .core.judge import DRAWN_AT, MOST_OF_CONTENT, MOST_PICTURES, Outline, Questioning
from .core.judgement import Asked, JudgeFacts
from .core.model import tool_version
from .core.signal import TraceEntry
from .diagnosis.bound import LATER, most_asked
from .diagnosis.rubric import load_rubric
from .execution.disclosure import Planned
from .execution.judge_settings import judge_settings
from .execution.judges import asker_for, open_judge
from .execution.stills import LONG_SIDE, Stills
from .execution.worst_case import OVERHEAD, Tokens, picture_tokens
from .storage.cache import Cache

if TYPE_CHECKING:
    from collections.abc import Callable

    from .core.brief import Brief
    from .core.judge import Judge
    from .core.progress import Progress
    from .core.video import Video
    from .diagnosis.work import Work
    from .execution.asking import Asking

STATES = "graph"
"""Kind of cache entry under which a diagnosis that was not finished keeps its state."""
SUMMARY = Planned(questions=1, labels={"results": 1, "reader": 1}, tokens=Tokens(input=12_000, output=1_600))
"""The written summary, whose question is only known in the end: some 40 results of 300 tokens each."""
LOGGER = logging.getLogger("longtake.judge")
"""Says what leaves the machine where nobody else does."""


@dataclass(frozen=True)
class JudgeOptions:
    """A judge, or its name, and how it is asked: as the options of ``longtake diagnose`` say it.

    ``judge`` is one, or its name (``openai:MODEL``); ``draws`` how many times each question is asked;
    ``budget`` what it may cost at most (``calls=100,money=5``), ``prices`` what a million tokens cost
    (``input=2.5,output=10``), ``concurrency`` calls at once. ``tell`` is given what leaves the machine and
    what it may cost, before the first call; without it a warning of the logger ``longtake.judge`` says so.
    """

    judge: str | Judge
    draws: int = 1
    budget: str | None = None
    prices: str | None = None
    concurrency: int | None = None
    tell: Callable[[str], None] | None = None


@dataclass(frozen=True)
class Judging:
    """A judge that is ready: what it replies is kept and recorded. ``of`` gives it for one film."""

    asking: Asking
    draws: int
    most_pictures: int | None
    long_side: int
    cache: Cache

    def of(self, film: Video) -> Questioning:
        """The judge, shown pictures of this film."""
        stills = Stills(film, self.cache, long_side=self.long_side)
        return Questioning(
            self.asking,
            stills,
            draws=self.draws,
            most_pictures=self.most_pictures or MOST_PICTURES,
            most_of_content=self.most_of_content,
            limit=self.most_pictures,
        )

    @property
    def most_of_content(self) -> int:
        """Pictures beside the question about the content of the film."""
        return min(self.most_pictures or MOST_OF_CONTENT, MOST_OF_CONTENT)

    @property
    def state(self) -> str:
        """Stands for the judge and for all of how it is asked."""
        return f"{self.asking.judge.identity} {self.draws} {self.most_pictures} {self.long_side}"

    def facts(self, kept: Sequence[Mapping[str, Any]]) -> JudgeFacts:
        """What it was asked in this run, and in earlier ones for answers that are kept, which have these
        facts."""
        facts = self.asking.facts()
        before = sum(map(Asked.of_facts, kept), Asked())
        questions = sum(before.ends.values())
        ends = Counter(facts.not_answered) + Counter(
            {k: n for k, n in before.ends.items() if k != "answered"}
        )
        return facts.model_copy(
            update={
                "draws": self.draws,
                "temperature": DRAWN_AT if self.draws > 1 else 0.0,
                "asked": facts.asked + questions,
                "cached": facts.cached + questions,
                "answered": facts.answered + before.ends.get("answered", 0),
                "not_answered": dict(sorted(ends.items())),
                "models": sorted({*facts.models, *before.models}),
            }
        )


@contextmanager
def judging(options: JudgeOptions, out: Path | None, progress: Progress | None) -> Iterator[Judging]:
    """Make a judge ready; ``out`` is the folder for the recording.

    Raises:
        UsageError, MissingError, InputError: as :func:`.execution.judges.asker_for`.
    """
    settings = judge_settings()
    cache = Cache()
    judge = open_judge(options.judge, settings) if isinstance(options.judge, str) else options.judge
    level = logging.INFO if judge.sends_to is None else logging.WARNING
    asking = asker_for(
        judge,
        out=out,
        budget=options.budget,
        prices=options.prices,
        concurrency=options.concurrency,
        cache=cache,
        tell=options.tell or partial(LOGGER.log, level),
        progress=progress,
    )
    with asking:
        yield Judging(
            asking,
            options.draws,
            settings.most_pictures,
            settings.picture_size or LONG_SIDE,
            cache,
        )


def planned(work: Work, asking: Asking) -> Planned:
    """The most that a diagnosis may ask beside what is known to be kept."""
    questions = work.outline()
    fresh = [question for question in questions if not asking.kept(question)]
    known = replace(Planned.of(fresh) + SUMMARY, kept=len(questions) - len(fresh))
    return replace(known, labels={**known.labels, **dict.fromkeys(LATER, known.questions)})


def planned_for(briefs: Sequence[Brief | None], judge: Judging) -> Planned:
    """The most that diagnoses of films with these briefs may ask, before any of them is measured."""
    asked = most_asked(
        load_rubric(),
        briefs,
        draws=judge.draws,
        most_pictures=judge.most_pictures or MOST_PICTURES,
        most_of_content=judge.most_of_content,
    )
    picture = picture_tokens(judge.long_side, judge.long_side)
    return Planned(
        questions=sum(one.draws for one in asked),
        pictures=sum(one.draws * one.pictures for one in asked),
        width=judge.long_side,
        height=judge.long_side,
        labels=sum(
            (Counter({n: one.draws * k for n, k in Counter(one.labels).items()}) for one in asked), Counter()
        ),
        tokens=Tokens(
            sum(one.draws * (OVERHEAD + one.words + one.pictures * picture) for one in asked),
            sum(one.draws * one.most_tokens for one in asked),
        ),
    )


def outlined(outlines: Sequence[Outline], judge: Judging) -> Planned:
    """The most that evaluators may ask, with pictures of the largest size and a token for each byte."""
    whole = sum(outlines, Outline())
    pictures = whole.pictures * picture_tokens(judge.long_side, judge.long_side)
    return Planned(
        questions=whole.questions,
        pictures=whole.pictures,
        width=judge.long_side if whole.pictures else 0,
        height=judge.long_side if whole.pictures else 0,
        labels=whole.labels,
        tokens=Tokens(whole.questions * OVERHEAD + whole.bytes + pictures, whole.output),
    )


def state_file(work: Work, judge: Judging) -> Path:
    """Where this very diagnosis keeps its state: the name stands for all that its result depends on."""
    made_of = {
        "film": work.film.model_dump(mode="json"),
        "brief": work.brief.model_dump(mode="json") if work.brief else None,
        "profile": work.profile.describe(),
        "rubric": work.rubric.hash,
        "wanted": sorted(work.wanted),
        "judge": judge.state,
        "compat": work.compat,
        "signals": {n: [s.version, s.status, s.reason] for n, s in work.signals.by_name.items()},
        "longtake": tool_version(),
    }
    digest = hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()
    return judge.cache.path(STATES, digest, ".sqlite")


def told_of(asking: Asking, asked: Asked) -> tuple[JudgeFacts, TraceEntry]:
    """What the judge was asked and how it ended, as the document tells it.

    ``asked`` is all that the result rests on: of a run that was resumed, also what had been asked before.
    """
    now = asking.facts()
    total, answered = sum(asked.ends.values()), asked.ends.get("answered", 0)
    others = {end: n for end, n in sorted(asked.ends.items()) if end != "answered"}
    facts = now.model_copy(
        update={
            "asked": total,
            "cached": now.cached + total - now.asked,
            "answered": answered,
            "not_answered": others,
            "models": asked.models,
        }
    )
    ends = ", ".join(f"{n} {end.replace('_', ' ')}" for end, n in others.items())
    entry = TraceEntry(
        tool="judge",
        status="failed" if asked.open or not answered else "ok",
        reason="; ".join(filter(None, (ends, facts.stopped))) or None,
        model=", ".join(facts.models) or facts.name,
        params={"calls": facts.calls, "cached": facts.cached, "draws": facts.draws},
    )
    return facts, entry
