"""``longtake prompt``, by rule and with a judge's server on this machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lighthouse import BRIEF, BY_HAND
from typer.testing import CliRunner

from judge_server import JudgeServer
from longtake.cli.app import app
from longtake.core.prompts import PromptDocument, PromptsDocument


@pytest.fixture
def brief(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL", "LONGTAKE_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = tmp_path / "brief.json"
    path.write_text(json.dumps(BRIEF.to_json()), encoding="utf-8")
    return path


def run(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["prompt", *map(str, arguments)])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


def test_the_prompt_alone_is_on_stdout(brief: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "prompt.txt"
    code, shown, _ = run(brief, "--profile", "story-first", "--out", out)
    assert code == 0
    assert shown.startswith("Produce a video of 24 seconds in 3 shots:")
    assert out.read_text("utf-8") == shown
    assert len(shown.splitlines()) == 1


def test_documents(brief: Path, tmp_path: Path) -> None:
    code, shown, _ = run(brief, "--json", "--out", tmp_path / "one.json")
    one = PromptDocument.model_validate(json.loads(shown))
    assert code == 0
    assert json.loads((tmp_path / "one.json").read_text("utf-8")) == json.loads(shown)
    assert (one.brief.id, one.profile["id"], one.writer.name) == ("lighthouse", "neutral", "longtake")
    code, shown, _ = run(brief, "--all-profiles", "--json")
    every = PromptsDocument.model_validate(json.loads(shown))
    assert every.same_facts
    assert len(every.prompts) == 8


def test_a_prompt_that_is_rejected_ends_with_1(tmp_path: Path) -> None:
    shots = [{"text": f"Wave {n} breaks.", "narration": "Line and line again. " * 8} for n in range(20)]
    shots = [{**s, "narration": f"{s['narration']}{n}."} for n, s in enumerate(shots)]
    path = tmp_path / "large.json"
    path.write_text(
        json.dumps({"language": "en", "instruction": "Waves break.", "shots": shots}), encoding="utf-8"
    )
    code, shown, said = run(path)
    assert code == 1
    assert shown == ""
    assert "criterion 4" in said
    assert "attempt" not in said, "nobody tried again"
    assert said.splitlines()[-1] == "no prompt passed; nothing is printed"


def test_a_contradiction_and_what_is_left_out_are_said(tmp_path: Path) -> None:
    code, shown, said = run("suite:narrative-room-tone", "--profile", "visual-heavy")
    assert code == 0
    assert "Except where the camera is to stand still" in shown
    assert "visual-heavy: the brief asks for a still camera" in said
    assert "acts (3)" in said


def test_mistakes(brief: Path, tmp_path: Path) -> None:
    from longtake.errors import InputError, UsageError

    with pytest.raises(UsageError, match="exclude"):
        run(brief, "--profile", "neutral", "--all-profiles")
    with pytest.raises(UsageError, match="story-frist"):
        run(brief, "--profile", "story-frist")
    with pytest.raises(InputError):
        run(tmp_path / "no.json")


def test_a_judge_over_http(brief: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {
        "prompt.write.neutral": [{"prompt": BY_HAND.replace("9 s in", "6 s in")}, {"prompt": BY_HAND}],
        "prompt.*": {"passes": True, "reason": "it does"},
    }
    with JudgeServer(answers=answers, key="sk-test") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        code, shown, said = run(brief, "--judge", f"openai:{server.model}", "--json")
        assert code == 0, said
        one = PromptDocument.model_validate(json.loads(shown))
        assert one.prompt == BY_HAND
        assert [m.startswith(server.model) for m in one.writer.models] == [True]
        assert [[r.number for r in a.rejections] for a in one.attempts] == [[6], []]
        calls = len(server.requests)
        assert calls == 6
        assert "sk-test" not in shown + said
        again = run(brief, "--judge", f"openai:{server.model}", "--json")
        assert json.loads(again[1]) == json.loads(shown)
        assert len(server.requests) == calls, "the second run asks nothing"


def test_a_judge_whose_prompts_are_rejected(brief: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = BY_HAND.replace("polishes the great lens with a cloth", "looks out")
    answers = {"prompt.write.*": {"prompt": wrong}, "prompt.*": {"passes": True, "reason": "it does"}}
    with JudgeServer(answers=answers, key="sk-test") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        code, shown, said = run(brief, "--judge", f"openai:{server.model}")
    lines = said.splitlines()
    assert (code, shown) == (1, "")
    assert lines[-1] == "no prompt passed; nothing is printed"
    assert [line.split(":")[0] for line in lines if "criterion 6" in line] == [
        f"neutral, attempt {n} of at most 4" for n in (1, 2, 3, 4)
    ]
    assert "what happens in shot 2 (She polishes the great lens with a cloth)" in said
    assert "action.2" not in said


def test_a_dead_judge(brief: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from longtake.errors import BackendError
    from longtake.execution import circuit

    monkeypatch.setattr(circuit, "FIRST_WAIT", 0.01)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with pytest.raises(BackendError, match="wrote no prompt"):
        run(brief, "--judge", "openai:m")
