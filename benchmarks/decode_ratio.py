"""What the one pass costs beside a bare decode: CPU of this process around the loop, start-up excluded.

    LONGTAKE_TEST_MEDIA=... python benchmarks/decode_ratio.py [--minutes 10] [--rounds 5]
        [--weights CACHE] [FILE]

Bare decode is PyAV decoding every picture of the file on one thread and counting; ratios are to that, also
where sound is heard. Rounds are interleaved; the ratio is that of the medians, the range that of the rounds.
Bounds: shots, transitions and sound level 1.10; all light signals 1.50. With ``--weights``, a cache folder
that holds transnet-v2, shots and all light signals are also told with the signal ``gradual``: bound 2.00.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import av

from longtake.core.video import Video
from longtake.media.open import open_video
from longtake.models import weights
from longtake.models.weights import Weights
from longtake.signals import onepass, registry
from longtake.signals.observer import FrameObserver, SoundObserver
from longtake.signals.onepass import Chunk, plan_chunks, run_pass
from material import film


def bare(video: Video) -> int:
    with av.open(str(video.parts[0].path)) as container:
        stream = container.streams.video[0]
        stream.thread_type = "SLICE"
        stream.codec_context.thread_count = 1
        return sum(1 for _ in container.decode(stream))


def bare_both(video: Video) -> int:
    """Pictures and sound, both only counted: what part of the sound's cost is its decoder's."""
    with av.open(str(video.parts[0].path)) as container:
        stream = container.streams.video[0]
        stream.thread_type = "SLICE"
        stream.codec_context.thread_count = 1
        return sum(1 for _ in container.decode(stream, *container.streams.audio[:1]))


def passes(
    video: Video, names: list[str], chunks: list[Chunk], given: Weights | None = None, **options: bool
) -> None:
    run_pass(video, registry.with_needs(names), chunks, lambda *_: None, weights=given, **options)


def cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


class Timed:
    """An observer with a stopwatch; the clock itself costs about 0.2 microseconds a call."""

    def __init__(self, inner: FrameObserver | SoundObserver) -> None:
        self.inner = inner
        self.name = inner.name
        self.lookback = getattr(inner, "lookback", 0)
        self.lookahead = getattr(inner, "lookahead", 0)
        self.memory = getattr(inner, "memory", 0)
        self.seconds = 0.0

    def see(self, window: object) -> None:
        start = time.perf_counter()
        self.inner.see(window)  # type: ignore[union-attr,arg-type]
        self.seconds += time.perf_counter() - start

    def hear(self, *sound: object) -> None:
        start = time.perf_counter()
        self.inner.hear(*sound)  # type: ignore[union-attr,arg-type]
        self.seconds += time.perf_counter() - start

    def flush(self) -> object:
        start = time.perf_counter()
        rows = self.inner.flush()
        self.seconds += time.perf_counter() - start
        return rows


def per_observer(video: Video, chunks: list[Chunk]) -> list[tuple[str, float]]:
    """Seconds inside every observer of one pass over all signals."""
    timed: list[Timed] = []
    original = registry.observers_for

    def watched(
        names: list[str], **options: object
    ) -> tuple[list[tuple[str, Timed]], list[tuple[str, Timed]]]:
        frames, sounds = original(names, **options)  # type: ignore[arg-type]
        both = [(n, Timed(o)) for n, o in frames], [(n, Timed(o)) for n, o in sounds]
        timed.extend(o for _, o in both[0] + both[1])
        return both

    onepass.observers_for = watched  # type: ignore[assignment]
    try:
        passes(video, list(registry.LIGHT), chunks)
    finally:
        onepass.observers_for = original
    return [(t.name, t.seconds) for t in timed]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("file", nargs="?", type=Path)
    arguments.add_argument("--minutes", type=int, default=10)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--weights", type=Path, help="cache folder with transnet-v2")
    options = arguments.parse_args()
    path = options.file or film(options.minutes)
    video = open_video(path)
    chunks = plan_chunks(video, video.parts[-1].duration)
    cases: dict[str, Callable[[], object]] = {
        "bare decode": lambda: bare(video),
        "  and its sound": lambda: bare_both(video),
        "shots, transitions": lambda: passes(video, ["shots"], chunks, sound=False),
        "  and sound level": lambda: passes(video, ["transitions"], chunks, levels_only=True),
        "all light signals": lambda: passes(video, list(registry.LIGHT), chunks),
    }
    if options.weights:
        given = weights.load(["transnet-v2"], options.weights, 1)
        cases["shots with gradual"] = lambda: passes(video, ["shots", "gradual"], chunks, given, sound=False)
        cases["all light with it"] = lambda: passes(video, [*registry.LIGHT, "gradual"], chunks, given)
    frames = bare(video)
    seconds: dict[str, list[float]] = {name: [] for name in cases}
    load = os.getloadavg()[0]
    for _ in range(options.rounds):
        for name, work in cases.items():
            seconds[name].append(cpu(work))
    size = path.stat().st_size * 8 / float(video.parts[0].duration or 1) / 1000
    print(
        f"{path.name}: {frames} frames, {size:.0f} kb/s, load {load:.1f}, {options.rounds} rounds, 1 thread"
    )
    base = statistics.median(seconds["bare decode"])
    for name, values in seconds.items():
        ratios = [v / b for v, b in zip(values, seconds["bare decode"], strict=True)]
        print(
            f"{name:20s} {statistics.median(values):7.2f} CPU-s  x {statistics.median(values) / base:.3f}"
            f"  ({min(ratios):.3f} to {max(ratios):.3f})"
        )
    print("inside each observer, all signals:")
    for name, spent in per_observer(video, chunks):
        print(f"  {name:12s} {spent:6.2f} s  {1e6 * spent / frames:6.0f} us per frame  x {spent / base:.3f}")


if __name__ == "__main__":
    main()
