"""``longtake perturb``: damaged copies of films with a record of every change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError, UsageError
from .options import Embedder, Json, Workers, open_files
from .output import err_console, out_console, print_json
from .progress import TerminalProgress

if TYPE_CHECKING:
    from ..core.documents import SuiteDocument
    from ..meta.perturbations import ChangeRecord
    from ..perturbing.given import Given

SHOWN = 12
"""Spans and reasons that are listed; the documents have all."""


def perturb(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="VIDEO|MANIFEST", help="A film, or with --suite a manifest.", show_default=False
        ),
    ] = None,
    operator: Annotated[str | None, typer.Option(help="What to do to it.", metavar="NAME")] = None,
    strength: Annotated[
        str, typer.Option(help="A number in the operator's unit, or weak, medium, strong.", metavar="S")
    ] = "medium",
    suite: Annotated[
        str | None,
        typer.Option(help="All operators of a suite: slvmeval, long-code, controls.", metavar="NAME"),
    ] = None,
    strengths: Annotated[
        str | None,
        typer.Option(help="Strengths in place of the suite's own, as weak,strong.", metavar="S,..."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Draws the places; the same seed gives the same film.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(help="The damaged film; with --suite a folder.  [default: in longtake-out]"),
    ] = None,
    control: Annotated[
        Path | None,
        typer.Option(help="The control: the same spans encoded, undamaged.  [default: beside the film]"),
    ] = None,
    brief: Annotated[
        Path | None,
        typer.Option(
            help="The film's brief, or suite:ID: its shots are the clips, its texts their captions."
        ),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            help="What a clip is: brief, shot or block.  [default: the operator's own]", metavar="UNIT"
        ),
    ] = None,
    block: Annotated[float | None, typer.Option(min=0.1, help="Length of a block in seconds.")] = None,
    pool: Annotated[
        list[Path] | None,
        typer.Option(help="A film to take segments from; may be repeated.", metavar="VIDEO"),
    ] = None,
    other: Annotated[
        str | None, typer.Option(help="The other film that an operator takes from.", metavar="VIDEO")
    ] = None,
    other_brief: Annotated[Path | None, typer.Option(help="The other brief that it takes.")] = None,
    masker: Annotated[str | None, typer.Option(help="What finds things.", metavar="NAME")] = None,
    editor: Annotated[str | None, typer.Option(help="What changes them.", metavar="NAME")] = None,
    generator: Annotated[str | None, typer.Option(help="What makes pictures.", metavar="NAME")] = None,
    embedder: Embedder = None,
    sheet: Annotated[Path | None, typer.Option(help="Write frames before and after (JPEG or PNG).")] = None,
    sheets: Annotated[
        bool,
        typer.Option("--sheets", help="With --suite: frames before and after of each pair, in OUT/sheets."),
    ] = False,
    listing: Annotated[bool, typer.Option("--list", help="List the operators and stop.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what a suite would make and take, and stop.")
    ] = False,
    json: Json = False,
    workers: Workers = None,
) -> None:
    """Damage a film in a known way, with a control, to put evaluators to the test."""
    if listing:
        _list(json)
        return
    if not files:
        raise UsageError(
            "name a film, or a manifest with --suite", hint="longtake perturb --list names operators"
        )
    if (operator is None) == (suite is None):
        raise UsageError("give --operator or --suite", hint="longtake perturb --list names operators")
    from ..briefs.read import read_brief
    from ..media.open import open_video
    from ..perturbing.given import given_by

    given = given_by(
        brief=read_brief(brief) if brief is not None else None,
        unit=unit,
        block=block,
        pool=pool or (),
        other=open_video(other) if other is not None else None,
        other_brief=read_brief(other_brief) if other_brief is not None else None,
        masker=masker,
        editor=editor,
        generator=generator,
        embedder=embedder,
    )
    if suite is not None:
        if control or sheet or brief:
            raise UsageError(
                "--control, --sheet and --brief are for one film",
                hint="a manifest has a column brief, and --sheets draws a sheet for each pair",
            )
        wanted = [s.strip() for s in strengths.split(",") if s.strip()] if strengths else []
        _suite(Path(files[0]), suite, wanted, seed, out, given, sheets, dry_run, json, workers)
    else:
        if sheets or strengths or dry_run:
            raise UsageError(
                "--sheets, --strengths and --dry-run are for a suite",
                hint="of one film: --sheet FILE, --strength S",
            )
        _film(files, operator or "", strength, seed, out, control, sheet, given, json, workers)


def _film(
    files: list[str],
    operator: str,
    strength: str,
    seed: int,
    out: Path | None,
    control: Path | None,
    sheet: Path | None,
    given: Given,
    json: bool,
    workers: int | None,
) -> None:
    from ..api import default_out
    from ..meta.perturbations.whole import check_names
    from ..perturbing.one import perturb_film
    from ..storage.manifest import SUFFIXES

    if Path(files[0]).suffix.lower() in SUFFIXES:
        raise InputError(
            f"{files[0]} is a table, and --operator takes a film", hint="of a manifest give --suite NAME"
        )
    film = open_files(files, None, None, None)
    place = out or default_out(film) / f"{operator}-{strength}-{seed}.mp4"
    check_names(place)
    with TerminalProgress() as progress:
        record = perturb_film(
            film,
            operator,
            strength,
            seed,
            place,
            control or place.with_suffix(f".control{place.suffix}"),
            given,
            sheet=sheet,
            workers=workers,
            progress=progress,
        )
    if json:
        print_json(record.to_json())
    else:
        _tell(record)


def _tell(record: ChangeRecord) -> None:
    from rich.table import Table

    console = out_console()
    console.print(f"damaged  {record.output}", soft_wrap=True)
    console.print(f"control  {record.control}", soft_wrap=True)
    how = f" ({record.why_full})" if record.why_full else ""
    encoded = sum(s.end - s.start for s in record.encoded)
    console.print(
        f"{record.operator} {record.strength:g}, seed {record.seed}: {record.share_changed:.1%} of "
        f"{record.duration_in:.3f} s changed; {encoded:.2f} s of picture encoded, mode {record.mode}{how}; "
        f"sound {record.sound}; {record.duration_out:.3f} s long now"
    )
    facts = record.facts
    if "n_clips" in facts:
        console.print(
            f"{facts['n_clips']} clips damaged, of {facts['n_eligible']} that could be, of "
            f"{facts['clips_of_film']} in the film" + (f" ({facts['words']})" if facts.get("words") else "")
        )
    if "seconds" in facts:
        console.print(f"{facts['seconds']:g} s of damage")
    if record.proxies:
        console.print(f"in place of a model: {', '.join(record.proxies)}")
    table = Table("source", "output", "what", box=None, pad_edge=False)
    for change in record.changed[:SHOWN]:
        table.add_row(_clock(change.source), _clock(change.output), change.what)
    console.print(table)
    if len(record.changed) > SHOWN:
        console.print(f"and {len(record.changed) - SHOWN} more (--json has all)")


def _clock(span: Any) -> str:
    return "-" if span is None else f"{span.start:.3f}-{span.end:.3f}"


def _suite(
    manifest: Path,
    name: str,
    strengths: list[str],
    seed: int,
    out: Path | None,
    given: Given,
    sheets: bool,
    dry_run: bool,
    json: bool,
    workers: int | None,
) -> None:
    from ..perturbing.suites import SuiteRun, suite_named
    from ..storage.manifest import SUFFIXES, read_manifest

    suite = suite_named(name)
    if manifest.suffix.lower() not in SUFFIXES:
        raise InputError(
            f"--suite takes a manifest, and {manifest} is none",
            hint=f"a table with a column video: {', '.join(sorted(SUFFIXES))}",
        )
    table = read_manifest(manifest)
    if table.pairs:
        raise InputError(f"{manifest} is a manifest of pairs", hint="a suite is made from one of films")
    place = out or Path("longtake-out") / f"{manifest.stem}-{name}"
    with TerminalProgress() as progress:
        run = SuiteRun(
            suite,
            table.cases,
            place,
            seed,
            given,
            strengths=strengths,
            sheets=sheets,
            workers=workers,
            progress=progress,
        )
        console = err_console() if json else out_console()
        console.print(
            f"up to {run.copies} films to write, about {run.bytes / 1e9:.2f} GB in {place} "
            f"({run.free / 1e9:.1f} GB free)",
            soft_wrap=True,
        )
        document = run.document() if dry_run else run.run()
    if json:
        print_json(document.to_json())
    elif not dry_run:
        _tell_suite(document)
    if document.failed:
        raise typer.Exit(1)


def _tell_suite(document: SuiteDocument) -> None:
    console = out_console()
    console.print(f"{document.n_pairs} pairs in {document.pairs}", soft_wrap=True)
    for word, left_out in (("left out", document.skipped), ("failed", document.failed)):
        if left_out:
            console.print(f"{word}: {len(left_out)} families of a film")
        for item in left_out[:SHOWN]:
            console.print(f"  {item.case}, {item.operator}: {item.reason}")
        if len(left_out) > SHOWN:
            console.print(f"  and {len(left_out) - SHOWN} more (--json has all)")


def _list(json: bool) -> None:
    from ..core.documents import OperatorEntry, OperatorsDocument
    from ..meta.perturbations import PERTURBATIONS

    entries = [
        OperatorEntry(
            name=p.name,
            family=p.family,
            doc=" ".join(p.doc.split("\n\n")[0].split()).replace("``strength``", "S").replace("``", ""),
            unit=p.unit,
            weak=p.weak,
            medium=p.medium,
            strong=p.strong,
            low=p.low,
            high=p.high,
            needs=list(p.needs),
            aspects=list(p.aspects),
            spared=list(p.spared),
        )
        for p in PERTURBATIONS.values()
    ]
    if json:
        print_json(OperatorsDocument(operators=entries).to_json())
        return
    from rich.table import Table

    table = Table("operator", "what it does", box=None, pad_edge=False, show_header=False)
    for family in ("slvmeval", "long-code", "control", "own"):
        table.add_row(f"[bold]{family}[/bold]", "")
        for e in (e for e in entries if e.family == family):
            needs = f"; needs {', '.join(e.needs)}" if e.needs else ""
            levels = f"weak {e.weak:.3g}, medium {e.medium:.3g}, strong {e.strong:.3g}"
            table.add_row(f"  {e.name}", f"{e.doc}\n[dim]S in {e.unit}: {levels}{needs}[/dim]")
    out_console().print(table)
