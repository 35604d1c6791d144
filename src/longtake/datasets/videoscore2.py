"""Result files of VideoScore2 (TIGER-AI-Lab/VideoScore2): a list of films with three scores and the reply."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..core.cells import short
from ..core.imports import LeftOut
from .found import Contents, Dimension, Found, dimensions, film_name, is_number, named, read_json

HARD, SOFT = "videoscore2", "videoscore2-soft"
APART = 0.5
"""Points by which a soft score may lie from the score of its reply before that is counted."""
SOFT_FLAG = (
    "soft scores: the likeliest score times its probability, no expectation; a sure 3 is above a less sure 4"
)
FILM = "video_name"


def read(path: Path) -> Contents:
    """What a result file holds: ``videoscore2:DIMENSION`` where all scores are whole numbers, else
    ``videoscore2-soft:DIMENSION``.

    Raises:
        InputError: it is no such file, or a film stands there twice.
    """
    data = read_json(path)
    if not isinstance(data, list) or not data:
        raise named(path, "top", "no list of films", "give a file of eval/res_data as VideoScore2 writes it")
    known = dimensions("videoscore2")
    for i, item in enumerate(data, 1):
        if not isinstance(item, dict) or not isinstance(item.get(FILM), str):
            raise named(path, f"item {i}", f"no film with {FILM}")
        if absent := [d.key for d in known.values() if d.key not in item]:
            raise named(path, f"item {i}", f"no {', '.join(absent)}")
    films = [film_name(path, f"item {i}", item[FILM]) for i, item in enumerate(data, 1)]
    if double := next((film for film, n in Counter(films).items() if n > 1), None):
        raise named(path, short(double), "the film stands there twice")
    numbers = [item[d.key] for item in data for d in known.values() if is_number(item[d.key])]
    soft = any(number != int(number) for number in numbers)
    contents = Contents()
    for name, dimension in known.items():
        if soft:
            dimension = replace(dimension, low=0.0)  # the likeliest score times its probability
        values = [_value(dimension, item, soft) for item in data]
        found = Found(dimension, dict(zip(films, values, strict=True)))
        if soft:
            found.flags.append(SOFT_FLAG)
            if apart := sum(_apart(dimension, item) for item in data):
                found.flags.append(
                    f"{apart} of {len(data)} lie more than {APART} from the score of their reply"
                )
        contents.found[f"{SOFT if soft else HARD}:{name}"] = found
    if rest := sorted({key for item in data for key in item if key.endswith("_gt")}):
        contents.left_out.append(
            LeftOut(what=", ".join(rest), why="ratings of people; give them to meta with --cases")
        )
    return contents


def _value(dimension: Dimension, item: dict[str, Any], soft: bool) -> float | str:
    given = item[dimension.key]
    if given is None:
        return "no score could be read in the reply"
    said = _said(dimension, item)
    if not soft and said is not None and is_number(given) and said != given:
        return f"the file has {given:g}, and the reply says {said:g}"
    return dimension.value(given)


def _apart(dimension: Dimension, item: dict[str, Any]) -> bool:
    said, given = _said(dimension, item), item[dimension.key]
    return said is not None and is_number(given) and abs(said - given) > APART


def _said(dimension: Dimension, item: dict[str, Any]) -> float | None:
    """The score at the end of the reply; ``None`` where there is no reply, or it says none."""
    reply = item.get("output")
    if not isinstance(reply, str):
        return None
    found = re.findall(rf"{re.escape(dimension.said)}:\s*(\d+)\s*$", reply, re.I | re.M)
    return float(found[-1]) if found else None
