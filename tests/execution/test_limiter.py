"""Calls at once: one more per good round, half when busy, none more while replies only take longer."""

from __future__ import annotations

import threading
import time

import pytest

from longtake.core.judge import AskError
from longtake.execution.circuit import (
    ATTEMPTS,
    BUSY_SILENCE,
    FAILURES,
    FIRST_WAIT,
    LONGEST_WAIT,
    SILENCE,
    Circuit,
    wait_before,
)
from longtake.execution.limiter import LATENCY_GROWTH, MOST, START, Limiter


class Clock:
    """Seconds that pass only when told."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def round_of(limiter: Limiter, seconds: float, *, busy: bool = False) -> None:
    """As many calls at once as allowed, all with the same end."""
    given = [limiter.enter() for _ in range(limiter.limit)]
    for one in given:
        assert one is not None
        limiter.leave(one, None if busy else seconds, busy=busy)


def test_one_more_at_once_for_each_good_round_up_to_the_most() -> None:
    limiter = Limiter()
    seen = []
    for _ in range(MOST + 2):
        seen.append(limiter.limit)
        round_of(limiter, 1.0)
    assert seen[:4] == [START, START + 1, START + 2, START + 3]
    assert seen[-1] == MOST


def test_a_users_limit_is_where_it_starts_and_the_most() -> None:
    limiter = Limiter(7)
    for _ in range(3):
        assert limiter.limit == 7
        round_of(limiter, 1.0)


def test_busy_halves_once_for_all_calls_that_were_on_their_way() -> None:
    limiter = Limiter(8)
    round_of(limiter, 1.0, busy=True)
    assert limiter.limit == 4
    for _ in range(5):
        round_of(limiter, 1.0, busy=True)
    assert limiter.limit == 1
    for _ in range(9):
        round_of(limiter, 1.0)
    assert limiter.limit == 8


def test_no_more_while_replies_take_longer() -> None:
    """A server that answers one at a time: n at once take n times as long."""
    limiter = Limiter()
    for _ in range(30):
        round_of(limiter, limiter.limit / START)
    assert START < limiter.limit <= START * LATENCY_GROWTH + 1


def test_a_pause_holds_everybody_until_it_is_over() -> None:
    limiter = Limiter(4)
    first = limiter.enter()
    assert first is not None
    begun = time.monotonic()
    limiter.leave(first, busy=True, after=0.3)
    assert limiter.enter() is not None
    assert 0.3 <= time.monotonic() - begun < 1


def test_a_closed_limiter_lets_nobody_in_or_wait() -> None:
    limiter = Limiter(1)
    assert limiter.enter() is not None
    found: list[int | None] = []
    thread = threading.Thread(target=lambda: found.append(limiter.enter()))
    thread.start()
    limiter.close()
    thread.join(1)
    assert found == [None]


def test_pauses_double_are_drawn_by_the_question_and_never_surprise() -> None:
    waits = {key: [wait_before(n, key) for n in range(2, 12)] for key in map(str, range(200))}
    for n in range(10):
        longest = min(LONGEST_WAIT, FIRST_WAIT * 2**n)
        column = [w[n] for w in waits.values()]
        assert longest / 2 <= min(column) < 0.55 * longest
        assert 0.95 * longest < max(column) <= longest
        assert sum(column) / len(column) == pytest.approx(0.75 * longest, rel=0.05)
    assert waits["7"] == [wait_before(n, "7") for n in range(2, 12)]
    assert wait_before(2, "7", after=3.0) == 3.0
    assert sum(FIRST_WAIT * 2.0**n for n in range(ATTEMPTS - 1)) < 15


def failing(circuit: Circuit, clock: Clock, seconds: float, *, busy: bool = False) -> float | None:
    """When it opens, failing every half second."""
    circuit.began()
    begun = clock.now
    while clock.now - begun < seconds:
        clock.now += 0.5
        circuit.failed(AskError("no", again=True, busy=busy))
        if circuit.reason is not None:
            return clock.now - begun
    return None


def test_silence_opens_the_circuit_and_a_reply_ends_the_silence() -> None:
    clock = Clock()
    circuit = Circuit(clock)
    assert failing(circuit, clock, SILENCE - 1) is None
    circuit.replied()
    assert failing(circuit, clock, SILENCE - 1) is None
    assert failing(circuit, clock, 60) is not None
    assert circuit.opened.is_set()
    assert failing(Circuit(clock), clock, 60) == SILENCE
    assert failing(Circuit(clock), clock, 600, busy=True) == BUSY_SILENCE


def test_time_in_which_nothing_was_asked_is_no_silence() -> None:
    clock = Clock()
    circuit = Circuit(clock)
    circuit.began()
    circuit.replied()
    clock.now += 600
    for _ in range(2 * FAILURES):  # many at once, once
        circuit.began()
        circuit.failed(AskError("no", again=True))
    assert circuit.reason is None
    clock.now += SILENCE
    circuit.failed(AskError("no", again=True))
    assert circuit.reason is not None


def test_few_failures_do_not_open_it_however_long_they_took() -> None:
    clock = Clock()
    circuit = Circuit(clock)
    circuit.began()
    for _ in range(FAILURES - 1):
        clock.now += 100
        circuit.failed(AskError("timed out", again=True))
        assert circuit.reason is None
    circuit.failed(AskError("timed out", again=True))
    assert circuit.reason is not None
