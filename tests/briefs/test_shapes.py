"""One small example of each shape, and what must come out of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from longtake.briefs import read_brief, read_brief_text, read_brief_value
from longtake.core.brief import Brief
from longtake.errors import InputError

NESTED: dict[str, Any] = {
    "meta_id": "m-7",
    "sample_id": "s-7",
    "duration_sec": 12,
    "video_type": "narrative/story",
    "main_instruction": "A letter arrives late.",
    "language": "en",
    "variant_type": "long",
    "modality_details": {
        "text": {
            "story_arc": {
                "act1_setup": "A post van.",
                "act2_conflict": "Rain.",
                "act3_resolution": "The letter.",
            },
            "script": [
                {"shot_id": 1, "duration": "4s", "dialogue": "Anything for me?", "narration": None},
                {"shot_id": 2, "duration": 3, "narration": "Nothing, again."},
                {"shot_id": 4, "duration": 5, "dialogue": [{"speaker": "Ada", "text": "At last."}]},
            ],
            "tone_requirements": "quiet",
        },
        "visual": {
            "shots": [
                {"shot_id": 1, "action": "A van stops.", "camera_movement": "pan left", "lighting": "dawn"},
                {"shot_id": 2, "action": "A door closes.", "foo": {"bar": 1}},
                {"shot_id": 3, "action": "Rain on glass."},
            ],
            "camera_requirements": ["one slow push-in"],
            "consistency_requirements": ["the red coat"],
        },
        "audio": {
            "dialogue": True,
            "lip_sync": "required",
            "bgm_style": "solo piano",
            "sound_effects": ["rain", "engine"],
            "tone_control": "soft",
            "multi_language": ["en", "fr"],
            "loudness": "low",
        },
    },
}


def test_directorbench_nested() -> None:
    brief = read_brief_value(NESTED)
    assert brief.source == "directorbench"
    assert (brief.id, brief.duration, brief.language) == ("m-7", 12.0, "en")
    assert [s.id for s in brief.shots] == ["1", "2", "4", "3"]
    first, second, fourth, third = brief.shots
    assert (first.text, first.camera, first.lighting) == ("A van stops.", "pan left", "dawn")
    assert (first.dialogue, first.duration, first.start) == ("Anything for me?", 4.0, None)
    assert second.narration == "Nothing, again."
    assert second.extra == {"foo": {"bar": 1}}
    assert fourth.dialogue == "Ada: At last."
    assert third.duration is None
    assert [a.name for a in brief.acts] == ["act1_setup", "act2_conflict", "act3_resolution"]
    assert brief.consistency == ["the red coat"]
    assert brief.camera == ["one slow push-in"]
    sound = brief.sound
    assert (sound.dialogue, sound.narration, sound.lip_sync) == (True, True, True)
    assert (sound.music, sound.tone, sound.languages) == ("solo piano", "soft", ["en", "fr"])
    assert sound.sound_effects == ["rain", "engine"]
    assert sound.extra == {"loudness": "low"}
    paths = {n.path for n in brief.notes}
    assert "modality_details.visual.shots[1].foo" in paths
    assert "modality_details.audio.loudness" in paths
    assert any(
        "script only" in n.message and n.path == "modality_details.text.script[2]" for n in brief.notes
    )
    assert any("no script" in n.message and n.path == "modality_details.visual.shots[2]" for n in brief.notes)


def test_directorbench_flat() -> None:
    brief = read_brief_value(
        {
            "video_id": "v1",
            "video_path": "a.mp4",
            "prompt": "Two dogs meet.",
            "duration_seconds": 6,
            "model_name": "m",
            "has_audio": False,
            "shot_descriptions": [
                {
                    "shot_index": 0,
                    "start_time": 0,
                    "end_time": 2.5,
                    "camera_type": "wide",
                    "description": "A park.",
                },
                {
                    "shot_index": 1,
                    "start_time": "00:02.5",
                    "end_time": "6s",
                    "description": "They run.",
                    "characters": ["Rex", {"name": "Bo"}],
                },
            ],
        }
    )
    assert (brief.source, brief.id, brief.duration) == ("directorbench-flat", "v1", 6.0)
    assert [(s.start, s.end, s.camera) for s in brief.shots] == [(0.0, 2.5, "wide"), (2.5, 6.0, None)]
    assert brief.shots[1].characters == ["Rex", "Bo"]
    assert brief.extra == {"video_path": "a.mp4", "model_name": "m", "has_audio": False}
    assert {n.path for n in brief.notes} == {"video_path", "model_name", "has_audio"}


@pytest.mark.parametrize(
    "value",
    [
        ["A red boat.", "A gull.", "The harbour."],
        {"prompts": ["A red boat.", "A gull.", "The harbour."]},
        {"shots": [{"prompt": "A red boat."}, "A gull.", {"text": "The harbour."}]},
        {
            "shot_prompts": [
                {"video_prompt": "A red boat."},
                {"caption": "A gull."},
                {"content": "The harbour."},
            ]
        },
    ],
)
def test_lists_of_shot_prompts(value: object) -> None:
    brief = read_brief_value(value)
    assert brief.source == "shot-list"
    assert [s.text for s in brief.shots] == ["A red boat.", "A gull.", "The harbour."]
    assert all(s.start is None and s.end is None and s.duration is None for s in brief.shots)
    assert brief.planned_duration is None


@pytest.mark.parametrize(
    "text",
    [
        "1. A red boat.\n2. A gull.\n   It cries.\n3. The harbour.",
        "1) A red boat.\n\n2) A gull.\nIt cries.\n\n3) The harbour.\n",
        "Shot 1: A red boat.\nShot 2: A gull.\nIt cries.\nShot 3: The harbour.",
        "**Shot 1**: A red boat.\n".replace("**", "") + "shot 2 - A gull.\nIt cries.\nSHOT 3: The harbour.",
    ],
)
def test_numbered_text(text: str) -> None:
    brief = read_brief_text(text)
    assert brief.source == "shot-list"
    assert [s.text for s in brief.shots] == ["A red boat.", "A gull.\nIt cries.", "The harbour."]
    assert [s.id for s in brief.shots] == ["1", "2", "3"]
    assert brief.instruction is None


def test_numbered_text_with_times_scenes_and_an_introduction() -> None:
    brief = read_brief_text(
        "A day at sea.\n\nScene 1: Day\nShot 1 (0:00-0:04): A red boat.\nShot 2 (0:04 - 0:06.5): A gull.\n"
        "Scene 2: Night\nShot 1 (6.5s to 8s): Stars."
    )
    assert brief.instruction == "A day at sea."
    assert [(s.id, s.scene, s.start, s.end) for s in brief.shots] == [
        ("1.1", "1", 0.0, 4.0),
        ("1.2", "1", 4.0, 6.5),
        ("2.1", "2", 6.5, 8.0),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "A man walks through 3 rooms.\n\nThen it rains. He leaves at 10.",
        "Scene: a beach at noon",
        "[wide shot] a beach at noon",
        "{a beach} at noon",
        "In 2024. A beach.\nIn 2025. Another beach.",
        "<b>bold</b> words stay text",
        "start, end and text are the words on screen, end",
    ],
)
def test_prose_is_an_instruction(text: str) -> None:
    brief = read_brief_text(text)
    assert (brief.source, brief.instruction, brief.shots) == ("text", text, [])


def test_words_that_may_mean_something_else_are_left_alone() -> None:
    brief = read_brief_value(
        [
            {"shot": 1, "text": "Snow.", "time": "dawn", "from": "the left", "length": "short", "segment": 4},
            {"shot": "A sledge.", "time": [2, 3]},
            {"scene": "A hut", "length": "2s"},
            {"text": "Night.", "timestamp": "0:09"},
        ]
    )
    first, second, third, fourth = brief.shots
    assert (first.id, first.start, first.duration) == ("1", None, None)
    assert first.extra == {"time": "dawn", "from": "the left", "length": "short", "segment": 4}
    assert (second.text, second.start, second.end) == ("A sledge.", 2.0, 3.0)
    assert (third.text, third.scene, third.duration) == ("A hut", "A hut", 2.0)
    assert (fourth.start, fourth.end) == (9.0, None)


def test_timed_captions() -> None:
    brief = read_brief_value(
        [
            {"start": 0, "end": "00:00:05.500", "caption": "Snow."},
            {"start": "5.5", "end": 9, "text": "A sledge."},
            {"timestamp": [9, 12], "caption": "Home."},
        ]
    )
    assert brief.source == "captions"
    assert [(s.start, s.end, s.text) for s in brief.shots] == [
        (0.0, 5.5, "Snow."),
        (5.5, 9.0, "A sledge."),
        (9.0, 12.0, "Home."),
    ]
    assert brief.planned_duration == 12.0


def _vript_clip(number: int, **more: object) -> dict[str, object]:
    caption = {
        "shot_type": "Close-up",
        "camera_movement": "static",
        "content": f"c{number}",
        "scene_title": "Kitchen",
    }
    return {
        "video_id": "x",
        "clip_id": f"x-Scene-{number:03d}",
        "video_title": "T",
        "caption": caption,
        **more,
    }


def test_vript() -> None:
    clips = {
        "x-Scene-001": _vript_clip(1, voiceover=["Hello", "there"], start="00:00:00.000", end="00:00:02.500"),
        "x-Scene-002": _vript_clip(2, voiceover=[], start="00:00:02.500", end="00:00:04.000"),
    }
    meta = {"video_id": "x", "video_title": "Soup", "num_clips": 3, "integrity": False}
    brief = read_brief_value({"meta": meta, "data": clips})
    assert (brief.source, brief.id, brief.title) == ("vript", "x", "Soup")
    assert [s.id for s in brief.shots] == ["x-Scene-001", "x-Scene-002"]
    assert [s.text for s in brief.shots] == ["c1", "c2"]
    assert brief.shots[0].camera == "Close-up; static"
    assert brief.shots[0].scene == "Kitchen"
    assert brief.shots[0].narration == "Hello\nthere"
    assert (brief.shots[1].start, brief.shots[1].end) == (2.5, 4.0)
    assert {n.path for n in brief.notes} == {"meta.num_clips", "meta.integrity"}
    as_list = read_brief_value(
        {"meta": {**meta, "num_clips": 2, "integrity": True}, "clips": list(clips.values())}
    )
    assert as_list.shots == brief.shots
    assert as_list.notes == []


def test_vimax_numbers_that_begin_again() -> None:
    shot = {"shot_id": 1, "first_frame": "f", "video_prompt": "v"}
    script = {
        "story_overview": "o",
        "scenes": [{"scene_num": 1, "shots": [shot]}, {"scene_num": 2, "shots": [shot]}],
    }
    assert [s.id for s in read_brief_value(script).shots] == ["1.1", "2.1"]
    script["scenes"][0]["shots"].append(shot)  # type: ignore[index]
    with pytest.raises(InputError, match=r"scenes\[0\]\.shots\[1\].*id '1\.1'"):
        read_brief_value(script)


SRT = "1\n00:00:00,000 --> 00:00:02,500\n<i>Hello</i>\nworld\n\n2\n00:00:02,500 --> 00:00:04,000\nBye\n"
VTT = (
    "WEBVTT Kind: captions\n\nNOTE a remark\nof two lines\n\nSTYLE\n::cue { color: red }\n\nfirst\n"
    "00:00.000 --> 00:02.500 align:start\n<v Ada>Hello\nworld\n\n00:02.500 --> 00:04.000\nBye\n"
)


def test_subtitles() -> None:
    srt, vtt = read_brief_text(SRT), read_brief_text(VTT)
    assert (srt.source, vtt.source) == ("srt", "vtt")
    for brief in (srt, vtt):
        assert brief.shots == []
        assert brief.sound.dialogue is True
        assert any("2 cues were taken as lines" in n.message for n in brief.notes)
        assert [s.text for s in brief.lines] == ["Hello\nworld", "Bye"]
        assert [(s.start, s.end) for s in brief.lines] == [(0.0, 2.5), (2.5, 4.0)]
    assert [s.id for s in srt.lines] == ["1", "2"]
    assert [s.id for s in vtt.lines] == ["first", None]
    assert vtt.lines[0].speaker == "Ada"
    assert vtt.lines[0].extra == {"settings": "align:start"}
    assert read_brief_value(vtt.to_json()).lines == vtt.lines


def test_two_may_speak_at_once() -> None:
    both = "2\n00:00:01,000 --> 00:00:03,000\ny\n\n1\n00:00:00,000 --> 00:00:02,000\nx\n"
    brief = read_brief_text(both)
    assert [(s.start, s.text) for s in brief.lines] == [(0.0, "x"), (1.0, "y")]
    assert any(n.level == "warning" and "sorted" in n.message for n in brief.notes)


def test_srt_without_empty_lines() -> None:
    brief = read_brief_text("1\n00:00:00,0 --> 00:00:01,0\nA\n2\n00:00:01,0 --> 00:00:02,0\nB")
    assert [(s.id, s.text) for s in brief.lines] == [("1", "A"), ("2", "B")]


@pytest.mark.parametrize(
    "text",
    [
        'start,end,text\n0,2.5,Hello\n2.5,4,"Bye, all"\n',
        '0,2.5,Hello\n2.5,4,"Bye, all"\n',
        "start;end;text\n0,0;2,5;Hello\n2,5;4,0;Bye, all\n",
        "Start Time\tEnd\tCaption\n00:00:00.000\t00:00:02.500\tHello\n00:00:02.500\t00:00:04.000\tBye, all\n",
        'In,Out,Text\n0,2.5,Hello\n2.5,4,"Bye, all"\n',
        'text,end,start\nHello,2.5,0\n"Bye, all",4,2.5\n\n',
    ],
)
def test_tables(text: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.csv"
    path.write_text(text, encoding="utf-8")
    for brief in (read_brief(path), read_brief_text(text)):
        assert brief.source == "csv"
        assert [(s.start, s.end, s.text) for s in brief.shots] == [
            (0.0, 2.5, "Hello"),
            (2.5, 4.0, "Bye, all"),
        ]


def test_a_table_keeps_other_columns() -> None:
    brief = read_brief_text("start,end,text,mood\n0,1,A,calm\n1,2,B,\n")
    assert [s.extra for s in brief.shots] == [{"mood": "calm"}, {}]
    assert [n.path for n in brief.notes] == ["line 2.mood"]


def test_an_object_with_everything() -> None:
    brief = read_brief_value(
        {
            "title": "Sea",
            "prompt": "A day at sea.",
            "duration": "0:10",
            "characters": [{"name": "Ada", "description": "a sailor"}, "Rex"],
            "acts": ["out", {"name": "back", "text": "home"}],
            "sound": {"music": "none", "dialogue": "no"},
            "scenes": [{"title": "Port", "shots": ["A boat."]}, {"description": "A gull.", "duration": 3}],
            "weather": "rain",
        }
    )
    assert (brief.title, brief.instruction, brief.duration) == ("Sea", "A day at sea.", 10.0)
    assert [(c.name, c.description) for c in brief.characters] == [("Ada", "a sailor"), ("Rex", "")]
    assert [(a.name, a.text) for a in brief.acts] == [("act 1", "out"), ("back", "home")]
    assert [(s.text, s.scene, s.duration) for s in brief.shots] == [
        ("A boat.", "Port", None),
        ("A gull.", None, 3.0),
    ]
    assert brief.sound.dialogue is False
    assert brief.extra == {"weather": "rain"}
    assert [n.path for n in brief.notes] == ["weather"]


@pytest.mark.parametrize("ending", [".yaml", ".yml", ".txt"])
def test_any_json_shape_as_yaml(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"brief{ending}"
    path.write_text(yaml.safe_dump(NESTED, sort_keys=False), encoding="utf-8")
    assert read_brief(path) == read_brief_value(NESTED)


def test_yaml_traps() -> None:
    brief = read_brief_text(
        "title: no\nduration: 1:30\nshots:\n- {no: 1, start: 0:00, end: 1:00, text: on}\n"
        "- {no: 2, start: 1:00, end: 1:30, text: 2024-01-01, off: yes}\n"
    )
    assert (brief.title, brief.duration) == ("no", 90.0)
    assert [(s.id, s.start, s.end, s.text) for s in brief.shots] == [
        ("1", 0.0, 60.0, "on"),
        ("2", 60.0, 90.0, "2024-01-01"),
    ]
    assert brief.shots[1].extra == {"off": "yes"}


def test_content_decides_and_not_the_name(tmp_path: Path) -> None:
    for ending in (".txt", ".json", ".md", ""):
        path = tmp_path / f"x{ending}"
        path.write_text(json.dumps(["A.", "B."]), encoding="utf-8")
        assert read_brief(path).source == "shot-list"
    for ending in (".txt", ".csv", ".json.txt"):
        path = tmp_path / f"y{ending}"
        path.write_text(SRT, encoding="utf-8")
        assert read_brief(path).source == "srt"


def test_a_list_of_whole_briefs_is_a_collection(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    other = {**NESTED, "meta_id": "m-8"}
    path.write_text("\n".join(json.dumps(item) for item in (NESTED, other)), encoding="utf-8")
    with pytest.raises(InputError, match="holds 2 prompts"):
        read_brief(path)
    assert read_brief(f"{path}#m-8").id == "m-8"
    assert read_brief(f"{path}#1").id == "m-8"
    notes = read_brief(f"{path}#0").notes
    assert any(n.path == "[0].modality_details.visual.shots[1].foo" for n in notes)


def test_a_name_with_a_hash(tmp_path: Path) -> None:
    path = tmp_path / "take#2.json"
    path.write_text('["A.", "B."]', encoding="utf-8")
    assert len(read_brief(str(path)).shots) == 2
    with pytest.raises(InputError, match="nothing to choose"):
        read_brief(f"{path}#1")


def test_the_demo_brief() -> None:
    import longtake

    path = Path(longtake.__file__).parent / "data" / "demo-brief.json"
    brief = read_brief(path)
    assert isinstance(brief, Brief)
    assert brief.notes == []
    assert (len(brief.shots), brief.duration) == (6, 10.0)
    cuts = [30 / 25, 76 / 25, 137 / 25, 187 / 25, 242 / 25]
    planned = [s.start for s in brief.shots[1:]]
    off = [i for i, (plan, cut) in enumerate(zip(planned, cuts, strict=True)) if abs((plan or 0) - cut) > 0.5]
    assert off == [3], "one boundary is planned elsewhere on purpose, all others are where the cuts are"


def test_lines_that_are_said_are_read_beside_shots() -> None:
    said = [
        {"start": "0:03", "end": 4.5, "text": "Hello.", "speaker": "Anna"},
        {"start": 1, "duration": 1, "text": "Who is there?"},
    ]
    brief = read_brief_value({"instruction": "Two meet.", "lines": said, "shots": ["A door.", "A room."]})
    assert [(line.start, line.end, line.text, line.speaker) for line in brief.lines] == [
        (1, 2, "Who is there?", None),
        (3, 4.5, "Hello.", "Anna"),
    ]
    assert len(brief.shots) == 2
    assert "lines" not in brief.extra
    with pytest.raises(InputError, match="needs start and end"):
        read_brief_value({"instruction": "x", "lines": ["Hello."]})
