"""Rows are a function of the film, not of how it is cut into chunks and runs."""

from __future__ import annotations

import pickle
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import films
from longtake.core.video import Video
from longtake.media.open import open_video
from longtake.signals import onepass
from longtake.signals.onepass import Chunk, plan_chunks, run_pass
from longtake.signals.registry import merge, with_needs

NAMES = ["transitions"]


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """13 s: cuts, a dissolve over a chunk border, a flash, a fade; few keyframes, B-frames."""
    a, b = films.drifting(1, 80), films.drifting(2, 90, speed=3)
    c, d = films.drifting(3, 75), films.drifting(4, 80, speed=0.3)
    pictures = a[:60] + films.mixed(a[60:], b[:20]) + b[20:] + c + d
    pictures[200] = np.full_like(pictures[200], 250)
    path = tmp_path_factory.mktemp("onepass") / "film.mp4"
    options = (("crf", "20"), ("g", "60"), ("bf", "3"), ("preset", "veryfast"))
    films.write(path, iter(pictures), films.Encoding(fps=24, options=options))
    return path


def measured(video: Video, runs: list[list[Chunk]]) -> dict[str, np.ndarray]:
    got: dict[int, dict[str, np.ndarray]] = {}
    for run in runs:
        run_pass(
            video, with_needs(NAMES), run, lambda c, rows, _: got.__setitem__(c.index, rows), sound=False
        )
    return dict(merge([got[i] for i in sorted(got)]))


def assert_same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)
        assert one[name].dtype == other[name].dtype


@pytest.mark.parametrize("seconds", [1, 3, 5])
def test_any_split_gives_the_same_rows(film: Path, seconds: int) -> None:
    video = open_video(film)
    whole = measured(video, [[Chunk(0, Fraction(0), None)]])
    assert len(whole["container.time"]) == 305
    assert len(whole["suspects.time"]) >= 3
    assert len(whole["dissolves.start"]) >= 1
    chunks = plan_chunks(video, Fraction(305, 24), seconds)
    assert len(chunks) == -(-305 // 24 // seconds)
    assert_same(measured(video, [chunks]), whole)
    assert_same(measured(video, [[c] for c in chunks]), whole)
    assert_same(measured(video, [chunks[: len(chunks) // 2], chunks[len(chunks) // 2 :]]), whole)


def test_clips_read_as_one_stream(film: Path, tmp_path: Path) -> None:
    paths = []
    for i, n in enumerate((30, 41)):
        path = tmp_path / f"clip{i}.mp4"
        films.write(path, iter(films.drifting(10 + i, n)), films.Encoding(fps=25))
        paths.append(path)
    video = open_video([*paths, film])
    whole = measured(video, [[Chunk(0, Fraction(0), None)]])
    assert list(np.flatnonzero(np.diff(whole["container.part"].astype(int))) + 1) == [30, 71]
    joins = whole["container.time"][[30, 71]]
    assert set(joins) <= set(whole["suspects.time"])
    chunks = [Chunk(0, Fraction(0), Fraction(2)), Chunk(1, Fraction(2), None)]
    assert_same(measured(video, [[c] for c in chunks]), whole)


def test_bounds_hide_what_lies_outside(film: Path) -> None:
    video = open_video(film, start=Fraction(2), end=Fraction(5))
    rows = measured(video, [[c] for c in plan_chunks(video, Fraction(305, 24), 1)])
    assert rows["container.time"][0] == 2.0
    assert rows["container.time"][-1] == pytest.approx(5 - 1 / 24)
    assert len(rows["container.time"]) == 72
    assert rows["shots.score"][0] == 0.0


def test_chunks_lie_on_a_fixed_grid() -> None:
    video = Video("file", ())
    chunks = plan_chunks(video, Fraction(150))
    assert [(c.start, c.end) for c in chunks] == [(0, 60), (60, 120), (120, None)]
    part = Video("file", (), start=Fraction(70), end=Fraction(130))
    assert [(c.start, c.end) for c in plan_chunks(part, Fraction(150))] == [(70, 120), (120, 130)]
    assert [(c.start, c.end) for c in plan_chunks(video, None)] == [(0, None)]
    assert pickle.loads(pickle.dumps(chunks)) == chunks


def test_few_pictures_are_held(film: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rings = []

    class Watched(onepass._Run):
        def take(self, picture, report) -> None:  # type: ignore[no-untyped-def]
            super().take(picture, report)
            rings.append(len(self._ring))

    monkeypatch.setattr(onepass, "_Run", Watched)
    run_pass(open_video(film), with_needs(NAMES), [Chunk(0, Fraction(0), None)], lambda *_: None, sound=False)
    assert max(rings) <= 8


def test_errors_of_a_chunk_are_its_own(film: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.mp4"
    data = bytearray(film.read_bytes())
    for at in range(len(data) // 2, len(data) // 2 + 4000):
        data[at] ^= 0x5A
    damaged.write_bytes(data)
    video = open_video(damaged)
    chunks = plan_chunks(video, Fraction(305, 24), 2)

    def counted(runs: list[list[Chunk]]) -> dict[int, int]:
        found: dict[int, int] = {}
        for run in runs:
            run_pass(
                video,
                with_needs(["shots"]),
                run,
                lambda c, _, r: found.__setitem__(c.index, r.frames),
                sound=False,
            )
        return found

    assert counted([chunks]) == counted([[c] for c in chunks])
