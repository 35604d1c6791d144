"""Operators on clips, on films that can be read back: which clip is shown, and which heard, when."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest

from longtake.core.brief import Brief
from longtake.core.video import Video
from longtake.errors import InputError
from longtake.media.open import open_video
from longtake.media.write import FilmWriter
from longtake.meta.perturbations import ChangeRecord, FilmFacts, facts_of, perturb
from longtake.meta.perturbations.base import Clip, PoolSegment

CLIPS, FRAMES, FPS, RATE = 12, 12, 10, 8000
W, H = 96, 64
STEP, OTHER = 18, 9
"""Grey levels from clip to clip, and by which another film is brighter."""
LENGTH = FRAMES / FPS


def level(clip: int) -> int:
    return 24 + STEP * clip


def pitch(clip: int, above: int = 0) -> float:
    return 400.0 + 100 * clip + above


def write(path: Path, order: list[int], above: int = 0) -> Video:
    """A film of clips: grey level and pitch tell the clip, the place of a dark bar the frame in it."""
    with FilmWriter(path, W, H, FPS, sample_rate=RATE, gop=FRAMES) as out:
        for clip in order:
            for frame in range(FRAMES):
                bgr = np.full((H, W, 3), level(clip) + above, np.uint8)
                bgr[:16, 8 * frame : 8 * frame + 8] = 5
                out.picture(bgr)
            at = np.arange(round(LENGTH * RATE)) / RATE
            out.sound((0.4 * np.sin(2 * np.pi * pitch(clip, above) * at)).astype(np.float32)[None])
    return open_video(path)


@pytest.fixture
def film(tmp_path: Path) -> tuple[Video, FilmFacts]:
    video = write(tmp_path / "film.mp4", list(range(CLIPS)))
    clips = tuple(Clip(i * LENGTH, (i + 1) * LENGTH, "A dog runs to the left.") for i in range(CLIPS))
    return video, replace(facts_of(video), clips=clips)


@pytest.fixture
def other(tmp_path: Path) -> Video:
    return write(tmp_path / "other.mp4", list(range(CLIPS)), above=OTHER)


def frames(path: Path | str) -> list[tuple[float, int]]:
    """Of each frame: the level of its middle, and where its bar is (the frame's number in its clip)."""
    with av.open(str(path)) as container:
        luma = [f.to_ndarray(format="yuv420p")[:H].astype(float) for f in container.decode(video=0)]
    bars = [int(np.argmin(y[:16].mean(axis=0).reshape(-1, 8).mean(axis=1))) for y in luma]
    return [(float(y[24:].mean() - 16) * 255 / 219, bar) for y, bar in zip(luma, bars, strict=True)]


def played(path: Path | str, above: int = 0) -> list[int | None]:
    """The clip that each frame is of; ``None`` where it is of none of this film."""
    found: list[int | None] = []
    for value, _ in frames(path):
        clip = round((value - level(0) - above) / STEP)
        found.append(clip if abs(value - level(clip) - above) < OTHER / 2 else None)
    return found


def heard(path: Path | str, above: int = 0) -> list[int | None]:
    """The clip whose pitch is heard in the middle of each clip's length."""
    with av.open(str(path)) as container:
        sound = np.concatenate([f.to_ndarray() for f in container.decode(audio=0)], axis=1)[0]
    each = round(LENGTH * RATE)
    found: list[int | None] = []
    for start in range(0, len(sound) - each // 2, each):
        part = sound[start + each // 4 : start + 3 * each // 4]
        peak = np.argmax(np.abs(np.fft.rfft(part * np.hanning(len(part))))) * RATE / len(part)
        clip = round((peak - 400 - above) / 100)
        found.append(clip if np.abs(part).max() > 0.1 and abs(peak - pitch(clip, above)) < 4 else None)
    return found


def per_clip(shown: list[int | None]) -> list[int | None]:
    """One number per clip, all of whose frames must be the same."""
    parts = [set(shown[i : i + FRAMES]) for i in range(0, len(shown), FRAMES)]
    assert all(len(p) == 1 for p in parts)
    return [p.pop() for p in parts]


def run(
    film: tuple[Video, FilmFacts], operator: str, strength: float | str, tmp_path: Path, **more: object
) -> ChangeRecord:
    video, facts = film
    given = replace(facts, **more)  # type: ignore[arg-type]
    return perturb(video, operator, strength, 3, tmp_path / "a.mp4", control=tmp_path / "b.mp4", film=given)


def test_the_film_can_be_read_back(film: tuple[Video, FilmFacts]) -> None:
    assert per_clip(played(film[0].path)) == list(range(CLIPS))
    assert heard(film[0].path) == list(range(CLIPS))
    assert [at for _, at in frames(film[0].path)] == list(range(FRAMES)) * CLIPS


@pytest.mark.parametrize(("operator", "strength"), [("shuffle", 0.4), ("shuffle", 0.8), ("temporal_flow", 5)])
def test_clips_change_places_with_their_sound(
    operator: str, strength: float, film: tuple[Video, FilmFacts], tmp_path: Path
) -> None:
    record = run(film, operator, strength, tmp_path)
    shown = per_clip(played(record.output))
    assert sorted(shown) == list(range(CLIPS))
    assert heard(record.output) == shown
    assert [at for _, at in frames(record.output)] == list(range(FRAMES)) * CLIPS
    chosen = [int(n) for n in str(record.facts["clips"]).split(",")]
    assert [i for i, n in enumerate(shown) if n != i] == chosen
    assert str(record.facts["in_their_place"]) == ",".join(str(shown[i]) for i in chosen)
    for change in record.changed:
        assert change.source is not None
        assert change.output is not None
        source, output = (round(s.start / LENGTH) for s in (change.source, change.output))
        assert shown[output] == source
    assert per_clip(played(tmp_path / "b.mp4")) == heard(tmp_path / "b.mp4") == list(range(CLIPS))
    assert record.duration_out == pytest.approx(record.duration_in)


@pytest.mark.parametrize("count", [1, 5])
def test_missing_clips_are_missing(count: int, film: tuple[Video, FilmFacts], tmp_path: Path) -> None:
    record = run(film, "comprehensiveness", count, tmp_path)
    gone = [int(n) for n in str(record.facts["clips"]).split(",")]
    left = [i for i in range(CLIPS) if i not in gone]
    assert len(gone) == count
    assert per_clip(played(record.output)) == left
    assert heard(record.output) == left
    assert record.duration_out == pytest.approx(record.duration_in - count * LENGTH, abs=1e-6)
    assert all(c.output is None for c in record.changed)


def test_replaced_blocks_are_of_the_other_film_with_its_sound(
    film: tuple[Video, FilmFacts], other: Video, tmp_path: Path
) -> None:
    vectors = np.eye(CLIPS, dtype=np.float32)
    turned = [CLIPS - 1 - i for i in range(CLIPS)]  # the likest segment of block i is number 11 - i
    pool = tuple(PoolSegment(other, n * LENGTH, (n + 1) * LENGTH, vectors[turned[n]]) for n in range(CLIPS))
    record = run(film, "replace", 4, tmp_path, vectors=vectors, pool=pool)
    chosen = [int(n) for n in str(record.facts["clips"]).split(",")]
    assert len(chosen) == 4
    own, foreign = per_clip(played(record.output)), per_clip(played(record.output, above=OTHER))
    for i in range(CLIPS):
        assert (own[i], foreign[i]) == ((None, turned[i]) if i in chosen else (i, None))
    assert heard(record.output, above=OTHER) == [turned[i] if i in chosen else None for i in range(CLIPS)]
    assert record.facts["mean_cosine"] == 1


def test_frozen_clips_hold_their_first_frame_and_sound_on(
    film: tuple[Video, FilmFacts], tmp_path: Path
) -> None:
    record = run(film, "frozen", 1, tmp_path)
    assert [at for _, at in frames(record.output)] == [0] * FRAMES * CLIPS
    assert per_clip(played(record.output)) == heard(record.output) == list(range(CLIPS))


def test_clips_without_dynamics_hold_their_middle_frame(
    film: tuple[Video, FilmFacts], tmp_path: Path
) -> None:
    record = run(film, "dynamics_degree", "strong", tmp_path)
    chosen = [int(n) for n in str(record.facts["clips"]).split(",")]
    at = [at for _, at in frames(record.output)]
    for i in range(CLIPS):
        own = at[i * FRAMES : (i + 1) * FRAMES]
        assert own == ([FRAMES // 2] * FRAMES if i in chosen else list(range(FRAMES)))
    assert [a for _, a in frames(tmp_path / "b.mp4")] == list(range(FRAMES)) * CLIPS


def test_mirrored_clips_run_the_other_way(film: tuple[Video, FilmFacts], tmp_path: Path) -> None:
    record = run(film, "spatial_relationship", 3, tmp_path)
    chosen = [int(n) for n in str(record.facts["clips"]).split(",")]
    at = [at for _, at in frames(record.output)]
    for i in range(CLIPS):
        forward = list(range(FRAMES))
        assert at[i * FRAMES : (i + 1) * FRAMES] == (forward[::-1] if i in chosen else forward)


def test_another_brief_leaves_picture_and_sound(film: tuple[Video, FilmFacts], tmp_path: Path) -> None:
    own, other = Brief(instruction="A ship sails."), Brief(instruction="A ship sinks.")
    record = run(film, "unrelated_brief", 1, tmp_path, brief=own, other_brief=other)
    assert record.brief is not None
    assert Brief.model_validate_json(Path(record.brief).read_bytes()).instruction == "A ship sinks."
    assert per_clip(played(record.output)) == heard(record.output) == list(range(CLIPS))
    assert record.changed == []


def test_a_film_without_a_brief_has_none_to_replace(film: tuple[Video, FilmFacts], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="only one side"):
        run(film, "unrelated_brief", 1, tmp_path, other_brief=Brief(instruction="A ship sinks."))


def test_encoded_again_is_the_same_to_the_eye(film: tuple[Video, FilmFacts], tmp_path: Path) -> None:
    record = run(film, "reencoded", 3, tmp_path)
    pairs = zip(frames(record.output), frames(film[0].path), strict=True)
    assert max(abs(a - b) for (a, _), (b, _) in pairs) < 3
    assert all(change.aspects == [] for change in record.changed)
    assert record.encoded


@pytest.mark.parametrize(
    ("edges", "cutaway"),
    [
        ([0.0, 7.2, 14.4], 3.0),  # in the middle of long clips
        ([0.0, 2.4, 4.8, 7.2, 9.6, 12.0, 14.4], 2.4),  # short clips give way whole
    ],
)
def test_cutaways_show_the_other_film_without_slivers_and_keep_the_sound(
    edges: list[float], cutaway: float, film: tuple[Video, FilmFacts], other: Video, tmp_path: Path
) -> None:
    clips = tuple(Clip(a, b) for a, b in pairwise(edges))
    record = run(film, "clean_cut", 1, tmp_path, other=other, clips=clips)
    foreign = [n is not None for n in played(record.output, above=OTHER)]
    span = record.changed[0].output
    assert span is not None
    assert span.end - span.start == pytest.approx(cutaway)
    assert np.flatnonzero(foreign)[[0, -1]] / FPS == pytest.approx([span.start, span.end - 1 / FPS], abs=0.06)
    assert sum(foreign) == round(cutaway * FPS)
    for edge in edges:
        away = [abs(edge - t) for t in (span.start, span.end)]
        assert all(t < 1e-6 or t >= 1 for t in away)
    assert heard(record.output) == list(range(CLIPS))
    assert record.spared
    assert all(change.aspects == [] for change in record.changed)


@pytest.mark.parametrize("strength", [0.5, 1])
def test_another_films_sound(
    strength: float, film: tuple[Video, FilmFacts], other: Video, tmp_path: Path
) -> None:
    record = run(film, "other_sound", strength, tmp_path, other=other)
    assert per_clip(played(record.output)) == list(range(CLIPS))
    foreign = heard(record.output, above=OTHER)
    count = sum(n is not None for n in foreign)
    if strength == 1:
        assert foreign == list(range(CLIPS))
    else:
        assert 4 <= count <= 6  # the edges of the stretch lie in a clip
    assert heard(tmp_path / "b.mp4") == list(range(CLIPS))


def test_removed_sound_is_silent(film: tuple[Video, FilmFacts], tmp_path: Path) -> None:
    record = run(film, "sound_removed", 1, tmp_path)
    assert heard(record.output) == [None] * CLIPS
    assert per_clip(played(record.output)) == heard(tmp_path / "b.mp4") == list(range(CLIPS))
