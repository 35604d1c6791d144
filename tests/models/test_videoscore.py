"""VideoScore on a tiny model of random weights, saved in the form of the release.

Skipped where the extra ``torch`` is not installed. What the real weights say is not shown here: that the
form is read, whole or not at all, and that the numbers are those of the library's own parts, is.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from longtake.errors import BackendError

torch = pytest.importorskip("torch", reason="the extra torch is not installed")
transformers = pytest.importorskip("transformers", reason="the extra torch is not installed")

from tiny_videoscore import LATENTS, MARKS, PROMPT, pictures, save_videoscore  # noqa: E402

from longtake.models.trained_prompt import trained_prompt  # noqa: E402
from longtake.models.videoscore import DIMENSIONS, HOLE, VideoScore  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")
TEXT = "a red door, then the sea"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_videoscore(tmp_path_factory.mktemp("models") / "one")


@pytest.fixture(scope="module")
def model(folder: Path) -> VideoScore:
    return VideoScore(folder)


def by_the_library(folder: Path, shown: list[Any], text: str) -> tuple[list[int], list[float]]:
    """The released way: processor, whole model, and a linear head on the last token."""
    from PIL import Image
    from safetensors.torch import load_file

    weights = load_file(folder / "model.safetensors")
    body = transformers.Idefics2Model(transformers.Idefics2Config.from_pretrained(folder)).eval()
    body.load_state_dict(
        {n.removeprefix("model."): w for n, w in weights.items() if n.startswith("model.")}, strict=True
    )
    processor = transformers.Idefics2Processor(
        transformers.AutoImageProcessor.from_pretrained(folder, backend="pil"),
        transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json")),
        image_seq_len=LATENTS,
    )
    prompt = PROMPT.format(text_prompt=text) + "<image> " * len(shown)
    images = [Image.fromarray(np.ascontiguousarray(picture[..., ::-1])) for picture in shown]
    inputs = processor(text=prompt, images=images, return_tensors="pt")
    given = {k: inputs[k] for k in ("input_ids", "attention_mask", "pixel_values", "pixel_attention_mask")}
    with torch.inference_mode():
        last = body(**given).last_hidden_state[:, -1]
        scores = torch.nn.functional.linear(last, weights["score.weight"], weights["score.bias"])
    return inputs["input_ids"][0].tolist(), scores[0].tolist()


def test_scores_are_those_of_the_librarys_own_parts(folder: Path, model: VideoScore) -> None:
    shown = pictures(3)
    ids, scores = by_the_library(folder, shown, TEXT)
    found = model.rate(shown, TEXT)
    assert model.ids(TEXT, 3) == ids
    assert found.tokens == len(ids)
    assert found.scores == pytest.approx(scores, abs=1e-5)
    assert len(found.scores) == 5
    assert found.left_out == 0


def test_pixels_are_as_the_settings_of_the_folder_say(model: VideoScore) -> None:
    """By hand: (x / 255 - .5) / .5, RGB, for a picture that needs no scaling."""
    shown = pictures(1, size=(28, 42))[0]
    from longtake.models.torch_loading import image

    found = model._pictures(images=[[image(shown)]], return_tensors="pt")["pixel_values"][0, 0].numpy()
    by_hand = (shown[..., ::-1].transpose(2, 0, 1) / 255.0 - 0.5) / 0.5
    assert np.allclose(found, by_hand, atol=1e-6)


def test_channels_order_and_text_count(model: VideoScore) -> None:
    shown = pictures(3)
    first = model.rate(shown, TEXT).scores
    assert model.rate(iter(shown), TEXT).scores == first  # the same again, from an iterator
    for other in (
        model.rate([picture[..., ::-1].copy() for picture in shown], TEXT),
        model.rate(shown[::-1], TEXT),
        model.rate(shown, "the sea"),
        model.rate(shown[:2], TEXT),
    ):
        assert max(abs(a - b) for a, b in zip(other.scores, first, strict=True)) > 1e-4


def test_a_picture_is_seen_alike_beside_any_other(model: VideoScore) -> None:
    """Of another size too: in a batch of the library the smaller one would be padded."""
    one, large = pictures(1)[0], pictures(1, size=(60, 130))[0]
    with torch.inference_mode():
        alone = model._seen(one)
        assert alone.shape == (LATENTS, 32)
        model._seen(large)
        assert torch.equal(model._seen(one), alone)
    assert len(model.rate([large, one], TEXT).scores) == 5


def test_loading_again_gives_the_same(folder: Path, model: VideoScore, tmp_path: Path) -> None:
    shown = pictures(2)
    first = model.rate(shown, TEXT).scores
    assert VideoScore(folder).rate(shown, TEXT).scores == first
    parted = save_videoscore(tmp_path / "parts", parts=3)
    assert VideoScore(parted).rate(shown, TEXT).scores == pytest.approx(first, abs=1e-6)


def test_half_precision_is_near(folder: Path, model: VideoScore, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a graphics card: bfloat16 keeps 8 bits, and errors of a few layers add up."""
    monkeypatch.setattr("longtake.models.videoscore.runs_on", lambda: "cpu bfloat16")
    half = VideoScore(folder)
    shown = pictures(3)
    found, exact = half.rate(shown, TEXT).scores, model.rate(shown, TEXT).scores
    assert half._model.dtype == torch.bfloat16
    assert found != exact
    assert found == pytest.approx(exact, abs=0.1)


