"""Text and moments in the one spelling that the database holds."""

from __future__ import annotations

import json
import re
from typing import Any

from honeyguide.kernel.clock import iso, parse_iso
from honeyguide.kernel.errors import InvalidInput

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def storable(text: str) -> str:
    r"""Return ``text`` with each lone surrogate written as its escape (``\udc80``); other text is unchanged."""
    if text.isascii() or not _LONE_SURROGATE.search(text):
        return text
    return _LONE_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def json_text(value: Any) -> str:
    """Return ``value`` as JSON that a database can hold: readable, but all ASCII when it has lone surrogates."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if text.isascii() or not _LONE_SURROGATE.search(text):
        return text
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def moment(text: str) -> str:
    """Return an ISO 8601 moment (with a space, an offset, or a date alone too) as UTC with ``T`` and ``Z``.

    Raises:
        InvalidInput: it is no moment.
    """
    try:
        return iso(parse_iso(text))
    except (ValueError, OverflowError) as error:
        raise InvalidInput(
            f"{text[:40]!r} is not a date or time.", hint="Write it as 2026-01-31 or 2026-01-31T12:00:00Z."
        ) from error


def first_line(text: str, length: int = 160) -> str:
    """Return the beginning of ``text`` on one line, at most ``length`` characters."""
    flat = " ".join(text[: length * 4].split())
    return flat if len(flat) <= length else flat[: length - 1] + "…"
