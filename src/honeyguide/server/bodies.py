"""Reading a request's JSON body: bounded, strict, and in words that name the field."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from starlette.requests import ClientDisconnect, Request

from honeyguide.kernel.errors import HoneyguideError, InvalidInput

MOST_BYTES = 10 * 1024 * 1024
MOST_DISCARDED = 64 * 1024 * 1024


class TooLarge(HoneyguideError):
    """A body beyond the limit."""

    code = "too-large"


class WrongMediaType(HoneyguideError):
    """A body that is not JSON."""

    code = "media-type"


async def read_json(request: Request) -> Any:
    """Return the JSON value of the body; ``None`` when there is no body.

    Raises:
        TooLarge, WrongMediaType.
        InvalidInput: it is no valid JSON.
    """
    data = await _bounded(request)
    if not data:
        return None
    media_type = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if media_type != "application/json" and not media_type.endswith("+json"):
        raise WrongMediaType("The body must be JSON.", hint="Send it with Content-Type: application/json.")
    try:
        value = json.loads(data.decode("utf-8-sig"), parse_constant=_no_constant)
        json.dumps(value, ensure_ascii=False).encode()  # a lone surrogate is no text
    except (ValueError, RecursionError) as error:
        raise InvalidInput("The body is not valid JSON.", hint="Send one JSON object in UTF-8.") from error
    return value


async def read_object(request: Request) -> Mapping[str, Any]:
    """Return the body as an object; an absent body is an empty one. Raises as ``read_json``."""
    value = await read_json(request)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidInput("The body must be a JSON object.")
    return value


def text(body: Mapping[str, Any], name: str) -> str | None:
    """Return an optional text field. Raises InvalidInput."""
    value = body.get(name)
    if value is not None and not isinstance(value, str):
        raise InvalidInput(f"{name} must be text.")
    return value


def whole(body: Mapping[str, Any], name: str, least: int, most: int, where: str = "") -> int | None:
    """Return an optional whole number between two bounds. Raises InvalidInput."""
    value = body.get(name)
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidInput(f"{where}{name} must be a whole number from {least} to {most}.")
    return value


def number(body: Mapping[str, Any], name: str, check: Callable[[float], bool], rule: str) -> float | None:
    """Return an optional number that passes ``check``. Raises InvalidInput with the rule."""
    value = body.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not check(value):
        raise InvalidInput(f"{name} must be {rule}.")
    return float(value)


async def _bounded(request: Request) -> bytes:
    """Return the body. What is too large is not kept, but taken from the wire where that is bearable: a caller that is
    still sending would see a broken connection in place of the answer."""
    too_large = TooLarge(f"The body is larger than {MOST_BYTES // 1024 // 1024} MiB.")
    length = request.headers.get("content-length", "")
    announced = int(length) if length.isdigit() else 0
    if announced > MOST_DISCARDED:
        raise too_large
    data, size = bytearray(), 0
    try:
        async for chunk in request.stream():
            size += len(chunk)
            if size > MOST_DISCARDED:
                raise too_large
            if size <= MOST_BYTES and announced <= MOST_BYTES:
                data += chunk
    except ClientDisconnect as error:
        raise InvalidInput("The body ended early.") from error
    if size > MOST_BYTES:
        raise too_large
    return bytes(data)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
