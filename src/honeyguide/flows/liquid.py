"""The part of the Liquid template language that flows use, filled in without running anything.

Tags: if/elsif/else, unless, case/when, for/else, assign, capture, comment, raw. A tag or filter that is not known is an
error with its line, never passed over. What a variable holds is inserted as text and never read as a template again.
Source: Shopify's Liquid reference; rows in tests/flows/test_liquid.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from honeyguide.flows.liquid_parsing import LiquidError, Node, parse
from honeyguide.flows.liquid_values import EMPTY, FILTERS, child, spelled

MAX_OUTPUT: Final = 4_000_000
MAX_LOOPS: Final = 10_000


__all__ = ["LiquidError", "render", "variables"]


def render(text: str, values: Mapping[str, Any]) -> str:
    """Return the template with ``values`` filled in; what is not there is nothing. Raises LiquidError."""
    out = _Output()
    _render(parse(text), {**values}, out)
    return "".join(out.parts)


def variables(text: str) -> tuple[str, ...]:
    """Return the ``_names`` that the template reads and does not set itself, in order. Raises LiquidError."""
    found: dict[str, None] = {}
    set_here: set[str] = set()
    _collect(parse(text), found, set_here)
    return tuple(name for name in found if name.startswith("_"))


@dataclass(slots=True)
class _Output:
    parts: list[str] = field(default_factory=list)
    size: int = 0
    loops: int = 0

    def add(self, text: str) -> None:
        self.size += len(text)
        if self.size > MAX_OUTPUT:
            raise LiquidError("the filled-in template is too long")
        self.parts.append(text)


def _render(nodes: Sequence[Node], scope: dict[str, Any], out: _Output) -> None:
    for node in nodes:
        if node.kind == "text":
            out.add(node.text)
        elif node.kind == "output":
            out.add(spelled(_value(node.text, scope, node.place)))
        elif node.kind == "assign":
            name, _, expression = node.text.partition("=")
            scope[name.strip()] = _value(expression.strip(), scope, node.place)
        elif node.kind == "capture":
            inner = _Output(size=out.size, loops=out.loops)
            _render(node.branches[0][1], scope, inner)
            out.size, out.loops = inner.size, inner.loops
            scope[node.text.strip().strip("\"'")] = "".join(inner.parts)
        elif node.kind == "for":
            _loop(node, scope, out)
        else:
            _render(_chosen(node, scope), scope, out)


def _chosen(node: Node, scope: Mapping[str, Any]) -> list[Node]:
    subject = _value(node.text, scope, node.place) if node.kind == "case" else None
    for n, (head, nodes) in enumerate(node.branches):
        if head == "else" or head.startswith("else "):
            return nodes
        if node.kind == "case":
            if n and any(_equal(subject, _value(v, scope, node.place)) for v in _options(head.removeprefix("when "))):
                return nodes
            continue
        condition = head.removeprefix("elsif ") if n else head
        if _holds(condition, scope, node.place) != (node.kind == "unless" and n == 0):
            return nodes
    return []


def _options(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"\s*,\s*|\s+or\s+", text) if part.strip()]


_FOR = re.compile(r"([\w-]+)\s+in\s+(\S+)((?:\s+(?:limit|offset)\s*:\s*\S+|\s+reversed)*)\s*")


def _loop(node: Node, scope: dict[str, Any], out: _Output) -> None:
    head = _FOR.fullmatch(node.text)
    if head is None:
        raise LiquidError(f"for needs NAME in LIST, {node.place}")
    items = _items(head[2], scope, node.place)
    for option in re.finditer(r"(limit|offset)\s*:\s*(\S+)", head[3]):
        number = _value(option[2], scope, node.place)
        count = int(number) if isinstance(number, int | float) else 0
        items = items[:count] if option[1] == "limit" else items[count:]
    if "reversed" in head[3]:
        items = items[::-1]
    if not items:
        if len(node.branches) > 1:
            _render(node.branches[1][1], scope, out)
        return
    for n, item in enumerate(items):
        out.loops += 1
        if out.loops > MAX_LOOPS:
            raise LiquidError(f"the template loops too often, {node.place}")
        inner = {
            **scope,
            head[1]: item,
            "forloop": {
                "index": n + 1,
                "index0": n,
                "first": n == 0,
                "last": n == len(items) - 1,
                "length": len(items),
            },
        }
        _render(node.branches[0][1], inner, out)


def _items(expression: str, scope: Mapping[str, Any], place: str) -> list[Any]:
    if span := re.fullmatch(r"\((\S+?)\.\.(\S+?)\)", expression):
        low, high = (_value(span[n], scope, place) for n in (1, 2))
        if not isinstance(low, int) or not isinstance(high, int) or high - low > MAX_LOOPS:
            raise LiquidError(f"a range needs whole numbers, {place}")
        return list(range(low, high + 1))
    value = _value(expression, scope, place)
    if isinstance(value, Mapping):
        return [[key, item] for key, item in value.items()]
    if isinstance(value, Sequence) and not isinstance(value, str):
        return list(value)
    return [] if value in (None, "") else [value]


_PIECE = re.compile(r"\"[^\"]*\"|'[^']*'|[^\s\"']+")


def _holds(condition: str, scope: Mapping[str, Any], place: str) -> bool:
    """Conditions are joined from the right, as in Liquid."""
    pieces = _PIECE.findall(condition)
    for n, piece in enumerate(pieces):
        if piece in ("and", "or"):
            left = _compares(pieces[:n], scope, place)
            rest = " ".join(pieces[n + 1 :])
            return (left and _holds(rest, scope, place)) if piece == "and" else (left or _holds(rest, scope, place))
    return _compares(pieces, scope, place)


def _compares(pieces: Sequence[str], scope: Mapping[str, Any], place: str) -> bool:
    if len(pieces) == 1:
        return _is_true(_value(pieces[0], scope, place))
    if len(pieces) != 3:
        raise LiquidError(f"this condition cannot be read, {place}")
    left, right = _value(pieces[0], scope, place), _value(pieces[2], scope, place)
    operator = pieces[1]
    if operator in ("==", "!=", "<>"):
        return _equal(left, right) == (operator == "==")
    if operator == "contains":
        if isinstance(left, str):
            return spelled(right) in left
        return isinstance(left, Sequence | Mapping) and right in left
    if operator in ("<", ">", "<=", ">="):
        try:
            return bool({"<": left < right, ">": left > right, "<=": left <= right, ">=": left >= right}[operator])
        except TypeError:
            return False
    raise LiquidError(f'the comparison "{operator[:20]}" is not known, {place}')


def _equal(left: Any, right: Any) -> bool:
    if right is EMPTY or left is EMPTY:
        other = left if right is EMPTY else right
        return other in ("", None) or (isinstance(other, Sequence | Mapping) and len(other) == 0)
    return bool(left == right) and isinstance(left, bool) == isinstance(right, bool)


def _is_true(value: Any) -> bool:
    return value is not None and value is not False


_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?")
_PATH = re.compile(r"[A-Za-z_][\w-]*(?:\.[\w-]+|\[(?:\d+|\"[^\"\]]*\"|'[^'\]]*')\])*\??")
_STEP = re.compile(r"\.?([\w-]+)|\[(\d+)\]|\[\"([^\"\]]*)\"\]|\['([^'\]]*)'\]")


def _value(expression: str, scope: Mapping[str, Any], place: str) -> Any:
    parts = _split(expression, "|")
    value = _term(parts[0].strip(), scope, place)
    for part in parts[1:]:
        name, _, rest = part.strip().partition(":")
        arguments = [_term(one.strip(), scope, place) for one in _split(rest, ",") if one.strip()]
        function = FILTERS.get(name.strip())
        if function is None:
            raise LiquidError(f'the filter "{name.strip()[:40]}" is not known, {place}')
        try:
            value = function(value, *arguments)
        except (TypeError, ValueError, IndexError, ZeroDivisionError) as error:
            raise LiquidError(f'the filter "{name.strip()}" cannot take this, {place}') from error
        if isinstance(value, str) and len(value) > MAX_OUTPUT:
            raise LiquidError(f"the filled-in template is too long, {place}")
    return value


def _split(text: str, mark: str) -> list[str]:
    pieces, current, quote = [], "", ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char == mark:
            pieces.append(current)
            current = ""
            continue
        current += char
    return [*pieces, current]


def _term(text: str, scope: Mapping[str, Any], place: str) -> Any:
    if not text or text in ("nil", "null"):
        return None
    if text in ("true", "false"):
        return text == "true"
    if text in ("empty", "blank"):
        return EMPTY
    if text[0] in "\"'" and len(text) >= 2 and text[-1] == text[0]:
        return text[1:-1]
    if _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    if not _PATH.fullmatch(text):
        raise LiquidError(f'"{text[:40]}" cannot be read, {place}')
    value: Any = scope
    for step in _STEP.finditer(text.removesuffix("?")):
        value = child(value, next(group for group in step.groups() if group is not None))
    return value


def _collect(nodes: Sequence[Node], found: dict[str, None], set_here: set[str]) -> None:
    for node in nodes:
        if node.kind == "output":
            _names(node.text, found, set_here)
        elif node.kind == "assign":
            name, _, expression = node.text.partition("=")
            _names(expression, found, set_here)
            set_here.add(name.strip())
        elif node.kind == "for":
            head = _FOR.fullmatch(node.text)
            own = {head[1], "forloop"} if head else set()
            _names(head[2] if head else node.text, found, set_here)
            for _, inner in node.branches:
                _collect(inner, found, set_here | own)
        elif node.kind == "capture":
            _collect(node.branches[0][1], found, set_here)
            set_here.add(node.text.strip().strip("\"'"))
        else:
            for head_text, inner in node.branches:
                _names(re.sub(r"^(?:elsif|when|else)\b", "", head_text), found, set_here)
                _collect(inner, found, set_here)


_WORDS = frozenset(("and", "or", "contains", "true", "false", "nil", "null", "empty", "blank", "in"))


def _names(expression: str, found: dict[str, None], set_here: set[str]) -> None:
    for part_number, part in enumerate(_split(expression, "|")):
        text = re.sub(r"\"[^\"]*\"|'[^']*'", " ", part)
        if part_number:
            text = text.partition(":")[2]
        for match in re.finditer(r"(?<![\w.\]])([A-Za-z_][\w-]*)", text):
            if match[1] not in _WORDS and match[1] not in set_here:
                found.setdefault(match[1], None)
