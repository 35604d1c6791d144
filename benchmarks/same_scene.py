"""Fixes what ``scenes`` takes for one place on half of the test clips, and reports on the other half.

    LONGTAKE_TEST_MEDIA=... LONGTAKE_CACHE=... python benchmarks/same_scene.py

Clips are grouped by recording; every other group, in the order of their names, is of one half. Of one place:
the first and the last two fifths of a clip; the same with the last cut closer, or darker and warmer; parts of
one recording. Of two places: clips of different groups. Clips that might show one place without being known
to are one group, and not compared with each other.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from longtake.models import weights
from longtake.models.vectors import unit
from longtake.signals.embeddings import MODELS, EmbeddingObserver
from longtake.signals.scenes import BIAS, COLOURS, LOOKS, SURE
from longtake.storage.cache import cache_root
from stills import Picture, squeezed, stills

FOLDERS = ("1_shots", "2_speaking", "5_ai_generated", "8_footage")
ENDINGS = (".mp4", ".mkv", ".webm", ".mpg")
LEFT_OUT = ("lav_teaser", "wrtc", "ffp_in", "mpy_bbb", "psd_", "los_", "pop_", "gcs", "skv_bikes", "ax_")
"""Films of several shots, graphics, and what is in another clip too."""
PARTS = (
    "intel_bottle",
    "intel_car",
    "intel_onebyone",
    "mdn_chroma",
    "simpl_dancer",
    "simpl_small",
    "tmh_stream",
)
"""Recordings of which there are several parts."""
UNCLEAR = ("intel_asl", "intel_pose", "intel_walk", "mla", "va_1", "va_3", "grid", "uve", "fetv", "se_")
"""Clips that may show one place."""
LEAST_STILLS = 4
CLOSER = 0.6
"""Share of width and height that is left when a shot is cut closer."""
DARKER = (0.65, 0.78, 0.85)
"""What is left of blue, green and red."""
RIDGE = 1e-3

Shot = tuple[NDArray[np.float32], NDArray[np.float32]]


def group_of(name: str) -> str:
    return next((key for key in (*PARTS, *UNCLEAR) if name.startswith(key)), name.rsplit(".", 1)[0])


def closer(pictures: Sequence[Picture], name: str) -> list[Picture]:
    across, down = np.random.default_rng(sum(map(ord, name))).random(2)
    out = []
    for picture in pictures:
        height, width = picture.shape[:2]
        top, left = int(height * (1 - CLOSER) * down), int(width * (1 - CLOSER) * across)
        out.append(picture[top : top + int(CLOSER * height), left : left + int(CLOSER * width)])
    return out


def darker(pictures: Sequence[Picture]) -> list[Picture]:
    return [squeezed((p * np.array(DARKER)).clip(0, 255).astype(np.uint8)) for p in pictures]


def shot(observer: EmbeddingObserver, pictures: Sequence[Picture]) -> Shot:
    """Mean vector and mean colours, as ``scenes`` has them of a shot."""
    for i, picture in enumerate(pictures):
        observer.look(picture, float(i))
    rows = observer.flush()
    looks, colours = (np.asarray(rows[f"embeddings.{c}"], np.float32) for c in ("vector", "colour"))
    return unit(looks.mean(axis=0, keepdims=True))[0], unit(colours.mean(axis=0, keepdims=True))[0]


def fitted(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logistic regression with both classes of equal weight, by Newton's method."""
    weight = np.where(y == 1, 0.5 / (y == 1).sum(), 0.5 / (y == 0).sum()) * len(y)
    inputs, found = np.c_[x, np.ones(len(x))], np.zeros(x.shape[1] + 1)
    for _ in range(50):
        odds = 1 / (1 + np.exp(-inputs @ found))
        slope = inputs.T @ (weight * (odds - y)) + RIDGE * found
        bend = (inputs * (weight * odds * (1 - odds))[:, None]).T @ inputs + RIDGE * np.eye(len(found))
        found = found - np.linalg.solve(bend, slope)
    return found


def report(odds: NDArray[np.float64], kinds: NDArray[np.str_], what: str) -> None:
    others = odds[kinds == "other"]
    print(what)
    for kind in (*sorted(set(kinds) - {"other"}), "all"):
        own = odds[kinds != "other"] if kind == "all" else odds[kinds == kind]
        area = ((own[:, None] > others).mean() + (own[:, None] >= others).mean()) / 2
        print(
            f"  {kind:8} area {area:.4f}; {_counts(own >= 0.5, own)}, for two {np.mean(own <= 1 - SURE):.3f}"
        )
    print(f"  others   {_counts(others < 0.5, others)}, taken for one {np.mean(others >= SURE):.3f}")


def _counts(right: NDArray[np.bool_], odds: NDArray[np.float64]) -> str:
    unsure = np.mean((odds > 1 - SURE) & (odds < SURE))
    return f"{len(odds)} pairs, right at one half {right.mean():.3f}, unsure {unsure:.3f}"


def main() -> None:
    media = Path(os.environ["LONGTAKE_TEST_MEDIA"])
    observer = EmbeddingObserver(weights.load([str(m) for m in MODELS], cache_root(), 2))
    paths = [p for f in FOLDERS for p in sorted((media / f).iterdir()) if p.name.endswith(ENDINGS)]
    starts: dict[str, Shot] = {}
    ends: dict[str, Shot] = {}
    groups: dict[str, list[str]] = defaultdict(list)
    pairs: list[tuple[str, str, Shot, Shot]] = []
    for path in paths:
        name = path.name
        pictures = [] if name.startswith(LEFT_OUT) else [picture for _, picture in stills(path)]
        if len(pictures) < LEAST_STILLS:
            continue
        part = max(1, int(len(pictures) * 0.4))
        last = pictures[-part:]
        starts[name], ends[name] = shot(observer, pictures[:part]), shot(observer, last)
        groups[group_of(name)].append(name)
        pairs.append((name, "cut", starts[name], ends[name]))
        pairs.append((name, "closer", starts[name], shot(observer, closer(last, name))))
        pairs.append((name, "relit", starts[name], shot(observer, darker(last))))
    of_parts, others = (
        [g for g in sorted(groups) if g in PARTS],
        [g for g in sorted(groups) if g not in PARTS],
    )
    half = {g: i % 2 for i, g in [*enumerate(of_parts), *enumerate(others)]}
    for a, b in combinations(sorted(starts), 2):
        if group_of(a) == group_of(b):
            if group_of(a) in PARTS:
                pairs.append((a, "parts", starts[a], ends[b]))
        elif half[group_of(a)] == half[group_of(b)]:
            pairs.append((a, "other", starts[a], ends[b]))
    x = np.array([[float(u @ v) for u, v in zip(s, t, strict=True)] for _, _, s, t in pairs])
    kinds = np.array([kind for _, kind, _, _ in pairs])
    halves = np.array([half[group_of(name)] for name, *_ in pairs])
    found = fitted(x[halves == 0], (kinds != "other")[halves == 0].astype(np.float64))
    print(f"{len(groups)} groups; fitted on half 0: {np.round(found, 1)}; in use: {[LOOKS, COLOURS, BIAS]}")
    odds = 1 / (1 + np.exp(-(x @ np.array([LOOKS, COLOURS]) + BIAS)))
    report(odds[halves == 0], kinds[halves == 0], "half 0, fixed on")
    report(odds[halves == 1], kinds[halves == 1], "half 1, reported")


if __name__ == "__main__":
    main()
