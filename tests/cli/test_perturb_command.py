"""``longtake perturb`` as a script and as people see it: the contract's fields, exit codes, default names."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from longtake.cli.app import main
from longtake.core.changes import ChangeRecord
from longtake.media.open import open_video
from longtake.meta.perturbations import facts_of
from square_films import brief, film

TOP = {"output", "control", "operator", "strength", "level", "seed", "mode", "changed", "encoded"}


@pytest.fixture
def longtake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs the command line in a folder with films of 12 and 4 clips: code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    film(tmp_path / "film.mp4", 12)
    brief(tmp_path / "film.json", 12)
    film(tmp_path / "short.mp4", 4)
    brief(tmp_path / "short.json", 4)
    (tmp_path / "noise.mp4").write_bytes(b"no film" * 50)
    (tmp_path / "films.csv").write_text("video,brief\nfilm.mp4,film.json\n")

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["longtake", "perturb", *map(str, arguments)])
        monkeypatch.setattr("longtake.cli.output._printed", False)
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return run


def test_json_has_the_fields_of_the_contract(longtake: Any) -> None:
    code, out, _ = longtake(
        *("film.mp4", "--operator", "comprehensiveness", "--strength", "2", "--seed", "7"),
        *("--brief", "film.json", "--out", "made/a.mp4", "--json"),
    )
    assert code == 0
    found = json.loads(out)
    assert ChangeRecord.model_validate(found).to_json() == found
    assert {*TOP, "duration_in", "duration_out"} <= set(found)
    assert (found["output"], found["control"]) == ("made/a.mp4", "made/a.control.mp4")
    assert (found["operator"], found["strength"], found["level"]) == ("comprehensiveness", 2, None)
    assert (found["seed"], found["mode"]) == (7, "partial")
    assert (found["duration_in"], found["duration_out"]) == (12, 10)
    assert len(found["changed"]) == 2
    for change in found["changed"]:
        assert {"source", "output", "what", "aspects"} <= set(change)
        assert change["output"] is None
        assert set(change["source"]) == {"start", "end"}
        assert "comprehensiveness" in change["aspects"]
    for span in found["encoded"]:
        assert set(span) == {"start", "end"}
    assert facts_of(open_video("made/a.mp4")).duration == pytest.approx(10, abs=0.05)
    assert facts_of(open_video("made/a.control.mp4")).duration == pytest.approx(12, abs=0.05)


def test_output_spans_and_encoded_runs_are_told(longtake: Any) -> None:
    code, out, _ = longtake(
        *("film.mp4", "--operator", "aesthetics", "--strength", "strong", "--brief", "film.json", "--json")
    )
    found = json.loads(out)
    assert (code, found["level"], found["strength"]) == (0, "strong", 0.65)
    assert len(found["changed"]) == 5
    runs = [(s["start"], s["end"]) for s in found["encoded"]]
    assert runs
    for change in found["changed"]:
        assert change["output"] == change["source"]
        span = change["output"]
        assert any(a <= span["start"] + 1e-6 and span["end"] <= b + 1e-6 for a, b in runs)


def test_files_are_named_by_operator_strength_and_seed_unless_named(longtake: Any, tmp_path: Path) -> None:
    code, out, err = longtake("film.mp4", "--operator", "reencoded", "--strength", "weak", "--seed", "3")
    assert code == 0, err
    (folder,) = (tmp_path / "longtake-out").iterdir()
    assert folder.name.startswith("film-")
    assert {p.name for p in folder.iterdir()} == {"reencoded-weak-3.mp4", "reencoded-weak-3.control.mp4"}
    assert f"{folder.name}/reencoded-weak-3.mp4" in out


def test_a_control_may_be_named(longtake: Any, tmp_path: Path) -> None:
    code, _, _ = longtake(
        "film.mp4", "--operator", "reencoded", "--strength", 1, "--out", "a.mkv", "--control", "b.mkv"
    )
    assert code == 0
    assert (tmp_path / "a.mkv").is_file()
    assert (tmp_path / "b.mkv").is_file()
    assert not (tmp_path / "longtake-out").exists()


def test_people_are_told_how_much_was_done_and_where(longtake: Any) -> None:
    code, out, _ = longtake(
        *("film.mp4", "--operator", "spatial_relationship", "--strength", "3", "--seed", "2"),
        *("--brief", "film.json", "--out", "a.mp4"),
    )
    assert code == 0
    lines = out.splitlines()
    assert lines[:2] == ["damaged  a.mp4", "control  a.control.mp4"]
    assert "spatial_relationship 3, seed 2: 25.0% of 12.000 s changed" in out
    assert "mode partial" in out
    assert "3 clips damaged, of 12 that could be, of 12 in the film" in out
    assert out.count("the picture is mirrored") == 3


def test_people_are_told_what_became_shorter_than_asked_for(longtake: Any) -> None:
    code, out, _ = longtake("film.mp4", "--operator", "reencoded", "--strength", "1", "--out", "a.mp4")
    assert code == 0
    assert "6.72 s of damage" in out  # of ten: 4/5 of 12 s with 15 % kept free at both ends


def test_a_sheet_is_drawn(longtake: Any, tmp_path: Path) -> None:
    code, _, _ = longtake(
        "film.mp4", "--operator", "noise", "--strength", "weak", "--out", "a.mp4", "--sheet", "s.png"
    )
    assert code == 0
    assert (tmp_path / "s.png").stat().st_size > 1000


WRONG = {
    "unknown operator": (("film.mp4", "--operator", "shufle"), 2, "shuffle"),
    "strength out of bounds": (("film.mp4", "--operator", "noise", "--strength", "900"), 2, "weak is"),
    "strength that is none": (("film.mp4", "--operator", "noise", "--strength", "much"), 2, "strength"),
    "half a clip": (
        ("film.mp4", "--operator", "comprehensiveness", "--strength", "1.5", "--brief", "film.json"),
        2,
        "whole",
    ),
    "unknown unit": (("film.mp4", "--operator", "aesthetics", "--unit", "scene"), 2, "shot, block"),
    "unknown masker": (("film.mp4", "--operator", "color", "--masker", "nobody"), 2, "masker"),
    "unknown suite": (("films.csv", "--suite", "slvm"), 2, "slvmeval"),
    "neither operator nor suite": (("film.mp4",), 2, "--operator or --suite"),
    "both": (("film.mp4", "--operator", "noise", "--suite", "slvmeval"), 2, "--operator or --suite"),
    "no film": (("--operator", "noise"), 2, "name a film"),
    "sheets of one film": (("film.mp4", "--operator", "noise", "--sheets"), 2, "--sheet FILE"),
    "a sheet of a suite": (("films.csv", "--suite", "slvmeval", "--sheet", "s.png"), 2, "--sheets"),
    "a sheet that is no picture": (
        ("film.mp4", "--operator", "noise", "--out", "a.mp4", "--sheet", "s.gif"),
        2,
        ".jpg or .png",
    ),
    "no brief": (("film.mp4", "--operator", "spatial_relationship"), 3, "--brief"),
    "no pool": (
        ("film.mp4", "--operator", "replace", "--strength", "2", "--unit", "block", "--block", "1"),
        3,
        "--pool",
    ),
    "no other film": (("film.mp4", "--operator", "unrelated_brief"), 3, "--other-brief"),
    "too few clips": (
        ("short.mp4", "--operator", "comprehensiveness", "--brief", "short.json"),
        3,
        "10 clips",
    ),
    "too few blocks": (("film.mp4", "--operator", "shuffle", "--strength", "0.4"), 3, "two or more"),
    "one clip cannot be frozen by half": (
        ("film.mp4", "--operator", "frozen", "--unit", "block", "--block", "12"),
        3,
        "would be 100%",
    ),
    "longer than the film has room for": (
        ("film.mp4", "--operator", "black_frames", "--strength", "50"),
        3,
        "at most 8.4 s",
    ),
    "no sound": (("film.mp4", "--operator", "click"), 3, "sound"),
    "unreadable film": (("noise.mp4", "--operator", "noise"), 3, "noise.mp4"),
    "missing film": (("nowhere.mp4", "--operator", "noise"), 3, "nowhere.mp4"),
    "unreadable pool": (("film.mp4", "--operator", "replace", "--pool", "noise.mp4"), 3, "noise.mp4"),
    "a table for a film": (("films.csv", "--operator", "noise"), 3, "--suite"),
    "a film for a table": (("film.mp4", "--suite", "slvmeval"), 3, "manifest"),
    "out is the film": (("film.mp4", "--operator", "noise", "--out", "film.mp4"), 3, "another --out"),
    "control is the film": (
        ("film.mp4", "--operator", "noise", "--out", "a.mp4", "--control", "film.mp4"),
        3,
        "another --out",
    ),
    "control is the copy": (
        ("film.mp4", "--operator", "noise", "--out", "a.mp4", "--control", "a.mp4"),
        3,
        "another --out",
    ),
    "a masker that is not there": (
        ("film.mp4", "--operator", "color", "--brief", "film.json", "--masker", "rembg:nowhere.onnx"),
        4,
        "nowhere.onnx",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_a_few_lines_with_the_right_code(name: str, longtake: Any, tmp_path: Path) -> None:
    arguments, expected, said = WRONG[name]
    before = (tmp_path / "film.mp4").read_bytes()
    code, out, err = longtake(*arguments)
    assert code == expected, err
    assert said in err
    assert out == ""
    assert "Traceback" not in err
    assert 0 < len(err.strip().splitlines()) <= 4
    assert (tmp_path / "film.mp4").read_bytes() == before
    assert {p.name for p in tmp_path.rglob("*.mp4")} == {"film.mp4", "short.mp4", "noise.mp4"}


def test_a_mistake_is_a_document_with_json(longtake: Any) -> None:
    code, out, _ = longtake("film.mp4", "--operator", "spatial_relationship", "--json")
    found = json.loads(out)
    assert code == found["error"]["exit_code"] == 3
    assert "--brief" in found["error"]["hint"]
    assert found["schema"] == "longtake.error/1"


@pytest.mark.parametrize("out", ["film.json/a.mp4", "films.csv/deeper/a.mp4"])
def test_a_copy_that_cannot_be_written_is_code_6(out: str, longtake: Any, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "longtake", "perturb", "film.mp4", "--operator", "noise", "--out", out]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env=dict(os.environ), check=False
    )
    assert done.returncode == 6, done.stderr
    assert "cannot write" in done.stderr
    assert "Traceback" not in done.stderr


def test_operators_are_listed_with_what_they_take(longtake: Any) -> None:
    code, out, _ = longtake("--list", "--json")
    found = {o["name"]: o for o in json.loads(out)["operators"]}
    assert code == 0
    assert found["spatial_relationship"]["needs"] == ["clips", "captions", "text"]
    assert (found["shuffle"]["weak"], found["shuffle"]["strong"]) == (0.2, 0.8)


def test_a_suite_with_sheets(longtake: Any, tmp_path: Path) -> None:
    """``--sheets`` draws one for each pair; a run without it makes the same pairs."""
    code, out, err = longtake(
        *("films.csv", "--suite", "controls", "--strengths", "weak,medium,strong", "--out", "o"),
        *("--sheets", "--json"),
    )
    assert code == 0, err
    with open("o/controls.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == json.loads(out)["n_pairs"] > 3
    assert len({r["pair"] for r in rows}) == len(rows)
    drawn = {p.name for p in (tmp_path / "o" / "sheets").iterdir()}
    assert len(drawn) == len(rows)
    assert {n.removesuffix(".jpg").split("-")[1] for n in drawn} == {r["aspect"] for r in rows}
    frozen = {float(r["strength"]): r["n_clips"] for r in rows if r["aspect"] == "frozen"}
    assert frozen == {0.25: "3", 0.5: "6", 1.0: "12"}
    assert all(Path("o", r["video_b"]).is_file() for r in rows)
