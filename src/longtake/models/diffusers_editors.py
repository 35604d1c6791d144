"""Editors of single pictures by diffusers: inpainting, and Qwen-Image-Edit. Needs the extra ``diffusers``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..core.instructions import parse
from ..core.ports import Kind
from .matting import Matte, Picture
from .retouching import mixed
from .torch_loading import device, image, loaded, picture_of, pipeline, run, seeded, size_for

INPAINT_PIXELS, INPAINT_STEPS = 768 * 512, 30
"""Area of the picture that is inpainted, px, and denoising steps."""
QWEN_STEPS, QWEN_GUIDANCE = 50, 4.0
"""Denoising steps and guidance of Qwen-Image-Edit, as its authors use them."""
EMPTY = "empty background, nothing there, plain surroundings"
"""What is painted where something is to be erased."""


class InpaintEditor:
    """Any inpainting pipeline that diffusers can load from a folder. It paints inside the mask alone."""

    kind: Kind = "model"
    stands_for = ""

    def __init__(self, path: Path, threads: int = 1) -> None:
        """Raises ``BackendError`` where the folder holds no such pipeline."""
        self.name = f"inpaint:{path.name}"
        self._pipe: Any = pipeline(path, "AutoPipelineForInpainting", threads)

    def edit(self, picture: Picture, mask: Matte | None, instruction: str, seed: int) -> Picture:
        """``picture`` painted anew where ``mask`` is above 0; elsewhere not a value changes."""
        asked = parse(instruction)
        size = size_for(picture, INPAINT_PIXELS, 2 * getattr(self._pipe, "vae_scale_factor", 8))
        covered = np.ones(picture.shape[:2], np.float32) if mask is None else mask
        hole = np.repeat((covered > 0).astype(np.uint8)[..., None] * 255, 3, axis=2)
        shown = run(
            self.name,
            self._pipe,
            prompt=EMPTY if asked.verb == "erase" else asked.words,
            image=image(picture, size),
            mask_image=image(hole, size).convert("L"),
            width=size[0],
            height=size[1],
            num_inference_steps=INPAINT_STEPS,
            generator=seeded(seed),
            output_type="np",
        ).images[0]
        return mixed(picture, picture_of(shown, picture.shape[1::-1]), mask)


class QwenEditor:
    """Qwen-Image-Edit (2025): it is told in words, sees the whole picture, and is kept to the mask after.

    The processor of the folder is not used, since it cannot be built without torchvision: its parts are.
    """

    kind: Kind = "model"
    stands_for = ""

    def __init__(self, path: Path, threads: int = 1) -> None:
        """Raises ``BackendError`` where the folder holds no such pipeline."""
        import transformers

        self.name = f"qwen:{path.name}"
        self._pipe: Any = pipeline(path, "QwenImageEditPipeline", threads, processor=None)
        images = transformers.Qwen2VLImageProcessor.from_pretrained
        self._images: Any = loaded(path / "processor", "image processor of Qwen-VL", images)

    def edit(self, picture: Picture, mask: Matte | None, instruction: str, seed: int) -> Picture:
        """``picture`` changed as the words of the instruction say, where ``mask`` is above 0."""
        words = parse(instruction).words
        given: dict[str, Any] = {}
        for prefix, text in (("", words), ("negative_", " ")):
            vectors, known = run(self.name, self._read, picture=picture, words=text)
            given |= {f"{prefix}prompt_embeds": vectors, f"{prefix}prompt_embeds_mask": known}
        shown = run(
            self.name,
            self._pipe,
            image=image(picture),
            true_cfg_scale=QWEN_GUIDANCE,
            num_inference_steps=QWEN_STEPS,
            generator=seeded(seed),
            output_type="np",
            **given,
        ).images[0]
        return mixed(picture, picture_of(shown, picture.shape[1::-1]), mask)

    def _read(self, picture: Picture, words: str) -> tuple[Any, Any]:
        """What the model makes of picture and words: vectors (1, n, d), and which of them count (1, n)."""
        import torch

        pipe = self._pipe
        seen = self._images(images=[image(picture)], return_tensors="pt")
        count = int(seen["image_grid_thw"].prod()) // self._images.merge_size**2
        pad = "<|image_pad|>"
        text = pipe.prompt_template_encode.format(words).replace(pad, pad * count)
        tokens = pipe.tokenizer(text, return_tensors="pt")
        inputs = {
            "input_ids": tokens["input_ids"],
            "attention_mask": tokens["attention_mask"],
            "mm_token_type_ids": (tokens["input_ids"] == pipe.tokenizer.convert_tokens_to_ids(pad)).int(),
            "pixel_values": seen["pixel_values"].to(pipe.text_encoder.dtype),
            "image_grid_thw": seen["image_grid_thw"],
        }
        there = {name: value.to(device()) for name, value in inputs.items()}
        states = pipe.text_encoder(**there, output_hidden_states=True).hidden_states[-1]
        vectors = states[:, pipe.prompt_template_encode_start_idx :]
        return vectors, torch.ones(vectors.shape[:2], dtype=torch.long, device=vectors.device)
