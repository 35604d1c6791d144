"""When a call is tried again, and when a judge is given up."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from ..core.judge import AskError, whole
from ..core.seeds import seed_for

ATTEMPTS = 6
"""Times a question is asked where no reply comes. With :data:`FIRST_WAIT` that is 6 to 12.4 s of waiting."""
BUSY_ATTEMPTS = 10
"""Times a question is asked of a server that says it is busy: about a minute, as rates are often counted."""
FIRST_WAIT = 0.4
"""Seconds before the second attempt; twice as many before each further one."""
LONGEST_WAIT = 20.0
"""Seconds between attempts at most, unless the server names more."""
LONGEST_AFTER = 120.0
"""A server that wants to be left alone for longer than so many seconds is given up."""
FAILURES = 4
"""Calls in a row without a reply before a judge is given up, with :data:`SILENCE`."""
SILENCE = 6.0
"""Seconds without a reply before a judge is given up: a restart of a small server may take as long."""
BUSY_SILENCE = 120.0
"""The same for one that answers only that it is busy."""


def wait_before(attempt: int, key: str, after: float | None = None) -> float:
    """Seconds to wait before ``attempt`` (from 2) of the question ``key``.

    Twice as long each time, between half of that and all of it: by chance, but the same for the same
    question, so that questions that failed together don't come back together.
    """
    longest = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (attempt - 2))
    share = seed_for(key, "retry", attempt) / 2**64
    return max(longest * (0.5 + share / 2), after or 0.0)


class Circuit:
    """Opens where asking on makes no sense; ``reason`` then says why. Safe from several threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.reason: str | None = None
        self.opened = threading.Event()
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._silent_since: float | None = None

    def began(self) -> None:
        """A call begins: the first one since a reply begins the silence, not the time without calls."""
        with self._lock:
            if self._silent_since is None:
                self._silent_since = self._clock()

    def replied(self) -> None:
        """A reply came, whatever it says."""
        with self._lock:
            self._failures, self._silent_since = 0, None

    def failed(self, error: AskError) -> None:
        """No reply came."""
        with self._lock:
            self._failures += 1
            now = self._clock()
            self._silent_since = now if self._silent_since is None else self._silent_since
            silent = now - self._silent_since
            told = f"{error.message} ({error.hint})" if error.hint else error.message
            if not error.again:
                self._open(told)
            elif (error.after or 0.0) > LONGEST_AFTER:
                self._open(f"{told}; it wants to be left alone for {error.after:.0f} s")
            elif self._failures >= FAILURES and silent >= (BUSY_SILENCE if error.busy else SILENCE):
                self._open(f"no reply to {self._failures} calls in {silent:.0f} s: {told}")

    def _open(self, reason: str) -> None:
        if self.reason is None:
            self.reason = whole(reason)
            self.opened.set()
