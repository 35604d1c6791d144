"""CLIP, SigLIP, DINOv2 and DINO by transformers, on tiny random models saved in the real format.

Skipped where the extra ``torch`` is not installed. What real checkpoints say is not shown here: that the
format is read, the right numbers taken and nothing fetched is.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from longtake.core.embedding import Shape
from longtake.errors import BackendError, InputError
from longtake.models import embedders, text_picture
from longtake.models.torch_loading import run
from longtake.models.weights import Weights
from longtake.testing import check_embedder

torch = pytest.importorskip("torch", reason="the extra torch is not installed")
transformers = pytest.importorskip("transformers", reason="the extra torch is not installed")
pytestmark = pytest.mark.filterwarnings("default")

TEXTS = ["a red square", "the sea at night"]
SMALL = {"hidden_size": 32, "intermediate_size": 37, "num_hidden_layers": 2, "num_attention_heads": 4}


def alphabet() -> list[str]:
    from tokenizers.pre_tokenizers import ByteLevel

    return sorted(ByteLevel.alphabet())


def clip_tokenizer() -> Any:
    words = [*alphabet(), *(f"{c}</w>" for c in alphabet()), "<|startoftext|>", "<|endoftext|>"]
    return transformers.CLIPTokenizerFast(vocab={w: i for i, w in enumerate(words)}, merges=[])


def plain_tokenizer() -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    words = ["<pad>", "</s>", *alphabet()]
    tokens = Tokenizer(models.BPE({w: i for i, w in enumerate(words)}, merges=[]))
    tokens.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokens.decoder = decoders.ByteLevel()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokens, pad_token="<pad>", eos_token="</s>", unk_token="<pad>"
    )


def save_clip(folder: Path) -> Path:
    tokenizer = clip_tokenizer()
    ids = {"bos_token_id": 512, "eos_token_id": 513, "pad_token_id": 513}
    config = transformers.CLIPConfig(
        text_config={**SMALL, "vocab_size": 514, "max_position_embeddings": 32, **ids},
        vision_config={**SMALL, "image_size": 32, "patch_size": 8},
        projection_dim=16,
    )
    transformers.CLIPModel(config).eval().save_pretrained(folder)
    shape = {"size": {"shortest_edge": 32}, "crop_size": {"height": 32, "width": 32}}
    pictures = transformers.CLIPImageProcessor(**shape)
    transformers.CLIPProcessor(pictures, tokenizer).save_pretrained(folder)
    return folder


def save_siglip(folder: Path) -> Path:
    config = transformers.SiglipConfig(
        text_config={
            **SMALL,
            "vocab_size": 258,
            "max_position_embeddings": 16,
            "projection_size": 32,
            "pad_token_id": 0,
            "eos_token_id": 1,
            "bos_token_id": 1,
        },
        vision_config={**SMALL, "image_size": 32, "patch_size": 8},
    )
    transformers.SiglipModel(config).eval().save_pretrained(folder)
    pictures = transformers.SiglipImageProcessor(size={"height": 32, "width": 32})
    transformers.SiglipProcessor(pictures, plain_tokenizer()).save_pretrained(folder)
    return folder


def save_dinov2(folder: Path) -> Path:
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = transformers.Dinov2Config(**sizes, image_size=28, patch_size=14)
    transformers.Dinov2Model(config).eval().save_pretrained(folder)
    shape = {"size": {"shortest_edge": 28}, "crop_size": {"height": 28, "width": 28}}
    transformers.BitImageProcessor(**shape).save_pretrained(folder)
    return folder


def save_dino(folder: Path) -> Path:
    config = transformers.ViTConfig(**SMALL, image_size=32, patch_size=8)
    transformers.ViTModel(config, add_pooling_layer=False).eval().save_pretrained(folder)
    transformers.ViTImageProcessor(size={"height": 32, "width": 32}).save_pretrained(folder)
    return folder


SAVED = {
    "clip": (save_clip, 16),
    "siglip": (save_siglip, 32),
    "dinov2": (save_dinov2, 32),
    "dino": (save_dino, 32),
}
SHAPES = {
    "clip": Shape(16, 32, tokens=32),
    "siglip": Shape(32, 32, tokens=16),
    "dinov2": Shape(32, 28),
    "dino": Shape(32, 32),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    transformers.logging.set_verbosity_error()
    torch.manual_seed(5)
    return {kind: save(tmp_path_factory.mktemp(kind)) for kind, (save, _) in SAVED.items()}


def pictures() -> list[np.ndarray]:
    draw = np.random.default_rng(3)
    red, noise = np.zeros((40, 60, 3), np.uint8), draw.integers(0, 255, (33, 50, 3), np.uint8)
    red[..., 2] = 220
    return [red, noise, red[:, ::-1].copy()]


def of_length_one(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def opened(kinds: Any, name: str, root: Path) -> Any:
    return kinds.find(name, root).open(Weights())


@pytest.mark.parametrize("kind", SAVED)
def test_embeds_pictures(kind: str, folders: dict[str, Path], tmp_path: Path) -> None:
    model = opened(embedders, f"{kind}:{folders[kind]}", tmp_path)
    vectors = model.pictures(pictures())
    assert vectors.dtype == np.float32
    assert vectors.shape == (3, SAVED[kind][1]) == (3, model.shape.dimension)
    assert np.allclose(vectors[0], vectors[2], atol=1e-5)  # a mirrored plain picture is the same picture
    assert not np.allclose(vectors[0], vectors[1], atol=1e-3)
    assert model.pictures([]).shape == (0, model.shape.dimension)


@pytest.mark.parametrize("kind", SAVED)
def test_keeps_to_the_port_and_declares_what_it_reads(
    kind: str, folders: dict[str, Path], tmp_path: Path
) -> None:
    model = opened(embedders, f"{kind}:{folders[kind]}", tmp_path)
    check_embedder(model)
    assert model.shape == SHAPES[kind]
    assert type(model._images).__name__.endswith("Pil")  # torchvision or not, the same numbers


@pytest.mark.parametrize("kind", SAVED)
def test_half_precision_gives_nearly_the_same(kind: str, folders: dict[str, Path], tmp_path: Path) -> None:
    whole = opened(embedders, f"{kind}:{folders[kind]}", tmp_path)
    half = type(whole)(folders[kind], half=True)
    pairs = [(whole.pictures(pictures()), half.pictures(pictures()))]
    if whole.shape.tokens is not None:
        pairs.append((whole.texts(TEXTS), half.texts(TEXTS)))
    for one, other in pairs:
        assert 0 < np.abs(of_length_one(one) - of_length_one(other)).max() < 1e-2


def test_dino_is_the_class_token_after_its_norm(folders: dict[str, Path], tmp_path: Path) -> None:
    model = opened(embedders, f"dino:{folders['dino']}", tmp_path)
    there = transformers.ViTModel.from_pretrained(folders["dino"], add_pooling_layer=False).eval()
    processor = transformers.AutoImageProcessor.from_pretrained(folders["dino"], backend="pil")
    rgb = [p[..., ::-1].copy() for p in pictures()]
    with torch.inference_mode():
        expected = there(processor(images=rgb, return_tensors="pt")["pixel_values"]).last_hidden_state[:, 0]
    assert np.allclose(model.pictures(pictures()), expected.numpy(), atol=1e-5)


def test_a_clip_is_the_mean_of_its_frames(folders: dict[str, Path], tmp_path: Path) -> None:
    model = opened(embedders, f"clip:{folders['clip']}", tmp_path)
    frames = of_length_one(model.pictures(pictures()))
    found = model.clips([pictures(), pictures()[:1]])
    assert np.allclose(found, [frames.mean(axis=0), frames[0]], atol=1e-6)


def test_tokens_are_the_models_own_and_uncut(folders: dict[str, Path], tmp_path: Path) -> None:
    clip = opened(embedders, f"clip:{folders['clip']}", tmp_path)
    assert clip.tokens(["ab c", "", "x" * 100]) == [3 + 2, 2, 102]
    assert clip.tokens([]) == []
    siglip = opened(embedders, f"siglip:{folders['siglip']}", tmp_path)
    assert siglip.tokens(["ab c", "x" * 100]) == [
        len(siglip._tokenizer(t)["input_ids"]) for t in ("ab c", "x" * 100)
    ]


def test_another_kind_of_model_and_missing_weights_are_refused(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    """Transformers itself would fill what is missing with random numbers."""
    with pytest.raises(InputError, match="no dino model that can be read: it is a dinov2 model"):
        opened(embedders, f"dino:{folders['dinov2']}", tmp_path)
    from safetensors.torch import load_file, save_file

    folder = tmp_path / "part"
    shutil.copytree(folders["dino"], folder)
    weights = load_file(folder / "model.safetensors")
    gone = next(key for key in weights if "layernorm.weight" in key)
    save_file({k: v for k, v in weights.items() if k != gone}, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(InputError, match="no whole model: 1 weights are missing, layernorm"):
        opened(embedders, f"dino:{folder}", tmp_path)


def test_no_memory_is_an_error_of_one_line() -> None:
    with pytest.raises(BackendError, match=r"clip cannot be run: .*allocate") as caught:
        run("clip", lambda: torch.empty(10**15))
    assert "\n" not in caught.value.message


def test_channels_are_not_swapped(folders: dict[str, Path], tmp_path: Path) -> None:
    """The library itself, given RGB, has the same numbers."""
    model = opened(embedders, f"clip:{folders['clip']}", tmp_path)
    there = transformers.CLIPModel.from_pretrained(folders["clip"]).eval()
    processor = transformers.CLIPProcessor.from_pretrained(folders["clip"])
    picture = pictures()[1]
    with torch.inference_mode():
        pixels = processor(images=[picture[..., ::-1].copy()], return_tensors="pt")["pixel_values"]
        seen = there.vision_model(pixel_values=pixels).pooler_output
        expected = there.visual_projection(seen).numpy()
    assert np.allclose(model.pictures([picture]), expected, atol=1e-5)


@pytest.mark.parametrize("kind", ["clip", "siglip"])
def test_compares_texts_as_the_library_does(kind: str, folders: dict[str, Path], tmp_path: Path) -> None:
    model = opened(text_picture, f"{kind}:{folders[kind]}", tmp_path)
    found = model.similarity(pictures(), TEXTS)
    assert (model.kind, model.stands_for) == ("model", "")
    there = getattr(transformers, model.model_class).from_pretrained(folders[kind]).eval()
    processor = getattr(transformers, model.processor_class).from_pretrained(folders[kind])
    inputs = processor(
        text=TEXTS,
        images=[p[..., ::-1].copy() for p in pictures()],
        padding="max_length" if kind == "siglip" else True,
        max_length=16 if kind == "siglip" else 32,
        truncation=True,
        return_tensors="pt",
    )
    with torch.inference_mode():
        logits = there(**inputs).logits_per_image.numpy()
    bias = float(there.logit_bias) if kind == "siglip" else 0.0
    expected = (logits - bias) / float(there.logit_scale.exp())
    assert found.shape == (3, 2)
    assert np.allclose(found, expected, atol=1e-4)
    assert np.ptp(found) > 1e-3


@pytest.mark.parametrize("kind", ["clip", "siglip"])
def test_long_texts_and_none_are_read(kind: str, folders: dict[str, Path], tmp_path: Path) -> None:
    model = opened(text_picture, f"{kind}:{folders[kind]}", tmp_path)
    found = model.similarity(pictures()[:1], ["word " * 300, ""])
    assert np.isfinite(found).all()
    assert model.similarity(pictures()[:1], []).shape == (1, 0)


def test_pickles_are_not_read(folders: dict[str, Path], tmp_path: Path) -> None:
    folder = tmp_path / "old"
    folder.mkdir()
    for file in folders["clip"].iterdir():
        if file.suffix != ".safetensors":
            (folder / file.name).write_bytes(file.read_bytes())
    model = transformers.CLIPModel.from_pretrained(folders["clip"])
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
    with pytest.raises(InputError, match="no clip model that can be read"):
        opened(text_picture, f"clip:{folder}", tmp_path)


def test_a_cut_off_file_is_an_error_of_one_line(folders: dict[str, Path], tmp_path: Path) -> None:
    folder = tmp_path / "cut"
    folder.mkdir()
    for file in folders["clip"].iterdir():
        data = file.read_bytes()
        (folder / file.name).write_bytes(data[: len(data) // 2] if file.suffix == ".safetensors" else data)
    with pytest.raises(InputError) as caught:
        opened(embedders, f"clip:{folder}", tmp_path)
    assert "\n" not in caught.value.message


def test_other_weights_have_another_hash(folders: dict[str, Path], tmp_path: Path) -> None:
    first = embedders.find(f"clip:{folders['clip']}", tmp_path)
    os.makedirs(tmp_path / "clip", exist_ok=True)
    for file in folders["clip"].iterdir():
        (tmp_path / "clip" / file.name).write_bytes(file.read_bytes())
    copy = embedders.find(f"clip:{tmp_path / 'clip'}", tmp_path)
    assert copy.sha256 == first.sha256
    torch.manual_seed(6)
    save_clip(tmp_path / "clip")
    assert embedders.find(f"clip:{tmp_path / 'clip'}", tmp_path).sha256 != first.sha256
    assert str(tmp_path) not in copy.label
