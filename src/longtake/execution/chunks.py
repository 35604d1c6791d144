"""Where the rows of one chunk of one film are kept, and which of them a run still has to measure."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..core.video import Video
from ..media.read import ReadReport
from ..signals.observer import Arrays
from ..signals.onepass import FAILED, SOUND_CHUNK, Chunk
from ..signals.registry import ORDER, SOUND_SIGNALS, module_of
from ..storage.cache import Cache

KIND = "signals"
PICTURES = "frames"
"""Representative frames lie in entries of their own: hours of them are not read to put signals together."""
_JPEGS, _SIZES = "frames_jpeg.data", "frames.bytes"
BROKEN = "!"
"""Marks rows of a heavy signal that crashed. They hold for one run: the next one tries again."""
LEVELS = "~levels"
"""Marks rows of the sound that hold its levels and no more: enough to see what a cut does to it."""
LAYOUT = "r3"
"""Changes when rows are laid out differently in the cache."""
_REPORT = "report."
_COUNTS = "report.counts"
_GAPS = "report.gaps"
_DAMAGED, _DAMAGED_SOUND = "report.damaged", "report.damaged_sound"
_MESSAGES = "report.messages"
_SECONDS = "report.seconds."


class ChunkStore:
    """Rows of a film's chunks in the cache, keyed by content, bounds, signals with their versions, what was
    asked of them (times of given boundaries), and of heavy ones the hashes of their weights (``models``)."""

    def __init__(
        self,
        cache: Cache,
        video: Video,
        boundaries: Sequence[float],
        *,
        levels_only: bool = False,
        models: Mapping[str, str] | None = None,
    ) -> None:
        self.levels_only = levels_only
        self._models = dict(models or {})
        self._cache = cache
        bounds = video.bounds.replace("/", "_")
        self._folder = f"{video.hash[:2]}/{video.hash}/{LAYOUT}.{bounds}"
        self._given = (
            hashlib.sha256(",".join(f"{b:.6f}" for b in boundaries).encode()).hexdigest()[:8]
            if boundaries
            else ""
        )

    def covered(self, index: int) -> set[str]:
        """Signals whose rows of this chunk are there."""
        return {name for names in self._entries(index).values() for name in names}

    def holds(self, name: str, indexes: Sequence[int]) -> bool:
        """Whether a signal's rows are there of all those chunks that it has rows of."""
        own = [i for i in indexes if (i == SOUND_CHUNK) == (name in SOUND_SIGNALS)]
        return all(name in self.covered(i) for i in own)

    def forget_failures(self) -> None:
        """Let signals that crashed in an earlier run be measured again."""
        folder = self._cache.path(KIND, self._folder, "")
        for path in sorted(folder.glob(f"*{BROKEN}*.npz")) if folder.is_dir() else ():
            stem, _, tokens = path.stem.partition(".")
            kept = [t for t in tokens.split("+") if not t.endswith(BROKEN)]
            with suppress(FileNotFoundError):
                if kept:
                    path.rename(path.with_name(f"{stem}.{'+'.join(kept)}.npz"))
                else:
                    path.unlink()

    def load(self, index: int, names: Sequence[str]) -> Arrays | None:
        """Rows of a chunk for these signals, with its read report; ``None`` if any is gone or damaged."""
        rows: Arrays = {}
        wanted = set(names)
        for key, held in self._entries(index).items():
            if wanted & set(held):
                stored = self._cache.get_arrays(KIND, key)
                if stored is not None:
                    rows.update({k: v for k, v in stored.items() if not _stale(k, held)})
                    wanted -= set(held)
        return None if wanted else rows

    def save(
        self,
        chunk: Chunk,
        names: Sequence[str],
        rows: Arrays,
        report: ReadReport,
        spent: Mapping[str, float],
    ) -> None:
        """Keep a chunk with what was counted and the seconds each signal took.

        Raises ``OutputError`` where the cache cannot be written.
        """
        rows = dict(rows)
        if _JPEGS in rows:
            self._cache.put_arrays(PICTURES, self._pictures_key(chunk.index), {"data": rows.pop(_JPEGS)})
        extra = _heard(report) if chunk.index == SOUND_CHUNK else _seen(report)
        extra[_MESSAGES] = np.array(report.messages, dtype=np.str_)
        extra |= {f"{_SECONDS}{name}": np.array([seconds]) for name, seconds in spent.items()}
        own = [n for n in names if (n in SOUND_SIGNALS) == (chunk.index == SOUND_CHUNK)]
        broken = {n for n in own if f"{FAILED}{n}" in rows}
        self._cache.put_arrays(KIND, self._key(chunk.index, own, broken), {**rows, **extra})

    def save_samples(self, index: int, name: str, rows: Arrays, seconds: float) -> None:
        """Keep what a signal saw in a chunk's kept frames. Raises ``OutputError``."""
        extra = {f"{_SECONDS}{name}": np.array([seconds])}
        broken = {name} if f"{FAILED}{name}" in rows else set[str]()
        self._cache.put_arrays(KIND, self._key(index, [name], broken), {**rows, **extra})

    def pictures(self, index: int) -> bytes:
        """The JPEGs of a chunk one after the other, as the column ``frames.bytes`` of its rows counts them;
        empty if the entry is damaged."""
        stored = self._cache.get_arrays(PICTURES, self._pictures_key(index))
        return stored["data"].tobytes() if stored is not None else b""

    def _pictures_key(self, index: int) -> str:
        return f"{self._folder}/{_stem(index)}{self._whole_token('frames')}"

    def _has_pictures(self, index: int) -> bool:
        return self._cache.path(PICTURES, self._pictures_key(index), ".npz").is_file()

    def _key(self, index: int, names: Sequence[str], broken: Collection[str] = ()) -> str:
        tokens = (f"{self._token(n)}{BROKEN if n in broken else ''}" for n in names)
        return f"{self._folder}/{_stem(index)}{'+'.join(tokens)}"

    def _token(self, name: str) -> str:
        if name == "audio" and self.levels_only:
            return f"{self._whole_token(name)}{LEVELS}"
        return self._whole_token(name)

    def _whole_token(self, name: str) -> str:
        given = f"~{self._given}" if self._given and name in ("shots", "transitions") else ""
        model = f"~{self._models[name]}" if name in self._models else ""
        return f"{name}-{module_of(name).SPEC.version}{given}{model}"

    def _entries(self, index: int) -> Mapping[str, list[str]]:
        """Keys of this chunk's entries and the signals that each one holds in the version of today."""
        folder = self._cache.path(KIND, self._folder, "")
        tokens = {self._whole_token(name): name for name in ORDER} | {
            self._token(name): name for name in ORDER
        }
        found: dict[str, list[str]] = {}
        if folder.is_dir():
            for path in sorted(folder.glob(f"{_stem(index)}*.npz")):
                listed = path.stem.removeprefix(_stem(index)).replace(BROKEN, "").split("+")
                held = [tokens[t] for t in listed if t in tokens]
                if "frames" in held and not self._has_pictures(index):
                    held.remove("frames")
                if held:
                    found[f"{self._folder}/{path.stem}"] = held
        return found


