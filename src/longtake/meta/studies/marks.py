"""One evaluator's answers on some pairs, marked by the policy for ties, and put against duration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.studies import RankTest, Ties
from ...stats.correlation import p_of_rho, spearman
from ...stats.regression import Logistic, logistic
from .answers import TIE, Answers
from .figures import Floats, few

PAIRS_PER_BIN = 2
"""Fewer pairs to a bin than these, and there is no rank test: 100 pairs for the paper's 50 bins."""


@dataclass(frozen=True)
class Marks:
    """One evaluator's answers on the group (pairs, 2): ``right`` (0, 0.5, 1) where ``counts``, else 0."""

    choice: Floats
    asked: NDArray[np.bool_]
    right: Floats
    counts: NDArray[np.bool_]

    @classmethod
    def of(cls, choice: Floats, asked: NDArray[np.bool_], ties: Ties) -> Marks:
        """Choices marked; see ``Ties``."""
        counts = ~np.isnan(choice)
        if ties == "exclude":
            counts = counts & (choice != TIE)
        right = np.where(counts, choice, 0.0)
        if ties == "wrong":
            right = np.where(right == TIE, 0.0, right)
        return cls(choice, asked, right, counts)

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Where there is an answer, (pairs, 2)."""
        return np.asarray(~np.isnan(self.choice))

    @property
    def both(self) -> NDArray[np.bool_]:
        """Pairs answered in both orders."""
        return np.asarray(self.answered.all(axis=1))

    def accuracy(self) -> Floats:
        """Mean mark of each pair (pairs,), NaN where none counts."""
        n = self.counts.sum(axis=1)
        return np.divide(self.right.sum(axis=1), n, out=np.full(len(n), np.nan), where=n > 0)


@dataclass(frozen=True)
class Timed:
    """The pairs with a mark and a duration, shortest first: ``rows`` in the group, ``duration`` in seconds.

    ``share`` is the share changed, ``None`` where it is not known of every such pair or does not vary.
    """

    rows: NDArray[np.int64]
    duration: Floats
    share: Floats | None
    right: Floats
    counts: Floats

    @classmethod
    def of(cls, answers: Answers, group: NDArray[np.int64], marks: Marks) -> Timed | None:
        """``None`` where durations are not stated. Equal durations stand in the order of the pairs' names."""
        if answers.duration is None:
            return None
        duration = answers.duration[group]
        usable = np.flatnonzero(np.isfinite(duration) & (duration > 0) & marks.counts.any(axis=1))
        names = np.array([answers.pair[i] for i in group[usable]], dtype=np.str_)
        rows = usable[np.lexsort((names, duration[usable]))]
        share = None if answers.share_changed is None else answers.share_changed[group][rows]
        if share is not None and (np.isnan(share).any() or not len(share) or share.min() == share.max()):
            share = None
        return cls(
            np.asarray(rows, np.int64),
            duration[rows],
            share,
            marks.right.sum(axis=1)[rows],
            marks.counts.sum(axis=1)[rows].astype(np.float64),
        )

    def bins(self, count: int) -> list[NDArray[np.int64]]:
        """Places in ``rows`` of bins whose sizes differ by one at most; none where ``no_bins`` says why."""
        whole = np.arange(len(self.rows))
        return [] if self.no_bins(count) else [np.asarray(b) for b in np.array_split(whole, count)]

    def no_bins(self, count: int) -> str | None:
        """Why pairs cannot be put into so many bins by duration: equal durations would be parted by name."""
        if len(self.rows) < count:
            return f"{few(len(self.rows), 'pairs')} for {count} bins"
        durations = len(np.unique(self.duration))
        return f"{few(durations, 'durations')} for {count} bins" if durations < count else None

    def rank_test(self, bins: int) -> RankTest:
        """Spearman's rho between the number of a bin and the accuracy in it."""
        n = len(self.rows)
        if n < PAIRS_PER_BIN * bins:
            reason = f"{n} pairs are too few for {bins} bins ({PAIRS_PER_BIN * bins})"
            return RankTest(bins=bins, n=n, value=None, p=None, reason=reason)
        if (few_durations := self.no_bins(bins)) is not None:
            return RankTest(bins=bins, n=n, value=None, p=None, reason=few_durations)
        accuracy = np.array([self.right[b].sum() / self.counts[b].sum() for b in self.bins(bins)])
        rho = spearman(np.arange(bins, dtype=np.float64), accuracy)
        if np.isnan(rho):
            return RankTest(bins=bins, n=n, value=None, p=None, reason="accuracy is the same in every bin")
        return RankTest(bins=bins, n=n, value=rho, p=p_of_rho(rho, bins))

    def fit(self) -> Logistic | str:
        """The logistic slope of a right answer on log duration, or why there is none."""
        if not len(self.rows):
            return "no pair has both a duration and an answer"
        return logistic(np.log(self.duration), self.share, self.right, self.counts)
