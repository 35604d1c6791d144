"""VideoScore (He et al., EMNLP 2024) from a local folder: Mantis-Idefics2 with a head of five scores.

The release keeps the body under ``model.`` and a linear head with bias, ``score``, that reads the last token
(class ``Idefics2ForSequenceClassification`` of Mantis, which transformers does not have). Each picture is 64
latents between two marks; pictures stand behind the prompt, with a blank after each. Only safetensors are
read, nothing is looked up on the network, and no code of the folder is run. Needs the extra ``torch``.
Not run on the real weights by us.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..core.ports import Kind
from ..core.scorers import Rated
from ..errors import BackendError
from .local_vlm import family_of, told
from .safe_files import shapes, tensor
from .torch_loading import image, loaded, quiet, runs_on, whole
from .trained_prompt import trained_prompt

FAMILIES = {"idefics2": "Idefics2Model"}
HOLE = "{text_prompt}"
"""Where the text goes in the released prompt (``examples/run_videoscore.py``)."""
DIMENSIONS = (
    "visual_quality",
    "temporal_consistency",
    "dynamic_degree",
    "text_alignment",
    "factual_consistency",
)
"""What the five outputs are, in order (the same file)."""
PICTURE, AROUND = "<image>", "<fake_token_around_image>"
HEAD = ("score.weight", "score.bias")


class VideoScore:
    """The model of one folder. Safe from several threads: films are scored one after the other.

    What the folder holds is checked at once; the weights are loaded when a film is scored first, on the
    graphics card in bfloat16, as they were published, or else on the processor in float32. The head is run
    in float32. The published code reads 48 pictures at most.
    """

    kind: Kind = "model"
    stands_for = ""

    def __init__(self, path: Path, threads: int = 1) -> None:
        """``threads``, and silence, hold for all of torch and transformers in this process.

        Raises:
            BackendError: the folder holds no such model: of another kind, without a head of five outputs,
                cut off, or without the prompt that it was trained with.
        """
        import transformers
        from tokenizers import Tokenizer

        self._path = path = Path(os.path.abspath(path))
        family_of(path, FAMILIES)
        self._threads = threads
        quiet(threads)
        self.name = f"videoscore:{path.name}"
        self._prompt = trained_prompt(path, HOLE)
        self.prompt = self._prompt.hash
        self._config: Any = loaded(path, "settings of a model", transformers.AutoConfig.from_pretrained)
        self._check_head()
        self._pictures: Any = loaded(
            path, "image processor", transformers.AutoImageProcessor.from_pretrained, backend="pil"
        )
        if getattr(self._pictures, "do_image_splitting", False):
            raise BackendError(f"{path} splits pictures, which VideoScore does not")
        # The tokeniser as its file has it: how blanks between marks are read decides what the head reads.
        try:
            self._tokenizer = Tokenizer.from_file(str(path / "tokenizer.json"))
        except Exception as error:  # the library raises this class itself
            raise BackendError(f"{path / 'tokenizer.json'} cannot be read: {error}") from error
        if self._tokenizer.token_to_id(PICTURE) != self._config.image_token_id:
            raise BackendError(f"{path}: the tokeniser's {PICTURE} is not the model's")
        self._marks = sorted(
            (token.content for token in self._tokenizer.get_added_tokens_decoder().values()),
            key=len,
            reverse=True,
        )
        self.runs_on = runs_on()
        self._device, self._type = self.runs_on.split()
        self._model: Any = None
        self._lock = threading.Lock()

    def rate(self, pictures: Iterable[Any], text: str, most_tokens: int | None = None) -> Rated:
        """See the port."""
        with self._lock:
            try:
                return self._rated(pictures, text, most_tokens)
            except Exception as error:  # whatever the library raises
                raise told(error, self.name) from error

    def ids(self, text: str, pictures: int) -> list[int]:
        """The whole input as ids. Marks within ``text`` are broken up by a blank, so that they are words."""
        return list(self._tokenizer.encode(self._whole(text, pictures)).ids)

    def _whole(self, text: str, pictures: int) -> str:
        for mark in self._marks:
            text = text.replace(mark, f"{mark[:1]} {mark[1:]}")
        latents = self._config.perceiver_config.resampler_n_latents
        one = f"{AROUND}{PICTURE * latents}{AROUND} "
        return self._prompt.filled(text) + one * pictures

    def _fitted(self, text: str, pictures: int, most: int | None) -> tuple[list[int], int]:
        """Ids of what fits, and how many characters at the end of ``text`` are left out."""
        longest = self._config.text_config.max_position_embeddings
        most = longest if most is None else min(most, longest)
        ids = self.ids(text, pictures)
        ends = [end for _, end in self._tokenizer.encode(text, add_special_tokens=False).offsets]
        kept = len(ends)
        while len(ids) > most and kept > 0:
            kept = max(kept - (len(ids) - most), 0)
            ids = self.ids(text[: ends[kept - 1] if kept else 0], pictures)
        if len(ids) > most:
            message = f"{pictures} pictures and the prompt are more than {most} tokens"
            raise BackendError(message, hint="ask for fewer frames")
        left_out = 0 if kept == len(ends) else len(text) - (ends[kept - 1] if kept else 0)
        return ids, left_out

    def _rated(self, pictures: Iterable[Any], text: str, most_tokens: int | None) -> Rated:
        import torch

        torch.set_num_threads(self._threads)
        self._load()
        with torch.inference_mode():
            seen = [self._seen(picture) for picture in pictures]
            if not seen:
                raise BackendError(f"{self.name} was given no pictures")
            ids, left_out = self._fitted(text, len(seen), most_tokens)
            given = torch.tensor([ids], device=self._device)
            vectors = self._model.text_model.get_input_embeddings()(given).clone()
            vectors[given == self._config.image_token_id] = torch.cat(seen)
            last = self._model.text_model(inputs_embeds=vectors, use_cache=False).last_hidden_state[0, -1]
            found = self._weight @ last.float() + self._bias
        return Rated(tuple(float(value) for value in found.tolist()), len(ids), left_out)

    def _seen(self, picture: Any) -> Any:
        """Latents of one picture, shape (latents, width). One at a time: nothing is padded, memory stays low,
        and what a picture is does not depend on the others."""
        import torch

        given = self._pictures(images=[[image(picture)]], return_tensors="pt")
        pixels = given["pixel_values"][0].to(self._device, self._model.dtype)
        patch = self._config.vision_config.patch_size
        grid = (1, pixels.shape[-2] // patch, pixels.shape[-1] // patch)
        everywhere = torch.ones(grid, dtype=torch.bool, device=self._device)
        patches = self._model.vision_model(
            pixel_values=pixels, patch_attention_mask=everywhere
        ).last_hidden_state
        return self._model.connector(patches, attention_mask=everywhere.reshape(1, -1))[0]

    def _load(self) -> None:
        if self._model is not None:
            return
        import torch
        import transformers

        model = whole(
            self._path,
            "model of the kind idefics2",
            transformers.Idefics2Model.from_pretrained,
            dtype=getattr(torch, self._type),
        )
        self._weight, self._bias = (tensor(self._path, name).float().to(self._device) for name in HEAD)
        self._model = model.eval().to(self._device)

    def _check_head(self) -> None:
        """The head has five outputs and reads the body. Raises ``BackendError``."""
        there = shapes(self._path)
        wide = self._config.text_config.hidden_size
        for name, shape in zip(HEAD, ((len(DIMENSIONS), wide), (len(DIMENSIONS),)), strict=True):
            if name not in there:
                message = f"{self._path} has no head of scores ({name}): it is no VideoScore"
                raise BackendError(message, hint="TIGER-Lab/VideoScore-v1.1 is one; its base model is not")
            if there[name] != shape:
                message = f"{self._path}: {name} has the shape {there[name]}, not {shape}"
                raise BackendError(message, hint=f"the scores are {', '.join(DIMENSIONS)}")
