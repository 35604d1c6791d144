"""Models that are absent, damaged or crash cost the signals that need them, and nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from longtake.cli.app import app
from longtake.execution.measure import measure
from longtake.media.open import open_video
from longtake.media.write import FilmWriter
from longtake.models import catalog
from longtake.signals.face_observer import FacesObserver
from longtake.signals.observer import Arrays
from longtake.storage.cache import Cache

SECONDS, FPS, RATE = 3, 8, 16_000


@pytest.fixture
def short_film(tmp_path: Path) -> Path:
    """Three seconds of moving noise with a tone."""
    path = tmp_path / "short.mp4"
    noise = np.random.default_rng(3).integers(0, 255, (24, 40, 3), np.uint8)
    big = np.kron(noise, np.ones((8, 8, 1), np.uint8))
    with FilmWriter(path, 160, 90, FPS, sample_rate=RATE) as film:
        for i in range(SECONDS * FPS):
            film.picture(np.ascontiguousarray(big[i : i + 90, i : i + 160]))
            film.sound(np.sin(np.arange(RATE // FPS) * 0.2, dtype=np.float32)[None] * 0.2)
    return path


@pytest.fixture
def own_weights(weights_root: Path, tmp_path: Path) -> Path:
    """A cache whose entries of weights can be changed: folders of links to the pulled files."""
    root = tmp_path / "own"
    for entry in (weights_root / "models").iterdir():
        folder = root / "models" / entry.name
        folder.mkdir(parents=True)
        for file in entry.iterdir():
            (folder / file.name).symlink_to(file)
    return root


def replace(path: Path, content: bytes) -> None:
    path.unlink()
    path.write_bytes(content)


def test_without_weights_a_signal_is_skipped_and_the_command_is_named(
    short_film: Path, tmp_path: Path
) -> None:
    found = measure(open_video(short_film), ["faces", "motion"], cache=Cache(tmp_path / "bare"), workers=1)
    assert found.signals["faces"].status == "skipped"
    assert "longtake models pull" in (found.signals["faces"].reason or "")
    assert found.signals["motion"].usable
    assert {e.tool: e.status for e in found.signals.trace}["faces"] == "skipped"


@pytest.mark.parametrize("cut", [True, False])
def test_weights_that_are_cut_off_or_changed_are_not_used(
    short_film: Path, own_weights: Path, cut: bool
) -> None:
    (file,) = (own_weights / "models").glob("centerface-*/centerface.onnx")
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    replace(file, bytes(content[: len(content) // 2] if cut else content))
    found = measure(open_video(short_film), ["faces", "text"], cache=Cache(own_weights), workers=1)
    assert found.signals["faces"].status == "skipped"
    assert "longtake models pull centerface" in (found.signals["faces"].reason or "")
    assert found.signals["text"].usable


def test_a_smaller_model_that_stands_in_is_a_fallback_and_said(short_film: Path, own_weights: Path) -> None:
    if catalog.installed("whisper-tiny.en", own_weights) is None:
        pytest.skip("whisper-tiny.en is not pulled")
    (file,) = (own_weights / "models").glob("whisper-base-*/model.bin")
    replace(file, file.read_bytes()[:1000])
    found = measure(open_video(short_film), ["speech"], cache=Cache(own_weights), workers=1)
    assert found.signals["speech"].status == "fallback"
    assert "whisper-tiny.en stands in for whisper-base" in (found.signals["speech"].reason or "")


def test_weights_that_come_later_are_used_then(short_film: Path, own_weights: Path, tmp_path: Path) -> None:
    video, cache = open_video(short_film), Cache(tmp_path / "late")
    assert not measure(video, ["embeddings"], cache=cache, workers=1).signals["embeddings"].usable
    (cache.root / "models").symlink_to(own_weights / "models", target_is_directory=True)
    later = measure(video, ["embeddings"], cache=cache, workers=1).signals
    assert len(later["embeddings"])
    (entry,) = [e for e in later.trace if e.tool == "embeddings"]
    assert "mobilenet-v2" in (entry.model or "")
    assert "sha256:" in (entry.model or "")


def test_a_signal_that_crashes_is_failed_alone_and_tried_again(
    short_film: Path, own_weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    video, cache = open_video(short_film), Cache(own_weights)

    def crash(self: FacesObserver, window: object) -> None:
        raise ValueError("a picture that nobody thought of")

    with monkeypatch.context() as broken:
        broken.setattr(FacesObserver, "see", crash)
        found = measure(video, ["faces", "text", "motion"], cache=cache, workers=1).signals
        assert found["faces"].status == "failed"
        assert "nobody thought of" in (found["faces"].reason or "")
        assert found["text"].usable
        assert found["motion"].usable
    again = measure(video, ["faces", "text", "motion"], cache=cache, workers=1).signals
    assert again["faces"].usable
    (entry,) = [e for e in again.trace if e.tool == "one pass"]
    assert entry.params["decoded"] == 1


def test_a_sample_observer_that_crashes_is_failed_alone(
    short_film: Path, own_weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from longtake.signals.objects import ObjectObserver

    def crash(self: ObjectObserver) -> Arrays:
        raise ValueError("no such luck")

    monkeypatch.setattr(ObjectObserver, "flush", crash)
    found = measure(
        open_video(short_film), ["objects", "embeddings"], cache=Cache(own_weights), workers=1
    ).signals
    assert found["objects"].status == "failed"
    assert found["embeddings"].usable


def test_all_signals_are_the_same_with_one_worker_and_with_two(
    short_film: Path, own_weights: Path, tmp_path: Path
) -> None:
    from longtake.signals.registry import ORDER

    both = []
    for workers in (1, 2):
        root = tmp_path / f"w{workers}"
        root.mkdir()
        (root / "models").symlink_to(own_weights / "models", target_is_directory=True)
        both.append(measure(open_video(short_film), ORDER, cache=Cache(root), workers=workers).signals)
    for name in ORDER:
        one, two = (signals[name] for signals in both)
        assert one.status == two.status, name
        assert one.rows() == two.rows(), name
        assert dict(one.facts) == dict(two.facts), name


def test_damaged_weights_are_named_by_verify(own_weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (file,) = (own_weights / "models").glob("minilm-*/tokenizer.json")
    replace(file, file.read_bytes()[:-1] + b" ")
    monkeypatch.setenv("LONGTAKE_CACHE", str(own_weights))
    result = CliRunner().invoke(app, ["models", "verify", "--json"])
    assert '"damaged"' in result.stdout


def test_lost_pictures_are_kept_again_before_samples_are_looked_at(
    short_film: Path, own_weights: Path
) -> None:
    video, cache = open_video(short_film), Cache(own_weights)
    measure(video, ["frames"], cache=cache, workers=1)
    (entry,) = (cache.root / "frames").rglob("*.npz")
    entry.write_bytes(entry.read_bytes()[:200])
    found = measure(video, ["embeddings"], cache=cache, workers=1).signals["embeddings"]
    assert len(found) == found.facts["frames"] > 0
