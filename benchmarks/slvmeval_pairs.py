"""How often ``evidence`` prefers the undamaged film, and whether it points at what was damaged.

    LONGTAKE_CACHE=... python benchmarks/slvmeval_pairs.py MEDIA FOLDER [--half A|B] [--only NAME,...]

Films of about a minute (``slvmeval_films.py``) are damaged in each of SLVMEval's ten aspects, shuffled, given
blocks of other films, judged by another film's captions, and, as controls, encoded again or cut away from
and back. The undamaged side has the same spans encoded again. ``superfluous`` turns comprehensiveness around:
the captions are those of the clips that are left, and the longer film has five that nobody asked for. In
``planned_cut`` the brief of the film that cuts away says so, in ``clean_cut`` it does not.

Thresholds and weights of the evaluator were fixed on half A; half B reports. It prints accuracy with Wilson's
interval over reels (films of one reel show the same footage and count once, films of two reels none in
common), what blind cues, a constant and a coin reach on the same pairs, what GPT-5 reached on other pairs
(arXiv 2603.29186, table 2: context, no comparison), localisation, how often it prefers the undamaged film
with captions dealt anew, and how far each kind of pair moves it.

FOLDER keeps everything: a second run goes on where the first one stopped. Debian's packages with photographs
are downloaded with apt-get into FOLDER/packages and never installed.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from longtake.core.brief import Brief, PlannedShot
from longtake.core.case import Pair
from longtake.core.changes import ChangeRecord
from longtake.errors import LongtakeError
from longtake.media.open import open_video
from longtake.meta.perturbations import draw, perturb
from longtake.meta.perturbations.registry import get
from longtake.perturbing.given import film_facts, given_by
from longtake.perturbing.suites import changed_on_output
from longtake.storage.cache import Cache
from longtake.storage.manifest import write_pairs
from slvmeval_films import Made, films
from slvmeval_films import brief as captions
from slvmeval_measured import measured, measured_sides, remember
from slvmeval_report import CUES, show, table_of, write

NAMES = (
    *("temporal_flow", "spatial_relationship", "comprehensiveness", "superfluous", "shuffle", "replace"),
    *("unrelated_brief", "reencoded", "clean_cut", "planned_cut", "dynamics_degree", "aesthetics"),
    *("technical_quality", "appearance_style", "color", "object_removal", "background_consistency"),
)
"""Honest ground first, what costs most last."""
STRENGTHS: dict[str, float | str] = {
    "shuffle": 0.4,
    "replace": 2.0,
    **dict.fromkeys(("unrelated_brief", "reencoded", "clean_cut"), "medium"),
}
"""Of those that are not taken at their strongest."""
SEED = 7
MORE, CUT, AGAIN = "superfluous", "planned_cut", "reencoded"
TWICE = ("temporal_flow", "spatial_relationship")
"""Of these there is a pair for a second order of each reel's clips too."""
PROCESSES = 2


@dataclass(frozen=True)
class Job:
    """One pair that is to be made: its aspect, the film, and the films of other reels, one of them chosen."""

    name: str
    film: Made
    other: Made
    others: tuple[Made, ...]
    folder: Path

    @property
    def path(self) -> Path:
        """What is kept of it begins so: costs, or why it was left out."""
        return self.folder / "pairs" / self.film.name / self.name


def jobs(made: Sequence[Made], names: Sequence[str], folder: Path) -> list[Job]:
    """A pair of each name for each film; of the second order of a reel's clips only those of ``TWICE``."""
    found = []
    for name in names:
        for order in ("1", "2")[: 2 if name in TWICE else 1]:
            films_ = [f for f in made if f.name.endswith(f"-{order}")]
            for number, film in enumerate(films_):
                others = tuple(f for f in films_ if f.reel != film.reel)
                found.append(Job(name, film, others[number % len(others)], others, folder))
    return found


