"""Scores and cards of evaluators for people."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from ..core.scores import by_name
from .judged import asked_of, left, spent
from .reasons import reason
from .words import one_line, sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import Console

    from ..core.evaluator import Figure, Parameter, Quantity
    from ..core.measurement import Measurement
    from ..core.scores import (
        EvaluatorEntry,
        EvaluatorsDocument,
        EvaluatorSummary,
        RoleEntry,
        Scored,
        ScoreDocument,
    )


MOST_REASONS = 10
"""Reasons for no score that are told; the tables have all of them."""
FREE = ("Apache-2.0", "MIT", "BSD-", "ISC", "CC0")
"""How licences begin that ask for no more than to be named."""
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def print_scores(document: ScoreDocument, console: Console) -> None:
    """Of several films a line for each evaluator, of a single one every measurement."""
    if len(document.cases) == 1:
        _print_case(document, console)
    else:
        _print_evaluators(document, console)
    for line in (
        *_proxies(document),
        *_own(document),
        *_licences(document),
        *_without(document),
        *_judge(document),
    ):
        console.print(line, markup=False, soft_wrap=True)
    if document.out is not None:
        console.print(f"tables and JSON: {document.out}", markup=False, soft_wrap=True)


def _print_evaluators(document: ScoreDocument, console: Console) -> None:
    """How many were scored of those asked, their mean, and why others were not."""
    paired = bool(document.pairs)
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("evaluator", overflow="fold")
    for name in ("scored", *(("mean a", "mean b") if paired else ("mean",))):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    for name in ("answered", "share of a") if paired else ():
        table.add_column(name, justify="right", no_wrap=True)
    asked = {n: s for n, s in document.evaluators.items() if s.score is not None or s.preferences is not None}
    figures = {name: s.preferences if paired else s.score for name, s in asked.items()}
    sure = any(figure is not None and figure.low is not None for figure in figures.values())
    if sure:
        table.add_column("95 %", justify="right", no_wrap=True)
    for name, summary in asked.items():  # of the others a note says why they were not asked
        row = [f"{name} (proxy)" if summary.proxy else name, _counted(summary.score)]
        row += map(_mean, (summary.score_a, summary.score_b) if paired else (summary.score,))
        row.append(summary.score.unit if summary.score is not None else "")
        row += [_counted(summary.preferences), _mean(summary.preferences)] if paired else []
        table.add_row(*map(Text, (*row, _between(figures[name])) if sure else row))
    console.print(table)
    pairs = f", {len(document.pairs)} pairs: a is the undamaged film, a tie counts half" if paired else ""
    console.print(f"{len(document.cases)} films with their briefs{pairs}", markup=False, soft_wrap=True)
    told = (
        *_intervals(figures.values()),
        *_out_of_place(document),
        *_cut_off(document),
        *_reasons(document),
        *_elsewhere(document),
    )
    for line in told:
        console.print(line, markup=False, soft_wrap=True)


def _intervals(figures: Iterable[Scored | None]) -> list[str]:
    """How intervals were made, and why there are none."""
    given = [figure for figure in figures if figure is not None]
    made = dict.fromkeys(f.method for f in given if f.method is not None)
    none = dict.fromkeys(f.no_interval for f in given if f.no_interval and f.value is not None)
    lines = [f"intervals: {'; '.join(made)}"] if made else []
    return [*lines, *([f"no interval: {'; '.join(none)}"] if none else [])]


def _proxies(document: ScoreDocument) -> list[str]:
    """Whose scores rest on a proxy, and for what it stands in; those with the same on one line."""
    told: dict[str, list[str]] = {}
    for name, summary in _asked(document):
        if summary.proxy and (summary.score is None or summary.score.n):
            models = [f"{m.name} for {m.stands_for} ({m.role})" for m in summary.models if m.kind == "proxy"]
            told.setdefault("; ".join(models) or f"stands in for {summary.proxy}", []).append(name)
    lines = [f"  {', '.join(_first(names))}: {what}" for what, names in list(told.items())[:MOST_REASONS]]
    if (more := len(told) - MOST_REASONS) > 0:
        lines.append(f"  and {more} more, as their cards say (longtake evaluators info)")
    return ["ran on a proxy:", *lines] if lines else []


def _own(document: ScoreDocument) -> list[str]:
    """Whose scores rest on models that are no proxies, on a line for each model."""
    told: dict[str, list[str]] = {}
    for name, summary in _asked(document):
        for used in summary.models:
            if used.kind == "model" and (summary.score is None or summary.score.n):
                told.setdefault(f"{used.name} ({used.role})", []).append(name)
    return [f"ran on {model}: {', '.join(_first(names))}" for model, names in told.items()]


def _licences(document: ScoreDocument) -> list[str]:
    """Licences of models that ran and that ask for more than to be named, and what else is to be said of
    them."""
    found = {
        f"{used.name}: {used.licence}": None
        for _, summary in _asked(document)
        for used in summary.models
        if used.licence and not used.licence.startswith(FREE)
    }
    told = {
        f"{used.name}: {used.note}": None
        for _, summary in _asked(document)
        for used in summary.models
        if used.note
    }
    return [f"licences to mind: {'; '.join(found)}"] * bool(found) + [f"note of {note}" for note in told]


def _asked(document: ScoreDocument) -> Iterator[tuple[str, EvaluatorSummary]]:
    """Evaluators that were asked, with their further quantities."""
    asked = {name for _, name in by_name(document.results)}
    asked |= {p.evaluator for p in document.preferences if p.score_a is None}
    for name, summary in document.evaluators.items():
        if name in asked:
            yield name, summary


def _first(names: Sequence[str]) -> list[str]:
    """Those that are no further quantity of another one of them."""
    return [name for name in names if not any(name.startswith(f"{other}.") for other in names)]


def _out_of_place(document: ScoreDocument) -> list[str]:
    """Evaluators that do not apply to some films."""
    who = [
        f"{name} ({s.score.n_not_applicable} of {s.score.n_asked + s.score.n_not_applicable})"
        for name, s in document.evaluators.items()
        if s.score is not None and s.score.n_not_applicable
    ]
    return [f"does not apply to all films, and is not counted there: {', '.join(who)}"] if who else []


def _cut_off(document: ScoreDocument) -> list[str]:
    """Evaluators whose mean has films in it of which a judge did not answer everything."""
    scores = [(name, s.score) for name, s in document.evaluators.items() if s.score is not None]
    who = [f"{name} ({s.n_cut_off} of {s.n})" for name, s in scores if s.n_cut_off]
    if not who:
        return []
    return [f"scored although the judge did not answer everything, and counted above: {', '.join(who)}"]


def _reasons(document: ScoreDocument) -> list[str]:
    """Why there is no score, or no answer in spite of scores. What differs in numbers only is one reason."""
    asked, whole = {}, set()
    for name, summary in document.evaluators.items():
        figure = summary.score
        if figure is None or figure.n == figure.n_asked + figure.n_not_applicable:
            figure = summary.preferences
            whole.add(name)
        asked[name] = figure.n_asked if figure is not None else 0
    given = [(n, m.reason) for (_, n), m in by_name(document.results).items() if m.status == "unscored"]
    given += [(p.evaluator, p.reason) for p in document.preferences if not p.choice and p.evaluator in whole]
    groups: dict[str, tuple[Counter[str], Counter[str]]] = {}
    for name, code in given:
        why = reason(code)
        texts, names = groups.setdefault(NUMBER.sub("0", why), (Counter(), Counter()))
        texts[why] += 1
        names[name] += 1
    ranked = sorted(groups.values(), key=lambda group: -group[0].total())
    lines = []
    for texts, names in ranked[:MOST_REASONS]:
        who = ", ".join(f"{name} ({n} of {asked[name]})" for name, n in names.items())
        (why, _), *others = texts.most_common()
        lines.append(f"  {who}: {why}{', and the like' if others else ''}")
    if (more := len(ranked) - MOST_REASONS) > 0:
        lines.append(f"  and {more} more, which the tables have")
    return ["not scored:", *lines] if lines else []


def _elsewhere(document: ScoreDocument) -> list[str]:
    """Evaluators whose own score is nowhere, while other quantities of theirs are there."""
    scores = {name: s.score for name, s in document.evaluators.items() if s.score is not None}
    lines = []
    for name, score in scores.items():
        parts = [other for other, of in scores.items() if other.startswith(f"{name}.") and of.n]
        if score.n_asked and not score.n and parts:
            lines.append(f"{name} itself has no score here; see the rows of {', '.join(parts)}")
    return lines


def _without(document: ScoreDocument) -> list[str]:
    """Signals that evaluators need and did not get: left out by the user, or without a model."""
    said = [signal for summary in document.evaluators.values() for signal in summary.signals]
    lines = []
    for end, why in ((" left out", "left out of this run"), (" absent", "not installed")):
        if names := list(dict.fromkeys(text.split()[0] for text in said if text.endswith(end))):
            lines.append(f"signals {why}: {', '.join(names)}")
    return lines


def _judge(document: ScoreDocument) -> list[str]:
    """What the judge was asked in all, what left the machine, what it cost, and why no more was asked."""
    facts = document.judge
    if facts is None:
        return []
    lines = [f"judge {one_line(facts.name, 80)}: {asked_of(facts)}. {left(facts)}"]
    lines += [f"  {spent(facts)}"] if facts.calls else []
    return [*lines, *([f"  {sentence(one_line(facts.stopped, 200))}."] if facts.stopped else [])]


def _print_case(document: ScoreDocument, console: Console) -> None:
    """What everybody says, with the reason where there is no value."""
    for (_, name), m in by_name(document.results).items():
        summary = document.evaluators.get(name)
        figure = summary.score if summary is not None else None
        unit = f" {figure.unit}" if figure is not None and figure.unit not in ("", "share") else ""
        said = f"{_number(m.value)}{unit}" if m.value is not None else _unscored(m)
        proxy = " (proxy)" if m.value is not None and summary is not None and summary.proxy else ""
        spans = f"  ({len(m.evidence)} spans)" if m.evidence else ""
        console.print(f"{name}: {said}{proxy}{spans}", markup=False, soft_wrap=True)


def _unscored(m: Measurement) -> str:
    return f"{m.status.replace('_', ' ')}: {reason(m.reason)}"


def _counted(figure: Scored | None) -> str:
    return f"{figure.n} / {figure.n_asked}" if figure is not None else "-"


def _mean(figure: Scored | None) -> str:
    return _number(figure.value) if figure is not None and figure.value is not None else "-"


def _between(figure: Scored | None) -> str:
    if figure is None or figure.low is None or figure.high is None:
        return "-"
    return f"{_number(figure.low)} to {_number(figure.high)}"


def _number(value: float) -> str:
    """Four digits, and never a power of ten above them."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


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
    """A card as lines of text; figures with interval and n under the run that made them, indented."""
    card = entry.card
    lines = [card.question]
    lines += [f"gives {_quantity(q)}" for q in card.quantities]
    if card.details:
        lines.append(f"beside them gives {card.details}")
    if card.prefers:
        lines.append("judges two films beside each other")
    if card.judges:
        lines.append(f"judges {', '.join(card.judges)}")
    if card.proxy:
        lines.append(f"a proxy: stands in for {card.proxy}")
    lines.append(f"needs {', '.join(card.needs) or 'no signal'}{' and a brief' if card.needs_brief else ''}")
    lines += [line for role in entry.roles for line in _role(role)]
    if card.asks:
        lines.append("asks a judge (--judge), and says beforehand how much at most")
    if card.told_aspect:
        lines.append("is told which aspect of a pair it judges")
    lines += [_parameter(card.name, name, p) for name, p in card.parameters.items()]
    if card.cost:
        lines.append(f"costs: {card.cost}")
    lines += [f"beware: {mode}" for mode in card.failure_modes]
    lines.append(f"licence {card.licence}" + (f"; after {card.paper}" if card.paper else ""))
    lines.append(f"version {card.version}, from {entry.where} ({entry.target})")
    runs: dict[str, list[str]] = {}
    for figure in card.figures:
        runs.setdefault(f"on {figure.on} [{figure.date}: {figure.command}]", []).append(_figure(figure))
    return [*lines, *(line for run, found in runs.items() for line in (run, *(f"  {x}" for x in found)))]


