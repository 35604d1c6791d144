"""Films of 1 to 3 minutes from the test clips, with captions, for pairs in the manner of SLVMEval.

``slvmeval/clips.tsv`` lists the clips, each with the caption that was written for it from looking at it, and
its source: clips of one recording or one place have one source. Photographs of Debian's packages fill, under
a window that slowly moves and closes in. Every other source, in the order of their names, is of half A, on
which thresholds are fixed, the others of half B, which reports; real clips and photographs are halved apart.
The sources of a half are dealt to reels, so that films of different reels share no footage. A film shows one
clip of each source of its reel once; films of one reel differ in the order, and in the clip of a source that
has two.
"""

from __future__ import annotations

import csv
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from longtake.core.brief import Brief, PlannedShot
from longtake.core.seeds import seed_for
from longtake.media.open import open_video
from longtake.media.planes import bgr_of
from longtake.media.write import FilmWriter
from longtake.meta.perturbations import join

CLIPS = Path(__file__).with_name("slvmeval") / "clips.tsv"
WIDTH, HEIGHT, FPS = 480, 270, 15
REELS = 6
WINDOW = 0.9
"""Share of a photograph's largest 16 by 9 part that the window shows at first; at last ``CLOSER`` of it."""
CLOSER = 0.8
PHOTO = "photo_"
Picture = NDArray[np.uint8]


@dataclass(frozen=True)
class Clip:
    """A stretch of a file, seconds, or a photograph that is shown so long, with its caption."""

    source: str
    path: str
    start: float
    end: float
    caption: str

    @property
    def photo(self) -> bool:
        """Whether it is a photograph under a moving window."""
        return self.source.startswith(PHOTO)

    @property
    def length(self) -> float:
        """Seconds, in whole frames of the film."""
        return int((self.end - self.start) * FPS) / FPS


@dataclass(frozen=True)
class Made:
    """A film: where it is, its brief, the reel and the clips it is made of."""

    name: str
    path: Path
    brief: Brief
    reel: str
    clips: tuple[Clip, ...]


def clips() -> list[Clip]:
    """All clips of the list."""
    with CLIPS.open(encoding="utf-8", newline="") as file:
        return [
            Clip(r["source"], r["path"], float(r["start"]), float(r["end"]), r["caption"])
            for r in csv.DictReader(file, delimiter="\t")
        ]


def reels(half: str) -> dict[str, list[list[Clip]]]:
    """The reels of a half by name: for each source its clips."""
    by_source: dict[str, list[Clip]] = defaultdict(list)
    for clip in clips():
        by_source[clip.source].append(clip)
    dealt: dict[str, list[list[Clip]]] = {f"{half}{i + 1}": [] for i in range(REELS)}
    for photo in (False, True):
        sources = sorted(s for s, c in by_source.items() if c[0].photo == photo)
        mine = [by_source[s] for s in sources["AB".index(half) :: 2]]
        np.random.default_rng(seed_for(half, f"reels {photo}", 0)).shuffle(mine)  # type: ignore[arg-type]
        for source in sorted(mine, key=lambda c: -c[0].length):
            min(dealt.values(), key=lambda r: (sum(c[0].photo == photo for c in r), seconds(r))).append(
                source
            )
    return dealt


def seconds(sources: list[list[Clip]]) -> float:
    """Length of a film of these sources."""
    return sum(c[0].length for c in sources)


def films(half: str, folder: Path, media: Path, packages: Path, orders: int) -> list[Made]:
    """``orders`` films of each reel of a half, made where they are not there yet."""
    made = []
    for reel, sources in reels(half).items():
        for number in range(orders):
            rng = np.random.default_rng(seed_for(reel, "film", number))
            chosen = [c[number % len(c)] for c in sources]
            rng.shuffle(chosen)  # type: ignore[arg-type]
            name = f"{reel}-{number + 1}"
            out = folder / f"{name}.mp4"
            if not out.exists():
                ready = [prepared(c, folder, media, packages) for c in chosen]
                join([open_video(p) for p in ready], out)
            made.append(Made(name, out, brief(chosen), reel, tuple(chosen)))
    return made


def brief(chosen: list[Clip]) -> Brief:
    """Captions with their times."""
    ends = np.cumsum([c.length for c in chosen])
    return Brief(
        shots=[
            PlannedShot(index=i, text=c.caption, start=float(end - c.length), end=float(end))
            for i, (c, end) in enumerate(zip(chosen, ends, strict=True))
        ]
    )