def made_and_measured(job: Job) -> Pair | str:
    """The pair, both films measured into the cache, or why there is none. Costs are kept beside it."""
    cv2.setNumThreads(1)  # two processes work already
    np.seterr(all="ignore")
    remember(job.folder / "things")
    why = job.path.with_suffix(".left_out")
    if why.exists():
        return why.read_text(encoding="utf-8")
    began = time.process_time()
    try:
        pair = _job(job)
    except LongtakeError as error:  # told, and the pair is left out
        job.path.parent.mkdir(parents=True, exist_ok=True)
        why.write_text(str(error), encoding="utf-8")
        return str(error)
    making, began = time.process_time() - began, time.process_time()
    for side in (*measured_sides(pair), (job.film.path, pair.brief)):
        measured(*side)
    costs = job.path.with_suffix(".cpu.json")
    if not costs.exists():
        costs.write_text(json.dumps({"make": making, "measure": time.process_time() - began}))
    return pair


def _job(job: Job) -> Pair:
    operator = {MORE: "comprehensiveness", CUT: "clean_cut"}.get(job.name, job.name)
    pair = pair_of(job.film, job.other, job.others, operator, job.folder)
    if job.name == MORE:
        return _turned(job.film, pair)
    if job.name == CUT:
        return _planned(job.film, job.other, pair)
    if job.name == AGAIN:  # its control is encoded again too, in the same way
        return replace(pair, a=job.film.path)
    return pair


def pairs_of(asked: Sequence[Job]) -> list[Pair]:
    """The pairs, made and measured where they are not yet. What a film does not allow is printed, left out.

    The controls of all pairs beside the film that they were made from are pairs of ``reencoded`` too.
    """
    found: list[Pair] = []
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(PROCESSES, mp_context=context) as pool:
        for job, pair in zip(asked, pool.map(made_and_measured, asked), strict=True):
            if isinstance(pair, str):
                print(f"left out: {job.name} of {job.film.name}: {pair}", flush=True)
                continue
            found.append(pair)
            if job.name not in (AGAIN, MORE, CUT, "unrelated_brief"):
                again = f"{job.film.name}/{AGAIN}/{job.name}"
                found.append(replace(pair, id=again, aspect=AGAIN, a=job.film.path, b=pair.a, changed=()))
    return found


def pair_of(film: Made, another: Made, others: Sequence[Made], name: str, folder: Path) -> Pair:
    out = folder / "pairs" / film.name / name
    paths = {end: out.with_name(f"{name}{end}") for end in (".mp4", ".control.mp4", ".json")}
    brief = folder / "pairs" / film.name / "film.brief.json"
    if not paths[".json"].exists():
        out.parent.mkdir(parents=True, exist_ok=True)
        if not brief.exists():
            brief.write_text(film.brief.model_dump_json(by_alias=True), encoding="utf-8")
        video = open_video(film.path)
        given = replace(
            given_by(),
            brief=film.brief,
            pool=tuple(open_video(f.path) for f in others),
            other=open_video(another.path),
            other_brief=another.brief,
        )
        operator = get(name)
        if name == "spatial_relationship" and not film.name.endswith("-1"):
            # Looking for text costs more than all the rest, and the first order shows the same clips.
            operator = replace(operator, needs=tuple(n for n in operator.needs if n != "text"))
        facts = film_facts(video, operator, given, Cache(), workers=1)
        record = perturb(
            video,
            name,
            STRENGTHS.get(name, "strong"),
            SEED,
            paths[".mp4"],
            control=paths[".control.mp4"],
            film=facts,
        )
        paths[".json"].write_text(json.dumps(record.to_json()), encoding="utf-8")
    record = ChangeRecord.model_validate_json(paths[".json"].read_bytes())
    return Pair(
        id=f"{film.name}/{name}",
        source=film.reel,
        aspect=name,
        a=paths[".control.mp4"],
        b=paths[".mp4"],
        brief=brief,
        brief_b=Path(record.brief) if record.brief else None,
        changed=tuple(changed_on_output(record)),
        share_changed=record.share_changed,
        duration=record.duration_in,
    )


def _turned(film: Made, pair: Pair) -> Pair:
    """The pair of a film without some clips, told the other way: nobody asked for these clips."""
    record = ChangeRecord.model_validate_json(pair.b.with_suffix(".json").read_bytes())
    gone = [c.source for c in record.changed if c.source is not None]
    left = [c for c, s in zip(film.clips, film.brief.shots, strict=True) if not any(_in(s, g) for g in gone)]
    path = pair.b.with_name("superfluous.brief.json")
    path.write_text(captions(left).model_dump_json(by_alias=True), encoding="utf-8")
    return replace(
        pair,
        id=f"{film.name}/{MORE}",
        aspect=MORE,
        a=pair.b,
        b=pair.a,
        brief=path,
        changed=tuple(gone),
    )


