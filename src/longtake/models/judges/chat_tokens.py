"""A conversation as the ids of a tokeniser, in which no text becomes one of the model's own marks.

Only the chat template may write marks (``<|im_end|>``, ``<|image_pad|>``, ``<think>``). It is filled with
holes instead of texts and cut at its marks; then the texts are put in, and what lies between two marks is
read by a copy of the tokeniser that has no marks. For harmless texts the ids are those of the whole
conversation read at once, since a tokeniser cuts at its marks before anything else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

HOLE = re.compile("\ue000([0-9]+)\ue001")
"""Where a text goes: signs for private use, which no chat template has."""
THOUGHT = "<think>"
"""What a chat template ends with where the model is to think first."""


class ChatTokens:
    """Writes conversations for one tokeniser of transformers (a fast one: it has a ``backend_tokenizer``).

    ``picture`` is the id that stands for a piece of a picture. ``thinks`` tells whether each reply begins
    within a thought that the template has opened. Without a template of its own the tokeniser gets Qwen's.
    """

    def __init__(self, tokenizer: Any, picture: int) -> None:
        """Raises ``ValueError`` where the tokeniser or its template cannot write a conversation."""
        from tokenizers import Tokenizer

        words = json.loads(tokenizer.backend_tokenizer.to_str())
        words |= {"added_tokens": [], "post_processor": None, "truncation": None, "padding": None}
        self._words = Tokenizer.from_str(json.dumps(words))
        self._tokenizer, self._picture = tokenizer, picture
        self._marks: dict[str, int] = tokenizer.get_added_vocab()
        if picture not in self._marks.values():
            raise ValueError(f"its tokeniser has no mark of the id {picture} for a picture")
        longest_first = sorted(self._marks, key=len, reverse=True)
        self._cut = re.compile(f"({'|'.join(map(re.escape, longest_first))})")
        own = tokenizer.chat_template
        self._template = None if own else (files(__package__) / "data" / "qwen.jinja").read_text("utf-8")
        self.thinks = self._rendered(["", "", 1, "", 1, ""]).rstrip().endswith(THOUGHT)

    def ids(self, system: str | None, parts: Sequence[str | int]) -> list[int]:
        """The conversation up to where the reply begins. A part is a text or, for a picture, the number of
        ids that it takes. Without a text of ``system`` there is what the template has in its place.

        Raises:
            ValueError: the chat template leaves out or repeats a part.
        """
        said: list[str | int] = [*([] if system is None else [system]), *parts]
        pictures = iter([part for part in said if isinstance(part, int)])
        found: list[int] = []
        for piece in self._cut.split(self._rendered(said, system is not None)):
            mark = self._marks.get(piece)
            if mark is None:
                text = HOLE.sub(lambda hole: str(said[int(hole[1])]), piece)
                found += self._words.encode(text, add_special_tokens=False).ids
            else:
                found += [mark] * (next(pictures) if mark == self._picture else 1)
        return found

    def _rendered(self, said: Sequence[str | int], system: bool = True) -> str:
        """The chat template around holes, each of them once and in order; ``system``: the first is that."""
        parts = [
            {"type": "text", "text": f"\ue000{i}\ue001"} if isinstance(part, str) else {"type": "image"}
            for i, part in enumerate(said)
        ]
        talk: list[dict[str, Any]] = [{"role": "user", "content": parts[1:] if system else parts}]
        if system:
            talk.insert(0, {"role": "system", "content": parts[0]["text"]})
        text: str = self._tokenizer.apply_chat_template(
            talk, chat_template=self._template, tokenize=False, add_generation_prompt=True
        )
        order: list[int | None] = []
        for piece in self._cut.split(text):
            is_picture = self._marks.get(piece) == self._picture
            order += [None] if is_picture else [int(hole) for hole in HOLE.findall(piece)]
        if order != [i if isinstance(part, str) else None for i, part in enumerate(said)]:
            raise ValueError("its chat template leaves out, repeats or reorders what is said")
        return text
