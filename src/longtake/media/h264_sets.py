"""Parameter sets of H.264: what they say, and one ``avcC`` that holds those of two encoders.

The bit layout is that of ITU-T H.264, clauses 7.3 and Annex E; the ``avcC`` record that of ISO/IEC 14496-15,
clause 5.3.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

IDR = 5
SEI = 6
SPS = 7
PPS = 8
DELIMITER = 9
MOST_SPS_ID = 31
"""The highest id that a sequence parameter set may have; a picture parameter set may have up to 255."""
WITH_CHROMA = frozenset({100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135})
"""Profiles whose sequence parameter set states chroma format and bit depth."""


class Bits:
    """Reads bits and Exp-Golomb numbers of a NAL unit, without its emulation prevention bytes."""

    def __init__(self, unit: bytes) -> None:
        self._bytes = unit.replace(b"\x00\x00\x03", b"\x00\x00")
        self._at = 0

    def bit(self) -> int:
        """The next bit. Raises ``ValueError`` past the end."""
        place = self._at >> 3
        if place >= len(self._bytes):
            raise ValueError("a parameter set ends too early")
        value = self._bytes[place] >> (7 - (self._at & 7)) & 1
        self._at += 1
        return value

    def number(self, count: int) -> int:
        """The next ``count`` bits as an unsigned number."""
        value = 0
        for _ in range(count):
            value = value << 1 | self.bit()
        return value

    def ue(self) -> int:
        """An unsigned Exp-Golomb number."""
        zeros = 0
        while not self.bit():
            zeros += 1
            if zeros > 32:
                raise ValueError("a parameter set is damaged")
        return (1 << zeros) - 1 + self.number(zeros)

    def se(self) -> int:
        """A signed Exp-Golomb number."""
        coded = self.ue()
        return (coded + 1) // 2 if coded & 1 else -(coded // 2)


@dataclass(frozen=True)
class SequenceSet:
    """What a sequence parameter set says, as far as splicing needs it.

    ``frames_only``: nothing is interlaced.
    """

    id: int
    profile: int
    level: int
    chroma: int
    bits: int
    frames_only: bool


def sequence_set(unit: bytes) -> SequenceSet:
    """Read a sequence parameter set (a NAL unit with its header byte). Raises ``ValueError``."""
    bits = Bits(unit[1:])
    profile, _, level = bits.number(8), bits.number(8), bits.number(8)
    number = bits.ue()
    chroma, depth = 1, 8
    if profile in WITH_CHROMA:
        chroma = bits.ue()
        if chroma == 3:
            bits.bit()
        depth = max(bits.ue(), bits.ue()) + 8
        bits.bit()
        if bits.bit():
            for i in range(8 if chroma != 3 else 12):
                if bits.bit():
                    _skip_scaling(bits, 16 if i < 6 else 64)
    bits.ue()
    order = bits.ue()
    if order == 0:
        bits.ue()
    elif order == 1:
        bits.bit()
        bits.se()
        bits.se()
        for _ in range(bits.ue()):
            bits.se()
    bits.ue()
    bits.bit()
    bits.ue()
    bits.ue()
    return SequenceSet(number, profile, level, chroma, depth, bool(bits.bit()))


def picture_set_ids(unit: bytes) -> tuple[int, int]:
    """The ids of a picture parameter set and of the sequence parameter set it goes with."""
    bits = Bits(unit[1:32])
    return bits.ue(), bits.ue()


def _skip_scaling(bits: Bits, size: int) -> None:
    last = following = 8
    for _ in range(size):
        if following:
            following = (last + bits.se()) % 256
        last = following or last


def units(packet: bytes | memoryview, length_size: int) -> Iterator[memoryview]:
    """The NAL units of a packet in which each follows its length. Raises ``ValueError`` where they do not add
    up to the packet."""
    view, at = memoryview(packet), 0
    while at < len(view):
        size = int.from_bytes(view[at : at + length_size], "big")
        at += length_size
        if size == 0 or at + size > len(view):
            raise ValueError("a packet is damaged")
        yield view[at : at + size]
        at += size


def annex_b_units(packet: bytes) -> list[bytes]:
    """The NAL units of a byte stream in which each follows a start code."""
    found = []
    for part in packet.split(b"\x00\x00\x01")[1:]:
        unit = part.rstrip(b"\x00")
        if unit:
            found.append(unit)
    return found


def with_lengths(found: list[bytes], length_size: int) -> bytes:
    """NAL units, each after its length. Raises ``ValueError`` where one is too long for that."""
    if any(len(unit) >> (8 * length_size) for unit in found):
        raise ValueError("an encoded picture is too large for the film's lengths")
    return b"".join(len(unit).to_bytes(length_size, "big") + unit for unit in found)


@dataclass(frozen=True)
class Avcc:
    """An ``avcC`` record: profile, constraints and level as three bytes, the size of the lengths before NAL
    units, the parameter sets and what follows them."""

    head: bytes
    length_size: int
    sequence_sets: tuple[bytes, ...]
    picture_sets: tuple[bytes, ...]
    tail: bytes = b""

    def encoded(self) -> bytes:
        """The record as bytes."""
        size = bytes([0xFC | (self.length_size - 1), 0xE0 | len(self.sequence_sets)])
        out = bytes([1]) + self.head + size + _counted(self.sequence_sets)
        return out + bytes([len(self.picture_sets)]) + _counted(self.picture_sets) + self.tail

    def free_id(self) -> int | None:
        """The smallest id that none of its sequence and picture parameter sets has."""
        used = {sequence_set(s).id for s in self.sequence_sets}
        for picture in self.picture_sets:
            used.update(picture_set_ids(picture))
        return next((i for i in range(MOST_SPS_ID + 1) if i not in used), None)

    def joined(self, sequence: bytes, picture: bytes) -> Avcc:
        """The same with one more set of each kind; the level is raised to that of ``sequence``."""
        head = self.head[:2] + bytes([max(self.head[2], sequence_set(sequence).level)])
        return Avcc(
            head,
            self.length_size,
            (*self.sequence_sets, sequence),
            (*self.picture_sets, picture),
            self.tail,
        )


def read_avcc(data: bytes) -> Avcc:
    """Read an ``avcC`` record. Raises ``ValueError`` for anything else, such as a byte stream."""
    if len(data) < 7 or data[0] != 1:
        raise ValueError("there is no avcC record")
    sequence_sets, at = _sets(data, 6, data[5] & 31)
    if at >= len(data):
        raise ValueError("the avcC record ends too early")
    picture_sets, at = _sets(data, at + 1, data[at])
    return Avcc(data[1:4], (data[4] & 3) + 1, sequence_sets, picture_sets, data[at:])


def _sets(data: bytes, at: int, count: int) -> tuple[tuple[bytes, ...], int]:
    found = []
    for _ in range(count):
        size = int.from_bytes(data[at : at + 2], "big")
        at += 2
        if size == 0 or at + size > len(data):
            raise ValueError("the avcC record is damaged")
        found.append(data[at : at + size])
        at += size
    return tuple(found), at


def _counted(sets: tuple[bytes, ...]) -> bytes:
    return b"".join(len(s).to_bytes(2, "big") + s for s in sets)
