"""Long-CODE on a film of real clips, asked of a judge's server on this machine that answers by script."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import pstdev
from typing import Any

import pytest
from typer.testing import CliRunner

import longtake
from clip_films import SAID, brief_of, joined
from judge_asked import Asked
from judge_server import Fault, JudgeServer
from longtake.banks import make_bank
from longtake.cli.app import app
from longtake.core.bank import Bank
from longtake.core.case import Case
from longtake.core.evaluator import CUT_OFF
from longtake.core.measurement import Measurement
from longtake.core.scores import ScoreDocument
from longtake.errors import InputError
from longtake.evaluators.long_code.evaluator import long_code
from longtake.evaluators.registry import EVALUATORS
from longtake.storage.manifest import write_manifest

SHOTS = len(SAID)
ERROR = {"shots": [2, 5], "perspective": "logic", "what": "The car is a frog later on."}
THOUGHT: dict[str, Any] = {
    "visual_richness": "Animals and vehicles are there.",
    "temporal_transition": "Nothing leads from one to the next.",
    "consistency": "Nothing comes back.",
    "logic": "A car becomes a frog.",
    "errors": [ERROR],
    "summary": "Six things are shown, one after another.",
}


def described(asked: Asked) -> dict[str, Any]:
    return {"description": f"Something is seen in shot {asked.id.rpartition('.')[2]}."}


def thought(asked: Asked) -> dict[str, Any]:
    """The analysis, with the error in shots that there are."""
    (count,) = re.findall(r"numbers from 1 to (\d+)", asked.text)
    return THOUGHT if int(count) >= 5 else {**THOUGHT, "errors": [{**ERROR, "shots": [1]}]}


def scripted(**scores: Any) -> dict[str, Any]:
    """Answers of a judge that scores the rounds as said."""
    rounds = scores.get("scores", [3, 4, 3.5])
    given = [s if isinstance(s, str) else {"score": s} for s in rounds]
    return {"long-code.caption.*": described, "long-code.think": thought, "long-code.score": by_round(given)}


def by_round(given: list[Any]) -> Callable[[Asked], Any]:
    """Answers by temperature, as rounds arrive in any order."""
    return lambda asked: given[round(asked.body["temperature"] * 10) - 3]


@pytest.fixture(scope="module")
def film(media: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return joined(media, tmp_path_factory.mktemp("long-code") / "film.mp4")


Score = Callable[..., ScoreDocument]


@pytest.fixture
def scored(film: Path, monkeypatch: pytest.MonkeyPatch) -> Score:
    def run(server: JudgeServer | None, target: Path = film, **more: Any) -> ScoreDocument:
        if server is not None:
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            monkeypatch.setenv("OPENAI_API_KEY", "k")
            monkeypatch.setenv("OPENAI_MODEL", server.model)
        given = {"brief": brief_of(), "judge": "openai", **more}
        return longtake.score(target, ["long-code"], signals="light", **given)

    return run


def of(document: ScoreDocument, case: int = 0) -> Mapping[str, Measurement]:
    return {m.name: m for m in document.results[case].measurements}


def test_a_whole_run_and_the_same_without_a_judge_there(scored: Score, weights: Path, tmp_path: Path) -> None:
    told: list[str] = []
    with JudgeServer("vllm", answers=scripted()) as server:
        judge = longtake.JudgeOptions("openai", tell=told.append)
        document = scored(server, judge=judge, out=tmp_path / "out")
    found = of(document)
    assert not document.failures
    mllm, dsa, whole = found["mllm"], found["dsa"], found["long-code"]
    assert mllm.value == pytest.approx((3.5 - 1) / 4)
    assert mllm.facts["mean"] == pytest.approx(3.5)
    assert mllm.facts["sd"] == pytest.approx(pstdev([3, 4, 3.5]))
    assert (mllm.facts["rounds"], mllm.facts["n_rounds"]) == ("3, 4, 3.5", 3)
    assert (mllm.facts["references"], mllm.facts["described"]) == ("none", SHOTS)
    assert dsa.value is not None
    assert whole.value == pytest.approx(0.5 * dsa.value + 0.5 * mllm.value)
    assert whole.facts["proxy"] is True
    what = "logic: The car is a frog later on."
    assert [(e.start, e.end) for e in mllm.evidence if e.what == what] == [(2.0, 4.0), (8.0, 10.0)]

    requests = {r.id: r for r in server.requests}
    assert len(server.requests) == SHOTS + 4 == document.judge.calls  # type: ignore[union-attr]
    captions = [r for r in server.requests if r.id.startswith("long-code.caption.")]
    assert [len(r.images) for r in captions] == [4] * SHOTS
    assert not [text for text in SAID.values() for r in captions if text in r.text]
    think = requests["long-code.think"]
    assert think.images == ()
    assert all(text in think.text for text in SAID.values())
    assert "Something is seen in shot 6." in think.text
    scores = sorted((r for r in server.requests if r.id == "long-code.score"), key=temperature)
    assert [temperature(r) for r in scores] == [0.3, 0.4, 0.5]
    assert {len(r.images) for r in scores} == {24}
    assert all("A car becomes a frog." in r.text and "Something is seen" in r.text for r in scores)

    outline = long_code.outline(brief_of(), 12.0, {"references": ""})
    assert outline.questions == len(server.requests)
    assert outline.pictures >= sum(len(r.images) for r in server.requests)
    assert outline.output >= sum(r.body["max_tokens"] for r in server.requests)
    assert outline.bytes >= sum(len(r.texts[1]) for r in server.requests)
    assert len(told) == 1  # nothing went beyond what was announced
    assert f"{SHOTS + 4} questions" in told[0]

    replayed = scored(None, judge=f"replay:{tmp_path / 'out'}")
    assert replayed.results == document.results
    other = scored(None, judge=f"replay:{tmp_path / 'out'}", settings={"long-code.alpha": "0.25"})
    assert of(other)["long-code"].value == pytest.approx(0.25 * dsa.value + 0.75 * mllm.value)
    alone = of(scored(None, judge=None))
    assert (alone["dsa"].value, alone["mllm"].value) == (dsa.value, None)
    assert str(alone["long-code"].reason).startswith("one half is missing: mllm: it asks a judge")


def temperature(asked: Asked) -> float:
    return float(asked.body["temperature"])


def test_one_bad_round_is_left_out_and_two_are_too_many(scored: Score) -> None:
    with JudgeServer("vllm", answers=scripted(scores=[3, "A four, I think.", 4])) as server:
        one = of(scored(server))
    assert (one["mllm"].facts["rounds"], one["mllm"].facts["n_rounds"]) == ("3, none, 4", 2)
    assert one["mllm"].value == pytest.approx((3.5 - 1) / 4)
    with JudgeServer("vllm", answers=scripted(scores=[3, "no", 7]), model="another") as server:
        two = of(scored(server))
    assert two["mllm"].status == "unscored"
    assert "fewer than 2 of 3 rounds gave a number" in str(two["mllm"].reason)
    assert two["mllm"].facts["rounds"] == "3, none, none"
    assert two["mllm"].facts["reply"] == "no"
    assert two["long-code"].status == "unscored"


def test_a_shot_that_is_not_described_is_told(scored: Score) -> None:
    answers = {"long-code.caption.3": "I cannot help with that.", **scripted()}
    with JudgeServer("vllm", answers=answers) as server:
        found = of(scored(server))
        assert len(server.requests) == SHOTS  # nothing rests on half of the film
    assert found["mllm"].status == "unscored"
    assert str(found["mllm"].reason).startswith(
        "shots were not described: 1 of 6 questions answered in no form that can be read: "
    )


def test_a_judge_that_never_answers_is_asked_again_next_time(scored: Score, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with JudgeServer("vllm", faults={"*": Fault(status=401, body={"error": {"message": "no"}})}) as server:
        dead = scored(server, out=out)
    found = of(dead)
    assert found["mllm"].status == found["long-code"].status == "unscored"
    assert str(found["mllm"].reason).startswith("shots were not described")
    assert str(found["long-code"].reason).startswith("both halves are missing: dsa: ")
    assert found["mllm"].facts[CUT_OFF]
    assert found["long-code"].facts[CUT_OFF]
    assert dead.failures
    with JudgeServer("vllm", answers=scripted(), model=server.model) as alive:
        again = of(scored(alive, out=out))
    assert again["mllm"].status == "scored"
    assert str(again["long-code"].reason).startswith("one half is missing: dsa: ")


def test_without_a_judge_or_texts_of_shots_it_says_so(film: Path, scored: Score) -> None:
    alone = of(scored(None, judge=None))
    assert "the run has none (--judge)" in str(alone["mllm"].reason)
    nothing = of(scored(None, judge=None, brief=None))
    assert {m.status for m in nothing.values()} == {"not_applicable"}
    with JudgeServer("vllm", answers=scripted()) as server:
        single = of(scored(server, brief=brief_of(list(SAID.values())[:1])))
    assert single["dsa"].status == "not_applicable"
    assert single["mllm"].value == pytest.approx((3.5 - 1) / 4)
    assert (single["long-code"].status, "one_shot" in str(single["long-code"].reason)) == ("unscored", True)


@pytest.fixture
def rated(film: Path, media: Path, tmp_path: Path, scored: Score) -> tuple[Path, Path, Path]:
    """A manifest of four films, its scores, and what people said of them."""
    names, cases = list(SAID), []
    for i in range(4):
        turned = names[i:] + names[:i]
        path, brief = tmp_path / f"film{i}.mp4", tmp_path / f"brief{i}.json"
        joined(media, path, turned[:4])
        brief.write_text(json.dumps(brief_of([SAID[name] for name in turned[:4]]).to_json()))
        cases.append(Case(f"case{i}", path, brief))
    manifest = write_manifest(tmp_path / "films.csv", cases)
    with JudgeServer("vllm", answers=scripted()) as server:
        scored(server, manifest, brief=None, out=tmp_path / "scores")
    rows = ["case,rater,human", *(f"case{i},r{r},{1 + i + r / 4}" for i in range(4) for r in range(2))]
    (tmp_path / "human.csv").write_text("\n".join(rows))
    return manifest, tmp_path / "scores", tmp_path / "human.csv"


def test_a_bank_is_made_of_what_people_rated_and_used_without_leakage(
    rated: tuple[Path, Path, Path], scored: Score, tmp_path: Path
) -> None:
    manifest, scores, human = rated
    path = tmp_path / "bank.json"
    given = {"--scores": scores, "--ratings": human, "--out": path}
    options = [str(word) for pair in given.items() for word in pair]
    made = CliRunner().invoke(app, ["bank", str(manifest), *options, "--json"])
    assert made.exit_code == 0, made.output
    told = json.loads(made.stdout)
    assert told["cases"] == {f"case{i}": 1.125 + i for i in range(4)}
    assert told["thirds"] == [1, 1, 2]
    bank = Bank.model_validate_json(path.read_bytes())
    assert [len(r.pictures) for r in bank.references] == [4] * 4
    assert all(max(p.width, p.height) <= 320 for r in bank.references for p in r.pictures)
    assert "summary: Six things are shown" in bank.references[0].summary
    assert bank.references[0].n_ratings == 2
    assert {r.judge for r in bank.references} == {"Qwen/Qwen3-VL-8B-Instruct"}

    settings = {"long-code.references": str(path)}
    with JudgeServer("vllm", answers=scripted(scores=[2, 2, 2])) as server:
        found = of(scored(server, settings=settings, out=tmp_path / "kept"))
        asked = [r for r in server.requests if r.id == "long-code.score"]
        assert [len(r.images) for r in asked] == [24 + 3 * 4] * 3
        assert all("people's score: 1.12" in r.text for r in asked)
        assert all("Picture of reference 3 at" in r.text for r in asked)
        before = len(server.requests)
        outline = long_code.outline(brief_of(), 12.0, {"references": str(path)})
        assert outline.pictures >= sum(len(r.images) for r in server.requests)
        # The same path with another bank is another answer: its rounds are asked, what comes before is kept.
        changed = json.loads(path.read_text())
        changed["references"][0]["score"] = 1.5
        path.write_text(json.dumps(changed))
        other = of(scored(server, settings=settings, out=tmp_path / "kept"))
        assert len(server.requests) == before + 3
        assert of(scored(server, settings=settings, out=tmp_path / "kept")) == other
    assert found["mllm"].value == 0.25
    rounds = [str(r).split(", ") for r in str(found["mllm"].facts["reference_cases"]).split("; ")]
    assert {one[2] for one in rounds} == {"case2", "case3"}
    assert found["mllm"].facts["references"] != other["mllm"].facts["references"]
    with JudgeServer("vllm", answers=scripted()) as server:
        all_four = scored(server, manifest, brief=None, settings=settings)
    beside = [str(of(all_four, i)["mllm"].facts.get("reference_cases")) for i in range(4)]
    assert [f"case{i}" in names for i, names in enumerate(beside)] == [False] * 4
    assert "case1" in beside[0]
    last = of(all_four, 3)["mllm"]  # of the highest third it is the only one
    assert (last.status, str(last.reason)[:29]) == ("unscored", "no_references: in third 3 of ")


def test_a_bank_tells_what_it_leaves_out(rated: tuple[Path, Path, Path], tmp_path: Path) -> None:
    manifest, scores, human = rated
    human.write_text("case,human\ncase1,2\nnobody,3\ncase2,\n")
    made = make_bank(manifest, scores, human, tmp_path / "bank.json")
    assert made.cases == {"case1": 2.0}
    assert [(o.case, o.reason) for o in made.left_out] == [("nobody", "the manifest has no such case")]
    human.write_text("case,human\ncase1,6\n")
    with pytest.raises(InputError, match="line 2: 6 is no score"):
        make_bank(manifest, scores, human, tmp_path / "bank.json")
    human.write_text("film,stars\na,3\n")
    with pytest.raises(InputError, match="has no ratings"):
        make_bank(manifest, scores, human, tmp_path / "bank.json")
    with pytest.raises(InputError, match="cannot be read"):
        make_bank(manifest, tmp_path / "nowhere", human, tmp_path / "bank.json")


def test_a_bank_that_is_none_is_refused_before_any_film_is_looked_at(
    film: Path, tmp_path: Path, scored: Score
) -> None:
    (tmp_path / "bank.json").write_text("[]")
    with JudgeServer("vllm") as server:
        with pytest.raises(InputError, match="is no bank"):
            scored(server, settings={"long-code.references": str(tmp_path / "bank.json")})
        assert server.requests == []


def test_the_card_is_its_own() -> None:
    assert EVALUATORS.load("long-code") is long_code
    assert [q.name for q in long_code.card.quantities] == ["long-code", "dsa", "mllm"]


def test_the_ablation_is_one_command_on_what_was_written(
    rated: tuple[Path, Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "long-code.md").read_text("utf-8")
    (command,) = re.findall(r"^\$ longtake (meta correlation .*)$", page, re.MULTILINE)
    (tmp_path / "means.csv").write_text("case,human\n" + "".join(f"case{i},{1 + i}\n" for i in range(4)))
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, [*command.split(), "--json", "--draws", "100"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)["evaluators"]
    assert list(found) == ["long-code", "long-code.dsa", "long-code.mllm"]
