"""The signal ``text_picture``: the texts of the brief's shots against the kept frames.

It needs a brief, so it is made after the film was measured, and no signal of the film alone depends on it.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ..core.brief import Brief
from ..core.progress import Progress
from ..core.signal import Column, Signal, Signals, SignalSpec, TraceEntry
from ..core.video import Video
from ..errors import MissingError, told
from ..models import text_picture, weights
from ..models.named import Named
from ..storage.cache import Cache
from .measure import Measured

if TYPE_CHECKING:
    from ..core.ports import TextPicture

KIND = "text-picture"
MOST_TEXTS = 200
"""Texts of shots that are compared; of more, evenly spread ones."""
AT_ONCE = 200
"""Pictures that are held decoded: some 160 MB of upright ones."""

SPEC = SignalSpec(
    name="text_picture",
    version=1,
    doc="How well the text of each planned shot describes each representative frame (signal frames). Made by "
    "a text-picture model that the user names, or by a proxy: the facts say which, and so must whoever "
    "prints a number of it. Numbers of different models cannot be compared. The texts of up to "
    f"{MOST_TEXTS} planned shots.",
    columns={
        "time": Column(type="float", unit="s", doc="time of the frame"),
        "shot": Column(type="int", doc="index of the measured shot"),
        "text": Column(type="int", doc="index of the planned shot whose text it is, in the brief"),
        "similarity": Column(
            type="float",
            doc="higher is better: a model's cosine; of the proxy, deviations above the text's mean",
        ),
        "rank": Column(type="float", doc="of the text among the brief's for this frame: 1 describes it best"),
    },
    facts={
        "model": Column(type="str", doc="name and hash"),
        "kind": Column(type="str", doc="model, or proxy for what stands in for one"),
        "stands_for": Column(type="str", doc="what a proxy stands in for, else nothing"),
        "texts": Column(type="int", doc="texts that were compared"),
        "left_out": Column(type="int", doc="texts that were not, being too many"),
        "pictures": Column(type="int", doc="frames that were compared"),
        "answered": Column(type="float", unit="share", doc="of all pairs; of the others the model abstains"),
    },
    heavy=True,
)


def chosen(name: str | None, cache: Cache) -> Named | str:
    """The text-picture model that a run uses: the named one, else the proxy; or why there is none.

    Raises:
        UsageError: there is no model of that name.
        MissingError: the one that was asked for by name is not here.
    """
    if name is not None:
        return text_picture.find(name, cache.root)
    try:
        return text_picture.find(text_picture.PROXY, cache.root)
    except MissingError as error:
        return f"no text-picture model was named, and of its proxy: {error.hint}"


def with_text_picture(
    film: Video,
    measured: Measured,
    brief: Brief | None,
    model: Named | str,
    cache: Cache,
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> Measured:
    """``measured`` with the signal ``text_picture`` and what it did in the trace."""
    began = perf_counter()
    label = model.label if isinstance(model, Named) else None
    try:
        signal = _signal(film, measured, brief, model, cache, threads, progress)
    except MissingError as error:
        signal = Signal(SPEC.name, SPEC.version, "skipped", error.message)
    except Exception as error:  # recorded in the trace and shown
        if os.environ.get("LONGTAKE_DEBUG"):
            raise
        signal = Signal(SPEC.name, SPEC.version, "failed", told(error))
    entry = TraceEntry(
        tool=SPEC.name,
        status=signal.status,
        reason=signal.reason,
        seconds=round(perf_counter() - began, 4),
        version=str(SPEC.version),
        model=label,
    )
    before = measured.signals
    signals = Signals({**before.by_name, SPEC.name: signal}, [*before.trace, entry])
    return replace(measured, signals=signals)


def _signal(
    film: Video,
    measured: Measured,
    brief: Brief | None,
    model: Named | str,
    cache: Cache,
    threads: int,
    progress: Progress | None,
) -> Signal:
    asked = [i for i, shot in enumerate(brief.shots) if shot.text.strip()] if brief is not None else []
    frames = measured.signals["frames"]
    missing = (
        model
        if isinstance(model, str)
        else "there is no brief"
        if brief is None
        else "the brief has no texts of shots"
        if not asked
        else f"it needs the kept frames: {frames.reason}"
        if not frames.usable
        else None
    )
    if missing is not None or isinstance(model, str) or brief is None:
        return Signal(SPEC.name, SPEC.version, "skipped", missing)
    spread = np.linspace(0, len(asked) - 1, min(len(asked), MOST_TEXTS)).round().astype(int)
    kept = np.array(asked)[spread]
    texts = [brief.shots[i].text.strip() for i in kept]
    numbers = np.asarray(frames.columns["jpeg"], np.int64)
    found, port = _similarity(film, measured, numbers, texts, model, cache, threads, progress)
    count = len(texts)
    proxy = port["kind"] == "proxy"
    return Signal(
        SPEC.name,
        SPEC.version,
        "fallback" if proxy else "ok",
        f"a proxy stands in for {port['stands_for']}" if proxy else None,
        columns={
            "time": np.repeat(np.asarray(frames.columns["time"], np.float64), count),
            "shot": np.repeat(np.asarray(frames.columns["shot"], np.int64), count),
            "text": np.tile(kept, len(numbers)),
            "similarity": found.ravel().astype(np.float64),
            "rank": _ranks(found).ravel(),
        },
        facts={
            "model": model.label,
            "kind": port["kind"],
            "stands_for": port["stands_for"] or None,
            "texts": count,
            "left_out": len(asked) - count,
            "pictures": len(numbers),
            "answered": float(np.isfinite(found).mean()) if found.size else None,
        },
    )


def _similarity(
    film: Video,
    measured: Measured,
    numbers: NDArray[np.int64],
    texts: list[str],
    model: Named,
    cache: Cache,
    threads: int,
    progress: Progress | None,
) -> tuple[NDArray[np.float32], dict[str, str]]:
    """Similarity of each picture and each text, and what kind of model said so; from the cache if it can."""
    times = (f"{time:.6f}" for time in measured.signals["frames"].columns["time"])
    what = "\0".join([film.bounds, str(SPEC.version), model.sha256, *times, "", *texts])
    digest = hashlib.sha256(what.encode()).hexdigest()
    key = f"{film.hash[:2]}/{film.hash}/{digest[:32]}"
    stored = cache.get_arrays(KIND, key)
    if stored is not None:
        return np.asarray(stored["similarity"], np.float32), {
            name: str(stored[name]) for name in ("kind", "stands_for")
        }
    if wrong := weights.wrong(model.entries, cache.root):
        raise MissingError("; ".join(wrong.values()))
    port: TextPicture = model.open(weights.load(model.entries, cache.root, threads))
    found = np.full((len(numbers), len(texts)), np.nan, np.float32)
    if progress is not None:
        progress.begin("comparing texts and pictures", float(len(numbers)))
    for first in range(0, len(numbers), AT_ONCE):
        part = [int(n) for n in numbers[first : first + AT_ONCE]]
        jpegs = measured.jpegs(part)
        read = {n: picture for n, data in jpegs.items() if (picture := _decoded(data)) is not None}
        rows = [first + i for i, n in enumerate(part) if n in read]
        found[rows] = port.similarity([read[n] for n in part if n in read], texts)
        if progress is not None:
            progress.at(float(first + len(part)))
    told = {"kind": str(port.kind), "stands_for": port.stands_for}
    cache.put_arrays(KIND, key, {"similarity": found, **{k: np.array(v) for k, v in told.items()}})
    return found, told


def _decoded(data: bytes) -> NDArray[Any] | None:
    return cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)


def _ranks(found: NDArray[np.float32]) -> NDArray[np.float64]:
    """Rank of each text for each picture, 1 for the best, equal ones alike; NaN where there is no answer."""
    higher = (found[:, None, :] > found[:, :, None]).sum(axis=2) + 1.0
    return np.where(np.isfinite(found), higher, np.nan)
