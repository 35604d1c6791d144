"""Which ids name one model."""

from __future__ import annotations

import pytest

from longtake.models.judges.names import same_model

SAME = [
    ("gpt-x", "gpt-x"),
    ("gpt-x", "gpt-x-2026-03-05"),
    ("gpt-x", "GPT-X"),
    ("gpt-x", "gpt-x-0613"),
    ("claude", "claude-20260301"),
    ("m-latest", "m-2411"),
    ("openai/gpt-x", "gpt-x-2026-03-05"),
    ("Qwen/Qwen3-VL-8B-Instruct", "Qwen3-VL-8B-Instruct"),
    ("Qwen3-VL-8B-Instruct-Q4_K_M", "/models/Qwen3-VL-8B-Instruct-Q4_K_M.gguf"),
    ("Qwen3-VL", "C:\\models\\Qwen3-VL.gguf"),
    ("qwen3-vl", "qwen3-vl:latest"),
    ("qwen3-vl", "qwen3-vl:8b"),
    ("library/qwen3-vl:8b", "qwen3-vl:8b"),
]
OTHER = [
    ("gpt-x", "gpt-y"),
    ("gpt-x", "gpt-x-mini"),
    ("gpt-x", "gpt-x-mini-2026-03-05"),
    ("gpt-x-2026-03-05", "gpt-x-2026-05-01"),
    ("qwen3-vl:8b", "qwen3-vl:30b"),
    ("qwen3-vl-8b", "qwen3-vl-30b"),
    ("Qwen/Qwen3-VL", "someone/Qwen3-VL"),
    ("gpt-x", "gpt"),
    ("gpt-x", "org/"),
    ("Qwen/Qwen3-VL-8B-Instruct", "/models/Qwen3-VL-8B-Instruct-Q4_K_M.gguf"),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_variants_of_a_name(a: str, b: str) -> None:
    assert same_model(a, b)
    assert same_model(b, a)


@pytest.mark.parametrize(("a", "b"), OTHER)
def test_other_models(a: str, b: str) -> None:
    assert not same_model(a, b)
    assert not same_model(b, a)
