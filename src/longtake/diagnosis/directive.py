"""The words that a directive may use: facts of one weak result, said so that people and tools can act."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from ..core.documents import CheckpointResult, PlannedShotEntry, ReportMetric, Shot
from ..core.measurement import Evidence
from ..core.shares import between
from .assess import LOW_CONFIDENCE
from .places import TOUCHES_S, Join, Places

NEXT_CUT_S = 1.0
"""A cut this soon after a line may be what the line has to end before; later ones do not concern it."""
MOST_SPANS, MOST_PLANNED, MOST_LINES = 6, 3, 3
"""What a directive lists; how many more there are is said, and the evidence has all."""
LONGEST_QUOTE = 240
TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"
"""Marks that turn the reading direction."""
GOAL_WORDS = 4
"""A best level in fewer words (``Never``) is no sentence without its question."""
SHORT_S = 0.05
"""A span that is shorter is told by its beginning."""


def one_line(text: str) -> str:
    """Text without control characters and marks that turn it, all white space folded."""
    kept = (" " if c in TURNING or unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") else c for c in text)
    return " ".join("".join(kept).split())


def quoted(text: str) -> str:
    """Foreign text in quotation marks that it cannot close, on one line and not too long."""
    clean = one_line(text).replace("“", "'").replace("”", "'")
    return f"“{clean if len(clean) <= LONGEST_QUOTE else clean[: LONGEST_QUOTE - 1].rstrip() + '…'}”"


def listed(parts: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def numbered(shots: Sequence[int]) -> str:
    """``shot 7``, ``shots 3 and 4``, ``shots 2-5 and 9``: indices from 0 as people count, from 1."""
    runs: list[list[int]] = []
    for index in shots:
        if runs and index == runs[-1][-1] + 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    parts = [
        part
        for run in runs
        for part in ([f"{run[0] + 1}-{run[-1] + 1}"] if len(run) > 2 else [str(i + 1) for i in run])
    ]
    return f"shot{'s' if len(shots) > 1 else ''} {listed(parts)}" if shots else ""


def seconds(time: float) -> str:
    """``12.4 s``."""
    return f"{time:.1f} s"


def span_said(start: float, end: float) -> str:
    """``31.0-33.5 s``, or ``31.0 s`` of a moment."""
    moment = end - start < SHORT_S or f"{start:.1f}" == f"{end:.1f}"
    return seconds(start) if moment else f"{start:.1f}-{end:.1f} s"


def joined(spans: Sequence[tuple[float, float, str]]) -> list[tuple[float, float, str]]:
    """Spans in time order of which neighbours in the same words are one."""
    made: list[tuple[float, float, str]] = []
    for start, end, what in spans:
        last = made[-1] if made else None
        if last and last[2] == what and start - last[1] <= TOUCHES_S:
            made[-1] = (last[0], max(last[1], end), what)
        else:
            made.append((start, end, what))
    return made


class Words:
    """Values of the places in a directive's template, for one result and some of its evidence."""

    def __init__(
        self,
        result: CheckpointResult | ReportMetric,
        places: Places,
        spans: Sequence[Evidence],
        join: Join | None,
    ) -> None:
        self.result, self.places, self.join = result, places, join
        self.spans = spans
        self.local = [e for e in spans if places.is_local(e)]
        self.shots = places.shots_of(spans)
        self.planned = places.planned_of(spans, self.shots)

    def said(self) -> dict[str, str]:
        """All places by name; an empty text where it is not known."""
        return {
            "shots": numbered([s.index for s in self.shots]),
            **self._times(),
            **self._join(),
            **self._others(),
            **self._face(),
            **self._brief(),
            **self._found(),
            **self._asked(),
            **self._doubts(),
        }

    def _times(self) -> dict[str, str]:
        if not self.local:
            return {}
        told = [span_said(start, end) for start, end, _ in joined([(e.start, e.end, "") for e in self.local])]
        cut = self.places.next_cut(self.local[0], NEXT_CUT_S) if len(self.local) == 1 else None
        return {
            "times": _most(told, MOST_SPANS),
            "start": seconds(min(e.start for e in self.local)),
            "end": seconds(max(e.end for e in self.local)),
            "next_cut": "" if cut is None else seconds(cut),
        }

    def _join(self) -> dict[str, str]:
        if self.join is None:
            return {}
        before, after = str(self.join.before + 1), str(self.join.after + 1)
        return {"before": before, "after": after, "cut": seconds(self.join.time)}

    def _others(self) -> dict[str, str]:
        model, opening = self.places.neighbour(self.shots), self.places.opening(self.shots)
        return {"model": _shot(model), "opening": _shot(opening) if self.shots else ""}

    def _face(self) -> dict[str, str]:
        role = self.places.role(self.local, self.shots)
        if role is None:
            return {}
        return {
            "person": f"person {role.person + 1}",
            "first": f"{seconds(role.start)} (shot {role.shot + 1})",
        }

    def _brief(self) -> dict[str, str]:
        brief, film = self.places.document.brief, self.places.document.video.duration
        asked = brief.duration if brief else None
        shorter = asked is not None and asked > film
        return {
            "wanted": _planned(self.planned),
            "missing": _planned(self.places.missing),
            "asked": seconds(asked) if asked is not None and shorter else "",
            "length": seconds(film) if shorter else "",
        }

    def _found(self) -> dict[str, str]:
        judgement = self.result.judgement if self.result.method == "judge" else None
        told = joined([(e.start, e.end, _line(e.what, judgement is not None)) for e in self.spans])
        seen = [what if self._never(s, e) else f"{span_said(s, e)}: {what}" for s, e, what in told]
        heard = [quoted(u.text) for u in self.places.lines_of(self.local)]
        return {
            "seen": _most(seen, MOST_SPANS, "; "),
            "lines": _most(heard, MOST_LINES, "; "),
            "says": quoted(judgement.says) if judgement and judgement.says else "",
        }

    def _never(self, start: float, end: float) -> bool:
        return self.places.is_after(Evidence(start=start, end=end, what=""))

    def _asked(self) -> dict[str, str]:
        listed_ones = self.places.document.rubric.get("checkpoints", ())
        spec = next((c for c in listed_ones if isinstance(c, dict) and c.get("id") == self.result.id), {})
        goal = str((spec.get("levels") or [""])[-1]).rstrip(".")
        anchor = self._level(spec.get("levels") or [])
        question = self.result.question if isinstance(self.result, CheckpointResult) else ""
        return {
            "question": question,
            "level": (anchor or "").rstrip("."),
            "goal": goal if len(goal.split()) >= GOAL_WORDS else "",
        }

    def _level(self, levels: Sequence[str]) -> str | None:
        """Where it stands: a level, or the two that the mean of differing draws of a judge lies between."""
        if not isinstance(self.result, CheckpointResult) or self.result.value is None:
            return None
        found = between(levels, self.result.value) if self.result.method == "judge" else None
        return f"between {quoted(found[0])} and {quoted(found[1])}" if found else self.result.anchor

    def _doubts(self) -> dict[str, str]:
        other = self.result.other if isinstance(self.result, CheckpointResult) else None
        sure = self.result.confidence
        against = other is not None and not other.agrees and other.value is not None
        return {
            "other": f"the {other.method} disagrees and gives {other.value:.2f}" if other and against else "",
            "unsure": f"confidence is low, {sure:.2f}" if sure is not None and sure < LOW_CONFIDENCE else "",
        }


def _line(text: str, foreign: bool) -> str:
    return quoted(text) if foreign else one_line(text).rstrip(".")


def _most(parts: Sequence[str], most: int, between: str = ", ") -> str:
    more = len(parts) - most
    shown = list(parts[:most]) + ([f"and {more} more"] if more > 0 else [])
    return between.join(shown) if between != ", " or more > 0 else listed(shown)


def _shot(shot: Shot | None) -> str:
    return f"shot {shot.index + 1} ({span_said(shot.start, shot.end)})" if shot else ""


def _planned(planned: Sequence[PlannedShotEntry]) -> str:
    told = [f"planned shot {p.index + 1}" + (f" ({quoted(p.text)})" if p.text else "") for p in planned]
    return _most(told, MOST_PLANNED, "; ")
