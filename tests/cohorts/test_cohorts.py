"""Folders of diagnoses together: what is read, taken once, refused or counted, through the command."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import cohort_folders as made
import longtake
from longtake.cli.app import app
from longtake.cohorts.reading import _cut_off
from longtake.core.cohort import Cell, CohortDocument, Ranked
from longtake.core.documents import DIMENSIONS
from longtake.core.evaluator import CUT_OFF
from longtake.core.judgement import JudgeFacts
from longtake.diagnosis.profiles import WEIGHED, profiles
from longtake.diagnosis.rubric import load_rubric
from longtake.errors import InputError, UsageError

DRAWS = 200


def cell(document: CohortDocument, metric: str, group: str, by: str = "system") -> Cell:
    (of,) = (g for g in document.groups if g.by == by)
    (one,) = (c for c in of.cells if (c.metric, c.group) == (metric, group))
    return one


def ranked(document: CohortDocument, metric: str) -> Ranked:
    (one,) = (r for r in document.ranking if r.metric == metric)
    return one


def values(**given: float | None) -> dict[str, float | None]:
    return {**dict.fromkeys(DIMENSIONS, 0.5), **given}


def two_systems(path: Path, briefs: int = 10) -> Path:
    """Films of two systems for each brief; b is always worse in one checkpoint, and films differ else."""
    rng = np.random.default_rng(0)
    cases = []
    for b in range(briefs):
        for system, gap in (("a", 0.0), ("b", 0.5)):
            own = values(scene_order=float(0.5 + rng.random() / 2 - gap), light_direction=float(rng.random()))
            kind = "narrative" if b % 2 else "action"
            cases.append(
                made.case(f"{system}{b}", own, system=system, brief=f"b{b}", video_type=kind,
                          tags=[f"base_model={'xy'[b % 2]}", "first try"])
            )  # fmt: skip
    return made.folder(path, cases)


def test_what_two_systems_differ_by(tmp_path: Path) -> None:
    document = longtake.cohort([two_systems(tmp_path / "s")], draws=4000)
    assert [g.by for g in document.groups] == ["system", "base_model"]
    assert document.groups[0].shared_briefs == 10
    assert (cell(document, "scene_order", "a").finding, cell(document, "scene_order", "b").finding) == (
        "above",
        "below",
    )
    assert cell(document, "light_direction", "a").finding is None
    assert document.types is not None
    assert document.types.groups == {"action": 10, "narrative": 10}
    assert {c.kind for c in document.types.cells} == {"overall", "dimension"}
    assert all(c.deviation is None for c in document.types.cells)
    assert document.made_with["rubric"] == load_rubric().hash
    assert ranked(document, "scene_order").mean.n == 20
    assert any("what differs may be the system" in note for note in document.notes)
    assert any("0 of 10 briefs have a film of every group" in note for note in document.notes)


def test_the_overall_score_is_weighed_again_for_every_profile(tmp_path: Path) -> None:
    own: dict[str, float | None] = dict(zip(DIMENSIONS, (0.9, 0.5, 0.1, 0.3, 0.7), strict=True))
    folder = made.folder(tmp_path / "s", [made.case("one", own), made.case("two", values(), brief="b2")])
    document = longtake.cohort([folder], draws=DRAWS)
    first, second = document.profiles.cases
    scores = {n: sum(p.weights[d] * (own[d] or 0) for d in WEIGHED) for n, p in profiles().items()}
    assert (first.case, first.n) == ("one", len(profiles()))
    assert (first.low, first.high) == (
        pytest.approx(min(scores.values())),
        pytest.approx(max(scores.values())),
    )
    assert first.high_profile == max(scores, key=scores.__getitem__)
    assert (first.dimension_range, second.spread) == (pytest.approx(0.8), pytest.approx(0))
    assert document.profile == "neutral"
    assert ranked(document, "overall").mean.value == pytest.approx((scores["neutral"] + 0.5) / 2)


def test_films_of_one_profile_keep_it_and_of_several_are_told_for_the_neutral_one(tmp_path: Path) -> None:
    own = values(script=1.0)
    one = made.folder(tmp_path / "one", [made.case("a", own, profile="story-first")])
    assert longtake.cohort([one], draws=DRAWS).profile == "story-first"
    two = made.folder(
        tmp_path / "two",
        [made.case("a", own, profile="story-first"), made.case("b", own, brief="b2", profile="visual-heavy")],
    )
    document = longtake.cohort([two], draws=DRAWS)
    assert document.profile == "neutral"
    assert ranked(document, "overall").mean.value == pytest.approx(0.625)
    assert any("story-first" in note and "visual-heavy" in note for note in document.notes)


def test_one_film_for_seven_profiles_is_one_film(tmp_path: Path) -> None:
    names = [name for name in profiles() if name != "neutral"]
    cases = [made.case(name, values(scene_order=0.4), profile=name, film="same") for name in names]
    document = longtake.cohort([made.folder(tmp_path / "s", cases)], draws=DRAWS)
    assert len(document.cases) == 1
    (doubled,) = document.counted
    assert (doubled.kind, doubled.rows) == ("doubled", 6)
    assert ranked(document, "scene_order").mean.n == 1


def test_one_film_with_two_results_is_refused(tmp_path: Path) -> None:
    one = made.folder(tmp_path / "one", [made.case("a", values(scene_order=0.4), film="same")])
    two = made.folder(tmp_path / "two", [made.case("b", values(scene_order=0.6), film="same")])
    with pytest.raises(InputError, match=r"one/a and two/b are the same film .* differ"):
        longtake.cohort([one, two], draws=DRAWS)


def test_equal_names_in_two_folders_are_told_apart(tmp_path: Path) -> None:
    folders = [
        made.folder(tmp_path / name, [made.case("film", values(), system=name, film=name)]) for name in "ab"
    ]
    document = longtake.cohort(folders, draws=DRAWS)
    assert [case.case for case in document.cases] == ["a/film", "b/film"]


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"rubric": "0123456789abcdef"}, "rubric .* and 01234567"),
        ({"judge": "openai:m, 1 draws at temperature 0"}, "judge none and openai:m"),
        ({"judge": "openai:m", "models": "m-1"}, "judge none and openai:m"),
        ({"signals": "audio 2; shots 5"}, "shots 4 and 5"),
        ({"signals": "audio 2; faces 3 abc; shots 4"}, "faces left out and 3 abc"),
        ({"signals": "audio absent; shots 4"}, "audio 2 and absent"),
    ],
)
def test_what_was_diagnosed_otherwise_is_refused(tmp_path: Path, other: dict[str, str], said: str) -> None:
    alike = made.folder(tmp_path / "x", [made.case(c, values(), brief=c) for c in "ab"])
    odd = made.folder(tmp_path / "y", [made.case("c", values(), made_with={**made.MADE_WITH, **other})])
    with pytest.raises(InputError, match=f"not made in the same way.* 2 cases .*1 case .*{said}"):
        longtake.cohort([alike, odd], draws=DRAWS)


def test_a_film_without_sound_is_comparable_and_what_is_known_of_others_holds(tmp_path: Path) -> None:
    silent = {**made.MADE_WITH, "signals": "audio idle; shots 4"}
    other = {**made.MADE_WITH, "signals": "audio 3; shots 4"}
    cases = [made.case("a", values(), made_with=silent), made.case("b", values(), brief="b2")]
    document = longtake.cohort([made.folder(tmp_path / "s", cases)], draws=DRAWS)
    assert document.made_with["signals"] == {"audio": "2", "shots": "4"}
    more = [*cases, made.case("c", values(), brief="b3", made_with=other)]
    with pytest.raises(InputError, match="audio 2 and 3"):
        longtake.cohort([made.folder(tmp_path / "t", more)], draws=DRAWS)


def test_a_model_that_was_swapped_is_no_judge_of_the_same_cohort(tmp_path: Path) -> None:
    """One film whose judge never answered goes with any model; two models do not go together."""
    judge = {**made.MADE_WITH, "judge": "openai:m"}
    models = {"a": "", "b": "m-1", "c": "m-2"}
    cases = [made.case(n, values(), brief=n, made_with={**judge, "models": m}) for n, m in models.items()]
    document = longtake.cohort([made.folder(tmp_path / "s", cases[:2])], draws=DRAWS)
    assert (document.made_with["judge"], document.made_with["models"]) == ("openai:m", "m-1")
    with pytest.raises(InputError, match="models m-1 and m-2"):
        longtake.cohort([made.folder(tmp_path / "t", cases)], draws=DRAWS)


def test_a_replay_is_the_judge_that_was_recorded(tmp_path: Path) -> None:
    live = {**made.MADE_WITH, "judge": "openai:m, 2 draws at temperature 0.7", "models": "m-1"}
    again = {**live, "judge": f"replay:{live['judge']}"}
    folders = [
        made.folder(tmp_path / name, [made.case(name, values(), brief=name, made_with=way)])
        for name, way in (("live", live), ("again", again))
    ]
    document = longtake.cohort(folders, draws=DRAWS)
    assert document.made_with["judge"] == live["judge"]
    assert len(document.cases) == 2
    other = made.case(
        "x", values(), made_with={**again, "judge": again["judge"].replace("2 draws", "3 draws")}
    )
    with pytest.raises(InputError, match="not made in the same way"):
        longtake.cohort([*folders, made.folder(tmp_path / "other", [other])], draws=DRAWS)


def test_films_judged_in_part_are_counted_and_told(tmp_path: Path) -> None:
    way = {**made.MADE_WITH, "judge": "openai:m, 1 draws at temperature 0", "models": "m-1"}
    why = "9 of 30 questions have no reply: not asked: the budget of 21 calls is spent"
    cases = [
        made.case("whole", values(), brief="b1", made_with=way),
        made.case("part", values(), brief="b2", made_with={**way, CUT_OFF: why}),
    ]
    document = longtake.cohort([made.folder(tmp_path / "s", cases)], draws=DRAWS)
    assert [(c.kind, c.rows, c.examples) for c in document.counted] == [("cut_off", 1, ["part"])]
    assert any("1 of 2 films were judged in part" in n and f"(part: {why})" in n for n in document.notes)
    told = CliRunner().invoke(app, ["cohort", str(tmp_path / "s"), "--draws", str(DRAWS)])
    assert "1 of 2 films were judged in part" in " ".join(told.stdout.split())


def test_a_diagnosis_alone_says_what_its_judge_left_open() -> None:
    facts = JudgeFacts(name="openai:m", asked=30, answered=20, not_answered={"budget": 9, "refused": 1})
    assert _cut_off(facts) == "9 of 30 questions have no reply"
    assert _cut_off(facts.model_copy(update={"not_answered": {"refused": 10}})) is None
    assert _cut_off(None) is None


def test_a_film_that_could_not_be_read_counts_as_asked(tmp_path: Path) -> None:
    scored, result = made.case("broken", {}, made_with={}, brief="b2")
    bare = [m.model_copy(update={"facts": {}, "reason": "no film"}) for m in result.measurements]
    broken = (
        scored.model_copy(update={"reason": "no film", "hash": None}),
        result.model_copy(update={"measurements": bare, "details": []}),
    )
    folder = made.folder(tmp_path / "s", [made.case("a", values(scene_order=0.4)), broken])
    document = longtake.cohort([folder], draws=DRAWS)
    found = ranked(document, "scene_order")
    assert (found.mean.value, found.mean.n, found.mean.n_asked) == (0.4, 1, 2)
    assert [(c.kind, c.rows, c.examples) for c in document.counted] == [("unread", 1, ["broken"])]
    alone = made.folder(tmp_path / "t", [broken])
    with pytest.raises(InputError, match="none of the films could be diagnosed"):
        longtake.cohort([alone], draws=DRAWS)


def test_a_table_of_cases_fills_in_and_must_agree(tmp_path: Path) -> None:
    folder = made.folder(
        tmp_path / "s", [made.case(c, values(), system=None, brief=c) for c in ("a", "b", "c")]
    )
    cases = tmp_path / "cases.csv"
    cases.write_text("case,system,team,tags\na,one,red,\nb,two,blue,base_model=x\n")
    document = longtake.cohort([folder], cases=cases, by=["system", "team", "base_model"], draws=DRAWS)
    assert [g.groups for g in document.groups] == [{"one": 1, "two": 1}, {"blue": 1, "red": 1}, {"x": 1}]
    assert {c.kind: c.rows for c in document.counted} == {"unknown_case": 1, "no_group": 1}
    named = made.folder(tmp_path / "t", [made.case("a", values(), system="other")])
    with pytest.raises(InputError, match="system of a is one, but it was scored as other"):
        longtake.cohort([named], cases=cases, draws=DRAWS)
    with pytest.raises(UsageError, match="no case has a colour"):
        longtake.cohort([folder], by=["colour"], draws=DRAWS)


def test_so_few_draws_that_nothing_can_be_found_are_told(tmp_path: Path) -> None:
    folder = two_systems(tmp_path / "s")
    assert any("nothing can be found with under" in n for n in longtake.cohort([folder], draws=50).notes)
    assert not any("nothing can be found" in n for n in longtake.cohort([folder], draws=4000).notes)


def run(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["cohort", *map(str, arguments)])
    error = done.exception
    if isinstance(error, longtake.LongtakeError):
        return error.exit_code, done.stdout, f"{error.message} {error.hint}"
    assert error is None or isinstance(error, SystemExit), error
    return done.exit_code, done.stdout, done.stderr


def test_bad_folders_are_a_few_words(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "score.json").write_text('{"schema": "longtake.score/1", "results": [')
    other = made.folder(tmp_path / "other", [])
    scored, result = made.case("a", values())
    facts = {"n_scored": 1, "n_active": 1, "covered_weight": 1.0}
    old = [m.model_copy(update={"facts": facts}) for m in result.measurements]
    made.folder(tmp_path / "old", [(scored, result.model_copy(update={"measurements": old, "details": []}))])
    for name, said in {
        "missing": "is not a folder",
        "empty": "holds no diagnosis",
        "torn": "cannot be read",
        "other": "not by diagnosis",
        "old": "scored by an older longtake",
    }.items():
        code, _, error = run(tmp_path / name)
        assert (code, said in error) == (3, True), (name, error)
    assert run(other, "--out", other)[0] == 2
    assert run(two_systems(tmp_path / "s"), "--level", "2")[0] == 2


def test_the_command_writes_every_analysis(tmp_path: Path) -> None:
    folder, out = two_systems(tmp_path / "s"), tmp_path / "out"
    code, text, _ = run(folder, "--out", out, "--draws", 4000)
    assert code == 0
    assert "below the others in scene_order" in " ".join(text.split())
    document = CohortDocument.model_validate_json((out / "cohort.json").read_text())
    with (out / "by-system.csv").open(newline="") as file:
        rows = {(r["metric"], r["system"]): r for r in csv.DictReader(file)}
    kept = cell(document, "scene_order", "b")
    assert kept.deviation is not None
    row = rows["scene_order", "b"]
    assert float(row["deviation_value"]) == kept.deviation.value
    assert (row["n"], row["n_asked"], row["finding"]) == ("10", "10", "below")
    names = {path.name for path in out.iterdir()}
    assert names >= {"ranking.csv", "types.csv", "by-base_model.csv", "profiles.csv", "cohort.html"}
    assert {p.stem for p in (out / "figures").iterdir()} >= {
        "signature-01",
        "ranking",
        "means-01",
        "profiles",
    }
    code, text, _ = run(folder, "--json", "--draws", DRAWS)
    assert json.loads(text)["schema"] == "longtake.cohort/1"
    page = (out / "cohort.html").read_text()
    (out / "cohort.html").unlink()
    assert CliRunner().invoke(app, ["report", str(out)]).exit_code == 0
    assert (out / "cohort.html").read_text() == page


def test_one_system_leaves_the_other_analyses(tmp_path: Path) -> None:
    cases = [made.case(f"c{i}", values(scene_order=i / 10), brief=f"b{i}") for i in range(9)]
    code, text, _ = run(made.folder(tmp_path / "s", cases), "--draws", DRAWS, "--out", tmp_path / "out")
    assert code == 0
    assert "no comparison: only one system (one)" in " ".join(text.split())
    assert "scene_order" in text
    assert not (tmp_path / "out" / "figures" / "signature-01.svg").exists()


CLIPS: Sequence[str] = (
    "1_shots/gcs_chrome-clip.mp4",
    "1_shots/ax_bbb_800x640_768kbps_30fps_avc_pyramid_3b.mp4",
)


@pytest.mark.media
def test_real_clips_scored_and_diagnosed(tmp_path: Path, media: Path) -> None:
    """Clips as they are against the same with flicker: scored in a table, and one of them by itself."""
    rows = ["case,video,brief,system,tags"]
    for i, name in enumerate(CLIPS):
        brief = {"meta_id": f"m{i}", "video_type": "action", "duration_sec": 4, "main_instruction": "a clip"}
        (tmp_path / f"b{i}.json").write_text(json.dumps(brief))
        longtake.perturb(media / name, "flicker", "strong", out=tmp_path / f"w{i}.mp4")
        rows += [f"p{i},{media / name},b{i}.json,plain,base_model=x"]
        rows += [f"w{i},w{i}.mp4,b{i}.json,flickering,base_model=x"]
    (tmp_path / "films.csv").write_text("\n".join(rows) + "\n")
    scored = longtake.score(tmp_path / "films.csv", ["diagnosis"], signals="light", out=tmp_path / "scored")
    alone = longtake.diagnose(
        media / CLIPS[0], brief=tmp_path / "b0.json", signals="light", out=tmp_path / "all" / "p0"
    )
    own = {m.name: m for m in scored.results[0].details}
    points: list[Any] = [*alone.submetrics, *alone.checkpoints, *alone.report_metrics]
    assert {p.id: (p.status, p.value, p.confidence) for p in points} == {
        name: (m.status, m.value, m.confidence) for name, m in own.items()
    }
    with (tmp_path / "scored" / "details.csv").open(newline="") as file:
        kept = {(r["case"], r["detail"]): r for r in csv.DictReader(file)}
    assert len(kept) == 4 * len(points)
    assert kept["p0", "exposure_stability"]["video_type"] == "action"
    assert kept["p0", "exposure_stability"]["kind"] == "checkpoint"
    document = longtake.cohort([tmp_path / "scored", tmp_path / "all"], draws=DRAWS)
    assert [(c.kind, c.rows) for c in document.counted] == [("doubled", 1)]
    assert document.groups[0].groups == {"flickering": 2, "plain": 2}
    plain, worse = (cell(document, "exposure_stability", s) for s in ("plain", "flickering"))
    assert plain.mean.value == 1
    assert worse.mean.value is not None
    assert worse.mean.value < 0.5
    assert worse.deviation is not None
    assert worse.deviation.value == pytest.approx((worse.mean.value - 1) / 2)
    assert worse.finding is None
    assert "2 briefs are too few" in str(worse.deviation.reason)
    assert document.made_with["judge"] is None
    assert document.made_with["signals"]["shots"].isdigit()
