"""Strings inside TOML: where each stands (``tomllib`` does not say), and how to rewrite one in its own quotes."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Generator, Iterable, Iterator
from typing import Any

from honeyguide.kernel.errors import Unreadable
from honeyguide.prompts.carriers.json_strings import Place
from honeyguide.prompts.carriers.lines import editable, usual_line_end, with_newlines
from honeyguide.prompts.carriers.selectors import join_pointer

_GAP = re.compile(r"(?:[ \t\r\n]|#[^\r\n]*)*")
_STRING = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}|\'\'\'(?:[^\']|\'(?!\'\'))*\'{3,5}|"(?:[^"\\\r\n]|\\.)*"|\'[^\'\r\n]*\'',
    re.DOTALL,
)
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ATOM = re.compile(r"[^\s,\]}#]+(?: \d\d:[^\s,\]}#]+)?")


def load(text: str) -> dict[str, Any]:
    """Return the value of a TOML text. Raises Unreadable with the parser's reason."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Unreadable(f"The TOML is broken: {error}.") from error
    except RecursionError as error:
        raise Unreadable("The TOML is nested too deeply.") from error


def outline(text: str) -> Any:
    """Return a comparable picture of a valid TOML text that keeps the spelling of decimal numbers."""
    return tomllib.loads(text, parse_float=str)


def string_places(text: str) -> Iterator[Place]:
    """Yield every string value of a valid TOML text; ``text[start:end]`` includes its quotes."""
    table: list[str | int] = []
    arrays: dict[tuple[str | int, ...], int] = {}
    position = _gap(text, 0)
    while position < len(text):
        if text.startswith("[[", position):
            keys, position = _keys(text, position + 2)
            parent = (*_through_arrays(keys[:-1], arrays), keys[-1])
            arrays[parent] = arrays.get(parent, -1) + 1
            table = [*parent, arrays[parent]]
            position = _gap(text, position) + 2
        elif text[position] == "[":
            keys, position = _keys(text, position + 1)
            table = _through_arrays(keys, arrays)
            position = _gap(text, position) + 1
        else:
            keys, position = _keys(text, position)
            position = yield from _value(text, _gap(text, position + 1), [*table, *keys])
        position = _gap(text, position)


class TomlCodec:
    """A TOML string with its quotes. The style stays as long as it can hold the new text."""

    def __init__(self, line_end: str = "\n") -> None:
        self._line_end = line_end

    def decode(self, raw: str) -> str:
        """Return the editable text."""
        return editable(self._value(raw))

    def spellings(self, new: str, raw: str) -> Iterable[str]:
        """Yield ``new`` in the present quotes, then in ones that hold any text."""
        value = self._value(raw)
        full = new + with_newlines(value)[len(editable(value)) :]
        end = usual_line_end(raw, self._line_end)
        opening = re.match(r'(?:"""|\'\'\')(\r\n|\n)?', raw)
        first = (opening.group(1) or "") if opening else ""
        if raw.startswith("'''") and "'''" not in full and not full.endswith("'"):
            yield "'''" + first + full.replace("\n", end) + "'''"
        elif raw.startswith("'") and not raw.startswith("'''") and "'" not in full and "\n" not in full:
            yield f"'{full}'"
        if opening or ("\n" in full and not raw.startswith('"')):
            yield '"""' + first + _escape_block(full).replace("\n", end) + '"""'
        yield _quote(full)
        yield json.dumps(full)

    @staticmethod
    def _value(raw: str) -> str:
        return str(load("v = " + raw)["v"])


def _value(text: str, position: int, path: list[str | int]) -> Generator[Place, None, int]:
    """Yield the places inside one value and return the position after it."""
    if string := _STRING.match(text, position):
        yield Place(join_pointer(*path), position, string.end())
        return string.end()
    if text[position] == "[":
        position, index = _gap(text, position + 1), 0
        while text[position] != "]":
            position = _gap(text, (yield from _value(text, position, [*path, index])))
            index += 1
            if text[position] == ",":
                position = _gap(text, position + 1)
        return position + 1
    if text[position] == "{":
        position = _gap(text, position + 1)
        while text[position] != "}":
            keys, position = _keys(text, position)
            position = _gap(text, (yield from _value(text, _gap(text, position + 1), [*path, *keys])))
            if text[position] == ",":
                position = _gap(text, position + 1)
        return position + 1
    atom = _ATOM.match(text, position)
    return atom.end() if atom else position + 1


def _keys(text: str, position: int) -> tuple[list[str], int]:
    keys: list[str] = []
    while True:
        position = _gap(text, position)
        if quoted := _STRING.match(text, position):
            keys.append(str(load(f"v = {quoted.group()}")["v"]))
            position = quoted.end()
        elif bare := _BARE.match(text, position):
            keys.append(bare.group())
            position = bare.end()
        else:
            raise Unreadable("The TOML has a key that cannot be followed.")
        position = _gap(text, position)
        if text[position : position + 1] != ".":
            return keys, position
        position += 1


def _through_arrays(keys: list[str], arrays: dict[tuple[str | int, ...], int]) -> list[str | int]:
    path: list[str | int] = []
    for key in keys:
        path.append(key)
        if tuple(path) in arrays:
            path.append(arrays[tuple(path)])
    return path


def _gap(text: str, position: int) -> int:
    match = _GAP.match(text, position)
    return match.end() if match else position


def _quote(text: str) -> str:
    """Return a basic string; JSON's escapes are TOML's, except that DEL must be escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _escape_block(text: str) -> str:
    body = "\n".join(_quote(line)[1:-1].replace('\\"', '"') for line in text.split("\n"))
    return re.sub(r'""(?=")|"$', lambda quotes: quotes.group().replace('"', '\\"'), body)
