"""The checks find what they are for: each evaluator here breaks one promise, and that one is told."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import SystemRandom
from typing import Any

import pytest

import plugin_package
from longtake.core.brief import Brief
from longtake.core.evaluator import CUT_OFF, Card, MeasuredCase, Parameter, Preference, Quantity, Setting
from longtake.core.judge import Outline, Question, Verdict
from longtake.core.measurement import Evidence, Measurement
from longtake.core.model import Record, Share
from longtake.testing import CheckedEvaluator, ConformanceError, check_evaluator

CONTRAST = Quantity(name="contrast", doc="mean of the signal picture", unit="grey levels", high=255.0)
CARD = Card(
    name="mine",
    version=1,
    question="How much contrast is there?",
    quantities=(CONTRAST,),
    needs=("picture",),
    failure_modes=("a noisy film has much of it",),
)


def contrast(case: MeasuredCase, **more: Any) -> Measurement:
    """The mean of a column of the signal, or why there is none."""
    picture = case.signals["picture"]
    found = [float(v) for v in picture.columns["contrast"]] if picture.usable else []
    return Measurement(
        name="contrast",
        status="scored" if found else "unscored",
        value=sum(found) / len(found) if found else None,
        reason=None if found else "needs the signal picture",
        high=255.0,
        **more,
    )


class Mine:
    """An evaluator that keeps to everything, unless ``measured`` says otherwise."""

    def __init__(
        self, measured: Callable[[MeasuredCase], Sequence[Measurement]], card: Card | None = None
    ) -> None:
        self.card, self._measured = card or CARD, measured

    def measure(self, case: MeasuredCase) -> Sequence[Measurement]:
        return self._measured(case)


def check(evaluator: Any, tmp_path: Path, **how: Any) -> CheckedEvaluator:
    return check_evaluator(evaluator, cache=tmp_path / "cache", **how)


def test_one_that_keeps_to_everything_passes_and_what_it_scored_is_told(tmp_path: Path) -> None:
    checked = check(Mine(lambda case: [contrast(case)]), tmp_path)
    assert checked.scored["whole"] == ("contrast",)
    assert checked.scored["nothing at all"] == checked.scored["no signals and no models"] == ()
    assert checked.vectors == 0


def wrong(case: MeasuredCase, **fields: Any) -> list[Measurement]:
    """A measurement that no validation has seen."""
    return [Measurement.model_construct(**{**dict(contrast(case)), **fields})]


MEASURED: Mapping[str, tuple[Callable[[MeasuredCase], Sequence[Measurement]], str]] = {
    "a number for nothing": (
        lambda case: [contrast(case).model_copy(update={"status": "scored", "value": 0.5, "reason": None})],
        "with nothing at all: contrast scored, and it looked at nothing",
    ),
    "a crash without a brief": (
        lambda case: [contrast(case, facts={"shots": len(case.brief.shots)})],  # type: ignore[union-attr]
        "with no brief: it raised AttributeError",
    ),
    "more than is on the card": (
        lambda case: [contrast(case), contrast(case).model_copy(update={"name": "more"})],
        "it gave more beside what its card promises",
    ),
    "another name": (
        lambda case: [contrast(case).model_copy(update={"name": "sharpness"})],
        "it gave sharpness; promised are contrast",
    ),
    "another range": (
        lambda case: [contrast(case).model_copy(update={"high": 100_000.0})],
        "has range and direction (0.0, 100000.0, True), and its card says (0.0, 255.0, True)",
    ),
    "out of range": (lambda case: wrong(case, status="scored", value=300.0), "cannot be kept as JSON"),
    "no reason": (lambda case: wrong(case, status="unscored", value=None, reason=None), "needs a reason"),
    "facts that are no numbers": (
        lambda case: wrong(case, facts={"spread": float("nan")}),
        "cannot be kept as JSON",
    ),
    "evidence beyond the end": (
        lambda case: [contrast(case, evidence=[Evidence(start=0, end=60, what="contrast")])],
        "points at 0 to 60 s of a film from 0 to 4 s",
    ),
    "the name of the case": (
        lambda case: [contrast(case, facts={"case": case.case.id})],
        "it answers otherwise under another name of the case and its file",
    ),
    "the name of the file": (
        lambda case: [contrast(case, facts={"path": case.film.path})],
        "it answers otherwise under another name of the case and its file",
    ),
    "chance": (
        lambda case: [contrast(case, facts={"drawn": SystemRandom().random()})],
        "it answers otherwise when it is asked twice",
    ),
    "a signal that is not on the card": (
        lambda case: [contrast(case, facts={"shots": len(case.signals["shots"])})],
        "it looks at the signal shots, and its card names none",
    ),
    "a role that is not on the card": (
        lambda case: [contrast(case, facts={"why": case.tools.lacks("subject")})],  # type: ignore[union-attr]
        "it looks at the role subject, and its card names none",
    ),
    "frames without a role": (
        lambda case: [contrast(case, facts={"frames": len(list(case.tools.footage.at([0.0])))})],  # type: ignore[union-attr]
        "it runs tools, and its card names no role",
    ),
}


@pytest.mark.parametrize("what", MEASURED)
def test_what_is_wrong_with_measurements_is_told(what: str, tmp_path: Path) -> None:
    measured, said = MEASURED[what]
    with pytest.raises(ConformanceError) as caught:
        check(Mine(measured), tmp_path)
    assert said in str(caught.value)
    assert str(caught.value).startswith("the evaluator mine does not conform:\n- ")


CARDS: Mapping[str, tuple[dict[str, Any], str]] = {
    "no failure mode": ({"failure_modes": ()}, "names no failure mode"),
    "a signal that there is not": ({"needs": ("pictures",)}, "needs pictures, which no signal is called"),
    "a role that there is not": ({"models": ("video",)}, "names the role video"),
    "a range of nothing": (
        {"quantities": (CONTRAST.model_copy(update={"low": 1.0, "high": 1.0}),)},
        "contrast goes from 1.0 to 1.0",
    ),
    "a preference that it has not": ({"prefers": True}, "prefers on its card"),
    "a default that it cannot have": (
        {"parameters": {"mode": Parameter(doc="how", default="x", choices=("a", "b"))}},
        "the default 'x' of mode",
    ),
    "a parameter that nobody reads": (
        {"parameters": {"mode": Parameter(doc="how", default="a", choices=("a", "b"))}},
        "nothing reads its parameter mode",
    ),
    "a brief that it does without": ({"needs_brief": True}, "its card needs a brief, and it scored without"),
}


@pytest.mark.parametrize("what", CARDS)
def test_what_is_wrong_with_a_card_is_told(what: str, tmp_path: Path) -> None:
    changed, said = CARDS[what]
    card = CARD.model_copy(update=changed)
    with pytest.raises(ConformanceError, match=said):
        check(Mine(lambda case: [contrast(case)], card), tmp_path)


def test_a_value_of_a_parameter_that_breaks_it_is_told(tmp_path: Path) -> None:
    parameter = Parameter(doc="how", default="a", choices=("a", "b"))
    card = CARD.model_copy(update={"parameters": {"mode": parameter}})

    def measured(case: MeasuredCase) -> list[Measurement]:
        return [contrast(case, facts={"mode": {"a": 1}[str(case.settings["mode"])]})]

    with pytest.raises(ConformanceError, match="with mode=b: it raised KeyError"):
        check(Mine(measured, card), tmp_path)


class Reply(Record):
    value: Share


class Judged:
    """Asks a judge one question about a film."""

    card = CARD.model_copy(
        update={"asks": True, "needs": (), "quantities": (Quantity(name="contrast", doc="as judged"),)}
    )
    most = Outline(questions=1, pictures=1, labels={"title": 1}, bytes=1000, output=800)

    def outline(self, brief: Brief | None, duration: float, settings: Mapping[str, Setting]) -> Outline:
        return self.most

    def measure(self, case: MeasuredCase) -> list[Measurement]:
        asked = case.questioning
        if asked is None:
            return [Measurement(name="contrast", status="unscored", reason="there is no judge")]
        question = Question(
            id="contrast", text="How much?", answer=Reply, frames=tuple(asked.frames.at([0.0]))
        )
        return [self.of(asked.asker.ask([question])[0])]

    def of(self, verdict: Verdict) -> Measurement:
        facts: dict[str, Any] = {"prompts": "0123456789abcdef"}
        if verdict.status == "failed":
            facts[CUT_OFF] = verdict.reason
        if verdict.value is None:
            return Measurement(name="contrast", status="unscored", reason=verdict.status, facts=facts)
        return Measurement(name="contrast", status="scored", value=verdict.value["value"], facts=facts)


def problems_of(evaluator: Any, tmp_path: Path, **how: Any) -> list[str]:
    with pytest.raises(ConformanceError) as caught:
        check(evaluator, tmp_path, **how)
    return caught.value.problems


NO_PROMPTS = "it asks a judge, and there is no text in a folder prompts beside it"


def test_questions_are_held_against_the_outline_and_prompts_against_the_files(tmp_path: Path) -> None:
    assert sorted(problems_of(Judged(), tmp_path)) == [
        NO_PROMPTS,  # it is at home in this folder of tests
        "with two black seconds without sound: contrast scored, where nothing is to be seen",
    ]

    class Twice(Judged):
        most = Outline(questions=1, pictures=0, bytes=5, output=800)

    found = problems_of(Twice(), tmp_path)
    assert "with whole: it asked 1 pictures and had said 0 at most" in found
    assert any(" bytes and had said 5 at most" in problem for problem in found)

    class Silent(Judged):
        card = CARD

    assert any("it asks a judge, and its card does not say so" in p for p in problems_of(Silent(), tmp_path))


def test_a_reply_that_never_came_and_one_that_says_nothing_have_to_be_told_apart(tmp_path: Path) -> None:
    class Forgetful(Judged):
        def of(self, verdict: Verdict) -> Measurement:
            return super().of(verdict).model_copy(update={"facts": {"prompts": "0123456789abcdef"}})

    found = problems_of(Forgetful(), tmp_path)
    assert (
        f"with a judge that does not reply: no measurement has the fact {CUT_OFF}, so nobody asks again"
        in found
    )

    class Believing(Judged):
        def of(self, verdict: Verdict) -> Measurement:
            return Measurement(
                name="contrast", status="scored", value=(verdict.value or {"value": 0})["value"]
            )

    found = problems_of(Believing(), tmp_path)
    for judge in ("a judge that does not reply", "a judge that only talks"):
        assert f"with {judge}: contrast scored, and it looked at nothing" in found


class Choosing:
    """Prefers the film with more frames."""

    card = CARD.model_copy(update={"quantities": (), "needs": (), "prefers": True})
    ordered = False

    def prefer(self, first: MeasuredCase, second: MeasuredCase) -> Preference:
        a, b = first.film.frames, second.film.frames
        return Preference(status="scored", choice="tie" if a == b else "a" if a > b else "b")


def test_preferences_that_mind_the_order_have_to_say_so(tmp_path: Path) -> None:
    assert check(Choosing(), tmp_path).scored["a whole pair"] == ("preference",)

    class Leading(Choosing):
        def prefer(self, first: MeasuredCase, second: MeasuredCase) -> Preference:
            return Preference(status="scored", choice="a")

    found = problems_of(Leading(), tmp_path)
    assert "with a whole pair: the order of the films matters, and it says that it does not" in found
    leading = Leading()
    leading.ordered = True
    check(leading, tmp_path)


def test_an_installed_package_is_checked_by_the_name_of_its_evaluator(tmp_path: Path) -> None:
    site = plugin_package.install(tmp_path)
    code = (
        "from longtake.testing import ConformanceError, check_evaluator\n"
        "for name in ('stub.steady', 'stub.first', 'stub.astray', 'stub.offline'):\n"
        "    try:\n"
        "        print(name, check_evaluator(name).scored['whole'])\n"
        "    except ConformanceError as error:\n"
        "        print(*error.problems, sep='; ')\n"
    )
    env = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    steady, first, astray, offline = done.stdout.splitlines()
    assert steady == "stub.steady ('length',)"
    assert "its card names no failure mode" in first
    assert "its card can only be read by importing it" in first
    for line in (astray, offline):
        assert "names no failure mode" in line
