"""What a phrase names, by GroundingDINO from a local folder; masks by GrabCut within its boxes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..core.ports import Kind
from .foreground import in_box
from .matting import Box, Matte, Picture, fitted, small
from .torch_loading import device, image, loaded, quiet, run

BOX_THRESHOLD, TEXT_THRESHOLD = 0.35, 0.25
"""Scores from which a box and its words count: those of the authors' demonstration."""
FOREGROUND = "person. animal. vehicle. main object."
"""What is asked for where no phrase is given."""
LARGE = 0.95
"""A box that covers more than this share of the picture is the scene."""


class DinoMasker:
    """GroundingDINO (Liu et al., ECCV 2024) as transformers saves it, with its processor.

    The model gives boxes; that what is cut out of them is the thing's outline rests on GrabCut.
    """

    kind: Kind = "model"
    stands_for = ""

    def __init__(self, path: Path, threads: int = 1) -> None:
        """Raises ``BackendError`` where the folder holds no such model."""
        import transformers

        quiet(threads)
        self.name = f"dino:{path.name}"
        model = transformers.GroundingDinoForObjectDetection.from_pretrained
        self._model: Any = loaded(path, "GroundingDINO model", model, use_safetensors=True)
        self._model = self._model.eval().to(device())
        processor = transformers.GroundingDinoProcessor.from_pretrained
        self._processor: Any = loaded(path, "GroundingDINO processor", processor)

    def mask(self, picture: Picture, phrase: str | None) -> Matte:
        """Shape (height, width), 0 to 1; without a phrase people, animals, vehicles and the main object."""
        found = self.instances(picture, FOREGROUND if phrase is None else phrase)
        return np.max(found, axis=0) if found else np.zeros(picture.shape[:2], np.float32)

    def instances(self, picture: Picture, phrase: str) -> Sequence[Matte]:
        """One mask for each box that is found, the surest first."""
        little = small(picture)
        return [fitted(in_box(little, box), picture) for box in self.boxes(picture, phrase)]

    def boxes(self, picture: Picture, phrase: str) -> list[Box]:
        """Boxes of what ``phrase`` names, the surest first."""
        asked = phrase.lower().strip().rstrip(".") + "."
        inputs = self._processor(images=image(picture), text=asked, return_tensors="pt").to(device())
        outputs = run(self.name, self._model, **inputs)
        (found,) = run(
            self.name,
            self._processor.post_process_grounded_object_detection,
            outputs=outputs,
            input_ids=inputs["input_ids"],
            threshold=BOX_THRESHOLD,
            text_threshold=TEXT_THRESHOLD,
            target_sizes=[(1, 1)],
        )
        scores = found["scores"].float().cpu().numpy()
        corners = np.clip(found["boxes"].float().cpu().numpy().reshape(-1, 4), 0, 1)
        kept = []
        for i in np.argsort(-scores, kind="stable"):
            left, top, right, bottom = (float(v) for v in corners[i])
            if 0 < (right - left) * (bottom - top) <= LARGE:
                kept.append((left, top, right - left, bottom - top))
        return kept
