"""Answers to pairs as arrays: what every evaluator chose of every pair, in both orders."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.seeds import seed_for
from ...core.studies import Ties
from .figures import Floats, equal_lengths, numbered

A, B, TIE, UNANSWERED = 1.0, 0.0, 0.5, np.nan
"""How ``PairwiseTable.choice`` writes the undamaged film, the damaged one, neither, and no answer."""
NO_ORDER, AB, BA = 0, 1, 2
"""How ``PairwiseTable.order`` writes a question without order (scores), a shown first, b shown first."""


@dataclass(frozen=True)
class PairwiseTable:
    """One row per question put to an evaluator. All columns have the same length.

    ``evaluator, pair, source, aspect`` are text; ``order`` and ``choice`` are written as above (see
    ``choices_of`` for two scores). ``duration`` (s), ``share_changed``, ``kept`` and ``control`` (1, 0) are
    NaN where not stated, or ``None`` as a whole. What is said of a pair is the same in all its rows. The
    pairs of an aspect are all controls (nothing ought to suffer), or none is.
    """

    evaluator: NDArray[np.str_]
    pair: NDArray[np.str_]
    source: NDArray[np.str_]
    aspect: NDArray[np.str_]
    order: NDArray[np.int8]
    choice: NDArray[np.float64]
    duration: NDArray[np.float64] | None = None
    share_changed: NDArray[np.float64] | None = None
    kept: NDArray[np.float64] | None = None
    control: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class PairwiseOptions:
    """``baselines`` are names of evaluators in the table to be marked as such, beside constant and random.

    ``differences`` may be switched off where only single figures are wanted.
    """

    ties: Ties = "half"
    baselines: frozenset[str] = frozenset()
    differences: bool = True
    bins: int = 4
    rank_bins: int = 50
    level: float = 0.95
    draws: int = 10_000
    seed: int = 0


@dataclass(frozen=True)
class Answers:
    """The table by evaluator (E), pair (P) and order (a first or no order, b first).

    ``choice`` (E, P, 2) is 1, 0, 0.5 or NaN, ``asked`` (E, P, 2) whether there was, or should have been, a
    question. ``pair, source, aspect`` (P,) are the pair's name and numbers of its source and aspect,
    ``control`` (P,) whether nothing ought to suffer.
    """

    evaluators: list[str]
    baselines: frozenset[str]
    ordered: NDArray[np.bool_]
    aspects: list[str]
    pair: list[str]
    source: NDArray[np.int64]
    aspect: NDArray[np.int64]
    duration: Floats | None
    share_changed: Floats | None
    kept: Floats | None
    control: NDArray[np.bool_]
    choice: Floats
    asked: NDArray[np.bool_]
    notes: list[str]

    @classmethod
    def of(cls, table: PairwiseTable, seed: int) -> Answers:
        """The table, checked, with the two baselines.

        Raises:
            ValueError: as in ``pairwise``.
        """
        equal_lengths(**vars(table))
        if not len(table.pair):
            raise ValueError("the table has no rows")
        names, who = numbered(table.evaluator)
        aspects, aspect = numbered(table.aspect)
        labels, label = numbered(table.pair)
        _, first, pair = np.unique(aspect * len(labels) + label, return_index=True, return_inverse=True)
        pair_names = [labels[i] for i in label[first]]
        for column in ("source", "duration", "share_changed", "kept", "control"):
            _same_in_all_rows(getattr(table, column), first, pair, column, pair_names)
        slot = (table.order == BA).astype(np.int64)
        cell = (who * len(first) + pair) * 2 + slot
        places, count = np.unique(cell, return_counts=True)
        if (count > 1).any():
            twice = int(places[count > 1][0])
            e, p = divmod(twice // 2, len(first))
            raise ValueError(f"{names[e]} has a question on pair {pair_names[p]} twice")
        choice = np.full((len(names), len(first), 2), np.nan)
        asked = np.zeros(choice.shape, bool)
        choice.reshape(-1)[cell] = table.choice
        asked.reshape(-1)[cell] = True
        ordered = np.bincount(who, table.order != NO_ORDER, minlength=len(names)) > 0
        notes = _notes(names, asked, ordered)
        asked[ordered] |= asked[ordered].any(axis=2, keepdims=True)
        baselines = {
            "constant": np.full(len(first), TIE),
            "random": np.array([float(seed_for(p, "random", seed) & 1) for p in pair_names]),
        }
        added = {k: v for k, v in baselines.items() if k not in names}
        notes += [
            f"the table has an evaluator {k!r}: its answers stand in the place of our baseline of that name"
            for k in baselines
            if k in names
        ]
        control = np.zeros(len(first), bool) if table.control is None else table.control[first] == 1
        if control.any():
            notes.append(
                f"{control.sum()} of {len(first)} pairs are controls, where nothing ought to suffer: they"
                " stand in no figure over all pairs"
            )
        for values in added.values():
            choice = np.concatenate([choice, np.stack([values, np.full(len(first), np.nan)], axis=1)[None]])
            asked = np.concatenate([asked, np.broadcast_to([True, False], (1, len(first), 2))])
        return cls(
            evaluators=[*names, *added],
            baselines=frozenset(added),
            ordered=np.concatenate([ordered, np.zeros(len(added), bool)]),
            aspects=aspects,
            pair=pair_names,
            source=numbered(table.source[first])[1],
            aspect=aspect[first],
            duration=_facts(table.duration, first),
            share_changed=_facts(table.share_changed, first),
            kept=_facts(table.kept, first),
            control=control,
            choice=choice,
            asked=asked,
            notes=notes,
        )


def _facts(column: Floats | None, first: NDArray[np.int64]) -> Floats | None:
    """One value per pair; ``None`` where no pair has one."""
    if column is None or np.isnan(column).all():
        return None
    return np.asarray(column[first], np.float64)


def _same_in_all_rows(
    column: NDArray[np.generic] | None,
    first: NDArray[np.int64],
    pair: NDArray[np.int64],
    name: str,
    names: list[str],
) -> None:
    if column is None:
        return
    own = column[first][pair]
    same = column == own
    if column.dtype.kind == "f":
        same |= np.isnan(column) & np.isnan(own)
    if not same.all():
        at = int(pair[np.flatnonzero(~same)[0]])
        raise ValueError(f"rows of pair {names[at]} contradict each other in {name}")


def _notes(names: list[str], asked: NDArray[np.bool_], ordered: NDArray[np.bool_]) -> list[str]:
    """Orders and pairs that are missing, in words."""
    notes = []
    for name, cells, both in zip(names, asked, ordered, strict=True):
        some, whole = int(cells.any(axis=1).sum()), int(cells.all(axis=1).sum())
        if some < len(cells):
            notes.append(f"{name} was not asked about {len(cells) - some} of {len(cells)} pairs")
        if both and whole < some:
            notes.append(f"{name} lacks one order of {some - whole} pairs: counted as unanswered")
    return notes
