"""What ``longtake score`` tells people in a terminal."""

from __future__ import annotations

import io

from longtake.core.measurement import Measurement
from longtake.core.scores import (
    CaseResult,
    EvaluatorSummary,
    PairResult,
    Scored,
    ScoredCase,
    ScoreDocument,
    ScoredPair,
)
from longtake.core.tools import ModelUsed
from longtake.report.scores import print_scores
from longtake.report.terminal import console_for

FILMS = ("a", "b", "c")


def printed(document: ScoreDocument) -> list[str]:
    stream = io.StringIO()
    print_scores(document, console_for(stream, 100))
    return stream.getvalue().splitlines()


def summary(name: str, values: list[float | None], out: int = 0, unit: str = "share") -> EvaluatorSummary:
    given = [v for v in values if v is not None]
    mean = sum(given) / len(given) if given else None
    score = Scored(name=name, n=len(given), n_asked=len(values), n_not_applicable=out, value=mean, unit=unit)
    return EvaluatorSummary(version=1, score=score)


def measured(name: str, value: float | None, reason: str | None = None) -> Measurement:
    return Measurement(
        name=name, status="unscored" if value is None else "scored", value=value, high=None, reason=reason
    )


def document() -> ScoreDocument:
    """Three films: the overall score is nowhere, a dimension is twice, a rule does not apply to one."""
    overall = ("covered weight 0.11 is below 0.75", "covered weight 0.12 is below 0.75", "no_brief")
    visual = (0.5, 0.7, None)
    return ScoreDocument(
        results=[
            CaseResult(
                case=case,
                evaluator="diagnosis",
                measurements=[measured("overall", None, why), measured("visual", value, "scene_unknown")],
            )
            for case, why, value in zip(FILMS, overall, visual, strict=True)
        ],
        cases=[ScoredCase(case=case, video=f"{case}.mp4", hash="0") for case in FILMS],
        evaluators={
            "diagnosis": summary("overall", [None, None, None]),
            "diagnosis.visual": summary("visual", list(visual)),
            "rule.scene_order": summary("scene_order", [1.0, 0.5], out=1),
            "cue.bytes": summary("bytes", [1e6, 1.5e6, 999.5], unit="bytes"),
            "judge": EvaluatorSummary(version=1, signals=["speech left out", "text 1 absent"]),
        },
    )


def test_why_there_is_no_score_is_said_once_for_all_films() -> None:
    lines = printed(document())
    assert lines[lines.index("not scored:") + 1 :] == [
        "  diagnosis (2 of 3): only 11 % of what counts could be measured; an overall needs 75 %"
        ", and the like",
        "  diagnosis (1 of 3): needs a brief, and none was given",
        "  diagnosis.visual (1 of 3): it is not known which joins lie within one scene",
        "diagnosis itself has no score here; see the rows of diagnosis.visual",
        "signals left out of this run: speech",
        "signals not installed: text",
    ]
    assert "does not apply to all films, and is not counted there: rule.scene_order (1 of 3)" in lines


def test_means_have_units_and_no_powers_of_ten() -> None:
    rows = {line.split()[0]: line.split() for line in printed(document()) if not line.startswith(" ")}
    assert rows["cue.bytes"] == ["cue.bytes", "3", "/", "3", "833,666", "bytes"]
    assert rows["diagnosis.visual"] == ["diagnosis.visual", "2", "/", "3", "0.6", "share"]
    assert "judge" not in rows  # it was not asked


def test_of_one_film_every_measurement_with_its_unit() -> None:
    found = [measured("overall", None, "no_brief"), measured("visual", 0.5)]
    one = document().model_copy(
        update={
            "cases": [ScoredCase(case="a", video="a.mp4", hash="0")],
            "results": [
                CaseResult(case="a", evaluator="diagnosis", measurements=found),
                CaseResult(case="a", evaluator="cue.bytes", measurements=[measured("bytes", 1_234_567.0)]),
            ],
        }
    )
    assert printed(one)[:3] == [
        "diagnosis: unscored: needs a brief, and none was given",
        "diagnosis.visual: 0.5",
        "cue.bytes: 1,234,567 bytes",
    ]


def test_means_of_damaged_films_stand_apart_and_judges_of_pairs_say_why() -> None:
    whole = document()
    a, b = (Scored(name="bytes", n=1, n_asked=1, value=v, unit="bytes") for v in (2000.0, 1000.0))
    cue = whole.evaluators["cue.bytes"].model_copy(update={"score_a": a, "score_b": b})
    judge = EvaluatorSummary(version=1, preferences=Scored(name="share of a", n=0, n_asked=2))
    answers = [
        PairResult(
            pair="p", evaluator="judge", order=order, choice=None, status="unscored", reason="a: no_brief"
        )
        for order in ("ab", "ba")
    ]
    paired = whole.model_copy(
        update={
            "pairs": [ScoredPair(pair="p", source="s", aspect="x", case_a="a", case_b="b")],
            "preferences": answers,
            "results": [],
            "evaluators": {"cue.bytes": cue, "judge": judge},
        }
    )
    lines = printed(paired)
    assert lines[1].split() == ["cue.bytes", "3", "/", "3", "2,000", "1,000", "bytes", "-", "-"]
    assert "  judge (2 of 2): a: needs a brief, and none was given" in lines


