"""What evaluators cost: CPU-seconds for a minute of film, each alone in a fresh cache.

    LONGTAKE_CACHE=... python benchmarks/evaluators_cost.py FILM BRIEF [--rounds 3] [--evaluators dsa,vb.*]

Every round runs ``longtake score FILM -e NAME`` once for each evaluator as a process of its own, in an order
that turns from round to round, with an empty cache in which only the weights of ``LONGTAKE_CACHE`` lie.
Counted is the CPU time of the process and all it started, from the kernel. ``constant`` looks at nothing: it
is the cost of starting and of reading the film once. Shown are medians over the rounds, for a minute of film
what goes beyond ``constant`` in the same round, and the ratio to it. On a busy machine seconds grow
together; ratios hardly.

An evaluator that gives no score (its model or a judge is not there, the film has no text) is named below the
table with the reason, and has no figure: it did not do all of its work.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from longtake.evaluators.cards import known_evaluators
from longtake.media.open import open_video
from longtake.media.probe import probe
from longtake.storage.cache import cache_root

BASE = "constant"
LEFT_OUT = ("rule.", "cue.", "random")
"""Names that begin so are asked only where they are named: a rule costs what its signals cost diagnosis."""


@dataclass
class Cost:
    """CPU-seconds of each round, and why there was no score, empty where there was one."""

    seconds: list[float] = field(default_factory=list)
    reason: str = ""


def chosen(patterns: Sequence[str]) -> list[str]:
    """The evaluators to run, without those that judge pairs only; the base is always among them."""
    found = [entry for entry in known_evaluators(patterns).evaluators if entry.card.quantities]
    names = [e.name for e in found if patterns or not e.name.startswith(LEFT_OUT)]
    return [BASE, *(name for name in names if name != BASE)]


def run(name: str, film: Path, brief: Path, weights: Path) -> tuple[float, str]:
    """CPU-seconds of one run, and the reason where it gave no score. Raises ``SystemExit`` if it failed."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        (root / "cache").mkdir()
        (root / "cache" / "models").symlink_to(weights / "models", target_is_directory=True)
        command = [sys.executable, "-m", "longtake", "score", str(film.resolve()), "--brief"]
        command += [str(brief.resolve()), "-e", name, "--out", "out"]
        child = os.fork()
        if child == 0:
            os.chdir(root)
            quiet = os.open("said", os.O_WRONLY | os.O_CREAT)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            os.execve(sys.executable, command, {**os.environ, "LONGTAKE_CACHE": str(root / "cache")})
        _, status, used = os.wait4(child, 0)
        if status:
            sys.exit(f"{name} ended with {os.waitstatus_to_exitcode(status)}: {(root / 'said').read_text()}")
        said = json.loads((root / "out" / "score.json").read_text())
        first = said["results"][0]["measurements"]
        scored = any(one["status"] == "scored" for one in first)
        return used.ru_utime + used.ru_stime, "" if scored else str(first[0]["reason"])


def table(costs: dict[str, Cost], minutes: float) -> list[str]:
    """Lines to print."""
    base = costs[BASE].seconds
    lines = [
        "| evaluator | CPU s | s for a minute of film beyond constant | times constant |",
        "|" + " --- |" * 4,
    ]
    rows = []
    for name, cost in costs.items():
        if cost.reason:
            continue
        more = statistics.median(s - b for s, b in zip(cost.seconds, base, strict=True)) / minutes
        times = statistics.median(s / b for s, b in zip(cost.seconds, base, strict=True))
        rows.append((more, f"| {name} | {statistics.median(cost.seconds):.1f} | {more:.1f} | {times:.1f} |"))
    lines += [line for _, line in sorted(rows)]
    return lines + [f"no score: {name} ({cost.reason})" for name, cost in costs.items() if cost.reason]


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("film", type=Path)
    options.add_argument("brief", type=Path)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--evaluators", default="", help="names and patterns, comma-separated")
    given = options.parse_args()
    names = chosen([name for name in given.evaluators.split(",") if name])
    costs = {name: Cost() for name in names}
    for turn in range(given.rounds):
        for i in range(len(names)):
            name = names[(i + turn) % len(names)]
            if costs[name].reason:
                continue
            seconds, reason = run(name, given.film, given.brief, cache_root())
            costs[name].seconds.append(seconds)
            costs[name].reason = reason
            print(f"round {turn + 1}: {name} {seconds:.1f} s {reason}", file=sys.stderr)
    facts = probe(open_video(given.film))
    minutes = (facts.duration or 0.0) / 60
    size = f"{facts.video.width} x {facts.video.height}" if facts.video is not None else "no picture"
    print(f"{given.film.name}, {minutes:.2f} min, {size}, {given.rounds} rounds\n")
    print("\n".join(table(costs, minutes)))


if __name__ == "__main__":
    main()
