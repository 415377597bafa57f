"""Dotted paths into a spec: which covers which, reading and setting values.

A number is an index of a list (its length appends), ``+`` as the last step appends; missing mappings are made.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def covers(outer: str, inner: str) -> bool:
    """Say whether ``inner`` is ``outer`` or below it, whatever the case of letters."""
    a, b = outer.casefold(), inner.casefold()
    return b == a or b.startswith(a + ".")


def touches(one: str, other: str) -> bool:
    """Say whether one of two paths is the other, or stands above or below it."""
    return covers(one, other) or covers(other, one)


def covered_by_any(path: str, patterns: Iterable[str]) -> bool:
    """Say whether one of ``patterns`` covers ``path``."""
    return any(covers(pattern, path) for pattern in patterns)


def touches_any(path: str, patterns: Iterable[str]) -> bool:
    """Say whether ``path`` touches one of ``patterns``."""
    return any(touches(pattern, path) for pattern in patterns)


def value_at(data: Any, path: str) -> Any:
    """Return the value at ``path``; ``None`` when there is none."""
    current = data
    for step in path.split("."):
        if isinstance(current, dict) and step in current:
            current = current[step]
        elif isinstance(current, list) and step.lstrip("-").isdigit() and 0 <= int(step) < len(current):
            current = current[int(step)]
        else:
            return None
    return current


def set_value(data: Any, path: str, value: Any) -> None:
    """Set the value at ``path`` in mappings and lists (plain ones, or those of a round-trip loader).

    Raises:
        ValueError: the path does not fit the document, with the reason in words.
    """
    steps = path.split(".")
    if not all(steps):
        raise ValueError(f"path {path!r} has an empty step")
    current = data
    for number, step in enumerate(steps[:-1]):
        if isinstance(current, list):
            current = current[_index(step, len(current), appends=False)]
        elif isinstance(current, dict):
            if current.get(step) is None:
                current[step] = {}
            current = current[step]
        else:
            raise ValueError(f"{'.'.join(steps[: number + 1])} stands inside a plain value")
    last = steps[-1]
    if isinstance(current, list):
        if last == "+":
            current.append(value)
            return
        at = _index(last, len(current), appends=True)
        if at == len(current):
            current.append(value)
        else:
            current[at] = value
    elif isinstance(current, dict):
        if last == "+":
            raise ValueError(f"{'.'.join(steps[:-1]) or 'the document'} is no list; '+' appends to lists only")
        current[last] = value
    else:
        raise ValueError(f"{path} stands inside a plain value")


def with_missing_lists(data: Any, path: str) -> None:
    """Make an empty list where ``path`` appends to something that is not there yet."""
    steps = path.split(".")
    if len(steps) < 2 or steps[-1] not in ("+", "0"):
        return
    current = data
    for step in steps[:-2]:
        if isinstance(current, dict):
            if current.get(step) is None:
                current[step] = {}
            current = current[step]
        elif isinstance(current, list) and step.isdigit() and int(step) < len(current):
            current = current[int(step)]
        else:
            return
    if isinstance(current, dict) and current.get(steps[-2]) is None:
        current[steps[-2]] = []


def _index(step: str, length: int, *, appends: bool) -> int:
    if step == "+":
        raise ValueError("'+' can only be the last step of a path")
    if step.startswith("-") and step[1:].isdigit():
        raise ValueError(
            f"list index {step} is negative; address an entry by its position from the start, or use '+' to append"
        )
    if not step.isdigit():
        raise ValueError(f"{step!r} is no list index")
    at = int(step)
    if at > length or (at == length and not appends):
        raise ValueError(f"list index {at} is out of range (length {length})")
    return at
