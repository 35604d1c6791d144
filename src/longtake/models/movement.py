"""Models of movement by name: flow, the frame between two, and points followed; the proxies run offline."""

from __future__ import annotations

from collections.abc import Mapping

from .named import NOT_RUN, Kind

DIS, LK = "proxy:dis", "proxy:lk"
AMT_LICENCE = "CC BY-NC-SA 4.0, not for commercial use"
"""What the page of its weights says (lalala125/AMT). The code (MCG-NKU/AMT) is CC BY-NC 4.0 by its README."""
COTRACKER_LICENCE = "CC BY-NC 4.0, not for commercial use"
"""What the pages of its weights say (facebook/cotracker and facebook/cotracker3)."""

FLOWS: Mapping[str, Kind] = {
    DIS: Kind("flows:DisFlow", stands_for="RAFT"),
    "raft": Kind(
        "onnx_flow:OnnxFlow",
        places=("MODEL.onnx",),
        needs=("onnxruntime",),
        licence="BSD-3-Clause",
        note=NOT_RUN,
    ),
}
INTERPOLATORS: Mapping[str, Kind] = {
    DIS: Kind("flows:DisInterpolator", stands_for="AMT-S"),
    "amt": Kind(
        "onnx_flow:OnnxInterpolator",
        places=("MODEL.onnx",),
        needs=("onnxruntime",),
        licence=AMT_LICENCE,
        note=NOT_RUN,
    ),
}
TRACKERS: Mapping[str, Kind] = {
    LK: Kind("trackers:LucasKanade", stands_for="CoTracker"),
    "cotracker": Kind(
        "script_tracker:ScriptTracker",
        places=("MODEL.pt",),
        needs=("torch",),
        extra="torch",
        licence=COTRACKER_LICENCE,
        note=NOT_RUN,
    ),
}
