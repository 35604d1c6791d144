"""Every evaluator keeps to what its card and its port promise, whatever a run brings."""

from __future__ import annotations

from pathlib import Path

import pytest

from longtake.evaluators.cards import card_of
from longtake.evaluators.registry import BUILT_IN
from longtake.testing import check_evaluator

ANNOUNCED_OTHERWISE = ("diagnosis",)
"""``longtake score`` knows the bound of the diagnosis from its rubric. It also judges what is heard, and says
of a black film that it is black."""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all evaluators: the films of the check are the same for each."""
    return tmp_path_factory.mktemp("conformance") / "cache"


@pytest.mark.parametrize("name", BUILT_IN)
def test_conforms_without_weights(name: str, shared: Path) -> None:
    check_evaluator(
        name, cache=shared, outlines=name not in ANNOUNCED_OTHERWISE, dark=name not in ANNOUNCED_OTHERWISE
    )


@pytest.fixture(scope="module")
def with_weights(weights_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with the pulled weights."""
    root = tmp_path_factory.mktemp("weighted") / "cache"
    root.mkdir()
    (root / "models").symlink_to(weights_root / "models", target_is_directory=True)
    return root


RUNS_MODELS = sorted(name for name in BUILT_IN if card_of(name).models)


@pytest.mark.parametrize("name", RUNS_MODELS)
def test_conforms_with_the_models_that_are_here(name: str, with_weights: Path) -> None:
    check_evaluator(name, cache=with_weights)
