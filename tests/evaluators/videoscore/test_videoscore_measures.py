"""What ``videoscore`` and ``videoscore2`` make of what a model says. The model is a small object of its port:
numbers of the pictures that it is shown, or words that are given to it. Tiny real models are run in
tests/models/test_videoscore.py and tests/models/judges/test_videoscore2.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from longtake.core.brief import Brief, PlannedShot
from longtake.core.case import Case
from longtake.core.documents import VideoEntry
from longtake.core.evaluator import MeasuredCase
from longtake.core.scorers import Rated, Review
from longtake.core.signal import Signals
from longtake.errors import BackendError, UsageError
from longtake.evaluators.registry import EVALUATORS
from longtake.evaluators.shared.whole_text import whole_text
from longtake.evaluators.videoscore.evaluator import TRAINED_TOKENS, videoscore, videoscore2
from longtake.evaluators.videoscore.expectation import expectation
from longtake.evaluators.videoscore.frames import by_rate, evenly
from longtake.evaluators.videoscore.parse import parsed
from longtake.execution.tools import FilmTools, Models
from longtake.media.open import open_video
from longtake.models import roles
from longtake.models.named import Kind, Named
from longtake.storage.cache import Cache
from longtake.testing import check_evaluator
from longtake.testing.films import FPS, brief_for, films

GOOD = "<think>fine</think>\n(1) visual quality: 4\n(2) text-to-video alignment: 2\n"
GOOD += "(3) physical/common-sense consistency: 3\n"


@dataclass
class Scorer:
    """Five numbers of the pictures; counts how often it is asked."""

    name: str = "own"
    kind: str = "model"
    stands_for: str = ""
    runs_on: str = "cpu float32"
    prompt: str = "abc"
    seen: list[tuple[int, str, int | None]] = field(default_factory=list)

    def rate(self, pictures: Iterable[Any], text: str, most_tokens: int | None = None) -> Rated:
        levels = [float(np.mean(picture)) / 255 for picture in pictures]
        self.seen.append((len(levels), text, most_tokens))
        return Rated((1.0, 2.0, 3.0, 4.5, float(np.mean(levels))), 700, 12 if most_tokens else 0)


@dataclass
class Reviewer:
    """Says what it is given."""

    reply: str = GOOD
    finished: bool = True
    odds: Mapping[int, tuple[float, ...]] | None = None
    name: str = "own"
    kind: str = "model"
    stands_for: str = ""
    runs_on: str = "cpu float32"
    prompt: str = "abc"
    seen: list[dict[str, Any]] = field(default_factory=list)

    def review(self, pictures: Iterable[Any], count: int, rate: float, text: str, **how: Any) -> Review:
        shown = len(list(pictures))
        assert shown == count
        self.seen.append({"pictures": shown, "rate": rate, "text": text, **how})
        return Review(self.reply, self.finished, self.odds or {}, 900)


class Holding(Models):
    """One model in all roles."""

    def __init__(self, named: Named, model: Any) -> None:
        super().__init__()
        self._named, self._model = named, model

    def found(self, role: str) -> Named:
        return self._named

    def open(self, role: str) -> Any:
        return self._model


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return films(tmp_path_factory.mktemp("films")).shots


def case_of(evaluator: Any, film: Path, model: Any, tmp_path: Path, **given: Any) -> MeasuredCase:
    """A case of the film with the model in the evaluator's role, and its parameters but for ``given``."""
    file = tmp_path / "weights"
    file.write_bytes(b"weights")
    named = Named(f"{evaluator.role}:{file}", Kind("nowhere:Nothing", places=("PATH",)), (file,))
    models = Holding(named, model)
    video, times = open_video(film), np.arange(4 * FPS) / FPS
    settings = {name: p.default for name, p in evaluator.card.parameters.items()} | given
    size = {"width": 160, "height": 96, "frames": 4 * FPS, "fps": FPS}
    entry = VideoEntry(path="s.mp4", hash=video.hash, kind="file", duration=4.0, audio=True, **size)
    return MeasuredCase(
        Case("film", film),
        entry,
        Signals({}),
        brief_for(),
        1,
        tools=FilmTools(video, times, models, Cache()),
        settings=settings,
    )


def values(found: Any) -> dict[str, float | None]:
    return {one.name: one.value for one in found}


