"""One spelling for data that gets hashed: canonical JSON, and SHA-256 over it."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from honeyguide.kernel.errors import InvalidInput

_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def canonical_json(value: Any) -> str:
    """Return ``value`` as JSON with sorted keys, no spaces, non-ASCII kept, and no NaN or infinity.

    Raises:
        InvalidInput: the value holds something JSON cannot (NaN, a set, an object of ours).
    """
    try:
        return _ENCODER.encode(value)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"This value cannot be written as JSON: {error}.") from error


def sha256_hex(data: str | bytes) -> str:
    """Return the SHA-256 of bytes, or of text as UTF-8 (lone surrogates kept), as 64 hex digits."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return hashlib.sha256(raw).hexdigest()


def fingerprint(value: Any) -> str:
    """Return the SHA-256 of the canonical JSON of ``value``."""
    return sha256_hex(canonical_json(value))
