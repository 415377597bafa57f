"""What a recorder keeps of the things an agent hands it: JSON, of bounded size, in its own type."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

DEFAULT_LIMIT = 5000
"""Characters that one text keeps; also the budget for all texts of one structured result times ``BUDGET_FACTOR``."""

BUDGET_FACTOR = 4
MAX_DEPTH = 40
_ITEM_COST = 8


def truncate(text: str, limit: int = DEFAULT_LIMIT) -> str:
    """Return ``text`` as it is up to ``limit`` characters, else its beginning and how many were dropped.

    The trailer comes on top of ``limit``: ``\\n[... 70ch truncated]``.
    """
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n[... {len(text) - limit}ch truncated]"


def recorded_value(value: Any, limit: int = DEFAULT_LIMIT) -> Any:
    """Return ``value`` as JSON data of its own type: lists stay lists, numbers numbers, texts are truncated.

    Long lists and objects end with a note of what was dropped; what JSON has no type for becomes text; NaN and the
    infinities become ``None``.
    """
    return _Recorder(limit).take(value, 0)


def json_value(value: Any) -> Any:
    """Return ``value`` as JSON data without shortening anything."""
    return _Recorder(None).take(value, 0)


class _Recorder:
    """One walk through a value, with what is left of its budget."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._within: set[int] = set()
        self._left = math.inf if limit is None else max(limit, 1) * BUDGET_FACTOR

    def take(self, value: Any, depth: int) -> Any:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int):
            return int(value)
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else None
        if isinstance(value, str):
            return self._text(str(value))
        if isinstance(value, bytes | bytearray | memoryview):
            return f"[{len(value)} bytes]"
        if isinstance(value, Mapping | list | tuple | set | frozenset):
            return self._container(value, depth)
        return self._text(str(value))

    def _container(self, value: Any, depth: int) -> Any:
        if depth >= MAX_DEPTH or id(value) in self._within:
            return "[nested too deeply]"
        self._within.add(id(value))
        try:
            if isinstance(value, Mapping):
                return self._mapping(value, depth)
            return self._list(sorted(value, key=repr) if isinstance(value, set | frozenset) else value, depth)
        finally:
            self._within.discard(id(value))

    def _text(self, text: str) -> str:
        if self._limit is None:
            return text
        kept = truncate(text, min(self._limit, max(int(self._left), 0)))
        self._left -= len(kept)
        return kept

    def _mapping(self, data: Mapping[Any, Any], depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for position, (key, item) in enumerate(data.items()):
            if self._left <= 0:
                result["..."] = f"[{len(data) - position} members truncated]"
                break
            name = key if isinstance(key, str) else str(key)
            self._left -= _ITEM_COST + len(name)
            result[name] = self.take(item, depth + 1)
        return result

    def _list(self, items: Any, depth: int) -> list[Any]:
        result: list[Any] = []
        for position, item in enumerate(items):
            if self._left <= 0:
                result.append(f"[... {len(items) - position} items truncated]")
                break
            self._left -= _ITEM_COST
            result.append(self.take(item, depth + 1))
        return result
