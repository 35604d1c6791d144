"""Summaries for people in a terminal: short, as wide as the window, plain text when there is no terminal."""

from __future__ import annotations

import sys
from typing import TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from longtake.core.documents import DiagnosisDocument, ProbeDocument, ShotsDocument

from .advice import CHANGES, TOLD, counted
from .judged import asked_of, disputed, interval, left, spent
from .missing import missing_said
from .reasons import reason, rests_on
from .told import lacking, told
from .words import (
    SEVERITIES,
    clock,
    count,
    dimension,
    file_name,
    film_facts,
    number,
    one_line,
    percent,
    profile,
    scored_of,
    sentence,
    share,
    undecoded,
    words,
)

FIRST = 5  # findings and weak points that are printed; the report has all
GROUPS_SHOWN = 4
STEPS_SHOWN = 3
CHANGES_SHOWN = 6
PROBLEMS_SHOWN = 3
BAR = 10
SEVERITY_ORDER = ("problem", "warning", "info")
STYLES = {"problem": "bold red", "warning": "yellow", "info": "cyan"}


def console_for(stream: TextIO | None = None, width: int | None = None) -> Console:
    """A console on ``stream`` (standard output if not given); control sequences only for a terminal."""
    stream = stream or sys.stdout
    terminal = stream.isatty()
    return Console(
        file=stream,
        width=width,
        force_terminal=terminal,
        color_system="auto" if terminal else None,
        highlight=False,
        markup=False,
        emoji=False,
    )


def print_diagnosis(
    document: DiagnosisDocument, console: Console, report: str | None = None, shown: str | None = None
) -> None:
    """What was found first, the scores with what they cover, what is unscored and why, and the report.

    ``shown`` is the film as the user named it; without it the name of the file stands there.
    """
    video = document.video
    _wrapped(console, one_line(shown or file_name(video.path)), "bold")
    _wrapped(console, " · ".join([*film_facts(video), f"profile {profile(document.profile)}"]), "dim")
    damage = [undecoded(video)] if video.decode_errors else []
    for problem in damage + [p.message for p in video.problems[:PROBLEMS_SHOWN]]:
        _wrapped(console, one_line(problem, 200), "yellow")
    console.print()
    _against(document, console)
    _findings(document, console)
    _scores(document, console)
    _judge(document, console)
    _written(document, console)
    _repair(document, console)
    if seen := " ".join([*told(document), lacking(document, asked_only=True)]).strip():
        _wrapped(console, one_line(seen, 1200))
    unscored = missing_said(document.checkpoints, GROUPS_SHOWN, "the report lists all")
    if unscored:
        _wrapped(console, one_line(unscored, 900))
    failed = [t for t in document.trace if t.status == "failed"]
    for entry in failed:
        _wrapped(console, f"Failed: {one_line(entry.tool)}: {one_line(reason(entry.reason), 200)}", "red")
    where = report or document.report
    if where:
        _wrapped(console, f"Report: {one_line(where)}")


def _findings(document: DiagnosisDocument, console: Console) -> None:
    worst = sorted(document.findings, key=lambda f: (SEVERITY_ORDER.index(f.severity), f.start))
    if not worst:
        console.print("Nothing stood out in what could be measured.")
    else:
        table = Table.grid(padding=(0, 1))
        table.add_column(no_wrap=True)
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for finding in worst[:FIRST]:
            label = Text(SEVERITIES[finding.severity], STYLES[finding.severity])
            table.add_row(clock(finding.start), label, sentence(one_line(finding.what, 200)))
        console.print(table)
        if len(worst) > FIRST:
            counts = ", ".join(
                f"{n} {SEVERITIES[s].lower()}{'s' if n != 1 else ''}"
                for s in SEVERITY_ORDER
                if (n := sum(f.severity == s for f in worst))
            )
            _wrapped(console, f"{len(worst)} findings in all: {counts}", "dim")
    by_id = {c.id: c for c in document.checkpoints}
    weak = [by_id[b] for b in document.bottlenecks if b in by_id][:FIRST]
    if weak:
        _wrapped(console, "Weakest: " + ", ".join(f"{words(c.id).lower()} {share(c.value)}" for c in weak))
    console.print()


def _scores(document: DiagnosisDocument, console: Console) -> None:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold", style="dim")
    rows = [(d, dimension(d), s) for d, s in document.dimensions.items()]
    for key, name, score in [*rows, ("", "Overall", document.overall)]:
        style = "bold" if name == "Overall" else ""
        filled = round(BAR * score.value) if score.value is not None else 0
        bar = "█" * filled + "░" * (BAR - filled) if score.value is not None else "·" * BAR
        why = one_line(rests_on(document, key, score), 160)
        table.add_row(Text(name, style), Text(share(score.value), style), bar, why)
    console.print(table)
    violated = [words(c.id).lower() for c in document.constraints if c.status == "violated"]
    if violated:
        before = share(document.overall_without_penalty.value)
        _wrapped(console, f"Violated: {', '.join(violated)} (without the penalty {before})", "red")
    _wrapped(console, scored_of(document.coverage) + ".")


