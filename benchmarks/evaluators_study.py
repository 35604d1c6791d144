"""Which evaluators notice which damage: every one that runs offline, on films of real clips with briefs.

    LONGTAKE_CACHE=... python benchmarks/evaluators_study.py MEDIA FOLDER --group NAME [--films 8] [--write]

Films of about a minute with a caption and a time for each clip (``slvmeval_films.py``) are damaged at rising
strengths, judged by another film's captions, held still and encoded again. A score is compared with that of
the control, which has the same spans encoded again; for the groups ``moving`` and ``text`` the strongest
damage is compared with the film itself. It runs ``longtake score`` and ``longtake meta sensitivity|pairwise``
and prints, for each evaluator and damage, the share of pairs in which the undamaged film scores higher (ties
count half) and how the score falls with the strength; intervals are over reels, which share no footage.
``--write`` puts the figures on the cards.

Of the clips in the first 8 films 23 of 82 are among those on which the proxy embedder's form was chosen
(``embedders.py``), with other captions. What counts as standing still (``evaluators/shared/standing.py``) was
fixed on clips of the same folder.

FOLDER keeps everything: a second run goes on where the first one stopped.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from longtake.core.case import Pair
from longtake.core.changes import ChangeRecord
from longtake.errors import LongtakeError
from longtake.evaluators.cards import folder_of
from longtake.evaluators.registry import BASELINES, EVALUATORS
from longtake.media.open import open_video
from longtake.meta.perturbations import perturb
from longtake.meta.perturbations.registry import get
from longtake.perturbing.given import film_facts, given_by
from longtake.perturbing.suites import changed_on_output
from longtake.storage.cache import Cache
from longtake.storage.manifest import write_pairs
from sign_films import signed
from slvmeval_films import Made, films

SEED = 7
PROCESSES = 2
CONTROL = "reencoded"
DAMAGES: dict[str, tuple[float | str, ...]] = {
    "shuffle": (0.4, 0.6, 0.8),
    "replace": (1, 2, 4),
    "temporal_flow": ("strong",),
    "unrelated_brief": ("medium",),
    "dynamics_degree": ("strong",),
    "frozen": ("strong",),
    "aesthetics": ("weak", "medium", "strong"),
    "technical_quality": ("weak", "medium", "strong"),
    CONTROL: ("medium",),
}
MOVING = ("dynamics_degree", "frozen", "technical_quality", CONTROL)
"""What evaluators of motion are asked about. They look at every frame, so of each damage they see the
strongest alone, and the film itself beside it: what encoding it again does is told by the control."""
EMBEDDED = (
    *("dsa", "clipscore", "video-text", "vb.subject_consistency", "vb.background_consistency"),
    *("vb.aesthetic_quality", "vb.imaging_quality"),
)
MOTION = (
    *("vb.motion_smoothness", "vb.dynamic_degree", "vb.temporal_flickering", "ms_debias", "tracker_fg"),
)
TEXT = ("text_rendering", "text_stability")
WRITTEN = ("technical_quality", "unrelated_brief", CONTROL)
"""What evaluators of text are asked about, on films of 18 s with words in them."""
FORMS = ("dsa", "clipscore")
"""Evaluators of which every quantity is a metric of its own."""
GROUPS = {"embedded": (EMBEDDED, tuple(DAMAGES)), "moving": (MOTION, MOVING), "text": (TEXT, WRITTEN)}


@dataclass(frozen=True)
class Job:
    """A damage of a film at one strength, with a film of another reel; ``control`` is kept of the last."""

    film: Made
    other: Made
    pool: tuple[Path, ...]
    name: str
    strength: float | str
    folder: Path

    @property
    def out(self) -> Path:
        """Where its files begin."""
        return self.folder / self.film.name / f"{self.name}@{self.strength}"


def made(job: Job) -> Pair | str:
    """The pair, made where it is not there yet, or why there is none."""
    cv2.setNumThreads(1)
    paths = {end: Path(f"{job.out}{end}") for end in (".mp4", ".control.mp4", ".json")}
    brief = job.folder / job.film.name / "film.brief.json"
    if not paths[".json"].exists():
        brief.parent.mkdir(parents=True, exist_ok=True)
        brief.write_text(job.film.brief.model_dump_json(by_alias=True), encoding="utf-8")
        video = open_video(job.film.path)
        given = replace(
            given_by(),
            brief=job.film.brief,
            pool=tuple(map(open_video, job.pool)),
            other=open_video(job.other.path),
            other_brief=job.other.brief,
        )
        try:
            facts = film_facts(video, get(job.name), given, Cache(), workers=1)
            record = perturb(
                video,
                job.name,
                job.strength,
                SEED,
                paths[".mp4"],
                control=paths[".control.mp4"],
                film=facts,
            )
        except LongtakeError as error:
            return str(error)
        paths[".json"].write_text(json.dumps(record.to_json()), encoding="utf-8")
    record = ChangeRecord.model_validate_json(paths[".json"].read_bytes())
    return Pair(
        id=f"{job.film.name}/{job.name}@{job.strength}",
        source=job.film.reel,
        aspect=job.name,
        a=job.film.path if job.name == CONTROL else paths[".control.mp4"],
        b=paths[".mp4"],
        brief=brief,
        brief_b=Path(record.brief) if record.brief else None,
        strength=record.strength,
        changed=tuple(changed_on_output(record)),
        share_changed=record.share_changed,
        duration=record.duration_in,
    )


def pairs_of(films_: Sequence[Made], names: Sequence[str], folder: Path) -> list[Pair]:
    """All pairs, each with a control of its own."""
    jobs = []
    for i, film in enumerate(films_):
        others = [f for f in films_ if f.reel != film.reel]
        pool = tuple(f.path for f in others)
        jobs += [
            Job(film, others[i % len(others)], pool, name, strength, folder)
            for name in names
            for strength in DAMAGES[name]
        ]
    found: list[Pair] = []
    with ProcessPoolExecutor(PROCESSES, mp_context=multiprocessing.get_context("spawn")) as workers:
        for job, pair in zip(jobs, workers.map(made, jobs), strict=True):
            if isinstance(pair, str):
                print(f"left out: {job.film.name}, {job.name} at {job.strength}: {pair}", flush=True)
            else:
                found.append(pair)
    return found


def against_strongest(pairs: Sequence[Pair]) -> list[Pair]:
    """Pairs of one film and damage, all of them compared with the control of the strongest."""
    strongest = {(p.source, p.aspect): p.a for p in sorted(pairs, key=lambda p: p.strength or 0.0)}
    return [replace(p, a=strongest[p.source, p.aspect]) for p in pairs]


def against_film(pairs: Sequence[Pair], films_: Sequence[Made]) -> list[Pair]:
    """The strongest of each film and damage, compared with the film itself."""
    strongest = {(p.source, p.aspect): p for p in sorted(pairs, key=lambda p: p.strength or 0.0)}
    paths = {film.reel: film.path for film in films_}
    return [replace(p, a=paths[p.source]) for p in strongest.values()]


def longtake(*words: str) -> dict[str, Any]:
    """The document that a command of longtake prints."""
    done = subprocess.run(
        [sys.executable, "-m", "longtake", *words, "--json"], stdout=subprocess.PIPE, check=False
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def figures(
    scores: Path, summary: dict[str, Any], on: str, command: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Figures of cards, with the evaluator that each is of."""
    pairwise = longtake("meta", "pairwise", str(scores / "pairwise.csv"))["evaluators"]
    falls = longtake("meta", "sensitivity", str(scores / "sensitivity.csv"))["evaluators"]
    ending = {"on": on, "command": command, "date": date.today().isoformat()}
    for evaluator, asked in summary.items():
        models = ", ".join(dict.fromkeys(m["label"] for m in asked["models"] if m["label"]))
        for name in DAMAGES:
            if (aspect := pairwise.get(evaluator, {}).get("aspects", {}).get(name)) is not None:
                right = aspect["accuracy"]
                note = f"ties count half; {right['n']} of {right['n_asked']} answered; {models}"
                yield evaluator, {"study": "pairwise", "about": name, **_three(right), **ending, "note": note}
            if name != CONTROL and (fall := falls.get(evaluator, {}).get("families", {}).get(name)):
                slope, about = fall["slope"], f"slope against {name}"
                if not slope["n"]:
                    continue
                means = ", ".join(f"{p['mean']['value']:.4g} at {p['strength']:g}" for p in fall["points"])
                rule = f"; by the paper's rule {fall['paper_verdict']}" if fall["paper_verdict"] else ""
                note = f"{fall['verdict'] or 'no verdict'}{rule}; means {means}"
                yield (
                    evaluator,
                    {
                        "study": "sensitivity",
                        "about": about,
                        **_three(slope),
                        **ending,
                        "note": f"{note}; {models}",
                    },
                )


