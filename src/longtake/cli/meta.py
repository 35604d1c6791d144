"""``longtake meta``: whether an evaluator can be trusted, from a table of what it said."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UsageError
from .options import Json
from .output import err_console, out_console, print_json

if TYPE_CHECKING:
    from ..core.meta import MetaDocument, Study
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
        level=checked_level(level),
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
    Read where there: source, duration, share_changed, kept, control, evaluator, status.
    Constant and random guesses, and evaluators named cue.*, stand beside.
    """
    from typing import get_args

    from ..core.studies import Ties
    from ..meta.studies.run import Asked

    policy = next((t for t in get_args(Ties) if t == ties.strip().lower()), None)
    if policy is None:
        raise UsageError(f"{ties!r} is no way to count ties", hint=f"one of {', '.join(get_args(Ties))}")
    asked = Asked(
        level=checked_level(level),
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
    Read where there: source, strength, control, evaluator, status.
    """
    from ..meta.studies.run import Asked

    asked = Asked(level=checked_level(level), draws=draws, seed=seed, moment_s=moment)
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
        level=checked_level(level), draws=draws, seed=seed, differences=not alone, same_raters=not anonymous
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
        "filter",
        table,
        Asked(level=checked_level(level), draws=draws, seed=seed),
        column,
        json,
        out,
        facts=pairs,
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
    from .meta_table import column, renamed, table_of

    names = dict(column(text) for text in columns or [])
    read, scored_with = table_of(path, study)
    table = renamed(read, names)
    extra = read_table(facts) if facts is not None else None
    rated = read_table(ratings) if ratings is not None else None
    document = run(study, table, asked, facts=extra, ratings=rated)
    document = _made_of(document, names, ratings, scored_with)
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


def _made_of(
    document: MetaDocument, names: dict[str, str], ratings: Path | None, notes: list[str]
) -> MetaDocument:
    """The document with what it was made of: renamed columns, single ratings, how films were scored."""
    table = document.table.model_copy(update={"renamed": names})
    options = document.options if ratings is None else {**document.options, "ratings": ratings.name}
    return document.model_copy(
        update={"table": table, "options": options, "notes": [*document.notes, *notes]}
    )


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


def checked_level(level: float) -> float:
    """The level, where intervals can be told at it. Raises ``UsageError``."""
    if not 0.5 <= level <= 0.9999:
        raise UsageError(f"--level {level:g} is not between 0.5 and 0.9999", hint="0.95 is usual")
    return level
