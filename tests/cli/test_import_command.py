"""Result files of VBench, VBench-Long and VideoScore2 as a table: units, films, what is told and refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from longtake.cli.app import app
from longtake.core.imports import COLUMNS, ImportDocument
from longtake.datasets.importing import import_results
from longtake.errors import InputError, UsageError
from longtake.execution.score_tables import COLUMNS as OURS

FILMS = ("videos/a.mp4", "videos/b.mp4")


def items(*values: Any, films: tuple[str, ...] = FILMS) -> list[dict[str, Any]]:
    return [{"video_path": f, "video_results": v} for f, v in zip(films, values, strict=True)]


VBENCH = {
    "subject_consistency": [0.93, items(0.9, 0.98)],
    "imaging_quality": [0.65, items(60.0, 70.0)],
    "dynamic_degree": [0.5, items(True, False)],
    "object_class": [0.1, items(0.1, 0.1)],
}
"""As evaluate() of VBench writes it: percentages and truths among shares, and aggregates in shares."""


def clips(film: str, *values: Any) -> list[dict[str, Any]]:
    return [
        {"video_path": f"v/split_clip/{film}/{film}_{i:03d}.mp4", "video_results": v}
        for i, v in enumerate(values)
    ]


def fused(film: str, within: float, between: float, whole: float) -> dict[str, Any]:
    return {
        "video_path": f"v/{film}.mp4",
        "inclip_score": within,
        "clip2clip_score": between,
        "mapped_clip2clip_score": 2 * whole - within,
        "video_results": whole,
    }


LONG = {
    "subject_consistency": [0.8, [fused("a", 0.9, 0.5, 1.02), fused("b", 0.9, 0, 0.1)]],
    "imaging_quality": [
        0.7,
        clips("a", 60.0, 70.0, 80.0) + clips("b", 70.0),
        [{"video_path": "v/a.mp4", "video_results": 70.0}, {"video_path": "v/b.mp4", "video_results": 70.0}],
    ],
    "dynamic_degree": [
        0.5,
        clips("a", True, False, True) + clips("b", False),
        [{"video_path": "v/a.mp4", "video_results": 2 / 3}, {"video_path": "v/b.mp4", "video_results": 0.0}],
    ],
}


def reply(v: Any, t: Any, p: Any) -> str:
    return (
        f"<think>visual quality: 1 at first</think>\n(1) visual quality: {v}\n"
        f"(2) text-to-video alignment: {t}\n(3) physical/common-sense consistency: {p}\n"
    )


def film2(name: str, v: Any, t: Any, p: Any, said: str | None = None) -> dict[str, Any]:
    scores = {"v_score_model": v, "t_score_model": t, "p_score_model": p}
    return {"video_name": name, "prompt": "x", "v_score_gt": 3, **scores, "output": said or reply(v, t, p)}


def written(folder: Path, data: Any) -> Path:
    path = folder / "x_eval_results.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


def scores(document: ImportDocument, evaluator: str) -> list[float | None]:
    return [row.score for row in document.rows if row.evaluator == evaluator]


def test_columns_are_those_of_our_scores_and_one_more() -> None:
    assert (*OURS["scores.csv"], "there") == COLUMNS


def test_vbench_in_one_unit_and_its_aggregates_beside(tmp_path: Path) -> None:
    found = import_results("vbench", written(tmp_path, VBENCH))
    assert scores(found, "vbench:imaging_quality") == pytest.approx([0.6, 0.7])
    assert scores(found, "vbench:dynamic_degree") == [1, 0]
    subject = found.evaluators["vbench:subject_consistency"]
    assert (subject.value, subject.told) == (pytest.approx(0.94), 0.93)
    assert subject.difference == pytest.approx(-0.01)
    assert "over frames" in (subject.why or "")
    assert found.evaluators["vbench:imaging_quality"].why is None  # .65 is the mean of .6 and .7
    assert [one.what for one in found.left_out] == ["object_class"]
    assert not any(name.startswith("vb.") for name in found.evaluators)
    off = import_results("vbench", written(tmp_path, {"imaging_quality": [0.6, items(60.0, 70.0)]}))
    assert off.evaluators["vbench:imaging_quality"].why == "why is not known"
    older = import_results("vbench", written(tmp_path, {"imaging_quality": [65.0, items(60.0, 70.0)]}))
    assert older.evaluators["vbench:imaging_quality"].told == pytest.approx(0.65)


def test_vbench_long_by_films_with_what_it_could_not_compare_unscored(tmp_path: Path) -> None:
    found = import_results("vbench-long", written(tmp_path, LONG))
    assert scores(found, "vbench-long:subject_consistency") == [1.02, None]
    assert "one clip" in (found.rows[1].reason or "")
    assert scores(found, "vbench-long:dynamic_degree") == pytest.approx([2 / 3, 0])
    dynamic, imaging = (found.evaluators[f"vbench-long:{n}"] for n in ("dynamic_degree", "imaging_quality"))
    assert dynamic.difference == pytest.approx(0.5 - 1 / 3)
    assert "over clips" in (dynamic.why or "")
    assert (imaging.clip_s, imaging.flags) == (2.0, [])
    for mixed in (
        {**LONG, "overall_consistency": [0.2, clips("a", 0.2), []]},
        {
            **LONG,
            "motion_smoothness": [
                0.9,
                clips("a", *[0.9] * 9),
                [{"video_path": "v/a.mp4", "video_results": 0.9}],
            ],
        },
    ):
        flagged = import_results("vbench-long", written(tmp_path, mixed)).evaluators
        assert flagged["vbench-long:imaging_quality"].clip_s is None
        assert "mixed run" in flagged["vbench-long:imaging_quality"].flags[0]
        assert flagged["vbench-long:dynamic_degree"].flags == []


def test_the_two_are_never_taken_for_one_another(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="written by VBench, whose"):
        import_results("vbench-long", written(tmp_path, VBENCH))
    with pytest.raises(InputError, match="written by VBench-Long"):
        import_results("vbench", written(tmp_path, LONG))


def test_videoscore2_hard_and_soft_are_not_one_column(tmp_path: Path) -> None:
    hard = import_results(
        "videoscore2", written(tmp_path, [film2("a", 4, 3, 5), film2("b", None, None, None, "no idea")])
    )
    assert scores(hard, "videoscore2:visual_quality") == [4, None]
    assert hard.rows[1].reason == "no score could be read in the reply"
    assert [one.what for one in hard.left_out] == ["v_score_gt"]
    other = import_results("videoscore2", written(tmp_path, [film2("a", 4, 3, 5, reply(2, 3, 5))]))
    assert scores(other, "videoscore2:visual_quality") == [None]
    assert other.rows[0].reason == "the file has 4, and the reply says 2"
    soft = import_results("videoscore2", written(tmp_path, [film2("a", 3.99, 0.9, 2.3, reply(4, 4, 4))]))
    assert set(soft.evaluators) == {
        f"videoscore2-soft:{n}" for n in ("visual_quality", "text_to_video_alignment", "physical_consistency")
    }
    assert scores(soft, "videoscore2-soft:text_to_video_alignment") == [0.9]
    assert "1 of 1 lie more than" in soft.evaluators["videoscore2-soft:physical_consistency"].flags[1]
    assert len(soft.evaluators["videoscore2-soft:visual_quality"].flags) == 1


def test_values_outside_of_their_range_are_unscored(tmp_path: Path) -> None:
    data = {"aesthetic_quality": [3.2, items(10.98, 0.5)], "dynamic_degree": [0.5, items(0.5, None)]}
    found = import_results("vbench", written(tmp_path, data))
    assert [row.reason for row in found.rows] == [
        "10.98 is outside of 0 to 1",
        None,
        "0.5 is neither true nor false",
        "the file has no value of it",
    ]


@pytest.mark.parametrize(
    ("source", "data", "told"),
    [
        ("vbench", "{", "is not JSON"),
        ("vbench", [], "no dimensions by name"),
        ("vbench", {"motion_smoothness": 0.9}, "no list of an aggregate"),
        ("vbench", {"motion_smoothness": [0.9, [{"video_path": "a"}]]}, "item 1: no video_path"),
        ("vbench", {"motion_smoothness": [0.9, items(0.9, 0.8, films=("a", "a"))]}, "two values of 'a'"),
        ("vbench", {"color": [0.9, items(0.9, 0.8)]}, "nothing that is imported"),
        ("vbench", {"imaging_quality": [0.9, items(0.9, 0.8)]}, "nothing that is imported"),
        ("videoscore2", {"a": 1}, "no list of films"),
        ("videoscore2", [{"video_name": "a"}], "item 1: no v_score_model"),
        ("videoscore2", [film2("a", 1, 1, 1)] * 2, "stands there twice"),
    ],
)
def test_bad_files_are_a_few_lines(tmp_path: Path, source: Any, data: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        import_results(source, written(tmp_path, data))


NOT_FINITE = "it is no finite number"


@pytest.mark.parametrize("number", ["NaN", "1e999", "1" + "0" * 400, "1" + "0" * 5000])
def test_a_value_that_is_no_finite_number_is_unscored(tmp_path: Path, number: str) -> None:
    for name in ("subject_consistency", "dynamic_degree"):
        data = json.dumps({name: ["@", items("@", 0)]}).replace('"@"', number)
        found = import_results("vbench", written(tmp_path, data))
        assert [(row.score, row.reason) for row in found.rows] == [(None, NOT_FINITE), (0, None)]
        own = found.evaluators[f"vbench:{name}"]
        assert (own.value, own.told) == (0, None)
        assert own.flags[0].endswith("is no number")
    data = json.dumps([film2("a", "@", 3, 5, "no")]).replace('"@"', number)
    found = import_results("videoscore2", written(tmp_path, data))
    assert [(row.score, row.reason) for row in found.rows] == [(None, NOT_FINITE), (3, None), (5, None)]


def test_sums_of_huge_numbers_are_never_made(tmp_path: Path) -> None:
    whole = [fused("a", 0.9, 0.5, 1e308), fused("b", 0.9, 0.5, 1e308)]
    found = import_results("vbench-long", written(tmp_path, {"subject_consistency": [1e308, whole]}))
    assert [(row.score, row.reason) for row in found.rows] == [(None, "1e+308 is too large to work with")] * 2
    assert found.evaluators["vbench-long:subject_consistency"].told is None


def test_a_reply_may_say_a_number_of_any_length(tmp_path: Path) -> None:
    said = "visual quality: " + "9" * 5000
    found = import_results("videoscore2", written(tmp_path, [film2("a", 4, 3, 5, said)]))
    assert scores(found, "videoscore2:visual_quality") == [None]
    assert found.rows[0].reason == "the file has 4, and the reply says inf"


def test_names_in_a_file_are_texts_that_tables_and_terminals_can_hold(tmp_path: Path) -> None:
    red = "=1\n\x1b[31m.mp4"
    data = {
        "subject_consistency": [0.9, items(0.9, 0.8, films=("\ud800.mp4", red))],
        "odd\x1b[31m\ud800": [0.9, items(0.9, 0.8)],
    }
    path, table = written(tmp_path, data), tmp_path / "t.csv"
    done = run("import", "vbench", str(path), "--out", str(table))
    assert done.exit_code == 0, done.output
    assert "left out: odd" in done.output
    assert "\x1b" not in done.output
    document = json.loads(run("import", "vbench", str(path), "--json").stdout)
    assert [row["case"] for row in document["rows"]] == ["?.mp4", red]
    assert document["left_out"][0]["what"] == "odd\x1b[31m\ufffd"
    with table.open(newline="") as file:
        assert [row["case"] for row in csv.DictReader(file)] == ["?.mp4", red]  # as scores.csv holds names
    cases = manifest(tmp_path, "one,videos/a.mp4,sora,4")
    with pytest.raises(InputError, match="no film of") as caught:
        import_results("vbench", path, manifest=cases)
    assert str(caught.value.hint).startswith("the file calls them like '?.mp4'")
    with pytest.raises(InputError, match="nothing that is imported") as caught:
        import_results("vbench", written(tmp_path, {red: data["subject_consistency"]}))
    assert caught.value.hint == f"left out: {red!r}"


@pytest.mark.parametrize(
    ("name", "told"),
    [("", "name is empty"), (" ", "name is empty"), ("a\0.mp4", r"'a\\x00.mp4' holds a NUL character")],
)
def test_names_that_are_none_are_refused_with_their_place(tmp_path: Path, name: str, told: str) -> None:
    data = {"motion_smoothness": [0.9, items(0.9, 0.8, films=("a", name))]}
    cases = manifest(tmp_path, "one,videos/a.mp4,sora,4")
    for given in (None, cases):
        with pytest.raises(InputError, match=f"motion_smoothness, item 2: .*{told}"):
            import_results("vbench", written(tmp_path, data), manifest=given)
    with pytest.raises(InputError, match=f"item 2: .*{told}"):
        import_results("videoscore2", written(tmp_path, [film2("a", 1, 1, 1), film2(name, 1, 1, 1)]))


def manifest(folder: Path, *rows: str, head: str = "case,video,system,duration") -> Path:
    for row in rows:
        film = folder / row.split(",")[1]
        film.parent.mkdir(exist_ok=True, parents=True)
        film.touch()
    path = folder / "cases.csv"
    path.write_text("\n".join([head, *rows]))
    return path


def test_films_are_joined_by_id_file_or_column_and_never_by_a_like_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, VBENCH)
    cases = manifest(
        tmp_path, "one,videos/a.mp4,sora,4", "videos/b.mp4,other/b.mp4,wan,4", "three,c.mp4,wan,9"
    )
    monkeypatch.chdir(tmp_path)
    found = import_results("vbench", path, manifest=cases)
    own = [row for row in found.rows if row.evaluator == "vbench:dynamic_degree"]
    assert [(r.case, r.system, r.score) for r in own] == [
        ("one", "sora", 1),  # the same file
        ("videos/b.mp4", "wan", 0),  # the case's id
        ("three", "wan", None),
    ]
    assert own[2].reason == "the file has no result of it"
    assert any("1 films are of a length for which vbench-long" in note for note in found.notes)
    monkeypatch.chdir(
        tmp_path.parent
    )  # from elsewhere videos/a.mp4 is no file: nothing is guessed from its name
    found = import_results("vbench", path, manifest=cases)
    assert [r.case for r in found.rows if r.score is not None] == ["videos/b.mp4"] * 3
    assert any("1 films of the file are not in the manifest" in note for note in found.notes)
    named = manifest(tmp_path, "x,a.mp4,videos/a.mp4", "y,b.mp4,videos/b.mp4", head="case,video,theirs")
    assert {r.case for r in import_results("vbench", path, manifest=named, by="theirs").rows} == {"x", "y"}
    with pytest.raises(InputError, match="no film of"):
        import_results("vbench", path, manifest=named)
    with pytest.raises(InputError, match="no column 'their'"):
        import_results("vbench", path, manifest=named, by="their")


def run(*args: str) -> Any:
    return CliRunner().invoke(app, list(args))


def test_the_command_writes_what_meta_reads(tmp_path: Path) -> None:
    films = tuple(f"v/{k}.mp4" for k in range(8))
    quality = [0.4, 0.9, 0.3, 0.8, 0.5, 0.7, 0.2, 0.6]
    path = written(tmp_path, {"aesthetic_quality": [0.55, items(*quality, films=films)]})
    table = tmp_path / "theirs.csv"
    done = run("import", "vbench", str(path), "--out", str(table), "--json")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert document["schema"] == "longtake.import/1"
    assert ImportDocument.model_validate(document).evaluators["vbench:aesthetic_quality"].n == 8
    with table.open() as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == COLUMNS
    assert [float(row["score"]) for row in rows] == quality
    human = tmp_path / "human.csv"
    human.write_text(
        "case,human\n" + "\n".join(f"{f},{int(q * 10)}" for f, q in zip(films, quality, strict=True))
    )
    said = run("meta", "correlation", str(table), "--cases", str(human), "--json", "--draws", "100")
    assert said.exit_code == 0, said.output
    assert "vbench:aesthetic_quality" in json.loads(said.stdout)["evaluators"]


def test_wrong_use(tmp_path: Path) -> None:
    path = written(tmp_path, VBENCH)
    for args, error in ((["--by", "x"], UsageError), (["--out", str(tmp_path / "t.xlsx")], UsageError)):
        done = run("import", "vbench", str(path), *args)
        assert isinstance(done.exception, error)
    assert isinstance(run("import", "vbench", str(tmp_path / "gone.json")).exception, InputError)
    people = run("import", "vbench", str(path))
    assert people.exit_code == 0
    assert "vbench:subject_consistency: 0.9400 (2 of 2 films, share)" in people.output
