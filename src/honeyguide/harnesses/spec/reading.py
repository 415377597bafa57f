"""Reads YAML as hiveloom does (YAML 1.1, safe loader), with the place of every value, and explains its traps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from honeyguide.harnesses.spec.problems import Problem
from honeyguide.kernel.errors import InvalidInput, NotFound, Unreadable

FILE_NAME = "harness.yaml"
MOST_BYTES = 4 * 1024 * 1024
_COUNTER = re.compile(r"^#[ \t]*evolved:[ \t]*(\d+)", re.MULTILINE)
_AMBIGUOUS = {"on", "off", "yes", "no", "y", "n"}

Place = tuple[int, int]
"""Line and column, from 1."""


@dataclass(frozen=True, slots=True)
class Document:
    """A YAML file as text and as values.

    Attributes:
        data: the top-level mapping; an empty file is an empty mapping.
        places: dotted path of a value to where it stands.
        problems: what YAML itself makes of the file that nobody meant (keys that are no texts, doubled keys).
    """

    text: str
    data: Mapping[str, Any]
    places: Mapping[str, Place] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    @property
    def evolved(self) -> int:
        """The counter in the comment ``# evolved: N``; 0 without one."""
        found = _COUNTER.search(self.text)
        return int(found[1]) if found else 0

    def place(self, path: str) -> Place:
        """Return where ``path`` stands, or the nearest place above it; (0, 0) when there is none."""
        while path:
            if path in self.places:
                return self.places[path]
            path = path.rpartition(".")[0]
        return self.places.get("", (0, 0))


def read_document(path: Path) -> Document:
    """Read ``path``. Raises NotFound, Unreadable, InvalidInput (not YAML, or no mapping)."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise Unreadable(f"{path.name} is larger than {MOST_BYTES // 1024 // 1024} MiB.", hint="It is no harness.")
        raw = path.read_bytes()
    except FileNotFoundError as error:
        raise NotFound(f"There is no {path.name} in {path.parent}.", hint="Name a harness folder.") from error
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}.") from error
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"{path.name} is not UTF-8 (byte {error.start}).", hint="Save it as UTF-8.") from error
    return parse_document(text, path.name)


def parse_document(text: str, name: str = FILE_NAME) -> Document:
    """Read YAML text. Raises InvalidInput, naming the line."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark is not None else ""
        said = getattr(error, "problem", None) or str(error)
        raise InvalidInput(
            f"{name} is not valid YAML{where}: {said}.", hint="Check the indentation and quotes on that line."
        ) from error
    data = {} if data is None else data
    if not isinstance(data, dict):
        raise InvalidInput(f"{name} does not hold a mapping at its top.", hint="It begins with fields such as 'name:'.")
    places: dict[str, Place] = {}
    problems: list[Problem] = []
    if node is not None:
        places[""] = _mark(node)
        for found in _walk(node, ""):
            if isinstance(found, Problem):
                problems.append(found)
            else:
                places.setdefault(*found)
    return Document(text, data, places, tuple(problems))


def _walk(node: yaml.Node, path: str) -> Iterator[tuple[str, Place] | Problem]:
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key_node, value_node in node.value:
            key = str(key_node.value)
            below = f"{path}.{key}" if path else key
            line, column = _mark(key_node)
            if key in seen:
                yield Problem(
                    "doubled-key", below, f"{key!r} stands here twice; only the last one counts.",
                    "Remove one of them.", line, column, "warning",
                )  # fmt: skip
            seen.add(key)
            if not key_node.tag.endswith(":str") and key_node.tag != "tag:yaml.org,2002:merge":
                yield Problem(
                    "yaml-trap", below, f"YAML 1.1 reads the key {key} as {_meant(key_node)}, not as a text.",
                    f"Put it in quotes: '{key}':", line, column,
                )  # fmt: skip
            yield below, (line, column)
            yield from _walk(value_node, below)
    elif isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value):
            below = f"{path}.{number}" if path else str(number)
            yield below, _mark(item)
            yield from _walk(item, below)


def trap_of(document: Document, path: str, value: object) -> str:
    """Explain why a text became something else in YAML 1.1; empty when it did not."""
    if not isinstance(value, bool | int | float) and value is not None and not hasattr(value, "isoformat"):
        return ""
    line, column = document.place(path)
    if not line:
        return ""
    source = document.text.splitlines()[line - 1][column - 1 :] if line <= len(document.text.splitlines()) else ""
    written = source.partition(":")[2].strip() if ":" in source else source.strip()
    written = written.partition(" #")[0].strip() or source.lstrip("- ").strip()
    if isinstance(value, bool) and written.casefold() in _AMBIGUOUS:
        return f"YAML 1.1 reads {written} as {str(value).lower()}; write '{written}' in quotes to mean the text."
    return f"YAML reads {written} as {type(value).__name__}; write '{written}' in quotes to mean the text."


def _meant(node: yaml.Node) -> str:
    kind = node.tag.rpartition(":")[2]
    return {"bool": "true or false", "int": "a number", "float": "a number", "null": "nothing"}.get(kind, kind)


def _mark(node: yaml.Node) -> Place:
    mark = node.start_mark
    return (mark.line + 1, mark.column + 1)
