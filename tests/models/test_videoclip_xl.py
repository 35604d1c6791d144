"""VideoCLIP-XL's loader and network on small random weights in the real format.

What the real file gives is not shown here. That keys and shapes are those of the published architecture, that
both halves compute what transformers' CLIP computes with the same numbers, and that texts, sizes and
frames are handled as stated, is. Skipped where the extra ``torch`` is not installed.
"""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from longtake.errors import BackendError, InputError
from longtake.models import embedders
from longtake.models.embedders import videoclip_net
from longtake.models.embedders.videoclip_table import Architecture, check, published, shapes
from longtake.models.named import find_kind
from longtake.testing import check_embedder

torch = pytest.importorskip("torch", reason="the extra torch is not installed")
transformers = pytest.importorskip("transformers", reason="the extra torch is not installed")
pytestmark = pytest.mark.filterwarnings("default")

SMALL = Architecture(
    size=8, patch=4, frames=4, dimension=16, vision_width=32, vision_layers=2, vision_heads=4, text_width=24,
    text_layers=2, text_heads=3, tokens=24, kept=6, vocabulary=514,
)  # fmt: skip
"""Four frames of 2 x 2 patches: as many as one picture of 4 x 4, which CLIP of transformers can be shown."""


def weights(of: Architecture = SMALL, seed: int = 7) -> dict[str, Any]:
    draw = torch.Generator().manual_seed(seed)
    return {key: torch.randn(shape, generator=draw) * 0.3 for key, shape in shapes(of).items()}


def tokenizer_files(folder: Path, *, plain: bool = False) -> None:
    """CLIP's tokenizer without merges: 256 bytes, the same at the end of a word, begin and end."""
    from tokenizers.pre_tokenizers import ByteLevel

    letters = sorted(ByteLevel.alphabet())
    words = [*letters, *(f"{c}</w>" for c in letters), "<|startoftext|>", "<|endoftext|>"]
    vocabulary = {word: i for i, word in enumerate(words)}
    if plain:
        (folder / "vocab.json").write_text(json.dumps(vocabulary), "utf-8")
        (folder / "merges.txt").write_text("#version: 0.2\n", "utf-8")
    else:
        transformers.CLIPTokenizer(vocab=vocabulary, merges=[]).save_pretrained(folder)


def saved(folder: Path, table: dict[str, Any] | None = None) -> Path:
    tokenizer_files(folder)
    path = folder / "VideoCLIP-XL.bin"
    torch.save(table if table is not None else weights(), path)
    return path


def opened(path: Path, **given: Any) -> Any:
    from longtake.models.embedders.videoclip_xl import VideoClipXL

    return VideoClipXL(path, of=SMALL, **given)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tmp_path_factory.mktemp("videoclip"))


@pytest.fixture(scope="module")
def model(path: Path) -> Any:
    return opened(path)


def pictures(n: int, seed: int = 3) -> list[np.ndarray]:
    draw = np.random.default_rng(seed)
    return [draw.integers(0, 255, (20 + 3 * i, 30, 3), np.uint8) for i in range(n)]


def clip_layer(table: dict[str, Any], ours: str, theirs: str, width: int) -> dict[str, Any]:
    """One layer of ours in the names of transformers."""
    names = {
        "ln_1": "layer_norm1",
        "ln_2": "layer_norm2",
        "attn.out_proj": "self_attn.out_proj",
        "mlp.c_fc": "mlp.fc1",
        "mlp.c_proj": "mlp.fc2",
    }
    found = {
        f"{theirs}.{new}.{end}": table[f"{ours}.{old}.{end}"]
        for old, new in names.items()
        for end in ("weight", "bias")
    }
    for i, part in enumerate("qkv"):
        rows = slice(i * width, (i + 1) * width)
        for end in ("weight", "bias"):
            found[f"{theirs}.self_attn.{part}_proj.{end}"] = table[f"{ours}.attn.in_proj_{end}"][rows]
    return found


def filled(reference: Any, values: dict[str, Any]) -> Any:
    """``reference`` with all its weights from ``values``, whatever prefix the library gives them."""
    own = reference.state_dict()
    for key in own:
        if key.endswith("position_ids"):
            continue
        short = key.removeprefix("vision_model.").removeprefix("text_model.")
        assert own[key].shape == values[short].shape, key
        own[key] = values[short]
    reference.load_state_dict(own, strict=True)
    return reference.eval()


