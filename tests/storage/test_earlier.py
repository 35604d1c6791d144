"""A diagnosis that was made before, from wherever a user points to."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from longtake.core.documents import Coverage, DiagnosisDocument, Score, VideoEntry
from longtake.errors import InputError
from longtake.storage.earlier import earlier_diagnosis, is_diagnosis
from longtake.storage.results import Results


def document() -> DiagnosisDocument:
    nothing = Score(value=None, status="unscored", n_scored=0, n_active=0, covered_weight=0, reason="no rule")
    film = VideoEntry(
        path="a.mp4", hash="0", kind="file", duration=2, frames=50, width=64, height=48, fps=25, audio=False
    )
    return DiagnosisDocument(
        video=film,
        brief=None,
        profile={},
        dimensions={},
        overall=nothing,
        overall_without_penalty=nothing,
        coverage=Coverage(scored=0, active=0, registered=0),
        submetrics=[],
        checkpoints=[],
        report_metrics=[],
        attributes=[],
        bottlenecks=[],
        findings=[],
        shots=[],
        transitions=[],
        trace=[],
    )


def test_a_folder_its_json_and_a_copy_of_it_give_the_same(tmp_path: Path) -> None:
    out = tmp_path / "out"
    Results(out).save(document(), [], [])
    copied = tmp_path / "old.JSON"
    copied.write_text(document().model_dump_json(by_alias=True), encoding="utf-8")
    bare = tmp_path / "bare"
    bare.mkdir()
    (bare / "diagnosis.json").write_bytes(copied.read_bytes())
    for path in (out, copied, bare, bare / "diagnosis.json"):
        assert is_diagnosis(path)
        assert earlier_diagnosis(path) == document()


def test_a_film_and_a_folder_of_clips_are_none(tmp_path: Path) -> None:
    (tmp_path / "clip.mp4").write_bytes(b"")
    assert not is_diagnosis(tmp_path)
    assert not is_diagnosis(tmp_path / "clip.mp4")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "no JSON"),
        ("[" * sys.getrecursionlimit() * 10, "no JSON"),
        ("[1]", "names no schema"),
        ('{"schema": "longtake.error/1"}', "holds longtake.error/1"),
        ('{"schema": "longtake.diagnosis/1"}', "wrong at video"),
    ],
)
def test_what_is_no_diagnosis_says_so_and_what_to_give(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        earlier_diagnosis(path)
    assert said in str(caught.value)
    assert caught.value.hint
    assert caught.value.exit_code == 3


def test_what_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="gone"):
        earlier_diagnosis(tmp_path / "gone.json")
    with pytest.raises(InputError, match="not an output folder"):
        earlier_diagnosis(tmp_path)
