"""An embedder on a film: which frames it is shown, what short clips do, and what is kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import films
from longtake.core.embedding import Sampling, Shape
from longtake.core.tools import ModelUsed
from longtake.execution.film_embedder import FilmEmbedding, moments
from longtake.execution.footage import FilmFootage
from longtake.media.open import open_video
from longtake.media.planes import bgr_of
from longtake.models import embedders
from longtake.models.embedders.base import Comparing
from longtake.models.weights import load
from longtake.storage.cache import Cache

FRAMES = 8
CLIP = "1_shots/ax_sample.avi"


class Colours(Comparing):
    """A clip's vector is the mean colour of each of its frames, in order: it says what was shown."""

    name, kind, stands_for, licence = "colours", "model", "", ""
    shape = Shape(3 * FRAMES, 1, FRAMES, tokens=4)

    def __init__(self) -> None:
        self.asked = 0

    def clips(self, clips: Sequence[Sequence[Any]]) -> Any:
        self.asked += len(clips)
        assert {len(clip) for clip in clips} == {FRAMES}
        return np.array([np.concatenate([p.mean(axis=(0, 1)) + 1 for p in c]) for c in clips], np.float32)

    def pictures(self, pictures: Sequence[Any]) -> Any:
        self.asked += len(pictures)
        return self.clips([[picture] * FRAMES for picture in pictures])

    def texts(self, texts: Sequence[str]) -> Any:
        self.asked += len(texts)
        return np.array([[len(text) + 1.0] * self.shape.dimension for text in texts], np.float32)

    def tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


def bound(path: Path, model: Any, cache: Path, digest: str = "one") -> FilmEmbedding:
    film = open_video(path)
    times = decoded(path)[0]
    footage = FilmFootage(film, times)
    return FilmEmbedding(model, ModelUsed(role="video-text", label=digest), film.hash, footage, Cache(cache))


def decoded(path: Path) -> tuple[Any, list[Any]]:
    """Times and pictures of all frames, one after the other by PyAV."""
    with av.open(str(path)) as container:
        shown = [(float(f.time or 0), bgr_of(f, f.width, 0)) for f in container.decode(video=0)]
    return np.array([time for time, _ in shown]), [picture for _, picture in shown]


def expected(pictures: Sequence[Any]) -> Any:
    found = Colours().clips([pictures])[0]
    return found / np.linalg.norm(found)


def short(path: Path, frames: int) -> Path:
    ramp = (np.full((72, 128, 3), 20 + 25 * i % 230, np.uint8) for i in range(frames))
    films.write(path, ramp)
    return path


