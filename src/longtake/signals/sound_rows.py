"""Rows of ``sound`` on grids of the film's clock, as its parts need them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .audio_rhythm import HOP_S
from .film import Film
from .observer import Merged
from .sound_classes import VOICE_ROW_S, Rows
from .sound_features import ROW_S


def rows_of(merged: Merged, film: Film) -> tuple[Rows, int]:
    """Rows of the whole film from the second in which it begins, and that second."""
    first = int(np.floor(film.start + 1e-6))
    seconds = max(1, int(np.ceil(film.end - 1e-6)) - first)
    at = merged["sound.row"].astype(np.int64)
    strength = _on_grid(
        merged["audio_onsets.frame"].astype(np.int64),
        merged["audio_onsets.strength"],
        round(first / HOP_S),
        round(seconds / HOP_S),
    )
    voice = _on_grid(
        merged["sound_voice.row"].astype(np.int64),
        merged["sound_voice.probability"],
        round(first / VOICE_ROW_S),
        round(seconds / VOICE_ROW_S),
    )
    begin, count = round(first / ROW_S), round(seconds / ROW_S)
    values, chroma, bands = (
        _on_grid(at, merged[f"sound.{name}"], begin, count) for name in ("values", "chroma", "bands")
    )
    values[first + np.arange(count) * ROW_S >= film.end] = np.nan  # sound that outlasts the pictures
    return Rows(values, chroma, bands, voice, strength), first


def _on_grid(
    at: NDArray[np.int64], values: NDArray[np.generic], first: int, count: int
) -> NDArray[np.float64]:
    """Means of the values that fall on each of ``count`` places from ``first``; NaN where there are none."""
    inside = (at >= first) & (at < first + count)
    shape = (count, *values.shape[1:])
    total, number = np.zeros(shape), np.zeros(count)
    np.add.at(total, at[inside] - first, values[inside].astype(np.float64))
    np.add.at(number, at[inside] - first, 1)
    number = number.reshape(-1, *[1] * (len(shape) - 1))
    return np.divide(total, number, out=np.full(shape, np.nan), where=number > 0)
