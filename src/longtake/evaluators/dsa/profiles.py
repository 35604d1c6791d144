"""The vectors that DSA compares: texts of the shots, the whole text, the film and its shots.

All of them come from the case's embedder and are kept by content, so that the three forms, and whoever else
asks for the same, share one computation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from ...core.embedding import Policy, Sampling
from ...core.evaluator import MeasuredCase, Setting
from ...core.tools import Tools
from ..shared.measured import Fact
from ..shared.spans import Span, Spans, measured_spans

Floats = NDArray[np.float64]
WholeText = Literal["mean", "concat", "outline"]
ROLE = "video-text"


@dataclass(frozen=True)
class TextSide:
    """The texts c_i as unit vectors, shape (K, d), and f_t(C) as one, shape (d,); where that is not defined
    ``whole`` is ``None`` and ``reason`` says why."""

    shots: Floats
    whole: Floats | None
    facts: Mapping[str, Fact]
    reason: str = ""

    @property
    def profile(self) -> Floats:
        """s^c: how near each text is to the whole text, shape (K,)."""
        assert self.whole is not None
        return np.asarray(self.shots @ self.whole)


def text_side(tools: Tools, planned: Spans, outline: str | None, settings: Mapping[str, Setting]) -> TextSide:
    """The text side of eq. 4, with f_t(C) as ``settings["text"]`` says (long-code.md, 2.2). Facts count
    planned shots from 1, as people do.

    Raises:
        BackendError, MissingError: the embedder cannot be run.
    """
    embedder = tools.embedder(ROLE)
    texts = [shot.text.strip() for shot in planned.shots]
    policy = cast("Policy", settings["policy"])
    found = embedder.texts(texts, policy)
    shots = np.asarray(found.vectors, np.float64)
    form = cast("WholeText", settings["text"])
    limit = embedder.shape.tokens
    joined = " ".join(texts)
    facts: dict[str, Fact] = {
        "text": form,
        "policy": policy,
        "tokens_dropped": sum(found.dropped),
        "whole_tokens": int(tools.model(ROLE).tokens([joined])[0]),
        "token_limit": limit,
    }
    if cut := [str(planned.shots[i].index + 1) for i, n in enumerate(found.dropped) if n]:
        facts["shots_cut"] = ", ".join(cut)
    if form == "mean":
        return TextSide(shots, _unit(shots.mean(axis=0)), facts)
    if form == "concat":
        one = embedder.texts([joined], "cut")
        facts["whole_tokens_dropped"] = one.dropped[0]
        if limit is not None and (lost := first_lost(_joined_tokens(tools, texts), limit)) is not None:
            facts["first_lost_shot"] = planned.shots[lost].index + 1
        return TextSide(shots, _unit(np.asarray(one.vectors[0], np.float64)), facts)
    if not (outline or "").strip():
        return TextSide(shots, None, facts, "no_outline: the brief has no summary of its own")
    one = embedder.texts([str(outline).strip()], "cut")
    if one.dropped[0]:
        why = f"no_outline: the brief's summary has {one.tokens[0]} tokens, the model reads {limit}"
        return TextSide(shots, None, facts, why)
    return TextSide(shots, _unit(np.asarray(one.vectors[0], np.float64)), facts)


def first_lost(counts: Iterable[int], limit: int) -> int | None:
    """The first text of which something is cut off, where ``counts`` are the tokens of the texts up to each,
    joined; ``None`` where all fit."""
    return next((i for i, count in enumerate(counts) if count > limit), None)


def _joined_tokens(tools: Tools, texts: Sequence[str]) -> Iterator[int]:
    """One by one: who looks for what goes beyond a limit reads no further than that."""
    for i in range(len(texts)):
        yield int(tools.model(ROLE).tokens([" ".join(texts[: i + 1])])[0])


@dataclass(frozen=True)
class Clips:
    """Stretches of the film as unit vectors, shape (n, d), NaN where nothing could be decoded; ``padded`` are
    those with fewer frames than the model reads, for which the last one was repeated."""

    vectors: Floats
    padded: tuple[int, ...]

    @property
    def unread(self) -> list[int]:
        """Stretches of which nothing could be decoded."""
        return [i for i, row in enumerate(self.vectors) if not np.isfinite(row).all()]


def clips(tools: Tools, spans: Sequence[Span], sampling: Sampling) -> Clips:
    """These stretches through the embedder. Raises ``BackendError``, ``MissingError`` and ``InputError``."""
    embedder = tools.embedder(ROLE)
    found = embedder.clips(spans, sampling)
    short = tuple(i for i, n in enumerate(found.frames) if n < embedder.shape.frames)
    return Clips(np.asarray(found.vectors, np.float64), short)


def shot_spans(case: MeasuredCase, planned: Spans) -> tuple[list[Span], str]:
    """The shots of the film and how they are known: the planned ones where they are aligned, else those that
    were found."""
    if planned.spans is not None:
        return list(planned.spans), planned.source
    return measured_spans(case), "found"


def pooled(vectors: Floats) -> Floats | None:
    """norm(mean_k f_v(s_k)), shape (d,); ``None`` where it vanishes."""
    return _unit(vectors.mean(axis=0))


def _unit(vector: Floats) -> Floats | None:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else None
