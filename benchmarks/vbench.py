"""What the dimensions of VBench say of real clips, and how far held pictures are from moving ones.

    python benchmarks/vbench.py frozen MEDIA [PART] [MOST]
    python benchmarks/vbench.py ranges MEDIA [PART] [MOST]

PART is 0, 1 or 2: every third clip of 8_footage from there, at most MOST of them. ``ranges`` prints lowest,
median and highest value of every quantity and CPU seconds per minute of film; LONGTAKE_CACHE names the cache,
and an empty one has everything timed.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import av
import cv2
import numpy as np

import longtake
from longtake.evaluators.registry import VBENCH

SIZE = (480, 270)
FRAMES = 50
BLOCKS = (32, 18)


def clips(media: Path, part: int) -> list[Path]:
    """Every third clip of real footage."""
    return sorted((media / "8_footage").glob("*.mp4"))[part::3]


def blocks(path: Path) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The first frames of a film, and their mean light in blocks."""
    with av.open(str(path)) as container:
        for number, frame in enumerate(container.decode(video=0)):
            if number == FRAMES:
                return
            picture = frame.reformat(width=SIZE[0], height=SIZE[1], format="bgr24").to_ndarray()
            grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32)
            yield picture, cv2.resize(grey, BLOCKS, interpolation=cv2.INTER_AREA)


def away(path: Path) -> float:
    """How far the furthest block of any frame is from the first frame, in levels."""
    seen = [block for _, block in blocks(path)]
    return max((float(np.abs(block - seen[0]).max()) for block in seen[1:]), default=0.0)


def held(path: Path, out: Path, crf: int) -> Path:
    """The first picture of a film for as long, encoded."""
    picture = next(blocks(path))[0]
    with av.open(str(out), "w") as container:
        stream = container.add_stream("libx264", rate=25, options={"crf": str(crf), "preset": "veryfast"})
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        for _ in range(FRAMES):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="bgr24")))
        container.mux(stream.encode())
    return out


def frozen(chosen: list[Path]) -> None:
    """Held and moving clips, by how far they get from their first frame."""
    moving, still = [], []
    with tempfile.TemporaryDirectory() as folder:
        for path in chosen:
            moving.append(away(path))
            still.append(max(away(held(path, Path(folder) / "held.mp4", crf)) for crf in (20, 23, 30)))
            print(f"{path.name:28} moving {moving[-1]:6.1f}  held {still[-1]:5.2f}", flush=True)
    print(f"{len(chosen)} clips: least of moving {min(moving):.1f}, most of held {max(still):.1f} levels")


def ranges(chosen: list[Path]) -> None:
    """Values of every quantity, and what each dimension costs when it is asked alone after the signals."""
    values: dict[str, list[float]] = defaultdict(list)
    costs: dict[str, float] = defaultdict(float)
    seconds = 0.0
    for path in chosen:
        longtake.score(path, ["constant"], signals="shots,transitions", workers=1)
        for name in (f"vb.{dimension}" for dimension in VBENCH):
            began = time.process_time()
            document = longtake.score(path, [name], workers=1)
            costs[name] += time.process_time() - began
            for result in document.results:
                for one in result.measurements:
                    if one.value is not None:
                        values[f"{name.removeprefix('vb.')}.{one.name}"].append(one.value)
        with av.open(str(path)) as container:
            seconds += float((container.duration or 0) / av.time_base)
        print(f"{path.name:28} {sum(costs.values()) / seconds * 60:6.1f} CPU s per minute so far", flush=True)
    for name, found in values.items():
        low, middle, high = np.quantile(found, [0, 0.5, 1])
        print(f"{name:48} n {len(found):3}  {low:.4f}  {middle:.4f}  {high:.4f}")
    for name, cost in costs.items():
        print(f"{name:28} {cost / seconds * 60:6.1f} CPU s per minute of film, in this order on one cache")


if __name__ == "__main__":
    part = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    most = int(sys.argv[4]) if len(sys.argv) > 4 else None
    {"frozen": frozen, "ranges": ranges}[sys.argv[1]](clips(Path(sys.argv[2]), part)[:most])
