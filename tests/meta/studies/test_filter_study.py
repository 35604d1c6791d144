"""The human filter: the rule by hand, SLVMEval's table 3, and votes that do not fit."""

from __future__ import annotations

import numpy as np
import pytest

from longtake.meta.studies.filter import FilterOptions, VoteTable, human_filter

TABLE_3 = {
    "aesthetics": (446, 92, 72, 282, 63.2),  # printed as 63.3; 282 / 446 is 63.2
    "technical_quality": (446, 243, 72, 131, 29.4),
    "appearance_style": (446, 112, 22, 312, 70.0),
    "background_consistency": (446, 75, 17, 354, 79.4),
    "temporal_flow": (444, 115, 44, 285, 64.2),
    "comprehensiveness": (430, 83, 112, 235, 54.7),
}


def votes(of: dict[str, str], aspect: str = "color") -> VoteTable:
    """Votes by pair: ``{"p1": "AAB"}`` are three raters' votes."""
    rows = [(pair, f"r{k}", vote) for pair, given in of.items() for k, vote in enumerate(given)]
    pair, rater, vote = (np.array(c, dtype=np.str_) for c in zip(*rows, strict=True))
    return VoteTable(pair=pair, aspect=np.full(len(pair), aspect), rater=rater, vote=vote)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("AAAAA", True),
        ("AAABB", True),
        ("AABBB", False),
        ("AABB", False),
        ("AAAAC", False),
        ("C", False),
        ("A", True),
    ],
)
def test_keep_if_nobody_says_c_and_more_say_a_than_b(given: str, kept: bool) -> None:
    assert human_filter(votes({"p": given})).kept == (["p"] if kept else [])


def test_the_papers_table_3() -> None:
    rng = np.random.default_rng(0)
    parts = []
    for aspect, (_, failed, weak, kept, _) in TABLE_3.items():
        given = ["".join(rng.permutation([*"AAAA", "C"])) for _ in range(failed)]
        given += ["".join(rng.permutation(list("AABBB"))) for _ in range(weak)]
        given += ["".join(rng.permutation(list("AAABB"))) for _ in range(kept)]
        parts.append(votes({f"{aspect} {i}": g for i, g in enumerate(given)}, aspect))
    table = VoteTable(*(np.concatenate(c) for c in zip(*(vars(p).values() for p in parts), strict=True)))
    result = human_filter(table, FilterOptions(draws=50))
    for aspect, (initial, failed, weak, kept, percent) in TABLE_3.items():
        got = result.aspects[aspect]
        assert (got.initial, got.out_c, got.out_a_not_more, got.kept) == (initial, failed, weak, kept)
        assert round(got.percent, 1) == percent
        assert got.without_votes == 0
    assert result.overall.kept == len(result.kept) == sum(row[3] for row in TABLE_3.values())
    assert (result.votes, result.raters) == (5 * 2658, 5)


def test_pairs_without_votes_and_votes_without_pairs_are_counted() -> None:
    candidates = {"p1": "color", "p2": "color", "p3": "style"}
    result = human_filter(votes({"p1": "AAA", "typo": "AB"}), FilterOptions(candidates=candidates))
    assert (result.unknown, result.unknown_ids, result.votes) == (2, ["typo"], 3)
    assert result.kept == ["p1"]
    assert (result.aspects["color"].without_votes, result.aspects["style"].without_votes) == (1, 1)
    assert result.aspects["style"].percent == 0
    assert result.overall.initial == 3


def test_agreement_is_krippendorffs_nominal_alpha() -> None:
    # The two cases by hand in tests/stats: (A, A) and (A, B) have alpha 0.
    assert human_filter(votes({"p": "AA", "q": "AB"})).agreement.value == pytest.approx(0)
    assert human_filter(votes({"p": "A", "q": "B"})).agreement.reason == "no pair has two votes"
    alike = human_filter(votes({f"p{i}": "ABC"[i % 3] * 3 for i in range(12)}))
    assert alike.agreement.value == pytest.approx(1)


def test_bad_votes_are_refused() -> None:
    with pytest.raises(ValueError, match="'D'"):
        human_filter(votes({"p": "AD"}))
    table = votes({"p": "AB"})
    with pytest.raises(ValueError, match="twice"):
        human_filter(VoteTable(table.pair, table.aspect, np.array(["r", "r"]), table.vote))
    with pytest.raises(ValueError, match="aspects"):
        human_filter(VoteTable(table.pair, np.array(["color", "style"]), table.rater, table.vote))
