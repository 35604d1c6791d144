"""The public surface is small, complete and quick to import."""

from __future__ import annotations

import subprocess
import sys

import longtake

HEAVY = (
    "openai",
    "httpx2",
    "numpy",
    "cv2",
    "av",
    "scipy",
    "matplotlib",
    "jinja2",
    "opentimelineio",
    "yaml",
    "langgraph",
    "torch",
)


def test_every_public_name_can_be_loaded() -> None:
    assert longtake.__all__ == sorted(longtake.__all__)
    assert len(longtake.__all__) <= 25
    for name in longtake.__all__:
        assert getattr(longtake, name) is not None
    assert longtake.__version__


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(longtake, "no_such_name")


def _loaded_by(*arguments: str) -> set[str]:
    code = (
        f"import sys, runpy\nsys.argv[1:] = {list(arguments)!r}\n"
        "try:\n    runpy.run_module('longtake', run_name='__main__')\nexcept SystemExit: pass\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_help_loads_nothing_heavy() -> None:
    for arguments in (["--help"], ["diagnose", "--help"], ["--version"]):
        loaded = _loaded_by(*arguments)
        assert "typer" in loaded
        assert not loaded & set(HEAVY), arguments


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, longtake; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {*HEAVY, "typer", "pydantic"}
