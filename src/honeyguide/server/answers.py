"""What goes back over HTTP: JSON, and errors as ``{"error": sentence, "code", "hint"}`` with their status."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response

from honeyguide.kernel.errors import (
    Conflict,
    HoneyguideError,
    InvalidInput,
    ModelError,
    NoKey,
    NotFound,
    Refused,
    Unsupported,
)

NO_STORE = {"cache-control": "no-store"}
_STATUS: tuple[tuple[type[HoneyguideError], int], ...] = (
    (NotFound, 404),
    (Conflict, 409),
    (NoKey, 422),
    (ModelError, 503),
    (Refused, 403),
    (InvalidInput, 400),
    (Unsupported, 400),
)


def encoded(document: Any) -> bytes:
    """Return a document as UTF-8 JSON; a lone surrogate in a text is written as its escape."""
    try:
        return json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(document, allow_nan=False, separators=(",", ":")).encode()


def answer(document: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return a JSON response that no cache keeps."""
    return Response(encoded(document), status, {**NO_STORE, **(headers or {})}, media_type="application/json")


def status_of(error: HoneyguideError) -> int:
    """Return the HTTP status of an error."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def error_body(error: HoneyguideError) -> dict[str, Any]:
    """Return the body of an error, as it is also sent in an ``error`` event."""
    about = error.to_json()
    return {"error": about.pop("message"), **about}


def refusal(status: int, sentence: str, code: str, hint: str = "", headers: dict[str, str] | None = None) -> Response:
    """Return an error that the HTTP layer itself found."""
    return answer({"error": sentence, "code": code, "hint": hint}, status, headers)


def error_answer(error: HoneyguideError) -> Response:
    """Return the response for an error."""
    return answer(error_body(error), status_of(error))
