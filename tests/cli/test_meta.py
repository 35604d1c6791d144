"""``longtake meta`` as a script sees it: exit codes, strict JSON, tables of any make, the output folder."""

from __future__ import annotations

import csv
import json
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from longtake.cli.app import main
from longtake.core.measurement import Evidence, Measurement
from longtake.core.meta import MetaDocument
from longtake.core.scores import CaseResult, PairResult, ScoredCase, ScoreDocument, ScoredPair
from longtake.storage.tables import write_csv, write_parquet

FAST = ("--draws", "200")


@pytest.fixture
def longtake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs the command line in an empty folder: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["longtake", *map(str, arguments)])
        monkeypatch.setattr("longtake.cli.output._printed", False)
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return run


def document(text: str) -> dict[str, Any]:
    """Strict JSON that is a document of the schema."""

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    found: dict[str, Any] = json.loads(text, parse_constant=refuse)
    MetaDocument.model_validate(found)
    return found


def answers(pairs: int = 40, seed: int = 1) -> list[dict[str, Any]]:
    """Three evaluators: one right at 80 %, a judge that always says the first, one that always says a tie."""
    draw = random.Random(seed)
    rows = []
    for i in range(pairs):
        pair = {"pair": f"p{i}", "source": f"s{i // 2}", "aspect": ("color", "style")[i % 2]}
        right = "a" if draw.random() < 0.8 else "b"
        rows.append({"evaluator": "good", **pair, "order": None, "choice": right})
        rows.append({"evaluator": "first", **pair, "order": "ab", "choice": "a"})
        rows.append({"evaluator": "first", **pair, "order": "ba", "choice": "b"})
        rows.append({"evaluator": "shrug", **pair, "order": None, "choice": "tie"})
    return rows


