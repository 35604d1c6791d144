"""Controls of the rules over faces, places and joins: films made of real clips, whole and damaged.

    python benchmarks/seen_controls.py MEDIA_FOLDER [--half A|B] [--rules NAME,...] [--write]

Constants were fixed on half A (clips with even place in the list of their folder's names); half B only
reports, and ``--write`` puts its clean ranges and separations into ``diagnosis/rules/clean.json``. Weights
are those of the user's cache (``longtake models pull``).

- char_face_consistency: the people of 2_speaking's GRID clips, who all sit before one blue backdrop. Clean:
  one for 3 s; the same with somebody in another place cut in; two who take turns. Damaged: another of them
  cut in for the middle second. Told without a brief, and by planned shots that all name the person.
- background_consistency: two seconds of a clip, of another, and the last ones of the first, with a plan that
  says so. Damaged: a third clip instead of the return.
- transition_quality: the first and last two seconds of a clip, the latter as they are or 1.35 times closer.
  Damaged: the closer ones 35 grey levels lighter.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path
from statistics import median

import cv2

from rule_controls import clips, separation

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "diagnosis" / "rules"))

from long_films import pictures

from longtake.core.brief import Brief, PlannedShot
from longtake.diagnosis.diagnose import gather
from longtake.diagnosis.rules import REPORT_RULES, RULES
from longtake.execution.entry import video_entry
from longtake.execution.measure import measure
from longtake.media.open import open_video
from longtake.media.write import FilmWriter
from longtake.meta.perturbations import join, perturb
from longtake.storage.cache import Cache

FACES, PLACES, JOINS = "char_face_consistency", "background_consistency", "transition_quality"
ELSEWHERE = {"A": "intel_pose_m.mp4", "B": "mdn_chroma_b.mp4"}
"""Somebody in another place."""
UNRELATED = ("flicker", "color_temperature")
CLOSER, LIGHTER = 1.35, 35.0
LONGEST_S = Fraction(12)
Piece = tuple[Path, Fraction, Fraction]


@dataclass(frozen=True)
class Made:
    """A film to be made: of pieces, or (``close``) of two with the second closer and ``lighter``.

    ``kind`` is clean, damaged or the name of a damage that the rule should ignore. ``about`` are characters
    or scenes of planned shots.
    """

    name: str
    rule: str
    kind: str
    pieces: tuple[Piece, ...]
    about: tuple[str, ...] = ()
    close: bool = False
    lighter: float = 0.0


def people(media: Path, half: str) -> Iterator[Made]:
    """Films of people before one backdrop."""
    mine = sorted((media / "2_speaking").glob("grid_*.mpg"))[0 if half == "A" else 1 :: 2]
    other = media / "8_footage" / ELSEWHERE[half]
    a, b, c, d = (Fraction(i) for i in range(4))
    for i, one in enumerate(mine):
        asked = (one.stem,) * 3
        yield Made(one.stem, FACES, "clean", ((one, a, d),), asked)
        for k in range(1, len(mine)):
            two = mine[(i + k) % len(mine)]
            swap = ((one, a, b), (two, b, c), (one, c, d))
            yield Made(f"{one.stem} and {two.stem}", FACES, "damaged", swap, asked)
        away = ((one, a, b), (other, Fraction(3), Fraction(9, 2)), (one, c, d))
        yield Made(f"{one.stem} and {other.stem}", FACES, "clean", away)
        two = mine[(i + 1) % len(mine)]
        turns = ((one, a, b), (two, a, b), (one, b, c), (two, b, c))
        yield Made(f"{one.stem} and {two.stem} in turns", FACES, "clean", turns)
        yield from (Made(one.stem, FACES, operator, ((one, a, d),)) for operator in UNRELATED)


def places(media: Path, half: str) -> Iterator[Made]:
    """Films with a place that returns, and with another one instead."""
    mine = clips(media, half)
    for i, one in enumerate(mine):
        two, three = mine[(i + 1) % len(mine)], mine[(i + 2) % len(mine)]
        first, last = _ends(one)
        between, instead = _ends(two)[0], _ends(three)[1]
        asked = ("here", "there", "here")
        yield Made(one.stem, PLACES, "clean", (first, between, last), asked)
        yield Made(one.stem, PLACES, "damaged", (first, between, instead), asked)
        yield from (Made(one.stem, PLACES, o, (first, between, last), asked) for o in UNRELATED)


def joins(media: Path, half: str) -> Iterator[Made]:
    """Films of two shots of one place."""
    for clip in clips(media, half):
        ends = Made(f"{clip.stem} ends", JOINS, "clean", _ends(clip))
        yield ends
        yield replace(ends, name=clip.stem, close=True)
        yield replace(ends, name=clip.stem, kind="damaged", close=True, lighter=LIGHTER)


def _ends(clip: Path) -> tuple[Piece, Piece]:
    """The first and the last two seconds of a clip, or thirds of a short one."""
    whole = float(open_video(clip).parts[0].duration or 0)
    length = min(Fraction(int(100 * whole), 100), LONGEST_S)  # rounded down: no part may end after its film
    part = min(Fraction(2), length / 3)
    return (clip, Fraction(0), part), (clip, length - part, length)


def make(film: Made, out: Path) -> None:
    """Write the film."""
    if film.rule != JOINS:
        join([open_video(p, start=a, end=b) for p, a, b in film.pieces], out)
        if film.kind not in ("clean", "damaged"):
            whole = out.rename(out.with_stem("whole"))
            perturb(open_video(whole), film.kind, "medium", 1, out)
        return
    (clip, start, end), (_, again, last) = film.pieces
    before = [picture for _, picture in pictures(clip, start, end)]
    after = [picture for _, picture in pictures(clip, again, last)]
    height, width = (side // 2 * 2 for side in before[0].shape[:2])
    with FilmWriter(out, width, height, Fraction(len(before)) / (end - start)) as writer:
        for picture in before:
            writer.picture(picture)
        for picture in after:
            if film.close:
                h, w = (int(side / CLOSER) for side in (height, width))
                y, x = int((height - h) * 0.4), (width - w) // 2
                picture = cv2.resize(picture[y : y + h, x : x + w], (width, height))
            writer.picture(cv2.convertScaleAbs(picture, alpha=1, beta=film.lighter))


def one(film: Made, weights: Path) -> tuple[float | None, float | None]:
    """The rule's value without a brief, and with the plan if there is one."""
    cv2.setNumThreads(1)
    rule = {**RULES, **REPORT_RULES}[film.rule]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "film.mp4"
        make(film, out)
        (Path(folder) / "models").symlink_to(weights / "models", target_is_directory=True)
        video = open_video(out)
        measured = measure(video, rule.needs, cache=Cache(Path(folder)), workers=1)
        entry = video_entry(video, measured, None)
        briefs = [None, _brief(film, entry.duration) if film.about else None]
        answers = [rule.function(gather(entry, measured.signals, brief)).value for brief in briefs]
        return answers[0], answers[1]


