"""Shots: the stretches between boundaries."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..core.signal import Column, Signal, SignalSpec
from .boundaries import boundaries
from .film import Film
from .observer import Merged

SPEC = SignalSpec(
    name="shots",
    version=4,
    doc="Shots from detection, from the joins of clips, or as given.",
    columns={
        "index": Column(type="int", doc="from 0"),
        "start": Column(type="float", unit="s", doc="time of the first frame"),
        "end": Column(type="float", unit="s", doc="start of the next shot or end of the film; exclusive"),
        "first_frame": Column(type="int", doc="from 0"),
        "last_frame": Column(type="int", doc="inclusive"),
    },
    facts={"source": Column(type="str", doc="detected, joins (and what was detected between) or given")},
)


def assemble(merged: Merged, film: Film, done: Mapping[str, Signal]) -> Signal:
    """Shots between the boundaries. A gradual boundary is cut at its middle."""
    if not film.frames:
        return Signal("shots", SPEC.version, "failed", "no frame could be decoded")
    firsts = np.array([0, *(b.frame for b in boundaries(merged, film, done.get("gradual")))], np.int64)
    lasts = np.append(firsts[1:], film.frames) - 1
    starts = film.times[firsts]
    source = "given" if film.given_shots is not None else "joins" if film.joins else "detected"
    return Signal(
        name="shots",
        version=SPEC.version,
        columns={
            "index": np.arange(len(firsts)),
            "start": starts,
            "end": np.append(starts[1:], film.end),
            "first_frame": firsts,
            "last_frame": lasts,
        },
        facts={"source": source},
    )
