"""Shortens one over-long JSON line while it streams by, and leaves valid JSON.

A 40 MB line is nearly always one huge string (a file's content, a screenshot). Every string literal keeps
its first bytes and a note of how many were left out; names, numbers and structure stay, so the line can still
be parsed, joined to its neighbours, and shown. Memory is bounded whatever the line holds.
"""

from __future__ import annotations

import re

STRING_LIMIT = 64 * 1024
"""Bytes that one string literal keeps."""

CROWDED_STRING_LIMIT = 256
"""Bytes that a string keeps once the line has grown past its own limit nonetheless."""

LONGEST_WORD = 512
"""Bytes of an unbroken run that are given up at a cut; longer runs are encoded data."""

_STRING_BODY = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_ESCAPE_BYTES = 6
"""Bytes of the longest escape: a cut one shows its backslash in as many last bytes."""

_CUT_ESCAPE = re.compile(rb"(\\+)(?:u[0-9a-fA-F]{0,3})?\Z")
_HIGH_SURROGATE = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")


class JsonShortener:
    """Takes a line in pieces and keeps a shortened copy of it.

    Attributes:
        size: bytes fed so far: the line's true size.
        left_out: bytes of string content not kept.
        overflowed: the line was too large even without its long strings; the kept copy is cut and no JSON.
    """

    def __init__(self, limit: int, string_limit: int = STRING_LIMIT) -> None:
        """``limit``: bytes that the kept copy may reach before strings get scarce; it never exceeds 2 x ``limit``."""
        self.size = 0
        self.left_out = 0
        self.overflowed = False
        self._limit = limit
        self._string_limit = min(string_limit, limit)
        self._kept: list[bytes] = []
        self._kept_size = 0
        self._carry = b""
        self._in_string = False
        self._string_size = 0
        self._string_left_out = 0

    def feed(self, piece: bytes) -> None:
        """Take the next piece of the line (without its line end)."""
        self.size += len(piece)
        data = self._carry + piece
        self._carry = b""
        position = 0
        while position < len(data):
            if not self._in_string:
                quote = data.find(b'"', position)
                end = len(data) if quote < 0 else quote + 1
                self._keep(data[position:end])
                position = end
                self._in_string = quote >= 0
                self._string_size = self._string_left_out = 0
                continue
            match = _STRING_BODY.match(data, position)
            end = match.end() if match else position
            closed = data[end : end + 1] == b'"'
            content = data[position:end] if closed else _cut_cleanly(data[position:end])
            self._keep_string(content)
            if not closed:
                self._carry = data[position + len(content) :]
                return
            self._close_string()
            position = end + 1

    def result(self) -> bytes:
        """Return the shortened line."""
        return b"".join(self._kept)

    def _keep(self, piece: bytes) -> None:
        room = 2 * self._limit - self._kept_size
        if len(piece) > room:
            self.overflowed = True
            piece = piece[: max(room, 0)]
        self._kept.append(piece)
        self._kept_size += len(piece)

    def _keep_string(self, content: bytes) -> None:
        allowed = self._string_limit if self._kept_size < self._limit else CROWDED_STRING_LIMIT
        room = 0 if self._string_left_out else max(allowed - self._string_size, 0)
        kept = content if len(content) <= room else _cut_cleanly(_cut_between_words(content[:room]))
        self._string_size += len(kept)
        self._string_left_out += len(content) - len(kept)
        self._keep(kept)

    def _close_string(self) -> None:
        if self._string_left_out:
            self.left_out += self._string_left_out
            self._keep(b"...[%d bytes left out]" % self._string_left_out)
        self._keep(b'"')
        self._in_string = False


def _cut_between_words(piece: bytes) -> bytes:
    """Drop the word that the cut went through, so that no half of a secret stays behind unrecognised."""
    end = max(piece.rfind(b" "), piece.rfind(b"\\n"), piece.rfind(b'\\"'))
    return piece[:end] if end > len(piece) - LONGEST_WORD else piece


def _cut_cleanly(piece: bytes) -> bytes:
    """Drop a character, escape or surrogate pair at the end that is not whole."""
    start = len(piece)
    while start and len(piece) - start < 4 and piece[start - 1] & 0xC0 == 0x80:
        start -= 1
    if start and piece[start - 1] >= 0xC0:
        lead = piece[start - 1]
        needed = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
        if len(piece) - (start - 1) < needed:
            piece = piece[: start - 1]
    if b"\\" not in piece[-_ESCAPE_BYTES:]:
        return piece
    cut = _CUT_ESCAPE.search(piece)
    if cut and len(cut.group(1)) % 2:
        piece = piece[: cut.start() + len(cut.group(1)) - 1]
    half = _HIGH_SURROGATE.search(piece)
    return piece[: half.start()] if half else piece
