"""The tokens of TypeScript: names, texts, templates, numbers, regular expressions and marks. Grammar: ECMA-262."""

from __future__ import annotations

import re
from dataclasses import dataclass

from honeyguide.kernel.errors import InvalidInput

MAX_DEPTH = 100


@dataclass(frozen=True, slots=True)
class Token:
    """A token: ``kind`` is name, text, template, number, regex or mark."""

    kind: str
    text: str
    start: int
    after_newline: bool
    value: str | float | None = None


_TOKEN = re.compile(
    r"""(?P<space>[\s\ufeff]+|//[^\n\r\u2028\u2029]*|/\*.*?\*/|\A\#![^\n]*)
    |(?P<name>[A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff]*)
    |(?P<number>0[xX][0-9a-fA-F_]+n?|0[bB][01_]+n?|0[oO][0-7_]+n?|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?n?)
    |(?P<text>"(?:[^"\\\n\r]|\\(?:\r\n|.))*"|'(?:[^'\\\n\r]|\\(?:\r\n|.))*')
    |(?P<mark>=>|\.\.\.|\?\?=?|\?\.|[=!]==?|[<>]=|&&=?|\|\|=?|\*\*=?|[-+]{2}|[-+*/%&|^]=|[{}()\[\];,<>+\-*/%&|^!~?:=.@\#])
    """,
    re.VERBOSE | re.DOTALL,
)
_REGEX = re.compile(r"/(?![*/])(?:[^\\/\[\n\r]|\\.|\[(?:[^\]\\\n\r]|\\.)*\])+/[A-Za-z]*")
_BEFORE_REGEX = frozenset(
    ("return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "instanceof", "do", "else", "yield",
     "await", "default")
)  # fmt: skip


def tokens(source: str, name: str) -> list[Token]:
    """Return the tokens of a module. Raises InvalidInput, with line and column."""
    found_tokens: list[Token] = []
    position = 0
    newline = False
    while position < len(source):
        if source[position] == "`":
            end, plain = _template_end(source, position, name)
            value = _unescaped(source[position + 1 : end - 1]) if plain else None
            found_tokens.append(Token("template", source[position:end], position, newline, value))
            position, newline = end, False
            continue
        if source[position] == "/" and _may_be_regex(found_tokens) and (found := _REGEX.match(source, position)):
            found_tokens.append(Token("regex", found[0], position, newline))
            position, newline = found.end(), False
            continue
        found = _TOKEN.match(source, position)
        if found is None:
            raise broken(source, position, name)
        kind = str(found.lastgroup)
        if kind == "space":
            newline = newline or "\n" in found[0] or "\r" in found[0]
        else:
            found_tokens.append(Token(kind, found[0], position, newline, _value(kind, found[0])))
            newline = False
        position = found.end()
    return found_tokens


def _may_be_regex(tokens: list[Token]) -> bool:
    if not tokens:
        return True
    last = tokens[-1]
    if last.kind == "name":
        return last.text in _BEFORE_REGEX
    return last.kind == "mark" and last.text not in (")", "]", "}", "++", "--")


def _template_end(source: str, start: int, name: str, depth: int = 0) -> tuple[int, bool]:
    """Return where the template at ``start`` ends, and whether nothing is inserted into it."""
    if depth > MAX_DEPTH:
        raise broken(source, start, name)
    position, plain = start + 1, True
    while position < len(source):
        char = source[position]
        if char == "\\":
            position += 2
        elif char == "`":
            return position + 1, plain
        elif source.startswith("${", position):
            plain = False
            position = _hole_end(source, position + 2, name, depth)
        else:
            position += 1
    raise broken(source, start, name)


def _hole_end(source: str, position: int, name: str, depth: int) -> int:
    braces = 1
    while position < len(source):
        char = source[position]
        if char == "`":
            position = _template_end(source, position, name, depth + 1)[0]
            continue
        found = _TOKEN.match(source, position)
        if found is not None and found.lastgroup in ("text", "space"):
            position = found.end()
            continue
        braces += (char == "{") - (char == "}")
        position += 1
        if braces == 0:
            return position
    raise broken(source, position, name)


def _value(kind: str, text: str) -> str | float | None:
    if kind == "text":
        return _unescaped(text[1:-1])
    if kind == "number" and not text.endswith("n"):
        digits = text.replace("_", "")
        try:
            return float(int(digits, 0)) if digits[:2].lower() in ("0x", "0b", "0o") else float(digits)
        except ValueError:
            return None
    return None


_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|.))", re.DOTALL)
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": "", "\r": ""}


def _unescaped(text: str) -> str:
    def one(found: re.Match[str]) -> str:
        digits = found[1] or found[2] or found[3]
        if digits:
            code = int(digits, 16)
            return chr(code) if code <= 0x10FFFF else ""
        return _SIMPLE.get(found[4], found[4])

    text = _ESCAPE.sub(one, text)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def broken(source: str, position: int, name: str) -> InvalidInput:
    """Return the error for text that is no TypeScript, with its place."""
    line = source.count("\n", 0, position) + 1
    column = position - (source.rfind("\n", 0, position) + 1) + 1
    return InvalidInput(
        f"{name}:{line}:{column}: this is no TypeScript that can be read.",
        hint="Correct the file.",
        details={"line": line, "column": column, "reason_code": "DYNAMIC_SUITE"},
    )