def told_of(name: str) -> bool:
    """Whether figures of it go on a card: of its score, and of the forms that are metrics of their own."""
    return name not in BASELINES and (name in EVALUATORS.entries() or name.split(".")[0] in FORMS)


def _three(figure: dict[str, Any]) -> dict[str, Any]:
    rounded = {k: None if figure[k] is None else round(figure[k], 5) for k in ("value", "low", "high")}
    return {**rounded, "n": figure["n"]}


def write(found: Sequence[tuple[str, dict[str, Any]]]) -> None:
    """Put figures on the cards; those of other studies and damages stay."""
    by_file: dict[Path, dict[str, list[dict[str, Any]]]] = {}
    known = EVALUATORS.entries()
    for name, figure in found:
        base = name if name in known else name.rpartition(".")[0]
        folder = folder_of(EVALUATORS.entry(base))
        assert folder is not None
        whole = figure if name == base else {**figure, "about": f"{name}: {figure['about']}"}
        by_file.setdefault(folder / "figures.json", {}).setdefault(base, []).append(whole)
    for path, new in by_file.items():
        kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        for name, own in new.items():
            fresh = {(f["study"], f["about"]) for f in own}
            kept[name] = [*own, *(f for f in kept.get(name, ()) if (f["study"], f["about"]) not in fresh)]
        path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def show(found: Sequence[tuple[str, dict[str, Any]]]) -> None:
    """One line for each figure."""
    for name, f in found:
        value = "-" if f["value"] is None else f"{f['value']:.3f}"
        ends = "" if f["low"] is None else f" ({f['low']:.3f} to {f['high']:.3f})"
        print(f"{name:28} {f['study']:12} {f['about']:28} {value}{ends} n {f['n']}  {f['note']}")


