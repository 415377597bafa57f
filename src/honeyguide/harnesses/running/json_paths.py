"""The small JSON path that specs use: ``$``, ``.name``, ``[*]``, ``[0]``."""

from __future__ import annotations

import re
from typing import Any

_STEP = re.compile(r"\.([A-Za-z_][A-Za-z0-9_-]*)|\[(\*|\d+)\]")


def values_at(value: Any, path: str) -> list[Any]:
    """Return everything that ``path`` selects; nothing for a path that is none."""
    if not path.startswith("$"):
        return []
    current, at = [value], 1
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None:
            return []
        name, index = found.groups()
        if name is not None:
            current = [item[name] for item in current if isinstance(item, dict) and name in item]
        elif index == "*":
            current = [inner for item in current if isinstance(item, list) for inner in item]
        else:
            current = [item[int(index)] for item in current if isinstance(item, list) and int(index) < len(item)]
        at = found.end()
    return current