def _against(document: DiagnosisDocument, console: Console) -> None:
    """What became of the earlier version, before anything else: it is what was asked for."""
    found = document.against
    if found is None:
        return
    told = counted(found.changes) or "nothing could be compared"
    _wrapped(console, f"Against {one_line(found.old, 120)}: {told}.", "bold")
    ranked = [c for kind in TOLD for c in found.changes if c.change == kind]
    for change in ranked[:CHANGES_SHOWN]:
        name = dimension(change.id) if change.kind == "dimension" else words(change.id)
        # What a mended result still points to is in the report: here it would read as the contrary.
        times = [clock(e.start) for e in change.came[:3]] if change.change in ("broken", "worse") else []
        where = f", seen at {', '.join(times)}" if times else ""
        what = f"{CHANGES[change.change].lower()}: {name.lower()}"
        line = f"{what} {share(change.old)} → {share(change.new)}{where}"
        _wrapped(console, f"  {line}", "red" if change.change in ("broken", "worse") else "")
    if len(ranked) > CHANGES_SHOWN:
        _wrapped(console, f"  and {len(ranked) - CHANGES_SHOWN} more in the report", "dim")
    if found.differs:
        _wrapped(console, f"The two runs differ in {one_line(', '.join(found.differs), 200)}.", "yellow")
    console.print()


def _judge(document: DiagnosisDocument, console: Console) -> None:
    facts = document.judge
    if facts is None:
        return
    if told := interval(document):
        _wrapped(console, told)
    called = f" {spent(facts)}" if facts.calls else ""
    _wrapped(console, f"Judge {one_line(facts.name, 80)}: {asked_of(facts)}. {left(facts)}{called}")
    if facts.stopped:
        _wrapped(console, sentence(one_line(facts.stopped, 200)) + ".", "yellow")
    if names := [words(c.id).lower() for c in document.checkpoints if disputed(c)]:
        more = f" and {len(names) - FIRST} more" if len(names) > FIRST else ""
        _wrapped(console, f"Judge and rule disagree on {', '.join(names[:FIRST])}{more}.", "yellow")


def _written(document: DiagnosisDocument, console: Console) -> None:
    written = document.written
    for claim in written.claims if written else ():
        _wrapped(
            console,
            f"“{one_line(claim.text, 500)}” ({', '.join(words(c).lower() for c in claim.checkpoints)})",
        )
    if written and written.removed:
        removed = count(len(written.removed), "sentence of the judge was", "sentences of the judge were")
        _wrapped(console, f"{removed} taken out; the report says why.", "dim")


def _repair(document: DiagnosisDocument, console: Console) -> None:
    if not document.repair:
        return
    console.print()
    for i, repair in enumerate(document.repair[:STEPS_SHOWN], start=1):
        _wrapped(console, f"{i}. {one_line(repair.directive, 240)}")
    if len(document.repair) > STEPS_SHOWN:
        _wrapped(
            console,
            f"{len(document.repair)} things to do in all: the report and repair.json have them.",
            "dim",
        )


def print_shots(document: ShotsDocument, console: Console) -> None:
    """A table of shots, each with how it begins."""
    into = {t.frame: t for t in document.transitions}
    table = _table("shot", "start", "end", "length", "frames", "begins with")
    for shot in document.shots:
        transition = into.get(shot.first_frame)
        begins = f"{transition.kind} ({percent(transition.confidence)})" if transition else ""
        frames = f"{shot.first_frame}–{shot.last_frame}"
        table.add_row(
            str(shot.index + 1),
            clock(shot.start),
            clock(shot.end),
            f"{shot.end - shot.start:.2f} s",
            frames,
            begins,
        )
    console.print(table)
    total = f"{len(document.shots)} shots, {document.frames:,} frames, {clock(document.duration)}"
    _wrapped(console, f"{total} ({document.source})", "dim")
    if document.dropped:
        times = ", ".join(clock(t.start) for t in document.dropped)
        _wrapped(console, f"Dropped the least sure boundaries: {times}")
    if document.missing:
        _wrapped(console, f"{document.missing} of the asked-for boundaries were not found.", "yellow")


def print_probe(document: ProbeDocument, console: Console) -> None:
    """What a file says of itself, one fact a line; then its clips and its problems."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    table.add_row("file", one_line(document.path))
    table.add_row("hash", document.hash[:16])
    table.add_row("container", one_line(document.container or "–"))
    table.add_row("duration", clock(document.duration))
    picture = document.video
    if picture is None:
        table.add_row("picture", "none")
    else:
        rate = "unknown rate" if picture.fps is None else f"{picture.fps:.4g} fps"
        turned = f", rotated {picture.rotation}°" if picture.rotation else ""
        uneven = ", uneven frame times" if picture.vfr else ""
        facts = f"{picture.codec}, {picture.width} × {picture.height}, {rate}{uneven}{turned}"
        table.add_row("picture", one_line(facts + (f", {picture.pix_fmt}" if picture.pix_fmt else "")))
    for track in document.audio:
        facts = (
            f"{track.codec}, {track.sample_rate} Hz, {track.layout or number(track.channels) + ' channels'}"
        )
        table.add_row("sound", one_line(facts + (f", {track.language}" if track.language else "")))
    if not document.audio:
        table.add_row("sound", "none")
    for other in document.other_streams:
        table.add_row("other", one_line(other))
    console.print(table)
    if document.parts:
        clips = _table("clip", "start", "length", "size", "fps", "sound")
        for part in document.parts:
            size = f"{part.width} × {part.height}" if part.width else "–"
            sound = "yes" if part.audio else "no"
            clips.add_row(
                one_line(part.path), clock(part.start), clock(part.duration), size, number(part.fps), sound
            )
        console.print(clips)
    for problem in document.problems:
        _wrapped(console, f"{problem.code}: {one_line(problem.message)}", "yellow")


def _table(*columns: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", show_edge=False)
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i in (0, len(columns) - 1) else "right", overflow="fold")
    return table


def _wrapped(console: Console, text: str, style: str = "") -> None:
    console.print(Text(text, style, overflow="fold"))
