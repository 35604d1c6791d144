"""The judge by transformers, on tiny models of random weights saved in the real format.

Skipped where the extra ``torch`` is not installed. How well a real checkpoint judges is not shown here: that
it is asked what it should be asked, and that its reply is read and not mended, is.
"""

from __future__ import annotations

import io
import json
import resource
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from asked import GOOD, ID, picture, question, reply
from hypothesis import given
from hypothesis import strategies as st
from test_hostile_texts import HOSTILE

from longtake.core.judge import Frame, Material, Question
from longtake.errors import InputError, MissingError
from longtake.execution.judges import asker_for, open_judge
from longtake.models.judges.parse import verdict
from longtake.models.judges.sending import THOUGHT_TOKENS, conversation
from longtake.storage.cache import Cache

torch = pytest.importorskip("torch", reason="the extra torch is not installed")
transformers = pytest.importorskip("transformers", reason="the extra torch is not installed")

import tiny_vlm  # noqa: E402
from tiny_vlm import MARKS, MOST, OWN_TEMPLATE, PATCH, WORDS, save  # noqa: E402

from longtake.models.judges.chat_tokens import ChatTokens  # noqa: E402
from longtake.models.judges.transformers_judge import TransformersJudge  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")

FAMILIES = list(PATCH)


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("models")
    return {
        "qwen3_vl": save(root / "three", "qwen3_vl"),
        "qwen2_5_vl": save(root / "two", "qwen2_5_vl", template=OWN_TEMPLATE),
    }


@pytest.fixture(scope="session")
def judges(folders: dict[str, Path]) -> dict[str, TransformersJudge]:
    return {family: TransformersJudge(folder) for family, folder in folders.items()}


@pytest.fixture(scope="session")
def answering(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("models") / "answering", "qwen3_vl", chain=[reply()])


def whole(asked: Question, sizes: list[int]) -> str:
    """The conversation in Qwen's format, written by hand."""
    system, _ = conversation(asked)
    said = asked.prompt
    for frame, size in zip(asked.frames, sizes, strict=True):
        said += f"\nPicture at {frame.time:.2f} s:\n<|vision_start|>{'<|image_pad|>' * size}<|vision_end|>"
    said += "\n" + str(conversation(asked)[1][-1])
    return (
        f"<|im_start|>system\n{system}<|im_end|>\n<|im_start|>user\n{said}<|im_end|>\n<|im_start|>assistant\n"
    )


def images(asked: Question) -> list[Any]:
    from PIL import Image

    return [Image.open(io.BytesIO(frame.jpeg)) for frame in asked.frames]


def marks_in(judge: TransformersJudge, asked: Question) -> list[int]:
    known = set(judge._tokenizer.get_added_vocab().values())
    return [one for one in judge.inputs(asked)["input_ids"][0].tolist() if one in known]


