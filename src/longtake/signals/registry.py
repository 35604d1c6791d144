"""All signals, in the order in which they are put together: light ones first, then those with models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from ..core.signal import Signal, SignalSpec
from ..models.weights import Weights, Wish
from .film import Film
from .observer import Arrays, FrameObserver, Merged, SampleObserver, SoundObserver

LIGHT = ("container", "shots", "transitions", "motion", "picture", "frames", "audio")
HEAVY: tuple[str, ...] = (
    "gradual",
    "embeddings",
    "scenes",
    "speech",
    "text",
    "objects",
    "faces",
    "sound",
    "lipsync",
)
ORDER = ("container", "gradual", *LIGHT[1:], *HEAVY[1:])
"""``shots`` and ``transitions`` use ``gradual`` where it is there; they do not need it."""
NEEDS: Mapping[str, tuple[str, ...]] = {
    "container": (),
    "shots": ("container",),
    "transitions": ("container", "shots", "audio"),
    "motion": ("container", "shots", "transitions"),
    "picture": ("container", "shots"),
    "frames": ("container", "shots"),
    "audio": ("container",),
    "gradual": ("container",),
    "embeddings": ("shots", "frames"),
    "scenes": ("shots", "embeddings"),
    "speech": ("container",),
    "text": ("container",),
    "objects": ("frames",),
    "faces": ("shots",),
    "sound": ("container", "transitions", "audio"),
    "lipsync": ("shots", "speech", "faces"),
}
"""Which signals one needs to be put together. Of heavy ones it may do without those that were skipped."""
REFINED_BY: Mapping[str, tuple[str, ...]] = {"shots": ("gradual",), "transitions": ("gradual",)}
"""Signals without which one can be put together, but not the same."""

_FRAME_OBSERVERS = {
    "container": ("container.FrameTimes",),
    "shots": ("suspects.CutObserver", "dissolves.DissolveObserver"),
    "motion": ("motion.MotionObserver",),
    "picture": ("picture.PictureObserver",),
    "frames": ("frames.FramesObserver",),
    "gradual": ("gradual.GradualObserver",),
    "text": ("text.TextObserver",),
    "faces": ("face_observer.FacesObserver",),
}
_WITH_BOUNDARIES = "suspects.CutObserver"
_SOUND_OBSERVERS = {
    "audio": ("audio.AudioObserver",),
    "speech": ("speech.SpeechObserver",),
    "sound": ("sound.SoundObserver",),
}
_SAMPLE_OBSERVERS: Mapping[str, tuple[str, ...]] = {
    "embeddings": ("embeddings.EmbeddingObserver",),
    "objects": ("objects.ObjectObserver",),
}
FRAME_SIGNALS = tuple(_FRAME_OBSERVERS)
"""Signals whose rows come from the pictures of the pass. One in none of these three lists has no rows."""
SOUND_SIGNALS = tuple(_SOUND_OBSERVERS)
"""Signals whose rows come from the sound, in one run over the whole film."""
SAMPLE_SIGNALS = tuple(_SAMPLE_OBSERVERS)
"""Signals whose rows come from the kept frames, after the pass."""


def module_of(name: str) -> ModuleType:
    """The module of a signal: ``SPEC``, its observers, ``assemble``, and ``MODELS`` where it uses any."""
    return import_module(f".{name}", __package__)


def specs() -> list[SignalSpec]:
    """What every signal is, without measuring anything."""
    return [module_of(name).SPEC for name in ORDER]


def models_of(name: str) -> tuple[Wish, ...]:
    """The catalog entries that a signal cannot do without; none for a light one."""
    wishes: tuple[Wish, ...] = getattr(module_of(name), "MODELS", ()) if name in HEAVY else ()
    return wishes


def with_needs(names: Sequence[str]) -> list[str]:
    """``names`` and all that they need, in order. Raises ``KeyError`` for a name that is no signal."""
    wanted: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in wanted:
            wanted.add(name)
            todo += NEEDS[name]
    return [name for name in ORDER if name in wanted]


def observers_for(
    names: Sequence[str],
    *,
    boundaries: Sequence[float] = (),
    levels_only: bool = False,
    weights: Weights | None = None,
) -> tuple[list[tuple[str, FrameObserver]], list[tuple[str, SoundObserver]]]:
    """New observers for exactly these signals, each with its signal's name; heavy ones are given ``weights``.

    ``boundaries`` are times (seconds) of given shot boundaries, measured like detected ones.
    ``levels_only`` leaves loudness, rhythm and defects of the sound out.
    """
    frames: list[tuple[str, FrameObserver]] = []
    sounds: list[tuple[str, SoundObserver]] = []
    for name in names:
        for kind in _FRAME_OBSERVERS.get(name, ()):
            made = _class(kind)
            if name in HEAVY:
                frames.append((name, made(weights)))
            else:
                frames.append((name, made(boundaries) if kind == _WITH_BOUNDARIES else made()))
        for kind in _SOUND_OBSERVERS.get(name, ()):
            heard = _class(kind)
            sounds.append((name, heard(weights) if name in HEAVY else heard(levels_only=levels_only)))
    return frames, sounds


def sample_observers_for(names: Sequence[str], weights: Weights) -> dict[str, list[SampleObserver]]:
    """New observers of kept frames, by signal."""
    return {
        name: [_class(kind)(weights) for kind in _SAMPLE_OBSERVERS[name]]
        for name in names
        if name in _SAMPLE_OBSERVERS
    }


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
