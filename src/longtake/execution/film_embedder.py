"""An embedder bound to one film: it is shown the frames it asks for, and what it gives is kept."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.embedding import ClipVectors, Policy, Sampling, Shape, TextVectors
from ..core.tools import Footage, ModelUsed
from ..models.embedders.texts import embedded
from ..models.vectors import unit
from ..storage.cache import Cache

if TYPE_CHECKING:
    from ..core.embedding import Embedder

KIND = "embedded"
VERSION = 1
AT_ONCE = 16
"""Pictures that are held decoded: 16 of 4K are 400 MB."""
HAIR = 1e-6
"""Seconds by which the same moment may differ in two places."""


@dataclass(frozen=True)
class FilmEmbedding:
    """Implements :class:`..core.tools.FilmEmbedder`. ``film`` stands for the film's content and bounds."""

    model: Embedder
    used: ModelUsed
    film: str
    footage: Footage
    cache: Cache

    @property
    def shape(self) -> Shape:
        """What the model reads and gives."""
        return self.model.shape

    def clips(self, spans: Sequence[tuple[float, float]], sampling: Sampling = "centre") -> ClipVectors:
        """See the port. A span with fewer frames than the model reads repeats its last one."""
        bounds = (f"{start:.6f}-{end:.6f}" for start, end in spans)
        key = self._key("films", self.film, "clips", sampling, *bounds)
        stored = self.cache.get_arrays(KIND, key)
        if stored is None:
            vectors = np.full((len(spans), self.shape.dimension), np.nan, np.float32)
            counts = np.zeros(len(spans), np.int64)
            together = max(1, AT_ONCE // self.shape.frames)
            for first in range(0, len(spans), together):
                shown = [self._shown(span, sampling) for span in spans[first : first + together]]
                rows = [first + i for i, pictures in enumerate(shown) if pictures]
                counts[first : first + together] = [len(pictures) for pictures in shown]
                if rows:
                    given = [_padded(pictures, self.shape.frames) for pictures in shown if pictures]
                    vectors[rows] = unit(np.asarray(self.model.clips(given)))
            stored = {"vectors": vectors, "frames": counts}
            self.cache.put_arrays(KIND, key, stored)
        return ClipVectors(stored["vectors"], tuple(int(n) for n in stored["frames"]))

    def pictures(self, times: Sequence[float]) -> NDArray[np.float32]:
        """See the port."""
        key = self._key("films", self.film, "pictures", *(f"{time:.6f}" for time in times))
        stored = self.cache.get_arrays(KIND, key)
        if stored is None:
            vectors = np.full((len(times), self.shape.dimension), np.nan, np.float32)
            wanted = np.asarray(times, np.float64)
            for first in range(0, len(wanted), AT_ONCE):
                part = wanted[first : first + AT_ONCE]
                shown = dict(self.footage.at([float(t) for t in part]))
                if not shown:
                    continue
                begins = np.array(sorted(shown))
                found = unit(np.asarray(self.model.pictures([shown[t] for t in begins])))
                at = np.searchsorted(begins, part + HAIR, side="right") - 1
                vectors[first : first + len(part)] = found[np.maximum(at, 0)]
            stored = {"vectors": vectors}
            self.cache.put_arrays(KIND, key, stored)
        return np.asarray(stored["vectors"], np.float32)

    def texts(self, texts: Sequence[str], policy: Policy) -> TextVectors:
        """See the port. Texts are kept whatever film asks."""
        key = self._key("texts", policy, *texts)
        stored = self.cache.get_arrays(KIND, key)
        if stored is None:
            made = embedded(self.model, texts, policy)
            stored = {
                "vectors": np.asarray(made.vectors, np.float32),
                "tokens": np.array(made.tokens, np.int64),
                "dropped": np.array(made.dropped, np.int64),
            }
            self.cache.put_arrays(KIND, key, stored)
        tokens, dropped = (tuple(int(n) for n in stored[name]) for name in ("tokens", "dropped"))
        return TextVectors(stored["vectors"], tokens, dropped, policy)

    def _key(self, place: str, *what: str) -> str:
        whole = "\0".join([str(VERSION), self.used.label or "", *what])
        digest = hashlib.sha256(whole.encode()).hexdigest()
        return f"{place}/{digest[:2]}/{digest[:32]}"

    def _shown(self, span: tuple[float, float], sampling: Sampling) -> list[Any]:
        """The pictures that are read of a span, in time order; none where it has no frame of its own."""
        times = moments(np.asarray(self.footage.times, np.float64), span, self.shape.frames, sampling)
        return [picture for _, picture in self.footage.at(times)] if times else []


def moments(
    times: NDArray[np.float64], span: tuple[float, float], wanted: int, sampling: Sampling
) -> list[float]:
    """When the frames that are read of a span (start, end) are shown: ``wanted`` of those that begin in it,
    as ``sampling`` says, all where there are no more. ``times`` are those of the film's frames, ascending."""
    own = times[(times >= span[0] - HAIR) & (times < span[1] - HAIR)]
    n = len(own)
    if n > wanted:
        if sampling == "stride":
            own = own[np.arange(wanted) * (n // wanted)]
        else:
            own = own[((np.arange(wanted) + 0.5) * n / wanted).astype(np.int64)]
    return [float(time) for time in own]


def _padded(pictures: list[Any], wanted: int) -> list[Any]:
    """The pictures, the last one repeated where there are too few."""
    return pictures + pictures[-1:] * (wanted - len(pictures))
