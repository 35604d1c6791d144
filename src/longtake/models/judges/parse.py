"""From a judge's reply to a verdict: strictly, and without mending anything."""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from ...core.judge import HALF, Question, Usage, Verdict, VerdictStatus
from ...core.wording import silent
from .door import MOST_DEPTH, one_line

THOUGHT = re.compile(r"<think>(.*?)</think>", re.DOTALL)
"""What a local model that thinks aloud puts before its answer."""
FENCE = re.compile(r"```(?:json)?[ \t]*\n(.*?)\n?```", re.DOTALL | re.IGNORECASE)
BOUNDS = frozenset(
    {"greater_than", "greater_than_equal", "less_than", "less_than_equal", "multiple_of", "finite_number"}
)
"""What pydantic calls a number that is outside of its bounds."""
MOST_SHOWN = 60
"""Signs of a value that a reason quotes."""


class _Unreadable(Exception):
    """The reply is not one JSON object; the message says why."""


def verdict(
    question: Question,
    raw: str,
    *,
    model: str | None = None,
    usage: Usage | None = None,
    finish: str | None = None,
    refusal: str | None = None,
    seconds: float = 0.0,
) -> Verdict:
    """What a reply comes to.

    Accepted is exactly one JSON object that the question's record validates in strict mode, alone or in one
    code fence, after at most one ``<think>`` block. ``finish`` is the server's reason for ending (``length``,
    ``content_filter``), ``refusal`` its field of that name. ``raw`` is kept in any case.
    """
    used = usage or Usage()

    def ended(status: VerdictStatus, reason: str | None, value: dict[str, Any] | None = None) -> Verdict:
        return Verdict(
            id=question.id,
            question=question.key,
            draw=question.draw,
            status=status,
            value=value,
            reason=reason,
            raw=raw or refusal or "",
            model=model,
            usage=used,
            seconds=seconds,
        )

    if refusal:
        return ended("refused", f"the judge declined to answer: {_shown(refusal)}")
    if finish == "content_filter":
        return ended("refused", "the server's content filter held the answer back")
    spent = used.output_tokens is not None and used.output_tokens >= question.most_tokens
    try:
        text = _object(raw)
        found = _read(text)
    except _Unreadable as error:
        if finish == "length" or (spent and "ends in the middle" in str(error)):
            return ended("cut_off", f"the answer was cut off at {_length(question, used)}")
        return ended("unreadable", str(error))
    if finish == "length":
        return ended("cut_off", f"the answer was cut off at {_length(question, used)}")
    wanted = question.schema.get("properties", {}).get("id", {}).get("const")
    if wanted is not None and "id" in found and found["id"] != wanted:
        return ended("wrong_id", f"the answer is about {_shown(found['id'])} and not about {wanted}")
    try:
        # From the text, since strict mode takes an array for a tuple only there.
        value = question.answer.model_validate_json(text, strict=True)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False)
        numbers = all(problem["type"] in BOUNDS for problem in problems)
        return ended("out_of_range" if numbers else "wrong_schema", _why(problems))
    told = value.model_dump(mode="json", by_alias=True)
    if (where := _wordless(told, "")) is not None:
        return ended("wrong_schema", f"{where} holds no words")
    return ended("answered", None, told)


def _object(raw: str) -> str:
    """The part of a reply that has to be the JSON object."""
    text = raw.strip()
    if thought := THOUGHT.match(text):
        text = text[thought.end() :].strip()
    elif text.startswith("<think>"):
        raise _Unreadable("the reply ends in the middle of a thought")
    if fence := FENCE.fullmatch(text):
        text = fence[1].strip()
    if not text:
        raise _Unreadable("the reply is empty")
    return text


def _read(text: str) -> dict[str, Any]:
    """The JSON object. A key given twice and NaN are refused, which Python would take."""
    if text[0] not in "{[":
        within = " but words around it" if "{" in text else ""
        raise _Unreadable(f"the reply is no JSON object{within}: {_shown(text)}")
    try:
        found, end = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_number).raw_decode(text)
    except json.JSONDecodeError as error:
        if error.pos >= len(text.rstrip()) or "Unterminated string" in error.msg:
            raise _Unreadable("the JSON of the reply ends in the middle") from None
        raise _Unreadable(f"the reply is not valid JSON: {error.msg.lower()} at {error.pos}") from None
    except RecursionError:
        raise _Unreadable("the JSON of the reply is nested too deeply") from None
    except ValueError as error:  # an integer of thousands of digits
        raise _Unreadable(f"the reply is not valid JSON: {_shown(str(error))}") from None
    rest = text[end:].strip()
    if rest:
        several = "more than one JSON value" if rest[0] in "{[" else "words after the JSON object"
        raise _Unreadable(f"the reply has {several}: {_shown(rest)}")
    if not isinstance(found, dict):
        raise _Unreadable("the reply is a JSON array and not an object")
    _sound(found, 0)
    return found


def _sound(value: Any, depth: int) -> None:
    """Refuses what JSON can write and no record can hold, wherever it stands."""
    if depth > MOST_DEPTH:
        raise _Unreadable("the JSON of the reply is nested too deeply")
    if isinstance(value, str) and HALF.search(value):
        raise _Unreadable("the reply has half of a sign in it, which no text can hold")
    if isinstance(value, dict):
        for name in value:
            _sound(name, depth)
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _sound(part, depth + 1)


def _wordless(value: Any, where: str) -> str | None:
    """Where in an answer a text stands that looks like one and says nothing. An empty one is the schema's."""
    if isinstance(value, str):
        return where if value and silent(value) else None
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = (_wordless(part, f"{where}.{name}".lstrip(".")) for name, part in parts)
    return next((one for one in found if one is not None), None)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i]))
        raise _Unreadable(f"the reply gives {_shown(twice)} twice")
    return found


def _no_number(name: str) -> None:
    raise _Unreadable(f"the reply contains {name}, which is no number in JSON")


def _length(question: Question, used: Usage) -> str:
    tokens = question.most_tokens if used.output_tokens is None else used.output_tokens
    return f"{tokens} tokens"


def _why(problems: list[ErrorDetails]) -> str:
    """The first problem in words, and how many there are beside it."""
    first = problems[0]
    where = ".".join(str(step) for step in first["loc"]) or "the answer"
    given = "" if first["type"] in ("missing", "extra_forbidden") else f", not {_shown(first['input'])}"
    said = {"missing": "is missing", "extra_forbidden": "is not asked for"}.get(first["type"])
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    message = said or first["msg"].removeprefix("Input ").removeprefix("Value error, ")
    return f"{_shown(where)} {message[:1].lower()}{message[1:]}{given}{more}"


def _shown(value: object) -> str:
    """A value as a reason may quote it: on one line, and short."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return one_line(text, MOST_SHOWN)
