"""What studies make of foreign tables: what cannot be is refused with its place, what lacks is counted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from longtake.core.scores import PairResult, ScoreDocument, ScoredPair
from longtake.core.table import Table
from longtake.errors import InputError
from longtake.meta.studies.case_tables import correlation_table, ratings_table, sensitivity_table
from longtake.meta.studies.pair_tables import localisation_table, pairwise_table, spans, vote_tables
from longtake.meta.studies.pairwise import AB, BA
from longtake.meta.studies.rows import Reading, facts_by
from longtake.meta.studies.run import Asked, run
from longtake.meta.studies.scored import table_of


def table(*rows: dict[str, Any], columns: tuple[str, ...] | None = None) -> Table:
    names = columns or tuple(dict.fromkeys(name for row in rows for name in row))
    return Table("t.csv", "csv", names, list(rows), range(2, 2 + len(rows)))


def counted(reading: Reading) -> dict[str, int]:
    return {c.kind: c.rows for c in reading.table_facts(len(reading.rows)).counted}


def answer(pair: str, order: str | None, choice: str | None, **more: Any) -> dict[str, Any]:
    return {"pair": pair, "aspect": "color", "order": order, "choice": choice, **more}


def score(case: str, strength: Any, value: Any, **more: Any) -> dict[str, Any]:
    return {"case": case, "source": case, "family": "shuffle", "strength": strength, "score": value, **more}


def test_answers_become_numbers() -> None:
    columns, reading = pairwise_table(
        table(
            answer("p1", "ab", "a"),
            answer("p1", "BA", "tie"),
            answer("p2", "ab", "b"),
            answer("p2", "ba", None),
        )
    )
    assert columns.order.tolist() == [AB, BA, AB, BA]
    np.testing.assert_array_equal(columns.choice, [1, 0.5, 0, math.nan])
    assert columns.source.tolist() == ["p1", "p1", "p2", "p2"]
    assert columns.duration is None
    assert counted(reading) == {}
    assert any("no source" in note for note in reading.notes)


def test_a_missing_order_is_counted_as_unanswered() -> None:
    columns, reading = pairwise_table(
        table(answer("p1", "ab", "a"), answer("p2", "ab", "a"), answer("p2", "ba", "a"))
    )
    assert counted(reading) == {"missing_order": 1}
    at = (columns.pair == "p1") & (columns.order == BA)
    assert at.sum() == 1
    assert np.isnan(columns.choice[at]).all()


def test_an_answer_without_order_beside_ordered_ones_is_left_out() -> None:
    columns, reading = pairwise_table(
        table(answer("p1", "ab", "a"), answer("p1", "ba", "a"), answer("p2", None, "a"))
    )
    assert counted(reading) == {"no_order": 1}
    assert set(columns.pair.tolist()) == {"p1"}


def test_scores_choose_each_in_its_direction() -> None:
    rows = [
        {"evaluator": e, "pair": p, "aspect": "x", "score_a": a, "score_b": b}
        for e in ("up", "down")
        for p, a, b in (("p1", "2", "1"), ("p2", "1", "1"), ("p3", "nan", "1"), ("p4", None, "1"))
    ]
    columns, reading = pairwise_table(table(*rows), higher_is_better={"down": False})
    np.testing.assert_array_equal(columns.choice[:4], [1, 0.5, math.nan, math.nan])
    np.testing.assert_array_equal(columns.choice[4:], [0, 0.5, math.nan, math.nan])
    assert counted(reading) == {"not_finite_score_a": 2}


def test_doubled_rows_are_used_once_and_counted() -> None:
    columns, reading = pairwise_table(
        table(answer("p1", "ab", "a"), answer("p1", "ba", "a"), answer("p1", "ab", "a"))
    )
    assert len(columns.pair) == 2
    assert counted(reading) == {"doubled": 1}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([answer("p1", "ab", "a"), answer("p1", "ab", "b")], "line 2 and line 3: the answer to one question"),
        ([answer("p1", "ab", "first")], "line 2: choice is 'first', none of a, b, tie"),
        ([answer("p1", "aa", "a")], "line 2: order is 'aa'"),
        ([answer("p1", "ab", "a", status="ok")], "line 2: status is 'ok'"),
        ([answer("p1", "ab", None, status="scored")], "line 2: the status is scored, but"),
        ([answer(" ", "ab", "a")], "line 2: pair is empty"),
        (
            [answer("p1", "ab", "a", source="s1"), answer("p1", "ba", "a", source="s2")],
            "line 2 and line 3: source of one pair is not",
        ),
        ([answer("p1", "ab", "a", duration="0")], "line 2: duration is 0, not above 0"),
        ([answer("p1", "ab", "a", duration="long")], "line 2: duration is 'long', not a number"),
        ([answer("p1", "ab", "a", share_changed="1.5")], "line 2: share_changed is 1.5"),
        ([answer("p1", "ab", "a", kept="maybe")], "line 2: kept is 'maybe'"),
        ([answer("p1", "ab", "a"), {"pair": "p2", "aspect": ["x"], "order": "ab"}], "line 3: aspect is"),
    ],
)
def test_answers_that_cannot_be_are_refused_with_their_place(rows: list[dict[str, Any]], said: str) -> None:
    with pytest.raises(InputError) as caught:
        pairwise_table(table(*rows))
    assert said in caught.value.message


def test_a_column_that_lacks_is_named_with_one_that_comes_near() -> None:
    row = {"pair": "p1", "aspekt": "color", "order": "ab", "choice": "a"}
    with pytest.raises(InputError, match=r"lacks the column aspect \(is 'aspekt' meant\?\)"):
        pairwise_table(table(row))


def test_an_optional_column_that_comes_near_is_noted() -> None:
    _, reading = pairwise_table(table(answer("p1", None, "a", duraton=3, extra=1)))
    assert any("'duration'" in note for note in reading.notes)
    assert reading.table_facts(1).ignored == ["duraton", "extra"]


def test_a_table_without_rows_is_refused() -> None:
    with pytest.raises(InputError, match="no rows"):
        pairwise_table(table(columns=("pair", "aspect", "order", "choice")))


def test_status_decides_over_what_stands_beside_it() -> None:
    columns, reading = pairwise_table(
        table(
            answer("p1", None, "a", status="unscored"),
            answer("p2", None, None, status="unscored"),
            answer("p3", None, "b", status="scored"),
            answer("p4", None, None, status="not_applicable"),
        )
    )
    np.testing.assert_array_equal(columns.choice, [math.nan, math.nan, 0])
    assert counted(reading) == {"unscored_with_value": 1, "not_applicable": 1}


def test_a_pair_manifest_fills_in_and_unknown_pairs_are_counted() -> None:
    manifest = table({"pair": "p1", "source": "s", "aspect": "color", "duration": "12", "kept": "true"})
    rows = [{"pair": p, "order": o, "choice": "a"} for p in ("p1", "p9") for o in ("ab", "ba")]
    columns, reading = pairwise_table(table(*rows), facts_by(manifest, "pair"), ("pairs.csv",))
    assert columns.pair.tolist() == ["p1", "p1"]
    assert columns.source.tolist() == ["s", "s"]
    assert columns.duration is not None
    assert columns.kept is not None
    assert columns.duration.tolist() == [12, 12]
    assert columns.kept.tolist() == [1, 1]
    assert counted(reading) == {"unknown_pair": 2}


def test_a_pair_manifest_that_contradicts_is_refused() -> None:
    manifest = table({"pair": "p1", "aspect": "color"})
    row = {**answer("p1", None, "a"), "aspect": "style"}
    with pytest.raises(InputError, match=r"aspect is 'style', but 'color' in pairs\.csv"):
        pairwise_table(table(row), facts_by(manifest, "pair"), ("pairs.csv",))
    with pytest.raises(InputError, match="line 2 and line 3: this pair stands twice"):
        facts_by(table({"pair": "p", "aspect": "x"}, {"pair": "p", "aspect": "y"}), "pair")


def test_scores_that_are_not_finite_are_counted_and_not_used() -> None:
    columns, reading = sensitivity_table(
        table(score("c1", 0, "inf"), score("c1", 1, "NaN"), score("c1", 2, None), score("c1", 3, "0.5"))
    )
    np.testing.assert_array_equal(columns.score, [math.nan, math.nan, math.nan, 0.5])
    assert counted(reading) == {"not_finite_score": 2}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([score("c", "nan", 1)], "line 2: strength is nan"),
        ([score("c", None, 1)], "line 2: strength is empty"),
        ([score("c", "weak", 1)], "line 2: strength is 'weak'"),
        ([score("c", 1, "0,5")], "decimals are written with a point"),
        ([score("c", 1, 1), score("c", 1, 2)], "line 2 and line 3"),
        ([{**score("c", 1, 1), "family": None}], "line 2: family is empty"),
        ([score("c", 1, None, status="scored")], "line 2: the status is scored"),
    ],
)
def test_scores_that_cannot_be_are_refused(rows: list[dict[str, Any]], said: str) -> None:
    with pytest.raises(InputError) as caught:
        sensitivity_table(table(*rows))
    assert said in caught.value.message


def test_many_scores_that_are_not_finite_contradict_no_status() -> None:
    rows = [score(f"c{i}", 0, "nan", status="scored") for i in range(20)]
    _, reading = sensitivity_table(table(*rows))
    assert counted(reading) == {"not_finite_score": 20}


def test_a_control_without_family_stands_for_all_families_of_its_source() -> None:
    control = {**score("c0", 0, 0.9), "source": "s", "family": None}
    alone = {**score("d0", 0, 0.9), "source": "other", "family": None}
    rows = [{**score(f"c{f}", 1, 0.5), "source": "s", "family": f} for f in ("shuffle", "replace")]
    columns, reading = sensitivity_table(table(control, *rows, alone))
    at_zero = columns.strength == 0
    assert sorted(columns.family[at_zero].tolist()) == ["replace", "shuffle"]
    assert counted(reading) == {"control_alone": 1}


@pytest.mark.parametrize("cell", ['[[0, 1.5], {"start": 2, "end": 2}]', [[0, 1.5], {"start": 2, "end": 2}]])
def test_spans(cell: object) -> None:
    assert spans(cell) == ((0.0, 1.5), (2.0, 2.0))
    assert spans("[]") == ()
    assert spans(" ") is None


@pytest.mark.parametrize(
    "cell",
    ["1-2", "[1, 2]", "[[1]]", "[[2, 1]]", "[[-1, 1]]", "[[0, NaN]]", '{"start": 1}', "[[0, null]]", "[" * 9],
)
def test_what_is_no_span_is_refused(cell: str) -> None:
    row = {"pair": "p", "aspect": "x", "changed": cell, "found": "[]", "control_found": "[]", "minutes": 1}
    with pytest.raises(InputError, match="line 2: changed"):
        localisation_table(table(row))


def test_nothing_found_is_not_the_same_as_nothing_scored() -> None:
    def row(pair: str, found: Any, control: Any, minutes: Any, **more: Any) -> dict[str, Any]:
        facts = {"pair": pair, "aspect": "x", "changed": "[[1, 2]]", "found": found}
        return {**facts, "control_found": control, "minutes": minutes, **more}

    columns, reading = localisation_table(
        table(
            row("p1", "[]", "[[0, 1]]", "2.5", status=None),
            row("p2", None, None, None, status="unscored"),
            row("p3", "[[1, 2]]", "[]", None, status="scored"),
        )
    )
    found = [None if f is None else f.tolist() for f in columns.found]
    control = [None if f is None else f.tolist() for f in columns.control_found]
    assert found == [[], None, [[1.0, 2.0]]]
    assert control == [[[0.0, 1.0]], None, None]
    assert counted(reading) == {"no_minutes": 1}


def test_human_ratings_agree_over_evaluators() -> None:
    def row(evaluator: str, case: str, value: Any, human: Any) -> dict[str, Any]:
        return {
            "evaluator": evaluator,
            "case": case,
            "score": value,
            "human": human,
            "brief": "b",
            "system": "s",
        }

    columns, reading = correlation_table(
        table(row("m", "c1", 1, 3), row("n", "c1", 2, 3), row("m", "c2", 1, ""))
    )
    np.testing.assert_array_equal(columns.human, [3, 3, math.nan])
    assert counted(reading) == {}
    with pytest.raises(InputError, match="line 2 and line 3: human of one case is not"):
        correlation_table(table(row("m", "c1", 1, 3), row("n", "c1", 2, 4)))


def test_single_ratings_give_the_mean() -> None:
    ratings, reading = ratings_table(
        table(*({"case": "c1", "rater": f"r{i}", "rating": v} for i, v in enumerate(("1", "4", "", "inf"))))
    )
    assert ratings.value.tolist() == [1, 4]
    assert counted(reading) == {"not_finite_rating": 1, "no_rating": 2}
    columns, of_scores = correlation_table(
        table({"case": "c1", "score": 1}, {"case": "c2", "score": 1}), ratings=ratings
    )
    np.testing.assert_array_equal(columns.human, [2.5, math.nan])
    assert counted(of_scores) == {"no_rating": 1}


def vote(pair: str, rater: str, said: str | None) -> dict[str, Any]:
    return {"pair": pair, "aspect": "x", "rater": rater, "vote": said}


def test_votes() -> None:
    tables, reading = vote_tables(table(vote("p1", "r1", "a"), vote("p1", "r2", None), vote("p1", "r1", "A")))
    assert tables["score"].vote.tolist() == ["A"]
    assert counted(reading) == {"doubled": 1, "no_vote": 1}
    for rows, said in (
        ((vote("p1", "r1", "D"),), "line 2: vote is 'D', none of A, B, C"),
        ((vote("p1", "r1", "A"), vote("p1", "r1", "C")), "line 2 and line 3: the vote of one rater"),
    ):
        with pytest.raises(InputError) as caught:
            vote_tables(table(*rows))
        assert said in caught.value.message


def test_rows_that_contradict_are_named_with_what_they_say() -> None:
    with pytest.raises(InputError, match=r"line 2 and line 3: .* \(p1, color, ab: choice is 'a' and 'b'\)"):
        pairwise_table(table(answer("p1", "ab", "a"), answer("p1", "ab", "b")))
    with pytest.raises(InputError, match=r"aspect of one pair is not the same \(p1: aspect is 'x' and 'y'\)"):
        pairwise_table(
            table(answer("p1", "ab", "a") | {"aspect": "x"}, answer("p1", "ba", "b") | {"aspect": "y"})
        )


def test_rows_without_a_score_are_counted_apart_with_the_reasons_given() -> None:
    rows = [score("c1", 0, 1.0, reason=None), score("c1", 1, "nan", reason=None)]
    rows += [score(f"c{i}", 0, None, status="unscored", reason="no faces") for i in (2, 3)]
    rows += [score("c4", 0, None, status="unscored", reason="too short"), score("c5", 0, 0.4)]
    _, reading = sensitivity_table(table(*rows))
    facts = reading.table_facts(len(reading.rows))
    assert (facts.rows, facts.used, facts.valued) == (6, 6, 2)
    assert [(u.reason, u.rows) for u in facts.unscored["score"]] == [("no faces", 2), ("too short", 1)]


def test_films_that_lack_a_strength_are_counted_and_named() -> None:
    rows = [score(c, s, 1 - s) for c in ("c1", "c2") for s in (0, 0.4, 0.8)]
    rows[-1]["score"] = "nan"
    document = run("sensitivity", table(*rows), Asked(draws=200))
    (gone,) = (c for c in document.table.counted if c.kind == "incomplete")
    assert (gone.rows, gone.examples) == (1, ["c2 of shuffle (score)"])
    assert (document.table.used, document.table.valued) == (6, 5)


def test_a_study_of_a_document_knows_why_something_was_not_scored() -> None:
    answer_ = PairResult(
        pair="p", evaluator="e", order="ab", choice=None, status="unscored", reason="no speech was measured"
    )
    pair = ScoredPair(pair="p", source="s", aspect="color", case_a="a", case_b="b")
    document = ScoreDocument(results=[], preferences=[answer_], pairs=[pair])
    for study in ("pairwise", "localisation"):
        (row,) = table_of(document, study, "score.json").rows
        assert row["reason"] == "no speech was measured"


def test_rows_of_different_models_are_told_and_others_are_not() -> None:
    rows = [
        score("f1", 0, 1.0, evaluator="dsa", model="video-text=proxy:conse sha256:aa", proxy="yes"),
        score("f1", 1, 0.5, evaluator="dsa", model="video-text=clip:b sha256:bb", proxy=None),
        score("f1", 0, 1.0, evaluator="cue", model=None, proxy=None),
        score("f1", 1, 0.5, evaluator="cue", model=None, proxy=None),
    ]
    _, reading = sensitivity_table(table(*rows))
    told = [note for note in reading.notes if "different models" in note]
    assert told == [
        "rows of dsa were made with different models, and its figures mix them: "
        "video-text=proxy:conse sha256:aa, video-text=clip:b sha256:bb"
    ]
    stood_in = [note for note in reading.notes if "proxy, whose" in note]
    assert stood_in == [
        "ran on a proxy, whose figures are not those of the metric itself: "
        "dsa (video-text=proxy:conse sha256:aa)"
    ]
    assert not set(reading.ignored) & {"model", "proxy"}
    _, alike = sensitivity_table(table(*({**row, "model": "m"} for row in rows)))
    assert not [note for note in alike.notes if "different models" in note]
