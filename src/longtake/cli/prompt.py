"""``longtake prompt``: a brief as a prompt in the words of one profile."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import BackendError, OutputError, UsageError
from .options import Json, Judge, JudgeBudget, JudgeLimit, JudgePrice
from .output import print_json
from .progress import TerminalProgress

if TYPE_CHECKING:
    from ..core.brief import Brief
    from ..core.prompts import PromptDocument
    from ..diagnosis.profiles import Profile


def prompt(
    brief: Annotated[
        str, typer.Argument(metavar="BRIEF", help="A brief's file, or suite:ID of a brief of longtake's.")
    ],
    profile: Annotated[
        str | None, typer.Option(help="Whose words: a profile's name, or a file.  [default: neutral]")
    ] = None,
    all_profiles: Annotated[
        bool, typer.Option("--all-profiles", help="Write a prompt for each profile of longtake.")
    ] = False,
    judge: Judge = None,
    budget: JudgeBudget = None,
    price: JudgePrice = None,
    judge_limit: JudgeLimit = None,
    out: Annotated[
        Path | None, typer.Option(help="Write it to this file too; the whole document if it ends in .json.")
    ] = None,
    json: Json = False,
) -> None:
    """Write the prompt with which somebody of a profile would ask for a brief's film.

    A prompt is checked against nine criteria; one that fails them ends the command with 1.
    """
    from ..briefs import read_brief
    from ..diagnosis.profiles import load_profile, profiles
    from ..prompting import together, write_prompts

    if profile is not None and all_profiles:
        raise UsageError("--profile and --all-profiles exclude each other", hint="give one of them")
    wanted = list(profiles().values()) if all_profiles else [load_profile(profile or "neutral")]
    asked = read_brief(brief)
    if judge is None:
        written = write_prompts(asked, wanted)
    else:
        written = _by_judge(asked, wanted, judge, budget, price, judge_limit)
    document = together(written).to_json() if all_profiles else written[0].to_json()
    if out is not None:
        _save(out, written, document)
    if json:
        print_json(document)
    else:
        _show(written)
    if any(one.status == "failed" for one in written):
        _unanswered(written)
        _tell(_failed(written, json=json))
        raise typer.Exit(1)


def _by_judge(
    brief: Brief,
    wanted: Sequence[Profile],
    judge: str,
    budget: str | None,
    price: str | None,
    limit: int | None,
) -> list[PromptDocument]:
    from ..execution.judges import asker_for
    from ..prompting.judged import write_judged

    with (
        TerminalProgress() as progress,
        asker_for(
            judge, budget=budget, prices=price, concurrency=limit, tell=_tell, progress=progress
        ) as asker,
    ):
        return write_judged(brief, wanted, asker)


def _failed(written: Sequence[PromptDocument], *, json: bool) -> str:
    """The last sentence where a prompt was rejected."""
    failed = [one for one in written if one.status == "failed"]
    if len(failed) == len(written):
        return "no prompt passed" if json else "no prompt passed; nothing is printed"
    names = ", ".join(str(one.profile["id"]) for one in failed)
    of = f"{len(failed)} of {len(written)} prompts did not pass"
    return f"{of}: {names}" if json else f"{of} and are not printed: {names}"


def _by_a_judge(one: PromptDocument) -> bool:
    return one.writer.name != "longtake"


def _tell(line: str) -> None:
    print(line, file=sys.stderr)


def _unanswered(written: Sequence[PromptDocument]) -> None:
    """Raise ``BackendError`` where a judge was asked to write and gave no answer at all; a budget that stops
    it is no failure of the judge."""
    attempts = [attempt for one in written for attempt in one.attempts]
    if all(attempt.prompt is None and attempt.status != "budget" for attempt in attempts):
        last = attempts[-1]
        raise BackendError(
            f"the judge wrote no prompt ({last.status}): {last.reason or 'no reason is known'}"
        )


def _save(path: Path, written: Sequence[PromptDocument], document: dict[str, object]) -> None:
    import json

    if path.suffix.lower() == ".json":
        text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
    else:
        text = "\n\n".join(one.prompt for one in written if one.prompt is not None) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}") from None


def _show(written: Sequence[PromptDocument]) -> None:
    """The prompts on stdout, so that one can be handed on; everything about them on stderr."""
    for one in written:
        if len(written) > 1:
            print(f"[{one.profile['id']}]")
        if one.prompt is not None:
            print(one.prompt)
        if len(written) > 1:
            print()
        _say_of(one)
    _left_out(written[0])


def _say_of(one: PromptDocument) -> None:
    """What is held against each attempt, and where the brief and the profile are at odds."""
    from ..prompting.judged import AGAIN

    for number, attempt in enumerate(one.attempts, 1):
        which = one.profile["id"]
        if _by_a_judge(one):
            which += f", attempt {number} of at most {1 + AGAIN}"
        for rejection in attempt.rejections:
            who = "rejected" if rejection.by == "rule" else "rejected by the judge"
            _tell(f"{which}: {who} (criterion {rejection.number}): {rejection.reason}")
        if attempt.prompt is None:
            reason = f": {attempt.reason}" if attempt.reason else ""
            _tell(f"{which}: no prompt ({attempt.status}){reason}")
    for note in one.notes:
        _tell(f"{one.profile['id']}: {note}")


def _left_out(one: PromptDocument) -> None:
    from ..prompting.naming import counted

    if one.left_out:
        _tell(
            f"{len(one.left_out)} facts of the brief have no room in {one.limit} characters and are left out "
            f"for every profile: {counted([f.id for f in one.left_out])}; --json names each"
        )
