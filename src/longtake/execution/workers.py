"""Runs jobs in several processes, this one among them; a stop or a failure ends them all.

The children are plain interpreters that are handed a pickled job. ``multiprocessing`` would run the caller's
script again in each of them, so that ``longtake.diagnose`` in a script without a main guard would fail.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from ..errors import LongtakeError

Job = Callable[[Callable[[float], None]], None]
"""Does its work and tells, now and then, how much of it is done. Must survive pickling."""

_CHILD = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from longtake.execution.workers import serve; serve()"
)


def run_together(
    jobs: Sequence[Job], workers: int, tell: Callable[[int, float], None], *, apart: bool = False
) -> None:
    """Run all jobs in at most ``workers`` processes at a time.

    This process takes the last one itself, unless they are to be kept ``apart``: what a job has loaded stays
    in memory as long as its process lives. ``tell`` is given the number of a job and how much of it is done.
    The first failure is raised here.

    Raises:
        LongtakeError: a job failed, or its process died.
    """
    own = None if apart else len(jobs) - 1
    team = _Team(jobs, [n for n in range(len(jobs)) if n != own], tell)
    try:
        if own is not None:
            team.fill(workers - 1)
            jobs[own](partial(team.tell_and_listen, own))
        team.fill(workers)
        while team.busy:
            team.listen(wait=True)
    finally:
        team.stop()


class _Team:
    """The child processes; a thread for each passes on what it says."""

    def __init__(self, jobs: Sequence[Job], waiting: list[int], tell: Callable[[int, float], None]) -> None:
        self._jobs = jobs
        self._tell = tell
        self._waiting = waiting
        self._limit = 0
        self._said: SimpleQueue[tuple[int, Any]] = SimpleQueue()
        self._working: set[int] = set()
        self._children: list[subprocess.Popen[bytes]] = []
        self._listeners: list[Thread] = []

    @property
    def busy(self) -> bool:
        return bool(self._working)

    def fill(self, limit: int) -> None:
        """Let up to ``limit`` children work from now on."""
        self._limit = limit
        while self._waiting and len(self._working) < self._limit:
            number = self._waiting.pop(0)
            child = subprocess.Popen(
                [sys.executable, "-c", _CHILD],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,  # a terminal's Ctrl-C is for the parent, which ends its children
            )
            self._children.append(child)
            self._working.add(number)
            assert child.stdin is not None
            with suppress(BrokenPipeError):  # it died at once: its listener says so
                pickle.dump(sys.path, child.stdin)
                pickle.dump(self._jobs[number], child.stdin)
                child.stdin.close()
            listener = Thread(target=self._listen_to, args=(child, number), daemon=True)
            listener.start()
            self._listeners.append(listener)

    def tell_and_listen(self, number: int, done: float) -> None:
        """What this process's own job calls: it passes on what the others have said as well."""
        self._tell(number, done)
        self.listen(wait=False)

    def _listen_to(self, child: subprocess.Popen[bytes], number: int) -> None:
        assert child.stdout is not None
        try:
            while True:
                told = pickle.load(child.stdout)
                self._said.put((number, told))
                if not isinstance(told, float):
                    return
        except (EOFError, pickle.UnpicklingError, ValueError):
            hint = "is there enough memory? --workers 1 needs least"
            self._said.put((number, LongtakeError("a worker process died", hint=hint)))

    def listen(self, *, wait: bool) -> None:
        """Take in what children have said, waiting if asked to; who is done gets the next job."""
        try:
            number, told = self._said.get(block=wait)
            while True:
                if isinstance(told, float):
                    self._tell(number, told)
                else:
                    self._working.discard(number)
                    if told is not None:
                        raise told
                number, told = self._said.get_nowait()
        except Empty:
            self.fill(self._limit)

    def stop(self) -> None:
        """End whatever still runs."""
        for child in self._children:
            child.kill()
            child.wait()
        for listener in self._listeners:
            listener.join()
        for child in self._children:
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    with suppress(BrokenPipeError):
                        pipe.close()


def serve() -> None:
    """A child's life: take a job, do it, say how it ended. A parent that died ends it at its next word."""
    job: Job = pickle.load(sys.stdin.buffer)
    words = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not get among the words

    def say(told: float | LongtakeError | None) -> None:
        pickle.dump(told, words)
        words.flush()

    error: LongtakeError | None = None
    with suppress(BrokenPipeError):
        try:
            job(say)
        except LongtakeError as known:
            error = known
        except BrokenPipeError:
            return
        except Exception as unknown:  # noqa: BLE001 - told to the parent, which raises it
            error = LongtakeError(f"a worker failed: {type(unknown).__name__}: {unknown}")
        say(error)