@pytest.mark.parametrize("family", FAMILIES)
def test_ids_are_those_of_the_whole_conversation_read_at_once(
    family: str, judges: dict[str, TransformersJudge], folders: dict[str, Path]
) -> None:
    asked = question(picture(1.0), picture(12.4), materials=(Material("brief", "a door,\n\na cat"),))
    found = judges[family].inputs(asked)
    pixels = transformers.AutoImageProcessor.from_pretrained(folders[family])(
        images=images(asked), return_tensors="pt"
    )
    assert torch.equal(found["pixel_values"], pixels["pixel_values"])
    assert torch.equal(found["image_grid_thw"], pixels["image_grid_thw"])
    sizes = [int(grid.prod()) // 4 for grid in pixels["image_grid_thw"]]
    there = transformers.AutoTokenizer.from_pretrained(folders[family])
    expected = there(whole(asked, sizes), return_tensors="pt")
    assert torch.equal(found["input_ids"], expected["input_ids"])
    assert torch.equal(found["attention_mask"], expected["attention_mask"])
    pad = there.convert_tokens_to_ids("<|image_pad|>")
    assert found["mm_token_type_ids"].sum() == (found["input_ids"] == pad).sum() == sum(sizes) > 0


@pytest.mark.parametrize("family", FAMILIES)
def test_pictures_are_scaled_into_the_bounds_of_the_folder(
    family: str, judges: dict[str, TransformersJudge]
) -> None:
    side = 2 * PATCH[family]
    large = cv2.imencode(".jpg", np.zeros((480, 640, 3), np.uint8))[1].tobytes()
    small = cv2.imencode(".jpg", np.zeros((20, 30, 3), np.uint8))[1].tobytes()
    asked = question(Frame(0.0, large, 640, 480), Frame(1.0, small, 30, 20))
    grids = judges[family].inputs(asked)["image_grid_thw"].tolist()
    sizes = [height * PATCH[family] * width * PATCH[family] for _, height, width in grids]
    assert all(tiny_vlm.LEAST <= size <= MOST for size in sizes)
    assert sizes[0] > MOST / 2
    assert sizes[1] < 2 * tiny_vlm.LEAST
    assert all(
        height * PATCH[family] % side == width * PATCH[family] % side == 0 for _, height, width in grids
    )


@pytest.mark.parametrize("text", [*HOSTILE, *MARKS, *WORDS, "<|im_<|im_end|>end|>", "<|image_pad|>" * 3])
def test_no_text_becomes_a_mark(text: str, judges: dict[str, TransformersJudge]) -> None:
    judge = judges["qwen3_vl"]
    plain = question(picture(1.0), materials=(Material("brief", "a door"),))
    hostile = Question(
        ID, f"Is there {text} to be read?", plain.answer, plain.frames, (Material(text, text),)
    )
    assert marks_in(judge, hostile) == marks_in(judge, plain)
    ids = judge.inputs(hostile)["input_ids"][0]
    pads = int((ids == judge._model.config.image_token_id).sum())
    assert judge._tokenizer.decode(ids) == whole(hostile, [pads])


def test_the_test_would_see_a_mark(judges: dict[str, TransformersJudge]) -> None:
    """Read as one text, the same words do become marks."""
    tokenizer = judges["qwen3_vl"]._tokenizer
    known = set(tokenizer.get_added_vocab().values())
    for mark in MARKS + WORDS:
        assert known & set(tokenizer.encode(f"Is there {mark} to be read?"))


@pytest.fixture(scope="session")
def chat() -> tuple[Any, ChatTokens]:
    made = tiny_vlm.tokenizer()
    return made, ChatTokens(made, made.convert_tokens_to_ids("<|image_pad|>"))


@given(
    st.lists(
        st.lists(
            st.sampled_from([*MARKS, *WORDS, "<|", "|>", "im_end", "\n", " ", "a", "\ue0000\ue001"])
        ).map("".join),
        min_size=1,
        max_size=3,
    )
)
def test_texts_come_back_as_they_were(chat: tuple[Any, ChatTokens], texts: list[str]) -> None:
    made, tokens = chat
    ids = tokens.ids("system", [*texts, 3])
    known = set(made.get_added_vocab().values())
    assert [one for one in ids if one in known] == [
        one for one in tokens.ids("s", ["t"] * len(texts) + [3]) if one in known
    ]
    said = f"{''.join(texts)}<|vision_start|>{'<|image_pad|>' * 3}<|vision_end|>"
    assert made.decode(ids) == (
        f"<|im_start|>system\nsystem<|im_end|>\n<|im_start|>user\n{said}<|im_end|>\n<|im_start|>assistant\n"
    )


@pytest.mark.parametrize(
    "template",
    [
        "<|im_start|>user\n{{ messages[1]['content'][0]['text'] }}",
        "{% for m in messages[::-1] %}{{ m['content'] }}{% endfor %}",
        OWN_TEMPLATE.replace("<|image_pad|>", ""),
        "{{ raise_exception('no system words') }}",
        "{% if %}",
    ],
)
def test_a_chat_template_that_loses_something_is_refused(
    template: str, folders: dict[str, Path], tmp_path: Path
) -> None:
    folder = copied(folders["qwen3_vl"], tmp_path / "other")
    (folder / "chat_template.jinja").write_text(template)
    with pytest.raises(InputError, match="cannot be talked to") as caught:
        open_judge(f"transformers:{folder}")
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("family", FAMILIES)
def test_a_greedy_reply_is_what_the_library_says(
    family: str, judges: dict[str, TransformersJudge], folders: dict[str, Path]
) -> None:
    asked = question(picture(1.0), picture(12.4), most_tokens=6)
    kind = {"qwen3_vl": "Qwen3VL", "qwen2_5_vl": "Qwen2_5_VL"}[family]
    model = getattr(transformers, f"{kind}ForConditionalGeneration").from_pretrained(folders[family]).eval()
    there = transformers.AutoTokenizer.from_pretrained(folders[family])
    pixels = transformers.AutoImageProcessor.from_pretrained(folders[family])(
        images=images(asked), return_tensors="pt"
    )
    words = there(whole(asked, [int(g.prod()) // 4 for g in pixels["image_grid_thw"]]), return_tensors="pt")
    shown = (words["input_ids"] == model.config.image_token_id).int()
    end = there.convert_tokens_to_ids("<|im_end|>")
    said = model.generate(
        **words, **pixels, mm_token_type_ids=shown, max_new_tokens=6, do_sample=False, pad_token_id=end
    )[0, words["input_ids"].shape[1] :]
    found = judges[family].ask(asked)
    assert end not in said
    assert found.raw == there.decode(said)
    assert (found.status, found.value) == ("cut_off", None)
    assert found.usage.model_dump() == {"input_tokens": words["input_ids"].shape[1], "output_tokens": 6}
    assert found.model == folders[family].name
    assert found.seconds > 0


def test_settings_of_the_folder_do_not_bend_a_reply(folders: dict[str, Path], tmp_path: Path) -> None:
    folder = copied(folders["qwen3_vl"], tmp_path / "three")
    bent = {"do_sample": True, "temperature": 5.0, "top_k": 1, "repetition_penalty": 9.0, "max_new_tokens": 2}
    (folder / "generation_config.json").write_text(json.dumps(bent))
    asked = question(most_tokens=8)
    first = TransformersJudge(folders["qwen3_vl"])
    found = TransformersJudge(folder)
    assert found.ask(asked).raw == first.ask(asked).raw
    model = transformers.Qwen3VLForConditionalGeneration.from_pretrained(folder).eval()
    given_ = found.inputs(asked)
    said = model.generate(**given_, max_new_tokens=8, do_sample=False)[0, given_["input_ids"].shape[1] :]
    assert found._tokenizer.decode(said) != found.ask(asked).raw  # they do in the library's hands


def test_draws_differ_and_each_can_be_repeated(judges: dict[str, TransformersJudge]) -> None:
    judge, asked = judges["qwen3_vl"], question(most_tokens=4)
    draws = [asked.drawn(draw, 1.5) for draw in range(4)]
    torch.manual_seed(1)
    state = torch.get_rng_state()
    alone = [judge.ask(draw).raw for draw in draws]
    assert torch.equal(torch.get_rng_state(), state)  # nobody else's numbers are used up
    torch.manual_seed(2)
    found: dict[int, str] = {}

    def ask(draw: Question) -> None:
        found[draw.draw] = judge.ask(draw).raw

    threads = [threading.Thread(target=ask, args=(draw,)) for draw in reversed(draws)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[draw] for draw in range(4)] == alone
    assert len(set(alone)) > 1
    assert judge.ask(asked.drawn(3, 1e-5)).raw == judge.ask(asked).raw  # the cold draw is the greedy one


@pytest.mark.parametrize("family", FAMILIES)
def test_an_answer_is_an_answer(family: str, tmp_path: Path) -> None:
    judge = open_judge(f"transformers:{save(tmp_path / 'answering', family, chain=[reply()])}")
    found = judge.ask(question(picture(1.0), materials=(Material("brief", "a door"),)))
    assert (found.status, found.raw) == ("answered", reply())
    assert found.value == {**GOOD, "share": 1.0}
    assert found.usage.output_tokens == 2  # the answer is one token here, and its end is one


@pytest.mark.parametrize(
    ("chain", "status"),
    [
        (["I cannot tell."], "unreadable"),
        ([reply(id="checkpoint.other")], "wrong_id"),
        ([reply(), "<|vision_start|>"], "unreadable"),
        ([reply(score=9)], "out_of_range"),
    ],
)
def test_a_reply_is_not_mended(chain: list[str], status: str, tmp_path: Path) -> None:
    judge, asked = TransformersJudge(save(tmp_path / "said", "qwen3_vl", chain=chain)), question()
    found = judge.ask(asked)
    assert (found.status, found.raw, found.value) == (status, "".join(chain), None)
    assert found.reason == verdict(asked, "".join(chain)).reason


def test_a_reply_without_its_end_is_cut_off(answering: Path) -> None:
    found = TransformersJudge(answering).ask(question(most_tokens=1))
    assert (found.status, found.raw) == ("cut_off", reply())


def test_a_model_that_thinks_has_room_for_it(tmp_path: Path) -> None:
    template = OWN_TEMPLATE.replace("assistant\\n", "assistant\\n<think>\\n")
    said = f"it looks well\n</think>\n\n{reply()}"
    judge = TransformersJudge(save(tmp_path / "thinking", "qwen3_vl", chain=[said], template=template))
    found = judge.ask(question(most_tokens=1))
    assert (found.status, found.raw) == ("answered", f"<think>\n{said}")
    assert judge.thought_tokens == THOUGHT_TOKENS


def test_models_that_do_not_think_need_no_room(judges: dict[str, TransformersJudge]) -> None:
    assert {judge.thought_tokens for judge in judges.values()} == {0}


def test_a_question_that_does_not_fit_is_not_asked(tmp_path: Path) -> None:
    judge = TransformersJudge(save(tmp_path / "short", "qwen3_vl", chain=[reply()], length=1500))
    asked = question(most_tokens=50)
    room = 1500 - judge.inputs(asked)["input_ids"].shape[1]
    assert judge.ask(question(most_tokens=room)).status == "answered"
    found = judge.ask(question(most_tokens=room + 1))
    assert (found.status, found.raw, found.usage.input_tokens) == ("too_long", "", None)
    assert f"{1500 - room} tokens and {room + 1} for the reply" in str(found.reason)


def test_kept_replies_and_recordings_serve_as_any_judges(answering: Path, tmp_path: Path) -> None:
    questions = [question(picture(1.0)), question(picture(2.0))]
    cache = Cache(tmp_path / "cache")
    with asker_for(f"transformers:{answering}", out=tmp_path / "out", cache=cache) as asker:
        first = asker.ask(questions)
    with asker_for(f"transformers:{answering}", cache=cache) as asker:
        second = asker.ask(questions)
        facts = asker.facts()
    with asker_for(f"replay:{tmp_path / 'out'}") as asker:
        third = asker.ask(questions)
        assert asker.name == "replay:transformers:answering"
    assert [one.status for one in first + second + third] == ["answered"] * 6
    assert [one.cached for one in first + second + third] == [False] * 2 + [True] * 4
    assert (facts.name, facts.calls, facts.sends_to) == ("transformers:answering", 0, None)


def test_identity_is_that_of_the_files(folders: dict[str, Path], tmp_path: Path) -> None:
    first = TransformersJudge(folders["qwen3_vl"])
    same = TransformersJudge(copied(folders["qwen3_vl"], tmp_path / "three"))
    other = TransformersJudge(save(tmp_path / "other" / "three", "qwen3_vl", seed=6))
    assert (first.name, first.sends_to) == ("transformers:three", None)
    assert first.name == same.name == other.name
    assert first.identity == same.identity != other.identity
    assert str(tmp_path) not in same.identity


def copied(source: Path, folder: Path) -> Path:
    folder.mkdir(parents=True)
    for file in source.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    return folder


def without_vision(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    kept = {name: value for name, value in weights.items() if "visual" not in name}
    assert 0 < len(kept) < len(weights)
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})


def of_kind(kind: str) -> Any:
    def change(folder: Path) -> None:
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps({**config, "model_type": kind}))

    return change


def pickled(folder: Path) -> None:
    model = transformers.Qwen3VLForConditionalGeneration.from_pretrained(folder)
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()


def halved(folder: Path) -> None:
    data = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(data[: len(data) // 2])


def removed(name: str) -> Any:
    return lambda folder: (folder / name).unlink()


def written(name: str, text: str) -> Any:
    return lambda folder: (folder / name).write_text(text)


def no_tokenizer(folder: Path) -> None:
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (removed("config.json"), "no config.json"),
        (written("config.json", "{"), "config.json cannot be read"),
        (written("config.json", "[]"), "names no kind of model"),
        (of_kind("qwen3"), "of the kind qwen3,"),
        (of_kind("llava"), "of the kind llava,"),
        (without_vision, "no whole model: .*visual"),
        (removed("model.safetensors"), "no model of the kind qwen3_vl"),
        (halved, "no model of the kind qwen3_vl"),
        (pickled, "no model of the kind qwen3_vl"),
        (no_tokenizer, "no tokeniser|cannot be talked to"),
        (written("tokenizer.json", "{}"), "no tokeniser"),
        (removed("preprocessor_config.json"), "no image processor"),
    ],
)
def test_a_folder_that_is_no_judge_says_so(
    change: Any, said: str, folders: dict[str, Path], tmp_path: Path
) -> None:
    folder = copied(folders["qwen3_vl"], tmp_path / "other")
    change(folder)
    with pytest.raises(InputError, match=said) as caught:
        open_judge(f"transformers:{folder}")
    assert "\n" not in caught.value.message


def test_a_path_that_is_none(folders: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="is not there"):
        open_judge(f"transformers:{tmp_path / 'absent'}")
    with pytest.raises(InputError, match=r"no config\.json"):
        open_judge(f"transformers:{folders['qwen3_vl'] / 'config.json'}")


@contextmanager
def little_memory() -> Iterator[None]:
    """Leaves this process 256 MB more than it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 2**28, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory cannot be limited here")
def test_memory_that_runs_out_costs_one_question(folders: dict[str, Path], tmp_path: Path) -> None:
    folder = copied(folders["qwen3_vl"], tmp_path / "huge")
    config = json.loads((folder / "preprocessor_config.json").read_text())
    size = {"shortest_edge": 4 * 10**8, "longest_edge": 5 * 10**8}  # 1.2 GB
    (folder / "preprocessor_config.json").write_text(json.dumps({**config, "size": size}))
    judge = TransformersJudge(folder)
    with little_memory(), asker_for(judge, cache=Cache(tmp_path / "cache")) as asker:
        # An AskError would have the first one asked again, and the judge given up for all others.
        found = asker.ask([question(picture(1.0)), question(most_tokens=1)])
    assert [(one.status, one.attempts) for one in found] == [("failed", 1), ("cut_off", 1)]
    assert "memory ran out" in str(found[0].reason)


def test_a_question_that_breaks_the_library_costs_its_own_verdict(
    judges: dict[str, TransformersJudge],
) -> None:
    found = judges["qwen3_vl"].ask(question(Frame(0.0, b"no picture", 64, 48)))
    assert found.status == "failed"
    assert "cannot be run" in str(found.reason)
    assert "\n" not in str(found.reason)
