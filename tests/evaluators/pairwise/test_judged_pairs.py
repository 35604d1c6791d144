"""Judges of pairs on a real clip, over a real server: orders, blindness, bad replies, budgets, replays."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import longtake
from judge_asked import Asked
from judge_server import JudgeServer
from judged_films import about, at, by_film, clip, contrast, flattened, write_brief
from longtake.cli.app import app
from longtake.core.brief import Brief
from longtake.core.case import Pair, Span
from longtake.core.scores import PairResult, ScoreDocument
from longtake.evaluators.registry import EVALUATORS
from longtake.evaluators.shared.judged import NO_JUDGE
from longtake.storage.manifest import write_pairs
from longtake.testing import check_evaluator

VIDEO, TEXT = "pairwise.video", "pairwise.text"
NAMES = (VIDEO, TEXT)
FEW = {f"{VIDEO}.frames": "4"}


@pytest.fixture(scope="module")
def shown(media: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """Two parts of the clip and the first of them damaged: sources of pairs."""
    folder = tmp_path_factory.mktemp("shown")
    first = clip(media, folder)
    return first, flattened(first), clip(media, folder, skip=120)


@pytest.fixture
def pairs(shown: tuple[Path, Path, Path], tmp_path: Path) -> Path:
    """Two pairs, told apart by what is asked of them."""
    whole, flat, other = shown
    brief = write_brief(tmp_path / "brief.json")
    changed = (Span(start=0.0, end=3.0),)
    aspects = {"aesthetics": "bikes", "technical_quality": "bikes", "frozen": "street"}
    rows = [
        Pair(aspect, source, aspect, other if source == "street" else whole, flat, brief, changed=changed)
        for aspect, source in aspects.items()
    ]
    return write_pairs(tmp_path / "pairs.csv", rows)


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., JudgeServer]]:
    """Starts a server that answers by script, and makes it the judge."""
    running: list[JudgeServer] = []

    def start(answers: dict[str, Any] | None = None, **more: Any) -> JudgeServer:
        server = JudgeServer("vllm", answers=answers, **more)
        running.append(server)
        return at(server.__enter__(), tmp_path, monkeypatch)

    yield start
    for server in running:
        server.close()


def score(table: Path, *names: str, **more: Any) -> ScoreDocument:
    return longtake.score(
        table, names or NAMES, signals="light", **{"judge": "openai", "settings": FEW, **more}
    )


def of(document: ScoreDocument, name: str) -> list[PairResult]:
    return [p for p in document.preferences if p.evaluator == name]


def clearer(asked: Asked) -> dict[str, Any]:
    """The film whose pictures have more contrast, by what was really sent under its name."""
    sides = {name: sum(map(contrast, given)) / len(given) for name, given in by_film(asked).items()}
    best = max(sides, key=lambda name: sides[name])
    worse = "1" if best == "film 2" else "2"
    return {"answer": best[-1], "spans": [{"film": worse, "start": 1.0, "end": 9.0, "what": "flat"}]}


def test_an_always_first_judge_is_right_half_the_time_and_never_consistent(
    pairs: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    server = serve({name: {"answer": "1"} for name in NAMES})
    document = score(pairs, out=tmp_path / "out")
    for name in NAMES:
        assert [(p.order, p.choice) for p in of(document, name)] == [("ab", "a"), ("ba", "b")] * 3
        summary = document.evaluators[name].preferences
        assert summary is not None
        assert (summary.value, summary.n) == (0.5, 6)
    said = CliRunner().invoke(app, ["meta", "pairwise", str(tmp_path / "out" / "pairwise.csv"), "--json"])
    assert said.exit_code == 0, said.output
    study = json.loads(said.stdout)
    study = study.get("result", study)
    for name in NAMES:
        figures = study["evaluators"][name]["overall"]
        assert figures["accuracy"]["value"] == 0.5
        assert figures["consistency"]["value"] == 0.0
        assert figures["strict"]["value"] == 0.0
        assert figures["first_choice"]["value"] == 1.0
        assert figures["pairs_scored"] == 3
    assert len(list(about(server, VIDEO))) == 6


def test_a_judge_that_looks_is_right_in_both_orders_and_points(
    pairs: Path, serve: Callable[..., JudgeServer]
) -> None:
    server = serve({VIDEO: clearer})
    found = of(score(pairs, VIDEO), VIDEO)
    assert [(p.order, p.choice) for p in found] == [("ab", "a"), ("ba", "a")] * 3
    for p in found:
        # It points into the damaged film, which is b in both orders, and past its end, which is cut.
        assert [(e.start, round(e.end, 2), e.what) for e in p.evidence] == [(1.0, 3.0, "flat")]
        assert p.evidence_a == []
        assert p.facts["frames"] == 4
        assert (p.facts["judge_asked"], p.facts["judge_answered"], p.facts["models"]) == (1, 1, server.model)
        assert len(str(p.facts["prompts"])) == 16
    for asked in about(server, VIDEO):
        assert [len(side) for side in by_film(asked).values()] == [4, 4]
        assert list(by_film(asked)) == ["film 1", "film 2"]
        assert "The first 4 pictures are of film 1, the 4 after them are of film 2" in asked.text
        assert "Picture of film 2 at 0.3" in asked.text  # the middle of the first quarter of 3 s


def test_the_aspect_is_told_where_it_is_known_and_the_name_of_another_damage_is_not(
    pairs: Path, serve: Callable[..., JudgeServer]
) -> None:
    server = serve()
    found = score(pairs)
    told = {p.pair: p.facts["aspect"] for p in found.preferences if p.evaluator in NAMES}
    assert told == {
        "aesthetics": "aesthetics",
        "technical_quality": "technical_quality",
        "frozen": "overall",
    }
    texts = [asked.text for asked in about(server, "pairwise.(video|text)")]
    for name in NAMES:
        own = [asked.text for asked in about(server, name)]
        assert {text.split("Aspect: ")[1].split("\n")[0] for text in own} == set(told.values())
    assert not any("frozen" in text for text in texts)
    # What judges are told of technical quality does not name the damage, which people are told of.
    technical = next(text for text in texts if "Aspect: technical_quality" in text)
    assert "blur" in technical
    assert "resolution" not in technical


def test_the_describer_does_not_know_the_brief(
    shown: tuple[Path, Path, Path], serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    """A planted false brief changes no question of a description, so the second run asks none anew."""
    server = serve()
    seen: dict[str, list[tuple[str, tuple[bytes, ...]]]] = {}
    compared: dict[str, str] = {}
    false = {"title": "A whale", "instruction": "A whale leaps out of a green sea at night."}
    for name, more in (("true", {}), ("false", false)):
        brief = write_brief(tmp_path / f"{name}.json", **more)
        table = write_pairs(
            tmp_path / f"{name}.csv", [Pair("p", "s", "aesthetics", shown[0], shown[1], brief)]
        )
        before = len(server.requests)
        document = score(table, TEXT, settings={})
        assert [p.status for p in of(document, TEXT)] == ["scored", "scored"]
        fresh = server.requests[before:]
        seen[name] = [(a.text, a.images) for a in fresh if a.id == "pairwise.describe"]
        compared[name] = next(a.text for a in fresh if a.id == TEXT)
    # Two planned shots of each film, three pictures each; the other order asks none of them again.
    assert [len(images) for _, images in seen["true"]] == [3] * 4
    assert seen["false"] == []
    assert len({text.split("Picture at")[0] for text, _ in seen["true"]}) == 1
    for text, _ in seen["true"]:
        for word in ("bicycle", "street", "Bicycles", "aesthetics", "film 1", "whale"):
            assert word not in text
    assert "whale" in compared["false"]
    assert "bicycle" in compared["true"]
    assert all(a.images == () for a in about(server, TEXT))


def test_descriptions_reach_the_comparison_by_film_clip_and_time(
    pairs: Path, serve: Callable[..., JudgeServer]
) -> None:
    def words(asked: Asked) -> dict[str, str]:
        flat = sum(map(contrast, asked.images)) / len(asked.images) < 35
        return {"description": "a flat\n grey street" if flat else "a lively street"}

    def worse(asked: Asked) -> dict[str, Any]:
        lines = [line for line in asked.text.splitlines() if '"descriptions of film' in line]
        assert [json.loads(line)["label"] for line in lines] == [
            "descriptions of film 1",
            "descriptions of film 2",
        ]
        flat = ["flat grey" in json.loads(line)["text"] for line in lines]
        assert flat.count(True) == 1
        assert "clip 2, 1.50-3.00 s: a " in json.loads(lines[0])["text"]
        bad = str(flat.index(True) + 1)
        clips = [{"film": bad, "clip": 2, "what": "grey"}, {"film": bad, "clip": 7, "what": "no such clip"}]
        return {"answer": "2" if bad == "1" else "1", "clips": clips}

    serve({"pairwise.describe": words, TEXT: worse})
    found = of(score(pairs, TEXT, settings={}), TEXT)
    assert [p.choice for p in found] == ["a"] * 6
    for p in found:
        assert [(e.start, e.end, e.what) for e in p.evidence] == [(1.5, 3.0, "grey")]
        assert (p.facts["clips"], p.facts["clips_1"], p.facts["clips_2"]) == ("planned", 2, 2)
        assert (p.facts["judge_asked"], p.facts["judge_answered"]) == (5, 5)


def test_anything_but_1_or_2_is_unscored_with_the_reply(
    pairs: Path, serve: Callable[..., JudgeServer]
) -> None:
    said = ["both", "1 or 2", 1, None, "", "film 1"]
    serve({VIDEO: [{"answer": one} for one in said]})
    found = of(score(pairs, VIDEO), VIDEO)
    assert {(p.status, p.choice) for p in found} == {("unscored", None)}
    kept = [json.loads(str(p.facts["reply"]))["answer"] for p in found]
    assert sorted(map(repr, kept)) == sorted(map(repr, said))
    for p in found:
        assert str(p.reason).startswith("answered in another form than asked for: ")
        assert (p.facts["judge_asked"], p.facts["judge_answered"]) == (1, 0)
        assert "cut_off" not in p.facts  # a bad reply is a reply: it is not asked for again


def test_words_around_an_answer_are_no_answer(pairs: Path, serve: Callable[..., JudgeServer]) -> None:
    serve({VIDEO: 'The first. {"id": "pairwise.video", "spans": [], "answer": "1"}'})
    found = of(score(pairs, VIDEO), VIDEO)
    assert {p.status for p in found} == {"unscored"}
    assert all(str(p.facts["reply"]).startswith("The first.") for p in found)


def test_one_clip_that_is_not_described_leaves_its_pairs_open(
    pairs: Path, serve: Callable[..., JudgeServer]
) -> None:
    bad: list[tuple[bytes, ...]] = []

    def words(asked: Asked) -> dict[str, Any] | str:
        if min(map(contrast, asked.images)) > 35 and not bad:  # no clip of the film that is in all pairs
            bad.append(asked.images)
        return "no JSON" if asked.images in bad else {"description": "a street"}

    serve({"pairwise.describe": words})
    found = of(score(pairs, TEXT, settings={}), TEXT)
    open_ = [p for p in found if p.status == "unscored"]
    assert 2 <= len(open_) < len(found)
    assert all(
        str(p.reason).startswith("not every clip is described: 1 of 4 questions answered in no form")
        for p in open_
    )
    assert all(p.facts["reply"] == "no JSON" for p in open_)


def test_a_budget_stops_it_and_the_next_run_goes_on(
    pairs: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    server = serve({VIDEO: clearer})
    judge = longtake.JudgeOptions("openai", budget="calls=2")
    stopped = score(pairs, VIDEO, judge=judge, out=tmp_path / "out")
    found = of(stopped, VIDEO)
    left = [p for p in found if p.status == "unscored"]
    assert len(server.requests) == 2
    assert len(left) == len(found) - 2
    assert all("budget" in str(p.reason) and "budget" in str(p.facts["cut_off"]) for p in left)
    assert {f.tool for f in stopped.failures} == {"judge"}
    assert [f.pair for f in stopped.failures] == list(dict.fromkeys(p.pair for p in left))  # each told once
    assert len(stopped.failures) < len(left)
    whole = score(pairs, VIDEO, out=tmp_path / "out")
    assert [p.choice for p in of(whole, VIDEO)] == ["a"] * 6
    assert whole.failures == []
    assert len(server.requests) == 6


def test_a_replay_says_the_same_without_a_server(
    pairs: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    server = serve({VIDEO: clearer})
    first = score(pairs, out=tmp_path / "out")
    asked = len(server.requests)
    assert {p.status for p in of(first, TEXT)} == {"scored"}
    server.close()
    again = score(pairs, judge=f"replay:{tmp_path / 'out'}")
    for name in NAMES:
        assert of(again, name) == of(first, name)
    assert len(server.requests) == asked


def test_no_more_is_asked_than_was_announced(
    pairs: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    """Of each pair and order; what is announced once covers all that follows, so nothing is told later."""
    server = serve()
    told: list[str] = []
    score(pairs, judge=longtake.JudgeOptions("openai", tell=told.append))
    assert len(told) == 1
    brief = Brief.model_validate_json((tmp_path / "brief.json").read_text())
    bounds = [
        EVALUATORS.load(VIDEO).outline(brief, 3.0, {"frames": 4}),  # type: ignore[union-attr]
        EVALUATORS.load(TEXT).outline(brief, 3.0, {"clips": 40, "frames": 3}),  # type: ignore[union-attr]
    ]
    assert (bounds[0].questions, bounds[0].pictures) == (1, 8)
    assert (bounds[1].questions, bounds[1].pictures) == (81, 240)
    assert len(server.requests) <= 6 * sum(b.questions for b in bounds)
    assert sum(len(a.images) for a in server.requests) <= 6 * sum(b.pictures for b in bounds)
    assert max(len(a.images) for a in about(server, VIDEO)) == 8


@pytest.mark.parametrize(("most", "each"), [(6, 3), (7, 3), (2, 1), (256, 4)])
def test_a_bound_on_pictures_is_shared_by_both_films(
    most: int,
    each: int,
    pairs: Path,
    serve: Callable[..., JudgeServer],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = serve()
    config = tmp_path / "config.toml"
    config.write_text(f"[judge]\nmost_pictures = {most}\n")
    monkeypatch.setenv("LONGTAKE_CONFIG", str(config))
    found = of(score(pairs, VIDEO), VIDEO)
    assert {p.facts["frames"] for p in found} == {each}
    assert {len(a.images) for a in about(server, VIDEO)} == {2 * each}


def test_one_picture_is_too_few_for_two_films(
    pairs: Path, serve: Callable[..., JudgeServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve()
    config = tmp_path / "config.toml"
    config.write_text("[judge]\nmost_pictures = 1\n")
    monkeypatch.setenv("LONGTAKE_CONFIG", str(config))
    found = of(score(pairs, VIDEO), VIDEO)
    assert all("two pictures" in str(p.reason) for p in found)
    assert server.requests == []


def test_a_short_film_is_shown_in_as_many_pictures_as_the_other(
    shown: tuple[Path, Path, Path], media: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    """Six frames beside seventy-five: six of each, those of the longer film spread over all of it."""
    server = serve()
    short = clip(media, tmp_path, 6 / 25)
    table = write_pairs(tmp_path / "p.csv", [Pair("p", "s", "aesthetics", shown[0], short)])
    found = of(score(table, VIDEO, settings={f"{VIDEO}.frames": "16"}), VIDEO)
    assert [p.facts["frames"] for p in found] == [6, 6]
    for asked in about(server, VIDEO):
        assert [len(side) for side in by_film(asked).values()] == [6, 6]
        assert len(set(asked.images)) == 12
    times = [a.text.split("Picture of film 1 at ")[-1].split(" s:")[0] for a in about(server, VIDEO)]
    assert max(map(float, times)) > 2.5


def test_what_needs_a_brief_says_so(
    shown: tuple[Path, Path, Path], serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    server = serve()
    rows = [Pair(a, "s", a, shown[0], shown[1]) for a in ("aesthetics", "temporal_flow", "color")]
    document = score(write_pairs(tmp_path / "p.csv", rows))
    video = {p.pair: p for p in of(document, VIDEO)}
    assert {name: p.status for name, p in video.items()} == {
        "aesthetics": "scored",
        "temporal_flow": "unscored",
        "color": "unscored",
    }
    assert "is about what a brief asks for" in str(video["color"].reason)
    assert all("compared with a brief" in str(p.reason) for p in of(document, TEXT))
    assert "What the films were meant to show is not known." in server.requests[0].text
    assert "JSON lines below" not in server.requests[0].text


def test_films_of_two_briefs_are_not_compared(
    shown: tuple[Path, Path, Path], serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    server = serve()
    briefs = [write_brief(tmp_path / f"{n}.json", title=str(n)) for n in range(2)]
    pair = Pair("p", "s", "unrelated_brief", shown[0], shown[0], briefs[0], briefs[1])
    document = score(write_pairs(tmp_path / "p.csv", [pair]))
    assert all("different briefs" in str(p.reason) for p in document.preferences if p.evaluator in NAMES)
    assert server.requests == []


def test_without_a_judge_nothing_is_preferred(pairs: Path) -> None:
    document = longtake.score(pairs, NAMES, signals="light")
    found = [p for p in document.preferences if p.evaluator in NAMES]
    assert {p.reason for p in found} == {NO_JUDGE}
    assert {p.choice for p in found} == {None}


def test_of_many_clips_evenly_chosen_ones_are_described(
    pairs: Path, serve: Callable[..., JudgeServer]
) -> None:
    server = serve()
    found = of(score(pairs, TEXT, settings={f"{TEXT}.clips": "1", f"{TEXT}.frames": "2"}), TEXT)
    assert {(p.facts["clips_1"], p.facts["of_1"]) for p in found} == {(1, 2)}
    assert {len(a.images) for a in about(server, "pairwise.describe")} == {2}


def test_clips_of_both_films_are_cut_in_one_way(
    shown: tuple[Path, Path, Path], media: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    """Of a film that ends before the second planned shot nobody knows the plan: both are cut as found."""
    serve()
    short = clip(media, tmp_path, 1.0)
    brief = write_brief(tmp_path / "brief.json")
    table = write_pairs(tmp_path / "p.csv", [Pair("p", "s", "comprehensiveness", shown[0], short, brief)])
    found = of(score(table, TEXT, settings={}), TEXT)
    assert {p.status for p in found} == {"scored"}
    assert {p.facts["clips"] for p in found} == {"found"}
    by_order = {p.order: (p.facts["of_1"], p.facts["of_2"]) for p in found}
    assert by_order["ab"] == by_order["ba"][::-1]


@pytest.mark.parametrize("name", NAMES)
def test_it_conforms(name: str, tmp_path: Path) -> None:
    checked = check_evaluator(name, signals="light", cache=tmp_path / "kept")
    assert checked.scored["a whole pair"] == ("preference", "preference")
    assert checked.vectors == 11
