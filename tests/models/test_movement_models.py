"""Flow, interpolation and tracking by networks of the user's own, as tiny files of the real formats."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from longtake.errors import BackendError, InputError, MissingError, UsageError
from longtake.models import roles
from longtake.models.named import Named
from longtake.models.onnx_flow import OnnxFlow, OnnxInterpolator
from longtake.models.trackers import LucasKanade
from longtake.models.weights import Weights
from tiny_movement import difference, mean, saved

DRAWN = np.random.default_rng(2)
FIRST, SECOND = (DRAWN.integers(0, 256, (45, 70, 3), dtype=np.uint8) for _ in range(2))


def test_an_interpolator_gets_pictures_of_0_to_1_and_gives_the_middle(tmp_path: Path) -> None:
    middle = OnnxInterpolator(mean(tmp_path / "amt.onnx")).middle(FIRST, SECOND)
    assert middle.picture.shape == FIRST.shape  # no multiple of 16: padded and cut back
    assert middle.picture == pytest.approx((FIRST.astype(float) + SECOND) / 2, abs=0.01)
    assert middle.forward is None
    assert middle.backward is None


def test_a_flow_gets_red_green_blue_of_0_to_255(tmp_path: Path) -> None:
    flow = OnnxFlow(difference(tmp_path / "raft.onnx")).flow(FIRST, SECOND)
    expected = (SECOND.astype(float) - FIRST)[..., [2, 1]]
    assert flow.shape == (45, 70, 2)
    assert flow == pytest.approx(expected, abs=0.01)


def test_what_is_no_such_network_is_refused(tmp_path: Path) -> None:
    from onnx import helper

    with pytest.raises(BackendError, match=r"not \(1, 2, 128, 128\)"):
        OnnxFlow(mean(tmp_path / "mean.onnx"))
    one = saved(tmp_path / "one.onnx", [helper.make_node("Identity", ["first"], ["out"])], 3, ("first",))
    with pytest.raises(BackendError, match="takes 1 inputs"):
        OnnxInterpolator(one)
    (tmp_path / "no.onnx").write_bytes(b"no model")
    with pytest.raises(BackendError, match=r"no\.onnx"):
        OnnxFlow(tmp_path / "no.onnx")


def test_roles_find_them_by_name(tmp_path: Path) -> None:
    path = mean(tmp_path / "amt.onnx")
    found = roles.find("interpolator", f"amt:{path}", tmp_path)
    assert isinstance(found, Named)
    assert found.label.startswith("amt:amt.onnx sha256:")
    assert "not for commercial use" in found.kind.licence
    assert isinstance(found.open(Weights()), OnnxInterpolator)
    for role, name in (("interpolator", "proxy:dis"), ("flow", "proxy:dis"), ("tracker", "proxy:lk")):
        proxy = roles.find(role, None, tmp_path)
        assert isinstance(proxy, Named)
        assert proxy.label == f"{name} v1"
        assert proxy.kind.stands_for
        assert proxy.open(Weights()).name == name
        assert roles.find(role, name, tmp_path) == proxy
    with pytest.raises(MissingError):
        roles.find("interpolator", "amt:nowhere.onnx", tmp_path)
    with pytest.raises(UsageError, match="amt"):
        roles.find("interpolator", "amt", tmp_path)
    with pytest.raises(InputError):
        roles.find("flow", f"raft:{path}", tmp_path)
    assert "yolov3-tiny" in str(roles.find("masker", None, tmp_path))


def test_points_that_leave_the_picture_or_are_covered_are_lost() -> None:
    back = np.repeat(DRAWN.integers(0, 256, (90, 120, 1), dtype=np.uint8), 3, axis=2)
    import cv2

    back = cv2.GaussianBlur(back, (0, 0), 2)
    cover = cv2.GaussianBlur(DRAWN.integers(0, 256, (40, 40, 3), dtype=np.uint8), (0, 0), 1)

    def frames() -> object:
        for i in range(12):
            picture = np.roll(back, -2 * i, axis=1)
            if i >= 6:
                picture[20:60, 50:90] = cover
            yield picture

    points = np.array([[8.0, 45.0], [100.0, 80.0], [86.0, 40.0]])
    found = list(LucasKanade().track(frames(), points))  # type: ignore[arg-type]
    assert found[0].seen.all()
    assert found[0].points == pytest.approx(points)
    assert found[5].points[1] == pytest.approx([90, 80], abs=0.1)
    assert list(found[-1].seen) == [False, True, False]
    assert found[-1].points[1] == pytest.approx([78, 80], abs=0.2)
    assert not any(one.seen[0] for one in found[6:])  # lost for good
