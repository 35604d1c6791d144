"""A judge in this process: Qwen3-VL or Qwen2.5-VL from a local folder. Needs ``torch``.

Nothing holds the model to the answer's schema: the parser decides.
"""

from __future__ import annotations

import io
import time
from pathlib import Path
from typing import Any

from ...core.judge import Frame, Question, Usage, Verdict, VerdictStatus
from ...core.seeds import seed_for
from ..local_vlm import LocalVlm
from ..memory import out_of_memory
from ..named import Kind, Named
from .chat_tokens import THOUGHT
from .parse import verdict
from .sending import THOUGHT_TOKENS, conversation

FAMILIES = {
    "qwen3_vl": "Qwen3VLForConditionalGeneration",
    "qwen2_5_vl": "Qwen2_5_VLForConditionalGeneration",
}
"""Kinds of models as their ``config.json`` has them, and their classes."""
KIND = Kind("judges.transformers_judge:TransformersJudge", places=("FOLDER",), extra="torch")
OTHERWISE = "; other models can be asked through a server (openai)"
FEWER = "send fewer or smaller pictures (most_pictures, picture_size), or take a smaller model"


class TransformersJudge(LocalVlm):
    """One model of a local folder. Safe from several threads: questions are asked one after the other.

    What it runs on is part of ``identity``, since greedy replies may depend on it.
    """

    sends_to: str | None = None

    def __init__(self, path: Path) -> None:
        """Loads all of the model. Raises ``BackendError`` as :class:`LocalVlm`."""
        super().__init__(path, FAMILIES, OTHERWISE)
        named = Named(f"transformers:{self.path}", KIND, (self.path,))
        self.model = self.path.name
        self.name = f"transformers:{self.path.name}"
        self.identity = f"transformers {named.sha256} {self.runs_on}"

    @property
    def thought_tokens(self) -> int:
        """Tokens that a reply may take beside the answer."""
        return THOUGHT_TOKENS if self._chat.thinks else 0

    def ask(self, question: Question) -> Verdict:
        """Ask once; never raises. A question on which memory runs out, or the library fails, is ``failed``:
        another one may fare better, and the same one again would not."""
        with self._lock:
            started = time.monotonic()
            try:
                return self._asked(question, started)
            except Exception as error:  # noqa: BLE001 - whatever the library raises
                said = " ".join(str(error).split()) or type(error).__name__
                reason = f"{self.name} cannot be run: {said}"
                if out_of_memory(error):
                    reason = f"memory ran out when {self.name} was asked: {FEWER}"
                return self._unanswered(question, "failed", reason)

    def inputs(self, question: Question) -> dict[str, Any]:
        """What the model is given, as its ``generate`` takes it: ids of shape (1, n), pixels, grids.

        Parts of the conversation stand on lines of their own.
        """
        import torch
        from PIL import Image

        system, said = conversation(question)
        frames = [part for part in said if isinstance(part, Frame)]
        images = [Image.open(io.BytesIO(frame.jpeg)).convert("RGB") for frame in frames]
        seen = dict(self._pictures(images=images, return_tensors="pt")) if images else {}
        sizes = iter([int(grid.prod()) // self._merged for grid in seen.get("image_grid_thw", ())])
        parts: list[str | int] = []
        for part in said:
            parts += ["\n"] if parts else []
            parts.append(part if isinstance(part, str) else next(sizes))
        ids = torch.tensor([self._chat.ids(system, parts)])
        given = {
            "input_ids": ids,
            "attention_mask": torch.ones_like(ids),
            "mm_token_type_ids": (ids == self._model.config.image_token_id).int(),
        }
        return given | seen

    def _asked(self, question: Question, started: float) -> Verdict:
        inputs = self.inputs(question)
        asked, room = inputs["input_ids"].shape[1], question.most_tokens + self.thought_tokens
        if asked + room > self._longest:
            reason = f"{asked} tokens and {room} for the reply do not fit the model: it has {self._longest}"
            return self._unanswered(question, "too_long", reason)
        ids = self._written(
            inputs,
            room,
            temperature=question.temperature,
            seed=seed_for(question.key, "judge", question.draw),
        )
        whole = bool(ids) and ids[-1] in self._ends
        # Marks are kept in sight: a reply that has one is no JSON.
        text = self._tokenizer.decode(ids[:-1] if whole else ids, skip_special_tokens=False)
        return verdict(
            question,
            f"{THOUGHT}\n{text}" if self._chat.thinks else text,
            model=self.model,
            usage=Usage(input_tokens=asked, output_tokens=len(ids)),
            finish="stop" if whole else "length",
            seconds=time.monotonic() - started,
        )

    def _unanswered(self, question: Question, status: VerdictStatus, reason: str) -> Verdict:
        return Verdict(
            id=question.id,
            question=question.key,
            draw=question.draw,
            status=status,
            reason=reason,
            model=self.model,
        )
