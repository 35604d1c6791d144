"""A summary in a judge's words, of which only what the results bear is kept."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Literal

from pydantic import Field

from ..core.advice import Claim, Removed, Written
from ..core.documents import CheckpointResult, DiagnosisDocument, ReportMetric
from ..core.judge import Asker, Material, Question, Verdict
from ..core.model import Record
from .claims import Claims
from .directive import quoted, span_said
from .repair import evidence_of

ID: Literal["written_summary"] = "written_summary"
MOST_SENTENCES = 12
LONGEST_SENTENCE = 500
MOST_SPANS = 4
"""Spans of a result that the judge is shown; the check knows all."""
MOST_TOKENS = 1600
"""Twelve sentences of some forty words with their ids, twice over."""
TRAITS = ("title", "expertise", "style", "taste")
"""What of a profile shapes words."""


class Sentence(Record):
    """One sentence and the ids of the results that it rests on."""

    text: str = Field(min_length=1, max_length=LONGEST_SENTENCE)
    checkpoints: list[str]


class Summary(Record):
    """What a judge has to reply."""

    id: Literal["written_summary"]
    sentences: list[Sentence] = Field(min_length=1, max_length=MOST_SENTENCES)


def written_question(document: DiagnosisDocument) -> Question:
    """The question: every scored result, weakest first, and whose eyes read it."""
    text = (files(__package__) / "data" / "prompts" / "written.txt").read_text("utf-8").strip()
    reader = {k: document.profile[k] for k in TRAITS if document.profile.get(k)}
    reader["weighs"] = document.profile.get("weights", {})
    return Question(
        id=ID,
        text=f'{text}\n8. The field "id" of your reply is "{ID}".',
        answer=Summary,
        materials=(
            Material("results", "\n".join(map(_told, _scored(document)))),
            Material("reader", json.dumps(reader, ensure_ascii=False)),
        ),
        most_tokens=MOST_TOKENS,
    )


def written_summary(document: DiagnosisDocument, asker: Asker) -> Written:
    """Ask a judge for the summary of a finished diagnosis, and keep what can be kept of it.

    Nothing is asked where nothing is scored. A judge that gives no answer leaves the summary unscored.
    """
    if not _scored(document):
        return Written(status="unscored", reason="nothing is scored that could be summed up")
    (verdict,) = asker.ask([written_question(document)])
    return written_from(document, verdict)


def written_from(document: DiagnosisDocument, verdict: Verdict) -> Written:
    """What is kept of a reply, and what is taken out and why."""
    if verdict.status != "answered" or verdict.value is None:
        reason = verdict.reason or verdict.status.replace("_", " ")
        return Written(status="unscored", reason=reason, model=verdict.model)
    claims: list[Claim] = []
    removed: list[Removed] = []
    check = Claims(document)
    for sentence in Summary.model_validate(verdict.value).sentences:
        names = list(dict.fromkeys(sentence.checkpoints))
        if why := check.fault(sentence.text, names):
            removed.append(Removed(text=sentence.text, why=why))
        else:
            claims.append(Claim(text=sentence.text, checkpoints=names))
    return Written(
        status="scored" if claims else "unscored",
        reason=None if claims else "no sentence of the reply is borne by the results",
        claims=claims,
        removed=removed,
        model=verdict.model,
    )


def _scored(document: DiagnosisDocument) -> list[CheckpointResult | ReportMetric]:
    """Results with a value: bottlenecks in their order, then the others as they stand in the document."""
    ranks = {name: i for i, name in enumerate(document.bottlenecks)}
    results: list[CheckpointResult | ReportMetric] = [*document.checkpoints, *document.report_metrics]
    scored = [r for r in results if r.value is not None]
    return sorted(scored, key=lambda r: ranks.get(r.id, len(ranks)))


def _told(result: CheckpointResult | ReportMetric) -> str:
    """One result in a few lines; what others wrote is quoted, so that it cannot begin a line of its own."""
    spans = evidence_of(result)
    point = result if isinstance(result, CheckpointResult) else None
    sure = "unknown" if result.confidence is None else f"{result.confidence:.2f}"
    answered = f", answered by a {result.method}" if result.method else ""
    lines = [f"{result.id} ({result.dimension}): value {result.value:.2f}, confidence {sure}{answered}"]
    lines += [f"question: {point.question}"] if point else []
    lines += [f"level: {point.anchor}"] if point and point.anchor else []
    says = result.judgement.says if result.judgement else None
    lines += [f"the judge: {quoted(says)}"] if says else []
    lines += [f"seen at {span_said(e.start, e.end)}: {quoted(e.what)}" for e in spans[:MOST_SPANS]]
    lines += [f"and {len(spans) - MOST_SPANS} more places"] if len(spans) > MOST_SPANS else []
    return "\n  ".join(lines)
