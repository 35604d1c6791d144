"""VideoCLIP-XL from the user's own file. Needs the extra ``torch``.

Not run on the real file: the code was tried on random weights in the real format, at the published sizes and
at small ones. The weights are under CC BY-NC-SA 4.0: non-commercial, share alike. They are never fetched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.embedding import Shape
from ...core.ports import Kind
from ...errors import BackendError
from ..preparing import Preparation, prepared
from ..torch_loading import device, loaded, quiet, run
from . import videoclip_net as net
from .base import Comparing
from .videoclip_table import Architecture, published, read

FILES = (("tokenizer.json",), ("vocab.json", "merges.txt"))
"""Files of CLIP's tokenizer that lie beside the checkpoint: those of either line."""
BATCH: Mapping[str, int] = {"cpu": 1, "cuda": 8}
"""Clips that go through it at once, by device: one is 2,049 tokens, which fills a processor."""
TEXTS = 16
"""Texts that go through it at once."""

Picture = NDArray[np.uint8]


class VideoClipXL(Comparing):
    """VideoCLIP-XL (Wang et al., arXiv 2410.00741): 8 frames of 224 px and texts of 248 tokens, 768 numbers.

    Pictures are squeezed into the square bilinearly and normalised as for ImageNet, as in the released code.
    A single picture is a clip of one frame, which that code allows. Texts are read by CLIP's tokenizer as
    transformers has it; the released one also mends broken characters and HTML entities before.
    """

    kind: Kind = "model"
    stands_for = ""
    licence = "CC BY-NC-SA 4.0"

    def __init__(
        self, path: Path, threads: int = 1, *, of: Architecture | None = None, half: bool | None = None
    ) -> None:
        """``path`` is the checkpoint; beside it lie the files of CLIP's tokenizer (:data:`FILES`). ``of`` are
        its sizes, without them the published ones. ``half`` as for :mod:`.transformers`.

        Raises:
            BackendError: one of them cannot be read, or is not what it must be.
        """
        import torch

        quiet(threads)
        self.name = f"videoclip-xl:{path.name}"
        self._of = of or published()
        self._device = device()
        self._tokenizer = _tokenizer(path, self._of)
        half = self._device == "cuda" if half is None else half
        self._precision = torch.float16 if half else torch.float32
        table = read(path, self._of)
        self._table: dict[str, Any] = run(
            self.name,
            lambda: {key: tensor.to(self._device, self._precision) for key, tensor in table.items()},
        )
        self._how = Preparation(self._of.size, self._of.size, whole=True)
        self.shape = Shape(
            self._of.dimension,
            self._of.size,
            self._of.frames,
            self._of.tokens,
            "joint attention over all frames",
        )

    def pictures(self, pictures: Sequence[Picture]) -> NDArray[np.float32]:
        """Vectors, shape (n, dimension)."""
        return self._seen([[picture] for picture in pictures])

    def clips(self, clips: Sequence[Sequence[Picture]]) -> NDArray[np.float32]:
        """Vectors, shape (n, dimension)."""
        frames = self._of.frames
        if odd := next((len(clip) for clip in clips if len(clip) != frames), None):
            raise BackendError(f"{self.name} reads clips of {frames} frames, not of {odd}")
        return self._seen(clips)

    def texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors, shape (n, dimension); each is cut off at 248 tokens, its end mark stays."""
        found = []
        for i in range(0, len(texts), TEXTS):
            ids = [self._cut(row) for row in self._ids(texts[i : i + TEXTS])]
            longest = max(len(row) for row in ids)
            full = np.array([row + [0] * (longest - len(row)) for row in ids], np.int64)
            ends = np.array([len(row) - 1 for row in ids], np.int64)
            found.append(self._numbers(net.of_texts, full, ends))
        return self._joined(found)

    def tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of CLIP's tokenizer."""
        return [len(row) for row in self._ids(texts)]

    def _seen(self, clips: Sequence[Sequence[Picture]]) -> NDArray[np.float32]:
        size = BATCH[self._device]
        found = []
        for i in range(0, len(clips), size):
            pixels = np.stack([prepared(clip, self._how) for clip in clips[i : i + size]])
            found.append(self._numbers(net.of_clips, pixels))
        return self._joined(found)

    def _numbers(self, half_of: Any, *given: NDArray[Any]) -> NDArray[np.float32]:
        return np.asarray(run(self.name, self._run, half_of=half_of, given=given), np.float32)

    def _run(self, half_of: Any, given: Sequence[NDArray[Any]]) -> Any:
        import torch

        tensors = [torch.from_numpy(array).to(self._device) for array in given]
        tensors = [t.to(self._precision) if t.is_floating_point() else t for t in tensors]
        return half_of(self._table, *tensors, self._of).float().cpu().numpy()

    def _joined(self, found: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        return np.concatenate(found) if found else np.zeros((0, self._of.dimension), np.float32)

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        if not texts:
            return []
        read = run(self.name, self._tokenizer, text=list(texts), truncation=False, padding=False)
        return [list(ids) for ids in read["input_ids"]]

    def _cut(self, row: list[int]) -> list[int]:
        limit = self._of.tokens
        return row if len(row) <= limit else [*row[: limit - 1], row[-1]]


def _tokenizer(path: Path, of: Architecture) -> Any:
    """CLIP's tokenizer from the files beside the checkpoint. Raises ``BackendError``."""
    import transformers

    if not any(all(path.with_name(name).is_file() for name in line) for line in FILES):
        raise BackendError(
            f"beside {path.name} lies no tokenizer: neither tokenizer.json nor vocab.json and merges.txt",
            hint="copy them there from openai/clip-vit-large-patch14: VideoCLIP-XL reads texts as CLIP does",
        )
    found = loaded(path.parent, "tokenizer of CLIP", transformers.CLIPTokenizer.from_pretrained)
    ends = (found.bos_token_id, found.eos_token_id)
    if ends != (of.vocabulary - 2, of.vocabulary - 1):
        known = f"VideoCLIP-XL has them at {of.vocabulary - 2} and {of.vocabulary - 1}"
        raise BackendError(
            f"the tokenizer beside {path.name} has begin and end at {ends[0]} and {ends[1]}; {known}",
            hint="take that of openai/clip-vit-large-patch14",
        )
    return found
