"""Suites: pairs from a manifest, resumable, with what a film does not allow counted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from longtake.core.brief import Brief, PlannedShot
from longtake.core.case import Case
from longtake.errors import InputError, OutputError, UsageError
from longtake.meta.perturbations import PERTURBATIONS
from longtake.perturbing.given import Given
from longtake.perturbing.suites import Suite, SuiteRun, suite_named, suites
from longtake.storage.manifest import read_manifest
from square_films import brief, film

SMALL = Suite("small", "", {"comprehensiveness": ("weak", "strong"), "aesthetics": ("strong",)})


@pytest.fixture
def cases(tmp_path: Path) -> list[Case]:
    """A film of 12 clips, and one of 4: too short for what deletes."""
    made = []
    for name, clips in (("long", 12), ("short", 4)):
        made.append(
            Case(name, film(tmp_path / f"{name}.mp4", clips), brief(tmp_path / f"{name}.json", clips))
        )
    return made


def test_pairs_and_what_was_left_out(cases: list[Case], tmp_path: Path) -> None:
    document = SuiteRun(SMALL, cases, tmp_path / "out", 1, Given()).run()
    pairs = read_manifest(tmp_path / "out" / "small.csv").pairs
    assert document.n_pairs == len(pairs) == 4
    assert {(p.source, p.aspect, p.strength) for p in pairs} == {
        ("long", "comprehensiveness", 1),
        ("long", "comprehensiveness", 5),
        ("long", "aesthetics", 0.65),
        ("short", "aesthetics", 0.65),
    }
    assert [(x.case, x.operator) for x in document.skipped] == [("short", "comprehensiveness")]
    assert "10 clips" in document.skipped[0].reason
    deleted = next(p for p in pairs if p.aspect == "comprehensiveness" and p.strength == 5)
    assert deleted.changed is not None
    assert len(deleted.changed) == 5
    assert all(span.start == span.end for span in deleted.changed)
    assert deleted.share_changed == pytest.approx(5 / 12)
    assert deleted.a.is_file()
    assert deleted.b.is_file()


def test_a_second_run_makes_nothing_again(cases: list[Case], tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = SuiteRun(SMALL, cases, out, 1, Given()).run()
    before = {p: p.stat().st_mtime_ns for p in out.rglob("*.mp4")}
    (out / "long" / "aesthetics-0.65.json").unlink()
    again = SuiteRun(SMALL, cases, out, 1, Given())
    assert again.copies == 6  # the pair without a record, and two that the short film does not allow
    document = again.run()
    after = {p: p.stat().st_mtime_ns for p in out.rglob("*.mp4")}
    assert document.n_pairs == first.n_pairs
    assert {p.name for p in after if after[p] != before[p]} == {
        "aesthetics-0.65.mp4",
        "aesthetics-0.65.control.mp4",
    }


def test_another_seed_is_made_anew(cases: list[Case], tmp_path: Path) -> None:
    out = tmp_path / "out"
    SuiteRun(SMALL, cases, out, 1, Given()).run()
    assert SuiteRun(SMALL, cases, out, 2, Given()).copies == 12


def test_a_strength_beyond_the_film_leaves_out_all_strengths(cases: list[Case], tmp_path: Path) -> None:
    suite = Suite("blocks", "", {"shuffle": (0.2, 0.8)})
    document = SuiteRun(suite, cases, tmp_path / "out", 1, Given(block=2.0)).run()
    # 6 blocks of the long film: 0.2 of them is one block, which cannot change its place alone.
    assert document.n_pairs == 0
    assert {x.case for x in document.skipped} == {"long", "short"}


def test_the_number_of_damaged_clips_lies_beside_each_pair(cases: list[Case], tmp_path: Path) -> None:
    SuiteRun(SMALL, cases, tmp_path / "out", 1, Given()).run()
    pairs = read_manifest(tmp_path / "out" / "small.csv").pairs
    assert {(p.source, p.aspect, p.strength): p.extra["n_clips"] for p in pairs} == {
        ("long", "comprehensiveness", 1): "1",
        ("long", "comprehensiveness", 5): "5",
        ("long", "aesthetics", 0.65): "5",
        ("short", "aesthetics", 0.65): "2",  # of four clips at most half
    }


def sided(path: Path, clips: int, sides: int) -> Path:
    """A brief of which ``sides`` clips speak of a side."""
    shots = [
        PlannedShot(index=i, text=f"a square {'on the left' if i < sides else 'moves'}", start=i, end=i + 1)
        for i in range(clips)
    ]
    path.write_text(json.dumps(Brief(shots=shots).to_json()))
    return path


def test_strengths_that_are_one_damage_leave_the_film_out(cases: list[Case], tmp_path: Path) -> None:
    few = replace(cases[0], brief=sided(tmp_path / "few.json", 12, 1))
    more = replace(cases[0], id="more", brief=sided(tmp_path / "more.json", 12, 5))
    suite = Suite("sides", "", {"spatial_relationship": (1, 3, 5)})
    document = SuiteRun(suite, [few, more], tmp_path / "out", 1, Given()).run()
    ((left_out,), pairs) = document.skipped, read_manifest(tmp_path / "out" / "sides.csv").pairs
    assert left_out.case == "long"
    assert left_out.reason == (
        "strengths 1 and 3 are the same damage on this film: both damage 1 of 1 clip(s) that can be damaged."
    )
    assert not list((tmp_path / "out" / "long").glob("*.mp4"))
    assert [(p.source, p.strength, p.extra["n_clips"]) for p in pairs] == [
        ("more", 1, "1"),
        ("more", 3, "3"),
        ("more", 5, "5"),
    ]


def test_one_strength_alone_goes_on_with_what_there_is(cases: list[Case], tmp_path: Path) -> None:
    few = replace(cases[0], brief=sided(tmp_path / "few.json", 12, 1))
    suite = Suite("sides", "", {"spatial_relationship": (5,)})
    SuiteRun(suite, [few], tmp_path / "out", 1, Given()).run()
    (pair,) = read_manifest(tmp_path / "out" / "sides.csv").pairs
    assert (pair.strength, pair.extra["n_clips"]) == (5, "1")


def test_strengths_that_were_made_one_by_one_are_not_two_doses(cases: list[Case], tmp_path: Path) -> None:
    few = [replace(cases[0], brief=sided(tmp_path / "few.json", 12, 1))]

    def run(*strengths: str) -> SuiteRun:
        return SuiteRun(
            Suite("sides", "", {"spatial_relationship": ()}),
            few,
            tmp_path / "out",
            1,
            Given(),
            strengths=strengths,
        )

    assert (run("3").run().n_pairs, run("5").run().n_pairs) == (1, 1)
    both = run("3", "5")
    assert both.copies == 0
    document = both.run()
    assert document.n_pairs == 0
    assert "strengths 3 and 5 are the same damage" in document.skipped[0].reason


def test_depth_is_a_dose_where_the_clips_are_the_same(cases: list[Case], tmp_path: Path) -> None:
    suite = Suite("depth", "", {"aesthetics": ("weak", "medium", "strong"), "compression": (70, 95)})
    assert SuiteRun(suite, cases[:1], tmp_path / "out", 1, Given()).run().n_pairs == 5


def test_levels_that_are_one_strength_are_made_once(cases: list[Case], tmp_path: Path) -> None:
    suite = Suite("levels", "", {"unrelated_brief": ("weak", "medium", "strong")})
    document = SuiteRun(suite, cases, tmp_path / "out", 1, Given()).run()
    pairs = read_manifest(tmp_path / "out" / "levels.csv").pairs
    assert document.n_pairs == len(pairs) == 2
    # No span of the film changes, and all that the operator names ought to suffer: it is no control.
    assert all("comprehensiveness" in pair.suffer and pair.control is False for pair in pairs)


def test_sheets_are_drawn_of_every_pair_and_only_anew_for_new_pairs(
    cases: list[Case], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    SuiteRun(SMALL, cases, out, 1, Given()).run()
    assert not (out / "sheets").exists()

    def drawn(seed: int) -> dict[str, int]:
        SuiteRun(SMALL, cases, out, seed, Given(), sheets=True).run()
        return {p.name: p.stat().st_mtime_ns for p in (out / "sheets").iterdir()}

    first = drawn(1)
    assert set(first) == {
        "long-comprehensiveness-1.jpg",
        "long-comprehensiveness-5.jpg",
        "long-aesthetics-0.65.jpg",
        "short-aesthetics-0.65.jpg",
    }
    assert drawn(1) == first
    again = drawn(2)
    assert all(again[name] > first[name] for name in first)


def test_a_full_disk_is_said_beforehand(cases: list[Case], tmp_path: Path) -> None:
    run = SuiteRun(SMALL, cases, tmp_path / "out", 1, Given())
    assert 0 < run.bytes < run.free
    run.free = 10
    with pytest.raises(OutputError, match="GB free"):
        run.run()
    assert not (tmp_path / "out").exists()


def test_killed_run_goes_on(cases: list[Case], tmp_path: Path) -> None:
    manifest = tmp_path / "films.csv"
    manifest.write_text("case,video,brief\n" + "".join(f"{c.id},{c.video},{c.brief}\n" for c in cases))
    out = tmp_path / "out"
    command = [
        sys.executable,
        "-m",
        "longtake",
        "perturb",
        str(manifest),
        "--suite",
        "slvmeval",
        "--out",
        str(out),
    ]
    child = subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL)
    for _ in range(600):
        if len(list(out.rglob("*.json"))) >= 2 or child.poll() is not None:
            break
        time.sleep(0.05)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    kept = {p: p.stat().st_mtime_ns for p in out.rglob("*-*.json")}
    assert kept
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    document = json.loads(done.stdout)
    assert document["schema"] == "longtake.suite/1"
    assert document["n_pairs"] == len(read_manifest(out / "slvmeval.csv").pairs)
    assert all(p.stat().st_mtime_ns == at for p, at in kept.items())
    assert not list(out.rglob("*partial*"))


def test_dry_run_writes_nothing(cases: list[Case], tmp_path: Path) -> None:
    manifest = tmp_path / "films.csv"
    manifest.write_text(f"video,brief\n{cases[0].video},{cases[0].brief}\n")
    command = [sys.executable, "-m", "longtake", "perturb", str(manifest), "--suite", "long-code"]
    done = subprocess.run(
        [*command, "--out", str(tmp_path / "out"), "--dry-run"], capture_output=True, text=True, check=True
    )
    assert "films to write" in done.stdout
    assert not (tmp_path / "out").exists()


def test_every_suite_names_operators_that_there_are() -> None:
    for suite in suites().values():
        assert set(suite.operators) <= set(PERTURBATIONS), suite.name
    with pytest.raises(UsageError) as error:
        suite_named("slvm")
    assert "slvmeval" in (error.value.hint or "")


def test_what_is_only_encoded_again_is_held_against_its_source(cases: list[Case], tmp_path: Path) -> None:
    SuiteRun(Suite("again", "", {"reencoded": ("weak",)}), cases[:1], tmp_path / "out", 1, Given()).run()
    (pair,) = read_manifest(tmp_path / "out" / "again.csv").pairs
    assert pair.a.resolve() == cases[0].video.resolve()
    assert pair.b.name == "reencoded-1.mp4"


def test_a_pair_names_what_ought_to_suffer_and_what_ought_not_to(cases: list[Case], tmp_path: Path) -> None:
    suite = Suite("two", "", {"aesthetics": ("strong",), "reencoded": ("weak",)})
    SuiteRun(suite, cases[:1], tmp_path / "out", 1, Given()).run()
    manifest = read_manifest(tmp_path / "out" / "two.csv")
    assert not any("suffer" in note or "spared" in note for note in manifest.notes)
    for pair in manifest.pairs:
        assert pair.suffer == PERTURBATIONS[pair.aspect].aspects
        assert pair.spared == PERTURBATIONS[pair.aspect].spared
    assert {bool(pair.suffer) for pair in manifest.pairs} == {True, False}  # encoding again harms nothing


def test_another_brief_is_made_anew_and_another_film_is_not(cases: list[Case], tmp_path: Path) -> None:
    suite, out = Suite("one", "", {"aesthetics": ("strong",)}), tmp_path / "out"
    SuiteRun(suite, cases, out, 1, Given()).run()
    assert SuiteRun(suite, cases[:1], out, 1, Given()).copies == 0
    text = cases[0].brief.read_text() if cases[0].brief else ""
    cases[0].brief.write_text(text.replace("white", "black"))  # type: ignore[union-attr]
    assert SuiteRun(suite, cases, out, 1, Given()).copies == 2


def test_a_film_that_cannot_be_read_is_told_and_the_others_are_made(
    cases: list[Case], tmp_path: Path
) -> None:
    broken = Case("broken", tmp_path / "broken.mp4")
    broken.video.write_text("no film")
    suite = Suite("one", "", {"aesthetics": ("strong",)})
    document = SuiteRun(suite, [broken, *cases], tmp_path / "out", 1, Given()).run()
    assert document.n_pairs == 2
    assert [x.case for x in document.failed] == ["broken"]
    with pytest.raises(InputError):
        SuiteRun(suite, [broken], tmp_path / "out", 1, Given())
