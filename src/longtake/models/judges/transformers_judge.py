"""A judge in this process: Qwen3-VL or Qwen2.5-VL from a local folder, by transformers. Needs ``torch``.

Only safetensors are read, never a pickle, nothing is looked up on the network, and no code of the folder is
run. The library's own processor of these models needs torchvision; its image processor and tokeniser do not,
and what the processor does between them is done here. Nothing holds the model to the answer's schema: the
parser decides.
"""

from __future__ import annotations

import io
import json
import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...core.judge import Frame, Question, Usage, Verdict, VerdictStatus
from ...core.seeds import seed_for
from ...errors import BackendError
from ..named import Kind, Named
from ..torch_loading import device, loaded, quiet
from .chat_tokens import THOUGHT, ChatTokens
from .parse import verdict
from .sending import THOUGHT_TOKENS, conversation

FAMILIES = {
    "qwen3_vl": "Qwen3VLForConditionalGeneration",
    "qwen2_5_vl": "Qwen2_5_VLForConditionalGeneration",
}
"""Kinds of models as their ``config.json`` has them, and their classes."""
KIND = Kind("judges.transformers_judge:TransformersJudge", places=("PATH",), extra="torch")
END_OF_TURN = "<|im_end|>"
FEWER = "send fewer or smaller pictures (most_pictures, picture_size), or take a smaller model"


class TransformersJudge:
    """One model of a local folder. Safe from several threads: questions are asked one after the other.

    It runs on the graphics card in bfloat16, as these models are published, or else on the processor in
    float32: in bfloat16 a reply's tokens took several times as long on the one processor tried, although it
    has instructions for it. The device is part of ``identity``, since greedy replies may depend on it.
    """

    sends_to: str | None = None

    def __init__(self, path: Path) -> None:
        """Loads all of the model. Threads and silence hold for all of torch in this process.

        Raises:
            BackendError: the folder holds no such model, or it does not fit in memory.
        """
        import torch
        import transformers

        path = Path(os.path.abspath(path))
        family = _family(path)
        self._threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        quiet(self._threads or 1)
        self._device = device()
        kind = torch.bfloat16 if self._device == "cuda" else torch.float32
        self._tokenizer: Any = loaded(path, "tokeniser", transformers.AutoTokenizer.from_pretrained)
        self._pictures: Any = loaded(
            path, "image processor", transformers.AutoImageProcessor.from_pretrained, backend="pil"
        )
        try:
            model, found = loaded(
                path,
                f"model of the kind {family}",
                getattr(transformers, FAMILIES[family]).from_pretrained,
                use_safetensors=True,
                dtype=kind,
                output_loading_info=True,
            )
            if absent := sorted(found["missing_keys"]):
                raise BackendError(
                    f"{path} holds no whole model: {len(absent)} weights are missing, {absent[0]} among them"
                )
            self._model: Any = model.eval().to(self._device)
        except Exception as error:
            if not out_of_memory(error):
                raise
            message = f"there is not enough memory for the model in {path}"
            raise BackendError(message, hint="choose a smaller one, or a server that has it") from error
        config = self._model.config
        try:
            self._chat = ChatTokens(self._tokenizer, config.image_token_id)
            self._ends = self._ends_of(self._model.generation_config.eos_token_id)
        except Exception as error:  # a chat template is a program, and may fail as it likes
            raise BackendError(f"{path} cannot be talked to: {error}") from error
        self._longest: int = config.get_text_config().max_position_embeddings
        self._merged: int = config.vision_config.spatial_merge_size**2
        # The folder's own settings (a repetition penalty, a temperature) would be in every reply.
        self._model.generation_config = transformers.GenerationConfig()
        self._lock = threading.Lock()
        named = Named(f"transformers:{path}", KIND, (path,))
        self.model = path.name
        self.name = f"transformers:{path.name}"
        self.identity = f"transformers {named.sha256} {self._device} {str(kind).removeprefix('torch.')}"

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
        ids = self._written(inputs, question, room)
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

    def _written(self, inputs: dict[str, Any], question: Question, room: int) -> list[int]:
        """Ids of the reply, the one that ends it included. Drawn, the whole distribution is drawn from."""
        import torch
        import transformers

        torch.set_num_threads(self._threads or 1)  # other models of ours set it to one
        drawn = {"do_sample": True, "temperature": question.temperature, "top_k": 0, "top_p": 1.0}
        how = transformers.GenerationConfig(
            max_new_tokens=room,
            eos_token_id=self._ends,
            pad_token_id=self._ends[0],
            **(drawn if question.temperature > 0 else {"do_sample": False}),
        )
        given = {name: value.to(self._device) for name, value in inputs.items()}
        cards = [self._model.device] if self._device == "cuda" else []
        with torch.inference_mode(), torch.random.fork_rng(cards):
            torch.manual_seed(seed_for(question.key, "judge", question.draw) % 2**63)
            said = self._model.generate(**given, generation_config=how)
        ids: list[int] = said[0, inputs["input_ids"].shape[1] :].tolist()
        return ids

    def _ends_of(self, given: int | Sequence[int] | None) -> list[int]:
        """Ids that end a reply: the folder's, and the end of a turn. Raises ``ValueError``: there is none."""
        ends = [given] if isinstance(given, int) else list(given or ())
        turn = self._tokenizer.get_added_vocab().get(END_OF_TURN)
        ends += [one for one in (turn, self._tokenizer.eos_token_id) if one is not None]
        if not ends:
            raise ValueError("it has no mark that ends a reply")
        return list(dict.fromkeys(ends))

    def _unanswered(self, question: Question, status: VerdictStatus, reason: str) -> Verdict:
        return Verdict(
            id=question.id,
            question=question.key,
            draw=question.draw,
            status=status,
            reason=reason,
            model=self.model,
        )


def out_of_memory(error: BaseException | None) -> bool:
    """Whether memory ran out, on whichever device."""
    import torch

    if error is None:
        return False
    if isinstance(error, MemoryError | torch.OutOfMemoryError) or "can't allocate memory" in str(error):
        return True
    return out_of_memory(error.__cause__)


def _family(path: Path) -> str:
    """The kind of model in a folder. Raises ``BackendError`` where it is none of ours."""
    hint = "give a folder with config.json, tokenizer.json, preprocessor_config.json and *.safetensors"
    try:
        said = json.loads((path / "config.json").read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        message = f"{path} holds no model of transformers: there is no config.json in it"
        raise BackendError(message, hint=hint) from error
    except (OSError, ValueError) as error:
        raise BackendError(f"{path / 'config.json'} cannot be read: {error}", hint=hint) from error
    kind = said.get("model_type") if isinstance(said, dict) else None
    if kind not in FAMILIES:
        what = f"a model of the kind {kind}" if kind else "a config.json that names no kind of model"
        hint = f"there are: {', '.join(FAMILIES)}; other models can be asked through a server (openai)"
        raise BackendError(f"{path} holds {what}, which cannot be asked here", hint=hint)
    return str(kind)
