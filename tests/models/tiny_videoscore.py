"""A tiny VideoScore of random weights, saved in the form of the release. Needs ``torch``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

PROMPT = 'Look at the film.\n(1) it is sharp\n\nIts text is "{text_prompt}",\nand here it is:\n'
MARKS = ["<fake_token_around_image>", "<image>", "<end_of_utterance>"]
LATENTS = 4
SIZE = {"shortest_edge": 28, "longest_edge": 56}


def pictures(count: int, seed: int = 3, size: tuple[int, int] = (40, 50)) -> list[NDArray[np.uint8]]:
    draw = np.random.default_rng(seed)
    return [draw.integers(0, 255, (*size, 3), np.uint8) for _ in range(count)]


def llama_tokenizer() -> Any:
    """Bytes and single characters in the form of Mistral's ``tokenizer.json``, with Idefics2's marks."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, processors

    words = ["<unk>", "<s>", "</s>", *(f"<0x{i:02X}>" for i in range(256)), "▁", *map(chr, range(33, 127))]
    tokens = Tokenizer(
        models.BPE({w: i for i, w in enumerate(words)}, [], unk_token="<unk>", byte_fallback=True)
    )
    tokens.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokens.decoder = decoders.ByteFallback()
    tokens.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    tokens.add_special_tokens(
        [AddedToken(word, special=True, normalized=False) for word in ("<unk>", "<s>", "</s>", *MARKS)]
    )
    return tokens


def save_videoscore(
    folder: Path, *, outputs: int = 5, head: bool = True, parts: int = 1, prompt: str | None = PROMPT
) -> Path:
    """VideoScore's form: the body under ``model.``, the head ``score``; in several files with an index."""
    import torch
    import transformers
    from safetensors.torch import save_file

    transformers.logging.set_verbosity_error()
    folder.mkdir(parents=True, exist_ok=True)
    tokens = llama_tokenizer()
    sizes = {"hidden_size": 32, "intermediate_size": 37, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = transformers.Idefics2Config(
        text_config={
            "model_type": "mistral",
            **sizes,
            "num_key_value_heads": 2,
            "vocab_size": tokens.get_vocab_size(),
            "max_position_embeddings": 512,
            "pad_token_id": 0,
            "initializer_range": 0.3,
        },
        vision_config={**sizes, "image_size": 56, "patch_size": 14, "initializer_range": 0.3},
        perceiver_config={
            "hidden_size": 32,
            "resampler_n_latents": LATENTS,
            "resampler_depth": 1,
            "resampler_n_heads": 2,
            "resampler_head_dim": 16,
            "num_key_value_heads": 1,
            "initializer_range": 0.3,
        },
        image_token_id=tokens.token_to_id("<image>"),
        num_labels=outputs,
    )
    torch.manual_seed(5)
    body = transformers.Idefics2Model(config).eval()
    weights = {f"model.{name}": value.contiguous().clone() for name, value in body.state_dict().items()}
    if head:
        linear = torch.nn.Linear(32, outputs)
        weights |= {"score.weight": linear.weight.detach(), "score.bias": linear.bias.detach()}
    config.architectures = ["Idefics2ForSequenceClassification"]
    config.save_pretrained(folder)
    if parts == 1:
        save_file(weights, folder / "model.safetensors", {"format": "pt"})
    else:
        names = sorted(weights)
        files = {name: f"model-{i % parts + 1:05}-of-{parts:05}.safetensors" for i, name in enumerate(names)}
        for file in set(files.values()):
            save_file({n: weights[n] for n in names if files[n] == file}, folder / file, {"format": "pt"})
        index = {"metadata": {}, "weight_map": files}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    tokens.save(str(folder / "tokenizer.json"))
    transformers.Idefics2ImageProcessorPil(
        size=SIZE, image_mean=[0.5] * 3, image_std=[0.5] * 3, do_image_splitting=False
    ).save_pretrained(folder)
    if prompt is not None:
        (folder / "prompt.txt").write_text(prompt)
    return folder
