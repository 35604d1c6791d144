"""A tracker of the user's own as TorchScript; needs torch."""

from __future__ import annotations

import linecache
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from longtake.errors import BackendError
from longtake.models import roles
from longtake.models.named import Named
from longtake.models.weights import Weights

torch = pytest.importorskip("torch")

from longtake.models.script_tracker import HEIGHT, WIDTH, WINDOW, ScriptTracker  # noqa: E402

DRAWN = np.random.default_rng(3)


def script(path: Path, body: str) -> Path:
    """A tiny network as TorchScript whose ``forward`` has this body."""
    text = f"class Tiny(torch.nn.Module):\n    def forward(self, video, queries):\n        {body}\n"
    name = str(path.with_suffix(".py"))  # TorchScript reads the source of what it compiles
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space: dict[str, Any] = {"__name__": "tiny", "torch": torch}
    exec(compile(text, name, "exec"), space)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # torch would rather have other formats
        torch.jit.save(torch.jit.script(space["Tiny"]()), str(path))
    return path


DRIFTS = (
    "steps = torch.arange(video.shape[1]).view(1, -1, 1, 1).float(); "
    "return queries[:, None, :, 1:] + steps * torch.tensor([1.0, 0.5]), "
    "torch.ones(1, video.shape[1], queries.shape[1]) > 0"
)


def test_a_tracker_sees_the_film_in_windows_that_join(tmp_path: Path) -> None:
    """It drifts by 1 and .5 px a frame at 512 x 384: twice that size, twice as many px, through windows."""
    tracker = ScriptTracker(script(tmp_path / "tiny.pt", DRIFTS))
    height, width = 2 * HEIGHT - 1, 2 * WIDTH - 1
    points = DRAWN.uniform(10, 300, (70, 2))  # more than are asked at once
    count = WINDOW + 7
    frames = (np.zeros((height, width, 3), np.uint8) for _ in range(count))
    found = list(tracker.track(frames, points))
    assert len(found) == count
    for i in (0, 1, WINDOW - 1, WINDOW, count - 1):
        assert found[i].points == pytest.approx(points + np.array([2.0, 1.0]) * i, abs=0.05)
        assert found[i].seen.shape == (70,)
    for count in (0, 1, WINDOW, WINDOW + 1):
        few = [np.zeros((height, width, 3), np.uint8)] * count
        assert len(list(tracker.track(few, points))) == count


def test_what_is_no_tracker_is_refused(tmp_path: Path) -> None:
    (tmp_path / "no.pt").write_bytes(b"nothing")
    with pytest.raises(BackendError, match="TorchScript"):
        ScriptTracker(tmp_path / "no.pt")
    wrong = ScriptTracker(script(tmp_path / "wrong.pt", "return queries, queries"))
    picture = np.zeros((32, 32, 3), np.uint8)
    with pytest.raises(BackendError, match="finite numbers"):
        list(wrong.track([picture], np.zeros((1, 2))))
    fails = ScriptTracker(script(tmp_path / "fails.pt", "return video + queries, video"))
    with pytest.raises(BackendError, match="cannot be run"):
        list(fails.track([picture], np.zeros((1, 2))))


def test_a_role_finds_it_by_its_path(tmp_path: Path) -> None:
    found = roles.find("tracker", f"cotracker:{script(tmp_path / 'tiny.pt', DRIFTS)}", tmp_path)
    assert isinstance(found, Named)
    assert found.label.startswith("cotracker:tiny.pt sha256:")
    assert "not for commercial use" in found.kind.licence
    assert isinstance(found.open(Weights()), ScriptTracker)
