"""Options that several commands share, each written once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..core.judge import NO_REPLY
from ..errors import BackendError, UsageError
from .output import err_console

if TYPE_CHECKING:
    from ..core.judgement import JudgeFacts
    from ..core.video import Video
    from ..judging import JudgeOptions

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="A video file; a folder of shot clips or of numbered pictures (with --fps); or clips in order.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
Fps = Annotated[
    str | None, typer.Option(help="Pictures per second of numbered pictures, as 24 or 30000/1001.")
]
Start = Annotated[str | None, typer.Option(help="Begin here: seconds or hh:mm:ss.mmm on the film's clock.")]
End = Annotated[str | None, typer.Option(help="End here: seconds or hh:mm:ss.mmm on the film's clock.")]
Workers = Annotated[
    int | None, typer.Option(min=1, max=64, help="Processes for long films; results do not depend on it.")
]
Embedder = Annotated[
    str | None,
    typer.Option(
        help="Image embedder: mobilenet-v2, clip:FOLDER (or siglip, dinov2, dino), onnx:IMAGE.onnx.",
        metavar="NAME",
    ),
]
TextPicture = Annotated[
    str | None,
    typer.Option(
        help="Text-picture model: clip:FOLDER, siglip:FOLDER, onnx:IMAGE,TEXT,TOKENIZER."
        "  [default: a proxy, where it is installed]",
        metavar="NAME",
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        help="A model for a role of the evaluators: ROLE=NAME; again for each role."
        "  [default: what runs offline, mostly proxies]",
        metavar="ROLE=NAME",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="A parameter of an evaluator, as its card names it: EVALUATOR.PARAMETER=VALUE; may be repeated.",
        metavar="NAME=VALUE",
    ),
]
ShotsFile = Annotated[
    Path | None, typer.Option("--shots", help="Shot list that replaces detection, as longtake shots writes.")
]
Judge = Annotated[
    str | None,
    typer.Option(
        help="Who is asked: openai, openai:MODEL, transformers:FOLDER, replay:FILE|DIR, or the name of one "
        "that a package brings.  [default: nobody, rules alone]",
        metavar="NAME",
    ),
]
JudgeDraws = Annotated[
    int,
    typer.Option("--draws", min=1, max=32, help="Times the judge is asked each question about a checkpoint."),
]
JudgeBudget = Annotated[
    str | None,
    typer.Option(
        "--budget",
        help="What the judge may cost at most: any of calls=100,tokens=200000,money=5. Only the first "
        "question, whose cost nobody knows, could pass it.",
        metavar="NAME=N,...",
    ),
]
JudgePrice = Annotated[
    str | None,
    typer.Option(
        "--price",
        help="What you pay for a million tokens, as input=2.5,output=10: for the estimate and for money.",
        metavar="input=N,output=N",
    ),
]
JudgeLimit = Annotated[
    int | None,
    typer.Option(
        "--judge-limit",
        min=1,
        max=256,
        help="Calls to the judge at once at most.  [default: 4, and up to 16 as the server allows]",
    ),
]


def open_files(files: list[str], fps: str | None, start: str | None, end: str | None) -> Video:
    """The film that the arguments name."""
    from ..media.open import open_video

    return open_video(files[0] if len(files) == 1 else files, fps=fps, start=start, end=end)


def judge_options(
    judge: str | None, draws: int, budget: str | None, price: str | None, limit: int | None
) -> JudgeOptions | None:
    """The judge that the arguments name, and how it is asked; what leaves the machine is told on stderr.

    Raises:
        UsageError: a word about a judge where there is none, or a budget or price that is none.
    """
    from ..judging import JudgeOptions

    if judge is None:
        given = {"--draws": draws > 1, "--budget": budget, "--price": price, "--judge-limit": limit}
        if stray := [name for name, value in given.items() if value]:
            raise UsageError(f"{stray[0]} is about a judge, and there is none", hint="name one with --judge")
        return None
    from ..execution.budget import Budget, Prices

    if price:
        Prices.read(price)
    if budget:
        Budget.read(budget)

    def tell(text: str) -> None:
        err_console().print(text, markup=False, soft_wrap=True)

    return JudgeOptions(judge, draws=draws, budget=budget, prices=price, concurrency=limit, tell=tell)


def check_judge(judge: JudgeFacts | None, rest: str, why: str | None = None) -> None:
    """Raise ``BackendError`` where a judge was asked and nothing that it was asked has an answer; ``rest``
    says what there is all the same, ``why`` what became of one question."""
    if judge is None or judge.answered or judge.not_answered.get("budget", 0) == judge.asked:
        return
    ends = ", ".join(f"{n} {end.replace('_', ' ')}" for end, n in judge.not_answered.items())
    told = judge.stopped or (f"{ends}; {why}" if why else ends)
    raise BackendError(f"the judge {judge.name} answered nothing: {told}", hint=rest)


def unanswered(judge: JudgeFacts | None) -> bool:
    """Whether a judge gave no reply to something, or was not asked it for a budget."""
    return judge is not None and any(end in judge.not_answered for end in NO_REPLY)


def named_values(given: Sequence[str] | None, option: str, usage: str) -> dict[str, str]:
    """``NAME=VALUE`` texts of an option as a mapping. Raises ``UsageError``."""
    found: dict[str, str] = {}
    for text in given or ():
        name, equals, value = (part.strip() for part in text.partition("="))
        if not name or not equals or not value:
            raise UsageError(f"{option} {text!r} names nothing", hint=f"write {option} {usage}")
        if name in found:
            raise UsageError(f"{option} {name} is given twice")
        found[name] = value
    return found
