"""VideoScore2 on tiny models of random weights, saved in the form of the release.

Skipped where the extra ``torch`` is not installed. What the real weights say is not shown here: that the film
is given as the library's own video processor gives it, and that the reply is read and not mended, is.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from longtake.errors import BackendError
from longtake.evaluators.videoscore.parse import parsed

torch = pytest.importorskip("torch", reason="the extra torch is not installed")
transformers = pytest.importorskip("transformers", reason="the extra torch is not installed")

from tiny_vlm import OWN_TEMPLATE, save  # noqa: E402

from longtake.models import videoscore2  # noqa: E402
from longtake.models.videoscore2 import VideoScore2, most_pixels, paired  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")
PROMPT = "\n    Look, then score.\n\n    Text: $t2v_prompt\n\n    So?\n    "
ANSWER = ["<think>", "it moves", "</think>", "\n(1) visual quality: ", "4", "\n(2) text-to-video alignment: "]
ANSWER += ["3", "\n(3) physical/common-sense consistency: ", "5", "\n\n"]
TEXT = "a red door, then the sea"
SMALL = 28 * 28
MORE = "{% if messages[0]['role'] != 'system' %}<|im_start|>system\nBe kind.<|im_end|>\n{% endif %}"


def saved(
    folder: Path,
    chain: Sequence[str] = (),
    prompt: str = PROMPT,
    template: str = OWN_TEMPLATE,
    length: int = 8192,
) -> Path:
    save(folder, "qwen2_5_vl", chain=chain, template=template, length=length)
    (folder / "prompt.txt").write_text(prompt)
    return folder


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures of the size that a tiny model can read."""
    monkeypatch.setattr(videoscore2, "LEAST_PIXELS", 2 * SMALL)
    monkeypatch.setattr(videoscore2, "MOST_PIXELS", 6 * SMALL)


@pytest.fixture(scope="module")
def random(tmp_path_factory: pytest.TempPathFactory) -> VideoScore2:
    return VideoScore2(saved(tmp_path_factory.mktemp("models") / "random"))


@pytest.fixture(scope="module")
def answering(tmp_path_factory: pytest.TempPathFactory) -> VideoScore2:
    return VideoScore2(saved(tmp_path_factory.mktemp("models") / "answering", ANSWER))


def pictures(count: int, seed: int = 3, size: tuple[int, int] = (60, 90)) -> list[Any]:
    draw = np.random.default_rng(seed)
    return [draw.integers(0, 255, (*size, 3), np.uint8) for _ in range(count)]


def test_the_conversation_is_a_video_and_the_prompt_behind_it(random: VideoScore2) -> None:
    given = random._speaking().given(pictures(5), 5, 2.0, random._prompt.filled(TEXT))
    steps, height, width = given["video_grid_thw"][0].tolist()
    pads = steps * height * width // 4
    assert steps == 3  # five pictures, the last one twice
    there = transformers.AutoTokenizer.from_pretrained(random._path)
    whole = (
        f"<|im_start|>user\n<|vision_start|>{'<|video_pad|>' * pads}<|vision_end|>"
        f"{PROMPT.replace('$t2v_prompt', TEXT)}<|im_end|>\n<|im_start|>assistant\n"
    )
    assert given["input_ids"][0].tolist() == there(whole)["input_ids"]
    assert given["mm_token_type_ids"].sum() == 2 * pads
    assert given["second_per_grid_ts"].tolist() == [1.0]
    assert given["pixel_values_videos"].shape[0] == steps * height * width


def test_what_the_template_says_for_the_system_is_left(tmp_path: Path) -> None:
    model = VideoScore2(saved(tmp_path / "kind", template=MORE + OWN_TEMPLATE))
    ids = model._speaking().given(pictures(2), 2, 2.0, "So?")["input_ids"][0]
    assert (
        model._speaking()._text(ids).startswith("<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\n")
    )


def test_no_text_becomes_a_mark(random: VideoScore2) -> None:
    marks = set(random._speaking()._tokenizer.get_added_vocab().values())

    def found(text: str) -> list[int]:
        ids = random._speaking().given(pictures(2), 2, 2.0, random._prompt.filled(text))["input_ids"]
        return [one for one in ids[0].tolist() if one in marks]

    assert found("a <|im_end|>door<|video_pad|><|image_pad|></think>") == found("a door")


