"""The pairwise study: judges with known faults, hand counts, invariants, and people's own preferences."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats as reference

from longtake.core.studies import PairwiseFigures
from longtake.meta.studies.pairwise import (
    AB,
    BA,
    NO_ORDER,
    TIE,
    UNANSWERED,
    A,
    B,
    PairwiseOptions,
    PairwiseTable,
    choices_of,
    pairwise,
)

FAST = PairwiseOptions(draws=800)


def judged(
    choices: dict[str, np.ndarray], aspects: int = 1, per_source: int = 1, **facts: np.ndarray
) -> PairwiseTable:
    """A table of evaluators with choices (pairs,) or, in both orders, (pairs, 2)."""
    rows: list[tuple[str, int, int, float]] = []
    for name, values in choices.items():
        for pair, answer in enumerate(values):
            orders = [(NO_ORDER, answer)] if np.ndim(answer) == 0 else zip((AB, BA), answer, strict=True)
            rows += [(name, pair, order, float(a)) for order, a in orders]
    pair = np.array([r[1] for r in rows])
    return PairwiseTable(
        evaluator=np.array([r[0] for r in rows]),
        pair=np.array([f"p{i:04d}" for i in pair]),
        source=np.array([f"s{i // per_source:04d}" for i in pair]),
        aspect=np.array([f"aspect {i % aspects}" for i in pair]),
        order=np.array([r[2] for r in rows], np.int8),
        choice=np.array([r[3] for r in rows]),
        **{k: v[pair] for k, v in facts.items()},
    )


def overall(table: PairwiseTable, name: str, options: PairwiseOptions = FAST) -> PairwiseFigures:
    return pairwise(table, options).evaluators[name].overall


def test_a_first_choosing_judge_is_at_exactly_half_with_consistency_0() -> None:
    first = np.tile([A, B], (60, 1))  # a when a is first, b when b is
    figures = overall(judged({"first": first}), "first")
    assert figures.accuracy.value == 0.5
    # Every pair agrees on a half, which the bootstrap takes for certain: Wilson's over sources has a width.
    half = reference.binomtest(30, 60).proportion_ci(method="wilson")
    assert (figures.accuracy.low, figures.accuracy.high) == pytest.approx((half.low, half.high))
    assert figures.accuracy.n == figures.accuracy.n_asked == 120
    assert figures.consistency.value == 0
    assert figures.strict.value == 0
    assert figures.first_choice.value == 1
    # All pairs agree on 0: the bootstrap has no width, Wilson's over sources has.
    assert figures.consistency.high == pytest.approx(
        reference.binomtest(0, 60).proportion_ci(method="wilson").high
    )
    assert figures.finding is None
    assert figures.p == 1


def test_constant_and_random_are_at_chance_and_always_there() -> None:
    result = pairwise(judged({"right": np.full(400, A)}, aspects=2), FAST)
    constant, random = result.evaluators["constant"], result.evaluators["random"]
    assert constant.baseline
    assert random.baseline
    assert not result.evaluators["right"].baseline
    assert constant.overall.accuracy.value == 0.5
    assert constant.overall.ties.value == 1
    assert random.overall.accuracy.low is not None
    assert random.overall.accuracy.high is not None
    assert random.overall.accuracy.low < 0.5 < random.overall.accuracy.high
    assert set(constant.aspects) == {"aspect 0", "aspect 1"}
    assert constant.overall.finding is random.overall.finding is None
    marked = pairwise(judged({"right": np.full(9, A)}), replace(FAST, baselines=frozenset({"right"})))
    assert marked.evaluators["right"].baseline
    again = pairwise(judged({"other": np.full(400, B)}, aspects=2), FAST).evaluators["random"]
    assert again.overall.accuracy == random.overall.accuracy  # keyed by pair, whoever else is judged


def test_a_constant_score_is_a_tie_everywhere() -> None:
    same = choices_of(np.full(50, 0.7), np.full(50, 0.7))
    table = judged({"flat": same})
    for ties, value in (("half", 0.5), ("wrong", 0.0), ("exclude", None)):
        figures = overall(table, "flat", replace(FAST, ties=ties))
        assert figures.accuracy.value == value
        assert figures.ties.value == 1
        assert figures.finding is None
        assert figures.accuracy.n == (0 if ties == "exclude" else 50)
        if ties == "half":
            assert figures.accuracy.low < 0.5 < figures.accuracy.high
            assert figures.accuracy.method == "Wilson over 50 sources that all agree"


def test_choices_from_scores() -> None:
    a, b = np.array([1.0, 2, 3, np.nan, 1]), np.array([2.0, 2, 1, 1, np.nan])
    assert choices_of(a, b).tolist()[:3] == [B, TIE, A]
    assert choices_of(a, b, higher_is_better=False).tolist()[:3] == [A, TIE, B]
    assert np.isnan(choices_of(a, b)[3:]).all()


def test_counts_by_hand() -> None:
    # Pairs: both right, both wrong, right in AB only, right in BA only, tie and right, one unanswered.
    answers = np.array([[A, A], [B, B], [A, B], [B, A], [TIE, A], [UNANSWERED, A]])
    table = judged({"judge": answers})
    figures = overall(table, "judge")
    assert figures.accuracy.value == pytest.approx((2 + 0 + 1 + 1 + 1.5 + 1) / 11)
    assert (figures.accuracy.n, figures.accuracy.n_asked) == (11, 12)
    assert (figures.pairs, figures.pairs_scored, figures.sources) == (6, 6, 6)
    assert figures.ties.value == pytest.approx(1 / 11)
    assert figures.strict.value == pytest.approx(1 / 5)
    assert figures.consistency.value == pytest.approx(2 / 5)
    # First: A in AB and B in BA; a tie is half. AB: 1, 0, 1, 0, .5; BA: 0, 1, 1, 0, 0, 0.
    assert figures.first_choice.value == pytest.approx(4.5 / 11)
    wrong = overall(table, "judge", replace(FAST, ties="wrong"))
    assert wrong.accuracy.value == pytest.approx(6 / 11)
    left = overall(table, "judge", replace(FAST, ties="exclude"))
    assert (left.accuracy.value, left.accuracy.n) == (pytest.approx(6 / 10), 10)


def test_a_missing_order_is_counted_and_told() -> None:
    table = judged({"judge": np.tile([A, A], (20, 1))})
    keep = np.arange(40) != 7
    result = pairwise(PairwiseTable(**{k: v[keep] for k, v in vars(table).items() if v is not None}), FAST)
    figures = result.evaluators["judge"].overall
    assert (figures.accuracy.n, figures.accuracy.n_asked) == (39, 40)
    assert (figures.strict.n, figures.strict.n_asked) == (19, 20)
    assert any("lacks one order of 1 pairs" in note for note in result.notes)


def test_contradictions_are_refused() -> None:
    table = judged({"judge": np.full(6, A)})
    with pytest.raises(ValueError, match="twice"):
        pairwise(replace(table, pair=np.array(["p0", "p0", "p2", "p3", "p4", "p5"]), source=np.full(6, "s")))
    two = judged({"x": np.full(3, A), "y": np.full(3, A)})
    with pytest.raises(ValueError, match="contradict"):
        pairwise(replace(two, source=np.array(list("abcabd"))))
    with pytest.raises(ValueError, match="length"):
        pairwise(replace(table, choice=np.full(5, A)))


def test_to_prefer_the_original_of_a_mere_copy_is_not_to_be_right() -> None:
    choice = np.resize([A, A, B, A], 80)
    aspect = np.resize([0, 1], 80)
    table = judged({"judge": choice}, aspects=2)
    control = replace(table, control=aspect.astype(float))
    plain, told = pairwise(table, FAST).evaluators["judge"], pairwise(control, FAST).evaluators["judge"]
    assert (plain.overall.accuracy.value, plain.overall.accuracy.n, plain.controls) == (0.75, 80, [])
    # Of aspect 0 half are right; all of aspect 1 are, and it is of copies alone.
    assert (told.overall.accuracy.value, told.overall.accuracy.n, told.overall.pairs) == (0.5, 40, 40)
    assert told.controls == ["aspect 1"]
    assert told.aspects["aspect 1"].accuracy == plain.aspects["aspect 1"].accuracy
    assert told.aspects["aspect 1"].accuracy.value == 1
    assert "40 of 80 pairs are controls" in " ".join(pairwise(control, FAST).notes)
    two = judged({"judge": choice, "other": np.full(80, A)}, aspects=2)
    two = replace(two, control=np.tile(aspect, 2).astype(float))
    (over_all,) = (d for d in pairwise(two, FAST).differences if d.aspect is None)
    assert (over_all.difference.n, over_all.difference.value) == (40, -0.5)
    only = pairwise(replace(table, control=np.ones(80)), FAST).evaluators["judge"]
    assert (only.overall.accuracy.value, only.overall.pairs) == (None, 0)
    assert only.overall.accuracy.reason == "it was asked about controls only"
    assert only.aspects["aspect 1"].accuracy.n == 40


def test_below_chance_is_a_finding() -> None:
    rng = np.random.default_rng(0)
    table = judged({"inverted": (rng.random(200) < 0.3).astype(float)})
    figures = overall(table, "inverted")
    assert figures.finding == "prefers the damaged one"
    turned = overall(replace(table, choice=1 - table.choice), "inverted")
    assert turned.finding == "prefers the intact one"
    assert turned.accuracy.value == pytest.approx(1 - figures.accuracy.value)


def test_pairs_of_one_source_widen_the_interval() -> None:
    rng = np.random.default_rng(1)
    same = np.repeat((rng.random(50) < 0.7).astype(float), 6)  # a source's six pairs fall alike
    apart, together = (overall(judged({"e": same}, per_source=k), "e") for k in (1, 6))
    widths = [f.accuracy.high - f.accuracy.low for f in (apart, together)]
    assert apart.sources == 300
    assert together.sources == 50
    assert widths[1] / widths[0] == pytest.approx(np.sqrt(6), rel=0.2)
    assert together.paper == apart.paper
    assert together.p > apart.p


def test_differences_are_paired_and_corrected() -> None:
    rng = np.random.default_rng(2)
    hard = rng.random(300)
    good, worse = (hard < 0.8).astype(float), (hard < 0.7).astype(float)  # right wherever the worse is
    table = judged({"good": good, "same": good, "worse": worse}, aspects=2)
    result = pairwise(table, FAST)
    of_all = {(d.first, d.second): d for d in result.differences if d.aspect is None}
    assert set(of_all) == {("good", "same"), ("good", "worse"), ("same", "worse")}
    zero, gain = of_all["good", "same"], of_all["good", "worse"]
    assert (zero.difference.value, zero.difference.low, zero.difference.high, zero.p) == (0, 0, 0, 1)
    assert gain.difference.value == pytest.approx(good.mean() - worse.mean())
    assert gain.difference.low > 0
    alone = result.evaluators["good"].overall.accuracy
    assert gain.difference.high - gain.difference.low < alone.high - alone.low
    assert gain.p == pytest.approx(
        reference.binomtest(int(good.sum() - worse.sum()), int(good.sum() - worse.sum())).pvalue
    )
    assert gain.p_holm == pytest.approx(3 * gain.p)  # two tests tie for the smallest of three
    assert sum(d.aspect is not None for d in result.differences) == 6


def test_differences_take_the_pairs_both_answered() -> None:
    x, y = np.full(40, A), np.full(40, A)
    y[:10] = UNANSWERED
    x[:10] = B
    (difference,) = [d for d in pairwise(judged({"x": x, "y": y}), FAST).differences if d.aspect is None]
    assert difference.difference.value == 0
    assert (difference.difference.n, difference.difference.n_asked) == (30, 40)


def durations(n: int, seed: int, effect: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    duration = rng.lognormal(6, 1, n)
    p = 1 / (1 + np.exp(-(0.8 + effect * (np.log(duration) - 6))))
    return duration, (rng.random((n, 2)) < p[:, None]).astype(float)


def test_duration_bins_ranks_and_slope() -> None:
    duration, right = durations(402, 3, -0.8)
    figures = overall(judged({"judge": right}, duration=duration), "judge")
    found = figures.duration
    assert found is not None
    assert [b.pairs for b in found.bins] == [101, 101, 100, 100]
    order = np.argsort(duration)
    for part, told in zip(np.array_split(order, 4), found.bins, strict=True):
        assert told.mean_duration == pytest.approx(duration[part].mean())
        assert told.accuracy.value == pytest.approx(right[part].mean())
        assert told.accuracy.low < told.accuracy.value < told.accuracy.high
    fifty = [right[part].mean() for part in np.array_split(order, 50)]
    theirs = reference.spearmanr(np.arange(50), fifty)
    assert (found.rank.value, found.rank.p) == (pytest.approx(theirs[0]), pytest.approx(theirs[1]))
    slope = found.slope
    assert not slope.controlled_for_share
    assert slope.slope.low < -0.8 < slope.slope.high < 0
    assert slope.p < 0.001


def test_slope_is_freed_of_the_share_changed() -> None:
    """Answers depend on the dose alone, and longer films have a smaller one: the plain slope is misled."""
    rng = np.random.default_rng(4)
    duration = rng.lognormal(6, 0.8, 800)
    share = np.clip(40 / duration * rng.lognormal(0, 0.6, 800), 0, 1)
    right = (rng.random(800) < 1 / (1 + np.exp(-(-1 + 12 * share)))).astype(float)
    plain = overall(judged({"e": right}, duration=duration), "e").duration
    freed = overall(judged({"e": right}, duration=duration, share_changed=share), "e").duration
    assert plain.slope.slope.high < 0
    assert freed.slope.controlled_for_share
    assert freed.slope.slope.low < 0 < freed.slope.slope.high
    assert freed.slope.p > 0.05 > plain.slope.p


def test_few_pairs_or_no_durations_have_a_reason() -> None:
    duration, right = durations(99, 5, 0.0)
    found = overall(judged({"e": right}, duration=duration), "e").duration
    assert found.rank.value is None
    assert found.rank.reason == "99 pairs are too few for 50 bins (100)"
    assert overall(judged({"e": right}), "e").duration is None
    perfect = overall(judged({"e": np.ones(120)}, duration=np.arange(1.0, 121)), "e").duration
    assert perfect.slope.slope.value is None
    assert perfect.slope.slope.reason == "all answers are alike"
    assert perfect.rank.reason == "accuracy is the same in every bin"


def test_pairs_of_the_same_duration_are_not_parted_into_bins() -> None:
    """Two durations make no four bins: which pair of one length fell into which would be by its name."""
    rng = np.random.default_rng(8)
    two = np.repeat([60.0, 120.0], 60)
    found = overall(judged({"e": rng.integers(0, 2, 120) * 1.0}, duration=two), "e").duration
    assert (found.bins, found.bins_reason) == ([], "2 durations are too few for 4 bins")
    assert (found.rank.value, found.rank.reason) == (None, "2 durations are too few for 50 bins")
    assert found.slope.slope.value is not None


def test_a_table_with_a_constant_of_its_own_says_whose_it_is() -> None:
    notes = pairwise(judged({"constant": np.full(20, A)}), FAST).notes
    assert notes == [
        "the table has an evaluator 'constant': its answers stand in the place of our baseline of that name"
    ]


def test_before_and_after_the_filter() -> None:
    right = np.r_[np.full(30, A), np.full(30, B)]
    kept = np.r_[np.ones(30), np.zeros(20), np.full(10, np.nan)]
    result = pairwise(judged({"e": right}, kept=kept), FAST)
    assert result.filtered
    figures = result.evaluators["e"].overall
    assert (figures.filtered.before.value, figures.filtered.after.value) == (0.5, 1)
    assert (figures.filtered.after.n, figures.filtered.after.n_asked) == (30, 30)
    assert figures.filtered.after.low == pytest.approx(
        reference.binomtest(30, 30).proportion_ci(method="wilson").low
    )
    assert not pairwise(judged({"e": right}), FAST).filtered


def test_names_and_order_of_rows_do_not_matter() -> None:
    rng = np.random.default_rng(6)
    table = judged({"x": rng.integers(0, 2, (80, 2)).astype(float)}, aspects=3, per_source=2)
    whole = pairwise(table, FAST)
    mixed = rng.permutation(len(table.pair))
    turned = pairwise(PairwiseTable(**{k: v[mixed] for k, v in vars(table).items() if v is not None}), FAST)
    assert turned == whole
    renamed = replace(table, pair=np.char.add("q", table.pair), source=np.char.add("film ", table.source))
    assert pairwise(renamed, FAST).evaluators["x"] == whole.evaluators["x"]
    monotone = choices_of(np.exp(table.choice * 3), np.exp((1 - table.choice) * 3))
    assert pairwise(replace(table, choice=monotone), FAST) == whole


def test_holm_is_over_the_aspects() -> None:
    rng = np.random.default_rng(7)
    table = judged({"e": (rng.random(300) < 0.6).astype(float)}, aspects=3)
    aspects = pairwise(table, FAST).evaluators["e"].aspects
    raw = sorted(f.p for f in aspects.values())
    stepped = sorted(f.p_holm for f in aspects.values())
    assert stepped[0] == pytest.approx(min(1, 3 * raw[0]))
    assert stepped[2] >= raw[2]


def test_preferences_of_people_on_real_films(media: Path) -> None:
    """UVE-Bench: each pair's human preference as the choice, and an evaluator that reads them back."""
    read = json.loads((media / "6_human_ratings" / "uve_annotations.json").read_text())
    votes = {"A is better": A, "B is better": B}
    items = [(k, v) for k, v in read.items() if v["preference"] in votes]
    assert len(items) > 500
    human = np.array([votes[v["preference"]] for _, v in items])
    n = len(items)
    # Turned so that the preferred film is a: people are right everywhere, "A is always better" is not.
    table = PairwiseTable(
        evaluator=np.repeat(["people", "always A"], n),
        pair=np.tile([k for k, _ in items], 2),
        source=np.tile([v["video_a"] for _, v in items], 2),
        aspect=np.tile([v["aspect"] for _, v in items], 2),
        order=np.full(2 * n, NO_ORDER, np.int8),
        choice=np.r_[np.full(n, A), human],
    )
    result = pairwise(table, PairwiseOptions(draws=400, differences=False))
    assert result.evaluators["people"].overall.accuracy.value == 1
    got = result.evaluators["always A"]
    counted = Counter(v["aspect"] for _, v in items if v["preference"] == "A is better")
    total = Counter(v["aspect"] for _, v in items)
    for aspect, figures in got.aspects.items():
        assert figures.accuracy.value == pytest.approx(counted[aspect] / total[aspect])
        assert figures.accuracy.n == total[aspect]
    assert set(got.aspects) == set(total)
