"""The table of slvmeval_pairs.py, printed and put on the card."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from statistics import median
from typing import Any

from longtake.core.case import Pair
from longtake.core.changes import ChangeRecord
from longtake.stats.intervals import wilson
from slvmeval_films import Made
from slvmeval_measured import dealt_anew

HONEST = (
    *("temporal_flow", "spatial_relationship", "shuffle", "replace", "unrelated_brief"),
    *("comprehensiveness", "superfluous"),
)
"""Where accuracy may prove something, if no blind cue does as well. Length tells ``comprehensiveness``, and
the other way ``superfluous``; blocks that begin within clips make ``shuffle`` and ``replace`` less smooth."""
ONE_SIDED = 0.75
"""A blind cue that is right, or wrong, on more than this share of the pairs is named beside them."""
CONTROLS = ("reencoded", "planned_cut", "clean_cut")
MIRROR = "spatial_relationship"
GPT5 = {
    "aesthetics": 90.1,
    "technical_quality": 85.8,
    "appearance_style": 88.9,
    "background_consistency": 98.9,
    "object_removal": 72.0,
    "color": 84.3,
    "dynamics_degree": 35.3,
    "comprehensiveness": 51.3,
    "spatial_relationship": 59.7,
    "temporal_flow": 50.3,
}
CUES = (
    *("cue.duration", "cue.bytes", "cue.frame_difference", "cue.smoothness", "cue.contrast", "cue.flicker"),
    *("constant", "random"),
)


@dataclass(frozen=True)
class Row:
    """One kind of pair. ``right`` counts answers, ties as half; shares are 0 to 1, ``None`` if of nothing.

    ``strengths`` are how far each pair moved the evaluator; ``parts`` are answers right, answers and pairs of
    parts of them; ``dealt`` is the control in which captions are dealt anew.
    """

    name: str
    films: int
    reels: int
    answered_reels: int
    pairs: int
    scored: int
    right: float
    cues: Mapping[str, float | None]
    spans: int
    pointed: int
    overlap: float | None
    false_spans: int
    minutes: float
    strengths: tuple[float, ...]
    dealt: tuple[int, int, int] | None
    parts: Mapping[str, tuple[float, int, int]]

    @property
    def wilson(self) -> tuple[float | None, float | None]:
        """Of the answers, as if each reel were one: films of a reel show the same footage."""
        return self._over_reels(self.right, self.scored)

    @property
    def wilson_pointed(self) -> tuple[float | None, float | None]:
        """The same of the changed spans that were pointed at."""
        return self._over_reels(self.pointed, self.spans)

    @property
    def one_sided(self) -> list[str]:
        """Blind cues that lean to one side on these pairs; with six of them some do by chance."""
        return [
            cue.removeprefix("cue.")
            for cue, share in self.cues.items()
            if cue.startswith("cue.") and share is not None and max(share, 1 - share) > ONE_SIDED
        ]

    def _over_reels(self, count: float, of: int) -> tuple[float | None, float | None]:
        return wilson(count / of, self.answered_reels) if of else (None, None)


def table_of(
    made: Sequence[Made],
    pairs: Sequence[Pair],
    document: Mapping[str, Any],
    right: Mapping[str, Any],
    where: Mapping[str, Any],
) -> list[Row]:
    """A row for each kind of pair, in their order."""
    dealt = dealt_anew([p for p in pairs if p.aspect in HONEST])
    answers = {a["pair"]: a for a in document["preferences"] if a["evaluator"] == "evidence"}
    rows = []
    for name in dict.fromkeys(p.aspect for p in pairs):
        mine = [p for p in pairs if p.aspect == name]
        found = where["evaluators"]["evidence"]["aspects"].get(name, {}).get("figures", {})
        marks = [answers[p.id] for p in mine if answers[p.id]["status"] == "scored"]
        pointed = found.get("pointed") or {}
        spans = int(pointed.get("n") or 0)
        rows.append(
            Row(
                name=name,
                films=len({p.id.split("/")[0] for p in mine}),
                reels=len({p.source for p in mine}),
                answered_reels=len({p.source for p in mine if answers[p.id]["status"] == "scored"}),
                pairs=len(mine),
                scored=len(marks),
                right=sum(_mark(a) for a in marks),
                cues={
                    cue: right["evaluators"][cue]["aspects"][name]["accuracy"]["value"]
                    for cue in CUES
                    if cue in right["evaluators"]
                },
                spans=spans,
                pointed=round(spans * (pointed.get("value") or 0.0)),
                overlap=(found.get("overlap") or {}).get("value"),
                false_spans=sum(len(a["evidence_a"]) for a in marks),
                minutes=found.get("control_minutes") or 0.0,
                strengths=tuple(abs((answers[p.id]["facts"] or {}).get("strength", 0.0)) for p in mine),
                dealt=dealt.get(name),
                parts=_by_text(made, mine, answers) if name == MIRROR else {},
            )
        )
    return rows


def _mark(answer: Mapping[str, Any]) -> float:
    return {"a": 1.0, "tie": 0.5}.get(answer["choice"], 0.0)


def _by_text(
    made: Sequence[Made], pairs: Sequence[Pair], answers: Mapping[str, Any]
) -> dict[str, tuple[float, int, int]]:
    """Mirrored pairs with and without something written in a mirrored clip, which gives a mirror away.

    Of a clip that was looked at in one film it is known in the others too.
    """
    clips = {f.name: f.clips for f in made}
    mirrored, tagged = {}, {}
    for pair in pairs:
        facts = ChangeRecord.model_validate_json(pair.b.with_suffix(".json").read_bytes()).facts
        shown = clips[pair.id.split("/")[0]]
        mirrored[pair.id] = [shown[i] for i in _numbers(facts["clips"])]
        if facts.get("has_text") is not None:
            tagged |= dict.fromkeys(mirrored[pair.id], False)
            tagged |= dict.fromkeys((shown[i] for i in _numbers(facts["clips_with_text"])), True)
    found: dict[str, list[Any]] = defaultdict(list)
    for pair in pairs:
        tags = [tagged.get(c) for c in mirrored[pair.id]]
        name = "with text" if True in tags else "not looked at" if None in tags else "without text"
        found[name].append(answers[pair.id])
    return {
        name: (
            sum(_mark(a) for a in all_ if a["status"] == "scored"),
            sum(a["status"] == "scored" for a in all_),
            len(all_),
        )
        for name, all_ in sorted(found.items())
    }


def _numbers(told: Any) -> list[int]:
    return [int(i) for i in str(told or "").split(",") if i]


def footage(made: Sequence[Made]) -> str:
    """How much there is to see, and of how many sources."""
    seconds = {(c.path, c.start): c.length for f in made for c in f.clips}
    sources = {c.source for f in made for c in f.clips}
    photos = {c.source for f in made for c in f.clips if c.photo}
    return (
        f"{len(made)} films of {len({f.reel for f in made})} reels, {sum(seconds.values()):.0f} distinct "
        f"seconds, {len(sources)} independent sources ({len(photos)} photographs)"
    )


def real(rows: Sequence[Row]) -> float:
    """How far real damage moves it: the median over its kinds of the median over pairs."""
    return median([median(r.strengths) for r in rows if r.name not in CONTROLS] or [float("nan")])


def show(made: Sequence[Made], rows: Sequence[Row], costs: Mapping[str, tuple[int, float, float]]) -> None:
    """Print the table and what it cost."""
    print(footage(made))
    for row in rows:
        low, high = row.wilson
        print(f"{row.name}{' (honest ground)' if row.name in HONEST and not row.one_sided else ''}")
        if row.one_sided:
            print(f"  blind cues that lean to one side: {', '.join(row.one_sided)}")
        print(
            f"  right {row.right:g} of {row.scored} answers to {row.pairs} pairs, "
            f"{_share(row.right / row.scored if row.scored else None)}, "
            f"Wilson over {row.answered_reels} reels {_share(low)}..{_share(high)}; "
            f"GPT-5 on other pairs {GPT5.get(row.name, '-')}"
        )
        if row.scored < row.pairs / 2:
            print("  in most of these pairs its signals cannot tell, and it says so")
        for name, (good, answered, asked) in row.parts.items():
            print(f"  {name}: right {good:g} of {answered} answers to {asked} pairs")
        print("  " + ", ".join(f"{cue} {_share(value)}" for cue, value in row.cues.items()))
        print(
            f"  pointed at {row.pointed} of {row.spans} changed spans, overlap {_number(row.overlap)}; "
            f"{row.false_spans} spans on the undamaged film in {row.minutes:.1f} minutes"
        )
        if row.dealt:
            good, answered, asked = row.dealt
            print(
                f"  captions dealt anew: {_share(good / answered if answered else None)} of {answered} "
                f"answers to {asked}"
            )
        print(
            f"  moves it by {median(row.strengths):.2f} (most {max(row.strengths):.2f}), "
            f"{median(row.strengths) / real(rows):.2f} of real damage ({real(rows):.1f})"
        )
    for name, (count, make, measure) in costs.items():
        print(f"CPU {name}: {count} pairs, making {make:.0f} s, measuring {measure:.0f} s")
    total = [sum(c[i] for c in costs.values()) for i in range(3)]
    print(f"CPU of all {total[0]:.0f} pairs: making {total[1]:.0f} s, measuring {total[2]:.0f} s")


def write(path: Path, made: Sequence[Made], rows: Sequence[Row], command: str) -> None:
    """Put the rows into the figures of the card; those of other studies and pairs stay."""
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    about = {"on": f"half {made[0].reel[0]}: {footage(made)}"}
    ending = {"command": command, "date": date.today().isoformat()}
    found = []
    for row in rows:
        if row.name in CONTROLS:
            found.append({**_control(row, real(rows)), **about, **ending})
            continue
        low, high = row.wilson
        value = row.right / row.scored if row.scored else None
        found.append(_figure("pairwise", row.name, value, low, high, row.scored, _note(row)) | about | ending)
        if row.spans:
            low, high = row.wilson_pointed
            note = (
                f"share of changed spans pointed at, in the {row.scored} answered of {row.pairs} pairs; "
                "spans are named in the rejected film alone, so false ones are counted on the controls"
            )
            value = row.pointed / row.spans
            found.append(
                _figure("localisation", row.name, value, low, high, row.spans, note) | about | ending
            )
    new = {(f["study"], f["about"]) for f in found}
    old = [f for f in kept.get("evidence", ()) if (f["study"], f["about"]) not in new]
    path.write_text(json.dumps({**kept, "evidence": [*found, *old]}, indent=1) + "\n", encoding="utf-8")


def _figure(
    study: str, about: str, value: float | None, low: float | None, high: float | None, n: int, note: str
) -> dict[str, Any]:
    rounded = {
        k: None if v is None else round(v, 4) for k, v in (("value", value), ("low", low), ("high", high))
    }
    return {"study": study, "about": about, **rounded, "n": n, "note": note}


def _note(row: Row) -> str:
    cues = ", ".join(f"{k.removeprefix('cue.')} {_share(v)}" for k, v in row.cues.items())
    note = (
        f"{row.scored} of {row.pairs} pairs of {row.films} films of {row.reels} reels answered, ties count "
        f"half; interval as if each of {row.answered_reels} reels were one answer; blind cues, %: {cues}"
    )
    if row.one_sided:
        note += f"; of these lean to one side {', '.join(row.one_sided)}"
    for name, (good, answered, asked) in row.parts.items():
        note += f"; {name}: {good:g} of {answered} answers to {asked} pairs"
    if row.scored < row.pairs / 2:
        note += "; in most of these pairs the signals cannot tell"
    if row.dealt and row.dealt[1]:
        note += f"; captions dealt anew: {_share(row.dealt[0] / row.dealt[1])} % of {row.dealt[1]} answers"
    if row.name in GPT5:
        note += (
            f". GPT-5 reached {GPT5[row.name]} % on other pairs (arXiv 2603.29186), which is no comparison"
        )
    return note


def _control(row: Row, damage: float) -> dict[str, Any]:
    moved = median(row.strengths)
    note = (
        f"median strength {moved:.2f} (most {max(row.strengths):.2f}) as a share of that of real damage "
        f"({damage:.1f}, median over its kinds); {row.scored} of {row.pairs} pairs answered, ties "
        f"among them; {row.false_spans} spans on the undamaged film in {row.minutes:.1f} minutes"
    )
    share = moved / damage if damage == damage else None  # of nothing, where only controls were asked for
    return _figure("controls", row.name, share, None, None, row.pairs, note)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