def prepared(clip: Clip, folder: Path, media: Path, packages: Path) -> Path:
    """The clip in the films' size and rate, without sound."""
    safe = re.sub(r"\W+", "_", f"{clip.source} {clip.path}")
    out = folder / "clips" / f"{safe}.mp4"
    if not out.exists():
        out.parent.mkdir(parents=True, exist_ok=True)
        pictures = window(photograph(clip.path, packages), clip) if clip.photo else frames(clip, media)
        with FilmWriter(out, WIDTH, HEIGHT, FPS, crf=12) as film:
            for picture in pictures:
                film.picture(picture)
    return out


def frames(clip: Clip, media: Path) -> Iterator[Picture]:
    """Pictures of a real clip at the films' rate; one that lasts longer is shown again."""
    wanted = round(clip.length * FPS)
    sent, shown = 0, None
    with av.open(str(media / clip.path)) as container:
        began = None
        for frame in container.decode(video=0):
            time = float(frame.time or 0)
            began = time if began is None else began
            while shown is not None and sent < wanted and clip.start + sent / FPS < time - began:
                yield shown
                sent += 1
            if sent >= wanted:
                return
            if time - began >= clip.start - 1:
                shown = covering(bgr_of(frame, frame.width, 0))
    while shown is not None and sent < wanted:
        yield shown
        sent += 1


def covering(picture: Picture) -> Picture:
    """The largest middle part of the films' shape, in their size."""
    height, width = picture.shape[:2]
    scale = min(width / WIDTH, height / HEIGHT)
    across, down = int(WIDTH * scale), int(HEIGHT * scale)
    left, top = (width - across) // 2, (height - down) // 2
    part = picture[top : top + down, left : left + across]
    return np.asarray(cv2.resize(part, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA), np.uint8)


def window(picture: Picture, clip: Clip) -> Iterator[Picture]:
    """A window that moves over a photograph and closes in."""
    height, width = picture.shape[:2]
    scale = min(width / WIDTH, height / HEIGHT)
    from_x, to_x, from_y, to_y = np.random.default_rng(seed_for(clip.source, "window", 0)).random(4)
    count = round(clip.length * FPS)
    for i in range(count):
        part = i / max(1, count - 1)
        share = WINDOW + (CLOSER - WINDOW) * part
        across, down = WIDTH * scale * share, HEIGHT * scale * share
        x = (width - across) * (from_x + (to_x - from_x) * part)
        y = (height - down) * (from_y + (to_y - from_y) * part)
        there = np.array([[across / WIDTH, 0, x], [0, down / HEIGHT, y]], np.float64)
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        yield np.asarray(cv2.warpAffine(picture, there, (WIDTH, HEIGHT), flags=flags), np.uint8)


def photograph(path: str, packages: Path) -> Picture:
    """A photograph of a Debian package: ``PACKAGE:PATH``, or ``PACKAGE:RESOURCES#NUMBER`` of a Qt archive.

    Packages are downloaded with ``apt-get download`` and unpacked in ``packages``, and never installed.
    """
    package, _, inside = path.partition(":")
    root = packages / package
    if not root.exists():
        packages.mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "download", package], cwd=packages, check=True, capture_output=True)
        (archive,) = packages.glob(f"{package}_*.deb")
        subprocess.run(["dpkg", "-x", archive, root], check=True)
    name, _, number = inside.partition("#")
    if not number:
        data = (root / name).read_bytes()
        return _small(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR))
    (archive,) = root.rglob(f"{name}.rcc")
    return _small(_pictures(archive.read_bytes())[int(number)])


def _pictures(data: bytes) -> list[Picture]:
    """Pictures of 200 px and more that lie in a Qt resource archive, in their order there."""
    found = []
    for start in (
        m.start() for m in re.finditer(rb"\xff\xd8\xff[\xe0\xe1\xdb\xee]|RIFF....WEBP", data, re.DOTALL)
    ):
        end = start + 8 + int.from_bytes(data[start + 4 : start + 8], "little")
        part = data[start:end] if data[start:].startswith(b"RIFF") else data[start:]
        picture = cv2.imdecode(np.frombuffer(part, np.uint8), cv2.IMREAD_COLOR)
        if picture is not None and min(picture.shape[:2]) >= 200:
            found.append(np.asarray(picture, np.uint8))
    return found


def _small(picture: Picture) -> Picture:
    """At most about 1.5 times the films' width, so that the window does not shimmer."""
    scale = 1.5 * WIDTH / picture.shape[1]
    if scale >= 1:
        return picture
    size = (round(picture.shape[1] * scale), round(picture.shape[0] * scale))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
