"""Reads line-based files of any size: bounded memory, true line numbers, and every odd line counted.

Works on bytes and splits at ``\\n`` only (U+2028 and its kin are ordinary characters of a JSON string).
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO, NamedTuple

from honeyguide.kernel.errors import InvalidInput, Unreadable
from honeyguide.traces import health
from honeyguide.traces.readers.protocol import ReadContext
from honeyguide.traces.shortening import JsonShortener

BLOCK_BYTES = 1024 * 1024

Skip = Callable[[bytes], object]
"""Called with a raw line; a true answer leaves the line out before it is parsed."""


class Line(NamedTuple):
    """One line without its line end.

    Attributes:
        number: from 1.
        raw: its bytes; shortened when it was longer than the limit.
        size: its true size in bytes.
        ended: whether a line end followed; false only for a last line that may be cut off.
    """

    number: int
    raw: bytes
    size: int
    ended: bool


class Record(NamedTuple):
    """One JSON object of a JSON Lines file, its line number from 1, and the line's true size in bytes."""

    number: int
    data: dict[str, Any]
    size: int


def iter_lines(stream: BinaryIO, context: ReadContext, skip: Skip | None = None) -> Iterator[Line]:
    """Yield the lines of ``stream`` in order; blank ones are noted and left out, over-long ones shortened and noted.

    A byte-order mark at the start is removed; UTF-16 with its mark, and the code page that the person named, are
    read as UTF-8. ``skip`` is asked first; what it leaves out still counts for the line numbers.

    Raises:
        Unreadable: the file is not in the code page that was named.
        InvalidInput: there is no such code page.
        Interrupted: cancelled.
    """
    limit = context.line_limit
    rest = b""
    long_line: JsonShortener | None = None
    number = 0
    for block in _blocks(stream, context):
        if long_line is not None:
            head, newline, block = block.partition(b"\n")
            long_line.feed(head)
            if not newline:
                continue
            number += 1
            yield _shortened(long_line, number, context, ended=True)
            long_line = None
        lines = (rest + block).split(b"\n")
        rest = lines.pop()
        for raw in lines:
            number += 1
            if skip is not None and skip(raw):
                continue
            line = _line(raw, number, context, limit, ended=True)
            if line is not None:
                yield line
        if len(rest) > limit:
            long_line = JsonShortener(limit)
            long_line.feed(rest)
            rest = b""
    if long_line is not None:
        yield _shortened(long_line, number + 1, context, ended=False)
    elif rest and not (skip is not None and skip(rest)):
        line = _line(rest, number + 1, context, limit, ended=False)
        if line is not None:
            yield line


def iter_json(stream: BinaryIO, context: ReadContext, skip: Skip | None = None) -> Iterator[Record]:
    """Yield the JSON objects of a JSON Lines file; whatever is none is noted in the health report and passed over."""
    for line in iter_lines(stream, context, skip):
        data = parse_object(line, context)
        if data is not None:
            yield Record(line.number, data, line.size)


def parse_object(line: Line, context: ReadContext) -> dict[str, Any] | None:
    """Return the JSON object in ``line``, or note what is wrong with it and return ``None``."""
    raw = line.raw
    if b"\x00" in raw:
        context.health.note(health.NUL_BYTES, line.number)
        raw = raw.strip(b"\x00\r ")
        if not raw:
            return None
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        context.health.note(health.NOT_UTF8, line.number)
        return None
    try:
        value = parse_json(text)
    except (ValueError, RecursionError):
        context.health.note(health.BROKEN_JSON, line.number)
        if not line.ended:
            context.health.note(health.TORN_LAST_LINE, line.number)
        return None
    if not isinstance(value, dict):
        context.health.note(health.NOT_AN_OBJECT, line.number)
        return None
    if has_unstorable_escape(text):
        cleaned: dict[str, Any] = storable(value)
        if cleaned != value:
            context.health.note(health.LONE_SURROGATES, line.number)
        return cleaned
    return value


def parse_json(text: str) -> Any:
    """Return the value of a JSON text; NaN and the infinities become ``None``. Raises ValueError, RecursionError."""
    return _DECODER.decode(text)


