"""Rules: what light signals can honestly say of a checkpoint, each with its controls."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from ...core.documents import CleanRange
from .duration import duration_completeness, pacing_structure
from .light import color_consistency, color_temperature, exposure_stability
from .motion import motion_continuity
from .quality import resolution_sharpness, temporal_degradation, visual_artifact_frequency
from .requirements import user_requirement_consistency
from .rule import Rule
from .sound import audio_continuity, bgm_transition_smoothness
from .transitions import transition_quality

UNTRIED = 0.5
"""Separation of a rule without controls: no better than a coin."""


@cache
def controls() -> dict[str, Any]:
    """What the controls found, as written by ``benchmarks/rule_controls.py``."""
    text = (files(__package__) / "clean.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)["rules"]
    return found


def _rules(*given: tuple[Any, tuple[str, ...]]) -> dict[str, Rule]:
    rules = {}
    for function, needs in given:
        name = function.__name__
        found = controls().get(name, {})
        clean = CleanRange(**found["clean"]) if found.get("clean") else None
        rules[name] = Rule(name, function, needs, clean, found.get("separation") or UNTRIED)
    return rules


RULES: dict[str, Rule] = _rules(
    (motion_continuity, ("motion",)),
    (exposure_stability, ("motion", "picture")),
    (color_temperature, ("picture",)),
    (color_consistency, ("picture",)),
    (temporal_degradation, ("picture",)),
    (resolution_sharpness, ("picture",)),
    (visual_artifact_frequency, ("transitions", "picture")),
    (duration_completeness, ("container",)),
    (pacing_structure, ("shots",)),
    (audio_continuity, ("audio",)),
    (bgm_transition_smoothness, ("audio", "transitions")),
)
"""Rules of checkpoints, by checkpoint id."""

REPORT_RULES: dict[str, Rule] = _rules(
    (transition_quality, ("transitions",)),
    (user_requirement_consistency, ("container", "shots")),
)
"""Rules of report-level metrics, by their id."""

__all__ = ["REPORT_RULES", "RULES", "Rule", "controls"]
