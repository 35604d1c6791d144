"""``longtake evaluators``: a list, cards, and names that need no word before them."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner, Result

from longtake.cli.app import app
from longtake.errors import UsageError
from longtake.evaluators.cards import card_of
from longtake.evaluators.registry import BUILT_IN
from longtake.models.roles import ROLES


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["evaluators", *arguments], catch_exceptions=False, env={"COLUMNS": "100"})


def names_in(*arguments: str) -> list[str]:
    return [entry["name"] for entry in json.loads(run(*arguments).stdout)["evaluators"]]


def test_the_list_has_everybody_with_and_without_its_word() -> None:
    assert set(names_in("list", "--json")) >= set(BUILT_IN)
    assert names_in("--json") == names_in("list", "--json")
    assert names_in("list", "cue.*", "--json") == [n for n in BUILT_IN if n.startswith("cue.")]
    told = run("list").stdout
    assert told == run().stdout
    assert all(name in told for name in ("diagnosis", "random"))


def test_a_name_alone_shows_its_card() -> None:
    assert run("constant").stdout == run("info", "constant").stdout
    for arguments in (["constant", "--json"], ["--json", "constant"], ["info", "--json", "constant"]):
        assert names_in(*arguments) == ["constant"]
    assert names_in("info", "constant", "random", "--json") == ["constant", "random"]


def test_a_card_tells_roles_parameters_and_who_asks_a_judge() -> None:
    card = card_of("dsa")
    told = run("info", "dsa").stdout
    (entry,) = json.loads(run("info", "dsa", "--json").stdout)["evaluators"]
    for role in card.models:
        assert f"runs a model as {role}" in told
        assert f"--model {role}=NAME" in told
    for name, parameter in card.parameters.items():
        assert f"--set dsa.{name}={parameter.default}" in told
        assert all(choice in told for choice in parameter.choices)
    assert [r["role"] for r in entry["roles"]] == list(card.models)
    assert [r["default"] for r in entry["roles"]] == [ROLES[r].default for r in card.models]
    assert "asks a judge" not in told
    assert "asks a judge" in run("info", "diagnosis").stdout


@pytest.mark.parametrize(
    ("evaluator", "kind", "licence", "note"),
    [
        ("dsa", "videoclip-xl:FILE", "CC BY-NC-SA 4.0", "not run on the real file"),
        ("vb.motion_smoothness", "amt:MODEL.onnx", "CC BY-NC-SA 4.0, not for commercial use", ""),
        ("tracker_fg", "cotracker:MODEL.pt", "CC BY-NC 4.0, not for commercial use", ""),
        ("vb.aesthetic_quality", "laion:CLIP_FOLDER,HEAD", "MIT", ""),
        ("vb.imaging_quality", "musiq:MODEL.onnx", "Apache-2.0", ""),
        ("clipscore", "clip:FOLDER", "", ""),
    ],
)
def test_a_card_tells_of_each_kind_of_model_the_licence_and_what_must_be_said(
    evaluator: str, kind: str, licence: str, note: str
) -> None:
    (entry,) = json.loads(run("info", evaluator, "--json").stdout)["evaluators"]
    found = {k["name"]: k for role in entry["roles"] for k in role["kinds"]}[kind]
    assert found["licence"].startswith(licence)
    assert bool(found["licence"]) == bool(licence)
    assert note in found["note"]
    (line,) = (line for line in run("info", evaluator).stdout.splitlines() if f"  {kind}" in line)
    assert all(said in line for said in (licence, found["note"]))


def test_the_proxy_of_a_role_is_told_with_what_it_stands_for() -> None:
    assert "    proxy:dis: a proxy for RAFT\n" in run("info", "vb.dynamic_degree").stdout


def test_a_role_that_nothing_offline_fills_says_so() -> None:
    (role,) = card_of("videoscore").models
    assert ROLES[role].default is None
    assert "nobody unless named" in run("info", "videoscore").stdout


@pytest.mark.parametrize("arguments", [["constnt"], ["info", "constnt"], ["list", "constnt"]])
def test_a_name_that_there_is_not_is_told_with_the_nearest(arguments: list[str]) -> None:
    with pytest.raises(UsageError, match="no evaluator called 'constnt'") as caught:
        run(*arguments)
    assert caught.value.hint == "did you mean constant?"


def test_info_of_nobody_is_a_wrong_use() -> None:
    assert run("info").exit_code == 2
