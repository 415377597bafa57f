"""Strings inside JSON: where each stands, and how to rewrite one without touching its neighbours."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from honeyguide.kernel.errors import Unreadable
from honeyguide.prompts.carriers.lines import line_number
from honeyguide.prompts.carriers.selectors import join_pointer

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SPACE = re.compile(r"[ \t\r\n]*")
_ATOM = re.compile(r"[^ \t\r\n,\]}]+")
_TOKEN = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\r\\n|\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL
)
_NON_ASCII_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\u(?!00[0-7])[0-9a-fA-F]{4}")
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a string value stands: ``text[start:end]`` is what is between its quotes."""

    pointer: str
    start: int
    end: int


def load(text: str) -> Any:
    """Return the value of a JSON text. Raises Unreadable with the line of the fault."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise Unreadable(
            f"The JSON is broken in line {error.lineno}, column {error.colno}: {error.msg}.",
            details={"line": error.lineno},
        ) from error
    except RecursionError as error:
        raise Unreadable("The JSON is nested too deeply.") from error


def outline(text: str) -> Any:
    """Return a comparable picture of a JSON text that keeps key order, repeated keys and the spelling of numbers."""
    return json.loads(text, object_pairs_hook=tuple, parse_float=str, parse_int=str, parse_constant=str)


def string_places(text: str) -> Iterator[Place]:
    """Yield every string value of a valid JSON text in order; of repeated keys, the later one comes later."""
    path: list[str | int] = []
    position = _skip(text, 0)
    while position < len(text):
        character = text[position]
        position += 1
        if character == "{":
            path.append("")
            position = _read_key(text, position, path)
        elif character == "[":
            path.append(0)
        elif character in "}]":
            path.pop()
        elif character == ",":
            last = path[-1]
            if isinstance(last, int):
                path[-1] = last + 1
            else:
                position = _read_key(text, position, path)
        elif character == '"':
            end = _string_end(text, position - 1)
            yield Place(join_pointer(*path), position, end - 1)
            position = end
        else:
            atom = _ATOM.match(text, position)
            position = atom.end() if atom else position
        position = _skip(text, position)


class JsonCodec:
    """What stands between the quotes of a JSON string. Untouched characters keep their escapes.

    Args:
        ascii_only: write characters outside ASCII as ``\\uXXXX``, as this file does.
    """

    def __init__(self, ascii_only: bool) -> None:
        self._ascii_only = ascii_only

    def decode(self, raw: str) -> str:
        """Return the editable text: ``\\n`` for every escaped line end."""
        return "".join(_character(token) for token in _TOKEN.findall(raw))

    def spellings(self, new: str, raw: str) -> Iterable[str]:
        """Yield ``new`` in the file's style, then with every character outside ASCII escaped."""
        tokens: list[str] = _TOKEN.findall(raw)
        old = [_character(token) for token in tokens]
        head = 0
        while head < min(len(old), len(new)) and old[head] == new[head]:
            head += 1
        tail = 0
        while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
            tail += 1
        line_end = _usual_escape(tokens)
        for ascii_only in dict.fromkeys((self._ascii_only, True)):
            middle = "".join(_escape(c, ascii_only, line_end) for c in new[head : len(new) - tail])
            yield "".join(tokens[:head]) + middle + "".join(tokens[len(tokens) - tail :])


def uses_ascii_only(text: str) -> bool:
    """Say whether a JSON text escapes what is outside ASCII."""
    return text.isascii() and bool(_NON_ASCII_ESCAPE.search(text))


def trailing_line_ends(raw: str) -> int:
    """Return how many characters at the end of a raw JSON string are escaped line ends."""
    tokens: list[str] = _TOKEN.findall(raw)
    length = 0
    while tokens and _character(tokens[-1]) == "\n":
        length += len(tokens.pop())
    return length


def line_of_place(text: str, place: Place) -> int:
    """Return the 1-based line of a string."""
    return line_number(text, place.start)


def _read_key(text: str, position: int, path: list[str | int]) -> int:
    """Set the last step of ``path`` to the key at ``position`` and return where its value starts."""
    position = _skip(text, position)
    if text[position] == "}":
        return position
    end = _string_end(text, position)
    path[-1] = str(json.loads(text[position:end]))
    return _skip(text, end) + 1


def _string_end(text: str, position: int) -> int:
    match = _STRING.match(text, position)
    if match is None:
        raise Unreadable("The JSON is broken: a string does not end.")
    return match.end()


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _character(token: str) -> str:
    if token in ("\\r\\n", "\\n", "\\r"):
        return "\n"
    if token.startswith("\\"):
        value = str(json.loads(f'"{token}"'))
        return "\n" if value in ("\n", "\r") else value
    return token


def _usual_escape(tokens: list[str]) -> str:
    counts = {end: tokens.count(end) for end in ("\\n", "\\r\\n", "\\r")}
    return max(counts, key=lambda end: counts[end])


def _escape(character: str, ascii_only: bool, line_end: str) -> str:
    if character == "\n":
        return line_end
    if character in _SHORT:
        return _SHORT[character]
    code = ord(character)
    if code < 0x20 or 0xD800 <= code <= 0xDFFF or (ascii_only and code > 0x7E):
        return json.dumps(character)[1:-1]
    return character
