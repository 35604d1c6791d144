"""Measures a film: plans what the cache lacks, decodes that once, joins the rows."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..core.documents import ProbeDocument, Shot
from ..core.progress import Progress
from ..core.signal import Signal, Signals, TraceEntry
from ..core.video import Video
from ..errors import InputError, LongtakeError, Stopped, told
from ..media.probe import probe
from ..media.read import ReadReport
from ..signals.film import Film, film_of
from ..signals.observer import Arrays, Merged
from ..signals.onepass import FAILED, SOUND_CHUNK, Chunk, plan_chunks, run_pass
from ..signals.registry import (
    FRAME_SIGNALS,
    HEAVY,
    LIGHT,
    NEEDS,
    SAMPLE_SIGNALS,
    SOUND_SIGNALS,
    merge,
    module_of,
    with_needs,
)
from ..storage.cache import Cache, check_writable
from .chunks import ChunkStore, apart, length, reading_facts, seconds_of, shared_out
from .equipment import Equipment, equip
from .samples import look_at_samples
from .workers import run_together

ATTEMPTS = 2
"""Entries of the cache that turn out to be damaged are measured once more."""
MOST_WORKERS = 8
"""More processes than this gain little on one film and cost memory each."""
SHARED_PIXELS = 2_000_000
"""Pixels per frame of all pictures that are decoded at once. Frames that are held, not rows, are what memory
goes into: 1080p is decoded in one process with several threads, 720p in two, smaller ones in more."""
PARALLEL_FROM_S = 120.0
"""Shorter work is done in one process: starting a second costs more than it saves."""
HEAVY_PARALLEL_FROM_S = 10.0
"""The same where models run: a second of film then costs about a second."""
HEAVY_SHARES = 2
"""Pieces per process where models run. Sound is one piece, maybe the longest: the others are kept small."""


@dataclass(frozen=True)
class Measured:
    """A measured film: its signals with the trace, what the container says, and the rows behind it all."""

    signals: Signals
    film: Film
    probe: ProbeDocument
    merged: Merged
    store: ChunkStore
    kept: tuple[tuple[int, NDArray[np.int64]], ...] = ()
    """Of each chunk, its index and the sizes of the JPEGs that the store keeps for it."""

    def jpegs(self, numbers: Sequence[int]) -> dict[int, bytes]:
        """Representative frames by number (column ``jpeg`` of the signal ``frames``), JPEG bytes.

        One chunk's pictures are read at a time; those of a damaged entry are left out.
        """
        wanted = set(numbers)
        found: dict[int, bytes] = {}
        first = 0
        for index, sizes in self.kept:
            here = [n for n in range(first, first + len(sizes)) if n in wanted]
            data = self.store.pictures(index) if here else b""
            ends = np.cumsum(sizes)
            if data and len(data) == int(ends[-1]):
                found |= {
                    n: data[int(ends[n - first] - sizes[n - first]) : int(ends[n - first])] for n in here
                }
            first += len(sizes)
        return found


@dataclass
class _Task:
    """One decode: neighbouring chunks, the sound of the whole film, or both in one loop."""

    chunks: list[Chunk]
    sound: bool
    names: list[str]
    seconds: float


def measure(
    video: Video,
    names: Sequence[str] = LIGHT,
    *,
    cache: Cache | None = None,
    workers: int | None = None,
    given_shots: Sequence[Shot] | None = None,
    embedder: str | None = None,
    progress: Progress | None = None,
) -> Measured:
    """Measure ``names``, with what they need; everything the cache holds for this content is reused.

    ``embedder`` names the image embedder of the signal ``embeddings``, if not the catalog's.

    Raises:
        InputError: the film cannot be read, or has no picture.
        MissingError: the embedder that was asked for is not there.
        OutputError: the cache cannot be written.
        Stopped: the user stopped it; finished chunks stay in the cache and the next run goes on from them.
    """
    cache = cache or Cache()
    check_writable(cache.root, "the cache")
    wanted = with_needs(names)
    equipment = equip(wanted, cache.root, embedder)
    facts = probe(video)
    boundaries = [s.start for s in given_shots[1:]] if given_shots else []
    store = ChunkStore(cache, video, boundaries, levels_only="audio" not in names, models=equipment.digests)
    store.forget_failures()
    duration = Fraction(facts.duration).limit_denominator(10**6) if facts.duration is not None else None
    chunks = plan_chunks(video, duration)
    indexes = [*(c.index for c in chunks), SOUND_CHUNK]
    equipment = equipment.checked(n for n in equipment.chosen if not store.holds(n, indexes))
    able = [n for n in wanted if n not in equipment.absent]
    end = video.end if video.end is not None else duration
    has_sound = bool(facts.audio) or any(p.audio for p in facts.parts)
    heard_names = [n for n in able if n in SOUND_SIGNALS] if has_sound else []
    picture_names = [n for n in able if n in FRAME_SIGNALS]
    sample_names = [n for n in able if n in SAMPLE_SIGNALS]
    threads = available_workers(workers)
    heavy = any(n in HEAVY for n in able)
    processes = threads if workers is not None or heavy else processes_for(threads, facts)
    began = time.perf_counter()
    decoded = 0
    for _ in range(ATTEMPTS):
        tasks = _tasks(store, chunks, picture_names, heard_names, end, processes)
        decoded += sum(len(task.chunks) for task in tasks)
        if tasks:
            _decode(video, store, tasks, boundaries, equipment, processes, threads, progress)
        if sample_names:
            look_at_samples(store, chunks, sample_names, equipment, threads, progress)
        seen_names = [*picture_names, *sample_names]
        rows = [r for c in chunks if (r := store.load(c.index, seen_names)) is not None]
        heard = [r for r in [store.load(SOUND_CHUNK, heard_names)] if r is not None]
        if len(rows) == len(chunks) and len(heard) == 1:
            break
    else:
        raise LongtakeError(
            "what was measured vanished from the cache", hint="is another program emptying it?"
        )
    seconds = time.perf_counter() - began
    kept = tuple(
        (c.index, np.asarray(r.get("frames.bytes", ()), np.int64)) for c, r in zip(chunks, rows, strict=True)
    )
    reports = [apart(stored) for stored in (*rows, *heard)]
    merged = merge([*rows, *heard])
    del rows, heard  # merged holds them all: hours of film need not be there twice
    if not len(merged["container.time"]):
        raise InputError(
            f"no frame of {video.path} could be decoded", hint="longtake probe says what is in the file"
        )
    reading = reading_facts(reports)
    film = film_of(video, merged, has_sound=has_sound, given_shots=given_shots, **reading)  # type: ignore[arg-type]
    signals, trace = _assemble(merged, film, wanted, seconds_of(reports), equipment)
    errors = reading["decode_errors"]
    damage = f"{errors} packets could not be decoded" if errors else None
    pass_entry = TraceEntry(
        tool="one pass",
        status="ok" if decoded or tasks else "skipped",
        reason=damage if decoded or tasks else "every row was in the cache",
        seconds=round(seconds, 3),
        version=_decoder_version(),
        params={
            "processes": processes,
            "threads": threads,
            "chunks": len(chunks),
            "decoded": decoded,
        },
    )
    asked = {n: s for n, s in signals.items() if n in names}
    return Measured(Signals(asked, [pass_entry, *trace]), film, facts, merged, store, kept)


def _tasks(
    store: ChunkStore,
    chunks: Sequence[Chunk],
    seen: Sequence[str],
    heard: Sequence[str],
    end: Fraction | None,
    processes: int,
) -> list[_Task]:
    """Decodes that give what the cache lacks of these signals of the picture and of the sound."""
    missing = {c.index: [n for n in seen if n not in store.covered(c.index)] for c in chunks}
    todo = [c for c in chunks if missing[c.index]]
    wanted = {n for c in todo for n in missing[c.index]}
    need = [n for n in seen if n in wanted]
    unheard = [n for n in heard if n not in store.covered(SOUND_CHUNK)]
    total = sum(length(c, end) for c in todo)
    heavy = any(n in HEAVY for n in (*need, *unheard))
    alone = processes == 1 or total < (HEAVY_PARALLEL_FROM_S if heavy else PARALLEL_FROM_S)
    alone = alone or (len(todo) < 2 and not (heavy and unheard and todo))
    if alone and unheard and len(todo) == len(chunks):
        return [_Task(list(todo), True, [*need, *unheard], _seconds(todo, end))]
    shares = shared_out(todo, 1 if alone else processes * HEAVY_SHARES if heavy else processes)
    tasks = [_Task(run, False, need, _seconds(run, end)) for run in shares]
    return [*([_Task([], True, unheard, 0.0)] if unheard else []), *tasks]


def _seconds(run: Sequence[Chunk], end: Fraction | None) -> float:
    return sum(length(c, end) for c in run)


def available_workers(asked: int | None) -> int:
    """Processes or threads that may work: as many as asked for, else one for each processor up to a limit."""
    if asked is not None:
        return asked
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(allowed, MOST_WORKERS))


def processes_for(threads: int, facts: ProbeDocument) -> int:
    """How many pictures may be decoded side by side: as many as there are threads for, within memory."""
    sizes = [(facts.video.width, facts.video.height)] if facts.video else []
    sizes += [(part.width or 0, part.height or 0) for part in facts.parts]
    largest = max((width * height for width, height in sizes), default=1)
    return max(1, min(threads, int(SHARED_PIXELS / max(largest, 1))))


def _decoder_version() -> str:
    import av

    return f"PyAV {av.__version__}"


def _decode(
    video: Video,
    store: ChunkStore,
    tasks: list[_Task],
    boundaries: Sequence[float],
    equipment: Equipment,
    processes: int,
    threads: int,
    progress: Progress | None,
) -> None:
    total = sum(t.seconds for t in tasks)
    if progress is not None:
        progress.begin("measuring", total)
    meter = _Meter(progress, len(tasks))
    try:
        if len(tasks) == 1 or processes == 1:
            for i, task in enumerate(tasks):
                _run(video, store, task, boundaries, equipment, threads, partial(meter.at, i))
        else:
            jobs = [partial(_run, video, store, task, boundaries, equipment, 1) for task in tasks]
            heavy = any(name in HEAVY for task in tasks for name in task.names)
            run_together(jobs, processes, meter.at, apart=heavy)
    except KeyboardInterrupt:
        asked = [chunk.index for task in tasks for chunk in task.chunks]
        kept = sum(bool(store.covered(index)) for index in asked)
        message = f"stopped; {kept} of {len(asked)} minutes that were being measured are kept"
        raise Stopped(message, hint="the same command goes on from there") from None


class _Meter:
    """Adds up what every task has done."""

    def __init__(self, progress: Progress | None, tasks: int) -> None:
        self._progress = progress
        self._done = [0.0] * tasks

    def at(self, task: int, done: float) -> None:
        if self._progress is not None:
            self._done[task] = done
            self._progress.at(sum(self._done))


def _run(
    video: Video,
    store: ChunkStore,
    task: _Task,
    boundaries: Sequence[float],
    equipment: Equipment,
    threads: int,
    tell: Callable[[float], None],
) -> None:
    """Decode one task and keep each chunk as soon as it is whole."""
    first = float(task.chunks[0].start) if task.chunks else 0.0

    spent: dict[str, float] = {}
    told: dict[str, float] = {}

    def keep(chunk: Chunk, rows: Arrays, report: ReadReport) -> None:
        since = {name: seconds - told.get(name, 0.0) for name, seconds in spent.items()}
        told.update(spent)
        store.save(chunk, task.names, rows, report, since)

    def on_frame(at: float) -> None:
        if task.chunks:
            tell(max(at - first, 0.0))

    run_pass(
        video,
        task.names,
        task.chunks,
        keep,
        pictures=bool(task.chunks),
        sound=task.sound,
        threads=threads,
        boundaries=boundaries,
        levels_only=store.levels_only,
        weights=equipment.weights(task.names, threads),
        on_frame=on_frame,
        spent=spent,
    )


def _brisque_entry(picture: Signal) -> TraceEntry:
    """BRISQUE is a tool of its own within the picture signal: its weights may be absent."""
    reason = picture.facts.get("brisque_reason")
    model = picture.facts.get("brisque_model")
    return TraceEntry(tool="brisque", status="skipped" if reason else "ok", reason=reason, model=model)


def _assemble(
    merged: Merged, film: Film, names: Sequence[str], spent: Mapping[str, float], equipment: Equipment
) -> tuple[dict[str, Signal], list[TraceEntry]]:
    """Signals from rows. One that crashes is a failed tool and costs only what rests on it."""
    done: dict[str, Signal] = {}
    trace: list[TraceEntry] = []
    for name in names:
        module = module_of(name)
        began = time.perf_counter()
        broken = [need for need in NEEDS[name] if need in done and done[need].status == "failed"]
        try:
            if name in equipment.absent:
                made = Signal(name, module.SPEC.version, "skipped", equipment.absent[name])
            elif f"{FAILED}{name}" in merged:
                raise LongtakeError(str(merged[f"{FAILED}{name}"][0]))
            elif broken:
                raise LongtakeError(f"it needs {', '.join(broken)}, which failed")
            else:
                made = module.assemble(merged, film, done)
                if made.status == "ok" and name in equipment.instead:
                    made = replace(made, status="fallback", reason=equipment.instead[name])
        except Exception as error:  # recorded in the trace and shown
            if os.environ.get("LONGTAKE_DEBUG"):
                raise
            made = Signal(name, module.SPEC.version, "failed", told(error))
        done[name] = made
        trace.append(
            TraceEntry(
                tool=name,
                status=made.status,
                reason=made.reason,
                seconds=round(spent.get(name, 0.0) + time.perf_counter() - began, 4),
                version=str(made.version),
                model=equipment.label(name),
            )
        )
        if name == "picture" and made.usable:
            trace.append(_brisque_entry(made))
    return done, trace
