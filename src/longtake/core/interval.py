"""A figure with the interval it lies in: what it is, how sure, of how many, and how that was found."""

from __future__ import annotations

from pydantic import Field, FiniteFloat, model_validator

from .model import Record


class Interval(Record):
    """A value with its interval, or neither and the reason why not.

    ``n`` is the number of units the value rests on, ``n_asked`` the number there would be had everything
    been answered. ``low`` and ``high`` are missing, with ``reason``, where a value has no interval.
    ``method`` says in a few words how the interval was made.
    """

    n: int = Field(ge=0)
    n_asked: int = Field(ge=0)
    value: FiniteFloat | None
    low: FiniteFloat | None = None
    high: FiniteFloat | None = None
    level: float = Field(0.95, gt=0, lt=1)
    method: str
    reason: str | None = None

    @model_validator(mode="after")
    def _whole(self) -> Interval:
        if self.n > self.n_asked:
            raise ValueError(f"{self.n} of {self.n_asked} cannot be")
        if (self.low is None) != (self.high is None):
            raise ValueError("an interval has two ends or none")
        if self.value is None and self.low is not None:
            raise ValueError("an interval needs a value")
        if self.low is None and not self.reason:
            raise ValueError("what is not there needs a reason")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"an interval from {self.low} to {self.high} cannot be")
        return self


def missing(
    reason: str, *, n: int = 0, n_asked: int = 0, level: float = 0.95, method: str = "none"
) -> Interval:
    """No figure, for this reason."""
    return Interval(n=n, n_asked=n_asked, value=None, level=level, method=method, reason=reason)
