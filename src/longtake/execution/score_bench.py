"""Where the films of a scoring run are measured: several side by side into the cache, then one at a time."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from ..core.evaluator import Card, MeasuredCase
from ..core.judge import Questioning
from ..core.progress import Progress
from ..core.signal import Signals, TraceEntry
from ..core.video import Video
from ..errors import InputError, LongtakeError, told
from ..media.probe import probe
from ..models.roles import ROLES
from ..signals.registry import HEAVY, ORDER
from ..storage.cache import Cache
from .entry import video_entry
from .measure import (
    HEAVY_PARALLEL_FROM_S,
    PARALLEL_FROM_S,
    Measured,
    available_workers,
    measure,
    processes_for,
)
from .score_plan import Asked, Item, SignalPlan, asked
from .text_picture import with_text_picture
from .tools import FilmTools
from .workers import run_together

HELD = 3
"""Measured films that are held at once: the two of a pair, and one that the next pair may share."""
BATCHES = 4
"""Shares of the films per process: small enough that none waits long for the last one."""


@dataclass
class Bench:
    """Measures the signals ``names`` of films, and compares texts and pictures where ``compares``.

    ``count`` is how many films there are to measure, for the progress. ``question`` gives the judge of the
    run for one film, ``None`` where the run has none.
    """

    signals: SignalPlan
    cache: Cache
    embedder: str | None = None
    workers: int | None = None
    progress: Progress | None = None
    question: Callable[[Video], Questioning] | None = None
    names: Sequence[str] = ()
    compares: bool = False
    count: int = 0
    _held: OrderedDict[str, Measured] = field(default_factory=OrderedDict)
    _crashed: dict[str, list[TraceEntry]] = field(default_factory=dict)
    _begun: int = 0

    def prepare(self, missing: Sequence[tuple[Asked, Sequence[Item]]]) -> None:
        """Measure several films at once, each in one process, into the cache, and have evaluators that run
        models themselves look at them, for what is then kept.

        A film that cannot be measured is passed over: :meth:`case` tells of it. Raises ``OutputError`` where
        the cache cannot be written.
        """
        films: dict[str, list[tuple[Item, list[str]]]] = {}
        items: dict[str, list[str]] = {}
        for one, asked_about in missing:
            for item in asked_about:
                if item.film is not None and item.name not in items:
                    items[item.name] = []
                    name = f"{item.film.hash}/{item.film.bounds}"
                    films.setdefault(name, []).append((item, items[item.name]))
                if one.measures and _side_by_side(one.card) and item.name in items:
                    items[item.name].append(one.name)
        whole = list(films.values())
        each = [group[0][0].film for group in whole if group[0][0].film is not None]
        processes = self._processes(each, heavy=any(items.values()))
        if processes == 1:
            return
        shares = [whole[n :: processes * BATCHES] for n in range(min(processes * BATCHES, len(whole)))]
        apart = replace(self, workers=1, progress=None, question=None)
        jobs = [partial(_measure_all, apart, share) for share in shares]
        counts = [0.0] * len(shares)
        if self.progress is not None:
            self.progress.begin(f"measuring {len(films)} films", float(len(films)))

        def tell(number: int, done: float) -> None:
            counts[number] = done
            if self.progress is not None:
                self.progress.at(sum(counts))

        with suppress(LongtakeError):  # a process died: the film that killed it is met again, alone
            run_together(jobs, processes, tell, apart=True)

    def _processes(self, films: Sequence[Video], *, heavy: bool) -> int:
        """How many films are measured at once: one where that is little work, else within memory."""
        threads = available_workers(self.workers)
        if threads == 1 or len(films) < 2:
            return 1
        seen = []
        for film in films:
            with suppress(LongtakeError):
                seen.append(probe(film))
        heavy = heavy or bool(set(self.names) & set(HEAVY))
        least = HEAVY_PARALLEL_FROM_S if heavy else PARALLEL_FROM_S
        if sum(facts.duration or 0.0 for facts in seen) < least:
            return 1
        return threads if self.workers else min(processes_for(threads, facts) for facts in seen)

    def case(self, item: Item, card: Card, aspect: str | None = None) -> MeasuredCase:
        """What an evaluator with this card may look at: of the signals its own, whoever else is asked.
        ``aspect`` is that of the pair, for one that is told it.

        Raises:
            LongtakeError: the film cannot be measured (``InputError``), or the cache cannot be written.
            Stopped: Ctrl-C; finished parts are kept.
        """
        assert item.film is not None
        measured = self._measured(item)
        own = {n: s for n, s in measured.signals.by_name.items() if n in card.needs}
        trace = [t for t in measured.signals.trace if t.tool not in ORDER or t.tool in own]
        film = video_entry(item.film, measured, None)
        asking = self.question(item.film) if self.question is not None and card.asks else None
        models = self.signals.models
        return MeasuredCase(
            item.case,
            film,
            Signals(own, trace),
            item.brief,
            item.bytes,
            asking,
            tools=FilmTools(item.film, measured.film.times, models, self.cache) if card.models else None,
            settings=self.signals.settings_of(card),
            aspect=aspect,
        )

    def crashed(self, item: Item) -> list[TraceEntry]:
        """The tools that crashed on a film; of each item they are told once."""
        return self._crashed.pop(item.name, [])

    def _measured(self, item: Item) -> Measured:
        assert item.film is not None
        if item.name in self._held:
            self._held.move_to_end(item.name)
            return self._held[item.name]
        again = item.name in self._crashed
        self._begun += 1
        progress = _Numbered(self.progress, self._begun, self.count) if self.progress is not None else None
        try:
            found = self._found(item, item.film, progress)
        except LongtakeError:
            raise
        except Exception as error:  # a tool of ours: it costs this film
            if os.environ.get("LONGTAKE_DEBUG"):
                raise
            raise LongtakeError(f"it could not be measured: {told(error)}") from error
        if not again:
            self._crashed[item.name] = [t for t in found.signals.trace if t.status == "failed"]
        self._held[item.name] = found
        while len(self._held) > HELD:
            self._held.popitem(last=False)
        return found

    def _found(self, item: Item, film: Video, progress: Progress | None) -> Measured:
        found = measure(
            film,
            self.names,
            cache=self.cache,
            workers=self.workers,
            embedder=self.embedder,
            progress=progress,
        )
        model = self.signals.text_picture
        if self.compares and model is not None:
            return with_text_picture(film, found, item.brief, model, self.cache, progress=progress)
        return found


def whole(case: MeasuredCase) -> bool:
    """Whether no signal crashed: one that did is measured again in the next run."""
    return all(signal.status != "failed" for signal in case.signals.by_name.values())


def _side_by_side(card: Card) -> bool:
    """Whether an evaluator runs models, asks nobody, and may do so in several processes at once."""
    roles = [ROLES[name] for name in card.models if name in ROLES]
    return bool(card.models) and not card.asks and not any(role.alone for role in roles)


def _measure_all(
    bench: Bench, films: Sequence[Sequence[tuple[Item, Sequence[str]]]], tell: Callable[[float], None]
) -> None:
    for done, items in enumerate(films):
        looks, looked = sum(len(evaluators) for _, evaluators in items), 0
        for item, evaluators in items:
            with suppress(InputError):
                if not evaluators:
                    assert item.film is not None
                    measure(item.film, bench.names, cache=bench.cache, workers=1, embedder=bench.embedder)
                for one in asked(evaluators):
                    _look(one, bench.case(item, one.card))
                    looked += 1
                    tell(done + looked / (looks + 1))
        tell(done + 1.0)


def _look(one: Asked, case: MeasuredCase) -> None:
    """Let an evaluator look at a film for what is kept of it."""
    with suppress(Exception):  # whatever goes wrong goes wrong again, and is told, when it is asked
        one.evaluator.measure(case)  # type: ignore[union-attr]


@dataclass
class Turns:
    """Shows which evaluator has its turn, and how many of ``total`` turns are over. Each begins anew, after
    whatever else was shown: from how long one took nobody knows how long the next will take."""

    progress: Progress | None
    total: int
    _over: int = 0

    def begin(self, name: str) -> None:
        """An evaluator begins to look at what is before it."""
        if self.progress is not None:
            self.progress.begin(f"asking evaluators: {name}", float(self.total))
            self.progress.at(float(self._over))
        self._over += 1


class _Numbered:
    """Says of which film the progress is."""

    def __init__(self, progress: Progress, number: int, count: int) -> None:
        self._progress = progress
        self._where = f" (film {number} of {count})" if 1 < count >= number else ""

    def begin(self, what: str, total: float) -> None:
        self._progress.begin(f"{what}{self._where}", total)

    def at(self, done: float) -> None:
        self._progress.at(done)
