"""Result files of VBench and VBench-Long (Vchitect/VBench): ``NAME_eval_results.json``.

VBench writes ``{dimension: [aggregate, [{video_path, video_results}, ...]]}``. VBench-Long cuts films into
clips: it writes the clips and then the films, ``[aggregate, clips, films]``, but for subject and background
consistency, where each film has ``inclip_score`` and ``clip2clip_score`` beside their sum.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from ..core.cells import short
from ..core.imports import LeftOut
from ..core.judge import whole
from .found import Contents, Found, dimensions, film_name, is_number, named, read_json

Which = Literal["vbench", "vbench-long"]
CLIP_S, LONGER_CLIP_S = 2.0, 10.0
LONGER = frozenset({"human_action", "temporal_style", "overall_consistency"})
"""Dimensions that VBench-Long measures on clips of :data:`LONGER_CLIP_S` s, others on :data:`CLIP_S` s."""
SHARES_PROMPTS = frozenset({"imaging_quality", "aesthetic_quality"})
"""Dimensions that share prompts with those: in a mixed run their films are cut into the longer clips too
(issue 186 of VBench)."""
FUSED = frozenset({"subject_consistency", "background_consistency"})
"""Dimensions that VBench averages over frames, and VBench-Long makes of two halves."""
MIXED = f"mixed run: clips of {LONGER_CLIP_S:g} s as in other dimensions, and not of {CLIP_S:g} s"
PERCENT_FROM = 1.5
"""An aggregate of imaging quality above this is a percentage as its items are, as older versions wrote it."""
_FUSED_WHY = {
    "vbench": "VBench averages it over frames as one process, and over films as several",
    "vbench-long": "VBench-Long adds the likeness of first frames to its aggregate unmapped, to films mapped",
}


def read(path: Path, which: Which) -> Contents:
    """What a result file holds.

    Raises:
        InputError: it is no such file, or of the other of the two, which cannot be exchanged.
    """
    data = read_json(path)
    if not isinstance(data, dict) or not data:
        raise named(path, "top", "no dimensions by name", "give the file NAME_eval_results.json")
    contents = Contents()
    known = dimensions(which)
    clips = {name: _clips(entry) for name, entry in data.items()}
    for name, entry in data.items():
        lists = _lists(path, name, entry)
        _check_which(path, name, lists, which)
        if name not in known:
            why = "not one of the dimensions that are documented for one's own videos"
            contents.left_out.append(LeftOut(what=whole(name), why=why))
            continue
        found = _found(path, name, entry[0], lists, which)
        if found.dimension.item == "percent" and _all_small(found):
            why = "its items are no percentages: all are 1 or less"
            contents.left_out.append(LeftOut(what=name, why=why))
            continue
        if which == "vbench-long":
            mixed = name in SHARES_PROMPTS and (bool(LONGER & set(data)) or _fewer(name, clips))
            found.clip_s = None if mixed else CLIP_S
            if mixed:
                found.flags.append(MIXED)
        contents.found[f"{which}:{name}"] = found
    return contents


def _lists(path: Path, name: str, entry: Any) -> list[list[dict[str, Any]]]:
    """The lists after the aggregate."""
    if not isinstance(entry, list) or len(entry) not in (2, 3):
        raise named(path, short(name), "no list of an aggregate and results of films")
    for part in entry[1:]:
        if not isinstance(part, list) or not all(isinstance(item, dict) for item in part):
            raise named(path, short(name), "no list of results of films")
        for i, item in enumerate(part, 1):
            if not isinstance(item.get("video_path"), str) or "video_results" not in item:
                raise named(path, f"{short(name)}, item {i}", "no video_path with video_results")
    return entry[1:]


def _clips(entry: Any) -> Counter[str]:
    """How many clips each film was cut into, by the folder of its clips; empty where none are listed."""
    if not (isinstance(entry, list) and len(entry) == 3 and isinstance(entry[1], list)):
        return Counter()
    paths = (item.get("video_path") for item in entry[1] if isinstance(item, dict))
    return Counter(PurePosixPath(path).parent.name for path in paths if isinstance(path, str))


def _fewer(name: str, clips: Mapping[str, Counter[str]]) -> bool:
    """Whether a film has fewer clips in this dimension than in another."""
    return any(0 < clips[name][film] < n for other in clips.values() for film, n in other.items())


def _check_which(path: Path, name: str, lists: Sequence[list[dict[str, Any]]], which: Which) -> None:
    fused = any("inclip_score" in item for item in lists[0])
    long = len(lists) == 2 or fused
    if which == "vbench" and long:
        why = "this was written by VBench-Long, whose values are not those of VBench"
        raise named(path, short(name), why, "longtake import vbench-long")
    if which == "vbench-long" and not long:
        why = "this was written by VBench, whose values are not those of VBench-Long"
        raise named(path, short(name), why, "longtake import vbench")


def _found(path: Path, name: str, told: Any, lists: Sequence[list[dict[str, Any]]], which: Which) -> Found:
    dimension = dimensions(which)[name]
    values: dict[str, float | str] = {}
    for i, item in enumerate(lists[-1], 1):
        film = film_name(path, f"{name}, item {i}", item["video_path"])
        value = dimension.value(item["video_results"])
        if not item.get("clip2clip_score", True):
            value = "it has one clip: VBench-Long put 0 for what it could not compare"
        if film in values and values[film] != value:
            raise named(path, name, f"two values of {short(film)}: {values[film]} and {value}")
        values[film] = value
    why = "VBench-Long averages over clips" if len(lists) == 2 else None
    found = Found(dimension, values, why=_FUSED_WHY[which] if name in FUSED else why)
    if is_number(told):
        percent = dimension.item == "percent" and told > PERCENT_FROM
        found.told = float(told) / (dimension.divisor if percent else 1)
    elif told is not None:
        found.flags.append(f"the file's aggregate {short(told)} is no number")
    return found


def _all_small(found: Found) -> bool:
    numbers = [value for value in found.values.values() if isinstance(value, float)]
    return bool(numbers) and max(numbers) <= 1 / found.dimension.divisor
