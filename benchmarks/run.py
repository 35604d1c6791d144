"""Runs every benchmark that needs no more than LONGTAKE_TEST_MEDIA (and weights); each prints its ratios."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ALL = (
    ["decode_ratio.py"],
    ["shots_wall.py"],
    ["memory.py"],
    ["accuracy.py"],
    ["talking.py"],
    ["study_speed.py"],
    ["partial_reencode.py"],
    ["judge_throughput.py"],
)


def main() -> None:
    """One after the other, so that none disturbs another; ends with 1 if one failed."""
    failed = []
    for name, *arguments in ALL:
        print(f"== {name}", flush=True)
        if subprocess.run([sys.executable, str(HERE / name), *arguments], check=False).returncode:
            failed.append(name)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
