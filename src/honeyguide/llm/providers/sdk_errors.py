"""What the SDKs raise, turned into our errors by status and by the cause underneath; never by words in a message."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from honeyguide.kernel.errors import ModelError
from honeyguide.llm.addresses import host_of
from honeyguide.llm.connections import Connection
from honeyguide.llm.failures import Failure, FailureKind, model_error
from honeyguide.llm.rate_headers import retry_after

_K = FailureKind
_STATUS_KINDS = {
    400: _K.BAD_REQUEST,
    401: _K.AUTH,
    402: _K.QUOTA,
    403: _K.FORBIDDEN,
    404: _K.MODEL_NOT_FOUND,
    407: _K.PROXY,
    408: _K.TIMEOUT,
    413: _K.TOO_LARGE,
    422: _K.BAD_REQUEST,
    429: _K.RATE_LIMIT,
    503: _K.OVERLOADED,
    504: _K.TIMEOUT,
    529: _K.OVERLOADED,
}
MOST_TOKENS = 10**10
"""More than any call can take; a higher figure in an answer is none."""
_AT_THE_DOOR = {_K.REFUSED: "does not answer", _K.DNS: "could not be found"}
"""Failures of whoever is called first: where there is a proxy, of the proxy."""
_LIBRARIES = ("anthropic", "openai", "httpx2", "httpcore2", "anyio", "h11")
_QUOTA_CODES = frozenset(
    {"insufficient_quota", "billing_hard_limit_reached", "billing_error", "credit_balance_too_low"}
)


def from_sdk(error: Exception, connection: Connection, secrets: tuple[str, ...] = ()) -> ModelError:
    """Return our error for an exception of either SDK, or of the HTTP library under them."""
    status = getattr(error, "status_code", None)
    if isinstance(error, ModelError):
        return error
    if isinstance(error, UnicodeEncodeError):
        return model_error(Failure(_K.BAD_REQUEST), who=connection.who, said="the text holds half a character")
    if isinstance(error, ValueError | RecursionError):
        return bad_answer(connection)
    if isinstance(status, int):
        return _from_status(error, status, connection, secrets)
    kind = connection_kind(error)
    if kind in _AT_THE_DOOR and (proxy := connection.proxy_in_use) is not None:
        return model_error(Failure(_K.PROXY), who=connection.who, said=f"{host_of(proxy)} {_AT_THE_DOOR[kind]}")
    if kind is _K.BAD_ANSWER:
        return bad_answer(connection)
    failure = Failure(kind, may_be_billed=kind in (_K.CUT, _K.TIMEOUT) and not _never_connected(error))
    return model_error(failure, who=connection.who)


def is_of_the_call(error: Exception) -> bool:
    """Say whether an exception comes from the call (SDK, HTTP library, system, unreadable answer), not from a slip."""
    return isinstance(error, ModelError | OSError | ValueError | RecursionError) or type(error).__module__.startswith(
        _LIBRARIES
    )


def timed_out(connection: Connection) -> ModelError:
    """Return the error for a call that took longer than its role allows."""
    return model_error(Failure(_K.TIMEOUT, may_be_billed=True), who=connection.who)


def bad_answer(connection: Connection, said: str = "") -> ModelError:
    """Return the error for an answer that is not a model's reply."""
    return model_error(Failure(_K.BAD_ANSWER, status=200, may_be_billed=True), who=connection.who, said=said)


def readable(text: str, connection: Connection) -> str:
    """Return ``text`` if it can be kept and sent; raise for one with half characters (lone surrogates)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise bad_answer(connection, "its text holds half a character") from None
    return text


def count(usage: Any, name: str) -> int | None:
    """Return a number of tokens that an answer states; ``None`` for anything that cannot be one."""
    value = getattr(usage, name, None)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS else None


def body_fields(error: Exception) -> dict[str, Any]:
    """Return the ``error`` object of a provider's answer (``type``, ``code``, ``param``, ``message``), or nothing."""
    body = getattr(error, "body", None)
    if isinstance(body, dict):
        inner = body.get("error")
        return inner if isinstance(inner, dict) else body
    return {}


def connection_kind(error: BaseException) -> FailureKind:
    """Tell why a connection failed, from the exceptions underneath."""
    causes = list(_causes(error))
    names = {type(cause).__name__ for cause in causes}
    if names & {"AnswerTooLong", "DecodingError"}:
        return _K.BAD_ANSWER
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return _K.TLS
    if "ProxyError" in names:
        return _K.PROXY
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return _K.DNS
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return _K.REFUSED
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return _K.TLS
    if names & {"ConnectTimeout", "ReadTimeout", "WriteTimeout", "PoolTimeout", "APITimeoutError", "TimeoutError"}:
        return _K.TIMEOUT
    if names & {"RemoteProtocolError", "ReadError", "WriteError"}:
        return _K.CUT
    if any(isinstance(cause, ConnectionResetError | BrokenPipeError) for cause in causes):
        return _K.CUT
    return _K.CONNECTION


def _from_status(error: Exception, status: int, connection: Connection, secrets: tuple[str, ...]) -> ModelError:
    fields = body_fields(error)
    codes = {str(fields.get(name)) for name in ("code", "type")} | {str(getattr(error, "error_code", None))}
    kind = _STATUS_KINDS.get(status, _K.SERVER if status >= 500 else _K.BAD_REQUEST)
    if codes & _QUOTA_CODES:
        kind = _K.QUOTA
    elif 300 <= status < 400:
        kind = _K.REDIRECT
    elif status < 300:
        kind = _K.BAD_ANSWER
    response = getattr(error, "response", None)
    headers = dict(response.headers) if response is not None else {}
    said = fields.get("message")
    return model_error(
        Failure(kind, status=status, retry_after=retry_after(headers, datetime.now(UTC))),
        who=connection.who,
        said=said if isinstance(said, str) else "",
        secrets=secrets,
    )


def _never_connected(error: BaseException) -> bool:
    return any(type(cause).__name__ in ("ConnectTimeout", "ConnectError", "PoolTimeout") for cause in _causes(error))


def _causes(error: BaseException) -> Iterator[BaseException]:
    pending, seen = [error], set[int]()
    while pending:
        current = pending.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        pending += [cause for cause in (current.__cause__, current.__context__) if cause is not None]
        if isinstance(current, BaseExceptionGroup):
            pending += current.exceptions
