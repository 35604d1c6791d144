"""Events of time itself, worked out from per-frame rows: held and repeated frames, jumps, flicker.

Everything here is a pure function of arrays with one entry per frame. A frame is a repeat when no block (4 x
4 pixels of the 128 px plane, averaged) differs from the frame before by more than :data:`SAME` grey levels,
or :data:`RECODED` where the frames around it differ far more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.signal import Event, Signal

SAME = 1.0
"""Grey levels (0..255) up to which a frame repeats the one before, whatever happens around it."""
RECODED, DIP = 3.0, 0.35
"""A repeat that was encoded again (H.264, crf 20, with B-frames) differs by up to 3.1 grey levels; it
counts if it is at most RECODED and at most this share of the changes right before and after the run of such
frames. Fixed on seven clips of 8_footage shown 'on twos', from both halves (va_2A, tmh_tractor,
simpl_small_b, ovi_stage; fv_motorcycle, tmh_shuttle, uda_lane): there is no clip set on which these two are
a held-out result."""
MOVING = 3.0
"""Grey levels: the median peak of neighbouring frames above which the shot moves there."""
FREEZE_S = 0.2
CONTEXT_S = 0.5
"""Seconds before and after a held picture in which the shot must move for it to be a freeze."""
CADENCE = 2.5
"""A held picture is a freeze only if it is this many times longer than the shot's usual hold ('on twos')."""
CLUSTER_S = 1.0
"""Repeats closer than this belong to one event."""
# The jump constants were chosen beforehand. With 8 frames dropped from eight clips of 8_footage five jumps
# are found; missed where little moves (ovi_stage) and where the motion is as large as the leap
# (tmh_tractor, uda_lane).
JUMP_RATIO = 3.0
"""A jump moves the picture this many times further than the frames around it ..."""
JUMP_SHIFT = 0.004
"""... and at least this many widths on average over the picture."""
RETURNS = 0.6
"""If the next frame is again this close to the one before, it was a flash, not a jump."""
FLICKER_LEVELS = 1.5
"""Grey levels, peak to peak, from which alternating luma is reported. Chosen beforehand; of 45 clips of
8_footage at even places one exceeds it (wrtc_chrome_a), of 45 at odd places two (wrtc_chrome_b, ffp_in)."""
FLICKER_S = 0.5
PUMP_LEVELS = 4.0
"""Grey levels, peak to peak, from which a swing of 2..8 Hz is reported."""
PUMP_BAND = (2.0, 8.0)
PUMP_S = 2.0
PUMP_PURE = 0.6
"""Share of the spectrum above 1 Hz that the strongest line and its neighbours must hold: pumping is
regular."""

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Context:
    """Times, frame periods, and where the shots and transitions are.

    ``shot`` is the shot of each frame; ``usable`` marks frames whose change from the one before lies inside
    one shot and outside of any transition or flash.
    """

    times: Numbers
    period: Numbers
    shot: NDArray[np.int64]
    usable: Flags

    @classmethod
    def of(cls, times: Numbers, duration: float, done: Mapping[str, Signal]) -> Context:
        n = len(times)
        typical = float(np.median(np.diff(times))) if n > 1 else max(duration, 1e-3)
        last = max(typical, 0.0) if n > 1 else max(duration, 1e-3)
        period = np.append(np.diff(times), last)
        shot = np.zeros(n, np.int64)
        usable = np.ones(n, bool)
        usable[:1] = False
        shots = done.get("shots")
        if shots is not None and shots.usable and len(shots):
            starts = np.asarray(shots.columns["first_frame"], np.int64)
            shot = np.searchsorted(starts, np.arange(n), side="right") - 1
            inner = starts[(starts > 0) & (starts < n)]
            usable[inner] = False
        transitions = done.get("transitions")
        if transitions is not None and transitions.usable:
            spans = list(
                zip(transitions.columns.get("start", ()), transitions.columns.get("end", ()), strict=True)
            )
            spans += [(e.start, e.end) for e in transitions.events_of("flash")]
            for start, end in spans:
                if end > start:
                    a, b = np.searchsorted(times, (start - 1e-6, end + 1e-6))
                    usable[a : b + 1] = False
        return cls(times, period, shot, usable)

    def end(self, frame: int) -> float:
        """When the frame stops being shown."""
        return float(self.times[frame] + self.period[frame])

    def share_of_time(self, flags: Flags) -> float:
        """Share of the film's time in which the flagged frames are shown."""
        total = float(self.period.sum())
        return float(self.period[flags].sum() / total) if total > 0 else 0.0

    def crosses(self, first: Numbers, last: Numbers) -> Flags:
        """Whether a boundary or transition lies after ``first`` and not after ``last``."""
        blocked = np.concatenate([[0], np.cumsum(~self.usable[1:])]) if len(self.times) > 1 else np.zeros(1)
        ends = np.searchsorted(self.times, (last + 1e-6), side="right") - 1
        starts = np.searchsorted(self.times, (first + 1e-6), side="right") - 1
        clipped = [np.clip(i, 0, len(blocked) - 1) for i in (np.nan_to_num(starts), np.nan_to_num(ends))]
        return np.asarray(blocked[clipped[1]] != blocked[clipped[0]])