def test_the_scores_are_the_models_and_the_mean_is_theirs(film: Path, tmp_path: Path) -> None:
    model = Scorer()
    found = videoscore.measure(case_of(videoscore, film, model, tmp_path))
    assert [one.name for one in found] == [q.name for q in videoscore.card.quantities]
    scores = [one.value for one in found[1:]]
    assert scores[:4] == [1.0, 2.0, 3.0, 4.5]  # 4.5 is beyond what people gave, and is not cut
    assert found[0].value == pytest.approx(sum(scores) / 5)
    facts = found[0].facts
    assert (facts["frames"], facts["tokens"], facts["proxy"], facts["prompt"]) == (48, 700, False, "abc")
    assert facts["text_left_out"] == 12
    assert model.seen == [(48, whole_text(brief_for()), TRAINED_TOKENS)]


def test_settings_reach_the_model_and_what_is_kept_is_not_asked_again(film: Path, tmp_path: Path) -> None:
    model = Scorer()
    first = videoscore.measure(case_of(videoscore, film, model, tmp_path))
    assert videoscore.measure(case_of(videoscore, film, model, tmp_path)) == first
    assert len(model.seen) == 1
    few = videoscore.measure(case_of(videoscore, film, model, tmp_path, frames=5, text="whole"))
    assert model.seen[1:] == [(5, whole_text(brief_for()), None)]
    assert few[0].facts["every_s"] == pytest.approx((47 / FPS) / 5, abs=1e-3)
    assert few[0].facts["text_left_out"] == 0
    other = replace(model, prompt="another")
    videoscore.measure(case_of(videoscore, film, other, tmp_path))
    assert len(other.seen) == 3  # another prompt is another question


@pytest.mark.parametrize("one", [videoscore, videoscore2])
def test_without_a_brief_a_text_or_a_model(one: Any, film: Path, tmp_path: Path) -> None:
    case = case_of(one, film, Scorer(), tmp_path)
    for brief, why in ((None, "there is no brief"), (Brief(), "the brief has no text")):
        found = one.measure(replace(case, brief=brief))
        assert {(m.status, m.reason) for m in found} == {("not_applicable", why)}
    nothing = FilmTools(open_video(film), np.zeros(0), Models(tmp_path), Cache())
    found = one.measure(replace(case, tools=nothing))
    assert {m.status for m in found} == {"unscored"}
    assert f"--model {one.role}=NAME" in str(found[0].reason)
    assert f"{one.role}:FOLDER" in str(found[0].reason)


@pytest.mark.parametrize("one", [videoscore, videoscore2])
def test_a_film_of_which_nothing_can_be_read(one: Any, film: Path, tmp_path: Path) -> None:
    case = case_of(one, film, Scorer() if one is videoscore else Reviewer(), tmp_path)
    assert case.tools is not None
    case.tools.footage.times = np.zeros(0)  # type: ignore[misc]
    found = one.measure(case)
    assert {(m.status, m.reason) for m in found} == {("unscored", "no picture of it could be read")}


@pytest.mark.parametrize(("role", "wrong"), [("videoscore", "videoscore2"), ("videoscore2", "videoscore")])
def test_each_role_takes_its_own_kind_alone(role: str, wrong: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"no model for {role} called") as caught:
        roles.find(role, f"{wrong}:{tmp_path}", tmp_path)
    assert f"{role}:FOLDER" in caught.value.hint


def test_models_of_this_size_are_held_by_one_process() -> None:
    from longtake.execution.score_bench import _side_by_side

    assert not _side_by_side(videoscore.card)
    assert not _side_by_side(videoscore2.card)
    assert _side_by_side(EVALUATORS.load("clipscore").card)


def test_a_model_that_cannot_be_run_is_told(film: Path, tmp_path: Path) -> None:
    class Broken(Scorer):
        def rate(self, pictures: Iterable[Any], text: str, most_tokens: int | None = None) -> Rated:
            raise BackendError("memory ran out")

    with pytest.raises(BackendError, match="memory ran out"):
        videoscore.measure(case_of(videoscore, film, Broken(), tmp_path))


def test_a_reply_is_three_scores_and_stays_in_the_facts(film: Path, tmp_path: Path) -> None:
    model = Reviewer(odds={GOOD.index(" 4") + 1: (0.0, 0.0, 0.3, 0.7, 0.0)})
    found = videoscore2.measure(case_of(videoscore2, film, model, tmp_path))
    assert values(found) == {
        "videoscore2": 3.0,
        "visual_quality": 4.0,
        "text_alignment": 2.0,
        "physical_consistency": 3.0,
    }
    assert found[0].facts["reply"] == GOOD
    assert found[1].facts["expected"] == pytest.approx(3.7)  # by hand: .3 x 3 + .7 x 4
    assert found[2].facts["expected"] is None
    assert model.seen[0]["pictures"] == found[0].facts["frames"] == 8  # two a second of four seconds


