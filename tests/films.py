"""Films with known truth, built from pieces of other films: cuts, flashes, pans, occluders, dissolves, fades,
and where asked for wipes.

Everything is drawn from one seeded generator, so the same clips, seed and settings give the same film.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
SIZE = (480, 270)
LONGEST = 100


JOINS = {"cut": 0.72, "dissolve": 0.18, "fade": 0.10}
"""How often each join is chosen."""
SLOW_JOINS = {"cut": 0.40, "dissolve": 0.24, "fade": 0.12, "wipe": 0.24}
"""The same for films of slow changes; only they have wipes."""
WIPES = ("left", "right", "up", "down", "corner", "iris")
"""The side to which a wipe's edge moves, from a corner, or out of the middle."""
END_FRAMES = (14, 30)
"""Frames of the first and the last shot of a film whose ends are short."""


@dataclass
class Truth:
    """What was put into a film; frames count from 0, ``frame`` of a cut is the new shot's first."""

    cuts: list[int] = field(default_factory=list)
    dissolves: list[tuple[int, int]] = field(default_factory=list)
    fades: list[tuple[int, int]] = field(default_factory=list)
    wipes: list[tuple[int, int]] = field(default_factory=list)
    flashes: list[tuple[int, int]] = field(default_factory=list)
    frames: int = 0


@dataclass(frozen=True)
class Encoding:
    """How a film is written."""

    codec: str = "libx264"
    fps: int = 25
    options: tuple[tuple[str, str], ...] = (("crf", "23"), ("preset", "veryfast"))
    suffix: str = ".mp4"


def pictures_of(path: Path, size: tuple[int, int] = SIZE, limit: int = 400) -> list[Picture]:
    """The first frames of a film as BGR, stretched to ``size`` (width, height)."""
    out: list[Picture] = []
    with av.open(str(path)) as container:
        for frame in container.decode(video=0):
            out.append(frame.reformat(width=size[0], height=size[1], format="bgr24").to_ndarray())
            if len(out) == limit:
                break
    return out


def write(path: Path, frames: Iterator[Picture], encoding: Encoding = Encoding()) -> int:
    """Write pictures as a film; returns how many."""
    # With its macroblock tree libx264 gives other bytes, and now and then other pictures, from run to run.
    steady = {"x264-params": "mbtree=0"} if encoding.codec == "libx264" else {}
    count = 0
    with av.open(str(path), "w") as container:
        stream = None
        for picture in frames:
            if stream is None:
                stream = container.add_stream(
                    encoding.codec, rate=Fraction(encoding.fps), options={**steady, **dict(encoding.options)}
                )
                stream.height, stream.width = picture.shape[:2]
                stream.pix_fmt = "yuv420p"
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="bgr24")))
            count += 1
        if stream is not None:
            container.mux(stream.encode())
    return count


def build(
    path: Path,
    clips: Sequence[Path],
    seed: int,
    *,
    encoding: Encoding = Encoding(),
    shots: int = 40,
    size: tuple[int, int] = SIZE,
    longest: int = LONGEST,
    joins: Mapping[str, float] = JOINS,
    short_ends: bool = False,
) -> Truth:
    """A film of pieces of ``clips``, of up to ``longest`` frames. Neighbours are of different clips.

    ``joins`` says how often each kind of join is chosen. With ``short_ends`` the first and the last shot take
    about a second, and the joins there are slow ones.
    """
    rng = np.random.default_rng(seed)
    truth = Truth()
    made = _frames(clips, rng, truth, shots, size, longest, joins, short_ends)
    truth.frames = write(path, made, encoding)
    return truth


