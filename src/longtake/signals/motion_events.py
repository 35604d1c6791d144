"""Events of time itself, worked out from per-frame rows: held and repeated frames, jumps, flicker.

Everything here is a pure function of arrays with one entry per frame. A frame is a repeat when no block (4 x
4 pixels of the 128 px plane, averaged) differs from the frame before by more than :data:`SAME` grey levels,
or :data:`RECODED`, and the frames right before and after it differ far more. A shot that is still has frames
that look the same; it is not frozen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from ..core.signal import Event, Signal

SAME = 1.0
"""Grey levels (0..255) up to which a frame repeats the one before, whatever happens around it."""
RECODED, DIP, DIP_OF_MEAN, SURE_DIP = 3.0, 0.35, 0.4, 0.2
"""A repeat that was encoded again (H.264, crf 20, with B-frames) differs by up to 3.1 grey levels; it
counts if it is at most RECODED and at most the share DIP of the changes right before and after the run of
such frames. Of their mean change any repeat is at most DIP_OF_MEAN: what dips less is a shot that nearly
stands (0.41 in ovi_twomen, 0.9 in intel_classroom); what dips below SURE_DIP needs no dip of its peak. Fixed
on seven clips of 8_footage shown 'on twos', from both halves (va_2A, tmh_tractor, simpl_small_b, ovi_stage;
fv_motorcycle, tmh_shuttle, uda_lane), and on the untouched clips of both: not a held-out result."""
DOUBTFUL_DIP = 0.6
"""A frame whose mean change dips this far is no witness of how much the shot moves."""
MOVING = 3.0
"""Grey levels: the median peak of neighbouring frames above which the shot moves there."""
LEAST_MEAN = 0.1
"""Mean grey levels: beside frames that change less nothing repeats (mdn_chroma_b: a man who holds still)."""
UNTOUCHED = 0.03
"""Mean grey levels by which a held picture without motion around it may change: rounding, no more. A person
who sits still changes by 0.05 and more (va_1A), an empty road by 0.1 (intel_car_b)."""
LEAST_WHOLE = 0.5
"""Mean grey levels by which a shot changes from frame to frame before (or after) a freeze beside a cut. It
and the next two were chosen beforehand: of 101 shots of 1.5 s in three films (half A) none has one."""
DEAD = 0.5
"""Share of its usual change that a shot still has in the last frame before such a freeze."""
AT_A_CUT = 0.05
"""Share of the usual change that is left in such a freeze, encoded again."""
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
HELD_PEAK, HOLDS = 5.5, 0.08
"""Where pictures are shown for three frames and more (ad_ml1_03, ffp_in, lav_teaser) each new one leaps: the
two frames on both sides change by no more than HELD_PEAK grey levels in any block and, in the mean, by less
than this share of the leap. A leap in a shot that is as still as that is not told."""
RETURNS = 0.6
"""If the next frame is again this close to the one before, it was a flash, not a jump."""
FLICKER_LEVELS = 1.5
"""Grey levels, peak to peak, from which alternating luma is reported. Chosen beforehand; with
FLICKER_SHARE no clip of 8_footage exceeds it."""
FLICKER_SHARE = 0.5
"""In flicker every step is as large as the alternation; in wrtc_chrome_a and _b, whose luma leaps up and down
at random, steps are three times larger."""
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


def same_as_before(peak: Numbers, change: Numbers, context: Context) -> tuple[Flags, Flags, Flags]:
    """Frames that look like the one before; those that repeat it while the shot moves; those that may.

    The latter stand out from the frames right before and after their run, both in the block that changes most
    (``peak``) and over the whole picture (``change``).
    """
    same = (peak <= SAME) & context.usable
    repeats, doubtful = np.zeros(len(peak), bool), np.zeros(len(peak), bool)
    for a, b in runs((peak <= RECODED) & context.usable):
        if a < 1 or b >= len(peak) or not (context.usable[a - 1] and context.usable[b]):
            continue
        most, mean = min(peak[a - 1], peak[b]), min(change[a - 1], change[b])
        if mean < LEAST_MEAN:
            continue
        dips = same[a:b] | (peak[a:b] <= DIP * most) | (change[a:b] <= SURE_DIP * mean)
        repeats[a:b] = dips & (change[a:b] <= DIP_OF_MEAN * mean)
        doubtful[a:b] = change[a:b] <= DOUBTFUL_DIP * mean
    return same | repeats, repeats, doubtful


def held_pictures(peak: Numbers, change: Numbers, context: Context) -> tuple[Flags, list[Event]]:
    """Frames of pictures held for FREEZE_S or longer, and those holds that interrupt motion.

    A still film is held throughout and has no freeze; in a film 'on twos' or slower every picture is held
    equally long, and none is a freeze. A hold that reaches a cut interrupts motion on its other side.
    """
    same, repeats, _ = same_as_before(peak, change, context)
    held = np.zeros(len(peak), bool)
    found: list[Event] = []
    for a, b in runs(same):
        start, length = a - 1, context.end(b - 1) - float(context.times[a - 1])
        if (
            length < FREEZE_S
            or b - a < 2
            or float(np.median(peak[a:b])) > SAME
            or length < CADENCE * _usual_hold(same, a, b, context)
        ):
            continue
        interrupts = (
            repeats[a:b].mean() > 0.5
            and min(peak[a - 1], peak[b]) > MOVING
            and _moves_around(peak, start, b, context)
        )
        beside = None if interrupts else _beside_a_cut(peak, change, start, b, context)
        held[start:b] = interrupts or float(np.median(change[a:b])) <= UNTOUCHED
        if beside is not None:
            start, b = beside
            length = context.end(b - 1) - float(context.times[start])
            held[start:b] = True
        if interrupts or beside is not None:
            what = f"the picture freezes for {length:.1f} s{'' if interrupts else ' beside a cut'}"
            found.append(
                Event("freeze", float(context.times[start]), context.end(b - 1), length, what, start)
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
    """Whether the shot moves both before and after the span start..stop."""
    times, shot = context.times, context.shot
    before = (times >= times[start] - CONTEXT_S) & (np.arange(len(times)) <= start)
    after = (times <= times[stop - 1] + CONTEXT_S) & (np.arange(len(times)) >= stop)
    for side in (before, after):
        chosen = peak[side & context.usable & (shot == shot[start])]
        if len(chosen) < 3 or float(np.median(chosen)) < MOVING:
            return False
    return True


def _beside_a_cut(
    peak: Numbers, change: Numbers, start: int, stop: int, context: Context
) -> tuple[int, int] | None:
    """Start and stop of a hold that reaches a cut and stops the motion on its other side dead; else nothing.

    Frames that encoding altered on that side belong to it. One side alone is a weak witness, as what moves
    may also come to rest: the frame next to the hold must change as much as those beyond it do
    (:data:`DEAD`), and over the whole picture, not in one place.
    """
    n, shot = len(peak), context.shot
    until = stop < n and shot[stop] != shot[stop - 1]
    after = start > 0 and shot[start - 1] != shot[start]
    if until == after:
        return None
    if until:
        while start > 0 and shot[start - 1] == shot[start] and peak[start] <= RECODED:
            start -= 1
        next_to = start
        near = np.arange(n) <= start
    else:
        while stop < n and shot[stop] == shot[stop - 1] and peak[stop] <= RECODED:
            stop += 1
        next_to = stop
        near = np.arange(n) >= stop
    near &= (context.times >= context.times[start] - CONTEXT_S) & context.usable & (shot == shot[start])
    near &= context.times <= context.times[stop - 1] + CONTEXT_S
    if near.sum() < 3 or float(np.median(peak[near])) < MOVING:
        return None
    usual = float(np.median(change[near]))
    within = float(np.median(change[start + 1 : stop]))
    if usual < LEAST_WHOLE or change[next_to] < DEAD * usual or within > max(UNTOUCHED, AT_A_CUT * usual):
        return None
    return start, stop


def repeated_frames(
    peak: Numbers, change: Numbers, held: Flags, context: Context
) -> tuple[Flags, list[Event]]:
    """Frames that repeat the one before while the shot moves, outside held pictures, and runs of them."""
    _, repeats, doubtful = same_as_before(peak, change, context)
    repeats &= ~held
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
        if _step(group) > 1:  # a cadence: what falls on its beat may be a repeat that encoding hid
            around = around[~doubtful[around]]
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


def _step(group: NDArray[np.int64]) -> int:
    """Frames from one repeat to the next where most are equally far apart; else 0."""
    gaps = np.diff(group)
    step = int(np.median(gaps)) if len(gaps) else 0
    return step if step > 1 and float(np.mean(gaps == step)) >= 0.6 else 0


def _cadence(group: NDArray[np.int64], context: Context) -> str:
    if len(group) == 1:
        return "one frame repeats the one before"
    step = _step(group)
    if step > 1:
        return (
            f"every {step}{'nd' if step == 2 else 'rd' if step == 3 else 'th'} frame repeats the one before"
        )
    span = context.end(int(group[-1])) - float(context.times[group[0] - 1])
    return f"{len(group)} frames repeat the one before within {span:.2f} s"


def jumps(rows: Mapping[str, Numbers], peak: Numbers, change: Numbers, context: Context) -> list[Event]:
    """Frames at which the content leaps although no shot begins."""
    found = []
    for i, time in enumerate(rows["time"]):
        frame = int(np.searchsorted(context.times, time - 1e-6))
        if frame >= len(context.times) or not context.usable[max(0, frame - 1) : frame + 2].all():
            continue
        beside = [k for k in (frame - 2, frame - 1, frame + 1, frame + 2) if 0 <= k < len(peak)]
        if peak[beside].max() <= HELD_PEAK and change[beside].max() < HOLDS * rows["change"][i]:
            continue  # pictures that are shown for three frames and more leap all the time
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
                    "the picture jumps between two frames of one shot",
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
        swing = _alternation(luma, change, max(5, round(FLICKER_S / period)))
        top = float(swing.max())
        largest = top if largest is None else max(largest, top)
        for a, b in runs(swing >= FLICKER_LEVELS):
            value = float(swing[a:b].max())
            what = f"brightness flickers by {value:.1f} of 255 levels"
            alternating.append(
                Event(
                    "flicker",
                    float(times[a]),
                    context.end(int(fresh[b - 1])),
                    value,
                    what,
                    int(fresh[a]),
                )
            )
        swinging.extend(_swings(luma, times, period, fresh, context))
    return alternating, swinging, largest


def _pieces(context: Context) -> list[tuple[int, int]]:
    """First and last frame of stretches whose frame-to-frame changes all lie inside one shot."""
    return [(a - 1, b - 1) for a, b in runs(context.usable) if b - a >= 4]


def _alternation(luma: Numbers, change: Numbers, width: int) -> Numbers:
    """Peak-to-peak size of what changes sign in ``luma`` from one frame to the next.

    Taken over ``width`` frames as the smaller of mean and median, so that one odd frame is no flicker; 0
    where it is less than FLICKER_SHARE of ``change``, the steps from frame to frame.
    """
    bend = np.zeros_like(luma)
    bend[1:-1] = (2 * luma[1:-1] - luma[:-2] - luma[2:]) / 4
    signed = bend * (1 - 2 * (np.arange(len(luma)) % 2))
    width = min(width, len(luma))
    around = sliding_window_view(np.pad(signed, (width // 2, width - 1 - width // 2)), width)
    mean, middle = around.mean(1), np.median(around, axis=1)
    swing = 2 * np.where(mean * middle > 0, np.minimum(np.abs(mean), np.abs(middle)), 0.0)
    steps = np.convolve(np.abs(change), np.ones(width) / width, "same")
    return np.asarray(np.where(swing >= FLICKER_SHARE * steps, swing, 0.0))


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
        what = f"brightness swings {rate[line]:.1f} times a second by {swing:.0f} of 255 levels"
        if found and start <= found[-1].end:
            value = max(found[-1].value or 0.0, swing)
            found[-1] = Event("pump", found[-1].start, end, value, found[-1].what, found[-1].frame)
        else:
            found.append(Event("pump", start, end, swing, what, int(fresh[a])))
    return found
