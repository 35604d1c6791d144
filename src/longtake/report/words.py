"""How numbers, times and codes are said to people. Shared by the HTML report and the terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from longtake.core.documents import CheckpointResult, Coverage, Score, VideoEntry

DIMENSION_NAMES = {
    "script": "Script",
    "visual": "Picture",
    "audio": "Sound",
    "cross_modal": "Interplay",
    "stability": "Stability",
}
SEVERITIES = {"problem": "Problem", "warning": "Warning", "info": "Note"}
REASONS = {
    "gate_unknown": "unknown whether it applies",
    "no_judge": "needs a judge, and none was asked",
    "no_brief": "needs a brief, and none was given",
    "no_rule": "no offline rule answers this, and no judge was asked",
    "scene_unknown": "it is not known which joins lie within one scene",
    "no_audio": "the film has no sound track",
    "low_coverage": "too little of the weight could be scored",
    "not_asked": "not asked for in this run",
}


def plain(text: object) -> str:
    """Text without control characters (tab and line feed stay) and without lone surrogates."""
    clean = str(text).encode("utf-8", "replace").decode("utf-8")
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
    """A share with two digits; an en dash where nothing was measured."""
    return "–" if value is None else f"{value:.2f}"


def percent(value: float) -> str:
    """A share as whole per cent."""
    return f"{value * 100:.0f} %"


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
    """An id in words: ``char_face_consistency`` becomes ``Char face consistency``."""
    text = plain(code).replace("_", " ").strip()
    return text[:1].upper() + text[1:]


def reason(text: str | None) -> str:
    """A reason as a sentence; a known code is spelt out, anything else stays as it is."""
    if not text:
        return ""
    code, colon, rest = plain(text).partition(": ")
    known = REASONS.get(code)
    if known is None:
        return plain(text)
    return f"{known}{colon}{rest.replace('_', ' ')}"


def dimension(name: str) -> str:
    """The name of a dimension for people."""
    return DIMENSION_NAMES.get(name, words(name))


def coverage(score: Score) -> str:
    """What a mean rests on, in one short phrase."""
    covered = f"{score.n_scored} of {score.n_active} scored, {percent(score.covered_weight)} of the weight"
    return covered + (", partial" if score.partial else "")


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
    if video.decode_errors:
        facts.append(f"{video.decode_errors} decode errors")
    return facts


def unscored_counts(
    checkpoints: Sequence[CheckpointResult], status: str = "unscored"
) -> list[tuple[str, int]]:
    """Reasons with how many checkpoints they keep from a score, most frequent first."""
    counts: dict[str, int] = {}
    for checkpoint in checkpoints:
        if checkpoint.status == status:
            text = reason(checkpoint.reason) or "no reason given"
            counts[text] = counts.get(text, 0) + 1
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
