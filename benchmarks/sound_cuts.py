"""Whether music carries on across a place: pieces that do, that give way to another, that jump.

    LONGTAKE_TEST_MEDIA=... LONGTAKE_CACHE=... python benchmarks/sound_cuts.py [--more FOLDER]

Set A: pieces of ``tests/sounds.py``, the popcorn trailer and the guitar; ``LIKENESS`` in
``signals/sound_cuts.py`` was fitted on its untouched and switched passages (the fit is printed). Set B: the
``music_*`` files of FOLDER and the opening of Big Buck Bunny; it is only reported. Every passage lies at a
place drawn from a seed. Also printed: how far the measured level of speech over music is from the level at
which the two were mixed, and how long all of it took.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent))

from longtake.signals.sound_classes import likelihoods
from longtake.signals.sound_cuts import MUSICAL, Passage, passage
from sound_classes import Ears, mono, sounds

RATE = sounds.RATE
PIECE_S = 13
SEEDS = (5, 6)


def pieces_of_a(media: Path) -> list[sounds.Sound]:
    """Made music, and two clips."""
    found = [
        sounds.music(7000 + i, 24, style, timbre)
        for i, (style, timbre) in enumerate(
            (s, t) for s in sounds.STYLES[:5] for t in ("pluck", "pad", "organ", "strings")
        )
    ]
    trailer = mono(media / "4_formats" / "pop_trailer.mp4")
    found += [trailer[i * RATE : (i + 24) * RATE] for i in (0, 20, 38)]
    found.append(mono(media / "3_audio" / "mdn_guitar.mp3")[RATE : 20 * RATE])
    return [sounds.at_level(p) for p in found]


def pieces_of_b(media: Path, more: Path | None) -> list[sounds.Sound]:
    """Other music; long pieces are cut in parts of 24 s."""
    found = [mono(media / "1_shots" / "mpy_bbb_0_30.webm")[: 20 * RATE]]
    for path in sorted(more.glob("music_*")) if more else []:
        whole = mono(path)[RATE:]
        found += [whole[i : i + 24 * RATE] for i in range(0, len(whole), 24 * RATE)]
    return [sounds.at_level(p) for p in found if len(p) >= PIECE_S * RATE]


def passages(ears: Ears, pieces: list[sounds.Sound]) -> dict[str, list[Passage]]:
    """Passages that carry on, that switch to another piece, and that jump 1 to 4 s ahead."""
    found: dict[str, list[Passage]] = {"same": [], "other": [], "jump": []}
    for seed in SEEDS:
        random = np.random.default_rng(seed)
        for i, piece in enumerate(pieces):
            other = pieces[(i + 1 + int(random.integers(len(pieces) - 1))) % len(pieces)]
            at, ahead = float(random.uniform(5, 8)), float(random.uniform(1, 4))
            cut = int(at * RATE)
            tail = int((at + ahead) * RATE)
            films = {
                "same": piece[: PIECE_S * RATE],
                "other": np.concatenate([piece[:cut], other[4 * RATE : 9 * RATE]]),
                "jump": np.concatenate([piece[:cut], piece[tail : tail + 5 * RATE]]),
            }
            for name, sound in films.items():
                rows = ears.sound(sound)
                if (seen := passage(rows, likelihoods(rows)["music"], at, at)) is not None:
                    found[name].append(seen)
    return found


def area(low: NDArray[np.float64], high: NDArray[np.float64]) -> float:
    """The chance that one of ``high`` is above one of ``low``, ties as half."""
    return float(np.mean(low[:, None] < high) + 0.5 * np.mean(low[:, None] == high))


def report(title: str, found: dict[str, list[Passage]]) -> None:
    """How the three kinds differ."""
    print(f"\n{title}: " + ", ".join(f"{len(p)} {name}" for name, p in found.items()))
    for what in ("likeness", "continuity"):
        values = {name: np.array([getattr(p, what) for p in ps]) for name, ps in found.items()}
        kept = (values["same"] >= MUSICAL).mean()
        told = {name: (values[name] < MUSICAL).mean() for name in ("other", "jump")}
        low = float(np.percentile(values["same"], 5))
        strict = {name: (values[name] < low).mean() for name in ("other", "jump")}
        areas = {name: area(values[name], values["same"]) for name in ("other", "jump")}
        print(
            f"  {what:11s} carries on kept {kept:.3f}; told: other piece {told['other']:.3f}, "
            f"jump {told['jump']:.3f}; area under the curve {areas['other']:.3f}, {areas['jump']:.3f}; "
            f"under {low:.2f} (5 % of those that carry on): {strict['other']:.3f}, {strict['jump']:.3f}"
        )
    beats = {name: [p.beat for p in ps if p.beat is not None] for name, ps in found.items()}
    print("  beat judged: " + ", ".join(f"{name} {len(b)}/{len(found[name])}" for name, b in beats.items()))


def fitted(found: dict[str, list[Passage]]) -> tuple[float, ...]:
    """Bias and weights of timbre and pitch classes that tell ``same`` from ``other`` best."""
    parts = [(found["same"], 1.0), (found["other"], 0.0)]
    given = np.array([[1.0, p.timbre, p.pitch] for ps, _ in parts for p in ps])
    truth = np.array([value for ps, value in parts for _ in ps])
    weights = np.zeros(3)
    for _ in range(50):
        likely = 1 / (1 + np.exp(-given @ weights))
        slope = given.T @ (likely - truth) + np.array([0, 1, 1]) * weights
        bend = (given * (likely * (1 - likely))[:, None]).T @ given + np.diag([1e-9, 1, 1])
        weights -= np.linalg.solve(bend, slope)
    return tuple(round(float(w), 2) for w in weights)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--more", type=Path)
    given = parser.parse_args()
    media = Path(os.environ["LONGTAKE_TEST_MEDIA"])
    ears = Ears()
    first = passages(ears, pieces_of_a(media))
    print("fit on set A (bias, timbre, pitch classes):", fitted(first))
    report("Set A (fitted)", first)
    report("Set B (reported)", passages(ears, pieces_of_b(media, given.more)))


if __name__ == "__main__":
    main()
