"""What a user's mistake looks like: a few lines, the right exit code, no traceback, nothing half-written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from longtake.media.write import FilmWriter


def run(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "longtake", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=dict(os.environ), check=False)


@pytest.fixture
def film(tmp_path: Path) -> Path:
    path = tmp_path / "film.mp4"
    with FilmWriter(path, 96, 64, 10) as writer:
        for i in range(20):
            writer.picture(np.full((64, 96, 3), i * 10, np.uint8))
    return path


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


CASES = {
    "no command": ([], 2),
    "unknown command": (["diagnoze", "x"], 2),
    "unknown option": (["probe", "film.mp4", "--nope"], 2),
    "missing file": (["diagnose", "no.mp4"], 3),
    "empty file": (["diagnose", "empty.mp4"], 3),
    "not a video": (["probe", "text.mp4"], 3),
    "a truncated file": (["diagnose", "cut.mp4"], 3),
    "an empty folder": (["shots", "nothing"], 3),
    "unknown profile": (["diagnose", "film.mp4", "--profile", "story-frist"], 2),
    "unknown checkpoint": (["diagnose", "film.mp4", "--only", "lighting_direction"], 2),
    "missing brief": (["diagnose", "film.mp4", "--brief", "no.json"], 3),
    "broken brief": (["diagnose", "film.mp4", "--brief", "broken.json"], 3),
    "overlapping shots": (["diagnose", "film.mp4", "--brief", "overlap.json"], 3),
    "bad shot list": (["diagnose", "film.mp4", "--shots", "text.mp4"], 3),
    "end before start": (["shots", "film.mp4", "--start", "1.5", "--end", "1"], 2),
    "not a time": (["shots", "film.mp4", "--start", "soon"], 2),
    "out is a file": (["diagnose", "film.mp4", "--out", "text.mp4"], 6),
    "report of nothing": (["report", "nothing"], 3),
    "unknown schema": (["schema", "shot"], 2),
    "unknown signal": (["signals", "film.mp4", "--only", "motoin"], 2),
    "unknown weights": (["models", "pull", "nothing"], 2),
    "gate on an unknown name": (["diagnose", "film.mp4", "--fail-under", "pictures=0.5"], 2),
    "bad gate": (["diagnose", "film.mp4", "--fail-under", "visual"], 2),
    "gate on something unscored": (["diagnose", "film.mp4", "--fail-under", "overall=0.5"], 7),
}


@pytest.mark.parametrize("case", CASES)
def test_mistakes(case: str, film: Path, tmp_path: Path) -> None:
    arguments, code = CASES[case]
    write(tmp_path / "empty.mp4", b"")
    write(tmp_path / "text.mp4", "just text")
    write(tmp_path / "cut.mp4", film.read_bytes()[:200])
    write(tmp_path / "broken.json", '{"shots": [')
    overlap = {"shots": [{"text": "a", "start": 0, "end": 1.5}, {"text": "b", "start": 1, "end": 2}]}
    write(tmp_path / "overlap.json", json.dumps(overlap))
    (tmp_path / "nothing").mkdir()
    before = {p for p in tmp_path.rglob("*") if "cache" not in p.parts}
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert 0 < len(done.stderr.strip().splitlines()) <= 6 or code in (2, 7)
    if code in (2, 3, 6):
        made = {p for p in tmp_path.rglob("*") if "cache" not in p.parts} - before
        assert not made, made


def test_json_is_one_document_also_for_a_mistake(tmp_path: Path) -> None:
    done = run("probe", "no.mp4", "--json", cwd=tmp_path)
    document = json.loads(done.stdout)
    assert document["schema"] == "longtake.error/1"
    assert document["error"]["exit_code"] == done.returncode == 3


def test_probe_shots_and_signals_are_documents(film: Path, tmp_path: Path) -> None:
    for name in ("probe", "shots", "signals"):
        done = run(name, film, "--json", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        document = json.loads(done.stdout, parse_constant=lambda c: pytest.fail(f"{c} is not JSON"))
        assert document["schema"] == f"longtake.{name}/1"


def test_without_a_terminal_there_are_no_control_sequences(film: Path, tmp_path: Path) -> None:
    for arguments in (
        ["probe", film],
        ["shots", film],
        ["signals", film],
        ["diagnose", film],
        ["doctor"],
        ["--help"],
    ):
        done = run(*arguments, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "\x1b" not in done.stdout + done.stderr


def test_every_schema_can_be_printed(tmp_path: Path) -> None:
    names = run("schema", cwd=tmp_path).stdout.split()
    assert {"probe", "shots", "signals", "diagnosis", "brief", "error", "models"} <= set(names)
    assert json.loads(run("schema", "--json", cwd=tmp_path).stdout)["names"] == names
    for name in names:
        assert json.loads(run("schema", name, cwd=tmp_path).stdout)["type"] == "object"


def test_names_as_tables_show_them_are_understood(film: Path, tmp_path: Path) -> None:
    assert run("diagnose", film, "--only", "Picture", cwd=tmp_path).returncode == 0
    assert run("diagnose", film, "--fail-under", "stability=0", cwd=tmp_path).returncode in (0, 7)


def test_models_are_a_document_also_when_something_is_missing(tmp_path: Path) -> None:
    done = run("models", "verify", "--json", cwd=tmp_path)
    assert done.returncode == 4
    assert json.loads(done.stdout)["models"][0]["status"] == "missing"


def test_a_full_or_closed_stdout_is_an_output_error(film: Path, tmp_path: Path) -> None:
    for redirect in ("> /dev/full", ">&-"):
        for option in ("--json", ""):
            command = f"{sys.executable} -m longtake probe {film} {option} {redirect}"
            done = subprocess.run(
                ["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path, check=False
            )
            assert "Traceback" not in done.stderr, (command, done.stderr)
            assert done.returncode == 6, (command, done.stderr)


def test_a_gate_after_the_document_prints_no_second_one(film: Path, tmp_path: Path) -> None:
    done = run("diagnose", film, "--json", "--fail-under", "overall=0.5", cwd=tmp_path)
    assert done.returncode == 7
    assert json.loads(done.stdout)["schema"].startswith("longtake.diagnosis/")


def test_a_full_disk_leaves_nothing_behind(film: Path, tmp_path: Path) -> None:
    disk = tmp_path / "tiny"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a tiny disk needs the right to mount")
    try:
        done = run("diagnose", film, "--out", disk / "out", cwd=tmp_path)
        assert done.returncode == 6, done.stderr
        assert "Traceback" not in done.stderr
        assert list(disk.iterdir()) == []
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_shots_past_the_end_contradict_the_film(film: Path, tmp_path: Path) -> None:
    write(tmp_path / "late.csv", "start,end\n100,101\n")
    done = run("shots", film, "--shots", "late.csv", cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert "2.0" in done.stderr
    write(tmp_path / "fit.csv", "start,end\n0,1\n1,2\n")
    done = run("shots", film, "--shots", "fit.csv", "--json", cwd=tmp_path)
    assert [s["first_frame"] for s in json.loads(done.stdout)["shots"]] == [0, 10]


def test_an_empty_path_is_a_mistake(tmp_path: Path) -> None:
    assert run("probe", "", cwd=tmp_path).returncode == 2


def test_damage_is_counted_named_and_placed(tmp_path: Path) -> None:
    path = tmp_path / "film.mp4"
    noise = np.random.default_rng(3)
    with FilmWriter(path, 320, 180, 10, gop=10) as writer:
        for _ in range(60):
            writer.picture(noise.integers(0, 255, (180, 320, 3), np.uint8))
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 20000] = bytes(20000)
    path.write_bytes(content)
    document = json.loads(run("diagnose", path, "--json", cwd=tmp_path).stdout)
    assert document["video"]["decode_errors"] > 0
    damaged = [f for f in document["findings"] if f["what"] == "damaged data" or f["kind"] == "gap"]
    assert damaged
    assert all(2 < f["start"] < f["end"] < 5 for f in damaged)
    assert next(t for t in document["trace"] if t["tool"] == "one pass")["reason"]


@pytest.mark.parametrize(
    "content",
    [
        "taste: &a {x: *a}\n",
        "weights: {text: 0.5, script: 0.5, visual: 0.2, audio: 0.2, sync: 0.1}\n",
        "[" * 5000,
        "weights: {script: 0.5}\nweights: {script: 0.6}\n",
        "weights: nothing\n",
        b"\xff\xfe\x00",
    ],
)
def test_broken_profiles_are_refused(content: str | bytes, film: Path, tmp_path: Path) -> None:
    for name in ("p.yaml", "p.json"):
        done = run("diagnose", film, "--profile", write(tmp_path / name, content), cwd=tmp_path)
        assert done.returncode == 3, done.stderr
        assert "Traceback" not in done.stderr