def test_intervals_stand_beside_means_and_their_making_below() -> None:
    whole = document()
    visual = whole.evaluators["diagnosis.visual"]
    assert visual.score is not None
    sure = visual.score.model_copy(
        update={"low": 0.51, "high": 0.68, "level": 0.95, "method": "bootstrap over 9 briefs"}
    )
    bytes_ = whole.evaluators["cue.bytes"]
    assert bytes_.score is not None
    few = bytes_.score.model_copy(update={"no_interval": "3 briefs are too few for an interval (8)"})
    changed = {
        **whole.evaluators,
        "diagnosis.visual": visual.model_copy(update={"score": sure}),
        "cue.bytes": bytes_.model_copy(update={"score": few}),
    }
    lines = printed(whole.model_copy(update={"evaluators": changed}))
    rows = {line.split()[0]: line.split() for line in lines if line and not line.startswith(" ")}
    assert rows["diagnosis.visual"][-3:] == ["0.51", "to", "0.68"]
    assert rows["cue.bytes"][-1] == "-"
    assert "intervals: bootstrap over 9 briefs" in lines
    assert "no interval: 3 briefs are too few for an interval (8)" in lines
    assert not any("95 %" in line for line in printed(whole))  # where nothing has one there is no column


def test_who_ran_on_a_proxy_is_said_plainly_and_which_licence_asks_for_more() -> None:
    conse = ModelUsed(
        role="video-text", name="proxy:conse", kind="proxy", stands_for="VideoCLIP-XL", licence="Apache-2.0"
    )
    real = ModelUsed(
        role="aesthetics",
        name="laion",
        kind="model",
        licence="CC BY-NC-SA 4.0",
        note="not run on the real file",
    )
    one = summary("dsa", [0.4, 0.5, 0.6])
    changed = {
        "dsa": one.model_copy(update={"models": [conse], "proxy": "x"}),
        "video-text": one.model_copy(update={"models": [conse], "proxy": "x"}),
        "vb.aesthetic_quality": one.model_copy(update={"models": [real]}),
        "rule.lip_sync_quality": one.model_copy(update={"proxy": "a listener"}),
    }
    results = [
        CaseResult(case=case, evaluator=name, measurements=[measured("dsa", 0.5)])
        for case in FILMS
        for name in changed
    ]
    lines = printed(document().model_copy(update={"evaluators": changed, "results": results}))
    at = lines.index("ran on a proxy:")
    assert lines[at + 1 : at + 3] == [
        "  dsa, video-text: proxy:conse for VideoCLIP-XL (video-text)",
        "  rule.lip_sync_quality: stands in for a listener",
    ]
    assert "licences to mind: laion: CC BY-NC-SA 4.0" in lines
    assert "note of laion: not run on the real file" in lines
    assert "ran on laion (aesthetics): vb.aesthetic_quality" in lines
    assert any(line.startswith("dsa (proxy)") for line in lines)
    assert any(line.startswith("vb.aesthetic_quality ") for line in lines)


def test_of_one_film_each_value_that_rests_on_a_proxy_is_marked() -> None:
    conse = ModelUsed(
        role="video-text", name="proxy:conse", kind="proxy", stands_for="VideoCLIP-XL", licence="Apache-2.0"
    )
    values = {"long-code": 0.5, "dsa": 0.4, "mllm": 0.6}
    proxied = {
        name: summary(name, [0.5]).model_copy(update={"models": [conse], "proxy": "x"}) for name in values
    }
    one = document().model_copy(
        update={
            "cases": [ScoredCase(case="a", video="a.mp4", hash="0")],
            "results": [
                CaseResult(
                    case="a",
                    evaluator="long-code",
                    measurements=[measured(name, value) for name, value in values.items()],
                )
            ],
            "evaluators": {
                "long-code": proxied["long-code"],
                "long-code.dsa": proxied["dsa"],
                "long-code.mllm": summary("mllm", [0.6]),
            },
        }
    )
    assert printed(one)[:5] == [
        "long-code: 0.5 (proxy)",
        "long-code.dsa: 0.4 (proxy)",
        "long-code.mllm: 0.6",
        "ran on a proxy:",
        "  long-code: proxy:conse for VideoCLIP-XL (video-text)",
    ]
    alone = {**one.evaluators, "long-code": summary("long-code", [0.5])}
    lines = printed(one.model_copy(update={"evaluators": alone}))
    assert (lines[0], lines[4]) == (
        "long-code: 0.5",
        "  long-code.dsa: proxy:conse for VideoCLIP-XL (video-text)",
    )
    nothing = {
        name: s.model_copy(update={"score": summary("x", [None]).score}) for name, s in proxied.items()
    }
    black = {"long-code": nothing["long-code"], "long-code.dsa": nothing["dsa"]}
    lines = printed(one.model_copy(update={"evaluators": {**one.evaluators, **black}}))
    assert "ran on a proxy:" not in lines  # nothing was scored, so that nothing rests on it
