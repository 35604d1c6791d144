"""How well boundaries are found on films with known truth.

    LONGTAKE_TEST_MEDIA=... python benchmarks/accuracy.py [--films N]

Set A is made of the first half of the footage (by name of origin, every other one); the thresholds in
``signals/boundaries.py`` were fixed on it. Set B is made of the other half, with other encoders, rates and
keyframe spacing, and other seeds; it is only reported. A cut counts as found within one frame, a gradual
change when a gradual boundary overlaps it within three frames.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from films import Encoding, Truth, build
from longtake.media.open import open_video
from longtake.signals.film import film_of
from longtake.signals.observer import Arrays
from longtake.signals.onepass import plan_chunks, run_pass
from longtake.signals.registry import assemble_all, merge, with_needs

FAST = ("preset", "veryfast")
SETTINGS = {
    "A": (
        Encoding("libx264", 25, (("crf", "23"), FAST)),
        Encoding("libx264", 50, (("crf", "26"), FAST)),
    ),
    "B": (
        Encoding("libx264", 30, (("crf", "28"), ("g", "12"), ("sc_threshold", "0"), ("bf", "0"), FAST)),
        Encoding("mpeg4", 25, (("q", "6"), ("qmin", "4"))),
        Encoding("libvpx-vp9", 24, (("crf", "36"), ("b", "0"), ("cpu-used", "8")), ".webm"),
    ),
}
FIRST_SEED = {"A": 0, "B": 1000}
CUT_FRAMES, GRADUAL_FRAMES = 1, 3
NOT_ONE_SHOT = ("lav_teaser", "wrtc_", "ffp_in", "va_3B", "ad_ml1")
"""Clips with cuts or flashes of their own: their pieces would have no known truth."""


@dataclass
class Count:
    right: int = 0
    missed: int = 0
    false: int = 0

    def __str__(self) -> str:
        precision = self.right / max(self.right + self.false, 1)
        recall = self.right / max(self.right + self.missed, 1)
        f1 = 2 * precision * recall / max(precision + recall, 1e-9)
        return (
            f"{self.right:4d} found, {self.missed:3d} missed, {self.false:3d} false: "
            f"precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f}"
        )


def halves(media: Path) -> dict[str, list[Path]]:
    """The footage in two halves; clips of one origin stay together."""
    folder = media / "8_footage"
    clips = [p for p in sorted(folder.iterdir()) if p.suffix and not p.name.startswith(NOT_ONE_SHOT)]
    origins = sorted({p.name.split("_")[0] for p in clips})
    half = {name: "AB"[i % 2] for i, name in enumerate(origins)}
    return {s: [p for p in clips if half[p.name.split("_")[0]] == s] for s in "AB"}


def compare(path: Path, truth: Truth, counts: dict[str, Count], notes: list[str]) -> None:
    """Measure one film and add what was found, missed and made up."""
    video = open_video(path)
    chunks: list[Arrays] = []
    run_pass(
        video,
        with_needs(["transitions"]),
        plan_chunks(video, None),
        lambda c, rows, r: chunks.append(rows),
        sound=False,
    )
    merged = merge(chunks)
    film = film_of(video, merged, has_sound=False)
    signal = assemble_all(merged, film, ["transitions"])["transitions"]
    rows = signal.rows()
    cuts = [r["frame"] for r in rows if r["kind"] == "cut"]
    slow = [
        (film.frame_at(r["start"]), film.frame_at(r["end"]))
        for r in rows
        if r["kind"] in ("dissolve", "fade")
    ]
    _count(counts["cuts"], truth.cuts, cuts, lambda a, b: abs(a - b) <= CUT_FRAMES, f"{path.name} cut", notes)
    spans = sorted([*truth.dissolves, *truth.fades])
    near = GRADUAL_FRAMES
    _count(counts["gradual"], spans, slow, lambda a, b: a[0] <= b[1] + near and b[0] <= a[1] + near, "", [])
    stray = [(e.frame, round(e.value or 0)) for e in signal.events]
    _count(counts["flashes"], truth.flashes, stray, lambda a, b: tuple(a) == tuple(b), "", [])


def _count(count: Count, true: list, found: list, same, what: str, notes: list[str]) -> None:  # type: ignore[no-untyped-def,type-arg]
    missed = [t for t in true if not any(same(t, f) for f in found)]
    false = [f for f in found if not any(same(t, f) for t in true)]
    count.right += len(true) - len(missed)
    count.missed += len(missed)
    count.false += len(false)
    notes += [f"{what} missed at frame {t}" for t in missed] + [f"{what} false at frame {f}" for f in false]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--films", type=int, default=6, help="films per set")
    arguments.add_argument("--shots", type=int, default=40, help="shots per film")
    arguments.add_argument("--sets", default="AB")
    options = arguments.parse_args()
    clips = halves(Path(os.environ["LONGTAKE_TEST_MEDIA"]))
    for name in options.sets:
        counts = {k: Count() for k in ("cuts", "gradual", "flashes")}
        notes: list[str] = []
        for i in range(options.films):
            encoding = SETTINGS[name][i % len(SETTINGS[name])]
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / f"film{i}{encoding.suffix}"
                truth = build(path, clips[name], FIRST_SEED[name] + i, encoding=encoding, shots=options.shots)
                compare(path, truth, counts, notes)
        print(f"set {name}, {options.films} films of {options.shots} shots from {len(clips[name])} clips")
        for kind, count in counts.items():
            print(f"  {kind:8s} {count}")
        for note in notes:
            print("   ", note)


if __name__ == "__main__":
    main()
