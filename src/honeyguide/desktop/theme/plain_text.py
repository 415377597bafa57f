"""How text that others wrote is shown: as text, whatever is in it.

Nothing is read as markup. A sign that would be invisible, or would reorder the line to deceive (Trojan Source,
CVE-2021-42574), is shown as one that can be seen; every sign takes one place, so positions stay what they were.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_left, bisect_right

HIDDEN = "◇"
"""Stands for a sign that has no picture of its own."""
LINE_MARK = "↵"
ELLIPSIS = "…"
_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"


def _table() -> dict[int, str]:
    table: dict[int, str] = dict.fromkeys((code for code in range(0x20) if code not in (0x09, 0x0A)), HIDDEN)
    table |= dict.fromkeys(range(0x7F, 0xA0), HIDDEN)
    table |= dict.fromkeys((0x2028, 0x2029), LINE_MARK)
    table |= dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], HIDDEN)
    table |= dict.fromkeys([0x00AD, 0x200B, *range(0x2060, 0x2066), 0xFEFF, *range(0xFFF9, 0xFFFC)], HIDDEN)
    table |= dict.fromkeys(range(0xE0000, 0xE0080), HIDDEN)
    table |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
    return table


_TABLE = _table()
_FOREIGN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_DECEIVING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_LONGEST = 60
"""Signs without a place to break from which on a word is broken."""
_UNBROKEN = re.compile(rf"[^\s/\\-]{{{_LONGEST},}}")
_PIECE = re.compile(r".{1,30}", re.DOTALL)
_STRONG = {"L": False, "R": True, "AL": True}
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


def visible(text: str) -> str:
    """Return ``text`` with every sign that has no picture replaced by one that has; as long as before."""
    return text if text.isascii() and text.isprintable() else _shown(text)


def _shown(text: str) -> str:
    return text.translate(_TABLE) if _FOREIGN.search(text) else text


def hidden_signs(text: str, most: int = 20) -> list[tuple[int, str]]:
    """Return place and name of signs that cannot be seen or that reorder text; at most ``most``."""
    found: list[tuple[int, str]] = []
    for match in _DECEIVING.finditer(text):
        code = ord(match.group())
        found.append((match.start(), unicodedata.name(match.group(), f"U+{code:04X}").lower()))
        if len(found) >= most:
            break
    return found


def runs_leftward(text: str) -> bool:
    """Say whether the first letter that has a direction runs from right to left (Unicode bidi rules P2, P3)."""
    if text.isascii():
        return False
    return next((_STRONG[kind] for sign in text if (kind := unicodedata.bidirectional(sign)) in _STRONG), False)


def one_line(text: str, most: int = 240) -> str:
    """Return the beginning of ``text`` in one line of at most ``most`` characters, with visible signs only."""
    head = " ".join(visible(text[: most * 4].replace("\t", " ").replace("\r\n", " ").replace("\n", " ")).split())
    return head if len(head) <= most and len(text) <= most * 4 else head[: most - 1].rstrip() + ELLIPSIS


def block(text: str, most: int = 20_000) -> str:
    """Return the beginning of ``text`` with its lines, for a label that wraps."""
    shown = visible(text[:most].replace("\r\n", "\n"))
    return shown if len(text) <= most else shown + ELLIPSIS


def breakable(text: str) -> str:
    """Return ``text`` with places to break in words that no line can hold, so that a label does not grow with them."""
    return _UNBROKEN.sub(lambda word: "\u200b".join(_PIECE.findall(word[0])), text) if len(text) > _LONGEST else text


def isolated(text: str) -> str:
    """Return ``text`` such that its writing direction does not disturb the sentence around it."""
    return f"{_ISOLATE}{text}{_END_ISOLATE}"


def tooltip(text: str, most: int = 1200) -> str:
    """Return a tooltip that shows ``text`` as it is: tooltips would read it as HTML."""
    return f'<p style="white-space:pre-wrap">{html.escape(block(text, most))}</p>' if text else ""


class Utf16Map:
    """Turns places in a string (code points) into Qt's (UTF-16 units) and back."""

    __slots__ = ("_astral", "_units")

    def __init__(self, text: str) -> None:
        self._astral = [] if text.isascii() else [match.start() for match in _ASTRAL.finditer(text)]
        self._units = [place + number for number, place in enumerate(self._astral)]

    def to_qt(self, place: int) -> int:
        """Return the UTF-16 unit at which code point ``place`` starts."""
        return place + bisect_left(self._astral, place) if self._astral else place

    def from_qt(self, unit: int) -> int:
        """Return the code point that UTF-16 unit ``unit`` belongs to."""
        if not self._units:
            return unit
        before = bisect_right(self._units, unit)
        if before and unit - self._units[before - 1] < 2:
            return self._astral[before - 1]
        return unit - before
