"""How well boundaries are found on films with known truth.

    LONGTAKE_TEST_MEDIA=... python benchmarks/accuracy.py [--films N] [--slow] [--weights CACHE]

With ``--slow`` a quarter of the joins are wipes in six directions and another quarter dissolves, and the
first and last shots take about a second. With ``--weights``, a cache folder that holds transnet-v2, each film
is put together without and with the signal ``gradual``, and what this costs is told: CPU of this process
beside that of a bare decode, one thread. Films are 480x270, whose decoding costs little: ``decode_ratio.py``
tells the ratio at 720p.

Set A is made of the first half of the footage (by name of origin, every other one); the thresholds in
``signals/boundaries.py``, ``gradual.py`` and ``gradual_fit.py`` were fixed on it. Set B is made of the other
half, with other encoders, rates and keyframe spacing, and other seeds; it is only reported. A cut counts as
found within one frame, a gradual change when a gradual boundary overlaps it within three frames.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from decode_ratio import bare, cpu
from films import JOINS, LONGEST, SLOW_JOINS, Encoding, Truth, build
from longtake.core.signal import Signal
from longtake.media.open import open_video
from longtake.models import weights
from longtake.models.weights import Weights
from longtake.signals.film import Film, film_of
from longtake.signals.observer import Arrays, Merged
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
SLOW_SEED, SLOW_LONGEST = 400, 150
"""Added to the seed of films of slow changes, and frames of their longest shots."""
CUT_FRAMES, GRADUAL_FRAMES = 1, 3
NOT_ONE_SHOT = ("lav_teaser", "wrtc_", "ffp_in", "va_3B", "ad_ml1")
"""Clips with cuts or flashes of their own: their pieces would have no known truth."""


GRADUAL, GRADUAL_MODEL = "gradual", "transnet-v2"
KINDS = ("cuts", "gradual", "  dissolves", "  fades", "  wipes", "flashes")


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


def compare(
    path: Path, truth: Truth, counts: dict[str, dict[str, Count]], notes: list[str], given: Weights | None
) -> dict[str, float]:
    """Measure one film and add what was found, missed and made up; returns CPU seconds and windows."""
    video = open_video(path)
    spent = {"bare decode": cpu(lambda: bare(video))}
    merged: Merged = {}
    for name in counts:
        chunks: list[Arrays] = []
        names = with_needs(["transitions", "gradual"] if name == GRADUAL else ["transitions"])

        def work(names: list[str] = names, chunks: list[Arrays] = chunks) -> None:
            plan = plan_chunks(video, None)
            run_pass(video, names, plan, lambda c, rows, r: chunks.append(rows), sound=False, weights=given)

        spent[name] = cpu(work)
        merged = merge(chunks)
        film = film_of(video, merged, has_sound=False)
        signals = assemble_all(merged, film, names)
        tell = notes if name == list(counts)[-1] else []
        _judge(signals["transitions"], film, truth, counts[name], path.name, tell)
    if GRADUAL in counts:
        spent["windows"] = float(merged["gradual_windows.count"].sum())
        spent["minutes"] = film.duration / 60
    return spent


def _judge(
    signal: Signal, film: Film, truth: Truth, counts: dict[str, Count], name: str, notes: list[str]
) -> None:
    rows = signal.rows()
    cuts = [r["frame"] for r in rows if r["kind"] == "cut"]
    kinds = {"dissolve": truth.dissolves, "fade": truth.fades, "wipe": truth.wipes}
    slow = [(film.frame_at(r["start"]), film.frame_at(r["end"])) for r in rows if r["kind"] in kinds]
    _count(counts["cuts"], truth.cuts, cuts, lambda a, b: abs(a - b) <= CUT_FRAMES, f"{name} cut", notes)
    every = sorted(span for spans in kinds.values() for span in spans)
    _count(counts["gradual"], every, slow, _meet, f"{name} slow change", notes)
    for kind, spans in kinds.items():
        # What another kind was taken for is counted as found: the kind is told beside the change.
        mine = [s for s in slow if any(_meet(t, s) for t in spans)]
        _count(counts[f"  {kind}s"], spans, mine, _meet, "", [])
    stray = [(e.frame, round(e.value or 0)) for e in signal.events]
    _count(counts["flashes"], truth.flashes, stray, lambda a, b: tuple(a) == tuple(b), "", [])


def _meet(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] <= b[1] + GRADUAL_FRAMES and b[0] <= a[1] + GRADUAL_FRAMES


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
    arguments.add_argument("--slow", action="store_true", help="films of slow changes, wipes among them")
    arguments.add_argument("--weights", type=Path, help="cache folder with transnet-v2")
    options = arguments.parse_args()
    clips = halves(Path(os.environ["LONGTAKE_TEST_MEDIA"]))
    given = weights.load([GRADUAL_MODEL], options.weights, 1) if options.weights else None
    for name in options.sets:
        counts = {
            pass_: {kind: Count() for kind in KINDS}
            for pass_ in ("light pass", *([GRADUAL] if given is not None else []))
        }
        notes: list[str] = []
        spent: dict[str, float] = {}
        for i in range(options.films):
            encoding = SETTINGS[name][i % len(SETTINGS[name])]
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / f"film{i}{encoding.suffix}"
                truth = build(
                    path,
                    clips[name],
                    FIRST_SEED[name] + i + SLOW_SEED * options.slow,
                    encoding=encoding,
                    shots=options.shots,
                    longest=SLOW_LONGEST if options.slow else LONGEST,
                    joins=SLOW_JOINS if options.slow else JOINS,
                    short_ends=options.slow,
                )
                for key, value in compare(path, truth, counts, notes, given).items():
                    spent[key] = spent.get(key, 0.0) + value
        print(f"set {name}, {options.films} films of {options.shots} shots from {len(clips[name])} clips")
        for pass_, found in counts.items():
            print(f"  {pass_}: {spent[pass_] / spent['bare decode']:.2f} x the bare decode")
            for kind, count in found.items():
                print(f"    {kind:12s} {count}")
        if given is not None:
            print(f"  {spent['windows'] / spent['minutes']:.1f} windows per minute of film")
        for note in notes:
            print("   ", note)


if __name__ == "__main__":
    main()
