"""Rules: what light signals can honestly say of a checkpoint, each with its controls."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from ...core.documents import CleanRange
from .described import scene_order, scene_presence
from .duration import duration_completeness, pacing_structure
from .light import color_consistency, color_temperature, exposure_stability
from .lipsync import lip_sync_quality
from .motion import motion_continuity
from .people import char_face_consistency
from .places import background_consistency
from .quality import resolution_sharpness, temporal_degradation, visual_artifact_frequency
from .requirements import user_requirement_consistency
from .rule import Function, Rule
from .sound import audio_continuity, bgm_transition_smoothness, bgm_volume_balance
from .speech import speech_intelligibility, speech_timing, text_audio_consistency
from .transitions import transition_quality

UNTRIED = 0.5
"""Separation of a rule without controls: no better than a coin."""


@cache
def controls() -> dict[str, Any]:
    """What the controls found, as written by ``benchmarks/rule_controls.py``."""
    text = (files(__package__) / "clean.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)["rules"]
    return found


@cache
def trials() -> dict[str, Any]:
    """What every rule made of damage at several strengths: ``benchmarks/rule_sensitivity.py --write``."""
    text = (files(__package__) / "sensitivity.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)["rules"]
    return found


def _rule(function: Function, needs: tuple[str, ...], *, must: tuple[str, ...] | None = None) -> Rule:
    """A rule with what its controls found; all that it reads is a must unless ``must`` is given."""
    name = function.__name__
    found = controls().get(name, {})
    clean = CleanRange(**found["clean"]) if found.get("clean") else None
    separation = found.get("separation") or UNTRIED
    return Rule(name, function, needs, needs if must is None else must, clean, separation)


def _by_id(*rules: Rule) -> dict[str, Rule]:
    return {rule.checkpoint: rule for rule in rules}


RULES: dict[str, Rule] = _by_id(
    _rule(motion_continuity, ("motion", "picture"), must=("motion",)),
    _rule(exposure_stability, ("motion", "picture", "shots")),
    _rule(color_temperature, ("motion", "picture", "shots")),
    _rule(color_consistency, ("motion", "picture", "shots")),
    _rule(temporal_degradation, ("motion", "picture", "shots")),
    _rule(resolution_sharpness, ("picture",)),
    _rule(
        visual_artifact_frequency, ("transitions", "picture", "container"), must=("transitions", "picture")
    ),
    _rule(duration_completeness, ("container", "shots"), must=("container",)),
    _rule(pacing_structure, ("shots",)),
    _rule(audio_continuity, ("audio",)),
    _rule(bgm_transition_smoothness, ("audio", "transitions", "sound"), must=("audio", "transitions")),
    _rule(bgm_volume_balance, ("sound",)),
    _rule(lip_sync_quality, ("lipsync",)),
    _rule(char_face_consistency, ("faces", "scenes", "shots"), must=("faces",)),
    _rule(background_consistency, ("scenes", "shots")),
    _rule(scene_presence, ("text_picture", "shots")),
    _rule(scene_order, ("text_picture", "shots")),
    _rule(speech_timing, ("speech", "audio"), must=("speech",)),
    _rule(speech_intelligibility, ("speech",)),
)
"""Rules of checkpoints, by checkpoint id."""

REPORT_RULES: dict[str, Rule] = _by_id(
    _rule(transition_quality, ("transitions", "shots", "motion", "audio", "scenes"), must=("transitions",)),
    _rule(
        user_requirement_consistency,
        ("container", "shots", "motion", "audio", "text", "faces", "speech"),
        must=("container",),
    ),
    _rule(text_audio_consistency, ("speech",), must=()),
)
"""Rules of report-level metrics, by their id."""

__all__ = ["REPORT_RULES", "RULES", "Rule", "controls", "trials"]
