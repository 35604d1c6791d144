"""Film from a picture and a prompt: Wan by diffusers. Needs the extra ``diffusers``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..core.ports import Kind
from .matting import Picture
from .torch_loading import image, picture_of, pipeline, run, seeded, size_for

PIXELS = 1280 * 704
STEPS = 25
"""Area of the pictures that are made, px, and denoising steps: those of Long-CODE (arXiv 2604.17428)."""


class WanGenerator:
    """Wan 2.1 or 2.2, image to video (arXiv 2503.20314).

    What it makes runs at the rate it was trained on, not at the ``fps`` asked for: pictures are counted, and
    motion may be faster or slower than in the film around them.
    """

    kind: Kind = "model"
    stands_for = ""

    def __init__(self, path: Path, threads: int = 1) -> None:
        """Raises ``BackendError`` where the folder holds no such pipeline."""
        self.name = f"wan:{path.name}"
        self._pipe: Any = pipeline(path, "WanImageToVideoPipeline", threads)

    def generate(self, prompt: str, first: Picture, frames: int, fps: float, seed: int) -> Iterator[Picture]:
        """``frames`` pictures of the size of ``first``, all made before the first is given."""
        patch = int(self._pipe.transformer.config.patch_size[1])
        size = size_for(first, PIXELS, self._pipe.vae_scale_factor_spatial * patch)
        step = self._pipe.vae_scale_factor_temporal
        shown = run(
            self.name,
            self._pipe,
            image=image(first, size),
            prompt=prompt,
            width=size[0],
            height=size[1],
            num_frames=frames + -(frames - 1) % step,
            num_inference_steps=STEPS,
            generator=seeded(seed),
            output_type="np",
        ).frames[0]
        return (picture_of(rgb, first.shape[1::-1]) for rgb in shown[:frames])
