"""Controls of the offline rules: clean real footage, the damage each looks for, and damages it should ignore.

    python benchmarks/rule_controls.py MEDIA_FOLDER [--half A|B] [--all] [--rules NAME,...] [--write]

The clips are those of the media's ``8_footage`` that a camera or an animator made, at least 5 s long; their
first 6 s. By name, those with even place in the list of all are half A, on which the rules' constants were
fixed; the others are half B, which only reports. Six small ones of each half are taken, all with ``--all``.
``--write`` puts clean ranges and separations of half B into ``diagnosis/rules/clean.json``. Every clip is
measured as re-encoded without damage (the control) and as damaged at medium strength. Rules over faces,
places and joins have controls of their own: ``seen_controls.py``.

``pacing_structure`` is tried on films of four clips of the same half, one after the other, with a plan of
where each clip begins and ends. Rules of a film's course (``COURSE``) are tried where they can speak: on
films of one long shot (a clip whose camera stays, forward and backward, twice), and on films of 36 spans of
1.5 s from all clips of the half in an order drawn from a seed; clean, also on the films of four unlike clips.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from statistics import median

import cv2

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "diagnosis" / "rules"))

from long_films import short_shots, there_and_back

from longtake.core.brief import Brief, PlannedShot
from longtake.core.video import Video
from longtake.diagnosis.diagnose import gather
from longtake.diagnosis.facts import Facts
from longtake.diagnosis.rules import REPORT_RULES, RULES
from longtake.errors import LongtakeError
from longtake.execution.entry import video_entry
from longtake.execution.measure import measure
from longtake.media.open import open_video
from longtake.meta.perturbations import join, perturb, reencode
from longtake.signals.registry import ORDER
from longtake.storage.cache import Cache

GENERATED = ("ad_", "cog_", "dc_", "fv_", "lav_", "ovi_", "se_", "va_")
"""Clips made by a generator: they may have the very faults that the rules look for."""
NOT_CLEAN = ("ffp_in.mp4", "wrtc_mixed.mp4", "wrtc_chrome_b.mp4", "wrtc_chrome_c.mp4")
"""A countdown leader and stop-motion adverts with unknown cuts."""
SHORTEST_S = 5.0
LONGEST_S = 6.0
SMALL = {
    "A": "mdn_chroma_a.mp4 simpl_small_b.mp4 tmh_tractor.webm simpl_dancer_b.mp4 intel_bottle_a.mp4 "
    "tmh_stream_a.mp4",
    "B": "mdn_chroma_b.mp4 simpl_small_c.mp4 intel_fruit.mp4 mdn_bug.mp4 tmh_stream_b.mp4 mla_elf.mp4",
}

LOOKED_FOR = {
    "motion_continuity": ("freeze", "repeat_frames", "drop_frames"),
    "exposure_stability": ("flicker", "pump", "exposure_drift"),
    "color_temperature": ("color_temperature",),
    "color_consistency": ("color_drift",),
    "temporal_degradation": ("late_blur", "late_compression"),
    "resolution_sharpness": ("low_resolution",),
    "visual_artifact_frequency": ("flash", "stray_frame"),
    "audio_continuity": ("sound_dropout", "sound_gap", "click"),
    "duration_completeness": ("truncate",),
    "pacing_structure": ("other_shares",),
}
"""The damages of which each rule should take notice."""
UNRELATED = {
    "motion_continuity": ("color_temperature", "sound_dropout", "low_resolution"),
    "exposure_stability": ("color_temperature", "low_resolution", "freeze"),
    "color_temperature": ("flicker", "late_blur", "freeze"),
    "color_consistency": ("flicker", "late_blur"),
    "temporal_degradation": ("flicker", "color_drift"),
    "resolution_sharpness": ("flicker", "color_temperature", "freeze"),
    "visual_artifact_frequency": ("color_temperature", "late_blur", "sound_dropout"),
    "audio_continuity": ("flicker", "low_resolution"),
    "duration_completeness": ("flicker", "freeze"),
    "pacing_structure": ("flicker", "color_temperature"),
}
COURSE = ("color_consistency", "temporal_degradation")
"""Rules that want one long shot, or many short ones."""
PLANNED = ("pacing_structure",)
"""Rules that want a plan; all but these and those of a course are tried on single clips."""
LONG_ONES = {
    "A": "intel_bottle_a.mp4 intel_car_a.mp4 intel_onebyone_a.mp4 simpl_vp9w4.mp4",
    "B": "intel_bottle_b.mp4 intel_car_b.mp4 intel_onebyone_b.mp4 tmh_stream_b.mp4",
}
"""Clips whose camera stays, from which films of one long shot are made."""
ORDERS = 3
"""Films of many short shots, each in an order of its own."""
CLIPS_IN_A_FILM = 4
OTHER_SHARES = (1.5, 0.5, 1.25, 0.75)
"""``other_shares`` is no damage of the film: its plan gives the four clips these multiples of their time."""


def clips(media: Path, half: str) -> list[Path]:
    """The clips of one half, see the module's text."""
    names = sorted(p for p in (media / "8_footage").iterdir())
    mine = names[0 if half == "A" else 1 :: 2]
    return [p for p in mine if not p.name.startswith(GENERATED) and p.name not in NOT_CLEAN and _long(p)]


