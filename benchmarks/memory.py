"""Peak memory of all light signals over all processes, and how it grows with the length of the film.

Bounds: at most 300 MB for 3 hours of 1080p, and at most 15 MB more per hour of film.
"""

from __future__ import annotations

import argparse
import sys
import tempfile

from material import film
from tree import run

FULL_HD = (1920, 1080)


def main() -> None:
    """Print peak memory for each length and the growth per hour between the first and the last."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--minutes", type=int, nargs="+", default=[10, 40])
    chosen = options.parse_args()
    seen = []
    for minutes in chosen.minutes:
        path = film(minutes, FULL_HD)
        command = [sys.executable, "-m", "longtake", "signals", str(path), "--only", "light"]
        with tempfile.TemporaryDirectory() as cache:
            cost = run(command, {"LONGTAKE_CACHE": cache}, memory=True)
        seen.append((minutes / 60, cost.pss))
        print(f"{minutes} min: {cost.pss:.0f} MB PSS, {cost.rss:.0f} MB RSS, {cost.cpu:.0f} CPU-s")
    if len(seen) > 1:
        (first, low), (last, high) = seen[0], seen[-1]
        growth = (high - low) / (last - first)
        print(
            f"growth {growth:.1f} MB per hour (at most 15); "
            f"3 h by a straight line: {high + growth * (3 - last):.0f} MB"
        )


if __name__ == "__main__":
    main()
