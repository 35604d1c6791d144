"""A made-up diagnosis with every status in it, for looking at reports and for testing them."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import cv2
import numpy as np

from longtake.content import content_of
from longtake.core.documents import DiagnosisDocument, Shot
from longtake.core.signal import Event, Signal, Signals, TraceEntry
from longtake.report.data import Lane, Portrait, ReportData, Thumbnail, lane_of

CUTS = [0.0, 1.16, 2.96, 5.4, 7.4, 9.6, 12.0]
HOSTILE = (
    "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>\"'{{7*7}} "
    "\u202egnp.exe\u202c \u2028🎬 שלום"
)

CHECKPOINTS: list[tuple[str, str, str, float, str]] = [
    (
        "motion_continuity",
        "temporal_coherence",
        "visual",
        0.15,
        "Do movements carry on inside a shot without jumps?",
    ),
    (
        "char_face_consistency",
        "temporal_coherence",
        "visual",
        0.2,
        "Does each named person keep the same face?",
    ),
    (
        "background_consistency",
        "temporal_coherence",
        "visual",
        0.15,
        "Does one place look like one place each time?",
    ),
    (
        "exposure_stability",
        "lighting_consistency",
        "visual",
        0.2,
        "Is brightness free of pumping and flicker?",
    ),
    ("color_temperature", "lighting_consistency", "visual", 0.25, "Does white balance hold within a scene?"),
    (
        "pacing_structure",
        "script_reasonableness",
        "script",
        0.2,
        "Is time shared over setup, conflict, ending?",
    ),
    ("dialogue_naturalness", "script_reasonableness", "script", 0.15, "Would people say these lines?"),
    ("premise_originality", "script_novelty", "script", 0.35, "How fresh is the idea as carried out?"),
    ("bgm_tempo_pacing", "bgm_consistency", "audio", 0.25, "Does tempo fit the cutting and action?"),
    ("bgm_mood_match", "bgm_consistency", "audio", 0.3, "Does the music fit the mood of each scene?"),
    ("speech_timing", "narration_reasonableness", "audio", 0.3, "Are lines placed and paced well?"),
    ("visual_artifacts", "generation_stability", "stability", 0.25, "Is the picture free of visible damage?"),
    ("temporal_stability", "generation_stability", "stability", 0.25, "Do still things stay still?"),
    (
        "resolution_clarity",
        "generation_stability",
        "stability",
        0.2,
        "Is fine detail there and does it stay?",
    ),
    ("audio_visual_timing", "video_audio", "cross_modal", 0.3, "Do sounds and events fall together?"),
    ("scene_presence", "text_video", "cross_modal", 0.3, "Are the asked-for scenes there?"),
]
VALUES = {
    "motion_continuity": 0.31,
    "exposure_stability": 0.92,
    "color_temperature": 0.66,
    "pacing_structure": 0.58,
    "visual_artifacts": 0.74,
    "temporal_stability": 0.97,
    "resolution_clarity": 0.49,
    "scene_presence": 0.8,
}
NOT_APPLICABLE = ("dialogue_naturalness", "speech_timing", "bgm_tempo_pacing", "bgm_mood_match")


def _checkpoint(row: tuple[str, str, str, float, str], text: str) -> dict[str, Any]:
    name, submetric, dimension, weight, question = row
    value = VALUES.get(name)
    out: dict[str, Any] = {
        "id": name,
        "submetric": submetric,
        "dimension": dimension,
        "question": question,
        "weight": weight,
        "status": "scored" if value is not None else "unscored",
        "value": value,
        "reason": None if value is not None else "no_judge",
        "confidence": None if value is None else 0.55 if dimension == "script" else 0.82,
        "authority": "judged" if dimension in ("script", "cross_modal") else "measured",
        "method": None if value is None else "rule",
        "needs": [] if value is not None else ["a judge that sees frames"],
    }
    if name in NOT_APPLICABLE:
        out |= {"status": "not_applicable", "reason": "the film has no sound track", "needs": []}
    if name == "char_face_consistency":
        out |= {
            "reason": "gate_unknown: has_characters needs face or person detection",
            "needs": ["face or person detection", "faces followed across shots"],
        }
    if name == "motion_continuity":
        out["evidence"] = [
            {"start": 3.4, "end": 3.6, "what": "the same frame is repeated 5 times while the camera moves"},
            {"start": 8.0, "end": 8.04, "what": "the picture jumps by 14 % of its width inside a shot"},
        ]
        out["clean_range"] = {"low": 0.88, "median": 0.97, "high": 1.0, "n": 24, "clips": "clean real clips"}
        out["facts"] = {"jumps": 1, "repeated_share": 0.042, "longest_freeze_s": 0.2, "note": text}
        out["anchor"] = "Movement breaks more than once and one notices it at first sight."
    if name == "exposure_stability":
        out["clean_range"] = {"low": 0.71, "median": 0.93, "high": 1.0, "n": 24, "clips": "clean real clips"}
    if name == "scene_presence":
        out |= {"low_confidence": True}
        out["other"] = {"method": "judge", "value": 0.5, "confidence": 0.6, "agrees": False}
    return out


def _score(value: float | None, scored: int, active: int, covered: float, **more: Any) -> dict[str, Any]:
    return {
        "value": value,
        "status": "scored" if value is not None else "unscored",
        "n_scored": scored,
        "n_active": active,
        "covered_weight": covered,
        **more,
    }


def document(
    text: str = "", path: str = "../clips/the long way home.mp4", findings: int = 5
) -> DiagnosisDocument:
    """A diagnosis of 12 seconds in six shots. ``text`` is put into every field that comes from files."""
    shots = [
        {"index": i, "start": a, "end": b, "first_frame": round(a * 25), "last_frame": round(b * 25) - 1}
        for i, (a, b) in enumerate(pairwise(CUTS))
    ]
    seen = [
        (
            "jump",
            "problem",
            8.0,
            8.04,
            "The picture jumps by 14 % of its width inside a shot",
            "motion_continuity",
            4,
        ),
        (
            "freeze",
            "warning",
            3.4,
            3.6,
            "Five repeated frames while the camera moves",
            "motion_continuity",
            2,
        ),
        ("soft", "warning", 5.4, 7.4, "Much softer than its neighbours", "resolution_clarity", 3),
        ("missing_shot", "problem", 10.5, 12.0, "Planned shot 5 (“Home again”) was not found", None, None),
        ("black", "info", 0.0, 0.2, f"The film begins with 5 black frames {text}", None, 0),
    ]
    listed = [
        dict(zip(("kind", "severity", "start", "end", "what", "checkpoint", "shot"), row, strict=True))
        | {"id": f"f{i}"}
        for i, row in enumerate(seen[i % 5] for i in range(findings))
    ]
    for i, finding in enumerate(listed[5:]):
        finding["start"] = finding["end"] = round((i * 0.37) % 12, 2)
    checkpoints = [_checkpoint(row, text) for row in CHECKPOINTS]
    submetrics = []
    for name in dict.fromkeys(c["submetric"] for c in checkpoints):
        mine = [c for c in checkpoints if c["submetric"] == name]
        values = [c["value"] for c in mine if c["value"] is not None]
        submetrics.append(
            {
                "id": name,
                "dimension": mine[0]["dimension"],
                "value": sum(values) / len(values) if values else None,
                "status": "scored" if values else "unscored",
                "reason": None if values else "nothing in it could be scored",
                "confidence": 0.7 if values else None,
                "n_scored": len(values),
                "n_active": len([c for c in mine if c["status"] != "not_applicable"]),
            }
        )
    plan = ["A town wakes up", "Two people on bicycles", "The climb", "Rest at the top", "Home again"]
    planned = [
        {
            "index": i,
            "start": i * 2.4,
            "end": (i + 1) * 2.4,
            "text": f"{what} {text}",
            "id": f"s{i + 1}",
            "measured": [i] if i < 4 else [],
            "measured_start": CUTS[i] if i < 4 else None,
            "measured_end": CUTS[i + 1] if i < 4 else None,
        }
        for i, what in enumerate(plan)
    ]
    return DiagnosisDocument.model_validate(
        {
            "video": {
                "path": path,
                "hash": "3f" * 32,
                "kind": "file",
                "duration": 12.0,
                "frames": 300,
                "width": 1280,
                "height": 720,
                "fps": 25.0,
                "audio": False,
                "decode_errors": 2,
                "problems": [
                    {"code": "decode_errors", "message": f"Two frames near 0:04 could not be read. {text}"}
                ],
            },
            "brief": {
                "source": "directorbench",
                "title": f"The long way home {text}".strip(),
                "instruction": f"Two friends ride home over the hill. Calm, early light, no words.\n{text}",
                "duration": 12.0,
                "shots": planned,
                "notes": [
                    {"path": f"shots[3].lens {text}", "message": "not understood, kept", "level": "info"}
                ],
            },
            "profile": {"id": "visual-heavy", "title": "The picture above all", "note": text},
            "dimensions": {
                "script": _score(0.58, 1, 2, 0.31, partial=True, grade="C", confidence=0.55),
                "visual": _score(0.63, 3, 5, 0.64, grade="C", confidence=0.8),
                "audio": _score(None, 0, 0, 0.0) | {"status": "not_applicable", "reason": "no_audio"},
                "cross_modal": _score(None, 1, 2, 0.3, reason="low_coverage"),
                "stability": _score(0.76, 3, 3, 1.0, grade="B", confidence=0.85),
            },
            "overall": _score(0.46, 8, 12, 0.78, grade="D", confidence=0.7),
            "overall_without_penalty": _score(0.66, 8, 12, 0.78, grade="C"),
            "by_profile": {
                "neutral": 0.65,
                "story-first": None,
                "visual-heavy": 0.46,
                "creative-dreamer": 0.64,
            },
            "constraints": [
                {"id": "complex_camera_movements", "status": "unverified", "checkpoints": []},
                {
                    "id": "beautiful_lighting",
                    "status": "violated",
                    "checkpoints": ["exposure_stability", "color_temperature"],
                    "value": 0.3,
                },
            ],
            "coverage": {"scored": 8, "active": 12, "registered": 40},
            "submetrics": submetrics,
            "checkpoints": checkpoints,
            "report_metrics": [
                {
                    "id": "transition_quality",
                    "dimension": "visual",
                    "status": "unscored",
                    "value": None,
                    "reason": "scene_unknown",
                    "facts": {"joins": 5, "released_formula": 0.31},
                },
                {
                    "id": "user_requirement_consistency",
                    "dimension": "cross_modal",
                    "status": "scored",
                    "value": 0.8,
                    "reason": None,
                    "confidence": 0.7,
                    "evidence": [{"start": 10.5, "end": 12.0, "what": f"the fifth shot is missing {text}"}],
                },
            ],
            "attributes": [
                {"id": "is_single_shot", "value": False, "source": "shots"},
                {"id": "scene_count", "value": 3, "source": "shots"},
                {"id": "has_characters", "value": None, "reason": "no signal for this yet"},
                {"id": "has_background_music", "value": False, "source": "audio"},
            ],
            "bottlenecks": ["motion_continuity", "resolution_clarity", "pacing_structure"],
            "findings": listed,
            "shots": shots,
            "transitions": [
                {
                    "kind": "dissolve" if i == 3 else "cut",
                    "frame": round(t * 25),
                    "start": t - 0.4 if i == 3 else t,
                    "end": t + 0.4 if i == 3 else t,
                    "confidence": 0.97,
                }
                for i, t in enumerate(CUTS[1:-1], start=1)
            ],
            "trace": [
                {"tool": "shots", "status": "ok", "seconds": 0.42, "version": "1", "params": {"width": 160}},
                {"tool": "audio", "status": "skipped", "reason": "no sound track"},
                {
                    "tool": "brisque",
                    "status": "failed",
                    "reason": f"weights are absent {text}",
                    "seconds": 0.01,
                },
            ],
            "rubric": {
                "id": "directorbench",
                "version": 1,
                "hash": "ab12" * 16,
                "checkpoints": [{"id": c, "question": q} for c, _, _, _, q in CHECKPOINTS],
            },
            "run": {
                "arguments": ["diagnose", path],
                "versions": {"av": "18.0"},
                "brief": "sha256:" + "cd" * 32,
                "seconds": 3.2,
                "note": text,
            },
            "summary": [
                "The ride stays bright and steady, but movement breaks twice: at 0:03.4 and at 0:08.0.",
                "The fifth planned shot is not in the film. Whether the story works was not judged.",
            ],
        }
    )


def jpeg(index: int, width: int = 240, noise: int = 0) -> bytes:
    """A small picture of a hill under a sky, one colour per index; ``noise`` makes the file larger."""
    height = width * 9 // 16
    image = np.empty((height, width, 3), np.uint8)
    sky = np.linspace(0, 1, height)[:, None] * np.array([80, 60, 20]) + np.array(
        [120, 90, 60 + 25 * (index % 6)]
    )
    image[:] = np.clip(sky, 0, 255).astype(np.uint8)[:, None, :]
    hill = [
        (int(x), int(height * (0.65 + 0.15 * math.sin(x / width * 4 + index))))
        for x in range(0, width + 1, 4)
    ]
    cv2.fillPoly(image, [np.array([*hill, (width, height), (0, height)])], (40, 70 + 12 * (index % 5), 50))
    if noise:
        spots = np.random.default_rng(index).integers(-noise, noise, image.shape)
        image = np.clip(image.astype(int) + spots, 0, 255).astype(np.uint8)
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 70])[1])


def lanes() -> list[Lane]:
    """Two curves over twelve seconds, one with a gap."""
    times = [i / 10 for i in range(120)]
    motion = [0.05 + 0.1 * abs(math.sin(t * 1.3)) for t in times]
    bright = [None if 4 < t < 5 else 110 + 30 * math.sin(t) for t in times]
    return [
        lane_of("Camera speed", "widths/s", times, motion, 0, 0.2),
        lane_of("Brightness", "", times, bright, 0, 255),
    ]


def data(**changes: Any) -> ReportData:
    """A whole report of the sample; ``changes`` replace fields of ``ReportData``."""
    doc = changes.pop("document", None) or document()
    thumbnails = [Thumbnail(s.index, s.start, jpeg(s.index)) for s in doc.shots]
    thumbnails.append(Thumbnail(2, 4.2, jpeg(8)))
    fields: dict[str, Any] = {
        "thumbnails": thumbnails,
        "lanes": lanes(),
        "film": "../clips/the long way home.mp4",
    }
    return ReportData(document=doc, **(fields | changes))


SPOKEN = "We will be home before dark, if the weather holds. It will not hold, it never does up here."


def seen(text: str = "", shots: int = 6, duration: float = 12.0) -> dict[str, Any]:
    """Made-up signals as the heavy ones give them; ``text`` is put into every word that comes from a film."""
    step = duration / shots
    tracks = [(i, (i % 3) if i % 4 != 3 else -1) for i in range(shots)]
    faces = {
        "person": np.array([p for _, p in tracks]),
        "shot": np.array([i for i, _ in tracks]),
        "start": np.array([i * step + 0.1 for i, _ in tracks]),
        "end": np.array([i * step + step * 0.8 for i, _ in tracks]),
        "time": np.array([i * step + step / 2 for i, _ in tracks]),
        "x": np.full(shots, 0.4, np.float32),
        "y": np.full(shots, 0.2, np.float32),
        "width": np.full(shots, 0.2, np.float32),
        "height": np.full(shots, 0.4, np.float32),
        "score": np.full(shots, 0.9, np.float32),
        "sure": np.array([0.95 - 0.12 * (i % 5) for i, _ in tracks], np.float32),
    }
    heard = [f"{w}{text}" for w in SPOKEN.split()]
    each = duration / (len(heard) + 2)
    speech = {
        "word": np.array(heard),
        "start": np.array([0.5 + i * each for i in range(len(heard))]),
        "end": np.array([0.5 + (i + 0.8) * each for i in range(len(heard))]),
        "confidence": np.array([0.3 if i == 7 else 0.9 for i in range(len(heard))], np.float32),
        "segment": np.array([int(i >= 10) for i in range(len(heard))]),
    }
    written = {
        "text": np.array([f"HOTEL BELVEDERE{text}", f"THE END{text}", f"lll0{text}"]),
        "start": np.array([2.0, duration - 2, 5.0]),
        "end": np.array([4.0, duration, 5.0]),
        "sure": np.array([True, True, False]),
        "confidence": np.array([0.97, 0.95, 0.55], np.float32),
        "stability": np.array([1.0, 0.4, np.nan], np.float32),
        **{c: np.array([0.1, 0.2, 0.3], np.float32) for c in ("x", "y", "width", "height")},
    }
    pairs = [(a, b) for b in range(shots) for a in range(b)]
    alike = [0.3 + 0.6 * (a % 3 == b % 3) + 0.05 * math.sin(a * 7 + b) for a, b in pairs]
    scenes = {
        "a": np.array([a for a, _ in pairs], np.int64),
        "b": np.array([b for _, b in pairs], np.int64),
        "likeness": np.array(alike, np.float32),
        "same_scene": np.array([min(v + 0.08, 1.0) if v > 0.8 else np.nan for v in alike], np.float32),
    }
    things = {
        "time": np.array([1.0, 2.0, 2.0]),
        "label": np.array(["person", "person", f"dog{text}"]),
        "confidence": np.array([0.8, 0.9, 0.7], np.float32),
    }
    return {
        "faces": Signal("faces", 1, columns=faces),
        "speech": Signal(
            "speech",
            1,
            columns=speech,
            events=[Event("untold", duration - 0.8, duration - 0.2, what=f"two voices at once{text}")],
            facts={"language": "en", "language_confidence": 0.93, "words_per_minute": 142.0},
        ),
        "text": Signal("text", 1, columns=written),
        "sound": Signal("sound", 1, events=[Event("music", 6.0, 9.5, 0.7)]),
        "scenes": Signal(
            "scenes",
            1,
            columns=scenes,
            events=[Event("scene", 0.0, duration / 2, 0), Event("scene", duration / 2, duration, 1)],
        ),
        "objects": Signal("objects", 1, columns=things),
        "lipsync": Signal(
            "lipsync",
            1,
            columns={
                "start": np.array([0.5, 6.0]),
                "end": np.array([5.5, 9.0]),
                "person": np.array([0, -1]),
                "lag": np.array([0.32, np.nan]),
                "margin": np.array([5.1, 0.4], np.float32),
                "sure": np.array([True, False]),
            },
            facts={"lag": 0.32, "in_sync": False, "sure": True},
        ),
    }


def with_content(doc: DiagnosisDocument, said: str = "", **signals: Signal) -> DiagnosisDocument:
    """The diagnosis with what was seen and heard; ``signals`` take the place of the made-up ones."""
    shots, duration = max(len(doc.shots), 1), doc.video.duration
    made = seen(said, shots, duration) | signals
    trace = [
        TraceEntry(tool="faces", status="ok", model=f"centerface 1.5.0 sha256:{'ab' * 8}"),
        TraceEntry(tool="speech", status="ok", model=f"whisper-base 1.0.0 sha256:{'cd' * 8}"),
    ]
    return doc.model_copy(update=content_of(Signals(made, trace)))


def portraits(doc: DiagnosisDocument) -> list[Portrait]:
    """A picture for every track but each fifth."""
    return [
        Portrait(a.track, a.time or a.start, jpeg(a.track, 96))
        for m in doc.cast
        for a in m.appearances
        if a.track % 5 != 4
    ]


def long_document(shots: int, seconds: float = 2.0) -> DiagnosisDocument:
    """The sample stretched to ``shots`` shots of ``seconds``."""
    doc = document()
    listed = [
        Shot(
            index=i,
            start=i * seconds,
            end=(i + 1) * seconds,
            first_frame=round(i * seconds * 25),
            last_frame=round((i + 1) * seconds * 25) - 1,
        )
        for i in range(shots)
    ]
    video = doc.video.model_copy(update={"duration": shots * seconds, "frames": round(shots * seconds * 25)})
    return doc.model_copy(update={"shots": listed, "video": video, "transitions": [], "brief": None})