def films(chosen: list[Path], folder: Path) -> dict[Path, list[float]]:
    """As many films as clips, each of a clip and the three after it in the list, with the clips' lengths."""
    made = {}
    for i in range(len(chosen)):
        pick = [chosen[(i + k) % len(chosen)] for k in range(CLIPS_IN_A_FILM)]
        out = folder / f"{'+'.join(p.stem for p in pick)}.mp4"
        parts = [_beginning(p) for p in pick]
        join(parts, out)
        made[out] = [float(v.end or v.parts[0].duration or 0) for v in parts]
    return made


def _beginning(path: Path) -> Video:
    """The first seconds of a clip, or all of one that is shorter."""
    whole = open_video(path)
    longer = (whole.parts[0].duration or 0) > LONGEST_S
    return open_video(path, end=Fraction(LONGEST_S)) if longer else whole


def plan_of(lengths: Sequence[float]) -> list[PlannedShot]:
    """Planned shots of these lengths, one after the other."""
    edges = [sum(lengths[:i]) for i in range(len(lengths) + 1)]
    return [PlannedShot(index=i, start=a, end=b) for i, (a, b) in enumerate(pairwise(edges))]


def facts_of(
    path: Path,
    cache: Path,
    asked: float | None = None,
    planned: Sequence[float] | None = None,
    names: Sequence[str] = ORDER,
) -> Facts:
    """Everything a rule may look at; a brief may ask for a length and for shots of these lengths."""
    video = open_video(path)
    measured = measure(video, names, cache=Cache(cache), workers=1)
    entry = video_entry(video, measured, None)
    brief = Brief(duration=asked, shots=plan_of(planned or ())) if asked else None
    return gather(entry, measured.signals, brief)


@dataclass(frozen=True)
class Job:
    """One clip or film with one damage, and the rules to ask. ``lengths`` are those of a film's clips."""

    path: Path
    operator: str | None
    rules: tuple[str, ...]
    lengths: tuple[float, ...] = ()
    whole: bool = True


def one(job: Job) -> dict[str, float | None]:
    """Values of the rules asked."""
    cv2.setNumThreads(1)
    lengths = list(job.lengths)
    video = open_video(job.path) if job.whole else _beginning(job.path)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "film.mp4"
        if job.operator in (None, "other_shares"):
            asked = reencode(video, out)
        else:
            try:
                asked = perturb(video, job.operator, "medium", 1, out).duration_in
            except LongtakeError:  # no sound to damage
                return {}
        if job.operator == "other_shares":
            lengths = [a * b for a, b in zip(lengths, OTHER_SHARES, strict=True)]
            lengths = [x * asked / sum(lengths) for x in lengths]
        rules = {name: {**RULES, **REPORT_RULES}[name] for name in job.rules}
        names = sorted({s for rule in rules.values() for s in rule.needs if s in ORDER})
        facts = facts_of(out, Path(folder) / "cache", asked, lengths, names)
        return {name: rule.function(facts).value for name, rule in rules.items()}


def jobs_of(chosen: list[Path], every: list[Path], stays: str, rules: set[str], folder: Path) -> list[Job]:
    """What to measure for these rules; films are made in ``folder``."""
    single = tuple(r for r in (*RULES, *REPORT_RULES) if r in rules and r not in (*COURSE, *PLANNED))
    course, planned = (tuple(r for r in group if r in rules) for group in (COURSE, PLANNED))
    jobs = [Job(p, o, single, whole=False) for p in chosen for o in (None, *_operators(single)) if single]
    if course or planned:
        for film, lengths in films(chosen, folder).items():
            jobs.append(Job(film, None, course + planned, tuple(lengths)))
            jobs += [Job(film, o, planned, tuple(lengths)) for o in _operators(planned)]
    if course:
        made = []
        for clip in (p for p in every if p.name in stays.split()):
            made.append(folder / f"long_{clip.stem}.mp4")
            there_and_back(clip, made[-1])
        for seed in range(ORDERS):
            made.append(folder / f"many_{seed}.mp4")
            short_shots(every, made[-1], seed)
        jobs += [Job(film, o, course) for film in made for o in (None, *_operators(course))]
    return jobs


