"""What evaluators that ask a judge share: moments, briefs as material, bounds, spans of replies."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longtake.core.brief import Act, Brief, Character, PlannedShot
from longtake.core.case import Case
from longtake.core.documents import VideoEntry
from longtake.core.evaluator import CUT_OFF, MeasuredCase
from longtake.core.judge import Frame, Question, Questioning, Verdict
from longtake.core.signal import Signal, Signals
from longtake.evaluators.pairwise import text as pair_text
from longtake.evaluators.pairwise.evaluator import text as pairwise_text
from longtake.evaluators.shared.judged import facts_of, why_not
from longtake.evaluators.shared.replies import Spot, evidence_of, record, reply_of
from longtake.evaluators.shared.showing import RUN, STEP_S, chosen, even, middles, most, runs
from longtake.evaluators.shared.wished import materials_of
from longtake.evaluators.video_bench.evaluator import video_bench
from longtake.evaluators.video_qa.evaluator import video_qa
from longtake.models.judges.parse import verdict
from longtake.testing.measured import beyond

LENGTHS = st.floats(0.01, 5000)
COUNTS = st.integers(1, 256)


@given(LENGTHS, COUNTS, st.floats(-10, 1000))
def test_moments_lie_in_the_film_in_order_and_in_number(length: float, count: int, start: float) -> None:
    for spread in (even, runs):
        times = spread(start, start + length, count)
        assert len(times) == count
        assert times == sorted(times)
        assert start - 1e-6 <= times[0] <= times[-1] <= start + length + 1e-6


@given(st.floats(20, 5000), st.integers(RUN, 32))
def test_runs_are_half_a_second_apart_within_and_centred(length: float, count: int) -> None:
    times = runs(0.0, length, count)
    steps = [b - a for a, b in pairwise(times)]
    within = [s for s in steps if abs(s - STEP_S) < 1e-6]
    assert len(within) >= count - count // RUN
    assert sum(times) / count == pytest.approx(length / 2, rel=0.2)


def test_runs_by_hand() -> None:
    assert runs(0.0, 8.0, 4) == [3.25, 3.75, 4.25, 4.75]
    assert runs(0.0, 8.0, 8) == [1.25, 1.75, 2.25, 2.75, 5.25, 5.75, 6.25, 6.75]
    assert runs(0.0, 8.0, 5) == [3.0, 3.5, 4.0, 4.5, 5.0]
    assert runs(0.0, 8.0, 3) == even(0.0, 8.0, 3)  # fewer than a run
    assert runs(0.0, 1.0, 8) == even(0.0, 1.0, 8)  # no room for two runs


def test_moments_by_shots() -> None:
    shots = [(0.0, 2.0), (2.0, 3.0), (3.0, 9.0)]
    assert middles(shots, 3) == [1.0, 2.5, 6.0]
    assert middles(shots, 4) == [0.5, 1.5, 2.5, 6.0]
    assert middles(shots, 2) == [1.0, 6.0]
    assert middles(shots, 1) == [2.5]


@given(st.integers(0, 300), COUNTS)
def test_chosen_ones_are_in_order_and_each_once(n: int, count: int) -> None:
    found = chosen(range(n), count)
    assert len(found) == min(n, count)
    assert found == sorted(set(found))


def test_chosen_ones_are_the_middles_of_even_parts() -> None:
    assert chosen(range(100), 4) == [12, 37, 62, 87]
    assert chosen([3, 4], 4) == [3, 4]


def test_a_users_bound_is_for_all_films_of_a_question() -> None:
    class Nobody:
        name = "nobody"

        def ask(self, questions: Any) -> list[Verdict]:
            raise AssertionError

    asked = Questioning(Nobody(), NoFrames())
    assert most(asked, 64) == 64
    assert [most(replace(asked, limit=n), 64, films=2) for n in (1, 2, 9, 500)] == [0, 1, 4, 64]


class NoFrames:
    def at(self, times: Any) -> list[Frame]:
        return []


def test_a_brief_is_told_whole_and_only_what_it_has() -> None:
    long = "x" * 70_000
    brief = Brief(
        title="A door",
        instruction=long,
        acts=[Act(name="setup", text="She comes\n home.")],
        characters=[Character(name="Anna", description="red coat")],
        shots=[
            PlannedShot(index=0, start=0, end=2.5, text="Anna opens", camera="close", characters=["Anna"]),
            PlannedShot(index=1),
        ],
    )
    found = {m.label: m.text for m in materials_of(brief)}
    assert found == {
        "brief: story": f"A door\n{long}\nsetup: She comes home.",
        "brief: planned shots": "shot 1 (planned for 0.00-2.50 s): Anna opens (with: Anna; camera: close)",
        "brief: characters": "Anna: red coat",
    }
    assert materials_of(Brief(duration=3)) == ()


def test_spans_are_cut_to_the_film_and_those_outside_left_out() -> None:
    spots = [
        Spot(start=9.0, end=30.0, what="past the end"),
        Spot(start=2.0, end=2.0, what="a moment"),
        Spot(start=50.0, end=60.0, what="elsewhere"),
        Spot(start=5.0, end=4.0, what="backwards"),
    ]
    found = evidence_of(spots, (1.0, 10.0))
    assert [(e.start, round(e.end, 2), e.what) for e in found] == [
        (2.0, 2.04, "a moment"),
        (9.0, 10.0, "past the end"),
    ]


def test_a_bad_reply_is_kept_short_and_a_good_one_is_not() -> None:
    question = Question("q", "?", record("q", answer=bool))
    bad = verdict(question, "no\n" * 400)
    assert reply_of(bad) == {"reply": ("no " * 400)[:299] + "…"}
    assert reply_of(verdict(question, '{"id": "q", "answer": true}')) == {}
    assert reply_of(Verdict(id="q", question="q", status="failed", reason="no reply")) == {}


class Longest:
    """Replies as long as a schema allows, of the sign that takes most bytes as material. Keeps what it was
    asked."""

    name = "longest"

    def __init__(self) -> None:
        self.asked: list[Question] = []

    def ask(self, questions: Any) -> list[Verdict]:
        self.asked += questions
        return [verdict(q, json.dumps(longest(q.schema, q.schema))) for q in questions]


def longest(part: dict[str, Any], whole: dict[str, Any]) -> Any:
    if "$ref" in part:
        return longest(whole["$defs"][part["$ref"].rpartition("/")[2]], whole)
    if "const" in part:
        return part["const"]
    if "enum" in part:
        return part["enum"][-1]
    if "anyOf" in part:
        return longest(part["anyOf"][0], whole)
    if part["type"] == "object":
        return {name: longest(one, whole) for name, one in part["properties"].items()}
    if part["type"] == "array":
        return [_other(longest(part["items"], whole), n) for n in range(part["maxItems"])]
    if part["type"] == "string":
        return "<" * part["maxLength"]
    return {"boolean": True, "integer": 1, "number": 1.0}[part["type"]]


def _other(value: Any, n: int) -> Any:
    """The ``n``-th of an array, of the same length but another than those before."""
    if isinstance(value, str):
        return f"{'<>[]'[n % 4]}{value[1:]}"
    if isinstance(value, dict) and "right" in value:
        wrong = [f"{chr(65 + i)}{value['right'][1:]}" for i in range(3)]
        return {"question": f"{chr(65 + n)}{value['question'][1:]}", "right": value["right"], "wrong": wrong}
    return value


class Pictures:
    """A picture for each moment."""

    def at(self, times: Any) -> list[Frame]:
        return [Frame(time, f"{time}".encode(), 64, 48) for time in sorted(times)]


def case(judge: Longest, shots: int) -> MeasuredCase:
    """A film of 100 s with so many shots, and a brief full of signs that take room."""
    film = VideoEntry(
        path="a.mp4",
        hash="0" * 64,
        kind="file",
        duration=100.0,
        frames=2500,
        width=64,
        height=48,
        fps=25.0,
        audio=False,
    )
    ends = [100.0 * i / shots for i in range(shots + 1)]
    columns = {"start": ends[:-1], "end": ends[1:]}
    signals = Signals({"shots": Signal("shots", 4, "ok", columns=columns)})
    brief = Brief(title="<<[]>>" * 200, instruction="\u4e2d" * 500)
    return MeasuredCase(Case("a", "a.mp4"), film, signals, brief, 1, Questioning(judge, Pictures()))  # type: ignore[arg-type]


@pytest.mark.parametrize("shots", [1, 40, 90])
def test_nobody_asks_more_than_announced_whatever_is_replied(shots: int) -> None:
    """Questions, pictures, bytes of words, tokens and texts by label, against replies that fill all room."""
    for one in (video_qa, video_bench, pairwise_text):
        judge = Longest()
        settings = {name: p.default for name, p in one.card.parameters.items()}
        given_ = replace(case(judge, shots), settings=settings, aspect="dynamics_degree")
        if one is pairwise_text:
            answer = one.prefer(given_, given_)
            assert answer.status == "scored", answer.reason
        else:
            found = one.measure(given_)[0]  # type: ignore[union-attr]
            assert found.status == "scored", found.reason
        bound = one.outline(given_.brief, 100.0, settings)
        assert beyond(judge.asked, bound) == []
        assert len(judge.asked) >= 3


def test_room_in_bounds_is_for_the_longest_replies() -> None:
    """The negative control: a bound that left a description out would be passed."""
    judge = Longest()
    settings = {name: p.default for name, p in pairwise_text.card.parameters.items()}
    given_ = replace(case(judge, 90), settings=settings)
    pairwise_text.prefer(given_, given_)
    bound = pairwise_text.outline(given_.brief, 100.0, settings)
    short = replace(bound, bytes=bound.bytes - 80 * pair_text.LONGEST)
    assert [what for what, _, _ in beyond(judge.asked, short)] == ["bytes"]


def ended(*how: tuple[str, str | None]) -> list[Verdict]:
    return [
        Verdict(id=f"q.{n}", question=f"{n}", draw=0, status=status, reason=reason)  # type: ignore[arg-type]
        for n, (status, reason) in enumerate(how)
    ]


def test_why_there_is_no_answer_reads_as_words_with_one_whole() -> None:
    spent = ("budget", "not asked: the budget of 9 calls is spent")
    nine = ended(*[("answered", None)] * 9, spent)
    assert why_not(nine) == "1 of 10 questions not asked: the budget of 9 calls is spent"
    assert facts_of(nine)[CUT_OFF] == why_not(nine)
    both = ended(
        ("answered", None), ("wrong_schema", "answer is missing"), ("failed", "the server is away"), spent
    )
    assert why_not(both) == (
        "1 of 4 questions answered in another form than asked for, 1 without a reply, 1 not asked: "
        "answer is missing"
    )
    assert facts_of(both)[CUT_OFF] == "1 of 4 questions without a reply, 1 not asked: the server is away"
    assert why_not(ended(spent)) == "not asked: the budget of 9 calls is spent"
    assert why_not(ended(("budget", "not asked"))) == "not asked"
    assert why_not(ended(("refused", None), ("refused", None))) == "2 of 2 questions refused"
    assert CUT_OFF not in facts_of(ended(("answered", None), ("refused", "no")))
