"""From a path, a folder or a list of paths to one film with hashes and a clock."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from ..core.video import Part, Video, VideoKind, display_path
from ..errors import InputError, UsageError
from .container import FFMPEG_HINT, encrypted, first_frame, is_still, open_container, picture_stream
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
SLOWEST, FASTEST = Fraction(1, 1000), Fraction(1000)
"""Pictures per second that a rate may be. Slower ones would make a film of weeks from a few pictures."""
MOST_NAMED = 5
_CLOCK = re.compile(r"(?:(?:(\d{1,5}):)?(\d{1,2}):)?(\d{1,9}(?:\.\d{0,18})?|\.\d{1,18})")
_RATE = re.compile(r"(\d{1,9}(?:\.\d{1,18})?)(?:/(\d{1,9}))?")
_LONGEST = 10**9
"""Seconds (32 years) beyond which a time is a mistake."""


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
    if "" in ([path] if isinstance(path, str | Path) else path):  # Path("") would be the current folder
        raise UsageError("the path of the film is empty", hint="give a video file or a folder of shot clips")
    if isinstance(path, str | Path):
        root = Path(path)
        single = not os.path.isdir(root)  # unlike Path.is_dir, False for what is no name of a file
        files = [root] if single else _folder(root)
    else:
        files = [Path(p) for p in path]
        if not files:
            raise InputError("the list of clips is empty", hint="give clips in the order of the film")
        root = files[0] if len(files) == 1 else files[0].parent
        single = len(files) == 1
    rate = None if fps is None else _rate(fps)
    pictures = [f for f in files if f.suffix.lower() in PICTURE_SUFFIXES]
    shown = display_path(root)
    if pictures and len(pictures) < len(files):
        clip = next(f for f in files if f not in pictures)
        examples = f"{display_path(clip.name)}, {display_path(pictures[0].name)}"
        raise InputError(
            f"{shown} mixes clips and pictures ({examples}, ...)",
            hint="keep either the clips or the numbered pictures in the folder",
        )
    kind: VideoKind
    if pictures:
        kind = "pictures"
        if single:
            raise _picture(root)
        if rate is None:
            raise UsageError(f"{shown} holds numbered pictures, which have no rate", hint="give --fps")
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
            f"{text[:40]!r} is not a time", hint="write seconds or hh:mm:ss.mmm, as in 75.5 or 00:01:15.500"
        )
    hours, minutes, seconds = (Fraction(g) if g else Fraction(0) for g in match.groups())
    if match[2] is not None and (seconds >= 60 or (match[1] is not None and minutes >= 60)):
        raise UsageError(
            f"{text!r} is not a time: minutes and seconds go up to 59", hint="as in 75.5 or 00:01:15.500"
        )
    return hours * 3600 + minutes * 60 + seconds


def film_length(video: Video) -> Fraction:
    """Seconds from the first frame to the end of the last one."""
    last = video.parts[-1]
    return last.offset + (last.duration or 0)


def natural_key(name: str) -> tuple[list[tuple[int, int, str]], str]:
    """Sort key in which runs of digits count as numbers, letters without case."""
    pieces = [p for p in re.split(r"(\d+)", name.casefold()) if p]
    return [(0, int(p), "") if p.isdecimal() else (1, 0, p) for p in pieces], name


def missing_numbers(files: Sequence[Path]) -> tuple[int, list[int]]:
    """How many numbers are left out between the first and the last of numbered pictures, and the first few.

    Counted by arithmetic: one stray number may be of any size.
    """
    numbers = sorted({int(m[-1]) for f in files if (m := re.findall(r"\d+", f.stem))})
    first: list[int] = []
    for before, after in pairwise(numbers):
        first += range(before + 1, min(after, before + 1 + MOST_NAMED - len(first)))
    return (numbers[-1] - numbers[0] + 1 - len(numbers) if numbers else 0), first


def duplicate_numbers(files: Sequence[Path]) -> list[list[str]]:
    """Names of pictures that differ only in zeros before their number or in their suffix, by number."""
    same: dict[tuple[Path, str, int, str], list[str]] = {}
    for file in files:
        if match := re.fullmatch(r"(.*?)(\d+)(\D*)", file.stem):
            key = file.parent, match[1].casefold(), int(match[2]), match[3].casefold()
            same.setdefault(key, []).append(display_path(file.name))
    return [names for names in same.values() if len(names) > 1]


def _folder(root: Path) -> list[Path]:
    try:
        found = [f for f in root.iterdir() if not f.name.startswith(".") and f.is_file()]
    except OSError as error:
        raise InputError(
            f"{display_path(root)} cannot be read: {error.strerror}",
            hint="check that you may read the folder",
        ) from error
    files = [f for f in found if f.suffix.lower() in CLIP_SUFFIXES | PICTURE_SUFFIXES]
    if not files:
        raise InputError(
            f"{display_path(root)} holds no clips and no pictures",
            hint="give a video file or a folder of shot clips",
        )
    return sorted(files, key=lambda f: natural_key(f.name))


def _clips(files: list[Path]) -> tuple[Part, ...]:
    parts: list[Part] = []
    offset = Fraction(0)
    for file in files:
        sha = hash_file(file)
        if is_still(file):
            raise _picture(file)
        duration = _length(file)
        parts.append(Part(file, sha, offset, duration))
        offset += duration
    return tuple(parts)


def _pictures(files: list[Path], rate: Fraction) -> tuple[Part, ...]:
    _length(files[0])
    return tuple(Part(f, hash_file(f), i / rate, 1 / rate) for i, f in enumerate(files))


def _picture(path: Path) -> InputError:
    return InputError(
        f"{display_path(path)} is a picture, not a film", hint="give a folder of numbered pictures and --fps"
    )


def _length(path: Path) -> Fraction:
    """Seconds of picture in a file that can be decoded; raises ``InputError`` where it cannot."""
    if encrypted(path):
        raise InputError(f"{display_path(path)} is encrypted", hint="give a copy without copy protection")
    with open_container(path) as container:
        stream = picture_stream(container, path)
        if first_frame(container, stream) is None:
            raise InputError(
                f"{display_path(path)}: no frame of its picture can be decoded", hint=FFMPEG_HINT
            )
    return picture_length(path)


def hash_file(path: Path) -> str:
    """SHA-256 of the bytes of a file, read in blocks. Raises ``InputError``."""
    shown = display_path(path)
    if os.path.exists(path) and not os.path.isfile(path):
        raise InputError(f"{shown} is not a file", hint="save it as a file first")
    digest = hashlib.sha256()
    size = 0
    try:
        with path.open("rb") as file:
            while block := file.read(HASH_BLOCK):
                digest.update(block)
                size += len(block)
    except FileNotFoundError as error:
        raise InputError(f"{shown} does not exist", hint="check the path") from error
    except OSError as error:
        raise InputError(
            f"{shown} cannot be read: {error.strerror}", hint="check that you may read it"
        ) from error
    except ValueError as error:  # a null character, or letters that names cannot have here
        raise InputError(f"{shown!r} is no name of a file", hint="check the path") from error
    if size == 0:
        raise InputError(f"{shown} is empty", hint="the file has no bytes; copy or render it again")
    return digest.hexdigest()


def _rate(fps: Fraction | float | str) -> Fraction:
    """The rate, exact; the text is bounded before any arithmetic, which could take all memory."""
    text = fps.strip() if isinstance(fps, str) else _plain(fps)
    match = _RATE.fullmatch(text)
    if match is None or (match[2] and int(match[2]) == 0):
        raise UsageError(f"{text[:40]!r} is not a frame rate", hint="write 24 or 30000/1001")
    rate = Fraction(match[1]) / int(match[2] or 1)
    if not SLOWEST <= rate <= FASTEST:
        raise UsageError(
            f"a frame rate of {text[:40]} makes no sense",
            hint=f"write a rate from {float(SLOWEST):g} to {FASTEST}, as 24 or 30000/1001",
        )
    return rate


def _plain(number: Fraction | float) -> str:
    try:
        return str(number)
    except ValueError:  # Python writes no integer of more than some thousand digits
        return "a number of thousands of digits"


def _time(value: Fraction | float | str | None) -> Fraction | None:
    if value is None or isinstance(value, str):
        return None if value is None else parse_time(value)
    if not 0 <= value <= _LONGEST:  # also what is not a number
        raise UsageError("a time is below zero or beyond all films", hint="write seconds, as in 75.5")
    return value if isinstance(value, Fraction) else parse_time(f"{value:.9f}")


def _bounded(video: Video, start: Fraction | None, end: Fraction | None) -> Video:
    length = film_length(video)
    if start is not None and not 0 <= start < length:
        raise UsageError(
            f"the part starts at {float(start):g} s, but the film is {float(length):.3f} s long",
            hint="choose a time within the film",
        )
    if end is not None and not 0 < end <= length:
        raise UsageError(
            f"the part ends at {float(end):g} s, but the film is {float(length):.3f} s long",
            hint="choose a time within the film",
        )
    if start is not None and end is not None and start >= end:
        raise UsageError(
            f"the part starts at {float(start):g} s and ends at {float(end):g} s",
            hint="--start must lie before --end",
        )
    return replace(video, start=start, end=end)
