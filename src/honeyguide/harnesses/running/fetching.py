"""Fetches pages for the ``http_get`` tool: only from declared hosts, never from this computer or its network."""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import urljoin, urlsplit

MOST_BYTES: Final = 1_000_000
MOST_REDIRECTS: Final = 3
SECONDS: Final = 20.0


class FetchRefused(Exception):
    """The address is not allowed or did not answer; the message is for the model."""


def fetch(url: str, hosts: Sequence[str], decided: Callable[[str, bool], None]) -> str:
    """Return the body of ``url`` as text. Raises FetchRefused."""
    for _ in range(MOST_REDIRECTS + 1):
        parts = urlsplit(url)
        host = (parts.hostname or "").casefold()
        allowed = parts.scheme in ("http", "https") and any(_fits(host, pattern.casefold()) for pattern in hosts)
        decided(host, allowed)
        if not allowed:
            raise FetchRefused(f"{host or url} is not one of the declared hosts")
        status, location, body = _get(parts.scheme, host, parts.port, parts.path or "/", parts.query)
        if status in (301, 302, 303, 307, 308) and location:
            url = urljoin(url, location)
            continue
        text = body.decode("utf-8", "backslashreplace")
        if status >= 400:
            raise FetchRefused(f"{host} answered {status}: {text[:300]}")
        return text
    raise FetchRefused("too many redirects")


def _fits(host: str, pattern: str) -> bool:
    return host == pattern or (pattern.startswith("*.") and host.endswith(pattern[1:]))


def _get(scheme: str, host: str, port: int | None, path: str, query: str) -> tuple[int, str, bytes]:
    port = port or (443 if scheme == "https" else 80)
    address = _public_address(host, port)
    raw = socket.create_connection((address, port), timeout=SECONDS)
    connection = http.client.HTTPConnection(host, port, timeout=SECONDS)
    try:
        if scheme == "https":
            raw = ssl.create_default_context().wrap_socket(raw, server_hostname=host)
        connection.sock = raw
        target = f"{path}?{query}" if query else path
        connection.request("GET", target, headers={"User-Agent": "honeyguide", "Accept": "*/*"})
        answer = connection.getresponse()
        return answer.status, answer.headers.get("Location") or "", answer.read(MOST_BYTES)
    except (OSError, http.client.HTTPException) as error:
        raise FetchRefused(f"{host} did not answer: {error}") from error
    finally:
        connection.close()


def _public_address(host: str, port: int) -> str:
    """Resolve once and connect to what was checked, so that no second answer can lead elsewhere."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise FetchRefused(f"{host} is not known") from error
    for *_, address in found:
        if ipaddress.ip_address(address[0]).is_global:
            return str(address[0])
    raise FetchRefused(f"{host} is not a public address")
