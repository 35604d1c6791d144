"""The correlation study: known mixtures of systems and cases, and people's ratings of real films."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats as reference

from longtake.meta.studies.correlation import CorrelationOptions, CorrelationTable, Ratings, correlation
from longtake.meta.studies.ratings import agreement

FAST = CorrelationOptions(draws=300)
TVGE = {"T2VScore-A (GPT-4V)": 0.477, "CLIP Score": 0.343, "X-CLIP Score": 0.257, "BLIP-BLEU": 0.151}
VIDEO_BENCH = (
    "action",
    "aesthetic_quality",
    "color",
    "object_class",
    "temporal_consistency",
    "video-text_consistency",
)


def made(score: np.ndarray, human: np.ndarray, name: str = "e") -> CorrelationTable:
    """A table of scores and ratings (briefs, systems)."""
    briefs, systems = score.shape
    brief, system = np.repeat(np.arange(briefs), systems), np.tile(np.arange(systems), briefs)
    return CorrelationTable(
        evaluator=np.full(score.size, name),
        case=np.array([f"{b}/{s}" for b, s in zip(brief, system, strict=True)]),
        brief=np.array([f"brief {b}" for b in brief]),
        system=np.array([f"system {s}" for s in system]),
        score=score.ravel(),
        human=human.ravel(),
    )


def joined(*tables: CorrelationTable) -> CorrelationTable:
    return CorrelationTable(
        *(np.concatenate(c) for c in zip(*(vars(t).values() for t in tables), strict=True))
    )


def test_pooled_within_and_between_are_scipys() -> None:
    rng = np.random.default_rng(0)
    human = rng.normal(size=(40, 4)) + np.arange(4)
    score = human + rng.normal(size=(40, 4))
    found = correlation(made(score, human), options=FAST).evaluators["e"]
    for name, theirs in (
        ("spearman", reference.spearmanr),
        ("pearson", reference.pearsonr),
        ("kendall", reference.kendalltau),
    ):
        pooled, within, between = (getattr(c, name) for c in (found.pooled, found.within, found.between))
        assert pooled.value == pytest.approx(theirs(score.ravel(), human.ravel())[0])
        each = [theirs(score[:, k], human[:, k])[0] for k in range(4)]
        assert [getattr(s, name).value for s in found.systems.values()] == pytest.approx(each)
        assert within.value == pytest.approx(np.mean(each))
        assert between.value == pytest.approx(theirs(score.mean(axis=0), human.mean(axis=0))[0])
        assert pooled.low < pooled.value < pooled.high
        assert (pooled.n, within.n, between.n) == (160, 160, 4)


def test_systems_of_few_cases_say_that_they_are_few() -> None:
    """Three films of each of two systems, all scored: it is their number that is wanting, not a score."""
    rng = np.random.default_rng(3)
    found = correlation(made(rng.normal(size=(3, 2)), rng.normal(size=(3, 2))), options=FAST).evaluators["e"]
    assert found.within.spearman.reason == "no system has 4 cases with a score and a rating"
    assert (found.within.spearman.n, found.within.spearman.n_asked) == (6, 6)
    assert found.between.spearman.reason == "2 systems are too few (3)"
    assert {s.spearman.reason for s in found.systems.values()} == {"3 cases are too few (4)"}
    same = correlation(made(np.ones((9, 2)), rng.normal(size=(9, 2))), options=FAST).evaluators["e"]
    assert (
        same.pooled.spearman.reason == same.within.spearman.reason == "all scores or all ratings are the same"
    )


def test_a_system_is_asked_about_its_own_cases() -> None:
    rng = np.random.default_rng(4)
    score = rng.normal(size=(12, 3))
    score[0, 1] = np.nan
    found = correlation(made(score, rng.normal(size=(12, 3))), options=FAST).evaluators["e"]
    asked = {name: (s.pearson.n, s.pearson.n_asked) for name, s in found.systems.items()}
    assert asked == {"system 0": (12, 12), "system 1": (11, 12), "system 2": (12, 12)}
    assert (found.within.pearson.n, found.within.pearson.n_asked) == (35, 36)
    assert (found.between.pearson.n, found.between.pearson.n_asked) == (3, 3)


def test_pooled_mixes_systems_with_cases() -> None:
    """A score that knows only which system made a film: high pooled, none within."""
    rng = np.random.default_rng(1)
    human = rng.normal(size=(60, 5)) + 2 * np.arange(5)
    score = np.arange(5) + rng.normal(scale=0.1, size=(60, 5))
    found = correlation(made(score, human), options=FAST).evaluators["e"]
    assert found.pooled.spearman.low > 0.8
    assert found.within.spearman.low < 0 < found.within.spearman.high
    assert found.between.spearman.value == pytest.approx(1)


def test_intervals_hold_the_truth_and_keep_briefs_together() -> None:
    rng = np.random.default_rng(2)
    inside = 0
    for study in range(120):
        human = rng.normal(size=(50, 1))
        score = 0.6 * human + 0.8 * rng.normal(size=(50, 1))
        pearson = (
            correlation(made(score, human), options=replace(FAST, seed=study)).evaluators["e"].pooled.pearson
        )
        inside += pearson.low <= 0.6 <= pearson.high
    assert 0.89 <= inside / 120 <= 0.99
    human, score = human.repeat(4, axis=1), score.repeat(4, axis=1)
    copied = correlation(made(score, human), options=replace(FAST, seed=119)).evaluators["e"].pooled.pearson
    assert (copied.low, copied.high) == pytest.approx((pearson.low, pearson.high))  # copies tell nothing new


def test_differences_are_on_the_same_cases() -> None:
    rng = np.random.default_rng(3)
    human = rng.normal(size=(80, 2))
    good, part = human + rng.normal(size=(80, 2)), human + 3 * rng.normal(size=(80, 2))
    part[:5] = np.nan
    table = joined(made(good, human, "fused"), made(part, human, "part"), made(good * 2 + 1, human, "same"))
    result = correlation(table, options=FAST)
    of = {(d.first, d.second): d for d in result.differences}
    gain = of["fused", "part"].pooled.spearman
    known = ~np.isnan(part)
    theirs = [reference.spearmanr(x[known], human[known])[0] for x in (good, part)]
    assert gain.value == pytest.approx(theirs[0] - theirs[1])
    assert (gain.n, gain.n_asked) == (150, 160)
    assert gain.low > 0
    zero = of["fused", "same"].pooled.spearman
    assert (zero.value, zero.low, zero.high) == pytest.approx((0, 0, 0))
    assert result.evaluators["part"].pooled.spearman.n_asked == 160


def test_monotone_and_names() -> None:
    rng = np.random.default_rng(4)
    human, score = rng.normal(size=(2, 30, 3))
    plain = correlation(made(score, human), options=FAST).evaluators["e"]
    bent = correlation(made(np.exp(score), human), options=FAST).evaluators["e"]
    assert (bent.pooled.spearman, bent.within.kendall) == (plain.pooled.spearman, plain.within.kendall)
    table = made(score, human)
    mixed = rng.permutation(90)
    turned = CorrelationTable(**{k: v[mixed] for k, v in vars(table).items()})
    assert (
        correlation(turned, options=FAST).evaluators["e"].pooled.spearman.value == plain.pooled.spearman.value
    )


def test_what_cannot_be_correlated_has_a_reason() -> None:
    human = np.random.default_rng(5).normal(size=(20, 2))
    flat = correlation(made(np.full((20, 2), 0.5), human), options=FAST).evaluators["e"]
    assert flat.pooled.spearman.value is None
    assert flat.pooled.spearman.reason
    assert flat.between.spearman.value is None  # two systems
    nothing = correlation(made(np.full((20, 2), np.nan), human), options=FAST).evaluators["e"]
    assert (nothing.pooled.spearman.n, nothing.pooled.spearman.n_asked) == (0, 40)
    table = made(human, human)
    with pytest.raises(ValueError, match="twice"):
        correlation(replace(table, case=np.full(40, "c")), options=FAST)


def test_ceiling_is_what_the_truth_reaches() -> None:
    rng = np.random.default_rng(6)
    truth = rng.normal(size=400)
    given = np.clip(np.round(3 + truth[:, None] + rng.normal(size=(400, 3))), 1, 5)
    ratings = Ratings(
        case=np.repeat([f"c{i}" for i in range(400)], 3),
        rater=np.tile(["x", "y", "z"], 400),
        value=given.ravel(),
    )
    found = agreement(ratings, draws=200)
    assert found.method == "ICC(2,1), ICC(2,k), ICC(3,k)"
    assert found.single.low < found.single.value < found.mean.low
    assert found.ceiling == pytest.approx(np.corrcoef(truth, given.mean(axis=1))[0, 1], abs=0.03)
    assert 0 < found.nominal.value < found.ordinal.value
    assert (found.cases, found.raters, found.ratings) == (400, 3, 1200)
    with pytest.raises(ValueError, match="twice"):
        agreement(replace(ratings, rater=np.full(1200, "x")))


def test_scores_on_tvge(media: Path) -> None:
    folder = media / "6_human_ratings"
    human = json.loads((folder / "tvge_t2vscore_alignment_score.json").read_text())
    with (folder / "tvge_t2vscore_results.csv").open() as file:
        rows = list(csv.DictReader(file))
    table = joined(
        *(
            CorrelationTable(
                evaluator=np.full(len(rows), name),
                case=np.array([f"{r['video_id']} {r['model_name']}" for r in rows]),
                brief=np.array([r["video_id"] for r in rows]),
                system=np.array([r["model_name"] for r in rows]),
                score=np.array([float(r[name] or "nan") for r in rows]),
                human=np.array([human[r["video_id"]]["models"][r["model_name"]][0] for r in rows]),
            )
            for name in TVGE
        )
    )
    result = correlation(table, options=CorrelationOptions(draws=40))
    for name, rho in TVGE.items():
        pooled = result.evaluators[name].pooled
        assert pooled.spearman.n == 2543
        assert round(pooled.spearman.value, 3) == rho
        assert pooled.spearman.low < rho < pooled.spearman.high
        own = table.evaluator == name
        tau = reference.kendalltau(table.score[own], table.human[own])[0]
        assert pooled.kendall.value == pytest.approx(tau)
    best = next(d for d in result.differences if {d.first, d.second} == {"CLIP Score", "T2VScore-A (GPT-4V)"})
    assert best.pooled.spearman.high < 0


@pytest.mark.parametrize("dimension", VIDEO_BENCH)
def test_raters_of_video_bench(media: Path, dimension: str) -> None:
    """Each of four raters against the mean of the others is as good as reliability says (Spearman-Brown)."""
    read = json.loads((media / "6_human_ratings" / f"videobench_{dimension}.json").read_text())
    rows = [
        (str(i), system, given)
        for i, item in enumerate(read)
        for system, given in item["human_anno"].items()
        if len(given) == 4
    ]
    given = np.array([r[2] for r in rows], float)
    case = np.array([f"{b} {s}" for b, s, _ in rows])
    tables = [
        CorrelationTable(
            evaluator=np.full(len(rows), f"rater {k}"),
            case=case,
            brief=np.array([r[0] for r in rows]),
            system=np.array([r[1] for r in rows]),
            score=given[:, k],
            human=np.delete(given, k, axis=1).mean(axis=1),
        )
        for k in range(4)
    ]
    ratings = Ratings(np.repeat(case, 4), np.tile([f"rater {k}" for k in range(4)], len(rows)), given.ravel())
    result = correlation(joined(*tables), ratings, CorrelationOptions(draws=10, differences=False))
    agreed = result.agreement
    assert agreed is not None
    four = agreed.consistent_mean.value
    one = four / (4 - 3 * four)
    three = 3 * one / (1 + 2 * one)
    each = [e.pooled.pearson.value for e in result.evaluators.values()]
    assert np.mean(each) == pytest.approx(np.sqrt(one * three), abs=0.04)
    assert max(each) < agreed.ceiling
    assert agreed.ceiling**2 == pytest.approx(four)
