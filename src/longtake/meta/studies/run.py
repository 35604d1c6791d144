"""One study from tables to its document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...core.meta import Counted, MetaDocument, Study
from ...core.studies import SensitivityResult, Ties, is_baseline
from ...core.table import Table
from ...errors import InputError
from .case_tables import correlation_table, ratings_table, sensitivity_table
from .correlation import CorrelationOptions, correlation
from .filter import FilterOptions, human_filter
from .localisation import LocalisationOptions, localisation
from .pair_tables import localisation_table, pairwise_table, vote_tables
from .pairwise import PairwiseOptions, pairwise
from .rows import EXAMPLES, Reading, facts_by
from .sensitivity import SensitivityOptions, sensitivity


@dataclass(frozen=True)
class Asked:
    """What a study is asked for. Directions are by evaluator; higher is better where none is named.

    ``lower_is_better`` and ``best`` (the best end of an evaluator's range) name evaluators of the table.
    """

    level: float = 0.95
    draws: int = 10_000
    seed: int = 0
    ties: Ties = "half"
    lower_is_better: frozenset[str] = frozenset()
    best: Mapping[str, float] = field(default_factory=dict)
    moment_s: float = 0.5
    differences: bool = True
    same_raters: bool = True

    def common(self) -> dict[str, Any]:
        """The options that every study has."""
        return {"level": self.level, "draws": self.draws, "seed": self.seed}


def run(
    study: Study,
    table: Table,
    asked: Asked = Asked(),
    *,
    facts: Table | None = None,
    ratings: Table | None = None,
) -> MetaDocument:
    """The study of a table. ``facts`` fill in what the table leaves empty: a table of pairs or of cases.

    Raises:
        InputError: the table is not one of this study; the message names the column or the rows.
    """
    return _STUDIES[study](table, asked, facts, ratings)


def _document(study: Study, reading: Reading, options: dict[str, Any], **parts: Any) -> MetaDocument:
    notes = [*reading.notes, *parts.pop("notes", [])]
    facts = reading.table_facts(len(reading.rows))
    facts = facts.model_copy(update={"counted": [*facts.counted, *parts.pop("counted", [])]})
    return MetaDocument(study=study, table=facts, options=options, notes=notes, **parts)


def _given(facts: Table | None, key: str) -> tuple[dict[str, dict[str, Any]] | None, tuple[str, ...]]:
    return (None, ()) if facts is None else (facts_by(facts, key), (facts.source,))


def _some(reading: Reading) -> None:
    if not reading.rows:
        left = "; ".join(f"{c.rows} {c.what}" for c in reading.table_facts(0).counted)
        raise InputError(f"{reading.table.source}: no row is left for the study", hint=left or None)


def _known(asked: Asked, names: set[str]) -> None:
    """Directions are of evaluators that are there."""
    for name in sorted({*asked.lower_is_better, *asked.best} - names):
        raise InputError(
            f"no evaluator of the table is named {name!r}", hint=f"it has {', '.join(sorted(names))}"
        )


def _sensitivity(table: Table, asked: Asked, facts: Table | None, _: Table | None) -> MetaDocument:
    columns, reading = sensitivity_table(table, *_given(facts, "case"))
    _some(reading)
    _known(asked, set(columns.evaluator.tolist()))
    own: dict[str, Any] = {
        "higher_is_better": dict.fromkeys(sorted(asked.lower_is_better), False),
        "best": dict(asked.best),
    }
    result = sensitivity(columns, SensitivityOptions(**own, **asked.common()))
    return _document(
        "sensitivity",
        reading,
        {**asked.common(), **own},
        evaluators=result.evaluators,
        notes=result.notes,
        counted=_incomplete(result),
    )


def _incomplete(result: SensitivityResult) -> list[Counted]:
    """What the study itself leaves out: films that lack a score at a strength of some damage."""
    partly = [
        (name, family, f)
        for name, found in result.evaluators.items()
        for family, f in found.families.items()
        if f.units and f.excluded
    ]
    if not partly:
        return []
    what = "films without a score at every strength of a damage, left out of it at all strengths"
    examples = [f"{unit} of {family} ({name})" for name, family, f in partly for unit in f.left_out]
    rows = sum(f.excluded for _, _, f in partly)
    return [Counted(kind="incomplete", what=what, rows=rows, examples=examples[:EXAMPLES])]


def _pairwise(table: Table, asked: Asked, facts: Table | None, _: Table | None) -> MetaDocument:
    directions = dict.fromkeys(sorted(asked.lower_is_better), False)
    columns, reading = pairwise_table(table, *_given(facts, "pair"), directions)
    _some(reading)
    names = set(columns.evaluator.tolist())
    _known(asked, names)
    cues = frozenset(name for name in names if is_baseline(name))
    own: dict[str, Any] = {"ties": asked.ties, "differences": asked.differences}
    result = pairwise(columns, PairwiseOptions(**own, baselines=cues, **asked.common()))
    return _document(
        "pairwise",
        reading,
        {**asked.common(), **own, "higher_is_better": directions},
        evaluators=result.evaluators,
        differences=result.differences,
        filtered=result.filtered,
        notes=result.notes,
    )


def _localisation(table: Table, asked: Asked, facts: Table | None, _: Table | None) -> MetaDocument:
    columns, reading = localisation_table(table, *_given(facts, "pair"))
    _some(reading)
    own: dict[str, Any] = {"moment_s": asked.moment_s}
    result = localisation(columns, LocalisationOptions(**own, **asked.common()))
    return _document(
        "localisation", reading, {**asked.common(), **own}, evaluators=result.evaluators, notes=result.notes
    )


def _correlation(table: Table, asked: Asked, facts: Table | None, ratings: Table | None) -> MetaDocument:
    single, notes = None, []
    if ratings is not None:
        single, of_ratings = ratings_table(ratings, asked.same_raters)
        notes = [f"{ratings.source}: {c.rows} {c.what}" for c in of_ratings.table_facts(0).counted]
    columns, reading = correlation_table(table, *_given(facts, "case"), single)
    _some(reading)
    own: dict[str, Any] = {"differences": asked.differences}
    result = correlation(columns, single, CorrelationOptions(**own, **asked.common()))
    return _document(
        "correlation",
        reading,
        {**asked.common(), **own, "same_raters": asked.same_raters},
        evaluators=result.evaluators,
        differences=result.differences,
        agreement=result.agreement,
        notes=[*notes, *result.notes],
    )


def _filter(table: Table, asked: Asked, facts: Table | None, _: Table | None) -> MetaDocument:
    votes, reading = vote_tables(table)
    _some(reading)
    candidates = None
    if facts is not None:
        of_pairs = Reading(
            facts, ("pair", "aspect"), [n for n in facts.columns if n not in ("pair", "aspect")]
        )
        pair, aspect = of_pairs.texts("pair"), of_pairs.texts("aspect")
        of_pairs.once(pair, aspect, "a pair")
        candidates = {pair[r]: aspect[r] for r in of_pairs.rows}
        reading.joined = (facts.source,)
    results = {
        name: human_filter(rows, FilterOptions(candidates=candidates, **asked.common()))
        for name, rows in votes.items()
    }
    if candidates is not None:
        known = candidates
        pairs = reading.texts("pair")
        what = f"votes on a pair that is not in {reading.joined[0]}, left out"
        reading.keep("unknown_pair", what, lambda row: pairs[row] in known)
    return _document("filter", reading, asked.common(), evaluators=results)


_STUDIES = {
    "sensitivity": _sensitivity,
    "pairwise": _pairwise,
    "localisation": _localisation,
    "correlation": _correlation,
    "filter": _filter,
}
