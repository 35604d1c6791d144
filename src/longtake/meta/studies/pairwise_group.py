"""The figures of all evaluators on one group of pairs (an aspect, or all), from one set of resamples."""

from __future__ import annotations

from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...core.interval import Interval, missing
from ...core.studies import (
    BeforeAfter,
    DurationBin,
    DurationFigures,
    PairwiseDifference,
    PairwiseFigures,
    Slope,
)
from ...stats.bootstrap import Resampled, by_cluster
from ...stats.intervals import PAPER_Z, p_of_z, paper_half_width, wilson
from ...stats.paired import sign_test
from ...stats.regression import PARTS, one_step_slopes
from .answers import TIE, A, Answers, B, PairwiseOptions
from .figures import Floats, Plan, Ratios, figures
from .marks import Marks, Timed

SIGN = 1e-9
"""A sum of differences as small as this has no sign."""


class Group:
    """``figures`` by number of evaluator, and ``differences`` between evaluators."""

    def __init__(
        self, answers: Answers, rows: NDArray[np.int64], aspect: str | None, options: PairwiseOptions
    ) -> None:
        self._answers, self._rows, self._options = answers, rows, options
        sources, cluster = np.unique(answers.source[rows], return_inverse=True)
        self._cluster = np.asarray(cluster, np.int64)
        self._ratios = Ratios(self._cluster, len(sources))
        self._n: list[int] = []
        self._asked: list[int] = []
        self._slopes: list[int] = []
        self._no_slope: dict[int, str] = {}
        self._plan = Plan(options.level, options.draws, options.seed)
        self._marks = {
            e: Marks.of(answers.choice[e, rows], answers.asked[e, rows], options.ties)
            for e in range(len(answers.evaluators))
            if answers.asked[e, rows].any()
        }
        self._timed = {e: Timed.of(answers, rows, m) for e, m in self._marks.items()}
        places = {e: self._add(e, m) for e, m in self._marks.items()}
        pairs = self._pairs() if options.differences else []
        at = {pair: self._add_difference(*pair) for pair in pairs}
        found = self._resampled(aspect or "all aspects")
        shares = np.ones(len(self._n), bool)
        shares[list(at.values())] = False
        shares[len(self._ratios) :] = False
        used = (self._ratios.sums()[1] > 0).sum(axis=0)
        used = np.concatenate([used, np.full(len(self._slopes), len(sources))])
        self._found = found
        self._intervals = figures(
            found, self._plan, np.array(self._n), np.array(self._asked), shares=shares, used=used
        )
        self.figures = {e: self._figures(e, m, places[e]) for e, m in self._marks.items()}
        self.differences = [self._difference(*pair, aspect, self._intervals[i]) for pair, i in at.items()]

    # Columns

    def _column(self, top: Floats, bottom: NDArray[np.generic], n: int, asked: int) -> int:
        self._n.append(n)
        self._asked.append(asked)
        return self._ratios.add(top, np.asarray(bottom, np.float64))

    def _add(self, e: int, marks: Marks) -> dict[str, int]:
        """Columns of one evaluator, by name."""
        asked, answered = marks.asked, marks.answered
        right, counts = marks.right.sum(axis=1), marks.counts.sum(axis=1)
        n, n_asked = int(counts.sum()), int(asked.sum())
        ties = (marks.choice == TIE).sum(axis=1).astype(np.float64)
        out = {
            "accuracy": self._column(right, counts, n, n_asked),
            "ties": self._column(ties, answered.sum(axis=1), int(answered.sum()), n_asked),
        }
        if self._answers.ordered[e]:
            both, pairs = marks.both, int(asked.any(axis=1).sum())
            first = np.where(answered, np.abs(marks.choice - np.array([0, 1])), 0.0).sum(axis=1)
            for name, hit in (
                ("strict", (marks.choice == A).all(axis=1)),
                ("consistency", (marks.choice == A).all(axis=1) | (marks.choice == B).all(axis=1)),
            ):
                out[name] = self._column(hit.astype(np.float64), both, int(both.sum()), pairs)
            out["first_choice"] = self._column(first, answered.sum(axis=1), int(answered.sum()), n_asked)
        if self._answers.kept is not None:
            kept = self._answers.kept[self._rows] == 1
            out["kept"] = self._column(
                right * kept, counts * kept, int(counts[kept].sum()), int(asked[kept].sum())
            )
        self._add_bins(e, marks, out)
        return out

    def _add_bins(self, e: int, marks: Marks, out: dict[str, int]) -> None:
        timed = self._timed[e]
        for k, places in enumerate(timed.bins(self._options.bins) if timed else []):
            rows = timed.rows[places]  # type: ignore[union-attr]
            inside = np.zeros(len(self._rows))
            inside[rows] = 1
            right, counts = marks.right.sum(axis=1) * inside, marks.counts.sum(axis=1) * inside
            out[f"bin {k}"] = self._column(right, counts, int(counts.sum()), int(marks.asked[rows].sum()))

    def _pairs(self) -> list[tuple[int, int]]:
        return [
            (i, j)
            for i, j in combinations(self._marks, 2)
            if self._answers.evaluators[i] not in self._answers.baselines
            and self._answers.evaluators[j] not in self._answers.baselines
        ]

    def _add_difference(self, i: int, j: int) -> int:
        off = self._marks[i].accuracy() - self._marks[j].accuracy()
        both = ~np.isnan(off)
        asked = self._marks[i].asked.any(axis=1) & self._marks[j].asked.any(axis=1)
        return self._column(np.where(both, off, 0.0), both, int(both.sum()), int(asked.sum()))

    def _resampled(self, item: str) -> Resampled:
        """Quotients first, then the slopes of all evaluators that have one."""
        parts, fits = [], []
        for e, timed in self._timed.items():
            fit = timed.fit() if timed else "durations are not stated"
            if isinstance(fit, str) or timed is None:
                self._no_slope[e] = str(fit)
                continue
            self._slopes.append(e)
            self._n.append(int(timed.counts.sum()))
            self._asked.append(int(self._marks[e].asked.sum()))
            parts.append(by_cluster(fit.parts, self._cluster[timed.rows], self._ratios.clusters))
            fits.append(fit)
        count = len(self._ratios)
        sums = self._ratios.statistic(np.concatenate(parts, axis=1) if parts else None)

        def statistic(weights: Floats) -> Floats:
            all_sums = sums(weights)
            lines = [
                one_step_slopes(fit, all_sums[:, count + k * PARTS : count + (k + 1) * PARTS])[:, None]
                for k, fit in enumerate(fits)
            ]
            return np.concatenate([all_sums[:, :count], *lines], axis=1)

        return self._plan.resample(statistic, self._ratios.clusters, item)

    # Figures

    def _figures(self, e: int, marks: Marks, at: dict[str, int]) -> PairwiseFigures:
        accuracy = self._intervals[at["accuracy"]]
        n_asked = int(marks.asked.sum())
        unordered = missing("it is not asked in an order", n_asked=n_asked, level=self._options.level)
        better, worse = self._signs(np.where(marks.answered, marks.choice - TIE, 0.0).sum(axis=1))
        by_name = {k: self._intervals[i] for k, i in at.items()}
        return PairwiseFigures(
            pairs=int(marks.asked.any(axis=1).sum()),
            pairs_scored=int(marks.answered.any(axis=1).sum()),
            sources=len(np.unique(self._cluster[marks.answered.any(axis=1)])),
            accuracy=accuracy,
            paper=_paper(accuracy),
            wilson=_wilson(accuracy, self._options.level),
            ties=by_name["ties"],
            strict=by_name.get("strict", unordered),
            consistency=by_name.get("consistency", unordered),
            first_choice=by_name.get("first_choice", unordered),
            p=sign_test(better, worse) if marks.answered.any() else None,
            finding=self._finding(accuracy),
            duration=self._duration(e, by_name) if self._timed[e] else None,
            filtered=BeforeAfter(before=accuracy, after=by_name["kept"]) if "kept" in by_name else None,
        )

    def _signs(self, off: Floats) -> tuple[int, int]:
        """Sources whose sum is above and below 0."""
        sums = np.bincount(self._cluster, off, minlength=self._ratios.clusters)
        return int((sums > SIGN).sum()), int((sums < -SIGN).sum())

    def _finding(
        self, accuracy: Interval
    ) -> Literal["prefers the intact one", "prefers the damaged one"] | None:
        if accuracy.low is not None and accuracy.low > 0.5:
            return "prefers the intact one"
        # With ties counted as wrong, an evaluator that never chooses would seem to prefer the damaged film.
        if accuracy.high is not None and accuracy.high < 0.5 and self._options.ties != "wrong":
            return "prefers the damaged one"
        return None

    def _duration(self, e: int, by_name: dict[str, Interval]) -> DurationFigures:
        timed = self._timed[e]
        assert timed is not None
        bins = [
            DurationBin(
                pairs=len(places),
                mean_duration=float(timed.duration[places].mean()),
                accuracy=by_name[f"bin {k}"],
            )
            for k, places in enumerate(timed.bins(self._options.bins))
        ]
        p, slope = None, None
        if e in self._slopes:
            column = len(self._ratios) + self._slopes.index(e)
            slope = self._intervals[column]
            spread = float(self._found.standard_error()[column])
            if spread > 0 and slope.value is not None:
                p = p_of_z(slope.value / spread)
        else:
            n_asked = int(self._marks[e].asked.sum())
            slope = missing(self._no_slope[e], n_asked=n_asked, level=self._options.level)
        return DurationFigures(
            bins=bins,
            bins_reason=timed.no_bins(self._options.bins),
            rank=timed.rank_test(self._options.rank_bins),
            slope=Slope(slope=slope, p=p, controlled_for_share=timed.share is not None),
        )

    def _difference(self, i: int, j: int, aspect: str | None, interval: Interval) -> PairwiseDifference:
        off = self._marks[i].accuracy() - self._marks[j].accuracy()
        better, worse = self._signs(np.nan_to_num(off))
        return PairwiseDifference(
            first=self._answers.evaluators[i],
            second=self._answers.evaluators[j],
            aspect=aspect,
            difference=interval,
            first_better=better,
            second_better=worse,
            p=sign_test(better, worse) if interval.n else None,
        )


def no_figures(reason: str, level: float) -> PairwiseFigures:
    """The figures of one who was asked about no pair of a group."""
    none = missing(reason, n_asked=0, level=level)
    shares = ("accuracy", "paper", "wilson", "ties", "strict", "consistency", "first_choice")
    return PairwiseFigures(
        pairs=0, pairs_scored=0, sources=0, p=None, finding=None, **dict.fromkeys(shares, none)
    )


def _paper(accuracy: Interval) -> Interval:
    """The same share of as many answers, with the interval the paper prints."""
    if accuracy.value is None:
        return accuracy
    half = paper_half_width(accuracy.value, accuracy.n)
    ends = {"low": max(0.0, accuracy.value - half), "high": min(1.0, accuracy.value + half)}
    method = f"{PAPER_Z} sqrt(p (1 - p) / n), the answers taken for independent"
    return accuracy.model_copy(update={**ends, "level": 0.95, "method": method, "reason": None})


def _wilson(accuracy: Interval, level: float) -> Interval:
    if accuracy.value is None:
        return accuracy
    low, high = wilson(accuracy.value, accuracy.n, level)
    method = "Wilson, the answers taken for independent"
    return accuracy.model_copy(update={"low": low, "high": high, "method": method, "reason": None})
