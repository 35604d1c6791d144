"""Tiny Qwen-VL models with random weights, saved in the real format. Needs the extra ``torch``.

A random model cannot answer. One that can is made of it by hand: nothing is added to the embedding of the
last token, and the head leads from each token of a chain to the next one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from asked import question

from longtake.models.judges.sending import conversation

MARKS = [
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
    "<|video_pad|>",
]
WORDS = ["<think>", "</think>"]
"""Marks that the library doesn't call special, as Qwen3 has them."""
OWN_TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{% if m['content'] is string %}{{ m['content'] }}"
    "{% else %}{% for c in m['content'] %}{% if c['type'] == 'image' %}"
    "<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ c['text'] }}{% endif %}{% endfor %}{% endif %}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
PATCH = {"qwen3_vl": 16, "qwen2_5_vl": 14}
LEAST, MOST = 64 * 64, 128 * 128
"""Pixels of a picture as the image processor scales it."""


def tokenizer(chain: Sequence[str] = ()) -> Any:
    """Learnt from our own words, so that a question is some 1,000 ids; a piece of ``chain`` is one id."""
    import transformers
    from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, trainers

    system, said = conversation(question())
    empty = transformers.Qwen2Tokenizer(vocab={}, merges=[])
    learnt = Tokenizer(models.BPE())
    learnt.pre_tokenizer = empty.backend_tokenizer.pre_tokenizer
    trainer = trainers.BpeTrainer(
        vocab_size=700,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    learnt.train_from_iterator([system, *map(str, said), "\n\n assistant user"], trainer)
    model = json.loads(learnt.to_str())["model"]
    vocab, merges = model["vocab"], [tuple(pair) for pair in model["merges"]]
    bytes_ = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    for piece in chain:
        if piece not in MARKS:
            vocab.setdefault(bytes_.pre_tokenize_str(piece)[0][0], len(vocab))
    made = transformers.Qwen2Tokenizer(
        vocab=vocab, merges=merges, eos_token="<|im_end|>", additional_special_tokens=MARKS
    )
    made.add_tokens([AddedToken(word, special=False, normalized=False) for word in WORDS])
    return made


def save(
    folder: Path,
    family: str,
    *,
    chain: Sequence[str] = (),
    template: str | None = None,
    length: int = 8192,
    seed: int = 5,
) -> Path:
    """A model of a family in a new folder. With ``chain`` it says these pieces, one after the other."""
    import torch
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    made = tokenizer(chain)
    made.chat_template = template
    ids = {mark: made.convert_tokens_to_ids(mark) for mark in MARKS}
    three = family == "qwen3_vl"
    rope = {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [2, 1, 1]}
    text = {
        "vocab_size": len(made),
        "hidden_size": 32,
        "intermediate_size": 37,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": length,
        "initializer_range": 0.3,
        "rope_parameters": {**rope, "mrope_interleaved": True} if three else rope,
        **({"head_dim": 8} if three else {}),
    }
    vision = {
        "depth": 2,
        "hidden_size": 32,
        "num_heads": 4,
        "intermediate_size": 37,
        "out_hidden_size": 32,
        "spatial_merge_size": 2,
        "temporal_patch_size": 2,
        "patch_size": PATCH[family],
        "initializer_range": 0.3,
        **(
            {"num_position_embeddings": 16, "deepstack_visual_indexes": [0, 1]}
            if three
            else {"window_size": 56, "fullatt_block_indexes": [1]}
        ),
    }
    config = getattr(transformers, "Qwen3VLConfig" if three else "Qwen2_5_VLConfig")(
        text_config=text,
        vision_config=vision,
        image_token_id=ids["<|image_pad|>"],
        video_token_id=ids["<|video_pad|>"],
        vision_start_token_id=ids["<|vision_start|>"],
        vision_end_token_id=ids["<|vision_end|>"],
    )
    torch.manual_seed(seed)
    kind = "Qwen3VLForConditionalGeneration" if three else "Qwen2_5_VLForConditionalGeneration"
    model = getattr(transformers, kind)(config).eval()
    if chain:
        _lead(model, [made.encode("\n")[-1], *(_id(made, piece) for piece in chain), ids["<|im_end|>"]])
    model.save_pretrained(folder)
    made.save_pretrained(folder)
    transformers.Qwen2VLImageProcessorPil(
        patch_size=PATCH[family], merge_size=2, size={"shortest_edge": LEAST, "longest_edge": MOST}
    ).save_pretrained(folder)
    return folder


def _id(made: Any, piece: str) -> int:
    from tokenizers import pre_tokenizers

    bytes_ = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return int(made.convert_tokens_to_ids(piece if piece in MARKS else bytes_.pre_tokenize_str(piece)[0][0]))


def _lead(model: Any, ids: list[int]) -> None:
    import torch

    with torch.no_grad():
        for layer in model.model.language_model.layers:
            layer.self_attn.o_proj.weight.zero_()
            layer.mlp.down_proj.weight.zero_()
        vectors = model.get_input_embeddings().weight
        model.lm_head.weight.zero_()
        for here, there in pairwise(ids):
            model.lm_head.weight[there] = vectors[here] / vectors[here].norm()
