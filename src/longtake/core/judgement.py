"""What a judge said of a checkpoint or a metric, draw by draw, and what all its calls came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import Field, FiniteFloat

from .judge import NO_REPLY, Verdict, VerdictStatus
from .measurement import Evidence, Status
from .model import Record, Share


class Draw(Record):
    """One draw: how it ended, and its value where it is an answer that can be scored."""

    draw: int
    status: VerdictStatus
    value: Share | None = None
    says: str | None = Field(None, description="the judge's reason, in its own words")
    reason: str | None = Field(None, description="why there is no value")
    model: str | None = Field(None, description="id of the model as the server reports it")
    question: str = Field(description="hash of the question; the raw reply is in judge.jsonl under it")


class Judgement(Record):
    """The judge's answer: mean of the draws that gave a value, and how far they lie apart.

    ``spread`` is their standard deviation, ``None`` for fewer than two; ``says`` and ``evidence`` are of the
    first draw that gave a value.
    """

    status: Status
    value: Share | None = None
    reason: str | None = None
    says: str | None = None
    evidence: list[Evidence] = []
    draws: list[Draw] = []
    spread: FiniteFloat | None = None
    frames: int = Field(0, description="pictures that were sent with each draw")


class ConfidenceParts(Record):
    """c = availability x agreement of draws x agreement of evidence, clipped.

    ``agreement`` is, of a rule, its separation of clean from damaged in its controls.
    """

    availability: Share
    agreement: Share
    evidence: Share
    single_draw: bool = False


class Asked(Record):
    """How many questions ended in which way, which models answered them, and why some got no reply: the first
    reason of each such end."""

    ends: dict[VerdictStatus, int] = {}
    models: list[str] = []
    why: dict[VerdictStatus, str] = {}

    @classmethod
    def of(cls, verdicts: Iterable[Verdict]) -> Asked:
        """Of these."""
        known = list(verdicts)
        models = sorted({v.model for v in known if v.model})
        why = {v.status: v.reason or "no reason given" for v in reversed(known) if v.status in NO_REPLY}
        return cls(ends=dict(Counter(v.status for v in known)), models=models, why=why)

    @classmethod
    def of_facts(cls, facts: Mapping[str, Any]) -> Asked:
        """What :attr:`facts` says; nothing asked where it says nothing. ``models`` names who answered."""
        ends = {"answered": int(facts.get("judge_answered") or 0)}
        others = str(facts.get("judge_not_answered") or "").split(", ")
        ends |= {end: int(n) for end, n in (part.rsplit(" ", 1) for part in others if part)}
        models = [name for name in str(facts.get("models") or "").split(", ") if name]
        return cls.model_validate({"ends": {end: n for end, n in ends.items() if n}, "models": models})

    @property
    def facts(self) -> dict[str, int | str]:
        """Facts of a measurement that say how many questions were asked, how many were answered, and how the
        others ended, as ``refused 1, too_long 2``."""
        others = [f"{end} {n}" for end, n in sorted(self.ends.items()) if end != "answered"]
        return {
            "judge_asked": sum(self.ends.values()),
            "judge_answered": self.ends.get("answered", 0),
            "judge_not_answered": ", ".join(others),
        }

    def __add__(self, other: Asked) -> Asked:
        ends = Counter(self.ends) + Counter(other.ends)
        models = sorted({*self.models, *other.models})
        return Asked(ends=dict(ends), models=models, why={**other.why, **self.why})

    @property
    def open(self) -> int:
        """How many got no reply, so that another run may end otherwise."""
        return sum(n for end, n in self.ends.items() if end in NO_REPLY)

    @property
    def cut_off(self) -> str | None:
        """What got no reply, and why, in words; ``None`` where everything did, whatever it says."""
        if not self.open:
            return None
        several = [f"{self.ends[end]} {why}" for end, why in sorted(self.why.items())]
        told = "; ".join(several if len(several) > 1 else self.why.values())
        return f"{self.open} of {sum(self.ends.values())} questions have no reply: {told}"


class JudgeFacts(Record):
    """What was asked of the judge in one run. Tokens and money are of the calls that were made this time.

    ``asked`` are questions: those in ``answered`` and those in ``not_answered``. A call is a request in which
    a question was sent, whatever came of it: one that is asked again is several, one that nobody could be
    reached for, or that a budget stopped, is none.
    """

    name: str
    models: list[str] = Field([], description="ids of models as the server reported them")
    sends_to: str | None = None
    draws: int = 1
    temperature: FiniteFloat = 0.0
    asked: int = 0
    calls: int = Field(0, description="requests in which a question was sent this time, failed ones too")
    cached: int = Field(0, description="questions answered by replies from before")
    answered: int = 0
    not_answered: dict[str, int] = Field({}, description="how many ended otherwise, by status")
    input_tokens: int | None = None
    output_tokens: int | None = None
    money: FiniteFloat | None = Field(None, description="at the prices that the user gave")
    frames: int = Field(0, description="pictures in the requests of this time, again where they went again")
    stopped: str | None = Field(None, description="why no more was asked")
