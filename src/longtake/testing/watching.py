"""What an evaluator is handed in a check: the real things, behind ones that write down what it looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..core.embedding import ClipVectors, Policy, Sampling, Shape, TextVectors
from ..core.evaluator import Card, Setting
from ..core.judge import Question, Verdict
from ..core.signal import Signal
from ..core.tools import FilmEmbedder, Footage, ModelUsed, Tools
from ..errors import MissingError
from ..models.judges.parse import verdict

T = TypeVar("T")
NOT_HERE = "left out by the check"
SCRIPTED = "scripted"
Answers = Callable[[Question], str]
"""The reply to a question, as a judge writes it."""


@dataclass
class Seen:
    """What an evaluator looked at. ``got`` are things that told it something of the film, ``strayed`` are
    those that its card does not name, ``settings`` the parameters that it read, ``asked`` its questions."""

    card: Card
    got: set[str] = field(default_factory=set)
    strayed: set[str] = field(default_factory=set)
    settings: set[str] = field(default_factory=set)
    asked: list[Question] = field(default_factory=list)
    unanswered: int = 0


class _Watched(Mapping[str, T]):
    """A mapping whose reader says what it looks at."""

    def __init__(self, inner: Mapping[str, T], seen: Seen) -> None:
        self._inner, self._seen = inner, seen

    def __iter__(self) -> Iterator[str]:
        return iter(self._inner)

    def __len__(self) -> int:
        return len(self._inner)


class WatchedSignals(_Watched[Signal]):
    """Signals by name."""

    def __getitem__(self, name: str) -> Signal:
        if name not in self._seen.card.needs:
            self._seen.strayed.add(f"the signal {name}")
        found = self._inner[name]
        if found.usable:
            self._seen.got.add(f"the signal {name}")
        return found


class WatchedSettings(_Watched[Setting]):
    """Values by parameter."""

    def __getitem__(self, name: str) -> Setting:
        self._seen.settings.add(name)
        return self._inner[name]


class WatchedFootage:
    """The pictures of a film; see :class:`..core.tools.Footage`."""

    def __init__(self, inner: Footage, seen: Seen) -> None:
        self._inner, self._seen = inner, seen

    @property
    def times(self) -> Any:
        """As the port."""
        return self._inner.times

    def at(self, times: Sequence[float], short_side: int | None = None) -> Iterator[tuple[float, Any]]:
        """As the port."""
        return self._told(self._inner.at(times, short_side))

    def between(self, start: float, end: float, short_side: int | None = None) -> Iterator[tuple[float, Any]]:
        """As the port."""
        return self._told(self._inner.between(start, end, short_side))

    def _told(self, frames: Iterator[tuple[float, Any]]) -> Iterator[tuple[float, Any]]:
        for frame in frames:
            self._seen.got.add("frames")
            yield frame


class WatchedEmbedder:
    """An embedder; see :class:`..core.tools.FilmEmbedder`."""

    def __init__(self, inner: FilmEmbedder, seen: Seen) -> None:
        self._inner, self._seen = inner, seen

    @property
    def used(self) -> ModelUsed:
        """As the port."""
        return self._inner.used

    @property
    def shape(self) -> Shape:
        """As the port."""
        return self._inner.shape

    def clips(self, spans: Sequence[tuple[float, float]], sampling: Sampling = "centre") -> ClipVectors:
        """As the port."""
        self._seen.got.add(f"vectors of {self.used.role}")
        return self._inner.clips(spans, sampling)

    def pictures(self, times: Sequence[float]) -> Any:
        """As the port."""
        self._seen.got.add(f"vectors of {self.used.role}")
        return self._inner.pictures(times)

    def texts(self, texts: Sequence[str], policy: Policy) -> TextVectors:
        """As the port."""
        return self._inner.texts(texts, policy)


class WatchedTools:
    """What an evaluator may run; see :class:`..core.tools.Tools`."""

    def __init__(self, inner: Tools, seen: Seen) -> None:
        self._inner, self._seen = inner, seen
        self.footage = WatchedFootage(inner.footage, seen)

    def _named(self, *roles: str) -> None:
        self._seen.strayed |= {f"the role {role}" for role in roles if role not in self._seen.card.models}

    def used(self, role: str) -> ModelUsed:
        """As the port."""
        self._named(role)
        return self._inner.used(role)

    def lacks(self, *roles: str) -> str | None:
        """As the port."""
        self._named(*roles)
        return self._inner.lacks(*roles)

    def model(self, role: str) -> Any:
        """As the port."""
        self._named(role)
        found = self._inner.model(role)
        self._seen.got.add(f"the model of {role}")
        return found

    def embedder(self, role: str) -> WatchedEmbedder:
        """As the port."""
        self._named(role)
        return WatchedEmbedder(self._inner.embedder(role), self._seen)

    def kept(
        self,
        what: str,
        version: int,
        make: Callable[[], Mapping[str, Any]],
        *,
        roles: Sequence[str] = (),
        **parameters: str | float | int | bool | None,
    ) -> Mapping[str, Any]:
        """As the port."""
        self._named(*roles)
        found = self._inner.kept(what, version, make, roles=roles, **parameters)
        self._seen.got.add(f"what is kept as {what}")
        return found


class WithoutModels:
    """Tools with frames and no model at all."""

    def __init__(self, inner: Tools) -> None:
        self.footage = inner.footage
        self._inner = inner

    def used(self, role: str) -> ModelUsed:
        """As the port: none."""
        return ModelUsed(role=role, reason=f"the role {role} is not filled: {NOT_HERE}")

    def lacks(self, *roles: str) -> str | None:
        """As the port: all of them."""
        return "; ".join(self.used(role).reason or "" for role in roles) or None

    def model(self, role: str) -> Any:
        """As the port. Raises ``MissingError``."""
        raise MissingError(self.lacks(role) or "")

    def embedder(self, role: str) -> FilmEmbedder:
        """As the port. Raises ``MissingError``."""
        raise MissingError(self.lacks(role) or "")

    def kept(
        self,
        what: str,
        version: int,
        make: Callable[[], Mapping[str, Any]],
        *,
        roles: Sequence[str] = (),
        **parameters: str | float | int | bool | None,
    ) -> Mapping[str, Any]:
        """As the port. Raises ``MissingError`` where it rests on a model."""
        if roles:
            raise MissingError(self.lacks(*roles) or "")
        return self._inner.kept(what, version, make, roles=(), **parameters)


class ScriptedAsker:
    """Asks a judge in this process: its reply to a question is a pure function of the question. Without
    ``answers`` no reply ever comes. See :class:`..core.judge.Asker`."""

    name = SCRIPTED

    def __init__(self, answers: Answers | None, seen: Seen) -> None:
        self._answers, self._seen = answers, seen

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """As the port."""
        self._seen.asked += questions
        found = [self._verdict(question) for question in questions]
        if any(v.status == "answered" for v in found):
            self._seen.got.add("a judge's answer")
        self._seen.unanswered += sum(v.status == "failed" for v in found)
        return found

    def _verdict(self, question: Question) -> Verdict:
        if self._answers is not None:
            return verdict(question, self._answers(question), model=SCRIPTED)
        return Verdict(
            id=question.id,
            question=question.key,
            draw=question.draw,
            status="failed",
            reason="the server is away",
        )