def vision_reference(table: dict[str, Any], grid: int, places: Any) -> Any:
    """Transformers' picture half of CLIP with our numbers, for ``grid`` x ``grid`` patches."""
    config = transformers.CLIPVisionConfig(
        hidden_size=SMALL.vision_width,
        intermediate_size=4 * SMALL.vision_width,
        num_hidden_layers=SMALL.vision_layers,
        num_attention_heads=SMALL.vision_heads,
        image_size=grid * SMALL.patch,
        patch_size=SMALL.patch,
        projection_dim=SMALL.dimension,
        hidden_act="quick_gelu",
    )
    at = videoclip_net.VISION
    values = {
        "embeddings.class_embedding": table[f"{at}.class_embedding"],
        "embeddings.patch_embedding.weight": table[f"{at}.conv1.weight"][:, :, 0],
        "embeddings.position_embedding.weight": places,
        "pre_layrnorm.weight": table[f"{at}.ln_pre.weight"],
        "pre_layrnorm.bias": table[f"{at}.ln_pre.bias"],
        "post_layernorm.weight": table[f"{at}.ln_post.weight"],
        "post_layernorm.bias": table[f"{at}.ln_post.bias"],
        "visual_projection.weight": table[f"{at}.proj"].T,
    }
    for i in range(SMALL.vision_layers):
        values |= clip_layer(
            table, f"{at}.transformer.resblocks.{i}", f"encoder.layers.{i}", SMALL.vision_width
        )
    return filled(transformers.CLIPVisionModelWithProjection(config), values)


def test_the_table_is_as_large_as_the_published_file() -> None:
    """The released checkpoint is a pickle of 1.71 GB, in single precision."""
    assert round(sum(map(prod, shapes(published()).values())) * 4 / 1e9, 2) == 1.71