def test_expectations_are_scores_where_they_are_asked_for(film: Path, tmp_path: Path) -> None:
    places = parsed(GOOD).places
    odds = {places[name]: (0.0, p, 0.0, 1 - p, 0.0) for name, p in zip(places, (0.25, 0.5, 1.0), strict=True)}
    found = videoscore2.measure(
        case_of(videoscore2, film, Reviewer(odds=odds), tmp_path, score="expectation")
    )
    assert [one.value for one in found[1:]] == pytest.approx([3.5, 3.0, 2.0])  # 4 - 2 p
    assert found[0].value == pytest.approx(8.5 / 3)
    assert [one.facts["written"] for one in found[1:]] == [4, 2, 3]
    del odds[places["text_alignment"]]
    lacking = case_of(videoscore2, film, Reviewer(odds=odds), tmp_path, score="expectation", seed=1)
    found = videoscore2.measure(lacking)
    assert {one.status for one in found} == {"unscored"}
    assert "no odds" in str(found[0].reason)


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (Reviewer("I like it."), "it gives no visual quality"),
        (Reviewer(GOOD, finished=False), "cut off after 1024 tokens"),
        (Reviewer(GOOD + "It is fine."), "more than the three scores"),
        (Reviewer("<think>" + GOOD.partition("</think>")[2]), "within its thoughts"),
    ],
)
def test_what_is_not_three_scores_scores_nothing(
    model: Reviewer, why: str, film: Path, tmp_path: Path
) -> None:
    found = videoscore2.measure(case_of(videoscore2, film, model, tmp_path))
    assert {one.status for one in found} == {"unscored"}
    assert why in str(found[0].reason)
    assert found[0].facts["reply"] == model.reply
    assert "reply" not in found[1].facts


def test_draws_are_by_film_and_seed(film: Path, tmp_path: Path) -> None:
    model = Reviewer()
    how = {"temperature": 0.7}
    for seed in (0, 0, 1):
        videoscore2.measure(case_of(videoscore2, film, model, tmp_path, seed=seed, **how))
    assert len(model.seen) == 2  # the same draw is kept
    videoscore2.measure(replace(case_of(videoscore2, film, model, tmp_path, **how), brief=brief_for(1)))
    assert len({one["seed"] for one in model.seen}) == 3
    assert {one["temperature"] for one in model.seen} == {0.7}


def test_the_whole_text_is_the_shots_or_the_instruction() -> None:
    shots = [PlannedShot(index=i, text=text) for i, text in enumerate(("a door ", " ", "the sea"))]
    assert whole_text(Brief(instruction="film it", shots=shots)) == "a door the sea"
    assert whole_text(Brief(instruction=" film it ")) == "film it"
    assert whole_text(Brief()) == ""


def test_frames_are_those_of_the_released_code() -> None:
    """Against its own words in NumPy, where these do not round across a whole number."""
    for total in (1, 2, 47, 48, 96, 100, 250, 1_440, 90_000):
        theirs = np.arange(0, total, total / 48).astype(int) if total > 48 else np.arange(total)
        assert evenly(total, 48) == theirs[:48].tolist()
    for total, seconds in ((48, 2.0), (240, 10.0), (9_000, 360.0), (90_000, 3_600.0)):
        count = int(min(max(seconds * 2, 4), 768, total)) // 2 * 2
        assert by_rate(total, seconds, 2.0, 768) == np.linspace(0, total - 1, count).round().tolist()


def test_an_expectation_keeps_the_order_that_a_likeliest_score_times_its_odds_turns() -> None:
    sure_three, likely_four = [0, 0, 1, 0, 0], [0, 0, 0.3, 0.7, 0]
    assert 3 * max(sure_three) > 4 * max(likely_four)  # the released way: 3.0 and 2.8
    assert expectation(sure_three) < expectation(likely_four)


@pytest.mark.parametrize("word", ["visual quality", "text-to-video alignment"])
def test_a_thought_is_no_answer(word: str) -> None:
    thought = f"<think>{word}: 1</think>" + GOOD.partition("</think>")[2]
    assert parsed(thought).scores == {"visual_quality": 4, "text_alignment": 2, "physical_consistency": 3}


@pytest.mark.parametrize("name", ["videoscore", "videoscore2"])
def test_they_keep_to_what_evaluators_promise(name: str) -> None:
    assert EVALUATORS.load(name).card.name == name
    assert check_evaluator(name).vectors >= 20
