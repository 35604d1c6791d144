"""``longtake meta``: whether an evaluator can be trusted, from a table of what it said."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UsageError
from .options import Json
from .output import err_console, out_console, print_json

if TYPE_CHECKING:
    from ..core.meta import Study
    from ..core.table import Table
    from ..meta.studies.run import Asked

app = typer.Typer(
    help="Evaluate an evaluator: studies on a table of its scores or answers, ours or anybody's.",
    no_args_is_help=True,
)

TableFile = Annotated[
    Path,
    typer.Argument(
        metavar="TABLE",
        help="CSV, JSONL, JSON or Parquet, or the folder or JSON that longtake score wrote.",
        show_default=False,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(help="Folder for tables (CSV), figures (SVG), JSON and one HTML page.", show_default=False),
]
Draws = Annotated[int, typer.Option(min=100, max=1_000_000, help="Bootstrap draws.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the draws; the same seed gives the same numbers.")]
Level = Annotated[float, typer.Option(help="Level of all intervals, between 0.5 and 0.9999.")]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="NAME=THEIRS",
        help="Read column NAME from the table's column THEIRS. May be repeated.",
    ),
]
Pairs = Annotated[
    Path | None,
    typer.Option(
        help="Pair manifest (or any table with a column pair): fills in source, aspect, duration and so on,"
        " and rows of other pairs are left out and counted.",
        show_default=False,
    ),
]
Cases = Annotated[
    Path | None,
    typer.Option(
        help="Table with a column case that fills in what TABLE lacks; rows of other cases are left out"
        " and counted.",
        show_default=False,
    ),
]
Alone = Annotated[
    bool, typer.Option("--no-differences", help="Do not compare every evaluator with every other.")
]
Lower = Annotated[
    list[str] | None,
    typer.Option(
        "--lower-is-better", metavar="EVALUATOR", help="Lower scores of it are better. May be repeated."
    ),
]


@app.command()
def sensitivity(
    table: TableFile,
    cases: Cases = None,
    lower: Lower = None,
    best: Annotated[
        list[str] | None,
        typer.Option(
            metavar="EVALUATOR=VALUE",
            help="Best end of its range, to tell a score at the ceiling from a blind one. May be repeated.",
        ),
    ] = None,
    column: Columns = None,
    json: Json = False,
    out: Out = None,
    draws: Draws = 10_000,
    seed: Seed = 0,
    level: Level = 0.95,
) -> None:
    """Does the score fall with the strength of a damage?

    Columns: case, family, strength (0 is the control), score.
    Read where there: source, evaluator, status.
    """
    from ..meta.studies.run import Asked

    asked = Asked(
        level=_level(level),
        draws=draws,
        seed=seed,
        lower_is_better=frozenset(lower or []),
        best=dict(_number(text) for text in best or []),
    )
    _study("sensitivity", table, asked, column, json, out, facts=cases)


@app.command()
def pairwise(
    table: TableFile,
    pairs: Pairs = None,
    ties: Annotated[
        str, typer.Option(metavar="half|wrong|exclude", help="How an answer of two equal scores counts.")
    ] = "half",
    lower: Lower = None,
    alone: Alone = False,
    column: Columns = None,
    json: Json = False,
    out: Out = None,
    draws: Draws = 10_000,
    seed: Seed = 0,
    level: Level = 0.95,
) -> None:
    """Is the undamaged film of a pair preferred?

    Columns: pair, aspect, order, choice; or pair, aspect, score_a, score_b.
    order is ab or ba; choice is a (the undamaged film), b or tie.
    Read where there: source, duration, share_changed, kept, evaluator, status.
    Constant and random guesses, and evaluators named cue.*, stand beside.
    """
    from typing import get_args

    from ..core.studies import Ties
    from ..meta.studies.run import Asked

    policy = next((t for t in get_args(Ties) if t == ties.strip().lower()), None)
    if policy is None:
        raise UsageError(f"{ties!r} is no way to count ties", hint=f"one of {', '.join(get_args(Ties))}")
    asked = Asked(
        level=_level(level),
        draws=draws,
        seed=seed,
        ties=policy,
        lower_is_better=frozenset(lower or []),
        differences=not alone,
    )
    _study("pairwise", table, asked, column, json, out, facts=pairs)


@app.command()
def localisation(
    table: TableFile,
    pairs: Pairs = None,
    moment: Annotated[
        float,
        typer.Option(min=0, help="Seconds by which a span may miss the place where something was removed."),
    ] = 0.5,
    column: Columns = None,
    json: Json = False,
    out: Out = None,
    draws: Draws = 10_000,
    seed: Seed = 0,
    level: Level = 0.95,
) -> None:
    """Does it point at what was changed, and at nothing on the control?

    Columns: pair, aspect, changed, found, control_found, minutes (of the control).
    Spans are JSON, [[1.5, 3.0]]; [] found nothing, an empty cell was not scored.
    Read where there: source, strength, evaluator, status.
    """
    from ..meta.studies.run import Asked

    asked = Asked(level=_level(level), draws=draws, seed=seed, moment_s=moment)
    _study("localisation", table, asked, column, json, out, facts=pairs)


@app.command()
def correlation(
    table: TableFile,
    cases: Cases = None,
    ratings: Annotated[
        Path | None,
        typer.Option(
            help="Single ratings (case, rater, rating): how far raters agree, and the ceiling that sets.",
            show_default=False,
        ),
    ] = None,
    anonymous: Annotated[
        bool,
        typer.Option("--anonymous-raters", help="A rater's name stands for other people in other cases."),
    ] = False,
    alone: Alone = False,
    column: Columns = None,
    json: Json = False,
    out: Out = None,
    draws: Draws = 10_000,
    seed: Seed = 0,
    level: Level = 0.95,
) -> None:
    """Does the score go along with people's ratings?

    Columns: case, score, human (the mean rating; or give --ratings).
    Read where there: brief, system, evaluator, status.
    The parts of a score that is made of several are evaluators of their own.
    """
    from ..meta.studies.run import Asked

    asked = Asked(
        level=_level(level), draws=draws, seed=seed, differences=not alone, same_raters=not anonymous
    )
    _study("correlation", table, asked, column, json, out, facts=cases, ratings=ratings)


@app.command("filter")
def human_filter(
    table: TableFile,
    pairs: Pairs = None,
    column: Columns = None,
    json: Json = False,
    out: Out = None,
    draws: Draws = 10_000,
    seed: Seed = 0,
    level: Level = 0.95,
) -> None:
    """Which pairs do people keep?

    Columns: pair, aspect, rater, vote.
    A: all chosen clips are visibly damaged, B: some, C: the damage failed.
    A pair is kept if nobody says C and more say A than B.
    --out writes kept.csv, which longtake meta pairwise --pairs reads.
    """
    from ..meta.studies.run import Asked

    _study(
        "filter", table, Asked(level=_level(level), draws=draws, seed=seed), column, json, out, facts=pairs
    )


def _study(
    study: Study,
    path: Path,
    asked: Asked,
    columns: list[str] | None,
    json: bool,
    out: Path | None,
    *,
    facts: Path | None,
    ratings: Path | None = None,
) -> None:
    from ..meta.studies.run import run
    from ..storage.tables import read_table

    names = dict(_column(text) for text in columns or [])
    table = _renamed(_table(path, study), names)
    extra = read_table(facts) if facts is not None else None
    rated = read_table(ratings) if ratings is not None else None
    document = run(study, table, asked, facts=extra, ratings=rated)
    if out is not None:
        from ..report.studies.output import write

        document = write(document, out, pairs=extra or table)
    if json:
        print_json(document.to_json())
        return
    from ..report.studies.terminal import print_study

    print_study(document, out_console())
    if document.report is not None:
        err_console().print(f"written: {document.report}", markup=False, soft_wrap=True)


def _table(path: Path, study: Study) -> Table:
    """The table that a path names: a file, a folder that longtake score wrote, or its document."""
    from ..errors import InputError
    from ..storage.tables import read_table, table_bytes

    if path.is_dir():
        name = "scores.csv" if study == "correlation" else f"{study}.csv"
        if not (path / name).is_file():
            raise InputError(f"{path} holds no {name}", hint="give a table, or a folder of longtake score")
        return read_table(path / name)
    head = table_bytes(path)[:200]
    if b'"longtake.score/' not in head:
        return read_table(path)
    from ..core.scores import ScoreDocument
    from ..meta.studies.scored import table_of

    try:
        document = ScoreDocument.model_validate_json(table_bytes(path))
    except ValueError as error:
        said = str(error).splitlines()[0]
        raise InputError(f"{path} is a damaged document of longtake score: {said}") from None
    return table_of(document, study, path.name)


def _renamed(table: Table, names: dict[str, str]) -> Table:
    """The table with its columns under the names that a study reads."""
    from dataclasses import replace

    for ours, theirs in names.items():
        if theirs not in table.columns:
            raise UsageError(
                f"--column {ours}={theirs}: {table.source} has no column {theirs!r}",
                hint=f"it has {', '.join(table.columns)}",
            )
        if ours in table.columns and ours not in names.values():
            raise UsageError(f"--column {ours}={theirs}: {table.source} has a column {ours!r} of its own")
    if not names:
        return table
    back = {theirs: ours for ours, theirs in names.items()}
    return replace(
        table,
        columns=tuple(back.get(name, name) for name in table.columns),
        rows=[{back.get(name, name): cell for name, cell in row.items()} for row in table.rows],
    )


def _column(text: str) -> tuple[str, str]:
    ours, sign, theirs = (part.strip() for part in text.partition("="))
    if not (ours and sign and theirs):
        raise UsageError(f"{text!r} names no column", hint="write NAME=THEIRS, as --column score=clip_score")
    return ours, theirs


def _number(text: str) -> tuple[str, float]:
    from ..core.cells import number

    name, sign, value = (part.strip() for part in text.rpartition("="))
    try:
        best = number(value)
    except ValueError as error:
        raise UsageError(f"--best {text}: the value {error}") from None
    if not (name and sign) or best is None or best != best or abs(best) == float("inf"):
        raise UsageError(f"--best {text!r} names no value", hint="write EVALUATOR=VALUE, as clip=1")
    return name, best


def _level(level: float) -> float:
    if not 0.5 <= level <= 0.9999:
        raise UsageError(f"--level {level:g} is not between 0.5 and 0.9999", hint="0.95 is usual")
    return level
