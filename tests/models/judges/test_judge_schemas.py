"""Schemas for strict modes: what OpenAI asks of them holds, and they allow what the record allows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import pytest
from asked import Answer, question
from pydantic import Field

from longtake.core.model import Record, Share
from longtake.models.judges.schemas import strict
from longtake.testing.answers import answer_to


class Named(Record):
    """Fields that are called like words of JSON schema."""

    title: str = "none"
    format: Literal["a", "b"]
    items: list[Share] = []
    properties: dict[str, int] = {}
    required: bool = Field(True, description="kept")


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema in a schema."""
    if isinstance(schema, list):
        for one in schema:
            yield from parts(one)
    if isinstance(schema, dict):
        yield schema
        for key, value in schema.items():
            yield from parts(list(value.values()) if key == "properties" else value)


@pytest.mark.parametrize("record", [Answer, Named])
def test_every_object_is_closed_and_all_is_required(record: type[Record]) -> None:
    found = list(parts(strict(record.model_json_schema())))
    objects = [part for part in found if "properties" in part]
    assert objects
    for part in objects:
        assert part["additionalProperties"] is False
        assert part["required"] == list(part["properties"])
    left = {key for part in found for key in part if key not in ("properties",)}
    assert not left & {"$ref", "$defs", "default", "minLength", "maxLength", "prefixItems"}


def test_bounds_of_numbers_and_counts_stay() -> None:
    fields = strict(Answer.model_json_schema())["properties"]
    assert fields["score"]["anyOf"][0] == {"type": "integer", "minimum": 1, "maximum": 5}
    assert fields["spans"]["maxItems"] == 5
    assert fields["spans"]["items"]["properties"]["start"] == {"type": "number", "minimum": 0}
    assert fields["pair"] == {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
    assert fields["id"]["const"] == "checkpoint.scene_order"
    assert fields["score"]["description"] == "None: cannot tell"


def test_fields_called_like_words_of_schemas_are_fields() -> None:
    fields = strict(Named.model_json_schema())["properties"]
    assert list(fields) == ["title", "format", "items", "properties", "required"]
    assert fields["format"] == {"type": "string", "enum": ["a", "b"]}
    assert fields["required"] == {"type": "boolean", "description": "kept"}


def test_a_schema_that_contains_itself_ends() -> None:
    tree = {"$defs": {"T": {"properties": {"t": {"$ref": "#/$defs/T"}}}}, "$ref": "#/$defs/T"}
    assert strict(tree)["properties"]["t"]["$ref"] == "#/$defs/T"


def test_the_question_s_own_schema_is_left_alone() -> None:
    before = question().key
    strict(question().schema)
    assert question().key == before
    assert "$defs" in question().schema


@pytest.mark.parametrize("text", [f"question {n}" for n in range(40)])
def test_answers_by_either_schema_are_valid_and_the_same_again(text: str) -> None:
    full = answer_to(Answer.model_json_schema(), text)
    assert full == answer_to(Answer.model_json_schema(), text)
    found = Answer.model_validate(full)
    assert all(span.start <= span.end for span in found.spans)
    held = answer_to(strict(Answer.model_json_schema()), text)
    Answer.model_validate(held)


def test_other_texts_get_other_answers() -> None:
    scores = {answer_to(Answer.model_json_schema(), f"question {n}")["score"] for n in range(40)}
    assert scores == {1, 2, 3, 4, 5}
