"""DSA on a film of real clips with the offline proxy: its forms, its edges, and what shuffling does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest

import longtake
from clip_films import OTHER, SAID, brief_of, joined
from longtake.core.brief import Brief, PlannedShot
from longtake.core.case import Case
from longtake.core.measurement import Measurement
from longtake.storage.manifest import write_manifest

TURNED = (3, 5, 0, 1, 2, 4)
TEXTS = list(SAID.values())
LONG = " It is seen from very near, and then from far away."
Found = Mapping[str, Mapping[str, Measurement]]
Score = Callable[..., Found]


def times(texts: list[str]) -> list[PlannedShot]:
    return [PlannedShot(index=i, text=t, start=2 * i, end=2 * i + 2) for i, t in enumerate(texts)]


BRIEFS = {
    "own": brief_of(),
    "turned": brief_of(order=TURNED),
    "unrelated": brief_of(OTHER),
    "one long text": brief_of([*TEXTS[:2], TEXTS[2] + LONG * 40, *TEXTS[3:]]),
    "long": brief_of([text + LONG * 6 for text in TEXTS]),
    "long outline": brief_of().model_copy(update={"instruction": "word " * 400}),
    "no outline": brief_of().model_copy(update={"instruction": None}),
    "one text twice": brief_of([TEXTS[0], TEXTS[0], *TEXTS[2:]]),
    "all the same": brief_of([TEXTS[0]] * 6),
    "nowhere": Brief(shots=[PlannedShot(index=i, text=t) for i, t in enumerate([*TEXTS, "A seventh shot."])]),
    "one short": Brief(
        shots=[s.model_copy(update={"end": 2.5}) if s.index == 1 else s for s in times(TEXTS)]
    ),
    **{f"{n} shots": brief_of(TEXTS[:n]) for n in (0, 1, 3)},
}


@pytest.fixture(scope="module")
def place(media: Path, weights_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with ``film.mp4`` and its clips in another order, and one cache for all runs."""
    made = tmp_path_factory.mktemp("dsa")
    joined(media, made / "film.mp4")
    joined(media, made / "shuffled.mp4", [list(SAID)[i] for i in TURNED])
    (made / "cache").mkdir()
    (made / "cache" / "models").symlink_to(weights_root / "models", target_is_directory=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LONGTAKE_CACHE", str(made / "cache"))
        yield made


@pytest.fixture(scope="module")
def scored(place: Path) -> Score:
    """Scores the film with some of the briefs, in one run."""

    def run(*names: str, film: str = "film.mp4", **settings: str) -> Found:
        cases = []
        for name in names:
            path = place / f"{name}.json"
            path.write_text(json.dumps(BRIEFS[name].to_json()))
            cases.append(Case(name, place / film, path))
        given = {f"dsa.{name}": value for name, value in settings.items()}
        table = write_manifest(place / "films.csv", cases)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("LONGTAKE_CACHE", str(place / "cache"))
            document = longtake.score(table, ["dsa"], settings=given, signals="light", workers=1)
        assert not document.failures
        assert all(document.evaluators["dsa"].settings[name] == value for name, value in settings.items())
        return {r.case: {m.name: m for m in r.measurements} for r in document.results}

    return run


@pytest.fixture(scope="module")
def found(scored: Score) -> Found:
    """All briefs, as the card's defaults have it."""
    return scored(*BRIEFS)


@pytest.fixture(scope="module")
def joined_texts(scored: Score) -> Found:
    """With the texts joined and cut, as published."""
    return scored("own", "long", text="concat")


def test_three_forms_from_one_film(found: Found) -> None:
    own = found["own"]
    assert [m.status for m in own.values()] == ["scored"] * 3
    for name, one in own.items():
        assert one.facts["form"] == name
        assert one.facts["proxy"] is True
        assert str(one.facts["model"]).startswith("proxy:conse sha256:")
        assert one.value == pytest.approx((float(one.facts["rho"] or 0) + 1) / 2)
        assert one.facts["text"] == "mean"
        for spot in one.evidence:
            index = int(str(spot.about).removeprefix("planned shot ")) - 1
            assert (spot.start, spot.end) == (2 * index, 2 * index + 2)
    assert own["shot"].facts["spans"] == "times"


def test_the_value_is_what_the_model_gives(
    found: Found, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eq. 4 written out again with the model itself, without the evaluator's road."""
    from scipy.stats import spearmanr

    from longtake.execution.tools import FilmTools, Models
    from longtake.media.open import open_video
    from longtake.storage.cache import Cache

    monkeypatch.setenv("LONGTAKE_CACHE", str(place / "cache"))
    frames = np.arange(len(SAID) * 16) / 8
    tools = FilmTools(open_video(place / "film.mp4"), frames, Models(place / "cache"), Cache())
    embedder = tools.embedder("video-text")
    texts = embedder.texts(TEXTS, "cut").vectors
    story = texts.mean(axis=0) / np.linalg.norm(texts.mean(axis=0))
    shots = embedder.clips([(2.0 * i, 2.0 * i + 2) for i in range(6)]).vectors
    whole = embedder.clips([(0.0, 12.0)]).vectors[0]
    sides = {"dsa": texts @ whole, "shot": (texts * shots).sum(axis=1), "pooled": texts @ shots.mean(axis=0)}
    for name, side in sides.items():
        expected = (spearmanr(texts @ story, side).statistic + 1) / 2
        assert found["own"][name].value == pytest.approx(expected, abs=1e-6)


def test_shots_that_change_places_leave_the_mean_as_it_is(found: Found) -> None:
    there, elsewhere = found["own"], found["turned"]
    assert there["pooled"].value == pytest.approx(elsewhere["pooled"].value)
    assert there["dsa"].value == elsewhere["dsa"].value
    assert there["shot"].facts["rho"] != elsewhere["shot"].facts["rho"]


def test_a_shuffled_film_has_another_profile_of_its_shots(found: Found, scored: Score) -> None:
    shuffled = scored("own", film="shuffled.mp4")["own"]
    assert shuffled["shot"].facts["rho"] != found["own"]["shot"].facts["rho"]


def test_an_unrelated_brief_is_measured_like_any_other(found: Found) -> None:
    """Which of the two is higher is no claim of ours: six shots say next to nothing (see the card)."""
    assert all(m.status == "scored" for m in found["unrelated"].values())


def test_texts_joined_beyond_the_limit_are_told(found: Found, joined_texts: Found) -> None:
    cut = joined_texts["long"]["dsa"].facts
    dropped, limit = int(cut["whole_tokens_dropped"] or 0), int(cut["token_limit"] or 0)
    assert dropped > 0
    assert int(cut["whole_tokens"] or 0) - dropped == limit
    texts = [str(shot.text) for shot in BRIEFS["long"].shots]
    words = [len(" ".join(texts[:n]).split()) for n in range(1, 7)]
    # A word has at least one token, so that what has more words than are read is lost; counted from 1.
    assert 1 <= int(cut["first_lost_shot"] or 0) <= next(n for n, w in enumerate(words, 1) if w > limit)
    assert "whole_tokens_dropped" not in found["long"]["dsa"].facts
    short = joined_texts["own"]["dsa"].facts
    assert short["whole_tokens_dropped"] == 0
    assert "first_lost_shot" not in short


def test_single_texts_beyond_the_limit_are_read_as_asked(found: Found, scored: Score) -> None:
    cut = found["one long text"]["dsa"].facts
    assert cut["shots_cut"] == "3"  # the third of them, as people count
    assert int(cut["tokens_dropped"] or 0) > 0
    whole = scored("one long text", policy="chunks")["one long text"]["dsa"].facts
    assert whole["tokens_dropped"] == 0
    assert "shots_cut" not in whole


def test_an_outline_is_needed_where_it_is_asked_for(scored: Score) -> None:
    told = scored("own", "no outline", "long outline", text="outline")
    assert told["own"]["dsa"].status == "scored"
    none = told["no outline"]["dsa"]
    assert (none.status, none.reason) == ("unscored", "no_outline: the brief has no summary of its own")
    assert "the model reads 256" in str(told["long outline"]["dsa"].reason)


def test_same_texts_tie_and_all_the_same_have_no_correlation(found: Found) -> None:
    assert found["one text twice"]["dsa"].status == "scored"
    assert found["all the same"]["dsa"].status == "unscored"
    assert str(found["all the same"]["dsa"].reason).startswith("constant_profile")


@pytest.mark.parametrize(
    ("count", "status", "reason"),
    [(0, "not_applicable", "no texts"), (1, "not_applicable", "one_shot"), (3, "unscored", "too_few_shots")],
)
def test_a_correlation_takes_four_shots(found: Found, count: int, status: str, reason: str) -> None:
    told = found[f"{count} shots"]
    assert {m.status for m in told.values()} == {status}
    assert all(reason in str(m.reason) for m in told.values())


def test_without_places_the_film_as_a_whole_is_still_measured(found: Found) -> None:
    told = found["nowhere"]
    assert told["dsa"].status == told["pooled"].status == "scored"
    assert told["dsa"].evidence == []
    assert (told["shot"].status, str(told["shot"].reason).partition(":")[0]) == ("unscored", "no_alignment")
    assert told["pooled"].facts["spans"] == "found"


def test_short_shots_repeat_their_last_picture_and_say_so(found: Found) -> None:
    assert found["one short"]["shot"].facts["padded_shots"] == "2"  # the second of them
    assert found["one short"]["dsa"].facts["padded"] is False


def test_without_weights_it_says_what_is_missing(place: Path) -> None:
    told = longtake.score(place / "film.mp4", ["dsa"], brief=brief_of(), signals="light").results[0]
    assert {m.status for m in told.measurements} == {"unscored"}
    assert "video-text" in str(told.measurements[0].reason)
    nothing = longtake.score(place / "film.mp4", ["dsa"], signals="light").results[0]
    assert {m.status for m in nothing.measurements} == {"not_applicable"}
