"""Values of a template: how they are spelled, what is inside them, and the filters that change them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

EMPTY: Final = object()
"""What ``empty`` and ``blank`` stand for in a comparison."""


def child(value: Any, key: str) -> Any:
    """Return what ``key`` names inside a value; nothing when it is not there."""
    if isinstance(value, Mapping):
        return value.get(key)
    if isinstance(value, Sequence) and not isinstance(value, str) and key.isdigit():
        return value[int(key)] if int(key) < len(value) else None
    if key == "size" and isinstance(value, Sequence | Mapping):
        return len(value)
    if isinstance(value, Sequence) and value and key in ("first", "last"):
        return value[0 if key == "first" else -1]
    return None


def spelled(value: Any) -> str:
    """Return a value as it is printed."""
    if value is None or value is EMPTY:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "".join(map(spelled, value))
    return str(value)


def _quoted(value: Any) -> str:
    return "'" + spelled(value).replace("'", "'\\''") + "'"


def _sliced(value: Any, start: int, length: int = 1) -> Any:
    items = value if isinstance(value, list) else spelled(value)
    start = start if start >= 0 else max(len(items) + start, 0)
    return items[start : start + length]


def _truncated(value: Any, length: int = 50, tail: str = "...") -> str:
    text = spelled(value)
    return text if len(text) <= length else text[: max(length - len(tail), 0)] + tail


def _listed(value: Any) -> list[Any]:
    return (
        list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [] if value is None else [value]
    )


def _number(value: Any) -> float | int:
    if isinstance(value, int | float):
        return value
    text = spelled(value).strip()
    return float(text) if "." in text else int(text or 0)


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "q": _quoted,
    "shell_escape": _quoted,
    "upcase": lambda v: spelled(v).upper(),
    "downcase": lambda v: spelled(v).lower(),
    "capitalize": lambda v: spelled(v)[:1].upper() + spelled(v)[1:].lower(),
    "strip": lambda v: spelled(v).strip(),
    "lstrip": lambda v: spelled(v).lstrip(),
    "rstrip": lambda v: spelled(v).rstrip(),
    "strip_newlines": lambda v: re.sub(r"\r?\n", "", spelled(v)),
    "newline_to_br": lambda v: re.sub(r"\r?\n", "<br />\n", spelled(v)),
    "escape": lambda v: (
        spelled(v).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&#34;")
    ),
    "append": lambda v, tail: spelled(v) + spelled(tail),
    "prepend": lambda v, head: spelled(head) + spelled(v),
    "replace": lambda v, old, new="": spelled(v).replace(spelled(old), spelled(new)),
    "replace_first": lambda v, old, new="": spelled(v).replace(spelled(old), spelled(new), 1),
    "remove": lambda v, old: spelled(v).replace(spelled(old), ""),
    "split": lambda v, mark: spelled(v).split(spelled(mark)) if spelled(mark) else list(spelled(v)),
    "join": lambda v, mark=" ": spelled(mark).join(map(spelled, _listed(v))),
    "first": lambda v: _listed(v)[0] if _listed(v) else None,
    "last": lambda v: _listed(v)[-1] if _listed(v) else None,
    "size": lambda v: len(v) if isinstance(v, Sequence | Mapping) else 0,
    "reverse": lambda v: _listed(v)[::-1],
    "sort": lambda v: sorted(_listed(v), key=spelled),
    "uniq": lambda v: list({spelled(item): item for item in _listed(v)}.values()),
    "compact": lambda v: [item for item in _listed(v) if item is not None],
    "map": lambda v, key: [child(item, spelled(key)) for item in _listed(v)],
    "slice": _sliced,
    "truncate": _truncated,
    "default": lambda v, other="": other if v in (None, False, "") or v == [] else v,
    "json": lambda v: json.dumps(None if v is EMPTY else v, ensure_ascii=False, default=str),
    "plus": lambda v, n: _number(v) + _number(n),
    "minus": lambda v, n: _number(v) - _number(n),
    "times": lambda v, n: _number(v) * _number(n),
    "round": lambda v, n=0: round(float(_number(v)), int(n)) if n else round(float(_number(v))),
}
