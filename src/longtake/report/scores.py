"""Scores and cards of evaluators for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console

    from ..core.evaluator import Figure, Quantity
    from ..core.scores import EvaluatorEntry, EvaluatorsDocument, Scored, ScoreDocument


def print_scores(document: ScoreDocument, console: Console) -> None:
    """Of several films a line for each evaluator, of a single one every measurement."""
    if len(document.cases) == 1:
        _print_case(document, console)
    else:
        _print_evaluators(document, console)
    if document.out is not None:
        console.print(f"tables and JSON: {document.out}", markup=False, soft_wrap=True)


def _print_evaluators(document: ScoreDocument, console: Console) -> None:
    """How many were scored of those asked, and the mean of those."""
    paired = bool(document.preferences)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("evaluator", "scored / asked", "mean"):
        table.add_column(name, justify="left" if name == "evaluator" else "right", no_wrap=True)
    if paired:
        table.add_column("preferred / asked", justify="right")
        table.add_column("share of a", justify="right")
    for name, summary in document.evaluators.items():
        score, preferences = summary.score, summary.preferences
        who = f"{name} (proxy)" if summary.proxy else name
        row = [who, _counted(score), _mean(score)]
        table.add_row(*map(Text, row + ([_counted(preferences), _mean(preferences)] if paired else [])))
    console.print(table)
    pairs = f", {len(document.pairs)} pairs: a is the undamaged film, a tie counts half" if paired else ""
    console.print(f"{len(document.cases)} films with their briefs{pairs}", markup=False)
    if any(s.score and s.score.n_not_applicable for s in document.evaluators.values()):
        console.print("what does not apply to a film is not counted as asked", markup=False)


def _print_case(document: ScoreDocument, console: Console) -> None:
    """What everybody says, with the reason where there is no value."""
    for result in document.results:
        for m in result.measurements:
            name = (
                m.name if m.name == result.evaluator.removeprefix("rule.") else f"{result.evaluator} {m.name}"
            )
            said = f"{m.value:.4g}" if m.value is not None else f"{m.status.replace('_', ' ')}: {m.reason}"
            spans = f"  ({len(m.evidence)} spans)" if m.evidence else ""
            console.print(f"{name}: {said}{spans}", markup=False, soft_wrap=True)


def _counted(figure: Scored | None) -> str:
    return f"{figure.n} / {figure.n_asked}" if figure is not None else "-"


def _mean(figure: Scored | None) -> str:
    return f"{figure.value:.4g}" if figure is not None and figure.value is not None else "-"


def print_list(document: EvaluatorsDocument, console: Console) -> None:
    """A line for each evaluator."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("evaluator", "question", "cost", "from"):
        table.add_column(name, no_wrap=name == "evaluator")
    for entry in document.evaluators:
        cells = (entry.name, entry.card.question, entry.card.cost or "-", entry.where)
        table.add_row(*map(Text, cells))
    console.print(table)


def print_card(entry: EvaluatorEntry, console: Console) -> None:
    """Everything on a card."""
    console.print(Text(entry.name, "bold"))
    for line in card_lines(entry):
        console.print(f"  {line}", markup=False, soft_wrap=True)


def card_lines(entry: EvaluatorEntry) -> list[str]:
    """A card as lines of text; figures with interval and n, with their command and date."""
    card = entry.card
    lines = [card.question]
    lines += [f"gives {_quantity(q)}" for q in card.quantities]
    if card.prefers:
        lines.append("judges two films beside each other")
    if card.proxy:
        lines.append(f"a proxy: stands in for {card.proxy}")
    lines.append(f"needs {', '.join(card.needs) or 'no signal'}{' and a brief' if card.needs_brief else ''}")
    if card.cost:
        lines.append(f"costs: {card.cost}")
    lines += [f"beware: {mode}" for mode in card.failure_modes]
    lines.append(f"licence {card.licence}" + (f"; after {card.paper}" if card.paper else ""))
    lines.append(f"version {card.version}, from {entry.where} ({entry.target})")
    return lines + [_figure(figure) for figure in card.figures]


def _quantity(q: Quantity) -> str:
    ends = " to ".join("..." if end is None else f"{end:g}" for end in (q.low, q.high))
    better = {True: "higher is better", False: "lower is better", None: "neither end is better"}
    return f"{q.name} ({q.unit}, {ends}, {better[q.higher_is_better]}): {q.doc}"


def _figure(figure: Figure) -> str:
    value = "unscored" if figure.value is None else f"{figure.value:.3g}"
    between = f" ({figure.low:.3g} to {figure.high:.3g})" if None not in (figure.low, figure.high) else ""
    note = f"; {figure.note}" if figure.note else ""
    return (
        f"{figure.study}, {figure.about}: {value}{between}, n {figure.n}, on {figure.on}{note}"
        f" [{figure.date}: {figure.command}]"
    )
