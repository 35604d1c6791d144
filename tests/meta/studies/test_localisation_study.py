"""The localisation study by hand: pointed at, overlap, false spans, moments, clusters."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from longtake.meta.studies.blind import touched_by_chance
from longtake.meta.studies.localisation import (
    LocalisationOptions,
    LocalisationTable,
    localisation,
)
from longtake.meta.studies.spans import intersection_over_union, length, merged, touching

FAST = LocalisationOptions(draws=500)


def spans(*pairs: tuple[float, float]) -> np.ndarray:
    return np.array(pairs, float).reshape(-1, 2)


def table(rows: list[tuple[str, str, float, np.ndarray, np.ndarray | None, np.ndarray | None, float]]):
    """Rows of (evaluator, aspect, strength, changed, found, found on the control, minutes)."""
    evaluator, aspect, strength, changed, found, control, minutes = zip(*rows, strict=True)
    place = [evaluator[:i].count(e) for i, e in enumerate(evaluator)]
    return LocalisationTable(
        evaluator=np.array(evaluator),
        pair=np.array([f"p{i}" for i in place]),
        source=np.array([f"s{i}" for i in place]),
        aspect=np.array(aspect),
        strength=np.array(strength, float),
        changed=changed,
        found=found,
        control_found=control,
        minutes=np.array(minutes, float),
    )


def test_spans_by_hand() -> None:
    assert merged(spans((5, 6), (0, 2), (1, 3), (3, 4))).tolist() == [[0, 4], [5, 6]]
    assert length(spans((0, 2), (1, 3))) == 3
    assert intersection_over_union(spans((0, 10)), spans((5, 15))) == pytest.approx(5 / 15)
    assert intersection_over_union(spans((0, 10)), spans((0, 10))) == 1
    assert intersection_over_union(spans((0, 10)), spans()) == 0
    assert math.isnan(intersection_over_union(spans(), spans()))


def test_touching() -> None:
    changed = spans((10, 20), (30, 30))
    found = spans((20, 25), (19.9, 25), (15, 15), (29.6, 29.6), (30.6, 31), (0, 100))
    expected = [[False, True, True, False, False, True], [False, False, False, True, False, True]]
    assert touching(changed, found, 0.5).tolist() == expected
    assert touching(changed, spans(), 0.5).shape == (2, 0)


def test_counts_by_hand() -> None:
    rows = [
        ("e", "color", 1.0, spans((0, 10), (20, 30)), spans((5, 15)), spans(), 2.0),
        ("e", "color", 2.0, spans((0, 10)), spans((0, 10), (50, 60)), spans((3, 9)), 3.0),
        ("e", "temporal_flow", math.nan, spans((0, 4)), None, None, 5.0),
    ]
    figures = localisation(table(rows), FAST).evaluators["e"]
    color = figures.aspects["color"].figures
    assert color.pointed.value == pytest.approx(2 / 3)
    assert (color.pointed.n, color.pointed.n_asked) == (3, 3)
    # 5 of 25 s and 10 of 20 s.
    assert color.overlap.value == pytest.approx((5 / 25 + 10 / 20) / 2)
    assert color.hits.value == pytest.approx(2 / 3)
    assert color.false_per_minute.value == pytest.approx(1 / 5)
    assert color.false_per_five_minutes.value == pytest.approx(1)
    assert color.false_share.value == pytest.approx(6 / 300)
    assert [(s.strength, s.figures.pointed.value) for s in figures.aspects["color"].strengths] == [
        (1.0, 0.5),
        (2.0, 1.0),
    ]
    # The whole film, of the two pairs that were scored: 20 of 120 s and 10 of 180 s.
    assert color.overlap_whole.value == pytest.approx((20 / 120 + 10 / 180) / 2)
    assert figures.overall.overlap_whole.n == 2
    silent = figures.aspects["temporal_flow"].figures
    assert silent.pointed.value is None
    assert (silent.pointed.n, silent.pointed.n_asked) == (0, 1)
    assert (silent.control_minutes, silent.false_per_minute.value) == (0, None)
    assert figures.aspects["temporal_flow"].strengths == []
    assert (figures.overall.pointed.n, figures.overall.pointed.n_asked) == (3, 4)


def test_what_is_found_on_a_mere_copy_is_false_and_what_is_not_found_is_no_miss() -> None:
    rows = [
        ("e", "color", 1.0, spans((0, 10)), spans((5, 15)), spans(), 2.0),
        ("e", "reencoded", 1.0, spans((0, 10), (20, 30)), spans(), spans(), 2.0),
        ("e", "reencoded", 1.0, spans((0, 10)), spans((3, 9), (50, 51)), spans((3, 9)), 3.0),
        ("e", "reencoded", 1.0, spans((0, 10)), None, None, 3.0),
    ]
    plain = table(rows)
    told = replace(plain, control=np.array([False, True, True, True]))
    before, result = localisation(plain, FAST).evaluators["e"], localisation(told, FAST)
    after = result.evaluators["e"]
    assert (before.overall.pointed.value, before.overall.pointed.n) == (0.5, 4)
    assert (after.overall.pointed.value, after.overall.pointed.n, after.overall.pointed.n_asked) == (1, 1, 1)
    assert (after.overall.overlap.n, after.overall.overlap.n_asked) == (1, 1)
    assert after.overall.overlap.value == pytest.approx(5 / 15)
    assert after.overall.hits.n == 1
    # Three false spans in 2 + (2 + 2) + (3 + 3) minutes, 13 s of them; the last pair was not scored.
    assert after.overall.control_minutes == 12
    assert after.overall.false_per_minute.value == pytest.approx(3 / 12)
    assert after.overall.false_share.value == pytest.approx(13 / 720)
    assert (after.overall.false_per_minute.n, after.overall.false_per_minute.n_asked) == (3, 4)
    copies = after.aspects["reencoded"].figures
    assert (copies.pointed.value, copies.pointed.n_asked) == (None, 0)
    assert copies.pointed.reason == "nothing ought to suffer on controls"
    assert copies.false_per_minute.value == pytest.approx(3 / 10)
    assert after.controls == ["reencoded"]
    assert "3 of 4 pairs are controls" in " ".join(result.notes)
    whole = result.evaluators["whole-film"]
    assert (whole.overall.pointed.value, whole.overall.pointed.n) == (1, 1)
    assert whole.aspects["reencoded"].figures.false_share.value == 1


def test_who_else_is_in_the_table_changes_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(3)
    starts = {e: draw.uniform(0, 50, 24) for e in ("one", "two", "few")}
    rows = [
        (e, "ab"[i % 2], float(i % 3), spans((20, 30)), spans((s, s + 9)), spans(), 1.0)
        for e, values in starts.items()
        for i, s in enumerate(values[: 11 if e == "few" else None])
    ]
    found = localisation(table(rows), FAST).evaluators
    for e in starts:
        assert localisation(table([r for r in rows if r[0] == e]), FAST).evaluators[e] == found[e]
    assert found["one"].overall.pointed.low != found["two"].overall.pointed.low
    monkeypatch.setattr("longtake.meta.studies.localisation.AT_ONCE", 1)
    assert localisation(table(rows), FAST).evaluators == found


def test_pointing_at_everything_is_seen_in_overlap_and_on_the_control() -> None:
    everything, nothing = spans((0, 120)), spans()
    rows = [("blanket", "color", 1.0, spans((10, 20)), everything, everything, 2.0)] * 20
    rows += [("silent", "color", 1.0, spans((10, 20)), nothing, nothing, 2.0)] * 20
    found = localisation(table(rows), FAST).evaluators
    blanket, silent = found["blanket"].overall, found["silent"].overall
    assert blanket.pointed.value == 1
    assert blanket.overlap.value == pytest.approx(10 / 120)
    assert (blanket.false_share.value, blanket.false_per_five_minutes.value) == (1, 2.5)
    assert (silent.pointed.value, silent.overlap.value, silent.hits.value) == (0, 0, None)
    # None in 40 minutes: the exact bound of a Poisson count of 0, not a width of 0.
    assert silent.false_per_minute.high == pytest.approx(-math.log(0.025) / 40)
    assert silent.false_per_five_minutes.high == pytest.approx(-math.log(0.025) / 8)
    assert silent.pointed.high > 0.1


def test_chance_is_what_spans_put_anywhere_touch() -> None:
    # One of 10 s on 100 s starts in 0 to 90; it touches [50, 60] from 40 to 60: 20 of 90.
    assert touched_by_chance(spans((50, 60)), spans((0, 10)), 100, 0.5) == pytest.approx(20 / 90)
    # At the film's beginning there is no room before it, and a second span has a chance of its own.
    assert touched_by_chance(spans((0, 10)), spans((0, 10)), 100, 0.5) == pytest.approx(10 / 90)
    both = 1 - (1 - 20 / 90) ** 2
    assert touched_by_chance(spans((50, 60)), spans((0, 10), (80, 90)), 100, 0.5) == pytest.approx(both)
    assert touched_by_chance(spans((50, 60), (70, 70)), spans((0, 100)), 100, 0.5) == 2
    assert touched_by_chance(spans((50, 60)), spans(), 100, 0.5) == 0
    assert math.isnan(touched_by_chance(spans((50, 60)), spans((0, 10)), math.nan, 0.5))


def test_chance_is_what_a_simulation_counts() -> None:
    rng = np.random.default_rng(2)
    changed, found, seconds = spans((3, 5), (20, 20), (50, 58)), spans((1, 5), (7, 7), (30, 52)), 60.0
    long = found[:, 1] - found[:, 0]
    hits = []
    for _ in range(4000):
        start = rng.uniform(0, seconds - long)
        put = np.stack([start, start + long], axis=1)
        hits.append(touching(changed, put, 0.5).any(axis=1).sum())
    error = np.std(hits) / math.sqrt(len(hits))
    assert touched_by_chance(changed, found, seconds, 0.5) == pytest.approx(np.mean(hits), abs=4 * error)


def test_right_by_accident_is_not_above_chance_and_pointing_is() -> None:
    """Long spans anywhere touch most changes of films of two minutes, and mean nothing."""
    rng = np.random.default_rng(6)
    rows = []
    for name in ("anywhere", "pointing"):
        for _ in range(30):
            at = rng.uniform(0, 110)
            changed = spans((at, at + 10))
            start = rng.uniform(0, 60)
            found = spans((start, start + 60)) if name == "anywhere" else spans((at + 1, at + 8))
            rows.append((name, "color", 1.0, changed, found, spans(), 2.0))
    found = localisation(table(rows), FAST).evaluators
    accident, pointing = found["anywhere"].overall, found["pointing"].overall
    assert accident.pointed.value > 0.5
    assert accident.above_chance.low < 0 < accident.above_chance.high
    assert pointing.pointed.value == 1
    assert pointing.chance.value < 0.2
    assert pointing.above_chance.low > 0.8


def test_the_whole_film_always_stands_beside() -> None:
    rows = [("e", "color", 1.0, spans((10, 20), (30, 40)), spans((10, 20)), spans(), 2.0)] * 9
    found = localisation(table(rows), FAST).evaluators
    assert [(n, e.baseline) for n, e in found.items()] == [("e", False), ("whole-film", True)]
    whole = found["whole-film"].aspects["color"].figures
    assert (whole.pointed.value, whole.pointed.n) == (1, 18)
    assert whole.overlap.value == pytest.approx(20 / 120)
    assert whole.false_per_five_minutes.value == pytest.approx(2.5)
    assert found["e"].overall.overlap_whole.value == whole.overlap.value
    assert (whole.pairs_both, found["e"].overall.pairs_both) == (9, 0)


def test_films_of_unknown_length_have_no_chance() -> None:
    rows = [("e", "color", 1.0, spans((10, 20)), spans((10, 20)), None, math.nan)] * 9
    result = localisation(table(rows), FAST)
    figures = result.evaluators["e"].overall
    assert figures.pointed.value == 1
    assert (figures.chance.value, figures.chance.reason) == (None, "the length of the films is not known")
    assert list(result.evaluators) == ["e"]
    assert "no film's length is known" in result.notes[0]


def test_a_removed_part_is_a_moment_without_overlap() -> None:
    rows = [("e", "comprehensiveness", 1.0, spans((30, 30)), spans((29, 29.8)), spans(), 1.0)]
    figures = localisation(table(rows), FAST).evaluators["e"].overall
    assert figures.pointed.value == 1
    assert figures.overlap.value is None
    strict = localisation(table(rows), LocalisationOptions(draws=10, moment_s=0.1)).evaluators["e"].overall
    assert strict.pointed.value == 0


def test_bad_tables_are_refused() -> None:
    good = ("e", "color", 1.0, spans((0, 1)), spans(), spans(), 1.0)
    for bad in (
        (*good[:3], spans((2, 1)), *good[4:]),
        (*good[:4], spans((2, 1)), *good[5:]),
        (*good[:6], 0.0),
        (*good[:6], math.nan),
    ):
        with pytest.raises(ValueError):
            localisation(table([bad]), FAST)
    twice = table([good, good])
    with pytest.raises(ValueError, match="twice"):
        localisation(LocalisationTable(**{**vars(twice), "pair": np.array(["p", "p"])}), FAST)
