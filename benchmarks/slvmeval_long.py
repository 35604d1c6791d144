"""Accuracy of ``evidence`` against the length of a film: 1 minute to 20.

    LONGTAKE_CACHE=... python benchmarks/slvmeval_long.py MEDIA FOLDER [--half A|B] [--write FIGURES.JSON]

There is not enough footage for long films without repetition: each shows the clips of one reel of
``slvmeval_films.py`` over and over, every time in another order, another crop, speed and grade, with the same
captions, at 10 pictures a second. That is for accuracy against duration only, and no new footage: the reel is
the source over which intervals are drawn, and the pairs of a minute are of the same reels. Without the
signal ``objects``, which would cost more than all others. Pairs of ``slvmeval_pairs.py`` in FOLDER are taken
for the films of a minute. Prints bins, rank test and slope of ``longtake meta pairwise``.
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np

from longtake.core.seeds import seed_for
from longtake.media.planes import bgr_of
from longtake.media.write import FilmWriter
from longtake.models.text_picture import PROXY
from longtake.storage.manifest import write_pairs
from slvmeval_films import FPS as CLIP_FPS
from slvmeval_films import HEIGHT, WIDTH, Clip, Made, Picture, brief, films, prepared, reels
from slvmeval_pairs import PROCESSES, longtake, pair_of

FPS = 10
MINUTES = "5,10,15,20"
"""One film of each, of one reel each."""
NAMES = "temporal_flow,comprehensiveness"
SIGNALS = "picture,shots,motion,frames"
CUES = ("cue.duration", "cue.bytes", "cue.frame_difference", "cue.smoothness")


def long_films(half: str, lengths: Sequence[int], folder: Path, media: Path, packages: Path) -> list[Made]:
    """The films, made where they are not there yet."""
    made = []
    for (reel, sources), minutes in zip(reels(half).items(), lengths, strict=False):
        name = f"{reel}-{minutes}min"
        rng = np.random.default_rng(seed_for(reel, "long", minutes))
        shown: list[tuple[Clip, float]] = []
        while sum(c.length for c, _ in shown) < 60 * minutes:
            for i in rng.permutation(len(sources)):
                clip = sources[i][int(rng.integers(len(sources[i])))]
                speed = float(rng.uniform(0.8, 1.25))
                count = int(clip.length / speed * FPS)
                shown.append((replace(clip, start=0.0, end=count / FPS), speed))
        out = folder / f"{name}.mp4"
        if not out.exists():
            with FilmWriter(out.with_suffix(".part.mp4"), WIDTH, HEIGHT, FPS, crf=18) as film:
                for clip, speed in shown:
                    path = prepared(_whole(clip, sources), folder, media, packages)
                    for picture in _again(path, clip, speed, rng):
                        film.picture(picture)
            out.with_suffix(".part.mp4").rename(out)
        clips = tuple(c for c, _ in shown)
        made.append(Made(name, out, brief(list(clips)), reel, clips))
    return made


def _whole(clip: Clip, sources: list[list[Clip]]) -> Clip:
    return next(c for of in sources for c in of if (c.source, c.path) == (clip.source, clip.path))


def _again(path: Path, clip: Clip, speed: float, rng: np.random.Generator) -> Iterator[Picture]:
    """A prepared clip at another speed, in another crop and grade."""
    share = rng.uniform(0.75, 1)
    left, top = rng.uniform(0, 1 - share, 2)
    gain, shift = rng.uniform(0.85, 1.15), rng.uniform(-10, 10)
    tint = rng.uniform(0.94, 1.06, 3)
    levels = np.arange(256)[:, None] * gain * tint + shift
    grade = np.clip(levels, 0, 255).astype(np.uint8)[None]
    there = np.array([[share, 0, left * WIDTH], [0, share, top * HEIGHT]], np.float64)
    wanted = [int(i * speed * CLIP_FPS / FPS) for i in range(round(clip.length * FPS))]
    sent = 0
    with av.open(str(path)) as container:
        for number, frame in enumerate(container.decode(video=0)):
            if sent < len(wanted) and wanted[sent] <= number:
                picture = bgr_of(frame, frame.width, 0)
                part = cv2.warpAffine(
                    picture, there, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
                )
                shown = np.asarray(cv2.LUT(part, grade), np.uint8)
                while sent < len(wanted) and wanted[sent] <= number:
                    yield shown
                    sent += 1
    for _ in range(sent, len(wanted)):
        yield shown


def main() -> None:
    """Make, ask, and print."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("media", type=Path)
    options.add_argument("folder", type=Path)
    options.add_argument("--half", choices=("A", "B"), default="B")
    options.add_argument("--minutes", default=MINUTES)
    options.add_argument("--only", default=NAMES)
    options.add_argument("--write", type=Path, metavar="FIGURES.JSON", help="put the figures on the card")
    chosen = options.parse_args()
    cv2.setNumThreads(1)
    np.seterr(all="ignore")
    folder, half = chosen.folder, chosen.half
    lengths, names_ = [int(m) for m in chosen.minutes.split(",")], chosen.only.split(",")
    made = long_films(half, lengths, folder / "films", chosen.media, folder / "packages")
    short = films(half, folder / "films", chosen.media, folder / "packages", 1)
    pairs = [
        replace(pair_of(film, of[i - 1], of, name, folder), id=f"{film.name}/{name}")
        for name in names_
        for of in (made, short)
        for i, film in enumerate(of)
    ]
    table = folder / f"long-{half}.csv"
    write_pairs(table, pairs)
    scores = folder / f"long-scores-{half}"
    names = ",".join(("evidence", *CUES))
    longtake(
        *("score", str(table), "-e", names, "--workers", str(PROCESSES)),
        *("--signals", SIGNALS, "--text-picture", PROXY, "--out", str(scores)),
    )
    found = longtake("meta", "pairwise", str(scores / "pairwise.csv"))
    footage = {(c.path, c.source): c.length for f in short for c in f.clips}
    minutes = sum(p.duration or 0.0 for p in pairs[: len(made)]) / 60
    on = (
        f"half {half}: {len(made)} films of {chosen.minutes} minutes ({minutes:.0f} in all) that repeat "
        f"the clips of {len({f.reel for f in made})} reels in other crops, speeds and grades, and "
        f"{len(short)} of a minute of {len({f.reel for f in short})} reels; "
        f"{sum(footage.values()):.0f} distinct seconds, "
        f"{len({c.source for f in short for c in f.clips})} independent sources"
    )
    print(on)
    figures = []
    for name in names_:
        all_ = found["evaluators"]["evidence"]["aspects"][name]
        figures.append(told(name, all_) | {"on": on})
        print(f"{name}: {figures[-1]['note']}")
        for cue in CUES:
            print(f"  {cue} {found['evaluators'][cue]['aspects'][name]['accuracy']['value']}")
    print("right or wrong by pair, shortest first:")
    with (scores / "pairwise.csv").open(encoding="utf-8", newline="") as file:
        rows = [r for r in csv.DictReader(file) if r["evaluator"] == "evidence"]
    for row in sorted(rows, key=lambda r: (r["aspect"], float(r["duration"]))):
        print(
            f"  {row['pair']} {float(row['duration']):.0f} s, {float(row['share_changed']):.3f} changed: "
            f"{row['choice'] or row['reason']}"
        )
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(f"CPU of this run {sum(u.ru_utime + u.ru_stime for u in used):.0f} s")
    if chosen.write:
        command = f"python benchmarks/slvmeval_long.py MEDIA FOLDER --half {half}"
        command += f" --minutes {chosen.minutes} --only {chosen.only}"
        ending = {"command": command, "date": date.today().isoformat()}
        kept = json.loads(chosen.write.read_text(encoding="utf-8"))
        old = [f for f in kept.get("evidence", ()) if f["study"] != "duration"]
        kept["evidence"] = [*old, *(f | ending for f in figures)]
        chosen.write.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def told(name: str, figures: dict[str, Any]) -> dict[str, Any]:
    """The slope, with bins and rank test in words."""
    duration = figures["duration"]
    slope, rank = duration["slope"], duration["rank"]
    bins = "; ".join(
        f"{b['mean_duration']:.0f} s: {_percent(b['accuracy']['value'])} of {b['accuracy']['n']}"
        for b in duration["bins"]
    )
    line = slope["slope"]
    value = "none" if line["value"] is None else f"{line['value']:.2f}"
    note = (
        f"{figures['pairs_scored']} of {figures['pairs']} pairs answered; accuracy in "
        f"{len(duration['bins'])} bins of duration: {bins}; rank test over {rank['bins']} bins: "
        f"{rank['reason'] or rank['value']}; logistic slope on log duration, "
        f"{'' if slope['controlled_for_share'] else 'not '}controlled for the share changed: {value}"
        f"{' (' + line['reason'] + ')' if line['reason'] else ''}. Measured without the signal objects"
    )
    return {
        "study": "duration",
        "about": name,
        **{k: line[k] for k in ("value", "low", "high")},
        "n": figures["pairs_scored"],
        "note": note,
    }


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f} %"


if __name__ == "__main__":
    main()
