"""Why something is not scored, as a person would say it. Shared by the HTML report and the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from longtake.core.documents import CheckpointResult, DiagnosisDocument, Score

from .words import percent, plain, words

REASONS = {
    "no_judge": "needs a judge, and none was asked",
    "no_brief": "needs a brief, and none was given",
    "no_rule": "no offline rule answers this, and no judge was asked",
    "scene_unknown": "it is not known which joins lie within one scene",
    "no_audio": "the film has no sound track",
    "low_coverage": "too little of what counts could be measured",
    "not_asked": "not asked for in this run",
    "gate_unknown": "cannot tell whether it applies",
}
ATTRIBUTES = {
    "has_characters": ("there are characters", "there are no characters"),
    "has_dialogue": ("there is dialogue", "there is no dialogue"),
    "has_narration": ("there is narration", "there is no narration"),
    "has_held_objects": ("anybody holds an object", "nobody holds an object"),
    "has_animals": ("there are animals", "there are no animals"),
    "has_scene_changes": ("the scene changes", "the scene never changes"),
    "has_background_music": ("there is music", "there is no music"),
    "has_sound_track": ("there is a sound track", "there is no sound track"),
    "has_text_overlay": ("there is text in the picture", "there is no text in the picture"),
    "has_visible_speaker": ("a speaker is seen", "no speaker is seen"),
    "is_single_shot": ("it is a single shot", "it is more than a single shot"),
}
"""What a content attribute asks, and how its absence is said."""
METRICS = {
    "user_requirement_consistency": "the wishes of the brief",
    "script_video_fidelity": "how closely the film keeps to its script",
    "user_demand_fulfillment": "what the brief demands",
    "transition_quality": "how shots give way to each other",
    "text_audio_consistency": "the written lines against the spoken ones",
}
FAMILIES = {
    "planned acts with times": "a brief",
    "faces followed across shots": "face or person detection",
    "face landmarks": "face or person detection",
    "speech recognition with word times": "speech recognition",
    "speech and music levels told apart": "music told from speech and noise",
}
"""Needs that are met together, so that people read one name for them."""
COVERED = re.compile(r"covered weight (\d?\.?\d+) is below (\d?\.?\d+)")
SHUT = re.compile(r"^([a-z]+(?:_[a-z]+)+) is false(?: \((.+)\))?$", re.DOTALL)
NEXT_ATTRIBUTE = re.compile(r"; (?=[a-z]+(?:_[a-z]+)+ )")
SIDE = re.compile(r"^[ab]: ")
"""The film of a pair that a reason is about."""
SIGNAL_MISSING = re.compile(r"^needs \w+: ")
SAID_ABOVE = ("There is no overall score", "Overall the film scores", "More could be scored with")
"""Beginnings of summary sentences whose content stands beside the summary in a report anyway."""


def reason(text: str | None) -> str:
    """A reason as a sentence without its capital and full stop; one that is not known stays as it is."""
    if not text:
        return ""
    clean = plain(text).replace(": skipped, ", ": ")
    if side := SIDE.match(clean):
        return side[0] + reason(clean[side.end() :])
    code, _, rest = clean.partition(": ")
    if code == "gate_unknown" and rest:
        return _unknown(rest)
    if shut := SHUT.match(clean):
        said = ATTRIBUTES.get(shut[1], ("", f"not so: {words(shut[1]).lower()}"))[1]
        return said if not shut[2] or said.endswith(shut[2]) else f"{said} ({shut[2]})"
    if code in REASONS:
        return REASONS[code] + (f": {rest}" if rest else "")
    return _covered(clean)


def _unknown(rest: str) -> str:
    """``has_dialogue needs x; has_narration needs x`` as one clause for each distinct need."""
    asked: dict[str, list[str]] = {}
    for part in NEXT_ATTRIBUTE.split(rest):
        name, _, why = part.partition(" ")
        said = ATTRIBUTES.get(name, (f"this holds: {words(name).lower()}", ""))[0]
        asked.setdefault(why, []).append(said)
    clauses = []
    for why, things in asked.items():
        first, *others = things
        whether = " or ".join([first, *(x.removeprefix("there is ") for x in others)])
        clauses.append(f"whether {whether}" + (f" ({why})" if why else ""))
    return "cannot tell " + " and ".join(clauses)


def _covered(text: str) -> str:
    def said(match: re.Match[str]) -> str:
        covered, least = float(match[1]), float(match[2])
        return f"only {percent(covered)} of what counts could be measured; an overall needs {percent(least)}"

    return COVERED.sub(said, text)


def readable(text: str, ids: Iterable[str]) -> str:
    """A sentence with every id in it as a name, and shares of weight in words."""
    known = sorted((i for i in ids if "_" in i), key=len, reverse=True)
    if known:
        pattern = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, known))})(?!\w)")
        text = pattern.sub(lambda m: words(m[1]).lower(), text)
    return _covered(text)


def summary_of(document: DiagnosisDocument) -> list[str]:
    """Sentences of the summary for people, without those that a report says in another place."""
    ids = [c.id for c in document.checkpoints] + [m.id for m in document.report_metrics]
    ids += [c.id for c in document.constraints] + [s.id for s in document.submetrics]
    return [readable(plain(s), ids) for s in document.summary if not s.startswith(SAID_ABOVE)]


def further_needs(checkpoint: CheckpointResult) -> list[str]:
    """What a checkpoint needs beyond what its reason already says."""
    if (checkpoint.reason or "").startswith("needs "):
        return []
    said = reason(checkpoint.reason)
    return [need for need in checkpoint.needs if need not in said]


@dataclass(frozen=True)
class Missing:
    """What is missing and how many checkpoints lack it; ``need`` is false for a reason of the film itself."""

    what: str
    count: int
    need: bool


def missing(checkpoints: Sequence[CheckpointResult]) -> list[Missing]:
    """What unscored checkpoints lack, most frequent first. One that needs two things counts in both."""
    counts: dict[tuple[str, bool], int] = {}
    # Who gave a brief lacks none, though it may not say enough.
    brief = "a brief" if any("a brief" in c.needs for c in checkpoints) else "more in the brief"
    for checkpoint in checkpoints:
        if checkpoint.status == "unscored":
            for key in _lacks(checkpoint, brief):
                counts[key] = counts.get(key, 0) + 1
    ranked = sorted(counts.items(), key=lambda item: (not item[0][1], -item[1], item[0]))
    return [Missing(what, count, need) for (what, need), count in ranked]


def _lacks(checkpoint: CheckpointResult, brief: str) -> list[tuple[str, bool]]:
    why = checkpoint.reason or ""
    by_need = why.startswith(("needs ", "gate_unknown", "no_judge", "no_brief", "scene_unknown"))
    if checkpoint.needs and by_need and not SIGNAL_MISSING.match(why):
        return list(dict.fromkeys((_family(need, brief), True) for need in checkpoint.needs))
    return [(reason(why) or "no reason was given", False)]


def _family(need: str, brief: str) -> str:
    need = plain(need)
    found = FAMILIES.get(need, need)
    return brief if found == "a brief" or found.startswith("a brief ") else found


def missing_said(checkpoints: Sequence[CheckpointResult], most: int, rest: str) -> str:
    """One sentence on what unscored checkpoints lack, at most ``most`` groups; empty if all are scored.

    ``rest`` tells where the others are, if any are left out.
    """
    total = sum(c.status == "unscored" for c in checkpoints)
    if not total:
        return ""
    groups = missing(checkpoints)
    needs = [f"{g.what} ({g.count})" for g in groups if g.need][:most]
    others = [f"{g.what} ({g.count})" for g in groups if not g.need][: most - len(needs)]
    several = ", some for more than one" if sum(g.count for g in groups) > total else ""
    said = [f"waiting for {', '.join(needs)}{several}"] if needs else []
    end = f"; {rest}" if len(needs) + len(others) < len(groups) else ""
    return f"Not scored: {total}, " + "; ".join(said + others) + f"{end}."


def rests_on(document: DiagnosisDocument, name: str, score: Score) -> str:
    """What the score of a dimension, or the overall one, rests on, or why there is none."""
    beside = [
        METRICS.get(m.id, words(m.id).lower())
        for m in document.report_metrics
        if m.dimension == name and m.value is not None and m.confidence is not None
    ]
    if score.status != "scored":
        why = reason(score.reason) or "not scored"
        return (
            why if not score.n_scored or COVERED.search(score.reason or "") else f"{why}; {coverage(score)}"
        )
    if not beside:
        return coverage(score)
    if score.n_scored:
        return f"{coverage(score)}; also on {' and '.join(beside)}"
    return f"rests on {' and '.join(beside)} alone; none of {score.n_active} checkpoints scored"


def metric_name(name: str) -> str:
    """A report-level metric by its name and by what it looks at."""
    return f"{words(name)} ({METRICS[name]})" if name in METRICS else words(name)


def coverage(score: Score) -> str:
    """What a mean rests on, in one short phrase."""
    covered = f"{score.n_scored} of {score.n_active} scored, {percent(score.covered_weight)} of the weight"
    return covered + (", partial" if score.partial else "")
