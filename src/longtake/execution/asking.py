"""Asks a judge many questions: nothing twice, never more than allowed, and a verdict for each."""

from __future__ import annotations

import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType, TracebackType

from ..core.judge import AskError, Judge, Question, Usage, Verdict, VerdictStatus
from ..core.judgement import JudgeFacts
from ..core.progress import Progress
from ..errors import LongtakeError, Stopped, told
from ..storage.cache import Cache
from .budget import Spending
from .circuit import ATTEMPTS, BUSY_ATTEMPTS, Circuit, wait_before
from .disclosure import Planned, Told
from .limiter import Limiter
from .replies import Recording, Replies
from .tally import Ended, Tally

SPARE = 4
"""Threads beside those with a call on its way: they keep replies and get the next question ready."""
HANDOVER = 0.001
"""Seconds that a thread with a reply waits before it keeps it: whoever got its slot sends first. Else the
interpreter lets it go on for up to 5 ms."""
GRACE = 5.0
"""Seconds that calls on their way are given to come back, and be kept, when the user stops the run."""
UNBILLED = ("failed", "too_long")
"""Ends of questions that a server turned away: without a count they cost nothing but the call."""
HINT = "the same command goes on from there: kept replies are not asked for again"


@dataclass(frozen=True)
class _Job:
    question: Question
    answer: Future[Verdict]


