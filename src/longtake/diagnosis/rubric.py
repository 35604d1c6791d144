"""The rubric as data: 40 checkpoints in 9 sub-metrics in 5 dimensions, and five report-level metrics."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from functools import cache
from importlib.resources import files
from math import isclose
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field, ValidationError

from ..briefs.decode import read_small_text
from ..briefs.reading import Reading
from ..briefs.tree import NotJson, parse_json, parse_yaml
from ..core.documents import DIMENSIONS, Dimension
from ..core.model import Record, Share
from ..errors import InputError

ATTRIBUTES = (
    "has_characters",
    "character_count",
    "has_dialogue",
    "has_held_objects",
    "has_animals",
    "scene_count",
    "has_scene_changes",
    "is_single_shot",
    "has_text_overlay",
    "has_special_effects",
    "is_live_action_style",
    "is_animation_style",
    "has_background_music",
    "has_camera_movement",
    "has_fast_motion",
    "has_slow_motion",
    "has_narration",
    "has_visible_speaker",
)
"""The 18 content attributes: sixteen of the released code, the last two ours."""

SOUND_TRACK = "has_sound_track"
"""A gate beside the attributes: whether the film has any sound track. Always known."""
SPEECH = "has_speech"
"""Another: whether somebody speaks, be it somebody in the picture or a narrator."""

SEES = "a judge that sees frames"
"""What any judge gives; none that longtake knows hears sound."""
HEARD_OR_SEEN = {
    "speech recognition": "speech",
    "speech recognition with word times": "speech",
    "speech activity": "speech",
    "music told from speech and noise": "sound",
    "speech and music levels told apart": "sound",
    "mouth landmarks": "faces",
    "faces that can be told apart": "faces",
    "shots grouped into scenes": "scenes",
}
"""What a full answer may take that a signal gives, and which."""
OF_A_BRIEF = (
    "a brief",
    "a brief with shots",
    "a brief with characters",
    "a brief with lines",
    "a brief with an asked-for length",
    "a brief whose shots name their scenes",
    "a brief whose shots name their characters",
)
"""What it may take of a brief."""

LEVELS = {"ordinal": 5, "binary": 2}
BY_ITEM = "user_requirement_consistency"
"""The report-level metric that asks wish by wish and has no levels."""
ID = re.compile(r"[a-z][a-z0-9_]{0,63}")
FIELDS = ("id", "version", "submetrics", "checkpoints", "report_metrics")
HINT = "docs/how-to/rubrics.md shows one; longtake's own is directorbench"
MOST_BYTES = 1 << 20


class Submetric(Record):
    """A group of checkpoints within a dimension."""

    id: str
    dimension: Dimension
    title: str


BriefPart = Literal["story", "shots", "characters", "consistency", "camera", "sound", "lines", "length"]
Tool = Literal["shots", "scenes", "cast", "transcript", "music", "sound", "lips", "text"]
View = Literal["shots", "joins", "people", "moments", "course", "ends", "none"]


Words = Annotated[str, Field(min_length=1, max_length=2000, pattern=r"\S")]


class Ask(Record):
    """What a judge is shown beside question and levels.

    ``frames`` says which pictures: of each shot, both sides of the joins, where people are seen best, short
    runs of pictures in a few places, evenly over the film, its beginning and end, or none. ``brief`` are
    parts of the brief, ``tools`` what signals found; ``must`` names, in the words of ``needs``, what there
    has to be of a brief, or what has to be heard, for the question to make sense.
    """

    frames: View = "shots"
    brief: tuple[BriefPart, ...] = ("story", "shots")
    tools: tuple[Tool, ...] = ()
    must: tuple[str, ...] = ()


class Checkpoint(Record):
    """One question. ``levels`` run from worst to best; ``gates`` are published, ``our_gates`` ours on top.

    ``alternatives`` name attributes that open a gate as well; ``needs`` is what a full answer would take
    beyond the light signals.
    """

    id: str
    submetric: str
    dimension: Dimension
    weight: Share
    gates: tuple[str, ...] = ()
    our_gates: tuple[str, ...] = ()
    alternatives: dict[str, list[str]] = Field({})
    scale: Literal["ordinal", "binary"]
    authority: Literal["measured", "judged"]
    needs: tuple[str, ...] = ()
    ask: Ask = Ask()
    question: Words
    levels: list[Words]

    def level(self, value: float) -> str:
        """The level text nearest to a value in [0, 1]."""
        return self.levels[int(value * (len(self.levels) - 1) + 0.5)]


class ReportMetricSpec(Record):
    """A report-level metric outside the 40. Without ``ask`` no judge is asked."""

    id: str
    dimension: Dimension
    question: Words
    needs: tuple[str, ...] = ()
    ask: Ask | None = None
    levels: list[Words] = Field([], max_length=9)


class Rubric(Record):
    """The whole rubric; ``hash`` is the SHA-256 of the data it was read from."""

    id: str = Field(min_length=1, max_length=200)
    version: int = Field(ge=0, le=1_000_000)
    hash: str
    submetrics: list[Submetric]
    checkpoints: list[Checkpoint] = Field(min_length=1)
    report_metrics: list[ReportMetricSpec]

    def checkpoint(self, name: str) -> Checkpoint:
        """The checkpoint of that id; ``KeyError`` if there is none."""
        return {c.id: c for c in self.checkpoints}[name]


def parse_rubric(text: str) -> Rubric:
    """Read and check a rubric; ``ValueError`` says what is wrong with it."""
    return _rubric(yaml.safe_load(text), text)


def _rubric(data: Any, text: str) -> Rubric:
    groups = data["submetrics"]
    for point in data["checkpoints"]:
        if (group := point.get("submetric")) not in groups:
            raise ValueError(f"{point.get('id')} is in the sub-metric {group!r}, which there is not")
    checkpoints = [{**c, "dimension": groups[c["submetric"]]["dimension"]} for c in data["checkpoints"]]
    rubric = Rubric(
        id=data["id"],
        version=data["version"],
        hash=hashlib.sha256(text.encode()).hexdigest(),
        submetrics=[Submetric(id=name, **fields) for name, fields in groups.items()],
        checkpoints=[Checkpoint.model_validate(c) for c in checkpoints],
        report_metrics=[ReportMetricSpec.model_validate(m) for m in data["report_metrics"]],
    )
    _check(rubric)
    return rubric


def _check(rubric: Rubric) -> None:
    ids = [c.id for c in rubric.checkpoints] + [m.id for m in rubric.report_metrics]
    if twice := [name for name, n in Counter(ids).items() if n > 1]:
        raise ValueError(f"ids used twice: {', '.join(twice)}")
    for group in rubric.submetrics:
        total = sum(c.weight for c in rubric.checkpoints if c.submetric == group.id)
        if not isclose(total, 1, abs_tol=1e-9):
            raise ValueError(f"weights of {group.id} sum to {total:g}, not 1")
    for point in rubric.checkpoints:
        if len(point.levels) != LEVELS[point.scale]:
            raise ValueError(f"{point.id} has {len(point.levels)} levels, not {LEVELS[point.scale]}")
        others = [name for names in point.alternatives.values() for name in names]
        for gate in [*point.gates, *point.our_gates, *others]:
            if gate not in (*ATTRIBUTES, SOUND_TRACK, SPEECH):
                raise ValueError(f"{point.id} is gated by {gate}, which is no content attribute")
    for spec in rubric.report_metrics:
        if (spec.levels or (spec.ask and spec.id != BY_ITEM)) and len(spec.levels) < 2:
            raise ValueError(f"{spec.id} has {len(spec.levels)} levels; a judge needs two or more")
    groups = [g.id for g in rubric.submetrics]
    if odd := [name for name in (*ids, *groups) if not ID.fullmatch(name)]:
        raise ValueError(f"{odd[0]!r} is no id: small letters, digits and _, 64 at most")
    taken = {*DIMENSIONS, *groups, "overall", "content_profile", "written_summary"}
    if shared := [name for name in ids if name in taken]:
        raise ValueError(f"{', '.join(shared)} is already the name of something else")
    asked: list[Checkpoint | ReportMetricSpec] = [*rubric.checkpoints, *rubric.report_metrics]
    for about in asked:
        for word in about.ask.must if about.ask else ():
            if word not in (*OF_A_BRIEF, *HEARD_OR_SEEN):
                known = ", ".join((*OF_A_BRIEF, *HEARD_OR_SEEN))
                raise ValueError(f"{about.id} must have {word!r}, which is none of: {known}")


@cache
def load_rubric() -> Rubric:
    """The rubric that ships with longtake."""
    return parse_rubric(_own())


def _own() -> str:
    return (files(__package__) / "data" / "rubric.yaml").read_text(encoding="utf-8")


def read_rubric(path: Path) -> Rubric:
    """A user's rubric: a whole one in the form of ours, or with ``extends: directorbench`` changes to ours.

    Changes name a sub-metric or checkpoint by its id; fields that they give take the place of ours, ids that
    ours has not are added, ``drop`` lists ids that are left out. Weights of each sub-metric have to sum to 1
    in the end. The hash is that of our rubric and of the file together.

    Raises:
        InputError: the file is missing, unreadable or wrong; the message names the place.
    """
    text = read_small_text(path, "rubric", MOST_BYTES)
    reading = Reading(path.name)
    try:
        data = (parse_json if path.suffix.lower() == ".json" else parse_yaml)(text, reading)
    except NotJson as error:
        raise InputError(f"the rubric {path} is not readable: {error}", hint="mend the file there") from error
    try:
        if not isinstance(data, dict):
            raise ValueError("it holds no named fields such as 'checkpoints'")
        _shaped(data)
        whole = text
        if "extends" in data:
            if data["extends"] != (own := yaml.safe_load(_own()))["id"]:
                raise ValueError(f"it extends {data['extends']!r}; there is {own['id']}")
            data, whole = _extended(own, data), f"{_own()}\n{text}"
        if missing := [name for name in FIELDS if name not in data]:
            raise ValueError(f"it has no {', '.join(missing)}")
        return _rubric(data, whole)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        at = f" ({first['input']!r})" if isinstance(first["input"], str | int | float) else ""
        raise InputError(f"the rubric {path} is wrong at {where}{at}: {first['msg']}", hint=HINT) from error
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise InputError(f"the rubric {path} is wrong: {error}", hint=HINT) from error


def _shaped(data: dict[str, Any]) -> None:
    """Refuse what has not the form of a rubric, before its parts are looked at."""
    groups = data.get("submetrics") or {}
    if not isinstance(groups, dict) or not all(isinstance(g, dict) for g in groups.values()):
        raise ValueError("submetrics is not a table of names, each with dimension and title")
    for kind in ("checkpoints", "report_metrics"):
        items = data.get(kind) or []
        if not isinstance(items, list) or not all(isinstance(i, dict) for i in items):
            raise ValueError(f"{kind} is not a list of entries with named fields")
        if nameless := [n for n, i in enumerate(items, 1) if not isinstance(i.get("id"), str)]:
            raise ValueError(f"{kind}: entry {nameless[0]} has no id")
    dropped = data.get("drop") or []
    if not isinstance(dropped, list) or not all(isinstance(name, str) for name in dropped):
        raise ValueError("drop is not a list of ids")


def _extended(own: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Our rubric with a user's changes."""
    if unknown := sorted(set(changes) - {"extends", "drop", *FIELDS}):
        raise ValueError(f"{', '.join(unknown)} is not known; there are {', '.join(('drop', *FIELDS))}")
    dropped = set(changes.get("drop") or ())
    known = {c["id"] for c in own["checkpoints"]} | {m["id"] for m in own["report_metrics"]}
    if strange := sorted(dropped - known):
        raise ValueError(f"drop names {', '.join(strange)}, which there is not")
    groups = {**own["submetrics"]}
    for name, fields in (changes.get("submetrics") or {}).items():
        groups[name] = {**groups.get(name, {}), **fields}
    made = {
        "id": changes.get("id", own["id"]),
        "version": changes.get("version", own["version"]),
        "submetrics": groups,
    }
    for kind in ("checkpoints", "report_metrics"):
        items = {item["id"]: item for item in own[kind] if item["id"] not in dropped}
        for item in changes.get(kind) or ():
            items[item["id"]] = {**items.get(item["id"], {}), **item}
        made[kind] = list(items.values())
    used = {c.get("submetric") for c in made["checkpoints"]}
    made["submetrics"] = {name: fields for name, fields in groups.items() if name in used}
    return made
