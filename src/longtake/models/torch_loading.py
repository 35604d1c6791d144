"""Loading of models and pipelines from local folders by transformers and diffusers: quiet, and no pickle."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ..errors import BackendError

Picture = NDArray[np.uint8]


def quiet(threads: int) -> None:
    """Threads and silence for all of torch, transformers and, where it is installed, diffusers."""
    import torch
    import transformers

    torch.set_num_threads(threads)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()


def device() -> str:
    """``cuda`` where there is one, else ``cpu``."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def runs_on() -> str:
    """Device and number type of large models: bfloat16, as they are published, on the graphics card; float32
    on the processor, where bfloat16 took several times as long on the one that was tried."""
    where = device()
    return f"{where} {'bfloat16' if where == 'cuda' else 'float32'}"


def loaded(path: Path, what: str, load: Callable[..., Any], **given: Any) -> Any:
    """``load(path)`` from local safetensors alone.

    Raises:
        BackendError: the folder holds no ``what`` that can be read; in one line.
    """
    try:
        return load(path, local_files_only=True, **given)
    except Exception as error:  # whatever a broken folder makes the library raise
        raise BackendError(f"{path} holds no {what} that can be read: {_line(error)}") from error


def whole(path: Path, what: str, load: Callable[..., Any], **given: Any) -> Any:
    """A model as :func:`loaded` gives it, all of whose weights are in the folder: transformers fills those
    that are not there with random numbers.

    Raises:
        BackendError: as :func:`loaded`, or a weight is missing.
    """
    model, found = loaded(path, what, load, use_safetensors=True, output_loading_info=True, **given)
    if absent := sorted(found["missing_keys"]):
        raise BackendError(
            f"{path} holds no whole model: {len(absent)} weights are missing, {absent[0]} among them"
        )
    return model


def pipeline(path: Path, name: str, threads: int, **given: Any) -> Any:
    """A pipeline of diffusers: on the graphics card in bfloat16 if there is one, else in float32."""
    import diffusers
    import torch

    quiet(threads)
    diffusers.utils.logging.set_verbosity_error()
    diffusers.utils.logging.disable_progress_bar()
    kind = torch.bfloat16 if device() == "cuda" else torch.float32
    load = getattr(diffusers, name).from_pretrained
    made = loaded(path, name, load, use_safetensors=True, dtype=kind, **given)
    made.set_progress_bar_config(disable=True)
    return made.to(device())


def run(name: str, call: Callable[..., Any], **given: Any) -> Any:
    """``call(**given)`` without gradients. Raises ``BackendError`` for whatever it raises."""
    import torch

    try:
        with torch.inference_mode():
            return call(**given)
    except Exception as error:  # whatever the library raises
        raise BackendError(f"{name} cannot be run: {_line(error)}") from error


def seeded(seed: int) -> Any:
    """A generator of torch on the CPU: the same numbers on every device."""
    import torch

    return torch.Generator("cpu").manual_seed(abs(seed) % 2**63)


def image(picture: Picture, size: tuple[int, int] | None = None) -> Any:
    """A PIL image of a BGR picture, scaled to ``size`` (width, height)."""
    from PIL import Image

    if size is not None and size != picture.shape[1::-1]:
        smaller = size[0] < picture.shape[1]
        how = cv2.INTER_AREA if smaller else cv2.INTER_CUBIC
        picture = np.asarray(cv2.resize(picture, size, interpolation=how), np.uint8)
    return Image.fromarray(np.ascontiguousarray(picture[..., ::-1]))


def picture_of(rgb: Any, size: tuple[int, int]) -> Picture:
    """A BGR picture of ``size`` (width, height) of an RGB array in 0..1, (height, width, 3)."""
    shown = np.clip(np.nan_to_num(np.asarray(rgb, np.float32)), 0, 1)[..., ::-1]
    bgr = np.ascontiguousarray(np.round(shown * 255).astype(np.uint8))
    if bgr.shape[1::-1] == size:
        return bgr
    return np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_CUBIC), np.uint8)


def size_for(picture: Picture, pixels: int, multiple: int) -> tuple[int, int]:
    """Width and height in the shape of ``picture``: ``pixels`` in area at most, multiples of ``multiple``."""
    height, width = picture.shape[:2]
    scale = min((pixels / (height * width)) ** 0.5, 1.0)
    across, down = (max(int(side * scale / multiple + 0.5), 1) * multiple for side in (width, height))
    return across, down


def _line(error: Exception) -> str:
    said = str(error).strip().splitlines()
    return said[0] if said else type(error).__name__
