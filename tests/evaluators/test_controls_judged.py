"""All evaluators that ask a judge, by the command, over a server on this machine that answers by script."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from clip_films import brief_of, joined
from judge_asked import Asked
from judge_server import JudgeServer
from judged_films import at, by_film, contrast, flattened
from longtake.cli.app import app
from longtake.core.case import Pair
from longtake.core.scores import ScoreDocument
from longtake.storage.manifest import write_pairs

FILMS = ("long-code", "video-qa", "video-bench")
PAIRS = ("pairwise.video", "pairwise.text")
MADE = [
    {"question": f"What is seen in part {n}?", "right": f"a {n}", "wrong": ["a car", "a hat", "a sea"]}
    for n in range(1, 6)
]


def level(asked: Asked) -> dict[str, Any]:
    return {"value": 2, "reason": "as seen", "spans": []}


def clearer(asked: Asked) -> dict[str, Any]:
    """The film whose pictures have more contrast."""
    sides = {name: sum(map(contrast, given)) / len(given) for name, given in by_film(asked).items()}
    return {"answer": max(sides, key=lambda name: sides[name])[-1], "spans": []}


ANSWERS: dict[str, Any] = {
    "long-code.caption.*": {"description": "An animal is seen."},
    "long-code.think": {"errors": [], "summary": "Six things are shown."},
    "long-code.score": {"score": 4},
    "video-qa.make": {"questions": MADE},
    "video-bench.describe": {"description": "Animals and vehicles."},
    "video-bench.question.*": {"questions": ["Is there a squirrel?"]},
    "video-bench.*": level,
    "pairwise.describe": {"description": "Animals."},
    "pairwise.video": clearer,
    "pairwise.text": {"answer": "1", "clips": []},
}


def run(*arguments: str | Path) -> ScoreDocument:
    done = CliRunner().invoke(app, ["score", *map(str, arguments), "--signals", "light", "--json"])
    assert done.exit_code == 0, done.output
    return ScoreDocument.model_validate_json(done.stdout)


def test_a_run_of_all_who_ask_is_kept_and_can_be_replayed(
    media: Path, weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything is scored; the same run again asks nothing; without the server the replies say the same."""
    film = joined(media, tmp_path / "film.mp4")
    brief = tmp_path / "brief.json"
    brief.write_text(json.dumps(brief_of().to_json()))
    pairs = write_pairs(
        tmp_path / "pairs.csv", [Pair("p", "film", "aesthetics", film, flattened(film), brief)]
    )
    of_film = (film, "--brief", brief, "-e", ",".join(FILMS))
    of_pair = (pairs, "-e", ",".join(PAIRS))
    targets = {"film": of_film, "pair": of_pair}

    def both(judge: str = "openai", more: str = "") -> list[ScoreDocument]:
        return [
            run(*target, "--judge", judge.format(tmp_path / name), "--out", tmp_path / f"{name}{more}")
            for name, target in targets.items()
        ]

    with JudgeServer("vllm", answers=ANSWERS) as server:
        at(server, tmp_path, monkeypatch)
        monkeypatch.setenv("LONGTAKE_CACHE", str(weights))
        kept = both()
        asked = len(server.requests)
        again = both()
        anew = both(more=" elsewhere")  # the answers of the judge are kept, not what was made of them
        assert len(server.requests) == asked
        ids = {one.id for one in server.requests}
    replayed = both("replay:{}", " replayed")

    for name in (*FILMS, "pairwise"):
        assert any(one.startswith(name) for one in ids)
    found = {(r.evaluator, m.name): m for r in kept[0].results for m in r.measurements}
    assert {name for name, _ in found} == set(FILMS)
    assert {m.status for m in found.values()} == {"scored"}
    assert found["long-code", "mllm"].value == pytest.approx((4 - 1) / 4)
    assert found["video-bench", "imaging_quality"].value == pytest.approx((2 - 1) / 4)
    assert found["video-bench", "scene"].value == pytest.approx((2 - 1) / 2)
    chosen = {
        name: [(p.order, p.choice) for p in kept[1].preferences if p.evaluator == name] for name in PAIRS
    }
    assert chosen == {PAIRS[0]: [("ab", "a"), ("ba", "a")], PAIRS[1]: [("ab", "a"), ("ba", "b")]}
    for other in (again, anew, replayed):
        assert other[0].results == kept[0].results
        assert other[1].preferences == kept[1].preferences
    assert not any(one.failures for one in (*kept, *again, *anew, *replayed))
