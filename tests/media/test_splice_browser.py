"""A partly encoded film in Chromium: seeks around its joins and plays over one as the source does."""

import itertools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from media_films import FPS
from splice_films import FRAMES, Kind, Spliced, edited, make, touched

import chromium
from longtake.media.splice_plan import Piece, encoded_runs

FLAGS = ("--autoplay-policy=no-user-gesture-required", "--allow-file-access-from-files")
pytestmark = chromium.NEEDED
PAGE = """<!doctype html><video muted></video><canvas width=96 height=64></canvas><script>
const video = document.querySelector('video');
const brush = document.querySelector('canvas').getContext('2d', {willReadFrequently: true});
function looked() {
  brush.drawImage(video, 0, 0, 96, 64);
  return [...brush.getImageData(0, 0, 96, 64).data];
}
function open(url) {
  return new Promise((done, failed) => {
    video.onloadeddata = () => done(video.duration);
    video.onerror = () => failed(video.error.message);
    video.src = url;
  });
}
function at(time) {
  return new Promise((done, failed) => {
    video.onerror = () => failed(video.error.message);
    let more = 3;  // under load the picture before the seek may be told of once more
    const step = (now, frame) => {
      if (more-- && Math.abs(frame.mediaTime - time) > 0.1) video.requestVideoFrameCallback(step);
      else done([frame.mediaTime, looked()]);
    };
    video.requestVideoFrameCallback(step);
    video.currentTime = time;
  });
}
function play(from, to) {
  return new Promise((done, failed) => {
    const times = [];
    video.onerror = () => failed(video.error.message);
    const step = (now, frame) => {
      times.push(frame.mediaTime);
      if (frame.mediaTime >= to) { video.pause(); done(times); }
      else video.requestVideoFrameCallback(step);
    };
    video.onseeked = () => { video.requestVideoFrameCallback(step); video.play(); };
    video.currentTime = from;
  });
}
</script>"""


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Any]:
    (tmp_path / "page.html").write_text(PAGE)
    with chromium.launched(*FLAGS) as running:
        shown = running.new_page()
        shown.set_default_timeout(60_000)
        shown.goto((tmp_path / "page.html").as_uri())
        yield shown


def near(joins: list[int]) -> list[int]:
    """Frames around joins, in an order that jumps to and fro."""
    places = sorted({j + d for j in joins for d in (-3, -1, 0, 1, 5) if 0 <= j + d < FRAMES})
    random.Random(4).shuffle(places)
    return places


def seen(page: Any, path: Path, places: list[int]) -> dict[int, list[int]]:
    """What is drawn at frames, by their number; the player must say that it shows just these."""
    page.evaluate("url => open(url)", path.as_uri())
    found = {}
    for place in places:
        time, pixels = page.evaluate("time => at(time)", place / FPS + 0.003)
        assert time == pytest.approx(place / FPS, abs=0.002), place
        found[place] = pixels
    return found


def differing(a: list[int], b: list[int]) -> float:
    return sum(abs(x - y) for x, y in zip(a, b, strict=True)) / len(a)


def joins_of(made: Spliced) -> list[int]:
    return [edge for run in encoded_runs(made.steps) for edge in run]


def test_a_damaged_copy_seeks_and_plays_as_its_source(page: Any, tmp_path: Path) -> None:
    made = touched(make(tmp_path, Kind()), tmp_path / "out.mp4", [(60, 75), (130, 131)])
    places = near(joins_of(made))
    before, after = seen(page, made.source, places), seen(page, made.out, places)
    encoded = {i for a, b in encoded_runs(made.steps) for i in range(a, b)}
    for place in places:
        if place in encoded:
            assert 0 < differing(before[place], after[place]) < 6, place
        else:
            assert before[place] == after[place], place
    first, last = encoded_runs(made.steps)[0]
    times = page.evaluate("([a, b]) => play(a, b)", [(first - 12) / FPS, (last + 12) / FPS])
    assert page.evaluate("video.error") is None
    assert all(b > a for a, b in itertools.pairwise(times))
    assert times[-1] >= (last + 12) / FPS - 0.002


def test_a_shortened_copy_seeks_and_ends_where_it_should(page: Any, tmp_path: Path) -> None:
    source = make(tmp_path, Kind(sound=False))
    made = edited(source, tmp_path / "out.mp4", [Piece(0, 50), Piece(110, 144), Piece(150, FRAMES)])
    kept = [*range(50), *range(110, 144), *range(150, FRAMES)]
    encoded = {i for a, b in encoded_runs(made.steps) for i in range(a, b)}
    places = [p for p in near(joins_of(made)) if p < len(kept)]
    after = seen(page, made.out, places)
    assert page.evaluate("video.duration") == pytest.approx(len(kept) / FPS, abs=0.002)
    before = seen(page, source, [kept[p] for p in places])
    for place in places:
        if place not in encoded:
            assert before[kept[place]] == after[place], place