def test_settings_as_they_were_written_in_2024_are_read(model: VideoScore, tmp_path: Path) -> None:
    """Kinds of the parts as transformers 4.41 named them, and the processor's class beside its values."""
    folder = save_videoscore(tmp_path / "old")
    said = json.loads((folder / "config.json").read_text())
    said["vision_config"]["model_type"] = said["perceiver_config"]["model_type"] = "idefics2"
    said |= {"problem_type": "regression", "torch_dtype": "bfloat16", "transformers_version": "4.41.2"}
    said.pop("dtype", None)
    (folder / "config.json").write_text(json.dumps(said))
    there = folder / "preprocessor_config.json"
    there.write_text(json.dumps(json.loads(there.read_text()) | {"processor_class": "Idefics2Processor"}))
    shown = pictures(2)
    assert VideoScore(folder).rate(shown, TEXT).scores == model.rate(shown, TEXT).scores


@pytest.mark.parametrize("mark", [*MARKS, "<s>", "</s>", "<unk>"])
def test_no_text_becomes_a_mark(mark: str, model: VideoScore) -> None:
    known = {model._tokenizer.token_to_id(one) for one in (*MARKS, "<s>", "</s>", "<unk>")}
    plain = [one for one in model.ids("a door", 2) if one in known]
    assert [one for one in model.ids(f"a {mark}door{mark * 2}", 2) if one in known] == plain
    assert len(model.rate(pictures(2), mark).scores) == 5


def test_a_long_text_is_cut_to_fit_and_said(model: VideoScore) -> None:
    shown, text = pictures(2), "a door and the sea " * 20
    whole = model.rate(shown, text)
    cut = model.rate(shown, text, 200)
    assert whole.left_out == 0
    assert whole.tokens > 400
    assert cut.tokens == 200  # one character is one token here
    kept = text[: len(text) - cut.left_out]
    assert cut.left_out > 0
    assert model.rate(shown, kept).scores == cut.scores
    assert model.rate(shown, text, 10**6).scores == whole.scores


def test_more_than_the_model_holds_is_an_error(model: VideoScore) -> None:
    with pytest.raises(BackendError, match="80 pictures and the prompt are more than 512 tokens"):
        model.rate(pictures(80), "x")
    with pytest.raises(BackendError, match="no pictures"):
        model.rate([], "x")


def test_memory_that_runs_out_is_told_in_one_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = VideoScore(folder)

    def full(*_: Any, **__: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20 GiB.\nMore lines")

    monkeypatch.setattr(model, "_seen", full)
    with pytest.raises(BackendError, match="memory ran out") as caught:
        model.rate(pictures(1), "x")
    assert "\n" not in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"head": False}, "has no head of scores"),
        ({"outputs": 7}, r"score.weight has the shape \(7, 32\), not \(5, 32\)"),
        ({"prompt": None}, "lacks the prompt"),
        ({"prompt": "no place for it"}, "no single prompt with one"),
        ({"prompt": "{text_prompt} {text_prompt}"}, "no single prompt with one"),
    ],
)
def test_folders_that_are_no_videoscore(how: dict[str, Any], says: str, tmp_path: Path) -> None:
    with pytest.raises(BackendError, match=says) as caught:
        VideoScore(save_videoscore(tmp_path / "bad", **how))
    assert "\n" not in caught.value.message


