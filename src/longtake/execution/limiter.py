"""How many calls to a judge are on their way at once: what the server bears, up to a limit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

MOST = 16
"""Calls at once where the user names no limit. A judgement, not a measurement."""
START = 4
"""Calls at once before anything is known of the server, where the user names no limit. A judgement."""
LATENCY_GROWTH = 2.0
"""No more calls at once while a reply takes so many times what it took at best: they would only queue."""
SMOOTHING = 0.2
"""Weight of the newest reply in the running mean of their seconds."""


class Limiter:
    """Slots for calls. One more at once per round of good replies, half as many when the server is busy.

    With ``most`` from the user it starts there; without, at :data:`START`, and climbs to :data:`MOST`. Times
    are seconds. Safe from several threads.
    """

    def __init__(self, most: int | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.most = most or MOST
        self.limit = most or min(START, MOST)
        self._clock = clock
        self._changed = threading.Condition()
        self._used = 0
        self._credit = 0.0
        self._round = 0
        self._paused_until = 0.0
        self._mean: float | None = None
        self._best: float | None = None
        self._closed = False

    def enter(self) -> int | None:
        """Wait for a slot; the round in which it was given, or ``None`` once this is closed."""
        with self._changed:
            while not self._closed:
                pause = self._paused_until - self._clock()
                if self._used < self.limit and pause <= 0:
                    self._used += 1
                    return self._round
                self._changed.wait(pause if pause > 0 else None)
            return None

    def leave(
        self, given: int, seconds: float | None = None, *, busy: bool = False, after: float = 0.0
    ) -> None:
        """Give the slot of round ``given`` back.

        ``seconds`` is what a reply took, ``None`` where none came. ``busy``: the server says it is
        overloaded, and calls that were sent before it was heeded count once. Nothing is sent for ``after``
        seconds.
        """
        with self._changed:
            self._used -= 1
            if after > 0:
                self._paused_until = max(self._paused_until, self._clock() + after)
            if busy:
                if given == self._round:
                    self._round += 1
                    self.limit = max(1, self.limit // 2)
                    self._credit = 0.0
            elif seconds is not None:
                self._replied(seconds)
            self._changed.notify_all()

    def _replied(self, seconds: float) -> None:
        self._mean = seconds if self._mean is None else self._mean + SMOOTHING * (seconds - self._mean)
        self._best = self._mean if self._best is None else min(self._best, self._mean)
        if self.limit >= self.most or self._mean > LATENCY_GROWTH * self._best:
            return
        self._credit += 1 / self.limit
        if self._credit >= 1 - 1e-9:
            self.limit, self._credit = self.limit + 1, 0.0

    def close(self) -> None:
        """Nobody gets a slot any more; whoever waits stops waiting."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
