"""Long texts: nothing is lost in silence, and short ones are read as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from longtake.core.embedding import Policy, Shape
from longtake.errors import BackendError
from longtake.models import embedders
from longtake.models.embedders.base import Comparing
from longtake.models.embedders.texts import embedded, pieces
from longtake.models.minilm import TOKENS, MiniLM
from longtake.models.vectors import unit
from longtake.models.weights import load

LIMIT = 12
POLICIES: list[Policy] = ["cut", "chunks", "sentences"]
TEXT = st.text(alphabet="abc é.!?。 \n東京市", min_size=0, max_size=120)


class Letters(Comparing):
    """A model that reads twelve tokens, one a letter, begin and end included: a vector counts the letters it
    read. Its tokenizer is a real one."""

    name, kind, stands_for, licence = "letters", "model", "", ""
    shape = Shape(26 + 1, 1, tokens=LIMIT)

    def __init__(self) -> None:
        words = {"[B]": 0, "[E]": 1, "[U]": 2} | {chr(97 + i): 3 + i for i in range(26)}
        self._tokens = Tokenizer(models.WordLevel(words, unk_token="[U]"))
        self._tokens.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Split("", "isolated")]
        )
        self._tokens.post_processor = processors.TemplateProcessing(
            single="[B] $A [E]", special_tokens=[("[B]", 0), ("[E]", 1)]
        )

    def tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(read.ids) for read in self._tokens.encode_batch(list(texts))]

    def texts(self, texts: Sequence[str]) -> Any:
        found = np.zeros((len(texts), self.shape.dimension), np.float32)
        for row, read in zip(found, self._tokens.encode_batch(list(texts)), strict=True):
            np.add.at(row, np.clip(np.array(read.ids[1:-1][: LIMIT - 2], int) - 2, 0, 26), 1.0)
        return found


class Sentences:
    """MiniLM as the proxy embedder reads texts with it, without the classes of its pictures."""

    shape = Shape(MiniLM.dimension, 1, tokens=TOKENS)

    def __init__(self, files: Mapping[str, Path]) -> None:
        self._model = MiniLM(files)
        self.texts, self.tokens = self._model.embed, self._model.count


MODEL = Letters()


def signs(text: str) -> str:
    return re.sub(r"\s", "", text)


@given(TEXT, st.sampled_from(POLICIES))
@settings(max_examples=150)
def test_pieces_hold_all_that_is_written_in_order(text: str, policy: Policy) -> None:
    found = pieces(MODEL, text, policy)
    assert signs("".join(found)) == signs(text)
    assert len(found) >= 1
    if policy != "cut":
        assert max(MODEL.tokens(found)) <= LIMIT


@given(TEXT.filter(lambda t: " " in t))
@settings(max_examples=80)
def test_words_that_can_be_read_are_not_torn(text: str) -> None:
    if max(MODEL.tokens(text.split() or [""])) > LIMIT:
        return
    assert " ".join(pieces(MODEL, text, "chunks")).split() == text.split()


@given(st.lists(TEXT, max_size=4))
@settings(max_examples=60)
def test_cut_is_the_model_and_says_what_it_did_not_read(texts: list[str]) -> None:
    found = embedded(MODEL, texts, "cut")
    assert np.array_equal(found.vectors, unit(MODEL.texts(texts)) if texts else np.zeros((0, 27)))
    assert found.tokens == tuple(len(signs(t)) + 2 for t in texts)
    assert found.dropped == tuple(max(0, len(signs(t)) + 2 - LIMIT) for t in texts)


@given(st.lists(TEXT, min_size=1, max_size=4))
@settings(max_examples=60)
def test_other_policies_read_everything_and_short_texts_alike(texts: list[str]) -> None:
    cut, chunks = embedded(MODEL, texts, "cut"), embedded(MODEL, texts, "chunks")
    assert chunks.dropped == embedded(MODEL, texts, "sentences").dropped == (0,) * len(texts)
    assert chunks.tokens == cut.tokens
    short = [i for i, n in enumerate(cut.tokens) if n <= LIMIT]
    assert np.array_equal(chunks.vectors[short], cut.vectors[short])


def test_parts_share_a_text_out() -> None:
    assert pieces(MODEL, "aaaa bbbb cccc", "chunks") == ["aaaa", "bbbb cccc"]
    assert pieces(MODEL, "aaa bbb ccc ddd", "chunks") == ["aaa bbb", "ccc ddd"]  # not aaa bbb ccc, ddd
    assert pieces(MODEL, "東京" * 7, "chunks") == ["東京東京東京東", "京東京東京東京"]


def test_sentences_end_where_they_end() -> None:
    text = "It is 3.5 m.  Is it?\nc. 東京。市! a"
    assert pieces(MODEL, text, "sentences") == ["It is 3.5 m.", "Is it?", "c.", "東京。", "市!", "a"]
    assert pieces(MODEL, "a" * 15 + ". b.", "sentences") == ["a" * 8, "a" * 7 + ".", "b."]
    assert pieces(MODEL, "", "sentences") == [""]


def test_the_mean_is_of_unit_vectors_and_a_unit_vector() -> None:
    found = embedded(MODEL, ["aaaaaaaa. b."], "sentences").vectors[0]
    a, b, stop = found[1], found[2], found[0]
    one, other = np.array([8, 0, 1]) / np.sqrt(65), np.array([0, 1, 1]) / np.sqrt(2)
    expected = (one + other) / np.linalg.norm(one + other)
    assert np.allclose([a, b, stop], expected, atol=1e-6)


def test_a_model_without_texts_says_so(weights_root: Path) -> None:
    found = embedders.KINDS["mobilenet-v2"]
    model = embedders.MobileNet(*(load(found.entries, weights_root, 1)[e] for e in found.entries))
    with pytest.raises(BackendError, match="mobilenet-v2 reads no texts"):
        embedded(model, ["a"], "cut")


def test_minilm_counts_what_its_tokenizer_makes(weights_root: Path) -> None:
    """The same file without a limit is the reference; the longest text is read in four pieces there."""
    files = load(["minilm"], weights_root, 1)["minilm"]
    whole = Tokenizer.from_file(str(files["tokenizer.json"]))
    whole.no_truncation()
    whole.no_padding()
    texts = ["", "a red car", "word " * (TOKENS - 2), "word " * (TOKENS - 1), "東京の夜。" * 300]
    expected = [len(read.ids) for read in whole.encode_batch(texts)]
    assert MiniLM(files).count(texts) == expected
    assert expected[2] == TOKENS < expected[3] < expected[4]


def test_a_real_model_reads_long_texts_of_any_writing(weights_root: Path) -> None:
    model = Sentences(load(["minilm"], weights_root, 1)["minilm"])
    texts = ["東京の夜" * 70, "A red car drives by. " * 45, "العربية " * 45]
    found = embedded(model, texts, "chunks")
    assert found.dropped == (0, 0, 0)
    assert min(found.tokens) > TOKENS
    assert np.allclose(np.linalg.norm(found.vectors, axis=1), 1, atol=1e-5)