def test_cut_off_or_missing_weights_are_found_before_loading(tmp_path: Path) -> None:
    file = save_videoscore(tmp_path / "cut") / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-1000])
    with pytest.raises(BackendError, match="cannot be read"):
        VideoScore(tmp_path / "cut")
    parted = save_videoscore(tmp_path / "parts", parts=2)
    next(parted.glob("model-00002*")).unlink()
    with pytest.raises(BackendError, match=r"model-00002-of-00002\.safetensors is missing"):
        VideoScore(parted)
    index = save_videoscore(tmp_path / "lies", parts=2) / "model.safetensors.index.json"
    said = json.loads(index.read_text())
    said["weight_map"]["model.more"] = "model-00001-of-00002.safetensors"
    index.write_text(json.dumps(said))
    with pytest.raises(BackendError, match=r"1 weights are missing, model\.more among them"):
        VideoScore(index.parent)


def test_a_body_without_all_its_weights_is_refused(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    file = save_videoscore(tmp_path / "some") / "model.safetensors"
    weights = load_file(file)
    del weights["model.text_model.norm.weight"]
    save_file(weights, file, {"format": "pt"})
    with pytest.raises(BackendError, match=r"1 weights are missing, text_model\.norm\.weight"):
        VideoScore(tmp_path / "some").rate(pictures(1), "x")


def test_other_folders(tmp_path: Path) -> None:
    with pytest.raises(BackendError, match=r"no config\.json"):
        VideoScore(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "qwen2_5_vl"}')
    with pytest.raises(BackendError, match="a model of the kind qwen2_5_vl"):
        VideoScore(tmp_path)


def test_the_prompt_comes_from_the_release_where_there_is_no_file(tmp_path: Path) -> None:
    folder = save_videoscore(tmp_path / "released", prompt=None)
    code = f'text\n```python\n"""how to"""\nPROMPT = """{PROMPT}"""\nX = """\nscores\n"""\n```\n'
    (folder / "README.md").write_text(code)
    assert trained_prompt(folder, HOLE).text == PROMPT
    assert trained_prompt(folder, HOLE).filled("x{y}") == PROMPT.replace(HOLE, "x{y}")
    first = VideoScore(folder).prompt
    (folder / "prompt.txt").write_text(PROMPT + " ")
    assert VideoScore(folder).prompt != first
    (folder / "prompt.txt").unlink()
    (folder / "README.md").write_text(code + f'"""another {HOLE}"""')
    with pytest.raises(BackendError, match="no single prompt with one"):
        VideoScore(folder)
    (folder / "README.md").write_text("nothing")
    (folder / "run_videoscore.py").write_text(f'raise SystemExit\nPROMPT = """{PROMPT}"""\n')
    assert VideoScore(folder).prompt == first


def test_the_evaluator_keeps_its_promises_on_a_tiny_model(folder: Path) -> None:
    from longtake.testing import check_evaluator

    checked = check_evaluator("videoscore", models={"videoscore": f"videoscore:{folder}"})
    assert "videoscore" in checked.scored["whole"]
    assert "factual_consistency" in checked.scored["one black frame without sound"]
    assert checked.scored["no brief"] == ()


def test_a_film_is_scored_from_its_frames_and_its_text(folder: Path, tmp_path: Path) -> None:
    """The whole road against the model itself on the frames that it should be shown."""
    import longtake
    from longtake.media.open import open_video
    from longtake.media.read import Picture, ReadReport, read
    from longtake.testing.films import brief_for, films

    film = films(tmp_path).shots
    given = {"models": {"videoscore": f"videoscore:{folder}"}, "settings": {"videoscore.frames": "6"}}
    document = longtake.score(film, ["videoscore"], brief=brief_for(), **given)
    found = {m.name: m for m in document.results[0].measurements}
    seen = [one for one in read(open_video(film), ReadReport(), sound=False) if isinstance(one, Picture)]
    from longtake.media.planes import bgr_of

    shown = [bgr_of(seen[i].image, seen[i].image.width, 0) for i in (0, 8, 16, 24, 32, 40)]
    text = " ".join(shot.text for shot in brief_for().shots)
    expected = VideoScore(folder).rate(shown, text)
    assert [found[name].value for name in DIMENSIONS] == pytest.approx(expected.scores, abs=1e-5)
    assert found["videoscore"].facts["tokens"] == expected.tokens
    again = longtake.score(film, ["videoscore"], brief=brief_for(), **given)
    assert again.results == document.results
