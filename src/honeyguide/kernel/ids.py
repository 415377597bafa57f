"""Public identifiers."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable

IdFactory = Callable[[], str]
"""Something that returns a new unique id; passed in so that tests can name their own."""

_NAME = re.compile(r"[^\x00-\x1f\x7f/\\]{1,200}")


def new_uuid() -> str:
    """Return a random UUID (version 4, RFC 9562) in its usual lower-case text form."""
    return str(uuid.uuid4())


def is_safe_name(name: str) -> bool:
    """Say whether ``name`` may name a target: 1-200 characters, no separator, control character or leading dot."""
    return bool(_NAME.fullmatch(name)) and not name.startswith(".") and name == name.strip()
