"""Shows the kept frames of a film to the signals that look at samples, chunk by chunk."""

from __future__ import annotations

import os
from collections.abc import Sequence
from time import perf_counter

import cv2
import numpy as np

from ..core.progress import Progress
from ..errors import told
from ..signals.observer import Arrays, SampleObserver
from ..signals.onepass import FAILED, Chunk
from ..signals.registry import sample_observers_for
from .chunks import ChunkStore
from .equipment import Equipment


def look_at_samples(
    store: ChunkStore,
    chunks: Sequence[Chunk],
    names: Sequence[str],
    equipment: Equipment,
    threads: int,
    progress: Progress | None,
) -> None:
    """Give the signals ``names`` the kept frames of every chunk in which their rows are missing.

    Raises:
        OutputError: the cache cannot be written.
    """
    todo = [
        (c, missing) for c in chunks if (missing := [n for n in names if n not in store.covered(c.index)])
    ]
    if not todo:
        return
    asked = {n for _, missing in todo for n in missing}
    observers = sample_observers_for([n for n in names if n in asked], equipment.weights(asked, threads))
    if progress is not None:
        progress.begin("looking at kept frames", float(len(todo)))
    failed: dict[str, Arrays] = {}
    for done, (chunk, missing) in enumerate(todo):
        stored = store.load(chunk.index, ["frames"]) or {}
        times = np.asarray(stored.get("frames.time", ()), np.float64)
        ends = np.cumsum(np.asarray(stored.get("frames.bytes", ()), np.int64))
        data = np.frombuffer(store.pictures(chunk.index), np.uint8)
        if len(ends) and int(ends[-1]) != len(data):
            continue  # the pictures are damaged: they have to be kept again before anybody looks
        parts = np.split(data, ends[:-1]) if len(ends) else []
        pictures = [cv2.imdecode(part, cv2.IMREAD_COLOR) for part in parts]
        for name in missing:
            began = perf_counter()
            # One that crashed may still hold rows of that chunk: it looks at no other in this run.
            rows = failed.get(name) or _rows(observers[name], name, pictures, times)
            if f"{FAILED}{name}" in rows:
                failed[name] = rows
            store.save_samples(chunk.index, name, rows, perf_counter() - began)
        if progress is not None:
            progress.at(float(done + 1))


def _rows(
    observers: Sequence[SampleObserver], name: str, pictures: Sequence[object], times: np.ndarray
) -> Arrays:
    rows: Arrays = {}
    try:
        for observer in observers:
            for picture, time in zip(pictures, times, strict=True):
                observer.look(np.asarray(picture, np.uint8), float(time))
            rows.update(observer.flush())
    except Exception as error:
        if os.environ.get("LONGTAKE_DEBUG"):
            raise
        rows = {f"{FAILED}{name}": np.array([told(error)])}
    return rows
