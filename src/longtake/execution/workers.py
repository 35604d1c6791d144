"""Runs jobs in several processes, this one among them; a stop or a failure ends them all."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from ..errors import LongtakeError

Job = Callable[[Callable[[float], None]], None]
"""Does its work and tells, now and then, how much of it is done. Must survive pickling."""


def run_together(jobs: Sequence[Job], workers: int, tell: Callable[[int, float], None]) -> None:
    """Run all jobs in at most ``workers`` processes at a time; this process takes the last one itself.

    ``tell`` is given the number of a job and how much of it is done. The first failure is raised here.

    Raises:
        LongtakeError: a job failed, or its process died.
    """
    team = _Team(jobs, tell)
    mine = len(jobs) - 1

    def tell_mine(done: float) -> None:
        tell(mine, done)
        team.listen(0)

    try:
        team.fill(workers - 1)
        jobs[mine](tell_mine)
        team.fill(workers)
        while team.busy:
            team.listen(None)
    finally:
        team.stop()


class _Team:
    """The child processes, each with a pipe on which it says how far it is and how it ended."""

    def __init__(self, jobs: Sequence[Job], tell: Callable[[int, float], None]) -> None:
        self._jobs = jobs
        self._tell = tell
        self._waiting = list(range(len(jobs) - 1))
        self._limit = 0
        self._pipes: dict[Connection, int] = {}
        self._children: list[BaseProcess] = []

    @property
    def busy(self) -> bool:
        return bool(self._pipes)

    def fill(self, limit: int) -> None:
        """Let up to ``limit`` children work from now on."""
        self._limit = limit
        context = get_context("spawn")
        while self._waiting and len(self._pipes) < self._limit:
            number = self._waiting.pop(0)
            ours, theirs = context.Pipe(duplex=False)
            child = context.Process(target=_child, args=(theirs, self._jobs[number]), daemon=True)
            with _interrupts_held():
                child.start()
            theirs.close()
            self._pipes[ours] = number
            self._children.append(child)

    def listen(self, timeout: float | None) -> None:
        """Take in what children say, waiting at most ``timeout`` seconds; who is done gets the next job."""
        for pipe in wait(list(self._pipes), timeout):
            assert isinstance(pipe, Connection)
            told: Any
            try:
                told = pipe.recv()
            except EOFError:
                hint = "is there enough memory? --workers 1 needs least"
                told = LongtakeError("a worker process died", hint=hint)
            if isinstance(told, float):
                self._tell(self._pipes[pipe], told)
                continue
            del self._pipes[pipe]
            pipe.close()
            if told is not None:
                raise told
        self.fill(self._limit)

    def stop(self) -> None:
        """End whatever still runs."""
        for pipe in self._pipes:
            pipe.close()
        for child in self._children:
            child.terminate()
            child.join()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C reaches every process of a terminal; a child born in here never sees it: its parent ends it."""
    resource_tracker.ensure_running()  # its own first start, within a start of ours, would let them loose
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


def _child(pipe: Connection, job: Job) -> None:
    """A worker process. Its end is told as an error or ``None``; a parent that died ends it."""
    error: LongtakeError | None = None
    try:
        job(pipe.send)
    except LongtakeError as known:
        error = known
    except BrokenPipeError:
        return
    except Exception as unknown:  # noqa: BLE001 - told to the parent, which raises it
        error = LongtakeError(f"a worker failed: {type(unknown).__name__}: {unknown}")
    with suppress(BrokenPipeError):
        pipe.send(error)
        pipe.close()
