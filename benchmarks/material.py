"""Long films to measure speed and memory on, made once from the test media and kept in a temporary folder.

One minute is built (shots, pans, flashes, dissolves, fades: ``tests/films.py``) as H.264, CRF 23, with
3 B-frames; longer films repeat its packets without encoding again. Sound is 44.1 kHz AAC, tones in noise.
"""

from __future__ import annotations

import os
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from films import Encoding, build

SEED = 7
FPS = 24
SHOTS_PER_MINUTE = 15
LONGEST = 200
RATE = 44100
ORIGINS = ("sam_", "flt_", "mla_", "va_", "tmh_")
ENCODING = Encoding("libx264", FPS, (("crf", "23"), ("bf", "3"), ("preset", "medium")))


def film(minutes: int, size: tuple[int, int] = (1280, 720)) -> Path:
    """A film of about so many minutes; made on the first call."""
    folder = Path(tempfile.gettempdir()) / "longtake-bench"
    folder.mkdir(exist_ok=True)
    path = folder / f"{size[1]}p-{minutes}min.mp4"
    if not path.exists():
        piece = folder / f"{size[1]}p-piece.mp4"
        if not piece.exists():
            media = Path(os.environ["LONGTAKE_TEST_MEDIA"]) / "8_footage"
            clips = sorted(
                p for p in media.iterdir() if p.name.startswith(("sam_", "flt_", "mla_", "va_", "tmh_"))
            )
            part = piece.with_suffix(".part.mp4")
            build(part, clips, SEED, encoding=ENCODING, shots=SHOTS_PER_MINUTE, size=size, longest=LONGEST)
            part.rename(piece)
        part = path.with_suffix(".part.mp4")
        _repeat(piece, part, minutes)
        part.rename(path)
    return path


def _repeat(piece: Path, path: Path, minutes: int) -> None:
    with av.open(str(piece)) as source, av.open(str(path), "w") as target:
        video = source.streams.video[0]
        out = target.add_stream_from_template(video)
        sound = target.add_stream("aac", rate=RATE, layout="stereo")
        packets = [p for p in source.demux(video) if p.dts is not None]
        frames = len(packets)
        times = round(minutes * 60 * FPS / frames)
        step = round(Fraction(frames, FPS) / video.time_base)
        rng = np.random.default_rng(SEED)
        heard = 0
        places = [(p.pts, p.dts) for p in packets]
        for turn in range(times):
            for packet, (pts, dts) in zip(packets, places, strict=True):
                packet.pts, packet.dts = pts + turn * step, dts + turn * step
                packet.stream = out
                packet.time_base = video.time_base
                until = float(packet.dts * video.time_base)
                while heard / RATE < until:
                    target.mux(sound.encode(_block(rng, heard)))
                    heard += 1024
                target.mux(packet)
        target.mux(sound.encode(None))


def _block(rng: np.random.Generator, first: int) -> av.AudioFrame:
    t = (np.arange(1024) + first) / RATE
    tone = 0.2 * np.sin(2 * np.pi * 220 * t) * (np.sin(2 * np.pi * 2 * t) > 0.8)
    samples = (tone + rng.normal(0, 0.02, (2, 1024))).astype(np.float32)
    block = av.AudioFrame.from_ndarray(samples, format="fltp", layout="stereo")
    block.sample_rate = RATE
    block.pts = first
    return block
