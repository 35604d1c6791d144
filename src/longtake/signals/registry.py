"""The light signals, in the order in which they are put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from ..core.signal import Signal, SignalSpec
from .film import Film
from .observer import Arrays, FrameObserver, Merged, SoundObserver

ORDER = ("container", "shots", "transitions", "motion", "picture", "frames", "audio")
NEEDS: Mapping[str, tuple[str, ...]] = {
    "container": (),
    "shots": ("container",),
    "transitions": ("container", "shots", "audio"),
    "motion": ("container", "shots", "transitions"),
    "picture": ("container", "shots"),
    "frames": ("container", "shots"),
    "audio": ("container",),
}
"""Which signals one needs to be put together."""

_FRAME_OBSERVERS = {
    "container": ("container.FrameTimes",),
    "shots": ("suspects.CutObserver", "dissolves.DissolveObserver"),
    "motion": ("motion.MotionObserver",),
    "picture": ("picture.PictureObserver",),
    "frames": ("frames.FramesObserver",),
}
_WITH_BOUNDARIES = "suspects.CutObserver"
_SOUND_OBSERVERS = {"audio": ("audio.AudioObserver",)}


def module_of(name: str) -> ModuleType:
    """The module of a signal: ``SPEC``, its observers, ``assemble``."""
    return import_module(f".{name}", __package__)


def specs() -> list[SignalSpec]:
    """What every light signal is, without measuring anything."""
    return [module_of(name).SPEC for name in ORDER]


def with_needs(names: Sequence[str]) -> list[str]:
    """``names`` and all that they need, in order. Raises ``KeyError`` for a name that is no light signal."""
    wanted: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in wanted:
            wanted.add(name)
            todo += NEEDS[name]
    return [name for name in ORDER if name in wanted]


def observers_for(
    names: Sequence[str], *, boundaries: Sequence[float] = (), levels_only: bool = False
) -> tuple[list[FrameObserver], list[SoundObserver]]:
    """New observers for these signals and all that they need.

    ``boundaries`` are times (seconds) of given shot boundaries, measured like detected ones.
    ``levels_only`` leaves loudness, rhythm and defects of the sound out.
    """
    frames: list[FrameObserver] = []
    sounds: list[SoundObserver] = []
    for name in with_needs(names):
        for kind in _FRAME_OBSERVERS.get(name, ()):
            made = _class(kind)
            frames.append(made(boundaries) if kind == _WITH_BOUNDARIES else made())
        sounds += [_class(kind)(levels_only=levels_only) for kind in _SOUND_OBSERVERS.get(name, ())]
    return frames, sounds


def signal_of(observer: FrameObserver | SoundObserver) -> str:
    """Name of the signal that an observer works for."""
    for table in (_FRAME_OBSERVERS, _SOUND_OBSERVERS):
        for name, kinds in table.items():
            if any(_class(kind) is type(observer) for kind in kinds):
                return name
    return observer.name


def _class(kind: str) -> Any:
    module, _, name = kind.partition(".")
    return getattr(module_of(module), name)


def merge(chunks: Sequence[Arrays]) -> Merged:
    """Rows of all chunks in time order, joined column by column."""
    columns: dict[str, list[np.ndarray]] = {}
    for rows in chunks:
        for name, values in rows.items():
            columns.setdefault(name, []).append(values)
    return {name: np.concatenate(values) for name, values in columns.items()}


def assemble_all(merged: Merged, film: Film, names: Sequence[str] = ORDER) -> dict[str, Signal]:
    """The signals, from merged rows; in order, as later ones read earlier ones."""
    done: dict[str, Signal] = {}
    for name in with_needs(names):
        done[name] = module_of(name).assemble(merged, film, done)
    return done
