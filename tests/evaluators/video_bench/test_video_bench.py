"""Nine dimensions of a real clip, over a real server: the chain, one film a question, what has no value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import longtake
from judge_asked import Asked
from judge_server import JudgeServer
from judged_films import about, at, clip, write_brief
from longtake.briefs.read import read_brief
from longtake.core.case import Case
from longtake.core.measurement import Measurement
from longtake.core.scores import ScoreDocument
from longtake.evaluators.registry import EVALUATORS
from longtake.evaluators.shared.judged import NO_JUDGE
from longtake.evaluators.video_bench.dimensions import dimensions
from longtake.storage.manifest import write_manifest
from longtake.testing import check_evaluator

NAME = "video-bench"
LEVELS = {
    "imaging_quality": 5,
    "aesthetic_quality": 5,
    "temporal_consistency": 5,
    "motion_effects": 5,
    "video_text_consistency": 5,
    "object_class": 3,
    "color": 3,
    "action": 3,
    "scene": 3,
}
"""The nine and the upper ends of their scales, by the README of Video-Bench/Video-Bench."""
ALONE = tuple(LEVELS)[:4]
CHAINED = tuple(LEVELS)[4:]
QUESTIONS = {"questions": ["How many bicycles are there?", "Is it a street?"]}


@pytest.fixture(scope="module")
def film(media: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return clip(media, tmp_path_factory.mktemp("film"))


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., JudgeServer]]:
    running: list[JudgeServer] = []

    def start(answers: dict[str, Any] | None = None, **more: Any) -> JudgeServer:
        given = {**(answers or {}), f"{NAME}.question.*": asks, f"{NAME}.*": best}
        server = JudgeServer("vllm", answers=given, **more)
        running.append(server)
        return at(server.__enter__(), tmp_path, monkeypatch)

    yield start
    for server in running:
        server.close()


def asks(asked: Asked) -> dict[str, Any]:
    """Two questions. That a brief asks for the film as a whole is no question."""
    whole = asked.id.endswith("video_text_consistency")
    assert ("`applies`" in asked.text) != whole
    return QUESTIONS if whole else {"applies": True, **QUESTIONS}


def best(asked: Asked) -> dict[str, Any]:
    """The best value, or a description."""
    name = asked.id.removeprefix(f"{NAME}.")
    if name == "describe":
        return {"description": "Riders pass a row of shops."}
    spans = [{"start": 1.0, "end": 7.5, "what": "a wheel is soft"}]
    return {"value": LEVELS[name], "reason": f"as seen for {name}", "spans": spans}


def score(film: Path, brief: Path | None, **more: Any) -> ScoreDocument:
    return longtake.score(film, [NAME], brief=brief, signals="light", **{"judge": "openai", **more})


def of(document: ScoreDocument) -> dict[str, Measurement]:
    return {m.name: m for m in document.results[0].measurements}


def test_dimensions_and_scales_are_those_of_video_bench() -> None:
    assert {d.name: len(d.levels) for d in dimensions()} == LEVELS
    assert tuple(d.name for d in dimensions() if d.chain) == CHAINED
    for d in dimensions():
        values = [example.value for example in d.examples]
        assert values
        assert all(1 <= value <= len(d.levels) for value in values)
        if d.chain:
            assert all(example.seen.startswith("Asked for: ") for example in d.examples)
    assert [q.name for q in EVALUATORS.load(NAME).card.quantities] == [NAME, *LEVELS]


def test_values_become_shares_of_their_scales_and_the_mean_is_plain(
    film: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    given = {"imaging_quality": 1, "motion_effects": 4, "color": 2, "scene": 1}
    answers = {f"{NAME}.{n}": {"value": v, "reason": "as seen", "spans": []} for n, v in given.items()}
    server = serve(answers)
    found = of(score(film, write_brief(tmp_path / "brief.json")))
    shares = {**dict.fromkeys(LEVELS, 1.0), "imaging_quality": 0.0, "motion_effects": 0.75}
    shares |= {"color": 0.5, "scene": 0.0}
    assert {n: found[n].value for n in LEVELS} == shares
    assert found[NAME].value == pytest.approx((0 + 0.75 + 0.5 + 0 + 5 * 1.0) / 9)
    assert (found["motion_effects"].facts["value"], found["motion_effects"].facts["levels"]) == (4, 5)
    assert (found[NAME].facts["judge_asked"], found[NAME].facts["judge_answered"]) == (15, 15)
    assert found[NAME].facts["n_scored"] == 9
    assert found[NAME].facts["models"] == server.model
    assert [(e.start, e.end, e.what) for e in found["action"].evidence] == [(1.0, 3.0, "a wheel is soft")]
    assert found["action"].facts["says"] == "as seen for action"
    assert found["color"].evidence == []


def test_the_chain_goes_from_description_to_questions_to_scores(
    film: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    server = serve()
    score(film, write_brief(tmp_path / "brief.json", instruction="xylophone"))
    assert len(server.requests) == 15
    described = next(about(server, r"video-bench\.describe"))
    assert len(described.images) == 16
    assert "xylophone" not in described.text
    for name in CHAINED:
        asked = next(about(server, rf"video-bench\.question\.{name}"))
        scored = next(about(server, rf"video-bench\.{name}"))
        assert described.turn < asked.turn < scored.turn
        assert asked.images == ()
        for text in (asked.text, scored.text):
            assert "xylophone" in text
            assert "Riders pass a row of shops." in text
        assert "1. How many bicycles are there?" in scored.text
        assert len(scored.images) == 16
        assert f"{LEVELS[name]}: " in scored.text
        assert f"{LEVELS[name] + 1}: " not in scored.text.split("material to be judged")[0]
    for name in ALONE:  # what has nothing to do with the brief is not told of it
        asked = next(about(server, rf"video-bench\.{name}"))
        assert "xylophone" not in asked.text
        assert "Riders" not in asked.text


def test_motion_is_shown_in_runs(
    film: Path, media: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    server = serve()
    score(clip(media, tmp_path, 10.0), None)
    times = {
        name: [
            float(t)
            for t in re.findall(r"Picture at ([\d.]+) s:", next(about(server, rf"video-bench\.{name}")).text)
        ]
        for name in ("imaging_quality", "motion_effects")
    }
    even = times["imaging_quality"]
    assert even == pytest.approx([(i + 0.5) * 10 / 16 for i in range(16)], abs=0.05)
    steps = [b - a for a, b in zip(times["motion_effects"], times["motion_effects"][1:], strict=False)]
    assert len(steps) == 15
    assert [round(s, 1) for i, s in enumerate(steps) if i % 4 != 3] == [0.5] * 12
    assert [round(s, 1) for s in steps[3::4]] == [1.0] * 3


def test_another_film_in_the_set_changes_nothing(
    film: Path, media: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    """No film is in a question about another: a row is the same whoever else is judged."""
    serve()
    brief = write_brief(tmp_path / "brief.json")
    alone = score(film, brief)
    table = write_manifest(
        tmp_path / "films.csv",
        [Case("other", clip(media, tmp_path, skip=120), brief), Case("one", film, brief)],
    )
    both = longtake.score(table, [NAME], signals="light", judge="openai")
    row = next(r for r in both.results if r.case == "one")
    assert row.measurements == alone.results[0].measurements


def test_without_a_brief_four_are_scored_and_the_rest_does_not_apply(
    film: Path, serve: Callable[..., JudgeServer]
) -> None:
    server = serve()
    found = of(score(film, None))
    assert {n: found[n].status for n in ALONE} == dict.fromkeys(ALONE, "scored")
    assert {n: found[n].status for n in CHAINED} == dict.fromkeys(CHAINED, "not_applicable")
    assert found[NAME].status == "not_applicable"
    assert "5 of 9 dimensions have no value: video_text_consistency, object_class" in str(found[NAME].reason)
    assert len(server.requests) == 4


def test_what_the_brief_does_not_ask_for_does_not_apply(
    film: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    server = serve({f"{NAME}.question.color": {"applies": False, "questions": []}})
    found = of(score(film, write_brief(tmp_path / "brief.json")))
    assert (found["color"].status, found["color"].value) == ("not_applicable", None)
    assert "asks for nothing of this kind" in str(found["color"].reason)
    assert (found["color"].facts["judge_asked"], found["color"].facts["models"]) == (2, server.model)
    assert (found[NAME].status, found[NAME].value) == ("unscored", None)
    assert str(found[NAME].reason).endswith("have no value: color")
    assert list(about(server, r"video-bench\.color")) == []
    assert found[NAME].facts["n_scored"] == 8


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"value": 4}, "answered out of range: "),
        ({"value": 0}, "answered out of range: "),
        ({"value": "2"}, "answered in another form than asked for: "),
        ({"value": 2.5}, "answered in another form than asked for: "),
        ("Color: 2. Scene: 3.", "answered in no form that can be read: "),
        ({"value": None, "reason": "too dark"}, "it cannot tell"),
    ],
)
def test_one_bad_reply_costs_its_dimension_and_the_mean(
    said: Any, why: str, film: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    serve({f"{NAME}.color": said})
    found = of(score(film, write_brief(tmp_path / "brief.json")))
    assert (found["color"].status, found["color"].value) == ("unscored", None)
    assert why in str(found["color"].reason)
    assert "reply" in found["color"].facts or found["color"].facts["says"] == "too dark"
    assert {found[n].status for n in LEVELS if n != "color"} == {"scored"}
    assert (found[NAME].status, found[NAME].reason) == (
        "unscored",
        "1 of 9 dimensions have no value: color",
    )


def test_without_a_description_the_chain_ends_and_the_rest_goes_on(
    film: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    server = serve({f"{NAME}.describe": {"description": ""}})
    found = of(score(film, write_brief(tmp_path / "brief.json")))
    assert {found[n].status for n in ALONE} == {"scored"}
    assert {found[n].status for n in CHAINED} == {"unscored"}
    assert all(
        str(found[n].reason).startswith("the film was not described: answered in another form")
        for n in CHAINED
    )
    assert len(server.requests) == 5


def test_a_budget_stops_it_and_the_next_run_goes_on(
    film: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    server = serve()
    brief = write_brief(tmp_path / "brief.json")
    judge = longtake.JudgeOptions("openai", budget="calls=8", concurrency=1)
    stopped = score(film, brief, judge=judge, out=tmp_path / "out")
    found = of(stopped)
    assert len(server.requests) == 8
    assert found[NAME].status == "unscored"
    assert "budget" in str(found[NAME].facts["cut_off"])
    assert {m.status for m in found.values()} == {"scored", "unscored"}
    assert not any(m.value == 0 for m in found.values())
    assert "judge" in {f.tool for f in stopped.failures}
    whole = of(score(film, brief, out=tmp_path / "out"))
    assert whole[NAME].value == 1.0
    assert len(server.requests) == 15


def test_a_replay_says_the_same_without_a_server(
    film: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    server = serve()
    brief = write_brief(tmp_path / "brief.json")
    first = score(film, brief, out=tmp_path / "out")
    server.close()
    assert of(score(film, brief, judge=f"replay:{tmp_path / 'out'}")) == of(first)


def test_no_more_is_asked_than_was_announced(
    film: Path, serve: Callable[..., JudgeServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve()
    told: list[str] = []
    brief = write_brief(tmp_path / "brief.json")
    score(film, brief, judge=longtake.JudgeOptions("openai", tell=told.append))
    assert len(told) == 1
    evaluator = EVALUATORS.load(NAME)
    bound = evaluator.outline(read_brief(brief), 3.0, {"frames": 16})  # type: ignore[union-attr]
    asked = server.requests
    assert (len(asked), sum(len(a.images) for a in asked)) == (bound.questions, bound.pictures) == (15, 160)
    assert sum(len(a.texts[1].encode()) for a in asked) <= bound.bytes
    bare = evaluator.outline(None, 3.0, {"frames": 16})  # type: ignore[union-attr]
    assert (bare.questions, bare.pictures) == (4, 64)
    config = tmp_path / "config.toml"
    config.write_text("[judge]\nmost_pictures = 2\n")
    monkeypatch.setenv("LONGTAKE_CONFIG", str(config))
    fewer = len(asked)
    score(film, brief)
    assert max(len(a.images) for a in asked[fewer:]) == 2


def test_without_a_judge_nothing_is_scored(film: Path) -> None:
    document = longtake.score(film, [NAME], signals="light")
    assert {m.reason for m in of(document).values()} == {NO_JUDGE}


def test_it_conforms(tmp_path: Path) -> None:
    checked = check_evaluator(NAME, signals="light", cache=tmp_path / "kept")
    assert set(ALONE) <= set(checked.scored["no brief"])
    assert checked.scored["a judge that only talks"] == ()
    assert checked.vectors == 9
