"""Asks evaluators about films and pairs of films: each is measured once, each answer kept as it comes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..core.evaluator import CUT_OFF, FAILED, Evaluator, Order, PairEvaluator, Preference
from ..core.judge import Questioning
from ..core.measurement import Measurement
from ..core.progress import Progress
from ..core.scores import Failure, PairResult
from ..core.video import Video
from ..errors import BackendError, InputError, LongtakeError, OutputError, Stopped, told
from ..models.memory import out_of_memory
from ..storage.cache import Cache
from ..storage.scores import ScoreStore
from .score_bench import Bench, Turns, whole
from .score_compare import compared, turned_back, unanswered
from .score_plan import Asked, Item, ItemPair, Plan, SignalPlan

T = TypeVar("T")


@dataclass
class Answers:
    """What a run found: measurements by (case, evaluator), preferences, and what went wrong.

    ``unread`` are cases that could not be looked at, with the reason; ``kept_facts`` are the facts of each
    answer that an earlier run had given.
    """

    results: dict[tuple[str, str], list[Measurement]] = field(default_factory=dict)
    preferences: list[PairResult] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    unread: dict[str, str] = field(default_factory=dict)
    kept_facts: list[Mapping[str, Any]] = field(default_factory=list)


def score(
    plan: Plan,
    signals: SignalPlan,
    store: ScoreStore,
    cache: Cache,
    *,
    embedder: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    question: Callable[[Video], Questioning] | None = None,
) -> Answers:
    """Ask everybody about everything that ``store`` has no answer to.

    An evaluator that crashes on a case, and a film that cannot be read, cost only their own answers.
    ``question`` gives the judge of the run for one film.

    Raises:
        OutputError: the cache or the store cannot be written.
        Stopped: Ctrl-C; what was answered is kept.
    """
    try:
        missing = _missing(plan, signals, store)
        names = signals.names(one.card for one, _ in missing)
        if missing:
            signals = signals.checked(names)
            missing = _missing(plan, signals, store)  # damaged weights are as good as none: other keys
        bench = Bench(signals, cache, embedder, workers, progress, question, names)
        bench.compares = signals.compares(one.card for one, _ in missing)
        todo = {item.name: item for _, items in missing for item in items}
        bench.count = len(todo)
        bench.prepare(missing)
        return _Run(plan, signals, store, bench, Turns(progress, len(missing))).all()
    except KeyboardInterrupt:
        hint = "the same command goes on from there"
        raise Stopped("stopped; the answers so far are kept", hint=hint) from None


def _missing(plan: Plan, signals: SignalPlan, store: ScoreStore) -> list[tuple[Asked, tuple[Item, ...]]]:
    """Everything without an answer: who is asked, and about which films."""
    return [
        (one, items)
        for one, items, order, aspect in questions(plan)
        if all(item.film is not None for item in items)
        and store.get(signals.key(one, items, order, aspect)) is None
    ]


def questions(plan: Plan) -> Iterator[tuple[Asked, tuple[Item, ...], str, str]]:
    """Everything that is asked: who, about which films, of a pair in which order and about which aspect."""
    for one in plan.evaluators:
        if one.measures:
            for item in plan.items:
                yield one, (item,), "", ""
        if one.prefers:
            for pair in plan.pairs:
                for order in one.orders:
                    yield one, (pair.a, pair.b), order, pair.pair.aspect if one.card.told_aspect else ""


@dataclass
class _Run:
    plan: Plan
    signals: SignalPlan
    store: ScoreStore
    bench: Bench
    turns: Turns
    answers: Answers = field(default_factory=Answers)

    def all(self) -> Answers:
        """Pair by pair, so that few films are held, then what is in no pair."""
        for one in self.plan.evaluators:
            for reason in self._failed(one).values():
                self.answers.failures.append(Failure(evaluator=one.name, backend=True, reason=reason))
        done: set[str] = set()
        for pair in self.plan.pairs:
            for item in (pair.a, pair.b):
                if item.name not in done:
                    done.add(item.name)
                    self._ask_about(item)
            for one in self.plan.evaluators:
                self.answers.preferences += self._preferences(one, pair)
        for item in self.plan.items:
            if item.name not in done:
                self._ask_about(item)
        self.answers.failures = list(dict.fromkeys(self.answers.failures))  # a tool's, told of each evaluator
        return self.answers

    def _failed(self, one: Asked) -> dict[str, str]:
        """The roles for whose model there was no memory: without them its answers are not kept."""
        failed = self.signals.models.failed
        return {role: failed[role] for role in one.card.models if role in failed}

    def _preferences(self, one: Asked, pair: ItemPair) -> list[PairResult]:
        """What it answers to a pair; of further quantities, and where it only scores, what the scores say."""
        found = [self._prefer(one, pair, order) for order in one.orders] if one.prefers else []
        if one.measures:
            a, b = (self.answers.results[item.name, one.name] for item in (pair.a, pair.b))
            both = list(zip(one.names, a, b, strict=False))  # the details after them are not compared
            found += [compared(pair.pair.id, *given) for given in both[1 if one.prefers else 0 :]]
        return found

    def _ask_about(self, item: Item) -> None:
        """Everybody who judges one film at a time."""
        if item.film is None:
            self._unread(item, item.reason or "it cannot be read")
        fresh = []
        for one in self.plan.evaluators:
            if not one.measures:
                continue
            if item.name in self.answers.unread:
                self.answers.results[item.name, one.name] = _unscored(one, self.answers.unread[item.name])
                continue
            key = self.signals.key(one, (item,))
            if (text := self.store.get(key)) is not None:
                kept = [Measurement.model_validate(found) for found in json.loads(text)]
                self.answers.kept_facts.append(kept[0].facts)
                self.answers.results[item.name, one.name] = kept
                continue
            answer, sound = self._measure(one, item)
            self.answers.results[item.name, one.name] = answer
            if sound:
                text = json.dumps([m.model_dump(mode="json") for m in answer], allow_nan=False)
                fresh.append((key, one.name, text))
        self.store.put(fresh)

    def _unread(self, item: Item, reason: str) -> None:
        if item.name not in self.answers.unread:
            self.answers.unread[item.name] = reason
            self.answers.failures.append(Failure(case=item.name, reason=reason))

    def _measure(self, one: Asked, item: Item) -> tuple[list[Measurement], bool]:
        """Its measurements, and whether they are to be kept: not where a tool beneath them crashed or a judge
        did not answer everything."""
        evaluator: Evaluator = one.evaluator  # type: ignore[assignment]
        try:
            case = self.bench.case(item, one.card)
        except (OutputError, Stopped):
            raise
        except LongtakeError as error:
            self._unread(item, error.message)
            return _unscored(one, error.message), False
        for entry in self.bench.crashed(item):
            reason = entry.reason or "no reason given"
            self.answers.failures.append(Failure(case=item.name, tool=entry.tool, reason=reason))
        self.turns.begin(one.name)
        answer = self._try(one, lambda: _as_promised(one, evaluator.measure(case)), case=item.name)
        if isinstance(answer, str):
            return _unscored(one, answer), False
        crashed = sorted({str(m.facts[FAILED]) for m in answer if m.facts.get(FAILED)})
        for tool in crashed:
            reason = "it crashed; what rests on it is unscored"
            self.answers.failures.append(
                Failure(case=item.name, evaluator=one.name, tool=tool, reason=reason)
            )
        cut_off = sorted({str(m.facts[CUT_OFF]) for m in answer if m.facts.get(CUT_OFF)})
        for reason in cut_off:
            failure = Failure(case=item.name, evaluator=one.name, tool="judge", reason=reason)
            self.answers.failures.append(failure)
        return answer, not (crashed or cut_off or self._failed(one)) and whole(case)

    def _try(
        self, one: Asked, ask: Callable[[], T], *, case: str | None = None, pair: str | None = None
    ) -> T | str:
        """What it answers, or why it could not, which is a failure of this run."""
        try:
            return ask()
        except (OutputError, Stopped):
            raise
        except Exception as error:  # an evaluator may be anybody's: it costs its own answers
            if os.environ.get("LONGTAKE_DEBUG"):
                raise
            reason = f"the evaluator failed: {told(error)}"
            self.answers.failures.append(
                Failure(
                    case=case,
                    pair=pair,
                    evaluator=one.name,
                    backend=isinstance(error, BackendError) or out_of_memory(error),
                    reason=reason,
                )
            )
            return reason

    def _prefer(self, one: Asked, pair: ItemPair, order: Order) -> PairResult:
        name = pair.pair.id
        aspect = pair.pair.aspect if one.card.told_aspect else None
        key = ""
        if all(item.film is not None for item in (pair.a, pair.b)):
            key = self.signals.key(one, (pair.a, pair.b), order, aspect or "")
            if (text := self.store.get(key)) is not None:
                kept = Preference.model_validate_json(text)
                self.answers.kept_facts.append(kept.facts)
                return _result(name, one, kept)
        cases = []
        for side, item in (("a", pair.a), ("b", pair.b)):
            try:
                if item.film is None or item.name in self.answers.unread:
                    raise InputError(self.answers.unread.get(item.name) or item.reason or "it cannot be read")
                cases.append(self.bench.case(item, one.card, aspect))
            except (OutputError, Stopped):
                raise
            except LongtakeError as error:
                self._unread(item, error.message)
                return unanswered(name, one.name, order, f"{side}: {error.message}")
        shown = cases if order == "ab" else cases[::-1]
        evaluator: PairEvaluator = one.evaluator  # type: ignore[assignment]
        self.turns.begin(one.name)
        answer = self._try(one, lambda: evaluator.prefer(*shown), pair=name)
        if isinstance(answer, str):
            return unanswered(name, one.name, order, answer)
        answer = turned_back(answer) if order == "ba" else answer.model_copy(update={"order": "ab"})
        if cut_off := answer.facts.get(CUT_OFF):
            failure = Failure(pair=name, evaluator=one.name, tool="judge", reason=str(cut_off))
            self.answers.failures.append(failure)
        elif not self._failed(one) and all(whole(case) for case in cases):
            self.store.put([(key, one.name, answer.model_dump_json())])
        return _result(name, one, answer)


def _result(pair: str, one: Asked, answer: Preference) -> PairResult:
    fields = {name: getattr(answer, name) for name in Preference.model_fields}
    return PairResult(pair=pair, evaluator=one.name, **fields)


def _as_promised(one: Asked, found: Sequence[Measurement]) -> list[Measurement]:
    """What it gives, if that is what its card says."""
    names, promised = [m.name for m in found], [q.name for q in one.card.quantities]
    more = names[len(promised) :]
    if len(set(names)) < len(names):
        raise LongtakeError(f"it gave {', '.join(sorted({n for n in names if names.count(n) > 1}))} twice")
    if names[: len(promised)] != promised or (more and not one.card.details):
        raise LongtakeError(f"it gave {', '.join(names) or 'nothing'}, its card says {', '.join(promised)}")
    return list(found)


def _unscored(one: Asked, reason: str) -> list[Measurement]:
    return [
        Measurement(
            name=q.name,
            status="unscored",
            low=q.low,
            high=q.high,
            higher_is_better=q.higher_is_better,
            reason=reason,
        )
        for q in one.card.quantities
    ]
