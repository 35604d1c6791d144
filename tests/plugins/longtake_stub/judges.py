"""Evaluators with habits that the runner has to cope with."""

from __future__ import annotations

import os
import time
from pathlib import Path

from longtake.core.evaluator import Card, MeasuredCase, Preference, Quantity
from longtake.core.measurement import Evidence, Measurement
from longtake.errors import BackendError
from longtake.evaluators.cards import own_card


class First:
    """Prefers whatever it is shown first, and points at the first second of the other."""

    card = Card(name="stub.first", version=1, question="Which came first?", prefers=True)
    ordered = True

    def prefer(self, first: MeasuredCase, second: MeasuredCase) -> Preference:
        spans = [Evidence(start=0.0, end=1.0, what="the second film")]
        return Preference(status="scored", choice="a", evidence=spans)


class _Scores:
    name = ""

    def __init__(self) -> None:
        self.card = Card(
            name=self.name, version=1, question="?", quantities=(Quantity(name="length", doc="half"),)
        )

    def measure(self, case: MeasuredCase) -> list[Measurement]:
        return [Measurement(name="length", status="scored", value=0.5)]


class Slow(_Scores):
    """Takes its time and keeps a list of whom it has seen."""

    name = "stub.slow"

    def measure(self, case: MeasuredCase) -> list[Measurement]:
        with Path(os.environ["LONGTAKE_STUB_LOG"]).open("a", encoding="utf-8") as log:
            log.write(f"{case.case.id}\n")
        time.sleep(float(os.environ.get("LONGTAKE_STUB_SECONDS", "0")))
        return super().measure(case)


class Broken(_Scores):
    """Crashes on films of more than a second and a half."""

    name = "stub.broken"

    def measure(self, case: MeasuredCase) -> list[Measurement]:
        if case.film.duration > 1.5:
            raise RuntimeError("too long for me")
        return super().measure(case)


class Offline(_Scores):
    """Has a back end that cannot be reached."""

    name = "stub.offline"

    def measure(self, case: MeasuredCase) -> list[Measurement]:
        raise BackendError("the judge does not answer")


class Astray(_Scores):
    """Gives something else than its card says."""

    name = "stub.astray"

    def measure(self, case: MeasuredCase) -> list[Measurement]:
        return [Measurement(name="width", status="scored", value=0.5)]


class Greedy(_Scores):
    """Counts the signals that it can see; its card asks for one."""

    name = "stub.greedy"

    def __init__(self) -> None:
        quantity = Quantity(name="signals", doc="signals in sight", unit="count", high=None)
        self.card = Card(
            name=self.name, version=1, question="?", quantities=(quantity,), needs=("container",)
        )

    def measure(self, case: MeasuredCase) -> list[Measurement]:
        seen = len(case.signals.by_name)
        return [Measurement(name="signals", status="scored", value=float(seen), high=None)]


class Steady:
    """Keeps to everything that it promises."""

    card = own_card("stub.steady", __file__)

    def measure(self, case: MeasuredCase) -> list[Measurement]:
        share = min(case.film.duration / 3600, 1.0)
        return [Measurement(name="length", status="scored", value=share, higher_is_better=None)]