_DECODER = json.JSONDecoder(parse_constant=lambda _name: None)
_UNSTORABLE_ESCAPE = re.compile(r"\\u(?:[dD][89a-fA-F][0-9a-fA-F]{2}|0000)")
_UNSTORABLE = re.compile("[\ud800-\udfff\x00]")


def has_unstorable_escape(text: str) -> bool:
    """Say whether a JSON text may hold half a surrogate pair or a NUL, which no database can store."""
    return "\\u" in text and _UNSTORABLE_ESCAPE.search(text) is not None


def storable(value: Any) -> Any:
    """Return ``value`` with lone surrogates and NULs in its texts written as visible escapes, e.g. ``\\ud83d``."""
    if isinstance(value, str):
        return _UNSTORABLE.sub(lambda found: f"\\u{ord(found.group()):04x}", value)
    if isinstance(value, list):
        return [storable(item) for item in value]
    if isinstance(value, dict):
        return {storable(key): storable(item) for key, item in value.items()}
    return value


def noise_filter(key: str, values: Iterable[str]) -> Skip:
    """Return a skip function for JSON lines whose *own* member ``key`` is one of ``values``.

    It looks without parsing, and says yes only when it is certain: every member before ``key`` must be a plain
    string, number, boolean or null. Whatever it is unsure about goes to the parser.
    """
    alternatives = b"|".join(re.escape(value).encode() for value in values)
    member = rb'"[^"\\]*+"\s*+:\s*+(?:"[^"\\]*+"|[-+.0-9eE]++|true|false|null)\s*+,\s*+'
    pattern = rb'\s*+\{\s*+(?:(?!"%b")%b)*+"%b"\s*+:\s*+"(?:%b)"\s*+[,}]' % (
        re.escape(key).encode(),
        member,
        re.escape(key).encode(),
        alternatives,
    )
    return re.compile(pattern).match


def _line(raw: bytes, number: int, context: ReadContext, limit: int, *, ended: bool) -> Line | None:
    if raw.endswith(b"\r"):
        raw = raw[:-1]
    if len(raw) > limit:
        shortener = JsonShortener(limit)
        shortener.feed(raw)
        return _shortened(shortener, number, context, ended=ended)
    if not raw or raw.isspace():
        context.health.note(health.BLANK_LINE, number)
        return None
    return Line(number, raw, len(raw), ended)


def _shortened(shortener: JsonShortener, number: int, context: ReadContext, *, ended: bool) -> Line:
    context.health.note(health.OVER_LONG, number)
    return Line(number, shortener.result().removesuffix(b"\r"), shortener.size, ended)


def _blocks(stream: BinaryIO, context: ReadContext) -> Iterator[bytes]:
    """Yield the file's bytes as UTF-8 without a byte-order mark, reporting progress."""
    consumed = 0
    decoder: codecs.IncrementalDecoder | None = None
    first = True
    while True:
        context.check_cancelled()
        block = stream.read(BLOCK_BYTES)
        consumed += len(block)
        context.progress(consumed)
        if first:
            first = False
            decoder = _decoder(block, context)
            if decoder is None:
                block = block.removeprefix(codecs.BOM_UTF8)
                if not block:
                    return
        if decoder is not None:
            try:
                text = decoder.decode(block, final=not block)
            except UnicodeDecodeError as error:
                raise Unreadable(
                    f"{context.name or 'The file'} is not written in {context.encoding or 'UTF-16'}: {error.reason}.",
                    hint="Name another code page, or save the file as UTF-8.",
                ) from error
            if text:
                yield text.encode("utf-8")
        elif block:
            yield block
        if not block:
            return


def _decoder(head: bytes, context: ReadContext) -> codecs.IncrementalDecoder | None:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return codecs.getincrementaldecoder("utf-16")("strict")
    if context.encoding is None:
        return None
    try:
        "x".encode(context.encoding)  # refuses codecs that are no text encodings, such as base64
        info = codecs.lookup(context.encoding)
    except LookupError as error:
        raise InvalidInput(f"There is no code page called {context.encoding!r}.", hint="Try cp1252.") from error
    if info.name in ("utf-8", "utf-8-sig"):
        return None
    return codecs.getincrementaldecoder(info.name)("strict")
