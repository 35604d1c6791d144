"""Briefs on a terminal: the list, one brief, and what is wrong with some."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..core.brief import Brief
from ..core.briefs import BriefFacts, BriefsDocument

if TYPE_CHECKING:
    from rich.console import Console


def print_briefs(briefs: Sequence[BriefFacts], console: Console) -> None:
    """A brief a line, then how many of each type and language."""
    width = max((len(fact.id) for fact in briefs), default=0)
    for fact in briefs:
        seconds = "" if fact.duration is None else f"{fact.duration:g} s"
        line = (
            f"{fact.id:<{width}}  {fact.language or '':<2}  {seconds:>6}  {fact.shots:>2} shots  {fact.title}"
        )
        console.print(line, markup=False, soft_wrap=True)
    kinds = Counter(fact.video_type or "no type" for fact in briefs)
    tongues = Counter(fact.language or "no language" for fact in briefs)
    for counts in (kinds, tongues):
        console.print(
            ", ".join(f"{name} {n}" for name, n in counts.most_common()), markup=False, soft_wrap=True
        )


def print_brief(brief: Brief, console: Console) -> None:
    """The whole brief in the order in which one would tell it."""
    from rich.padding import Padding
    from rich.text import Text

    def say(text: str, indent: int = 0) -> None:
        console.print(Padding(Text(text), (0, 0, 0, indent), expand=False))

    seconds = "" if brief.planned_duration is None else f"{brief.planned_duration:g} s"
    parts = (brief.id, brief.video_type, brief.language, seconds, f"{len(brief.shots)} shots")
    say(brief.title or brief.id or "Brief")
    say("  ".join(part for part in parts if part))
    if brief.instruction:
        say(f"\n{brief.instruction}")
    for heading, lines in _parts(brief):
        if lines:
            say(f"\n{heading}")
            for line in lines:
                say(line, 2)
    for shot in brief.shots:
        times = "" if shot.start is None or shot.end is None else f"{shot.start:g}-{shot.end:g} s  "
        say(f"\n{shot.id or shot.index + 1}  {times}{shot.scene or ''}")
        if shot.text:
            say(shot.text, 2)
        described = (
            ("camera", shot.camera),
            ("light", shot.lighting),
            ("people", ", ".join(shot.characters)),
            ("says", shot.dialogue),
            ("narration", shot.narration),
        )
        for name, text in described:
            if text:
                say(f"{name}: {text}", 2)


def _parts(brief: Brief) -> list[tuple[str, list[str]]]:
    sound = brief.sound
    heard = [("music", sound.music), ("tone", sound.tone), ("languages", ", ".join(sound.languages))]
    heard += [("sounds", "; ".join(sound.sound_effects))]
    return [
        ("Acts", [f"{act.name}: {act.text}" for act in brief.acts]),
        ("People", [f"{p.name}: {p.description}" for p in brief.characters]),
        ("Must stay", brief.consistency),
        ("Camera", brief.camera),
        ("Sound", [f"{name}: {text}" for name, text in heard if text]),
    ]


def print_problems(document: BriefsDocument, console: Console) -> None:
    """Each problem with what to do, then the counts."""
    for problem in document.problems:
        where = ": ".join(part for part in (problem.brief, problem.place) if part)
        console.print(
            f"{problem.level}  {where + ': ' if where else ''}{problem.message}\n  {problem.hint}",
            markup=False,
            soft_wrap=True,
        )
    levels = Counter(problem.level for problem in document.problems)
    line = f"{len(document.briefs)} briefs, {levels['error']} errors, {levels['warning']} warnings"
    if document.grounded:
        least = min(document.grounded, key=lambda id_: document.grounded[id_])
        line += f"; least grounded: {least} in {document.grounded[least]}"
    console.print(line, markup=False, soft_wrap=True)
