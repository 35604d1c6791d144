"""Which evaluators a study shows, in which order: those with figures, baselines last, the silent apart."""

from __future__ import annotations

from typing import TypeVar

from longtake.core.meta import DEFAULT_EVALUATOR, MetaDocument
from longtake.core.studies import (
    CONTROL_MARK,
    EvaluatorCorrelation,
    EvaluatorLocalisation,
    EvaluatorPairwise,
    EvaluatorSensitivity,
    FilterResult,
    is_baseline,
)

Found = EvaluatorSensitivity | EvaluatorPairwise | EvaluatorLocalisation | EvaluatorCorrelation | FilterResult
One = TypeVar("One", bound=Found)
ALL_VOTERS = "the voters"
"""What the people are called whose votes a table holds without saying whose they are."""


def baseline(name: str, found: Found) -> bool:
    """Whether it stands beside the others as a blind guess or a cue."""
    return bool(getattr(found, "baseline", False)) or is_baseline(name)


def silent(found: Found) -> bool:
    """Whether a study has no figure of it at all."""
    if isinstance(found, EvaluatorSensitivity):
        return not any(f.units for f in found.families.values())
    if isinstance(found, EvaluatorPairwise):
        return all(f.accuracy.value is None for f in (found.overall, *found.aspects.values()))
    if isinstance(found, EvaluatorLocalisation):
        on_controls = [found.aspects[a].figures.false_per_minute.value for a in found.controls]
        return found.overall.pointed.value is None and all(v is None for v in on_controls)
    return isinstance(found, EvaluatorCorrelation) and not found.pooled.spearman.n


def shown(document: MetaDocument, kind: type[One]) -> list[tuple[str, One]]:
    """Evaluators with figures, in the order of the document, baselines last."""
    there = [(n, e) for n, e in document.evaluators.items() if isinstance(e, kind) and not silent(e)]
    return sorted(there, key=lambda item: baseline(*item))


def judged(document: MetaDocument, kind: type[One]) -> list[tuple[str, One]]:
    """The same without baselines, unless the table has no other evaluators."""
    there = shown(document, kind)
    others = any(not baseline(n, e) for n, e in document.evaluators.items())
    return [(n, e) for n, e in there if not (others and baseline(n, e))]


def unheard(document: MetaDocument) -> list[str]:
    """Evaluators that a study has no figure of."""
    return [n for n, e in document.evaluators.items() if silent(e)]


def marked(aspect: str, found: EvaluatorPairwise | EvaluatorLocalisation) -> str:
    """An aspect's name, marked where nothing ought to suffer in it."""
    bare = aspect in found.controls and not aspect.endswith(CONTROL_MARK)
    return f"{aspect} {CONTROL_MARK}" if bare else aspect


def voters(name: str) -> str:
    """Whose votes these are, for people."""
    return ALL_VOTERS if name == DEFAULT_EVALUATOR else name
