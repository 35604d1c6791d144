"""What evaluators may run: kept once for all, made again where damaged, told by model, refused in words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from longtake.cli.app import app
from longtake.core.case import Case
from longtake.errors import LongtakeError, MissingError, UsageError
from longtake.execution.equipment import equip
from longtake.execution.score_plan import Item, SignalPlan, asked
from longtake.execution.tools import KIND, FilmTools, Models
from longtake.media.open import open_video
from longtake.storage.cache import Cache
from longtake.testing.films import films

ROLE = "subject"


class Made:
    """Counts how often something was made of a film, of its real frames."""

    def __init__(self, tools: FilmTools) -> None:
        self.tools, self.times = tools, 0

    def __call__(self) -> Mapping[str, Any]:
        self.times += 1
        return {"means": np.array([p.mean() for _, p in self.tools.footage.between(0, 1, 32)])}


def tools_of(path: Path, cache: Cache, models: Models | None = None) -> FilmTools:
    times = np.arange(48) / 12
    return FilmTools(open_video(path), times, models or Models(cache.root), cache)


def test_what_is_kept_is_made_once_for_all_that_ask_for_the_same(tmp_path: Path) -> None:
    made, cache = films(tmp_path), Cache(tmp_path / "cache")
    first, second = (Made(tools_of(made.shots, cache)) for _ in range(2))
    one = first.tools.kept("means", 1, first, side=32, role=None)
    again = second.tools.kept("means", 1, second, role=None, side=32)  # the order of parameters says nothing
    np.testing.assert_array_equal(one["means"], again["means"])
    assert len(one["means"]) == 12
    assert (first.times, second.times) == (1, 0)
    copy = tmp_path / "copy.mp4"
    copy.write_bytes(made.shots.read_bytes())
    renamed = Made(tools_of(copy, cache))
    renamed.tools.kept("means", 1, renamed, side=32, role=None)
    assert renamed.times == 0  # the content counts, not the name


@pytest.mark.parametrize(
    "change",
    [
        {"what": "sums"},
        {"version": 2},
        {"side": 33},
        {"side": 32.0},
        {"side": "32"},
        {"more": 1},
        {"film": 1},
    ],
    ids=str,
)
def test_what_it_depends_on_makes_it_another(change: dict[str, Any], tmp_path: Path) -> None:
    made, cache = films(tmp_path), Cache(tmp_path / "cache")
    before = Made(tools_of(made.shots, cache))
    before.tools.kept("means", 1, before, side=32)
    film = change.pop("film", None)
    after = Made(tools_of(made.single if film else made.shots, cache))
    named = {"what": "means", "version": 1, "side": 32} | change
    after.tools.kept(make=after, **named)
    assert after.times == 1


def test_a_damaged_entry_is_made_again(tmp_path: Path) -> None:
    made, cache = films(tmp_path), Cache(tmp_path / "cache")
    one = Made(tools_of(made.shots, cache))
    before = one.tools.kept("means", 1, one)
    (entry,) = (cache.root / KIND).rglob("*.npz")
    whole = entry.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"", b"no archive"):
        entry.write_bytes(damaged)
        np.testing.assert_array_equal(one.tools.kept("means", 1, one)["means"], before["means"])
    assert one.times == 4
    one.tools.kept("means", 1, one)
    assert one.times == 4


def test_a_role_that_is_not_filled_is_told_before_anything_is_opened(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    tools = tools_of(films(tmp_path).shots, cache)
    used = tools.used(ROLE)
    assert (used.name, used.kind, used.label) == (None, None, None)
    assert used.reason is not None
    assert f"the role {ROLE} is not filled" in used.reason
    assert tools.lacks(ROLE) == used.reason
    assert tools.lacks() is None
    for open_it in (tools.model, tools.embedder):
        with pytest.raises(MissingError, match="is not filled"):
            open_it(ROLE)
    with pytest.raises(UsageError, match="no model has the role 'subjct'"):
        tools.used("subjct")


def test_models_are_opened_once_and_named_with_their_hash(tmp_path: Path, weights: Path) -> None:
    cache, models = Cache(weights), Models(weights)
    tools = tools_of(films(tmp_path).shots, cache, models)
    used = tools.used(ROLE)
    if used.reason is not None:
        pytest.skip(used.reason)
    assert used.label is not None
    assert used.label.startswith(f"{used.name} sha256:")
    assert (used.kind == "proxy") == bool(used.stands_for)
    assert tools.model(ROLE) is tools.model(ROLE)
    vectors = tools.embedder(ROLE).pictures([0.5, 1.5])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_answers_are_kept_under_models_and_settings(tmp_path: Path) -> None:
    """Another model or another value of a parameter is another answer; what a card does not name is not."""
    path = films(tmp_path).shots
    item = Item("x", Case("x", path), open_video(path))
    dsa, constant = asked(["dsa", "constant"])
    root = tmp_path / "cache"
    equipment = equip((), root)

    class Named(Models):
        label = "one sha256:1"

        def used(self, role: str):  # type: ignore[no-untyped-def]
            return super().used(role).model_copy(update={"label": self.label})

    class Other(Named):
        label = "two sha256:2"

    def keys(models: Models, settings: dict[str, dict[str, str | int | float]]) -> list[str]:
        plan = SignalPlan(frozenset(), equipment, models=models, settings=settings)
        return [plan.key(one, (item,)) for one in (dsa, constant)]

    name, parameter = next((n, p) for n, p in dsa.card.parameters.items() if len(p.choices) > 1)
    other = next(choice for choice in parameter.choices if choice != parameter.default)
    first = keys(Named(root), {})
    assert keys(Named(root), {}) == first
    assert keys(Named(root), {"dsa": {name: parameter.default}}) == first
    for changed in (keys(Other(root), {}), keys(Named(root), {"dsa": {name: other}})):
        assert changed[0] != first[0]
        assert changed[1] == first[1]


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--model", "subjct=proxy"], 2, "no model has the role 'subjct'"),
        (["--model", "subject=mobilenet-v2"], 2, "none of the evaluators asked runs a model as subject"),
        (["--model", "video-text=clp:x"], 2, "there is no model for video-text called 'clp:x'"),
        (["--model", "video-text=clip"], 2, "does not name any model"),
        (["--model", "video-text"], 2, "names nothing"),
        (["--model", "video-text=proxy", "--model", "video-text=proxy"], 2, "is given twice"),
        (["--model", "video-text=onnx:/no/a.onnx,/no/b.onnx,/no/c.json"], 4, "is not there"),
        (["--set", "dsa.txt=mean"], 2, "there is no parameter 'dsa.txt'"),
        (["--set", "dsa.text=median"], 2, "dsa.text cannot be 'median'"),
        (["--set", "dsa.text"], 2, "names nothing"),
    ],
)
def test_a_model_or_setting_that_cannot_be_ends_the_run_before_it_begins(
    options: list[str], code: int, said: str, tmp_path: Path
) -> None:
    path = films(tmp_path).shots
    command = ["score", str(path), "-e", "dsa", "--out", str(tmp_path / "out"), *options]
    found = CliRunner().invoke(app, command).exception
    assert isinstance(found, LongtakeError)
    assert found.exit_code == code
    assert said in found.message
    assert not (tmp_path / "out").exists()