def _frames(
    clips: Sequence[Path],
    rng: np.random.Generator,
    truth: Truth,
    shots: int,
    size: tuple[int, int],
    longest: int,
    joins: Mapping[str, float],
    short_ends: bool,
) -> Iterator[Picture]:
    order: list[int] = []
    while len(order) < shots:
        turn = list(rng.permutation(len(clips)))
        if order and turn[0] == order[-1]:
            turn = turn[1:] + turn[:1]
        order += turn
    at = 0
    held: list[Picture] = []
    wiped = ""
    rise = 0
    for number, index in enumerate(order[:shots]):
        piece = _piece(pictures_of(clips[index], size), rng, longest)
        piece, flashes = _trouble(piece, rng)
        last = number == shots - 1
        kinds, odds = joins, list(joins.values())
        if short_ends and number in (0, shots - 2):
            kinds = {kind: share for kind, share in joins.items() if kind != "cut"}
            odds = [share / sum(kinds.values()) for share in kinds.values()]
        join = "cut" if last else str(rng.choice(list(kinds), p=odds))
        length = min(int(rng.integers(8, 41)), max(len(piece) // 3, 8))
        taken = 0
        if held:
            n = taken = min(len(held), max(len(piece) // 3, 8))
            held = held[:n]
            if wiped:
                truth.wipes.append((at, at + n))
                piece[:n] = wiping(held, piece[:n], wiped)
            else:
                truth.dissolves.append((at, at + n))
                piece[:n] = mixed(held, piece[:n])
            flashes = [(a, k) for a, k in flashes if a > n]
        if rise:
            up = np.linspace(0, 1, rise)
            piece[:rise] = [(p * w).astype(np.uint8) for p, w in zip(piece[:rise], up, strict=True)]
            truth.fades[-1] = (truth.fades[-1][0], at + rise)
            flashes = [(a, k) for a, k in flashes if a > rise]
            rise = 0
        truth.flashes += [(at + a, k) for a, k in flashes]
        held = []
        if short_ends and (number == 0 or last):
            kept = int(rng.integers(*END_FRAMES)) + taken
            piece = piece[: kept + (length if join in ("dissolve", "wipe") else 0)]
            truth.flashes = [f for f in truth.flashes if f[0] < at + len(piece) - 2]
        if join in ("dissolve", "wipe") and len(piece) <= length + taken + 4:
            join = "cut"
        wiped = str(rng.choice(WIPES)) if join == "wipe" else ""
        if join in ("dissolve", "wipe"):
            piece, held = piece[:-length], piece[-length:]
        elif join == "fade":
            n = max(length // 2, 5)
            down = np.linspace(1, 0, n)
            piece[-n:] = [(p * w).astype(np.uint8) for p, w in zip(piece[-n:], down, strict=True)]
            truth.fades.append((at + len(piece) - n, at + len(piece)))
        yield from piece
        at += len(piece)
        if join == "fade":
            dark = int(rng.integers(0, 8))
            yield from [np.zeros_like(piece[0])] * dark
            at += dark
            rise = max(length // 2, 5)
        elif join == "cut" and not last:
            truth.cuts.append(at)


def _piece(pictures: list[Picture], rng: np.random.Generator, longest: int) -> list[Picture]:
    """24 frames or more of a clip, or a pan over one of its pictures."""
    kind = rng.random()
    length = int(rng.integers(24, longest + 1))
    if kind < 0.25 or len(pictures) < 24:
        return _pan(pictures[int(rng.integers(len(pictures)))], length, rng)
    first = int(rng.integers(max(len(pictures) - length, 0) + 1))
    return list(pictures[first : first + length])


def _pan(picture: Picture, length: int, rng: np.random.Generator) -> list[Picture]:
    """A camera that moves over a picture, slowly or very fast, with motion blur."""
    height, width = picture.shape[:2]
    big = cv2.resize(picture, None, fx=2.5, fy=1.5, interpolation=cv2.INTER_CUBIC)
    speed = float(rng.choice([2, 8, 25, 60])) * float(rng.choice([-1, 1]))
    reach = big.shape[1] - width
    out = []
    for i in range(length):
        x = (reach / 2 + speed * i) % (2 * reach)
        x = int(2 * reach - x if x > reach else x)
        y = int((big.shape[0] - height) * (0.5 + 0.3 * np.sin(i / 9)))
        view = big[y : y + height, x : x + width]
        out.append(cv2.blur(view, (max(int(abs(speed)) // 3, 1), 1)))
    return out


def _trouble(piece: list[Picture], rng: np.random.Generator) -> tuple[list[Picture], list[tuple[int, int]]]:
    """Sometimes a flash of one or two frames, or a thing that passes near the lens."""
    kind = rng.random()
    if len(piece) < 50 or kind > 0.6:
        return piece, []
    third = len(piece) // 3
    at = int(rng.integers(third + 2, 2 * third - 10))
    if kind < 0.2:
        length = int(rng.integers(1, 3))
        strength = float(rng.uniform(0.6, 1.0))
        for i in range(at, at + length):
            piece[i] = cv2.addWeighted(piece[i], 1 - strength, np.full_like(piece[i], 255), strength, 0)
        return piece, [(at, length)]
    if kind < 0.4:
        height, width = piece[0].shape[:2]
        shade = rng.integers(10, 120, 3)
        for i in range(10):
            left = int(width * (-1.2 + 0.25 * i))
            shown = piece[at + i] = piece[at + i].copy()
            a, b = max(left, 0), min(max(left + int(0.8 * width), 0), width)
            if b > a:
                noise = rng.integers(0, 12, (height, b - a, 1))
                shown[:, a:b] = (shade + noise).astype(np.uint8)
        return piece, []
    gain = float(rng.uniform(1.5, 2.2))
    return piece[:at] + [cv2.convertScaleAbs(p, alpha=gain) for p in piece[at:]], []


def scene(seed: int, size: tuple[int, int] = (192, 108)) -> Picture:
    """A made picture with colour, shapes and texture; another seed, another place."""
    rng = np.random.default_rng(seed)
    width, height = size
    coarse = rng.integers(0, 256, (4, 6, 3), dtype=np.uint8)
    picture = cv2.resize(coarse, size, interpolation=cv2.INTER_CUBIC)
    for _ in range(25):
        x, y = int(rng.integers(width)), int(rng.integers(height))
        color = tuple(int(c) for c in rng.integers(0, 256, 3))
        cv2.circle(picture, (x, y), int(rng.integers(3, height // 4)), color, -1)
    grain = cv2.resize(rng.normal(0, 12, (height // 2, width // 2, 1)), size)[..., None]
    return np.clip(picture + grain, 0, 255).astype(np.uint8)


def drifting(seed: int, frames: int, speed: float = 1.0, size: tuple[int, int] = (192, 108)) -> list[Picture]:
    """A slow camera move over a made picture."""
    wide = scene(seed, (size[0] * 2, size[1] * 2))
    out = []
    for i in range(frames):
        x = int(size[0] / 2 + speed * i) % size[0]
        out.append(np.ascontiguousarray(wide[20 : 20 + size[1], x : x + size[0]]))
    return out


def wiping(
    before: Sequence[Picture], after: Sequence[Picture], way: str, soft: float = 0.02
) -> list[Picture]:
    """A wipe over as many frames as given: an edge crosses the picture, the new one behind it.

    ``soft`` is the width of the edge as a share of the way.
    """
    height, width = before[0].shape[:2]
    down, across = np.mgrid[0 : 1 : height * 1j, 0 : 1 : width * 1j]
    place = {
        "left": 1 - across,
        "right": across,
        "up": 1 - down,
        "down": down,
        "corner": (across + down) / 2,
        "iris": np.hypot(across - 0.5, down - 0.5) / np.hypot(0.5, 0.5),
    }[way]
    out = []
    for i, (a, b) in enumerate(zip(before, after, strict=True)):
        edge = (i + 1) / (len(before) + 1) * (1 + soft)
        share = np.clip((edge - place) / soft, 0, 1)[..., None]
        out.append((a * (1 - share) + b * share).astype(np.uint8))
    return out


def mixed(before: Sequence[Picture], after: Sequence[Picture]) -> list[Picture]:
    """A dissolve over as many frames as given."""
    weights = (np.arange(len(before)) + 1) / (len(before) + 1)
    return [cv2.addWeighted(a, 1 - w, b, w, 0) for a, b, w in zip(before, after, weights, strict=True)]
