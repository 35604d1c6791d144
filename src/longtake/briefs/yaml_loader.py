"""A YAML loader that knows only JSON's types: imported where YAML is read, not before.

YAML 1.1 turns ``no`` into false, ``1:30`` into 90 and ``2024-01-01`` into a date; a brief means the text.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from .reading import Reading

_TAG = "tag:yaml.org,2002:"
_NUMBER_STARTS = list("-+0123456789")


class PlainLoader(yaml.SafeLoader):
    """Null, true, false, decimal numbers, text, lists and mappings; nothing else."""

    yaml_implicit_resolvers: dict[str, Any] = {}

    def __init__(self, text: str, reading: Reading, max_depth: int) -> None:
        super().__init__(text)
        self.reading = reading
        self.max_depth = max_depth
        self.depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        """As PyYAML's, but aliases and deep nesting are errors: both can be bombs."""
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark
            raise yaml.composer.ComposerError(problem="aliases are not read", problem_mark=mark)
        self.depth += 1
        if self.depth > self.max_depth:
            mark = self.peek_event().start_mark
            message = f"nested deeper than {self.max_depth} levels"
            raise yaml.composer.ComposerError(problem=message, problem_mark=mark)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """As PyYAML's without merge keys; a key that stands twice is noted and the last one taken."""
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                mark = key_node.start_mark
                raise yaml.constructor.ConstructorError(problem="a key must be text", problem_mark=mark)
            key = str(key_node.value)
            if key in result:
                line = key_node.start_mark.line + 1
                self.reading.note(
                    key, f"this key stands twice in one object (line {line}); last one taken", "warning"
                )
            result[key] = self.construct_object(value_node, deep=True)
        return result

    def construct_yaml_map(self, node: Any) -> Any:
        """A mapping at once, not lazily: nothing here can refer to itself."""
        return self.construct_mapping(node, deep=True)


PlainLoader.add_constructor(f"{_TAG}map", PlainLoader.construct_yaml_map)
PlainLoader.add_implicit_resolver(f"{_TAG}null", re.compile(r"(?:~|null|Null|NULL|)\Z"), ["~", "n", "N", ""])
PlainLoader.add_implicit_resolver(
    f"{_TAG}bool", re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"), list("tTfF")
)
PlainLoader.add_implicit_resolver(f"{_TAG}int", re.compile(r"[-+]?(?:0|[1-9]\d*)\Z"), _NUMBER_STARTS)
# An exponent needs a point before it, as it is written by YAML writers: a name may be 1e5.
_FLOAT = re.compile(
    r"[-+]?(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?\Z|[-+]?\.(?:inf|Inf|INF)\Z|\.(?:nan|NaN|NAN)\Z"
)
PlainLoader.add_implicit_resolver(f"{_TAG}float", _FLOAT, [*_NUMBER_STARTS, "."])


def load_plain(text: str, reading: Reading, max_depth: int) -> Any:
    """The only document in ``text``; raises ``yaml.YAMLError`` or ``ValueError``."""
    loader = PlainLoader(text, reading, max_depth)
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()
