"""Models that say how good one picture is, by its looks (aesthetic) or by its damage (imaging).

Published in VBench: LAION's linear head on CLIP ViT-L/14, and MUSIQ trained on SPAQ. Offline a proxy stands
in for each, under a name of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ..core.ports import Kind as PortKind
from ..errors import BackendError, InputError
from . import brisque, onnx, pth
from .named import NOT_RUN, Kind
from .vectors import unit

Picture = NDArray[np.uint8]
Numbers = NDArray[np.float64]

PROXY_PICTURE, PROXY_BRISQUE = "proxy:picture", "proxy:brisque"
WORKING_SIDE = 360
"""px of the shorter side at which the proxies look at a picture."""
EVEN_SPREAD = 255 / 12**0.5
"""Deviation of light, in levels, that is spread evenly from black to white: full contrast. A closed form."""
EXTREMELY_COLOURFUL = 109.0
"""Colourfulness that people called extremely colourful (Hasler and Süsstrunk, 2003, table 2)."""
FINE_SIGMA = 1.0
"""px of the Gaussian that takes the finest detail away."""
FINE_DETAIL = 0.25
"""Share of a picture's deviation that lies in its finest detail from which it is fully sharp. Chosen by us
beforehand."""
LAION_SCALE = 10.0
"""Top of the scale of LAION's predictor."""
MUSIQ_SCALE, MUSIQ_LONGER = 100.0, 512
"""Top of MUSIQ's scale, and px of the longer side above which VBench scales a picture down for it."""

AESTHETIC: Mapping[str, Kind] = {
    PROXY_PICTURE: Kind(
        "picture_quality:PictureStatistics", stands_for="LAION's aesthetic predictor on CLIP ViT-L/14"
    ),
    "laion": Kind(
        "picture_quality:LaionAesthetic",
        places=("CLIP_FOLDER", "HEAD"),
        needs=("torch", "transformers", "PIL", "safetensors"),
        extra="torch",
        licence="MIT (LAION-AI/aesthetic-predictor, and OpenAI's CLIP)",
        note=NOT_RUN,
    ),
}
IMAGING: Mapping[str, Kind] = {
    PROXY_BRISQUE: Kind("picture_quality:Brisque", entries=("brisque",), stands_for="MUSIQ trained on SPAQ"),
    "musiq": Kind(
        "picture_quality:Musiq",
        places=("MODEL.onnx",),
        needs=("onnxruntime",),
        licence="Apache-2.0 (google-research/musiq)",
        note=NOT_RUN,
    ),
}


def statistics(picture: Picture) -> tuple[float, float, float]:
    """Contrast, colourfulness and sharpness of a BGR picture, each 0 to 1, cut off at 1.

    Contrast is the deviation of light over that of an even spread; colourfulness is Hasler and Süsstrunk's M
    over what people called extreme; sharpness is the share of the light's deviation that a Gaussian of 1 px
    takes away, over ``FINE_DETAIL``: contrast alone does not move it.
    """
    levels = picture.astype(np.float32)
    blue, green, red = (levels[..., c] for c in range(3))
    light = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32)
    spread = float(light.std())
    one, other = red - green, (red + green) / 2 - blue
    colour = float(np.hypot(one.std(), other.std()) + 0.3 * np.hypot(one.mean(), other.mean()))
    fine = float((light - cv2.GaussianBlur(light, (0, 0), FINE_SIGMA)).std())
    sharp = fine / spread / FINE_DETAIL if spread > 0 else 0.0
    return min(1.0, spread / EVEN_SPREAD), min(1.0, colour / EXTREMELY_COLOURFUL), min(1.0, sharp)


class PictureStatistics:
    """``proxy:picture``: the mean of contrast, colourfulness and sharpness, a third each, not fitted to
    anything. It says nothing of composition, subject or taste."""

    name = PROXY_PICTURE
    kind: PortKind = "proxy"
    stands_for = AESTHETIC[PROXY_PICTURE].stands_for
    short_side: int | None = WORKING_SIDE

    def __init__(self, threads: int = 1) -> None:
        """Nothing is loaded."""

    def quality(self, pictures: Sequence[Picture]) -> Numbers:
        """Shape (n,), 0 to 1."""
        return np.array([sum(statistics(p)) / 3 for p in pictures], np.float64)


class Brisque:
    """``proxy:brisque``: BRISQUE turned round, 1 less a hundredth of it. It knows distortion of photographs
    (blur, noise, compression), no exposure and no content."""

    name = PROXY_BRISQUE
    kind: PortKind = "proxy"
    stands_for = IMAGING[PROXY_BRISQUE].stands_for
    short_side: int | None = WORKING_SIDE

    def __init__(self, files: Mapping[str, Path], threads: int = 1) -> None:
        """Raises ``BackendError`` where the weights cannot be read."""
        try:
            self._model = brisque.load(files["svm.txt"], files["normalize.pickle"])
        except InputError as error:
            raise BackendError(error.message, hint=error.hint) from error

    def quality(self, pictures: Sequence[Picture]) -> Numbers:
        """Shape (n,), about 0 to 1, NaN for a picture without any variation or under 32 px."""
        rows = [brisque.features(np.asarray(cv2.cvtColor(p, cv2.COLOR_BGR2GRAY), np.uint8)) for p in pictures]
        if not rows:
            return np.zeros(0)
        return np.asarray(1 - self._model.score(np.array(rows)) / 100, np.float64)


