"""What stands for an evaluator's code, so that results of other code are not taken for its own."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from .cards import CARDS, folder_of
from .registry import EVALUATORS


@cache
def code_of(name: str) -> str:
    """Hash of the Python and YAML files of the package in which an evaluator lives, 16 hex digits.

    Versions of signals stand for what lies beneath. Without files that can be found it is empty, and the
    version on the card alone tells.
    """
    entry = EVALUATORS.entry(name)
    folder = folder_of(entry)
    if "." in entry.module and folder is not None:
        files = sorted(path for end in ("py", "yaml") for path in folder.rglob(f"*.{end}"))
    else:  # a module of its own: what lies beside it is not its code
        spec = find_spec(entry.module.split(".")[0])
        here = Path(spec.origin) if spec is not None and spec.origin else None
        files = [p for p in (here, folder / CARDS if folder else None) if p is not None and p.is_file()]
    whole = hashlib.sha256()
    for path in files:
        whole.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return whole.hexdigest()[:16] if files else ""
