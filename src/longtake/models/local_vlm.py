"""Qwen-VL models from a local folder, by transformers: loading and writing. Needs ``torch``.

Only safetensors are read, never a pickle, nothing is looked up on the network, and no code of the folder is
run. The library's own processor of these models needs torchvision; its image processor and tokeniser do not,
and what the processor does between them is done here.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import BackendError, LongtakeError
from .judges.chat_tokens import ChatTokens
from .memory import out_of_memory
from .torch_loading import loaded, quiet, runs_on, whole

END_OF_TURN = "<|im_end|>"


class LocalVlm:
    """One model of a local folder, asked by whoever holds ``_lock``.

    ``runs_on`` names device and number type (:func:`.torch_loading.runs_on`): greedy replies may depend on
    them.
    """

    def __init__(self, path: Path, families: Mapping[str, str], otherwise: str = "") -> None:
        """Loads all of the model. Threads and silence hold for all of torch in this process.

        ``families`` are the kinds of models that are taken, as their ``config.json`` has them, with their
        classes; ``otherwise`` says what else to do with a model of another kind.

        Raises:
            BackendError: the folder holds no such model, or it does not fit in memory.
        """
        import torch
        import transformers

        self.path = path = Path(os.path.abspath(path))
        family = family_of(path, families, otherwise)
        self._threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        quiet(self._threads or 1)
        self.runs_on = runs_on()
        self._device, kind = self.runs_on.split()
        self._tokenizer: Any = loaded(path, "tokeniser", transformers.AutoTokenizer.from_pretrained)
        self._pictures: Any = loaded(
            path, "image processor", transformers.AutoImageProcessor.from_pretrained, backend="pil"
        )
        try:
            model = whole(
                path,
                f"model of the kind {family}",
                getattr(transformers, families[family]).from_pretrained,
                dtype=getattr(torch, kind),
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

    def _written(
        self,
        inputs: Mapping[str, Any],
        room: int,
        *,
        temperature: float,
        seed: int,
        watching: Iterable[Any] = (),
    ) -> list[int]:
        """Ids of the reply, the one that ends it included. Drawn, the whole distribution is drawn from.

        ``watching`` are logits processors of transformers; they see the logits as the model gives them,
        before the temperature.
        """
        import torch
        import transformers

        torch.set_num_threads(self._threads or 1)  # other models of ours set it to one
        drawn = {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0}
        how = transformers.GenerationConfig(
            max_new_tokens=room,
            eos_token_id=self._ends,
            pad_token_id=self._ends[0],
            **(drawn if temperature > 0 else {"do_sample": False}),
        )
        given = {name: value.to(self._device) for name, value in inputs.items()}
        cards = [self._model.device] if self._device == "cuda" else []
        with torch.inference_mode(), torch.random.fork_rng(cards):
            torch.manual_seed(seed % 2**63)
            said = self._model.generate(
                **given,
                generation_config=how,
                logits_processor=transformers.LogitsProcessorList(watching),
            )
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


def told(error: Exception, name: str) -> LongtakeError:
    """What to raise for whatever came of running the model ``name``, in one line. What is ours stays as it
    is: the film that pictures come from can fail too."""
    if out_of_memory(error):
        message = f"memory ran out when {name} was run"
        return BackendError(message, hint="ask for fewer frames")
    if isinstance(error, LongtakeError):
        return error
    return BackendError(f"{name} cannot be run: {' '.join(str(error).split()) or type(error).__name__}")


def family_of(path: Path, families: Mapping[str, str], otherwise: str = "") -> str:
    """The kind of model in a folder. Raises ``BackendError`` where it is none of ``families``."""
    hint = "give a folder with config.json, tokenizer.json, preprocessor_config.json and *.safetensors"
    try:
        said = json.loads((path / "config.json").read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        message = f"{path} holds no model of transformers: there is no config.json in it"
        raise BackendError(message, hint=hint) from error
    except (OSError, ValueError) as error:
        raise BackendError(f"{path / 'config.json'} cannot be read: {error}", hint=hint) from error
    kind = said.get("model_type") if isinstance(said, dict) else None
    if kind not in families:
        what = f"a model of the kind {kind}" if kind else "a config.json that names no kind of model"
        hint = f"there are: {', '.join(families)}{otherwise}"
        raise BackendError(f"{path} holds {what}, which cannot be asked here", hint=hint)
    return str(kind)
