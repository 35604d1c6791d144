"""Decoded sound in longer pieces: a codec's blocks hold some 20 ms, and each costs its own handling."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

LONGEST = 16
"""Blocks that are put together; about a third of a second."""
ROUNDING = 1
"""Ticks by which the time of a block may differ from the end of the one before and still follow it."""


@dataclass(frozen=True)
class Piece:
    """Sound without a hole: ``samples`` (channels, n) in [-1, 1] from tick ``pts`` of its stream on."""

    pts: int
    base: Fraction
    rate: int
    samples: NDArray[np.float32]


class Blocks:
    """Puts blocks that follow one another together; one that does not follow closes what there is."""

    def __init__(self) -> None:
        self._fifo: Any = None
        self._kind: tuple[Any, ...] = ()
        self._pts = 0
        self._base = Fraction(1)
        self._ticks = 0.0
        self._samples = self._blocks = 0

    def add(self, block: av.AudioFrame) -> Piece | None:
        """Take in a block; a piece, if one is whole now. Blocks without a time or samples are left out."""
        if block.pts is None or block.samples == 0:
            return None
        kind = (block.sample_rate, block.layout.name, block.format.name)
        due = self._pts + self._samples * self._ticks if self._blocks else block.pts
        follows = kind == self._kind and abs(block.pts - due) <= ROUNDING
        done = None
        if self._blocks and (not follows or self._blocks >= LONGEST):
            done = self.close()
        if not self._blocks:
            if kind != self._kind or self._fifo is None:
                if block.time_base is None:
                    return done
                self._fifo, self._kind = av.AudioFifo(), kind
                self._base = Fraction(block.time_base)
                self._ticks = 1 / (float(self._base) * block.sample_rate)
            self._pts = block.pts
        self._samples += block.samples
        self._blocks += 1
        block.pts = None  # the queue has its own idea of times
        self._fifo.write(block)
        return done

    def close(self) -> Piece | None:
        """What is held, if anything."""
        if not self._blocks:
            return None
        samples = planar(self._fifo.read())
        piece = Piece(self._pts, self._base, self._kind[0], samples)
        self._samples = self._blocks = 0
        return piece


def planar(block: av.AudioFrame) -> NDArray[np.float32]:
    """(channels, n) float32 in [-1, 1] from a decoded block of any sample format."""
    data: Any = block.to_ndarray()
    if not block.format.is_planar:
        data = data.reshape(-1, block.layout.nb_channels).T
    if data.dtype == np.uint8:
        return (data.astype(np.float32) - np.float32(128)) / np.float32(128)
    if data.dtype.kind == "i":
        return data.astype(np.float32) / np.float32(2.0 ** (8 * data.itemsize - 1))
    return np.ascontiguousarray(data, np.float32)
