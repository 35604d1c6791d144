"""Models and proxies in tables and summaries: what a quantity rests on, not what its evaluator could run."""

from __future__ import annotations

import csv
from collections.abc import Mapping

import pytest

import longtake
from longtake.core.scores import ScoreDocument
from longtake.testing.films import films

NAMES = ("ms_debias", "vb.temporal_flickering", "vb.motion_smoothness", "long-code")
Rows = Mapping[str, Mapping[str, str]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[ScoreDocument, Rows]:
    """A film without weights: only the proxies that need none run, as interpolator and flow."""
    folder = tmp_path_factory.mktemp("models")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LONGTAKE_CACHE", str(folder / "cache"))
        document = longtake.score(films(folder).shots, NAMES, signals="light", out=folder / "out")
    with (folder / "out" / "scores.csv").open(newline="") as file:
        return document, {row["evaluator"]: row for row in csv.DictReader(file)}


def roles(row: Mapping[str, str]) -> list[str]:
    return [one.partition("=")[0] for one in row["model"].split("; ") if one]


def test_each_quantity_names_the_models_that_it_rests_on(run: tuple[ScoreDocument, Rows]) -> None:
    _, rows = run
    told = {name: (roles(row), row["proxy"]) for name, row in rows.items() if "long-code" not in name}
    both = (["interpolator", "flow"], "yes")
    assert told == {
        **dict.fromkeys(("ms_debias", "ms_debias.error", "ms_debias.p95"), both),
        "ms_debias.plain": (["interpolator"], "yes"),
        "ms_debias.motion": ([], ""),
        "vb.temporal_flickering": ([], ""),
        "vb.temporal_flickering.static": (["flow"], "yes"),
        "vb.motion_smoothness": (["interpolator"], "yes"),
    }


def test_a_summary_has_the_models_of_its_own_quantity(run: tuple[ScoreDocument, Rows]) -> None:
    document, _ = run
    told = {name: [used.role for used in s.models] for name, s in document.evaluators.items()}
    assert told["vb.temporal_flickering"] == []
    assert not document.evaluators["vb.temporal_flickering"].proxy
    assert told["vb.temporal_flickering.static"] == ["flow"]
    assert told["ms_debias"] == ["interpolator", "flow"]  # no masks were made: nothing fills that role
    assert "proxy:dis" in document.evaluators["ms_debias.plain"].proxy
    assert (told["long-code"], told["long-code.dsa"], told["long-code.mllm"]) == (
        ["video-text"],
        ["video-text"],
        [],
    )
