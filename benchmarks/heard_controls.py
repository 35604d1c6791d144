"""Controls of the rules over speech, lips and music: people who say known sentences, whole and damaged.

    python benchmarks/heard_controls.py MEDIA_FOLDER [--films grid|read] [--write]

The rules' constants were set while looking at a film of 2_speaking's GRID clips. ``grid`` are films of three
of these; ``read`` are films of three recordings of 3_audio under a grey picture, on which nothing was set:
they report, and ``--write`` puts their clean ranges and separations into ``diagnosis/rules/clean.json``.
There is no other footage of people who are seen to speak, so ``lip_sync_quality`` has no unseen films and no
separation. Weights are those of the user's cache (``longtake models pull``).

- speech_timing: the sound 2 s late, with a plan of who says what when.
- speech_intelligibility: noise of .15 rms.
- lip_sync_quality: the sound .5 s late.
- bgm_volume_balance: music of .15 rms over the voice, against .03 (what is clean here).
- text_audio_consistency: lines of another film.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, permutations
from pathlib import Path
from statistics import median

import av
import numpy as np

from longtake.core.brief import Brief, Line
from longtake.diagnosis.diagnose import gather
from longtake.diagnosis.rules import REPORT_RULES, RULES
from longtake.execution.entry import video_entry
from longtake.execution.measure import measure
from longtake.media.open import open_video
from longtake.media.write import FilmWriter
from longtake.meta.perturbations import join, perturb
from longtake.storage.cache import Cache, cache_root
from rule_controls import separation

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from sentences import CLIP_S, READ, SENTENCES

RATE, FPS = 16_000, 10

OTHER = ("the ship sails at dawn", "nobody told me that", "who goes there")
DAMAGES: dict[str, tuple[tuple[str, float] | None, tuple[str, float] | None]] = {
    "speech_timing": (None, ("sound_shift", 2.0)),
    "speech_intelligibility": (None, ("sound_noise", 0.15)),
    "lip_sync_quality": (None, ("sound_shift", 0.5)),
    "bgm_volume_balance": (("music_bed", 0.03), ("music_bed", 0.15)),
    "text_audio_consistency": (None, None),
}
"""What is done to a clean film, and to a damaged one."""
CLIPS_IN_A_FILM = 3
FILMS = 6
BEFORE_S, AFTER_S = 0.5, 1.0
"""Silence around a recording."""


@dataclass(frozen=True)
class Piece:
    """A clip of one sentence: the times in it between which it is said, and its length, seconds."""

    path: Path
    said: str
    start: float
    end: float
    length: float


def grid(media: Path, folder: Path) -> list[Piece]:
    """People who are seen to speak."""
    files = {name: media / "2_speaking" / f"grid_{name}.mpg" for name in SENTENCES}
    return [Piece(files[n], said, 0.5, 2.5, CLIP_S) for n, said in SENTENCES.items()]


def read_aloud(media: Path, folder: Path) -> list[Piece]:
    """Recordings under a grey picture."""
    found = []
    for name, said in READ.items():
        with av.open(str(media / "3_audio" / name)) as source:
            mono = av.AudioResampler("fltp", "mono", RATE)
            blocks = [b.to_ndarray() for f in source.decode(audio=0) for b in mono.resample(f)]
        samples = np.concatenate(blocks, axis=1)
        length = samples.shape[1] / RATE
        silence = (round(BEFORE_S * RATE), round(AFTER_S * RATE))
        path = folder / f"{Path(name).stem}.mp4"
        with FilmWriter(path, 64, 64, FPS, sample_rate=RATE) as film:
            for _ in range(round((BEFORE_S + length + AFTER_S) * FPS)):
                film.picture(np.full((64, 64, 3), 128, np.uint8))
            film.sound(np.pad(samples, ((0, 0), silence)).astype(np.float32))
        whole = float(open_video(path).parts[0].duration or 0)
        found.append(Piece(path, said, BEFORE_S, BEFORE_S + length, whole))
    return found


def lines(pieces: Sequence[Piece]) -> list[Line]:
    """What is said in a film, with times."""
    starts = accumulate((p.length for p in pieces), initial=0.0)
    return [
        Line(start=at + p.start, end=at + p.end, text=p.said) for at, p in zip(starts, pieces, strict=False)
    ]


def values(pieces: tuple[Piece, ...], root: Path) -> Iterator[tuple[str, str, float | None]]:
    """Rule, clean or damaged, and the rule's value for one film."""
    rules = {**RULES, **REPORT_RULES}
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        (cache / "models").symlink_to(root / "models", target_is_directory=True)
        whole = cache / "whole.mp4"
        join([open_video(p.path) for p in pieces], whole)
        for rule, both in DAMAGES.items():
            for kind, damage in zip(("clean", "damaged"), both, strict=True):
                path = whole
                if damage is not None:
                    path = cache / f"{damage[0]}-{damage[1]}.mp4"
                    if not path.exists():
                        perturb(open_video(whole), *damage, 1, path)
                video = open_video(path)
                measured = measure(video, rules[rule].needs, cache=Cache(cache))
                other = kind == "damaged" and rule == "text_audio_consistency"
                said = [replace(p, said=t) for p, t in zip(pieces, OTHER, strict=True)] if other else pieces
                entry = video_entry(video, measured, None)
                facts = gather(entry, measured.signals, Brief(lines=lines(said)))
                yield rule, kind, rules[rule].function(facts).value


def main() -> None:
    """Print the controls of each rule."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("media", type=Path)
    options.add_argument("--films", choices=("grid", "read"), default="read")
    options.add_argument("--write", action="store_true")
    chosen = options.parse_args()
    found: dict[str, dict[str, list[float | None]]] = defaultdict(lambda: defaultdict(list))
    with tempfile.TemporaryDirectory() as folder:
        make = grid if chosen.films == "grid" else read_aloud
        orders = list(permutations(make(chosen.media, Path(folder)), CLIPS_IN_A_FILM))
        for pieces in orders[:: len(orders) // FILMS][:FILMS]:
            for rule, kind, value in values(pieces, cache_root()):
                found[rule][kind].append(value)
    report = {}
    for rule, kinds in found.items():
        spoken = {kind: sorted(v for v in got if v is not None) for kind, got in kinds.items()}
        for kind, got in spoken.items():
            told = f"low {got[0]:.2f} median {median(got):.2f} high {got[-1]:.2f}" if got else ""
            print(f"{rule} {kind}: spoke of {len(got)} of {len(kinds[kind])}, {told}")
        if not (clean := spoken["clean"]):
            continue
        chance = round(separation(clean, spoken["damaged"]), 3)
        print(f"    separation {chance}")
        if chosen.films == "read":
            where = "films of three read sentences"
            spread = {"low": clean[0], "median": median(clean), "high": clean[-1], "n": len(clean)}
            report[rule] = {"clean": {**spread, "clips": where}, "separation": chance}
    if chosen.write:
        target = Path(__file__).parents[1] / "src" / "longtake" / "diagnosis" / "rules" / "clean.json"
        kept = json.loads(target.read_text(encoding="utf-8"))
        kept["rules"] |= report
        target.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