def test_pairwise_from_any_form_says_the_same(longtake: Any, tmp_path: Path) -> None:
    rows = answers()
    write_csv(tmp_path / "a.csv", rows)
    write_parquet(tmp_path / "a.parquet", rows)
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "a.json").write_text(json.dumps(rows))
    with open(tmp_path / "b.csv", "w", encoding="utf-16", newline="") as file:
        writer = csv.DictWriter(file, rows[0], delimiter=";", lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(rows)
    said = []
    for name in ("a.csv", "a.parquet", "a.jsonl", "a.json", "b.csv"):
        code, out, err = longtake("meta", "pairwise", name, "--json", *FAST)
        assert (code, err) == (0, "")
        found = document(out)
        assert found.pop("table")["rows"] == len(rows)
        said.append(found)
    assert all(one == said[0] for one in said)
    first = said[0]["evaluators"]["first"]["overall"]
    assert first["accuracy"]["value"] == 0.5
    assert first["consistency"]["value"] == 0
    assert first["first_choice"]["value"] == 1
    assert said[0]["evaluators"]["constant"]["baseline"] is True
    count = sum(r["choice"] == "a" for r in rows if r["evaluator"] == "good")
    assert said[0]["evaluators"]["good"]["overall"]["accuracy"]["value"] == pytest.approx(count / 40)


def test_the_same_seed_gives_the_same_and_another_level_another(longtake: Any, tmp_path: Path) -> None:
    write_csv(tmp_path / "a.csv", answers())
    runs = [
        document(longtake("meta", "pairwise", "a.csv", "--json", *FAST, *more)[1])["evaluators"]["good"][
            "overall"
        ]
        for more in ((), (), ("--level", "0.8"))
    ]
    assert runs[0] == runs[1]
    wide, narrow = (r["accuracy"]["high"] - r["accuracy"]["low"] for r in (runs[0], runs[2]))
    assert narrow < wide
    assert runs[2]["accuracy"]["level"] == 0.8


def test_what_is_left_out_is_counted_and_said(longtake: Any, tmp_path: Path) -> None:
    rows = [r for r in answers() if (r["pair"], r["order"]) != ("p0", "ba")]
    rows += [rows[0], {**rows[0], "pair": "zz", "source": "zz"}]
    write_csv(tmp_path / "a.csv", rows)
    write_csv(tmp_path / "pairs.csv", [{"pair": f"p{i}"} for i in range(40)])
    code, out, _ = longtake("meta", "pairwise", "a.csv", "--pairs", "pairs.csv", "--json", *FAST)
    found = document(out)
    assert code == 0
    assert {c["kind"]: c["rows"] for c in found["table"]["counted"]} == {
        "unknown_pair": 1,
        "doubled": 1,
        "missing_order": 1,
    }
    assert found["evaluators"]["first"]["overall"]["accuracy"]["n"] == 79
    assert found["evaluators"]["first"]["overall"]["accuracy"]["n_asked"] == 80
    _, said, _ = longtake("meta", "pairwise", "a.csv", "--pairs", "pairs.csv", *FAST)
    assert "What could not be used as it is" in said
    assert "\x1b" not in said


BAD = {
    "no such table": (["pairwise", "no.csv"], 3, "No such file"),
    "not a table": (["pairwise", "bytes.csv"], 3, "not text in UTF-8"),
    "missing column": (["pairwise", "scores.csv"], 3, "lacks the columns pair, aspect, order"),
    "wrong word": (["pairwise", "first.csv"], 3, "line 2: choice is 'first'"),
    "contradiction": (["pairwise", "twice.csv"], 3, "line 2 and line 3"),
    "strength below 0": (["sensitivity", "below.csv"], 3, "line 3: strength is -0.5, below 0"),
    "unknown ties": (["pairwise", "ok.csv", "--ties", "maybe"], 2, "'maybe' is no way"),
    "level": (["pairwise", "ok.csv", "--level", "95"], 2, "--level 95"),
    "draws": (["pairwise", "ok.csv", "--draws", "1"], 2, "--draws"),
    "unknown evaluator": (["pairwise", "ok.csv", "--lower-is-better", "nobody"], 3, "'nobody'"),
    "column that is not there": (
        ["pairwise", "ok.csv", "--column", "choice=answer"],
        2,
        "no column 'answer'",
    ),
    "no column": (["pairwise", "ok.csv", "--column", "choice"], 2, "names no column"),
    "no study": (["pairwize", "ok.csv"], 2, "pairwize"),
    "pairs without pair": (["pairwise", "ok.csv", "--pairs", "scores.csv"], 3, "lacks the column pair"),
    "nothing left": (["pairwise", "ok.csv", "--pairs", "other.csv"], 3, "no row is left"),
    "a folder of nothing": (["pairwise", "nothing"], 3, "holds no pairwise.csv"),
    "a folder of films without strengths": (["sensitivity", "films"], 3, "were scored without strengths"),
    "a folder of films, not pairs": (["localisation", "films"], 3, "longtake score a table of pairs"),
    "a folder of scores, not votes": (["filter", "films"], 3, "pair, aspect, rater, vote"),
    "what contradicts itself": (["pairwise", "twice.csv"], 3, "choice is 'a' and 'b'"),
    "best of nothing": (["sensitivity", "scores.csv", "--best", "score"], 2, "not a number"),
    "scores, not votes": (["filter", "score.json"], 3, "not votes"),
    "damaged scores": (["pairwise", "broken.json"], 3, "damaged document"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_mistake_is_a_few_lines(longtake: Any, tmp_path: Path, name: str, form: str) -> None:
    write_csv(tmp_path / "ok.csv", answers(4))
    write_csv(tmp_path / "other.csv", [{"pair": "zz"}])
    write_csv(tmp_path / "scores.csv", [{"case": "c", "family": "f", "strength": 0, "score": 1}])
    write_csv(tmp_path / "first.csv", [{**answers(1)[1], "choice": "first"}])
    write_csv(tmp_path / "twice.csv", [answers(1)[1], {**answers(1)[1], "choice": "b"}])
    (tmp_path / "bytes.csv").write_bytes(b"pair\xff\n")
    strengths = [{"case": f"c{s}", "family": "f", "strength": s, "score": 1} for s in (0, -0.5)]
    write_csv(tmp_path / "below.csv", strengths)
    (tmp_path / "nothing").mkdir()
    (tmp_path / "films").mkdir()
    write_csv(tmp_path / "films" / "scores.csv", [{"case": "c", "score": 1}])
    (tmp_path / "score.json").write_text(scored().model_dump_json(by_alias=True))
    (tmp_path / "broken.json").write_text('{"schema": "longtake.score/1", "results": 3}')
    arguments, expected, words = BAD[name]
    code, out, err = longtake("meta", *arguments, *(["--json"] if form == "json" else []))
    assert code == expected
    assert words in err
    assert len(err.splitlines()) <= 3
    assert "Traceback" not in err
    if form == "json":
        assert json.loads(out)["error"]["exit_code"] == expected
    else:
        assert out == ""


def test_no_study_is_a_mistake_with_words(longtake: Any) -> None:
    code, _, err = longtake("meta")
    assert code == 2
    assert err.splitlines() == ["longtake: no command is named", "  see: longtake meta --help"]


def scored() -> ScoreDocument:
    """What longtake score says of six pairs, by one evaluator that sees the damage and by a cue."""

    def measured(name: str, value: float, *spans: tuple[float, float]) -> Measurement:
        evidence = [Evidence(start=s, end=e, what="damage") for s, e in spans]
        return Measurement(name=name, status="scored", value=value, low=None, high=None, evidence=evidence)

    results, preferences, cases, pairs = [], [], [], []
    for i in range(6):
        a, b = f"a{i}", f"b{i}"
        for case, value in ((a, 0.9), (b, 0.4)):
            cases.append(
                ScoredCase(case=case, video=f"{case}.mp4", hash="0", system="real", brief=f"{i}.txt")
            )
            results.append(CaseResult(case=case, evaluator="mine", measurements=[measured("sharp", value)]))
            length = CaseResult(
                case=case, evaluator="cue.duration", measurements=[measured("seconds", 120.0)]
            )
            results.append(length)
        pairs.append(ScoredPair(pair=f"p{i}", source=a, aspect="color", case_a=a, case_b=b))
        seen = [Evidence(start=1, end=4, what="damage")]
        preferences.append(
            PairResult(
                pair=f"p{i}",
                evaluator="mine",
                order="ab",
                choice="a",
                status="scored",
                reason=None,
                evidence=seen,
            )
        )
        preferences.append(
            PairResult(
                pair=f"p{i}", evaluator="cue.duration", order="ab", choice="tie", status="scored", reason=None
            )
        )
    return ScoreDocument(results=results, preferences=preferences, cases=cases, pairs=pairs)


def test_what_longtake_score_printed_goes_through_the_studies(longtake: Any, tmp_path: Path) -> None:
    (tmp_path / "score.json").write_text(json.dumps(scored().to_json(), indent=2))
    write_csv(tmp_path / "pairs.csv", [{"pair": f"p{i}", "changed": "[[1, 5], [9, 9.5]]"} for i in range(6)])
    people = [{"case": f"{x}{i}", "human": h + i / 10} for i in range(6) for x, h in (("a", 4), ("b", 2))]
    write_csv(tmp_path / "people.csv", people)
    _, out, err = longtake("meta", "pairwise", "score.json", "--json", *FAST)
    found = document(out)["evaluators"]
    assert err == ""
    assert found["mine"]["overall"]["accuracy"]["value"] == 1
    assert found["cue.duration"]["baseline"] is True
    assert found["cue.duration"]["overall"]["ties"]["value"] == 1
    _, out, _ = longtake("meta", "localisation", "score.json", "--pairs", "pairs.csv", "--json", *FAST)
    mine = document(out)["evaluators"]["mine"]["overall"]
    assert (mine["pointed"]["value"], mine["pointed"]["n"]) == (0.5, 12)
    assert mine["control_minutes"] == 12
    # What a pair manifest says of a mere copy: nothing suffers, so it is a control, apart from its aspect.
    meant = [{"pair": f"p{i}", "changed": "[[1, 5]]", "spared": "color"} for i in range(6)]
    write_csv(
        tmp_path / "meant.csv", [{**row, "suffer": "color" if i else None} for i, row in enumerate(meant)]
    )
    for study, figure in (("pairwise", "accuracy"), ("localisation", "pointed")):
        _, out, _ = longtake("meta", study, "score.json", "--pairs", "meant.csv", "--json", *FAST)
        mine = document(out)["evaluators"]["mine"]
        assert (mine["overall"][figure]["n"], mine["controls"]) == (5, ["color (control)"])
    _, out, _ = longtake("meta", "correlation", "score.json", "--cases", "people.csv", "--json", *FAST)
    found = document(out)["evaluators"]
    assert found["mine"]["pooled"]["spearman"]["n"] == 12
    assert found["mine"]["pooled"]["spearman"]["value"] > 0.8
    assert found["cue.duration"]["pooled"]["spearman"]["value"] is None


def sensitive(films: int = 12) -> list[dict[str, Any]]:
    draw = random.Random(5)
    return [
        {
            "evaluator": e,
            "case": f"c{i}",
            "source": f"c{i}",
            "family": "shuffle",
            "strength": s,
            "score": round(0.8 - k * s + draw.gauss(0, 0.02), 4),
        }
        for e, k in (("falls", 0.5), ("blind", 0.0), ("error", -0.5))
        for i in range(films)
        for s in (0, 0.2, 0.4, 0.8)
    ]


def test_sensitivity_in_either_direction(longtake: Any, tmp_path: Path) -> None:
    write_csv(tmp_path / "s.csv", sensitive())
    arguments = ("meta", "sensitivity", "s.csv", "--json", *FAST)
    _, out, _ = longtake(*arguments)
    plain = {n: e["families"]["shuffle"]["verdict"] for n, e in document(out)["evaluators"].items()}
    assert plain == {"falls": "sensitive", "blind": "not shown", "error": "rises with damage"}
    _, out, _ = longtake(*arguments, "--lower-is-better", "error")
    assert document(out)["evaluators"]["error"]["families"]["shuffle"]["verdict"] == "sensitive"


def test_the_folder_of_a_study_and_its_page_again(longtake: Any, tmp_path: Path) -> None:
    write_csv(tmp_path / "a.csv", answers())
    code, out, err = longtake("meta", "pairwise", "a.csv", "--json", "--out", "o", *FAST)
    found = document(out)
    assert code == 0, err
    assert found["report"] == "o/study.html"
    assert document((tmp_path / "o/study.json").read_text()) == found
    with open(tmp_path / "o/figures.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    value = found["evaluators"]["good"]["aspects"]["color"]["accuracy"]
    (row,) = [
        r
        for r in rows
        if (r["evaluator"], r["part"], r["figure"], r["at"]) == ("good", "color", "accuracy", "")
    ]
    assert {k: float(row[k]) for k in ("value", "low", "high", "level", "n", "n_asked")} == {
        k: value[k] for k in ("value", "low", "high", "level", "n", "n_asked")
    }
    assert row["method"] == value["method"]
    page = (tmp_path / "o/study.html").read_text()
    assert f"{100 * value['value']:.1f} %" in page
    assert (tmp_path / "o/figures/pairwise-accuracy.svg").read_text().startswith("<?xml")
    (tmp_path / "o/study.html").unlink()
    code, out, _ = longtake("report", "o")
    assert (code, out) == (0, "written: o/study.html\n")
    assert (tmp_path / "o/study.html").read_text() == page


def test_the_filter_feeds_the_pairwise_study(longtake: Any, tmp_path: Path) -> None:
    votes = [
        {
            "pair": f"p{i}",
            "aspect": ("color", "style")[i % 2],
            "rater": f"r{r}",
            "vote": "A" if i < 30 else "C",
        }
        for i in range(39)
        for r in range(3)
    ]
    write_csv(tmp_path / "votes.csv", [*votes, {**votes[0], "pair": "zz"}])
    rows = answers()
    pairs = {r["pair"]: {k: r[k] for k in ("pair", "source", "aspect")} for r in rows}
    write_csv(tmp_path / "pairs.csv", list(pairs.values()))
    write_csv(tmp_path / "a.csv", rows)
    _, out, _ = longtake("meta", "filter", "votes.csv", "--pairs", "pairs.csv", "--json", "--out", "o", *FAST)
    found = document(out)
    overall = found["evaluators"]["score"]["overall"]
    assert (overall["initial"], overall["kept"], overall["without_votes"]) == (40, 30, 1)
    assert found["evaluators"]["score"]["unknown_ids"] == ["zz"]
    assert {c["kind"]: c["rows"] for c in found["table"]["counted"]} == {"unknown_pair": 1}
    _, out, _ = longtake("meta", "pairwise", "a.csv", "--pairs", "o/kept.csv", "--json", *FAST)
    filtered = document(out)["evaluators"]["good"]["overall"]["filtered"]
    assert (filtered["before"]["n_asked"], filtered["after"]["n_asked"]) == (40, 30)


def test_the_document_says_what_it_was_made_of(longtake: Any, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    made = scored().model_copy(update={"run": {"arguments": {"signals": "light"}}})
    (folder / "score.json").write_text(made.model_dump_json(by_alias=True))
    write_csv(folder / "pairwise.csv", answers())
    code, out, _ = longtake("meta", "pairwise", "run", "--json", *FAST)
    assert code == 0
    assert "longtake score was asked for the signals light" in document(out)["notes"]
    rows = [{"film": f"f{i}", "score": i, "human": i} for i in range(6)]
    write_csv(tmp_path / "r.csv", rows)
    write_csv(
        tmp_path / "single.csv", [{"case": f"f{i}", "rater": r, "rating": i} for i in range(6) for r in "xy"]
    )
    arguments = ("r.csv", "--column", "case=film", "--ratings", "single.csv", "--out", "o", *FAST)
    code, _, err = longtake("meta", "correlation", *arguments)
    assert code == 0, err
    page = (tmp_path / "o/study.html").read_text()
    assert "case is film" in page
    assert "single.csv" in page
    assert "bootstrap" in page


def test_before_and_after_the_filter_is_said_in_the_terminal(longtake: Any, tmp_path: Path) -> None:
    write_csv(tmp_path / "a.csv", answers())
    write_csv(tmp_path / "kept.csv", [{"pair": f"p{i}", "kept": i < 30} for i in range(40)])
    _, out, _ = longtake("meta", "pairwise", "a.csv", *FAST)
    assert "people kept" not in out
    _, out, _ = longtake("meta", "pairwise", "a.csv", "--pairs", "kept.csv", *FAST)
    out = " ".join(out.split())
    assert "on pairs that people kept" in out
    assert "of 30 answers" in out
    assert "Before and after the human filter" in out


def test_real_ratings_give_the_published_correlations(longtake: Any, tmp_path: Path, media: Path) -> None:
    """TVGE's ratings of alignment against four metrics, by the names that its authors' files have."""
    folder = media / "6_human_ratings"
    if not folder.is_dir():
        pytest.skip("the media have no human ratings")
    ratings = json.loads((folder / "tvge_t2vscore_alignment_score.json").read_text("utf-8"))
    rows = []
    with open(folder / "tvge_t2vscore_results.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            human = ratings[row["video_id"]]["models"].get(row["model_name"])
            if human is None:
                continue
            for metric in ("CLIP Score", "X-CLIP Score", "BLIP-BLEU", "T2VScore-A (GPT-4V)"):
                film = f"{row['model_name']}/{row['video_id']}"
                rows.append(
                    {
                        "metric": metric,
                        "film": film,
                        "video_id": row["video_id"],
                        "model_name": row["model_name"],
                        "value": row[metric],
                        "human": human[0],
                    }
                )
    write_csv(tmp_path / "tvge.csv", rows)
    names = {
        "evaluator": "metric",
        "case": "film",
        "brief": "video_id",
        "system": "model_name",
        "score": "value",
    }
    columns = [x for ours, theirs in names.items() for x in ("--column", f"{ours}={theirs}")]
    code, out, _ = longtake(
        "meta", "correlation", "tvge.csv", *columns, "--json", "--no-differences", "--draws", "100"
    )
    assert code == 0
    found = {name: e["pooled"]["spearman"] for name, e in document(out)["evaluators"].items()}
    assert {name: round(i["value"], 3) for name, i in found.items()} == {
        "T2VScore-A (GPT-4V)": 0.477,
        "CLIP Score": 0.343,
        "X-CLIP Score": 0.257,
        "BLIP-BLEU": 0.151,
    }
    assert {i["n"] for i in found.values()} == {2543}


def test_help_says_what_each_table_needs(longtake: Any) -> None:
    needs = {
        "sensitivity": ("case, family, strength",),
        "pairwise": ("pair, aspect, order, choice", "score_a, score_b"),
        "localisation": ("pair, aspect, changed, found, control_found, minutes",),
        "correlation": ("case, score, human",),
        "filter": ("pair, aspect, rater, vote",),
    }
    for study, columns in needs.items():
        code, out, _ = longtake("meta", study, "--help")
        assert code == 0
        for words in columns:
            assert words in re.sub(r"\s+", " ", out)


def test_an_output_that_cannot_be_written(tmp_path: Path) -> None:
    write_csv(tmp_path / "ok.csv", answers(4))
    arguments = ["meta", "pairwise", "ok.csv", "--out", "ok.csv", "--json", *FAST]
    command = [sys.executable, "-m", "longtake", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 6
    assert json.loads(done.stdout)["error"]["exit_code"] == 6
    assert len(done.stderr.splitlines()) == 2


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['longtake', 'meta', 'pairwise', '--help']\n"
        "from longtake.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'duckdb', 'matplotlib', 'jinja2'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