def runs(flags: Flags) -> list[tuple[int, int]]:
    """Half-open spans of consecutive true entries."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def same_as_before(peak: Numbers, context: Context) -> Flags:
    """Frames that repeat the one before."""
    low = (peak <= RECODED) & context.usable
    same = (peak <= SAME) & context.usable
    for a, b in runs(low):
        beside = [peak[i] for i in (a - 1, b) if 0 <= i < len(peak) and context.usable[i]]
        if len(beside) == 2:
            same[a:b] |= peak[a:b] <= DIP * min(beside)
    return same


def held_pictures(peak: Numbers, context: Context) -> tuple[Flags, list[Event]]:
    """Frames of pictures held for FREEZE_S or longer, and those holds that interrupt motion.

    A still film is held throughout and has no freeze; in a film 'on twos' or slower every picture is held
    equally long, and none is a freeze.
    """
    same = same_as_before(peak, context)
    held = np.zeros(len(peak), bool)
    found: list[Event] = []
    spans = runs(same)
    for a, b in spans:
        start, length = a - 1, context.end(b - 1) - float(context.times[a - 1])
        if (
            length < FREEZE_S
            or b - a < 2
            or float(np.median(peak[a:b])) > SAME
            or length < CADENCE * _usual_hold(same, a, b, context)
        ):
            continue
        held[start:b] = True
        if _moves_around(peak, start, b, context):
            found.append(
                Event(
                    "freeze",
                    float(context.times[start]),
                    context.end(b - 1),
                    length,
                    "the picture stands",
                    start,
                )
            )
    return held, found


def _usual_hold(same: Flags, a: int, b: int, context: Context) -> float:
    """Median time for which a picture of the shot is shown, in seconds, without the span a..b."""
    within = np.flatnonzero(context.shot == context.shot[a])
    fresh = within[~same[within]]
    near = fresh[(fresh < a) | (fresh >= b)]
    near = near[np.abs(context.times[near] - context.times[a]) < 5]
    if len(near) < 4:
        return 0.0
    gaps = np.diff(context.times[near])
    return float(np.median(gaps[gaps < FREEZE_S * 5])) if (gaps < FREEZE_S * 5).any() else 0.0


def _moves_around(peak: Numbers, start: int, stop: int, context: Context) -> bool:
    """Whether the shot moves just before or just after the span start..stop."""
    times, shot = context.times, context.shot
    before = (times >= times[start] - CONTEXT_S) & (np.arange(len(times)) <= start)
    after = (times <= times[stop - 1] + CONTEXT_S) & (np.arange(len(times)) >= stop)
    for side in (before, after):
        chosen = peak[side & context.usable & (shot == shot[start])]
        if len(chosen) >= 3 and float(np.median(chosen)) >= MOVING:
            return True
    return False


def repeated_frames(peak: Numbers, held: Flags, context: Context) -> tuple[Flags, list[Event]]:
    """Frames that repeat the one before while the shot moves, outside held pictures, and runs of them."""
    repeats = same_as_before(peak, context) & ~held
    index = np.flatnonzero(repeats)
    confirmed = np.zeros(len(peak), bool)
    found: list[Event] = []
    groups = np.split(index, np.flatnonzero(_apart(index, context)) + 1) if len(index) else []
    for group in groups:
        first, last = int(group[0]) - 1, int(group[-1])
        around = np.arange(max(0, first - 12), min(len(peak), last + 13))
        around = around[
            context.usable[around] & ~repeats[around] & (context.shot[around] == context.shot[last])
        ]
        if len(around) < 4 or float(np.percentile(peak[around], 25)) < MOVING:
            continue  # a shot that nearly stands has frames that look the same
        confirmed[group] = True
        share = len(group) / (last - first + 1)
        found.append(
            Event(
                "duplicate",
                float(context.times[first]),
                context.end(last),
                share,
                _cadence(group, context),
                first,
            )
        )
    return confirmed, found


def _apart(index: NDArray[np.int64], context: Context) -> Flags:
    gaps = np.diff(context.times[index]) > CLUSTER_S
    return np.asarray(gaps | (np.diff(context.shot[index]) != 0))


def _cadence(group: NDArray[np.int64], context: Context) -> str:
    if len(group) == 1:
        return "one frame repeats the one before"
    gaps = np.diff(group)
    step = int(np.median(gaps))
    if step > 1 and float(np.mean(gaps == step)) >= 0.6:
        return (
            f"every {step}{'nd' if step == 2 else 'rd' if step == 3 else 'th'} frame repeats the one before"
        )
    span = context.end(int(group[-1])) - float(context.times[group[0] - 1])
    return f"{len(group)} frames repeat the one before within {span:.2f} s"


def jumps(rows: Mapping[str, Numbers], context: Context) -> list[Event]:
    """Frames at which the content leaps although no shot begins."""
    found = []
    for i, time in enumerate(rows["time"]):
        frame = int(np.searchsorted(context.times, time - 1e-6))
        if frame >= len(context.times) or not context.usable[max(0, frame - 1) : frame + 2].all():
            continue
        usual = max(rows["before"][i], rows["after"][i], 1e-9)
        ratio = float(rows["flow"][i] / usual)
        if (
            ratio >= JUMP_RATIO
            and rows["flow"][i] >= JUMP_SHIFT
            and rows["back"][i] >= RETURNS * rows["change"][i]
        ):
            found.append(
                Event(
                    "jump",
                    float(context.times[frame - 1]),
                    float(time),
                    min(ratio, 1000.0),
                    "content leaps between two frames of one shot",
                    frame,
                )
            )
    return found


def flicker(step: Numbers, repeats: Flags, context: Context) -> tuple[list[Event], list[Event], float | None]:
    """Alternating luma and luma that swings 2..8 times a second; and the largest alternation of the film.

    ``step`` is the median over blocks of the luma change: an object that passes moves few blocks and hardly
    counts, while flicker changes them all.
    """
    alternating: list[Event] = []
    swinging: list[Event] = []
    largest: float | None = None
    for first, last in _pieces(context):
        fresh = np.flatnonzero(~repeats[first : last + 1]) + first
        if len(fresh) < 6:
            continue
        change = np.nan_to_num(step[fresh])
        change[0] = 0.0
        luma = np.cumsum(change)
        times = context.times[fresh]
        period = float(np.median(np.diff(times)))
        swing = _alternation(luma, max(5, round(FLICKER_S / period)))
        top = float(swing.max())
        largest = top if largest is None else max(largest, top)
        for a, b in runs(swing >= FLICKER_LEVELS):
            value = float(swing[a:b].max())
            alternating.append(
                Event(
                    "flicker",
                    float(times[a]),
                    context.end(int(fresh[b - 1])),
                    value,
                    "luma alternates",
                    int(fresh[a]),
                )
            )
        swinging.extend(_swings(luma, times, period, fresh, context))
    return alternating, swinging, largest


def _pieces(context: Context) -> list[tuple[int, int]]:
    """First and last frame of stretches whose frame-to-frame changes all lie inside one shot."""
    return [(a - 1, b - 1) for a, b in runs(context.usable) if b - a >= 4]


def _alternation(luma: Numbers, width: int) -> Numbers:
    """Peak-to-peak size of what changes sign in ``luma`` from one frame to the next, locally averaged."""
    bend = np.zeros_like(luma)
    bend[1:-1] = (2 * luma[1:-1] - luma[:-2] - luma[2:]) / 4
    signed = bend * (1 - 2 * (np.arange(len(luma)) % 2))
    width = min(width, len(luma))
    kernel = np.ones(width)
    return np.asarray(2 * np.abs(np.convolve(signed, kernel, "same")) / width)


def _swings(
    luma: Numbers, times: Numbers, period: float, fresh: NDArray[np.int64], context: Context
) -> list[Event]:
    """Windows whose luma swings at one steady rate between 2 and 8 Hz; neighbouring windows are joined."""
    n = round(PUMP_S / period)
    if n < 12 or len(luma) < n or 1 / period < 2.2 * PUMP_BAND[0]:
        return []
    rate = np.fft.rfftfreq(n, period)
    taper = np.hanning(n)
    found: list[Event] = []
    for a in range(0, len(luma) - n + 1, max(1, n // 2)):
        piece = luma[a : a + n]
        trend = np.polyval(np.polyfit(np.arange(n), piece, 2), np.arange(n))
        power = np.abs(np.fft.rfft((piece - trend) * taper)) ** 2
        band = (rate >= PUMP_BAND[0]) & (rate <= PUMP_BAND[1])
        line = int(np.argmax(np.where(band, power, 0)))
        near = slice(max(0, line - 1), line + 2)
        rest = float(power[rate > 1].sum())
        swing = 4 * float(np.sqrt(power[near].sum() / max(1e-9, (taper**2).sum() * n / 2)))  # 2 x amplitude
        if rest <= 0 or power[near].sum() < PUMP_PURE * rest or swing < PUMP_LEVELS:
            continue
        start, end = float(times[a]), context.end(int(fresh[a + n - 1]))
        what = f"luma swings {rate[line]:.1f} times a second"
        if found and start <= found[-1].end:
            value = max(found[-1].value or 0.0, swing)
            found[-1] = Event("pump", found[-1].start, end, value, found[-1].what, found[-1].frame)
        else:
            found.append(Event("pump", start, end, swing, what, int(fresh[a])))
    return found