@given(st.integers(8, 400))
def test_stride_is_what_the_released_code_reads(n: int) -> None:
    times = np.arange(n) / 25
    frames = [float(t) for t in times]
    assert moments(times, (0.0, n / 25), FRAMES, "stride") == frames[:: n // FRAMES][:FRAMES]


@given(st.integers(1, 400), st.integers(1, 16), st.sampled_from(["centre", "stride"]))
def test_moments_are_frames_of_the_span_in_order(n: int, wanted: int, sampling: Sampling) -> None:
    times = np.arange(n) / 25
    found = moments(times, (0.2, 9.0), wanted, sampling)
    inside = [t for t in times if 0.2 <= t < 9.0]
    assert len(found) == min(wanted, len(inside))
    assert sorted(set(found)) == found
    assert set(found) <= set(inside)


def test_centre_takes_the_middle_of_equal_parts_to_the_end() -> None:
    times = np.arange(80) / 10
    assert np.allclose(moments(times, (0, 8), FRAMES, "centre"), np.arange(8) + 0.5)
    late = np.arange(95) / 10  # 95 // 8 = 11: the stride ends at 77 of 94, the middles at 89
    assert moments(late, (0, 9.5), FRAMES, "stride")[-1] == pytest.approx(7.7)
    assert moments(late, (0, 9.5), FRAMES, "centre")[-1] == pytest.approx(8.9)


def test_the_frames_of_a_real_clip_are_those_of_the_released_code(media: Path, tmp_path: Path) -> None:
    path = media / CLIP
    times, pictures = decoded(path)
    found = bound(path, Colours(), tmp_path).clips([(0.0, 1e6), (2.0, 3.0)], "stride")
    whole = pictures[:: len(pictures) // FRAMES][:FRAMES]
    part = [p for t, p in zip(times, pictures, strict=True) if 2.0 <= t < 3.0]
    assert found.frames == (FRAMES, FRAMES)
    assert np.abs(found.vectors[0] - expected(whole)).max() < 1e-6
    assert np.abs(found.vectors[1] - expected(part[:: len(part) // FRAMES][:FRAMES])).max() < 1e-6
    centre = bound(path, Colours(), tmp_path).clips([(0.0, 1e6)])
    assert np.abs(centre.vectors[0] - expected(whole)).max() > 1e-4


@pytest.mark.parametrize("frames", [1, 3, 7, 8])
@pytest.mark.parametrize("sampling", ["centre", "stride"])
def test_short_clips_repeat_their_last_frame(frames: int, sampling: Sampling, tmp_path: Path) -> None:
    path = short(tmp_path / "short.mp4", frames)
    _, pictures = decoded(path)
    found = bound(path, Colours(), tmp_path / "cache").clips([(0.0, 9.0), (8.0, 9.0), (0.5, 0.2)], sampling)
    assert found.frames == (frames, 0, 0)
    padded = pictures + pictures[-1:] * (FRAMES - frames)
    assert np.abs(found.vectors[0] - expected(padded)).max() < 1e-6
    assert np.isnan(found.vectors[1:]).all()


def test_single_pictures_are_those_shown_at_the_time(tmp_path: Path) -> None:
    path = short(tmp_path / "short.mp4", 40)
    times, pictures = decoded(path)
    wanted = [times[30] + 0.01, times[2], times[2], times[39] + 5.0, *times[5:25]]
    found = bound(path, Colours(), tmp_path / "cache").pictures(wanted)
    for row, index in zip(found, [30, 2, 2, 39, *range(5, 25)], strict=True):
        assert np.abs(row - expected([pictures[index]] * FRAMES)).max() < 1e-6


def test_what_was_made_is_kept_by_content(tmp_path: Path) -> None:
    path, model = short(tmp_path / "film.mp4", 30), Colours()
    first = bound(path, model, tmp_path / "cache")
    spans = [(0.0, 0.5), (0.5, 1.2), (0.0, 1.2)]
    made = (first.clips(spans), first.pictures([0.1]), first.texts(["a b", "c"], "cut"))
    asked = model.asked
    again = bound(path, model, tmp_path / "cache")
    kept = (again.clips(spans), again.pictures([0.1]), again.texts(["a b", "c"], "cut"))
    assert model.asked == asked
    assert np.array_equal(made[0].vectors, kept[0].vectors)
    assert np.array_equal(made[1], kept[1])
    assert (made[2].tokens, made[2].dropped) == (kept[2].tokens, kept[2].dropped) == ((2, 1), (0, 0))
    again.clips(spans, "stride")
    bound(path, model, tmp_path / "cache", digest="two").clips(spans)
    assert model.asked == asked + 2 * len(spans)


def test_a_batch_is_the_same_as_one_by_one_with_a_real_model(
    weights_root: Path, media: Path, tmp_path: Path
) -> None:
    kind = embedders.SUBJECT["mobilenet-v2"]
    given = load(kind.entries, weights_root, 1)
    model = embedders.MobileNet(*(given[e] for e in kind.entries))
    spans = [(0.0, 1.0), (1.0, 1.2), (2.0, 3.0)]
    film = bound(media / CLIP, model, tmp_path)
    together = film.clips(spans).vectors
    alone = np.concatenate([film.clips([span]).vectors for span in spans])
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    assert np.abs(together - alone).max() < 1e-5
