"""One worker or several, at once or after a stop, renamed or not: the same signals, each decoded once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from longtake.errors import InputError, OutputError
from longtake.execution import measure as measuring
from longtake.execution.measure import Measured, measure
from longtake.media.open import open_video
from longtake.media.write import FilmWriter
from longtake.storage.cache import Cache

SECONDS, FPS, RATE = 130, 8, 8000


@pytest.fixture(scope="module")
def long_film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Over two minutes in three chunks: moving noise with a cut every ten seconds, and a tone."""
    path = tmp_path_factory.mktemp("film") / "long.mp4"
    noise = np.random.default_rng(7)
    with FilmWriter(path, 160, 90, FPS, sample_rate=RATE, gop=24) as film:
        for i in range(SECONDS * FPS):
            if i % (10 * FPS) == 0:
                big = np.kron(noise.integers(0, 255, (12, 20, 3), np.uint8), np.ones((16, 16, 1), np.uint8))
            film.picture(np.ascontiguousarray(big[i % 60 : i % 60 + 90, i % 80 : i % 80 + 160]))
            film.sound(np.sin(np.arange(RATE // FPS) * 0.3, dtype=np.float32)[None] * 0.2)
    return path


def same(one: Measured, other: Measured) -> None:
    assert one.merged.keys() == other.merged.keys()
    for name, values in one.merged.items():
        np.testing.assert_array_equal(values, other.merged[name], err_msg=name)
    for name, made in one.signals.by_name.items():
        assert made.rows() == other.signals[name].rows(), name
        assert list(made.events) == list(other.signals[name].events), name


def decoded(measured: Measured) -> int:
    (entry,) = [e for e in measured.signals.trace if e.tool == "one pass"]
    return int(entry.params["decoded"])


def test_three_workers_measure_what_one_does(long_film: Path, tmp_path: Path) -> None:
    video = open_video(long_film)
    one = measure(video, cache=Cache(tmp_path / "one"), workers=1)
    three = measure(video, cache=Cache(tmp_path / "three"), workers=3)
    assert decoded(one) == decoded(three) == 3
    assert one.film.frames == SECONDS * FPS
    same(one, three)


def test_a_second_run_decodes_nothing_even_when_renamed(long_film: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    first = measure(open_video(long_film), cache=cache, workers=1)
    copy = tmp_path / "another name.mp4"
    copy.write_bytes(long_film.read_bytes())
    second = measure(open_video(copy), cache=cache, workers=1)
    assert decoded(first) == 3
    assert decoded(second) == 0
    same(first, second)


def test_asking_for_more_keeps_what_is_there(long_film: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    measure(open_video(long_film), ["shots"], cache=cache, workers=1)
    both = measure(open_video(long_film), cache=cache, workers=1)
    same(both, measure(open_video(long_film), cache=Cache(tmp_path / "fresh"), workers=1))


def test_a_part_keeps_the_clock_and_counts_its_own_frames(long_film: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    part = measure(open_video(long_film, start=Fraction(35), end=Fraction(75)), cache=cache, workers=1)
    whole = measure(open_video(long_film), cache=cache, workers=1)
    assert part.film.frames == 40 * FPS
    assert part.film.times[0] == pytest.approx(35.0)
    assert part.signals["shots"].columns["first_frame"][0] == 0
    inside = [s for s in whole.signals["shots"].columns["start"] if 35 < s < 75]
    assert list(part.signals["shots"].columns["start"])[1:] == pytest.approx(inside)


def test_a_killed_run_goes_on(long_film: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom longtake.execution import measure as m, chunks\n"
        "save = chunks.ChunkStore.save\n"
        "def slow(self, *a):\n    save(self, *a)\n    print('kept', flush=True)\n    time.sleep(60)\n"
        "chunks.ChunkStore.save = slow\n"
        "from longtake.media.open import open_video\nfrom longtake.storage.cache import Cache\n"
        f"m.measure(open_video({str(long_film)!r}), cache=Cache(Path({str(cache)!r})), workers=1)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "kept\n"
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    after = measure(open_video(long_film), cache=Cache(cache), workers=1)
    assert decoded(after) == 2
    same(after, measure(open_video(long_film), cache=Cache(tmp_path / "fresh"), workers=1))


@pytest.mark.parametrize("workers", [1, 3])
def test_ctrl_c_stops_at_once_and_leaves_no_process(long_film: Path, tmp_path: Path, workers: int) -> None:
    command = [
        sys.executable,
        "-m",
        "longtake",
        "signals",
        str(long_film),
        "--json",
        "--workers",
        str(workers),
    ]
    env = {**os.environ, "LONGTAKE_CACHE": str(tmp_path / "cache")}
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, start_new_session=True
    )
    time.sleep(1.2)
    os.killpg(child.pid, signal.SIGINT)
    _, err = child.communicate(timeout=20)
    if child.returncode == 0:
        pytest.skip("the machine measured the film before it could be stopped")
    assert child.returncode == 130, err
    assert "Traceback" not in err
    assert "stopped" in err
    assert _gone(child.pid, within=10)


def _gone(group: int, within: float) -> bool:
    """Whether a process group has no process left, waiting a little for the last to end."""
    until = time.monotonic() + within
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def test_a_worker_that_fails_says_why(
    long_film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "_run", _broken)
    with pytest.raises(InputError, match="broken on purpose"):
        measure(open_video(long_film), cache=Cache(tmp_path / "cache"), workers=1)


def _broken(*_: object) -> None:
    raise InputError("broken on purpose")


def test_a_cache_that_cannot_be_written_is_said_before_the_work(long_film: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputError, match="cache"):
        measure(open_video(long_film), cache=Cache(tmp_path / "file"), workers=1)


def test_levels_alone_never_pass_for_the_whole_sound(long_film: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    shots = measure(open_video(long_film), ["shots", "transitions"], cache=cache, workers=1)
    assert set(shots.signals.by_name) == {"shots", "transitions"}
    whole = measure(open_video(long_film), cache=cache, workers=1)
    assert whole.signals["audio"].facts["integrated_lufs"] is not None
    again = measure(open_video(long_film), ["shots", "transitions"], cache=cache, workers=1)
    assert again.signals["transitions"].rows() == shots.signals["transitions"].rows()


def test_the_trace_says_what_each_signal_took(long_film: Path, tmp_path: Path) -> None:
    first = measure(open_video(long_film), cache=Cache(tmp_path / "cache"), workers=1)
    seconds = {t.tool: t.seconds for t in first.signals.trace}
    assert all(seconds[name] > 0 for name in ("shots", "motion", "picture", "frames", "audio"))
    again = measure(open_video(long_film), cache=Cache(tmp_path / "cache"), workers=1)
    assert {t.tool: t.seconds for t in again.signals.trace}["motion"] == pytest.approx(
        seconds["motion"], rel=0.5
    )


@pytest.mark.parametrize("damage", ["cut", "flipped", "emptied"])
def test_a_damaged_entry_of_the_cache_is_measured_again(long_film: Path, tmp_path: Path, damage: str) -> None:
    cache = Cache(tmp_path / "cache")
    first = measure(open_video(long_film), cache=cache, workers=1)
    (entry,) = (cache.root / "signals").rglob("c00001*.npz")
    content = bytearray(entry.read_bytes())
    content[len(content) // 3] ^= 0xFF
    entry.write_bytes({"cut": content[:5000], "flipped": content, "emptied": b""}[damage])
    second = measure(open_video(long_film), cache=cache, workers=1)
    assert decoded(second) == 1
    same(first, second)


def test_a_script_without_a_main_guard_can_use_several_processes(long_film: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        f"import longtake\nmeasured = longtake.measure({str(long_film)!r}, ['shots'], workers=2)\n"
        "print(measured.film.frames)\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.stdout.split() == [str(SECONDS * FPS)], done.stderr


def test_lost_pictures_are_measured_again(long_film: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    first = measure(open_video(long_film), cache=cache, workers=1)
    numbers = [int(n) for n in first.signals["frames"].columns["jpeg"]]
    pictures = first.jpegs(numbers)
    assert sorted(pictures) == sorted(set(numbers))
    assert all(jpeg.startswith(b"\xff\xd8") and jpeg.endswith(b"\xff\xd9") for jpeg in pictures.values())
    (entry,) = (cache.root / "frames").rglob("c00001*.npz")
    entry.unlink()
    second = measure(open_video(long_film), cache=cache, workers=1)
    assert decoded(second) == 1
    assert second.jpegs(numbers) == pictures
