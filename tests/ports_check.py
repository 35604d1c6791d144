"""What every masker, editor and generator must do, real or proxy: one check for both."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]


def scene(width: int = 192, height: int = 128) -> Picture:
    """A red disc with a dark rim on a grey-green ground with fine grain."""
    draw = np.random.default_rng(4)
    picture = np.full((height, width, 3), (120, 150, 130), np.uint8)
    cv2.circle(picture, (width // 2, height // 2), height // 4, (30, 30, 210), -1)
    cv2.circle(picture, (width // 2, height // 2), height // 4, (20, 20, 60), 2)
    return np.clip(picture + draw.normal(0, 3, picture.shape), 0, 255).astype(np.uint8)


def disc(width: int = 192, height: int = 128) -> NDArray[np.float32]:
    """Where :func:`scene` has its disc: 0 or 1."""
    there = np.zeros((height, width), np.uint8)
    cv2.circle(there, (width // 2, height // 2), height // 4, 1, -1)
    return there.astype(np.float32)


def check_port(model: Any) -> None:
    """Who it is, and that a proxy says for what it stands."""
    assert model.name
    assert model.kind in ("model", "proxy")
    assert bool(model.stands_for) == (model.kind == "proxy")


def check_masker(model: Any, phrase: str | None) -> NDArray[np.float32]:
    """Gives the mask that it found."""
    check_port(model)
    picture = scene()
    before = picture.copy()
    mask = model.mask(picture, phrase)
    assert mask.dtype == np.float32
    assert mask.shape == picture.shape[:2]
    assert 0 <= mask.min() <= mask.max() <= 1
    assert np.array_equal(mask, model.mask(picture.copy(), phrase))
    assert np.array_equal(picture, before)
    if phrase is not None:
        found = model.instances(picture, phrase)
        assert all(m.shape == mask.shape and m.dtype == np.float32 for m in found)
        assert np.array_equal(np.max(found, axis=0) if len(found) else np.zeros_like(mask), mask)
    return mask


def check_editor(model: Any, instruction: str, seed_matters: bool = True) -> Picture:
    """Gives the edited picture."""
    check_port(model)
    picture, mask = scene(), disc()
    before = picture.copy()
    shown = model.edit(picture, mask, instruction, 3)
    assert shown.dtype == np.uint8
    assert shown.shape == picture.shape
    assert np.array_equal(picture, before), "the picture given was changed in place"
    assert np.array_equal(shown[mask == 0], picture[mask == 0]), "something changed outside the mask"
    inside = np.abs(shown[mask > 0].astype(int) - picture[mask > 0])
    assert inside.mean() > 2, "nothing changed inside the mask"
    assert np.array_equal(shown, model.edit(picture.copy(), mask.copy(), instruction, 3))
    if seed_matters:
        assert not np.array_equal(shown, model.edit(picture, mask, instruction, 4))
    if not instruction.startswith("erase"):
        whole = model.edit(picture, None, instruction, 3)
        assert not np.array_equal(whole[mask == 0], picture[mask == 0])
    return np.asarray(shown, np.uint8)


def check_generator(model: Any, frames: int, prompt: str = "a red disc") -> list[Picture]:
    """Gives the pictures that it made."""
    check_port(model)
    first = scene()
    before = first.copy()
    shown = list(model.generate(prompt, first, frames, 12.0, 3))
    assert len(shown) == frames
    assert all(p.shape == first.shape and p.dtype == np.uint8 for p in shown)
    assert np.array_equal(first, before)
    again = list(model.generate(prompt, first, frames, 12.0, 3))
    assert all(np.array_equal(a, b) for a, b in zip(shown, again, strict=True))
    other = list(model.generate(prompt, first, frames, 12.0, 4))
    assert any(not np.array_equal(a, b) for a, b in zip(shown, other, strict=True))
    return shown
