"""Which proxy stands between here and an address: the person's own, the environment's or the system's, or none.

Found here and not by the HTTP client, which looks at every proxy of the environment, also those for other addresses,
and refuses to start when one of them is of a kind that it does not know.
"""

from __future__ import annotations

import contextlib
import ipaddress
import os
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from honeyguide.llm.addresses import is_loopback

SPOKEN = frozenset({"http", "https"})
"""Kinds of proxies that can be used. SOCKS would need another package."""


def proxy_for(url: str, own: str | None = None) -> str | None:
    """Return the proxy that requests to ``url`` go through, or ``None``; this computer never needs one.

    Args:
        own: the proxy a person set; goes before those of environment and system. ``NO_PROXY`` holds for both.
    """
    if is_loopback(url) or is_excepted(url):
        return None
    known = getproxies()
    found = own or known.get(urlsplit(url).scheme) or known.get("all")
    if not found or "://" in found:
        return found or None
    return f"http://{found}"


def is_spoken(proxy: str) -> bool:
    """Say whether a proxy is of a kind that can be used."""
    return urlsplit(proxy).scheme.lower() in SPOKEN


def is_excepted(url: str) -> bool:
    """Say whether ``NO_PROXY`` or the system's own list of exceptions names the host of ``url``.

    An entry is a host or a domain (with or without ``.`` or ``*.`` in front), an address, a network such as
    ``10.0.0.0/8``, any of them with a port, or ``*`` for everything.
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".").lower()
    listed = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    entries = [entry.strip().lower() for entry in listed.split(",") if entry.strip()]
    return any(_names(entry, host, parts.port) for entry in entries) or bool(proxy_bypass(parts.netloc or host))


def _names(entry: str, host: str, port: int | None) -> bool:
    if entry == "*":
        return True
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host) in ipaddress.ip_network(entry.strip("[]"), strict=False)
    name, colon, digits = entry.rpartition(":")
    if colon and digits.isdecimal() and ":" not in name.strip("[]").rstrip(":"):
        if str(port) != digits:
            return False
        entry = name
    entry = entry.strip("[]").removeprefix("*").lstrip(".").rstrip(".")
    return bool(entry) and (host == entry or host.endswith(f".{entry}"))
