"""The evaluators ``videoscore`` and ``videoscore2``: a film and the text of its brief, whole, to a model that
was trained on people's scores."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from ...core.evaluator import Card, MeasuredCase
from ...core.measurement import Measurement
from ...core.scorers import VideoReviewer, VideoScorer
from ...core.seeds import seed_for
from ...core.tools import Tools
from ..cards import own_card
from ..shared.black import black_film
from ..shared.measured import Fact, all_not_applicable, all_unscored, scored, unscored
from ..shared.whole_text import whole_text
from .expectation import expectation
from .frames import by_rate, evenly
from .parse import DIMENSIONS, Parsed, parsed

TRAINED_TOKENS = 4096
"""Tokens, pictures included, that VideoScore was trained with at most, by the names of the runs behind its
first release (``mantis-8b-idefics2-video-eval-..._4096_regression``). Nothing else is said for v1.1, whose 48
pictures take some 3,200."""
UNREAD = "no picture of it could be read"


@dataclass(frozen=True)
class VideoScore:
    """VideoScore v1.1 (He et al., EMNLP 2024): five scores, about 1 to 4, by regression on one reading of at
    most 48 frames spread over the whole film. Scores are those of the head, not clipped."""

    card: Card
    role: str = "videoscore"

    def measure(self, case: MeasuredCase) -> Sequence[Measurement]:
        """Its measurements. Raises ``BackendError`` where the model cannot be run."""
        asked = _asked(self.card, case, self.role)
        if isinstance(asked, list):
            return asked
        text, tools = asked
        model: VideoScorer = tools.model(self.role)
        times = tools.footage.times
        most = TRAINED_TOKENS if case.settings["text"] == "cut" else None
        chosen = evenly(len(times), int(case.settings["frames"]))

        def make() -> Mapping[str, Any]:
            shown = _shown(tools, times[chosen])
            if shown is None:
                return {"scores": np.zeros(0), "read": np.zeros(2, np.int64)}
            rated = model.rate(shown, text, most)
            return {"scores": np.asarray(rated.scores), "read": np.asarray([rated.tokens, rated.left_out])}

        found = tools.kept(
            "videoscore",
            1,
            make,
            roles=(self.role,),
            frames=len(chosen),
            text=_hash(text),
            most_tokens=most,
            **_model(model),
        )
        tokens, left_out = (int(one) for one in found["read"])
        facts = _facts(tools, self.role, model, len(chosen)) | {"tokens": tokens, "text_left_out": left_out}
        if not found["scores"].size:
            return all_unscored(self.card, UNREAD, facts)
        values = [float(found["scores"].mean()), *map(float, found["scores"])]
        return [scored(q, value, facts=facts) for q, value in zip(self.card.quantities, values, strict=True)]


@dataclass(frozen=True)
class VideoScore2:
    """VideoScore2 (He et al., 2025): thinks aloud about two frames a second and writes three scores, 1 to 5.
    A reply that is not exactly that scores nothing; it stands in the facts of the first quantity."""

    card: Card
    role: str = "videoscore2"

    def measure(self, case: MeasuredCase) -> Sequence[Measurement]:
        """Its measurements. Raises ``BackendError`` where the model cannot be run."""
        asked = _asked(self.card, case, self.role)
        if isinstance(asked, list):
            return asked
        text, tools = asked
        model: VideoReviewer = tools.model(self.role)
        times = tools.footage.times
        rate = float(case.settings["fps"])
        chosen = by_rate(len(times), case.film.duration, rate, int(case.settings["frames"]))
        how: dict[str, Any] = {
            "temperature": float(case.settings["temperature"]),
            "seed": int(case.settings["seed"]),
            "most_tokens": int(case.settings["most_tokens"]),
        }

        def make() -> Mapping[str, Any]:
            shown = _shown(tools, times[chosen])
            if shown is None:
                return {"reply": np.asarray(""), "read": np.zeros(2, np.int64)}
            item = f"{case.film.hash} {case.film.start} {case.film.end} {_hash(text)}"
            drawn = how | {"seed": seed_for(item, self.role, how["seed"])}
            said = model.review(shown, len(chosen), rate, text, **drawn)
            return {
                "reply": np.asarray(said.reply),
                "read": np.asarray([said.tokens, said.finished]),
                "places": np.asarray(list(said.odds), np.int64),
                "odds": np.asarray(list(said.odds.values()), np.float64),
            }

        found = tools.kept(
            "videoscore2",
            1,
            make,
            roles=(self.role,),
            frames=len(chosen),
            fps=rate,
            text=_hash(text),
            **how,
            **_model(model),
        )
        tokens, finished = (int(one) for one in found["read"])
        facts = _facts(tools, self.role, model, len(chosen)) | {"tokens": tokens}
        if not tokens:
            return all_unscored(self.card, UNREAD, facts)
        reply = str(found["reply"])
        said: Parsed | str = f"its reply was cut off after {how['most_tokens']} tokens"
        if finished:
            try:
                said = parsed(reply)
            except ValueError as error:
                said = f"its reply cannot be taken for three scores: {error}"
        if isinstance(said, str):
            first, *others = self.card.quantities
            return [
                unscored(first, said, facts=facts | {"reply": reply}),
                *(unscored(other, said, facts=facts) for other in others),
            ]
        places = (int(place) for place in found["places"])
        odds = dict(zip(places, found["odds"].tolist(), strict=True))
        return self._scored(said, odds, str(case.settings["score"]), facts, reply)

    def _scored(
        self,
        said: Parsed,
        odds: Mapping[int, Sequence[float]],
        score: str,
        facts: Mapping[str, Fact],
        reply: str,
    ) -> list[Measurement]:
        """The measurements of a reply that was understood."""
        values: list[float] = []
        own: list[dict[str, Fact]] = []
        for name in DIMENSIONS:
            written, weighed = said.scores[name], odds.get(said.places[name])
            expected = expectation(weighed) if weighed is not None else None
            own.append({"written": written, "expected": expected})
            if score == "written":
                values.append(float(written))
            elif expected is not None:
                values.append(expected)
        first, *others = self.card.quantities
        whole = {**facts, "reply": reply}
        if len(values) < len(DIMENSIONS):
            why = "a score was not written as a token of its own, so that there are no odds to weigh it by"
            return [
                unscored(first, why, facts=whole),
                *(unscored(q, why, facts={**facts, **one}) for q, one in zip(others, own, strict=True)),
            ]
        return [
            scored(first, sum(values) / len(values), facts=whole),
            *(
                scored(q, value, facts={**facts, **one})
                for q, value, one in zip(others, values, own, strict=True)
            ),
        ]


def _asked(card: Card, case: MeasuredCase, role: str) -> tuple[str, Tools] | list[Measurement]:
    """The text of the brief and the tools, or why there is nothing to measure."""
    if case.brief is None:
        return all_not_applicable(card, "there is no brief")
    if not (text := whole_text(case.brief)):
        return all_not_applicable(card, "the brief has no text")
    assert case.tools is not None
    if (why := black_film(case) or case.tools.lacks(role)) is not None:
        return all_unscored(card, why)
    return text, case.tools


def _shown(tools: Tools, times: Any) -> Iterator[Any] | None:
    """The pictures at these times; ``None`` where not one can be read."""
    shown = (picture for _, picture in tools.footage.at(times.tolist()))
    first = next(shown, None)
    return None if first is None else chain([first], shown)


def _model(model: VideoScorer | VideoReviewer) -> dict[str, str]:
    """What the answer depends on beside the weights."""
    return {"prompt": model.prompt, "runs_on": model.runs_on}


def _facts(tools: Tools, role: str, model: VideoScorer | VideoReviewer, frames: int) -> dict[str, Fact]:
    """What a measurement rests on; ``every_s`` is how many seconds of film go with one frame."""
    times = tools.footage.times
    apart = float(times[-1] - times[0]) / frames if frames else None
    return {
        **tools.used(role).facts,
        **_model(model),
        "frames": frames,
        "every_s": None if apart is None else round(apart, 3),
    }


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


videoscore = VideoScore(own_card("videoscore", __file__))
videoscore2 = VideoScore2(own_card("videoscore2", __file__))
