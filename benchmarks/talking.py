"""What a diagnosis with all offline models costs on a talking film of 720p, per signal, in time and memory.

Bounds: at most real time on two cores, at most 1.5 GB over all processes, the same for three hours. The film
is made once of the test media: people who speak (``2_speaking``) and people under read sentences
(``8_footage`` with the sound of ``3_audio``), brought to 1280x720 at 25 fps; its minute is repeated packet by
packet. Weights are those of ``LONGTAKE_TEST_WEIGHTS``.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np

from tree import run

SIZE = (1280, 720)
FPS = 25
RATE = 44_100
SPEAKING = ("grid_bbaf2n.mpg", "grid_lbax4n.mpg", "grid_lrwp9a.mpg", "grid_pwij3p.mpg", "mdn_friday.mp4")
SHOWN = ("intel_classroom.mp4", "simpl_vp9w4.mp4", "intel_people.mp4", "sam_dog.mp4")
READ = ("sb_LJ050-0131.wav", "whisper_jfk.flac", "sb_spk1_snt1.wav", "sb_spk1_snt2.wav")
PART_S = 10.0


def talking_film(media: Path, minutes: int) -> Path:
    """The film; made on the first call."""
    folder = Path(tempfile.gettempdir()) / "longtake-bench"
    folder.mkdir(exist_ok=True)
    path = folder / f"talking-{minutes}min.mp4"
    if not path.exists():
        piece = folder / "talking-piece.mp4"
        if not piece.exists():
            _piece(media, piece)
        _repeat(piece, path, minutes)
    return path


def _piece(media: Path, path: Path) -> None:
    parts = [(media / "2_speaking" / name,) * 2 for name in SPEAKING]
    parts += [(media / "8_footage" / a, media / "3_audio" / b) for a, b in zip(SHOWN, READ, strict=True)]
    part = path.with_suffix(".part.mp4")
    with av.open(str(part), "w") as target:
        video = target.add_stream("libx264", rate=FPS, options={"crf": "23", "preset": "medium"})
        video.width, video.height, video.pix_fmt = *SIZE, "yuv420p"
        sound = target.add_stream("aac", rate=RATE, layout="mono")
        fifo = av.AudioFifo()
        shown = 0
        for picture, heard in parts:
            begin = shown
            for image in _pictures(picture):
                frame = av.VideoFrame.from_ndarray(image, format="bgr24")
                frame.pts, frame.time_base = shown, Fraction(1, FPS)
                target.mux(video.encode(frame))
                shown += 1
            wanted = round((shown - begin) / FPS * RATE)
            samples = _samples(heard)[:wanted]
            samples = np.pad(samples, (0, wanted - len(samples)))[None]
            block = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples), format="fltp", layout="mono")
            block.sample_rate = RATE
            block.pts = None
            fifo.write(block)
            while (ready := fifo.read(1024)) is not None:
                target.mux(sound.encode(ready))
        target.mux(video.encode(None))
        target.mux(sound.encode(None))
    part.rename(path)


def _pictures(path: Path) -> Iterator[np.ndarray]:
    """Frames at FPS, fitted into SIZE with black beside them; at most PART_S of them."""
    count = 0
    with av.open(str(path)) as source:
        for frame in source.decode(video=0):
            time = float(frame.time or 0.0) - float(source.streams.video[0].start_time or 0) * float(
                source.streams.video[0].time_base or 0
            )
            if time >= PART_S:
                return
            image = frame.to_ndarray(format="bgr24")
            scale = min(SIZE[0] / image.shape[1], SIZE[1] / image.shape[0])
            small = cv2.resize(image, None, fx=scale, fy=scale)
            canvas = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
            top, left = (SIZE[1] - small.shape[0]) // 2, (SIZE[0] - small.shape[1]) // 2
            canvas[top : top + small.shape[0], left : left + small.shape[1]] = small
            while count / FPS <= time:
                yield canvas
                count += 1


def _samples(path: Path) -> np.ndarray:
    with av.open(str(path)) as source:
        resampler = av.AudioResampler("fltp", "mono", RATE)
        blocks = [b.to_ndarray() for f in source.decode(audio=0) for b in resampler.resample(f)]
    return np.concatenate(blocks, axis=1)[0]


def _repeat(piece: Path, path: Path, minutes: int) -> None:
    part = path.with_suffix(".part.mp4")
    with av.open(str(piece)) as source, av.open(str(part), "w") as target:
        streams = {s.index: target.add_stream_from_template(s) for s in source.streams}
        packets = [p for p in source.demux() if p.dts is not None]
        length = max(Fraction(p.pts + p.duration) * p.time_base for p in packets)
        places = [(p.pts, p.dts, p.time_base, p.stream.index) for p in packets]
        for turn in range(round(minutes * 60 / length)):
            for packet, (pts, dts, base, index) in zip(packets, places, strict=True):
                step = round(turn * length / base)
                packet.pts, packet.dts, packet.time_base = pts + step, dts + step, base
                packet.stream = streams[index]
                target.mux(packet)
    part.rename(path)


def main() -> None:
    """Print cost and peak memory for each length, and the seconds of each signal."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--minutes", type=int, nargs="+", default=[10])
    options.add_argument("--signals", default="all")
    chosen = options.parse_args()
    media, weights = (Path(os.environ[f"LONGTAKE_TEST_{n}"]) for n in ("MEDIA", "WEIGHTS"))
    for minutes in chosen.minutes:
        path = talking_film(media, minutes)
        with tempfile.TemporaryDirectory() as folder:
            cache = Path(folder) / "cache"
            cache.mkdir()
            (cache / "models").symlink_to(weights.resolve() / "models", target_is_directory=True)
            out = Path(folder) / "out"
            command = [sys.executable, "-m", "longtake", "diagnose", str(path), "--out", str(out)]
            cost = run([*command, "--signals", chosen.signals], {"LONGTAKE_CACHE": str(cache)}, memory=True)
            document = json.loads((out / "diagnosis.json").read_text("utf-8"))
        seconds = document["video"]["duration"]
        print(
            f"{minutes} min: wall {cost.wall / seconds:.2f}x real time, "
            f"{cost.cpu:.0f} CPU-s = {cost.cpu / seconds:.2f}x, {cost.pss:.0f} MB PSS"
        )
        for entry in document["trace"]:
            if (entry["seconds"] or 0) >= 0.5:
                print(f"    {entry['tool']:<14} {entry['seconds']:8.1f} s  {entry['seconds'] / seconds:.3f}x")


if __name__ == "__main__":
    main()
