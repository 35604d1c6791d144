"""VideoScore2 (He et al., 2025) from a local folder: Qwen2.5-VL-7B that thinks about a film and scores it.

The film is given as the released code gives it (``vs2_inference.py`` with qwen-vl-utils): as a video, two
pictures in each step of time, scaled into the bounds below, with the prompt behind it. The library's video
processor needs torchvision; here the patches of single pictures are put together in pairs, which comes to
the same. Needs the extra ``torch``. Not run on the real weights by us.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.ports import Kind
from ..core.scorers import Review
from ..errors import BackendError
from .local_vlm import LocalVlm, family_of, told
from .safe_files import shapes
from .torch_loading import image, runs_on
from .trained_prompt import trained_prompt

FAMILIES = {"qwen2_5_vl": "Qwen2_5_VLForConditionalGeneration"}
HOLE = "$t2v_prompt"
"""Where the text goes in the released prompt (``vs2_inference.py``)."""
TOGETHER = 2
"""Pictures in one step of time: the model's temporal patch."""
CELL = 28 * 28
"""Pixels of a picture that become one token: a patch of 14 px, two by two of them merged."""
LEAST_PIXELS, MOST_PIXELS = 128 * CELL, 768 * CELL
"""Bounds of a picture of a video in qwen-vl-utils (``VIDEO_MIN_PIXELS``, ``VIDEO_MAX_PIXELS``)."""
ALL_PIXELS = 115_200 * CELL
"""Bound of all steps of time together there: nine tenths of a context of 128,000 tokens."""
DIGITS = ("1", "2", "3", "4", "5")


class VideoScore2:
    """The model of one folder. Safe from several threads: films are asked about one after the other.

    What the folder holds is checked at once; the weights are loaded when a film is asked about first. The
    folder's own settings of drawing (a penalty on repetition, say) are left out.
    """

    kind: Kind = "model"
    stands_for = ""

    def __init__(self, path: Path, threads: int = 1) -> None:
        """Once loaded it runs on all processors, whatever ``threads`` says.

        Raises:
            BackendError: the folder holds no such model, is cut off, or lacks the prompt that it was trained
                with.
        """
        self._path = path = Path(os.path.abspath(path))
        family_of(path, FAMILIES)
        shapes(path)
        self.name = f"videoscore2:{path.name}"
        self._prompt = trained_prompt(path, HOLE)
        self.prompt = self._prompt.hash
        self.runs_on = runs_on()
        self._vlm: _Speaking | None = None
        self._lock = threading.Lock()

    def review(
        self,
        pictures: Iterable[Any],
        count: int,
        rate: float,
        text: str,
        *,
        temperature: float = 0.0,
        seed: int = 0,
        most_tokens: int,
    ) -> Review:
        """See the port."""
        try:
            vlm = self._speaking()
            with self._lock:
                given = vlm.given(pictures, count, rate, self._prompt.filled(text))
                return vlm.replied(given, most_tokens, temperature, seed)
        except Exception as error:  # whatever the library raises
            raise told(error, self.name) from error

    def _speaking(self) -> _Speaking:
        with self._lock:
            if self._vlm is None:
                self._vlm = _Speaking(self._path, FAMILIES)
            return self._vlm


class _Speaking(LocalVlm):
    """The loaded model."""

    def given(self, pictures: Iterable[Any], count: int, rate: float, prompt: str) -> dict[str, Any]:
        """What the model is given, as its ``generate`` takes it. Pictures are held two at a time."""
        import torch

        most = most_pixels(max(count + count % TOGETHER, TOGETHER))
        bounds = {"shortest_edge": LEAST_PIXELS, "longest_edge": most}
        steps: list[NDArray[np.float32]] = []
        held: list[NDArray[np.float32]] = []
        size: tuple[int, int] | None = None
        grid = [0, 0]
        for picture in pictures:
            shown = image(picture, size)
            size = shown.size
            seen = self._pictures(images=[shown], size=bounds, return_tensors="np")
            grid = seen["image_grid_thw"][0, 1:].tolist()
            held.append(seen["pixel_values"])
            if len(held) == TOGETHER:
                steps.append(paired(held, self._pictures.patch_size))
                held = []
        if held:
            steps.append(paired(held * TOGETHER, self._pictures.patch_size))
        if not steps:
            raise BackendError("it was given no pictures")
        config = self._model.config
        ids = torch.tensor([self._chat.ids(None, [len(steps) * grid[0] * grid[1] // self._merged, prompt])])
        ids[ids == config.image_token_id] = config.video_token_id
        return {
            "input_ids": ids,
            "attention_mask": torch.ones_like(ids),
            "mm_token_type_ids": (ids == config.video_token_id).int() * 2,
            "pixel_values_videos": torch.from_numpy(np.concatenate(steps)),
            "video_grid_thw": torch.tensor([[len(steps), *grid]]),
            "second_per_grid_ts": torch.tensor([TOGETHER / rate]),
        }

    def replied(self, given: Mapping[str, Any], room: int, temperature: float, seed: int) -> Review:
        """The reply, with the odds of digits where one was written."""
        asked = given["input_ids"].shape[1]
        if asked + room > self._longest:
            raise BackendError(
                f"{asked} tokens and {room} for the reply do not fit the model: it has {self._longest}",
                hint="ask for fewer frames",
            )
        digits = [self._tokenizer.convert_tokens_to_ids(digit) for digit in DIGITS]
        odds = _Odds(digits)
        ids = self._written(given, room, temperature=temperature, seed=seed, watching=[odds])
        finished = bool(ids) and ids[-1] in self._ends
        said = ids[:-1] if finished else ids
        places = {
            len(self._text(said[:i])): tuple(odds.seen[i].tolist())
            for i, one in enumerate(said)
            if one in digits
        }
        return Review(self._text(said), finished, places, asked)

    def _text(self, ids: Sequence[int]) -> str:
        text: str = self._tokenizer.decode(ids, skip_special_tokens=False)
        return text


class _Odds:
    """A logits processor that changes nothing and notes how probable each digit is at each step."""

    def __init__(self, digits: Sequence[int]) -> None:
        self._digits = list(digits)
        self.seen: list[Any] = []

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        self.seen.append(scores[0].float().softmax(-1)[self._digits].cpu())
        return scores


def most_pixels(pictures: int) -> int:
    """The most pixels of each of so many pictures of one video."""
    return max(min(MOST_PIXELS, ALL_PIXELS * TOGETHER // pictures), int(LEAST_PIXELS * 1.05))


def paired(patches: Sequence[NDArray[np.float32]], side: int) -> NDArray[np.float32]:
    """Patches of one step of time of a video: their first half of time is of the first picture, their second
    of the second.

    ``patches`` are those of two pictures of one size, of shape (n, channels * 2 * side * side) with the same
    picture in both halves of time; the result has that shape.
    """
    n, wide = patches[0].shape
    halves = [one.reshape(n, -1, TOGETHER, side * side)[:, :, i] for i, one in enumerate(patches)]
    return np.ascontiguousarray(np.stack(halves, axis=2).reshape(n, wide), np.float32)
