"""CPU of damaging five spans of ten seconds in a long film, against encoding the film whole.

Bound: at most 0.05 for one hour of 720p. The film repeats one minute's packets; encoding it whole is measured
on its first minutes and taken as many times as it is longer.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np

from material import film
from tree import run

BOUND = 0.05
SPANS = 5
SECONDS = 10.0
SCRIPT = Path(__file__).resolve()


def partial(path: Path, out: Path, control: bool) -> None:
    """Darken five spans, spread over the film, in a copy of it; report what was encoded."""
    from longtake.media.open import open_video
    from longtake.media.times import frame_times
    from longtake.meta.perturbations import Damage, facts_of
    from longtake.meta.perturbations.partial import write_partial

    video = open_video(path)
    facts = facts_of(video)
    starts = [facts.duration * (i + 0.5) / SPANS for i in range(SPANS)]
    spans = [(s, s + SECONDS, "darker") for s in starts]
    damage = Damage(spans, lambda bgr, time: (bgr * np.float32(0.6)).astype(np.uint8))
    beside = out.with_stem("control") if control else None
    write_partial(video, facts, damage, frame_times(video), out, beside)


def whole(path: Path, out: Path, minutes: int) -> None:
    """Encode the first minutes whole, as a control is where nothing can be copied."""
    from longtake.media.open import open_video
    from longtake.meta.perturbations import reencode

    reencode(open_video(path, end=Fraction(60 * minutes)), out)


def main() -> None:
    """Print both costs and their ratio, and end with 1 if it is above the bound."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--minutes", type=int, default=60)
    options.add_argument("--whole", type=int, default=5, help="minutes that are encoded whole")
    options.add_argument("--job", choices=["partial", "both", "whole"], help=argparse.SUPPRESS)
    options.add_argument("--film", type=Path, help=argparse.SUPPRESS)
    options.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.job == "whole":
        whole(chosen.film, chosen.out, chosen.whole)
        return
    if chosen.job:
        partial(chosen.film, chosen.out, chosen.job == "both")
        return
    path = film(chosen.minutes)
    costs = {}
    with tempfile.TemporaryDirectory() as folder:
        for job in ("partial", "both", "whole"):
            command = [sys.executable, str(SCRIPT), "--job", job, "--film", str(path)]
            command += ["--out", str(Path(folder) / f"{job}.mp4"), "--whole", str(chosen.whole)]
            cost = run(command, {}, memory=True)
            costs[job] = cost.cpu
            print(f"{job}: {cost.cpu:.1f} CPU-s, {cost.rss:.0f} MB RSS at most")
    full = costs["whole"] * chosen.minutes / chosen.whole
    ratio = costs["partial"] / full
    print(
        f"{chosen.minutes} min encoded whole: {full:.0f} CPU-s ({chosen.whole} min measured); "
        f"five spans of 10 s {ratio:.3f} of it (at most {BOUND}), "
        f"with the control {costs['both'] / full:.3f}"
    )
    if ratio > BOUND:
        sys.exit("too slow")


if __name__ == "__main__":
    main()
