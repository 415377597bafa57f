"""Who may ask what: names a server answers to, pages that may call it, and what needs the token.

On this computer everyone may read and start runs that cost nothing; whoever accepts, rejects or spends needs the token,
so that an agent that is being improved cannot decide for itself. From elsewhere everything needs it.
"""

from __future__ import annotations

import hmac
import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from honeyguide.kernel.errors import PolicyRefused

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class Access:
    """The rules of one server.

    Attributes:
        host: what it is bound to.
        token: the secret; ``None`` only in tests of a loopback server without one.
        trust_loopback: whether callers on this computer may do everything.
        origins: web pages that may call, as ``scheme://host[:port]``.
        hosts: further names under which it may be called.
    """

    host: str
    token: str | None
    trust_loopback: bool = False
    origins: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.is_local and self.token is None:
            raise PolicyRefused(
                f"{self.host} can be reached from other computers, and there is no token.",
                hint="Give one with --token-file, or bind to 127.0.0.1.",
            )

    @property
    def is_local(self) -> bool:
        """Whether only this computer can reach it."""
        return is_loopback(self.host)

    def knows_host(self, header: str | None) -> bool:
        """Say whether a ``Host`` header names this server; a name that a stranger pointed at it does not."""
        name = host_name(header or "")
        if not name:
            return False
        if name in LOOPBACK_NAMES or name == self.host.lower() or name in {host.lower() for host in self.hosts}:
            return True
        return not self.is_local and _is_address(name)

    def knows_origin(self, origin: str | None, host: str | None) -> bool:
        """Say whether a request that a web page sends may come: from our own address, or from a configured origin."""
        if origin is None:
            return True
        if origin in self.origins:
            return True
        parts = urlsplit(origin) if origin.count("/") == 2 else None
        return parts is not None and parts.scheme in ("http", "https") and parts.netloc.lower() == (host or "").lower()

    def is_token(self, given: str) -> bool:
        """Compare in constant time."""
        return self.token is not None and hmac.compare_digest(given.encode(), self.token.encode())


def is_loopback(host: str) -> bool:
    """Say whether a name or address stands for this computer alone."""
    name = host.strip("[]").lower()
    return name == "localhost" or (_is_address(name) and ipaddress.ip_address(name).is_loopback)


def host_name(header: str) -> str:
    """Return the name in a ``Host`` header, without port and brackets, in lower case; empty when it is malformed."""
    header = header.strip().lower()
    if header.startswith("["):
        name, bracket, rest = header[1:].partition("]")
        return name if bracket and (not rest or rest[1:].isdigit()) else ""
    name, _, port = header.partition(":")
    return name if not port or port.isdigit() else ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
