"""Making a damaged copy of a film, and its control, in one pass with bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import cv2
import numpy as np

from ...core.seeds import seed_for
from ...core.video import Video
from ...errors import InputError
from ...media.planes import bgr_of
from ...media.probe import probe
from ...media.read import Picture as ReadPicture
from ...media.read import ReadReport, Sound, read
from ...media.write import FilmWriter
from .base import Change, ChangeRecord, Damage, FilmFacts, Picture, Samples, Span
from .registry import get, strength_of

DEFAULT_FPS = 25.0
"""Taken where a container does not state a rate; only places of single frames depend on it."""
SOUND_GAP = 0.02
"""A hole of more than this many seconds between two blocks of sound is filled with silence."""


def perturb(
    video: Video,
    operator: str,
    strength: float | str,
    seed: int,
    out: Path,
    *,
    control: Path | None = None,
    cuts: tuple[float, ...] = (),
    film: FilmFacts | None = None,
) -> ChangeRecord:
    """Write a damaged copy of ``video`` to ``out``, and to ``control`` the same film without damage.

    Places depend on (content hash, operator, seed) alone, or are ``cuts`` (seconds) where an operator with
    single places is given some. ``film`` is :func:`facts_of` with what the operator needs filled in (clips,
    brief, pool, another film, ports). Raises :class:`UsageError` for an unknown operator
    or strength, :class:`InputError` where the film has nothing that the operator could damage.
    """
    chosen = get(operator)
    number, level = strength_of(chosen, strength)
    film = film or facts_of(video)
    film = replace(film, cuts=cuts) if cuts else film
    if "sound" in chosen.needs and not film.has_sound:
        raise InputError(
            f"{operator} damages sound, and this film has none.", hint="Take a film with a sound track."
        )
    rng = np.random.default_rng(seed_for(video.hash, operator, seed))
    damage = chosen.make(film, number, rng)
    lengths = _write(video, film, [(out, damage), *([(control, Damage([]))] if control else [])])
    aspects = list(chosen.aspects)
    return ChangeRecord(
        source=video.hash,
        output=str(out),
        control=str(control) if control else None,
        operator=operator,
        strength=number,
        level=level,
        seed=seed,
        changed=[_change(span, damage, lengths[0], aspects, _bounds(video)[0]) for span in damage.spans],
        encoded=[Span(start=0, end=lengths[0])],
        duration_in=film.duration,
        duration_out=lengths[0],
    )


def reencode(video: Video, out: Path) -> float:
    """A control: the film encoded as a damaged copy would be, without damage. Gives its length in seconds."""
    return _write(video, facts_of(video), [(out, Damage([]))])[0]


def join(videos: list[Video], out: Path) -> float:
    """A control: films put one after the other with clean cuts, in size, rate and sound of the first.

    Frames keep their own pace: one of another rate keeps its rate. Gives the length in seconds.
    """
    film = facts_of(videos[0])
    offset = 0.0
    with ExitStack() as stack:
        copy = _Copy(stack, out, film, Damage([]))
        for video in videos:
            copy.take(_media(video), offset)
            offset = copy.end
            copy.fill(offset)
    return offset


def facts_of(video: Video) -> FilmFacts:
    """What operators may know of a film, from its container."""
    document = probe(video)
    if document.video is None or not document.duration:
        raise InputError(f"{video.path.name} has no picture of known length.")
    begin, end = _bounds(video)
    return FilmFacts(
        duration=min(document.duration, end) - begin,
        fps=document.video.fps or DEFAULT_FPS,
        width=max(2, document.video.width // 2 * 2),
        height=max(2, document.video.height // 2 * 2),
        sample_rate=document.audio[0].sample_rate if document.audio else None,
        channels=min(2, document.audio[0].channels) if document.audio else 1,
    )


def _bounds(video: Video) -> tuple[float, float]:
    """Where the selected part begins and ends, seconds on the film's clock."""
    return float(video.start or 0), float(video.end) if video.end is not None else float("inf")


def _media(video: Video) -> Iterator[ReadPicture | Sound]:
    """The selected part, its clock set to begin at 0; a block of sound may overlap its edges."""
    begin, end = _bounds(video)
    for item in read(video, ReadReport(), start=video.start, end=video.end):
        if begin <= item.time < end:
            yield item._replace(time=item.time - (video.start or 0))