def _operators(rules: Sequence[str]) -> list[str]:
    return sorted({o for r in rules for o in (*LOOKED_FOR.get(r, ()), *UNRELATED.get(r, ()))})


def separation(clean: list[float], damaged: list[float]) -> float:
    """Chance that a clean clip scores above a damaged one, ties half; never below a coin."""
    wins = [1.0 if a > b else 0.5 if a == b else 0.0 for a in clean for b in damaged]
    return max(0.5, sum(wins) / len(wins)) if wins else 0.5


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("media", type=Path)
    parser.add_argument("--half", choices=("A", "B"), default="B")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--rules", default=",".join([*RULES, *REPORT_RULES]))
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    every = clips(arguments.media, arguments.half)
    chosen = [p for p in every if arguments.all or p.name in SMALL[arguments.half].split()]
    rules = set(arguments.rules.split(","))
    began = time.perf_counter()
    folder = tempfile.TemporaryDirectory()
    jobs = jobs_of(chosen, every, LONG_ONES[arguments.half], rules, Path(folder.name))
    values: dict[str, dict[str | None, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    asked: Counter[str] = Counter()
    # Not forked: joining the films has started threads here, and a fork would wait for them for ever.
    with ProcessPoolExecutor(max_workers=os.cpu_count(), mp_context=get_context("spawn")) as pool:
        for job, found in zip(jobs, pool.map(one, jobs), strict=True):
            for rule, value in found.items():
                asked[rule] += job.operator is None
                if value is not None:
                    values[rule][job.operator][job.path.name] = value
    folder.cleanup()
    print(f"half {arguments.half}: {len(chosen)} clips, {time.perf_counter() - began:.0f} s")
    report = {rule: _figures(rule, values[rule]) for rule in sorted(values)}
    for rule in report:
        print(f"{rule}: spoke of {len(values[rule][None])} of {asked[rule]} clean ones")
    if arguments.write:
        keep(report, len(chosen))


def keep(report: dict[str, dict[str, object]], n: int) -> None:
    """Write what the rules quote of their controls; rules that were not asked keep what stands there."""
    target = Path(__file__).parents[1] / "src" / "longtake" / "diagnosis" / "rules" / "clean.json"
    kept = json.loads(target.read_text(encoding="utf-8"))["rules"]
    about = (
        f"half B of the test media's 8_footage, {n} clips, first 6 s, re-encoded; medium damages, seed 1; "
        f"for {', '.join(PLANNED)} as many films of {CLIPS_IN_A_FILM} such clips; for {', '.join(COURSE)} "
        f"these (clean only), 4 of one long shot, and {ORDERS} of many short shots"
    )
    text = {"about": about, "rules": {**kept, **{k: v for k, v in report.items() if v}}}
    target.write_text(json.dumps(text, indent=1) + "\n", encoding="utf-8")


def _figures(rule: str, values: dict[str | None, dict[str, float]]) -> dict[str, object]:
    """Print a rule's controls; gives its clean range and separation, nothing without clean values."""
    clean = values[None]
    if not clean:
        return {}
    ordered = sorted(clean.values())
    print(f"{rule}: clean n={len(ordered)} low {ordered[0]:.2f} median {median(ordered):.2f}")
    low = {k: round(v, 2) for k, v in clean.items() if v < 0.75}
    if low:
        print(f"    clean below .75: {low}")
    chances = []
    for operator in LOOKED_FOR.get(rule, ()):
        if set(values[operator]) & set(clean):
            damaged = {c: v for c, v in values[operator].items() if c in clean}
            both = [clean[c] - damaged[c] for c in damaged]
            chance = separation(list(clean.values()), list(damaged.values()))
            chances.append(chance)
            lowered = sum(d >= 0.25 for d in both) / len(both)
            print(
                f"    {operator}: median {median(damaged.values()):.2f}, lowered by .25 in {lowered:.0%}, "
                f"separation {chance:.2f}"
            )
    for operator in UNRELATED.get(rule, ()):
        if values[operator]:
            both = [abs(clean[c] - v) for c, v in values[operator].items() if c in clean]
            print(f"    unrelated {operator}: moved by .2 in {sum(d >= 0.2 for d in both)} of {len(both)}")
    found: dict[str, object] = {
        "clean": {
            "low": ordered[0],
            "median": median(ordered),
            "high": ordered[-1],
            "n": len(ordered),
            "clips": "real footage, half B of the test media",
        }
    }
    if chances:
        found["separation"] = round(sum(chances) / len(chances), 3)
    return found


def _long(path: Path) -> bool:
    try:
        video = open_video(path)
    except LongtakeError:
        return False
    return float(video.parts[0].duration or 0) >= SHORTEST_S


if __name__ == "__main__":
    main()
