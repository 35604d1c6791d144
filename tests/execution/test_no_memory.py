"""No memory for a model that was named, at opening and later: its evaluators lack it, the others go on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import longtake
from longtake.cli.app import app
from longtake.core.scores import ScoreDocument
from longtake.errors import BackendError, InputError, NoMemoryError
from longtake.models import picture_quality, roles
from longtake.testing.films import films

pytest.importorskip("onnxruntime", reason="the extra offline is not installed")
LACKING, GOING_ON = "vb.imaging_quality", "constant"
SAYS = RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")


class Loader:
    """In place of a model's class: memory is there for ``room`` openings, and for no picture where
    ``looks`` is an error."""

    kind, stands_for, short_side = "model", "", 64

    def __init__(self, error: Exception, room: int = 0, looks: bool = True) -> None:
        self.error, self.room, self.looks = error, room, looks

    def __call__(self, path: Path, threads: int = 1) -> Loader:
        if self.room == 0:
            raise self.error
        self.room -= 1
        return self

    def quality(self, pictures: list[Any]) -> Any:
        if not self.looks:
            raise BackendError("musiq cannot be run") from self.error
        return np.full(len(pictures), 0.5)


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("LONGTAKE_CACHE", str(tmp_path / "cache"))
    model = tmp_path / "m.onnx"
    model.write_bytes(b"weights")
    return {"film": films(tmp_path).shots, "model": f"musiq:{model}", "out": tmp_path / "out"}


def scored(given: dict[str, Any]) -> ScoreDocument:
    return longtake.score(
        given["film"], [LACKING, GOING_ON], models={"imaging": given["model"]}, out=given["out"]
    )


def by_name(document: ScoreDocument) -> dict[str, Any]:
    return {r.evaluator: r.measurements[0] for r in document.results}


@pytest.mark.parametrize("error", [SAYS, MemoryError(), BackendError("it cannot be run: std::bad_alloc")])
def test_at_opening_it_is_the_reason_of_the_role(
    error: Exception, given: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(picture_quality, "Musiq", Loader(error))
    document = scored(given)
    found = by_name(document)
    assert found[GOING_ON].status == "scored"
    assert found[LACKING].status == "unscored"
    assert "the role imaging is not filled: there is not enough memory for musiq:" in found[LACKING].reason
    (failure,) = document.failures
    assert (failure.evaluator, failure.backend) == (LACKING, True)
    # What failed is not kept: with memory the same run has a score.
    monkeypatch.setattr(picture_quality, "Musiq", Loader(error, room=9))
    after = scored(given)
    assert (by_name(after)[LACKING].status, after.failures) == ("scored", [])


@pytest.mark.parametrize("loader", [Loader(SAYS, room=1), Loader(SAYS, room=9, looks=False)])
def test_later_it_costs_the_answers_of_its_evaluators(
    loader: Loader, given: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(picture_quality, "Musiq", loader)
    document = scored(given)
    found = by_name(document)
    assert found[GOING_ON].status == "scored"
    assert found[LACKING].status == "unscored"
    assert "the evaluator failed: " in found[LACKING].reason
    assert [(f.evaluator, f.backend) for f in document.failures] == [(LACKING, True)]


@pytest.mark.parametrize("room", [0, 1])
def test_the_command_ends_with_5_and_has_written_the_others(
    room: int, given: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(picture_quality, "Musiq", Loader(SAYS, room))
    command = ["score", str(given["film"]), "-e", f"{LACKING},{GOING_ON}", "--out", str(given["out"])]
    done = CliRunner().invoke(app, [*command, "--model", f"imaging={given['model']}"])
    assert isinstance(done.exception, BackendError)
    assert LACKING in done.exception.message
    assert "scored" in (given["out"] / "scores.csv").read_text("utf-8")
    assert f"failed: {LACKING if room == 0 else ''}" in done.stderr
    assert "failed: ," not in done.stderr


def test_files_that_cannot_be_read_still_end_the_run_before_it_begins(given: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"m\.onnx"):
        scored(given)
    assert not given["out"].exists()


def test_whoever_opens_a_model_at_once_is_told_of_memory_and_not_of_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, Any]
) -> None:
    monkeypatch.setattr(picture_quality, "Musiq", Loader(SAYS))
    with pytest.raises(NoMemoryError, match="not enough memory for musiq:"):
        roles.find("imaging", given["model"], tmp_path)
    assert NoMemoryError.exit_code == 5
