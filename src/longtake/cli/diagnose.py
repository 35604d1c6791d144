"""``longtake diagnose``: what is wrong with a film, and where."""

from __future__ import annotations

import re
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import GateError, UsageError
from .options import (
    Embedder,
    End,
    Files,
    Fps,
    Json,
    Judge,
    JudgeBudget,
    JudgeDraws,
    JudgeLimit,
    JudgePrice,
    ShotsFile,
    Start,
    TextPicture,
    Workers,
    check_judge,
    judge_options,
    open_files,
)
from .output import out_console, print_json
from .progress import TerminalProgress

if TYPE_CHECKING:
    from ..core.documents import DiagnosisDocument


def diagnose(
    files: Files,
    brief: Annotated[
        Path | None,
        typer.Option(
            help="What the film was meant to be: text, JSON, YAML, captions, a timeline; or suite:ID."
        ),
    ] = None,
    profile: Annotated[str, typer.Option(help="Whose eyes: a profile's name, or a file.")] = "neutral",
    shots_file: ShotsFile = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results.  [default: longtake-out/NAME-HASH]")
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(help="Dimensions or checkpoints with commas between them.", metavar="NAME,..."),
    ] = None,
    signals: Annotated[
        str | None,
        typer.Option(
            help="What to measure: light, heavy, or names with commas.  [default: all that is installed]",
            metavar="light|NAME,...",
        ),
    ] = None,
    embedder: Embedder = None,
    text_picture: TextPicture = None,
    judge: Judge = None,
    draws: JudgeDraws = 1,
    budget: JudgeBudget = None,
    price: JudgePrice = None,
    judge_limit: JudgeLimit = None,
    rubric: Annotated[
        Path | None,
        typer.Option(help="A rubric of your own: a whole one, or changes to longtake's."),
    ] = None,
    compat: Annotated[
        str | None,
        typer.Option(help="Show another aggregation beside ours: directorbench.", metavar="NAME"),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(help="An earlier version: its film, or the folder or JSON of its diagnosis."),
    ] = None,
    preview: Annotated[
        bool, typer.Option("--preview", help="Write a small H.264 copy beside the report.")
    ] = False,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(help="End with 7 if a score is lower or unscored, as visual=0.6. May be repeated."),
    ] = None,
    json: Json = False,
    fps: Fps = None,
    start: Start = None,
    end: End = None,
    workers: Workers = None,
) -> None:
    """Diagnose a film against its brief: scores with evidence, and an HTML report."""
    from ..api import default_out
    from ..api import diagnose as diagnose_film

    gates = [parse_gate(text) for text in fail_under or []]
    asked = [score_name(name) for name in only.split(",") if name.strip()] if only else None
    known_gates([name for name, _ in gates], rubric)
    options = judge_options(judge, draws, budget, price, judge_limit)
    film = open_files(files, fps, start, end)
    with TerminalProgress() as progress:
        document = diagnose_film(
            film,
            brief=brief,
            profile=profile,
            shots=shots_file,
            out=out or default_out(film),
            only=asked,
            signals=signals,
            embedder=embedder,
            text_picture=text_picture,
            judge=options,
            rubric=rubric,
            compat=compat,
            against=against,
            workers=workers,
            preview=preview,
            progress=progress,
        )
    if json:
        print_json(document.to_json())
    else:
        from ..report.terminal import print_diagnosis

        print_diagnosis(document, out_console(), report=document.report, shown=" ".join(map(str, files)))
    check_gates(document, gates)
    rest = "what signals and rules tell is in the report"
    check_judge(document.judge, rest, why_unanswered(document))
    if any(entry.status == "failed" for entry in document.trace):
        raise typer.Exit(1)


def parse_gate(text: str) -> tuple[str, float]:
    """``visual=0.6`` as (name, least value)."""
    match = re.fullmatch(r"\s*([A-Za-z_]+)\s*=\s*(\d*\.?\d+)\s*", text)
    if match is None or not 0 <= float(match[2]) <= 1:
        raise UsageError(
            f"{text!r} is not a gate", hint="write NAME=VALUE with a value from 0 to 1, as visual=0.6"
        )
    return score_name(match[1]), float(match[2])


def score_name(text: str) -> str:
    """An id from an id or from the name that tables show: ``Picture`` is ``visual``."""
    from ..core.documents import DIMENSIONS
    from ..report.words import dimension

    name = text.strip().lower()
    shown = {dimension(d).lower(): d for d in DIMENSIONS}
    return shown.get(name, name)


def _named(name: str) -> str:
    """A score as tables show it and as documents call it: ``sound (audio)``."""
    from ..core.documents import DIMENSIONS
    from ..report.words import dimension

    shown = dimension(name).lower() if name in DIMENSIONS else name
    return name if shown == name else f"{shown} ({name})"


def known_names(names: list[str], rubric: Path | None) -> None:
    """Raise ``UsageError`` for a name that has no score, before any work is done."""
    from ..diagnosis.diagnose import wanted_ids
    from ..diagnosis.rubric import load_rubric, read_rubric

    wanted_ids(read_rubric(rubric) if rubric is not None else load_rubric(), names)


def known_gates(names: list[str], rubric: Path | None) -> None:
    """The same for gates, which may also be set on the overall score."""
    for name in names:
        try:
            known_names([name] if name != "overall" else [], rubric)
        except UsageError as error:
            near = get_close_matches(name, ("overall",))
            hint = "Did you mean 'overall'?" if near else f"{error.hint} There is also overall."
            raise UsageError(error.message, hint=hint) from None


def why_unanswered(document: DiagnosisDocument) -> str | None:
    """Why one of the questions has no answer, for a person who asks why none has."""
    said = [p.judgement for p in document.checkpoints] + [m.judgement for m in document.report_metrics]
    draws = [d for one in said if one is not None for d in one.draws if d.status != "answered"]
    return next((draw.reason for draw in draws if draw.reason), None)


def check_gates(document: DiagnosisDocument, gates: list[tuple[str, float]]) -> None:
    """Raise ``GateError`` for the gates that are not met or whose value is unscored."""
    from ..core.shares import floored

    values = {"overall": document.overall.value}
    values |= {name: score.value for name, score in document.dimensions.items()}
    for results in (document.submetrics, document.checkpoints, document.report_metrics):
        values |= {result.id: result.value for result in results}
    missed = []
    for name, least in gates:
        value = values[name]
        if value is None:
            missed.append(f"{_named(name)} is unscored")
        elif value < least:
            missed.append(f"{_named(name)} is {floored(value, 3):.3f}, below {least:g}")
    if missed:
        judge = document.judge
        why = judge.stopped if judge is not None else None
        raise GateError("; ".join(missed), hint=f"the judge: {why}" if why else None)
