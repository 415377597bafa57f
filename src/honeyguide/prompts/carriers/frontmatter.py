"""The block between two ``---`` lines at the top of a text file: found, read, and its faults explained."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from honeyguide.prompts.carriers import yaml_strings
from honeyguide.prompts.carriers.yaml_strings import Scalar, YamlProblem

_OPENING = re.compile(r"---[ \t]*(?:\r\n|\n|\r)")
_CLOSING = re.compile(r"(?<=[\r\n])---[ \t]*(?:\r\n|\n|\r|\Z)")
_ENTRY = re.compile(r"(?:(?<=[\r\n])|\A)([A-Za-z_$][\w$.-]*)[ \t]*:[ \t]*([^\r\n]*?)[ \t]*(?=[\r\n]|\Z)")
KEY_LINE = re.compile(r"[A-Za-z_$][\w$.-]*:(?:\s|$)")


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """A frontmatter block.

    Attributes:
        start: where the YAML begins, right after the opening line.
        end: where it ends, at the closing line.
        body: where the text after the block begins.
        values: its top-level values; empty when it is broken.
        scalars: where the top-level scalar values stand in the file.
        problem: why it cannot be read; its line counts from ``start``.
        is_mapping: false when the block holds something else than keys and values.
    """

    start: int
    end: int
    body: int
    values: Mapping[str, Any]
    scalars: Mapping[str, Scalar]
    problem: YamlProblem | None = None
    is_mapping: bool = True
    repeated: tuple[tuple[str, int], ...] = ()
    outline: object = None


def locate(text: str) -> tuple[int, int, int] | None:
    """Return (start, end, body) of the block at the very top of ``text``, or ``None``."""
    opening = _OPENING.match(text)
    if opening is None:
        return None
    closing = _CLOSING.search(text, opening.end())
    return (opening.end(), closing.start(), closing.end()) if closing else None


def read(text: str, *, loose: bool = False) -> Frontmatter | None:
    """Read the block at the top of ``text`` as YAML, or line by line when ``loose``; ``None`` if there is none."""
    places = locate(text)
    if places is None:
        return None
    start, end, body = places
    inner = text[start:end]
    if loose:
        return _read_lines(inner, start, end, body)
    try:
        root = yaml_strings.compose(inner)
        scalars = {
            scalar.pointer[1:].replace("~1", "/").replace("~0", "~"): _moved(scalar, start)
            for scalar in yaml_strings.scalars(inner, root)
            if scalar.pointer.count("/") == 1
        }
        values = yaml_strings.plain_value(root)
        outline = yaml_strings.outline(root)
    except YamlProblem as problem:
        return Frontmatter(start, end, body, {}, {}, problem=problem)
    if values is None:
        values = {}
    if not isinstance(values, dict):
        return Frontmatter(start, end, body, {}, {}, is_mapping=False, outline=outline)
    repeated = tuple(yaml_strings.repeated_keys(root))
    return Frontmatter(start, end, body, values, scalars, repeated=repeated, outline=outline)


def looks_unclosed(text: str) -> bool:
    """Say whether ``text`` opens a block of ``key: value`` lines that no ``---`` line closes."""
    opening = _OPENING.match(text)
    return bool(opening and not _CLOSING.search(text, opening.end()) and KEY_LINE.match(text, opening.end()))


def _read_lines(inner: str, start: int, end: int, body: int) -> Frontmatter:
    values: dict[str, Any] = {}
    scalars: dict[str, Scalar] = {}
    repeated: list[tuple[str, int]] = []
    for match in _ENTRY.finditer(inner):
        key, raw = match.group(1), match.group(2)
        if key in values:
            repeated.append((key, inner.count("\n", 0, match.start())))
        values[key] = _loose_value(raw)
        scalars[key] = Scalar(f"/{key}", start + match.start(2), start + match.end(2), raw, "", "loose", 0)
    outline = tuple((m.group(1), m.group(2)) for m in _ENTRY.finditer(inner))
    return Frontmatter(start, end, body, values, scalars, repeated=tuple(repeated), outline=outline)


def _loose_value(raw: str) -> Any:
    if raw in ("true", "false"):
        return raw == "true"
    if len(raw) >= 2 and raw[0] == raw[-1] and raw[0] in "'\"":
        return raw[1:-1]
    return raw


def _moved(scalar: Scalar, by: int) -> Scalar:
    return Scalar(
        scalar.pointer,
        scalar.start + by,
        scalar.end + by,
        scalar.value,
        scalar.style,
        scalar.tag,
        scalar.indent,
    )
