"""What an evaluator is: it sees one film with its brief, or two, and says how good they are, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from pydantic import FiniteFloat, model_validator

from .brief import Brief
from .case import Case
from .documents import VideoEntry
from .judge import Outline, Questioning
from .measurement import Evidence, Measurement
from .model import Record
from .signal import Signals
from .tools import Tools

Choice = Literal["a", "b", "tie"]
Order = Literal["ab", "ba"]
FAILED = "failed"
"""Fact of a measurement that names tools that crashed beneath it: such a run did not end well, and the
measurement is not kept for the next one."""
CUT_OFF = "cut_off"
"""Fact of a measurement that says in words what a judge was not asked, or gave no reply to: the value rests
on less than that of other films, and the measurement is not kept for the next run."""

RAN = "roles"
"""Fact of a measurement that names the roles of models it rests on, parted by commas, where these are others
than its quantity promises: which of them ran may depend on the film and its brief."""


class Quantity(Record):
    """One measurement that an evaluator gives: unit, range and direction. The first one is its score.

    ``judges`` names the checkpoints and aspects that it judges; empty where it judges what it is named after.
    ``models`` are the roles of models that it rests on, where these are not all of the card.
    """

    name: str
    doc: str
    unit: str = "share"
    low: FiniteFloat | None = 0.0
    high: FiniteFloat | None = 1.0
    higher_is_better: bool | None = True
    judges: tuple[str, ...] = ()
    models: tuple[str, ...] | None = None


class Figure(Record):
    """A figure of a card, from one of our studies: value with interval and n, on what, how, and when."""

    study: str
    about: str
    value: FiniteFloat | None
    low: FiniteFloat | None = None
    high: FiniteFloat | None = None
    n: int
    on: str
    command: str
    date: str
    note: str = ""


Setting = str | int | float


class Parameter(Record):
    """A parameter of an evaluator that a user may set: its type is that of ``default``.

    ``choices`` are all that a text may be; ``low`` and ``high`` bound a number.
    """

    doc: str
    default: Setting
    choices: tuple[str, ...] = ()
    low: FiniteFloat | None = None
    high: FiniteFloat | None = None


class Card(Record):
    """What there is to know of an evaluator, readable without importing it.

    ``asks`` tells that it asks a judge where the run has one, ``needs`` are signals, ``proxy`` says what it
    stands in for, empty where it is the thing itself. ``judges`` names checkpoints and aspects that its
    preferences judge, where no quantity does. ``details`` says in words what it may give after its
    quantities, empty where it gives no more: parts that are kept beside a score, which no study compares.
    ``models`` are the roles of models that it runs itself (:mod:`longtake.models.roles`); a role that a proxy
    fills makes it a proxy in that run. ``told_aspect`` says that it is told which aspect of a pair it judges.
    """

    name: str
    version: int
    question: str
    quantities: tuple[Quantity, ...] = ()
    details: str = ""
    judges: tuple[str, ...] = ()
    prefers: bool = False
    needs: tuple[str, ...] = ()
    needs_brief: bool = False
    models: tuple[str, ...] = ()
    parameters: dict[str, Parameter] = {}
    asks: bool = False
    told_aspect: bool = False
    cost: str = ""
    licence: str = "Apache-2.0"
    paper: str | None = None
    proxy: str = ""
    failure_modes: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()

    def roles(self, index: int = 0) -> tuple[str, ...]:
        """Roles of models that the quantity at this place rests on; of a card without quantities all."""
        own = self.quantities[index].models if index < len(self.quantities) else None
        return self.models if own is None else own

    def judged(self, index: int = 0) -> frozenset[str]:
        """What that the quantity at this place judges, the first also what the card names."""
        own = self.quantities[index : index + 1]
        named = {name for q in own for name in q.judges or (q.name,)}
        return frozenset(named if index else named | {*self.judges})


@dataclass(frozen=True)
class MeasuredCase:
    """A case with everything an evaluator may look at; signals that it did not ask for may be missing.

    ``bytes`` is the size of the film's files. ``brief`` is ``None`` where the case has none. ``questioning``
    is there where the run has a judge and the evaluator's card says that it asks one. ``tools`` runs models
    and shows frames; ``settings`` has a value for each parameter of the card; ``aspect`` is that of the pair,
    for evaluators that are told it.
    """

    case: Case
    film: VideoEntry
    signals: Signals
    brief: Brief | None
    bytes: int
    questioning: Questioning | None = None
    tools: Tools | None = None
    settings: Mapping[str, Setting] = field(default_factory=dict)
    aspect: str | None = None


class Preference(Record):
    """Which of two films an evaluator prefers. ``choice`` is there exactly when ``status`` is ``scored``.

    ``choice`` names the film (``a`` is the undamaged one), not its place. ``order`` is how they were shown:
    an evaluator that looks at each alone is asked in the order ``ab`` only. ``evidence`` are spans of film b
    on its clock that decided it, ``evidence_a`` of film a.
    """

    status: Literal["scored", "unscored"]
    choice: Choice | None = None
    order: Order = "ab"
    reason: str | None = None
    evidence: list[Evidence] = []
    evidence_a: list[Evidence] = []
    facts: dict[str, FiniteFloat | int | str | bool | None] = {}

    @model_validator(mode="after")
    def _choice_or_reason(self) -> Preference:
        if (self.status == "scored") != (self.choice is not None):
            raise ValueError("a choice is given exactly when the status is 'scored'")
        if self.status != "scored" and not self.reason:
            raise ValueError("what is not scored needs a reason")
        return self


class Evaluator(Protocol):
    """Judges one film at a time."""

    card: Card

    def measure(self, case: MeasuredCase) -> Sequence[Measurement]:
        """Its measurements, those of its card in its order, each scored or with the reason why not. Its
        ``details`` come after them, each under a name of its own.

        Of the signals ``case`` has those that the card needs, and no others.

        Raises:
            BackendError: what it runs on cannot be run.
        """


class PairEvaluator(Protocol):
    """Judges two films of one brief beside each other. ``ordered`` tells that it may mind their order."""

    card: Card
    ordered: bool

    def prefer(self, first: MeasuredCase, second: MeasuredCase) -> Preference:
        """Its preference, ``a`` for the first. The runner asks in both orders where ``ordered`` and turns
        the answer back.

        Raises:
            BackendError: what it runs on cannot be run.
        """


@runtime_checkable
class Outlines(Protocol):
    """An evaluator that asks a judge and can say beforehand how much at most."""

    def outline(self, brief: Brief | None, duration: float, settings: Mapping[str, Setting]) -> Outline:
        """The most that is asked about one film of ``duration`` seconds with this brief, or about one pair
        of such films in one order."""


@runtime_checkable
class RestsOn(Protocol):
    """An evaluator whose answers rest on more than the case, its own folder, its models and its settings."""

    def rests_on(self, settings: Mapping[str, Setting]) -> str:
        """What stands for that: the content of a file that a setting names, the code of another evaluator.

        Raises:
            InputError: a file cannot be read; no film is looked at then.
        """