def _role(entry: RoleEntry) -> list[str]:
    """Who fills a role if the user says nothing, and, indented, who may, with the licence of the weights."""
    if entry.default is None:
        by = "nobody unless named"
    else:
        by = f"{entry.default}, a proxy for {entry.stands_for}" if entry.stands_for else entry.default
    head = f"runs a model as {entry.role} ({entry.doc}): {by}; --model {entry.role}=NAME, "
    told = []
    for kind in entry.kinds:
        said = (
            f"a proxy for {kind.stands_for}" if kind.stands_for else "",
            f"weights {kind.licence}" if kind.licence else "",
            kind.note,
        )
        about = "; ".join(filter(None, said))
        told.append(f"  {kind.name}{f': {about}' if about else ''}")
    return [f"{head}{'one of:' if told else 'none here'}", *told]


def _parameter(evaluator: str, name: str, parameter: Parameter) -> str:
    ends = " to ".join("..." if end is None else f"{end:g}" for end in (parameter.low, parameter.high))
    may = f"one of: {', '.join(parameter.choices)}" if parameter.choices else ends
    may = may if parameter.choices or ends != "... to ..." else "any"
    return f"--set {evaluator}.{name}={parameter.default} ({may}): {parameter.doc}"


def _quantity(q: Quantity) -> str:
    ends = " to ".join("..." if end is None else f"{end:g}" for end in (q.low, q.high))
    better = {True: "higher is better", False: "lower is better", None: "neither end is better"}
    return f"{q.name} ({q.unit}, {ends}, {better[q.higher_is_better]}): {q.doc}"


def _figure(figure: Figure) -> str:
    value = "unscored" if figure.value is None else f"{figure.value:.3g}"
    between = f" ({figure.low:.3g} to {figure.high:.3g})" if None not in (figure.low, figure.high) else ""
    note = f"; {figure.note}" if figure.note else ""
    return f"{figure.study}, {figure.about}: {value}{between}, n {figure.n}{note}"
