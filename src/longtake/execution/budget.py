"""What a judge may cost: a budget in calls, tokens or money, which no call but the first could pass."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass

from ..core.judge import Question, Usage
from ..errors import UsageError
from .worst_case import NONE, Tokens, worst_case

MILLION = 1_000_000
MOST_PRICE = 1e6
"""Of a million tokens: what is more is a slip. No sum of what runs take overflows with it."""
MOST_SPENT = 1e15
"""A budget that is larger is none: numbers up to here are exact."""


@dataclass(frozen=True)
class Prices:
    """What the user pays for a million tokens, in the user's currency."""

    input: float
    output: float

    @classmethod
    def read(cls, text: str) -> Prices:
        """From ``input=2.5,output=10``. Raises ``UsageError``."""
        given = _numbers(text, ("input", "output"), "price", "input=2.5,output=10", MOST_PRICE)
        if absent := [name for name in ("input", "output") if name not in given]:
            hint = "write it as input=2.5,output=10: per million tokens"
            raise UsageError(f"the price of {' and '.join(absent)} is missing in {text!r}", hint=hint)
        return cls(given["input"], given["output"])

    def of(self, tokens: Tokens) -> float:
        """What so many tokens cost."""
        return (tokens.input * self.input + tokens.output * self.output) / MILLION


@dataclass(frozen=True)
class Budget:
    """The most that may be spent in one run; ``None`` for no bound. Money is in the prices' currency."""

    calls: int | None = None
    tokens: int | None = None
    money: float | None = None

    @classmethod
    def read(cls, text: str) -> Budget:
        """From ``calls=100,tokens=200000,money=5``, any of them. Raises ``UsageError``."""
        names = ("calls", "tokens", "money")
        given = _numbers(text, names, "budget", "calls=100,tokens=200000,money=5", MOST_SPENT)
        for name in ("calls", "tokens"):
            if name in given and given[name] != int(given[name]):
                raise UsageError(f"a budget of {given[name]} {name} is no whole number")
        return cls(
            calls=int(given["calls"]) if "calls" in given else None,
            tokens=int(given["tokens"]) if "tokens" in given else None,
            money=given.get("money"),
        )

    def told(self) -> str:
        """Its bounds in words; empty where there are none."""
        bounds = [
            f"{bound:,.10g} {what}"
            for bound, what in ((self.calls, "calls"), (self.tokens, "tokens"), (self.money, "of your money"))
            if bound is not None
        ]
        return " or ".join(bounds)

    def checked(self, prices: Prices | None) -> Budget:
        """Itself. Raises ``UsageError`` where it is in money and there are no prices."""
        if self.money is not None and prices is None:
            hint = "give --price input=2.5,output=10: what a million tokens cost"
            raise UsageError("a budget in money needs prices", hint=hint)
        return self


def _numbers(text: str, names: tuple[str, ...], what: str, example: str, most: float) -> dict[str, float]:
    found: dict[str, float] = {}
    for part in text.split(","):
        name, equals, number = (word.strip() for word in part.partition("="))
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not equals or name not in names or name in found or not (0 <= value <= most):
            hint = f"write it as {example}: each at most once, numbers from 0 to {most:,.0f}"
            raise UsageError(f"{part.strip()!r} is no part of a {what}", hint=hint)
        found[name] = value
    return found


@dataclass(frozen=True)
class Held:
    """What is set aside for one call on its way."""

    tokens: Tokens
    estimated_input: int


class Spending:
    """Keeps a budget. What a call may come to at worst is set aside before it, what it came to is counted.

    A question that fits only if calls on their way come to less than their worst waits for them. With a
    budget the first question goes alone: what the server counts for it corrects the estimates of all others
    upward (a server may count a picture as thousands of tokens, and nothing but a reply tells), and in how
    many requests it was asked is known by then (a server may turn some away for a parameter). Safe from
    several threads.
    """

    def __init__(self, budget: Budget | None = None, prices: Prices | None = None) -> None:
        self.budget = (budget or Budget()).checked(prices)
        self.prices = prices
        self.calls = 0
        self.tokens = NONE
        self.uncounted = 0
        """Tokens of ``tokens`` that no server counted: worst cases of calls without a count."""
        self.stopped: str | None = None
        self._factor = 1.0
        self._counts = self.budget.tokens is not None or self.budget.money is not None
        self._known = self.budget == Budget()
        self._held: list[Held] = []
        self._changed = threading.Condition()
        self._closed = False

    def reserve(self, question: Question, thought: Callable[[], int] = int) -> Held | str:
        """Set the worst case of a call aside, or why the question is not to be asked; may wait.

        ``thought`` gives the tokens that a reply may take beside the answer, as far as is known by now.
        """
        plain = worst_case(question)
        with self._changed:
            while not self._closed:
                tokens = Tokens(math.ceil(plain.input * self._factor), plain.output + thought())
                if (why := self._passed(tokens, [])) is not None:
                    self.stopped = self.stopped or why
                    return why
                if (self._known or not self._held) and self._passed(tokens, self._held) is None:
                    held = Held(tokens, plain.input)
                    self._held.append(held)
                    return held
                self._changed.wait()
            return "the run was stopped"

    def settle(self, held: Held, usage: Usage | None, *, calls: int = 1) -> None:
        """A question came back, after so many ``calls``, with what the server counted. Where it did not
        count, the worst case is counted; without a ``usage`` nothing but the calls are (the server did not
        take it on)."""
        with self._changed:
            self._held.remove(held)
            self.calls += calls
            self._known = self._known or (calls > 0 and not self._counts)
            if usage is not None:
                self._spend(held, usage)
            self._changed.notify_all()

    def _spend(self, held: Held, usage: Usage) -> None:
        counted = [usage.input_tokens, usage.output_tokens]
        worst = [held.tokens.input, held.tokens.output]
        spent = Tokens(*(w if c is None else c for c, w in zip(counted, worst, strict=True)))
        self.tokens += spent
        if None in counted:
            self.uncounted += spent.all
        if usage.input_tokens is not None:
            self._factor = max(self._factor, usage.input_tokens / held.estimated_input)
        self._known = True

    def close(self) -> None:
        """Nobody waits any more."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _passed(self, tokens: Tokens, held: list[Held]) -> str | None:
        """Which budget a call of ``tokens`` would pass, beside what is spent and ``held``."""
        budget = self.budget
        calls = self.calls + len(held)
        if budget.calls is not None and calls + 1 > budget.calls:
            return f"the budget of {budget.calls:,} calls is spent"
        total = sum((h.tokens for h in held), self.tokens) + tokens
        guessed = (
            f" ({self.uncounted:,} of them at worst: not counted by the server)" if self.uncounted else ""
        )
        if budget.tokens is not None and total.all > budget.tokens:
            return (
                f"it may take {tokens.all:,} tokens, and {self.tokens.all:,}{guessed} of the budget of "
                f"{budget.tokens:,} are spent"
            )
        if budget.money is not None and self.prices is not None and self.prices.of(total) > budget.money:
            return (
                f"it may cost {self.prices.of(tokens):.4g}, and {self.prices.of(self.tokens):.4g} of the "
                f"budget of {budget.money:.4g} are spent"
            )
        return None