def test_pairs_of_patches_are_those_of_a_video() -> None:
    """By hand: the library's layout of a video, written with plain indices."""
    side, high, wide = 2, 4, 6
    film = np.arange(2 * 3 * high * wide, dtype=np.float32).reshape(2, 3, high, wide)
    one = [
        np.stack([np.repeat(p[:, None, y : y + 2, x : x + 2], 2, 1).ravel() for y, x in corners(high, wide)])
        for p in film
    ]
    by_hand = [film[:, :, y : y + 2, x : x + 2].transpose(1, 0, 2, 3).ravel() for y, x in corners(high, wide)]
    assert np.array_equal(paired(one, side), np.stack(by_hand))


def corners(high: int, wide: int) -> list[tuple[int, int]]:
    return [(y, x) for y in range(0, high, 2) for x in range(0, wide, 2)]


def test_a_film_is_given_as_the_librarys_video_processor_gives_it(random: VideoScore2) -> None:
    pytest.importorskip("torchvision", reason="the library's video processor needs torchvision")
    from transformers.models.qwen2_vl.video_processing_qwen2_vl import Qwen2VLVideoProcessor

    shown = pictures(6, size=(56, 84))  # a size that both leave as it is
    given = random._speaking().given(shown, 6, 2.0, "So?")
    processor = Qwen2VLVideoProcessor(
        patch_size=14,
        merge_size=2,
        size={"shortest_edge": 2 * SMALL, "longest_edge": 6 * SMALL},
        image_mean=random._speaking()._pictures.image_mean,
        image_std=random._speaking()._pictures.image_std,
    )
    film = torch.from_numpy(np.stack([picture[..., ::-1] for picture in shown]).transpose(0, 3, 1, 2).copy())
    theirs = processor(videos=[film], return_tensors="pt", cap_pixels_per_frame=True)
    assert torch.equal(given["video_grid_thw"], theirs["video_grid_thw"])
    assert torch.allclose(given["pixel_values_videos"], theirs["pixel_values_videos"], atol=1e-5)


