"""What a new version of a film mended or broke, result by result, from two finished diagnoses.

A figure is compared only where both versions gave it in the same way: by the same source, model, question
and brief. Where they did not, a difference would tell of the measuring and not of the film.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ..core.advice import Comparison, PointChange
from ..core.documents import CheckpointResult, DiagnosisDocument, ReportMetric, Score, SubmetricResult
from .likeness import Alike, came_and_gone, differences
from .repair import evidence_of
from .synthesis import GRADES

MENDED_FROM = GRADES[1][0]
"""From here a result is not weak: the least value of grade B."""
TOLERANCE = 0.05
"""A value that moves no further is the same: a fifth of a step of the five-level scale. Re-encoding alone
moved 63 of 65 values of the light rules no further on half A of the test media (12 clips and films), on which
this was looked at, and 63 of 67 on half B; the others, of rules that count single events or look for the
finest detail, moved by up to 1 on A and .55 on B (``benchmarks/against_tolerance.py``). So a single change of
a single checkpoint may be the encoder's."""
TINY = 1e-9
Change = Literal["mended", "better", "same", "worse", "broken", "appeared", "vanished", "not_comparable"]
Kind = Literal["checkpoint", "report_metric", "submetric", "dimension", "overall"]
Result = CheckpointResult | ReportMetric


def compare(new: DiagnosisDocument, old: DiagnosisDocument) -> Comparison:
    """Every result that either version has a value for, in the order of the new document, then what is gone.

    Sub-metrics, dimensions and the overall are compared only where they rest on the same results in both, and
    are the same where each of these is: what a judge's draws leave open does not add up to a change.
    """
    alike = Alike(new, old)
    points = [*_results(new, old, alike, "checkpoint"), *_results(new, old, alike, "report_metric")]
    changes = [*points, *_means(new, old, points)]
    name = old.video.path.rstrip("/\\").replace("\\", "/").rsplit("/", 1)[-1]
    return Comparison(
        old=f"{name} sha256:{old.video.hash[:12]}", differs=differences(new, old), changes=changes
    )


def change_of(old: float | None, new: float | None, spread: float = 0.0) -> Change:
    """What became of a value; ``spread`` is how far draws of a judge lie apart, where one gave it."""
    if old is None or new is None:
        return "same" if old is new else "vanished" if new is None else "appeared"
    if abs(new - old) <= max(TOLERANCE, spread) + TINY:
        return "same"
    if new > old:
        return "mended" if old < MENDED_FROM <= new else "better"
    return "broken" if new < MENDED_FROM <= old else "worse"


def _results(
    new: DiagnosisDocument, old: DiagnosisDocument, alike: Alike, kind: Literal["checkpoint", "report_metric"]
) -> Iterator[PointChange]:
    after, before = ({r.id: r for r in _of(document, kind)} for document in (new, old))
    for name in [*after, *(n for n in before if n not in after)]:
        was, now = before.get(name), after.get(name)
        if change := _result(kind, name, was, now, alike):
            yield change


def _of(document: DiagnosisDocument, kind: Kind) -> Sequence[Result]:
    return document.checkpoints if kind == "checkpoint" else document.report_metrics


def _result(
    kind: Kind, name: str, was: Result | None, now: Result | None, alike: Alike
) -> PointChange | None:
    old, new = (r.value if r else None for r in (was, now))
    if old is None and new is None:
        return None
    if was is None or now is None or old is None or new is None:
        gone_from = "old" if was is None else "new"
        missing = now if new is None else was
        reason = f"not in the {gone_from} rubric" if missing is None else missing.reason
        return PointChange(id=name, kind=kind, change=change_of(old, new), old=old, new=new, reason=reason)
    if reason := alike.why_not(was, now):
        return PointChange(id=name, kind=kind, change="not_comparable", old=old, new=new, reason=reason)
    judgements = [r.judgement for r in (was, now) if r.judgement and r.method == "judge"]
    spreads = [j.spread for j in judgements if j.spread is not None]
    change = change_of(old, new, max(spreads, default=0.0))
    said = None
    if change == "same" and abs(new - old) > TOLERANCE + TINY:
        said = f"within the spread of the judge's draws, {max(spreads):.2f}"
    elif change != "same" and len(spreads) < len(judgements):
        said = "a version was judged in a single draw: how far its draws lie apart is not known"
    gone, came = came_and_gone(evidence_of(was), evidence_of(now), alike.one_clock)
    return PointChange(
        id=name,
        kind=kind,
        change=change,
        old=old,
        new=new,
        reason=said,
        gone=gone,
        came=came,
    )


@dataclass(frozen=True)
class Mean:
    """A mean before and after, and the results beneath it.

    ``why`` says why one side has no value, ``weighed`` that the weights are a profile's.
    """

    id: str
    kind: Kind
    old: float | None
    new: float | None
    rests_on: frozenset[str]
    why: str | None = None
    weighed: bool = False


def _means(
    new: DiagnosisDocument, old: DiagnosisDocument, points: Sequence[PointChange]
) -> Iterator[PointChange]:
    unlike = {p.id for p in points if p.change in ("not_comparable", "appeared", "vanished")}
    moved = {p.id for p in points if p.change != "same"}
    same_eyes = new.profile.get("weights") == old.profile.get("weights") and (
        new.profile.get("constraints") == old.profile.get("constraints")
    )
    same_weights = _weights(new) == _weights(old)
    for mean in _pairs(new, old):
        if mean.old is None and mean.new is None:
            continue
        change, reason = change_of(mean.old, mean.new), mean.why
        if mean.old is not None and mean.new is not None:
            others = sorted(unlike & mean.rests_on)
            if mean.weighed and not same_eyes:
                reason = "another profile weighs it"
            elif not same_weights:
                reason = "another rubric weighs it"
            elif others:
                reason = f"does not rest on the same results: {', '.join(others)}"
            change = "not_comparable" if reason else "same" if not moved & mean.rests_on else change
        yield PointChange(
            id=mean.id,
            kind=mean.kind,
            change=change,
            old=mean.old,
            new=mean.new,
            reason=reason,
        )


def _weights(document: DiagnosisDocument) -> dict[str, tuple[str, float]]:
    return {p.id: (p.submetric, p.weight) for p in document.checkpoints}


def _pairs(new: DiagnosisDocument, old: DiagnosisDocument) -> Iterator[Mean]:
    """Sub-metrics, dimensions and the overall of both, with what is beneath them."""
    points = [*new.checkpoints, *old.checkpoints]
    results: list[Result] = [*points, *new.report_metrics, *old.report_metrics]
    before = {s.id: s for s in old.submetrics}
    for group in new.submetrics:
        beneath = frozenset(p.id for p in points if p.submetric == group.id)
        yield _mean(group.id, "submetric", before.get(group.id), group, beneath)
    for name, score in new.dimensions.items():
        beneath = frozenset(r.id for r in results if r.dimension == name)
        yield _mean(name, "dimension", old.dimensions.get(name), score, beneath)
    weights = new.profile.get("weights") or new.dimensions
    beneath = frozenset(r.id for r in results if r.dimension in weights)
    yield replace(_mean("overall", "overall", old.overall, new.overall, beneath), weighed=True)


def _mean(
    name: str,
    kind: Kind,
    was: Score | SubmetricResult | None,
    now: Score | SubmetricResult,
    beneath: frozenset[str],
) -> Mean:
    old = was.value if was else None
    unscored = now if now.value is None else was
    why = unscored.reason if unscored and unscored.value is None else None
    return Mean(name, kind, old, now.value, beneath, why)
