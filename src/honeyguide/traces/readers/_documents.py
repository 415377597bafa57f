"""Yields the JSON objects of a file: one document, an array, or one value a line; and looks at a file's head."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, BinaryIO, NamedTuple

from honeyguide.kernel.errors import Unreadable
from honeyguide.traces import health
from honeyguide.traces.lines import has_unstorable_escape, iter_lines, parse_json, parse_object, storable
from honeyguide.traces.readers.protocol import ReadContext

DOCUMENT_LIMIT = 256 * 1024 * 1024
"""Bytes of one JSON document; a larger one has to be written one record a line."""

_CLOSERS = {"{": "}", "[": "]"}


class Item(NamedTuple):
    """One JSON object; ``line`` is its line number in a file of one record a line, ``place`` its position from 0."""

    data: dict[str, Any]
    place: int
    line: int | None = None


class Head(NamedTuple):
    """What the beginning of a file shows.

    Attributes:
        values: the JSON values found, the last one perhaps cut; an array at the top counts as its elements.
        by_line: whether there is one value a line.
        text: the decoded beginning.
        is_zip: whether it is a ZIP archive.
        is_list: whether there are several values by design: one a line, or an array.
    """

    values: tuple[Any, ...]
    by_line: bool
    text: str
    is_zip: bool
    is_list: bool = False

    def objects(self) -> list[dict[str, Any]]:
        """Return the values that are objects."""
        return [value for value in self.values if isinstance(value, dict)]


def items(stream: BinaryIO, context: ReadContext, inside: tuple[str, ...] = ()) -> Iterator[Item]:
    """Yield the objects of a file.

    One document: the object itself, or the elements of an array, or of the array under the first of the names in
    ``inside`` that it has. One value a line: each of them. What is no object is noted.

    Raises:
        Unreadable: one document that is too large, not text, or no JSON.
    """
    start = stream.tell()
    if _is_by_line(stream, start):
        for index, line in enumerate(iter_lines(stream, context)):
            data = parse_object(line, context)
            if data is not None:
                yield Item(data, index, line.number)
        return
    value = document(stream, context)
    if isinstance(value, dict):
        value = next((value[name] for name in inside if isinstance(value.get(name), list)), [value])
    if not isinstance(value, list):
        context.health.note(health.NOT_AN_OBJECT, 1)
        return
    for index, entry in enumerate(value):
        if isinstance(entry, dict):
            yield Item(entry, index)
        else:
            context.health.note(health.NOT_AN_OBJECT, example=f"element {index}")


def document(stream: BinaryIO, context: ReadContext) -> Any:
    """Return the value of a file that holds one JSON document. Raises Unreadable, Interrupted."""
    context.check_cancelled()
    data = stream.read(DOCUMENT_LIMIT + 1)
    name = context.name or "The file"
    if len(data) > DOCUMENT_LIMIT:
        raise Unreadable(
            f"{name} is one JSON document of more than {DOCUMENT_LIMIT // 2**20} MiB.",
            hint="Export it as JSON Lines (one record a line); those are read at any size.",
        )
    context.progress(len(data))
    text = decoded(data, context)
    try:
        value = parse_json(text)
    except RecursionError as error:
        raise Unreadable(f"{name} is nested too deeply to be read.") from error
    except ValueError as error:
        raise Unreadable(
            f"{name} is not valid JSON: {error}.", hint="It may have been cut off while it was written."
        ) from error
    context.check_cancelled()
    if has_unstorable_escape(text):
        cleaned = storable(value)
        if cleaned != value:
            context.health.note(health.LONE_SURROGATES)
        return cleaned
    return value


def decoded(data: bytes, context: ReadContext) -> str:
    """Return text: UTF-8, UTF-16 with its mark, or the code page that a person named. Raises Unreadable."""
    encoding = "utf-8-sig"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    elif context.encoding is not None:
        encoding = context.encoding
    try:
        return data.decode(encoding)
    except LookupError as error:
        raise Unreadable(f"There is no code page called {encoding!r}.", hint="Try cp1252.") from error
    except UnicodeDecodeError as error:
        raise Unreadable(
            f"{context.name or 'The file'} is not written in {'UTF-8' if encoding == 'utf-8-sig' else encoding}"
            f" (byte {error.start}).",
            hint="Say which code page it has (for example cp1252), or save it as UTF-8.",
        ) from error


@lru_cache(maxsize=4)
def look(head: bytes) -> Head:
    """Return what ``head`` shows; never raises. Remembered, because every reader asks for the same bytes."""
    if head.startswith(b"PK\x03\x04"):
        return Head((), False, "", True)
    text = _head_text(head)
    lines = _line_values(text)
    if len(lines) > 1:
        return Head(lines, True, text, False, True)
    value = parse_cut(text.lstrip())
    if isinstance(value, list):
        return Head(tuple(value), False, text, False, True)
    return Head(lines if value is None else (value,), False, text, False)


def parse_cut(text: str) -> Any:
    """Return the value of JSON text that may be cut off anywhere: what is complete is kept, the rest is closed."""
    try:
        return parse_json(text)
    except (ValueError, RecursionError):
        pass
    stack: list[str] = []
    safe: tuple[int, str] | None = None
    in_string = escaped = False
    for position, sign in enumerate(text):
        if in_string:
            if escaped:
                escaped = False
            elif sign == "\\":
                escaped = True
            elif sign == '"':
                in_string = False
        elif sign == '"':
            in_string = True
        elif sign in _CLOSERS:
            stack.append(_CLOSERS[sign])
            safe = (position + 1, "".join(reversed(stack)))
        elif sign in "}]":
            if not stack or stack.pop() != sign:
                return None
            safe = (position + 1, "".join(reversed(stack)))
            if not stack:
                break
        elif sign == ",":
            safe = (position, "".join(reversed(stack)))
    if safe is None:
        return None
    try:
        return parse_json(text[: safe[0]] + safe[1])
    except (ValueError, RecursionError):
        return None


def _is_by_line(stream: BinaryIO, start: int) -> bool:
    """Say whether more than one line holds something: one document in a single line is no JSON Lines file."""
    head = stream.read(64 * 1024)
    by_line = look(head).by_line
    if not by_line and b"\n" not in head:
        ended = False
        while not by_line and (block := stream.read(1024 * 1024)):
            before, newline, after = block.partition(b"\n")
            by_line = bool((before if ended else after).strip())
            ended = ended or bool(newline)
    stream.seek(start)
    return by_line


def _head_text(head: bytes) -> str:
    # Only to recognise the format: nothing of this text is kept.
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return codecs.getincrementaldecoder("utf-16")("backslashreplace").decode(head)
    return codecs.getincrementaldecoder("utf-8-sig")("backslashreplace").decode(head)


def _line_values(text: str) -> tuple[Any, ...]:
    """Return the values of the lines that are JSON each; a last line that is cut off counts when others do not."""
    values: list[Any] = []
    for line in text.split("\n"):
        stripped = line.strip(" \t\r\x00")
        if not stripped.startswith("{"):
            continue
        try:
            value = parse_json(stripped)
        except (ValueError, RecursionError):
            continue
        if value:
            values.append(value)
    return tuple(values)
