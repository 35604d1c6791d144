"""Questions about the story of a real clip, over a real server: with the film, without it, what is lost."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import chisquare

import longtake
from judge_asked import Asked
from judge_server import JudgeServer
from judged_films import about, at, clip, write_brief
from longtake.briefs.read import read_brief
from longtake.core.measurement import Measurement
from longtake.core.scores import ScoreDocument
from longtake.evaluators.registry import EVALUATORS
from longtake.evaluators.shared.judged import NO_JUDGE
from longtake.evaluators.video_qa.items import Item, laid_out, position, sound
from longtake.testing import check_evaluator

NAME = "video-qa"
MADE = [
    {"question": f"What is to be seen in part {n}?", "right": f"bicycles {n}", "wrong": ["a", "b", "c"]}
    for n in range(1, 6)
]
OWN = [
    {"question": "What do they ride?", "right": "bicycles", "wrong": ["horses", "skates", "camels"]},
    {"question": "Where is it?", "right": "in a street", "wrong": ["at sea", "in a hall", "on a roof"]},
]


@pytest.fixture(scope="module")
def film(media: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return clip(media, tmp_path_factory.mktemp("film"))


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., JudgeServer]]:
    running: list[JudgeServer] = []

    def start(answers: dict[str, Any] | None = None, **more: Any) -> JudgeServer:
        made = {f"{NAME}.make": {"questions": MADE}}
        server = JudgeServer("vllm", answers={**made, **(answers or {})}, **more)
        running.append(server)
        return at(server.__enter__(), tmp_path, monkeypatch)

    yield start
    for server in running:
        server.close()


def shown_options(asked: Asked) -> tuple[str, dict[str, str]]:
    """The question in a request, and its options by letter, as a judge reads them."""
    line = next(one for one in asked.text.splitlines() if one.startswith('{"label": "question"'))
    question, *options = json.loads(line)["text"].splitlines()
    return question, {one[0]: one[3:] for one in options}


def knows(items: Sequence[dict[str, Any]]) -> Callable[[Asked], dict[str, Any]]:
    """A judge that knows the answers to these, and finds them by their words, wherever they stand."""
    right = {item["question"]: item["right"] for item in items}

    def answer(asked: Asked) -> dict[str, Any]:
        question, options = shown_options(asked)
        letter = next(x for x, option in options.items() if option == right[question])
        spans = [{"start": 0.5, "end": 99.0, "what": "there"}] if asked.images else None
        return {"answer": letter, **({"spans": spans} if spans else {})}

    return answer


def score(film: Path, brief: Path | None, **more: Any) -> ScoreDocument:
    return longtake.score(film, [NAME], brief=brief, signals="light", **{"judge": "openai", **more})


def of(document: ScoreDocument) -> dict[str, Measurement]:
    result = document.results[0]
    return {m.name: m for m in (*result.measurements, *result.details)}


def test_one_who_sees_is_told_from_one_who_guesses(
    film: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    server = serve({f"{NAME}.blind.*": {"answer": "A"}, f"{NAME}.?": knows(MADE)})
    brief = write_brief(tmp_path / "brief.json")
    found = of(score(film, brief))
    digest = read_brief(brief).hash
    letters = [laid_out(Item.model_validate(item), digest).letter for item in MADE]
    guessed = letters.count("A") / 5
    assert found[NAME].value == 1.0
    assert found["blind"].value == pytest.approx(guessed)
    assert found["gain"].value == pytest.approx(1.0 - guessed)
    facts = found[NAME].facts
    assert (facts["n"], facts["n_asked"], facts["n_dropped"], facts["frames"]) == (5, 5, 0, 16)
    assert facts["blind"] == pytest.approx(guessed)
    assert (facts["judge_asked"], facts["judge_answered"], facts["questions"]) == (11, 11, "made")
    assert len(server.requests) == 11
    assert [len(a.images) for a in about(server, r"video-qa\.\d")] == [16] * 5
    assert [len(a.images) for a in about(server, r"video-qa\.(blind\.\d|make)")] == [0] * 6
    for n, letter in enumerate(letters, 1):
        detail = found[f"question.{n}"]
        assert (detail.value, detail.facts["letter"], detail.facts["answer"]) == (1.0, letter, letter)
        assert (detail.facts["blind"], detail.facts["right"]) == ("A", f"bicycles {n}")
        assert [(e.start, e.end, e.what) for e in detail.evidence] == [(0.5, 3.0, "there")]


def test_neither_the_film_nor_the_brief_is_told_to_the_blind(
    film: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    server = serve()
    score(film, write_brief(tmp_path / "brief.json", instruction="xylophone"))
    making = list(about(server, r"video-qa\.make"))
    assert ["xylophone" in asked.text for asked in making] == [True]
    for asked in server.requests:
        if asked.id != f"{NAME}.make":
            assert "xylophone" not in asked.text
    for asked in about(server, r"video-qa\.blind\.\d"):
        assert asked.images == ()
        assert "Picture at" not in asked.text


def test_questions_are_made_once_for_a_brief_and_laid_out_alike(
    film: Path, media: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    """Another film of the same brief is asked the same questions with the options in the same places."""
    server = serve()
    brief = write_brief(tmp_path / "brief.json")
    other = clip(media, tmp_path, skip=120)
    score(film, brief)
    before = len(server.requests)
    second = of(score(other, brief))
    assert second[NAME].status == "scored"
    fresh = server.requests[before:]
    assert sorted(a.id for a in fresh) == [f"{NAME}.{n}" for n in range(1, 6)]  # blind ones are kept too
    for n in range(1, 6):
        first, again = (shown_options(a) for a in about(server, rf"video-qa\.{n}"))
        assert first == again


def test_a_brief_brings_its_own_questions(
    film: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    server = serve({f"{NAME}.*": knows(OWN)})
    found = of(score(film, write_brief(tmp_path / "brief.json", questions=OWN)))
    assert (found[NAME].value, found["blind"].value, found["gain"].value) == (1.0, 1.0, 0.0)
    assert (found[NAME].facts["n_asked"], found[NAME].facts["questions"]) == (2, "of the brief")
    assert len(server.requests) == 4
    assert [name for name in found if name.startswith("question.")] == ["question.1", "question.2"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([{**OWN[0], "wrong": ["horses", "skates"]}], "question 1 of the brief: wrong"),
        ([OWN[0], {**OWN[1], "right": " At  SEA "}], "two options that are the same"),
        ([OWN[0], OWN[0]], "comes twice"),
        ("What do they ride?", "no list of questions"),
        ([], "no list of questions"),
        (OWN * 26, "52 questions, 50 at most"),
    ],
)
def test_questions_of_a_brief_that_cannot_be_asked_are_told(
    given: Any, said: str, film: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    server = serve()
    found = of(score(film, write_brief(tmp_path / "brief.json", questions=given)))
    assert {m.status for m in found.values()} == {"unscored"}
    assert said in str(found[NAME].reason)
    assert server.requests == []


def test_one_bad_reply_leaves_its_question_out_and_is_kept(
    film: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    def nearly(asked: Asked) -> dict[str, Any] | str:
        return "It is B, I think." if asked.id == f"{NAME}.2" else knows(MADE)(asked)

    serve({f"{NAME}.blind.3": {"answer": "E"}, f"{NAME}.*": nearly})
    found = of(score(film, write_brief(tmp_path / "brief.json")))
    assert (found[NAME].value, found[NAME].facts["n"], found[NAME].facts["n_asked"]) == (1.0, 4, 5)
    assert (found["blind"].value, found["blind"].facts["n"]) == (1.0, 4)
    assert (found["gain"].value, found["gain"].facts["n"]) == (0.0, 3)
    bad = found["question.2"]
    assert (bad.status, bad.value, bad.facts["reply"]) == ("unscored", None, "It is B, I think.")
    assert found["question.3"].facts["blind"] is None
    assert found["question.3"].value == 1.0


def test_questions_with_two_options_that_are_the_same_are_dropped(
    film: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    spoilt = [{**MADE[0], "wrong": ["a", "A ", "c"]}, *MADE[1:4], MADE[3]]
    server = serve()
    server.answers = {f"{NAME}.make": {"questions": spoilt}, f"{NAME}.*": knows(MADE)}
    found = of(score(film, write_brief(tmp_path / "brief.json")))
    assert (found[NAME].value, found[NAME].facts["n"], found[NAME].facts["n_dropped"]) == (1.0, 3, 2)
    assert found[NAME].facts["n_asked"] == 3


def test_without_questions_nothing_is_scored(
    film: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    server = serve()
    server.answers = {f"{NAME}.make": {"questions": MADE[:3]}}
    found = of(score(film, write_brief(tmp_path / "brief.json")))
    assert {m.status for m in found.values()} == {"unscored"}
    assert str(found["gain"].reason).startswith(
        "no questions were made: answered in another form than asked for: "
    )
    assert "bicycles 3" in str(found[NAME].facts["reply"])
    assert len(server.requests) == 1


def test_what_was_answered_wrongly_is_pointed_at(
    film: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    """Of five questions the second is answered wrongly, and the fourth so without a place."""
    brief = write_brief(tmp_path / "brief.json")
    digest = read_brief(brief).hash
    letters = {n: laid_out(Item.model_validate(item), digest).letter for n, item in enumerate(MADE, 1)}

    def seen(asked: Asked) -> dict[str, Any]:
        number = int(asked.id.rpartition(".")[2])
        wrong = next(x for x in "ABCD" if x != letters[number])
        spans = [{"start": 2.0, "end": 2.5, "what": "horses"}, {"start": 1.0, "end": 1.5, "what": "a rider"}]
        return {
            "answer": wrong if number in (2, 4) else letters[number],
            "spans": [] if number == 4 else spans,
        }

    serve({f"{NAME}.blind.*": {"answer": "A"}, f"{NAME}.?": seen})
    found = of(score(film, brief))
    assert found[NAME].value == pytest.approx(3 / 5)
    said = "question 2 was answered wrongly by what is seen here: "
    assert [(e.start, e.end, e.what) for e in found[NAME].evidence] == [
        (1.0, 1.5, f"{said}a rider"),
        (2.0, 2.5, f"{said}horses"),
    ]
    assert found["blind"].evidence == found["gain"].evidence == found["question.4"].evidence == []


def test_a_budget_stops_it_and_the_next_run_goes_on(
    film: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    server = serve({f"{NAME}.*": knows(MADE)})
    brief = write_brief(tmp_path / "brief.json")
    judge = longtake.JudgeOptions("openai", budget="calls=4", concurrency=1)
    stopped = score(film, brief, judge=judge, out=tmp_path / "out")
    found = of(stopped)
    assert len(server.requests) == 4
    answered = [m for name, m in found.items() if name.startswith("question.") and m.value is not None]
    n, n_blind = found[NAME].facts["n"], found["blind"].facts["n"]
    assert (n, n + n_blind) == (len(answered), 3)  # type: ignore[operator]
    assert all("budget" in str(found[name].facts["cut_off"]) for name in (NAME, "blind", "gain"))
    assert all(m.value is not None or m.reason for m in found.values())
    assert [f.tool for f in stopped.failures] == ["judge"]
    # Six of the eleven questions were made and asked twice: seven of them were not asked.
    said = "7 of 11 questions not asked: the budget of 4 calls is spent"
    assert {m.facts.get("cut_off") for name, m in found.items() if name in (NAME, "blind", "gain")} == {said}
    whole = of(score(film, brief, out=tmp_path / "out"))
    assert (whole[NAME].facts["n"], whole["blind"].facts["n"]) == (5, 5)
    assert len(server.requests) == 11


def test_a_replay_says_the_same_without_a_server(
    film: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    server = serve()
    brief = write_brief(tmp_path / "brief.json")
    first = score(film, brief, out=tmp_path / "out")
    server.close()
    assert of(score(film, brief, judge=f"replay:{tmp_path / 'out'}")) == of(first)


def test_no_more_is_asked_than_was_announced(
    film: Path, serve: Callable[..., JudgeServer], tmp_path: Path
) -> None:
    server = serve()
    told: list[str] = []
    brief = write_brief(tmp_path / "brief.json")
    score(film, brief, judge=longtake.JudgeOptions("openai", tell=told.append))
    assert len(told) == 1
    settings = {"questions": 5, "frames": 16, "sampling": "even"}
    bound = EVALUATORS.load(NAME).outline(read_brief(brief), 3.0, settings)  # type: ignore[union-attr]
    assert (len(server.requests), sum(len(a.images) for a in server.requests)) == (11, 80)
    assert (bound.questions, bound.pictures) == (11, 80)
    words = sum(len(a.texts[1].encode()) for a in server.requests)
    assert words <= bound.bytes
    own = read_brief(write_brief(tmp_path / "own.json", questions=OWN))
    assert EVALUATORS.load(NAME).outline(own, 3.0, settings).questions == 4  # type: ignore[union-attr]
    assert EVALUATORS.load(NAME).outline(None, 3.0, settings).questions == 0  # type: ignore[union-attr]


def test_pictures_by_shots_and_a_bound_on_them(
    film: Path, serve: Callable[..., JudgeServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve()
    config = tmp_path / "config.toml"
    config.write_text("[judge]\nmost_pictures = 3\n")
    monkeypatch.setenv("LONGTAKE_CONFIG", str(config))
    brief = write_brief(tmp_path / "brief.json", questions=OWN)
    found = of(score(film, brief, settings={f"{NAME}.sampling": "shots"}))
    assert found[NAME].facts["frames"] == 3
    asked = next(about(server, r"video-qa\.1"))
    times = [float(t) for t in re.findall(r"Picture at ([\d.]+) s:", asked.text)]
    cut = 2 * times[2] - 3.0  # two shots: two pictures in the first, and the middle of the second
    assert 0.9 < cut < 1.5
    assert times[:2] == pytest.approx([cut / 4, 3 * cut / 4], abs=0.06)
    assert "of its shots" in asked.text


def test_what_it_needs_is_told(film: Path, serve: Callable[..., JudgeServer], tmp_path: Path) -> None:
    server = serve()
    found = of(score(film, None))
    assert {m.status for m in found.values()} == {"not_applicable"}
    assert "there is no brief that asks for anything" in str(found[NAME].reason)
    assert server.requests == []
    plain = longtake.score(film, [NAME], brief=write_brief(tmp_path / "b.json"), signals="light")
    assert {m.reason for m in of(plain).values()} == {NO_JUDGE}


def test_right_options_stand_everywhere_alike() -> None:
    counts = Counter(position(f"item {n}") for n in range(2000))
    assert set(counts) == {0, 1, 2, 3}
    assert chisquare(list(counts.values())).pvalue > 1e-3
    item = Item.model_validate(MADE[0])
    assert len({laid_out(item, f"brief {n}").letter for n in range(50)}) == 4
    one = laid_out(item, "b")
    assert one == laid_out(item, "b")
    assert sorted(line[3:] for line in one.text.splitlines()[1:]) == sorted([item.right, *item.wrong])


def test_a_question_that_comes_twice_counts_once() -> None:
    item = Item.model_validate(MADE[0])
    again = item.model_copy(update={"question": item.question.upper()})
    assert sound([item, again]) == [item]


def test_it_conforms(tmp_path: Path) -> None:
    checked = check_evaluator(NAME, signals="light", cache=tmp_path / "kept")
    assert checked.scored["whole"][:3] == (NAME, "blind", "gain")
    assert checked.vectors == 19
