"""The same clips under other names, in other files, in another order, by more workers: the same values."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import av
import cv2
import pytest

import films
import longtake
from longtake.core.brief import Brief, PlannedShot
from longtake.core.case import Case
from longtake.core.measurement import Measurement
from longtake.evaluators.cards import card_of
from longtake.evaluators.registry import BUILT_IN
from longtake.storage.manifest import write_manifest

SAID = {
    "dc_guitar": (
        "A brown bear in the snow",
        "It plays a guitar",
        "A forest in winter",
        "A paw on the strings",
    ),
    "dc_train": (
        "An orange train",
        "A meadow with flowers",
        "Hills and a lake",
        'A sign that reads "STATION"',
    ),
    "lav_polar": ("A polar bear in a city", "It plays the drums", "Many signs", "Cars in a street"),
}
"""Clips of two seconds, and a text for each half second."""
SIGNED = "lav_polar"
"""The clip in which words are drawn, so that there are some to be read."""
OFFLINE = [
    name
    for name in BUILT_IN
    if not name.startswith(("rule.", "videoscore")) and not (card := card_of(name)).asks and not card.prefers
]
"""Evaluators of single films that need neither a judge nor a checkpoint of the user's own."""
OF_THE_FILE = "cue.bytes"
"""It is about the file itself, and not about what it shows."""
Found = dict[tuple[str, str], list[Measurement]]


def told(document: longtake.ScoreDocument) -> Found:
    assert not document.failures
    return {(r.case, r.evaluator): [*r.measurements, *r.details] for r in document.results}


def signed(source: Path, out: Path) -> Path:
    pictures = films.pictures_of(source, (512, 320))
    for picture in pictures:
        cv2.putText(picture, "WELCOME HOME", (90, 60), cv2.FONT_HERSHEY_DUPLEX, 1.4, (240, 240, 240), 2)
    films.write(out, iter(pictures), films.Encoding(fps=8))
    return out


def muxed_again(source: Path, out: Path) -> Path:
    """The same packets in a file that has a title: other bytes, the same pictures at the same times."""
    with av.open(str(source)) as given, av.open(str(out), "w") as made:
        made.metadata["title"] = "another file"
        stream = given.streams.video[0]
        copy = made.add_stream_from_template(stream)
        for packet in given.demux(stream):
            if packet.dts is not None:
                packet.stream = copy
                made.mux(packet)
    assert out.read_bytes() != source.read_bytes()
    return out


def cases(folder: Path, films: dict[str, Path]) -> list[Case]:
    """A case of each film with its brief."""
    found = []
    for name, film in films.items():
        texts = SAID[name]
        shots = [PlannedShot(index=i, text=t, start=i / 2, end=(i + 1) / 2) for i, t in enumerate(texts)]
        brief = folder / f"{name}.json"
        brief.write_text(json.dumps(Brief(instruction=". ".join(texts), shots=shots).to_json()))
        found.append(Case(name, film, brief))
    return found


def test_neither_names_nor_files_nor_order_nor_workers_count(
    media: Path, weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One worker over three clips; then three over the same packets in other files, backwards, and nothing
    kept from before."""
    clips = {name: media / "8_footage" / f"{name}.mp4" for name in SAID}
    clips[SIGNED] = signed(clips[SIGNED], tmp_path / "signed.mp4")
    alone = write_manifest(tmp_path / "alone.csv", cases(tmp_path, clips))
    one = told(longtake.score(alone, OFFLINE, workers=1))

    other = tmp_path / "other"
    (other / "cache").mkdir(parents=True)
    (other / "cache" / "models").symlink_to(weights / "models", target_is_directory=True)
    monkeypatch.setenv("LONGTAKE_CACHE", str(other / "cache"))
    again = {name: muxed_again(clips[name], other / f"{i}.mp4") for i, name in enumerate(reversed(SAID))}
    many = told(longtake.score(write_manifest(other / "many.csv", cases(other, again)), OFFLINE, workers=3))

    assert one.keys() == many.keys()
    assert {name for _, name in one} == set(OFFLINE)
    for case, name in one:
        assert (many[case, name] == one[case, name]) == (name != OF_THE_FILE), (case, name)
    # That they are equal says something only of those that have a value.
    spoken = {name for (_, name), found in one.items() if any(m.value is not None for m in found)}
    assert spoken == set(OFFLINE)

    copied = Path(shutil.copy(clips["dc_train"], other / "copied.mp4"))
    same = longtake.score(copied, [OF_THE_FILE]).results[0].measurements
    assert list(same) == one["dc_train", OF_THE_FILE]
