"""Every file of the test media's ``7_prompts``, checked against its raw content."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from longtake.briefs import read_brief
from longtake.errors import InputError

pytestmark = pytest.mark.media
FOLDER = Path(os.environ.get("LONGTAKE_TEST_MEDIA") or "/nonexistent") / "7_prompts"


def _files(pattern: str) -> list[str]:
    return sorted(path.name for path in FOLDER.glob(pattern)) or ["(no media)"]


@pytest.fixture
def prompts(media: Path) -> Path:
    return media / "7_prompts"


@pytest.mark.parametrize("name", [n for n in _files("vimax_*.json") if "index" not in n])
def test_vimax(prompts: Path, name: str) -> None:
    raw = json.loads((prompts / name).read_text(encoding="utf-8"))
    expected = [(str(s["scene_num"]), shot) for s in raw["scenes"] for shot in s["shots"]]
    brief = read_brief(prompts / name)
    assert brief.source == "vimax"
    assert brief.instruction == raw["story_overview"].strip()
    assert [s.index for s in brief.shots] == list(range(len(expected)))
    for shot, (scene, source) in zip(brief.shots, expected, strict=True):
        assert (shot.scene, shot.id) == (scene, str(source["shot_id"]))
        assert shot.text == source["video_prompt"].strip()
        assert shot.extra["first_frame"] == source["first_frame"].strip()
        assert shot.start is None
        assert shot.end is None
    assert len(brief.consistency) == 1
    assert brief.extra["metadata"] == raw["metadata"]
    assert [n.path for n in brief.notes] == ["metadata"]


def test_the_index_is_no_brief(prompts: Path) -> None:
    with pytest.raises(InputError, match="index of 35 scripts") as caught:
        read_brief(prompts / "vimax_benchmark_index.json")
    assert "typeA.json" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("fetv_data.json", 619),
        ("storyeval_all_prompts.json", 423),
        ("vbench2_Complex_Landscape.json", 30),
        ("vbench2_Complex_Plot.json", 60),
    ],
)
def test_suites_say_what_they_are(prompts: Path, name: str, count: int) -> None:
    with pytest.raises(InputError, match=f"holds {count} prompts") as caught:
        read_brief(prompts / name)
    assert f"{name}#0" in (caught.value.hint or "")
    assert read_brief(f"{prompts / name}#{count - 1}").instruction
    with pytest.raises(InputError, match=f"no prompt '{count}'"):
        read_brief(f"{prompts / name}#{count}")


def test_an_entry_of_storyeval(prompts: Path) -> None:
    raw = json.loads((prompts / "storyeval_all_prompts.json").read_text(encoding="utf-8"))
    key = list(raw)[7]
    for chosen in (key, key.removesuffix(".mp4"), "7"):
        brief = read_brief(f"{prompts / 'storyeval_all_prompts.json'}#{chosen}")
        assert brief.instruction == raw[key]["prompt"]
        assert [a.text for a in brief.acts] == raw[key]["event_list"]
        assert brief.shots == []
        assert brief.extra["class"] == raw[key]["class"]


def test_an_entry_of_fetv_by_its_video_id(prompts: Path) -> None:
    lines = (prompts / "fetv_data.json").read_text(encoding="utf-8").splitlines()
    raw = json.loads(lines[1])
    brief = read_brief(f"{prompts / 'fetv_data.json'}#{raw['video_id']}")
    assert (brief.instruction, brief.id) == (raw["prompt"], raw["video_id"])


def _raw_part(path: Path) -> list[dict[str, object]]:
    text = path.read_text(encoding="utf-8").rstrip("\x00")
    return list(json.loads(re.sub(r",(\s*[}\]])", r"\1", text)))


@pytest.mark.parametrize("name", [n for n in _files("vlogger_*.txt") if "story" not in n])
def test_a_vlogger_part_alone(prompts: Path, name: str) -> None:
    raw = _raw_part(prompts / name)
    brief = read_brief(prompts / name)
    assert brief.source == "vlogger"
    if name.endswith("protagonists_places.txt"):
        assert [c.name for c in brief.characters] == [item["name"] for item in raw]
        return
    assert len(brief.shots) == len(raw)
    first = next(iter(raw[0].values()))
    assert brief.shots[0].id == str(first)
    if name.endswith("time_scripts.txt"):
        assert brief.planned_duration == sum(float(str(item["time"])) for item in raw)
    if "zh_" in name:
        assert brief.language == "zh"
        assert [s.text for s in brief.shots] == [item["描述"] for item in raw]


def test_the_vlogger_story_is_a_prompt(prompts: Path) -> None:
    path = prompts / "vlogger_teddy_story.txt"
    brief = read_brief(path)
    assert (brief.source, brief.shots) == ("text", [])
    assert brief.instruction == path.read_text(encoding="utf-8").strip()


def test_the_vlogger_script_joined(prompts: Path) -> None:
    brief = read_brief(prompts)
    pictures = _raw_part(prompts / "vlogger_teddy_video_prompts.txt")
    spoken = _raw_part(prompts / "vlogger_teddy_audio_prompts.txt")
    times = _raw_part(prompts / "vlogger_teddy_time_scripts.txt")
    assert [s.text for s in brief.shots] == [p["video fragment description"] for p in pictures]
    assert [s.narration for s in brief.shots] == [
        s["video fragment description"] for s in spoken[: len(pictures)]
    ]
    assert [s.duration for s in brief.shots] == [float(str(t["time"])) for t in times]
    assert brief.shots[6].characters == ["Eiffel Tower"]
    assert brief.shots[2].characters == []
    assert brief.sound.narration is True
    assert brief.sound.dialogue is None
    assert "Once upon a time" in (brief.instruction or "")
    ends = [s.end for s in brief.shots]
    assert ends[-1] == brief.planned_duration == sum(float(str(t["time"])) for t in times)
    paths = [n.path for n in brief.notes]
    assert "vlogger_teddy_audio_prompts.txt[23]" in paths, "the 24th line has no picture and must be told"


def test_a_real_vtt(media: Path) -> None:
    brief = read_brief(media / "2_speaking" / "mdn_friday.vtt")
    assert brief.source == "vtt"
    assert brief.shots == []
    assert brief.sound.dialogue is True
    assert brief.planned_duration is None
    assert [s.text for s in brief.lines][:2] == ["Hildy!", "How are you?"]
    assert (brief.lines[0].start, brief.lines[0].end) == (0.0, 0.999)
    assert brief.lines[0].extra == {"settings": "line:80%"}