@dataclass(frozen=True)
class _Settings:
    """How a picture is brought to a MUSIQ file: ``mean`` and ``std`` are of red, green and blue in 0 to 1."""

    longer: int = MUSIQ_LONGER
    scale: float = MUSIQ_SCALE
    mean: float = 0.0
    std: float = 1.0


class Musiq:
    """MUSIQ (Ke et al., ICCV 2021) as an ONNX file: one input (1, 3, height, width) of RGB from 0 to 1, one
    number out.

    Beside ``model.onnx`` may lie ``model.json`` with ``longer`` (px to which a larger longer side is scaled,
    512 without it, as in VBench), ``scale`` (the top of its scale, 100), ``mean`` and ``std``. Where the file
    has a fixed height and width, the picture is brought to these.
    """

    kind: PortKind = "model"
    stands_for = ""

    def __init__(self, path: Path, threads: int = 1) -> None:
        """Raises ``BackendError`` where the file or its settings cannot be read."""
        self.name = f"musiq:{path.name}"
        self._how = _settings(path.with_suffix(".json"))
        self._session = onnx.session(path, threads, own=True)
        given = self._session.get_inputs()[0]
        self._input = given.name
        self._size = tuple(n for n in given.shape[2:] if isinstance(n, int)) if len(given.shape) == 4 else ()
        self.short_side: int | None = self._how.longer
        self.quality([np.zeros((64, 64, 3), np.uint8)])

    def quality(self, pictures: Sequence[Picture]) -> Numbers:
        """Shape (n,), about 0 to 1."""
        return np.array([self._one(picture) for picture in pictures], np.float64)

    def _one(self, picture: Picture) -> float:
        height, width = picture.shape[:2]
        scale = min(1.0, self._how.longer / max(height, width))
        size = int(width * scale), int(height * scale)
        if len(self._size) == 2:
            size = self._size[1], self._size[0]
        if size != (width, height):
            picture = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
        rgb = picture[..., ::-1].transpose(2, 0, 1)[None].astype(np.float32) / 255
        try:
            out = self._session.run(None, {self._input: (rgb - self._how.mean) / self._how.std})[0]
        except Exception as error:  # the library raises types of its own, which it does not export
            raise BackendError(f"{self.name} cannot be run: {error}") from error
        found = np.asarray(out, np.float64).ravel()
        if len(found) != 1:
            raise BackendError(f"{self.name} gives {len(found)} numbers for a picture, not one")
        return float(found[0]) / self._how.scale


class LaionAesthetic:
    """LAION's aesthetic predictor: a linear head on CLIP ViT-L/14's unit vectors; a tenth of its answer."""

    kind: PortKind = "model"
    stands_for = ""
    short_side: int | None = None

    def __init__(self, clip: Path, head: Path, threads: int = 1) -> None:
        """``clip`` is a folder of transformers, ``head`` a .safetensors, .npz or .pth file with ``weight``
        (1, dimension) and ``bias`` (1,); no pickle is run.

        Raises:
            BackendError: they cannot be read, or do not fit together.
        """
        from .embedders.transformers import Clip

        self.name = f"laion:{clip.name},{head.name}"
        self._clip: Any = Clip(clip, threads=threads)
        self._weight, self._bias = _head(head)
        wanted = self._clip.shape.dimension
        if len(self._weight) != wanted:
            raise BackendError(
                f"{head.name} is a head for vectors of {len(self._weight)} numbers, and those of {clip.name} "
                f"have {wanted}"
            )

    def quality(self, pictures: Sequence[Picture]) -> Numbers:
        """Shape (n,), about 0 to 1."""
        vectors = unit(self._clip.pictures(pictures))
        return np.asarray((vectors @ self._weight + self._bias) / LAION_SCALE, np.float64)


def _head(path: Path) -> tuple[Numbers, float]:
    """Weight and bias of a linear layer with one output."""
    try:
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as file:
                found = {name: file[name] for name in file.files}
        elif path.suffix == ".safetensors":
            from safetensors.numpy import load_file

            found = load_file(path)
        else:
            found = pth.read(path)
        weight, bias = (np.asarray(found[k], np.float64).ravel() for k in ("weight", "bias"))
    except BackendError:
        raise
    except Exception as error:  # whatever a broken file makes a reader raise
        raise BackendError(f"{path.name} is no linear head: {error}") from error
    if len(bias) != 1 or not np.isfinite([*weight, *bias]).all():
        raise BackendError(f"{path.name} is no linear head with one output")
    return weight, float(bias[0])


def _settings(path: Path) -> _Settings:
    if not path.is_file():
        return _Settings()
    try:
        found = json.loads(path.read_text("utf-8"))
        known = [field.name for field in fields(_Settings)]
        if not isinstance(found, dict) or not set(found) <= set(known):
            raise ValueError(f"they are an object of {', '.join(known)}")
        how = _Settings(**found)
        if how.longer < 1 or how.scale <= 0 or how.std <= 0:
            raise ValueError("longer, scale and std are above 0")
    except (OSError, ValueError, TypeError) as error:
        raise BackendError(f"the settings {path.name} cannot be read: {error}") from error
    return how
