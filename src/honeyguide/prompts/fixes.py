"""A fix that is safe to make with one click: the new bytes of one file, made from known old bytes."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.kernel.canonical import sha256_hex


@dataclass(frozen=True, slots=True)
class SafeFix:
    """One small change to one file that was tried: the result parses, and says what was meant.

    Attributes:
        title: what the button says, e.g. ``Put the description in quotes``.
        line: 1-based line that changes.
        before: that line now, without its line end; empty when a line is added.
        after: that line then; empty when a line or an invisible mark is removed.
        data: the whole file after the fix. Write it by compare-and-swap against ``base_sha256``.
        base_sha256: hash of the bytes this fix was made from.
    """

    title: str
    line: int
    before: str
    after: str
    data: bytes
    base_sha256: str

    @classmethod
    def of(cls, base: bytes, data: bytes, *, title: str, line: int, before: str, after: str) -> SafeFix:
        """Return a fix that turns ``base`` into ``data``."""
        return cls(title, line, before, after, data, sha256_hex(base))
