"""The sound of a film that is written in part: its packets as they are, or all of it encoded anew."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import av
import numpy as np

from .container import hears, open_container, packets, sound_stream
from .soundtrack import Samples, layout_of


class Heard(NamedTuple):
    """Sound that is encoded: blocks (channels, n) one after the other from the film's beginning."""

    blocks: Iterator[Samples]
    rate: int
    channels: int


def copies_sound(path: Path, *, one: bool = False) -> tuple[bool, int]:
    """Whether an MP4 can hold the sound that is listened to, and how many tracks are left out: all but
    picture and sound, and with ``one`` all but the sound that is listened to."""
    with open_container(path) as source:
        kept = tracks(source)
        heard = sound_stream(source)
        able = heard is None or any(s.index == heard.index for s in kept)
        sounds = min(len(kept), 1) if one or not able else len(kept)
        return able, len(source.streams) - 1 - sounds


def tracks(source: Any) -> list[Any]:
    """Sound tracks that an MP4 can hold."""
    with av.open(_Nothing(), "w", format="mp4") as trial:
        able = trial.supported_codecs
    return [s for s in source.streams.audio if hears(s) and s.codec_context.codec.canonical_name in able]


class _Nothing:
    """A file that keeps nothing."""

    def write(self, data: bytes) -> int:
        return len(data)


def copied_sound(path: Path, number: int, target: Any) -> Iterator[tuple[float, Any]]:
    """Packets of one sound track as they are."""
    source = open_container(path)
    stream = source.streams[number]
    return _sound_packets(source, stream, target.add_stream_from_template(stream, opaque=True))


def _sound_packets(source: Any, stream: Any, out: Any) -> Iterator[tuple[float, Any]]:
    tick_s = float(stream.time_base)
    before, longest = None, 0
    with source:
        for packet in packets(source, [stream]):
            if not packet.size:
                continue
            stamp = packet.dts if packet.dts is not None else packet.pts
            if stamp is not None and before is not None:
                longest = max(longest, stamp - before)
            before = stamp
            if not packet.duration:  # Matroska states none, and a last packet of no length would be lost
                packet.duration = longest
            packet.stream = out
            yield (stamp or 0) * tick_s, packet


def encoded_sound(sound: Heard, zero: Fraction, target: Any) -> Iterator[tuple[float, Any]]:
    """AAC packets of the blocks; sample 0 is heard at ``zero`` seconds of the file's clock."""
    stream = target.add_stream("aac", rate=sound.rate, layout=layout_of(sound.channels))
    return _aac_packets(sound, zero, stream)


def _aac_packets(sound: Heard, zero: Fraction, stream: Any) -> Iterator[tuple[float, Any]]:
    at = round(zero * sound.rate)
    for samples in sound.blocks:
        block = av.AudioFrame.from_ndarray(
            np.ascontiguousarray(samples, np.float32), format="fltp", layout=layout_of(sound.channels)
        )
        block.sample_rate, block.time_base, block.pts = sound.rate, Fraction(1, sound.rate), at
        at += samples.shape[1]
        for packet in stream.encode(block):
            yield packet.dts * float(packet.time_base), packet
    for packet in stream.encode(None):
        yield packet.dts * float(packet.time_base), packet
