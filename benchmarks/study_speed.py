"""What the pairwise study costs: ten evaluators, 2,471 pairs, 10,000 draws. CPU of this process, bound 5 s.

    python benchmarks/study_speed.py [--rounds 3]

Pairs are as many to an aspect as in SLVMEval, of 1,461 sources; every evaluator answers in both orders with
its own accuracy (seeded). Counted is the whole study: all aspects and all pairs together, durations, slopes
and the paired differences between all evaluators. Imports and the making of the table are not counted.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time

import numpy as np

from longtake.meta.studies.pairwise import AB, BA, PairwiseTable, pairwise

PAIRS = {
    "aesthetics": 282,
    "technical_quality": 130,
    "appearance_style": 312,
    "background_consistency": 354,
    "temporal_flow": 285,
    "comprehensiveness": 235,
    "object_removal": 100,
    "color": 204,
    "spatial_relationship": 236,
    "dynamics_degree": 333,
}
SOURCES = 1461
EVALUATORS = 10
BOUND_S = 5.0


def table() -> PairwiseTable:
    """Answers of evaluators from 40 to 94 % right, in both orders."""
    rng = np.random.default_rng(0)
    aspect = np.repeat(list(PAIRS), list(PAIRS.values()))
    n = len(aspect)
    source = np.concatenate([np.arange(SOURCES), rng.integers(0, SOURCES, n - SOURCES)])
    rng.shuffle(source)
    duration = rng.lognormal(6.5, 1, SOURCES)[source]
    share = np.clip(60 / duration, 0.001, 0.5)
    rows = EVALUATORS * 2
    right = rng.random((EVALUATORS, n, 1)) < np.linspace(0.4, 0.94, EVALUATORS)[:, None, None]
    turned = rng.random((EVALUATORS, n, 2)) < 0.1
    choice = (right ^ turned).astype(np.float64)
    return PairwiseTable(
        evaluator=np.repeat([f"e{k}" for k in range(EVALUATORS)], 2 * n),
        pair=np.tile(np.repeat([f"p{k}" for k in range(n)], 2), EVALUATORS),
        source=np.tile(np.repeat([f"s{k}" for k in source], 2), EVALUATORS),
        aspect=np.tile(np.repeat(aspect, 2), EVALUATORS),
        order=np.tile(np.array([AB, BA], np.int8), n * rows // 2),
        choice=choice.ravel(),
        duration=np.tile(np.repeat(duration, 2), EVALUATORS),
        share_changed=np.tile(np.repeat(share, 2), EVALUATORS),
    )


def main() -> None:
    """Print the seconds; ends with 1 above the bound."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=3)
    rounds = options.parse_args().rounds
    given, seconds, found = table(), [], None
    for _ in range(rounds):
        start = time.process_time()
        found = pairwise(given)
        seconds.append(time.process_time() - start)
    assert found is not None
    middle = statistics.median(seconds)
    print(
        f"pairwise study: {middle:.2f} s CPU ({min(seconds):.2f} to {max(seconds):.2f}), bound {BOUND_S:g}; "
        f"{len(found.evaluators)} evaluators with baselines, {len(found.differences)} differences"
    )
    if middle > BOUND_S:
        sys.exit(1)


if __name__ == "__main__":
    main()