def _planned(film: Made, other: Made, pair: Pair) -> Pair:
    """The pair of a film with cutaways, each film with a brief that plans just what it shows."""
    video = open_video(film.path)
    given = replace(given_by(), brief=film.brief, other=open_video(other.path), other_brief=other.brief)
    facts = film_facts(video, get("clean_cut"), given, Cache(), workers=1)
    shots = list(film.brief.shots)
    for insert in draw(video, "clean_cut", "medium", SEED, film=facts).inserts:
        middle = insert.at + (insert.end - insert.start) / 2
        shown = next(s for s in other.brief.shots if (s.start or 0) <= middle < (s.end or 0))
        (around,) = [s for s in shots if (s.start or 0) <= (insert.start + insert.end) / 2 < (s.end or 0)]
        at = shots.index(around)
        parts = [
            around.model_copy(update={"end": insert.start}),
            shown.model_copy(update={"start": insert.start, "end": insert.end}),
            around.model_copy(update={"start": insert.end}),
        ]
        shots[at : at + 1] = [s for s in parts if (s.end or 0) - (s.start or 0) > 0.05]
    path = pair.b.with_name("planned_cut.brief.json")
    plan = Brief(shots=[s.model_copy(update={"index": i}) for i, s in enumerate(shots)])
    path.write_text(plan.model_dump_json(by_alias=True), encoding="utf-8")
    return replace(pair, id=f"{film.name}/{CUT}", aspect=CUT, brief_b=path)


def _in(shot: PlannedShot, gone: Any) -> bool:
    return bool(gone.start < (float(shot.start or 0) + float(shot.end or 0)) / 2 < gone.end)


def longtake(*words: str) -> dict[str, Any]:
    """The document that a command of longtake prints."""
    done = subprocess.run(
        [sys.executable, "-m", "longtake", *words, "--json"], stdout=subprocess.PIPE, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def costs_of(asked: Sequence[Job]) -> dict[str, tuple[int, float, float]]:
    """By aspect: pairs, and the CPU seconds that making and measuring them took, whenever that was."""
    found: dict[str, tuple[int, float, float]] = {}
    for job in asked:
        path = job.path.with_suffix(".cpu.json")
        if path.exists():
            cost = json.loads(path.read_text())
            n, make, measure = found.get(job.name, (0, 0.0, 0.0))
            found[job.name] = n + 1, make + cost["make"], measure + cost["measure"]
    return found


def main() -> None:
    """Make, ask, and print."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("media", type=Path)
    options.add_argument("folder", type=Path)
    options.add_argument("--half", choices=("A", "B"), default="B")
    options.add_argument("--only", default=",".join(NAMES))
    options.add_argument("--write", type=Path, metavar="FIGURES.JSON", help="put the figures on the card")
    chosen = options.parse_args()
    np.seterr(all="ignore")
    folder = chosen.folder
    made = films(chosen.half, folder / "films", chosen.media, folder / "packages", 2)
    asked = jobs(made, chosen.only.split(","), folder)
    pairs = pairs_of(asked)
    table = folder / f"pairs-{chosen.half}.csv"
    write_pairs(table, pairs)
    scores = folder / f"scores-{chosen.half}"
    names = ",".join(("evidence", *CUES))
    document = longtake("score", str(table), "-e", names, "--workers", str(PROCESSES), "--out", str(scores))
    right = longtake("meta", "pairwise", str(scores / "pairwise.csv"))
    where = longtake("meta", "localisation", str(scores / "localisation.csv"))
    command = f"python benchmarks/slvmeval_pairs.py MEDIA FOLDER --half {chosen.half}"
    if chosen.only != ",".join(NAMES):
        command += f" --only {chosen.only}"
    rows = table_of(made, pairs, document, right, where)
    show(made, rows, costs_of(asked))
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(f"CPU of this run {sum(u.ru_utime + u.ru_stime for u in used):.0f} s")
    if chosen.write:
        write(chosen.write, made, rows, command)


if __name__ == "__main__":
    main()