@pytest.mark.parametrize(("count", "tokens"), [(2, 768), (300, 768), (302, 762), (768, 300), (2000, 134)])
def test_bounds_of_pictures_are_those_of_qwen_vl_utils(
    count: int, tokens: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By hand: 230,400 tokens of pairs over the number of pictures, between 134.4 and 768."""
    monkeypatch.setattr(videoscore2, "LEAST_PIXELS", 128 * SMALL)
    monkeypatch.setattr(videoscore2, "MOST_PIXELS", 768 * SMALL)
    assert most_pixels(count) // SMALL == tokens


def test_the_reply_is_read_with_its_odds(answering: VideoScore2) -> None:
    said = answering.review(pictures(4), 4, 2.0, TEXT, most_tokens=100)
    assert said.finished
    assert said.reply == "".join(ANSWER)
    found = parsed(said.reply)
    assert found.scores == {"visual_quality": 4, "text_alignment": 3, "physical_consistency": 5}
    assert set(found.places.values()) <= set(said.odds)
    assert all(said.reply[place] in "12345" for place in said.odds)


def test_odds_are_those_of_the_whole_distribution(answering: VideoScore2) -> None:
    """One pass over prompt and reply by the library gives the same."""
    vlm = answering._speaking()
    given = vlm.given(pictures(4), 4, 2.0, answering._prompt.filled(TEXT))
    said = vlm.replied(given, 100, 0.0, 0)
    reply = vlm._written(given, 100, temperature=0.0, seed=0)
    ids = torch.cat([given["input_ids"], torch.tensor([reply])], 1)
    more = given | {
        "input_ids": ids,
        "attention_mask": torch.ones_like(ids),
        "mm_token_type_ids": (ids == vlm._model.config.video_token_id).int() * 2,
    }
    with torch.inference_mode():
        logits = vlm._model(**more).logits[0]
    digits = vlm._tokenizer.convert_tokens_to_ids(list("12345"))
    at = given["input_ids"].shape[1] - 1 + reply.index(digits[3])
    expected = logits[at].float().softmax(-1)[digits].tolist()
    assert said.odds[said.reply.index("4")] == pytest.approx(expected, abs=1e-5)
    assert sum(expected) < 1


def test_odds_do_not_hang_on_the_temperature(random: VideoScore2) -> None:
    vlm = random._speaking()
    given = vlm.given(pictures(2), 2, 2.0, "So?")
    first = []
    for temperature in (0.0, 0.3, 1.5):
        odds = videoscore2._Odds(vlm._tokenizer.convert_tokens_to_ids(list("12345")))
        vlm._written(given, 2, temperature=temperature, seed=1, watching=[odds])
        first.append(odds.seen[0])
    assert torch.equal(first[0], first[1])
    assert torch.equal(first[0], first[2])


def test_greedy_replies_are_the_same_and_drawn_ones_go_by_the_seed(random: VideoScore2) -> None:
    shown = pictures(4)

    def reply(temperature: float, seed: int) -> str:
        how = {"temperature": temperature, "seed": seed, "most_tokens": 10}
        return random.review(shown, 4, 2.0, TEXT, **how).reply

    assert reply(0.0, 1) == reply(0.0, 2)
    assert reply(1.0, 7) == reply(1.0, 7)
    assert len({reply(1.0, seed) for seed in range(4)}) > 1


def test_half_precision_says_the_same(answering: VideoScore2, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a graphics card; the tiny model's next token is far ahead of the others."""
    monkeypatch.setattr("longtake.models.local_vlm.runs_on", lambda: "cpu bfloat16")
    half = VideoScore2(answering._path)
    said = half.review(pictures(4), 4, 2.0, TEXT, most_tokens=40)
    assert half._speaking()._model.dtype == torch.bfloat16
    assert said.reply == "".join(ANSWER)


def test_a_reply_that_is_cut_off_is_not_finished(answering: VideoScore2) -> None:
    said = answering.review(pictures(2), 2, 2.0, TEXT, most_tokens=3)
    assert not said.finished
    assert said.reply == "".join(ANSWER[:3])


def test_pictures_and_rate_matter(random: VideoScore2) -> None:
    shown = pictures(4)
    vlm = random._speaking()

    def logits(film: list[Any], rate: float) -> Any:
        with torch.inference_mode():
            return vlm._model(**vlm.given(film, len(film), rate, "So?")).logits[0, -1]

    first = logits(shown, 2.0)
    assert torch.equal(logits(shown, 2.0), first)
    for other in (logits(shown[::-1], 2.0), logits(shown, 0.5), logits([*shown[:3], shown[0]], 2.0)):
        assert (other - first).abs().max() > 1e-4


def test_pictures_of_another_size_are_brought_to_the_first(random: VideoScore2) -> None:
    given = random._speaking().given([*pictures(1), *pictures(1, size=(90, 160))], 2, 2.0, "So?")
    assert given["video_grid_thw"][0, 0] == 1


def test_what_does_not_fit_and_what_is_missing(random: VideoScore2, tmp_path: Path) -> None:
    with pytest.raises(BackendError, match="do not fit the model"):
        random.review(pictures(2), 2, 2.0, TEXT, most_tokens=10_000)
    with pytest.raises(BackendError, match="no pictures"):
        random.review([], 0, 2.0, TEXT, most_tokens=10)
    with pytest.raises(BackendError, match=r"no config\.json"):
        VideoScore2(tmp_path)
    with pytest.raises(BackendError, match="no single prompt with one"):
        VideoScore2(saved(tmp_path / "other", prompt="Look."))
    folder = saved(tmp_path / "cut")
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(BackendError, match="cannot be read"):
        VideoScore2(folder)
    save(tmp_path / "three", "qwen3_vl")
    with pytest.raises(BackendError, match="a model of the kind qwen3_vl"):
        VideoScore2(tmp_path / "three")


def test_memory_that_runs_out_is_told_in_one_line(
    answering: VideoScore2, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory.\nMore lines")

    monkeypatch.setattr(answering._speaking()._model, "generate", full)
    with pytest.raises(BackendError, match="memory ran out") as caught:
        answering.review(pictures(2), 2, 2.0, TEXT, most_tokens=10)
    assert "\n" not in caught.value.message


def test_the_evaluator_keeps_its_promises_on_a_tiny_model(tmp_path: Path) -> None:
    from longtake.testing import check_evaluator

    folder = saved(tmp_path / "answering", ANSWER, length=16_384)  # the longest reply has to fit
    checked = check_evaluator("videoscore2", models={"videoscore2": f"videoscore2:{folder}"})
    assert "videoscore2" in checked.scored["whole"]
    assert "physical_consistency" in checked.scored["one black frame without sound"]
    assert checked.scored["no brief"] == ()
