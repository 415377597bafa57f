"""Just enough of TypeScript's grammar to see literals: tokens, and expressions as far as they are written out.

No expression is evaluated. What is not a literal, an array, an object or a name is ``Opaque``. The grammar is ECMA-262
with TypeScript's `as`, `satisfies` and `<T>` around expressions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from honeyguide.kernel.errors import InvalidInput
from honeyguide.suites.ts_tokens import MAX_DEPTH, Token, broken, tokens

MAX_SOURCE = 1_000_000


@dataclass(frozen=True, slots=True)
class Literal:
    """A text, a number, or true or false."""

    value: str | float | bool


@dataclass(frozen=True, slots=True)
class Identifier:
    """A name."""

    name: str


@dataclass(frozen=True, slots=True)
class Array:
    """A written-out array."""

    elements: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Object:
    """A written-out object: its plain ``key: value`` properties; spreads, methods and shorthands are not in it."""

    properties: Mapping[str, Expression] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Opaque:
    """Anything that would have to be run to be known."""


Expression = Literal | Identifier | Array | Object | Opaque


@dataclass(frozen=True, slots=True)
class Module:
    """The top level of a module."""

    variables: Mapping[str, Expression]
    default: Expression | None


def read_module(source: str, name: str) -> Module:
    """Read the top level. Raises InvalidInput for text that is no module, with line and column."""
    if len(source) > MAX_SOURCE:
        raise InvalidInput(f"{name} is too long to look at.", hint=f"{MAX_SOURCE} characters are the limit.")
    parser = _Parser(tokens(source, name), source, name)
    return parser.module()


_PAIRS = {"(": ")", "[": "]", "{": "}"}
_ENDS = (",", ";", ")", "]", "}")
_CONTINUES = frozenset(("as", "satisfies", "instanceof", "in", "of"))


class _Parser:
    def __init__(self, tokens: list[Token], source: str, name: str) -> None:
        self._tokens = tokens
        self._source = source
        self._name = name
        self._at = 0
        self._depth = 0

    def module(self) -> Module:
        variables: dict[str, Expression] = {}
        default: Expression | None = None
        while (token := self._peek()) is not None:
            if token.text == "export" and self._text(1) == "default":
                self._at += 2
                default = self._expression()
            elif token.text in ("const", "let", "var") and token.kind == "name":
                self._at += 1
                self._declaration(variables)
            elif token.text in _PAIRS:
                self._skip_group()
            else:
                self._at += 1
        return Module(variables, default)

    def _declaration(self, variables: dict[str, Expression]) -> None:
        name = self._peek()
        if name is None or name.kind != "name":
            return  # a pattern: what it binds cannot be seen
        self._at += 1
        if self._text() == "!":
            self._at += 1
        if self._text() == ":":
            self._skip_until("=", ";", ",")
        if self._text() == "=":
            self._at += 1
            variables[name.text] = self._expression()
        if self._text() == ",":
            self._at += 1
            self._declaration(variables)

    def _expression(self) -> Expression:
        """Read one expression up to a comma, a closing bracket, a semicolon, or the end of its statement."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise broken(self._source, self._tokens[min(self._at, len(self._tokens) - 1)].start, self._name)
        try:
            result = self._primary()
            while self._text() in ("as", "satisfies") and not self._starts_statement():
                self._at += 1
                self._skip_type()
            if self._at_end():
                return result
            self._skip_rest()
            return Opaque()
        finally:
            self._depth -= 1

    def _primary(self) -> Expression:
        token = self._peek()
        if token is None:
            return Opaque()
        if token.text == "(" and token.kind == "mark":
            return self._parenthesised()
        if token.text == "[" and token.kind == "mark":
            return self._array()
        if token.text == "{" and token.kind == "mark":
            return self._object()
        if token.text == "<" and token.kind == "mark":
            self._skip_angles()
            return self._primary()
        self._at += 1
        if token.kind in ("text", "template", "number"):
            return Opaque() if token.value is None else Literal(token.value)
        if token.kind == "name":
            if token.text in ("true", "false"):
                return Literal(token.text == "true")
            if token.text in ("function", "async", "class", "new", "await", "typeof", "void", "delete", "yield"):
                self._skip_rest()
                return Opaque()
            return Identifier(token.text)
        self._skip_rest()
        return Opaque()

    def _parenthesised(self) -> Expression:
        start = self._at
        self._at += 1
        inner = self._expression()
        if self._text() == ")":
            self._at += 1
            return inner
        self._at = start
        self._skip_group()
        return Opaque()

    def _array(self) -> Expression:
        self._at += 1
        elements: list[Expression] = []
        while (token := self._peek()) is not None and token.text != "]":
            if token.text == "," and token.kind == "mark":
                elements.append(Opaque())  # a hole
                self._at += 1
                continue
            if token.text == "...":
                self._at += 1
                self._expression()
                elements.append(Opaque())
            else:
                elements.append(self._expression())
            if self._text() == ",":
                self._at += 1
            elif self._text() != "]":
                self._skip_rest()
        self._close("]")
        return Array(tuple(elements))

    def _object(self) -> Expression:
        self._at += 1
        properties: dict[str, Expression] = {}
        while (token := self._peek()) is not None and token.text != "}":
            key = token.text if token.kind == "name" else token.value if token.kind in ("text", "number") else None
            if key is not None and self._text(1) == ":":
                self._at += 2
                properties[str(key)] = self._expression()
            else:
                self._skip_rest()  # a spread, a method, a computed or short-hand property
            if self._text() == ",":
                self._at += 1
            elif self._text() not in ("}", None):
                self._skip_rest()
                if self._text() == ",":
                    self._at += 1
                elif self._text() != "}":
                    break
        self._close("}")
        return Object(properties)

    def _close(self, mark: str) -> None:
        token = self._peek()
        if token is None or token.text != mark:
            raise broken(self._source, token.start if token else len(self._source), self._name)
        self._at += 1

    def _peek(self, ahead: int = 0) -> Token | None:
        index = self._at + ahead
        return self._tokens[index] if index < len(self._tokens) else None

    def _text(self, ahead: int = 0) -> str | None:
        token = self._peek(ahead)
        return token.text if token is not None and token.kind in ("name", "mark") else None if token is None else ""

    def _at_end(self) -> bool:
        text = self._text()
        return text is None or text in (",", ";", ")", "]", "}") or self._starts_statement()

    def _starts_statement(self) -> bool:
        """Say whether the next token begins a new statement because a line ended before it."""
        token = self._peek()
        return token is not None and token.after_newline and token.kind == "name" and token.text not in _CONTINUES

    def _skip_rest(self) -> None:
        """Skip to the comma, closing bracket, semicolon or line end where this expression ends."""
        first = True
        while (token := self._peek()) is not None:
            if token.kind == "mark" and token.text in _ENDS:
                return
            if not first and self._depth <= 1 and self._starts_statement() and not self._expects_more():
                return
            if token.kind == "mark" and token.text in _PAIRS:
                self._skip_group()
            else:
                self._at += 1
            first = False

    def _expects_more(self) -> bool:
        previous = self._tokens[self._at - 1]
        return previous.kind == "mark" and previous.text not in (")", "]", "}")

    def _skip_group(self) -> None:
        opening = self._tokens[self._at]
        stack = [_PAIRS[opening.text]]
        self._at += 1
        while stack:
            token = self._peek()
            if token is None:
                raise broken(self._source, opening.start, self._name)
            if token.kind == "mark" and token.text in _PAIRS:
                stack.append(_PAIRS[token.text])
            elif token.kind == "mark" and token.text in _PAIRS.values() and token.text != stack.pop():
                raise broken(self._source, token.start, self._name)
            self._at += 1

    def _skip_angles(self) -> None:
        depth = 0
        while (token := self._peek()) is not None:
            if token.kind == "mark" and token.text in _PAIRS:
                self._skip_group()
                continue
            depth += (token.text == "<") - (token.text == ">")
            self._at += 1
            if depth == 0:
                return

    def _skip_type(self) -> None:
        connected = True
        while (token := self._peek()) is not None:
            if token.kind == "mark" and token.text in (",", ";", ")", "]", "}", "="):
                return
            if not connected and (token.text in ("as", "satisfies") or self._starts_statement()):
                return
            if token.kind == "mark" and token.text in _PAIRS:
                self._skip_group()
                connected = False
            elif token.text == "<":
                self._skip_angles()
                connected = False
            else:
                connected = token.text in ("|", "&", ".", "=>", "typeof", "keyof", "readonly")
                self._at += 1

    def _skip_until(self, *marks: str) -> None:
        while (token := self._peek()) is not None and not (token.kind == "mark" and token.text in marks):
            if token.kind == "mark" and token.text in _PAIRS:
                self._skip_group()
            elif token.kind == "mark" and token.text == "<":
                self._skip_angles()
            else:
                self._at += 1
