"""Editing a stretch of film with its depth kept: VACE by diffusers. Needs the extra ``diffusers``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..core.instructions import parse
from ..core.ports import Kind
from .matting import Matte, Picture
from .retouching import mixed
from .torch_loading import device, image, loaded, picture_of, pipeline, run, seeded, size_for

PIXELS = 832 * 480
"""Area of the pictures that are made, px."""
STEPS = 25
DEPTHS = 8
"""Pictures whose depth is estimated at once."""


class VaceEditor:
    """VACE (Jiang et al., ICCV 2025) on Wan, guided by depth from a second model: what stands where and
    how it moves is kept, what it looks like is made anew as the instruction's words say."""

    kind: Kind = "model"
    stands_for = ""

    def __init__(self, path: Path, depth: Path, threads: int = 1) -> None:
        """``depth`` holds a model of depth as transformers saves it, with its image processor.

        Raises:
            BackendError: a folder holds no such model.
        """
        import transformers

        self.name = f"vace:{path.name},{depth.name}"
        self._pipe: Any = pipeline(path, "WanVACEPipeline", threads)
        model = transformers.AutoModelForDepthEstimation.from_pretrained
        self._depth: Any = loaded(depth, "model of depth", model, use_safetensors=True).eval().to(device())
        processor = transformers.AutoImageProcessor.from_pretrained
        self._processor: Any = loaded(depth, "image processor", processor)

    def edit(self, picture: Picture, mask: Matte | None, instruction: str, seed: int) -> Picture:
        """One picture; a stretch made in one go holds together better."""
        return self.edit_block([picture], None if mask is None else [mask], instruction, seed)[0]

    def edit_block(
        self, pictures: Sequence[Picture], masks: Sequence[Matte] | None, instruction: str, seed: int
    ) -> list[Picture]:
        """As many pictures as given, changed where their masks are above 0 (everywhere without masks)."""
        first = pictures[0]
        size = size_for(first, PIXELS, self._pipe.vae_scale_factor_spatial * self._patch())
        step = self._pipe.vae_scale_factor_temporal
        missing = -(len(pictures) - 1) % step
        maps = run(self.name, self._depths, pictures=[*pictures, *[pictures[-1]] * missing])
        control = [image(np.repeat(m[..., None], 3, axis=2), size) for m in maps]
        white = image(np.full((size[1], size[0], 3), 255, np.uint8)).convert("L")
        shown = run(
            self.name,
            self._pipe,
            prompt=parse(instruction).words,
            video=control,
            mask=[white] * len(control),
            width=size[0],
            height=size[1],
            num_frames=len(control),
            num_inference_steps=STEPS,
            generator=seeded(seed),
            output_type="np",
        ).frames[0]
        whole = first.shape[1::-1]
        made = [picture_of(rgb, whole) for rgb in shown[: len(pictures)]]
        if masks is None:
            return made
        return [mixed(p, m, mask) for p, m, mask in zip(pictures, made, masks, strict=True)]

    def _patch(self) -> int:
        return int(self._pipe.transformer.config.patch_size[1])

    def _depths(self, pictures: Sequence[Picture]) -> list[Picture]:
        """Nearness, 0 to 255 over the whole stretch, so that it does not flicker: (height, width) each."""
        found = []
        for i in range(0, len(pictures), DEPTHS):
            images = [image(p) for p in pictures[i : i + DEPTHS]]
            pixels = self._processor(images=images, return_tensors="pt")["pixel_values"].to(device())
            found.append(self._depth(pixel_values=pixels).predicted_depth.float().cpu().numpy())
        maps = np.concatenate(found)
        low, high = float(maps.min()), float(maps.max())
        return list(np.round((maps - low) / max(high - low, 1e-9) * 255).astype(np.uint8))
