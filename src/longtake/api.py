"""What the command line and ``import longtake`` share: a film in, a diagnosis and its report out."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from .content import content_of
from .core.brief import Brief
from .core.documents import DiagnosisDocument, Shot, ShotsDocument
from .core.progress import Progress
from .core.signal import Signals, TraceEntry
from .core.video import Video
from .documents import lanes, run_record, thumbnails
from .errors import UsageError
from .portraits import portraits

if TYPE_CHECKING:
    from .core.changes import ChangeRecord
    from .core.judge import Judge
    from .execution.measure import Measured
    from .judging import JudgeOptions

VideoLike = str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Video
BriefLike = str | os.PathLike[str] | Brief | None
REPORT, JSON_FILE = "report.html", "diagnosis.json"


def open_film(
    video: VideoLike,
    *,
    fps: Fraction | None = None,
    start: Fraction | None = None,
    end: Fraction | None = None,
) -> Video:
    """A film from a path, a list of clips in order, or a ``Video``.

    Raises:
        InputError: it cannot be read.
        UsageError: pictures without ``fps``, or bounds that do not fit the film.
    """
    if isinstance(video, Video):
        return video
    from .media.open import open_video

    paths = os.fspath(video) if isinstance(video, (str, os.PathLike)) else [os.fspath(p) for p in video]
    return open_video(paths, fps=fps, start=start, end=end)


def measure_video(
    video: VideoLike,
    names: Sequence[str] | None = None,
    *,
    shots: str | os.PathLike[str] | None = None,
    embedder: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Measured:
    """Measure signals of a film, all that are installed by default; what the cache holds is reused.

    ``embedder`` names the image embedder of the signal ``embeddings``, if not the default one.

    Raises:
        InputError: the film or the shot list cannot be read, or they contradict each other.
        MissingError: the embedder that was asked for is not there.
        OutputError: the cache cannot be written.
        Stopped: Ctrl-C; finished parts are kept.
    """
    from .execution.measure import measure
    from .signals.registry import ORDER

    film = open_film(video)
    given, notes = _given_shots(film, Path(shots)) if shots is not None else (None, [])
    measured = measure(
        film, names or ORDER, workers=workers, given_shots=given, embedder=embedder, progress=progress
    )
    if given is None:
        return measured
    entry = TraceEntry(tool="shot list", status="ok", reason="; ".join(notes) or None)
    trace = [entry, *measured.signals.trace]
    return replace(measured, signals=Signals(measured.signals.by_name, trace))


def chosen_signals(only: str | None) -> list[str]:
    """Names of signals from ``NAME,...``, ``light`` or ``heavy``; all of them for ``None``.

    Raises:
        UsageError: a name that is no signal.
    """
    from .signals.registry import HEAVY, LIGHT, ORDER

    groups = {"light": LIGHT, "heavy": HEAVY, "all": ORDER}
    chosen: list[str] = []
    for name in (only or "all").split(","):
        key = name.strip().lower().replace("-", "_")
        if key in groups:
            chosen += groups[key]
        elif key in ORDER:
            chosen.append(key)
        else:
            near = get_close_matches(key, ORDER, n=1)
            hint = f"did you mean {near[0]}?" if near else f"one of: {', '.join(ORDER)}, {', '.join(groups)}"
            raise UsageError(f"there is no signal called {key!r}", hint=hint)
    return [name for name in ORDER if name in chosen]


def _given_shots(film: Video, path: Path) -> tuple[list[Shot], list[str]]:
    """Shots from a list, checked against the film, and notes on what the list leaves open."""
    from .briefs.shotlist import check_shots, read_shots
    from .media.open import film_length
    from .media.probe import probe

    spans = read_shots(path)
    fps = (track := probe(film).video) and track.fps
    notes = check_shots(spans, 0.0, float(film_length(film)), 1 / fps if fps else 1 / 24)
    shots = [Shot(index=i, start=a, end=b, first_frame=0, last_frame=0) for i, (a, b) in enumerate(spans)]
    return shots, notes


def diagnose(
    video: VideoLike,
    *,
    brief: BriefLike = None,
    profile: str | os.PathLike[str] = "neutral",
    shots: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    only: Sequence[str] | None = None,
    signals: str | None = None,
    embedder: str | None = None,
    text_picture: str | None = None,
    start: Fraction | None = None,
    end: Fraction | None = None,
    fps: Fraction | None = None,
    workers: int | None = None,
    judge: str | Judge | JudgeOptions | None = None,
    rubric: str | os.PathLike[str] | None = None,
    compat: str | None = None,
    against: VideoLike | None = None,
    preview: bool = False,
    progress: Progress | None = None,
) -> DiagnosisDocument:
    """Diagnose a film: what is wrong with it, where, and how far that could be measured.

    ``brief`` is a path in any shape we read, or a ``Brief``. ``signals`` names what is measured (``light``,
    ``heavy``, or names with commas); all that is installed without it. ``embedder`` and ``text_picture`` name
    models, as ``clip:FOLDER``, in place of the default embedder and of the text-picture proxy. ``judge`` is a
    judge, the name of one (``openai:MODEL``, ``transformers:FOLDER``, ``replay:DIR``), or one with how it is
    asked; without it the rules alone answer. ``rubric`` is a file of one's own, ``compat``
    (``directorbench``) another aggregation to show beside ours, ``against`` an earlier version: its film, or
    the folder or JSON of its diagnosis. With ``out`` the results, the HTML report and the markers are written
    there; without, nothing is written but the cache.

    A judge that fails costs what it was asked, never the rest: ``document.judge`` says how it ended.

    Raises:
        InputError: the film, the brief, the rubric or the shot list cannot be read or contradicts itself.
        MissingError: a model or judge that was asked for by name is not there.
        UsageError: an unknown profile, checkpoint or aggregation.
        OutputError: ``out`` or the cache cannot be written.
        Stopped: Ctrl-C; finished parts are kept.
    """
    from .core.judgement import Asked
    from .diagnosis.against import compare as held_against
    from .diagnosis.compat import check_compat
    from .diagnosis.diagnose import wanted_ids
    from .diagnosis.graph import run
    from .diagnosis.profiles import load_profile
    from .diagnosis.repair import repair_plan
    from .diagnosis.rubric import load_rubric, read_rubric
    from .diagnosis.work import Work
    from .execution.disclosure import Planned
    from .execution.entry import video_entry
    from .judging import JudgeOptions, judging, planned, state_file, told_of
    from .storage.results import Results

    eyes = load_profile(profile if isinstance(profile, str) else Path(profile))
    asked_rubric = read_rubric(Path(rubric)) if rubric is not None else load_rubric()
    wanted = wanted_ids(asked_rubric, only)
    check_compat(compat)
    plan = _brief_like(brief)
    film = open_film(video, fps=fps, start=start, end=end)
    old = _earlier(against) if against is not None else None
    old_film = open_film(against, fps=fps) if against is not None and old is None else None
    results = Results(Path(out)) if out is not None else None
    options = judge if isinstance(judge, JudgeOptions) or judge is None else JudgeOptions(judge)
    asked = {
        "profile": str(profile),
        "only": list(only) if only else None,
        "part": film.bounds if film.start is not None or film.end is not None else None,
        "fps": str(film.fps) if film.fps else None,
        "brief": _digest(plan.model_dump_json().encode()) if plan is not None else None,
        "shots": _digest(Path(shots).read_bytes()) if shots is not None else None,
        "signals": signals,
        "embedder": embedder,
        "text_picture": text_picture,
        "draws": options.draws if options is not None and options.draws > 1 else None,
        "rubric": asked_rubric.hash if rubric is not None else None,
        "compat": compat,
    }
    chosen = chosen_signals(signals)
    compare = _comparing(text_picture, chosen)
    with results.prepared() if results is not None else nullcontext(), ExitStack() as stack:
        folder = results.folder if results is not None else None
        judged = stack.enter_context(judging(options, folder, progress)) if options else None
        record = run_record(**asked, judge=judged.asking.name if judged else None)

        def begun(
            video: Video, shots: str | os.PathLike[str] | None, out: Path | None
        ) -> tuple[Work, Measured]:
            found = measure_video(
                video, chosen, shots=shots, embedder=embedder, workers=workers, progress=progress
            )
            found = compare(video, found, plan, progress)
            entry = video_entry(video, found, out)
            work = Work(entry, found.signals, plan, eyes, asked_rubric, wanted, compat=compat, run=record)
            work.questioning = judged.of(video) if judged else None
            return work, found

        work, measured = begun(film, shots, folder)
        works = [work, *([begun(old_film, None, None)[0]] if old_film is not None else [])]
        if judged is not None:  # one judge, one estimate and one budget for both versions
            judged.asking.plan(sum((planned(w, judged.asking) for w in works), Planned()))
        made = [run(w, state_file(w, judged) if judged else None) for w in works]
        if judged is not None:
            facts, ended = told_of(judged.asking, sum((w.asked for w in works), Asked()))
            made = [m.model_copy(update={"judge": facts, "trace": [*m.trace, ended]}) for m in made]
        document = made[0].model_copy(update=content_of(measured.signals))
        document = document.model_copy(update={"repair": repair_plan(document)})
        if (before := old if old is not None else made[1] if made[1:] else None) is not None:
            document = document.model_copy(update={"against": held_against(document, before)})
        if results is None:
            return document
        results.save(
            document.model_copy(update={"report": str(results.folder / REPORT)}),
            thumbnails(measured),
            lanes(measured.signals),
            portraits(measured, document.cast),
        )
        if preview:
            from .media.write import preview as write_preview

            write_preview(film, results.folder / "preview.mp4")
        return write_report(results.folder)


def _earlier(against: VideoLike) -> DiagnosisDocument | None:
    """The diagnosis of an earlier version where its folder or JSON is named, ``None`` where a film is.

    Raises ``InputError`` where it cannot be read.
    """
    from .storage.earlier import earlier_diagnosis, is_diagnosis

    if not isinstance(against, (str, os.PathLike)) or not is_diagnosis(Path(against)):
        return None
    return earlier_diagnosis(Path(against))


def perturb(
    video: VideoLike,
    operator: str,
    strength: float | str = "medium",
    seed: int = 0,
    *,
    out: str | os.PathLike[str],
    control: str | os.PathLike[str] | None = None,
    brief: BriefLike = None,
    unit: str | None = None,
    block: float | None = None,
    pool: Sequence[str | os.PathLike[str]] = (),
    other: VideoLike | None = None,
    other_brief: BriefLike = None,
    masker: str | None = None,
    editor: str | None = None,
    generator: str | None = None,
    embedder: str | None = None,
    sheet: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> ChangeRecord:
    """Write a copy of a film that is damaged in a known way, and its control: encoded alike, undamaged.

    ``operator`` and what it takes as ``strength`` are listed by ``longtake perturb --list``. ``control`` goes
    beside ``out`` unless it is named. ``unit`` is what a clip is (``brief``, ``shot``, or ``block`` of
    ``block`` seconds), ``pool`` and ``other`` are films that an operator may take from, ``masker``,
    ``editor`` and ``generator`` name models in place of the offline proxies. With ``sheet`` frames before
    and after are written there as a picture.

    Raises:
        InputError: a film or brief cannot be read, or does not allow it.
        MissingError: a model that is needed or named is not there.
        OutputError: a file cannot be written.
        UsageError: an unknown operator, strength, unit or model.
    """
    from .perturbing.given import given_by
    from .perturbing.one import perturb_film

    place = Path(out)
    given = given_by(
        brief=_brief_like(brief),
        unit=unit,
        block=block,
        pool=[Path(p) for p in pool],
        other=open_film(other) if other is not None else None,
        other_brief=_brief_like(other_brief),
        masker=masker,
        editor=editor,
        generator=generator,
        embedder=embedder,
    )
    return perturb_film(
        open_film(video),
        operator,
        strength,
        seed,
        place,
        Path(control) if control is not None else place.with_suffix(f".control{place.suffix}"),
        given,
        sheet=Path(sheet) if sheet is not None else None,
        workers=workers,
        progress=progress,
    )


def _comparing(
    name: str | None, names: Sequence[str]
) -> Callable[[Video, Measured, Brief | None, Progress | None], Measured]:
    """What adds the signal ``text_picture``; it leaves light runs alone that name no model.

    Raises ``UsageError`` and ``MissingError`` before anything is measured.
    """
    from .execution.text_picture import chosen, with_text_picture
    from .signals.registry import HEAVY
    from .storage.cache import Cache

    if name is None and not set(names) & set(HEAVY):
        return lambda film, measured, brief, progress: measured
    cache = Cache()
    model = chosen(name, cache)
    return lambda film, measured, brief, progress: with_text_picture(
        film, measured, brief, model, cache, progress=progress
    )


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _brief_like(brief: BriefLike) -> Brief | None:
    """A brief from what a caller may name it by."""
    from .briefs.read import read_brief

    return brief if isinstance(brief, Brief) or brief is None else read_brief(Path(brief))


def write_report(folder: str | os.PathLike[str]) -> DiagnosisDocument:
    """Write JSON, HTML and markers of a finished diagnosis from its folder alone; the document.

    Raises:
        InputError: the folder holds no finished diagnosis.
        OutputError: it cannot be written.
    """
    from .diagnosis.repair import REPAIR_FILE, repair_json
    from .report.data import Part, ReportData
    from .report.html import render
    from .report.markers import write_list
    from .storage.results import Results

    results = Results(Path(folder))
    document = results.diagnosis().model_copy(update={"report": str(results.folder / REPORT)})
    preview = "preview.mp4" if (results.folder / "preview.mp4").is_file() else None
    film = document.video
    data = ReportData(
        document=document,
        thumbnails=results.thumbnails(),
        lanes=results.lanes(),
        portraits=results.portraits(),
        film=film.path if film.kind == "file" else None,
        preview=preview,
        preview_start=film.start or 0.0,
        parts=[Part(p.path, p.start, p.duration or 0.0) for p in film.parts] if film.kind == "clips" else [],
    )
    results.write_text(
        JSON_FILE, json.dumps(document.to_json(), ensure_ascii=False, allow_nan=False, indent=1)
    )
    results.write_text(REPAIR_FILE, repair_json(document))
    for form in ("csv", "otio", "fcpxml"):
        results.write_text(f"markers.{form}", write_list(document, form, media=data.film))
    results.write_text(REPORT, render(data))
    return document


def write_sheet(document: ShotsDocument, measured: Measured, path: Path) -> None:
    """Write a contact sheet of these shots as JPEG or PNG.

    Raises:
        OutputError: it cannot be written.
        UsageError: another kind of picture.
    """
    from .report.sheet import contact_sheet
    from .storage.cache import replacing

    picture = contact_sheet(document.shots, thumbnails(measured), path.suffix)
    with replacing(path, "the contact sheet") as file:
        file.write(picture)


def default_out(film: Video) -> Path:
    """``longtake-out/<name>-<hash8>`` in the current folder."""
    safe = "".join(c if c.isalnum() or c in "-_. " else "_" for c in film.name).strip(" .") or "film"
    return Path("longtake-out") / f"{safe[:80]}-{film.hash[:8]}"
