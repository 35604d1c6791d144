"""What stands for an evaluator's code, so that results of other code are not taken for its own."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from .cards import CARDS, folder_of
from .registry import EVALUATORS

SHARED = Path(__file__).parent / "shared"
"""What several evaluators rest on stands for each of them."""
CODE = ("py", "yaml", "txt")
"""Endings of code, of data and of prompts. Figures of studies (JSON) say nothing of the next answer."""
VECTORS = "vectors.yaml"
"""Test vectors beside an evaluator: they change no answer either."""


@cache
def code_of(name: str) -> str:
    """Hash of the code, data and prompts in the folder where an evaluator lives and in what evaluators share,
    16 hex digits.

    Versions of signals stand for what lies beneath. Without files that can be found it is empty, and the
    version on the card alone tells.
    """
    entry = EVALUATORS.entry(name)
    folder = folder_of(entry)
    if "." in entry.module and folder is not None:
        files = code_files(folder)
    else:  # a module of its own: what lies beside it is not its code
        spec = find_spec(entry.module.split(".")[0])
        here = Path(spec.origin) if spec is not None and spec.origin else None
        found = (here, folder / CARDS if folder else None)
        files = {p.name: p for p in found if p is not None and p.is_file()}
    if not files:
        return ""
    return hash_of_files({**files, **{f"shared/{name}": path for name, path in code_files(SHARED).items()}})


def code_files(folder: Path) -> dict[str, Path]:
    """The files of a folder that its answers may depend on, by their path within it."""
    paths = (path for end in CODE for path in folder.rglob(f"*.{end}") if path.name != VECTORS)
    return {path.relative_to(folder).as_posix(): path for path in paths}


def hash_of_files(files: dict[str, Path]) -> str:
    """16 hex digits that stand for the names and bytes of these files."""
    whole = hashlib.sha256()
    for name, path in sorted(files.items()):
        whole.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return whole.hexdigest()[:16]
