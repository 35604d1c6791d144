"""The environment goes before the file, and a key in the file is refused without being repeated."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest

from longtake.errors import InputError, LongtakeError, MissingError, UsageError
from longtake.execution.budget import Budget, Prices
from longtake.execution.judge_settings import judge_settings

WHOLE = """
[judge]
base_url = "http://localhost:8000/v1"
model = "qwen3-vl"
timeout = 30
concurrency = 8
picture_size = 768
most_pictures = 12
price_input = 2.5
price_output = 10
budget = "calls=100,money=5"
"""


def config(tmp_path: Path, text: str) -> dict[str, str]:
    (tmp_path / "config.toml").write_text(text, encoding="utf-8")
    return {"LONGTAKE_CONFIG": str(tmp_path / "config.toml")}


def test_the_file_is_read_and_the_environment_goes_before_it(tmp_path: Path) -> None:
    given = config(tmp_path, WHOLE)
    found = judge_settings(given)
    assert (found.base_url, found.model, found.key) == ("http://localhost:8000/v1", "qwen3-vl", None)
    assert (found.timeout, found.concurrency, found.picture_size, found.most_pictures) == (30, 8, 768, 12)
    assert found.prices == Prices(2.5, 10)
    assert found.budget == Budget(calls=100, money=5)
    over = {"OPENAI_BASE_URL": "http://other/v1", "OPENAI_MODEL": "m", "OPENAI_API_KEY": "sk-secret-1234"}
    found = judge_settings({**given, **over})
    assert (found.base_url, found.model, found.key) == ("http://other/v1", "m", "sk-secret-1234")
    assert found.concurrency == 8
    assert "sk-secret" not in repr(found)
    assert judge_settings({**given, "OPENAI_MODEL": ""}).model == "qwen3-vl"


def test_the_users_own_place_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert judge_settings({}).model is None
    (tmp_path / "longtake").mkdir()
    (tmp_path / "longtake" / "config.toml").write_text('[judge]\nmodel = "mine"\n')
    assert judge_settings({}).model == "mine"


@pytest.mark.parametrize(
    "text",
    [
        '[judge]\napi_key = "sk-very-secret"',
        '[judge]\nkey = "sk-very-secret"',
        '[judge]\nOPENAI_API_KEY = "sk-very-secret"',
        '[judge]\nAPI-Key = "sk-very-secret"',
        'apikey = "sk-very-secret"',
        '[other.deep]\naccess_token = "sk-very-secret"',
    ],
)
def test_a_key_in_the_file_is_refused_and_not_repeated(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match="keys are not kept in files") as told:
        judge_settings(config(tmp_path, text))
    assert "sk-very-secret" not in f"{told.value} {told.value.hint}"
    assert "OPENAI_API_KEY" in (told.value.hint or "")


@pytest.mark.parametrize(
    ("text", "said", "kind"),
    [
        ("[judge]\nconcurency = 3", "concurency", InputError),
        ("[jugde]\nmodel = 'x'", "jugde", InputError),
        ("[judge\n", "no TOML", InputError),
        ("judge = 3", "has to be a table", InputError),
        ("[judge]\ntimeout = 'long'", "timeout", InputError),
        ("[judge]\nconcurrency = 0", "concurrency", InputError),
        ("[judge]\nprice_input = 1", "price_output", InputError),
        ("[judge]\nbudget = 'calls=x'", "calls=x", UsageError),
        ("[judge]\ntimeout = 0.5", "timeout: .* not 0.5", InputError),
        ("[judge]\ntimeout = 3601", "timeout: .* not 3601", InputError),
        ("[judge]\nconcurrency = 257", "concurrency: .* not 257", InputError),
        ("[judge]\npicture_size = 63", "picture_size: .* not 63", InputError),
        ("[judge]\npicture_size = 4097", "picture_size: .* not 4097", InputError),
        ("[judge]\nmost_pictures = 0", "most_pictures: .* not 0", InputError),
        ("[judge]\nmost_pictures = 257", "most_pictures: .* not 257", InputError),
        ("[judge]\nprice_input = 1e7\nprice_output = 1", "price_input", InputError),
        (f"[judge]\nmost_pictures = {'9' * 4000}", "most_pictures", InputError),
        (f"[judge]\nmost_pictures = {'9' * 5000}", "no TOML", InputError),
        ("x = " + "[" * 10_000, "nested too deeply", InputError),
        (f"{'a.' * 5000}b = 1", "nested too deeply", InputError),
    ],
)
def test_what_is_wrong_in_the_file_is_told(
    tmp_path: Path, text: str, said: str, kind: type[LongtakeError]
) -> None:
    with pytest.raises(kind, match=said):
        judge_settings(config(tmp_path, text))


NUMBERS = ("timeout", "concurrency", "picture_size", "most_pictures", "price_input")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, '["sk-very-secret"]') for name in (*NUMBERS, "base_url", "model", "budget")),
        *((name, '{x = "sk-very-secret"}') for name in (*NUMBERS, "base_url", "model", "budget")),
        *((name, '"sk-very-secret"') for name in NUMBERS),
    ],
)
def test_a_value_of_the_wrong_kind_is_not_repeated(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(InputError, match=name) as told:
        judge_settings(config(tmp_path, f"[judge]\n{name} = {value}"))
    assert "sk-very-secret" not in "".join(traceback.format_exception(told.value))


def test_the_bounds_themselves_are_taken(tmp_path: Path) -> None:
    for timeout, few, size in ((1, 1, 64), (3600, 256, 4096)):
        text = (
            f"[judge]\ntimeout = {timeout}\nconcurrency = {few}\nmost_pictures = {few}\npicture_size = {size}"
        )
        found = judge_settings(config(tmp_path, text))
        assert (found.timeout, found.concurrency, found.most_pictures, found.picture_size) == (
            timeout,
            few,
            few,
            size,
        )


def test_a_blank_setting_is_none(tmp_path: Path) -> None:
    given = config(tmp_path, WHOLE)
    found = judge_settings({**given, "OPENAI_MODEL": " ", "OPENAI_BASE_URL": "\t"})
    assert (found.model, found.base_url) == ("qwen3-vl", "http://localhost:8000/v1")


def test_a_file_that_is_named_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="is not there"):
        judge_settings({"LONGTAKE_CONFIG": str(tmp_path / "none.toml")})


def test_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    given = config(tmp_path, "\ufeff[judge]\nmodel = 'm'\n")
    assert judge_settings(given).model == "m"
