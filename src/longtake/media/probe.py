"""What a film's files say of themselves, read from headers, a few hundred packets and one frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

import av
import av.error
from av.stream import Disposition

from ..core.documents import PartFacts, PictureTrack, ProbeDocument, Problem, SoundTrack
from ..core.video import Part, Video, display_path
from .container import (
    film_streams,
    first_frame,
    first_pts,
    hears,
    open_container,
    packets,
    picture_stream,
    sound_stream,
)
from .open import MOST_NAMED, duplicate_numbers, film_length, missing_numbers
from .planes import clockwise, display_size

REORDERED = 32
"""Frames that no codec reorders beyond: what is left out where decoding times are not given."""
SAMPLED = 600
"""Packets looked at for frame times and edit lists."""
UNEVEN = 0.1
"""Frame distances that differ by more than this share of their median (and by 2 ticks) are uneven."""
FASTEST = 240
"""A stated rate above this is a clock, not a frame rate."""
NOTABLE = 0.1
"""Seconds of offset or of difference in length that a user should know of."""
OTHER_STREAMS = 2.0
"""Seconds by which sound or subtitles may outlast the picture in a header without a word."""
SHORT_SOUND = 0.5
"""Seconds by which sound may end before or after the picture without a word."""
HDR_TRANSFERS = {16: "PQ (HDR10)", 18: "HLG"}
RANGES = {1: "limited", 2: "full"}


def probe(video: Video) -> ProbeDocument:
    """Facts and problems of a film. Problems are what a user should know, each with a stable ``code``.

    Sizes are as displayed. Times of streams are on the film's clock, except ``start``: where the first
    picture lies on the file's own clock. Raises ``InputError`` when a file can no longer be read.
    """
    first = _facts(video.parts[0], video.fps)
    problems = list(first.problems)
    parts: list[PartFacts] = []
    if video.kind == "clips":
        every = [first, *(_facts(p, None) for p in video.parts[1:])]
        problems = _gathered(video.parts, every) + _mixture(every)
        parts = [_part(p, f) for p, f in zip(video.parts, every, strict=True)]
    if video.kind == "pictures":
        problems += _numbering(video)
    return ProbeDocument(
        path=display_path(video.path),
        hash=video.hash,
        kind=video.kind,
        container=first.container,
        duration=float(film_length(video)),
        start=first.start,
        video=first.picture,
        audio=first.sound,
        other_streams=first.others,
        parts=parts,
        problems=problems,
    )


@dataclass
class _Facts:
    container: str
    picture: PictureTrack
    start: float
    sound: list[SoundTrack] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def say(self, code: str, message: str) -> None:
        self.problems.append(Problem(code=code, message=message))


def _facts(part: Part, fps: Fraction | None) -> _Facts:
    with open_container(part.path) as container:
        stream = picture_stream(container, part.path)
        base = Fraction(stream.time_base)
        zero = first_pts(container, stream, part.path)
        frame = first_frame(container, stream)
        with open_container(part.path) as other:
            times, discarded = _sampled(other, other.streams[stream.index])
        rotation = 0 if frame is None else clockwise(frame)
        context = stream.codec_context
        aspect = Fraction(context.sample_aspect_ratio or stream.sample_aspect_ratio or 1)
        width, height = display_size(context.width, context.height, rotation, aspect)
        duration = float(part.duration) if part.duration is not None else None
        spaced = None if fps is not None else uneven(times)
        color = _range(frame)
        facts = _Facts(
            container.format.name.split(",")[0],
            PictureTrack(
                codec=_codec(stream),
                width=width,
                height=height,
                rotation=rotation,
                fps=float(fps) if fps is not None else _rate(stream, times, base),
                vfr=False if fps is not None else spaced,
                pix_fmt=None if frame is None else frame.format.name,
                bit_depth=None if frame is None else frame.format.components[0].bits,
                start=0.0,
                duration=duration,
                color_range=color,
                sample_aspect_ratio=float(aspect),
                bit_rate=context.bit_rate or None,
            ),
            float(zero * base),
        )
        if fps is not None:
            return facts
        _say_picture(facts, container, stream, frame, aspect, discarded, spaced)
        _say_streams(facts, container, stream, part)
        _say_sound(facts, container, zero * base, duration)
        return facts


def _say_picture(
    facts: _Facts,
    container: Any,
    stream: Any,
    frame: Any,
    aspect: Fraction,
    discarded: int,
    spaced: bool | None,
) -> None:
    picture = facts.picture
    if abs(facts.start) >= NOTABLE:
        facts.say(
            "start_offset",
            f"the picture starts at {facts.start:.3f} s on the file's clock; our times count from there",
        )
    if spaced:
        facts.say(
            "vfr",
            "frame times are uneven (variable frame rate); times are exact, frame numbers / fps are not",
        )
    if picture.rotation:
        facts.say(
            "rotation", f"stored turned: shown rotated by {picture.rotation} degrees clockwise, as players do"
        )
    if aspect != 1:
        facts.say("non_square_pixels", f"pixels are {float(aspect):.3f} times as wide as high")
    if container.duration is None and picture.duration is not None and container.format.name != "gif":
        facts.say(
            "missing_duration",
            f"the header gives no duration; the last frame ends at {picture.duration:.3f} s",
        )
    elif container.duration is not None and picture.duration is not None:
        stated, slack = container.duration / 1e6, NOTABLE
        if stream.duration is not None:
            stated = float(stream.duration * stream.time_base)
        elif len(container.streams) > 1:
            slack = OTHER_STREAMS  # what the header states is the longest stream's
        if stated - picture.duration > max(slack, 0.02 * stated):
            facts.say(
                "short_picture",
                f"the header says {stated:.3f} s, but the picture can be read for {picture.duration:.3f} s",
            )
    if discarded:
        facts.say("edit_list", "an edit list hides some frames; only what a player shows is measured")
    if picture.color_range == "full":
        facts.say("full_range", "luma uses 0 to 255 (full range); brightness is compared on one scale")
    transfer = HDR_TRANSFERS.get(int(stream.codec_context.color_trc or 0))
    if transfer:
        facts.say("hdr", f"{transfer} picture: brightness and colour are measured without tone mapping")
    if frame is not None and frame.interlaced_frame:
        facts.say("interlaced", "the picture is interlaced; combing will look like detail and motion")


def _say_streams(facts: _Facts, container: Any, chosen: Any, part: Part) -> None:
    films = film_streams(container)
    for stream in container.streams:
        if stream.index == chosen.index or stream.type == "audio":
            continue
        if stream.type == "video" and stream.codec_context is None:
            facts.others.append("video: unknown codec")
            facts.say("undecodable_video", f"video track {stream.index} has no decoder and is left out")
        elif stream.type == "video" and stream.disposition & Disposition.attached_pic:
            facts.others.append(f"cover art: {_codec(stream)}")
        else:
            facts.others.append(f"{stream.type}: {_codec(stream)}")
    for stream in films:
        if stream.index == chosen.index:
            continue
        with open_container(part.path) as trial:
            empty = first_frame(trial, trial.streams[stream.index]) is None
        if empty:
            facts.say("empty_track", f"video track {stream.index} gives no picture and is left out")
        else:
            facts.say(
                "several_pictures",
                f"{len(films)} video tracks; track {chosen.index} is measured, track {stream.index} is not",
            )


def _say_sound(facts: _Facts, container: Any, zero: Fraction, duration: float | None) -> None:
    taken = sound_stream(container)
    for stream in container.streams.audio:
        if not hears(stream):
            facts.say("undecodable_audio", f"sound track {stream.index} cannot be decoded and is left out")
            continue
        context = stream.codec_context
        start = None if stream.start_time is None else float(stream.start_time * stream.time_base - zero)
        length = None if not stream.duration else float(stream.duration * stream.time_base)
        facts.sound.append(
            SoundTrack(
                codec=_codec(stream),
                sample_rate=context.sample_rate,
                channels=context.layout.nb_channels,
                layout=context.layout.name,
                start=start,
                duration=length,
                language=stream.language,
                bit_rate=context.bit_rate or None,
            )
        )
        if taken is None or stream.index != taken.index:
            continue
        if start is not None and abs(start) >= NOTABLE:
            facts.say("sound_offset", f"the sound starts {abs(start):.3f} s {_side(start)} the picture")
        if length is not None and duration is not None:
            over = length + min(start or 0.0, 0.0) - duration
            if abs(over) >= SHORT_SOUND:
                facts.say("sound_length", f"the sound ends {abs(over):.2f} s {_side(over)} the picture")
    if len(facts.sound) > 1:
        facts.say("several_sounds", f"{len(facts.sound)} sound tracks; only the default one is measured")


def _side(seconds: float) -> str:
    return "before" if seconds < 0 else "after"


def _sampled(container: Any, stream: Any) -> tuple[list[int], int]:
    """Times (ticks, sorted) of the first shown packets, and how many packets an edit list hides.

    Packets come in the order of decoding. Where reading stops before the end, times after the last decoding
    time are left out: frames between them may still be to come, and would be missed as holes.
    """
    times: list[int] = []
    discarded = 0
    for packet in packets(container, [stream]):
        if packet.is_discard:
            discarded += 1
        elif packet.pts is not None:
            times.append(packet.pts)
        if len(times) >= SAMPLED:
            whole = packet.dts if packet.dts is not None else sorted(times)[-REORDERED]
            times = [time for time in times if time <= whole]
            break
    return sorted(set(times)), discarded


def uneven(times: list[int]) -> bool | None:
    """Whether sorted times are unevenly spaced beyond their clock's rounding; ``None``: too few."""
    steps = sorted(b - a for a, b in pairwise(times))
    if len(steps) < 2:
        return None
    middle = steps[len(steps) // 2]
    return bool(steps[-1] - steps[0] > max(2, UNEVEN * middle))


def _rate(stream: Any, times: list[int], base: Fraction) -> float | None:
    stated = stream.average_rate
    if stated and 0 < stated <= FASTEST:
        return float(stated)
    if len(times) < 2:
        return None
    return float((len(times) - 1) / ((times[-1] - times[0]) * base))


def _range(frame: av.VideoFrame | None) -> str | None:
    if frame is None:
        return None
    return "full" if frame.format.name.startswith("yuvj") else RANGES.get(int(frame.color_range))


def _codec(stream: Any) -> str:
    """Name of the codec, not of the library that decodes it."""
    context = stream.codec_context
    return (
        "unknown" if context is None else str(getattr(context.codec, "canonical_name", None) or context.name)
    )


def _part(part: Part, facts: _Facts) -> PartFacts:
    return PartFacts(
        path=display_path(part.path),
        hash=part.sha256,
        start=float(part.offset),
        duration=None if part.duration is None else float(part.duration),
        width=facts.picture.width,
        height=facts.picture.height,
        fps=facts.picture.fps,
        audio=bool(facts.sound),
    )


def _gathered(parts: tuple[Part, ...], every: list[_Facts]) -> list[Problem]:
    """One problem per code, naming the clips that have it."""
    found: dict[str, list[tuple[str, str]]] = {}
    for part, facts in zip(parts, every, strict=True):
        for problem in facts.problems:
            found.setdefault(problem.code, []).append((display_path(part.path.name), problem.message))
    return [Problem(code=c, message=f"{_names([n for n, _ in h])}: {h[0][1]}") for c, h in found.items()]


def _mixture(every: list[_Facts]) -> list[Problem]:
    problems = []
    sizes = sorted({(f.picture.width, f.picture.height) for f in every})
    rates = sorted({round(f.picture.fps, 3) for f in every if f.picture.fps})
    if len(sizes) > 1:
        text = ", ".join(f"{w}x{h}" for w, h in sizes[:MOST_NAMED])
        problems.append(Problem(code="mixed_sizes", message=f"clips differ in size: {text}"))
    if len(rates) > 1:
        text = ", ".join(f"{r:g}" for r in rates[:MOST_NAMED])
        problems.append(Problem(code="mixed_rates", message=f"clips differ in frame rate: {text}"))
    with_sound = sum(bool(f.sound) for f in every)
    if 0 < with_sound < len(every):
        problems.append(Problem(code="mixed_sound", message=f"{with_sound} of {len(every)} clips have sound"))
    return problems


def _numbering(video: Video) -> list[Problem]:
    files = [p.path for p in video.parts]
    problems = []
    count, missing = missing_numbers(files)
    if count:
        text = _names([str(n) for n in missing], count)
        message = f"numbers are missing between the pictures: {text}"
        problems.append(Problem(code="missing_pictures", message=message))
    if double := duplicate_numbers(files):
        text = _names([" and ".join(_shortened(names)) for names in double])
        message = f"pictures with one number are shown one after the other: {text}"
        problems.append(Problem(code="duplicate_numbers", message=message))
    return problems


def _shortened(names: list[str]) -> list[str]:
    return names if len(names) <= MOST_NAMED else [*names[:MOST_NAMED], f"{len(names) - MOST_NAMED} more"]


def _names(names: list[str], count: int | None = None) -> str:
    """The first names and how many more there are of ``count`` (of those given)."""
    more = (len(names) if count is None else count) - min(len(names), MOST_NAMED)
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