def _stale(key: str, held: Collection[str]) -> bool:
    """Whether a row tells of a signal that is no longer what an entry is read for."""
    return key.startswith(FAILED) and key.removeprefix(FAILED) not in held


def _stem(index: int) -> str:
    return "sound." if index == SOUND_CHUNK else f"c{index:05d}."


def _seen(report: ReadReport) -> Arrays:
    """What a picture chunk keeps of its read report: nothing of the sound, which has an entry of its own."""
    return {
        _COUNTS: np.array([[report.decode_errors, report.missing_times]], np.int64),
        _GAPS: _spans(report.gaps),
        _DAMAGED: _spans(report.damaged),
    }


def _heard(report: ReadReport) -> Arrays:
    return {
        _COUNTS: np.array([[report.sound_errors, 0]], np.int64),
        _DAMAGED_SOUND: _spans(report.damaged_sound),
    }


def _spans(spans: Sequence[tuple[Fraction, Fraction]]) -> NDArray[np.float64]:
    return np.array([[float(a), float(b)] for a, b in spans], np.float64).reshape(-1, 2)


def apart(rows: Arrays) -> Arrays:
    """Take what tells of the reading out of a chunk's rows, which keep the signals alone."""
    return {key: rows.pop(key) for key in list(rows) if key.startswith(_REPORT)}


def reading_facts(chunks: Sequence[Arrays]) -> dict[str, object]:
    """Counters of all chunks added up: decode errors, missing times; gaps, damaged stretches, messages."""
    counts = sum((rows[_COUNTS].sum(axis=0) for rows in chunks if _COUNTS in rows), np.zeros(2, np.int64))
    gaps, damaged, damaged_sound = (
        [(float(a), float(b)) for rows in chunks for a, b in rows.get(name, ())]
        for name in (_GAPS, _DAMAGED, _DAMAGED_SOUND)
    )
    messages = list(dict.fromkeys(str(m) for rows in chunks for m in rows.get(_MESSAGES, ())))
    return {
        "decode_errors": int(counts[0]),
        "missing_times": int(counts[1]),
        "gaps": gaps,
        "damaged": damaged,
        "damaged_sound": damaged_sound,
        "messages": messages,
    }


def seconds_of(chunks: Sequence[Arrays]) -> dict[str, float]:
    """Seconds that each signal's observers took over all chunks, whenever those were measured."""
    total: dict[str, float] = {}
    for rows in chunks:
        for key, value in rows.items():
            if key.startswith(_SECONDS):
                name = key.removeprefix(_SECONDS)
                total[name] = total.get(name, 0.0) + float(value.sum())
    return total


def runs(chunks: Sequence[Chunk]) -> list[list[Chunk]]:
    """Neighbouring chunks together, each run to be decoded without a seek."""
    grouped: list[list[Chunk]] = []
    for chunk in chunks:
        if grouped and grouped[-1][-1].index + 1 == chunk.index:
            grouped[-1].append(chunk)
        else:
            grouped.append([chunk])
    return grouped


def shared_out(chunks: Sequence[Chunk], workers: int) -> list[list[Chunk]]:
    """Runs of about equal length, at least one for each worker where there are chunks enough."""
    todo = runs(chunks)
    while len(todo) < workers and any(len(run) > 1 for run in todo):
        longest = max(todo, key=len)
        at, half = todo.index(longest), (len(longest) + 1) // 2
        todo[at : at + 1] = [longest[:half], longest[half:]]
    return todo


def length(chunk: Chunk, end: Fraction | None) -> float:
    """Seconds of film in a chunk; ``end`` stands in for the open end of the last."""
    last = chunk.end if chunk.end is not None else end
    return float(max(last - chunk.start, Fraction(0))) if last is not None else 0.0