def test_one_frame_is_what_clip_of_transformers_gives(model: Any) -> None:
    table, at = weights(), videoclip_net.VISION
    pixels = torch.randn(3, 1, 3, SMALL.size, SMALL.size, generator=torch.Generator().manual_seed(1))
    places = table[f"{at}.positional_embedding"].clone()
    places[1:] += table[f"{at}.temporal_positional_embedding"].mean(dim=1)
    with torch.inference_mode():
        expected = vision_reference(table, SMALL.size // SMALL.patch, places)(pixels[:, 0]).image_embeds
        found = videoclip_net.of_clips(table, pixels, SMALL)
    assert torch.allclose(found, expected, atol=1e-4)
    assert float(expected.std()) > 0.1


def test_all_frames_look_at_each_other_as_patches_of_one_picture_do() -> None:
    """4 frames of 2 x 2 patches are laid out as the 4 x 4 patches of one picture for the reference, whose
    places are then the sums of ours in space and time."""
    table, at = weights(), videoclip_net.VISION
    n, side, patch = 2, SMALL.size // SMALL.patch, SMALL.patch
    pixels = torch.randn(
        n, SMALL.frames, 3, SMALL.size, SMALL.size, generator=torch.Generator().manual_seed(2)
    )
    grid = 4
    laid = torch.zeros(n, 3, grid * patch, grid * patch)
    places = [table[f"{at}.positional_embedding"][0]]
    for k in range(grid * grid):
        frame, inside = divmod(k, side * side)
        (y, x), (row, column) = divmod(inside, side), divmod(k, grid)
        piece = pixels[:, frame, :, y * patch : (y + 1) * patch, x * patch : (x + 1) * patch]
        laid[:, :, row * patch : (row + 1) * patch, column * patch : (column + 1) * patch] = piece
        places.append(
            table[f"{at}.positional_embedding"][1 + inside]
            + table[f"{at}.temporal_positional_embedding"][0, frame]
        )
    with torch.inference_mode():
        expected = vision_reference(table, grid, torch.stack(places))(laid).image_embeds
        found = videoclip_net.of_clips(table, pixels, SMALL)
        backwards = videoclip_net.of_clips(table, pixels.flip(1), SMALL)
    assert torch.allclose(found, expected, atol=1e-5)
    assert not torch.allclose(found, backwards, atol=1e-3)  # a frame knows when it is


def test_texts_are_what_clip_of_transformers_gives(model: Any) -> None:
    table, at = weights(), videoclip_net.TEXT
    config = transformers.CLIPTextConfig(
        vocab_size=SMALL.vocabulary,
        hidden_size=SMALL.text_width,
        intermediate_size=4 * SMALL.text_width,
        num_hidden_layers=SMALL.text_layers,
        num_attention_heads=SMALL.text_heads,
        max_position_embeddings=SMALL.tokens,
        projection_dim=SMALL.dimension,
        hidden_act="quick_gelu",
        bos_token_id=512,
        eos_token_id=513,
        pad_token_id=513,
    )
    near, far = (table[f"{at}.positional_embedding{end}"] for end in ("", "_res"))
    values = {
        "embeddings.token_embedding.weight": table[f"{at}.token_embedding.weight"],
        "embeddings.position_embedding.weight": torch.cat([near[: SMALL.kept], far[SMALL.kept :]]),
        "final_layer_norm.weight": table[f"{at}.ln_final.weight"],
        "final_layer_norm.bias": table[f"{at}.ln_final.bias"],
        "text_projection.weight": table[f"{at}.text_projection"].T,
    }
    for i in range(SMALL.text_layers):
        values |= clip_layer(
            table, f"{at}.transformer.resblocks.{i}", f"encoder.layers.{i}", SMALL.text_width
        )
    reference = filled(transformers.CLIPTextModelWithProjection(config), values)
    texts = ["a red car", "sea", "", "far more letters than there are places for in this small model"]
    read = model._tokenizer(
        texts, padding="max_length", truncation=True, max_length=SMALL.tokens, return_tensors="pt"
    )
    with torch.inference_mode():
        expected = reference(**read).text_embeds.numpy()
    found = model.texts(texts)
    assert np.allclose(found, expected, atol=1e-4)
    assert model.tokens(texts)[:3] == [9, 5, 2]
    assert model.tokens(texts)[3] > SMALL.tokens


def test_pictures_are_squeezed_normalised_and_read_as_rgb(model: Any) -> None:
    import cv2

    clip = pictures(SMALL.frames)
    mean, std = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
    frames = [(cv2.resize(p[..., ::-1], (SMALL.size, SMALL.size)) / 255 - mean) / std for p in clip]
    pixels = torch.from_numpy(np.stack(frames).transpose(0, 3, 1, 2)[None].astype(np.float32))
    with torch.inference_mode():
        expected = videoclip_net.of_clips(weights(), pixels, SMALL).numpy()
    assert np.allclose(model.clips([clip]), expected, atol=1e-4)


def test_batches_and_half_precision_give_the_same(model: Any, path: Path) -> None:
    clips = [pictures(SMALL.frames, seed) for seed in range(3)]
    texts = ["a red car at night", "sea", "b" * 40]
    together = [model.clips(clips), model.texts(texts)]
    alone = [
        np.concatenate([model.clips([c]) for c in clips]),
        np.concatenate([model.texts([t]) for t in texts]),
    ]
    half = opened(path, half=True)
    halves = [half.clips(clips), half.texts(texts)]
    for one, other, rough in zip(together, alone, halves, strict=True):
        lengths = np.linalg.norm(one, axis=1, keepdims=True)
        assert np.abs(one - other).max() / lengths.min() < 1e-5
        assert 0 < np.abs(one / lengths - rough / np.linalg.norm(rough, axis=1, keepdims=True)).max() < 1e-2
    assert model.clips([]).shape == model.texts([]).shape == (0, SMALL.dimension)
    assert model.pictures(pictures(2)).shape == (2, SMALL.dimension)


def test_it_keeps_to_the_port(model: Any) -> None:
    check_embedder(model)


def test_a_clip_of_another_length_is_refused(model: Any) -> None:
    with pytest.raises(BackendError, match="clips of 4 frames, not of 3"):
        model.clips([pictures(3)])
    assert (model.shape.frames, model.shape.tokens, model.shape.size) == (4, 24, 8)
    assert model.licence == "CC BY-NC-SA 4.0"


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (
            lambda t: t.pop("vision_model.vision_encoder.proj"),
            "lacks vision_model.vision_encoder.proj .VideoCLIP-XL has 65",
        ),
        (
            lambda t: t.update({"text_model.extra": torch.zeros(2)}),
            "holds text_model.extra, which VideoCLIP-XL has not",
        ),
        (
            lambda t: t.update({"text_model.text_projection": torch.zeros(16, 24)}),
            r"text_model.text_projection in VideoCLIP-XL.bin has the shape \(16, 24\), not \(24, 16\)",
        ),
        (lambda t: t.update({"text_model.logit_scale": 3.0}), "no table of tensors"),
    ],
)
def test_what_is_not_in_the_table_is_named(spoil: Any, said: str, tmp_path: Path) -> None:
    table = weights()
    spoil(table)
    with pytest.raises(BackendError, match=said):
        opened(saved(tmp_path, table))


