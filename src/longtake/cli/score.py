"""``longtake score``: what evaluators say of films, and which of two they prefer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import BackendError, UsageError
from .options import (
    Embedder,
    End,
    Fps,
    Json,
    Judge,
    JudgeBudget,
    JudgeDraws,
    JudgeLimit,
    JudgePrice,
    Models,
    Settings,
    Start,
    TextPicture,
    Workers,
    check_judge,
    judge_options,
    named_values,
    open_files,
    unanswered,
)
from .output import err_console, out_console, print_json
from .progress import TerminalProgress

if TYPE_CHECKING:
    from ..core.scores import Failure, ScoreDocument

MOST_FAILURES = 8
"""Failures that are told one by one; the document has them all."""


def score(
    target: Annotated[
        list[str],
        typer.Argument(
            metavar="VIDEO|MANIFEST|PAIRS",
            help="A film as longtake diagnose takes it, or a CSV, JSONL or Parquet table of films or pairs.",
            show_default=False,
        ),
    ],
    evaluators: Annotated[
        str,
        typer.Option(
            "--evaluators",
            "-e",
            help="Names or patterns with commas between them, as diagnosis,rule.*: see longtake evaluators.",
            metavar="NAME,...",
        ),
    ] = "diagnosis",
    brief: Annotated[
        Path | None,
        typer.Option(
            help="What a single film was meant to be, or suite:ID; a table has a column brief.",
        ),
    ] = None,
    profile: Annotated[
        str | None, typer.Option(help="Whose eyes, for cases that name no profile.  [default: neutral]")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the results and tables; a stopped run goes on there."
            "  [default: longtake-out/NAME-HASH]"
        ),
    ] = None,
    signals: Annotated[
        str | None,
        typer.Option(
            help="What may be measured: light, heavy, or names with commas."
            "  [default: what the evaluators need and is installed]",
            metavar="light|NAME,...",
        ),
    ] = None,
    embedder: Embedder = None,
    text_picture: TextPicture = None,
    models: Models = None,
    settings: Settings = None,
    judge: Judge = None,
    draws: JudgeDraws = 1,
    budget: JudgeBudget = None,
    price: JudgePrice = None,
    judge_limit: JudgeLimit = None,
    json: Json = False,
    fps: Fps = None,
    start: Start = None,
    end: End = None,
    workers: Workers = None,
) -> None:
    """Ask evaluators about films: scores with evidence, preferences between pairs, tables for longtake meta.

    Pairs are also judged by cues that see nothing (longer wins, bigger file wins, ...), by a constant and by
    a coin, so that nobody takes what a cue explains for a judgement.
    """
    from ..scoring import default_score_out, is_table
    from ..scoring import score as score_films

    names = [name.strip() for name in evaluators.split(",") if name.strip()]
    if not names:
        raise UsageError("no evaluator is named", hint="longtake evaluators lists them")
    table = len(target) == 1 and is_table(target[0])
    given = {"--brief": brief, "--fps": fps, "--start": start, "--end": end}
    if table and (wrong := [name for name, value in given.items() if value is not None]):
        raise UsageError(f"{', '.join(wrong)}: for a single film, not for a table", hint="leave it out")
    options = judge_options(judge, draws, budget, price, judge_limit)
    film = None if table else open_files(target, fps, start, end)
    with TerminalProgress() as progress:
        document = score_films(
            target[0] if film is None else film,
            names,
            brief=brief,
            profile=profile,
            out=out or default_score_out(target, film),
            signals=signals,
            embedder=embedder,
            text_picture=text_picture,
            workers=workers,
            judge=options,
            models=named_values(models, "--model", "ROLE=NAME"),
            settings=named_values(settings, "--set", "EVALUATOR.PARAMETER=VALUE"),
            progress=progress,
        )
    if json:
        print_json(document.to_json())
    else:
        _show(document)
    _tell_failures(document)
    check_judge(document.judge, "what rules tell is in the tables")
    if blocked := _blocked(document):
        raise BackendError(f"nothing could be scored by {', '.join(blocked)}", hint="see the reasons above")
    if document.failures or unanswered(document.judge):
        raise typer.Exit(1)


def _show(document: ScoreDocument) -> None:
    from ..report.scores import print_scores

    print_scores(document, out_console())


def _blocked(document: ScoreDocument) -> list[str]:
    """Evaluators whose back end failed and that scored nothing."""
    found = []
    for name, summary in document.evaluators.items():
        failed = any(f.backend and f.evaluator == name for f in document.failures)
        scored = [figure.n for figure in (summary.score, summary.preferences) if figure is not None]
        if failed and not any(scored):
            found.append(name)
    return found


def _tell_failures(document: ScoreDocument) -> None:
    console = err_console()
    for note in document.notes:
        console.print(f"note: {note}", markup=False)
    lines = list(dict.fromkeys(map(_told, document.failures)))
    for line in lines[:MOST_FAILURES]:
        console.print(line, markup=False)
    if (more := len(lines) - MOST_FAILURES) > 0:
        console.print(f"... and {more} more", markup=False)


def _told(failure: Failure) -> str:
    """``failed: FILM, EVALUATOR (TOOL): REASON``, of these what is known."""
    from ..report.words import one_line

    who = failure.evaluator or failure.tool
    if failure.evaluator and failure.tool:
        who = f"{failure.evaluator} ({failure.tool})"
    about = ", ".join(filter(None, (failure.case or failure.pair, who)))
    return one_line(f"failed: {about}: {failure.reason}")
