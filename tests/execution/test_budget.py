"""A budget is never passed, by however many threads, and what was asked of it is told."""

from __future__ import annotations

import json
import random
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from scripted import Scripted, answered, frame, question

from longtake.core.judge import AskError, Question, Usage, Verdict
from longtake.errors import UsageError
from longtake.execution.asking import Asking
from longtake.execution.budget import Budget, Prices, Spending
from longtake.execution.limiter import Limiter
from longtake.execution.worst_case import LEAST_PICTURE, OVERHEAD, Tokens, picture_tokens, worst_case
from longtake.storage.cache import Cache

PRICES = Prices(input=2.5, output=10)


def run(
    budget: Budget, judge: Scripted, n: int = 60, prices: Prices | None = None, cache: Cache | None = None
) -> tuple[list[Verdict], Asking]:
    asker = Asking(judge, spending=Spending(budget, prices), limiter=Limiter(16), cache=cache)
    with asker:
        return asker.ask([question(i) for i in range(n)]), asker


class Metered(Scripted):
    """Counts by chance what it takes, up to the worst case, and what it took in all."""

    def __init__(self) -> None:
        super().__init__(self._meter)
        self.spent = Tokens(0, 0)
        self._dice = random.Random(5)

    def _meter(self, asked: Question, n: int) -> Verdict:
        time.sleep(0.001)
        with self._lock:
            worst = worst_case(asked)
            took = Tokens(self._dice.randint(1, worst.input), self._dice.randint(1, worst.output))
            self.spent += took
        return answered(asked, usage=Usage(input_tokens=took.input, output_tokens=took.output))


@pytest.mark.parametrize("calls", [0, 1, 17])
def test_calls(calls: int) -> None:
    judge = Scripted(delay=0.002)
    verdicts, asker = run(Budget(calls=calls), judge)
    assert len(judge.asked) == calls
    assert [v.status for v in verdicts].count("answered") == calls
    refused = [v for v in verdicts if v.status == "budget"]
    assert len(refused) == 60 - calls
    assert all(f"the budget of {calls} calls is spent" in (v.reason or "") for v in refused)
    assert all(v.attempts == 0 for v in refused)
    assert asker.ended == "budget"
    assert asker.facts().stopped == f"the budget of {calls} calls is spent"


def test_attempts_count_as_calls() -> None:
    def flaky(asked: Question, n: int) -> Verdict:
        if n % 2 == 0:
            raise AskError("500", again=True)
        return answered(asked)

    judge = Scripted(flaky)
    asker = Asking(judge, spending=Spending(Budget(calls=5)), limiter=Limiter(1))
    with asker:
        verdicts = asker.ask([question(i) for i in range(6)])
    assert len(judge.asked) == 5
    assert [v.status for v in verdicts].count("answered") == 2


@pytest.mark.parametrize("tokens", [100, 9_000, 60_000])
def test_tokens(tokens: int) -> None:
    judge = Metered()
    verdicts, asker = run(Budget(tokens=tokens), judge)
    assert judge.spent.all <= tokens
    assert judge.spent.all == asker.spending.tokens.all
    unspent = tokens - judge.spent.all
    needed = worst_case(question(0)).all
    assert unspent < needed + 50  # it stopped because the next did not fit, not before
    assert {v.status for v in verdicts} <= {"answered", "budget"}
    assert len(judge.asked) == [v.status for v in verdicts].count("answered")


def test_money() -> None:
    judge = Metered()
    _, asker = run(Budget(money=0.1), judge, prices=PRICES)
    assert 0.08 < PRICES.of(judge.spent) <= 0.1
    assert asker.facts().money == pytest.approx(PRICES.of(judge.spent))
    assert "budget of 0.1 are spent" in (asker.facts().stopped or "")


def test_what_the_server_counts_beyond_the_estimate_is_learnt_from_the_first_call() -> None:
    """A server that counts a picture as 8,500 tokens: after one call no estimate is too low."""
    per_call = 20_000
    judge = Scripted(lambda asked, n: answered(asked, usage=Usage(input_tokens=per_call, output_tokens=10)))
    judge.delay = 0.01
    run(Budget(tokens=100_000), judge)
    assert len(judge.asked) == 4  # 4 x 20,010; a fifth may take 20,200
    assert judge.times[1] - judge.times[0] >= 0.01


def test_a_server_that_counts_nothing_is_charged_the_worst() -> None:
    worst = worst_case(question(0)).all
    judge = Scripted(lambda asked, n: answered(asked, usage=Usage()).model_copy(update={"usage": Usage()}))
    _, asker = run(Budget(tokens=10 * worst + 60), judge)
    assert len(judge.asked) == 10
    assert asker.facts().input_tokens is None
    assert "at worst: not counted by the server" in (asker.facts().stopped or "")


def test_a_small_question_may_fit_where_a_large_one_does_not() -> None:
    judge = Scripted()
    small = replace(question(1), frames=())
    spending = Spending(Budget(tokens=worst_case(small).all + 20))
    with Asking(judge, spending=spending) as asker:
        verdicts = asker.ask([question(0, frames=40), small])
    assert [v.status for v in verdicts] == ["budget", "answered"]


