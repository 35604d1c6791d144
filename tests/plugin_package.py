"""Installs the package in ``plugins`` into a folder of its own, from a wheel made here, without a network."""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

SOURCE = Path(__file__).parent / "plugins" / "longtake_stub"
EVALUATORS = {
    "stub.first": "longtake_stub.judges:First",
    "stub.slow": "longtake_stub.judges:Slow",
    "stub.broken": "longtake_stub.judges:Broken",
    "stub.offline": "longtake_stub.judges:Offline",
    "stub.astray": "longtake_stub.judges:Astray",
    "stub.greedy": "longtake_stub.judges:Greedy",
    "stub.steady": "longtake_stub.judges:Steady",
    "stub.unloadable": "longtake_stub.needs_what_is_not_there:Judge",
}


def wheel(folder: Path) -> Path:
    """A wheel of the package."""
    info = "longtake_stub-1.2.dist-info"
    points = "".join(f"{name} = {target}\n" for name, target in EVALUATORS.items())
    files = {f"longtake_stub/{p.name}": p.read_bytes() for p in SOURCE.iterdir() if p.is_file()}
    files["longtake_stub/needs_what_is_not_there.py"] = b"import a_package_that_nobody_has\n"
    files[f"{info}/METADATA"] = b"Metadata-Version: 2.1\nName: longtake-stub\nVersion: 1.2\n"
    tag = b"Root-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: tests\n" + tag
    files[f"{info}/entry_points.txt"] = f"[longtake.evaluators]\n{points}".encode()
    record = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    path = folder / "longtake_stub-1.2-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def install(folder: Path) -> Path:
    """Install it; the folder that has to be on the path."""
    target = folder / "site"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    command += ["--disable-pip-version-check", "--no-compile", "--target", str(target), str(wheel(folder))]
    subprocess.run(command, check=True, env={**os.environ, "PIP_CONFIG_FILE": os.devnull})
    return target
