"""Who said what: authority, draws of a judge, how a confidence came about, what left the machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from longtake.core.documents import CheckpointResult, DiagnosisDocument, ReportMetric
from longtake.core.judgement import ConfidenceParts, Draw, JudgeFacts, Judgement
from longtake.core.shares import between

from .words import count, listed, number, one_line, percent, plain, share

STATUSES = {
    "answered": "answered",
    "refused": "refused",
    "cut_off": "cut off",
    "unreadable": "not readable",
    "wrong_schema": "not in the asked-for form",
    "wrong_id": "about something else",
    "out_of_range": "out of range",
    "wrong_model": "from another model",
    "too_long": "too long for the model",
    "failed": "no reply",
    "budget": "not asked, budget",
    "not_recorded": "not in the recording",
}
"""How a question ended, for people."""
SOURCES = {"rule": "a rule", "judge": "a judge"}
COUNTS = {"measured": "a measurement counts here", "judged": "a judge's answer counts here"}
"""Who has authority."""
ANSWERED = {
    ("measured", "rule"): "measured by a rule, which counts here",
    ("judged", "judge"): "answered by the judge, which counts here",
    ("judged", "rule"): "a rule answered in place of a judge, whose answer would count",
    ("measured", "judge"): "a judge answered in place of a rule, whose measurement would count",
}
"""Who has authority and who answered."""
Result = CheckpointResult | ReportMetric


def status(name: str) -> str:
    """How a question ended, in words."""
    return STATUSES.get(name, plain(name).replace("_", " "))


def authority(result: Result) -> str:
    """Whose answer counts and who gave one, as in ``ANSWERED``."""
    method = result.method
    if not isinstance(result, CheckpointResult):
        return f"answered by {SOURCES[method]}" if method else ""
    return COUNTS[result.authority] if method is None else ANSWERED[result.authority, method]


def disputed(result: Result) -> bool:
    """Whether the other source says something else."""
    other = result.other if isinstance(result, CheckpointResult) else None
    return other is not None and other.value is not None and not other.agrees


def parts(found: ConfidenceParts, method: str | None) -> str:
    """``availability 1.00 × agreement of draws 0.90 × evidence 0.60``."""
    draws = "a single draw" if found.single_draw else "agreement of draws"
    agreement = draws if method == "judge" else "separation in its controls"
    said = f"availability {share(found.availability)} × {agreement} {share(found.agreement)}"
    return said + f" × agreement of evidence {share(found.evidence)}"


def single_draws(document: DiagnosisDocument) -> bool:
    """Whether the judge gave a value in a single draw anywhere."""
    results: list[Result] = [*document.checkpoints, *document.report_metrics]
    return any(r.confidence_from is not None and r.confidence_from.single_draw for r in results)


def stands(result: CheckpointResult, levels: Sequence[str]) -> tuple[str, list[str]]:
    """Where a value stands: a word before and one level, or the two that differing draws lie between."""
    if result.value is None or result.anchor is None:
        return "", []
    found = between(levels, result.value)
    if found is None:
        return "", [result.anchor]
    judgement = result.judgement if result.method == "judge" else None
    values = {d.value for d in judgement.draws if d.value is not None} if judgement else set()
    if len(values) > 1:
        return "The draws differ, between", list(found)
    return "Nearest to", [result.anchor]


def draws(judgement: Judgement) -> str:
    """Values of all draws, their spread and how many pictures they were shown."""
    told = [share(d.value) if d.value is not None else status(d.status) for d in judgement.draws]
    said = [f"{count(len(told), 'draw')}: {', '.join(told)}"] if told else []
    if judgement.spread is not None:
        said.append(f"spread {share(judgement.spread)}")
    said.append(f"{count(judgement.frames, 'picture')} shown" if judgement.frames else "no pictures shown")
    models = list(dict.fromkeys(d.model for d in judgement.draws if d.model))
    return " · ".join([*said, *(f"model {one_line(m, 80)}" for m in models)])


def other_draws(judgement: Judgement) -> list[Draw]:
    """Draws whose words or failure the first answer does not tell."""
    return [d for d in judgement.draws if d.value is None or (d.says and d.says != judgement.says)]


def unanswered(document: DiagnosisDocument) -> list[tuple[str, str]]:
    """Results that the judge was asked for and gave no value to, each with why."""
    results: list[Result] = [*document.checkpoints, *document.report_metrics]
    asked = [(r.id, r.judgement) for r in results if r.judgement]
    return [(name, j.reason or "no reason was given") for name, j in asked if j.status == "unscored"]


def asked_of(facts: JudgeFacts) -> str:
    """What was asked and what came of it, in one sentence. Calls are requests: several where one failed."""
    failed = [f"{n} {status(name)}" for name, n in facts.not_answered.items() if n]
    said = f"{facts.answered} of {count(facts.asked, 'question')} answered"
    called = f"{count(facts.calls, 'call')} this time, {facts.cached} from kept replies"
    return f"{said} ({called})" + (f"; {listed(failed)}" if failed else "")


def left(facts: JudgeFacts) -> str:
    """What left this machine for the judge, as far as this run goes."""
    if facts.sends_to is None:
        return "Nothing left this machine."
    host = one_line(facts.sends_to, 120)
    if not facts.calls:
        return f"Nothing was sent this time; questions would go to {host}."
    pictures = count(facts.frames, "picture of the film", "pictures of the film")
    with_pictures = pictures if facts.frames else "no picture"
    return f"{count(facts.calls, 'request')} with {with_pictures} went to {host}."


def cost(facts: JudgeFacts) -> str:
    """Tokens and money of this run, as far as they are known."""
    tokens = [
        f"{n:,} {what}"
        for n, what in ((facts.input_tokens, "tokens in"), (facts.output_tokens, "tokens out"))
        if n is not None
    ]
    money = [f"{number(facts.money)} at the given prices"] if facts.money is not None else []
    return ", ".join(tokens + money) or "the server did not say"


def spent(facts: JudgeFacts) -> str:
    """:func:`cost` as a sentence of its own."""
    return f"Spent: {cost(facts)}."


@dataclass(frozen=True)
class Box:
    """The judge in one place. Nothing of it is there where no judge was asked."""

    facts: JudgeFacts
    asked: str
    left: str
    cost: str
    unanswered: list[tuple[str, str]]


def box(document: DiagnosisDocument) -> Box | None:
    """What a reader wants to know of the judge."""
    facts = document.judge
    if facts is None:
        return None
    return Box(facts, asked_of(facts), left(facts), cost(facts), unanswered(document))


def interval(document: DiagnosisDocument) -> str:
    """The overall's interval in words, or why there is none; empty where none was asked for."""
    found = document.overall_interval
    if found is None:
        return ""
    if found.low is None or found.high is None:
        return f"No interval: {one_line(found.reason, 200)}."
    repeated = f"{found.n} of {count(found.n_asked, 'result')} of the judge"
    drawn = "were" if found.n_asked != 1 else "was"
    return (
        f"If the judge were asked again, the overall would lie between {share(found.low)} and"
        f" {share(found.high)} ({percent(found.level)} sure; {repeated} {drawn} drawn more than once)."
        " How far the judge itself is off is not in it."
    )
