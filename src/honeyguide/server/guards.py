"""What every request passes first: the name it asks for, the page it comes from, and its token."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from honeyguide.kernel.errors import HoneyguideError
from honeyguide.server.access import Access
from honeyguide.server.answers import refusal

OPEN_PATHS = frozenset({"/healthz"})
_BEARER = {"www-authenticate": 'Bearer realm="honeyguide"'}


class TokenNeeded(HoneyguideError):
    """The request needs the token and has none."""

    code = "token"


class HostGuard:
    """Refuses requests whose ``Host`` or ``Origin`` is not ours (DNS rebinding, foreign web pages)."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            host, origin = headers.get("host"), headers.get("origin")
            if len(headers.getlist("host")) != 1 or not self._access.knows_host(host):
                response = refusal(403, "This server does not answer to that host name.", "host")
                return await response(scope, receive, send)
            if not self._access.knows_origin(origin, host):
                response = refusal(
                    403, "Web pages of this origin may not call this server.", "origin",
                    "Add it to server.origins in the settings.",
                )  # fmt: skip
                return await response(scope, receive, send)
        elif scope["type"] != "lifespan":
            return await refusal(403, "There are no web sockets here.", "unsupported")(scope, receive, send)
        return await self._app(scope, receive, send)


class TokenGuard:
    """Notes whether a caller has the token; refuses a wrong one, and on other than loopback binds a missing one."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            given = given_token(Headers(scope=scope))
            if given is not None and not self._access.is_token(given):
                response = refusal(401, "That is not the token of this server.", "token", _HINT, _BEARER)
                return await response(scope, receive, send)
            is_trusted = given is not None or (self._access.is_local and self._access.trust_loopback)
            if not (is_trusted or self._access.is_local or scope["path"] in OPEN_PATHS):
                response = refusal(401, "This server needs its token.", "token", _HINT, _BEARER)
                return await response(scope, receive, send)
            scope.setdefault("state", {})["is_trusted"] = is_trusted
        return await self._app(scope, receive, send)


def is_trusted(request: Request) -> bool:
    """Say whether the caller may decide and spend."""
    return bool(request.state.is_trusted)


def require_token(request: Request, what: str) -> None:
    """Raise TokenNeeded unless the caller has the token."""
    if not is_trusted(request):
        raise TokenNeeded(f"{what} needs the token of this server.", hint=_HINT)


def token_headers() -> Mapping[str, str]:
    """Return what a 401 says about how to come again."""
    return _BEARER


def given_token(headers: Headers) -> str | None:
    """Return the token of ``Authorization: Bearer`` or ``X-API-Key``; ``None`` when there is neither."""
    authorization = headers.get("authorization")
    if authorization is not None:
        scheme, _, value = authorization.partition(" ")
        return value.strip() if scheme.lower() == "bearer" else ""
    return headers.get("x-api-key")


_HINT = "Send it as 'Authorization: Bearer …' or 'X-API-Key'; 'honeyguide serve --show-token' prints it."