def test_what_is_kept_costs_nothing(tmp_path: Path) -> None:
    run(Budget(), Scripted(), cache=Cache(tmp_path))
    judge = Scripted()
    verdicts, asker = run(Budget(calls=0), judge, cache=Cache(tmp_path))
    assert judge.asked == []
    assert {v.status for v in verdicts} == {"answered"}
    assert asker.ended == "well"


def test_a_budget_stop_is_no_answer_that_is_kept(tmp_path: Path) -> None:
    run(Budget(calls=20), Scripted(), cache=Cache(tmp_path))
    judge = Scripted()
    verdicts, _ = run(Budget(), judge, cache=Cache(tmp_path))
    assert len(judge.asked) == 40
    assert {v.status for v in verdicts} == {"answered"}


def test_reservations_of_many_threads_never_pass_it() -> None:
    """Straight at the book-keeping: 40 threads, and the sum of the worst cases on their way is watched."""
    one = question(0)
    worst = worst_case(one).all
    spending = Spending(Budget(tokens=25 * worst))
    lock, out, most, granted = threading.Lock(), 0, 0, 0

    def work(seed: int) -> None:
        nonlocal out, most, granted
        dice = random.Random(seed)
        while not isinstance(held := spending.reserve(one), str):
            with lock:
                out += held.tokens.all
                granted += 1
                most = max(most, out + spending.tokens.all)
            time.sleep(dice.random() / 1000)
            with lock:
                out -= held.tokens.all
                spending.settle(held, Usage(input_tokens=dice.randint(1, held.tokens.input), output_tokens=1))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert most <= 25 * worst
    assert spending.tokens.all <= 25 * worst
    assert granted > 25


def test_worst_cases_by_hand() -> None:
    asked = question(0, frames=0)
    words = len(asked.prompt.encode()) + len(json.dumps(asked.schema))
    assert worst_case(asked) == Tokens(OVERHEAD + words, 200)
    assert picture_tokens(512, 288) == 30 + LEAST_PICTURE
    assert picture_tokens(1920, 1080) == 30 + 69 * 39
    assert frame().width == 512
    assert worst_case(question(0, frames=3)).input == worst_case(asked).input + 3 * (30 + LEAST_PICTURE)
    chinese = replace(asked, text="镜头" * 100)
    assert worst_case(chinese).input - worst_case(replace(asked, text="")).input == 600


def test_prices_and_budgets_are_read() -> None:
    assert Prices.read("input=2.5, output=10") == PRICES
    assert PRICES.of(Tokens(1_000_000, 100_000)) == 3.5
    assert Budget.read("calls=100,tokens=200000,money=5") == Budget(100, 200_000, 5.0)
    assert Budget.read("tokens=1e6") == Budget(tokens=1_000_000)
    assert Budget.read("money=0.5").checked(PRICES).money == 0.5


@pytest.mark.parametrize(
    "text",
    [
        *["", "calls", "calls=", "calls=x", "calls=-1", "calls=1.5", "coins=3"],
        "calls=1,calls=2",
        *["money=inf", "money=nan"],
    ],
)
def test_bad_budgets_are_told(text: str) -> None:
    with pytest.raises(UsageError):
        Budget.read(text)


@pytest.mark.parametrize(
    "text",
    [
        *["input=1", "output=1", "2.5", "input=1,output=-2", "input=1;output=2"],
        *["input=1e6,output=1000001", "input=1e308,output=1", "input=inf,output=1", "input=nan,output=1"],
    ],
)
def test_bad_prices_are_told(text: str) -> None:
    with pytest.raises(UsageError):
        Prices.read(text)


def test_money_never_overflows() -> None:
    prices = Prices.read("input=1e6,output=1e6")
    most = Usage(input_tokens=10**9, output_tokens=10**9)
    spending = Spending(prices=prices)
    for _ in range(100):
        held = spending.reserve(question(0))
        assert not isinstance(held, str)
        spending.settle(held, most)
    assert prices.of(spending.tokens) == 2e11


def test_a_count_that_nobody_believes_is_charged_the_worst() -> None:
    spending = Spending(Budget(tokens=10**6))
    held = spending.reserve(question(0))
    assert not isinstance(held, str)
    spending.settle(held, Usage(input_tokens=-(10**9), output_tokens=-1))
    assert spending.tokens == held.tokens
    assert spending.uncounted == held.tokens.all


@pytest.mark.parametrize("text", ["calls=1e308", "tokens=1e16", "money=1e300", "money=1e15,calls=1e16"])
def test_a_budget_without_measure_is_told(text: str) -> None:
    with pytest.raises(UsageError, match="no part of a budget"):
        Budget.read(text)


def test_money_without_prices_is_told() -> None:
    with pytest.raises(UsageError, match="needs prices"):
        Spending(Budget(money=5))
