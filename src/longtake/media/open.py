"""From a path, a folder or a list of paths to one film with hashes and a clock."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from ..core.video import Part, Video, VideoKind
from ..errors import InputError, UsageError
from .container import FFMPEG_HINT, encrypted, first_frame, open_container, picture_stream
from .length import picture_length

CLIP_SUFFIXES = frozenset(
    {".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".ts", ".m2ts", ".mts", ".mpg", ".mpeg", ".ogv", ".ogg"}
    | {".gif", ".3gp", ".3g2", ".flv", ".f4v", ".wmv", ".asf", ".mxf", ".y4m", ".vob", ".nut", ".ivf", ".dv"}
    | {".h264", ".264", ".hevc", ".h265"}
)
"""Files of a folder that are taken for shot clips; a file named by itself may have any suffix."""
PICTURE_SUFFIXES = frozenset(
    {
        ".png",
        ".jpg",
        ".jpeg",
        ".bmp",
        ".tif",
        ".tiff",
        ".webp",
        ".exr",
        ".dpx",
        ".tga",
        ".ppm",
        ".pgm",
        ".jp2",
    }
)
HASH_BLOCK = 1 << 20
_CLOCK = re.compile(r"(?:(?:(\d+):)?(\d{1,2}):)?(\d+(?:\.\d*)?|\.\d+)")


def open_video(
    path: Path | str | Sequence[Path | str],
    *,
    fps: Fraction | float | str | None = None,
    start: Fraction | float | str | None = None,
    end: Fraction | float | str | None = None,
) -> Video:
    """A film: a file, a folder or ordered list of shot clips, or a folder or list of numbered pictures.

    Files are hashed whole and their first frame is decoded, so that what cannot work fails here. Files of a
    folder are taken in natural order (``shot_2`` before ``shot_10``); hidden and other files are left out.
    ``start`` and ``end`` take seconds or ``hh:mm:ss.mmm`` on the film's clock; pictures need ``fps``.

    Raises ``InputError`` for what cannot be read, ``UsageError`` for bounds or a rate that make no sense.
    """
    if isinstance(path, str | Path):
        root = Path(path)
        files = _folder(root) if root.is_dir() else [root]
        single = not root.is_dir()
    else:
        files = [Path(p) for p in path]
        if not files:
            raise InputError("the list of clips is empty")
        root = files[0] if len(files) == 1 else files[0].parent
        single = len(files) == 1
    rate = None if fps is None else _rate(fps)
    pictures = [f for f in files if f.suffix.lower() in PICTURE_SUFFIXES]
    if pictures and len(pictures) < len(files):
        raise InputError(
            f"{root} mixes clips and pictures ({files[0].name}, {pictures[0].name}, ...)",
            hint="keep either the clips or the numbered pictures in the folder",
        )
    kind: VideoKind
    if pictures:
        kind = "pictures"
        if single:
            raise InputError(
                f"{root} is a picture, not a film", hint="give a folder of numbered pictures and --fps"
            )
        if rate is None:
            raise UsageError(f"{root} holds numbered pictures, which have no rate", hint="give --fps")
        parts = _pictures(files, rate)
    else:
        if rate is not None:
            raise UsageError(
                "--fps is for numbered pictures; a video file has its own times", hint="leave it out"
            )
        kind = "file" if single else "clips"
        parts = _clips(files)
    video = Video(kind, parts, fps=rate, path=root)
    return _bounded(video, _time(start), _time(end))


def parse_time(text: str) -> Fraction:
    """Seconds from ``12.5``, ``mm:ss`` or ``hh:mm:ss.mmm``, exact. Raises ``UsageError``."""
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        raise UsageError(
            f"{text!r} is not a time", hint="write seconds or hh:mm:ss.mmm, as in 75.5 or 00:01:15.500"
        )
    hours, minutes, seconds = (Fraction(g) if g else Fraction(0) for g in match.groups())
    if match[2] is not None and (seconds >= 60 or (match[1] is not None and minutes >= 60)):
        raise UsageError(f"{text!r} is not a time: minutes and seconds go up to 59")
    return hours * 3600 + minutes * 60 + seconds


def film_length(video: Video) -> Fraction:
    """Seconds from the first frame to the end of the last one."""
    last = video.parts[-1]
    return last.offset + (last.duration or 0)


def natural_key(name: str) -> tuple[list[tuple[int, int, str]], str]:
    """Sort key in which runs of digits count as numbers, letters without case."""
    pieces = [p for p in re.split(r"(\d+)", name.casefold()) if p]
    return [(0, int(p), "") if p.isdecimal() else (1, 0, p) for p in pieces], name


def missing_numbers(files: Sequence[Path]) -> list[int]:
    """Numbers that are left out between the first and the last of numbered pictures."""
    numbers = {int(m[-1]) for f in files if (m := re.findall(r"\d+", f.stem))}
    return [n for n in range(min(numbers), max(numbers)) if n not in numbers] if numbers else []


def _folder(root: Path) -> list[Path]:
    try:
        found = [f for f in root.iterdir() if not f.name.startswith(".") and f.is_file()]
    except OSError as error:
        raise InputError(f"{root} cannot be read: {error.strerror}") from error
    files = [f for f in found if f.suffix.lower() in CLIP_SUFFIXES | PICTURE_SUFFIXES]
    if not files:
        raise InputError(
            f"{root} holds no clips and no pictures", hint="give a video file or a folder of shot clips"
        )
    return sorted(files, key=lambda f: natural_key(f.name))


def _clips(files: list[Path]) -> tuple[Part, ...]:
    parts: list[Part] = []
    offset = Fraction(0)
    for file in files:
        sha = hash_file(file)
        duration = _length(file)
        parts.append(Part(file, sha, offset, duration))
        offset += duration
    return tuple(parts)


def _pictures(files: list[Path], rate: Fraction) -> tuple[Part, ...]:
    _length(files[0])
    return tuple(Part(f, hash_file(f), i / rate, 1 / rate) for i, f in enumerate(files))


def _length(path: Path) -> Fraction:
    """Seconds of picture in a file that can be decoded; raises ``InputError`` where it cannot."""
    if encrypted(path):
        raise InputError(f"{path} is encrypted", hint="give a copy without copy protection")
    with open_container(path) as container:
        stream = picture_stream(container, path)
        if first_frame(container, stream) is None:
            raise InputError(f"{path}: no frame of its picture can be decoded", hint=FFMPEG_HINT)
    return picture_length(path)


def hash_file(path: Path) -> str:
    """SHA-256 of the bytes of a file, read in blocks. Raises ``InputError``."""
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is not a file")
    digest = hashlib.sha256()
    size = 0
    try:
        with path.open("rb") as file:
            while block := file.read(HASH_BLOCK):
                digest.update(block)
                size += len(block)
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist", hint="check the path") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    if size == 0:
        raise InputError(f"{path} is empty", hint="the file has no bytes; copy or render it again")
    return digest.hexdigest()


def _rate(fps: Fraction | float | str) -> Fraction:
    try:
        rate = Fraction(str(fps))
    except (ValueError, ZeroDivisionError) as error:
        raise UsageError(f"{fps!r} is not a frame rate", hint="write 24 or 30000/1001") from error
    if rate <= 0:
        raise UsageError(f"a frame rate of {fps} makes no sense", hint="write 24 or 30000/1001")
    return rate


def _time(value: Fraction | float | str | None) -> Fraction | None:
    if value is None or isinstance(value, Fraction):
        return value
    return parse_time(value if isinstance(value, str) else f"{value:.9f}")


def _bounded(video: Video, start: Fraction | None, end: Fraction | None) -> Video:
    length = film_length(video)
    if start is not None and not 0 <= start < length:
        raise UsageError(f"the part starts at {float(start):g} s, but the film is {float(length):.3f} s long")
    if end is not None and not 0 < end <= length:
        raise UsageError(f"the part ends at {float(end):g} s, but the film is {float(length):.3f} s long")
    if start is not None and end is not None and start >= end:
        raise UsageError(f"the part starts at {float(start):g} s and ends at {float(end):g} s")
    return replace(video, start=start, end=end)
