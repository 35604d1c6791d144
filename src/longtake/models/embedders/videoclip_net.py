"""The two halves of VideoCLIP-XL as functions of its tensors: pictures in time, and texts, as vectors.

Written from the published architecture (:mod:`.videoclip_table`). Tensors are those of torch; they are of one
device and precision.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .videoclip_table import Architecture

TEXT = "text_model"
VISION = "vision_model.vision_encoder"

Tensors = Mapping[str, Any]


def of_clips(table: Tensors, pixels: Any, of: Architecture) -> Any:
    """Vectors of clips, shape (n, dimension), from normalised RGB of shape (n, frames, 3, size, size).

    All patches of all frames look at each other and at one class token, whose last state is the vector. A
    patch knows its place and its frame's; of a single picture the frame's place is the mean over all.
    """
    import torch
    from torch.nn.functional import conv3d

    n, frames = pixels.shape[:2]
    patches = conv3d(pixels.transpose(1, 2), table[f"{VISION}.conv1.weight"], stride=(1, of.patch, of.patch))
    patches = patches.flatten(3).permute(0, 2, 3, 1)  # (n, frames, patches, width)
    place = table[f"{VISION}.positional_embedding"]
    moment = table[f"{VISION}.temporal_positional_embedding"]
    moment = moment.mean(dim=1, keepdim=True) if frames == 1 else moment
    patches = patches + place[1:] + moment.unsqueeze(2)
    first = (table[f"{VISION}.class_embedding"] + place[0]).expand(n, 1, -1)
    state = torch.cat([first, patches.flatten(1, 2)], dim=1)
    state = _norm(table, f"{VISION}.ln_pre", state)
    for layer in range(of.vision_layers):
        state = _layer(table, f"{VISION}.transformer.resblocks.{layer}", state, of.vision_heads)
    return _norm(table, f"{VISION}.ln_post", state[:, 0]) @ table[f"{VISION}.proj"]


def of_texts(table: Tensors, ids: Any, ends: Any, of: Architecture) -> Any:
    """Vectors of texts, shape (n, dimension), from tokens (n, length), ``ends`` being each one's last token.

    A token sees itself and those before it, so what fills up a row after the end mark changes nothing. The
    first ``kept`` places are CLIP's own, the others were stretched, and lie in another tensor.
    """
    import torch

    length = ids.shape[1]
    near, far = (table[f"{TEXT}.positional_embedding{end}"][:length] for end in ("", "_res"))
    state = table[f"{TEXT}.token_embedding.weight"][ids] + torch.cat([near[: of.kept], far[of.kept :]])
    for layer in range(of.text_layers):
        state = _layer(table, f"{TEXT}.transformer.resblocks.{layer}", state, of.text_heads, causal=True)
    state = _norm(table, f"{TEXT}.ln_final", state[torch.arange(len(ids), device=ids.device), ends])
    return state @ table[f"{TEXT}.text_projection"]


def _layer(table: Tensors, at: str, state: Any, heads: int, *, causal: bool = False) -> Any:
    """Attention, then two dense layers with CLIP's quick form of GELU, each on the normalised state."""
    from torch.nn.functional import scaled_dot_product_attention

    n, length, width = state.shape
    parts = _dense(
        table, f"{at}.attn.in_proj_weight", f"{at}.attn.in_proj_bias", _norm(table, f"{at}.ln_1", state)
    )
    query, key, value = parts.view(n, length, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
    seen = scaled_dot_product_attention(query, key, value, is_causal=causal)
    seen = seen.transpose(1, 2).reshape(n, length, width)
    state = state + _dense(table, f"{at}.attn.out_proj.weight", f"{at}.attn.out_proj.bias", seen)
    wide = _dense(table, f"{at}.mlp.c_fc.weight", f"{at}.mlp.c_fc.bias", _norm(table, f"{at}.ln_2", state))
    bent = wide * (1.702 * wide).sigmoid()
    return state + _dense(table, f"{at}.mlp.c_proj.weight", f"{at}.mlp.c_proj.bias", bent)


def _dense(table: Tensors, weight: str, bias: str, state: Any) -> Any:
    from torch.nn.functional import linear

    return linear(state, table[weight], table[bias])


def _norm(table: Tensors, at: str, state: Any) -> Any:
    from torch.nn.functional import layer_norm

    return layer_norm(state, state.shape[-1:], table[f"{at}.weight"], table[f"{at}.bias"])
