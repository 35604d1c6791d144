"""``longtake shots`` as a whole command against a bare decode (CPU) and against scenedetect (wall).

Bounds: at most 1.25x the CPU of the bare decode, at most 0.5x the wall time of ``scenedetect
detect-adaptive``, on a 10-minute 720p film and two cores. Rounds are interleaved; medians and ranges.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import sys
import tempfile
from pathlib import Path

from material import film
from tree import Cost, run

DECODE = (
    "import av, sys\nc = av.open(sys.argv[1])\nv = c.streams.video[0]\n"
    "v.thread_type = 'FRAME'\nv.codec_context.thread_count = 2\nprint(sum(1 for _ in c.decode(v)))\n"
)


def main() -> None:
    """Print one line per case and the two ratios."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--minutes", type=int, default=10)
    options.add_argument("--rounds", type=int, default=3)
    chosen = options.parse_args()
    path = film(chosen.minutes)
    cases = {
        "bare decode, 2 threads": [sys.executable, "-c", DECODE, str(path)],
        "longtake shots": [sys.executable, "-m", "longtake", "shots", str(path), "--json"],
    }
    if importlib.util.find_spec("scenedetect"):
        cases["scenedetect detect-adaptive"] = [
            sys.executable, "-m", "scenedetect", "-q", "-i", str(path), "detect-adaptive",
        ]  # fmt: skip
    path.read_bytes()
    costs: dict[str, list[Cost]] = {name: [] for name in cases}
    for _ in range(chosen.rounds):
        print(f"load average {os.getloadavg()[0]:.2f}")
        for name, command in cases.items():
            with tempfile.TemporaryDirectory() as cache:
                costs[name].append(run(command, {"LONGTAKE_CACHE": str(Path(cache))}))
    print(f"{path.name}, {chosen.rounds} rounds, median (range)")
    for name, seen in costs.items():
        print(f"{name:30} CPU {_spread([c.cpu for c in seen])} s, wall {_spread([c.wall for c in seen])} s")
    ours = costs["longtake shots"]
    bare = costs["bare decode, 2 threads"]
    print(f"CPU against the bare decode: {_median(ours, 'cpu') / _median(bare, 'cpu'):.2f} (at most 1.25)")
    if "scenedetect detect-adaptive" in costs:
        peer = costs["scenedetect detect-adaptive"]
        print(f"wall against scenedetect: {_median(ours, 'wall') / _median(peer, 'wall'):.2f} (at most 0.50)")


def _median(costs: list[Cost], what: str) -> float:
    return statistics.median(getattr(c, what) for c in costs)


def _spread(values: list[float]) -> str:
    return f"{statistics.median(values):6.1f} ({min(values):.1f}-{max(values):.1f})"


if __name__ == "__main__":
    main()
