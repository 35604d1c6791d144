"""The report as one self-contained HTML file that asks the network for nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from longtake.errors import OutputError

from . import judged, reasons, words
from .advice import advice
from .content import content, who_of
from .data import ReportData, Thumbnail
from .view import Limits, axis_of, by_importance, view

MAX_BYTES = 10_000_000
PAGE_SHARE = 0.6  # lists are shortened before they leave less than the rest of the file to thumbnails
LEVELS = tuple(
    Limits(
        findings=findings,
        shots=shots,
        evidence=evidence,
        text=text,
        people=people,
        appearances=appearances,
        portraits=portraits,
        words=spoken,
        texts=texts,
    )
    for findings, shots, evidence, text, people, appearances, portraits, spoken, texts in (
        (5000, 5000, 20, 20_000, 100, 400, 240, 40_000, 2000),
        (2000, 2000, 8, 2000, 60, 150, 240, 25_000, 1000),
        (500, 500, 4, 500, 30, 60, 100, 8000, 300),
        (100, 100, 2, 200, 12, 20, 30, 2000, 100),
    )
)
MOST_PARTS = 20  # of a nested fact; longer ones are left to the JSON
NESTED = 2  # levels of nested facts that are shown
LONG_HEX = re.compile(r"(?<![0-9a-f])([0-9a-f]{12})[0-9a-f]{12,}")  # the JSON has the whole hash
HASH = re.compile(r"^[0-9a-f]{24,}$")
FRAME_OVERHEAD = 700  # bytes of markup around one thumbnail


def render(data: ReportData, max_bytes: int = MAX_BYTES) -> str:
    """The report as HTML text of at most ``max_bytes`` bytes of UTF-8.

    Long lists are shortened in steps, then thumbnails left out, most needed kept; the report says how many.
    """
    page = _environment()
    bare = ""
    limits = LEVELS[0]
    for limits in LEVELS:
        bare = _page(page, data, (), limits)
        if len(bare.encode()) <= max_bytes * PAGE_SHARE:
            break
    chosen = _that_fit(data.thumbnails, max_bytes - len(bare.encode()))
    return _page(page, data, chosen, limits)


def write(data: ReportData, path: Path, max_bytes: int = MAX_BYTES) -> None:
    """Write the report to ``path`` by rename, so that a half-written one is never seen."""
    text = render(data, max_bytes)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise OutputError(
            f"the report cannot be written to {path}: {error.strerror or error}",
            hint="free some space or choose another folder with --out",
        ) from error


def _that_fit(thumbnails: Sequence[Thumbnail], budget: int) -> list[Thumbnail]:
    kept: list[int] = []
    for i in by_importance(thumbnails):
        cost = 4 * (len(thumbnails[i].jpeg) + 2) // 3 + FRAME_OVERHEAD
        if cost <= budget:
            kept.append(i)
            budget -= cost
    return [thumbnails[i] for i in sorted(kept)]


def _page(env: Environment, data: ReportData, thumbnails: Sequence[Thumbnail], limits: Limits) -> str:
    script = _source(env, "report.js")
    return env.get_template("report.html.j2").render(
        **view(data, thumbnails, limits),
        **content(data, axis_of(data.document), limits),
        **advice(data.document, axis_of(data.document), limits),
        css=Markup(_source(env, "report.css")),
        js=Markup(script),
        js_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


def _source(env: Environment, name: str) -> str:
    assert env.loader is not None
    return env.loader.get_source(env, name)[0]


def _environment() -> Environment:
    env = Environment(
        loader=PackageLoader("longtake.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for name in (
        "clock",
        "share",
        "percent",
        "number",
        "words",
        "dimension",
        "profile",
        "undecoded",
        "sentence",
        "surely",
        "count",
    ):
        env.filters[name] = getattr(words, name)
    for name in ("reason", "overall_coverage", "further_needs", "metric_name"):
        env.filters[name] = getattr(reasons, name)
    env.filters["authority"] = judged.authority
    env.filters["draws"] = judged.draws
    env.filters["other_draws"] = judged.other_draws
    env.filters["ended"] = judged.status
    env.filters["confidence_parts"] = judged.parts
    env.filters["stands"] = judged.stands
    env.tests["disputed"] = judged.disputed
    env.tests["hash"] = lambda value: bool(HASH.match(str(value)))
    env.filters["plain"] = _cut
    env.filters["data_uri"] = _data_uri
    env.filters["json_text"] = json_text
    env.filters["facts"] = _facts
    env.globals.update(
        severities=words.SEVERITIES,
        film_facts=words.film_facts,
        scored_of=words.scored_of,
        tool="longtake",
        who_of=who_of,
    )
    return env


def _cut(text: object, limit: int = 500) -> str:
    clean = words.plain("" if text is None else text)
    return clean if len(clean) <= limit else clean[:limit] + "… (cut; the whole text is in the JSON)"


def _facts(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """Facts as pairs of text, what is nested as words too."""
    return [(words.words(k), _cut(_fact(v), 400)) for k, v in facts.items()]


def _fact(value: Any, depth: int = NESTED) -> str:
    """A fact as text: ``av 18.0, numpy 2.4`` for a mapping, a list with commas, long ones by their length."""
    if isinstance(value, Mapping):
        parts = [f"{words.plain(k).replace('_', ' ')} {_fact(v, depth - 1)}" for k, v in value.items()]
    elif isinstance(value, list | tuple):
        parts = [_fact(v, depth - 1) for v in value]
    else:
        text = words.number(value)
        return text if HASH.match(text) and depth == NESTED else LONG_HEX.sub(r"\1…", text)
    if len(parts) > MOST_PARTS or not depth:
        return f"{len(parts)} entries, all in the JSON"
    return ", ".join(parts) or "none"


def _data_uri(jpeg: bytes) -> str:
    return "data:image/jpeg;base64," + base64.b64encode(jpeg).decode("ascii")


def json_text(value: Any) -> Markup:
    """JSON that cannot end the element it stands in and has no character JavaScript reads as a line end."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False)
    for character in "<>&'":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)
