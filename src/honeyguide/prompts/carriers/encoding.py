"""Bytes to text and back, strictly: byte order marks, UTF-8, UTF-16, and a legacy code page given by a person."""

from __future__ import annotations

import codecs
import unicodedata
from dataclasses import dataclass

from honeyguide.kernel.errors import InvalidInput, Unreadable

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NOT_CODE_PAGES = frozenset({"utf-7", "punycode", "idna", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs"})
_SHOWN_CHARACTERS = 5


@dataclass(frozen=True, slots=True)
class SourceText:
    """A decoded file: ``mark + text.encode(encoding)`` is the file again.

    Attributes:
        text: everything after the byte order mark, line ends as they are.
        encoding: Python's name of the encoding, without a mark of its own.
        mark: the byte order mark, or nothing.
    """

    text: str
    encoding: str
    mark: bytes

    def splice(self, start: int, end: int, raw: str) -> bytes:
        """Return the file's bytes with ``text[start:end]`` replaced by ``raw``.

        Raises:
            InvalidInput: the encoding cannot hold a character of ``raw``; the message names it.
        """
        head, tail = self.text[:start], self.text[end:]
        return self.mark + self.encode(head) + self.encode(raw) + self.encode(tail)

    def encode(self, text: str) -> bytes:
        """Return ``text`` in this file's encoding. Raises InvalidInput, naming what it cannot hold."""
        try:
            return text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise InvalidInput(
                f"The file's encoding {self.encoding} cannot hold {describe_characters(self._unholdable(text))}.",
                hint="Replace these characters, or convert the file to UTF-8 first.",
                details={"encoding": self.encoding, "position": error.start},
            ) from error

    def _unholdable(self, text: str) -> list[str]:
        refused: list[str] = []
        for character in dict.fromkeys(text):
            try:
                character.encode(self.encoding)
            except UnicodeEncodeError:
                refused.append(character)
        return refused


def decode(data: bytes, encoding: str | None = None) -> SourceText:
    """Decode a file: by its byte order mark, else by ``encoding``, else as UTF-8; never with replacements.

    Args:
        data: the file.
        encoding: the legacy code page a person named for this file; ``None`` when nobody did.

    Raises:
        Unreadable: the bytes are not text in that encoding. ``details["needs_encoding"]`` is true when naming
            a code page can help.
        InvalidInput: ``encoding`` is not a code page.
    """
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _decode_strictly(data[len(mark) :], name, mark)
    return _decode_strictly(data, "utf-8" if encoding is None else _code_page(encoding), b"")


def describe_characters(characters: list[str]) -> str:
    """Return e.g. ``'€' (U+20AC EURO SIGN)`` for the first few of ``characters``."""
    shown = [
        f"{c!r} (U+{ord(c):04X} {unicodedata.name(c, 'no name')})" if c.isprintable() else f"U+{ord(c):04X}"
        for c in characters[:_SHOWN_CHARACTERS]
    ]
    more = len(characters) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def _code_page(name: str) -> str:
    try:
        found = codecs.lookup(name).name
        "".encode(found)
    except (LookupError, ValueError, UnicodeError) as error:
        raise InvalidInput(
            f"{name!r} is not an encoding known here.", hint="For example cp1252 or shift_jis."
        ) from error
    if found in _NOT_CODE_PAGES:
        raise InvalidInput(f"{name!r} is not a code page for files.", hint="For example cp1252 or shift_jis.")
    # These three write a mark of their own in front of every piece; a file without a mark is little-endian here.
    return {"utf-16": "utf-16-le", "utf-32": "utf-32-le", "utf-8-sig": "utf-8"}.get(found, found)


def _decode_strictly(data: bytes, encoding: str, mark: bytes) -> SourceText:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        if b"\x00" in data[:8192]:
            raise Unreadable("This is not a text file.", details={"offset": error.start}) from error
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable(
            f"Byte 0x{data[error.start]:02X} in line {line} is not {encoding}.",
            hint="If the file is in an older code page, name it once, e.g. cp1252.",
            details={"needs_encoding": not mark, "offset": len(mark) + error.start, "line": line},
        ) from error
    source = SourceText(text, encoding, mark)
    if encoding != "utf-8" and not _keeps_bytes(source, data):
        raise Unreadable(
            f"Reading this file as {encoding} and writing it again would change bytes.",
            hint="Convert the file to UTF-8 first.",
        )
    return source


def _keeps_bytes(source: SourceText, data: bytes) -> bool:
    try:
        return source.text.encode(source.encoding) == data
    except UnicodeEncodeError:
        return False
