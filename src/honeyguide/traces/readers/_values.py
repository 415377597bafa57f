"""Takes values out of JSON that promises nothing: what is missing or of a wrong type is ``None`` or empty."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta
from typing import Any

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.clock import iso, parse_iso
from honeyguide.traces.lines import has_unstorable_escape, parse_json, storable

KEY_DIGITS = 24
"""Hex digits of a key made from content: 96 bits."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def text_of(value: object) -> str:
    """Return a string, or ``""`` for anything else."""
    return value if isinstance(value, str) else ""


def some_text(value: object) -> str | None:
    """Return a string that holds something, else ``None``; numbers (ids) become their text."""
    if isinstance(value, str):
        return value or None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return None


def object_of(value: object) -> dict[str, Any]:
    """Return a JSON object, or an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[Any]:
    """Return a JSON array, or an empty one."""
    return value if isinstance(value, list) else []


def objects_of(value: object) -> list[dict[str, Any]]:
    """Return the objects of a JSON array."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def whole(value: object) -> int | None:
    """Return a count: an integer, an integral float, or decimal digits as text. Negative counts are unknown."""
    found = number(value)
    if found is None or found < 0 or found != int(found):
        return None
    return int(value) if isinstance(value, int | str) and str(value).isdigit() else int(found)


def number(value: object) -> float | None:
    """Return a finite number, also from decimal text."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def embedded(value: object) -> Any:
    """Return the value of JSON kept as text (also twice); any other text, and any other value, as it is."""
    for _ in range(2):
        if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[", '"'):
            break
        try:
            inner = parse_json(value)
        except (ValueError, RecursionError):
            break
        if isinstance(inner, str) and inner.lstrip()[:1] not in ("{", "["):
            break
        value = storable(inner) if has_unstorable_escape(value) else inner
    return value


def compact(value: object) -> str:
    """Return any JSON value as text: a string as it is, ``None`` as nothing, the rest as compact JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def moment(value: object) -> str | None:
    """Return a time as ISO 8601 UTC: from ISO text, or from epoch seconds, milli-, micro- or nanoseconds."""
    if isinstance(value, datetime):
        return iso(value)
    if isinstance(value, str):
        found = value.strip()
        if not found.lstrip("-").replace(".", "", 1).isdigit():
            try:
                return iso(parse_iso(found))
            except (ValueError, OverflowError):
                return None
    seconds = number(value)
    if seconds is None or seconds <= 0:
        return None
    for size in (1e17, 1e14, 1e11):
        if seconds >= size:
            seconds /= 1e9 if size == 1e17 else 1e6 if size == 1e14 else 1e3
            break
    try:
        return iso(_EPOCH + timedelta(seconds=seconds))
    except OverflowError:
        return None


def milliseconds_between(start: str | None, end: str | None) -> int | None:
    """Return the whole milliseconds from one ISO moment to a later one; ``None`` when unknown or reversed."""
    if not start or not end:
        return None
    try:
        gap = (parse_iso(end) - parse_iso(start)).total_seconds()
    except ValueError:
        return None
    return round(gap * 1000) if gap >= 0 else None


def content_key(*parts: object) -> str:
    """Return a key made of content, the same wherever a copy of it stands."""
    return sha256_hex(json.dumps(parts, ensure_ascii=False, separators=(",", ":"), sort_keys=True, default=str))[
        :KEY_DIGITS
    ]
