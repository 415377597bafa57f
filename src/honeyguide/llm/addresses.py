"""Base URLs as people type them, put right visibly; and whether an address is this computer."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit, urlunsplit

from honeyguide.kernel.errors import InvalidInput

Dialect = Literal["anthropic", "openai"]
"""How a server speaks: the Messages API, or Chat Completions."""

OFFICIAL: dict[Dialect, str] = {"anthropic": "https://api.anthropic.com", "openai": "https://api.openai.com/v1"}

_TAILS: dict[Dialect, tuple[str, ...]] = {
    "anthropic": ("/v1/messages", "/messages", "/v1"),
    "openai": ("/chat/completions", "/completions", "/models"),
}


@dataclass(frozen=True, slots=True)
class BaseUrl:
    """An address the SDK can use.

    Attributes:
        notes: what was changed and why, one sentence each; shown beside the field.
    """

    url: str
    notes: tuple[str, ...] = ()


def fix_base_url(dialect: Dialect, typed: str) -> BaseUrl:
    """Return the base URL meant by ``typed``. Raises InvalidInput when it cannot be one, or holds a password."""
    notes: list[str] = []
    text = typed.strip()
    if "://" not in text:
        scheme = "http" if is_loopback(f"http://{text}") else "https"
        notes.append(f"Added {scheme}:// in front.")
        text = f"{scheme}://{text}"
    parts = urlsplit(text)
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if parts.scheme not in ("http", "https") or not host:
        raise InvalidInput(f"{typed!r} is not a web address.", hint="Write it like http://127.0.0.1:11434/v1.")
    if parts.username or parts.password:
        raise InvalidInput(
            "The address holds a user name or password.", hint="Leave it out; keys are kept apart from addresses."
        )
    if parts.query or parts.fragment:
        notes.append("Left out everything after ? or #.")
    path = parts.path.rstrip("/")
    for tail in _TAILS[dialect]:
        if path.endswith(tail):
            path = path[: -len(tail)]
            notes.append(f"Left out {tail}: it is added for each call.")
            break
    path = path.rstrip("/")
    if dialect == "openai":
        path = _openai_path(path, port, notes)
    netloc = f"[{host}]" if ":" in host else host
    return BaseUrl(urlunsplit((parts.scheme, f"{netloc}:{port}" if port else netloc, path, "", "")), tuple(notes))


def is_loopback(url: str) -> bool:
    """Say whether ``url`` leads to this computer (localhost, 127.0.0.0/8, ::1)."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    if host.lower().rstrip(".") in ("localhost", "ip6-localhost") or host.lower().endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(url: str) -> str:
    """Return ``host:port`` of ``url``, for sentences; never a name or password before it."""
    return urlsplit(url).netloc.rpartition("@")[2]


def _openai_path(path: str, port: int | None, notes: list[str]) -> str:
    if path.endswith("/api") and (port == 11434 or path == "/api"):
        notes.append("Replaced /api by /v1: that is where this server speaks the OpenAI way.")
        return path[: -len("/api")] + "/v1"
    if path == "":
        notes.append("Added /v1.")
        return "/v1"
    return path
