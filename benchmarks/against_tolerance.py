"""How far rules move when nothing but the encoding of a film changes: what ``--against`` calls the same.

    python benchmarks/against_tolerance.py MEDIA_FOLDER [--half A|B]

Films of four clips, as ``rule_controls.py`` makes them of the six small clips of a half, and the clips
themselves; each against its own whole re-encoded copy, by all rules that need no weights and no brief. The
tolerance was fixed on half A; half B only reports.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import cv2
import numpy as np

from longtake.diagnosis.against import TOLERANCE
from longtake.diagnosis.rules import RULES
from longtake.media.open import open_video
from longtake.meta.perturbations import reencode
from longtake.signals.registry import LIGHT
from rule_controls import SMALL, clips, facts_of, films

ASKED = {
    n: r
    for n, r in RULES.items()
    if set(r.must) <= set(LIGHT) and n not in ("pacing_structure", "duration_completeness")
}


def main() -> int:
    """Print, by rule, how far values moved, and the share of all that moved no further than the tolerance."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("media", type=Path)
    parser.add_argument("--half", choices=("A", "B"), default="B")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    chosen = [p for p in clips(arguments.media, arguments.half) if p.name in SMALL[arguments.half].split()]
    moved: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in [*chosen, *films(chosen, folder)]:
            copy = folder / f"again_{path.stem}.mp4"
            reencode(open_video(path), copy)
            old, new = (facts_of(p, folder / "cache", names=LIGHT) for p in (path, copy))
            for rule, spec in ASKED.items():
                a, b = spec.function(old).value, spec.function(new).value
                if a is not None and b is not None:
                    moved[rule].append(abs(a - b))
    for rule, values in moved.items():
        print(f"{rule:26} n {len(values):3}  median {np.median(values):.4f}  largest {max(values):.4f}")
    every = np.array([v for values in moved.values() for v in values])
    within = np.mean(every <= TOLERANCE)
    print(f"all: n {len(every)}, 95 % within {np.quantile(every, 0.95):.4f}, {within:.1%} within {TOLERANCE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
