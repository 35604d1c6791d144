"""Maskers, editors and the generator that run offline, and a matte from an ONNX file, on drawn pictures."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest

from longtake.core.instructions import STYLES
from longtake.errors import BackendError, InputError, MissingError, UsageError
from longtake.models.editors import editor
from longtake.models.foreground import GrabCutMasker
from longtake.models.generators import generator
from longtake.models.landscapes import landscape
from longtake.models.maskers import masker
from longtake.models.other_face import FaceChanger, other_face
from longtake.models.proxy_editor import OpenCvEditor
from longtake.models.styles import DRAWN
from longtake.models.words import hues_in, kinds_in, of_hue
from ports_check import Picture, check_editor, check_generator, check_masker, disc, scene


def overlap(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.minimum(a, b).sum() / np.maximum(a, b).sum())


def hue(picture: Picture, where: np.ndarray) -> float:
    """Median hue in degrees of what ``where`` covers."""
    hsv = cv2.cvtColor(picture.astype(np.float32) / 255, cv2.COLOR_BGR2HSV)
    return float(np.median(hsv[..., 0][where > 0]))


def inner() -> np.ndarray:
    return cv2.erode(disc(), np.ones((9, 9)))


@pytest.mark.parametrize("phrase", [None, "a red disc"])
def test_the_proxy_masker_cuts_out_the_disc(phrase: str | None, tmp_path: Path) -> None:
    assert overlap(check_masker(masker(None, tmp_path), phrase), disc()) > 0.85


@pytest.mark.parametrize("phrase", ["a blue disc", "a disc", "", "dog"])
def test_what_it_does_not_see_or_know_is_not_masked(phrase: str, tmp_path: Path) -> None:
    assert not check_masker(masker(None, tmp_path), phrase).any()


def test_plain_pictures_have_no_foreground(tmp_path: Path) -> None:
    plain = np.full((90, 160, 3), 120, np.uint8)
    grained = plain + np.random.default_rng(1).integers(0, 12, plain.shape, np.uint8)
    assert not masker(None, tmp_path).mask(plain, None).any()
    assert not masker(None, tmp_path).mask(grained, None).any()


def test_things_of_a_colour_are_counted_from_the_largest() -> None:
    picture = np.full((120, 240, 3), 160, np.uint8)
    for x, radius in ((50, 14), (120, 22), (190, 17)):
        cv2.circle(picture, (x, 60), radius, (200, 60, 20), -1)
    found = GrabCutMasker().instances(picture, "blue balls")
    middles = [float((m * np.arange(240)).sum() / m.sum()) for m in found]
    assert [round(m, -1) for m in middles] == [120, 190, 50]


def test_the_proxy_says_what_it_lacks(tmp_path: Path) -> None:
    assert masker(None, tmp_path).name == "grabcut-proxy without yolov3-tiny"
    assert editor(None, tmp_path).name == "opencv-proxy without centerface"
    assert generator(None, tmp_path).kind == "proxy"


INSTRUCTIONS = ["recolour 120", "background 2", "another 5", *(f"restyle {style} 1" for style in STYLES)]


@pytest.mark.parametrize("instruction", INSTRUCTIONS)
def test_the_proxy_editor_keeps_to_the_mask(instruction: str, tmp_path: Path) -> None:
    drawn = instruction.startswith(("background", "another"))
    check_editor(editor(None, tmp_path), instruction, seed_matters=drawn)


def test_what_is_erased_is_gone() -> None:
    picture, mask = scene(), cv2.dilate(disc(), np.ones((7, 7)))
    shown = check_editor(OpenCvEditor(), "erase", seed_matters=False)
    assert of_hue(picture, "red")[disc() > 0].mean() > 0.9
    shown = OpenCvEditor().edit(picture, mask, "erase", 1)
    assert not of_hue(shown, "red").any()
    ground = picture[mask == 0].mean(axis=0)
    assert np.abs(shown[mask > 0].mean(axis=0) - ground).max() < 6
    assert np.abs(shown[mask > 0].astype(float) - ground).max() < 40


def test_an_erasure_needs_a_mask_and_an_empty_mask_changes_nothing() -> None:
    with pytest.raises(BackendError, match="mask"):
        OpenCvEditor().edit(scene(), None, "erase", 1)
    nothing = np.zeros(scene().shape[:2], np.float32)
    for instruction in ("erase", *INSTRUCTIONS):
        assert np.array_equal(OpenCvEditor().edit(scene(), nothing, instruction, 1), scene())


@pytest.mark.parametrize("degrees", [60, 120, 180, -60])
def test_a_hue_is_turned_by_the_angle(degrees: float) -> None:
    shown = OpenCvEditor().edit(scene(), disc(), f"recolour {degrees}", 1)
    turned = (hue(shown, inner()) - hue(scene(), inner())) % 360
    assert abs((turned - degrees + 180) % 360 - 180) < 3
    before, after = (cv2.cvtColor(p, cv2.COLOR_BGR2HSV)[..., 2][inner() > 0] for p in (scene(), shown))
    assert np.abs(before.astype(int) - after).max() <= 2


def test_a_style_is_mixed_by_its_share() -> None:
    def far(share: float) -> float:
        shown = OpenCvEditor().edit(scene(), None, f"restyle pencil {share}", 1)
        return float(np.abs(shown.astype(int) - scene()).mean())

    assert far(0) == 0
    assert 0 < far(0.4) < far(0.7) < far(1)
    assert far(0.4) == pytest.approx(0.4 * far(1), rel=0.05)


@pytest.mark.parametrize("style", STYLES)
def test_a_style_does_not_flicker_under_a_shift(style: str) -> None:
    """Away from the edges a shifted picture is the shifted drawing, but for what lies on a fixed paper."""
    draw = np.random.default_rng(2).integers(0, 255, (20, 32, 3), np.uint8)
    picture = cv2.resize(draw, (320, 200), interpolation=cv2.INTER_CUBIC)
    shown = DRAWN[style](picture)
    moved = np.roll(DRAWN[style](np.roll(picture, 8, axis=1)), -8, axis=1)
    change = np.abs(shown[30:-30, 40:-40].astype(int) - moved[30:-30, 40:-40]).mean()
    effect = np.abs(shown[30:-30, 40:-40].astype(int) - picture[30:-30, 40:-40]).mean()
    assert change < 0.35 * effect


def test_landscapes_are_told_apart_by_their_numbers() -> None:
    shown = [landscape(n, 160, 90) for n in range(6)]
    assert np.array_equal(shown[2], landscape(2, 160, 90))
    gaps = [np.abs(a.astype(int) - b).mean() for i, a in enumerate(shown) for b in shown[:i]]
    assert min(gaps) > 5
    assert all(p.std() > 8 for p in shown)


def test_the_proxy_generator_begins_with_the_first_picture_and_leaves_it(tmp_path: Path) -> None:
    shown = check_generator(generator(None, tmp_path), 30)
    assert np.array_equal(shown[0], scene())
    far = [np.abs(p.astype(int) - scene()).mean() for p in shown]
    assert far[1] < far[8] < far[20]
    steps = [np.abs(a.astype(int) - b).mean() for a, b in pairwise(shown)]
    assert max(steps) < 4 * np.median(steps)  # it flows, it does not jump
    other = list(generator(None, tmp_path).generate("something else", scene(), 5, 12.0, 3))
    assert not np.array_equal(other[4], shown[4])


def test_words_for_things_and_hues() -> None:
    labels = ["person", "dog", "wine glass", "cup", "hot dog"]
    assert kinds_in("Two women with glasses", labels) == {"person", "wine glass"}
    assert kinds_in("the dogs", labels) == {"dog"}
    assert kinds_in("a frog", labels) == set()
    assert hues_in("A green and RED thing, reddish") == ["green", "red"]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [("red", (0, 0, 220), ["red", "maroon"]), ("green", (0, 200, 0), ["green"]), ("grey", (90, 90, 90), [])],
)
def test_hues_of_pure_colours(name: str, value: tuple[int, int, int], words: list[str]) -> None:
    plain = np.full((4, 4, 3), value, np.uint8)
    tried = ["red", "orange", "yellow", "green", "blue", "purple", "pink", "maroon"]
    assert [w for w in tried if of_hue(plain, w).all()] == words


def matte_model(path: Path, channels: int = 1) -> Path:
    """Red minus blue of the normalised picture: what is red stands out."""
    onnx = pytest.importorskip("onnx")
    from onnx import TensorProto, helper, numpy_helper

    weights = np.zeros((channels, 3, 1, 1), np.float32)
    weights[:, 0], weights[:, 2] = 1, -1
    graph = helper.make_graph(
        [helper.make_node("Conv", ["x", "w"], ["y"])],
        "matte",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 320, 320])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, channels, 320, 320])],
        [numpy_helper.from_array(weights, "w")],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def test_a_matte_comes_from_an_onnx_file(tmp_path: Path) -> None:
    model = masker(f"rembg:{matte_model(tmp_path / 'u2.onnx')}", tmp_path)
    mask = check_masker(model, None)
    assert mask[inner() > 0].mean() > 0.8
    assert mask[cv2.dilate(disc(), np.ones((9, 9))) == 0].mean() < 0.1
    with pytest.raises(BackendError, match="no words"):
        model.mask(scene(), "a disc")


def test_an_onnx_file_of_another_shape_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one map"):
        masker(f"rembg:{matte_model(tmp_path / 'two.onnx', 2)}", tmp_path)


def test_names_that_lead_nowhere(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        masker("dyno:x", tmp_path)
    assert "dino:FOLDER" in str(caught.value.hint)
    with pytest.raises(UsageError, match="does not name any editor"):
        editor("vace:only-one", tmp_path)
    with pytest.raises(MissingError, match="is not there"):
        masker(f"rembg:{tmp_path / 'none.onnx'}", tmp_path)


@pytest.mark.skipif(find_spec("diffusers") is not None, reason="the extra diffusers is installed")
@pytest.mark.parametrize(("opened", "name"), [(editor, "inpaint"), (generator, "wan")])
def test_a_missing_extra_is_told_after_a_missing_path(opened: object, name: str, tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="is not there"):  # nobody installs gigabytes to learn that
        opened(f"{name}:{tmp_path / 'x'}", tmp_path)  # type: ignore[operator]
    with pytest.raises(MissingError) as caught:
        opened(f"{name}:{tmp_path}", tmp_path)  # type: ignore[operator]
    assert caught.value.hint == "pip install 'longtake[diffusers]'"


def frame(path: Path, number: int = 20) -> Picture:
    import av

    with av.open(str(path)) as film:
        for i, picture in enumerate(film.decode(video=0)):
            if i == number:
                return picture.to_ndarray(format="bgr24")
    raise AssertionError("too short")


def test_things_are_found_by_their_names_on_a_real_clip(media: Path, weights: Path) -> None:
    picture = frame(media / "8_footage" / "intel_bottle_a.mp4")
    model = masker(None, weights)
    assert model.name == "grabcut-proxy"
    found = model.instances(picture, "bottles")
    assert len(found) == 3
    middles = sorted(float((m * np.arange(m.shape[1])).sum() / m.sum() / m.shape[1]) for m in found)
    assert np.allclose(middles, [0.13, 0.46, 0.79], atol=0.06)
    assert not model.mask(picture, "an elephant").any()
    assert len(model.instances(picture, "blue caps")) == 3


def test_another_face_changes_the_face_alone(media: Path, weights: Path) -> None:
    from longtake.models import catalog

    picture = frame(media / "8_footage" / "intel_pose_m.mp4")
    (face,) = FaceChanger(catalog.require("centerface", weights)).find(picture)
    shown = other_face(picture, face, np.random.default_rng(1))
    assert np.array_equal(shown, other_face(picture, face, np.random.default_rng(1)))
    assert not np.array_equal(shown, other_face(picture, face, np.random.default_rng(2)))
    changed = np.abs(shown.astype(int) - picture).max(axis=2) > 0
    rows, columns = np.nonzero(changed)
    left, top, width, height = face[:4]
    assert left - width <= columns.min() <= columns.max() <= left + 2 * width
    assert top - height <= rows.min() <= rows.max() <= top + 2 * height
    inside = changed[int(top) : int(top + height), int(left) : int(left + width)]
    assert inside.mean() > 0.8
    edited = editor(None, weights).edit(picture, None, "another 1", 1)
    assert not np.array_equal(edited, picture)
