"""Documents, curves and pictures from what was measured, and the record of how it was made."""

from __future__ import annotations

import math
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .core.documents import Shot, ShotsDocument, SignalEntry, SignalsDocument, Transition
from .core.model import tool_version
from .core.signal import Signals
from .core.video import Video

if TYPE_CHECKING:
    from .execution.measure import Measured
    from .storage.results import Lane, Thumbnail


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def shots_document(measured: Measured, film: Video) -> ShotsDocument:
    """Shots and transitions of a measured film."""
    signals = measured.signals
    return ShotsDocument(
        duration=measured.film.duration,
        frames=measured.film.frames,
        frame_origin="film" if film.start is None and film.end is None else "part",
        source=signals["shots"].facts.get("source", "detected"),
        shots=[Shot(**row) for row in signals["shots"].rows()],
        transitions=[
            Transition(**{k: row[k] for k in Transition.model_fields})
            for row in signals["transitions"].rows()
        ],
    )


def signals_document(signals: Signals, out: Path | None = None) -> SignalsDocument:
    """Signals as a document: rows inside, or one JSON file per signal in ``out``.

    Raises:
        OutputError: ``out`` cannot be written.
    """
    from .storage.cache import replacing

    entries = {}
    for name, signal in signals.by_name.items():
        rows = signal.rows()
        events = [
            {
                "kind": e.kind,
                "start": e.start,
                "end": e.end,
                "value": e.value,
                "what": e.what,
                "frame": e.frame,
            }
            for e in signal.events
        ]
        facts = {k: json_value(v) for k, v in signal.facts.items()}
        entry = SignalEntry(
            version=signal.version,
            status=signal.status,
            reason=signal.reason,
            facts=facts,
            rows=rows,
            events=events,
        )
        if out is not None:
            path = out / f"{name}.json"
            with replacing(path, "the signal") as file:
                file.write(entry.model_dump_json(by_alias=True).encode())
            entry = entry.model_copy(update={"rows": None, "events": [], "path": str(path)})
        entries[name] = entry
    return SignalsDocument(signals=entries, trace=list(signals.trace))


def json_value(value: Any) -> Any:
    """A fact as a JSON value: arrays become lists, what is not finite ``None``."""
    item = value.item() if hasattr(value, "item") and getattr(value, "size", 1) == 1 else value
    if isinstance(item, float):
        return _finite(item)
    if isinstance(item, (list, tuple)) or hasattr(item, "tolist"):
        return [json_value(v) for v in (item.tolist() if hasattr(item, "tolist") else item)]
    return item


def thumbnails(measured: Measured) -> list[Thumbnail]:
    """Representative frames of a measured film, none where they were not asked for."""
    from .storage.results import Thumbnail

    frames = measured.signals["frames"]
    if not frames.usable:
        return []
    columns = frames.columns
    pictures = measured.jpegs([int(n) for n in columns["jpeg"]])
    return [
        Thumbnail(int(shot), float(time), pictures[int(n)])
        for shot, time, n in zip(columns["shot"], columns["time"], columns["jpeg"], strict=True)
        if int(n) in pictures
    ]


LANES = (
    # name shown, signal, column, unit, lowest and highest value worth drawing
    ("Sound level", "audio", "rms_db", "dBFS", -60.0, 0.0),
    ("Camera motion", "motion", "camera_speed", "widths/s", 0.0, 1.0),
    ("Object motion", "motion", "object_speed", "widths/s", 0.0, 0.5),
    ("Brightness", "picture", "luma", "", 0.0, 255.0),
    ("Sharpness", "picture", "sharpness", "", 0.0, 1.0),
    ("Speech likelihood", "sound", "speech", "", 0.0, 1.0),
    ("Music likelihood", "sound", "music", "", 0.0, 1.0),
    ("Noise likelihood", "sound", "noise", "", 0.0, 1.0),
)


def lanes(signals: Signals) -> list[Lane]:
    """Curves for the time line, at most 2,000 points each."""
    from .report.data import lane_of

    found = []
    for name, signal, column, unit, low, high in LANES:
        columns = signals[signal].columns
        if column in columns and len(columns[column]):
            found.append(lane_of(name, unit, columns["time"], columns[column], low, high))
    return found


def run_record(**arguments: Any) -> dict[str, Any]:
    """How this was made: what was asked for, versions, git revision of a source tree."""
    import platform
    from importlib.metadata import version

    packages = {p: version(p) for p in ("av", "numpy", "opencv-python-headless", "pydantic")}
    return {
        "arguments": {k: v for k, v in arguments.items() if v is not None},
        "longtake": tool_version(),
        "python": platform.python_version(),
        "packages": packages,
        "revision": _revision(),
    }


def _revision() -> str | None:
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return None
    command = ["git", "-C", str(root), "describe", "--always", "--dirty"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
