"""Who said what: authority, draws of a judge, how a confidence came about, what left the machine."""

from __future__ import annotations

from dataclasses import dataclass

from longtake.core.documents import CheckpointResult, DiagnosisDocument, ReportMetric
from longtake.core.judgement import ConfidenceParts, Draw, JudgeFacts, Judgement

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
DECIDES = {"measured": "measurement decides", "judged": "a judge decides"}
OWN = {("measured", "rule"), ("judged", "judge")}
"""Who has authority and who answered, where it is the same source."""
Result = CheckpointResult | ReportMetric


def status(name: str) -> str:
    """How a question ended, in words."""
    return STATUSES.get(name, plain(name).replace("_", " "))


def authority(result: Result) -> str:
    """Who may decide and who answered: ``a judge decides, a rule answered in place of a judge``."""
    method = result.method
    if not isinstance(result, CheckpointResult):
        return f"answered by {SOURCES[method]}" if method else ""
    decides = DECIDES[result.authority]
    if method is None:
        return decides
    if (result.authority, method) in OWN:
        return f"{decides}, and {'did' if method == 'judge' else 'a rule measured'}"
    missing = "a judge" if result.authority == "judged" else "a rule"
    return f"{decides}; {SOURCES[method]} answered in place of {missing}"


def disputed(result: Result) -> bool:
    """Whether the other source says something else."""
    other = result.other if isinstance(result, CheckpointResult) else None
    return other is not None and other.value is not None and not other.agrees


def parts(found: ConfidenceParts, method: str | None) -> str:
    """``availability 1.00 × agreement of draws 0.90 × evidence 0.60``."""
    agreement = "agreement of draws" if method == "judge" else "separation in its controls"
    said = f"availability {share(found.availability)} × {agreement} {share(found.agreement)}"
    said += f" × agreement of evidence {share(found.evidence)}"
    return said + ("; a single draw, which can agree with nothing" if found.single_draw else "")


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
    rests = f"{percent(found.level)}, n = {found.n}"
    return f"{share(found.low)} to {share(found.high)} ({rests}): {one_line(found.method, 200)}."