def _brief(film: Made, duration: float) -> Brief:
    lengths = [float(b - a) for _, a, b in film.pieces]
    if len(lengths) == 1:
        lengths = [duration / len(film.about)] * len(film.about)
    edges = [sum(lengths[:i]) for i in range(len(lengths) + 1)]
    shots = [PlannedShot(index=i, start=edges[i], end=edges[i + 1]) for i in range(len(lengths))]
    if film.rule == PLACES:
        named = [s.model_copy(update={"scene": film.about[s.index]}) for s in shots]
    else:
        named = [s.model_copy(update={"characters": [film.about[s.index]]}) for s in shots]
    return Brief(shots=named)


def figures(name: str, found: Sequence[tuple[Made, float | None]], half: str) -> dict[str, object]:
    """Print a rule's controls; gives its clean range and separation."""
    by_kind: dict[str, list[tuple[str, float]]] = defaultdict(list)
    asked: dict[str, int] = defaultdict(int)
    for film, value in found:
        asked[film.kind] += 1
        if value is not None:
            by_kind[film.kind].append((film.name, value))
    clean, damaged = ([v for _, v in by_kind[kind]] for kind in ("clean", "damaged"))
    for kind, values in by_kind.items():
        ordered = sorted(v for _, v in values)
        full = sum(v >= 0.99 for v in ordered)
        print(f"{name} {kind}: spoke of {len(values)} of {asked[kind]}, 1 for {full}, ", end="")
        print(f"low {ordered[0]:.2f} median {median(ordered):.2f}")
    print(f"    clean below .75: {[n for n, v in by_kind['clean'] if v < 0.75]}")
    print(f"    damaged above .75: {[n for n, v in by_kind['damaged'] if v > 0.75]}")
    chance = round(separation(clean, damaged), 3)
    print(f"    separation {chance}")
    ordered = sorted(clean)
    spread = {"low": ordered[0], "median": median(ordered), "high": ordered[-1], "n": len(ordered)}
    return {
        "clean": {**spread, "clips": f"real footage, half {half} of the test media"},
        "separation": chance,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("media", type=Path)
    parser.add_argument("--half", choices=("A", "B"), default="B")
    parser.add_argument("--rules", default=",".join((FACES, PLACES, JOINS)))
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    began, wanted, half = time.perf_counter(), arguments.rules.split(","), arguments.half
    made = [f for kind in (people, places, joins) for f in kind(arguments.media, half)]
    made = [film for film in made if film.rule in wanted]
    weights = Cache().root
    with ProcessPoolExecutor(max_workers=2, mp_context=get_context("spawn")) as pool:
        values = list(pool.map(one, made, [weights] * len(made)))
    pairs = list(zip(made, values, strict=True))
    print(f"half {half}: {len(made)} films, {time.perf_counter() - began:.0f} s")
    report = {}
    for rule in wanted:
        mine = [(f, v) for f, v in pairs if f.rule == rule]
        planned = [(f, v[1]) for f, v in mine if f.about]
        report[rule] = figures(rule, planned if rule == PLACES else [(f, v[0]) for f, v in mine], half)
        if rule == FACES:
            figures(f"{rule} by plan", planned, half)
    if arguments.write:
        target = Path(__file__).parents[1] / "src" / "longtake" / "diagnosis" / "rules" / "clean.json"
        kept = json.loads(target.read_text(encoding="utf-8"))
        kept["rules"].update(report)
        target.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
