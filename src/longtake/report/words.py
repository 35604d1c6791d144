"""How numbers, times and codes are said to people. Shared by the HTML report and the terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from longtake.core.documents import Coverage, VideoEntry
from longtake.core.shares import two_digits

DIMENSION_NAMES = {
    "script": "Script",
    "visual": "Picture",
    "audio": "Sound",
    "cross_modal": "Interplay",
    "stability": "Stability",
}
GRADES_FROM = (0.85, 0.70, 0.55, 0.40)
"""Least values of the grades from A to D; from that of B a result counts as mended."""
SEVERITIES = {"problem": "Problem", "warning": "Warning", "info": "Note"}
SURE = ((0.85, "sure"), (0.6, "fairly sure"), (0.35, "unsure"), (0.0, "very unsure"))
"""What shares of certainty are called, from the highest down."""
UNKNOWN = "certainty unknown"
SHORT = {"char": "character", "bgm": "music"}
"""Short forms inside ids, spelt out for people."""


def plain(text: object) -> str:
    """Text without control characters (tab and line feed stay) and without lone surrogates."""
    clean = str(text)
    if (
        clean.isascii() and clean.isprintable()
    ):  # nearly every text, and there may be a hundred thousand words
        return clean
    clean = clean.encode("utf-8", "replace").decode("utf-8")
    return "".join(c for c in clean if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs"))


def one_line(text: object, limit: int = 0) -> str:
    """``plain`` text with all white space folded, cut at ``limit`` characters with an ellipsis (0: not cut).

    Marks that turn the reading direction are taken out, since a terminal cannot isolate them.
    """
    folded = " ".join(plain(text).split())
    folded = "".join(
        c for c in folded if c not in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"
    )
    return folded if not limit or len(folded) <= limit else folded[: limit - 1].rstrip() + "…"


def clock(seconds: float | None) -> str:
    """Seconds as ``m:ss.d`` or ``h:mm:ss.d``; an en dash where there is no time."""
    if seconds is None:
        return "–"
    tenths = round(abs(seconds) * 10)
    sign = "-" if seconds < 0 and tenths else ""
    minutes, rest = divmod(tenths, 600)
    hours, minutes = divmod(minutes, 60)
    tail = f"{rest // 10:02d}.{rest % 10}"
    return f"{sign}{hours}:{minutes:02d}:{tail}" if hours else f"{sign}{minutes}:{tail}"


def share(value: float | None) -> str:
    """A share with two digits, more just below a grade; an en dash where nothing was measured."""
    return "–" if value is None else two_digits(value, GRADES_FROM)


def percent(value: float) -> str:
    """A share as whole per cent."""
    return f"{value * 100:.0f} %"


def surely(value: float | None) -> str:
    """How sure something is, in words."""
    if value is None:
        return UNKNOWN
    return next((name for least, name in SURE if value >= least), SURE[-1][1])


def count(n: int, one: str, many: str | None = None) -> str:
    """A number with its noun: ``1 shot``, ``1,200 shots``."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def listed(parts: list[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""


def number(value: object) -> str:
    """Any plain fact for reading: four significant digits, yes or no, an en dash for nothing."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    return plain(value)


def words(code: str) -> str:
    """An id in words: ``char_face_consistency`` becomes ``Character face consistency``."""
    text = " ".join(SHORT.get(part, part) for part in plain(code).split("_")).strip()
    return sentence(text)


def sentence(text: str) -> str:
    """The same text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def dimension(name: str) -> str:
    """The name of a dimension for people."""
    return DIMENSION_NAMES.get(name, words(name))


def scored_of(coverage: Coverage) -> str:
    """Coverage of the whole diagnosis in one sentence."""
    return (
        f"{coverage.scored} of {coverage.active} checkpoints that apply are scored "
        f"({coverage.registered} in the rubric)"
    )


def film_facts(video: VideoEntry) -> list[str]:
    """The film in a few short phrases."""
    facts = [clock(video.duration)]
    if video.start is not None or video.end is not None:
        facts.append(
            f"part {clock(video.start or 0.0)} to {clock(video.end) if video.end is not None else 'the end'}"
        )
    if video.width and video.height:
        facts.append(f"{video.width} × {video.height}")
    if video.fps:
        facts.append(f"{f'{video.fps:.3f}'.rstrip('0').rstrip('.')} fps")
    facts.append(f"{video.frames:,} frames")
    facts.append("with sound" if video.audio else "no sound")
    if video.kind == "clips":
        facts.append(f"{len(video.parts)} clips")
    elif video.kind == "pictures":
        facts.append("numbered pictures")
    return facts


def profile(fields: Mapping[str, Any]) -> str:
    """Through whose eyes: the profile's id, and its title where it has one."""
    name = one_line(fields.get("id") or "neutral", 80)
    title = one_line(fields.get("title") or "", 120)
    return f"{name} ({title[:1].lower()}{title[1:]})" if title else name


def undecoded(video: VideoEntry) -> str:
    """How much of the file could not be decoded; empty if all could."""
    n = video.decode_errors
    return f"{n:,} packet{' was' if n == 1 else 's were'} damaged and could not be decoded." if n else ""


def file_name(path: str) -> str:
    """The last part of a path of either kind of slash."""
    return path.rstrip("/\\").replace("\\", "/").rsplit("/", 1)[-1] or path
