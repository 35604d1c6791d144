"""Models of single pictures against formulas of other libraries, on tiny files in the real formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from longtake.errors import InputError, MissingError, UsageError
from longtake.models import picture_quality as quality
from longtake.models import roles
from longtake.models.weights import Weights

DRAW = np.random.default_rng(8)


def scene() -> np.ndarray:
    """Patches of colour with some detail."""
    coarse = DRAW.uniform(0, 255, (9, 16, 3)).astype(np.float32)
    wide = cv2.resize(coarse, (320, 180), interpolation=cv2.INTER_NEAREST)
    return np.clip(wide + DRAW.normal(0, 6, wide.shape), 0, 255).astype(np.uint8)


SCENE = scene()


def test_statistics_are_those_of_scikit_image_and_numpy() -> None:
    filters = pytest.importorskip("skimage.filters", reason="scikit-image is not installed")
    rgb = SCENE[..., ::-1].astype(np.float64)
    rg, yb = rgb[..., 0] - rgb[..., 1], (rgb[..., 0] + rgb[..., 1]) / 2 - rgb[..., 2]
    colour = np.sqrt(rg.var() + yb.var()) + 0.3 * np.sqrt(rg.mean() ** 2 + yb.mean() ** 2)
    grey = np.asarray(cv2.cvtColor(SCENE, cv2.COLOR_BGR2GRAY), np.float64)
    fine = grey - filters.gaussian(grey, 1.0, mode="mirror", preserve_range=True)
    contrast, colourful, sharp = quality.statistics(SCENE)
    assert contrast == pytest.approx(grey.std() / (255 / np.sqrt(12)), rel=1e-3)
    assert colourful == pytest.approx(min(1, colour / 109), rel=1e-3)
    assert sharp == pytest.approx(fine.std() / grey.std() / 0.25, rel=0.02)


def test_an_even_spread_of_light_is_full_contrast_and_grey_has_no_colour() -> None:
    ramp = np.tile(np.arange(256, dtype=np.uint8), (64, 1))
    contrast, colour, _ = quality.statistics(np.repeat(ramp[..., None], 3, axis=2))
    assert contrast == pytest.approx(1.0, abs=1e-3)
    assert colour == 0.0
    assert quality.statistics(np.full((64, 64, 3), 90, np.uint8)) == (0.0, 0.0, 0.0)


def test_each_statistic_falls_with_its_own_damage() -> None:
    plain = quality.statistics(SCENE)
    flat = np.clip(128 + (SCENE.astype(np.float32) - 128) * 0.5, 0, 255).astype(np.uint8)
    grey = np.repeat(cv2.cvtColor(SCENE, cv2.COLOR_BGR2GRAY)[..., None], 3, axis=2)
    soft = np.asarray(cv2.GaussianBlur(SCENE, (0, 0), 2), np.uint8)
    assert quality.statistics(flat)[0] < plain[0] * 0.6
    assert quality.statistics(flat)[2] == pytest.approx(plain[2], rel=0.05)
    assert quality.statistics(grey)[1] == 0.0
    assert quality.statistics(soft)[2] < plain[2] * 0.5
    proxy = quality.PictureStatistics()
    assert proxy.kind == "proxy"
    assert proxy.quality([SCENE])[0] == pytest.approx(sum(plain) / 3)
    assert all(proxy.quality([worse])[0] < sum(plain) / 3 for worse in (flat, grey, soft))


def test_brisque_is_turned_round(weights: Path) -> None:
    found = roles.find("imaging", None, weights)
    assert not isinstance(found, str)
    assert found.kind.stands_for
    from longtake.models import weights as stored

    model = found.open(stored.load(found.entries, weights, 1))
    soft = np.asarray(cv2.GaussianBlur(SCENE, (0, 0), 3), np.uint8)
    plain, worse, even = model.quality([SCENE, soft, np.full((64, 64, 3), 90, np.uint8)])
    assert plain > worse
    assert np.isnan(even)


def musiq(path: Path, height: int | str = "h", width: int | str = "w", out: int = 1) -> Path:
    """One whose score is 100 times the mean of red."""
    pytest.importorskip("onnxruntime", reason="the extra offline is not installed")
    from onnx import TensorProto, helper, numpy_helper, save

    weight = np.zeros((3, out), np.float32)
    weight[0] = 100
    nodes = [
        helper.make_node("ReduceMean", ["picture"], ["mean"], axes=[2, 3], keepdims=0),
        helper.make_node("MatMul", ["mean", "weight"], ["score"]),
    ]
    graph = helper.make_graph(
        nodes,
        "musiq",
        [helper.make_tensor_value_info("picture", TensorProto.FLOAT, [1, 3, height, width])],
        [helper.make_tensor_value_info("score", TensorProto.FLOAT, [1, out])],
        [numpy_helper.from_array(weight, "weight")],
    )
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def opened(role: str, name: str, root: Path) -> Any:
    found = roles.find(role, name, root)
    assert not isinstance(found, str)
    return found.open(Weights())


@pytest.mark.parametrize("size", [("h", "w"), (224, 224)])
def test_musiq_is_read_from_onnx_and_given_red_green_blue(
    tmp_path: Path, size: tuple[int | str, int | str]
) -> None:
    model = opened("imaging", f"musiq:{musiq(tmp_path / 'm.onnx', *size)}", tmp_path)
    wanted = SCENE[..., 2].mean() / 255
    assert model.quality([SCENE, SCENE[::-1]]) == pytest.approx([wanted] * 2, abs=2e-3)
    assert model.kind == "model"


def test_settings_beside_musiq_say_how_pictures_are_brought_to_it(tmp_path: Path) -> None:
    path = musiq(tmp_path / "m.onnx")
    path.with_suffix(".json").write_text(json.dumps({"mean": 0.5, "std": 0.5, "scale": 50, "longer": 64}))
    wanted = (SCENE[..., 2].mean() / 255 - 0.5) / 0.5 * 2
    assert opened("imaging", f"musiq:{path}", tmp_path).quality([SCENE])[0] == pytest.approx(wanted, abs=1e-2)
    path.with_suffix(".json").write_text(json.dumps({"size": 64}))
    with pytest.raises(InputError, match=r"m\.json .*an object of longer, scale, mean, std"):
        opened("imaging", f"musiq:{path}", tmp_path)


def test_what_is_no_musiq_is_refused_in_a_line(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="the extra offline is not installed")
    (tmp_path / "no.onnx").write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"no\.onnx"):
        opened("imaging", f"musiq:{tmp_path / 'no.onnx'}", tmp_path)
    with pytest.raises(InputError, match="2 numbers"):
        opened("imaging", f"musiq:{musiq(tmp_path / 'two.onnx', out=2)}", tmp_path)
    with pytest.raises(UsageError, match="does not name"):
        opened("imaging", "musiq", tmp_path)


def head(path: Path, weight: np.ndarray, bias: float) -> Path:
    parts = {"weight": weight.astype(np.float32), "bias": np.array([bias], np.float32)}
    if path.suffix == ".npz":
        np.savez(path, **parts)
    elif path.suffix == ".safetensors":
        from safetensors.numpy import save_file

        save_file(parts, path)
    else:
        import torch

        torch.save({name: torch.from_numpy(value) for name, value in parts.items()}, path)
    return path


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("suffix", [".npz", ".safetensors", ".pth"])
def test_laions_head_is_a_linear_layer_on_unit_vectors_of_clip(tmp_path: Path, suffix: str) -> None:
    torch = pytest.importorskip("torch", reason="the extra torch is not installed")
    transformers = pytest.importorskip("transformers", reason="the extra torch is not installed")
    torch.manual_seed(4)
    small = {"hidden_size": 32, "intermediate_size": 37, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = transformers.CLIPConfig(
        text_config={**small, "vocab_size": 40, "max_position_embeddings": 16},
        vision_config={**small, "image_size": 32, "patch_size": 8},
        projection_dim=12,
    )
    net = transformers.CLIPModel(config).eval()
    net.save_pretrained(tmp_path / "clip")
    shape = {"size": {"shortest_edge": 32}, "crop_size": {"height": 32, "width": 32}}
    prepare = transformers.CLIPImageProcessor(**shape)
    prepare.save_pretrained(tmp_path / "clip")
    weight = DRAW.normal(size=(1, 12))
    path = head(tmp_path / f"head{suffix}", weight, 5.5)
    model = opened("aesthetic", f"laion:{tmp_path / 'clip'},{path}", tmp_path)
    with torch.inference_mode():
        pixels = prepare(images=[SCENE[..., ::-1]], return_tensors="pt")["pixel_values"]
        seen = net.visual_projection(net.vision_model(pixel_values=pixels).pooler_output)[0]
        layer = torch.nn.Linear(12, 1)
        layer.load_state_dict({"weight": torch.from_numpy(weight).float(), "bias": torch.tensor([5.5])})
        wanted = float(layer(torch.nn.functional.normalize(seen, dim=-1))) / 10
    assert model.quality([SCENE])[0] == pytest.approx(wanted, abs=1e-5)
    wrong = head(tmp_path / f"wrong{suffix}", DRAW.normal(size=(1, 13)), 0)
    with pytest.raises(InputError, match="13 numbers"):
        opened("aesthetic", f"laion:{tmp_path / 'clip'},{wrong}", tmp_path)


def test_a_head_that_is_none_is_refused_without_running_it(tmp_path: Path) -> None:
    from longtake.errors import BackendError

    for name, data in (("a.npz", b"no"), ("b.safetensors", b"no"), ("c.pth", b"cos\nsystem\n(S'true'\ntR.")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(BackendError, match=name):
            quality._head(tmp_path / name)
    np.savez(tmp_path / "d.npz", weight=np.zeros((2, 3)), bias=np.zeros(2))
    with pytest.raises(BackendError, match="one output"):
        quality._head(tmp_path / "d.npz")


def test_a_model_without_its_files_is_missing(tmp_path: Path) -> None:
    with pytest.raises(MissingError):
        roles.find("imaging", f"musiq:{tmp_path / 'gone.onnx'}", tmp_path)
    assert "brisque" in str(roles.find("imaging", None, tmp_path))
