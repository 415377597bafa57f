"""The tags of a template, and how they stand in each other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

MAX_DEPTH: Final = 60
MAX_TAGS: Final = 20_000


class LiquidError(ValueError):
    """A template that cannot be filled in; the message names line and column."""


@dataclass(frozen=True, slots=True)
class Tag:
    """A piece of text, an output or a tag, as it stands."""

    kind: str  # text, output, or the tag's name
    text: str
    place: str


@dataclass(slots=True)
class Node:
    """A piece with what stands inside it: for each branch its condition and its nodes."""

    kind: str
    text: str = ""
    place: str = ""
    branches: list[tuple[str, list[Node]]] = field(default_factory=list)


_ENDS: Final = {"if": "endif", "unless": "endunless", "case": "endcase", "for": "endfor", "capture": "endcapture"}
_MIDDLES: Final = {
    "if": ("elsif", "else"),
    "unless": ("elsif", "else"),
    "case": ("when", "else"),
    "for": ("else",),
    "capture": (),
}


def _tags(text: str) -> Iterator[Tag]:
    position = count = 0
    trim_next = False
    while position < len(text):
        count += 1
        if count > MAX_TAGS:
            raise LiquidError("the template has too many tags")
        output, tag = text.find("{{", position), text.find("{%", position)
        start = min((at for at in (output, tag) if at >= 0), default=-1)
        plain = text[position : start if start >= 0 else len(text)]
        if trim_next:
            plain = plain.lstrip()
        if start >= 0 and text[start + 2 : start + 3] == "-":
            plain = plain.rstrip()
        if plain:
            yield Tag("text", plain, "")
        if start < 0:
            return
        closing = "}}" if start == output else "%}"
        place = _place(text, start)
        end = _closing(text, start + 2, closing)
        if end < 0:
            kind = "output" if start == output else "tag"
            raise LiquidError(f'{kind} "{text[start : start + 30]}" not closed, {place}')
        inner = text[start + 2 : end]
        trim_next = inner.endswith("-")
        inner = inner.removeprefix("-").removesuffix("-").strip()
        position = end + 2
        if start == output:
            yield Tag("output", inner, place)
            continue
        name, _, rest = inner.partition(" ")
        if name in ("raw", "comment"):
            found = re.compile(r"\{%-?\s*end" + name + r"\s*-?%\}").search(text, position)
            if found is None:
                raise LiquidError(f'tag "{name}" not closed, {place}')
            if name == "raw":
                yield Tag("text", text[position : found.start()], place)
            position = found.end()
            continue
        yield Tag(name, rest.strip(), place)


def _closing(text: str, position: int, closing: str) -> int:
    """Find the end of a tag, passing over quoted strings."""
    quote = ""
    while position < len(text):
        char = text[position]
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif text.startswith(closing, position):
            return position
        position += 1
    return -1


def _place(text: str, index: int) -> str:
    return f"line:{text.count(chr(10), 0, index) + 1}, col:{index - text.rfind(chr(10), 0, index)}"


def parse(text: str) -> list[Node]:
    """Return the pieces of a template, nested. Raises LiquidError."""
    root: list[Node] = []
    stack: list[tuple[Node, list[Node]]] = []
    here = root
    for tag in _tags(text):
        if tag.kind in ("text", "output"):
            here.append(Node(tag.kind, tag.text, tag.place))
        elif tag.kind == "assign":
            if not re.match(r"[\w-]+\s*=", tag.text):
                raise LiquidError(f"assign needs NAME = VALUE, {tag.place}")
            here.append(Node("assign", tag.text, tag.place))
        elif tag.kind in _ENDS:
            node = Node(tag.kind, tag.text, tag.place, [(tag.text, [])])
            here.append(node)
            stack.append((node, here))
            here = node.branches[0][1]
            if len(stack) > MAX_DEPTH:
                raise LiquidError(f"nested too deep, {tag.place}")
        elif stack and tag.kind == _ENDS[stack[-1][0].kind]:
            here = stack.pop()[1]
        elif stack and tag.kind in _MIDDLES[stack[-1][0].kind]:
            node = stack[-1][0]
            node.branches.append((f"{tag.kind} {tag.text}".strip(), []))
            here = node.branches[-1][1]
        else:
            raise LiquidError(f'tag "{tag.kind[:40]}" not known here, {tag.place}')
    if stack:
        raise LiquidError(f'tag "{stack[-1][0].kind}" not closed, {stack[-1][0].place}')
    return root
