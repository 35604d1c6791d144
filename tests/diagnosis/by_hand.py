"""Films, signals and rules made by hand, for tests of the diagnosis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from longtake.core.brief import Brief
from longtake.core.documents import DiagnosisDocument, VideoEntry
from longtake.core.measurement import Evidence, Measurement
from longtake.core.signal import Signal, Signals
from longtake.diagnosis.assess import assess
from longtake.diagnosis.diagnose import gather, synthesise, wanted_ids
from longtake.diagnosis.facts import Facts
from longtake.diagnosis.profiles import load_profile
from longtake.diagnosis.rubric import load_rubric
from longtake.diagnosis.rules import Rule
from longtake.diagnosis.work import CROSS_MODAL, SPECIALISTS

RUBRIC = load_rubric()
Spoken = Callable[..., Facts]
"""The fixture ``spoken``: signals, an operator and its strength, and a brief give facts of a film."""


def film(**fields: Any) -> VideoEntry:
    known = {"path": "a.mp4", "hash": "0", "kind": "file", "duration": 20.0, "frames": 500, "audio": True}
    return VideoEntry.model_validate({**known, "width": 640, "height": 360, "fps": 25.0, **fields})


def shots(*lengths: float) -> Signal:
    edges = [sum(lengths[:i]) for i in range(len(lengths) + 1)]
    return Signal(
        "shots",
        1,
        columns={
            "index": list(range(len(lengths))),
            "start": edges[:-1],
            "end": edges[1:],
            "first_frame": [round(e * 25) for e in edges[:-1]],
            "last_frame": [round(e * 25) - 1 for e in edges[1:]],
        },
        facts={"source": "detected"},
    )


def signals(*more: Signal) -> Signals:
    known = [shots(10, 10), Signal("container", 1), *more]
    return Signals({s.name: s for s in known})


def rule(name: str, value: float | None = 0.25, **fields: Any) -> Rule:
    def answer(facts: Facts) -> Measurement:
        if value is None:
            return Measurement(name=name, status="unscored", reason="scene_unknown")
        seen = [Evidence(start=12, end=13, what="look here")]
        return Measurement(name=name, status="scored", value=value, evidence=seen)

    given = {"function": answer, "needs": ("shots",), "must": ("shots",), "clean": None, "separation": 0.8}
    return Rule(**{"checkpoint": name, **given, **fields})


def run(facts: Facts, rules: dict[str, Rule], profile: str = "neutral") -> DiagnosisDocument:
    wanted = wanted_ids(RUBRIC, None)
    found = [assess(d, facts, RUBRIC, wanted, rules, {}) for d in (*SPECIALISTS, *CROSS_MODAL)]
    return synthesise(facts, RUBRIC, load_profile(profile), found, {})


def everything(brief: Brief | None) -> Facts:
    """Faultless facts of all signals for 20 s in two shots."""
    seconds = [float(i) for i in range(20)]
    picture = ("luma", "warmth", "chroma_u", "chroma_v", "sharpness", "resolution", "noise", "blockiness")
    columns = {"time": seconds, **{k: [0.5] * 20 for k in picture}}
    joins = ("ssim", "hist_shift", "flow_before", "flow_after", "luma_shift", "luma_sd", "color_shift")
    cut = {"kind": ["cut"], "start": [10.0], "end": [10.0], "frame": [250], "confidence": [1.0]}
    cut |= {k: [0.0] for k in (*joins, "color_sd", "sound_jump_db", "sound_gap_s")}
    steps = [i / 4 for i in range(80)]
    given = signals(
        Signal("picture", 1, columns=columns),
        Signal("transitions", 1, columns=cut),
        Signal("motion", 1, columns={"time": steps, "camera_speed": [0.0] * 80, "object_speed": [0.0] * 80}),
        Signal("audio", 1, columns={"time": steps, "rms_db": [-20.0] * 80}, facts={"silent_share": 0.0}),
    )
    return gather(film(), given, brief)
