"""Tables of pairs of films: answers, spans pointed at, votes, as the studies want them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...core import cells
from ...core.case import is_control
from ...core.studies import CONTROL_MARK
from ...core.table import Table
from .case_tables import Facts
from .filter import VoteTable
from .localisation import LocalisationTable
from .pairwise import AB, BA, NO_ORDER, TIE, UNANSWERED, A, B, PairwiseTable, choices_of
from .rows import Reading
from .spans import Spans

MEANT = ("suffer", "spared")
CONTROL = ("control", *MEANT)
"""Columns that say whether nothing ought to suffer."""
CHOICES = {"a": A, "b": B, "tie": TIE}
ORDERS = {"ab": AB, "ba": BA}
CHOICE_HINT = "choice names the film, a the undamaged one and b the damaged one, not its place"
ORDER_HINT = "ab where the undamaged film was shown first, ba where last; empty where they have no order"


def pairwise_table(
    table: Table,
    pairs: Facts | None = None,
    joined: Sequence[str] = (),
    higher_is_better: Mapping[str, bool] | None = None,
) -> tuple[PairwiseTable, Reading]:
    """Columns ``pair, aspect, order, choice`` or ``pair, aspect, score_a, score_b``.

    ``source, duration, share_changed, kept, control, evaluator, status`` where there. Of an evaluator that
    was asked in an order, a question of the other order that is not in the table is put in as unanswered and
    counted.

    Raises:
        InputError: a column lacks, a cell cannot be what its column says, or rows contradict each other.
    """
    by_score = "choice" not in table.columns and {"score_a", "score_b"} & set(table.columns)
    answers = ("score_a", "score_b") if by_score else ("order", "choice")
    may = ("source", "duration", "share_changed", "kept", *CONTROL)
    reading = Reading(table, ("pair", "aspect", *answers), may, "pair", pairs, joined)
    pair, aspect, evaluator = reading.texts("pair"), reading.texts("aspect"), reading.evaluators()
    if by_score:
        order = dict.fromkeys(reading.rows, NO_ORDER)
        choice = _choices(reading, evaluator, higher_is_better or {})
    else:
        order = _orders(reading, evaluator)
        named = reading.words("choice", tuple(CHOICES), CHOICE_HINT)
        choice = {r: UNANSWERED if (c := named[r]) is None else CHOICES[c] for r in reading.rows}
    unscored = reading.unscored(choice)
    source = reading.maybe_texts("source")
    if not reading.has("source"):
        reading.notes.append("the table names no source: every pair counts as independent of the others")
    duration, share = _positive(reading, "duration"), _share(reading)
    kept, control = reading.values("kept", cells.truth), _control(reading)
    facts: dict[str, Mapping[int, Any]] = {
        "aspect": aspect,
        "source": source,
        "duration": duration,
        "share_changed": share,
        "kept": kept,
        "control": control,
    }
    reading.once(
        {r: (evaluator[r], pair[r], order[r]) for r in reading.rows},
        {r: (choice[r], r in unscored, *(c[r] for c in facts.values())) for r in reading.rows},
        "the answer to one question",
    )
    reading.agree(pair, facts, "pair")
    questions = [(r, order[r], math.nan if r in unscored else choice[r]) for r in reading.rows]
    questions += _not_asked(reading, evaluator, pair, order)
    rows = [r for r, _, _ in questions]
    yes = {None: math.nan, True: 1.0, False: 0.0}
    aspect = _apart(reading, aspect, control)
    return (
        PairwiseTable(
            evaluator=np.array([evaluator[r] for r in rows], dtype=np.str_),
            pair=np.array([pair[r] for r in rows], dtype=np.str_),
            source=np.array([source[r] or pair[r] for r in rows], dtype=np.str_),
            aspect=np.array([aspect[r] for r in rows], dtype=np.str_),
            order=np.array([o for _, o, _ in questions], dtype=np.int8),
            choice=np.array([c for _, _, c in questions], dtype=np.float64),
            duration=_array(duration, rows),
            share_changed=_array(share, rows),
            kept=_array({r: yes[kept[r]] for r in rows}, rows),
            control=_array({r: yes[control[r]] for r in rows}, rows),
        ),
        reading,
    )


def _control(reading: Reading) -> dict[int, bool | None]:
    """Whether nothing ought to suffer, as ``control`` says, else what a pair manifest says of that."""
    control = reading.values("control", cells.truth)
    suffer, spared = (reading.values(name, _names) for name in MEANT)
    return {
        r: is_control(bool(suffer[r]), bool(spared[r])) if control[r] is None else control[r]
        for r in reading.rows
    }


def _names(cell: Any) -> bool | None:
    """Whether a cell of ``suffer`` or ``spared`` names anything, ``None`` where not: a list, or a text."""
    return bool(cell if isinstance(cell, list) else (cells.text(cell) or "").strip("[] ")) or None


def _apart(reading: Reading, aspect: Mapping[int, str], control: Mapping[int, bool | None]) -> dict[int, str]:
    """The aspects, with another name for the controls of one that has damaged films too."""
    damaged = {aspect[r] for r in reading.rows if not control[r]}
    return {
        r: f"{aspect[r]} {CONTROL_MARK}" if control[r] and aspect[r] in damaged else aspect[r]
        for r in reading.rows
    }


def _array(column: Mapping[int, float], rows: Sequence[int]) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    """The column, or ``None`` where nothing is stated in it."""
    values = np.array([column[r] for r in rows], dtype=np.float64)
    return None if np.isnan(values).all() else values


def _choices(
    reading: Reading, evaluator: Mapping[int, str], higher_is_better: Mapping[str, bool]
) -> dict[int, float]:
    """Choices by two scores, of each evaluator in its own direction."""
    a, b = reading.scores("score_a"), reading.scores("score_b")
    rows = reading.rows
    better = np.array([higher_is_better.get(evaluator[r], True) for r in rows])
    first = np.array([a[r] for r in rows], dtype=np.float64)
    second = np.array([b[r] for r in rows], dtype=np.float64)
    chosen = np.where(better, choices_of(first, second, True), choices_of(first, second, False))
    return dict(zip(rows, chosen.tolist(), strict=True))


def _orders(reading: Reading, evaluator: Mapping[int, str]) -> dict[int, int]:
    """Orders of the questions; of an evaluator that has an order somewhere, rows without one are left out."""
    named = reading.words("order", tuple(ORDERS), ORDER_HINT)
    ordered = {evaluator[r] for r in reading.rows if named[r] is not None}
    reading.keep(
        "no_order",
        "answers without an order, of an evaluator that was asked in an order; left out",
        lambda r: named[r] is not None or evaluator[r] not in ordered,
    )
    return {r: NO_ORDER if (o := named[r]) is None else ORDERS[o] for r in reading.rows}


def _not_asked(
    reading: Reading, evaluator: Mapping[int, str], pair: Mapping[int, str], order: Mapping[int, int]
) -> list[tuple[int, int, float]]:
    """Questions of the other order that are not in the table: a row of the pair, the order, NaN."""
    asked = {(evaluator[r], pair[r], order[r]) for r in reading.rows}
    out = []
    for row in reading.rows:
        other = {AB: BA, BA: AB}.get(order[row])
        if other is not None and (evaluator[row], pair[row], other) not in asked:
            what = "pairs asked in one order only; the question of the other order counts as unanswered"
            reading.count("missing_order", what, f"{pair[row]} of {evaluator[row]}")
            out.append((row, other, UNANSWERED))
    return out


def _positive(reading: Reading, name: str) -> dict[int, float]:
    """A column of lengths above 0; NaN where not stated."""
    column = reading.scores(name)
    for row in reading.rows:
        if column[row] <= 0:
            reading.fail(f"{name} is {column[row]:g}, not above 0", row)
    return column


def _share(reading: Reading) -> dict[int, float]:
    column = reading.scores("share_changed")
    for row in reading.rows:
        if not math.isnan(column[row]) and not 0 <= column[row] <= 1:
            reading.fail(f"share_changed is {column[row]:g}, not a share from 0 to 1", row)
    return column


def spans(cell: Any) -> tuple[tuple[float, float], ...] | None:
    """Spans from JSON: ``[[start, end], ...]`` or ``[{"start": s, "end": e}, ...]``; ``None`` where empty.

    Raises:
        ValueError: it is something else, or a span ends before it starts.
    """
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        return None
    try:
        found = json.loads(cell) if isinstance(cell, str) else cell
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, (list, tuple)):
        raise ValueError(f"is {cells.short(cell)}, not a list of spans as [[1.5, 3.0]]")
    return tuple(_span(item) for item in found)


def _span(item: Any) -> tuple[float, float]:
    ends = (item.get("start"), item.get("end")) if isinstance(item, dict) else item
    if not isinstance(ends, (list, tuple)) or len(ends) != 2:
        raise ValueError(f"has {cells.short(item)} for a span, not a start and an end")
    start, end = (cells.number(x) for x in ends)
    if start is None or end is None or not (math.isfinite(start) and math.isfinite(end)):
        raise ValueError(f"has {cells.short(item)} for a span, not two finite times")
    if not 0 <= start <= end:
        raise ValueError(f"has a span from {start:g} to {end:g} s")
    return start, end


def localisation_table(
    table: Table, pairs: Facts | None = None, joined: Sequence[str] = ()
) -> tuple[LocalisationTable, Reading]:
    """Columns ``pair, aspect, changed, found, control_found, minutes``, spans as JSON.

    ``source, strength, control, evaluator, status`` where there. An empty ``found`` was not scored; ``[]``
    found nothing. ``control_found`` without ``minutes`` says nothing of how often, so it is counted and not
    used; nor is ``found`` where nothing ought to suffer (``control``).

    Raises:
        InputError: a column lacks, a cell cannot be what its column says, or rows contradict each other.
    """
    needs = ("pair", "aspect", "changed", "found", "control_found", "minutes")
    reading = Reading(table, needs, ("source", "strength", *CONTROL), "pair", pairs, joined)
    pair, aspect, evaluator = reading.texts("pair"), reading.texts("aspect"), reading.evaluators()
    changed, found = reading.values("changed", spans), reading.values("found", spans)
    control, minutes = reading.values("control_found", spans), _positive(reading, "minutes")
    unscored = reading.unscored(found)
    source, strength = reading.maybe_texts("source"), reading.scores("strength")
    unharmed = _control(reading)
    if not reading.has("source"):
        reading.notes.append("the table names no source: every pair counts as independent of the others")
    for row in reading.rows:
        if changed[row] is None and unharmed[row]:
            changed[row] = ()
        elif changed[row] is None:
            reading.fail("changed is empty", row, hint="a study of where needs to know what was changed")
        searched = control[row] is not None or (unharmed[row] and found[row] is not None)
        if searched and math.isnan(minutes[row]) and row not in unscored:
            what = "spans on a control of unknown length, not used"
            reading.count("no_minutes", what, table.where(row))
            control[row] = None
            found[row] = None if unharmed[row] else found[row]
    facts: dict[str, Mapping[int, Any]] = {
        "changed": changed,
        "source": source,
        "aspect": aspect,
        "strength": strength,
        "control": unharmed,
    }
    reading.once(
        {r: (evaluator[r], pair[r]) for r in reading.rows},
        {
            r: (found[r], control[r], minutes[r], r in unscored, *(c[r] for c in facts.values()))
            for r in reading.rows
        },
        "what was found in one pair",
    )
    reading.agree(pair, facts, "pair")
    rows, aspect = reading.rows, _apart(reading, aspect, unharmed)

    def column(values: Mapping[int, Any], kept: bool = True) -> list[Spans | None]:
        return [
            None
            if (v := values[r]) is None or (kept and r in unscored)
            else np.array(v, float).reshape(-1, 2)
            for r in rows
        ]

    return (
        LocalisationTable(
            evaluator=np.array([evaluator[r] for r in rows], dtype=np.str_),
            pair=np.array([pair[r] for r in rows], dtype=np.str_),
            source=np.array([source[r] or pair[r] for r in rows], dtype=np.str_),
            aspect=np.array([aspect[r] for r in rows], dtype=np.str_),
            strength=np.array([strength[r] for r in rows], dtype=np.float64),
            changed=[found for found in column(changed, kept=False) if found is not None],
            found=column(found),
            control_found=column(control),
            minutes=np.array([minutes[r] for r in rows], dtype=np.float64),
            control=np.array([bool(unharmed[r]) for r in rows], dtype=np.bool_),
        ),
        reading,
    )


def vote_tables(table: Table) -> tuple[dict[str, VoteTable], Reading]:
    """Columns ``pair, aspect, rater, vote``: the votes by ``evaluator`` (whoever was asked), one by default.

    Raises:
        InputError: a column lacks, a vote is no A, B or C, or a rater contradicts itself.
    """
    reading = Reading(table, ("pair", "aspect", "rater", "vote"))
    pair, aspect, rater = reading.texts("pair"), reading.texts("aspect"), reading.texts("rater")
    hint = "A: all chosen clips visibly damaged, B: some, C: the damage failed"
    vote, asked = reading.words("vote", ("A", "B", "C"), hint), reading.evaluators()
    unscored = reading.unscored(vote)
    reading.once(
        {r: (asked[r], pair[r], rater[r]) for r in reading.rows},
        {r: (vote[r], r in unscored, aspect[r]) for r in reading.rows},
        "the vote of one rater",
    )
    reading.agree(pair, {"aspect": aspect}, "pair")
    reading.keep(
        "no_vote", "rows without a vote, left out", lambda r: vote[r] is not None and r not in unscored
    )
    tables = {}
    for name in dict.fromkeys(asked[r] for r in reading.rows):
        rows = [r for r in reading.rows if asked[r] == name]
        tables[name] = VoteTable(
            pair=np.array([pair[r] for r in rows], dtype=np.str_),
            aspect=np.array([aspect[r] for r in rows], dtype=np.str_),
            rater=np.array([rater[r] for r in rows], dtype=np.str_),
            vote=np.array([vote[r] for r in rows], dtype=np.str_),
        )
    return tables, reading
