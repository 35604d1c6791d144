"""Where a judge is and what it may take: from the environment, then from the user's config file.

The file is the one that ``LONGTAKE_CONFIG`` names, else ``config.toml`` in the platform's folder for settings
of longtake. A table ``[judge]`` in it has the fields of :class:`JudgeTable`. The key comes from the
environment alone.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, FiniteFloat, ValidationError

from ..core.model import Record
from ..errors import InputError, MissingError
from .budget import MOST_PRICE, Budget, Prices

CONFIG = "LONGTAKE_CONFIG"
BASE_URL, KEY, MODEL = "OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL"
"""Variables of the environment, as the official package names them."""
HOSTED = "https://api.openai.com/v1"
"""Where the official package goes without a base URL."""
MOST_REPEATED = 10**12
"""A number from here is no setting, and not repeated."""
SECRETS = ("key", "secret", "token", "password", "authorization", "bearer")
"""A setting whose name has one of these words in it, or for its end, holds a secret."""

Timeout = Annotated[FiniteFloat, Field(ge=1, le=3600)]
Concurrency = Annotated[int, Field(ge=1, le=256)]
"""As ``--judge-limit``."""
PictureSize = Annotated[int, Field(ge=64, le=4096)]
"""Nothing is seen in smaller pictures, and no model takes larger ones as they are. A judgement."""
Pictures = Annotated[int, Field(ge=1, le=256)]
Price = Annotated[FiniteFloat, Field(ge=0, le=MOST_PRICE)]


class JudgeTable(Record):
    """The table ``[judge]`` of the config file; what is left out is as it is without the file.

    ``timeout`` is in seconds, 1 to 3600; ``picture_size`` the longest side of a picture in pixels, 64 to
    4096; ``most_pictures`` how many go with one question, at most 256, as is ``concurrency``; prices are per
    million tokens, ``budget`` is as on the command line.
    """

    base_url: str | None = None
    model: str | None = None
    timeout: Timeout | None = None
    concurrency: Concurrency | None = None
    picture_size: PictureSize | None = None
    most_pictures: Pictures | None = None
    price_input: Price | None = None
    price_output: Price | None = None
    budget: str | None = None


@dataclass(frozen=True)
class JudgeSettings:
    """What the environment and the file say. ``key`` never shows."""

    base_url: str | None = None
    model: str | None = None
    key: str | None = field(default=None, repr=False)
    timeout: float | None = None
    concurrency: int | None = None
    picture_size: int | None = None
    most_pictures: int | None = None
    prices: Prices | None = None
    budget: Budget | None = None


def judge_settings(environment: Mapping[str, str] | None = None) -> JudgeSettings:
    """Settings for judges; the environment goes before the file.

    Raises:
        MissingError: the file that ``LONGTAKE_CONFIG`` names is not there.
        InputError: the file cannot be read, has a setting that there is not, or a key in it.
        UsageError: its budget is none.
    """
    given = os.environ if environment is None else environment
    path = config_path(given)
    table = _table(path) if path is not None else JudgeTable()
    prices = None
    if table.price_input is not None or table.price_output is not None:
        if table.price_input is None or table.price_output is None:
            raise InputError(f"{path}: [judge] needs price_input and price_output, or neither")
        prices = Prices(table.price_input, table.price_output)
    return JudgeSettings(
        base_url=(given.get(BASE_URL) or "").strip() or table.base_url,
        model=(given.get(MODEL) or "").strip() or table.model,
        key=given.get(KEY) or None,
        timeout=table.timeout,
        concurrency=table.concurrency,
        picture_size=table.picture_size,
        most_pictures=table.most_pictures,
        prices=prices,
        budget=Budget.read(table.budget) if table.budget else None,
    )


def config_path(environment: Mapping[str, str]) -> Path | None:
    """The config file, if there is one. Raises ``MissingError`` where one is named and not there."""
    if named := environment.get(CONFIG):
        path = Path(named).expanduser()
        if not path.is_file():
            raise MissingError(f"the config file {path} is not there", hint=f"{CONFIG} names it")
        return path
    from platformdirs import user_config_path

    path = user_config_path("longtake", appauthor=False) / "config.toml"
    return path if path.is_file() else None


def _table(path: Path) -> JudgeTable:
    try:
        whole = tomllib.loads(path.read_text("utf-8-sig"))
        _no_secrets(whole, path)
    except OSError as error:
        raise InputError(f"the config file {path} cannot be read: {error.strerror or error}") from error
    except ValueError as error:  # TOML or UTF-8
        raise InputError(f"the config file {path} is no TOML: {error}") from error
    except RecursionError:
        raise InputError(f"the config file {path} is nested too deeply") from None
    _known(whole, ("judge",), path, "")
    table = whole.get("judge", {})
    if not isinstance(table, dict):
        raise InputError(f"{path}: judge has to be a table", hint="begin it with a line [judge]")
    _known(table, tuple(JudgeTable.model_fields), path, "[judge] ")
    try:
        return JudgeTable.model_validate(table, strict=True)
    except ValidationError as error:
        wrong = error.errors()[0]
        name = ".".join(map(str, wrong["loc"]))
        # Only a number is repeated: a text in its place may be a key.
        given, number = wrong["input"], type(wrong["input"]) in (int, float)
        shown = f", not {given!r}" if number and abs(given) < MOST_REPEATED else ""
        # Without its cause, which repeats the value.
        raise InputError(f"{path}: [judge] {name}: {wrong['msg']}{shown}") from None


def _no_secrets(table: Mapping[str, Any], path: Path) -> None:
    """Refuses a secret anywhere in the file; its value is nowhere repeated."""
    for name, value in table.items():
        if isinstance(value, dict):
            _no_secrets(value, path)
        elif name.lower().replace("-", "_").rpartition("_")[2].removeprefix("api") in SECRETS:
            raise InputError(
                f"{path}: {name}: keys are not kept in files",
                hint=f"take it out, and set it in the environment as {KEY}",
            )


def _known(table: Mapping[str, Any], names: tuple[str, ...], path: Path, where: str) -> None:
    for name in table:
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(names)}"
            raise InputError(f"{path}: there is no setting {where}{name}", hint=hint)
