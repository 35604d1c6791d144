"""GroundingDINO, inpainting, Qwen-Image-Edit, VACE and Wan, on tiny random models saved in the real format.

Skipped where the extra ``diffusers`` is not installed. What real checkpoints make is not shown here: that the
format is read, shapes and masks are right, a seed decides, and nothing is fetched is.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from longtake.errors import InputError
from longtake.models import diffusers_editors, grounding, vace, wan
from longtake.models.editors import editor
from longtake.models.generators import generator
from longtake.models.maskers import masker
from ports_check import check_editor, check_generator, check_masker, disc, scene

torch = pytest.importorskip("torch", reason="the extra diffusers is not installed")
transformers = pytest.importorskip("transformers", reason="the extra diffusers is not installed")
diffusers = pytest.importorskip("diffusers", reason="the extra diffusers is not installed")
pytestmark = pytest.mark.filterwarnings("default")

SMALL = {"hidden_size": 32, "intermediate_size": 37, "num_hidden_layers": 2, "num_attention_heads": 4}


def alphabet() -> list[str]:
    from tokenizers.pre_tokenizers import ByteLevel

    return sorted(ByteLevel.alphabet())


def byte_tokenizer(special: list[str], **named: str) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    words = [*special, *alphabet()]
    tokens = Tokenizer(models.BPE({w: i for i, w in enumerate(words)}, merges=[]))
    tokens.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokens.decoder = decoders.ByteLevel()
    made = transformers.PreTrainedTokenizerFast(tokenizer_object=tokens, **named)
    made.add_special_tokens({"additional_special_tokens": [w for w in special if w not in named.values()]})
    return made


def save_dino(folder: Path) -> Path:
    backbone = transformers.SwinConfig(
        embed_dim=16,
        depths=[1, 1, 2, 1],
        num_heads=[1, 1, 1, 1],
        window_size=4,
        image_size=128,
        out_features=["stage2", "stage3", "stage4"],
    )
    letters = [chr(c) for c in range(ord("a"), ord("z") + 1)]
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", "?", *letters, *(f"##{c}" for c in letters)]
    text = transformers.BertConfig(vocab_size=len(words), max_position_embeddings=64, **SMALL)
    config = transformers.GroundingDinoConfig(
        backbone_config=backbone,
        text_config=text,
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_ffn_dim=16,
        decoder_ffn_dim=16,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        num_queries=10,
        max_text_len=64,
    )
    transformers.GroundingDinoForObjectDetection(config).eval().save_pretrained(folder)
    tokenizer = transformers.BertTokenizerFast(vocab={w: i for i, w in enumerate(words)})
    pictures = transformers.GroundingDinoImageProcessor(size={"shortest_edge": 128, "longest_edge": 192})
    transformers.GroundingDinoProcessor(pictures, tokenizer).save_pretrained(folder)
    return folder


def save_inpaint(folder: Path) -> Path:
    words = [*alphabet(), *(f"{c}</w>" for c in alphabet()), "<|startoftext|>", "<|endoftext|>"]
    tokenizer = transformers.CLIPTokenizerFast(vocab={w: i for i, w in enumerate(words)}, merges=[])
    tokenizer.model_max_length = 32
    ids = {"bos_token_id": 512, "eos_token_id": 513, "pad_token_id": 513}
    text = transformers.CLIPTextConfig(vocab_size=514, max_position_embeddings=32, **SMALL, **ids)
    unet = diffusers.UNet2DConditionModel(
        block_out_channels=(8, 16),
        layers_per_block=1,
        sample_size=32,
        in_channels=9,
        out_channels=4,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        cross_attention_dim=32,
        norm_num_groups=4,
        attention_head_dim=2,
    )
    vae = diffusers.AutoencoderKL(
        block_out_channels=[8, 8],
        down_block_types=["DownEncoderBlock2D"] * 2,
        up_block_types=["UpDecoderBlock2D"] * 2,
        latent_channels=4,
        norm_num_groups=4,
    )
    diffusers.StableDiffusionInpaintPipeline(
        vae=vae,
        text_encoder=transformers.CLIPTextModel(text),
        tokenizer=tokenizer,
        unet=unet,
        scheduler=diffusers.DDIMScheduler(steps_offset=1),
        safety_checker=None,
        feature_extractor=None,
        requires_safety_checker=False,
    ).save_pretrained(folder)
    return folder


def save_qwen(folder: Path) -> Path:
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    special += ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
    tokenizer = byte_tokenizer(special, pad_token="<|endoftext|>", eos_token="<|im_end|>")
    rope = {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [2, 1, 1]}
    config = transformers.Qwen2_5_VLConfig(
        text_config={
            **SMALL,
            "vocab_size": 263,
            "num_key_value_heads": 2,
            "rope_parameters": rope,
            "max_position_embeddings": 8192,
        },
        vision_config={
            "depth": 2,
            "hidden_size": 32,
            "intermediate_size": 37,
            "num_heads": 4,
            "patch_size": 14,
            "spatial_merge_size": 2,
            "temporal_patch_size": 2,
            "out_hidden_size": 32,
            "window_size": 56,
            "fullatt_block_indexes": [1],
        },
        vision_start_token_id=3,
        vision_end_token_id=4,
        image_token_id=5,
        video_token_id=6,
    )
    transformer = diffusers.QwenImageTransformer2DModel(
        patch_size=2,
        in_channels=16,
        out_channels=4,
        num_layers=2,
        attention_head_dim=16,
        num_attention_heads=2,
        joint_attention_dim=32,
        axes_dims_rope=(8, 4, 4),
    )
    vae = diffusers.AutoencoderKLQwenImage(
        base_dim=4,
        z_dim=4,
        dim_mult=[1, 1, 1, 1],
        num_res_blocks=1,
        temperal_downsample=[False, True, True],
        latents_mean=[0.0] * 4,
        latents_std=[1.0] * 4,
    )
    diffusers.QwenImageEditPipeline(
        scheduler=diffusers.FlowMatchEulerDiscreteScheduler(),
        vae=vae,
        text_encoder=transformers.Qwen2_5_VLForConditionalGeneration(config).eval(),
        tokenizer=tokenizer,
        processor=None,
        transformer=transformer,
    ).save_pretrained(folder)
    pictures = transformers.Qwen2VLImageProcessor(min_pixels=56 * 56, max_pixels=112 * 112)
    pictures.save_pretrained(folder / "processor")
    return folder


def wan_parts() -> dict[str, Any]:
    tokenizer = byte_tokenizer(["<pad>", "</s>"], pad_token="<pad>", eos_token="</s>", unk_token="<pad>")
    text = transformers.UMT5Config(vocab_size=258, d_model=32, d_ff=37, d_kv=8, num_layers=2, num_heads=4)
    vae = diffusers.AutoencoderKLWan(
        base_dim=3, z_dim=16, dim_mult=[1] * 4, num_res_blocks=1, temperal_downsample=[False, True, True]
    )
    return {
        "tokenizer": tokenizer,
        "text_encoder": transformers.UMT5EncoderModel(text),
        "vae": vae,
        "scheduler": diffusers.FlowMatchEulerDiscreteScheduler(shift=7.0),
    }


def wan_transformer(name: str, **more: Any) -> Any:
    return getattr(diffusers, name)(
        patch_size=(1, 2, 2),
        num_attention_heads=2,
        attention_head_dim=12,
        out_channels=16,
        text_dim=32,
        freq_dim=256,
        ffn_dim=32,
        cross_attn_norm=True,
        qk_norm="rms_norm_across_heads",
        rope_max_seq_len=32,
        **more,
    )


def save_wan(folder: Path) -> Path:
    transformer = wan_transformer("WanTransformer3DModel", in_channels=36, num_layers=2)
    other = wan_transformer("WanTransformer3DModel", in_channels=36, num_layers=2)
    diffusers.WanImageToVideoPipeline(
        **wan_parts(), transformer=transformer, transformer_2=other, boundary_ratio=0.875
    ).save_pretrained(folder)
    return folder


def save_vace(folder: Path) -> Path:
    transformer = wan_transformer(
        "WanVACETransformer3DModel", in_channels=16, num_layers=3, vace_layers=[0, 2], vace_in_channels=96
    )
    diffusers.WanVACEPipeline(**wan_parts(), transformer=transformer).save_pretrained(folder)
    return folder


def save_depth(folder: Path) -> Path:
    backbone = transformers.Dinov2Config(
        hidden_size=32,
        num_hidden_layers=4,
        num_attention_heads=4,
        image_size=56,
        patch_size=14,
        out_features=["stage1", "stage2", "stage3", "stage4"],
        reshape_hidden_states=False,
        apply_layernorm=True,
    )
    config = transformers.DepthAnythingConfig(
        backbone_config=backbone,
        patch_size=14,
        reassemble_hidden_size=32,
        neck_hidden_sizes=[8, 8, 16, 16],
        fusion_hidden_size=8,
        head_hidden_size=4,
    )
    transformers.DepthAnythingForDepthEstimation(config).eval().save_pretrained(folder)
    transformers.DPTImageProcessor(size={"height": 56, "width": 56}).save_pretrained(folder)
    return folder


SAVED: dict[str, Callable[[Path], Path]] = {
    "dino": save_dino,
    "inpaint": save_inpaint,
    "qwen": save_qwen,
    "wan": save_wan,
    "vace": save_vace,
    "depth": save_depth,
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    transformers.logging.set_verbosity_error()
    torch.manual_seed(5)
    return {kind: save(tmp_path_factory.mktemp(kind)) for kind, save in SAVED.items()}


@pytest.fixture(autouse=True)
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diffusers_editors, "INPAINT_STEPS", 2)
    monkeypatch.setattr(diffusers_editors, "QWEN_STEPS", 1)
    monkeypatch.setattr(vace, "STEPS", 2)
    monkeypatch.setattr(wan, "STEPS", 2)


def test_dino_gives_the_boxes_of_the_library_as_shares(folders: dict[str, Path], tmp_path: Path) -> None:
    model = masker(f"dino:{folders['dino']}", tmp_path)
    there = transformers.GroundingDinoForObjectDetection.from_pretrained(folders["dino"]).eval()
    processor = transformers.GroundingDinoProcessor.from_pretrained(folders["dino"])
    inputs = processor(images=scene()[..., ::-1].copy(), text="a red disc.", return_tensors="pt")
    with torch.inference_mode():
        out = there(**inputs)
    likely = out.logits.sigmoid().max(-1).values[0].numpy()
    kept = np.flatnonzero(likely > grounding.BOX_THRESHOLD)
    assert len(kept)
    x, y, across, down = out.pred_boxes[0].numpy()[kept[np.argsort(-likely[kept], kind="stable")]].T
    low, high = np.clip([x - across / 2, y - down / 2], 0, 1), np.clip([x + across / 2, y + down / 2], 0, 1)
    expected = np.concatenate([low, high - low]).T
    expected = expected[expected[:, 2] * expected[:, 3] <= grounding.LARGE]
    assert np.allclose(model.boxes(scene(), "A red disc"), expected, atol=1e-5)


def test_dino_masks(folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = masker(f"dino:{folders['dino']}", tmp_path)
    assert check_masker(model, "a red disc").any()
    check_masker(model, None)
    monkeypatch.setattr(grounding, "BOX_THRESHOLD", 0.9999)
    assert not check_masker(model, "a red disc").any()


def test_inpainting_paints_inside_the_mask(folders: dict[str, Path], tmp_path: Path) -> None:
    model = editor(f"inpaint:{folders['inpaint']}", tmp_path)
    check_editor(model, "erase")
    check_editor(model, "another 1: a blue cube")


def test_qwen_is_told_in_words(
    folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from diffusers.pipelines.qwenimage import pipeline_qwenimage_edit as library

    whole = library.calculate_dimensions  # a megapixel each takes a minute on a small machine
    monkeypatch.setattr(library, "calculate_dimensions", lambda area, ratio: whole(192 * 192, ratio))
    model = editor(f"qwen:{folders['qwen']}", tmp_path)
    shown = model.edit(scene(), disc(), "recolour 120: make the red disc green", 3)
    again = model.edit(scene(), disc(), "recolour 120: make the red disc green", 3)
    assert np.array_equal(shown, again)
    assert np.array_equal(shown[disc() == 0], scene()[disc() == 0])
    assert not np.array_equal(shown, scene())
    assert not np.array_equal(shown, model.edit(scene(), disc(), "recolour 120: a purple one", 3))
    seen, _ = model._read(scene(), "the same words")
    other, _ = model._read(scene()[:, ::-1].copy(), "the same words")
    assert seen.shape == other.shape
    assert not torch.allclose(seen, other)


def test_vace_edits_a_stretch(folders: dict[str, Path], tmp_path: Path) -> None:
    model = editor(f"vace:{folders['vace']},{folders['depth']}", tmp_path)
    check_editor(model, "another 1: a blue ball")
    pictures = [np.roll(scene(), i, axis=1) for i in range(7)]
    masks = [np.roll(disc(), i, axis=1) for i in range(7)]
    shown = model.edit_block(pictures, masks, "another 1: a blue ball", 3)
    assert len(shown) == 7
    for before, after, mask in zip(pictures, shown, masks, strict=True):
        assert np.array_equal(before[mask == 0], after[mask == 0])
        assert not np.array_equal(before, after)


def test_wan_makes_as_many_pictures_as_asked_for(folders: dict[str, Path], tmp_path: Path) -> None:
    model = generator(f"wan:{folders['wan']}", tmp_path)
    check_generator(model, 6)


@pytest.mark.parametrize(
    ("opened", "name"), [(masker, "dino:{0}"), (editor, "inpaint:{0}"), (generator, "wan:{0}")]
)
def test_a_folder_without_a_model_is_an_error_of_one_line(opened: Any, name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        opened(name.format(tmp_path), tmp_path)
    assert "\n" not in caught.value.message
