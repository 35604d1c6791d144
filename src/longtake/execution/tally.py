"""What came of all questions of one run."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from ..core.judge import NO_REPLY, Question, Usage, Verdict
from ..core.judgement import JudgeFacts
from .budget import Prices
from .worst_case import NONE, Tokens

Ended = Literal["well", "failed", "budget", "nothing"]
"""``well``: every question had its reply, whatever it says; ``failed``: to some none came; ``budget``: some
were not asked, for a budget; ``nothing``: something was asked, and nothing of it answered."""


@dataclass
class Tally:
    """Counts verdicts. Safe from several threads."""

    draws: int = 1
    temperature: float = 0.0
    asked: int = 0
    calls: int = 0
    cached: int = 0
    frames: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    models: set[str] = field(default_factory=set)
    tokens: Tokens = NONE
    counted: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, question: Question, verdict: Verdict) -> None:
        """One more question has its verdict."""
        with self._lock:
            self.asked += 1
            self.ends[verdict.status] += 1
            self.draws = max(self.draws, question.draw + 1)
            self.temperature = max(self.temperature, question.temperature)
            if verdict.model:
                self.models.add(verdict.model)
            if not verdict.cached:
                self._counted(verdict.usage)
            elif verdict.status not in NO_REPLY:
                self.cached += 1

    def sent(self, question: Question, requests: int) -> None:
        """The question was sent in so many requests."""
        with self._lock:
            self.calls += requests
            self.frames += requests * len(question.frames)

    def _counted(self, told: Usage) -> None:
        if told.input_tokens is not None or told.output_tokens is not None:
            self.counted = True
            self.tokens += Tokens(told.input_tokens or 0, told.output_tokens or 0)

    @property
    def ended(self) -> Ended:
        """How the run went, the worst first."""
        with self._lock:
            reached = self.asked - self.ends["budget"]
            if reached and not self.ends["answered"]:
                return "nothing"
            if self.ends["failed"] or self.ends["not_recorded"]:
                return "failed"
            return "budget" if self.ends["budget"] else "well"

    def facts(
        self, name: str, sends_to: str | None, prices: Prices | None, stopped: str | None
    ) -> JudgeFacts:
        """As results give them. Tokens and money are those that the server counted."""
        with self._lock:
            ends = {end: n for end, n in sorted(self.ends.items()) if end != "answered"}
            return JudgeFacts(
                name=name,
                models=sorted(self.models),
                sends_to=sends_to,
                draws=self.draws,
                temperature=self.temperature,
                asked=self.asked,
                calls=self.calls,
                cached=self.cached,
                answered=self.ends["answered"],
                not_answered=ends,
                input_tokens=self.tokens.input if self.counted else None,
                output_tokens=self.tokens.output if self.counted else None,
                money=prices.of(self.tokens) if self.counted and prices is not None else None,
                frames=self.frames,
                stopped=stopped,
            )
