"""Everything else that is published as replaceable keeps to its port: embedders, judges, signals, damages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judge_server import JudgeServer
from longtake.core.embedding import Shape
from longtake.core.judge import AskError, Question, Verdict
from longtake.errors import BackendError, UsageError
from longtake.execution.tools import Models
from longtake.meta.perturbations import PERTURBATIONS
from longtake.models.judges.openai_judge import OpenAIJudge
from longtake.models.roles import ROLES
from longtake.signals.registry import ORDER
from longtake.testing import (
    ConformanceError,
    check_embedder,
    check_judge,
    check_perturbation,
    check_signal,
)

EMBEDDERS = ("video-text", "picture-text", "subject", "scene")
"""Roles that an embedder fills."""
WITHOUT_MODELS = sorted(
    n for n, p in PERTURBATIONS.items() if not {"mask", "edit", "generate"} & set(p.needs)
)
MISSING = ("replace",)
"""They go by likeness, and no embeddings are given to them here."""


@pytest.mark.parametrize("role", EMBEDDERS)
def test_the_default_embedder_of_a_role(role: str, weights: Path) -> None:
    found = Models(weights).used(role)
    if found.reason is not None:
        pytest.skip(found.reason)
    check_embedder(Models(weights).open(role))


def test_the_roles_of_embedders_are_roles() -> None:
    assert set(EMBEDDERS) <= set(ROLES)


class Words:
    """A small embedder: colours of pictures, letters of texts."""

    name, kind, stands_for, licence = "words", "model", "", ""
    shape = Shape(dimension=26, size=8, frames=2, tokens=12)

    def pictures(self, pictures: Sequence[Any]) -> Any:
        found = [np.bincount(p.ravel() // 10, minlength=26)[:26] + 1.0 for p in pictures]
        return np.asarray(found, np.float32).reshape(-1, 26)

    def clips(self, clips: Sequence[Sequence[Any]]) -> Any:
        return np.asarray([self.pictures(clip).mean(axis=0) for clip in clips], np.float32).reshape(-1, 26)

    def texts(self, texts: Sequence[str]) -> Any:
        kept = [" ".join(text.split()[:12]).lower() for text in texts]
        found = [[1.0 + text.count(chr(97 + i)) for i in range(26)] for text in kept]
        return np.asarray(found, np.float32).reshape(-1, 26)

    def tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


class Late(Words):
    def tokens(self, texts: Sequence[str]) -> list[int]:
        return [min(12, n) for n in super().tokens(texts)]


class Reading(Words):
    def texts(self, texts: Sequence[str]) -> Any:
        return np.asarray([[1.0 + t.count(chr(97 + i)) for i in range(26)] for t in texts]).astype(
            np.float32
        ).reshape(-1, 26)  # fmt: skip


class Together(Words):
    def pictures(self, pictures: Sequence[Any]) -> Any:
        found = super().pictures(pictures)
        return (found - found.mean(axis=0) + 1.0).astype(np.float32) if len(found) > 1 else found


class Deaf(Words):
    shape = Shape(dimension=26, size=8, frames=2)


class Disguised(Words):
    kind = "proxy"


@pytest.mark.parametrize(
    ("embedder", "said"),
    [
        (Late(), "cut before counted"),
        (Reading(), "what lies beyond 12 tokens changes the vector"),
        (Together(), "pictures: a batch is"),
        (Deaf(), "it declares no tokens and reads texts all the same"),
        (Disguised(), "a proxy, and it alone, says what it stands for"),
    ],
)
def test_embedders_that_break_a_promise_are_found(embedder: Any, said: str) -> None:
    check_embedder(Words())  # type: ignore[arg-type]
    with pytest.raises(ConformanceError, match=said):
        check_embedder(embedder)


def test_one_that_refuses_texts_in_its_own_way_is_found() -> None:
    class Silent(Deaf):
        def texts(self, texts: Sequence[str]) -> Any:
            raise BackendError("it reads no texts")

    class Rude(Deaf):
        def texts(self, texts: Sequence[str]) -> Any:
            raise ValueError("no")

    check_embedder(Silent())  # type: ignore[arg-type]
    with pytest.raises(ConformanceError, match="says so with ValueError, not with BackendError"):
        check_embedder(Rude())  # type: ignore[arg-type]


def test_the_judge_of_a_server_conforms(judge_server: JudgeServer) -> None:
    found = check_judge(OpenAIJudge(judge_server.url, judge_server.model, "a-key"))
    assert {v.status for v in found} == {"answered"}
    assert len(found) == 10
    with pytest.raises(AskError):  # nobody there: nothing to check
        check_judge(OpenAIJudge(judge_server.url, "another", "a-key"))


class Loose:
    """Answers with a number that its question does not allow, about another question, or raises."""

    name, identity, sends_to = "loose", "loose", None

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def ask(self, question: Question) -> Verdict:
        if "raises" in self.fields:
            raise self.fields["raises"]
        about = {"id": question.id, "question": question.key, "draw": question.draw, "raw": "{}"}
        value = {"id": question.id, "value": 0.5, "reason": "so"}
        return Verdict(**{**about, "status": "answered", "value": value, **self.fields})


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"value": {"id": "checkpoint.conformance", "value": 3, "reason": "so"}}, "its value is no Answer"),
        ({"id": "other"}, "its verdict has id 'other'"),
        ({"draw": 7}, "its verdict has draw 7"),
        ({"raw": ""}, "the raw reply is not kept"),
        ({"status": "refused", "value": None}, "its status is refused, without a reason"),
        ({"raises": KeyError("choices")}, "it raised KeyError, and may only raise AskError"),
    ],
)
def test_judges_that_break_a_promise_are_found(fields: dict[str, Any], said: str) -> None:
    check_judge(Loose())
    with pytest.raises(ConformanceError, match=said):
        check_judge(Loose(**fields))


@pytest.mark.parametrize("name", ORDER)
def test_every_signal_without_weights(name: str) -> None:
    assert set(check_signal(name)) == {"shots", "single", "black"}


@pytest.mark.parametrize("name", WITHOUT_MODELS)
def test_every_perturbation_that_runs_no_model(name: str) -> None:
    found = check_perturbation(name)
    assert name in MISSING or "written" in found.values()


def test_names_that_there_are_not_are_a_mistake_of_the_user() -> None:
    with pytest.raises(UsageError, match="there is no signal called 'colours'"):
        check_signal("colours")
    with pytest.raises(UsageError):
        check_perturbation("blurr")
