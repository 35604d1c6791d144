"""One film through one operator: what it is given, and what is never overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest

from longtake.briefs.read import read_brief
from longtake.core.video import Video
from longtake.errors import InputError, OutputError, UsageError
from longtake.media.open import open_video
from longtake.meta.perturbations import get
from longtake.perturbing.given import BLOCK_FRAMES, Given, film_facts, given_by
from longtake.perturbing.one import perturb_film
from longtake.storage.cache import Cache
from square_films import FPS, brief, film


@pytest.fixture
def video(tmp_path: Path) -> Video:
    return open_video(film(tmp_path / "film.mp4", 12))


@pytest.fixture
def given(tmp_path: Path) -> Given:
    return Given(brief=read_brief(brief(tmp_path / "film.json", 12)))


def run(video: Video, operator: str, given: Given, folder: Path, **more: Path) -> object:
    out, control = more.get("out", folder / "a.mp4"), more.get("control", folder / "b.mp4")
    return perturb_film(video, operator, "medium", 1, out, control, given, sheet=more.get("sheet"))


def test_a_film_gives_a_copy_a_control_and_a_sheet(video: Video, given: Given, tmp_path: Path) -> None:
    record = perturb_film(
        *(video, "aesthetics", "medium", 1, tmp_path / "made" / "a.mp4", tmp_path / "made" / "b.mp4", given),
        sheet=tmp_path / "s.png",
    )
    assert (record.operator, record.level, record.source) == ("aesthetics", "medium", video.hash)
    assert {p.name for p in (tmp_path / "made").iterdir()} == {"a.mp4", "b.mp4"}
    assert (tmp_path / "s.png").is_file()


@pytest.mark.parametrize("taken", ["out", "control"])
def test_the_film_is_never_overwritten_by_whatever_name(
    taken: str, video: Video, given: Given, tmp_path: Path
) -> None:
    before = (tmp_path / "film.mp4").read_bytes()
    (tmp_path / "link.mp4").symlink_to(tmp_path / "film.mp4")
    for name in ("film.mp4", "link.mp4"):
        with pytest.raises(InputError, match="take the place"):
            run(video, "aesthetics", given, tmp_path, **{taken: tmp_path / name})
    assert (tmp_path / "film.mp4").read_bytes() == before


def test_a_sheet_that_cannot_be_named_so_is_refused_before_any_work(
    video: Video, given: Given, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="sheet"):
        run(video, "aesthetics", given, tmp_path, sheet=tmp_path / "s.gif")
    assert not (tmp_path / "a.mp4").exists()


def test_a_folder_that_cannot_be_written_is_told_before_any_work(
    video: Video, given: Given, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError):
        run(video, "aesthetics", given, tmp_path, control=tmp_path / "file" / "b.mp4")
    assert not (tmp_path / "a.mp4").exists()


@pytest.mark.parametrize(
    ("operator", "lacks"),
    [("spatial_relationship", "brief"), ("replace", "other films"), ("clean_cut", "another film")],
)
def test_what_only_the_user_can_give_is_asked_for(operator: str, lacks: str, video: Video) -> None:
    with pytest.raises(InputError, match=lacks) as error:
        film_facts(video, get(operator), Given(), Cache())
    assert "--" in (error.value.hint or "")


def test_clips_are_the_briefs_or_blocks_by_family_and_by_wish(
    video: Video, given: Given, tmp_path: Path
) -> None:
    def clips(operator: str, given: Given, of: Video = video) -> list[tuple[float, float, str]]:
        facts = film_facts(of, get(operator), given, Cache())
        return [(c.start, c.end, c.text) for c in facts.clips]

    own = [(float(i), i + 1.0, f"a white square moves right, number {i}") for i in range(12)]
    assert clips("aesthetics", given) == own
    assert clips("shuffle", given) == [(0, 12, "")]  # one block of 10 s, and a rest shorter than half
    assert clips("shuffle", Given(block=4.0)) == [(0, 4, ""), (4, 8, ""), (8, 12, "")]
    assert clips("shuffle", given_by(brief=given.brief, unit="brief")) == own
    assert clips("aesthetics", Given(brief=given.brief, unit="block", block=6.0)) == [(0, 6, ""), (6, 12, "")]
    longer = open_video(film(tmp_path / "longer.mp4", 4, frames=40))
    frames = BLOCK_FRAMES / FPS
    assert clips("synthesis", Given(), longer) == [(0, frames, ""), (frames, 16, "")]
    assert clips("shuffle", Given(), longer) == [(0, 10, ""), (10, 16, "")]
    assert clips("noise", given) == []


def test_a_pool_is_cut_into_segments_as_long_as_a_clip_and_never_is_the_film(
    weights: Path, video: Video, tmp_path: Path
) -> None:
    film(tmp_path / "pool" / "other.mp4", 7)
    (tmp_path / "pool" / "readme.txt").write_text("no film")
    given = given_by(pool=[tmp_path / "pool"], unit="block", block=2.0)
    assert [p.name for p in given.pool] == ["other"]
    facts = film_facts(video, get("replace"), given, Cache())
    assert [(s.start, s.end) for s in facts.pool] == [(0, 2), (2, 4), (4, 6)]  # the last second is left over
    assert facts.vectors is not None
    assert facts.vectors.shape[0] == len(facts.clips) == 6
    for segment in facts.pool:
        assert segment.vector is not None
        assert float(segment.vector @ segment.vector) == pytest.approx(1, abs=1e-5)


def test_text_is_looked_for_where_it_is_needed_and_nobody_is_refused_for_want_of_it(
    video: Video, given: Given
) -> None:
    # Without weights nobody can read: that is told as not known, and mirroring goes on.
    assert film_facts(video, get("spatial_relationship"), given, Cache()).written is None


def test_text_that_is_not_there_is_told_as_none(weights: Path, video: Video, given: Given) -> None:
    assert film_facts(video, get("spatial_relationship"), given, Cache()).written == ()
    assert film_facts(video, get("aesthetics"), given, Cache()).written is None


def test_an_unknown_unit_or_model_is_no_guess(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unit"):
        given_by(unit="scene")
    with pytest.raises(UsageError, match="editor"):
        given_by(editor="nobody")
    with pytest.raises(InputError):
        given_by(pool=[tmp_path / "nowhere.mp4"])
