"""JSON schemas as servers that hold a model to a schema accept them."""

from __future__ import annotations

from typing import Any

UNHELD = frozenset(
    {"default", "title", "minLength", "maxLength", "uniqueItems", "multipleOf", "pattern", "format"}
)
"""What is left out: OpenAI's strict mode refuses lengths of strings and ``uniqueItems``, the grammars of
vLLM (xgrammar) refuse ``uniqueItems`` and ``multipleOf``, that of llama.cpp fails on long bounded strings.
The parser checks them all the same, and the question's words contain them."""


def strict(schema: dict[str, Any]) -> dict[str, Any]:
    """``schema`` for a server's strict mode: every field required, no other allowed, references resolved.

    Bounds of numbers and of counts of items stay. A pair of equal members becomes an array of two. A schema
    that refers to itself is left with the reference, and a server may refuse it.
    """
    return _strict(schema, schema.get("$defs", {}), ())


def _strict(part: Any, named: dict[str, Any], within: tuple[str, ...]) -> Any:
    if isinstance(part, list):
        return [_strict(one, named, within) for one in part]
    if not isinstance(part, dict):
        return part
    if isinstance(ref := part.get("$ref"), str):
        name = ref.removeprefix("#/$defs/")
        if name in named and name not in within:
            beside = {key: value for key, value in part.items() if key != "$ref"}
            return _strict({**named[name], **beside}, named, (*within, name))
    kept = {key: value for key, value in part.items() if key not in UNHELD and key != "$defs"}
    members = kept.get("prefixItems")
    if isinstance(members, list) and all(member == members[0] for member in members):
        del kept["prefixItems"]
        kept |= {"items": members[0], "minItems": len(members), "maxItems": len(members)}
    fields = kept.pop("properties", None)
    kept = {
        key: value if key in ("enum", "const", "required") else _strict(value, named, within)
        for key, value in kept.items()
    }
    if isinstance(fields, dict):
        # By hand: a field may be called like a word of JSON schema.
        kept["properties"] = {name: _strict(value, named, within) for name, value in fields.items()}
        kept |= {"required": list(fields), "additionalProperties": False}
    return kept
