"""The sample diagnosis with a judge and all that follows: words, plan of repair, an earlier version."""

from __future__ import annotations

from typing import Any

import report_sample as sample
from longtake.core.advice import Aggregation, Claim, Comparison, PointChange, Removed, Repair, Written
from longtake.core.documents import DiagnosisDocument, OtherOpinion
from longtake.core.interval import Interval
from longtake.core.judgement import ConfidenceParts, Draw, JudgeFacts, Judgement
from longtake.core.measurement import Evidence


def see(start: float, end: float, what: str) -> Evidence:
    return Evidence(start=start, end=end, what=what)


def judgement(text: str, *values: float | None, **fields: Any) -> Judgement:
    """An answer in as many draws; ``None`` is a refused one. The last draw says something of its own."""
    draws = [
        Draw(
            draw=i,
            status="refused" if v is None else "answered",
            value=v,
            says=None if v is None else f"The story {'wanders' if i > 1 else 'stalls'}. {text}".strip(),
            reason=f"I cannot help with this. {text}" if v is None else None,
            model=f"seen-vl-8b {text}".strip(),
            question=f"{i:064x}",
        )
        for i, v in enumerate(values)
    ]
    known = [v for v in values if v is not None]
    given = {
        "status": "scored",
        "value": sum(known) / len(known),
        "says": f"The story stalls. {text}".strip(),
    }
    return Judgement(**{**given, "draws": draws, "spread": 0.125, "frames": 8, **fields})


def document(text: str = "") -> DiagnosisDocument:
    """Everything a report may show of a judge. ``text`` is put into every word that comes from outside."""
    doc = sample.with_content(sample.document(text), text)
    answered = {
        "method": "judge",
        "authority": "judged",
        "judgement": judgement(text, 0.5, None, 0.75, evidence=[see(5.0, 6.5, f"nothing happens {text}")]),
        "confidence_from": ConfidenceParts(availability=1.0, agreement=0.88, evidence=0.6),
        "confidence": 0.53,
        "low_confidence": True,
        "other": OtherOpinion(method="rule", value=0.95, confidence=0.5, agrees=False),
        "evidence": [see(5.0, 6.5, f"nothing happens {text}")],
        "reason": None,
    }
    silent = {
        "judgement": Judgement(status="unscored", reason=f"the model refused {text}", frames=8),
        "reason": f"the model refused {text}",
    }
    changed = {"pacing_structure": answered, "premise_originality": silent}
    points = [c.model_copy(update=changed.get(c.id, {})) for c in doc.checkpoints]
    metrics = [
        m.model_copy(update={"method": "judge", "judgement": judgement(text, 0.8)})
        if m.id == "user_requirement_consistency"
        else m
        for m in doc.report_metrics
    ]
    repair = [
        Repair(
            checkpoint="motion_continuity",
            action="regenerate",
            directive=f"Regenerate shots 3 and 5 so that movement carries on. {text}".strip(),
            shots=[2, 4],
            start=3.4,
            end=8.04,
            value=0.31,
            priority=0.085,
        ),
        Repair(
            checkpoint="pacing_structure",
            action="bridge",
            directive="Bridge shots 3 and 4: show what makes the one follow from the other.",
            shots=[2, 3],
            join=(2, 3),
            start=5.0,
            end=6.5,
            value=0.58,
            priority=0.05,
        ),
        Repair(
            checkpoint="resolution_clarity",
            action="review",
            directive="Look at the whole film: Is fine detail there and does it stay?",
            value=0.49,
            priority=0.04,
        ),
    ]
    written = Written(
        status="scored",
        claims=[Claim(text=f"Movement breaks at 3.4 s. {text}".strip(), checkpoints=["motion_continuity"])],
        removed=[Removed(text=f"It deserves a prize. {text}".strip(), why="names no result")],
        model=f"seen-vl-8b {text}".strip(),
    )
    judge = JudgeFacts(
        name="openai:seen-vl-8b",
        models=[f"seen-vl-8b {text}".strip()],
        sends_to="judge.example.org",
        draws=3,
        temperature=0.7,
        asked=45,
        calls=12,
        cached=30,
        answered=41,
        not_answered={"refused": 1, "budget": 3},
        input_tokens=41_200,
        output_tokens=3100,
        money=0.25,
        frames=96,
        stopped=f"the budget of 12 calls is spent {text}".strip(),
    )
    interval = Interval(
        n=3, n_asked=3, value=0.46, low=0.41, high=0.52, method="bootstrap over draws; bias is not in it"
    )
    compat = Aggregation(
        id="directorbench",
        how="the released code's weights, what is unscored left out",
        dimensions={"script": 0.58, "visual": 0.61, "audio": None},
        overall=0.6,
    )
    changes = [
        PointChange(
            id="exposure_stability",
            kind="checkpoint",
            change="mended",
            old=0.4,
            new=0.92,
            gone=[see(2.34, 3.0, f"flicker {text}")],
        ),
        PointChange(
            id="motion_continuity",
            kind="checkpoint",
            change="broken",
            old=0.9,
            new=0.31,
            came=[see(8.0, 8.04, f"the picture jumps {text}")],
        ),
        PointChange(id="visual", kind="dimension", change="worse", old=0.83, new=0.63),
        PointChange(id="visual_artifacts", kind="checkpoint", change="same", old=0.74, new=0.74),
        PointChange(
            id="pacing_structure",
            kind="checkpoint",
            change="not_comparable",
            old=0.6,
            new=0.58,
            reason="answered by a rule before and by a judge now",
        ),
    ]
    against = Comparison(old=f"first cut.mp4 {text}".strip(), differs=["judge", "models"], changes=changes)
    return doc.model_copy(
        update={
            "checkpoints": points,
            "report_metrics": metrics,
            "repair": repair,
            "written": written,
            "judge": judge,
            "overall_interval": interval,
            "compat": compat,
            "against": against,
            "profile": {
                **doc.profile,
                "weights": {"script": 0.15, "visual": 0.5, "audio": 0.1, "cross_modal": 0.25},
                "origin": {"script": "published", "visual": "ours"},
                "expertise": "expert",
                "taste": {"focus": f"picture {text}".strip()},
            },
        }
    )
