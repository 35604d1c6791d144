"""Errors of frames that are foretold by their neighbours: the maps, the mask, and films."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from dynamic_pictures import BLOCK, Picture, film, pan, texture

import longtake
from films import pictures_of
from longtake.core.brief import Brief
from longtake.core.measurement import Measurement
from longtake.evaluators.dynamic.ms_debias import frozen, lit, pool, worst
from longtake.evaluators.shared.interpolation import MOST, Triples, chosen
from longtake.evaluators.shared.occlusion import camera_px, dilated, moved, occluded
from longtake.evaluators.shared.standing import STILL
from longtake.evaluators.shared.things import phrases
from longtake.models.flows import DisFlow, DisInterpolator
from tiny_movement import mean


def errors(**how: float) -> tuple[float, float, float]:
    """Mean plain and masked error in levels, and the unmasked share, over some triples of a made pan."""
    interpolator = DisInterpolator()
    found = []
    for i in range(1, 5):
        before, now, after = (pan(j, **how) for j in (i - 1, i, i + 1))  # type: ignore[arg-type]
        middle = interpolator.middle(before, after)
        error = np.abs(middle.picture - now).mean(axis=2)
        hidden = occluded(middle.forward, middle.backward)
        found.append((error.mean(), error[~hidden].mean(), (~hidden).mean()))
    plain, masked, share = np.mean(found, axis=0)
    return float(plain), float(masked), float(share)


@cache
def cases() -> dict[str, tuple[float, float, float]]:
    return {
        "pan": errors(),
        "block": errors(block=True),
        "flicker": errors(flicker=20),
        "warp": errors(warp=1.5),
    }


def test_the_mask_takes_occlusion_away_and_leaves_faults() -> None:
    """The orderings of the reference: what a block covers and uncovers is masked, faults are not."""
    found = cases()
    plain = {name: one[0] for name, one in found.items()}
    masked = {name: one[1] for name, one in found.items()}
    assert plain["pan"] < plain["block"] < plain["warp"] < plain["flicker"]
    assert masked["block"] < 0.1 * plain["block"]
    assert masked["block"] < masked["warp"] / 10
    for name in ("flicker", "warp"):
        assert masked[name] > 0.9 * plain[name], name
    assert all(0.7 < share < 1 for *_, share in found.values())
    assert masked["flicker"] == pytest.approx(20, rel=0.1)  # by construction


def test_twice_the_mask_changes_little() -> None:
    interpolator = DisInterpolator()
    before, now, after = (pan(j, block=True) for j in (0, 1, 2))
    middle = interpolator.middle(before, after)
    error = np.abs(middle.picture - now).mean(axis=2) / 255
    hidden = occluded(middle.forward, middle.backward)
    wider = dilated(hidden, 5)
    assert wider.mean() > hidden.mean()
    assert error[~wider].mean() == pytest.approx(error[~hidden].mean(), abs=0.0002)


def test_the_flow_is_where_things_went() -> None:
    flow = DisFlow().flow(pan(0), pan(2))
    assert np.median(flow[..., 0]) == pytest.approx(-12, abs=0.1)
    assert np.median(flow[..., 1]) == pytest.approx(0, abs=0.1)
    assert camera_px(flow, pan(0), pan(2)) == pytest.approx(12, rel=0.03)
    tiny = DisFlow().flow(pan(0)[:20, :25], pan(0)[:20, :25])
    assert tiny.shape == (20, 25, 2)
    assert np.abs(tiny).max() < 0.1


def test_the_mask_lies_where_the_block_covers_and_uncovers() -> None:
    flow = DisFlow()
    before, after = pan(0, block=True), pan(2, block=True)
    hidden = occluded(flow.flow(before, after), flow.flow(after, before))
    left, right = 480 - 28, 480 + BLOCK  # from the block's left edge after to its right edge before
    rows = slice(140, 220)
    assert hidden[rows, left - 4 : left + 12].mean() > 0.9
    assert hidden[rows, right - 12 : right + 4].mean() > 0.9
    assert hidden[rows, 100:380].mean() < 0.05


def test_a_picture_moved_by_its_flow_is_the_other() -> None:
    flow = DisFlow().flow(pan(2), pan(0))
    back = moved(pan(0), flow)
    off = np.abs(back.astype(np.int16) - pan(2))
    assert off[:, :600].mean() < 1


def test_triples_lie_in_one_shot_evenly_and_are_bounded() -> None:
    times = np.arange(100) / 25
    spans = [(0.0, 1.0), (1.0, 4.0)]
    found, possible, uneven = chosen(times, spans)
    assert [f for f, _, _ in found] == [*range(1, 24), *range(26, 99)]
    assert (possible, uneven) == (len(found), 0)
    assert all(place == frame - (0 if shot == 0 else 25) for frame, place, shot in found)
    gap = times.copy()
    gap[50:] += 0.02  # the frame at 50 comes half a frame late
    assert chosen(gap, spans)[2] == 2
    without, possible, _ = chosen(times, spans, [(1.9, 2.1)])
    assert possible == len(found) - 7
    assert not [f for f, _, _ in without if 47 <= f <= 53]
    odd, _, _ = chosen(times, spans, most=60)
    assert odd == [one for one in found if one[1] % 2 == 1]
    some, possible, _ = chosen(times, spans, most=12)
    assert len(some) == 12
    assert possible == len(found)
    assert {one[1] % 2 for one in some} == {1}
    assert some[0][0] < 40 < 60 < some[-1][0]
    assert chosen(np.zeros(9), [(0.0, 1.0)])[1:] == (7, 7)  # frames that take no time
    assert not chosen(times[:2], [(0.0, 0.08)])[0]
    assert not chosen(np.zeros(0), [(0.0, 1.0)])[0]


def test_shots_are_weighted_by_seconds_and_need_unmasked_pixels() -> None:
    def made(masked: list[float], share: list[float], shot: list[float]) -> Triples:
        count = len(masked)
        zeros = np.zeros(count)
        return Triples(
            np.arange(count) * 2.0, zeros, zeros, np.array(shot), zeros + 0.08, np.array(masked) + 1,
            np.array(masked), np.array(share), zeros, zeros, zeros, count, 0, 0, "none",
        )  # fmt: skip

    found = made([2, 4, 10, 10], [0.5, 0.5, 0.5, 0.5], [0, 0, 1, 1])
    pooled = pool(found, [(0.0, 1.0), (1.0, 4.0)])
    assert pooled is not None
    assert pooled.error == pytest.approx((3 * 1 + 10 * 3) / 4)
    assert pooled.plain == pytest.approx(pooled.error + 1)
    assert pooled.p95 == pytest.approx((3.9 * 1 + 10 * 3) / 4)
    assert [one.start for one in worst(found)] == pytest.approx([3.96, 5.96, 1.96])
    hidden = made([2, 4, 10, 10, 10], [0.5, 0.5, 0.1, 0.1, 0.9], [0, 0, 1, 1, 1])
    pooled = pool(hidden, [(0.0, 1.0), (1.0, 4.0)])
    assert pooled is not None
    assert (pooled.error, pooled.shots, pooled.shots_unscored) == (3, 1, 1)
    assert pool(made([1.0], [0.1], [0]), [(0.0, 1.0)]) is None
    first = pool(lit(found, [False, True]), [(0.0, 1.0), (1.0, 4.0)])
    assert first is not None
    assert (first.error, first.shots) == (3, 1)
    assert pool(lit(found, [True, True]), [(0.0, 1.0), (1.0, 4.0)]) is None


def test_the_share_that_stands_still_is_by_seconds() -> None:
    def away(*levels: float) -> Triples:
        zeros = np.zeros(len(levels))
        shot = np.arange(len(levels), dtype=float)
        return Triples(*[zeros] * 3, shot, *[zeros] * 6, np.array(levels), 3, 0, 0, "none")

    spans = [(0.0, 1.0), (1.0, 4.0), (4.0, 8.0)]
    assert frozen(away(0, 20, STILL), spans) == pytest.approx(5 / 8)
    assert frozen(away(0, 20, STILL + 0.1), spans) == pytest.approx(1 / 8)
    assert frozen(lit(away(0, 20, 0), [True, False, False]), spans) == pytest.approx(4 / 7, abs=1e-4)
    assert frozen(lit(away(0), [True]), spans) is None


def test_things_of_a_brief_are_named_once() -> None:
    brief = Brief.model_validate(
        {
            "characters": [{"name": "Mara", "description": "a woman in red"}, {"name": "dog"}],
            "extra": {"objects": ["lamp", {"name": "Mara", "description": "other"}, 3], "props": "no list"},
        }
    )
    assert phrases(brief) == (("Mara", "a woman in red"), ("dog", "dog"), ("lamp", "lamp"))
    assert phrases(None) == ()


def measured(path: Path, **how: object) -> dict[str, Measurement]:
    (result,) = longtake.score(path, ["ms_debias"], **how).results  # type: ignore[arg-type]
    return {one.name: one for one in result.measurements}


def test_films_come_in_the_order_of_their_faults(tmp_path: Path) -> None:
    kinds = {"pan": {}, "block": {"block": True}, "flicker": {"flicker": 20}, "still": None}
    found = {}
    for name, how in kinds.items():
        shown = [pan(0)] * 8 if how is None else [pan(i, **how) for i in range(8)]  # type: ignore[arg-type]
        half = (cv2.resize(one, (320, 180), interpolation=cv2.INTER_AREA) for one in shown)
        found[name] = measured(film(tmp_path / f"{name}.mp4", half))
    error = {name: one["error"].value for name, one in found.items()}
    assert error["still"] < error["pan"] < error["flicker"]  # type: ignore[operator]
    assert error["block"] < error["flicker"] / 4  # type: ignore[operator]
    plain = found["block"]["plain"].value
    assert plain is not None
    assert plain < found["pan"]["plain"].value  # type: ignore[operator]
    assert found["block"]["ms_debias"].value > plain  # type: ignore[operator]
    pan_of = found["pan"]
    assert pan_of["ms_debias"].value == pytest.approx(1 - pan_of["error"].value / 255)  # type: ignore[operator]
    facts = pan_of["ms_debias"].facts
    assert facts["camera_px_s"] == pytest.approx(3 * 24, rel=0.05)
    assert (facts["triples"], facts["triples_possible"]) == (6, 6)
    assert (facts["status"], facts["objects"]) == ("fallback", "none")  # no masker's weights in this cache
    assert facts["proxy"] is True
    # A frozen film is perfect, and its motion says why.
    assert found["still"]["ms_debias"].value == pytest.approx(1, abs=0.002)
    assert found["still"]["motion"].value < 0.5  # type: ignore[operator]
    assert {one.facts["frozen"] for one in found["still"].values()} == {1.0}
    assert {one.facts["frozen"] for one in pan_of.values()} == {0.0}
    assert {one.facts["objects"] for one in pan_of.values()} == {"none"}
    assert pan_of["motion"].value > 10  # type: ignore[operator]


def test_an_interpolator_of_the_users_own_is_named_and_gets_its_mask_from_the_flow(tmp_path: Path) -> None:
    """The mean of both ends foretells a pan worse than a warp does."""
    path = film(tmp_path / "pan.mp4", (pan(i)[::2, ::2] for i in range(6)))
    own = mean(tmp_path / "amt.onnx")
    found, proxy = measured(path, models={"interpolator": f"amt:{own}"}), measured(path)
    facts = found["ms_debias"].facts
    assert str(facts["model"]).startswith("amt:amt.onnx sha256:")
    # The mask rests on the flow, a proxy; without masks it is the user's own model alone, and motion is none.
    assert {name: (one.facts["roles"], one.facts["proxy"]) for name, one in found.items()} == {
        **dict.fromkeys(("ms_debias", "error", "p95"), ("interpolator, flow", True)),
        "plain": ("interpolator", False),
        "motion": ("", False),
    }
    assert str(facts["flow"]).startswith("proxy:dis")
    assert facts["unmasked_share"] == proxy["ms_debias"].facts["unmasked_share"]
    assert found["error"].value > 2 * proxy["error"].value  # type: ignore[operator]


def test_what_cannot_be_foretold_is_unscored(tmp_path: Path) -> None:
    two = film(tmp_path / "two.mp4", (pan(i) for i in range(2)))
    found = measured(two)
    assert {one.status for one in found.values()} == {"unscored"}
    assert "no three frames" in str(found["ms_debias"].reason)


def test_masks_of_things_come_from_the_masker(tmp_path: Path, weights: Path) -> None:
    picture = texture(240, 320, 5)
    red = texture(90, 90, 6) // 4 + np.array([0, 0, 150], np.uint8)

    def shown(i: int) -> Picture:
        one = picture.copy()
        x = 40 + 4 * i
        # The thing flickers: only with its mask is that left out.
        one[70:160, x : x + 90] = np.clip(red.astype(np.int16) + 40 * (i % 2), 0, 255)
        return one

    path = film(tmp_path / "red.mp4", (shown(i) for i in range(8)))
    brief = Brief.model_validate({"characters": [{"name": "Box", "description": "a red box"}]})
    found = measured(path, brief=brief)
    facts = found["ms_debias"].facts
    assert (facts["status"], facts["objects"]) == ("ok", "brief")
    assert str(facts["masker"]).startswith("grabcut")
    assert found["error"].value < 0.3 * 255 * (1 - found["plain"].value)  # type: ignore[operator]


def test_a_black_shot_is_left_out_of_what_is_foretold(tmp_path: Path) -> None:
    """A film of which the first half moves: with two black seconds after it nothing changes."""
    shown = [pan(i)[::2, ::2] for i in range(24)]
    alone = film(tmp_path / "alone.mp4", iter(shown))
    after = film(tmp_path / "after.mp4", iter([*shown, *[np.zeros_like(shown[0])] * 48]))
    values = {}
    for path in (alone, after):
        (result,) = longtake.score(path, ["ms_debias"]).results
        values[path.stem] = {m.name: m for m in result.measurements}
    facts = values["after"]["ms_debias"].facts
    assert (facts["shots"], facts["shots_black"], facts["frozen"]) == (1, 1, 0.0)
    assert values["alone"]["ms_debias"].facts["shots_black"] == 0
    for name in ("error", "motion"):
        whole, half = (values[n][name].value for n in ("alone", "after"))
        assert half == pytest.approx(whole, rel=0.1), name


def test_a_real_clip_frozen_and_flickering(media: Path, tmp_path: Path) -> None:
    pictures = pictures_of(media / "1_shots" / "gcs_chrome-clip.mp4", (320, 180), limit=13)
    kinds = {
        "real": pictures,
        "frozen": [pictures[0]] * 13,
        "flicker": [cv2.convertScaleAbs(p, beta=12 * (i % 2)) for i, p in enumerate(pictures)],
    }
    found = {name: measured(film(tmp_path / f"{name}.mp4", iter(one))) for name, one in kinds.items()}
    still, real, flicker = (found[n]["error"].value for n in ("frozen", "real", "flicker"))
    assert still < real < flicker  # type: ignore[operator]
    assert found["frozen"]["ms_debias"].facts["frozen"] == 1.0
    assert found["real"]["ms_debias"].facts["frozen"] == 0.0
    assert found["frozen"]["motion"].value < found["real"]["motion"].value  # type: ignore[operator]
    assert found["real"]["ms_debias"].facts["triples"] <= MOST
