"""How often ``evidence`` prefers the undamaged film, and whether it points at what was damaged.

    LONGTAKE_CACHE=... python benchmarks/slvmeval_pairs.py MEDIA FOLDER [--half A|B] [--only NAME,...]

Films of about a minute (``slvmeval_films.py``) are damaged in each of SLVMEval's ten aspects, shuffled, given
blocks of other films, judged by another film's captions, and, as controls, encoded again or cut away from
and back. The undamaged side has the same spans encoded again. ``superfluous`` turns comprehensiveness around:
the captions are those of the clips that are left, and the longer film has five that nobody asked for. In
``planned_cut`` the brief of the film that cuts away says so, in ``clean_cut`` it does not.

Thresholds and weights of the evaluator were fixed on half A; half B reports. It prints accuracy with Wilson's
interval and the bootstrap over reels (films of one reel show the same footage, films of two reels none in
common), what blind cues, a constant and a coin reach on the same pairs, what GPT-5 reached on other pairs
(arXiv 2603.29186, table 2: context, no comparison), localisation, how often it prefers the undamaged film
with captions dealt anew, and how far each kind of pair moves it.

FOLDER keeps everything: a second run goes on where the first one stopped. Debian's packages with photographs
are downloaded with apt-get into FOLDER/packages and never installed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

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
from slvmeval_report import CUES, dealt_anew, show

ASPECTS = (
    *("aesthetics", "technical_quality", "appearance_style", "background_consistency", "object_removal"),
    *("color", "dynamics_degree", "comprehensiveness", "spatial_relationship", "temporal_flow"),
)
OURS = ("shuffle", "replace", "unrelated_brief", "superfluous", "reencoded", "clean_cut", "planned_cut")
STRENGTHS: dict[str, float | str] = {
    "shuffle": 0.4,
    "replace": 2.0,
    **dict.fromkeys(("unrelated_brief", "reencoded", "clean_cut"), "medium"),
}
"""Of those that are not taken at their strongest."""
SEED = 7
MORE, CUT = "superfluous", "planned_cut"


def pairs_of(made: Sequence[Made], names: Sequence[str], folder: Path) -> list[Pair]:
    """The pairs, made where they are not there yet. What a film does not allow is printed and left out."""
    found = []
    for name in names:
        for number, film in enumerate(made):
            others = [f for f in made if f.reel != film.reel]
            try:
                other = others[number % len(others)]
                pair = _pair(
                    film, other, others, {MORE: "comprehensiveness", CUT: "clean_cut"}.get(name, name), folder
                )
                if name == MORE:
                    pair = _turned(film, pair, folder)
                elif name == CUT:
                    pair = _planned(film, other, pair, folder)
                elif name == "reencoded":  # its control is encoded again too, in the same way
                    pair = replace(pair, a=film.path)
                found.append(pair)
            except LongtakeError as error:  # told, and the pair is left out
                print(f"left out: {name} of {film.name}: {error}", flush=True)
    return found


def _pair(film: Made, another: Made, others: Sequence[Made], name: str, folder: Path) -> Pair:
    out = folder / "pairs" / film.name / name
    paths = {end: out.with_name(f"{name}{end}") for end in (".mp4", ".control.mp4", ".json")}
    brief = folder / "pairs" / film.name / "film.brief.json"
    if not paths[".json"].exists():
        out.parent.mkdir(parents=True, exist_ok=True)
        brief.write_text(film.brief.model_dump_json(by_alias=True), encoding="utf-8")
        video = open_video(film.path)
        given = replace(
            given_by(),
            brief=film.brief,
            pool=tuple(open_video(f.path) for f in others),
            other=open_video(another.path),
            other_brief=another.brief,
        )
        # Looking for readable text in each film would cost more than all the rest: has_text is not known.
        operator = replace(get(name), name="") if name == "spatial_relationship" else get(name)
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


def _turned(film: Made, pair: Pair, folder: Path) -> Pair:
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


def _planned(film: Made, other: Made, pair: Pair, folder: Path) -> Pair:
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


def main() -> None:
    """Make, ask, and print."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("media", type=Path)
    options.add_argument("folder", type=Path)
    options.add_argument("--half", choices=("A", "B"), default="B")
    options.add_argument("--orders", type=int, default=1)
    options.add_argument("--only", default=",".join((*ASPECTS, *OURS)))
    chosen = options.parse_args()
    np.seterr(all="ignore")
    folder = chosen.folder
    made = films(chosen.half, folder / "films", chosen.media, folder / "packages", chosen.orders)
    pairs = pairs_of(made, chosen.only.split(","), folder)
    table = folder / f"pairs-{chosen.half}.csv"
    write_pairs(table, pairs)
    scores = folder / f"scores-{chosen.half}"
    document = longtake("score", str(table), "-e", ",".join(("evidence", *CUES)), "--out", str(scores))
    right = longtake("meta", "pairwise", str(scores / "pairwise.csv"))
    where = longtake("meta", "localisation", str(scores / "localisation.csv"))
    show(made, document, right, where, dealt_anew(pairs))


if __name__ == "__main__":
    main()
