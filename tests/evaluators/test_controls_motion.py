"""Real clips held still by the operator that does it: they earn no motion. Figures of motion on real frames
against plain loops."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest

import films
import longtake
from longtake.core.measurement import Measurement
from longtake.evaluators.shared.occlusion import occluded
from longtake.models.flows import DisInterpolator

CLIPS = ("dc_train", "dc_guitar", "lav_panda")
"""Two seconds each at 8 frames a second, in which something moves."""
ASKED = (
    "vb.dynamic_degree",
    "vb.motion_smoothness",
    "vb.temporal_flickering",
    "vb.subject_consistency",
    "ms_debias",
    "tracker_fg",
)
Found = dict[str, Measurement]


def told(path: Path, *names: str) -> Found:
    """Measurements by evaluator and quantity; the score of an evaluator under its own name."""
    document = longtake.score(path, names, workers=1)
    assert not document.failures
    found = {}
    for result in document.results:
        for i, m in enumerate(result.measurements):
            found[f"{result.evaluator}.{m.name}" if i else result.evaluator] = m
    return found


def value(found: Measurement) -> float:
    assert found.value is not None, found.reason
    return found.value


@pytest.mark.parametrize("clip", CLIPS)
def test_a_clip_held_still_earns_no_motion(media: Path, weights: Path, tmp_path: Path, clip: str) -> None:
    """The copy shows the first frame alone; its control is encoded alike and moves."""
    out = tmp_path / "frozen.mp4"
    longtake.perturb(media / "8_footage" / f"{clip}.mp4", "frozen", 1.0, out=out, unit="shot")
    held, moving = told(out, *ASKED), told(out.with_suffix(".control.mp4"), *ASKED)

    assert [value(one["vb.dynamic_degree"]) for one in (held, moving)] == [0.0, 1.0]
    assert value(held["vb.dynamic_degree.speed"]) < 0.2 < 2.0 < value(moving["vb.dynamic_degree.speed"])
    smooth = held["vb.motion_smoothness"]
    assert (smooth.status, smooth.value) == ("not_applicable", None)
    assert "nothing moves" in str(smooth.reason)
    assert moving["vb.motion_smoothness"].status == "scored"
    # What rises with stillness says how much of the film is still.
    for name in ("vb.temporal_flickering", "vb.subject_consistency"):
        assert value(held[name]) > value(moving[name])
        assert [one[name].facts["frozen"] for one in (held, moving)] == [1.0, 0.0]
        assert any("no merit" in e.what for e in held[name].evidence)
    assert value(held["ms_debias"]) > value(moving["ms_debias"])
    assert value(held["ms_debias.motion"]) < 0.5 < 5.0 < value(moving["ms_debias.motion"])
    # Nothing moves by itself, so nothing is followed, and no brief names a thing.
    followed = held["tracker_fg"]
    assert (followed.status, followed.value) == ("unscored", None)
    assert str(followed.reason).startswith(("no_object", "object_small"))


def test_the_masked_error_of_a_real_clip_is_that_of_a_plain_loop(media: Path, own_cache: None) -> None:
    """Over the triples of one shot: a mean over pixels in which those that are hidden weigh nothing, and the
    mean of these; the motion is the mean difference of the outer frames. Here no masker masks things."""
    path = media / "8_footage" / "dc_train.mp4"
    frames = films.pictures_of(path, (512, 320))
    interpolator = DisInterpolator()
    errors, plain, changes = [], [], []
    for before, now, after in zip(frames, frames[1:], frames[2:], strict=False):
        middle = interpolator.middle(before, after)
        assert middle.forward is not None
        assert middle.backward is not None
        levels = np.abs(middle.picture.astype(np.float64) - now).sum(axis=2) / 3
        seen = 1.0 - occluded(middle.forward, middle.backward)
        errors.append(np.average(levels, weights=seen))
        plain.append(np.average(levels))
        changes.append(np.abs(before.astype(np.float64) - after).mean())
    found = told(path, "ms_debias")
    assert found["ms_debias"].facts["objects"] == "none"
    assert found["ms_debias"].facts["triples"] == len(errors)
    assert value(found["ms_debias.error"]) == pytest.approx(np.mean(errors), rel=1e-5)
    assert value(found["ms_debias"]) == pytest.approx(1 - np.mean(errors) / 255, abs=1e-6)
    assert value(found["ms_debias.plain"]) == pytest.approx(1 - np.mean(plain) / 255, abs=1e-6)
    assert value(found["ms_debias.p95"]) == pytest.approx(np.quantile(errors, 0.95), rel=1e-5)
    assert value(found["ms_debias.motion"]) == pytest.approx(np.mean(changes), rel=1e-5)


def test_the_flicker_of_a_real_clip_is_that_of_its_decoded_frames(media: Path, own_cache: None) -> None:
    path = media / "8_footage" / "dc_guitar.mp4"
    with av.open(str(path)) as container:
        frames = [f.to_ndarray(format="bgr24").astype(np.float64) for f in container.decode(video=0)]
    differences = [np.abs(b - a).mean() for a, b in pairwise(frames)]
    found = told(path, "vb.temporal_flickering")["vb.temporal_flickering"]
    assert found.facts["frames"] == len(differences)
    assert value(found) == pytest.approx((255 - np.mean(differences)) / 255, abs=2e-4)