def _patches(whole: dict[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    return {key: shape for key, shape in whole.items() if "conv1" in key}


def test_every_key_of_the_published_table_is_asked_for() -> None:
    whole = shapes(published())
    check("all", whole, published())
    for key in ("text_model.transformer.resblocks.11.mlp.c_fc.bias", "vision_model.temp"):
        with pytest.raises(BackendError, match=f"one lacks {key} .VideoCLIP-XL has 449"):
            check("one", {k: v for k, v in whole.items() if k != key}, published())
    with pytest.raises(BackendError, match="has the shape"):
        check("other", {**whole, "vision_model.temp": (1,)}, published())
    with pytest.raises(BackendError, match=r"positional_embedding in small has the shape \(197, 1024\)"):
        check("small", shapes(replace(published(), patch=16)) | _patches(whole), published())


class Trap:
    """What runs when it is unpickled."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return (open, ("/dev/null",))


def test_nothing_in_a_pickle_is_run(tmp_path: Path) -> None:
    path = saved(tmp_path)
    torch.save({**weights(), "trap": Trap()}, path)
    with pytest.raises(BackendError, match="no VideoCLIP-XL checkpoint that can be read") as caught:
        opened(path)
    assert "\n" not in caught.value.message
    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(BackendError, match="no VideoCLIP-XL checkpoint"):
        opened(path)
    path.write_bytes(b"no weights")
    with pytest.raises(BackendError, match="no VideoCLIP-XL checkpoint"):
        opened(path)


def test_the_older_format_of_torch_is_read_too(tmp_path: Path, model: Any) -> None:
    path = saved(tmp_path)
    torch.save(weights(), path, _use_new_zipfile_serialization=False)
    assert np.array_equal(opened(path).texts(["sea"]), model.texts(["sea"]))


def test_the_tokenizer_is_the_users_and_belongs_to_the_model(tmp_path: Path, path: Path, model: Any) -> None:
    alone = tmp_path / "VideoCLIP-XL.bin"
    alone.write_bytes(path.read_bytes())
    with pytest.raises(BackendError, match="neither tokenizer") as caught:
        opened(alone)
    assert "clip-vit-large-patch14" in str(caught.value.hint)
    kind = embedders.VIDEO_TEXT["videoclip-xl"]
    without = find_kind(f"videoclip-xl:{alone}", {"videoclip-xl": kind}, "model", tmp_path, tried=False)
    before = without.sha256
    tokenizer_files(tmp_path, plain=True)
    assert np.array_equal(opened(alone).texts(["a red car"]), model.texts(["a red car"]))
    after = find_kind(f"videoclip-xl:{alone}", {"videoclip-xl": kind}, "model", tmp_path, tried=False)
    assert after.sha256 != before
    assert (after.licence, kind.note) == ("CC BY-NC-SA 4.0", "not run on the real file")


def test_another_tokenizer_and_a_small_model_are_no_videoclip_xl(tmp_path: Path) -> None:
    from longtake.models.embedders.videoclip_xl import VideoClipXL

    path = saved(tmp_path)
    with pytest.raises(BackendError, match="begin and end at 512 and 513; VideoCLIP-XL has them at 49406"):
        VideoClipXL(path)
    with pytest.raises(InputError, match="49406"):
        find_kind(f"videoclip-xl:{path}", embedders.VIDEO_TEXT, "model", tmp_path)
    (tmp_path / "inside").mkdir()
    with pytest.raises(BackendError, match="is a folder"):
        opened(tmp_path / "inside")
