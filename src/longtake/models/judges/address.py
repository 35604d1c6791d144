"""The address of a judge's server: what it is, whether it is near, and how to write it without secrets."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from ...errors import UsageError

HINT = "for example https://api.openai.com/v1 or http://localhost:8000/v1"


@dataclass(frozen=True)
class Address:
    """A base URL: ``host`` is its ``name`` with the port, where one is given."""

    url: str
    scheme: str
    host: str
    path: str
    name: str

    @property
    def written(self) -> str:
        """The URL without user, password and query."""
        return f"{self.scheme}://{self.host}{self.path}"

    @property
    def loopback(self) -> bool:
        """Whether it is this machine."""
        return self.name == "localhost" or _ip(self.name, "is_loopback")

    @property
    def near(self) -> bool:
        """Whether it is on this machine or a private network, where servers seldom want a key."""
        local = "." not in self.name or self.name.endswith((".local", ".internal", ".lan", ".home.arpa"))
        return self.loopback or _ip(self.name, "is_private") or (local and ":" not in self.name)


def address(base_url: str) -> Address:
    """Read a base URL.

    Raises:
        UsageError: it is no URL of the web.
    """
    url = base_url.strip()
    if not url.isprintable() or any(sign.isspace() for sign in url):
        raise UsageError("the base URL of the judge's server has signs that no URL has", hint=HINT)
    try:
        parts = urlsplit(url)
        port, name = parts.port, parts.hostname or ""
    except ValueError:
        raise UsageError("the base URL of the judge's server cannot be read", hint=HINT) from None
    if parts.scheme not in ("http", "https") or not name:
        raise UsageError("the base URL of the judge's server has to begin with http or https", hint=HINT)
    if not _can_be_asked_for(name):
        raise UsageError("the base URL of the judge's server has a host that there cannot be", hint=HINT)
    shown = f"[{name}]" if ":" in name else name
    host = shown if port is None else f"{shown}:{port}"
    return Address(url, parts.scheme, host, parts.path.rstrip("/"), name)


def _can_be_asked_for(name: str) -> bool:
    """Whether a name can be one of the network: parts of 1 to 63 signs, 253 in all (RFC 1035)."""
    try:
        return ":" in name or len(name.removesuffix(".").encode("idna")) <= 253
    except UnicodeError:
        return False


def _ip(name: str, quality: str) -> bool:
    try:
        return bool(getattr(ipaddress.ip_address(name), quality))
    except ValueError:
        return False
