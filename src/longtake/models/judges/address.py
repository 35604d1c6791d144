"""The address of a judge's server: what it is, whether it is near, and how to write it without secrets."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from ...errors import UsageError


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
    hint = "for example https://api.openai.com/v1 or http://localhost:8000/v1"
    try:
        parts = urlsplit(base_url.strip())
        port, name = parts.port, parts.hostname or ""
    except ValueError:
        raise UsageError("the base URL of the judge's server cannot be read", hint=hint) from None
    if parts.scheme not in ("http", "https") or not name:
        raise UsageError("the base URL of the judge's server has to begin with http or https", hint=hint)
    shown = f"[{name}]" if ":" in name else name
    host = shown if port is None else f"{shown}:{port}"
    return Address(base_url.strip(), parts.scheme, host, parts.path.rstrip("/"), name)


def _ip(name: str, quality: str) -> bool:
    try:
        return bool(getattr(ipaddress.ip_address(name), quality))
    except ValueError:
        return False