def main() -> None:
    """Make, ask, and print."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("media", type=Path)
    options.add_argument("folder", type=Path)
    options.add_argument("--group", choices=tuple(GROUPS), required=True)
    options.add_argument(
        "--films", type=int, default=8, help="of the 12 reels; from 8 on there are intervals"
    )
    options.add_argument("--write", action="store_true", help="put the figures on the cards")
    chosen = options.parse_args()
    np.seterr(all="ignore")
    folder, began = chosen.folder, time.monotonic()
    packages = folder / "packages"
    halves = [films(half, folder / "films", chosen.media, packages, 1) for half in "AB"]
    films_ = [film for both in zip(*halves, strict=True) for film in both][: chosen.films]
    evaluators, damages = GROUPS[chosen.group]
    if chosen.group == "text":
        films_ = [signed(film, i, folder / "signs") for i, film in enumerate(films_)]
    pairs = pairs_of(films_, damages, folder / "study")
    pairs = against_strongest(pairs) if chosen.group == "embedded" else against_film(pairs, films_)
    table, scores = folder / f"study-{chosen.group}.csv", folder / f"scores-{chosen.group}"
    write_pairs(table, pairs)
    made_in = time.monotonic() - began
    document = longtake(
        "score", str(table), "-e", ",".join(evaluators), "--workers", str(PROCESSES), "--out", str(scores)
    )
    asked = {name: found for name, found in document["evaluators"].items() if told_of(name)}
    command = f"python benchmarks/evaluators_study.py MEDIA FOLDER --group {chosen.group}"
    minutes = sum(clip.length for film in films_ for clip in film.clips) / 60
    on = f"{len(films_)} films of as many reels, {minutes:.0f} min"
    if chosen.group != "embedded":
        on += ", the strongest damage against the film itself"
    found = list(figures(scores, asked, on, f"{command} --films {chosen.films}"))
    show(found)
    print(f"{len(pairs)} pairs; made in {made_in:.0f} s, all in {time.monotonic() - began:.0f} s")
    if chosen.write:
        write(found)


if __name__ == "__main__":
    main()