def _write(video: Video, film: FilmFacts, jobs: list[tuple[Path, Damage]]) -> list[float]:
    with ExitStack() as stack:
        copies = [_Copy(stack, out, film, damage) for out, damage in jobs]
        for item in _media(video):
            for copy in copies:
                copy.add(item, 0.0)
        return [copy.end for copy in copies]


def _change(
    span: tuple[float, float, str], damage: Damage, length: float, aspects: list[str], begin: float
) -> Change:
    """A damaged span on the clocks of the source (its part begins at ``begin``) and of the output."""
    start, end, what = span
    gone = any(a <= start and end <= b for a, b in damage.removed)
    output = None if gone else Span(start=_shifted(start, damage), end=min(_shifted(end, damage), length))
    return Change(
        source=Span(start=begin + start, end=begin + end), output=output, what=what, aspects=aspects
    )


def _shifted(time: float, damage: Damage) -> float:
    """A source time on the clock of the output."""
    return time - sum(max(0.0, min(time, end) - start) for start, end in damage.removed)


class _Copy:
    """One output: takes pictures and sound of the source in order and writes what is left of them."""

    def __init__(self, stack: ExitStack, out: Path, film: FilmFacts, damage: Damage) -> None:
        self._film, self._damage, self._rate = film, damage, film.sample_rate
        self._writer = stack.enter_context(
            FilmWriter(
                out, film.width, film.height, film.fps, sample_rate=film.sample_rate, channels=film.channels
            )
        )
        self._heard = 0
        self.end = 0.0

    def take(self, media: Iterator[ReadPicture | Sound], offset: float) -> None:
        """A whole film, its times moved by ``offset`` seconds."""
        for item in media:
            self.add(item, offset)

    def add(self, item: ReadPicture | Sound, offset: float) -> None:
        """One picture or block of sound."""
        if isinstance(item, Sound):
            self._sound(item, offset)
        else:
            self._picture(item, offset)

    def fill(self, until: float) -> None:
        """Silence up to ``until`` seconds, where there is less sound than picture."""
        if self._rate:
            self._silence(round(until * self._rate) - self._heard)

    def _picture(self, item: ReadPicture, offset: float) -> None:
        source = float(item.time)
        if any(start <= source < end for start, end in self._damage.removed):
            return
        bgr: Picture = bgr_of(item.image, self._film.width, item.rotation)
        if bgr.shape[:2] != (self._film.height, self._film.width):
            bgr = cv2.resize(bgr, (self._film.width, self._film.height), interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
        if self._damage.picture:
            bgr = self._damage.picture(bgr, source)
        time = _shifted(source, self._damage) + offset
        self._writer.picture(bgr, time=Fraction(time).limit_denominator(90_000))
        self.end = max(self.end, time + 1 / self._film.fps)

    def _sound(self, item: Sound, offset: float) -> None:
        if not self._rate:
            return
        samples = _fitted(item, self._rate, self._film.channels)
        time = float(item.time)
        if self._damage.sound:
            samples = self._damage.sound(samples, time, self._rate)
        for start, end in reversed(self._damage.removed):
            first = max(0, round((start - time) * self._rate))
            last = max(0, round((end - time) * self._rate))
            samples = np.concatenate([samples[:, :first], samples[:, last:]], axis=1)
        if not samples.shape[1]:
            return
        missing = round((_shifted(time, self._damage) + offset) * self._rate) - self._heard
        if missing > SOUND_GAP * self._rate:
            self._silence(missing)
        self._writer.sound(np.ascontiguousarray(samples))
        self._heard += samples.shape[1]

    def _silence(self, count: int) -> None:
        if count > 0:
            self._writer.sound(np.zeros((self._film.channels, count), np.float32))
            self._heard += count


def _fitted(item: Sound, rate: int, channels: int) -> Samples:
    """A block of sound in the rate and channels of the output; it is always a copy.

    A block of another rate is interpolated linearly on its own: good enough for a joined control.
    """
    samples = np.array(item.samples, np.float32)
    if samples.shape[0] != channels:
        samples = np.repeat(samples.mean(axis=0, keepdims=True), channels, axis=0)
    if item.rate != rate:
        at = np.arange(round(samples.shape[1] * rate / item.rate)) * (item.rate / rate)
        grid = np.arange(samples.shape[1])
        samples = np.stack([np.interp(at, grid, row) for row in samples]).astype(np.float32)
    return samples
