"""The rubric as data: 40 checkpoints in 9 sub-metrics in 5 dimensions, and five report-level metrics."""

from __future__ import annotations

import hashlib
from collections import Counter
from functools import cache
from importlib.resources import files
from math import isclose
from typing import Literal

import yaml
from pydantic import Field

from ..core.documents import Dimension
from ..core.model import Record, Share

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

LEVELS = {"ordinal": 5, "binary": 2}


class Submetric(Record):
    """A group of checkpoints within a dimension."""

    id: str
    dimension: Dimension
    title: str


BriefPart = Literal["story", "shots", "characters", "consistency", "camera", "sound", "lines", "length"]
Tool = Literal["shots", "scenes", "cast", "transcript", "music", "sound", "lips", "text"]
View = Literal["shots", "joins", "people", "moments", "course", "ends", "none"]


class Ask(Record):
    """What a judge is shown beside question and levels.

    ``frames`` says which pictures: of each shot, both sides of the joins, where people are seen best, short
    runs of pictures in a few places, evenly over the film, its beginning and end, or none. ``brief`` are
    parts of the brief, ``tools`` what signals found; ``must`` names, in the words of ``needs``, what there
    has to be of a brief for the question to make sense.
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
    question: str
    levels: list[str]

    def level(self, value: float) -> str:
        """The level text nearest to a value in [0, 1]."""
        return self.levels[int(value * (len(self.levels) - 1) + 0.5)]


class ReportMetricSpec(Record):
    """A report-level metric outside the 40. Without ``ask`` no judge is asked."""

    id: str
    dimension: Dimension
    question: str
    needs: tuple[str, ...] = ()
    ask: Ask | None = None
    levels: list[str] = []


class Rubric(Record):
    """The whole rubric; ``hash`` is the SHA-256 of the data it was read from."""

    id: str
    version: int
    hash: str
    submetrics: list[Submetric]
    checkpoints: list[Checkpoint] = Field(min_length=1)
    report_metrics: list[ReportMetricSpec]

    def checkpoint(self, name: str) -> Checkpoint:
        """The checkpoint of that id; ``KeyError`` if there is none."""
        return {c.id: c for c in self.checkpoints}[name]


def parse_rubric(text: str) -> Rubric:
    """Read and check a rubric; ``ValueError`` says what is wrong with it."""
    data = yaml.safe_load(text)
    groups = data["submetrics"]
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


@cache
def load_rubric() -> Rubric:
    """The rubric that ships with longtake."""
    return parse_rubric((files(__package__) / "data" / "rubric.yaml").read_text(encoding="utf-8"))
