"""CLIP, SigLIP and DINOv2 by transformers, on tiny random models saved in the real format.

Skipped where the extra ``torch`` is not installed. What real checkpoints say is not shown here: that the
format is read, the right numbers taken and nothing fetched is.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from longtake.errors import InputError
from longtake.models import embedders, text_picture
from longtake.models.weights import Weights

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


SAVED = {"clip": (save_clip, 16), "siglip": (save_siglip, 32), "dinov2": (save_dinov2, 32)}


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
