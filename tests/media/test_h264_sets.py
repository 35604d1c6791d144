"""Parameter sets: what they say against what the encoder was told; records taken apart and put together."""

from fractions import Fraction

import av
import pytest
from av.codec.context import Flags
from hypothesis import given
from hypothesis import strategies as st

from longtake.media.h264_sets import (
    Avcc,
    Bits,
    annex_b_units,
    picture_set_ids,
    read_avcc,
    sequence_set,
    units,
    with_lengths,
)


def sets(**options: str) -> tuple[bytes, bytes]:
    """Sets of libx264 for a small film."""
    context = av.CodecContext.create("libx264", "w")
    context.width, context.height, context.pix_fmt = 128, 96, options.pop("pix_fmt", "yuv420p")
    context.framerate, context.time_base = Fraction(25), Fraction(1, 25)
    context.flags |= Flags.global_header
    context.options = options
    context.open()
    found = annex_b_units(bytes(context.extradata))
    return next(u for u in found if u[0] & 31 == 7), next(u for u in found if u[0] & 31 == 8)


@pytest.mark.parametrize("number", [0, 1, 7, 31])
def test_ids_are_those_that_were_asked_for(number: int) -> None:
    sequence, picture = sets(**{"x264-params": f"sps-id={number}"})
    assert sequence_set(sequence).id == number
    assert picture_set_ids(picture) == (number, number)


@pytest.mark.parametrize(
    ("options", "profile", "chroma", "bits", "frames_only"),
    [
        ({"profile": "baseline"}, 66, 1, 8, True),
        ({"profile": "main"}, 77, 1, 8, True),
        ({"profile": "high"}, 100, 1, 8, True),
        ({"pix_fmt": "yuv420p10le"}, 110, 1, 10, True),
        ({"pix_fmt": "yuv422p"}, 122, 2, 8, True),
        ({"pix_fmt": "yuv444p"}, 244, 3, 8, True),
        ({"x264-params": "interlaced=1"}, 100, 1, 8, False),
        ({"x264-params": "cqm=jvt"}, 100, 1, 8, True),
    ],
)
def test_it_says_what_the_encoder_did(
    options: dict[str, str], profile: int, chroma: int, bits: int, frames_only: bool
) -> None:
    found = sequence_set(sets(**options)[0])
    assert (found.profile, found.chroma, found.bits, found.frames_only) == (
        profile,
        chroma,
        bits,
        frames_only,
    )


def test_a_record_is_put_together_as_it_was() -> None:
    (s0, p0), (s1, p1) = sets(), sets(**{"x264-params": "sps-id=1", "level": "5.1"})
    old = Avcc(bytes([100, 0, 30]), 4, (s0,), (p0,), b"\xfd\xf8\xf8\x00")
    assert read_avcc(old.encoded()) == old
    assert old.free_id() == 1
    both = old.joined(s1, p1)
    assert read_avcc(both.encoded()) == both
    assert both.head == bytes([100, 0, 51])
    assert both.free_id() == 2
    assert both.tail == old.tail


def test_no_free_id_is_told() -> None:
    taken = [sets(**{"x264-params": f"sps-id={i}"}) for i in range(32)]
    full = Avcc(bytes(3), 4, tuple(s for s, _ in taken[:31]), tuple(p for _, p in taken))
    assert full.free_id() is None


@pytest.mark.parametrize(
    "data", [b"", b"\x00\x00\x00\x01\x67", b"\x01\x02\x03\x04\x05\xe1\x00", b"\x01" * 40]
)
def test_what_is_no_record_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="avcC"):
        read_avcc(data)


def test_a_damaged_set_is_refused() -> None:
    sequence, _ = sets()
    with pytest.raises(ValueError, match="parameter set"):
        sequence_set(sequence[:6])


@given(st.lists(st.integers(0, 2**32 - 2), max_size=20))
def test_exp_golomb_numbers_are_read_back(numbers: list[int]) -> None:
    text = "".join("0" * ((n + 1).bit_length() - 1) + f"{n + 1:b}" for n in numbers) + "1"
    text += "0" * (-len(text) % 8)
    raw = int(text, 2).to_bytes(len(text) // 8, "big")
    escaped = bytearray()
    for byte in raw:  # emulation prevention, as an encoder does it
        if escaped[-2:] == b"\x00\x00" and byte <= 3:
            escaped.append(3)
        escaped.append(byte)
    bits = Bits(bytes(escaped))
    assert [bits.ue() for _ in numbers] == numbers


@given(st.lists(st.binary(min_size=1, max_size=300), max_size=8), st.sampled_from([2, 4]))
def test_lengths_lead_back_to_the_units(found: list[bytes], size: int) -> None:
    assert [bytes(u) for u in units(with_lengths(found, size), size)] == found


def test_lengths_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="too large"):
        with_lengths([bytes(256)], 1)
    with pytest.raises(ValueError, match="damaged"):
        list(units(b"\x00\x00\x00\x09abc", 4))
