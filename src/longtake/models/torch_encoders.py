"""CLIP, SigLIP and DINOv2 from a local folder, by transformers. Needs the extra ``torch``.

Only safetensors are read, never a pickle, and nothing is looked up on the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.ports import Kind
from ..errors import BackendError
from .vectors import cosines

BATCH = 8


class _Encoder:
    """A model of transformers and what prepares its input, loaded from ``path``."""

    kind: Kind = "model"
    stands_for = ""
    family: ClassVar[str]
    model_class: ClassVar[str]
    processor_class: ClassVar[str]

    def __init__(self, path: Path, threads: int = 1) -> None:
        """``threads``, and silence, hold for all of torch and transformers in this process.

        Raises:
            BackendError: the folder holds no such model.
        """
        import torch
        import transformers

        torch.set_num_threads(threads)
        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
        self.name = f"{self.family}:{path.name}"
        try:
            model = getattr(transformers, self.model_class).from_pretrained(
                path, local_files_only=True, use_safetensors=True
            )
            self._processor: Any = getattr(transformers, self.processor_class).from_pretrained(
                path, local_files_only=True
            )
        except Exception as error:  # whatever a broken folder makes the library raise
            said = str(error).strip().splitlines()
            why = said[0] if said else type(error).__name__
            raise BackendError(f"{path} holds no {self.family} model that can be read: {why}") from error
        self._model: Any = model.eval()
        self.dimension = int(self.embed([np.zeros((32, 32, 3), np.uint8)]).shape[1])

    def embed(self, pictures: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """Vectors of pictures, shape (n, dimension)."""
        import torch

        found = []
        with torch.inference_mode():
            for i in range(0, len(pictures), BATCH):
                rgb = [np.ascontiguousarray(picture[..., ::-1]) for picture in pictures[i : i + BATCH]]
                inputs = self._processor(images=rgb, return_tensors="pt")
                found.append(_numbers(self._of_pictures(inputs["pixel_values"])))
        return np.concatenate(found) if found else np.zeros((0, self.dimension), np.float32)

    def _of_pictures(self, pixels: Any) -> Any:
        return self._model.get_image_features(pixel_values=pixels)


class _Pair(_Encoder):
    """One that reads texts too."""

    padding: ClassVar[bool | str]

    def similarity(self, pictures: Sequence[NDArray[np.uint8]], texts: Sequence[str]) -> NDArray[np.float32]:
        """Cosines, shape (n_pictures, n_texts). A text is cut off where the model stops reading."""
        return cosines(self.embed(pictures), self._vectors(texts))

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import torch

        length = self._model.config.text_config.max_position_embeddings
        found = []
        with torch.inference_mode():
            for i in range(0, len(texts), BATCH):
                inputs = self._processor(
                    text=list(texts[i : i + BATCH]),
                    padding=self.padding,
                    truncation=True,
                    max_length=length,
                    return_tensors="pt",
                )
                found.append(_numbers(self._model.get_text_features(**inputs)))
        return np.concatenate(found) if found else np.zeros((0, self.dimension), np.float32)


class ClipEncoder(_Pair):
    """CLIP (Radford et al., ICML 2021): its picture half embeds, both halves compare."""

    family = "clip"
    model_class, processor_class = "CLIPModel", "CLIPProcessor"
    padding = True


class SiglipEncoder(_Pair):
    """SigLIP (Zhai et al., ICCV 2023). It was trained on texts padded to their full length."""

    family = "siglip"
    model_class, processor_class = "SiglipModel", "SiglipProcessor"
    padding = "max_length"


class Dinov2Encoder(_Encoder):
    """DINOv2 (Oquab et al., 2023): the vector of the class token, after its layer norm."""

    family = "dinov2"
    model_class, processor_class = "Dinov2Model", "AutoImageProcessor"

    def _of_pictures(self, pixels: Any) -> Any:
        return self._model(pixel_values=pixels)


def _numbers(output: Any) -> NDArray[np.float32]:
    """Transformers 5 gives an object whose pooled output is the vector, 4 gave the tensor itself."""
    vectors = getattr(output, "pooler_output", output)
    return np.asarray(vectors.float().numpy(), np.float32)
