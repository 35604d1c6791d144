"""Fail unless exactly one OpenCV distribution, of major version 4, is installed."""

from __future__ import annotations

import sys
from importlib.metadata import distributions

NAMES = {
    "opencv-python",
    "opencv-python-headless",
    "opencv-contrib-python",
    "opencv-contrib-python-headless",
}


def main() -> None:
    """Print what is wrong and exit with 1, or say nothing."""
    found = sorted({f"{d.name} {d.version}" for d in distributions() if d.name in NAMES})
    if len(found) != 1 or not found[0].split()[1].startswith("4."):
        sys.exit(f"exactly one OpenCV 4 distribution is wanted, found: {', '.join(found) or 'none'}")


if __name__ == "__main__":
    main()
