"""The part of JSONPath that checks need: ``$``, ``.name``, ``['name']``, ``[3]``, ``[-1]``, ``[*]`` and ``.*``.

Syntax and meaning as in RFC 9535; filters, slices and descendants are not offered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from honeyguide.kernel.errors import InvalidInput

Step = str | int | None
"""A member name, an index, or ``None`` for every child."""

_STEP: Final = re.compile(
    r"""\.(?P<name>[^\W\d][\w-]*)|\.(?P<any>\*)|\[(?P<all>\*)\]|\[(?P<index>-?\d{1,9})\]"""
    r"""|\['(?P<single>(?:[^'\\]|\\.)*)'\]|\["(?P<double>(?:[^"\\]|\\.)*)"\]"""
)


def parse_path(path: str) -> tuple[Step, ...]:
    """Return the steps of ``path``. Raises InvalidInput for what is not in the supported part."""
    if not path.startswith("$"):
        raise InvalidInput(f"The path {path!r} must begin with '$'.", hint="For example: $.items[0].name")
    steps: list[Step] = []
    position = 1
    while position < len(path):
        found = _STEP.match(path, position)
        if found is None:
            raise InvalidInput(
                f"The path {path!r} cannot be read at character {position + 1}.",
                hint="Use .name, ['name'], [0], [-1], [*] or .* after '$'.",
            )
        steps.append(_step(found))
        position = found.end()
    return tuple(steps)


def select(path: str, document: Any) -> list[Any]:
    """Return every value that ``path`` names in ``document``, in document order."""
    values = [document]
    for step in parse_path(path):
        values = [child for value in values for child in _children(value, step)]
    return values


def _step(found: re.Match[str]) -> Step:
    if found["any"] or found["all"]:
        return None
    if found["index"] is not None:
        return int(found["index"])
    if found["name"] is not None:
        return found["name"]
    quoted = found["single"] if found["single"] is not None else found["double"]
    return re.sub(r"\\(.)", r"\1", quoted)


def _children(value: Any, step: Step) -> list[Any]:
    if step is None:
        if isinstance(value, Mapping):
            return list(value.values())
        return list(value) if isinstance(value, list) else []
    if isinstance(step, str):
        return [value[step]] if isinstance(value, Mapping) and step in value else []
    if isinstance(value, list) and -len(value) <= step < len(value):
        return [value[step]]
    return []
