"""CLIP, SigLIP, DINOv2 and DINO from a local folder, by transformers. Needs the extra ``torch``.

Only safetensors are read, never a pickle, and nothing is looked up on the network. On a graphics card they
run in half precision, on the processor in the precision of their file. Pictures are prepared by the folder's
own settings with Pillow, also where torchvision is installed, so that numbers do not depend on that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...core.embedding import Shape
from ...core.ports import Kind
from ...errors import BackendError
from ..torch_loading import device, loaded, quiet, run, whole
from .base import ByFrames, Comparing, NoTexts

BATCH: Mapping[str, int] = {"cpu": 8, "cuda": 32}
"""Pictures or texts that go through a model at once, by device. A judgement: small enough for any card that
holds the model."""


class _Encoder(ByFrames):
    """A model of transformers and what prepares its input, loaded from ``path``."""

    kind: Kind = "model"
    stands_for = ""
    licence = ""
    family: ClassVar[str]
    model_class: ClassVar[str]
    model_type: ClassVar[str]
    given: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, path: Path, threads: int = 1, *, half: bool | None = None) -> None:
        """``threads``, and silence, hold for all of torch and transformers in this process. ``half`` runs it
        in half precision; without it, where there is a graphics card.

        Raises:
            BackendError: the folder holds no such model.
        """
        import torch
        import transformers

        quiet(threads)
        self.name = f"{self.family}:{path.name}"
        self._device = device()
        half = self._device == "cuda" if half is None else half
        what = f"{self.family} model"
        config = loaded(path, what, transformers.AutoConfig.from_pretrained)
        if config.model_type != self.model_type:
            raise BackendError(f"{path} holds no {what} that can be read: it is a {config.model_type} model")
        model = whole(
            path,
            what,
            getattr(transformers, self.model_class).from_pretrained,
            **self.given,
            **({"dtype": torch.float16} if half else {}),
        )
        self._model: Any = run(self.name, lambda: model.eval().to(self._device))
        self._images: Any = loaded(path, what, transformers.AutoImageProcessor.from_pretrained, backend="pil")
        vectors = self.pictures([np.zeros((32, 32, 3), np.uint8)])
        self.shape = Shape(int(vectors.shape[1]), _side(self._images), tokens=self._limit())

    def pictures(self, pictures: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """Vectors of pictures, shape (n, dimension)."""
        return self._vectors(self._look, pictures)

    def _look(self, pictures: Sequence[NDArray[np.uint8]]) -> Any:
        rgb = [np.ascontiguousarray(picture[..., ::-1]) for picture in pictures]
        read = self._images(images=rgb, return_tensors="pt", input_data_format="channels_last")
        return self._of_pictures(read["pixel_values"].to(self._device, self._model.dtype))

    def _of_pictures(self, pixels: Any) -> Any:
        return self._model.get_image_features(pixel_values=pixels)

    def _limit(self) -> int | None:
        return None

    def _vectors(self, read: Any, things: Sequence[Any]) -> NDArray[np.float32]:
        size = BATCH[self._device]
        found = [
            _numbers(run(self.name, lambda i=i: read(things[i : i + size])))
            for i in range(0, len(things), size)
        ]
        return np.concatenate(found) if found else np.zeros((0, self.shape.dimension), np.float32)


class _Pair(_Encoder, Comparing):
    """One that reads texts too."""

    processor_class: ClassVar[str]
    padding: ClassVar[bool | str]

    def __init__(self, path: Path, threads: int = 1, *, half: bool | None = None) -> None:
        """As for :class:`_Encoder`."""
        import transformers

        super().__init__(path, threads, half=half)
        self._tokenizer: Any = loaded(
            path, f"{self.family} tokenizer", transformers.AutoTokenizer.from_pretrained
        )
        join = getattr(transformers, self.processor_class)
        self._processor: Any = run(self.name, join, image_processor=self._images, tokenizer=self._tokenizer)

    def texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of texts, shape (n, dimension); each is cut off at ``shape.tokens``."""
        return self._vectors(self._read, texts)

    def tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of the model's own tokenizer."""
        if not texts:
            return []
        read = run(self.name, self._tokenizer, text=list(texts), truncation=False, padding=False)
        return [len(ids) for ids in read["input_ids"]]

    def _read(self, texts: Sequence[str]) -> Any:
        inputs = self._processor(
            text=list(texts),
            padding=self.padding,
            truncation=True,
            max_length=self._limit(),
            return_tensors="pt",
        )
        return self._model.get_text_features(**inputs.to(self._device))

    def _limit(self) -> int:
        return int(self._model.config.text_config.max_position_embeddings)


class Clip(_Pair):
    """CLIP (Radford et al., ICML 2021)."""

    family = model_type = "clip"
    model_class, processor_class = "CLIPModel", "CLIPProcessor"
    padding = True


class Siglip(_Pair):
    """SigLIP (Zhai et al., ICCV 2023). It was trained on texts padded to their full length."""

    family = model_type = "siglip"
    model_class, processor_class = "SiglipModel", "SiglipProcessor"
    padding = "max_length"


class Dinov2(_Encoder, NoTexts):
    """DINOv2 (Oquab et al., 2023): the vector of the class token, after its layer norm."""

    family = model_type = "dinov2"
    model_class = "Dinov2Model"

    def _of_pictures(self, pixels: Any) -> Any:
        return self._model(pixel_values=pixels)


class Dino(_Encoder, NoTexts):
    """DINO (Caron et al., ICCV 2021), VBench's backbone for subjects: the class token after its layer norm.

    VBench brings the shorter side to 224 px and keeps the rest; here the folder's settings say how pictures
    are prepared, as a rule 224 x 224 px whatever their shape.
    """

    family, model_type = "dino", "vit"
    model_class = "ViTModel"
    given: ClassVar[Mapping[str, Any]] = {"add_pooling_layer": False}

    def _of_pictures(self, pixels: Any) -> Any:
        return self._model(pixel_values=pixels).last_hidden_state[:, 0]


def _numbers(output: Any) -> NDArray[np.float32]:
    """Transformers gives an object whose pooled output is the vector, or the tensor itself."""
    vectors = getattr(output, "pooler_output", output)
    return np.asarray(vectors.float().cpu().numpy(), np.float32)


def _side(images: Any) -> int:
    """The side in px of what pictures are brought to."""
    size = getattr(images, "crop_size", None) if getattr(images, "do_center_crop", False) else images.size
    return int(getattr(size, "height", None) or getattr(size, "shortest_edge", None) or 0)
