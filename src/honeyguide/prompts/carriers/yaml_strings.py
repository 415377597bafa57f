"""Strings inside YAML: where each stands, and how to rewrite one in its own style (plain, quoted, block)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from honeyguide.kernel.errors import Unreadable, Unsupported
from honeyguide.prompts.carriers.lines import editable, usual_line_end
from honeyguide.prompts.carriers.selectors import join_pointer

MAX_NODES = 50_000
"""Nodes followed through aliases; more is a bomb, not a prompt."""
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_STRING_TAG = "tag:yaml.org,2002:str"
_TRUTH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_PROPERTIES = re.compile(r"(?:[&!]\S*[ \t]+)+")
_NEEDS_ESCAPE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar of a YAML text: ``text[start:end]`` with its quotes or block header.

    Attributes:
        style: ``""`` plain, ``'``, ``"``, ``|`` or ``>``.
        tag: what YAML 1.1 takes an unquoted value for.
        indent: columns of the key's line; block text is indented deeper than that.
    """

    pointer: str
    start: int
    end: int
    value: str
    style: str
    tag: str
    indent: int

    @property
    def is_string(self) -> bool:
        """Whether YAML takes it for a string."""
        return self.tag == _STRING_TAG


class YamlProblem(Unreadable):
    """Broken YAML, with the 0-based line of the fault."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(f"The YAML is broken in line {line + 1}: {reason}.", details={"line": line + 1})
        self.reason = reason
        self.line = line


def compose(text: str) -> yaml.Node | None:
    """Return the node tree of a YAML text with one document. Raises YamlProblem."""
    try:
        node: yaml.Node | None = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = error.problem or error.context or "not YAML"
        raise YamlProblem(reason, mark.line if mark else 0) from error
    except yaml.reader.ReaderError as error:
        # The position that libyaml gives counts bytes; the character is looked for again.
        found = yaml.reader.Reader.NON_PRINTABLE.search(text)
        line = text.count("\n", 0, found.start()) if found else 0
        name = f"U+{ord(found.group()):04X}" if found else "a control character"
        raise YamlProblem(f"the character {name} is not allowed", line) from error
    except (yaml.YAMLError, UnicodeError) as error:
        raise YamlProblem(str(error).splitlines()[0], 0) from error
    except RecursionError as error:
        raise YamlProblem("nested too deeply", 0) from error
    return node


def scalars(text: str, root: yaml.Node | None) -> Iterator[Scalar]:
    """Yield every scalar value in order. Raises Unsupported when aliases make the tree too big."""
    budget = [MAX_NODES]
    if root is not None:
        yield from _scalars(text, root, [], 0, budget)


def plain_value(root: yaml.Node | None) -> Any:
    """Return maps, lists, strings, booleans, whole numbers and ``None``; any other scalar stays its text."""
    return None if root is None else _plain(root, [MAX_NODES])


def outline(root: yaml.Node | None) -> object:
    """Return a comparable picture that keeps order, repeated keys and tags."""
    return None if root is None else _outline(root, [MAX_NODES])


def repeated_keys(root: yaml.Node | None) -> list[tuple[str, int]]:
    """Return top-level keys that occur again, with the 0-based line of the later one."""
    if not isinstance(root, yaml.MappingNode):
        return []
    seen: set[str] = set()
    repeated: list[tuple[str, int]] = []
    for key, _ in root.value:
        if key.value in seen:
            repeated.append((key.value, key.start_mark.line))
        if isinstance(key.value, str):
            seen.add(key.value)
    return repeated


class YamlCodec:
    """A YAML scalar with its quotes or block header. The style stays as long as it can hold the new text."""

    def __init__(self, scalar: Scalar, line_end: str = "\n") -> None:
        self._scalar = scalar
        self._line_end = line_end

    def decode(self, raw: str) -> str:
        """Return the editable text."""
        return editable(self._scalar.value)

    def spellings(self, new: str, raw: str) -> Iterable[str]:
        """Yield ``new`` in the present style, then in styles that hold more; the caller parses to see which does."""
        style, value = self._scalar.style, self._scalar.value
        full = new + value[len(value.rstrip("\n")) :]
        if style in ("|", ">"):
            yield from _blocks(new, raw, self._scalar, self._line_end)
        elif style == "'" and "\n" not in full:
            yield "'" + full.replace("'", "''") + "'"
        elif style == "" and "\n" not in full:
            yield full
        yield quote(full)
        yield json.dumps(full)


def quote(text: str) -> str:
    """Return ``text`` as a double-quoted scalar: JSON, with what YAML calls unprintable escaped."""
    spelled = json.dumps(text, ensure_ascii=False)
    return _NEEDS_ESCAPE.sub(lambda match: f"\\u{ord(match.group()):04x}", spelled)


def _blocks(new: str, raw: str, scalar: Scalar, line_end: str) -> Iterator[str]:
    header = re.match(r"[|>][^\r\n]*", raw)
    end = usual_line_end(raw, line_end)
    content = re.search(r"(?:\r\n|\n|\r)( +)\S", raw)
    pad = content.group(1) if content else " " * (scalar.indent + 2)
    head = header.group() if header else scalar.style
    for wanted in dict.fromkeys((scalar.style, "|")):
        body = re.sub(r"(?<=\S)(\n+)(?=\S)", r"\1\n", new) if wanted == ">" else new
        yield wanted + head[1:] + end + end.join(pad + line if line else line for line in body.split("\n"))


def _scalars(text: str, node: yaml.Node, path: list[str | int], indent: int, budget: list[int]) -> Iterator[Scalar]:
    _spend(budget)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _scalars(text, value, [*path, str(key.value)], key.start_mark.column, budget)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield from _scalars(text, value, [*path, index], node.start_mark.column, budget)
    elif isinstance(node, yaml.ScalarNode):
        start, end = node.start_mark.index, node.end_mark.index
        style = node.style or ""
        if properties := _PROPERTIES.match(text, start, end):
            start = properties.end()
        if style in ("|", ">"):
            end = start + len(_without_blank_end(text[start:end]))
        elif style == "":
            end = start + len(text[start:end].rstrip())
        yield Scalar(join_pointer(*path), start, end, node.value, style, node.tag, indent)


def _without_blank_end(raw: str) -> str:
    """Cut the line ends, and lines of blanks only, that follow a block's last line of text."""
    while True:
        stripped = raw.rstrip("\r\n")
        start = max(stripped.rfind("\n"), stripped.rfind("\r")) + 1
        if stripped[start:].strip(" \t") or start == 0:
            return stripped
        raw = stripped[:start]


def _plain(node: yaml.Node, budget: list[int]) -> Any:
    _spend(budget)
    if isinstance(node, yaml.MappingNode):
        return {str(key.value): _plain(value, budget) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_plain(value, budget) for value in node.value]
    text = str(node.value)
    kind = node.tag.rpartition(":")[2]
    if kind == "bool":
        return _TRUTH.get(text.lower(), text)
    if kind == "null":
        return None
    if kind == "int" and re.fullmatch(r"[-+]?\d{1,18}", text):
        return int(text)
    return text


def _outline(node: yaml.Node, budget: list[int]) -> object:
    _spend(budget)
    if isinstance(node, yaml.MappingNode):
        pairs = tuple((_outline(key, budget), _outline(value, budget)) for key, value in node.value)
        return (node.tag, pairs)
    if isinstance(node, yaml.SequenceNode):
        return (node.tag, tuple(_outline(value, budget) for value in node.value))
    return (node.tag, node.value)


def _spend(budget: list[int]) -> None:
    budget[0] -= 1
    if budget[0] < 0:
        raise Unsupported(f"This YAML unfolds to more than {MAX_NODES} values.", hint="Aliases inside aliases?")
