"""``check_judge``: whether a judge keeps to its port, :class:`longtake.core.judge.Judge`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

from pydantic import ValidationError

from ..core.judge import AskError, Frame, Judge, Material, Question, Verdict
from ..core.model import Record, Share
from .measured import check_strict
from .problems import Problems

AT_ONCE = 4


class Answer(Record):
    """What the question of the check wants."""

    id: Literal["checkpoint.conformance"]
    value: Share
    reason: str


def example(draw: int = 0, frames: tuple[Frame, ...] = ()) -> Question:
    """A small question, with material and without pictures if none are given."""
    return Question(
        id="checkpoint.conformance",
        text="How well does the text describe a red square? 1 is well, 0 is not at all.",
        answer=Answer,
        frames=frames,
        materials=(Material("description", "a square that is red"),),
        draw=draw,
        temperature=0.7 if draw else 0.0,
    )


def check_judge(judge: Judge, question: Question | None = None) -> list[Verdict]:
    """Ask a judge a question, its second draw, and both from several threads at once; the verdicts.

    Checked are: its names; that what it returns is a verdict on this very question and draw; a value just
    where it says ``answered``, which the question's record takes; a reason where it is not; the raw reply
    kept; strict JSON; and that it raises nothing but ``AskError``. Whether its answers are any good is not
    asked here.

    Raises:
        ConformanceError: it does not keep to something; all of it is listed.
        AskError: no reply came to any of the questions, so there was nothing to check.
    """
    problems = Problems(f"the judge {judge.name}")
    problems.unless(bool(judge.name.strip()), "it has no name")
    problems.unless(bool(judge.identity.strip()), "its identity is empty, so replies of others look like its")
    problems.unless(judge.sends_to is None or bool(judge.sends_to.strip()), "sends_to is an empty text")
    first = question or example()
    asked = [first, first.drawn(1, 0.7)]
    found = [_asked(judge, one, problems) for one in asked]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found += pool.map(lambda one: _asked(judge, one, problems), asked * AT_ONCE)
    problems.settle()
    verdicts = [one for one in found if isinstance(one, Verdict)]
    errors = [one for one in found if isinstance(one, AskError)]
    if errors and not verdicts:
        raise errors[-1]
    return verdicts


def _asked(judge: Judge, question: Question, problems: Problems) -> Verdict | AskError | None:
    try:
        found = judge.ask(question)
    except AskError as error:  # no reply came: that is allowed
        return error
    except Exception as error:  # noqa: BLE001 - it may be anybody's
        problems.add(f"it raised {type(error).__name__}, and may only raise AskError: {error}")
        return None
    if not isinstance(found, Verdict):
        problems.add(f"it gave a {type(found).__name__} and no verdict")
        return None
    about: dict[str, Any] = {"id": question.id, "question": question.key, "draw": question.draw}
    for name, wanted in about.items():
        got = getattr(found, name)
        problems.unless(got == wanted, f"its verdict has {name} {got!r} and is asked about {wanted!r}")
    if found.status == "answered":
        problems.unless(bool(found.raw), "it answered, and the raw reply is not kept")
        try:
            question.answer.model_validate(found.value)
        except ValidationError as error:
            problems.add(f"its value is no {question.answer.__name__}: {str(error).splitlines()[0]}")
    else:
        problems.unless(found.value is None, f"it has a value, and its status is {found.status}")
        problems.unless(bool(found.reason), f"its status is {found.status}, without a reason")
    check_strict(found, "its verdict", problems)
    return found
