"""The document of ``longtake score`` as the table of a study.

The folder that ``longtake score`` writes holds these tables ready, and with more in them: a document knows no
strengths, durations or changed spans, so those come from a table of pairs or of cases beside it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core.measurement import Evidence
from ...core.meta import Study
from ...core.scores import CaseResult, PairResult, ScoreDocument
from ...core.table import Row, Table
from ...errors import InputError

LENGTH = "cue.duration"
"""The evaluator whose score is the length of a film in seconds."""


def table_of(document: ScoreDocument, study: Study, source: str) -> Table:
    """The rows that a study reads, of what was scored.

    Raises:
        InputError: the document holds nothing for this study.
    """
    if study in ("pairwise", "localisation"):
        rows = list(_pairwise(document) if study == "pairwise" else _localisation(document))
    elif study == "filter":
        raise InputError(f"{source} holds scores, not votes", hint="give the table of the votes of people")
    else:
        rows = list(_scores(document))
    if not rows:
        asked = "pairs" if study in ("pairwise", "localisation") else "films"
        raise InputError(
            f"{source} holds no answers about {asked}", hint=f"longtake score a table of {asked}"
        )
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    return Table(source, "json", columns, rows, range(1, len(rows) + 1))


def _pairwise(document: ScoreDocument) -> Iterator[Row]:
    """Answers; an order only where an evaluator was asked in both, so may mind it."""
    pairs = {pair.pair: pair for pair in document.pairs}
    ordered = {p.evaluator for p in document.preferences if p.order == "ba"}
    for found in document.preferences:
        yield {
            "pair": found.pair,
            "evaluator": found.evaluator,
            "order": found.order if found.evaluator in ordered else None,
            "choice": found.choice,
            "status": found.status,
            "reason": found.reason,
            **_known(pairs[found.pair].model_dump() if found.pair in pairs else {}),
        }


def _known(pair: Row) -> Row:
    return {name: pair[name] for name in ("source", "aspect") if name in pair}


def _localisation(document: ScoreDocument) -> Iterator[Row]:
    """Spans pointed at in both films, of all answers of an evaluator to a pair."""
    pairs = {pair.pair: pair for pair in document.pairs}
    lengths = {r.case: _score(r)["score"] for r in document.results if r.evaluator == LENGTH}
    answers: dict[tuple[str, str], list[PairResult]] = {}
    for found in document.preferences:
        answers.setdefault((found.pair, found.evaluator), []).append(found)
    for (name, evaluator), given in answers.items():
        scored = all(a.status == "scored" for a in given)
        length = lengths.get(pairs[name].case_a) if name in pairs else None
        yield {
            "pair": name,
            "evaluator": evaluator,
            "found": _spans(e for a in given for e in a.evidence) if scored else None,
            "control_found": _spans(e for a in given for e in a.evidence_a) if scored else None,
            "minutes": None if length is None else length / 60,
            "status": "scored" if scored else "unscored",
            "reason": next((a.reason for a in given if a.reason), None),
            **_known(pairs[name].model_dump() if name in pairs else {}),
        }


def _spans(evidence: Iterator[Evidence]) -> list[list[float]]:
    return [list(span) for span in sorted({(e.start, e.end) for e in evidence})]


def _scores(document: ScoreDocument) -> Iterator[Row]:
    """Every measurement; those after an evaluator's first are variants of it, as ``diagnosis.visual``."""
    cases = {case.case: case for case in document.cases}
    for result in document.results:
        case = cases.get(result.case)
        for i in range(len(result.measurements)):
            yield {
                "case": result.case,
                **({} if case is None else {"brief": case.brief, "system": case.system}),
                **_score(result, i),
            }


def _score(result: CaseResult, index: int = 0) -> Row:
    """One measurement, turned so that higher is better where it has a direction."""
    if not result.measurements:
        return {"evaluator": result.evaluator, "score": None, "status": "unscored"}
    m = result.measurements[index]
    down = m.higher_is_better is False and m.value is not None
    return {
        "evaluator": f"{result.evaluator}.{m.name}" if index else result.evaluator,
        "score": -m.value if down and m.value is not None else m.value,
        "status": m.status,
        "reason": m.reason,
    }
