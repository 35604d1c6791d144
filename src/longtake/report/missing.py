"""What the checkpoints without a score lack, counted and told in one sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from longtake.core.documents import CheckpointResult

from .reasons import NEXT_ATTRIBUTE, differing, reason, whether
from .words import listed, one_line, plain

FAMILIES = {
    "planned acts with times": "a brief",
    "faces followed across shots": "face or person detection",
    "face landmarks": "face or person detection",
    "speech recognition with word times": "speech recognition",
    "speech and music levels told apart": "music told from speech and noise",
}
"""Needs that are met together, so that people read one name for them."""
JUDGE = "a judge that sees frames"
ASK_ONE = "ask one with --judge, see docs/how-to/judges.md"
OF_THE_BRIEF = {
    "a brief with shots": "shots",
    "a brief with characters": "characters",
    "a brief with lines": "lines of speech",
    "a brief with an asked-for length": "a length",
    "a brief whose shots name their scenes": "the scene of each shot",
    "a brief whose shots name their characters": "the characters of each shot",
    "planned acts with times": "acts with times",
}
"""What a brief that was given may lack, as what to add to it."""
SILENT = re.compile(r"(?:^|[:;] )judge: (.+)$", re.DOTALL)
"""A judge that gave no answer, and why; it ends a reason."""
NO_ANSWER = "no answer of the judge"
LONGEST_WHY = 160
"""Signs of one judge's failure that a sentence over all checkpoints tells; each checkpoint tells its own."""
LEFT_OUT = re.compile(r"^(\w+): skipped, (.+)$", re.DOTALL)
"""A signal that was not measured, and why."""
SIGNAL_MISSING = re.compile(r"^needs \w+: ")


@dataclass(frozen=True)
class Missing:
    """What is missing and how many checkpoints lack it; ``need`` is false for a reason of the film itself.

    ``detail`` says more of it: what to add to a brief, how to ask a judge, why one gave no answer.
    """

    what: str
    count: int
    need: bool
    detail: str = ""

    def said(self) -> str:
        """``a brief (3)``, ``more in the brief (3; add shots)``."""
        return f"{self.what} ({self.count}{'; ' + self.detail if self.detail else ''})"


@dataclass
class _Lack:
    """One thing that checkpoints lack, while they are counted; ``details`` with how often each was told."""

    count: int = 0
    details: Counter[str] = field(default_factory=Counter)


def missing(checkpoints: Sequence[CheckpointResult]) -> list[Missing]:
    """What unscored checkpoints lack, most frequent first. One that needs two things counts in both."""
    found: dict[tuple[str, bool], _Lack] = {}
    # Who gave a brief lacks none, though it may not say enough.
    given = not any("a brief" in c.needs for c in checkpoints)
    for checkpoint in checkpoints:
        if checkpoint.status == "unscored":
            lacks = list(dict.fromkeys(_lacks(checkpoint, given)))
            for key in dict.fromkeys((what, need) for what, need, _ in lacks):
                found.setdefault(key, _Lack()).count += 1
            for what, need, detail in lacks:
                found[what, need].details.update([detail] if detail else [])
    ranked = sorted(found.items(), key=lambda item: (not item[0][1], -item[1].count, item[0]))
    return [Missing(what, f.count, need, _detail(what, f.details)) for (what, need), f in ranked]


def _detail(what: str, details: Counter[str]) -> str:
    """All that a brief lacks, and of a judge's failures the most frequent one."""
    told = [text for text, _ in details.most_common()]
    return f"add {listed(told)}" if told and what == MORE_IN_BRIEF else "".join(told[:1])


Lack = tuple[str, bool, str]
"""What is missing, whether it can be had, and more of it."""
MORE_IN_BRIEF = "more in the brief"


def _lacks(checkpoint: CheckpointResult, given: bool) -> Iterator[Lack]:
    why = plain(checkpoint.reason or "")
    if silent := SILENT.search(why):
        yield NO_ANSWER, False, one_line(silent[1], LONGEST_WHY)
        return
    by_need = why.startswith(("needs ", "gate_unknown", "no_judge", "no_brief", "scene_unknown"))
    if not checkpoint.needs or not by_need or SIGNAL_MISSING.match(why):
        out = LEFT_OUT.match(why.removeprefix("needs "))
        yield (
            (f"the signal {out[1]}", True, out[2])
            if out
            else (reason(why) or "no reason was given", False, "")
        )
        return
    _, _, gates = why.partition("gate_unknown: ")
    unknown = [part.partition(" ") for part in NEXT_ATTRIBUTE.split(gates)] if gates else []
    said = {open_: name for name, _, open_ in unknown}
    for need in checkpoint.needs:
        if out := LEFT_OUT.match(need):
            yield f"the signal {out[1]}", True, out[2]
        elif need in said:  # no thing that one could give, but what left it open
            yield f"it is not clear whether {whether(said[need])}", False, differing(need)
        else:
            yield _need(plain(need), given)


def _need(need: str, given: bool) -> Lack:
    family = FAMILIES.get(need, need)
    if family == "a brief" or family.startswith("a brief "):
        return (MORE_IN_BRIEF, True, OF_THE_BRIEF.get(need, need)) if given else ("a brief", True, "")
    return family, True, ASK_ONE if need == JUDGE else ""


def missing_said(checkpoints: Sequence[CheckpointResult], most: int, rest: str) -> str:
    """One sentence on what unscored checkpoints lack, at most ``most`` groups; empty if all are scored.

    ``rest`` tells where the others are, if any are left out.
    """
    total = sum(c.status == "unscored" for c in checkpoints)
    if not total:
        return ""
    groups = missing(checkpoints)
    needs = [g.said() for g in groups if g.need][:most]
    others = [g.said() for g in groups if not g.need][: most - len(needs)]
    several = ", some for more than one" if sum(g.count for g in groups) > total else ""
    said = [f"waiting for {', '.join(needs)}{several}"] if needs else []
    end = f"; {rest}" if len(needs) + len(others) < len(groups) else ""
    return f"Not scored: {total}, " + "; ".join(said + others) + f"{end}."