class Asking:
    """One judge in one run, with its cache, recording, budget and limit; a context manager.

    Implements :class:`..core.judge.Asker`. ``cache`` and ``recording`` may be absent. ``tell`` shows the user
    what leaves the machine before the first call. A reply that is no answer is kept and never asked again;
    where none comes the question is asked again after a pause, until the judge is given up
    (:mod:`.circuit`) and the rest fails at once.
    """

    def __init__(
        self,
        judge: Judge,
        *,
        cache: Cache | None = None,
        recording: Recording | None = None,
        spending: Spending | None = None,
        limiter: Limiter | None = None,
        tell: Callable[[str], None] | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.judge, self.name = judge, judge.name
        self.spending = spending or Spending()
        self._replies = Replies(judge, cache)
        self._recording = recording
        self._limiter = limiter or Limiter()
        self._circuit = Circuit()
        self._tally = Tally()
        self._told = Told(judge, self._replies.get, self.spending, tell)
        self._shown = _Shown(progress)
        self._flights: dict[str, threading.Lock] = {}
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._open: set[Future[Verdict]] = set()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._stopped = False
        self._before: Callable[[int, FrameType | None], object] | None = None

    def __enter__(self) -> Asking:
        """Open the recording. Ctrl-C reaches all threads that wait for verdicts, not the main one alone.

        Raises:
            InputError, OutputError: as :meth:`.replies.Recording.open`.
        """
        if self._recording is not None:
            self._recording.open()
        if threading.current_thread() is threading.main_thread():
            before = signal.getsignal(signal.SIGINT)
            ours = getattr(before, "__func__", None) is Asking._interrupted
            if callable(before) and (before is signal.default_int_handler or ours):
                self._before = before
                signal.signal(signal.SIGINT, self._interrupted)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None
        if kind is not None:
            self.stop()
        for _ in self._threads:
            self._jobs.put(None)
        deadline = time.monotonic() + GRACE
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        if self._recording is not None:
            self._recording.close()

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        # In a thread of its own: the locks may be held beneath this very call.
        threading.Thread(target=self.stop, daemon=True).start()
        if self._before is not None:
            self._before(number, frame)

    def stop(self) -> None:
        """Ask nothing more. Who waits for verdicts gets ``Stopped``; replies still on their way are kept."""
        self._stopped = True
        self._limiter.close()
        self.spending.close()
        self._circuit.opened.set()
        with self._lock:
            waiting, self._open = list(self._open), set()
        for answer in waiting:
            with suppress(InvalidStateError):
                answer.set_exception(Stopped("stopped; the replies so far are kept", hint=HINT))

    def plan(self, planned: Planned) -> None:
        """What all of the run may ask at most. It is told before the first call, and only what goes beyond it
        is told later; without it, each :meth:`ask` tells of its own questions. A run without calls tells
        nothing."""
        self._told.plan(planned)

    def kept(self, question: Question) -> bool:
        """Whether it is answered from an earlier run, without a call."""
        return self._replies.get(question) is not None

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """One verdict for each, in order.

        Raises:
            OutputError: a reply cannot be kept.
            Stopped: the user stopped the run; what came is kept.
        """
        self._told.before(questions)
        self._shown.more(len(questions))
        jobs = [_Job(question, Future()) for question in questions]
        with self._lock:
            self._open.update(job.answer for job in jobs)
            wanted = min(len(self._open), self._limiter.most + SPARE)
            while len(self._threads) < wanted and not self._stopped:
                thread = threading.Thread(target=self._work, name="longtake judge", daemon=True)
                self._threads.append(thread)
                thread.start()
        for job in jobs:
            self._jobs.put(job)
        if self._stopped:
            self.stop()
        try:
            return [job.answer.result() for job in jobs]
        except KeyboardInterrupt:
            self.stop()
            raise Stopped("stopped; the replies so far are kept", hint=HINT) from None
        finally:
            with self._lock:
                self._open.difference_update(job.answer for job in jobs)

    def facts(self) -> JudgeFacts:
        """What was asked so far and what came of it."""
        stopped = self._circuit.reason or self.spending.stopped
        return self._tally.facts(self.name, self.judge.sends_to, self.spending.prices, stopped)

    @property
    def ended(self) -> Ended:
        """How it went so far: see :data:`.tally.Ended`."""
        return self._tally.ended

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            if job.answer.done():
                continue
            try:
                verdict = self._verdict(job.question)
            except BaseException as error:  # noqa: BLE001 - whoever waits hears of it, not this thread
                with suppress(InvalidStateError):
                    job.answer.set_exception(error)
            else:
                self._shown.one()
                with suppress(InvalidStateError):
                    job.answer.set_result(verdict)

    def _verdict(self, question: Question) -> Verdict:
        with self._lock:
            flight = self._flights.setdefault(question.key, threading.Lock())
        with flight:  # the same question twice at once is one call
            verdict = self._replies.get(question)
            if verdict is None:
                verdict = self._called(question)
                self._replies.put(question, verdict)
        if self._recording is not None:
            self._recording.add(question, verdict)
        self._tally.add(question, verdict)
        return verdict

    def _called(self, question: Question) -> Verdict:
        """Ask until a reply comes or no more may be asked."""
        attempts = 0
        while True:
            given = self._limiter.enter()
            if self._stopped or given is None:
                raise Stopped("stopped; the replies so far are kept", hint=HINT)
            if self._circuit.reason is not None:
                self._limiter.leave(given)
                unasked = "" if attempts else "not asked: "
                return _ended(question, "failed", f"{unasked}{self._circuit.reason}", attempts)
            held = self.spending.reserve(question, lambda: getattr(self.judge, "thought_tokens", 0))
            if isinstance(held, str):
                self._limiter.leave(given)
                return _ended(
                    question, "budget", f"not asked{' again' if attempts else ''}: {held}", attempts
                )
            if self._stopped or self._circuit.reason is not None:  # while it waited for the budget
                self.spending.settle(held, None, calls=0)
                self._limiter.leave(given)
                continue
            attempts += 1
            self._circuit.began()
            begun = time.monotonic()
            try:
                verdict = self.judge.ask(question)
            except AskError as error:
                self._tally.sent(question, error.sent)
                # What a server turns away costs nothing; of any other call nobody knows what it did.
                unbilled = error.busy or not error.again or not error.sent
                self.spending.settle(held, None if unbilled else Usage(), calls=error.sent)
                self._circuit.failed(error)
                given_up = self._circuit.reason is not None
                self._limiter.leave(given, busy=error.busy, after=0.0 if given_up else error.after or 0.0)
                if not error.again or attempts >= (BUSY_ATTEMPTS if error.busy else ATTEMPTS):
                    return _ended(question, "failed", told(error), attempts)
                self._circuit.opened.wait(wait_before(attempts + 1, question.key, error.after))
            except Exception as error:  # a judge may be anybody's: it costs its own verdicts
                self._tally.sent(question, 1)
                self.spending.settle(held, Usage())
                self._limiter.leave(given)
                if os.environ.get("LONGTAKE_DEBUG") and not isinstance(error, LongtakeError):
                    raise
                return _ended(question, "failed", f"the judge failed: {told(error)}", attempts)
            else:
                requests = 0 if verdict.cached else verdict.attempts
                self._tally.sent(question, requests)
                free = verdict.cached or (verdict.status in UNBILLED and verdict.usage == Usage())
                self.spending.settle(held, None if free else verdict.usage, calls=requests)
                self._circuit.replied()
                self._limiter.leave(given, time.monotonic() - begun)
                time.sleep(HANDOVER)
                return verdict.model_copy(update={"attempts": attempts + verdict.attempts - 1})


def _ended(question: Question, status: VerdictStatus, reason: str, attempts: int) -> Verdict:
    """The verdict on a question to which no reply came."""
    return Verdict(
        id=question.id,
        question=question.key,
        draw=question.draw,
        status=status,
        reason=reason,
        attempts=attempts,
    )


class _Shown:
    """How many of the questions have their verdict. Safe from several threads."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._lock = threading.Lock()
        self._done = self._total = 0

    def more(self, questions: int) -> None:
        """So many questions more are being asked."""
        with self._lock:
            if self._done == self._total:
                self._done = self._total = 0
            self._total += questions
            if self._progress is not None and self._total:
                self._progress.begin("asking the judge", float(self._total))

    def one(self) -> None:
        """One more has its verdict."""
        with self._lock:
            self._done += 1
            if self._progress is not None:
                self._progress.at(float(self._done))
