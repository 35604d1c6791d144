"""How far a long film is, on stderr: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from .output import err_console

QUIET_SECONDS = 10.0
"""Without a terminal nothing is said before this long, and then at most this often."""


class TerminalProgress:
    """Shows what is being done, how far, and how long it will take. A context manager."""

    def __init__(self) -> None:
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._what = ""
        self._total = 0.0
        self._begun = self._said = time.monotonic()

    def __enter__(self) -> TerminalProgress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def begin(self, what: str, total: float) -> None:
        """A stage of ``total`` seconds of film begins."""
        self._what, self._total = what, total
        self._begun = self._said = time.monotonic()
        if sys.stderr.isatty():
            if self._bar is None:
                self._bar = Progress(
                    TextColumn("{task.description}"),
                    BarColumn(),
                    TextColumn("{task.percentage:>3.0f}%"),
                    TimeRemainingColumn(),
                    console=err_console(),
                    transient=True,
                )
                self._bar.start()
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task = self._bar.add_task(what, total=total or None)

    def at(self, done: float) -> None:
        """So many seconds of film are done."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=min(done, self._total))
            return
        now = time.monotonic()
        if now - self._said >= QUIET_SECONDS and self._total > 0 and done > 0:
            self._said = now
            left = (now - self._begun) * (self._total - done) / done
            share = min(1.0, done / self._total)
            print(f"{self._what}: {share:.0%}, about {max(0, left):.0f} s left", file=sys.stderr)
