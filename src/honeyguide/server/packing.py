"""Compressing an answer whose long beginning stays as it is: it is deflated once, and each new end joined to it.

A full flush ends the beginning at a byte and forgets what came before, so that the end may be deflated by itself
(RFC 1951); the check sum of both goes on from that of the beginning (RFC 1952). The result is one gzip member.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_RAW = -zlib.MAX_WBITS


@dataclass(frozen=True, slots=True)
class Packed:
    """A beginning, deflated.

    Attributes:
        data: its blocks.
        crc, length: of what it stands for.
    """

    data: bytes
    crc: int
    length: int


def packed(beginning: bytes) -> Packed:
    """Deflate the first part of an answer."""
    deflate = zlib.compressobj(6, zlib.DEFLATED, _RAW)
    data = deflate.compress(beginning) + deflate.flush(zlib.Z_FULL_FLUSH)
    return Packed(data, zlib.crc32(beginning), len(beginning))


def gzipped(beginning: Packed, end: bytes) -> bytes:
    """Return the gzip file of a beginning and an end."""
    deflate = zlib.compressobj(1, zlib.DEFLATED, _RAW)
    data = deflate.compress(end) + deflate.flush()
    sums = struct.pack("<LL", zlib.crc32(end, beginning.crc), (beginning.length + len(end)) & 0xFFFFFFFF)
    return b"".join((_HEADER, beginning.data, data, sums))


def takes_gzip(accept_encoding: str) -> bool:
    """Say whether an ``Accept-Encoding`` header takes gzip: named, and not with a weight of 0."""
    for part in accept_encoding.lower().split(","):
        name, _, weight = part.partition(";")
        if name.strip() in ("gzip", "*"):
            return weight.replace(" ", "").rstrip("0.") not in ("q=",)
    return False
